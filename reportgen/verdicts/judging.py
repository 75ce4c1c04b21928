"""The one rule of judgement: how an estimate stands against bounds, by its whole interval unless told otherwise."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from reportgen.metrics import METRICS
from reportgen.metrics.many_groups import holm, simultaneous_end, tail_probability
from reportgen.metrics.true_score import CEILING_OPEN
from reportgen.results import Basis, Check, Decision, Doubt, Estimate, Outcome, Term
from reportgen.verdicts.assurance import FEWEST, Beside
from reportgen.wording.vocabulary import english


def judge(
    estimate: Estimate,
    low: float | None,
    high: float | None,
    min_n: int = 0,
    *,
    strict: bool = False,
    by: Basis = "interval",
) -> Outcome:
    """Return the outcome: all of the interval inside the bounds, all of it outside, or across a bound.

    min_n: Fewer responses than this are not judged.
    strict: Whether a value right at a bound lies outside.
    by: What is held against the bounds: the whole interval, the estimate, or one end of the interval.

    Examples
    --------
    >>> judge(Estimate("qwk", 0.75, 500, 0.72, 0.78), 0.70, None)
    'met'
    >>> judge(Estimate("qwk", 0.71, 500, 0.66, 0.75), 0.70, None)
    'not yet known'
    >>> judge(Estimate("qwk", 0.71, 500, 0.66, 0.75), 0.70, None, by="estimate")
    'met'
    >>> judge(Estimate("smd", 0.30, 500, 0.21, 0.39), -0.15, 0.15)
    'not met'
    >>> judge(Estimate("dsm", 0.30, 6, 0.21, 0.39), -0.10, 0.10, min_n=10)
    'insufficient'

    "At least .70" holds at .70, "less than .15" does not hold at .15:

    >>> judge(Estimate("qwk", 0.74, 500, 0.70, 0.78), 0.70, None)
    'met'
    >>> judge(Estimate("smd", 0.19, 500, 0.15, 0.23), -0.15, 0.15, strict=True)
    'not met'
    """
    if estimate.value is None or estimate.n < min_n:
        return "insufficient"
    ends = _ends(estimate, by)
    if ends is None:
        return "not yet known"
    if all(_inside(end, low, high, strict) for end in ends):
        return "met"
    inside = _inside(ends[1], low, None, strict) and _inside(ends[0], None, high, strict)
    return "not yet known" if inside else "not met"


def _ends(estimate: Estimate, by: Basis) -> tuple[float, float] | None:
    """Return the lowest and highest value that is held against the bounds; None where there is no interval."""
    if by == "estimate" and estimate.value is not None:
        return estimate.value, estimate.value
    if estimate.low is None or estimate.high is None:
        return None
    return (estimate.high if by == "upper" else estimate.low), (estimate.low if by == "lower" else estimate.high)


def _inside(value: float, low: float | None, high: float | None, strict: bool) -> bool:
    if strict:
        return (low is None or value > low) and (high is None or value < high)
    return (low is None or value >= low) and (high is None or value <= high)


def decision_of(checks: Sequence[Check]) -> Decision:
    """Return what criteria say together.

    One that is not met speaks against deployment; only when every one is met they speak for it.  Where no engine could
    meet one with these raters, the raters must change first; else more ratings are asked for, where what is open waits
    for them.
    """
    outcomes = {check.outcome for check in checks}
    if "not met" in outcomes:
        return "do not deploy"
    if outcomes == {"met"}:
        return "deploy"
    if "out of reach" in outcomes:
        return "out of reach with these raters"
    if any(check.outcome == "not yet known" or check.waits_for or check.withheld for check in checks):
        return "collect more ratings"
    return "cannot be judged"


CEILING = "attainable.true_r"
"""What true scores correlate with the human score: no engine reaches more in correlation or QWK."""

BEST = {"system.qwk": 1, "system.r": 1, "system.r_squared": 2}
"""Statistics whose best value follows from the ceiling, and the power of it that it is.

Of exact agreement and kappa the best value is not known without supposing how errors are distributed.
"""

NOISE = 1e-9
"""A value is not beyond its range by less."""


def best_in_reach(statistic: str, beside: Beside) -> Estimate | None:
    """Return what an engine without any error would reach in a statistic with these raters; None where not known."""
    power, found = BEST.get(statistic), beside(CEILING)
    if power is None or found is None:
        return None
    found = found if found.defined or found.reason == CEILING_OPEN else _at_most(found, beside)
    if found.value is None or power == 1:
        return found
    low, high = (None if end is None else end**power for end in (found.low, found.high))
    return replace(found, value=found.value**power, low=low, high=high, standard_error=None)


def _at_most(ceiling: Estimate, beside: Beside) -> Estimate:
    """Return the ceiling where raters share nothing by the estimate: 0, and what the interval of var T still allows."""
    true, spread = beside("true_score.true_variance"), beside("system.h_sd")
    if not (true and spread and true.value is not None and true.high is not None and spread.value):
        return ceiling
    high = math.sqrt(max(true.high, 0.0)) / spread.value
    return replace(ceiling, value=0.0, low=0.0, high=high, method=true.method, reason="")


def in_reach(outcome: Outcome, low: float | None, best: Estimate | None, estimate: Estimate) -> tuple[Outcome, Doubt]:
    """Return the outcome of a requirement in view of what is attainable, and whether that itself is in doubt.

    A requirement that an engine without error would surely fail is *out of reach*, unless this engine would also fail
    it with raters without error: its whole interval, relative to what is attainable, is below the limit.  If it is
    open whether an engine without error would fail, the outcome is that of the interval, and only the ceiling is open.

    Examples
    --------
    >>> engine = Estimate("qwk", 0.55, 900, 0.50, 0.60)
    >>> in_reach("not met", 0.70, Estimate("true_r", 0.62, 400, 0.57, 0.67), engine)
    ('out of reach', '')
    >>> in_reach("not met", 0.70, Estimate("true_r", 0.62, 400, 0.57, 0.67), Estimate("qwk", 0.1, 900, 0.0, 0.2))
    ('not met', '')
    >>> in_reach("not met", 0.70, Estimate("true_r", 0.68, 400, 0.62, 0.74), engine)
    ('not met', 'ceiling')
    """
    if low is None or best is None or outcome not in ("not met", "not yet known"):
        return outcome, ""
    if best.low is None or best.high is None or best.n < FEWEST:
        return outcome, ""
    if best.high < low:
        own = outcome == "not met" and estimate.high is not None and estimate.high < low * best.low
        return ("not met" if own else "out of reach"), ""
    return outcome, "ceiling" if outcome == "not met" and best.low < low else ""


def impossible(estimate: Estimate) -> bool:
    """Return whether a value lies above what the quantity itself can be, as a PRMSE above 1 does.

    Examples
    --------
    >>> impossible(Estimate("prmse", 1.04, 60)), impossible(Estimate("prmse", 0.96, 60))
    (True, False)
    """
    known = METRICS.get(estimate.metric)
    highest = known.in_theory[1] if known is not None and known.in_theory else math.inf
    return estimate.value is not None and estimate.value > highest + NOISE


More = Callable[[Check, Estimate], Check]
"""Returns an open check with what would settle it, by an estimate whose interval is wider than its own."""

MIRRORED = ".dsm"
"""How the keys of statistics end that measure a group from all responses: of two groups both say the same."""


def together(checks: Sequence[Check], more: More) -> list[Check]:
    """Return the checks of one criterion on groups, of all columns, judged together by Holm's method.

    What is met stays met: every group must show that for itself. A group is not met where the one-sided p that it
    lies beyond its bound, adjusted for all groups, is below half of what intervals leave out (.025 of 95 %). One whose
    own interval lies beyond, but not so adjusted, is not yet known.
    """
    judged = [place for place, check in enumerate(checks) if _judged(check)]
    if len(judged) < 2:
        return list(checks)
    p = np.array([_beyond(checks[place]) for place in judged])
    units = _units(checks)
    adjusted = holm(p, units=[units[place] for place in judged])
    found = list(checks)
    for place, alone, among in zip(judged, p, adjusted, strict=True):
        found[place] = _judged_among(checks[place], len(judged), float(among) if alone < 1 else None, more)
    return found


def _judged(check: Check) -> bool:
    return check.outcome != "insufficient" and check.estimate.low is not None and check.estimate.high is not None


def _units(checks: Sequence[Check]) -> list[int]:
    """Return a number for each group; both groups of a column of two share one where their differences mirror."""
    columns = [check.column for check in checks]
    size = Counter(columns)
    return [
        columns.index(check.column) if size[check.column] == 2 and check.statistic.endswith(MIRRORED) else place
        for place, check in enumerate(checks)
    ]


def _beyond(check: Check) -> float:
    """Return the one-sided p that a group lies beyond its bound; 1 where its estimate lies inside."""
    value, p = check.estimate.value or 0.0, 1.0
    if check.low is not None and value < check.low:
        p = tail(check.estimate, check.low, above=False)
    elif check.high is not None and value > check.high:
        p = tail(check.estimate, check.high, above=True)
    return 1.0 if math.isnan(p) else p


def tail(estimate: Estimate, bound: float, *, above: bool) -> float:
    """Return the one-sided p that the estimated number lies above a bound, or below it; nan without an interval."""
    end = estimate.low if above else estimate.high
    error = math.nan if estimate.standard_error is None else estimate.standard_error
    ends = math.nan if end is None else end
    return float(tail_probability(estimate.value or 0.0, ends, bound, error, estimate.level))


def _judged_among(check: Check, among: int, p: float | None, more: More) -> Check:
    """Return a check with its adjusted p, and the outcome that follows from it."""
    check = replace(check, among=among, adjusted_p=p)
    if p is None or (check.outcome == "not met" and p < (1 - check.estimate.level) / 2):
        return check
    return more(replace(check, outcome="not yet known"), wider(check.estimate, among))


def wider(estimate: Estimate, among: int) -> Estimate:
    """Return an estimate with the interval that holds together with those of all of so many comparisons."""
    if estimate.low is None or estimate.high is None or estimate.value is None:
        return estimate
    error = math.nan if estimate.standard_error is None else estimate.standard_error
    low, high = (
        float(simultaneous_end(estimate.value, end, error, among, estimate.level))
        for end in (estimate.low, estimate.high)
    )
    return replace(estimate, low=low, high=high)


MOST_PLACES = 6
"""Places, all responses or a group, whose requirements of one outcome are named; the others are counted."""

UNMET: tuple[Outcome, ...] = ("not met", "out of reach", "not yet known", "insufficient")
"""Outcomes that are listed, in this order."""

ShortNames = Callable[[Check], str]
"""How a requirement is called among others."""


def unmet(checks: Sequence[Check]) -> str:
    """Return the term that names the requirements not met, undecided or not tested, those on groups by their group.

    Examples
    --------
    >>> from reportgen.results import Estimate
    >>> bad = Estimate("dsm", 0.3, 90, 0.2, 0.4, kind="difference")
    >>> zh = Check("DSM", bad, "not met", group="language: zh", column="language", level="zh")
    >>> english().say(unmet([Check("QWK", bad, "not yet known"), zh])), unmet([])
    ('not met: language zh: DSM; undecided: QWK', '')
    """
    short, found = _short_names(checks), []
    for outcome in UNMET:
        places: dict[tuple[str, str], list[str]] = {}
        for check in checks:
            if check.outcome == outcome:
                where = (check.column, check.level) if check.column else ("", check.group)
                places.setdefault(where, []).append(short(check))
        if places:
            listed: list[dict[str, Any]] = [
                {"column": column, "level": level, "names": names} for (column, level), names in places.items()
            ]
            more = max(len(listed) - MOST_PLACES, 0)
            found.append({"outcome": outcome, "places": listed[:MOST_PLACES], "more": more})
    return Term("unmet", found=found) if found else ""


def missed(checks: Sequence[Check]) -> tuple[str, ...]:
    """Return the short names of the requirements that are not met, each once: of all responses first, then of groups.

    Examples
    --------
    >>> from reportgen.results import Estimate
    >>> bad = Estimate("dsm", 0.3, 90, 0.2, 0.4, kind="difference")
    >>> found = missed([Check("DSM", bad, "not met", group="l: zh"), Check("DSM", bad, "not met", group="l: de"),
    ...                 Check("SMD", bad, "not met"), Check("QWK", bad, "met")])
    >>> [english().say(each) for each in found]
    ['SMD', 'DSM of groups']
    """
    short, failed = _short_names(checks), [check for check in checks if check.outcome == "not met"]
    overall = [short(check) for check in failed if not check.group]
    of_groups = [Term("missed_of_groups", name=short(check)) for check in failed if check.group]
    return tuple(dict.fromkeys((*overall, *of_groups)))


def _short_names(checks: Sequence[Check]) -> ShortNames:
    """Return how a requirement is called where there is little room: by its label where two share a short name."""
    words = english()
    labels: dict[str, set[str]] = {}
    for check in checks:
        labels.setdefault(words.check_name(check, short=True), set()).add(words.check_name(check))
    return lambda check: _name(check, short=len(labels[words.check_name(check, short=True)]) == 1)


def _name(check: Check, *, short: bool) -> str:
    """Return what a policy calls a requirement, else the term of its statistic."""
    given = (check.abbreviation if short else "") or check.label
    if given and not isinstance(given, Term):
        return given
    return Term("called_short" if short else "called_in_full", key=check.statistic or check.estimate.metric)
