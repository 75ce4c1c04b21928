"""Whether the engine treats groups alike: standardized differences, those at equal true score, three regressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from report_sections.figures import NONE, UNDECIDED, GroupRow, group_panels
from report_sections.group_differences.fairness import (
    Given,
    at_equal_true_score,
    contrast_chart,
    explained,
    groups_given,
    means_chart,
    nearest,
    rater_error,
    table_of,
    unseen,
)
from report_sections.groups import MOST_FLAGGED, count_of_kinds, counted, ends, for_page
from report_sections.lookup import distinct, group_checks, known, lowest_and_highest, number, records, withheld_log
from reportgen.results import Mark, Outcome
from reportgen.sections import Chart, Check, Estimate, Evaluation, Findings, Section, Table, Term

MOST_NAMED = 3
"""Groups beyond the limit that the text tells one by one; the figure and the table have all."""

NOTHING: Mapping[str, Any] = {
    "counts": [], "limit": None, "beyond": [], "names_beyond": [], "directions": [], "largest": {},
    "together": {}, "disagree": [], "unseen": {}, "figure": "", "columns": [],
}  # fmt: skip
"""What there is to say without a group column."""

LEAST_OF_A_COLUMN = 4
"""Groups of each column that the figure has room for, however many columns there are."""


@dataclass(frozen=True)
class GroupDifferences(Section):
    """For each group column: DSM with intervals, the three fairness analyses, means at each human score.

    Parameters
    ----------
    contrasts
        Analyses whose contrasts with the reference group are drawn: any of "osa", "osd", "csd".
    against
        What the difference given the true score is measured from: the "reference" group, which is the
        largest, or all "others".
    chart_groups
        Groups drawn in a chart; flagged groups are always drawn.
    lines
        Groups drawn as lines in the chart of means, at most 4; none leaves the chart out.
    """

    name: ClassVar[str] = "group_differences"
    needs: ClassVar[tuple[str, ...]] = ("system", "order")

    contrasts: tuple[str, ...] = ()
    against: Literal["reference", "others"] = "reference"
    chart_groups: int = 20
    lines: int = 0

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how groups stand against their limit, and for each group column its tables and charts."""
        if not evaluation.groups:
            case = "withheld" if any(table.rows for table in withheld_log(evaluation)) else "no_column"
            return Findings(values={**NOTHING, "case": case}, outcome="insufficient")
        checks = group_checks(evaluation)
        groups = {column: groups_of(evaluation, column) for column in evaluation.groups}
        every = [group for each in groups.values() for group in each]
        beyond = sorted((group for group in every if group.flagged), key=_far_first)
        figure = self._figure(evaluation, groups)
        items = {column: self._items(evaluation, column) for column in evaluation.groups}
        return Findings(
            values={
                "case": _case(checks, beyond),
                "counts": count_of_kinds(evaluation),
                "limit": checks[0] if checks else None,
                "beyond": [group.told() for group in beyond[:MOST_NAMED]],
                "names_beyond": [group.level for group in beyond],
                "directions": sorted({"lower" if group.value < 0 else "higher" for group in beyond}),
                "largest": _largest(every),
                "together": together(evaluation),
                "disagree": disagreeing(evaluation, every),
                "unseen": unseen(evaluation) if self.against == "reference" else {},
                "figure": figure.key if figure else "",
                "columns": [self._told(evaluation, column, groups[column], items[column]) for column in groups],
            },
            tables=tuple(each for held in items.values() for each in held.values() if isinstance(each, Table)),
            charts=(
                *((figure,) if figure else ()),
                *(each for held in items.values() for each in held.values() if isinstance(each, Chart)),
            ),
            outcome=_outcome(checks),
        )

    def _figure(self, evaluation: Evaluation, groups: dict[str, tuple[Group, ...]]) -> Chart | None:
        drawn: list[Drawn] = []
        for column, found in groups.items():
            table = table_of(evaluation, column)
            given = {each.level: each for each in groups_given(table, others=self.against == "others")}
            drawn += [(group, given.get(group.level)) for group in found]
        of_each = max(LEAST_OF_A_COLUMN, self.chart_groups // max(1, len(groups)))
        return group_figure(evaluation, drawn, self.chart_groups if len(drawn) <= self.chart_groups else of_each)

    def _items(self, evaluation: Evaluation, column: str) -> dict[str, Table | Chart]:
        others = self.against == "others"
        sorted_by = {
            "by_group": "dsm", "categories.by": "sensitivity",
            "fairness.given_true_score": "from_others" if others else "standardized",
        }  # fmt: skip
        found: dict[str, Table | Chart] = {
            family: for_page(table, by)
            for family, by in sorted_by.items()
            if (table := evaluation.tables.get(f"{family}.{column}"))
        }
        charts = {
            f"chart_{analysis}": contrast_chart(evaluation, column, analysis, self.chart_groups)
            for analysis in self.contrasts
        } | {"chart_means": means_chart(evaluation, column, self.lines) if self.lines else ()}
        return found | {key: chart for key, drawn in charts.items() for chart in drawn}

    def _told(
        self, evaluation: Evaluation, column: str, groups: tuple[Group, ...], items: dict[str, Table | Chart]
    ) -> dict[str, Any]:
        by_group = evaluation.tables.get(f"by_group.{column}")
        return {
            "column": column,
            "levels": sum(row.mark != "overall" for row in by_group.rows) if by_group else 0,
            "range": _range([group for group in groups if group.outcome != "insufficient"] or list(groups)),
            "given": at_equal_true_score(evaluation, column, others=self.against == "others"),
            "explained": explained(evaluation, column),
            "rater_error": rater_error(evaluation, column),
            "shown": _columns(by_group) if by_group else [],
            "keys": {family.replace(".", "_"): item.key for family, item in items.items()},
            "contrasts": [f"fairness.{analysis}.{column}.chart" for analysis in self.contrasts
                          if f"chart_{analysis}" in items],
        }  # fmt: skip


def _columns(table: Table) -> list[str]:
    """Return the columns of a table by group that the page shows, seven where that is enough."""
    known = {column.key for column in table.columns}
    beside = [key for key in ("dsm_fair", "dsm_shrunken") if key in known]
    return ["level", "n", "human_mean", "system_mean", "dsm", *beside, "qwk", *([] if beside else ["rmse"])]


def _far_first(group: Group) -> float:
    return -abs(group.value)


def _case(checks: Sequence[Check], beyond: Sequence[Group]) -> str:
    found = counted(checks)
    if not checks:
        return "no_requirement"
    if found.outside:
        return "one_beyond" if found.outside == 1 and beyond else "beyond"
    if not found.judged:
        return "in_doubt" if any(check.doubt == "reading" for check in checks) else "none_judged"
    return "open" if found.both_sides else "inside"


def _outcome(checks: Sequence[Check]) -> Outcome:
    order: tuple[Outcome, ...] = ("not met", "not yet known", "met")
    return next((each for each in order if any(check.outcome == each for check in checks)), "insufficient")


def _largest(groups: Sequence[Group]) -> dict[str, Any]:
    """Return the judged group that differs most; nothing without one."""
    judged = [group for group in groups if group.outcome not in (None, "insufficient")]
    return min(judged, key=_far_first).told() if judged else {}


def _range(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """Return the groups with the lowest and the highest difference, one of them where there are no two."""
    ends = [pick(groups, key=lambda group: group.value) for pick in (min, max)] if groups else []
    return [group.told() for place, group in enumerate(ends) if group not in ends[:place]]


LEAST_PART = 0.005
"""A part of a difference below this many SDs is nothing to tell."""


@dataclass(frozen=True)
class Group:
    """One group: its column and name, its DSM, both means, how its row is marked, what its requirement says.

    `fair` is the DSM that it would have by an engine that scores equal true scores alike.
    """

    column: str
    level: str
    dsm: Estimate
    mark: Mark
    outcome: Outcome | None
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

    def told(self) -> dict[str, Any]:
        """Return what a template says of it: how much of the difference a fair engine would show too, and the rest.

        Both are None where it is hardly any.
        """
        fair = None if self.fair is None or abs(self.fair) < LEAST_PART else self.fair
        return {"column": self.column, "level": self.level, "estimate": self.dsm, "n": self.dsm.n,
                "human": self.human, "engine": self.engine,
                "fair": fair, "left": None if fair is None else self.value - fair}  # fmt: skip


def groups_of(evaluation: Evaluation, column: str) -> tuple[Group, ...]:
    """Return the groups of a column that have a DSM, largest first; the row of all responses is not one of them."""
    table = evaluation.tables.get(f"by_group.{column}")
    if table is None:
        return ()
    outcomes: Mapping[str, Outcome] = {check.group: check.outcome for check in group_checks(evaluation, column)}
    return tuple(
        Group(column, level, dsm, row.mark, outcomes.get(f"{column}: {level}"),
              number(record.get("human_mean")), number(record.get("system_mean")),
              number(record.get("dsm_fair")))
        for row, record in zip(table.rows, records(table), strict=True)
        if row.mark != "overall" and (dsm := known(record["dsm"]))
        for level in [str(record["level"])]
    )  # fmt: skip


ADJUSTED = 0.05
"""An adjusted p below this is a difference that chance does not explain; groups are listed by the same share."""

WAYS = ("at_equal_true_score", "as_seen")
"""How groups are compared, the better way first."""


def together(evaluation: Evaluation) -> dict[str, Any]:
    """Return how many comparisons differ, alone and by chance, and what is left of the largest.

    At equal true score where that is known, else as seen; nothing with fewer than three.
    """
    found = evaluation.facts.get("groups_together") or {}
    way = next((each for each in WAYS if found.get(each)), "")
    known = found.get(way) or {}
    if known.get("n", 0) < 3:
        return {}
    return {**known, "way": way, "listed": [level for _, level in known["listed"]], "differ": known["p"] < ADJUSTED}


def disagreeing(evaluation: Evaluation, groups: Sequence[Group]) -> list[str]:
    """Return the groups that lie beyond the limit by one comparison alone, though both have an answer."""
    given = {
        (column, each.level): each.mark == "flagged"
        for column in evaluation.groups
        for each in groups_given(table_of(evaluation, column))
        if each.mark != "insufficient"
    }
    return [
        group.level
        for group in groups
        if group.outcome not in (None, "insufficient") and (group.column, group.level) in given
        if (group.outcome, given[group.column, group.level]) in (("not met", False), ("met", True))
    ]


KEY = "group_differences.chart"


Drawn = tuple[Group, Given | None]
"""One row of the figure: a group as seen, and at equal true score where that is known."""


def group_figure(evaluation: Evaluation, rows: Sequence[Drawn], most: int) -> Chart | None:
    """Return both differences of every group, beside each other on one scale; None where there is nothing to compare.

    Drawn are, of each column, the `most` largest groups, the lowest and the highest, and all that are flagged; flagged
    ones come first, then those that differ most.
    """
    kept = sorted(_kept(rows, most), key=lambda row: (not row[0].flagged, -abs(row[0].value)))
    if len(kept) < 2:
        return None
    groups = [group for group, _ in kept]
    columns = list(dict.fromkeys(group.column for group in groups))
    plain = distinct((group.level for group in groups), most=40 if len(columns) == 1 else 36)
    labels = tuple(
        label if len(columns) == 1 else Term("group_of", level=label, column=group.column)
        for label, group in zip(plain, groups, strict=True)
    )
    checks = group_checks(evaluation)
    limit = float(evaluation.facts.get("limit_given_true_score") or 0.0)
    drawn = [_row(label, *row, limit) for label, row in zip(labels, kept, strict=True)]
    return group_panels(
        KEY,
        _alt(groups, checks),
        drawn,
        (Term("as_seen"), Term("at_equal_true_score")),
        Term("column_name", column=columns[0]) if len(columns) == 1 else Term("group"),
        Term("difference_in_sd"),
        (checks[0].low, checks[0].high) if checks else NONE,
        (-limit, limit) if limit else NONE,
        Term("within_limit", check=checks[0]) if checks else "",
        Term(
            "groups_drawn",
            left_out=len(rows) - len(kept),
            most=most,
            hollow=any(
                each.outcome in UNDECIDED or each.given_outcome in UNDECIDED for each in drawn if not each.small
            ),
            small=any(each.small for each in drawn),
        ),
    )


def _row(label: str, seen: Group, given: Given | None, limit: float) -> GroupRow:
    """Return a row of the figure: what its requirement says, and where it lies at equal true score."""
    small = "insufficient" in (seen.outcome, seen.mark)
    outcome: Outcome | Literal[""] = _beside(given, limit) if given else ""
    return GroupRow(
        label, seen.dsm.n, seen.dsm, given.difference if given else None, seen.outcome or "", outcome, small
    )


def _beside(given: Given, limit: float) -> Outcome:
    low, high = given.difference.low, given.difference.high
    if given.mark == "insufficient" or low is None or high is None:
        return "insufficient"
    if abs(nearest(given.difference)) > limit:
        return "not met"
    return "met" if -limit <= low and high <= limit else "not yet known"


def _kept(rows: Sequence[Drawn], most: int) -> list[Drawn]:
    """Return the rows that the figure has room for, and those that must not be missing."""
    worst = sorted((row for row in rows if row[0].flagged), key=lambda row: -abs(row[0].value))[:MOST_FLAGGED]
    found = []
    for column in dict.fromkeys(group.column for group, _ in rows):
        own = [row for row in rows if row[0].column == column]
        named = ends([group.value for group, _ in own], [group.outcome != "insufficient" for group, _ in own])
        found += [row for place, row in enumerate(own) if place < most or place in named or row in worst]
    return found


def _alt(groups: Sequence[Group], checks: Sequence[Check]) -> Term:
    """Return what the figure shows, for readers who do not see it: the groups beyond the limit, or the range."""
    judged = [group for group in groups if group.outcome != "insufficient"] or groups
    low, high = lowest_and_highest(((group.level, group.dsm) for group in judged), "level", "estimate")
    return Term(
        "groups_alt",
        n=len(groups),
        beyond=[{"level": group.level, "estimate": group.dsm} for group in groups if group.flagged],
        low=low,
        high=high,
        limit=checks[0] if checks else None,
    )
