"""How many double scores PRMSE needs, as found by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.lookup import Record, fact, number, records
from report_sections.study_figures import STYLES, Spread, as_printed, spread_rows
from reportgen.sections import Axis, Chart, Evaluation, Findings, Line, Rule, Section, Table, Term
from reportgen.wording.numbers import count

KEY = "study.double_scoring"
MARKERS = ("circle", "square", "diamond", "triangle", "cross")
REPLAYED = ".replayed"
"""End of the key of the table of the paper's own data."""


@dataclass(frozen=True)
class StudyPrmseDoubleScoring(Section):
    """PRMSE by the number of double-scored responses, and the number for a wanted half-width."""

    name: ClassVar[str] = "study_prmse_double_scoring"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the numbers of double scores that are needed, the table and the charts."""
        table = evaluation.tables[KEY]
        rows = records(table)
        replayed = evaluation.tables.get(KEY + REPLAYED)
        more = [_spread(evaluation, table), _spread(evaluation, table, alone=True)]
        if replayed is not None:
            more += [_spread(evaluation, replayed), _spread(evaluation, replayed, alone=True)]
        return Findings(
            values={
                "half_width": float(evaluation.facts["half_width"]),
                "needed": _needed(evaluation, "needed"),
                "needed_alone": _needed(evaluation, "needed_alone"),
                "most": max(int(number(row["double"]) or 0) for row in rows),
                "alone": _alone(evaluation, rows),
                "more_charts": [chart.key for chart in more],
            },
            tables=(table,),
            charts=(_width(evaluation, rows), *more),
        )


def _needed(evaluation: Evaluation, key: str) -> list[dict[str, Any]]:
    """Return the double scores that are needed (None for more than were tried) by the raters' correlation."""
    correlations, needed = evaluation.facts["agreement"], evaluation.facts[key]
    found = [{"r": float(correlations[name]), "n": _about(needed[name])} for name in correlations]
    return sorted(found, key=lambda each: each["r"] or 0.0)


def _alone(evaluation: Evaluation, rows: Sequence[Record]) -> dict[str, Any]:
    """Return how many times as far PRMSE spreads without the responses scored once, by the raters' correlation.

    Nothing where no response was scored once.  "nearly" says whether the number of double scores is all that counts.
    """
    found, nearly = [], float(evaluation.facts["nearly"])
    some = [row for row in rows if (number(row["double"]) or 0) < fact(evaluation, "responses")]
    for correlation, category in zip(evaluation.facts["agreement"].values(), _categories(some), strict=False):
        own = [row for row in some if row["category"] == category]
        found.append({"r": float(correlation), "times": _total(own, "range_alone") / _total(own, "range")})
    if not found:
        return {}
    found.sort(key=lambda each: each["times"])
    return {"least": found[0], "most": found[-1],
            "nearly": all(1 / nearly < each["times"] < nearly for each in found)}  # fmt: skip


def _categories(rows: Sequence[Record]) -> list[Any]:
    return list(dict.fromkeys(row["category"] for row in rows))


def _about(value: float | None) -> int | None:
    """Return a number of double scores with two significant digits: the simulation gives no more."""
    if value is None:
        return None
    size = 10 ** max(0, len(str(int(value))) - 2)
    return int(round(value / size) * size)


def _total(rows: Sequence[Record], column: str) -> float:
    return sum(number(row[column]) or 0.0 for row in rows)


def _spread(evaluation: Evaluation, table: Table, *, alone: bool = False) -> Chart:
    """Return PRMSE of all pairs by double scores and raters: figure 5 of the paper, left or right."""
    of_paper, pairs = table.key.endswith(REPLAYED), fact(evaluation, "pairs")
    known = float(evaluation.facts["with_true"]["r_squared"] if of_paper else evaluation.facts["known"])
    rows, which = records(table), "_alone" if alone else ""
    low, high = (end(number(row[key]) or 0.0 for row in rows for key in (name, f"{name}_alone"))
                 for name, end in (("low", min), ("high", max)))  # fmt: skip
    axis = Axis(Term("short_name.prmse"), low=low, high=high)
    plots = []
    for category in _categories(rows):
        own = [row for row in rows if row["category"] == category]
        plots.append(
            (Term("raters_of", category=category), axis, [_spread_of(row, which, pairs) for row in own], known)
        )
    ends = [
        {"of": row["category"], "double": row["double"], "low": row[f"low{which}"], "high": row[f"high{which}"]}
        for row in (rows[0], rows[-1])
    ]
    drawn = as_printed(table, Term("right" if alone else "left", at="5"))
    return spread_rows(
        f"{table.key}.spread{which}", Term(f"double_scores_title{which}"),
        Term("double_scores_alt", known=known, ends=ends), plots, Term("double_scored_axis"),
        Term("spreads", known=known, drawn=drawn),
    )  # fmt: skip


def _spread_of(row: Record, which: str, pairs: int) -> Spread:
    mean, low, high = (number(row[f"{key}{which}"]) for key in ("mean", "low", "high"))
    return Spread(count(number(row["double"]) or 0), mean, low, high, pairs)


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
        Axis(Term("half_width_axis"), low=0), tuple(layers), evaluation.tables[KEY].notes[0],
    )  # fmt: skip
