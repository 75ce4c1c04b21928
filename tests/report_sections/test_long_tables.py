"""Tables of many groups: the page has the largest and the worst, and says where the others are."""

from __future__ import annotations

from report_sections.groups import MOST_FLAGGED, by_chance, for_page
from reportgen.results import Check, Column, Estimate, Mark, Row, Table


def long_table(n: int) -> Table:
    """Return a table whose every third row is flagged, later ones farther from 0."""
    marks: list[Mark] = ["flagged" if k % 3 == 0 else "" for k in range(n)]
    rows = tuple(Row((f"g{k}", Estimate("dsm", -k / n, 50)), mark) for k, mark in enumerate(marks))
    return Table("by_group.g", "c", (Column("level", "g"), Column("dsm", "DSM")), rows)


def test_a_long_table_keeps_the_largest_and_the_worst() -> None:
    table = for_page(long_table(900), "dsm")
    names = [str(row.cells[0]) for row in table.rows]
    assert names[:25] == [f"g{k}" for k in range(25)]
    assert names[25:] == [f"g{k}" for k in range(900 - 3 * MOST_FLAGGED, 900, 3)]
    assert table.max_rows == len(table.rows) == 25 + MOST_FLAGGED
    assert table.notes[-1] == (
        "Shown are the largest groups, and the flagged ones farthest from 0; 250 more are flagged. 825 groups are only "
        "in tables/by_group.g.csv."
    )


def test_a_short_table_is_left_alone() -> None:
    table = long_table(100)
    assert for_page(table, "dsm") is table


def test_chance_is_counted_on_one_side_of_the_limit() -> None:
    check = Check("DSM", Estimate("dsm", 0.02, 90, -0.03, 0.07), "met", -0.1, 0.1, group="g: a")
    assert by_chance([check] * 40).startswith("Of 40 groups judged, chance alone would put about 1.0 outside the limit")
    assert not by_chance([check])
