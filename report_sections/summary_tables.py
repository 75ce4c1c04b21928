"""The sections on several reports side by side: agreement, groups, halo, the course of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.changes import one_set
from report_sections.comparison_tables import withheld
from report_sections.figures import dots_of
from report_sections.lookup import (
    Record,
    distinct,
    estimates_in,
    known,
    number,
    one_of,
    records,
    rows_of,
    tables_of,
)
from reportgen.results import Cell
from reportgen.sections import Axis, Cells, Chart, Estimate, Evaluation, Findings, Rule, Section, Table, Term
from reportgen.wording.numbers import num

TABLES = (
    "summary.descriptives", "summary.descriptives_rounded", "summary.association", "summary.agreement",
    "summary.true_score",
)  # fmt: skip
SOURCES = {
    "qwk": "summary.association",
    "r": "summary.association",
    "rmse": "summary.association",
    "smd": "summary.descriptives",
    "prmse": "summary.true_score",
    "kappa": "summary.agreement",
}
"""Which table holds the numbers of a forest plot."""

MOST_SAID = 8
"""Runs whose numbers the words for a chart tell."""


@dataclass(frozen=True)
class SummarizeAgreement(Section):
    """Descriptives, association, agreement and true-score evaluation of all runs, with forest plots.

    Parameters
    ----------
    forest
        Metrics that are drawn, each in a figure of its own: any of "qwk", "r", "rmse", "smd", "prmse".  The first page
        has the figure of all runs.
    """

    name: ClassVar[str] = "summarize_agreement"
    title: ClassVar[str] = "Agreement of engine and human scores"

    forest: tuple[str, ...] = ()

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return from where to where agreement reaches, and all runs side by side."""
        reach = _reach(evaluation)
        metrics = self.forest or (() if _drawn(evaluation) else (reach.get("metric", "qwk"),))
        charts = [chart for metric in metrics for chart in _forest(evaluation, metric)]
        return Findings(
            values={
                "one": one_of(evaluation),
                "apart": not one_set(evaluation),
                "drawn": _drawn(evaluation),
                **reach,
            },
            tables=tables_of(evaluation, *TABLES),
            charts=tuple(charts),
        )


def _drawn(evaluation: Evaluation) -> bool:
    """Return whether the first page draws these numbers: not that of traits or items."""
    return not evaluation.facts.get("traits") and not evaluation.facts.get("by")


def _numbers(evaluation: Evaluation, metric: str) -> list[tuple[str, Estimate]]:
    return estimates_in(rows_of(evaluation, SOURCES.get(metric, "")), "run", metric)


def _reach(evaluation: Evaluation) -> dict[str, Any]:
    """Return the runs of lowest and highest QWK, or kappa where labels have no order; nothing where none has it.

    Where raters are not the same, those of lowest and highest PRMSE, if that is known.
    """
    wanted = ("qwk", "kappa") if one_set(evaluation) else ("prmse", "qwk", "kappa")
    metric = next((each for each in wanted if len(_numbers(evaluation, each)) > (each == "prmse")), "")
    found = sorted(_numbers(evaluation, metric), key=lambda pair: pair[1].value or 0.0)
    if not found:
        return {"n": 0}
    (lowest, low), (highest, high) = found[0], found[-1]
    return {"n": len(found), "metric": metric, "lowest": lowest, "low": low, "highest": highest, "high": high}


def _forest(evaluation: Evaluation, metric: str) -> tuple[Chart, ...]:
    found = _numbers(evaluation, metric)
    checks = [
        check
        for check in evaluation.checks
        if check.estimate.metric == metric and not check.statistic.startswith("degradation")
    ]
    bounds = {limit for check in checks for limit in (check.low, check.high) if limit is not None}
    return _side_by_side(f"summary.forest.{metric}", metric, found, sorted(bounds))


def _side_by_side(
    key: str, metric: str, found: Sequence[tuple[str, Estimate]], limits: Sequence[float] = ()
) -> tuple[Chart, ...]:
    """Return a metric of several runs below each other, beside the limits on it; nothing without a run."""
    if not found:
        return ()
    labels, estimates = distinct(label for label, _ in found), [estimate for _, estimate in found]
    named = [{"label": label, "value": value} for label, value in zip(labels, estimates, strict=True)]
    alt = Term("side_by_side_alt", metric=metric, named=named[:MOST_SAID], more=max(len(found) - MOST_SAID, 0))
    rules = (Rule(limit, num(limit, estimates[0].kind)) for limit in limits)
    dots = dots_of(Term("statistic", key=metric), labels, estimates)
    axes = Axis(Term("statistic", key=metric)), Axis("", categories=labels)
    return (Chart(key, "", alt, *axes, (*rules, dots)),)


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
                "columns": [_groups_reach(table, column, apart=not one_set(evaluation)) for column, table in pairs],
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


def _groups_reach(table: Table, column: str, *, apart: bool) -> dict[str, Any]:
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


MOST_NAMED = 4
"""Pairs of traits that a sentence names."""


@dataclass(frozen=True)
class SummarizeHalo(Section):
    """Correlations of errors, true scores and engine scores for every two traits, and the added value of each."""

    name: ClassVar[str] = "summarize_halo"
    title: ClassVar[str] = "How traits go together"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how much rater errors go together, how the engine separates traits, and which scores add something."""
        tables = tables_of(evaluation, "traits.pairs", "traits.added_value")
        if not tables:
            return Findings(values={"known": False, "reason": evaluation.facts.get("composite_reason") or ""})
        pairs = rows_of(evaluation, "traits.pairs")
        added = records(evaluation.tables["traits.added_value"])
        by_answer = {
            key: [str(row["trait"]) for row in added if row["adds"] == answer]
            for key, answer in (("adds", "yes"), ("adds_nothing", "no"))
        }
        return Findings(
            values={
                "known": True,
                "halo": _halo(pairs),
                "pairs": len(pairs),
                "blurred": _blurred(pairs),
                **by_answer,
                "undecided": len(added) - sum(map(len, by_answer.values())),
            },
            tables=tables,
        )


def _halo(pairs: Sequence[Record]) -> dict[str, Any]:
    """Return the least and the greatest correlation of errors of one rater, and how many are clearly above 0."""
    found = sorted(filter(None, (known(row["halo"]) for row in pairs)), key=lambda each: each.value or 0.0)
    if not found:
        return {"n": 0}
    above = sum(each.low is not None and each.low > 0 for each in found)
    return {"n": len(found), "above": above, "least": found[0], "most": found[-1]}


def _blurred(pairs: Sequence[Record]) -> dict[str, Any]:
    """Return the pairs of traits whose engine scores go together clearly more than true scores, the most first."""
    clear: list[dict[str, Any]] = [
        {"trait": str(row["trait"]), "other": str(row["other"]), "excess": each}
        for row in pairs
        if isinstance(each := row["trait_r_excess"], Estimate) and each.low is not None and each.low > 0
    ]
    clear.sort(key=lambda pair: -(number(pair["excess"]) or 0.0))
    return {"n": len(clear), "named": clear[:MOST_NAMED]}


@dataclass(frozen=True)
class SummarizeHistory(Section):
    """Each headline metric by date.

    Parameters
    ----------
    metrics
        Metrics that are drawn.
    """

    name: ClassVar[str] = "summarize_history"
    title: ClassVar[str] = "History"

    metrics: tuple[str, ...] = ("qwk", "smd", "prmse")

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the runs by date; nothing where they carry fewer than two."""
        table = evaluation.tables.get("summary.history")
        if table is None:
            return Findings(values={"n": 0})
        dates = [str(row["created"]) for row in records(table)]
        return Findings(
            values={"n": len(dates), "first": dates[0], "last": dates[-1], "apart": not one_set(evaluation)},
            tables=(table,),
            charts=tuple(chart for metric in self.metrics for chart in _course(table, metric)),
        )


def _course(table: Table, metric: str) -> tuple[Chart, ...]:
    found = [(f"{row['created']} {row['run']}", cell) for row in records(table) if (cell := known(row[metric]))]
    return _side_by_side(f"summary.history.{metric}", metric, found)
