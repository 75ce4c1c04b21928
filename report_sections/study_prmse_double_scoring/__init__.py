"""How many double scores PRMSE needs, as found by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.lookup import Record, fact, number, records
from report_sections.study_figures import STYLES, Spread, spread_columns
from reportgen.results.chart import Line, Rule
from reportgen.sections import Axis, Chart, Evaluation, Findings, Section, Term
from reportgen.wording.numbers import count

KEY = "study.double_scoring"
MARKERS = ("circle", "square", "diamond", "triangle", "cross")

NEARLY = 1.25
"""Ranges whose ratio is below this are told as nearly the same."""


@dataclass(frozen=True)
class StudyPrmseDoubleScoring(Section):
    """PRMSE by the number of double-scored responses, and the number for a wanted half-width."""

    name: ClassVar[str] = "study_prmse_double_scoring"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the numbers of double scores that are needed, the table and the charts."""
        table = evaluation.tables[KEY]
        rows = records(table)
        return Findings(
            values={
                "half_width": float(evaluation.facts["half_width"]),
                "needed": _needed(evaluation),
                "most": max(int(number(row["double"]) or 0) for row in rows),
                "number_counts": _total(rows, "range_alone") < NEARLY * _total(rows, "range"),
            },
            tables=(table,),
            charts=(_spread(evaluation, rows), _width(evaluation, rows)),
        )


def _needed(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the double scores that are needed (None for more than were tried) by the raters' correlation."""
    correlations, needed = evaluation.facts["agreement"], evaluation.facts["needed"]
    found = [{"r": float(correlations[name]), "n": _about(needed[name])} for name in correlations]
    return sorted(found, key=lambda each: each["r"] or 0.0)


def _about(value: float | None) -> int | None:
    """Return a number of double scores with two significant digits: the simulation gives no more."""
    if value is None:
        return None
    size = 10 ** max(0, len(str(int(value))) - 2)
    return int(round(value / size) * size)


def _total(rows: Sequence[Record], column: str) -> float:
    return sum(number(row[column]) or 0.0 for row in rows)


def _spread(evaluation: Evaluation, rows: Sequence[Record]) -> Chart:
    """Return PRMSE of all pairs by double scores and raters: figure 5 of the paper."""
    known, pairs = float(evaluation.facts["known"]), fact(evaluation, "pairs")
    plots = [
        (
            Term("raters_of", category=category),
            [Spread(count(number(row["double"]) or 0), *_found(row), pairs)
             for row in rows if row["category"] == category],
        )
        for category in dict.fromkeys(row["category"] for row in rows)
    ]  # fmt: skip
    ends = [
        {"of": row["category"], "double": row["double"], "low": row["low"], "high": row["high"]}
        for row in (rows[0], rows[-1])
    ]
    return spread_columns(
        f"{KEY}.spread", "", Term("double_scores_alt", known=known, ends=ends), plots, Term("double_scored_responses"),
        Axis(Term("short_name.prmse")), known, Term("spreads", known=known),
    )  # fmt: skip


def _found(row: Record) -> tuple[float | None, float | None, float | None]:
    """Return the mean, the smallest and the largest PRMSE of a row."""
    return number(row["mean"]), number(row["low"]), number(row["high"])


def _width(evaluation: Evaluation, rows: Sequence[Record]) -> Chart:
    """Return the half-width by the number of double scores, a line for each category of raters."""
    wanted = float(evaluation.facts["half_width"])
    layers: list[Line | Rule] = [Rule(wanted, Term("wanted_width", width=wanted), axis="y")]
    told = []
    for place, category in enumerate(dict.fromkeys(row["category"] for row in rows)):
        own = [row for row in rows if row["category"] == category]
        x, y = (tuple(number(row[key]) for row in own) for key in ("double", "half_width"))
        ink, dashes = STYLES[place % len(STYLES)]
        label = category if isinstance(category, str) else str(category)
        layers.append(Line(label, x, y, ink, dashes, MARKERS[place % len(MARKERS)]))  # type: ignore[arg-type]
        told.append({"of": category, "first": y[0], "last": y[-1], "least": x[0], "most": x[-1]})
    return Chart(
        f"{KEY}.width", "", Term("half_width_alt", found=told), Axis(Term("double_scored_responses"), low=0),
        Axis(Term("half_width_axis"), low=0), tuple(layers),
    )  # fmt: skip
