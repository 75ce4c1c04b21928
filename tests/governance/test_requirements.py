"""Requirements of frameworks: sources, answers, and marks of unchecked items."""

from dataclasses import replace

import pytest

from reportgen import sections
from reportgen.governance.card import FIELDS
from reportgen.governance.packet import Answer, answers, items
from reportgen.results import Evaluation
from reportgen.testing import example_evaluation

PARTS = {*sections.DEFAULT_ORDERS["evaluation"], *sections.DEFAULT_ORDERS["packet"]}

ASKED = {
    "Standards": ["2.7", "3.8", "4.18", "4.19", "4.20", "6.8", "6.9", "7.1"],
    "EU AI Act": [f"Annex IV {number}" for number in ("1(a)", "2(a)", "2(g)", *"3456789")],
    "Articles": ["Article 10(2)(f), (g)", "Article 12(1)", "Article 15(1)", "Article 15(3)", "Article 72(3)"],
    "NIST": [f"MEASURE {group}.{number + 1}" for group, last in enumerate((3, 13, 3, 3), 1) for number in range(last)],
}


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return example_evaluation()


def answered(evaluation: Evaluation, number: str, parts: set[str]) -> Answer:
    return next(each for each in answers(evaluation, {}, {}, parts) if each.item.number == number)


@pytest.mark.parametrize("framework", ASKED)
def test_items_include_requirements_of_reviews(framework: str) -> None:
    numbers = [item.number for item in items()]
    assert set(ASKED[framework]) <= set(numbers)
    assert len({(item.framework, item.number) for item in items()}) == len(numbers)


def test_items_name_existing_parts(evaluation: Evaluation) -> None:
    for item in items():
        assert set(item.parts) <= PARTS, item.number
        assert set(item.fields) <= {field.key for field in FIELDS}, item.number
        assert set(item.estimates) <= set(evaluation.estimates), item.number
        assert item.seen in ("reproduction", "summary", "notes"), item.number


def test_items_without_star_were_checked() -> None:
    seen = {(item.framework.split(" ")[0], item.number) for item in items() if item.seen == "reproduction"}
    for framework, number in seen:
        assert framework in ("EU", "NIST") or (framework, number) in {("Standards", "3.3"), ("Standards", "3.6")}
        assert framework != "NIST" or number.startswith(("MEASURE", "MANAGE"))


def test_answers_name_present_and_missing_parts(evaluation: Evaluation) -> None:
    with_it = answered(evaluation, "MEASURE 2.11", {"group_differences"})
    assert "part: Does it score all groups the same way?" in with_it.text
    without = answered(evaluation, "MEASURE 2.1", {"data"})
    assert "part: What was scored and what was excluded?" in without.text
    assert "not in this report: Settings and methods" in without.text


def test_answer_without_parts_is_incomplete(evaluation: Evaluation) -> None:
    bare = replace(evaluation, estimates={}, tables={})
    found = answered(bare, "MEASURE 2.11", set())
    assert found.by == ("not supplied",)
    assert found.text == "not in this report: Does it score all groups the same way?"
    assert not found.complete


def test_item_without_answer(evaluation: Evaluation) -> None:
    found = answered(evaluation, "MEASURE 2.12", PARTS)
    assert (found.text, found.by, found.complete) == ("nothing in a packet answers it", ("nothing",), False)
