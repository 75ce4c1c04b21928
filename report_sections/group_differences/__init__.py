"""Whether the engine treats groups alike: standardized differences, those at equal true score, three regressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from report_sections.group_differences.fairness import contrast_chart, explained, means_chart
from report_sections.group_differences.given_true_score import (
    at_equal_true_score,
    groups_given,
    rater_error,
    table_of,
    unseen,
)
from report_sections.group_differences.pictures import Drawn, group_figure
from report_sections.group_differences.standardized import Group, groups_of
from report_sections.group_differences.together import disagreeing, together
from report_sections.groups import count_of_kinds, counted, for_page
from report_sections.lookup import group_checks, withheld_log
from reportgen.results import Check, Outcome
from reportgen.sections import Chart, Evaluation, Findings, Section, Table

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
        beyond = sorted(
            (group for each in groups.values() for group in each if group.outcome == "not met"), key=_far_first
        )
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
                "largest": _largest([group for each in groups.values() for group in each]),
                "together": together(evaluation),
                "disagree": disagreeing(evaluation, [group for each in groups.values() for group in each]),
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
        """Return the groups of all columns as seen and at equal true score, in one figure."""
        others = self.against == "others"
        drawn = [
            Drawn(group, next((each for each in given if each.level == group.level), None))
            for column, found in groups.items()
            if (given := groups_given(table_of(evaluation, column), others=others)) is not None
            for group in found
        ]
        of_each = max(LEAST_OF_A_COLUMN, self.chart_groups // max(1, len(groups)))
        return group_figure(evaluation, drawn, self.chart_groups if len(drawn) <= self.chart_groups else of_each)

    def _items(self, evaluation: Evaluation, column: str) -> dict[str, Table | Chart]:
        """Return the tables and charts of one column, by what they are of."""
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
        """Return what a template says of one column, and the keys of what it shows."""
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
    """Return which finding there is."""
    found = counted(checks)
    if not checks:
        return "no_requirement"
    if found.outside:
        return "one_beyond" if found.outside == 1 and beyond else "beyond"
    if not found.judged:
        return "in_doubt" if any(check.doubt == "reading" for check in checks) else "none_judged"
    return "open" if found.both_sides else "inside"


def _outcome(checks: Sequence[Check]) -> Outcome:
    """Return what the requirements on groups say together."""
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
