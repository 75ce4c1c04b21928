"""Differences of standardized means (DSM) of one group column: chart, table, sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from report_sections.groups import MOST_FLAGGED, ends
from report_sections.lookup import group_checks, least_size, records
from report_sections.pictures import dots_of
from report_sections.words import distinct, listed, name
from reportgen.results import Estimate, Mark, Outcome
from reportgen.sections import Axis, Chart, Dots, Evaluation, Rule
from reportgen.wording.numbers import many, num, with_interval


@dataclass(frozen=True)
class Group:
    """One group: its name, its DSM, how its row is marked, and what its criterion says."""

    level: str
    dsm: Estimate
    mark: Mark
    outcome: Outcome | None


def groups_of(evaluation: Evaluation, column: str) -> tuple[Group, ...]:
    """Return the groups of a column that have a DSM, largest first; "All data" is not one of them."""
    table = evaluation.tables.get(f"by_group.{column}")
    if table is None:
        return ()
    outcomes: Mapping[str, Outcome] = {check.group: check.outcome for check in group_checks(evaluation, column)}
    return tuple(
        Group(level, dsm, row.mark, outcomes.get(f"{column}: {level}"))
        for row, record in zip(table.rows, records(table), strict=True)
        if row.mark != "overall" and isinstance(dsm := record["dsm"], Estimate) and dsm.defined
        for level in [str(record["level"])]
    )


def dsm_sentence(column: str, groups: tuple[Group, ...], levels: int = 2) -> str:
    """Return the range of the differences, and how many groups lie outside the limit."""
    if levels == 1:
        return f"All responses are of one group of {name(column)}: there is nothing to compare it with."
    if not groups:
        return f"For {name(column)} no difference of standardized means is defined."
    judged = [group for group in groups if group.outcome != "insufficient"] or list(groups)
    lowest, highest = (pick(judged, key=_value) for pick in (min, max))
    flagged = [name(group.level) for group in groups if group.outcome == "not met"]
    spread = (
        f"By {name(column)}, the difference of standardized means runs from {with_interval(lowest.dsm)} "
        f"({name(lowest.level)}) to {with_interval(highest.dsm)} ({name(highest.level)})"
    )
    if not flagged:
        return f"{spread}; no group lies outside the limit with its whole interval."
    some = listed(flagged) if len(flagged) <= 6 else many(len(flagged), "group")
    return f"{spread}; outside the limit with the whole interval: {some}."


def _value(group: Group) -> float:
    return group.dsm.value or 0.0


def dsm_chart(evaluation: Evaluation, column: str, most: int) -> tuple[Chart, ...]:
    """Return the differences as dots with intervals, ordered by size, the limits as lines.

    Shown are the `most` largest groups, those that the sentence names and all that are flagged; the caption counts
    the rest.
    """
    groups = groups_of(evaluation, column)
    flagged = sorted((group for group in groups if group.outcome == "not met"), key=lambda group: -abs(_value(group)))
    worst = {group.level for group in flagged[:MOST_FLAGGED]}
    named = ends([_value(group) for group in groups], [group.outcome != "insufficient" for group in groups])
    kept = [group for place, group in enumerate(groups) if place < most or place in named or group.level in worst]
    if not kept:
        return ()
    kept.sort(key=_value, reverse=True)
    labels = distinct(group.level for group in kept)
    return (
        Chart(
            key=f"by_group.{column}.chart",
            title=f"Engine mean minus human mean, standardized, by {name(column)}",
            alt=_alt(column, groups),
            x=Axis("Difference of standardized means"),
            y=Axis(name(column), categories=labels),
            layers=(Rule(0.0, "0", ink="muted"), *_limits(evaluation, column), _dots(labels, kept)),
            caption=_caption(least_size(evaluation, column), len(groups) - len(kept), kept),
        ),
    )


def _limits(evaluation: Evaluation, column: str) -> tuple[Rule, ...]:
    """Return the bounds of the criterion, as the checks have them."""
    checks = group_checks(evaluation, column)
    bounds = (checks[0].low, checks[0].high) if checks else ()
    return tuple(Rule(at, num(at, "difference")) for at in bounds if at is not None)


def _dots(labels: tuple[str, ...], groups: list[Group]) -> Dots:
    return dots_of(
        "difference of standardized means",
        labels,
        [group.dsm for group in groups],
        hollow=[group.mark == "insufficient" or group.outcome == "insufficient" for group in groups],
        flagged=[group.outcome == "not met" for group in groups],
    )


def _caption(least: int, left_out: int, kept: list[Group]) -> str:
    text = "Right of 0 the engine places the group higher than raters do, relative to all responses."
    if least and any(group.outcome == "insufficient" for group in kept):
        text += f" Hollow dots: fewer than {num(least)} responses."
    if left_out:
        text += f" {many(left_out, 'more group is', 'more groups are')} not drawn; the table's CSV has all."
    return text


def _alt(column: str, groups: tuple[Group, ...]) -> str:
    """Say how the groups lie, and name those outside the limit with their numbers."""
    flagged = sorted((group for group in groups if group.outcome == "not met"), key=lambda group: -abs(_value(group)))
    small = sum(group.outcome == "insufficient" for group in groups)
    if flagged:
        named = listed(f"{name(group.level, 40)} {with_interval(group.dsm)}" for group in flagged[:6])
        more = f", among them {named}" if len(flagged) > 6 else f": {named}"
        text = f"{len(flagged)} of {many(len(groups), 'group')} of {name(column)} lie outside the limit{more}."
    else:
        text = f"{dsm_sentence(column, groups)}"
    return f"{text} {small} have too few responses to be judged." if small else text
