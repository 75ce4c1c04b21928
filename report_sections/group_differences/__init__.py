"""Whether the engine treats groups alike: standardized differences, those at equal true score, three regressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from report_sections.figures import NONE, UNDECIDED, GroupRow, group_panels
from report_sections.group_differences.fairness import (
    at_equal_true_score,
    contrast_chart,
    explained,
    groups_given,
    limit_given,
    means_chart,
    rater_error,
    unseen,
)
from report_sections.groups import MOST_FLAGGED, count_of_kinds, counted, ends, for_page
from report_sections.lookup import distinct, group_checks, lowest_and_highest, withheld_log
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
        of_each = max(LEAST_OF_A_COLUMN, self.chart_groups // len(groups))
        most = self.chart_groups if len(every) <= self.chart_groups else of_each
        figure = group_figure(evaluation, every, most, others=self._others)
        items = {column: self._items(evaluation, column) for column in evaluation.groups}
        return Findings(
            values={
                "case": _case(checks, beyond),
                "counts": count_of_kinds(evaluation),
                "limit": checks[0] if checks else None,
                "beyond": [group.told() for group in beyond[:MOST_NAMED]],
                "names_beyond": [group.level for group in beyond],
                "directions": sorted({"lower" if group.value < 0 else "higher" for group in beyond}),
                "largest": next((group.told() for group in sorted(every, key=_far_first) if group.judged), {}),
                "together": together(evaluation),
                "disagree": disagreeing(evaluation, every),
                "unseen": {} if self._others else unseen(evaluation),
                "figure": KEY if figure else "",
                "columns": [self._told(evaluation, column, groups[column], items[column]) for column in groups],
            },
            tables=tuple(each for held in items.values() for each in held.values() if isinstance(each, Table)),
            charts=(*figure, *(each for held in items.values() for each in held.values() if isinstance(each, Chart))),
            outcome=_outcome(checks),
        )

    @property
    def _others(self) -> bool:
        return self.against == "others"

    def _items(self, evaluation: Evaluation, column: str) -> dict[str, Table | Chart]:
        """Return the tables and charts of a column by the names that the template shows them by."""
        given = "from_others" if self._others else "standardized"
        sorted_by = {"by_group": "dsm", "categories.by": "sensitivity", "fairness.given_true_score": given}
        charts = {
            f"chart_{analysis}": contrast_chart(evaluation, column, analysis, self.chart_groups)
            for analysis in self.contrasts
        } | {"chart_means": means_chart(evaluation, column, self.lines) if self.lines else ()}
        return {
            **{
                family.replace(".", "_"): for_page(table, by)
                for family, by in sorted_by.items()
                for table in evaluation.present(f"{family}.{column}")
            },
            **{key: chart for key, drawn in charts.items() for chart in drawn},
        }

    def _told(
        self, evaluation: Evaluation, column: str, groups: tuple[Group, ...], items: dict[str, Table | Chart]
    ) -> dict[str, Any]:
        rows = evaluation.records(f"by_group.{column}")
        beside = [key for key in ("dsm_fair", "dsm_shrunken") if rows and key in rows[0]]
        shown = ["level", "n", "human_mean", "system_mean", "dsm", *beside, "qwk", *([] if beside else ["rmse"])]
        judged = [group for group in groups if group.outcome != "insufficient"] or groups
        ends_ = [pick(judged, key=lambda group: group.value) for pick in (min, max)] if judged else []
        return {
            "column": column,
            "levels": sum(row.mark != "overall" for row in rows),
            "range": [group.told() for place, group in enumerate(ends_) if group not in ends_[:place]],
            "given": at_equal_true_score(evaluation, column, others=self._others),
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
    found = counted(checks)
    if not checks:
        return "no_requirement"
    if found["outside"]:
        return "one_beyond" if found["outside"] == 1 and beyond else "beyond"
    if not found["judged"]:
        return "in_doubt" if any(check.doubt == "reading" for check in checks) else "none_judged"
    return "open" if found["both_sides"] else "inside"


def _outcome(checks: Sequence[Check]) -> Outcome:
    order: tuple[Outcome, ...] = ("not met", "not yet known", "met")
    return next((each for each in order if any(check.outcome == each for check in checks)), "insufficient")


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

    @property
    def judged(self) -> bool:
        """Whether its requirement has an answer."""
        return self.outcome not in (None, "insufficient")

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
    outcomes: Mapping[str, Outcome] = {check.group: check.outcome for check in group_checks(evaluation, column)}
    return tuple(
        Group(column, str(row["level"]), dsm, row.mark, outcomes.get(f"{column}: {row['level']}"),
              *(row.number(key) for key in ("human_mean", "system_mean", "dsm_fair")))
        for row in evaluation.records(f"by_group.{column}")
        if row.mark != "overall" and (dsm := row.estimate("dsm"))
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
        for each in groups_given(evaluation, column)
        if each.mark != "insufficient"
    }
    found = ((group, given.get((group.column, group.level))) for group in groups)
    return [group.level for group, far in found if (group.outcome, far) in (("not met", False), ("met", True))]


KEY = "group_differences.chart"


def group_figure(evaluation: Evaluation, groups: Sequence[Group], most: int, *, others: bool) -> tuple[Chart, ...]:
    """Return both differences of every group, beside each other on one scale; nothing for fewer than two.

    Drawn are, of each column, the `most` largest groups, the lowest and the highest, and all that are flagged; flagged
    ones come first, then those that differ most. `others`: Whether the difference at equal true score is from all
    others.
    """
    kept = sorted(_kept(groups, most), key=lambda group: (not group.flagged, _far_first(group)))
    if len(kept) < 2:
        return ()
    columns = list(dict.fromkeys(group.column for group in kept))
    several, limit = len(columns) > 1, limit_given(evaluation)
    given = {
        (column, each.level): each for column in columns for each in groups_given(evaluation, column, others=others)
    }
    drawn = []
    for name, group in zip(distinct((group.level for group in kept), most=36 if several else 40), kept, strict=True):
        label = Term("group_of", level=name, column=group.column) if several else name
        beside, outcome = given.get((group.column, group.level)), group.outcome or ""
        small, held = "insufficient" in (outcome, group.mark), beside.held(limit) if beside else ""
        difference = beside.difference if beside else None
        drawn.append(GroupRow(label, group.dsm.n, group.dsm, difference, outcome, held, small))
    check = next(iter(group_checks(evaluation)), None)
    open_ = any({each.outcome, each.given_outcome} & set(UNDECIDED) for each in drawn if not each.small)
    small = any(each.small for each in drawn)
    return (
        group_panels(
            KEY,
            _alt(kept, check),
            drawn,
            (Term("as_seen"), Term("at_equal_true_score")),
            Term("group") if several else Term("column_name", column=columns[0]),
            Term("difference_in_sd"),
            (check.low, check.high) if check else NONE,
            (-limit, limit) if limit else NONE,
            Term("within_limit", check=check) if check else "",
            Term("groups_drawn", left_out=len(groups) - len(kept), most=most, hollow=open_, small=small),
        ),
    )


def _kept(groups: Sequence[Group], most: int) -> list[Group]:
    """Return the groups that the figure has room for, and those that must not be missing."""
    worst = sorted((group for group in groups if group.flagged), key=_far_first)[:MOST_FLAGGED]
    found = []
    for column in dict.fromkeys(group.column for group in groups):
        own = [group for group in groups if group.column == column]
        named = ends([group.value for group in own], [group.outcome != "insufficient" for group in own])
        found += [group for place, group in enumerate(own) if place < most or place in named or group in worst]
    return found


def _alt(groups: Sequence[Group], check: Check | None) -> Term:
    """Return what the figure shows, for readers who do not see it: the groups beyond the limit, or the range."""
    judged = [group for group in groups if group.outcome != "insufficient"] or groups
    low, high = lowest_and_highest(((group.level, group.dsm) for group in judged), "level", "estimate")
    beyond = [{"level": group.level, "estimate": group.dsm} for group in groups if group.flagged]
    return Term("groups_alt", n=len(groups), beyond=beyond, low=low, high=high, limit=check)
