"""Charts of how far reported scores move."""

from __future__ import annotations

from report_sections.groups import ends
from report_sections.lookup import number, records
from report_sections.pictures import dots_of
from report_sections.words import capital, distinct, listed, name
from reportgen.results import Estimate
from reportgen.sections import Axis, Bars, Cells, Chart, Rule, Table
from reportgen.wording.numbers import count, many, percent, point, with_interval

MOST_GROUPS = 25
"""Groups that a chart has room for: the largest."""


def move_chart(table: Table) -> Chart:
    """Return the shares of test takers by how far their scale score moves."""
    rows = records(table)
    labels = tuple(_signed(number(row["difference"]) or 0.0) for row in rows)
    shares = tuple(number(row["share"]) or 0.0 for row in rows)
    n = sum(int(number(row["n"]) or 0) for row in rows)
    said = [f"{percent(share, n)} by {label}" for label, share in zip(labels, shares, strict=True) if share]
    return Chart(
        key="impact.moves.chart",
        title="How far scale scores move",
        alt=f"Shares of {many(n, 'test taker')} by engine less human scale score: {listed(said)}.",
        x=Axis("Scale score with the engine's score less that with the human score", categories=labels),
        y=Axis("Share of test takers", low=0, unit="%"),
        layers=(Bars("test takers", labels, shares),),
        caption=" ".join(table.notes),
    )


def _signed(value: float) -> str:
    return f"+{point(value)}" if value > 0 else point(value)


def level_chart(table: Table) -> Chart:
    """Return performance levels with the human and with the engine's score as a heat map."""
    rows = records(table)
    said_in_full = [str(row["level"]) for row in rows]
    names = tuple(f"Level {place}" for place in range(1, len(rows) + 1))
    keys = [column.key for column in table.columns[1:-1]]
    lines = [[int(number(row[key]) or 0) for key in keys] for row in rows]
    totals = [sum(line) for line in lines]
    said = [
        f"of {many(total, 'test taker')} at {label}, {count(line[place])} stay"
        for place, (label, line, total) in enumerate(zip(said_in_full, lines, totals, strict=True))
        if total
    ]
    return Chart(
        key="impact.levels.chart",
        title="Performance level with the human and with the engine's score",
        alt=f"{capital('; '.join(said))}.",
        x=Axis("Level with the engine's score", categories=names),
        y=Axis("Level with the human score", categories=names),
        layers=(
            Cells(
                names,
                names,
                tuple(
                    tuple(100 * cell / total if total else None for cell in line)
                    for line, total in zip(lines, totals, strict=True)
                ),
                tuple(tuple(count(cell) for cell in line) for line in lines),
                "% of test takers of this level",
                frame_diagonal=True,
            ),
        ),
        caption=(
            "Counts of test takers; shading is the percentage within each row; framed cells keep their level. "
            f"{'; '.join(f'{label}: {full}' for label, full in zip(names, said_in_full, strict=True))}."
        ),
    )


def group_chart(table: Table) -> tuple[Chart, ...]:
    """Return the mean difference in every group with its interval; nothing for a single group."""
    found = [(str(row.cells[0]), row.cells[2], row.mark) for row in table.rows if row.mark != "overall"]
    rows = [(label, cell, mark) for label, cell, mark in found if isinstance(cell, Estimate) and cell.defined]
    if len(rows) < 2:
        return ()
    named = ends([cell.value for _, cell, _ in rows], [not mark for _, _, mark in rows])
    rows = [row for place, row in enumerate(rows) if place < MOST_GROUPS or place in named]
    rows.sort(key=lambda row: row[1].value or 0.0)
    labels, cells = distinct(label for label, _, _ in rows), [cell for _, cell, _ in rows]
    said = listed(f"{label} {with_interval(cell)}" for label, cell in zip(labels, cells, strict=True))
    column = name(table.columns[0].label)
    more = f"The largest of {len(found)} groups, and those that move most." if len(found) > len(rows) else ""
    return (
        Chart(
            key=f"{table.key}.chart",
            title=f"Mean difference of scale scores, by {column}",
            alt=f"Scale score with the engine's score less that with the human score, by {column}: {said}.",
            x=Axis("Mean difference, engine less human"),
            y=Axis(column, categories=labels),
            layers=(
                Rule(0.0, "no difference", ink="muted"),
                dots_of("mean difference", labels, cells, hollow=[mark == "insufficient" for _, _, mark in rows]),
            ),
            caption=more,
        ),
    )  # fmt: skip
