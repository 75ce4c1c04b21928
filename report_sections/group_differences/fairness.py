"""The three fairness analyses (Loukina et al., 2019): accuracy, difference, difference at equal human score."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from report_sections.figures import LEAST_REACH, dots_of
from report_sections.groups import ends
from report_sections.lookup import distinct, estimates_in, group_checks, known, least_size, number, records, rows_of
from reportgen.results import Cell, Mark
from reportgen.sections import Axis, Chart, Estimate, Evaluation, Line, Rule, Table, Term
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
    rows = zip(ANALYSES, rows_of(evaluation, f"fairness.explained.{column}"), strict=False)
    return [
        {"analysis": analysis, "share": 100 * max(0.0, share), "p": number(row["p"])}
        for analysis, row in rows
        if (share := number(row["r_squared"])) is not None
    ]


def contrast_chart(evaluation: Evaluation, column: str, analysis: str, most: int) -> tuple[Chart, ...]:
    """Return each group's contrast with the reference group: the dot and the interval are both the contrast's."""
    table = evaluation.tables.get(f"fairness.{analysis}.{column}")
    reference = _reference(evaluation, column)
    if table is None or not reference:
        return ()
    found = [
        (str(record["level"]), cell)
        for row, record in zip(table.rows, records(table), strict=True)
        if row.mark != "reference" and isinstance(cell := record["estimate"], Estimate) and cell.defined
    ]
    named = ends([cell.value for _, cell in found], [cell.n >= least_size(evaluation, column) for _, cell in found])
    kept = [pair for place, pair in enumerate(found) if place < most or place in named]
    kept.sort(key=lambda pair: -(pair[1].value or 0.0))
    if not kept:
        return ()
    labels = distinct(level for level, _ in kept)
    cells = [cell for _, cell in kept]
    least = least_size(evaluation, column)
    return (
        Chart(
            key=f"fairness.{analysis}.{column}.chart",
            title=Term("contrast_title", analysis=Term(analysis), column=column, base=reference),
            alt=_contrast_alt(analysis, reference, found),
            x=Axis(
                Term("contrast_axis", base=reference, squared=analysis == "osa"), low=-LEAST_REACH, high=LEAST_REACH
            ),
            y=Axis(Term("column_name", column=column), categories=labels),
            layers=(
                Rule(0.0, Term("same_as", base=reference), ink="muted"),
                dots_of(Term("contrast"), labels, cells, hollow=[cell.n < least for cell in cells]),
            ),
            caption=Term("contrast_note", hollow=any(cell.n < least for cell in cells), least=least,
                         left_out=len(found) - len(kept)),
        ),
    )  # fmt: skip


def _reference(evaluation: Evaluation, column: str) -> str:
    rows = rows_of(evaluation, f"fairness.explained.{column}")
    return str(rows[0]["base_group"]) if rows and rows[0]["base_group"] else ""


def _contrast_alt(analysis: str, reference: str, found: list[tuple[str, Estimate]]) -> Term:
    """Say how many intervals exclude 0, and name them."""
    apart = [
        {"level": level, "estimate": cell}
        for level, cell in sorted(found, key=lambda pair: -abs(pair[1].value or 0.0))
        if cell.low is not None and cell.high is not None and (cell.low > 0 or cell.high < 0)
    ]
    return Term("contrast_alt", analysis=Term(analysis), base=reference, apart=apart, of=len(found))


def means_chart(evaluation: Evaluation, column: str, most: int) -> tuple[Chart, ...]:
    """Return the mean engine score at each human score, one line for each group that is judged.

    Of more groups than `most` those of the lowest and the highest score at equal human score are named, the others are
    faint behind them.
    """
    table = evaluation.tables.get(f"fairness.means.{column}")
    if table is None:
        return ()
    places = _groups_to_draw(least_size(evaluation, column), table)
    labels_of = dict(zip(evaluation.scale.labels, evaluation.scale.points(), strict=False))
    human = tuple(labels_of.get(str(row.cells[0]), _score(row.cells[0])) for row in table.rows)
    chosen, behind = _named(evaluation, column, table, places, min(most, len(_STYLES)))
    means = [[_mean(row.cells[place]) for row in table.rows] for place in chosen]
    if len(chosen) < 2 or not any(mean for line in means for mean in line):
        return ()
    labels = distinct(table.columns[place].label for place in chosen)
    beyond = {check.level for check in group_checks(evaluation, column) if check.outcome == "not met"}
    flagged = [table.columns[place].label in beyond for place in chosen]
    lines = tuple(
        replace(style, label=label, x=human, y=tuple(mean.value if mean else None for mean in line),
                ink="flag" if far else style.ink)
        for label, line, style, far in zip(labels, means, _STYLES, flagged, strict=False)
    )  # fmt: skip
    others = [[_mean(row.cells[place]) for row in table.rows] for place in behind]
    faint = (Line("", human, tuple(mean.value if mean else None for mean in line), "muted") for line in others)
    return (
        Chart(
            key=f"{table.key}.chart",
            title=Term("means_title", column=column),
            alt=_means_alt(human, labels, means),
            x=Axis(Term("axis_human_score")),
            y=Axis(Term("mean_engine_score")),
            layers=(*faint, *lines),
            caption=Term(
                "means_note",
                behind=len(behind),
                least=LEAST_FOR_MEAN,
                file=table.file_name,
                left_out=len(table.columns) - 1 - len(chosen) - len(behind),
            ),
        ),
    )


def _named(
    evaluation: Evaluation, column: str, table: Table, places: list[int], most: int
) -> tuple[list[int], list[int]]:
    if len(places) <= most:
        return places, []
    contrasts = evaluation.tables.get(f"fairness.csd.{column}")
    found = {str(record["level"]): number(record["estimate"]) for record in records(contrasts)} if contrasts else {}
    values = [found.get(table.columns[place].label) for place in places]
    apart = sorted(ends(values, [True] * len(values)), key=lambda place: values[place] or 0.0)
    chosen = [places[place] for place in apart] if len(apart) == 2 else places[:most]
    return chosen, [place for place in places if place not in chosen][:MOST_FAINT]


def _groups_to_draw(least: int, table: Table) -> list[int]:
    """Return the columns of the groups, largest first; groups too small to be judged are not drawn."""
    sizes = {
        place: sum(cell.n for row in table.rows if isinstance(cell := row.cells[place], Estimate))
        for place in range(1, len(table.columns))
    }
    return [place for place, size in sizes.items() if size >= least]


def _mean(cell: Cell) -> Estimate | None:
    return cell if isinstance(cell, Estimate) and cell.defined and cell.n >= LEAST_FOR_MEAN else None


def _score(cell: object) -> float | None:
    try:
        return float(str(cell))
    except ValueError:
        return None


def _means_alt(human: tuple[float | None, ...], labels: tuple[str, ...], means: list[list[Estimate | None]]) -> Term:
    """Say at how many human scores the intervals of two groups lie apart, and where the means are farthest apart."""
    apart, compared, widest = 0, 0, -1.0
    where: dict[str, Any] = {}
    for place, score in enumerate(human):
        found = [(label, mean) for label, line in zip(labels, means, strict=True) if (mean := line[place])]
        if len(found) < 2:
            continue
        found.sort(key=lambda pair: pair[1].value or 0.0)
        (lowest, low), (highest, high) = found[0], found[-1]
        compared += 1
        apart += low.high is not None and high.low is not None and low.high < high.low
        gap = (high.value or 0.0) - (low.value or 0.0)
        if gap > widest:
            widest = gap
            where = {"score": score, "low": {"level": lowest, "estimate": low},
                     "high": {"level": highest, "estimate": high}}  # fmt: skip
    return Term("means_alt", groups=list(labels), apart=apart, compared=compared, where=where)


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

    def told(self) -> dict[str, Any]:
        """Return what a template says of it."""
        return {"level": self.level, "n": self.n, "estimate": self.difference, "gap": self.gap}


def table_of(evaluation: Evaluation, column: str) -> Table | None:
    """Return the table of a column."""
    return evaluation.tables.get(f"fairness.given_true_score.{column}")


def groups_given(table: Table | None, *, others: bool = False) -> tuple[Given, ...]:
    """Return the groups that have a difference, largest first; the reference differs from others only."""
    found = []
    for row, record in zip(table.rows, records(table), strict=True) if table else ():
        if difference := known(record["from_others" if others else "standardized"]):
            n, gap, least = (number(record[key]) for key in ("n", "gap", "detectable"))
            rater_error = cell if isinstance(cell := record["rater_error"], Estimate) else None
            found.append(Given(str(record["level"]), int(n or 0), gap or 0.0, difference, least, rater_error, row.mark))
    return tuple(found)


def reference_of(table: Table | None) -> str:
    """Return the name of the reference group."""
    return next((str(row.cells[0]) for row in table.rows if row.mark == "reference"), "") if table else ""


def at_equal_true_score(evaluation: Evaluation, column: str, *, others: bool = False) -> dict[str, Any]:
    """Return how groups differ at equal true score; the reason where that is not known, nothing without either."""
    table = table_of(evaluation, column)
    if table is None:
        why = (evaluation.facts.get("no_difference_given_true_score") or {}).get(column)
        return {"case": "unknown", "reason": why} if why else {"case": ""}
    judged = [group for group in groups_given(table, others=others) if group.mark != "insufficient"]
    if not judged:
        return {"case": "few"}
    low, high = (pick(judged, key=lambda group: group.value) for pick in (min, max))
    limit = _limit(evaluation)
    beyond = sorted(
        (group for group in judged if (abs(nearest(group.difference)) > limit if others else group.mark == "flagged")),
        key=lambda group: -abs(group.value),
    )
    return {
        "case": "beyond" if beyond else "one" if low is high else "within",
        "base": "" if others else reference_of(table),
        "judged": len(judged),
        "low": low.told(),
        "high": high.told(),
        "beyond": [group.told() for group in beyond],
    }


def unseen(evaluation: Evaluation) -> dict[str, Any]:
    """Return how many judged groups could hide a difference as large as the limit, and the one that could hide most."""
    limit, known = _limit(evaluation), []
    for column in evaluation.groups:
        groups = groups_given(table_of(evaluation, column))
        known += [(group.detectable, column, group) for group in groups
                  if group.mark != "insufficient" and group.detectable is not None]  # fmt: skip
    if not known:
        return {}
    most, column, group = max(known, key=lambda each: (each[0], -each[2].n, each[1], each[2].level))
    return {"n": sum(least > limit for least, _, _ in known), "of": len(known), "most": most, "limit": limit,
            "level": group.level, "column": column, "responses": group.n}  # fmt: skip


def rater_error(evaluation: Evaluation, column: str) -> dict[str, Any]:
    """Return how much of a difference at equal human score is what rater error alone makes; nothing without any."""
    table = table_of(evaluation, column)
    observed = dict(estimates_in(rows_of(evaluation, f"fairness.csd.{column}"), "level", "estimate"))
    both = [
        (group, group.rater_error, observed[group.level])
        for group in groups_given(table)
        if group.mark != "insufficient" and group.rater_error is not None and group.level in observed
    ]
    if not both:
        return {}
    matters = [each for each in both if _matters(each[1], each[2])]
    clear = any(nearest(each[1]) for each in both)
    group, alone, found = max(matters if clear and matters else both, key=lambda each: abs(each[1].value or 0.0))
    apart = [each for each in both if nearest(each[2])]
    return {
        "case": "none" if not clear else "mistakes" if matters else "little",
        "group": group.told(),
        "base": reference_of(table),
        "alone": alone,
        "found": found,
        "seen": bool(nearest(found)),
        "more": abs(alone.value or 0.0) > abs(found.value or 0.0) or (alone.value or 0.0) * (found.value or 0.0) < 0,
        "apart": len(apart),
        "alarms": sum(not nearest(group.difference) for group, _, _ in apart),
    }


def _matters(alone: Estimate, found: Estimate) -> bool:
    part, whole = alone.value or 0.0, found.value or 0.0
    visible = num(alone).strip("+−") != num(0.0, alone.kind)
    return visible and abs(part) >= LEAST_PART * abs(whole) and bool(nearest(alone))


def _limit(evaluation: Evaluation) -> float:
    return float(evaluation.facts.get("limit_given_true_score") or 0.0)


def nearest(estimate: Estimate) -> float:
    """Return the end of an interval nearest 0; 0 when it contains 0 or there is none."""
    if estimate.low is None or estimate.high is None or estimate.low <= 0 <= estimate.high:
        return 0.0
    return min(estimate.low, estimate.high, key=abs)
