"""Writes the tables of docs/accessibility.md from the tests and docs/accessibility.toml: `make docs`."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
PAGE = DOCS / "accessibility.md"
PDF = DOCS.parent / "tests" / "pdf"
BROWSER = DOCS.parent / "tests" / "browser" / "test_browser.py"
MADE = "<!-- {} -->"
"""What the tables stand between."""

KINDS = {"machine": "a program", "human": "people", "none": "nobody"}
SEEN = {"eye": "by eye", "not": "not checked"}


def decided() -> dict[str, str]:
    """Return the conditions that tests decide, each with the place of its test."""
    sys.path[:0] = [str(PDF), str(PDF.parent)]
    import matterhorn
    import test_matterhorn

    found = dict.fromkeys(matterhorn.CONDITIONS, test_matterhorn.__name__)
    for name in tests(PDF / "test_same_as_the_page.py"):
        found |= {f"{one}-{two}": "test_same_as_the_page" for one, two in re.findall(r"(\d\d)_(\d{3})_", name)}
    return found


def tests(path: Path) -> list[str]:
    """Return the names of the tests of a file."""
    return re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)


def conditions() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every condition under its number."""
    for checkpoint in data()["checkpoints"]:
        for number, told in checkpoint["conditions"].items():
            yield f"{checkpoint['number']}-{number}", told


def data() -> dict[str, Any]:
    """Return what is told by hand."""
    return tomllib.loads((DOCS / "accessibility.toml").read_text(encoding="utf-8"))


def matterhorn_tables() -> str:
    """Return the tables of the conditions of the Matterhorn Protocol."""
    found, lines = decided(), [counted(decided())]
    for checkpoint in data()["checkpoints"]:
        lines += [
            f"\n### {checkpoint['number']} {checkpoint['title']}\n",
            "| condition | fails when | by the protocol | here |",
        ]
        lines += ["|---|---|---|---|"]
        for number, told in checkpoint["conditions"].items():
            name = f"{checkpoint['number']}-{number}"
            here = f"`{found[name]}`" if name in found else SEEN[told["here"]]
            note = f"; {told['note']}" if "note" in told else ""
            lines.append(f"| {name} | {told['words']} | {KINDS[told['kind']]} | {here}{note} |")
    return "\n".join(lines)


def counted(found: dict[str, str]) -> str:
    """Return how many conditions are checked in which way."""
    every = dict(conditions())
    machine = [name for name, told in every.items() if told["kind"] == "machine"]
    human = [name for name, told in every.items() if told["kind"] == "human"]
    eye = [name for name, told in every.items() if told.get("here") == "eye"]
    left = [name for name, told in every.items() if told.get("here") == "not"]
    return (
        f"Of {len(machine)} conditions that a program can decide, tests decide {len(set(machine) & set(found))}. "
        f"Of {len(human)} that are left to people, tests decide {len(set(human) & set(found))} for these reports; "
        f"{len(eye)} were judged by eye on two examples. {len(left)} were not checked, two of which have no test."
    )


def criteria() -> str:
    """Return the table of the success criteria of WCAG."""
    lines = ["| criterion | level | how it is checked |", "|---|---|---|"]
    for each in data()["criteria"]:
        ways = [f"axe: {', '.join(each['axe'])}"] if "axe" in each else []
        ways += [f"`{name}`" for name in each.get("tests", ())]
        ways += [SEEN.get(each["here"], each["here"])] if "here" in each else []
        lines.append(f"| {each['number']} {each['name']} | {each['level']} | {'; '.join(ways)} |")
    return "\n".join(lines)


def page() -> str:
    """Return the page with its tables as tests and hand have them."""
    text = PAGE.read_text(encoding="utf-8")
    for name, made in (("matterhorn", matterhorn_tables()), ("criteria", criteria())):
        mark = MADE.format(name)
        before, _, after = text.split(mark)
        text = f"{before}{mark}\n{made}\n{mark}{after}"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
