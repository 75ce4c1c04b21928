"""How agreement coefficients move under four stresses that leave the quality of scores as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from report_sections.lookup import Record, fact, number, records
from report_sections.words import listed, name
from reportgen.results.chart import Line
from reportgen.sections import Axis, Chart, Evaluation, Findings, Section, Table
from reportgen.wording.numbers import count, fixed, many, point

MOVEMENT, CLAIMS = "study.movement", "study.claims"
WITH_WEIGHTS = (
    ("kappa_quadratic", "quadratic kappa", "engine", "solid"),
    ("kappa_linear", "linear kappa", "engine", "dot"),
    ("bp_quadratic", "quadratic BP", "flag", "solid"),
    ("bp_linear", "linear BP", "flag", "dot"),
    ("ac_quadratic", "quadratic AC", "human", "solid"),
    ("ac_linear", "linear AC", "human", "dot"),
)
TWO_POINTS = (
    ("kappa_linear", "kappa", "engine", "solid"), ("bp_linear", "BP", "flag", "dash"),
    ("ac_linear", "AC", "human", "solid"), ("pa", "percent agreement", "muted", "dot"),
)  # fmt: skip
"""With pass and fail only, linear and quadratic weights are the same."""

STEADINESS = (
    "Steadiness is no merit by itself: a coefficient may stay high because it hardly notices errors. Look at the size "
    "of errors too, where it should fall."
)


@dataclass(frozen=True)
class StudyAgreementRobustness(Section):
    """Coefficients along each stress, on synthetic, real-like and one's own scores.

    Parameters
    ----------
    steady
        A coefficient that moves less than this under a stress counts as steady.
    """

    name: ClassVar[str] = "study_agreement_robustness"
    title: ClassVar[str] = "Agreement coefficients under stress"

    steady: float = 0.05

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what moves and what does not, the claims of the paper, and every stress."""
        sweeps = [key for key in evaluation.tables if key.startswith("study.") and key.count(".") == 2]
        sweeps.sort(key=lambda key: not key.startswith("study.own"))
        movement, claims = evaluation.tables[MOVEMENT], evaluation.tables[CLAIMS]
        return Findings(
            headline=self._headline(evaluation, movement),
            paragraphs=(_design(evaluation), _claims(records(claims))),
            tables=(movement, claims, *(evaluation.tables[key] for key in sweeps)),
            charts=tuple(chart for key in sweeps for chart in _charts(evaluation.tables[key])),
            notes=(STEADINESS,),
        )

    def _headline(self, evaluation: Evaluation, movement: Table) -> str:
        where = "On your scores" if evaluation.facts.get("own") else "On simulated scores"
        steady = [str(row["coefficient"]) for row in records(movement) if _prevalence(row) < self.steady]
        worst = max(records(movement), key=_prevalence)
        moved = f"{worst['coefficient']} by {fixed(_prevalence(worst), 2)}"
        if not steady:
            return f"{where} every coefficient moves with the spread of the gold scores, most of all {moved}."
        return (
            f"{where} {listed(steady)} move less than {fixed(self.steady, 2)} when the gold scores spread more or less "
            f"while errors stay the same; {moved}."
        )


def _prevalence(row: Record) -> float:
    """Return how far a coefficient moves with the spread of gold scores."""
    keys = [key for key in row if key.endswith(("_spread", "_prevalence"))]
    return max(number(row[key]) or 0.0 for key in keys)


def _design(evaluation: Evaluation) -> str:
    own = evaluation.facts.get("own")
    text = (
        f"Synthetic sets have {many(fact(evaluation, 'responses'), 'response')}; numbers are means over "
        f"{many(fact(evaluation, 'replicates'), 'set')} drawn with different seeds. Weights always refer to the whole "
        "scale, never to the scores that occur."
    )
    if not own:
        return text
    return (
        f"Your file {name(own['name'])} has {many(int(own['n']), 'response')} on {count(int(own['points']))} points. "
        "Its gold scores are the first human scores; system scores are rounded to the scale. Errors are then moved, "
        f"gathered or enlarged as in the paper, their sum kept at that of your data. {text}"
    )


def _claims(rows: Sequence[Record]) -> str:
    failing = [str(row["claim"]) for row in rows if row["holds"] != "yes"]
    if not failing:
        return f"All {len(rows)} statements of the paper about its figures hold here too."
    return f"{len(rows) - len(failing)} of {len(rows)} statements of the paper hold here; not: {listed(failing)}."


ALONG = {"prevalence": "Prevalence of passing", "similarity": "Similarity of passing shares",
         "probability": "Probability of passing"}  # fmt: skip
"""What figures 1 to 3 (right) of the paper have along their axes."""


def _charts(table: Table) -> tuple[Chart, ...]:
    """Return the coefficients of one table along its stress; at thresholds, along what the threshold changes."""
    if not table.key.endswith("threshold"):
        return (_chart(table, "x", table.columns[0].label, WITH_WEIGHTS),)
    return tuple(_chart(table, column, along, TWO_POINTS) for column, along in ALONG.items())


def _chart(table: Table, column: str, along: str, lines: Sequence[tuple[str, str, str, str]]) -> Chart:
    """Return the coefficients of one table along one of its columns."""
    rows = sorted(records(table), key=lambda row: number(row[column]) or 0.0)
    x = tuple(number(row[column]) for row in rows)
    said = listed(
        f"{label} from {fixed(number(rows[0][key]) or 0, 2)} to {fixed(number(rows[-1][key]) or 0, 2)}"
        for key, label, _, _ in lines
    )
    where = "" if column == "x" else f", along {along[:1].lower() + along[1:]}"
    return Chart(
        f"{table.key}.{column}",
        f"{table.caption}{where}",
        f"Along {along} {point(x[0] or 0)} to {point(x[-1] or 0)}: {said}.",
        Axis(along),
        Axis("Coefficient", high=1.0),
        tuple(
            Line(label, x, tuple(number(row[key]) for row in rows), ink, dashes)  # type: ignore[arg-type]
            for key, label, ink, dashes in lines
        ),
    )
