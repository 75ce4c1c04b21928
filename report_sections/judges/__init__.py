"""What is asked of a judge: could it stand in for a rater, does it reward length or position, what mean follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.figures import dots_of
from report_sections.lookup import distinct, records
from reportgen.sections import Axis, Chart, Estimate, Evaluation, Findings, Rule, Section, Table, Term

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
    cells = [(str(row["level"]), row.get("points")) for row in records(table)]
    levels = [{"level": level, "points": points} for level, points in cells if isinstance(points, Estimate)]
    moved = [each for each in levels if _side(each["points"]) in ("above", "below")]  # type: ignore[arg-type]
    reference = str(table.rows[0].cells[0])
    return {"column": column, "case": "moves" if moved else "open", "reference": reference, "levels": moved or levels}


def _chart(evaluation: Evaluation, test: dict[str, Any] | None) -> tuple[Chart, ...]:
    table: Table | None = evaluation.tables.get("judges.annotators")
    rows = records(table)[:MOST_DRAWN] if table is not None and test is not None else []
    found = [(row["rater"], gap) for row in rows if isinstance(gap := row["difference"], Estimate) and gap.defined]
    if not found or test is None:
        return ()
    labels = distinct(label for label, _ in found)
    gaps = [gap for _, gap in found]
    ranked = sorted(zip(labels, gaps, strict=True), key=lambda pair: pair[1].value or 0.0)
    ends = {end: {"rater": rater, "value": gap} for end, (rater, gap) in (("low", ranked[0]), ("high", ranked[-1]))}
    return (
        Chart(
            key="judges.annotators.chart",
            title=Term("engine_beside_each_rater"),
            alt=Term("engine_beside_each_rater_alt", n=len(gaps), margin=test["margin"], **ends),
            x=Axis(Term("axis_engine_minus_rater")),
            y=Axis(Term("axis_rater_left_out"), categories=labels),
            layers=(Rule(-test["margin"], Term("limit.margin")), dots_of(Term("engine_minus_rater"), labels, gaps)),
        ),
    )
