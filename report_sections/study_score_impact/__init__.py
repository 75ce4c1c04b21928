"""What the accuracy of one item does to scale scores, reliability and performance levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from report_sections.study_figures import column
from report_sections.study_published import outcomes
from reportgen.results import Cell, Record, number
from reportgen.sections import Axis, Chart, Dots, Evaluation, Findings, Rule, Section, Term

FORM = "study.form"
AUTOMATED, HUMAN, BIASED = "Automated score", "Human score", "delta_x30"
SHOWN = ("condition", "mean", "rmsd", "rmsd_share", "sd", "rmsd_automated", "alpha", "csem", "exact", "lower", "higher")
"""Columns of a form that the page shows; the CSV file has the shares of levels too."""

INKS: tuple[Literal["engine", "human"], ...] = ("engine", "human")


@dataclass(frozen=True)
class StudyScoreImpact(Section):
    """Scale scores under eighteen versions of an item's automated score.

    Parameters
    ----------
    alone
        PRMSE below which scores should not be used alone (Casabianca et al. 2023).
    """

    alone: float = 0.70

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how far scale scores and performance levels move as PRMSE falls."""
        facts, names = evaluation.facts, [str(form) for form in evaluation.facts["forms"]]
        published = ("study.published", "study.statements")
        tables = [table for key, table in evaluation.tables.items() if not key.startswith(published)]
        by_form = [table for table in tables if table.key.startswith(FORM)]
        forms = [
            {str(row["condition"]).removeprefix("condition."): row for row in table.records()} for table in by_form
        ]
        columns = ("rmsd", "exact") if facts["cuts"] else ("rmsd",)
        of_prmse = {name: float(value) for name, value in facts["prmse"].items() if value is not None}
        charts = [_chart(key, dict(zip(names, forms, strict=True)), of_prmse, self.alone) for key in columns]
        starts = (facts.get("own") or {}).get("lowest") or {}
        above, below = (
            _ends(forms[-1][name]["rmsd"] for name, value in of_prmse.items() if (value < self.alone) is low)
            for low in (False, True)
        )
        return Findings(
            values={
                "prmse": facts["prmse"].get(AUTOMATED),
                "moved": _ends(rows[AUTOMATED]["rmsd"] for rows in forms),
                "kept": _ends(rows[AUTOMATED]["exact"] for rows in forms) if facts["cuts"] else [],
                "alone": self.alone,
                "last_form": names[-1],
                "n_forms": len(names),
                "lowest": [{"item": item, "low": low} for item, low in starts.items()],
                "above": above,
                "below": below,
                "share_of_sd": _ends(
                    row["rmsd_share"] for rows in forms for name, row in rows.items() if name != HUMAN
                ),
                "bias": [
                    {
                        **{key: rows[BIASED].number(key) for key in ("mean", "rmsd")},
                        "rmsd_as_is": rows[AUTOMATED].number("rmsd"),
                    }
                    for rows in forms
                ],
                "statements": outcomes(evaluation),
                "required": [dict(row) for row in evaluation.records("study.required")],
                "form_columns": [column.key for column in by_form[0].columns if column.key in SHOWN],
                "form_tables": [table.key for table in by_form],
                "more_tables": [table.key for table in tables if table not in by_form],
                "more_charts": [chart.key for chart in charts[1:]],
            },
            tables=tuple(tables),
            charts=tuple(charts),
        )


def _ends(cells: Iterable[Cell]) -> list[float]:
    """Return the lowest and the highest number; nothing where there is none."""
    known = [value for cell in cells if (value := number(cell)) is not None]
    return [min(known), max(known)] if known else []


def _chart(key: str, forms: Mapping[str, Mapping[str, Record]], prmse: Mapping[str, float], alone: float) -> Chart:
    """Return a number of every condition against PRMSE, a series for each form."""
    layers: list[Rule | Dots] = [Rule(alone, Term("prmse_at", value=alone), axis="x")]
    told = []
    x = tuple(prmse.values())
    for place, (name, rows) in enumerate(forms.items()):
        values = column((rows[condition] for condition in prmse), key)
        hollow = (place >= len(INKS),) * len(x)  # orange is left to what lies beyond a limit
        label = Term(name) if name == "your_test" else name
        layers.append(Dots(label, x, values, along="y", hollow=hollow, ink=INKS[place % 2]))
        if x:
            found = [{"prmse": x[at], "value": values[at]} for at in (x.index(max(x)), x.index(min(x)))]
            told.append({"form": label, "found": [each for each in found if each["value"] is not None]})
    return Chart(
        f"{FORM}.{key}", Term(f"by_prmse.{key}"), Term("by_prmse_alt", label=Term(f"axis.{key}"), forms=told),
        Axis(Term("short_name.prmse")), Axis(Term(f"axis.{key}")), tuple(layers), caption=Term("dot_is_condition"),
    )  # fmt: skip
