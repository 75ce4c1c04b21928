"""How the metrics of one system change with the raters it is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from report_sections.lookup import Record, fact, number, records
from report_sections.words import listed
from reportgen.results.chart import Line, Rule
from reportgen.sections import Axis, Chart, Dots, Evaluation, Findings, Section, Table
from reportgen.wording.numbers import count, fixed, many

STABILITY, RANKING, RANKED, JOINING = "study.stability", "study.ranking", "study.ranked", "study.joining"
MEAN_OF_TWO = "mean of two"
PRMSE, R2 = "PRMSE", "R²"
DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True)
class StudyPrmseStability(Section):
    """One system under different raters; the ranking of systems; more and more raters.

    Parameters
    ----------
    ranked_by
        Metrics whose ranking of the systems is drawn.
    """

    name: ClassVar[str] = "study_prmse_stability"
    title: ClassVar[str] = "Metrics of the same scores, by their raters"

    ranked_by: tuple[str, ...] = ("r", R2, PRMSE)

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how far each metric moves with the raters, and how well it ranks systems."""
        tables = evaluation.tables
        rows = [row for row in records(tables[STABILITY]) if row["reference"] == MEAN_OF_TWO]
        order = ("study.raters", "study.systems", STABILITY, "study.assignment", RANKING, RANKED, JOINING)
        return Findings(
            headline=_headline(rows),
            paragraphs=(_design(evaluation), _ranking(evaluation)),
            tables=tuple(tables[key] for key in order),
            charts=(
                *(_stability(rows, metric, evaluation) for metric in dict.fromkeys(str(row["metric"]) for row in rows)),
                *(_ranks(tables[RANKED], metric) for metric in self.ranked_by),
                *(_joining(tables[JOINING], metric, evaluation) for metric in ("r", R2)),
            ),
        )


def _ends(rows: Sequence[Record], metric: str) -> tuple[float, float]:
    """Return the lowest and highest mean of a metric over the categories of raters."""
    means = [number(row["mean"]) or 0.0 for row in rows if row["metric"] == metric]
    return min(means), max(means)


def _headline(rows: Sequence[Record]) -> str:
    r, r2, prmse = (" to ".join(fixed(end, 2) for end in _ends(rows, metric)) for metric in ("r", R2, PRMSE))
    return f"The same system has r {r} and R² {r2} depending on how well its raters agree; PRMSE stays at {prmse}."


def _design(evaluation: Evaluation) -> str:
    facts = evaluation.facts
    raters = listed(f"{name} ({fixed(value, 2)})" for name, value in facts["agreement"].items())
    return (
        f"Each data set has {many(fact(evaluation, 'responses'), 'response')}, rated by "
        f"{fact(evaluation, 'raters_each')} simulated raters in each category of agreement ({raters}: correlation of "
        f"two raters), of which {many(fact(evaluation, 'pairs'), 'pair')} score each. Studied is a system of the "
        f"category “{facts['studied']}”, whose R² with the true scores is {fixed(float(facts['known']), 2)}. "
        f"Numbers are means over {many(fact(evaluation, 'replicates'), 'data set')} drawn afresh, unless a table says "
        "otherwise."
    )


def _ranking(evaluation: Evaluation) -> str:
    """Say which metrics rank the systems rightly when each is evaluated with raters of its own."""
    rows = records(evaluation.tables[RANKING])
    sets = fact(evaluation, "replicates")
    said = listed(f"{row['metric']} in {count(number(row['in_order']) or 0)}" for row in rows)
    return (
        f"When every system is evaluated with raters of its own, all systems are ranked into their categories, in "
        f"{many(sets, 'data set')}, by {said}. A metric that keeps rater error in its reference ranks raters as well "
        "as systems."
    )


def _stability(rows: Sequence[Record], metric: str, evaluation: Evaluation) -> Chart:
    own = [row for row in rows if row["metric"] == metric]
    names = tuple(str(row["category"]) for row in own)
    low, mean, high = (tuple(number(row[key]) for row in own) for key in ("low", "mean", "high"))
    said = listed(f"{name} raters {fixed(value or 0, 2)}" for name, value in zip(names, mean, strict=True))
    known = float(evaluation.facts["known"])
    rules = (Rule(known, f"R² with true scores {fixed(known, 2)}"),) if metric in (R2, PRMSE) else ()
    pairs = fact(evaluation, "pairs")
    return Chart(
        f"{STABILITY}.{metric}".replace("²", "2").replace(" ", "_"),
        f"{metric} of one system, by the agreement of its raters",
        f"{metric} against the mean of two raters: {said}.",
        Axis(metric),
        Axis("Raters", categories=names),
        (*rules, Dots(metric, names, mean, low, high, tuple(pairs for _ in names))),
        caption="Dots: mean of the pairs. Lines: smallest and largest pair.",
    )


def _ranks(table: Table, metric: str) -> Chart:
    """Return rank by a metric against true rank: figure 2 of the paper."""
    column = next(each.key for each in table.columns if each.label == f"By {metric}" and each.shown)
    rows = records(table)
    known = tuple(float(number(row["known"]) or 0) for row in rows)
    own, same = (tuple(number(row[key]) for row in rows) for key in (column, f"{column}_same"))
    moved = max(abs((rank or 0) - true) for rank, true in zip(own, known, strict=True))
    ends = (1.0, float(len(rows)))
    return Chart(
        f"{RANKED}.{column}",
        f"Rank of every system by {metric}, against its true rank",
        f"Ranks by {metric} differ from true ranks by up to {count(moved)} places when systems have raters of their "
        "own.",
        Axis("True rank"),
        Axis(f"Rank by {metric}"),
        (
            Line("same order", ends, ends, ink="muted", dashes="dash"),
            Dots("own raters", known, own, along="y"),
            Dots("same raters", known, same, along="y", ink="flag"),
        ),
    )


def _joining(table: Table, metric: str, evaluation: Evaluation) -> Chart:
    """Return a metric against the mean of more and more raters: figure 3 of the paper."""
    rows = [row for row in records(table) if row["metric"] == metric]
    names = [each.key for each in table.columns[2:]]
    x = tuple(float(number(row["raters"]) or 0) for row in rows)
    said = listed(
        f"{name} raters from {fixed(number(rows[0][name]) or 0, 2)} to {fixed(number(rows[-1][name]) or 0, 2)}"
        for name in names
    )
    known = float(evaluation.facts["known"])
    rule = (Rule(known, f"with true scores {fixed(known, 2)}", axis="y"),) if metric == R2 else ()
    lines = (
        Line(name, x, tuple(number(row[name]) for row in rows), "engine" if place % 2 else "human",
             DASHES[place % len(DASHES)])  # type: ignore[arg-type]
        for place, name in enumerate(names)
    )  # fmt: skip
    return Chart(
        f"{JOINING}.{metric}".replace("²", "2"),
        f"{metric} of one system against the mean of more and more raters",
        f"{metric} by raters averaged: {said}.",
        Axis("Raters averaged"),
        Axis(metric),
        (*rule, *lines),
    )
