"""The conditions on raters, held against this data by intervals, and how many would fail by chance.

The sources name no number for "alike"; the margins are the section's options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from reportgen.results import Record
from reportgen.sections import Column, Estimate, Evaluation, Row, Table, Term
from reportgen.verdicts import judge

if TYPE_CHECKING:
    from report_sections.human_raters import HumanRaters

STATES = {"met": "met", "not met": "not_met", "not yet known": "undecided", "insufficient": "undecided"}
"""Outcome -> the state of a condition."""

Labelled = list[tuple[str, Estimate]]


@dataclass(frozen=True)
class Condition:
    """One condition: the comparison that lies farthest out, how many there are, its limit, and whether all hold.

    `state` is "met", "not_met", "undecided" or "not_needed".
    """

    key: str
    state: str
    limit: Term | None = None
    n: int | None = None
    where: str = ""
    found: Estimate | None = None


def conditions(evaluation: Evaluation, options: HumanRaters) -> tuple[Condition, ...]:
    """Return every condition with its state."""
    return (
        *conditions_on_pairs(evaluation, options.mean_margin, options.spread_ratio, options.agreement_margin),
        random_sample(evaluation, options.balance_margin),
        *_along_the_scale(evaluation, options),
        *_single_raters(evaluation, options.mean_margin),
        *_groups(evaluation, options.error_ratio),
    )


def conditions_on_pairs(evaluation: Evaluation, mean: float, ratio: float, agreement: float) -> tuple[Condition, ...]:
    """Compare means, spread, and agreement with the engine of every two raters; nothing where no two are compared."""
    pairs = evaluation.records("human_raters.pairs")
    if not pairs:
        return ()
    return (
        _difference("same_mean", _labelled(pairs, "pair", "smd"), mean, "limit.within_sds"),
        _ratio("same_spread", _labelled(pairs, "pair", "sd_ratio"), ratio),
        _difference("same_agreement", _labelled(pairs, "pair", "r_difference"), agreement, "limit.within"),
    )


def conditions_table(found: Sequence[Condition]) -> Table:
    """Return the conditions as a table, those that fail marked."""
    keys = ("condition", "where", "n", "found", "limit", "state")
    columns = tuple(Column(key, kind="count" if key == "n" else "number" if key == "found" else "text") for key in keys)
    rows = tuple(
        Row(
            (Term(f"condition.{each.key}"), each.where, each.n, each.found, each.limit, Term(f"state.{each.state}")),
            "flagged" if each.state == "not_met" else "",
        )
        for each in found
    )
    return Table("human_raters.conditions", "", columns, rows)


def _labelled(rows: Iterable[Record], label: str, key: str) -> Labelled:
    return [(str(row[label]), cell) for row in rows if isinstance(cell := row[key], Estimate)]


def _state(found: Iterable[Estimate], low: float | None, high: float | None) -> str:
    states = {STATES[judge(each, low, high)] if each.defined else "undecided" for each in found}
    return next(state for state in ("not_met", "undecided", "met") if state in states)


def _held(
    key: str, found: Labelled, low: float, high: float, limit: Term, distance: Callable[[float], float]
) -> Condition:
    """Return a condition on estimates, with the one that lies farthest out; undecided without any."""
    defined = [(label, each, each.value) for label, each in found if each.value is not None]
    if not defined:
        return Condition(key, "undecided", limit)
    label, worst, _ = max(defined, key=lambda each: distance(each[2]))
    return Condition(key, _state((each for _, each, _ in defined), low, high), limit, len(defined), label, worst)


def _difference(key: str, found: Labelled, margin: float, limit: str) -> Condition:
    return _held(key, found, -margin, margin, Term(limit, margin=margin), abs)


def _ratio(key: str, found: Labelled, most: float) -> Condition:
    """Return a condition on ratios, with the one farthest from 1."""
    between = Term("limit.between", low=round(1 / most, 10), high=most)
    positive = [(label, each) for label, each in found if each.value]
    return _held(key, positive, 1 / most, most, between, lambda value: max(value, 1 / value))


def random_sample(evaluation: Evaluation, margin: float) -> Condition:
    """Hold the responses scored more than once against the rest; a margin in standard deviations."""
    rows = evaluation.records("human_raters.double_scoring")
    if not rows:
        return Condition("random_sample", "not_needed")
    found = [
        (Term("of_what", what=row["what"], level=row["level"]) if row["level"] else row.text("what"), cell)
        for row in rows
        if isinstance(cell := row["difference"], Estimate)
    ]
    return _difference("random_sample", found, margin, "limit.within_sds")


def _along_the_scale(evaluation: Evaluation, options: HumanRaters) -> list[Condition]:
    """Hold rater errors along the engine's score against two limits: an arch has no trend."""
    trend, ratio = (evaluation.estimates.get(f"raters.error_variance_{key}") for key in ("trend", "ratio"))
    if trend is None or ratio is None:
        return []
    most, margin, bands = options.level_ratio, options.error_margin, bands_of(evaluation)
    picks = (("largest", max), ("smallest", min)) if bands else ()
    where = Term("largest_to_smallest", **{end: pick(bands, key=lambda band: band[1])[0] for end, pick in picks})
    at_most, within = Term("limit.at_most", most=most), Term("limit.within", margin=margin)
    return [
        Condition("even_levels", _state([ratio], None, most), at_most, 1, where, ratio),
        Condition("no_trend", _state([trend], -margin, margin), within, 1, Term("per_sd"), trend),
    ]


def _single_raters(evaluation: Evaluation, margin: float) -> list[Condition]:
    """Hold each rater's severity against the margin for means, in score points, where raters are told apart."""
    rows, spread = evaluation.records("human_raters.raters"), evaluation.estimates.get("system.h_sd")
    if not rows or spread is None or not spread.value:
        return []
    drawn = _labelled(rows, "rater", "expected")
    found = drawn if any(each.defined for _, each in drawn) else _labelled(rows, "rater", "severity")
    judged = [(label, each) for label, each in found if each.n >= evaluation.count("min_n_per_group")]
    return [_difference("same_severity", judged, margin * spread.value, "limit.within_points")] if judged else []


def _groups(evaluation: Evaluation, most: float) -> list[Condition]:
    whole, least = evaluation.estimates.get("true_score.error_variance"), evaluation.count("min_n_per_group")
    if whole is None or not whole.value:
        return []
    found: Labelled = [
        (Term("of_what", what=column, level=str(row["level"])), each)
        for column in evaluation.groups
        for row in evaluation.records(f"human_raters.error_variance.by.{column}")
        if (each := row.estimate("variance")) and each.n >= least
    ]
    if not found:
        return []
    low, high = whole.value / most, whole.value * most
    between = Term("limit.between", low=low, high=high)
    return [
        _held("even_groups", found, low, high, between, lambda each: max((each or low) / low, high / (each or high)))
    ]


def chance(evaluation: Evaluation) -> dict[str, Any]:
    """Return how many comparisons there are, how many would exclude no difference by chance, and how many do."""
    pairs = evaluation.records("human_raters.pairs")
    differences = [
        *(each for key in ("smd", "r_difference") for _, each in _labelled(pairs, "pair", key)),
        *(each for _, each in _labelled(evaluation.records("human_raters.double_scoring"), "what", "difference")),
    ]
    trend = evaluation.estimates.get("raters.error_variance_trend")
    differences += [trend] if trend is not None else []
    compared = [(each, 0.0) for each in differences]
    compared += [(each, 1.0) for _, each in _labelled(pairs, "pair", "sd_ratio")]
    excluded = [each.apart(equal, equal) for each, equal in compared if each.low is not None and each.high is not None]
    level = float(evaluation.facts.get("confidence_level") or 0.95)
    n = len(excluded)
    return {"n": n, "expected": n * (1 - level), "found": sum(excluded)} if n > 1 else {}


Shape = Literal["", "ends_of_scale_smaller", "outer_smaller", "outer_larger"]


def shape_along_the_scale(evaluation: Evaluation) -> Shape:
    """Return whether both outer bands are smaller, or larger, than all between them, where bands differ at all."""
    ratio = evaluation.estimates.get("raters.error_variance_ratio")
    bands = bands_of(evaluation)
    if ratio is None or ratio.low is None or ratio.low <= 1 or len(bands) < 4:
        return ""
    values = [value for _, value in bands]
    outer, inner = (values[0], values[-1]), values[1:-1]
    ends = {f"{end:g}" for end in (evaluation.scale.low, evaluation.scale.high)}
    if max(outer) < min(inner):
        return "ends_of_scale_smaller" if ends == {bands[0][0], bands[-1][0]} else "outer_smaller"
    return "outer_larger" if min(outer) > max(inner) else ""


def bands_of(evaluation: Evaluation) -> list[tuple[str, float]]:
    """Return the error variance of every band that is large enough to be judged."""
    return [
        (str(row["band"]), value)
        for row in evaluation.records("human_raters.error_variance")
        if row.mark != "insufficient" and (value := row.number("variance")) is not None
    ]
