"""Groups of responses in all runs, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.changes import tables_of
from report_sections.lookup import number, records, withheld_log, withheld_sentence
from report_sections.words import distinct, name
from reportgen.results import Cell, Estimate
from reportgen.sections import Axis, Cells, Chart, Evaluation, Findings, Section, Table
from reportgen.wording.numbers import many, num

LABELS = {"qwk": "Quadratic weighted kappa", "dsm": "Difference of standardized means"}


@dataclass(frozen=True)
class SummarizeGroups(Section):
    """For each group column: the statistics of every level under each run.

    Parameters
    ----------
    drawn
        Metrics drawn as a table of shades, levels by runs: any of "qwk" and "dsm".
    most
        Levels drawn at most, largest first.
    """

    name: ClassVar[str] = "summarize_groups"
    title: ClassVar[str] = "Groups"

    drawn: tuple[str, ...] = ("qwk", "dsm")
    most: int = 20

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the groups of every column, side by side."""
        tables = tables_of(evaluation, *(f"summary.by_group.{column}" for column in evaluation.groups))
        if not tables:
            return Findings(headline="The runs name no group column.")
        said = [_sentence(table, column) for table, column in zip(tables, evaluation.groups, strict=False)]
        return Findings(
            headline=said[0],
            paragraphs=(*said[1:], *filter(None, [withheld_sentence(evaluation)])),
            tables=(*tables, *withheld_log(evaluation)),
            charts=tuple(
                chart for table in tables for metric in self.drawn for chart in _shades(table, metric, self.most)
            ),
        )


def _sentence(table: Table, column: str) -> str:
    """Say how far apart the agreement of the groups lies."""
    found = [
        (cell.value, str(row["level"]), str(row["run"]))
        for row, line in zip(records(table), table.rows, strict=True)
        if isinstance(cell := row["qwk"], Estimate) and cell.value is not None and line.mark != "insufficient"
    ]
    if not found:
        return f"By {name(column)}, no group has quadratic weighted kappa."
    (low, *least), (high, *most) = min(found), max(found)
    return (
        f"By {name(column)}, quadratic weighted kappa runs from {num(low, 'coefficient')} "
        f"({name(least[0], 30)}, {name(least[1], 30)}) to {num(high, 'coefficient')} "
        f"({name(most[0], 30)}, {name(most[1], 30)})."
    )


def _shade(cell: Cell, metric: str) -> float | None:
    """Return how dark a cell is: a difference by its size, whatever its sign."""
    value = number(cell)
    return abs(value) if metric == "dsm" and value is not None else value


def _shades(table: Table, metric: str, most: int) -> tuple[Chart, ...]:
    """Return one metric as a table of shades: levels by runs."""
    rows = records(table)
    levels = list(dict.fromkeys(str(row["level"]) for row in rows))[:most]
    runs = list(dict.fromkeys(str(row["run"]) for row in rows))
    cells = {(str(row["level"]), str(row["run"])): row[metric] for row in rows}
    found = [[cells.get((level, run)) for run in runs] for level in levels]
    if len(runs) < 2 or not any(number(cell) is not None for line in found for cell in line):
        return ()  # nothing to compare: the table says it all
    level_names, run_names = distinct(levels), distinct(runs, 25)
    shade = Cells(
        level_names,
        run_names,
        tuple(tuple(_shade(cell, metric) for cell in line) for line in found),
        tuple(tuple(num(cell) for cell in line) for line in found),
        LABELS[metric],
    )
    said = "; ".join(
        f"{level}: {', '.join(num(cell) for cell in line)}"
        for level, line in list(zip(level_names, found, strict=True))[:6]
    )
    column = name(table.columns[0].label)
    return (
        Chart(
            f"{table.key}.{metric}",
            f"{LABELS[metric]} by {column} and run",
            f"{LABELS[metric]} of {many(len(levels), 'level')} of {column} in {many(len(runs), 'run')}; {said}.",
            Axis("Run", categories=run_names),
            Axis(column, categories=level_names),
            (shade,),
        ),
    )
