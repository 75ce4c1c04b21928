"""What the accuracy of one item does to scale scores, reliability and performance levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.lookup import Record, fact, number, records
from report_sections.words import first_few, listed, name
from reportgen.results.chart import Rule
from reportgen.sections import Axis, Chart, Dots, Evaluation, Findings, Section
from reportgen.wording.numbers import fixed, many, num

ITEMS, FORM, CALIBRATIONS = "study.items", "study.form", "study.calibrations"
AUTOMATED = "Automated score"
INKS = ("engine", "human", "flag")


@dataclass(frozen=True)
class StudyScoreImpact(Section):
    """Scale scores under eighteen versions of an item's automated score.

    Parameters
    ----------
    alone
        PRMSE below which scores should not be used alone (Casabianca et al. 2023).
    """

    name: ClassVar[str] = "study_score_impact"
    title: ClassVar[str] = "From one item to the reported score"

    alone: float = 0.70

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how far scale scores and performance levels move as PRMSE falls."""
        charts = [_chart(evaluation, "rmsd", "RMSD of scale scores", self.alone)]
        if evaluation.facts["cuts"]:
            charts.append(_chart(evaluation, "exact", "Same performance level (%)", self.alone))
        return Findings(
            headline=_headline(evaluation),
            paragraphs=(_design(evaluation), _reading(evaluation, self.alone)),
            tables=tuple(table for key, table in evaluation.tables.items() if key != "study.published"),
            charts=tuple(charts),
            notes=(
                "Little impact on the final score is not evidence that the automated score measures the construct: it "
                "says that the reported scores would be used in the same way.",
            ),
        )


def _rows(evaluation: Evaluation, form: int) -> list[Record]:
    """Return the rows of a form's table, by its number from 1."""
    return records(evaluation.tables[f"{FORM}.{form}"])


def _automated(evaluation: Evaluation, form: int) -> Record:
    return next(row for row in _rows(evaluation, form) if row["condition"] == AUTOMATED)


def _forms(evaluation: Evaluation) -> list[str]:
    return [str(form) for form in evaluation.facts["forms"]]


def _headline(evaluation: Evaluation) -> str:
    places = range(1, len(_forms(evaluation)) + 1)
    moved = [num(_automated(evaluation, place)["rmsd"], "score") for place in places]
    prmse = num(evaluation.facts["prmse"].get(AUTOMATED), "coefficient")
    where = listed(f"{value} ({form})" for value, form in zip(moved, _forms(evaluation), strict=True))
    levels = ""
    if evaluation.facts["cuts"]:
        levels = f"; {num(_automated(evaluation, 1)['exact'], 'percent')} % keep their performance level"
    return f"With the item's automated score (PRMSE {prmse}) scale scores move by {where} points (RMSD){levels}."


def _design(evaluation: Evaluation) -> str:
    facts = evaluation.facts
    own = facts.get("own")
    source = (
        f"Your file {name(own['file'])} has {many(fact(evaluation, 'responses'), 'test taker')} with all scores "
        f"({many(int(own['left_out']), 'row')} left out) and {many(fact(evaluation, 'items'), 'item')}; studied is "
        f"{name(own['item'])}.{_lowest(own)}"
        if own
        else f"The simulated test has {many(fact(evaluation, 'responses'), 'test taker')} and "
        f"{many(fact(evaluation, 'items'), 'item')}, of which one is scored by an engine; "
        f"{many(fact(evaluation, 'double_scored'), 'test taker')} were scored twice."
    )
    scoring = (
        "The summed score is reported."
        if facts["summed"]
        else "Items are calibrated together (two-parameter logistic and generalized partial credit), linked to the "
        "base scale by the items that are not studied, and summed scores are turned into scale scores by the test "
        "characteristic curve."
    )
    return (
        f"{source} {scoring} Each condition changes the automated score of the one item, and all of it is done again."
    )


def _lowest(own: Mapping[str, Any]) -> str:
    """Say where item scores start, when not all start at 0."""
    starts = own.get("lowest") or {}
    if not starts:
        return ""
    said = first_few([f"{name(item)} at {low}" for item, low in starts.items()], most=6)
    how = "as given" if own.get("lowest_given") else "the lowest found; --lowest says otherwise"
    return f" Item scores do not all start at 0: {said} ({how}); items are calibrated from there."


def _reading(evaluation: Evaluation, alone: float) -> str:
    """Compare conditions above and below the guideline."""
    prmse = evaluation.facts["prmse"]
    last = len(_forms(evaluation))
    rows = {str(row["condition"]): row for row in _rows(evaluation, last)}
    groups: tuple[list[float], list[float]] = ([], [])
    for condition, value in prmse.items():
        moved = number(rows[condition]["rmsd"])
        if value is not None and moved is not None:
            groups[value < alone].append(moved)
    if not all(groups):
        return ""
    above, below = (f"{fixed(min(each), 1)} to {fixed(max(each), 1)}" for each in groups)
    form = f" on the form {_forms(evaluation)[-1]}" if last > 1 else ""
    return (
        f"Where PRMSE is {fixed(alone, 2)} or more the RMSD is {above}{form}; below it, {below}. Bias and scale of the "
        "automated score are taken up by calibration and linking; what an inaccurate engine adds in error is not."
    )


def _chart(evaluation: Evaluation, column: str, label: str, alone: float) -> Chart:
    """Return a number of every condition against PRMSE, a series for each form."""
    prmse = evaluation.facts["prmse"]
    layers: list[Rule | Dots] = [Rule(alone, f"PRMSE {fixed(alone, 2)}", axis="x")]
    said = []
    for place, form in enumerate(_forms(evaluation), start=1):
        rows = [row for row in _rows(evaluation, place) if prmse.get(str(row["condition"])) is not None]
        x = tuple(float(prmse[str(row["condition"])]) for row in rows)
        values = tuple(number(row[column]) for row in rows)
        layers.append(Dots(form, x, values, along="y", ink=INKS[(place - 1) % 3]))  # type: ignore[arg-type]
        said.append(_ends(form, x, values))
    return Chart(
        f"{FORM}.{column}",
        f"{label}, by PRMSE of the item",
        f"{label}: {listed(said)}.",
        Axis("PRMSE"),
        Axis(label),
        tuple(layers),
        caption="Each dot is a condition.",
    )


def _ends(form: str, x: Sequence[float], values: Sequence[float | None]) -> str:
    best, worst = max(range(len(x)), key=lambda k: x[k]), min(range(len(x)), key=lambda k: x[k])
    return (
        f"{form} {num(values[best], 'score')} at PRMSE {fixed(x[best], 2)} and {num(values[worst], 'score')} at "
        f"{fixed(x[worst], 2)}"
    )
