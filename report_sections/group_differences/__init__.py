"""Test whether the engine treats groups equally: standardized and true-score differences, and three regressions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from report_sections import lookup
from report_sections.figures import LEAST_REACH, estimates_chart, funnel, shortened
from reportgen.results import Mark, Outcome, worst
from reportgen.results.chart import Zone
from reportgen.sections import Axis, Chart, Check, Estimate, Evaluation, Findings, Rule, Section, Table, Term
from reportgen.wording.numbers import num

MOST_NAMED = 3  # most groups beyond the limit that the text names; the figure and the table have all

NOTHING: Mapping[str, Any] = {
    "counts": [], "limit": None, "beyond": [], "names_beyond": [], "directions": [], "largest": {},
    "together": {}, "disagree": [], "unseen": {}, "figure": "", "columns": [],
}  # fmt: skip
"""Template values without a group column."""

DISAGREE = (("not met", ""), ("met", "flagged"))
"""Groups beyond the limit in only one comparison: the observed outcome, and the mark at equal true score."""

MOST_DRAWN = 20  # groups drawn in a chart; flagged groups are always drawn

LEAST_OF_A_COLUMN = 4  # groups of each column that the figure has room for, however many columns there are


@dataclass(frozen=True)
class GroupDifferences(Section, needs=("system", "order")):
    """Show DSM with intervals and the three fairness analyses for each group column.

    Parameters
    ----------
    contrasts
        Analyses whose contrasts with the reference group are drawn: any of "osa", "osd", "csd".
    """

    contrasts: tuple[str, ...] = ()

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how groups compare with their limit, and the tables and charts of each group column."""
        if not evaluation.groups:
            case = "withheld" if evaluation.records("privacy.withheld") else "no_column"
            return Findings(values={**NOTHING, "case": case}, outcome="insufficient")
        checks = lookup.group_checks(evaluation)
        groups = {column: groups_of(evaluation, column) for column in evaluation.groups}
        every = [group for each in groups.values() for group in each]
        both = [(each, each.given.mark) for each in every if each.given]
        beyond = sorted((group for group in every if group.flagged), key=_far_first)
        of_each = max(LEAST_OF_A_COLUMN, MOST_DRAWN // len(groups))
        most = MOST_DRAWN if len(every) <= MOST_DRAWN else of_each
        figure = group_figure(evaluation, every, most)
        items = {column: self._items(evaluation, column) for column in evaluation.groups}
        return Findings(
            values={
                "case": _case(checks, beyond),
                "counts": lookup.count_of_kinds(evaluation),
                "limit": checks[0] if checks else None,
                "beyond": [group.told() for group in beyond[:MOST_NAMED]],
                "names_beyond": [group.level for group in beyond],
                "directions": sorted({"lower" if group.value < 0 else "higher" for group in beyond}),
                "largest": next((group.told() for group in sorted(every, key=_far_first) if group.judged), {}),
                "together": together(evaluation),
                "disagree": [group.level for group, mark in both if (group.outcome, mark) in DISAGREE],
                "unseen": unseen(evaluation),
                "figure": KEY if figure else "",
                "columns": [self._told(evaluation, column, items[column]) for column in groups],
            },
            tables=tuple(each for held in items.values() for each in held.values() if isinstance(each, Table)),
            charts=(*figure, *(each for held in items.values() for each in held.values() if isinstance(each, Chart))),
            outcome=worst(checks) if checks else "insufficient",
        )

    def _items(self, evaluation: Evaluation, column: str) -> dict[str, Table | Chart]:
        """Return the tables and charts of a column by the names that the template uses."""
        sorted_by = {"by_group": "dsm", "categories.by": "sensitivity", "fairness.given_true_score": "standardized"}
        charts = {f"chart_{analysis}": contrast_chart(evaluation, column, analysis) for analysis in self.contrasts}
        return {
            **{
                family.replace(".", "_"): lookup.for_page(table, by)
                for family, by in sorted_by.items()
                for table in evaluation.present(f"{family}.{column}")
            },
            **{key: chart for key, drawn in charts.items() for chart in drawn},
        }

    def _told(self, evaluation: Evaluation, column: str, items: dict[str, Table | Chart]) -> dict[str, Any]:
        rows = evaluation.records(f"by_group.{column}")
        beside = [key for key in ("dsm_fair", "dsm_shrunken") if rows and key in rows[0]]
        shown = ["level", "n", *(["dsm", *beside] if beside else ["human_mean", "system_mean", "dsm"]), "qwk"]
        return {
            "column": column,
            "levels": sum(row.mark != "overall" for row in rows),
            "given": at_equal_true_score(evaluation, column),
            "explained": explained(evaluation, column),
            "rater_error": rater_error(evaluation, column),
            "shown": shown if rows else [],
            "keys": {name: item.key for name, item in items.items()},
            "contrasts": [f"fairness.{analysis}.{column}.chart" for analysis in self.contrasts
                          if f"chart_{analysis}" in items],
        }  # fmt: skip


def _far_first(group: Group) -> float:
    return -abs(group.value)


def _case(checks: Sequence[Check], beyond: Sequence[Group]) -> str:
    if not checks:
        return "no_requirement"
    found = lookup.counted(checks)
    if found["outside"]:
        return "one_beyond" if found["outside"] == 1 and beyond else "beyond"
    if not found["judged"]:
        return "in_doubt" if any(check.doubt == "reading" for check in checks) else "none_judged"
    return "open" if found["both_sides"] else "inside"


LEAST_TOLD = 0.005  # a part of a difference below this many SDs is not mentioned


@dataclass(frozen=True)
class Group:
    """One group: its column and name, its DSM, both means, the mark of its row, and the outcome of its requirement.

    `fair` is the DSM with an engine that scores equal true scores equally; `given` is the other comparison.
    """

    column: str
    level: str
    dsm: Estimate
    mark: Mark
    outcome: Outcome | None
    given: Given | None
    human: float | None = None
    engine: float | None = None
    fair: float | None = None

    @property
    def value(self) -> float:
        """The difference."""
        return self.dsm.value or 0.0

    @property
    def flagged(self) -> bool:
        """Whether its requirement is not met."""
        return self.outcome == "not met"

    @property
    def judged(self) -> bool:
        """Whether its requirement has an answer."""
        return self.outcome not in (None, "insufficient")

    def told(self) -> dict[str, Any]:
        """Return how much of the difference a fair engine would also show, and the rest; None if negligible."""
        fair = None if self.fair is None or abs(self.fair) < LEAST_TOLD else self.fair
        means, left = {"human": self.human, "engine": self.engine}, None if fair is None else self.value - fair
        where = {"column": self.column, "level": self.level}
        return {**where, "estimate": self.dsm, "n": self.dsm.n, **means, "fair": fair, "left": left}


def groups_of(evaluation: Evaluation, column: str) -> tuple[Group, ...]:
    """Return the groups of a column that have a DSM (given the true score, from all `others`), largest first."""
    outcomes: Mapping[str, Outcome] = {check.group: check.outcome for check in lookup.group_checks(evaluation, column)}
    given = {each.level: each for each in groups_given(evaluation, column)}
    return tuple(
        Group(column, level, dsm, row.mark, outcomes.get(f"{column}: {level}"), given.get(level),
              *(row.number(key) for key in ("human_mean", "system_mean", "dsm_fair")))
        for row in evaluation.records(f"by_group.{column}")
        if (level := str(row["level"])) and row.mark != "overall" and (dsm := row.estimate("dsm"))
    )  # fmt: skip


ADJUSTED = 0.05
"""Chance does not explain a difference with an adjusted p below this; groups are listed by the same share."""

WAYS = ("at_equal_true_score", "as_seen")  # how groups are compared, the better way first


def together(evaluation: Evaluation) -> dict[str, Any]:
    """Return how many comparisons differ, separately and by chance, and the largest's adjusted p; empty for few."""
    found = evaluation.facts.get("groups_together") or {}
    way = next((each for each in WAYS if found.get(each)), "")
    known = found.get(way) or {}
    if known.get("n", 0) < 3:
        return {}
    return {**known, "way": way, "listed": [level for _, level in known["listed"]], "differ": known["p"] < ADJUSTED}


KEY = "group_differences.chart"


def group_figure(evaluation: Evaluation, groups: Sequence[Group], most: int) -> tuple[Chart, ...]:
    """Draw the difference of every group by its size; None for fewer than two groups.

    For each column, the chart shows the `most` largest groups, the lowest and the highest, and all flagged groups.
    """
    kept = [group for group in _kept(groups, most) if group.dsm.value is not None and group.dsm.n]
    if len(kept) < 2:
        return ()
    outcomes = ["insufficient" if group.mark == "insufficient" else group.outcome or "" for group in kept]
    check = next(iter(lookup.group_checks(evaluation)), None)
    caption = Term(
        "groups_drawn", left_out=len(groups) - len(kept), most=most, beyond="not met" in outcomes,
        hollow=bool({*outcomes} & {"out of reach", "not yet known"}), small="insufficient" in outcomes,
    )  # fmt: skip
    shaded = (Zone(check.low, check.high, Term("within_limit", check=check), axis="y"),) if check else ()
    names = lookup.distinct((group.level for group in kept), most=24)
    axes = Term("responses_of_group"), Term("difference_in_sd")
    return (funnel(KEY, _alt(kept, check), names, [group.dsm for group in kept], outcomes, axes, shaded, caption),)


def _kept(groups: Sequence[Group], most: int) -> list[Group]:
    """Return the groups that the figure has room for, and the groups that it must show."""
    worst = sorted((group for group in groups if group.flagged), key=_far_first)[: lookup.MOST_FLAGGED]
    found = []
    for column in dict.fromkeys(group.column for group in groups):
        own = [group for group in groups if group.column == column]
        named = lookup.ends([group.value for group in own], [group.outcome != "insufficient" for group in own])
        found += [group for place, group in enumerate(own) if place < most or place in named or group in worst]
    return found


def _alt(groups: Sequence[Group], check: Check | None) -> Term:
    """Return the text alternative of the figure: the groups beyond the limit, or the range."""
    judged = [group for group in groups if group.outcome != "insufficient"] or groups
    low, high = lookup.lowest_and_highest(((group.level, group.dsm) for group in judged), "level", "estimate")
    beyond = [{"level": group.level, "estimate": group.dsm} for group in groups if group.flagged]
    return Term("groups_alt", n=len(groups), beyond=beyond, low=low, high=high, limit=check)


ANALYSES = ("osa", "osd", "csd")  # the three analyses, in the order of their table


def explained(evaluation: Evaluation, column: str) -> list[dict[str, Any]]:
    """Return the percentage of the errors that the group explains, in the order OSA, OSD, CSD; at least 0."""
    rows = zip(ANALYSES, evaluation.records(f"fairness.explained.{column}"), strict=False)
    return [
        {"analysis": analysis, "share": 100 * max(0.0, share), "p": row.number("p")}
        for analysis, row in rows
        if (share := row.number("r_squared")) is not None
    ]


def contrast_chart(evaluation: Evaluation, column: str, analysis: str) -> Iterator[Chart]:
    """Yield each group's contrast with the reference group: the dot and the interval are both the contrast's."""
    key, least = f"fairness.{analysis}.{column}", lookup.least_size(evaluation, column)
    base = next((str(row["base_group"] or "") for row in evaluation.records(f"fairness.explained.{column}")), "")
    found = lookup.estimates_in(
        (row for row in evaluation.records(key) if row.mark != "reference"), "level", "estimate"
    )
    if not found or not base:
        return
    named = lookup.ends([cell.value for _, cell in found], [cell.n >= least for _, cell in found])
    kept = [pair for place, pair in enumerate(found) if place < MOST_DRAWN or place in named]
    kept.sort(key=lambda pair: -(pair[1].value or 0.0))
    hollow = [cell.n < least for _, cell in kept]
    far_first = sorted(found, key=lambda pair: -abs(pair[1].value or 0.0))
    apart = [{"level": level, "estimate": cell} for level, cell in far_first if cell.apart()]
    axis = Term("contrast_axis", base=base, squared=analysis == "osa")
    yield estimates_chart(
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
    )


GIVEN = "fairness.given_true_score"  # prefix of the keys of tables of differences at equal true score

LEAST_PART = 1 / 3
"""The share of a difference that rater error must explain before a sentence warns of mistaking it for bias."""


@dataclass(frozen=True)
class Given:
    """A group compared with the reference: its difference, the smallest visible one, and the part from rater error."""

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
        """Return the template's values."""
        return {"level": self.level, "n": self.n, "estimate": self.difference, "gap": self.gap}


def groups_given(evaluation: Evaluation, column: str) -> tuple[Given, ...]:
    """Return the groups that have a difference from the reference, largest first."""
    return tuple(
        Given(
            str(row["level"]), row.count("n"), row.number("gap") or 0.0, difference, row.number("detectable"),
            cell if isinstance(cell := row["rater_error"], Estimate) else None, row.mark,
        )
        for row in evaluation.records(f"{GIVEN}.{column}")
        if (difference := row.estimate("standardized"))
    )  # fmt: skip


def _judged(evaluation: Evaluation, column: str) -> list[Given]:
    return [each for each in groups_given(evaluation, column) if each.mark != "insufficient"]


def _reference(evaluation: Evaluation, column: str) -> str:
    rows = evaluation.records(f"{GIVEN}.{column}")
    return next((str(row["level"]) for row in rows if row.mark == "reference"), "")


def at_equal_true_score(evaluation: Evaluation, column: str) -> dict[str, Any]:
    """Return how groups differ at equal true score, or the reason if that is not known; empty without either."""
    if f"{GIVEN}.{column}" not in evaluation.tables:
        why = (evaluation.facts.get("no_difference_given_true_score") or {}).get(column)
        return {"case": "unknown", "reason": why} if why else {"case": ""}
    judged = _judged(evaluation, column)
    if not judged:
        return {"case": "few"}
    low, high = (pick(judged, key=lambda group: group.value) for pick in (min, max))
    beyond = [group for group in judged if group.mark == "flagged"]
    return {
        "case": "beyond" if beyond else "one" if low is high else "within",
        "base": _reference(evaluation, column),
        "judged": len(judged),
        "low": low.told(),
        "high": high.told(),
        "beyond": [group.told() for group in sorted(beyond, key=lambda group: -abs(group.value))],
    }


def unseen(evaluation: Evaluation) -> dict[str, Any]:
    """Return how many judged groups could hide a difference as large as the limit, and which could hide most."""
    limit = float(evaluation.facts.get("limit_given_true_score") or 0.0)
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
    """Return how much of a difference at equal human score is due to rater error alone; empty without a difference."""
    observed = dict(lookup.estimates_in(evaluation.records(f"fairness.csd.{column}"), "level", "estimate"))
    both = [
        (group, group.rater_error, observed[group.level])
        for group in _judged(evaluation, column)
        if group.rater_error is not None and group.level in observed
    ]
    if not both:
        return {}
    matters = [each for each in both if _matters(each[1], each[2])]
    clear = any(alone.apart() for _, alone, _ in both)
    group, alone, found = max(matters if clear and matters else both, key=lambda each: abs(each[1].value or 0.0))
    part, whole = alone.value or 0.0, found.value or 0.0
    apart = [each for each, _, seen in both if seen.apart()]
    return {
        "case": "none" if not clear else "mistakes" if matters else "little",
        "group": group.told(),
        "base": _reference(evaluation, column),
        "alone": alone,
        "found": found,
        "seen": found.apart(),
        "more": abs(part) > abs(whole) or part * whole < 0,
        "apart": len(apart),
        "alarms": sum(not each.difference.apart() for each in apart),
    }


def _matters(alone: Estimate, found: Estimate) -> bool:
    part, whole = alone.value or 0.0, found.value or 0.0
    visible = num(alone).strip("+−") != num(0.0, alone.kind)
    return visible and abs(part) >= LEAST_PART * abs(whole) and alone.apart()
