"""Paragraphs on reliability, on constant severity, and on single raters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from report_sections.lookup import estimate_of, records
from report_sections.words import first_few, name, stated
from reportgen.results import Estimate
from reportgen.sections import Evaluation
from reportgen.wording.numbers import many, num, with_interval

HARDLY = 0.005
"""PRMSE that differs by less is said to be hardly changed."""


def reliability_paragraphs(evaluation: Evaluation) -> list[str]:
    """Say how reliable one rating and the mean of two are, and what one more would add."""
    texts = []
    table = evaluation.tables.get("reliability.more_ratings")
    rows = records(table)[:3] if table else []
    found = [(row["generalizability"], row["gain"]) for row in rows]
    if len(found) == 3 and all(isinstance(value, Estimate) and value.defined for value, _ in found):
        one, two, three = found
        texts.append(
            f"The reliability of one rating is {stated_cell(one[0])}, of the mean of two {stated_cell(two[0])}: the "
            f"second adds {stated_cell(two[1])}. A third would add {stated_cell(three[1])}. This is E ρ² from the "
            f"variance components of {_resting_on(evaluation)}."
        )
    elif table is None:
        texts.append(f"Variance components are not known: {_why_unknown(evaluation)}.")
    return [*texts, *_intraclass(evaluation)]


def _why_unknown(evaluation: Evaluation) -> str:
    """Say why there are no variance components."""
    facts = evaluation.facts.get("rater_ids")
    many_raters = isinstance(facts, Mapping) and not facts.get("raters")
    known = str(facts.get("reason") or "") if many_raters and isinstance(facts, Mapping) else ""
    return known or "the ratings do not link the raters, or leave none to spare for error"


def _resting_on(evaluation: Evaluation) -> str:
    """Say which responses and raters the variance components rest on."""
    facts = evaluation.facts.get("components")
    if not isinstance(facts, Mapping):
        return "all ratings"
    raters = many(
        int(facts["raters"]), *(("named rater",) if facts["named"] else ("column of ratings", "columns of ratings"))
    )
    return f"all {many(int(facts['n']), 'response')} by {raters}, severity not counted against it"


def _intraclass(evaluation: Evaluation) -> list[str]:
    """Say the intraclass correlation of one rating, and why it is another number than the reliability."""
    found = estimate_of(evaluation, "reliability.icc_a1")
    if found is not None:
        what = "ICC(A,1), which counts differences between columns against the ratings"
    else:
        found, what = estimate_of(evaluation, "reliability.icc_1"), "ICC(1), which counts severity against the ratings"
    if found is None or not found.defined:
        return []
    on = f"on the {many(found.n, 'response')} with every column of ratings"
    return [f"{what}, is another number: {with_interval(found)} {on}."]


def _subject(evaluation: Evaluation) -> str:
    """Return who may be severe, as a sentence begins: a rater by name, or a column."""
    facts = evaluation.facts.get("components")
    return "A rater who is" if isinstance(facts, Mapping) and facts["named"] else "A column of ratings that is"


def stated_cell(cell: object) -> str:
    """Return an estimate in a cell as words."""
    return stated(cell) if isinstance(cell, Estimate) else "unknown"


def _rise(rise: Estimate) -> str:
    """Say by how much PRMSE is higher when severity counts as error, or that it hardly is."""
    if rise.value is not None and abs(rise.value) < HARDLY:
        return f"is hardly changed by it ({with_interval(rise)})"
    return f"is higher for it by {with_interval(rise)}"


def severity_paragraph(evaluation: Evaluation) -> str:
    """Say what constant severity does to error variance and PRMSE."""
    table = evaluation.tables.get("human_raters.severity")
    rise = estimate_of(evaluation, "raters.prmse_rise_by_severity")
    if table is None or rise is None:
        return ""
    counted, left_out = records(table)
    accuracy = f"; PRMSE, {num(counted['prmse'])}, {_rise(rise)}" if rise.defined else ""
    return (
        f"{_subject(evaluation)} always more severe than another counts as rater error, although "
        "nothing about it is random: half the squared difference of two means. Rater error variance is "
        f"{stated_cell(counted['variance'])} with it and {stated_cell(left_out['variance'])} without{accuracy}."
    )


def rater_paragraphs(evaluation: Evaluation) -> list[str]:
    """Say how much raters differ, and who stands out, where ratings say who gave them."""
    facts = evaluation.facts.get("rater_ids")
    if not isinstance(facts, Mapping):
        return []
    table = evaluation.tables.get("human_raters.raters")
    if table is None:
        return [f"Single raters are not shown: {facts.get('reason') or 'no rating is left'}."]
    rows = records(table)
    texts = [_spread(facts)]
    drawn = [(str(row["rater"]), cell) for row in rows if isinstance(cell := row["expected"], Estimate)]
    texts.append(_outstanding(drawn, "severity", "lenient", "severe"))
    drift = [(str(row["rater"]), cell) for row in rows if isinstance(cell := row.get("drift"), Estimate)]
    if drift:
        texts.append(_outstanding(drift, "drift over time", "growing lenient", "growing severe"))
        texts.append(
            "Drift is relative to the other raters of the same responses: a drift of all together does not show. "
            f"{many(len(drift), 'rater')} were tested; about one in twenty would stand out by chance."
        )
    return [text for text in texts if text]


def _spread(facts: Mapping[str, Any]) -> str:
    """Say how many raters there are and how much they differ."""
    raters, alone, parts = (int(facts.get(key) or 0) for key in ("raters", "alone", "parts"))
    text = f"{many(raters, 'rater')} gave the scores"
    if alone:
        text += f"; {many(alone, 'shares', 'share')} no response with another, and nothing is known of their severity"
    spread, error = facts.get("spread"), facts.get("error_variance")
    if spread is not None and error is not None:
        text += _spread_of_severities(facts) + (
            f"; the errors of single ratings have one of {num(float(error) ** 0.5, 'score')}. Where responses go to "
            "raters at random, differences in severity are random too, and part of rater error"
        )
    elif facts.get("reason"):
        text += f"; severities are shown as found ({facts['reason']})"
    if parts > 1:
        text += (
            f". They fall into {num(parts)} sets that no shared response links: compare severities within a set only"
        )
    return f"{text}."


def _spread_of_severities(facts: Mapping[str, Any]) -> str:
    """Say the SD of severities in the population of raters, and of those found."""
    low, high, found = (facts.get(key) for key in ("spread_low", "spread_high", "spread_found"))
    low, high = (None if end is None else float(end) for end in (low, high))
    spread = Estimate("spread", float(facts["spread"]), 0, low, high, kind="score")
    text = (
        ". Among raters like these, severity has an estimated standard deviation of "
        f"{with_interval(spread)} score points (by empirical Bayes, which keeps "
        "it above 0 and so leans upward where raters are few)"
    )
    return text if found is None else f"{text}; the severities as found have one of {num(float(found), 'score')}"


def _outstanding(found: list[tuple[str, Estimate]], what: str, above: str, below: str) -> str:
    """Name the raters whose whole interval lies on one side of 0."""
    known = [(label, each) for label, each in found if each.low is not None and each.high is not None]
    if not known:
        return ""
    out = [(label, each) for label, each in known if (each.low or 0.0) > 0 or (each.high or 0.0) < 0]
    if not out:
        return f"No rater's interval of {what} excludes 0."
    out.sort(key=lambda pair: -abs(pair[1].value or 0.0))
    named = first_few(
        [f"{name(label)} {with_interval(each)} ({above if (each.value or 0.0) > 0 else below})" for label, each in out],
        most=4,
    )
    return f"The interval of {what} excludes 0 for {len(out)} of {many(len(known), 'rater')}: {named}."
