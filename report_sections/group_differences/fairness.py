"""The three fairness analyses (Loukina et al., 2019): accuracy, difference, difference at equal human score."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from report_sections.figures import LEAST_REACH, estimates_chart, shortened
from report_sections.groups import ends
from report_sections.lookup import distinct, estimates_in, group_checks, least_size, lowest_and_highest
from reportgen.results import Cell, Mark, Outcome
from reportgen.sections import Axis, Chart, Estimate, Evaluation, Line, Rule, Term
from reportgen.wording.numbers import num

ANALYSES = ("osa", "osd", "csd")
"""The three analyses, in the order of their table."""

_STYLES = (
    Line("", (), (), "engine", "solid", "circle"),
    Line("", (), (), "human", "dash", "square"),
    Line("", (), (), "human", "dot", "triangle"),
    Line("", (), (), "muted", "dashdot", "diamond"),
)
"""Ink, dashes and markers of the lines: four groups that can be told apart without colour."""

LEAST_FOR_MEAN = 5
"""A mean of fewer responses is not drawn."""

MOST_FAINT = 60
"""Lines without a name that are drawn behind those with one."""


def explained(evaluation: Evaluation, column: str) -> list[dict[str, Any]]:
    """Return how much of the errors goes with the group, in percent, in the order OSA, OSD, CSD; none below 0."""
    rows = zip(ANALYSES, evaluation.records(f"fairness.explained.{column}"), strict=False)
    return [
        {"analysis": analysis, "share": 100 * max(0.0, share), "p": row.number("p")}
        for analysis, row in rows
        if (share := row.number("r_squared")) is not None
    ]


def contrast_chart(evaluation: Evaluation, column: str, analysis: str, most: int) -> tuple[Chart, ...]:
    """Return each group's contrast with the reference group: the dot and the interval are both the contrast's."""
    key, least = f"fairness.{analysis}.{column}", least_size(evaluation, column)
    base = next((str(row["base_group"] or "") for row in evaluation.records(f"fairness.explained.{column}")), "")
    rows = (row for row in evaluation.records(key) if row.mark != "reference")
    found = estimates_in(rows, "level", "estimate")
    if not found or not base:
        return ()
    named = ends([cell.value for _, cell in found], [cell.n >= least for _, cell in found])
    kept = [pair for place, pair in enumerate(found) if place < most or place in named]
    kept.sort(key=lambda pair: -(pair[1].value or 0.0))
    hollow = [cell.n < least for _, cell in kept]
    far_first = sorted(found, key=lambda pair: -abs(pair[1].value or 0.0))
    apart = [{"level": level, "estimate": cell} for level, cell in far_first if cell.apart()]
    axis = Term("contrast_axis", base=base, squared=analysis == "osa")
    return (
        estimates_chart(
            f"{key}.chart",
            Term("contrast_title", analysis=Term(analysis), column=column, base=base),
            Term("contrast_alt", analysis=Term(analysis), base=base, apart=apart, of=len(found)),
            Axis(axis, low=-LEAST_REACH, high=LEAST_REACH),
            Term("column_name", column=column),
            shortened(kept),
            Term("contrast"),
            Rule(0.0, Term("same_as", base=base), ink="muted"),
            hollow=hollow,
            caption=Term("contrast_note", hollow=any(hollow), least=least, left_out=len(found) - len(kept)),
        ),
    )


def means_chart(evaluation: Evaluation, column: str, most: int) -> tuple[Chart, ...]:
    """Return the mean engine score at each human score, one line for each group that is judged.

    Of more groups than `most` those of the lowest and the highest score at equal human score are named, the others are
    faint behind them.
    """
    table = evaluation.tables.get(f"fairness.means.{column}")
    if table is None:
        return ()
    columns = {each.label: table.column(each.key) for each in table.columns[1:]}
    sizes = {level: sum(cell.n for cell in cells if isinstance(cell, Estimate)) for level, cells in columns.items()}
    levels = [level for level, size in sizes.items() if size >= least_size(evaluation, column)]
    chosen, behind = _named(evaluation, column, levels, min(most, len(_STYLES)))
    means = {level: [_mean(cell) for cell in columns[level]] for level in (*chosen, *behind)}
    if len(chosen) < 2 or not any(mean for level in chosen for mean in means[level]):
        return ()
    points = dict(zip(evaluation.scale.labels, evaluation.scale.points(), strict=False))
    human = tuple(points.get(str(row.cells[0]), _score(row.cells[0])) for row in table.rows)
    labels = distinct(chosen)
    beyond = {check.level for check in group_checks(evaluation, column) if check.outcome == "not met"}
    y = {level: tuple(mean.value if mean else None for mean in found) for level, found in means.items()}
    lines = (
        replace(style, label=label, x=human, y=y[level], ink="flag" if level in beyond else style.ink)
        for label, level, style in zip(labels, chosen, _STYLES, strict=False)
    )
    left_out = len(columns) - len(chosen) - len(behind)
    return (
        Chart(
            f"{table.key}.chart",
            Term("means_title", column=column),
            _means_alt(human, labels, [means[level] for level in chosen]),
            Axis(Term("axis_human_score")),
            Axis(Term("mean_engine_score")),
            (*(Line("", human, y[level], "muted") for level in behind), *lines),
            Term("means_note", behind=len(behind), least=LEAST_FOR_MEAN, file=table.file_name, left_out=left_out),
        ),
    )


def _named(evaluation: Evaluation, column: str, levels: list[str], most: int) -> tuple[list[str], list[str]]:
    """Return the groups that have a name and those that are faint."""
    if len(levels) <= most:
        return levels, []
    found = {str(row["level"]): row.number("estimate") for row in evaluation.records(f"fairness.csd.{column}")}
    values = [found.get(level) for level in levels]
    apart = sorted(ends(values, [True] * len(values)), key=lambda place: values[place] or 0.0)
    chosen = [levels[place] for place in apart] if len(apart) == 2 else levels[:most]
    return chosen, [level for level in levels if level not in chosen][:MOST_FAINT]


def _mean(cell: Cell) -> Estimate | None:
    return cell if isinstance(cell, Estimate) and cell.defined and cell.n >= LEAST_FOR_MEAN else None


def _score(cell: object) -> float | None:
    try:
        return float(str(cell))
    except ValueError:
        return None


def _means_alt(human: tuple[float | None, ...], labels: tuple[str, ...], means: list[list[Estimate | None]]) -> Term:
    """Say at how many human scores the intervals of two groups lie apart, and where the means are farthest apart."""
    apart, gaps = 0, []
    for score, line in zip(human, zip(*means, strict=True), strict=True):
        found = [(label, mean) for label, mean in zip(labels, line, strict=True) if mean]
        if len(found) < 2:
            continue
        low, high = lowest_and_highest(found, "level", "estimate")
        least, most = low["estimate"], high["estimate"]
        apart += least.high is not None and most.low is not None and least.high < most.low
        gaps.append(((most.value or 0.0) - (least.value or 0.0), {"score": score, "low": low, "high": high}))
    where = max(gaps, key=lambda each: each[0], default=(0.0, {}))[1]
    return Term("means_alt", groups=list(labels), apart=apart, compared=len(gaps), where=where)


GIVEN = "fairness.given_true_score"
"""What the keys of the tables of differences at equal true score begin with."""

LEAST_PART = 1 / 3
"""The share of a difference that rater error must make before the difference is said to mistake it for bias."""


@dataclass(frozen=True)
class Given:
    """One group beside the reference: its difference, what could be seen, and what rater error alone makes."""

    level: str
    n: int
    gap: float
    difference: Estimate
    detectable: float | None
    rater_error: Estimate | None
    mark: Mark

    @property
    def value(self) -> float:
        """The difference."""
        return self.difference.value or 0.0

    @property
    def nearest(self) -> float:
        """The end of its interval nearest 0."""
        return nearest(self.difference)

    def held(self, limit: float) -> Outcome:
        """Return whether its whole interval lies within a limit on both sides of 0."""
        low, high = self.difference.low, self.difference.high
        if self.mark == "insufficient" or low is None or high is None:
            return "insufficient"
        return "not met" if abs(self.nearest) > limit else "met" if -limit <= low and high <= limit else "not yet known"

    def told(self) -> dict[str, Any]:
        """Return what a template says of it."""
        return {"level": self.level, "n": self.n, "estimate": self.difference, "gap": self.gap}


def groups_given(evaluation: Evaluation, column: str, *, others: bool = False) -> tuple[Given, ...]:
    """Return the groups that have a difference, largest first; the reference differs from others only."""
    return tuple(
        Given(
            str(row["level"]), row.count("n"), row.number("gap") or 0.0, difference, row.number("detectable"),
            cell if isinstance(cell := row["rater_error"], Estimate) else None, row.mark,
        )
        for row in evaluation.records(f"{GIVEN}.{column}")
        if (difference := row.estimate("from_others" if others else "standardized"))
    )  # fmt: skip


def _judged(evaluation: Evaluation, column: str, *, others: bool = False) -> list[Given]:
    return [each for each in groups_given(evaluation, column, others=others) if each.mark != "insufficient"]


def _reference(evaluation: Evaluation, column: str) -> str:
    """Return the name of the reference group."""
    rows = evaluation.tables[f"{GIVEN}.{column}"].rows
    return next((str(row.cells[0]) for row in rows if row.mark == "reference"), "")


def at_equal_true_score(evaluation: Evaluation, column: str, *, others: bool = False) -> dict[str, Any]:
    """Return how groups differ at equal true score; the reason where that is not known, nothing without either."""
    if f"{GIVEN}.{column}" not in evaluation.tables:
        why = (evaluation.facts.get("no_difference_given_true_score") or {}).get(column)
        return {"case": "unknown", "reason": why} if why else {"case": ""}
    judged = _judged(evaluation, column, others=others)
    if not judged:
        return {"case": "few"}
    low, high = (pick(judged, key=lambda group: group.value) for pick in (min, max))
    limit = limit_given(evaluation)
    beyond = [group for group in judged if (abs(group.nearest) > limit if others else group.mark == "flagged")]
    return {
        "case": "beyond" if beyond else "one" if low is high else "within",
        "base": "" if others else _reference(evaluation, column),
        "judged": len(judged),
        "low": low.told(),
        "high": high.told(),
        "beyond": [group.told() for group in sorted(beyond, key=lambda group: -abs(group.value))],
    }


def unseen(evaluation: Evaluation) -> dict[str, Any]:
    """Return how many judged groups could hide a difference as large as the limit, and the one that could hide most."""
    limit = limit_given(evaluation)
    known = [
        (group.detectable, -group.n, column, group.level)
        for column in evaluation.groups
        for group in _judged(evaluation, column)
        if group.detectable is not None
    ]
    if not known:
        return {}
    most, n, column, level = max(known)
    return {"n": sum(least > limit for least, *_ in known), "of": len(known), "most": most, "limit": limit,
            "level": level, "column": column, "responses": -n}  # fmt: skip


def rater_error(evaluation: Evaluation, column: str) -> dict[str, Any]:
    """Return how much of a difference at equal human score is what rater error alone makes; nothing without any."""
    observed = dict(estimates_in(evaluation.records(f"fairness.csd.{column}"), "level", "estimate"))
    both = [
        (group, group.rater_error, observed[group.level])
        for group in _judged(evaluation, column)
        if group.rater_error is not None and group.level in observed
    ]
    if not both:
        return {}
    matters = [each for each in both if _matters(each[1], each[2])]
    clear = any(nearest(alone) for _, alone, _ in both)
    group, alone, found = max(matters if clear and matters else both, key=lambda each: abs(each[1].value or 0.0))
    part, whole = alone.value or 0.0, found.value or 0.0
    apart = [each for each, _, seen in both if nearest(seen)]
    return {
        "case": "none" if not clear else "mistakes" if matters else "little",
        "group": group.told(),
        "base": _reference(evaluation, column),
        "alone": alone,
        "found": found,
        "seen": bool(nearest(found)),
        "more": abs(part) > abs(whole) or part * whole < 0,
        "apart": len(apart),
        "alarms": sum(not each.nearest for each in apart),
    }


def _matters(alone: Estimate, found: Estimate) -> bool:
    part, whole = alone.value or 0.0, found.value or 0.0
    visible = num(alone).strip("+−") != num(0.0, alone.kind)
    return visible and abs(part) >= LEAST_PART * abs(whole) and bool(nearest(alone))


def limit_given(evaluation: Evaluation) -> float:
    """Return how far groups may differ at equal true score, in standard deviations."""
    return float(evaluation.facts.get("limit_given_true_score") or 0.0)


def nearest(estimate: Estimate) -> float:
    """Return the end of an interval nearest 0; 0 when it contains 0 or there is none."""
    return min(estimate.low or 0.0, estimate.high or 0.0, key=abs) if estimate.apart() else 0.0
