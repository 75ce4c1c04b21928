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
"""Comment before and after each generated table."""

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
    """Return the entries that people write."""
    return tomllib.loads((DOCS / "accessibility.toml").read_text(encoding="utf-8"))


def matterhorn_table() -> str:
    """Return the table of the checkpoints of the Matterhorn Protocol, with counts of their conditions."""
    found = decided()
    lines = ["| checkpoint | conditions | tested | by eye | not checked |", "|---|--:|--:|--:|--:|"]
    for checkpoint in data()["checkpoints"]:
        number, each = checkpoint["number"], checkpoint["conditions"]
        tested = sum(f"{number}-{condition}" in found for condition in each)
        seen = [condition.get("here") for condition in each.values()]
        counts = (len(each), tested, seen.count("eye"), seen.count("not"))
        lines.append(f"| {number} {checkpoint['title']} | {' | '.join(map(str, counts))} |")
    return "\n".join([summary(found), "", *lines])


def summary(found: dict[str, str]) -> str:
    """Return how many conditions are checked in which way."""
    every = dict(conditions())
    kinds = {kind: {name for name in every if every[name]["kind"] == kind} for kind in ("machine", "human", "none")}
    machine, human = (f"{len(kinds[kind] & set(found))} of the {len(kinds[kind])}" for kind in ("machine", "human"))
    eye = [name for name in every if every[name].get("here") == "eye"]
    left = [name for name in kinds["human"] if every[name].get("here") == "not"]
    return (
        f"Tests check {machine} conditions that a program can decide, and {human} that the protocol leaves to people. "
        f"We checked {len(eye)} of the others by eye in two example reports, and {len(left)} are not checked. The "
        f"protocol has no test for {len(kinds['none'])} conditions."
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
    for name, made in (("matterhorn", matterhorn_table()), ("criteria", criteria())):
        mark = MADE.format(name)
        before, _, after = text.split(mark)
        text = f"{before}{mark}\n{made}\n{mark}{after}"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
