"""Evaluate engines that replace raters: comparison with each rater, repeated runs, and their worth in ratings."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from report_sections.figures import estimates_chart, shortened
from report_sections.lookup import estimates_in, lowest_and_highest
from reportgen.results import Record
from reportgen.sections import Axis, Chart, Estimate, Evaluation, Findings, Rule, Section, Term
from reportgen.verdicts import judge
from reportgen.wording.numbers import num

MOST_DRAWN = 50  # raters in the chart


class Judges(Section, needs=("system", "judge", "order")):
    """Show the annotator test, effects of length and position, unusable outputs, and the calibrated mean."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Evaluate the engine as a replacement for a rater."""
        test = evaluation.facts.get("annotator_test")
        told = {"test": test, "length": _length(evaluation), "position": _position(evaluation)}
        mean = evaluation.estimates.get("judges.calibrated_mean")
        told["mean"] = "" if mean is None else "known" if mean.defined else "undefined"
        return Findings(
            values={
                **told,
                "leading": next((key for key, found in told.items() if found), ""),
                "outputs": "data.outputs" in evaluation.tables,
            },
            charts=tuple(_chart(evaluation, test["margin"])) if test else (),
            tables=evaluation.present("judges.annotators", "judges.length", "judges.means", _position_key(evaluation)),
        )


def _length(evaluation: Evaluation) -> str:
    """Return the effect of length on scores: the position of its interval, "undefined", or empty without lengths."""
    points = evaluation.estimates.get("judges.length_points")
    if points is None or not points.defined:
        return "" if points is None else "undefined"
    if points.low is None or points.high is None:
        return "no_interval"
    return "above" if points.low > 0 else "below" if points.high < 0 else "open"


def _position_key(evaluation: Evaluation) -> str:
    return f"fairness.given_true_score.{evaluation.facts.get('position')}"


def _position(evaluation: Evaluation) -> dict[str, Any]:
    """Return whether a response's position affects its score, compared with which position, and by how much."""
    column, rows = evaluation.facts.get("position"), evaluation.records(_position_key(evaluation))
    if column is None:
        return {}
    if not rows:
        reason = (evaluation.facts.get("no_difference_given_true_score") or {}).get(column, "")
        return {"column": column, "case": "unknown", "reason": reason}
    moved = [row for row in rows if row.apart("points")]
    found = [(str(row["level"]), row.get("points")) for row in moved or rows]
    levels = [{"level": level, "points": cell} for level, cell in found if isinstance(cell, Estimate)]
    return {"column": column, "case": "moves" if moved else "open", "reference": str(rows[0]["level"]),
            "levels": levels}  # fmt: skip


def _chart(evaluation: Evaluation, margin: float) -> Iterator[Chart]:
    rows = evaluation.records("judges.annotators")[:MOST_DRAWN]
    if found := shortened(estimates_in(rows, "rater", "difference")):
        low, high = lowest_and_highest(found, "rater", "value")
        yield estimates_chart(
            "judges.annotators.chart",
            Term("engine_beside_each_rater"),
            Term("engine_beside_each_rater_alt", n=len(found), margin=margin, low=low, high=high),
            Axis(Term("axis_engine_minus_rater")),
            Term("axis_rater_left_out"),
            found,
            Term("engine_minus_rater"),
            Rule(-margin, Term("limit.margin")),
        )


@dataclass(frozen=True)
class HumanEquivalence(Section, part="annex", needs=("system", "second_human", "order")):
    """Show the engine's worth in ratings, and its agreement compared with a second rater's on the same responses.

    Parameters
    ----------
    margin
        The engine is not inferior if its agreement with raters is less than this below their agreement with each other.
    """

    margin: float = 0.10

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how many ratings the engine is worth, and whether it is interchangeable with raters."""
        if "human_equivalence.ratings" not in evaluation.tables:
            return Findings(values={"case": "one_rater"})
        beside = [
            {"statistic": key, "difference": found, "outcome": judge(found, -self.margin, None)}
            for key in ("qwk", "r")
            if (found := evaluation.estimate(f"exchangeability.{key}"))
        ]
        values = {"case": "raters", "margin": self.margin, "beside": beside}
        return Findings(values=values, tables=evaluation.present("human_equivalence.exchange"))


class RepeatedRuns(Section, needs=("system", "runs", "order")):
    """Show run-to-run variance, agreement between runs, and the gain from the mean of multiple runs."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how far runs differ, and the cost in accuracy."""
        sd, components = evaluation.estimate("runs.sd"), evaluation.records("runs.components")
        return Findings(
            values={
                "case": "undefined" if sd is None else "differ" if sd.value else "same",
                "runs": len(evaluation.records("runs.descriptives")),
                "share": components[-1].estimate("share") if components else None,
            },
            tables=evaluation.present("runs.components", "runs.agreement", "runs.descriptives"),
            charts=tuple(_runs_chart(evaluation.records("runs.prmse"))),
        )


def _runs_chart(rows: Iterable[Record]) -> Iterator[Chart]:
    if found := [(row.count("runs"), cell) for row in rows if (cell := row.estimate("prmse"))]:
        (first, one), (last, mean) = found[0], found[-1]
        alt = Term("prmse_of_runs_alt", first=first, one=one, last=last, mean=mean)
        named = [(num(runs), cell) for runs, cell in found]
        axis, label = Axis(Term("axis_prmse")), Term("prmse")
        yield estimates_chart("runs.prmse.chart", Term("prmse_of_runs"), alt, axis, Term("axis_runs"), named, label)
