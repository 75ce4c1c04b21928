"""Evaluate estimates against bounds, by the whole interval unless set otherwise."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from reportgen.metrics import METRICS
from reportgen.metrics.many_groups import holm, simultaneous_end, tail_probability
from reportgen.metrics.true_score import CEILING_OPEN
from reportgen.results import CONSTANT, Basis, Check, Decision, Doubt, Estimate, Outcome, Table, Term
from reportgen.verdicts.assurance import FEWEST, Lookup
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
    """Return the outcome: the whole interval is inside the bounds, outside, or crosses a bound.

    min_n: Minimum number of responses.
    strict: Whether a value equal to a bound is outside.
    by: The part that is compared with the bounds: the whole interval, the estimate, or one end.

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

    "At least .70" is met at .70; "less than .15" is not met at .15:

    >>> judge(Estimate("qwk", 0.74, 500, 0.70, 0.78), 0.70, None)
    'met'
    >>> judge(Estimate("smd", 0.19, 500, 0.15, 0.23), -0.15, 0.15, strict=True)
    'not met'
    """
    if estimate.value is None or estimate.n < min_n:
        return "insufficient"
    ends = _ends(estimate, by)
    if ends is None:  # an engine that gives every response the same score agrees by chance, without an interval
        outside = estimate.interval_reason == CONSTANT and not _inside(estimate.value, low, high, strict)
        return "not met" if outside else "not yet known"
    if all(_inside(end, low, high, strict) for end in ends):
        return "met"
    inside = _inside(ends[1], low, None, strict) and _inside(ends[0], None, high, strict)
    return "not yet known" if inside else "not met"


def _ends(estimate: Estimate, by: Basis) -> tuple[float, float] | None:
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
    """Return the decision that follows from the criteria.

    A single unmet criterion speaks against deployment; all must be met to speak for it. If no engine could meet a
    criterion with these raters, the raters must change first. Otherwise, the decision is to collect ratings if open
    criteria need them.
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
"""The correlation of true scores with the human score: no engine has a higher correlation or QWK."""

BEST = {"system.qwk": 1, "system.r": 1, "system.r_squared": 2}
"""Statistics whose best value is a power of the ceiling, and that power.

For exact agreement and kappa, the best value depends on the error distribution."""

NOISE = 1e-9  # a value must be beyond its range by more than this


def best_in_reach(statistic: str, lookup: Lookup) -> Estimate | None:
    """Return what an engine without error would reach in a statistic with these raters; None if unknown."""
    power, found = BEST.get(statistic), lookup(CEILING)
    if power is None or found is None:
        return None
    found = found if found.defined or found.reason == CEILING_OPEN else _at_most(found, lookup)
    if found.value is None or power == 1:
        return found
    low, high = (None if end is None else end**power for end in (found.low, found.high))
    return replace(found, value=found.value**power, low=low, high=high, standard_error=None)


def _at_most(ceiling: Estimate, lookup: Lookup) -> Estimate:
    true, spread = lookup("true_score.true_variance"), lookup("system.h_sd")
    if not (true and spread and true.value is not None and true.high is not None and spread.value):
        return ceiling
    high = math.sqrt(max(true.high, 0.0)) / spread.value
    return replace(ceiling, value=0.0, low=0.0, high=high, method=true.method, reason="")


def in_reach(outcome: Outcome, low: float | None, best: Estimate | None, estimate: Estimate) -> tuple[Outcome, Doubt]:
    """Return the outcome of a requirement given what is attainable, and whether the ceiling is in doubt.

    A requirement that an engine without error would certainly fail is *out of reach*, unless this engine would also
    fail it with error-free raters (its whole interval, relative to what is attainable, is below the limit). If it is
    uncertain whether an engine without error would fail, the outcome follows from the interval, and only the ceiling is
    in doubt.

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
    """Return whether a value is above what its quantity can be, such as a PRMSE above 1.

    >>> impossible(Estimate("prmse", 1.04, 60)), impossible(Estimate("prmse", 0.96, 60))
    (True, False)
    """
    known = METRICS.get(estimate.metric)
    highest = known.in_theory[1] if known is not None and known.in_theory else math.inf
    return estimate.value is not None and estimate.value > highest + NOISE


More = Callable[[Check, Estimate], Check]
"""Adds what would settle it to an open check, from an estimate with a wider interval."""

MIRRORED = ".dsm"
"""Suffix of statistics that compare a group with all responses: with two groups, both values carry the same
information."""


def together(checks: Sequence[Check], more: More) -> list[Check]:
    """Evaluate the checks of one criterion on all groups of all columns together by Holm's method.

    A met criterion stays met, because every group must meet it separately. A group does not meet it if its one-sided p
    for being beyond the bound, adjusted for all groups, is below half of the error level of intervals (.025 for 95%). A
    group whose own interval is beyond the bound, but not after adjustment, is not yet known.
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
    """Return a number for each group; both groups of a two-level column share one if their differences mirror."""
    columns = [check.column for check in checks]
    size = Counter(columns)
    return [
        columns.index(check.column) if size[check.column] == 2 and check.statistic.endswith(MIRRORED) else place
        for place, check in enumerate(checks)
    ]


def _beyond(check: Check) -> float:
    """Return the one-sided p that a group is beyond its bound; 1 if its estimate is inside."""
    value, p = check.estimate.value or 0.0, 1.0
    if check.low is not None and value < check.low:
        p = tail(check.estimate, check.low, above=False)
    elif check.high is not None and value > check.high:
        p = tail(check.estimate, check.high, above=True)
    return 1.0 if math.isnan(p) else p


def tail(estimate: Estimate, bound: float, *, above: bool) -> float:
    """Return the one-sided p that the number is above a bound, or below it; nan without an interval."""
    end = estimate.low if above else estimate.high
    error = math.nan if estimate.standard_error is None else estimate.standard_error
    ends = math.nan if end is None else end
    return float(tail_probability(estimate.value or 0.0, ends, bound, error, estimate.level))


def _judged_among(check: Check, among: int, p: float | None, more: More) -> Check:
    check = replace(check, among=among, adjusted_p=p)
    if p is None or (check.outcome == "not met" and p < (1 - check.estimate.level) / 2):
        return check
    return more(replace(check, outcome="not yet known"), wider(check.estimate, among))


def wider(estimate: Estimate, among: int) -> Estimate:
    """Return an estimate with an interval that is simultaneous for this many comparisons."""
    if estimate.low is None or estimate.high is None or estimate.value is None:
        return estimate
    error = math.nan if estimate.standard_error is None else estimate.standard_error
    low, high = (
        float(simultaneous_end(estimate.value, end, error, among, estimate.level))
        for end in (estimate.low, estimate.high)
    )
    return replace(estimate, low=low, high=high)


def with_flags(table: Table, levels: set[str]) -> Table:
    """Return a table in which the rows of some groups are flagged."""
    if not levels:
        return table
    rows = tuple(
        replace(row, mark="flagged") if row.mark != "overall" and row.cells[0] in levels else row for row in table.rows
    )
    return replace(table, rows=rows)


MOST_PLACES = 6
"""Most places (all responses or a group) whose requirements of one outcome are named; the others are counted."""

UNMET: tuple[Outcome, ...] = ("not met", "out of reach", "not yet known", "insufficient")
"""Outcomes to list, in this order."""

ShortNames = Callable[[Check], str]  # returns the name of a requirement in a list


def unmet(checks: Sequence[Check]) -> str:
    """Return the term for requirements not met, undecided, or not tested; those on groups are listed by group.

    >>> from reportgen.results import Estimate
    >>> bad = Estimate("dsm", 0.3, 90, 0.2, 0.4, kind="difference")
    >>> zh = Check("DSM", bad, "not met", group="language: zh", column="language", level="zh")
    >>> english().say(unmet([Check("QWK", bad, "not yet known"), zh])), unmet([])
    ('not met: language zh: DSM; inconclusive: QWK', '')
    """
    short, found = _short_names(checks), []
    for outcome in UNMET:
        places: dict[tuple[str, str], list[str]] = {}
        for check in checks:
            if check.outcome == outcome:
                where = (check.column, check.level) if check.column else ("", check.group)
                places.setdefault(where, []).append(short(check))
        if places:
            listed = [{"column": column, "level": level, "names": own} for (column, level), own in places.items()]
            more = max(len(listed) - MOST_PLACES, 0)
            found.append({"outcome": outcome, "places": listed[:MOST_PLACES], "more": more})
    return Term("unmet", found=found) if found else ""


def missed(checks: Sequence[Check]) -> tuple[str, ...]:
    """Return the short names of unmet requirements, each once: for all responses first, then for groups.

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
    words = english()
    labels: dict[str, set[str]] = {}
    for check in checks:
        labels.setdefault(words.check_name(check, short=True), set()).add(words.check_name(check))
    return lambda check: _name(check, short=len(labels[words.check_name(check, short=True)]) == 1)


def _name(check: Check, *, short: bool) -> str:
    given = (check.abbreviation if short else "") or check.label
    if given and not isinstance(given, Term):
        return given
    return Term("called_short" if short else "called_in_full", key=check.statistic or check.estimate.metric)
