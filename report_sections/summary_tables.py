"""The sections on several reports side by side: agreement, groups, halo, the course of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.changes import one_set
from report_sections.comparison_tables import withheld
from report_sections.figures import estimates_chart, shortened
from report_sections.lookup import distinct, estimates_in
from reportgen.results import Record, number
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

    title: ClassVar[str] = "Agreement of engine and human scores"

    forest: tuple[str, ...] = ()

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return from where to where agreement reaches, and all runs side by side."""
        reach, traits = _reach(evaluation), bool(evaluation.facts.get("traits"))
        drawn = not traits and not evaluation.facts.get("by")  # by the first page, but that of traits or items
        metrics = self.forest or (() if drawn else (reach.get("metric", "qwk"),))
        return Findings(
            values={
                "one": "trait" if traits else "run",
                "apart": not one_set(evaluation),
                "drawn": drawn,
                **reach,
            },
            tables=evaluation.present(*TABLES),
            charts=tuple(chart for metric in metrics for chart in _forest(evaluation, metric)),
        )


def _numbers(evaluation: Evaluation, metric: str) -> list[tuple[str, Estimate]]:
    return estimates_in(evaluation.records(SOURCES.get(metric, "")), "run", metric)


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
    bounds = {
        limit
        for check in evaluation.checks
        if check.estimate.metric == metric and not check.statistic.startswith("degradation")
        for limit in (check.low, check.high)
        if limit is not None
    }
    return _side_by_side(f"summary.forest.{metric}", metric, _numbers(evaluation, metric), sorted(bounds))


def _side_by_side(
    key: str, metric: str, found: Sequence[tuple[str, Estimate]], limits: Sequence[float] = ()
) -> tuple[Chart, ...]:
    """Return a metric of several runs below each other, beside the limits on it; nothing without a run."""
    if not found:
        return ()
    found = shortened(found)
    named = [{"label": label, "value": value} for label, value in found[:MOST_SAID]]
    alt = Term("side_by_side_alt", metric=metric, named=named, more=max(len(found) - MOST_SAID, 0))
    rules = (Rule(limit, num(limit, found[0][1].kind)) for limit in limits)
    name = Term("statistic", key=metric)
    return (estimates_chart(key, "", alt, Axis(name), "", found, name, *rules),)


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

    title: ClassVar[str] = "Groups"

    drawn: tuple[str, ...] = ("dsm", "qwk")
    most: int = 20

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the groups that lie farthest from the others, and the groups of every column, side by side."""
        columns = [column for column in evaluation.groups if f"summary.by_group.{column}" in evaluation.tables]
        tables = {column: evaluation.tables[f"summary.by_group.{column}"] for column in columns}
        return Findings(
            values={
                "farthest": _farthest(tables),
                # agreement with other raters, or of other responses, is not compared
                "columns": [
                    _groups_reach(table.records() if one_set(evaluation) else [], column)
                    for column, table in tables.items()
                ],
                "withheld": withheld(evaluation),
            },
            tables=(*tables.values(), *evaluation.present("privacy.withheld")),
            charts=tuple(
                chart for column, table in tables.items() for metric in self.drawn
                for chart in _shades(table, column, metric, self.most)
            ),
        )  # fmt: skip


def _farthest(tables: Mapping[str, Table]) -> dict[str, Any]:
    """Return the group and run whose difference lies farthest from 0; nothing where no group is judged."""
    found: list[dict[str, Any]] = [
        {"column": column, "level": str(row["level"]), "run": str(row["run"]), "difference": dsm}
        for column, table in tables.items()
        for row in table.records()
        if row.mark != "insufficient" and (dsm := row.estimate("dsm"))
    ]
    return max(found, key=lambda each: abs(number(each["difference"]) or 0.0), default={})


def _groups_reach(rows: Sequence[Record], column: str) -> dict[str, Any]:
    """Return how far apart the agreement of the groups of a column lies; nothing but the column where none has it."""
    found = [
        (qwk, str(row["level"]), str(row["run"]))
        for row in rows
        if row.mark != "insufficient" and (qwk := row.number("qwk")) is not None
    ]
    if not found:
        return {"column": column, "n": 0}
    (low, lowest, of), (high, highest, under) = min(found), max(found)
    return {
        "column": column, "n": len(found), "low": low, "lowest": lowest, "lowest_run": of,
        "high": high, "highest": highest, "highest_run": under,
    }  # fmt: skip


def _shades(table: Table, column: str, metric: str, most: int) -> tuple[Chart, ...]:
    rows = table.records()
    levels = list(dict.fromkeys(str(row["level"]) for row in rows))[:most]
    runs = list(dict.fromkeys(str(row["run"]) for row in rows))
    known = {(str(row["level"]), str(row["run"])): row[metric] for row in rows}
    found = [[known.get((level, run)) for run in runs] for level in levels]
    if len(runs) < 2 or not any(number(cell) is not None for line in found for cell in line):
        return ()  # nothing to compare: the table says it all
    level_names, run_names = distinct(levels), distinct(runs, 25)
    texts = tuple(tuple(num(cell) for cell in line) for line in found)
    shades = tuple(
        tuple(abs(value) if metric == "dsm" and value is not None else value for value in map(number, line))
        for line in found
    )
    told = [{"level": level, "numbers": list(line)} for level, line in zip(level_names, texts, strict=True)]
    alt = Term("shades_alt", metric=metric, column=column, levels=len(levels), runs=len(runs), named=told[:MOST_TOLD])
    title = Term("statistic_by_group", key=metric, column=column)
    axes = Axis(Term("run_axis"), run_names), Axis(Term("name_of_column", column=column), level_names)
    cells = Cells(level_names, run_names, shades, texts, Term("statistic", key=metric))
    return (Chart(f"{table.key}.{metric}", title, alt, *axes, (cells,)),)


MOST_NAMED = 4
"""Pairs of traits that a sentence names."""


@dataclass(frozen=True)
class SummarizeHalo(Section):
    """Correlations of errors, true scores and engine scores for every two traits, and the added value of each."""

    title: ClassVar[str] = "How traits go together"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how much rater errors go together, how the engine separates traits, and which scores add something."""
        tables = evaluation.present("traits.pairs", "traits.added_value")
        if not tables:
            return Findings(values={"known": False, "reason": evaluation.facts.get("composite_reason") or ""})
        pairs = evaluation.records("traits.pairs")
        added = evaluation.records("traits.added_value")
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
    found = sorted(filter(None, (row.estimate("halo") for row in pairs)), key=lambda each: each.value or 0.0)
    if not found:
        return {"n": 0}
    return {"n": len(found), "above": sum(map(_above, found)), "least": found[0], "most": found[-1]}


def _above(each: Estimate) -> bool:
    return each.low is not None and each.low > 0


def _blurred(pairs: Sequence[Record]) -> dict[str, Any]:
    """Return the pairs of traits whose engine scores go together clearly more than true scores, the most first."""
    clear = [(row, each) for row in pairs if (each := row.estimate("trait_r_excess")) and _above(each)]
    clear.sort(key=lambda pair: -(pair[1].value or 0.0))
    named = [{"trait": str(row["trait"]), "other": str(row["other"]), "excess": each} for row, each in clear]
    return {"n": len(clear), "named": named[:MOST_NAMED]}


@dataclass(frozen=True)
class SummarizeHistory(Section):
    """Each headline metric by date.

    Parameters
    ----------
    metrics
        Metrics that are drawn.
    """

    title: ClassVar[str] = "History"

    metrics: tuple[str, ...] = ("qwk", "smd", "prmse")

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the runs by date; nothing where they carry fewer than two."""
        rows = evaluation.records("summary.history")
        if not rows:
            return Findings(values={"n": 0})
        dates = [str(row["created"]) for row in rows]
        named = [Record({**row, "run": f"{row['created']} {row['run']}"}) for row in rows]
        courses = ((metric, estimates_in(named, "run", metric)) for metric in self.metrics)
        return Findings(
            values={"n": len(dates), "first": dates[0], "last": dates[-1], "apart": not one_set(evaluation)},
            tables=evaluation.present("summary.history"),
            charts=tuple(
                chart
                for metric, found in courses
                for chart in _side_by_side(f"summary.history.{metric}", metric, found)
            ),
        )
