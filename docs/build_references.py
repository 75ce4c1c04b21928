"""Writes docs/references.md from the bibliography: `make docs`."""

from __future__ import annotations

from pathlib import Path

from reportgen.wording.bibliography import in_full, works

PAGE = Path(__file__).parent / "references.md"
BEFORE = """# References

This page lists each work that reports, documents, and docstrings cite. `make docs` generates it from
`reportgen/wording/bibliography.toml`. We could not compare works marked † with the original publication.

"""


def page() -> str:
    """Return the page with every cited work."""
    return BEFORE + "".join(f"- {in_full(work)}\n" for work in works().values())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
