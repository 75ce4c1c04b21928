"""Differences given the true score: what they are, which could be seen, and what one human score makes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from report_sections.groups import MOST_FLAGGED, ends
from report_sections.lookup import fact, number, records, with_columns
from report_sections.pictures import dots_of
from report_sections.words import distinct, first_few, name
from reportgen.results import Estimate, Evaluation, Mark, Table
from reportgen.sections import Axis, Chart, Rule
from reportgen.wording.numbers import fixed, many, num, with_interval

UNSEEN = "would probably not be seen"

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


def table_of(evaluation: Evaluation, column: str, *, others: bool = False) -> Table | None:
    """Return the table of a column, against the reference group or against all other responses."""
    table = evaluation.tables.get(f"fairness.given_true_score.{column}")
    if table is None:
        return None
    if not others:
        return table
    shown = ("level", "n", "from_others")
    table = replace(table, columns=tuple(replace(each, shown=True) for each in table.columns))
    caption = (
        f"Engine score given the true score by {column}: difference from all other responses (SD: of human scores)"
    )
    return replace(with_columns(table, shown), caption=caption)


def groups_given(table: Table | None, *, others: bool = False) -> tuple[Given, ...]:
    """Return the groups that have a difference, largest first; the reference differs from others only."""
    found = []
    for row, record in zip(table.rows, records(table), strict=True) if table else ():
        difference, rater_error = record["from_others" if others else "standardized"], record["rater_error"]
        if isinstance(difference, Estimate) and difference.defined:
            found.append(
                Given(
                    str(record["level"]), int(number(record["n"]) or 0), number(record["gap"]) or 0.0, difference,
                    number(record["detectable"]), rater_error if isinstance(rater_error, Estimate) else None, row.mark,
                )
            )  # fmt: skip
    return tuple(found)


def reference_of(table: Table | None) -> str:
    """Return the name of the reference group."""
    return next((str(row.cells[0]) for row in table.rows if row.mark == "reference"), "") if table else ""


def difference_sentences(evaluation: Evaluation, column: str, *, others: bool = False) -> str:
    """Say how groups differ at equal true score, and how small a difference could have been seen."""
    table = table_of(evaluation, column, others=others)
    if table is None:
        why = (evaluation.facts.get("no_difference_given_true_score") or {}).get(column)
        return _not_available(why) if why else ""
    groups = groups_given(table, others=others)
    judged = [group for group in groups if group.mark != "insufficient"]
    if not judged:
        return f"At equal true score no group of {name(column)} has enough responses to be compared."
    base = "all other responses" if others else name(reference_of(table))
    lowest, highest = (pick(judged, key=_value) for pick in (min, max))
    subject = f"{name(lowest.level)} differs"
    said = with_interval(lowest.difference)
    if highest is not lowest:
        subject = f"groups of {name(column)} differ"
        said = f"{said} ({name(lowest.level)}) to {with_interval(highest.difference)} ({name(highest.level)})"
    limit = _limit(evaluation)
    flagged = [name(group.level) for group in judged if abs(_nearest(group.difference)) > limit]
    outside = f"outside {num(limit, 'coefficient')} with the whole interval: {first_few(flagged)}"
    tail = outside if flagged else f"no group lies outside {num(limit, 'coefficient')} with its whole interval"
    text = f"At equal true score, {subject} from {base} by {said} standard deviations of human scores; {tail}."
    return text if others else f"{text} {_seen(judged, limit)}".rstrip()


def _not_available(why: str) -> str:
    """Say that there is no difference given the true score, and what would give it."""
    mend = (
        "; a second rating of some responses, or the setting rater_error_variance, would give them"
        if why.startswith("no response has two")
        else ""
    )
    return f"Differences at equal true score are not available: {why}{mend}."


def _seen(judged: list[Given], limit: float) -> str:
    """Say how small a difference could have been seen."""
    known = [(group.detectable, group) for group in judged if group.detectable is not None]
    if not known:
        return ""
    worst, group = max(known, key=lambda pair: pair[0])
    least = f"a difference smaller than {num(worst, 'coefficient')} {UNSEEN}"
    text = f"With n = {num(group.n)} {least} for {name(group.level)}"
    blind = sum(least > limit for least, _ in known)
    if not blind or len(known) == 1:
        return f"{text}."
    return f"{text}; differences as small as the limit {UNSEEN} in {num(blind)} of {many(len(known), 'group')}."


def _share(alone: Estimate, found: Estimate) -> str:
    """Say what rater error makes of a difference; it may make more, or the opposite, of what there is."""
    whole, part = found.value or 0.0, alone.value or 0.0
    if abs(part) > abs(whole) or part * whole < 0:
        return f"a difference of {num(alone)} points; found are {with_interval(found)} points"
    return f"{num(alone)} points of the difference of {with_interval(found)} points"


def rater_error_sentence(evaluation: Evaluation, column: str) -> str:
    """Say how much of a difference at equal human score is what rater error alone produces."""
    csd, table = evaluation.tables.get(f"fairness.csd.{column}"), table_of(evaluation, column)
    observed = {str(record["level"]): record["estimate"] for record in records(csd)} if csd else {}
    both = [
        (group, rater_error, found)
        for group in groups_given(table)
        if group.mark != "insufficient" and (rater_error := group.rater_error) is not None
        if isinstance(found := observed.get(group.level), Estimate) and found.defined
    ]
    if not both:
        return ""
    group, alone, found = max(both, key=lambda each: abs(each[1].value or 0.0))
    matters = [each for each in both if _matters(each[1], each[2])]
    if not any(_nearest(each[1]) for each in both):
        return (
            "At equal human score rater error alone makes no clear difference here, because mean human scores differ "
            f"little: at most {num(alone)} points ({name(group.level)})."
        )
    if not matters:
        return (
            f"At equal human score rater error alone makes little of the differences: at most {num(alone)} points "
            f"({name(group.level)}), where {with_interval(found)} points are found."
        )
    group, alone, found = max(matters, key=lambda each: abs(each[1].value or 0.0))
    side = "lower" if group.gap < 0 else "higher"
    text = (
        f"Holding one human score fixed mistakes rater error for bias: {name(group.level)} has a mean human score "
        f"{fixed(abs(group.gap), 2)} {side} than {name(reference_of(table))}, and at equal human score rater error "
        f"alone makes {_share(alone, found)}"
    )
    apart = [each for each in both if _nearest(each[2])]
    alarms = sum(not _nearest(group.difference) for group, _, _ in apart)
    if not apart or not alarms:
        return f"{text}."
    of = f"{num(len(apart))} groups that differ" if len(apart) > 1 else "the one group that differs"
    does = "does" if alarms == 1 else "do"
    which = f"{num(alarms)} of {of}" if len(apart) > 1 else of
    return f"{text}; {which} at equal human score {does} not differ at equal true score (intervals against 0)."


def _matters(alone: Estimate, found: Estimate) -> bool:
    """Return whether rater error surely makes a part of a difference that can be seen in it."""
    part, whole = alone.value or 0.0, found.value or 0.0
    visible = num(alone).strip("+−") != num(0.0, alone.kind)
    return visible and abs(part) >= LEAST_PART * abs(whole) and bool(_nearest(alone))


def _limit(evaluation: Evaluation) -> float:
    return float(evaluation.facts.get("limit_given_true_score") or 0.0)


def _nearest(estimate: Estimate) -> float:
    """Return the end of an interval nearest 0; 0 when it holds 0 or there is none."""
    if estimate.low is None or estimate.high is None or estimate.low <= 0 <= estimate.high:
        return 0.0
    return min(estimate.low, estimate.high, key=abs)


def _value(group: Given) -> float:
    return group.difference.value or 0.0


def difference_chart(evaluation: Evaluation, column: str, most: int, *, others: bool = False) -> tuple[Chart, ...]:
    """Return the differences as dots with intervals, ordered by size, the limits as lines."""
    table = table_of(evaluation, column, others=others)
    groups = groups_given(table, others=others)
    flagged = sorted((group for group in groups if group.mark == "flagged"), key=lambda group: -abs(_value(group)))
    worst = {group.level for group in flagged[:MOST_FLAGGED]}
    named = ends([_value(group) for group in groups], [group.mark != "insufficient" for group in groups])
    kept = [group for place, group in enumerate(groups) if place < most or place in named or group.level in worst]
    if not kept:
        return ()
    kept.sort(key=_value, reverse=True)
    labels = distinct(group.level for group in kept)
    limit, base = _limit(evaluation), "all others" if others else name(reference_of(table))
    left_out = len(groups) - len(kept)
    caption = "Right of 0 the engine scores the group higher than equal true scores deserve."
    if any(group.mark == "insufficient" for group in kept):
        caption += f" Hollow dots: fewer than {num(fact(evaluation, 'min_n_per_group'))} responses."
    if left_out:
        caption += f" {many(left_out, 'group is', 'groups are')} not drawn; the table's CSV has all."
    return (
        Chart(
            key=f"fairness.given_true_score.{column}.chart",
            title=f"Engine score given the true score: groups of {name(column)} against {base}",
            alt=difference_sentences(evaluation, column, others=others),
            x=Axis("Difference given the true score, SD"),
            y=Axis(name(column), categories=labels),
            layers=(
                Rule(0.0, "0", ink="muted"),
                *(Rule(at, num(at, "difference")) for at in (-limit, limit)),
                dots_of(
                    "difference given the true score",
                    labels,
                    [group.difference for group in kept],
                    n=[group.n for group in kept],
                    hollow=[group.mark == "insufficient" for group in kept],
                    flagged=[group.mark != "insufficient" and abs(_nearest(group.difference)) > limit
                             for group in kept],
                ),
            ),
            caption=caption,
        ),
    )  # fmt: skip
