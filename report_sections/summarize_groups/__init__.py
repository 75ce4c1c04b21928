"""Groups of responses in all runs, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.changes import one_set, tables_of
from report_sections.comparison_groups import withheld
from report_sections.lookup import distinct, number, records
from reportgen.results import Cell
from reportgen.sections import Axis, Cells, Chart, Estimate, Evaluation, Findings, Section, Table, Term
from reportgen.wording.numbers import num

MOST_TOLD = 6
"""Groups whose numbers the words for a chart tell."""


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

    drawn: tuple[str, ...] = ("dsm", "qwk")
    most: int = 20

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the groups that lie farthest from the others, and the groups of every column, side by side."""
        columns = [column for column in evaluation.groups if f"summary.by_group.{column}" in evaluation.tables]
        tables = tables_of(evaluation, *(f"summary.by_group.{column}" for column in columns))
        pairs = list(zip(columns, tables, strict=True))
        return Findings(
            values={
                "farthest": _farthest(evaluation, columns),
                "columns": [_reach(table, column, apart=not one_set(evaluation)) for column, table in pairs],
                "withheld": withheld(evaluation),
            },
            tables=(*tables, *tables_of(evaluation, "privacy.withheld")),
            charts=tuple(
                chart for column, table in pairs for metric in self.drawn
                for chart in _shades(table, column, metric, self.most)
            ),
        )  # fmt: skip


def _farthest(evaluation: Evaluation, columns: list[str]) -> dict[str, Any]:
    """Return the group and run whose difference lies farthest from 0; nothing where no group is judged."""
    found = [
        {"column": column, "level": str(row["level"]), "run": str(row["run"]), "difference": cell}
        for column in columns
        for table in [evaluation.tables[f"summary.by_group.{column}"]]
        for row, line in zip(records(table), table.rows, strict=True)
        if isinstance(cell := row["dsm"], Estimate) and cell.value is not None and line.mark != "insufficient"
    ]
    return max(found, key=lambda each: abs(number(each["difference"]) or 0.0), default={})


def _reach(table: Table, column: str, *, apart: bool) -> dict[str, Any]:
    """Return how far apart the agreement of the groups of a column lies; nothing but the column where none has it.

    Nor where runs are `apart`, on other responses or ratings: agreement with other raters is not compared.
    """
    found = (
        []
        if apart
        else [
            (cell.value, str(row["level"]), str(row["run"]))
            for row, line in zip(records(table), table.rows, strict=True)
            if isinstance(cell := row["qwk"], Estimate) and cell.value is not None and line.mark != "insufficient"
        ]
    )
    if not found:
        return {"column": column, "n": 0}
    (low, lowest, of), (high, highest, under) = min(found), max(found)
    return {
        "column": column, "n": len(found), "low": low, "lowest": lowest, "lowest_run": of,
        "high": high, "highest": highest, "highest_run": under,
    }  # fmt: skip


def _shade(cell: Cell, metric: str) -> float | None:
    value = number(cell)
    return abs(value) if metric == "dsm" and value is not None else value


def _shades(table: Table, column: str, metric: str, most: int) -> tuple[Chart, ...]:
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
        Term("statistic", key=metric),
    )
    told = [{"level": level, "numbers": [num(cell) for cell in line]}
            for level, line in list(zip(level_names, found, strict=True))[:MOST_TOLD]]  # fmt: skip
    alt = Term("shades_alt", metric=metric, column=column, levels=len(levels), runs=len(runs), named=told)
    return (
        Chart(
            f"{table.key}.{metric}",
            Term("statistic_by_group", key=metric, column=column),
            alt,
            Axis(Term("run_axis"), categories=run_names),
            Axis(Term("name_of_column", column=column), categories=level_names),
            (shade,),
        ),
    )
