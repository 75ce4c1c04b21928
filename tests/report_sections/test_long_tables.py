"""Tables of many groups: the page has the largest and the worst, and says where the others are."""

from dataclasses import replace

import numpy as np
import pandas as pd

from report_sections.criteria import OUTCOMES, Criteria
from report_sections.data import Data
from report_sections.group_differences import GroupDifferences
from report_sections.lookup import MOST_FLAGGED, for_page
from reportgen.evaluation import evaluate
from reportgen.results import Check, Column, Estimate, Evaluation, Mark, Row, Table
from reportgen.scores import read
from reportgen.sections import Dots
from reportgen.settings import from_keywords
from reportgen.testing import text_of
from reportgen.wording.vocabulary import Vocabulary


def long_table(n: int) -> Table:
    """Return a table whose every third row is flagged, later ones farther from 0."""
    marks: list[Mark] = ["flagged" if k % 3 == 0 else "" for k in range(n)]
    rows = tuple(Row((f"g{k}", Estimate("dsm", -k / n, 50)), mark) for k, mark in enumerate(marks))
    return Table("by_group.g", "c", (Column("level", "g"), Column("dsm", "DSM")), rows)


def test_a_long_table_keeps_the_largest_and_the_worst() -> None:
    table = for_page(long_table(900), "dsm")
    names = [str(row.cells[0]) for row in table.rows]
    assert names[:25] == [f"g{k}" for k in range(25)]
    assert names[25:] == [*(f"g{k}" for k in range(900 - 3 * MOST_FLAGGED, 900, 3)), "g899"]
    assert table.max_rows == len(table.rows) == 25 + MOST_FLAGGED + 1
    assert Vocabulary().say(table.notes[-1]) == (
        "The table shows the largest groups, the lowest and the highest and the 59 farthest beyond the limit. "
        "241 more are beyond the limit. 824 groups are only in tables/by_group.g.csv."
    )


def test_a_short_table_is_not_changed() -> None:
    table = long_table(25)
    assert for_page(table, "dsm") is table


def items(sizes: list[int], values: list[float], marks: dict[int, Mark] | None = None) -> Table:
    """Return a table of items, all responses first, in the order they are given."""
    lines = [
        Row((f"Item {place + 1}", size, Estimate("dsm", value, size)), (marks or {}).get(place, ""))
        for place, (size, value) in enumerate(zip(sizes, values, strict=True))
    ]
    rows = (Row(("All data", sum(sizes), None), "overall"), *lines[::-1])
    return Table("by_group.item", "c", (Column("level", "item"), Column("n", "n"), Column("dsm", "DSM")), rows)


def test_levels_named_in_sentences_are_in_the_table_sorted_by_name() -> None:
    values = [0.0] * 60
    values[2], values[4], values[6], values[7] = -0.2, 0.3, 0.9, 0.1
    table = for_page(items([500] * 60, values, {6: "insufficient", 7: "flagged"}), "dsm")
    names = [str(row.cells[0]) for row in table.rows]
    assert names == ["All data", "Item 3", "Item 5", "Item 8", *(f"Item {k}" for k in range(37, 61))]
    note = Vocabulary().say(table.notes[-1])
    assert "the lowest and the highest and all beyond the limit. 33 groups are only in" in note


def test_many_items_of_nearly_equal_size_are_sorted_by_name() -> None:
    near, apart = (items([least] + [190] * 11, [0.0] * 12) for least in (100, 90))
    assert [str(row.cells[0]) for row in for_page(near, "dsm").rows][1:] == [f"Item {k}" for k in range(1, 13)]
    assert for_page(apart, "dsm") is apart


def sixty_items(each: int = 60) -> Evaluation:
    """Return an evaluation of sixty items of one size; the engine is hard on the last and soft on the one before."""
    rng = np.random.default_rng(3)
    item = np.repeat(np.arange(1, 61), each)
    human = rng.integers(1, 7, item.size)
    engine = np.clip(human + rng.normal(0, 0.5, item.size) - (item == 60) + (item == 59), 1, 6)
    frame = pd.DataFrame({"human": human, "engine": engine, "item": [f"Item {k}" for k in item]})
    frame["sex"] = np.where(rng.random(item.size) < 0.5, "F", "M")
    settings = from_keywords(system="engine", human=["human"], groups=["item", "sex"], scale="1:6")
    return evaluate(read(frame, settings), settings, {})


def test_sixty_items_are_shown_with_all_items_named_in_sentences() -> None:
    found = sixty_items()
    differences = GroupDifferences(contrasts=("csd",)).findings(found)
    figure = Vocabulary().said(next(chart for chart in differences.charts if chart.key == "group_differences.chart"))
    assert {"Item 59", "Item 60"} <= {
        name for layer in figure.layers if isinstance(layer, Dots) for name in layer.names
    }
    assert "48 more groups are only in the tables." in figure.caption
    (drawn,) = (chart for chart in differences.charts if chart.key == "fairness.csd.item.chart")
    assert {"Item 59", "Item 60"} <= set(drawn.y.categories)
    (table,) = (table for table in differences.tables if table.key == "by_group.item")
    names = [str(row.cells[0]) for row in table.rows]
    assert names[0] == "All data"
    assert {"Item 59", "Item 60"} <= set(names)
    assert names[1:] == sorted(names[1:], key=lambda label: int(label.split()[1]))


def test_many_items_of_one_size_are_one_line() -> None:
    told = text_of(Data(), sixty_items())
    assert "By item, there are 60 groups of 60 responses each." in told
    assert "data.groups.item" not in told


def test_unmet_and_open_criteria_are_never_dropped() -> None:
    outcomes = ["met"] * 45 + ["not yet known"] * 3 + ["not met"] * 2 + ["insufficient"]
    checks = tuple(
        Check("DSM", Estimate("dsm", 0.0, 90), outcome, -0.1, 0.1, group=f"item: {place}", column="item")  # type: ignore[arg-type]
        for place, outcome in enumerate(outcomes)
    )
    evaluated = replace(sixty_items(), checks=checks)
    table = next(each for each in Criteria(rows=4).findings(evaluated).tables if each.key == "criteria.groups")
    first = [str(outcome) for outcome in table.column("outcome")][:6]
    assert first == ["not_met"] * 2 + ["undecided"] * 3 + ["not_tested"]
    assert table.max_rows == 5
    short = next(each for each in Criteria(rows=51).findings(evaluated).tables if each.key == "criteria.groups")
    assert [str(outcome) for outcome in short.column("outcome")] == [OUTCOMES[outcome] for outcome in outcomes]
