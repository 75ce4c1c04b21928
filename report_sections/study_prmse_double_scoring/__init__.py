"""How many double scores PRMSE needs, as found by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from report_sections.lookup import Record, fact, number, records
from report_sections.words import listed
from reportgen.results.chart import Line, Rule
from reportgen.sections import Axis, Chart, Dots, Evaluation, Findings, Section
from reportgen.wording.numbers import count, fixed

KEY = "study.double_scoring"
MARKERS = ("circle", "square", "diamond", "triangle", "cross")
DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True)
class StudyPrmseDoubleScoring(Section):
    """PRMSE by the number of double-scored responses, and the number for a wanted half-width."""

    name: ClassVar[str] = "study_prmse_double_scoring"
    title: ClassVar[str] = "How many double scores PRMSE needs"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the recommendation, the table and the charts."""
        table = evaluation.tables[KEY]
        rows = records(table)
        return Findings(
            headline=_headline(evaluation),
            paragraphs=(
                "PRMSE takes rater error out of its reference, so it needs an estimate of that error, and only "
                "responses scored twice give one. What counts is their number, not their share of all responses: "
                "with the double-scored responses alone the range is nearly as wide.",
            ),
            tables=(table,),
            charts=(_spread(evaluation, rows), _width(evaluation, rows)),
            notes=("Raters are simulated as exchangeable, with errors of one size; raters who differ in severity, or "
                   "err more on some responses, ask for more double scores.",),
        )  # fmt: skip


def _headline(evaluation: Evaluation) -> str:
    width = float(evaluation.facts["half_width"])
    most = max(int(number(row["double"]) or 0) for row in records(evaluation.tables[KEY]))
    said = [
        f"{_about(needed)} with {name} raters" if needed is not None else f"more than {count(most)} with {name} raters"
        for name, needed in evaluation.facts["needed"].items()
    ]
    return f"To know PRMSE within ±{fixed(width, 2)} (95 %), the double scores needed are: {listed(said)}."


def _about(value: float) -> str:
    """Return a number of double scores with two significant digits: the simulation gives no more."""
    size = 10 ** max(0, len(str(int(value))) - 2)
    return f"about {count(round(value / size) * size)}"


def _spread(evaluation: Evaluation, rows: Sequence[Record]) -> Chart:
    """Return PRMSE of all pairs by double scores and raters: figure 5 of the paper."""
    known = float(evaluation.facts["known"])
    names = [f"{count(number(row['double']) or 0)} · {row['category']}" for row in rows]
    low, mean, high = (tuple(number(row[key]) for row in rows) for key in ("low", "mean", "high"))
    first, last = rows[0], rows[-1]
    alt = (
        f"PRMSE of pairs of raters by number of double-scored responses: from {fixed(number(first['low']) or 0, 2)} to "
        f"{fixed(number(first['high']) or 0, 2)} with {names[0]} raters, from {fixed(number(last['low']) or 0, 2)} to "
        f"{fixed(number(last['high']) or 0, 2)} with {names[-1]} raters; the true value is {fixed(known, 2)}."
    )
    return Chart(
        f"{KEY}.spread",
        "PRMSE by double-scored responses and raters",
        alt,
        Axis("PRMSE"),
        Axis("Double-scored · raters", categories=tuple(names)),
        (
            Rule(known, f"R² with true scores {fixed(known, 2)}"),
            Dots("PRMSE", tuple(names), mean, low, high, tuple(fact(evaluation, "pairs") for _ in rows)),
        ),
        caption="Dots: mean of the pairs. Lines: smallest and largest pair.",
    )


def _width(evaluation: Evaluation, rows: Sequence[Record]) -> Chart:
    """Return the half-width by the number of double scores, a line for each category of raters."""
    wanted = float(evaluation.facts["half_width"])
    categories = list(dict.fromkeys(str(row["category"]) for row in rows))
    layers: list[Line | Rule] = [Rule(wanted, f"wanted ±{fixed(wanted, 2)}", axis="y")]
    said = []
    for place, name in enumerate(categories):
        own = [row for row in rows if row["category"] == name]
        x, y = (tuple(number(row[key]) for row in own) for key in ("double", "half_width"))
        layers.append(Line(
            name, x, y, ink="engine" if place % 2 else "human", dashes=DASHES[place % len(DASHES)],  # type: ignore[arg-type]
            markers=MARKERS[place % len(MARKERS)],  # type: ignore[arg-type]
        ))  # fmt: skip
        said.append(f"{name} raters ±{fixed(y[0] or 0, 2)} with {count(x[0] or 0)} and ±{fixed(y[-1] or 0, 2)} with "
                    f"{count(x[-1] or 0)}")  # fmt: skip
    return Chart(
        f"{KEY}.width",
        "Half-width of the 95 % interval of PRMSE, by double-scored responses",
        f"Half-width of PRMSE: {listed(said)}.",
        Axis("Double-scored responses", low=0),
        Axis("Half-width", low=0),
        tuple(layers),
    )
