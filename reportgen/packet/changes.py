"""What changed since an earlier report: headline numbers, and outcomes of criteria."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist

from reportgen.metrics.catalogue import holds_across_raters
from reportgen.results import Column, Estimate, Evaluation, Kind, Row, Table
from reportgen.results.term import Term

SAME_DATA = Term("packet.same_data")
HEADLINES = frozenset({"system", "human", "degradation", "true_score", "disattenuated", "largest_group_difference"})
"""Families of the numbers that are compared; criteria's numbers are in any case."""

OTHER_RATINGS = Term("packet.other_ratings")
NO_ERROR = Term("packet.no_error")
UNCHANGED = Term("packet.unchanged")

OF_HUMANS = ("human", "raters", "reliability")
"""Families of the numbers that no engine enters."""

TRUE_SCORES = ("true_score.true_variance", "true_score.error_variance", "true_score.human_reliability")
"""Further numbers that no engine enters."""


def change_tables(old: Evaluation, new: Evaluation) -> list[Table]:
    """Return the headline numbers of both reports with their change, and the criteria whose outcome changed."""
    return [_numbers(old, new), _outcomes(old, new)]


def _numbers(old: Evaluation, new: Evaluation) -> Table:
    """Return every headline number that either report has."""
    paired, same_ratings = old.source.sha256 == new.source.sha256, _same_ratings(old, new)
    rows = []
    judged = {id(check.estimate) for check in new.checks}
    for key in dict.fromkeys((*new.estimates, *old.estimates)):
        if key.split(".")[0] not in HEADLINES and id(new.estimates.get(key)) not in judged:
            continue
        before, after = old.estimates.get(key), new.estimates.get(key)
        change = difference(before, after, paired=paired)
        if change is not None and not (same_ratings or holds_across_raters(key)):
            change = Estimate(change.metric, None, change.n, kind=change.kind, level=change.level, reason=OTHER_RATINGS)
        elif not paired and change is not None and _same_humans(key, before, after):
            change = Estimate(
                change.metric, 0.0, change.n, kind=change.kind, level=change.level, interval_reason=UNCHANGED
            )
        rows.append(Row((Term(key), before, after, change)))
    columns = (
        Column("number"),
        Column("old", kind="coefficient"),
        Column("new", kind="coefficient"),
        Column("change", kind="difference"),
    )
    return Table("packet.changes", "", columns, tuple(rows), max_rows=200)


def _same_ratings(old: Evaluation, new: Evaluation) -> bool:
    """Return whether both reports are known to rest on the same ratings of the same responses.

    Their digests tell it; where one has none, being of few responses or counted, the file does.
    """
    digests = [each.facts.get("ratings_sha256") for each in (old, new)]
    return digests[0] == digests[1] if all(digests) else old.source.sha256 == new.source.sha256


def _same_humans(key: str, old: Estimate | None, new: Estimate | None) -> bool:
    """Return whether a number of the human scores alone is the same in both reports, to the last digits."""
    if key.split(".")[0] not in OF_HUMANS and key not in TRUE_SCORES:
        return False
    if old is None or new is None or old.value is None or new.value is None:
        return False
    return old.n == new.n and math.isclose(old.value, new.value, rel_tol=1e-12, abs_tol=1e-15)


def difference(old: Estimate | None, new: Estimate | None, *, paired: bool) -> Estimate | None:
    """Return new minus old, with a normal interval when the two rest on different responses.

    Examples
    --------
    >>> before, after = (Estimate("r", v, 100, standard_error=0.03) for v in (0.70, 0.75))
    >>> change = difference(before, after, paired=False)
    >>> round(change.value, 3), round(change.low, 3), round(change.high, 3)
    (0.05, -0.033, 0.133)
    """
    if old is None or new is None or old.value is None or new.value is None:
        return None
    kind: Kind = new.kind if new.kind in ("percent", "score", "number") else "difference"
    bare = Estimate(new.metric, new.value - old.value, min(old.n, new.n), kind=kind, level=new.level)
    if paired or old.standard_error is None or new.standard_error is None:
        return replace(bare, interval_reason=SAME_DATA if paired else NO_ERROR)
    error = math.hypot(old.standard_error, new.standard_error)
    half = NormalDist().inv_cdf(0.5 + new.level / 2) * error
    low, high = bare.value - half, bare.value + half  # type: ignore[operator]
    return replace(bare, low=low, high=high, standard_error=error, method="root of the summed squared standard errors")


def _outcomes(old: Evaluation, new: Evaluation) -> Table:
    """Return the criteria whose outcome is another one, or that only one report has."""
    before = {(check.label, check.group): check for check in old.checks}
    after = {(check.label, check.group): check for check in new.checks}
    rows = []
    for place in dict.fromkeys((*after, *before)):
        outcomes = [found[place].outcome if place in found else "absent" for found in (before, after)]
        if outcomes[0] != outcomes[1]:
            said = [Term(f"outcome.{outcome}") for outcome in outcomes]
            rows.append(Row((*place, *said), "flagged" if outcomes[1] == "not met" else ""))
    columns = (Column("criterion"), Column("group"), Column("old"), Column("new"))
    return Table("packet.outcomes", "", columns, tuple(rows), max_rows=200)
