"""Whether the engine treats groups alike: standardized differences and the fairness analyses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.group_differences.fairness import (
    contrast_chart,
    fairness_sentence,
    means_chart,
)
from report_sections.group_differences.standardized import dsm_chart, dsm_sentence, groups_of
from report_sections.lookup import group_checks
from report_sections.words import bounds, first_few, many, name
from reportgen.sections import Chart, Evaluation, Findings, Section, Table

INTRODUCTION = (
    "The difference of standardized means (DSM) is a group's mean engine score minus its mean human score, each "
    "standardized over all responses: 0 when the engine places the group where raters do.",
    "Three regressions ask the same of single responses: overall score accuracy (OSA) explains the squared error by "
    "group, overall score difference (OSD) the error, conditional score difference (CSD) the error at equal human "
    "score.",
)
CAUTION = (
    "CSD conditions on one observed human score, which carries the rater's error. Groups that differ in true level "
    "then show a difference even where the engine is fair, and more so the less reliable the raters are: a small p "
    "is a question, not a proof of bias."
)


@dataclass(frozen=True)
class GroupDifferences(Section):
    """For each group column: DSM with intervals, the three fairness analyses, means at each human score.

    Parameters
    ----------
    contrasts
        Analyses whose contrasts with the reference group are drawn: any of "osa", "osd", "csd".
    chart_groups
        Groups drawn in a chart; flagged groups are always drawn.
    lines
        Groups drawn as lines in the chart of means, at most 6.
    """

    name: ClassVar[str] = "group_differences"
    title: ClassVar[str] = "Group differences"

    contrasts: tuple[str, ...] = ("csd",)
    chart_groups: int = 20
    lines: int = 6

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return for each group column the tables and charts, in one order in both templates."""
        if not evaluation.groups:
            return _no_groups()
        columns = [self._column(evaluation, column) for column in evaluation.groups]
        return Findings(
            headline=_headline(evaluation),
            paragraphs=(*INTRODUCTION, *(text for each in columns for text in each.texts)),
            values={"introduction": list(INTRODUCTION), "columns": [each.contents() for each in columns]},
            tables=tuple(table for each in columns for table in each.tables),
            charts=tuple(chart for each in columns for chart in each.charts),
            notes=(CAUTION, *_small_groups(evaluation)),
        )

    def _column(self, evaluation: Evaluation, column: str) -> _Column:
        sentences = (dsm_sentence(column, groups_of(evaluation, column)), fairness_sentence(evaluation, column))
        contrasts = (contrast_chart(evaluation, column, each, self.chart_groups) for each in self.contrasts)
        keys = (f"by_group.{column}", f"fairness.{column}")
        return _Column(
            name=column,
            texts=tuple(text for text in sentences if text),
            tables=tuple(table for key in keys if (table := evaluation.tables.get(key)) is not None),
            charts=(
                *dsm_chart(evaluation, column, self.chart_groups),
                *(chart for charts in contrasts for chart in charts),
                *means_chart(evaluation, column, self.lines),
            ),
        )


@dataclass(frozen=True)
class _Column:
    """What the section says about one group column."""

    name: str
    texts: tuple[str, ...]
    tables: tuple[Table, ...]
    charts: tuple[Chart, ...]

    def contents(self) -> dict[str, Any]:
        """Return what a template needs to show this column by itself: words and keys."""
        return {
            "name": self.name,
            "texts": list(self.texts),
            "tables": [table.key for table in self.tables],
            "charts": [chart.key for chart in self.charts],
        }


def _no_groups() -> Findings:
    return Findings(
        headline="The data names no group column, so group differences are not known.",
        paragraphs=("A column of the data with each candidate's group, named as a group, would let them be judged.",),
    )


def _headline(evaluation: Evaluation) -> str:
    checks = group_checks(evaluation)
    judged = [check for check in checks if check.outcome != "insufficient"]
    if not judged:
        return "No group can be judged: too few responses, or scores without variation."
    flagged = [name(check.group, 40) for check in judged if check.outcome == "not met"]
    limit = bounds(judged[0])
    if flagged:
        verb = "lies" if len(flagged) == 1 else "lie"
        return (
            f"{len(flagged)} of {many(len(judged), 'group')} {verb} outside the limit ({limit}): {first_few(flagged)}."
        )
    unsure = sum(check.outcome == "not yet known" for check in judged)
    if unsure:
        return (
            f"No group lies outside the limit ({limit}) with its whole interval; "
            f"{unsure} of {many(len(judged), 'group')} can not yet be judged."
        )
    return f"All {many(len(judged), 'group')} that can be judged lie within the limit ({limit})."


def _small_groups(evaluation: Evaluation) -> tuple[str, ...]:
    small = [name(check.group, 40) for check in group_checks(evaluation) if check.outcome == "insufficient"]
    if not small:
        return ()
    return (f"Not judged, for too few responses or undefined values: {first_few(small)}.",)
