"""Charts of how far reported scores move."""

from __future__ import annotations

from report_sections.figures import dots_of
from report_sections.groups import ends
from report_sections.lookup import distinct, number, records
from report_sections.score_figures import Matrix, heat_maps
from reportgen.sections import Axis, Bars, Chart, Estimate, Rule, Table, Term
from reportgen.wording.numbers import point

MOST_GROUPS = 25
"""Groups that a chart has room for: the largest."""


def move_chart(table: Table) -> Chart:
    """Return the shares of test takers by how far their scale score moves."""
    rows = records(table)
    labels = tuple(_signed(number(row["difference"]) or 0.0) for row in rows)
    shares = tuple(number(row["share"]) or 0.0 for row in rows)
    n = sum(int(number(row["n"]) or 0) for row in rows)
    told = [{"label": label, "share": share} for label, share in zip(labels, shares, strict=True) if share]
    return Chart(
        key="impact.moves.chart",
        title=Term("moves_title"),
        alt=Term("score_moves_alt", n=n, moves=told),
        x=Axis(Term("moves_axis"), categories=labels),
        y=Axis(Term("share_of_test_takers"), low=0, unit="%"),
        layers=(Bars(Term("test_takers"), labels, shares),),
        caption=table.notes[0] if table.notes else "",
    )


def _signed(value: float) -> str:
    return f"+{point(value)}" if value > 0 else point(value)


def level_chart(table: Table) -> Chart:
    """Return performance levels with the rater's and with the engine's score as a heat map."""
    matrix = Matrix.of(table)
    told = [
        {"level": name, "n": sum(line), "stay": line[place]}
        for place, (name, line) in enumerate(zip(matrix.rows, matrix.counts, strict=True))
        if sum(line)
    ]
    maps = [("", Term("level_with_engine"), matrix)]
    return heat_maps(
        "impact.levels.chart", Term("levels_alt", levels=told), maps, Term("level_with_rater"),
        Term("percent_of_level"),
    )  # fmt: skip


def group_chart(table: Table, column: str) -> tuple[Chart, ...]:
    """Return the mean difference in every group with its interval; nothing for a single group."""
    found = [(str(row.cells[0]), row.cells[2], row.mark) for row in table.rows if row.mark != "overall"]
    rows = [(label, cell, mark) for label, cell, mark in found if isinstance(cell, Estimate) and cell.defined]
    if len(rows) < 2:
        return ()
    named = ends([cell.value for _, cell, _ in rows], [not mark for _, _, mark in rows])
    rows = [row for place, row in enumerate(rows) if place < MOST_GROUPS or place in named]
    rows.sort(key=lambda row: row[1].value or 0.0)
    labels, cells = distinct(label for label, _, _ in rows), [cell for _, cell, _ in rows]
    told = [{"level": label, "estimate": cell} for label, cell in zip(labels, cells, strict=True)]
    return (
        Chart(
            key=f"{table.key}.chart",
            title=Term("changes_by_group", column=column),
            alt=Term("changes_by_group_alt", column=column, groups=told),
            x=Axis(Term("mean_change_axis")),
            y=Axis(Term("column_name", column=column), categories=labels),
            layers=(
                Rule(0.0, Term("no_change"), ink="muted"),
                dots_of(Term("mean_change"), labels, cells, hollow=[mark == "insufficient" for _, _, mark in rows]),
            ),
            caption=Term("more_groups", left_out=len(found) - len(rows)),
        ),
    )  # fmt: skip
