"""What the accuracy of one item does to scale scores, reliability and performance levels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.lookup import Record, number, records
from report_sections.study_published import outcomes
from reportgen.sections import Axis, Chart, Dots, Evaluation, Findings, Rule, Section, Table, Term

FORM = "study.form"
AUTOMATED, HUMAN, BIASED = "Automated score", "Human score", "delta_x30"
SHOWN = ("condition", "mean", "rmsd", "rmsd_share", "sd", "rmsd_automated", "alpha", "csem", "exact", "lower", "higher")
"""Columns of a form that the page shows; the CSV file has the shares of levels too."""

INKS = ("engine", "human")


@dataclass(frozen=True)
class StudyScoreImpact(Section):
    """Scale scores under eighteen versions of an item's automated score.

    Parameters
    ----------
    alone
        PRMSE below which scores should not be used alone (Casabianca et al. 2023).
    """

    name: ClassVar[str] = "study_score_impact"

    alone: float = 0.70

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how far scale scores and performance levels move as PRMSE falls."""
        charts = [_chart(evaluation, "rmsd", self.alone)]
        if evaluation.facts["cuts"]:
            charts.append(_chart(evaluation, "exact", self.alone))
        tables = [
            table
            for key, table in evaluation.tables.items()
            if not key.startswith(("study.published", "study.statements"))
        ]
        return Findings(
            values={
                "prmse": evaluation.facts["prmse"].get(AUTOMATED),
                "moved": _ends(_automated(evaluation, "rmsd")),
                "kept": _ends(_automated(evaluation, "exact")) if evaluation.facts["cuts"] else [],
                "alone": self.alone,
                "last_form": _forms(evaluation)[-1],
                "n_forms": len(_forms(evaluation)),
                "lowest": _lowest(evaluation),
                **_by_guideline(evaluation, self.alone),
                "share_of_sd": _ends(_numbers(evaluation, "rmsd_share")),
                "bias": _biased(evaluation),
                "statements": outcomes(evaluation),
                "required": records(evaluation.tables["study.required"]),
                "form_columns": _shown(evaluation.tables[f"{FORM}.1"]),
                "form_tables": [table.key for table in tables if table.key.startswith(FORM)],
                "more_tables": [table.key for table in tables if not table.key.startswith(FORM)],
                "more_charts": [chart.key for chart in charts[1:]],
            },
            tables=tuple(tables),
            charts=tuple(charts),
        )


def _shown(table: Table) -> list[str]:
    """Return the columns of a form that the page shows, as far as the table has them."""
    return [column.key for column in table.columns if column.key in SHOWN]


def _forms(evaluation: Evaluation) -> list[str]:
    return [str(form) for form in evaluation.facts["forms"]]


def _rows(evaluation: Evaluation, form: int) -> dict[str, Record]:
    """Return the rows of a form's table, by its number from 1 and their condition."""
    rows = records(evaluation.tables[f"{FORM}.{form}"])
    return {str(row["condition"]).removeprefix("condition."): row for row in rows}


def _automated(evaluation: Evaluation, column: str) -> list[float | None]:
    """Return a number of the engine's score as it is, on every form."""
    places = range(1, len(_forms(evaluation)) + 1)
    return [number(_rows(evaluation, place)[AUTOMATED][column]) for place in places]


def _numbers(evaluation: Evaluation, column: str) -> list[float | None]:
    """Return a number of every version of the engine's score, on every form."""
    places = range(1, len(_forms(evaluation)) + 1)
    return [number(row[column]) for place in places for name, row in _rows(evaluation, place).items() if name != HUMAN]


def _biased(evaluation: Evaluation) -> list[dict[str, float | None]]:
    """Return what the largest bias does on every form, and what the engine's score as it is does."""
    places = range(1, len(_forms(evaluation)) + 1)
    both = [(_rows(evaluation, place)[BIASED], _rows(evaluation, place)[AUTOMATED]) for place in places]
    return [
        {"mean": number(biased["mean"]), "rmsd": number(biased["rmsd"]), "rmsd_as_is": number(as_is["rmsd"])}
        for biased, as_is in both
    ]


def _ends(values: Iterable[float | None]) -> list[float]:
    """Return the lowest and the highest value; nothing where there is none."""
    known = [value for value in values if value is not None]
    return [min(known), max(known)] if known else []


def _by_guideline(evaluation: Evaluation, alone: float) -> dict[str, list[float]]:
    """Return how far scores move on the last form with PRMSE at the guideline or above, and below it."""
    rows = _rows(evaluation, len(_forms(evaluation)))
    groups: dict[str, list[float | None]] = {"above": [], "below": []}
    for condition, value in evaluation.facts["prmse"].items():
        if value is not None:
            groups["below" if value < alone else "above"].append(number(rows[condition]["rmsd"]))
    return {key: _ends(values) for key, values in groups.items()}


def _lowest(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the items whose scores do not start at 0."""
    starts = (evaluation.facts.get("own") or {}).get("lowest") or {}
    return [{"item": item, "low": low} for item, low in starts.items()]


def _chart(evaluation: Evaluation, column: str, alone: float) -> Chart:
    """Return a number of every condition against PRMSE, a series for each form."""
    prmse = evaluation.facts["prmse"]
    layers: list[Rule | Dots] = [Rule(alone, Term("prmse_at", value=alone), axis="x")]
    told = []
    for place, form in enumerate(_forms(evaluation), start=1):
        rows = {name: row for name, row in _rows(evaluation, place).items() if prmse.get(name) is not None}
        x = tuple(float(prmse[name]) for name in rows)
        values = tuple(number(row[column]) for row in rows.values())
        hollow = (place > len(INKS),) * len(x)  # orange is left to what lies beyond a limit
        label = _form(form)
        layers.append(Dots(label, x, values, along="y", hollow=hollow, ink=INKS[(place - 1) % 2]))  # type: ignore[arg-type]
        if x:
            best, worst = max(range(len(x)), key=lambda k: x[k]), min(range(len(x)), key=lambda k: x[k])
            found = [{"prmse": x[at], "value": values[at]} for at in (best, worst) if values[at] is not None]
            told.append({"form": label, "found": found})
    return Chart(
        f"{FORM}.{column}", Term(f"by_prmse.{column}"), Term("by_prmse_alt", label=Term(f"axis.{column}"), forms=told),
        Axis(Term("short_name.prmse")), Axis(Term(f"axis.{column}")), tuple(layers), caption=Term("dot_is_condition"),
    )  # fmt: skip


def _form(name: str) -> str:
    """Return what a form is called: a word for one's own test, else its name."""
    return Term("your_test") if name == "your_test" else name
