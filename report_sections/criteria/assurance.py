"""How probable a clear answer is with more responses: a row for each open requirement, a column for each size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.results import Cell, Check
from reportgen.results.term import Term
from reportgen.sections import Column, Row, Table

OVERALL, GROUPS = "criteria.assurance", "criteria.assurance_groups"

LEAST_SHOWN = 500
"""Fewer responses than this are no design on all of them, and stand in the CSV file alone."""


def assurance_tables(checks: Sequence[Check], most: int) -> Iterator[Table]:
    """Yield the tables, of all responses and of groups, where a requirement is open and more responses can be planned.

    Parameters
    ----------
    checks
        Requirements.
    most
        How many rows a page shows.
    """
    open_ = [each for each in checks if each.assurance]
    overall, groups = ([each for each in open_ if bool(each.column) is of_groups] for of_groups in (False, True))
    if overall:
        notes = (Term("assurance_note"), *_most(overall))
        yield Table(OVERALL, "", *_lines(overall, (Column("criterion"), Column("group", shown=False))), notes, most)
    if groups:
        several = len({each.label for each in groups}) > 1
        notes = () if overall else (Term("assurance_note"),)
        yield Table(GROUPS, "", *_lines(groups, (Column("group"), Column("criterion", shown=several))), notes, most)


def _lines(checks: Sequence[Check], named: tuple[Column, Column]) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
    """Return the columns and a row for each requirement: its name, now, what is enough, the chance with each size."""
    sizes = sorted({chance.n for each in checks for chance in each.assurance})
    least = LEAST_SHOWN if named[0].key == "criterion" else 0
    columns = (
        *named,
        Column("now"),
        Column("enough", kind="count"),
        *(Column(f"clear_{n}", Term("count_of", n=n), "count", "%", shown=n >= least) for n in sizes),
        *(Column(f"met_{n}", Term("count_of", n=n), "count", "%", shown=False) for n in sizes),
    )
    return columns, tuple(Row((*_names(each, named), *_numbers(each, sizes))) for each in checks)


def _names(check: Check, named: tuple[Column, Column]) -> Iterator[Cell]:
    group = Term("group_of_column", column=check.column, level=check.level) if check.column else ""
    yield from (check.label if column.key == "criterion" else group for column in named)


def _numbers(check: Check, sizes: Sequence[int]) -> Iterator[Cell]:
    """Yield how many there are, how many are enough, and the chances in percent: clear answer, requirement met."""
    found = {chance.n: chance for chance in check.assurance}
    yield Term("number_of", n=check.estimate.n, what=check.waits_for)
    yield check.cheapest.n if check.cheapest else None
    yield from (100 * found[n].clear if n in found else None for n in sizes)
    yield from (100 * found[n].met if n in found else None for n in sizes)


def _most(open_: Sequence[Check]) -> Iterator[Term]:
    """Yield which requirement on all responses takes the most ratings: all at once take as many at least."""
    found = [(check, check.cheapest.ratings) for check in open_ if check.cheapest is not None and not check.column]
    if len(found) > 1:
        check, ratings = max(found, key=lambda each: each[1])
        yield Term("needs_most", name=check.label, ratings=ratings)
