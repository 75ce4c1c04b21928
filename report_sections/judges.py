"""The sections on engines that stand in for raters: beside each of them, with repeated runs, worth how many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.figures import dots_of
from report_sections.lookup import (
    apart_from,
    distinct,
    estimate_of,
    estimates_in,
    known,
    lowest_and_highest,
    number,
    records,
    rows_of,
    tables_of,
)
from reportgen.results import Part
from reportgen.sections import Axis, Chart, Estimate, Evaluation, Findings, Rule, Section, Table, Term
from reportgen.verdicts import judge
from reportgen.wording.numbers import num

MOST_DRAWN = 50
"""Raters in the picture."""

TABLES = ("judges.annotators", "judges.length", "judges.means")


@dataclass(frozen=True)
class Judges(Section):
    """The alternative annotator test, effects of length and position, unusable outputs, the calibrated mean."""

    name: ClassVar[str] = "judges"
    needs: ClassVar[tuple[str, ...]] = ("system", "judge", "order")

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what can be said of the engine in a rater's place."""
        test, length, position = evaluation.facts.get("annotator_test"), _length(evaluation), _position(evaluation)
        known = {"test": test, "length": length, "position": position, "mean": _mean(evaluation)}
        tables = [evaluation.tables.get(key) for key in (*TABLES, _position_key(evaluation))]
        return Findings(
            values={
                **known,
                "leading": next((key for key, found in known.items() if found), ""),
                "outputs": "data.outputs" in evaluation.tables,
            },
            charts=_chart(evaluation, test),
            tables=tuple(table for table in tables if table is not None),
        )


def _side(estimate: Estimate) -> str:
    """Return on which side of 0 an interval lies: "above", "below", "open", or "no_interval"."""
    if estimate.low is None or estimate.high is None:
        return "no_interval"
    return "above" if estimate.low > 0 else "below" if estimate.high < 0 else "open"


def _length(evaluation: Evaluation) -> str:
    """Return what length does to scores: where its interval lies, "undefined", or nothing without lengths."""
    points = evaluation.estimates.get("judges.length_points")
    return "" if points is None else _side(points) if points.defined else "undefined"


def _mean(evaluation: Evaluation) -> str:
    """Return whether the mean human score of all responses is "known" or "undefined"; nothing where not asked."""
    mean = evaluation.estimates.get("judges.calibrated_mean")
    return "" if mean is None else "known" if mean.defined else "undefined"


def _position_key(evaluation: Evaluation) -> str:
    return f"fairness.given_true_score.{evaluation.facts.get('position')}"


def _position(evaluation: Evaluation) -> dict[str, Any]:
    """Return whether where a response stood moves its score, beside which position, and by how much."""
    column = evaluation.facts.get("position")
    if column is None:
        return {}
    table = evaluation.tables.get(_position_key(evaluation))
    if table is None:
        reason = (evaluation.facts.get("no_difference_given_true_score") or {}).get(column, "")
        return {"column": column, "case": "unknown", "reason": reason}
    levels = [{"level": str(row["level"]), "points": row.get("points")} for row in records(table)]
    levels = [each for each in levels if isinstance(each["points"], Estimate)]
    moved = [each for each in levels if apart_from(each["points"])]
    reference = str(table.rows[0].cells[0])
    return {"column": column, "case": "moves" if moved else "open", "reference": reference, "levels": moved or levels}


def _chart(evaluation: Evaluation, test: dict[str, Any] | None) -> tuple[Chart, ...]:
    found = estimates_in(rows_of(evaluation, "judges.annotators")[:MOST_DRAWN], "rater", "difference")
    if not found or test is None:
        return ()
    labels, gaps = distinct(label for label, _ in found), [gap for _, gap in found]
    low, high = lowest_and_highest(zip(labels, gaps, strict=True), "rater", "value")
    return (
        Chart(
            key="judges.annotators.chart",
            title=Term("engine_beside_each_rater"),
            alt=Term("engine_beside_each_rater_alt", n=len(gaps), margin=test["margin"], low=low, high=high),
            x=Axis(Term("axis_engine_minus_rater")),
            y=Axis(Term("axis_rater_left_out"), categories=labels),
            layers=(Rule(-test["margin"], Term("limit.margin")), dots_of(Term("engine_minus_rater"), labels, gaps)),
        ),
    )


RATINGS, EXCHANGE = "human_equivalence.ratings", "human_equivalence.exchange"
STATISTICS = ("qwk", "r")


@dataclass(frozen=True)
class HumanEquivalence(Section):
    """What the engine is worth in ratings, and its agreement beside a second rater's on the same responses.

    Parameters
    ----------
    margin
        The engine is not inferior when it agrees with raters by less than this below what they do with each other.
    """

    name: ClassVar[str] = "human_equivalence"
    part: ClassVar[Part] = "annex"
    needs: ClassVar[tuple[str, ...]] = ("system", "second_human", "order")

    margin: float = 0.10

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how many ratings the engine is worth, and whether it is one rater among others."""
        if RATINGS not in evaluation.tables:
            return Findings(values={"case": "one_rater"})
        exchange = evaluation.tables.get(EXCHANGE)
        beside = [(key, estimate_of(evaluation, f"exchangeability.{key}")) for key in STATISTICS]
        return Findings(
            values={
                "case": "raters",
                "margin": self.margin,
                "beside": [
                    {"statistic": key, "difference": found, "outcome": judge(found, -self.margin, None)}
                    for key, found in beside
                    if found is not None
                ],
            },
            tables=(exchange,) if exchange is not None else (),
        )


RUNS_TABLES = ("runs.components", "runs.agreement", "runs.descriptives")
"""Tables on the page; `runs.prmse` is its figure."""


@dataclass(frozen=True)
class RepeatedRuns(Section):
    """Run-to-run variance, agreement of runs with each other, and what the mean of several runs would gain."""

    name: ClassVar[str] = "repeated_runs"
    needs: ClassVar[tuple[str, ...]] = ("system", "runs", "order")

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how far runs differ, and what that costs."""
        return Findings(
            values={
                "case": _case(evaluation),
                "runs": len(rows_of(evaluation, "runs.descriptives")),
                "share": _share(evaluation),
            },
            tables=tables_of(evaluation, *RUNS_TABLES),
            charts=_runs_chart(evaluation.tables.get("runs.prmse")),
        )


def _case(evaluation: Evaluation) -> str:
    """Return "undefined", "same" where all runs gave the same scores, or "differ"."""
    sd = estimate_of(evaluation, "runs.sd")
    return "undefined" if sd is None else "differ" if sd.value else "same"


def _share(evaluation: Evaluation) -> Any:
    """Return what share of the variance of the engine's scores comes from asking again; None where it is unknown."""
    rows = rows_of(evaluation, "runs.components")
    return known(rows[-1]["share"]) if rows else None


def _runs_chart(table: Table | None) -> tuple[Chart, ...]:
    found = [(int(number(row["runs"]) or 0), cell) for row in records(table) if (cell := known(row["prmse"]))]
    if not found:
        return ()
    labels = distinct(num(runs) for runs, _ in found)
    (first, one), (last, mean) = found[0], found[-1]
    return (
        Chart(
            key="runs.prmse.chart",
            title=Term("prmse_of_runs"),
            alt=Term("prmse_of_runs_alt", first=first, one=one, last=last, mean=mean),
            x=Axis(Term("axis_prmse")),
            y=Axis(Term("axis_runs"), categories=labels),
            layers=(dots_of(Term("prmse"), labels, [cell for _, cell in found]),),
        ),
    )
