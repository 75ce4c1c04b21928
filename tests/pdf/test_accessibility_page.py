"""Test that docs/accessibility.md claims only tested conditions."""

import runpy
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def built() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "build_accessibility.py"))


def test_the_page_is_what_tests_and_table_say(built: dict[str, Any]) -> None:
    assert built["page"]() == built["PAGE"].read_text(encoding="utf-8"), "type: make docs"


def test_every_condition_is_told_once_and_either_tested_or_not(built: dict[str, Any]) -> None:
    items, found = dict(built["conditions"]()), built["decided"]()
    kinds = [each["kind"] for each in items.values()]
    assert (len(built["data"]()["checkpoints"]), kinds.count("machine"), kinds.count("human")) == (31, 87, 48)
    assert set(found) <= set(items)
    assert {name for name, each in items.items() if "here" not in each} == set(found)


def test_everything_that_a_program_can_decide_is_decided(built: dict[str, Any]) -> None:
    assert {name for name, each in built["conditions"]() if each["kind"] == "machine"} <= set(built["decided"]())


def test_every_criterion_names_what_there_is(built: dict[str, Any]) -> None:
    criteria, there = built["data"]()["criteria"], built["tests"](built["BROWSER"])
    assert len({each["number"] for each in criteria}) == len(criteria) == 55
    for each in criteria:
        assert {"axe", "tests", "here"} & set(each)
        assert set(each.get("tests", ())) <= set(there)
