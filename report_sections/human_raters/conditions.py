"""The conditions on raters, held against this data by intervals, and how many would fail by chance.

The sources name no number for "alike"; the margins are the section's options.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from report_sections.human_raters.levels import along_the_scale
from report_sections.lookup import records
from report_sections.words import name, stated
from reportgen.results import Estimate, Outcome
from reportgen.sections import Column, Evaluation, Row, Table
from reportgen.verdicts import judge
from reportgen.wording.numbers import coverage, fixed, many

if TYPE_CHECKING:
    from report_sections.human_raters import HumanRaters

EVERYTHING = "every response was scored more than once"
NOT_NEEDED = "not needed"


@dataclass(frozen=True)
class Condition:
    """One condition, what the data shows, and whether it holds."""

    text: str
    shown: str
    state: Outcome | str


def conditions(evaluation: Evaluation, options: HumanRaters) -> tuple[Condition, ...]:
    """Return every condition with its state."""
    pairs = evaluation.tables["human_raters.pairs"]
    spread = (1 / options.spread_ratio, options.spread_ratio)
    found = [
        _worst("Raters have the same mean", _labelled(pairs, "pair", "smd"), options.mean_margin, "in SDs"),
        _worst_ratio("Raters spread their scores alike", _labelled(pairs, "pair", "sd_ratio"), spread, "ratio of SDs"),
        _worst(
            "Raters agree alike with the engine", _labelled(pairs, "pair", "r_difference"), options.agreement_margin,
            "difference of r",
        ),
        _random(evaluation, options),
    ]  # fmt: skip
    along = along_the_scale(evaluation, options.error_margin, options.level_ratio)
    if along is not None:
        found.append(Condition("Rater errors are as large at every level", along.shown, _together(along.outcomes)))
    return (*found, *_single_raters(evaluation, options.mean_margin), *_groups(evaluation, options.error_ratio))


def conditions_table(found: Sequence[Condition], options: HumanRaters) -> Table:
    """Return the conditions as a table, those that do not hold marked."""
    columns = (Column("condition", "Condition"), Column("shown", "In this data"), Column("state", "State"))
    rows = tuple(
        Row((each.text, each.shown, each.state), "flagged" if each.state == "not met" else "") for each in found
    )
    notes = (
        f"Conditions: Loukina et al. (2020), sections 6 and 7, who name no number for “similar”. Margins: "
        f"{options.mean_margin:g} standard deviations for means and for single raters' severity, "
        f"a ratio of {options.spread_ratio:g} for standard deviations, {options.agreement_margin:g} for correlations, "
        f"{options.balance_margin:g} standard deviations between responses scored again and the rest, "
        f"{100 * options.error_margin:g} % of error variance per standard deviation of the engine's score, "
        f"a ratio of {options.level_ratio:g} between the largest and the smallest band of it (the standard error of a "
        f"rating is then {options.level_ratio**0.5:.2f} times as large), "
        f"a ratio of {options.error_ratio:g} for error variance in groups. A "
        "condition is met when the whole interval lies within its margin; of several comparisons the one farthest out "
        "is shown.",
    )
    return Table("human_raters.conditions", "Conditions for trusting the raters' scores", columns, rows, notes)


def _labelled(table: Table | None, label: str, key: str) -> list[tuple[str, Estimate]]:
    """Return the estimates of one column with the names of their rows."""
    rows = records(table) if table is not None else []
    return [(str(row[label]), cell) for row in rows if isinstance(cell := row[key], Estimate)]


def _outcome(estimate: Estimate, low: float, high: float) -> Outcome:
    """Return the outcome of one comparison; without a value it is not yet known."""
    return judge(estimate, low, high) if estimate.defined else "not yet known"


def _together(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the state of a condition on several comparisons: one failure is enough."""
    states = set(outcomes)
    for state in ("not met", "not yet known", "insufficient"):
        if state in states:
            return "not met" if state == "not met" else "not yet known"
    return "met"


def _worst(text: str, found: list[tuple[str, Estimate]], margin: float, unit: str) -> Condition:
    """Return a condition on differences, with the largest."""
    defined = [(label, each) for label, each in found if each.defined]
    if not defined:
        return Condition(text, "not defined", "not yet known")
    label, worst = max(defined, key=lambda pair: abs(pair[1].value or 0.0))
    shown = f"{unit}, {name(label)}: {stated(worst, -margin, margin)}{_among(len(defined))}"
    return Condition(text, shown, _together(_outcome(each, -margin, margin) for _, each in defined))


def _worst_ratio(text: str, found: list[tuple[str, Estimate]], span: tuple[float, float], unit: str) -> Condition:
    """Return a condition on ratios, with the one farthest from 1."""
    defined = [(label, each) for label, each in found if each.value]
    if not defined:
        return Condition(text, "not defined", "not yet known")
    label, worst = max(defined, key=lambda pair: max(pair[1].value or 1.0, 1 / (pair[1].value or 1.0)))
    shown = f"{unit}, {name(label)}: {stated(worst, *span)}{_among(len(defined))}"
    return Condition(text, shown, _together(_outcome(each, *span) for _, each in defined))


def _among(n: int) -> str:
    return f" (farthest of {n})" if n > 1 else ""


def _random(evaluation: Evaluation, options: HumanRaters) -> Condition:
    """Hold the responses scored more than once against the rest."""
    text = "Responses scored again are like the rest"
    table = evaluation.tables.get("human_raters.double_scoring")
    if table is None:
        return Condition(text, EVERYTHING, NOT_NEEDED)
    found = [
        (f"{row['what']}: {row['level']}" if row["level"] else str(row["what"]), cell)
        for row in records(table)
        if isinstance(cell := row["difference"], Estimate)
    ]
    return _worst(text, found, options.balance_margin, "in SDs")


def _single_raters(evaluation: Evaluation, margin: float) -> list[Condition]:
    """Hold each rater's severity against the margin for means, in score points, where raters are told apart."""
    table, spread = evaluation.tables.get("human_raters.raters"), evaluation.estimates.get("system.h_sd")
    least = int(evaluation.facts.get("min_n_per_group") or 0)
    if table is None or spread is None or not spread.value:
        return []
    drawn = _labelled(table, "rater", "expected")
    found = drawn if any(each.defined for _, each in drawn) else _labelled(table, "rater", "severity")
    judged = [(label, each) for label, each in found if each.n >= least]
    return [_worst("Single raters are equally severe", judged, margin * spread.value, "score points")] if judged else []


def _groups(evaluation: Evaluation, ratio: float) -> list[Condition]:
    """Hold rater error variance of groups against that of all, group columns together."""
    whole = evaluation.estimates.get("true_score.error_variance")
    least = int(evaluation.facts.get("min_n_per_group") or 0)
    if whole is None or not whole.value:
        return []
    found = [
        (f"{column}: {level}", each)
        for column in evaluation.groups
        for level, each in _labelled(
            evaluation.tables.get(f"human_raters.error_variance.by.{column}"), "level", "variance"
        )
        if each.n >= least and each.value is not None
    ]
    if not found:
        return []
    low, high = whole.value / ratio, whole.value * ratio
    label, worst = max(found, key=lambda pair: max((pair[1].value or low) / low, high / (pair[1].value or high)))
    shown = f"{name(label)}: {stated(worst)}, all responses {stated(whole)}{_among(len(found))}"
    outcome = _together(_outcome(each, low, high) for _, each in found)
    return [Condition("Rater errors are as large in every group", shown, outcome)]


def chance_sentence(evaluation: Evaluation) -> str:
    """Say how many comparisons there are, and how many would exclude no difference by chance."""
    pairs = evaluation.tables.get("human_raters.pairs")
    differences = [
        *(each for key in ("smd", "r_difference") for _, each in _labelled(pairs, "pair", key)),
        *(each for _, each in _labelled(evaluation.tables.get("human_raters.double_scoring"), "what", "difference")),
    ]
    trend = evaluation.estimates.get("raters.error_variance_trend")
    differences += [trend] if trend is not None else []
    excluded = [_excludes(each, 0.0) for each in differences]
    excluded += [_excludes(each, 1.0) for _, each in _labelled(pairs, "pair", "sd_ratio")]
    known = [each for each in excluded if each is not None]
    level = float(evaluation.facts.get("confidence_level") or 0.95)
    if len(known) < 2:
        return ""
    expected = len(known) * (1 - level)
    found = sum(known)
    return (
        f"These are {many(len(known), 'comparison')} with {coverage(level)} % intervals; did nothing differ, about "
        f"{fixed(expected, 1)} of them would exclude equality by chance. Here {found} {'does' if found == 1 else 'do'}."
    )


def _excludes(estimate: Estimate, equal: float) -> bool | None:
    """Return whether an interval leaves out equality; None without an interval."""
    if estimate.low is None or estimate.high is None:
        return None
    return estimate.low > equal or estimate.high < equal
