"""Writes the references of docs/metrics.md from the bibliography: `make docs`."""

from __future__ import annotations

from pathlib import Path

from reportgen.wording.bibliography import in_full, works

PAGE = Path(__file__).parent / "metrics.md"
HEADING = "## References"
BEFORE = f"""{HEADING}

Made from `reportgen/wording/bibliography.toml` by `make docs`; every work that code, pages and documents cite stands
there once. † marks what was not compared with the work itself.

"""


def references() -> str:
    """Return the list of every work that is cited."""
    return BEFORE + "".join(f"* {in_full(work)}\n" for work in works().values())


def page() -> str:
    """Return the page with the references as the bibliography has them."""
    return PAGE.read_text(encoding="utf-8").split(HEADING)[0] + references()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
