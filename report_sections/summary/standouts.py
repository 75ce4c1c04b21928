"""What stands out, worst first; what could not be judged, and what would settle it."""

from __future__ import annotations

from report_sections.lookup import group_checks, has_second_human, number, records
from report_sections.words import bounds, capital, first_few, listed, many, mention, name, stated
from reportgen.numbers import fixed, num
from reportgen.results import Check, Evaluation, Highlight

MOST_GROUPS = 4
"""Groups named on the first page; the section on group differences has all."""

MOST_WARNINGS = 3
"""Warnings repeated on the first page; the section on the data has all."""


def highlights(evaluation: Evaluation, flag_share: float) -> tuple[Highlight, ...]:
    """Return what stands out: overall criteria, groups, score points, then warnings about the data."""
    overall = [check for check in evaluation.checks if not check.group and check.outcome == "not met"]
    return (
        *(Highlight(_sentence(check), check.target) for check in overall),
        *_group_highlights(evaluation),
        *_share_highlights(evaluation, flag_share),
        *_warnings(evaluation),
    )


def unknowns(evaluation: Evaluation) -> tuple[Highlight, ...]:
    """Return what could not be judged, each with what would settle it."""
    straddling = [check for check in evaluation.checks if not check.group and check.outcome == "not yet known"]
    return (
        *(Highlight(_undecided(check), check.target) for check in straddling),
        *_insufficient(evaluation),
        *_missing_raters(evaluation),
        *_open_groups(evaluation),
    )


def chance(evaluation: Evaluation) -> str:
    """Return how many group comparisons were made, and what chance alone does to so many."""
    checks = group_checks(evaluation)
    if not checks:
        return ""
    outcomes = [check.outcome for check in checks]
    text = (
        f"{many(len(checks), 'group')} compared: {outcomes.count('not met')} outside the limit ({bounds(checks[0])}) "
        f"with the whole interval, {outcomes.count('met')} inside, {outcomes.count('not yet known')} on both sides, "
        f"{outcomes.count('insufficient')} not judged."
    )
    if len(checks) > 1:
        level = 100 * checks[0].estimate.level
        text += (
            f" A {level:.0f} % interval misses its value {fixed(100 - level, 0)} times in 100, so among many groups "
            "some stray by chance: a flag is a reason to look, not a proof."
        )
    return text


def _sentence(check: Check) -> str:
    """Return the evaluation's own sentence on a check, or one made from its numbers."""
    found = stated(check.estimate, check.low, check.high)
    return check.sentence or f"{check.label} is {found}; asked is {bounds(check)}."


def _size(check: Check) -> float:
    return abs(check.estimate.value or 0.0)


def _group_highlights(evaluation: Evaluation) -> list[Highlight]:
    flagged = sorted((c for c in group_checks(evaluation) if c.outcome == "not met"), key=_size, reverse=True)
    named = [Highlight(_group_sentence(check), check.target) for check in flagged[:MOST_GROUPS]]
    if len(flagged) > MOST_GROUPS:
        rest = many(len(flagged) - MOST_GROUPS, "more group lies", "more groups lie")
        named.append(Highlight(f"{capital(rest)} outside the limit.", "group_differences"))
    return named


def _group_sentence(check: Check) -> str:
    """Say where the engine places a group; in our own words, since a group's name can be of any length."""
    direction = "higher" if (check.estimate.value or 0) > 0 else "lower"
    found = f"{check.abbreviation} {stated(check.estimate, check.low, check.high)}, n = {num(check.estimate.n)}"
    return f"{name(check.group, 45)}: the engine places this group {direction} than raters do ({found})."


def _share_highlights(evaluation: Evaluation, flag_share: float) -> list[Highlight]:
    """Name the score points that engine and raters give to clearly different shares of responses."""
    table = evaluation.tables.get("distribution")
    rows = records(table) if table else []
    found = [
        (str(row["score"]), difference)
        for row in rows
        if (difference := number(row["difference"])) is not None and abs(difference) > flag_share
    ]
    if not found:
        return []
    worst = sorted(found, key=lambda pair: -abs(pair[1]))
    said = first_few([f"{score} ({fixed(difference, 1, signed=True)})" for score, difference in worst], most=5)
    text = f"Engine and raters differ in their share of scores by more than {flag_share:g} percentage points at {said}."
    return [Highlight(text, "distribution")]


def _warnings(evaluation: Evaluation) -> list[Highlight]:
    """Repeat the first warnings about the data, and say when its scale was assumed."""
    texts = ["The score scale was not declared; it is read off the human scores."] if evaluation.scale.assumed else []
    texts += evaluation.warnings[:MOST_WARNINGS]
    if len(evaluation.warnings) > MOST_WARNINGS:
        texts.append(f"{many(len(evaluation.warnings) - MOST_WARNINGS, 'more warning')} about the data.")
    return [Highlight(text, "data") for text in texts]


def _undecided(check: Check) -> str:
    settle = (
        "more responses scored twice would settle it, because the rater error rests on them"
        if check.estimate.metric == "prmse"
        else "more responses would settle it: four times as many halve the interval"
    )
    return (
        f"{check.label}: {stated(check.estimate, check.low, check.high)} holds values on both sides of the limit "
        f"({bounds(check)}); {settle}."
    )


def _insufficient(evaluation: Evaluation) -> list[Highlight]:
    """Say which overall criteria have no answer, those with the same reason together."""
    by_reason: dict[str, list[Check]] = {}
    for check in evaluation.checks:
        if not check.group and check.outcome == "insufficient":
            too_few = f"{many(check.estimate.n, 'response')} are too few"
            by_reason.setdefault(check.estimate.reason or too_few, []).append(check)
    return [
        Highlight(
            f"{capital(listed(mention(check) for check in checks))} cannot be judged: {reason}.", checks[0].target
        )
        for reason, checks in by_reason.items()
    ]


def _missing_raters(evaluation: Evaluation) -> list[Highlight]:
    if has_second_human(evaluation) or "true_score.prmse" in evaluation.estimates:
        return []
    return [
        Highlight(
            "How well raters agree with each other, and how well the engine predicts the true score (PRMSE), cannot "
            "be known from one rater. A second human score on a random sample of at least 1,000 responses would "
            "settle it (500 may do where raters correlate above .65; Loukina et al., 2020).",
            "true_score_evaluation",
        )
    ]


def _open_groups(evaluation: Evaluation) -> list[Highlight]:
    if not evaluation.groups:
        return [
            Highlight(
                "Whether the engine treats groups alike cannot be known: the data names no group column.", "data"
            )
        ]
    checks = group_checks(evaluation)
    small = [name(c.group, 40) for c in checks if c.outcome == "insufficient" and c.estimate.defined]
    straddling = [name(check.group, 40) for check in checks if check.outcome == "not yet known"]
    found = []
    if straddling:
        text = f"{many(len(straddling), 'group')} may lie inside or outside the limit: {first_few(straddling)}."
        found.append(Highlight(f"{text} More responses of these groups would settle it.", "group_differences"))
    if small:
        verb = "has" if len(small) == 1 else "have"
        least = evaluation.facts.get("min_n_per_group")
        than = f"fewer than {num(least)}" if least else "too few"
        text = f"{many(len(small), 'group')} {verb} {than} responses and cannot be judged: {first_few(small)}."
        found.append(Highlight(text, "group_differences"))
    return found
