"""Find what runs share (responses, ratings, visible groups, verdicts) and what can be compared."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.measure import kept_statistics
from reportgen.policies import load_policy, policy_of_labels
from reportgen.results import Check, Evaluation, Term, Verdict
from reportgen.runs.model import NumberPlace, Run, RunRows, positions_of
from reportgen.sources.digests import digest_of_ratings
from reportgen.verdicts import verdict

SAME_SCORES = 0.95
"""Smallest share of common IDs with equal human scores; below it, equal IDs identify different responses."""

ENOUGH = 0.5  # smallest share of the smaller run that must be common for a paired comparison

RELATED = 3.0  # standard errors above 0 that a correlation over equal IDs needs to show that responses are the same

Positions = NDArray[np.intp]
Bools = NDArray[np.bool_]

Comparable = Literal["all ratings", "first rating", "no rating"]
"""Which ratings must be the same for numbers of the same responses to show which engine is better."""

State = Literal["same ratings", "other ratings", "other responses"]
"""What two runs share: responses and ratings, only responses, or nothing known."""


@dataclass(frozen=True)
class Sharing:
    """What two runs share.

    paired: Whether the runs are compared response by response.
    reason: Why not; empty if they are.
    old_rows, new_rows: Positions of the shared responses in each run, in the same order.
    different: Responses with equal IDs that are excluded because their human ratings differ.
    different_groups: Group columns of both runs whose values differ for a shared response.
    counted: Number of shared responses if these were counted without keeping rows.
    comparable: Basis for comparing the runs if responses are the same.
    known_same: Whether runs that are not compared response by response are known to have the same responses and
    ratings.
    rated_otherwise, common, largest: Responses with equal IDs whose human ratings differ, of how many, and the largest
    difference; nan if only one run has a rating.
    """

    paired: bool
    reason: str = ""
    old_rows: Positions = field(default_factory=lambda: np.empty(0, np.intp))
    new_rows: Positions = field(default_factory=lambda: np.empty(0, np.intp))
    old_only: int = 0
    new_only: int = 0
    different: int = 0
    different_groups: tuple[str, ...] = ()
    counted: int = 0
    comparable: Comparable = "all ratings"
    known_same: bool = False
    rated_otherwise: int = 0
    common: int = 0
    largest: float = float("nan")

    @property
    def n(self) -> int:
        """Number of shared responses."""
        return len(self.old_rows) or self.counted

    @property
    def state(self) -> State:
        """What the runs share, or nothing if that is unknown."""
        if self.known_same:
            return "same ratings"
        if not self.paired:
            return "other responses"
        return "same ratings" if self.comparable == "all ratings" else "other ratings"


def share(old: Run, new: Run) -> Sharing:
    """Find what two runs share, and whether they can be compared response by response."""
    if old.rows is None or new.rows is None:
        run = old if old.rows is None else new
        known_same = bool(sets_of_same_responses([old, new]))
        return Sharing(False, Term("apart.unread", run=run.name, why=run.no_rows), known_same=known_same)
    at = _positions(old.rows, new.rows)
    if at is None:
        return Sharing(False, Term("apart.no_ids"))
    common = np.flatnonzero(at >= 0)
    both = old.rows.take(at[common]), new.rows.take(common)
    first, differ, largest = _compare_ratings(*both)
    kept, comparable = _comparable_responses(first, differ, *both)
    new_rows = common[kept]
    old_rows = at[new_rows]
    found = Sharing(
        True, "", old_rows, new_rows, old.n - len(common), new.n - len(common), int((~kept).sum()),
        _different_groups(old.rows, new.rows, old_rows, new_rows), comparable=comparable,
        rated_otherwise=int(differ.sum()), common=len(common), largest=largest,
    )  # fmt: skip
    if (reason := _too_little(found, len(common), min(old.n, new.n))) is None:
        return found
    return Sharing(False, reason, old_only=found.old_only, new_only=found.new_only, different=found.different)


def _compare_ratings(old: RunRows, new: RunRows) -> tuple[Bools, Bools, float]:
    """Return whether the first or any rating differs, and the largest difference, nan without one, by response."""
    width = max(old.human.shape[1], new.human.shape[1])
    lead = 0 if old.interchangeable or new.interchangeable else 1
    sides = np.full((2, len(old.human), width), np.nan)
    for side, rows in zip(sides, (old, new), strict=True):
        side[:, : rows.human.shape[1]] = rows.human
        side[:, lead:] = np.sort(side[:, lead:], axis=1)
    apart = np.abs(sides[1] - sides[0])
    differ = ~((apart == 0) | np.isnan(sides).all(axis=0)).all(axis=1)
    first = differ if lead == 0 else old.reference != new.reference
    known = apart[np.isfinite(apart) & (apart > 0)]
    return first, first | differ, float(known.max()) if known.size else float("nan")


def _comparable_responses(first: Bools, differ: Bools, old: RunRows, new: RunRows) -> tuple[Bools, Comparable]:
    """Return the responses to compare, and on what; a few with different ratings are excluded."""
    few = (1 - SAME_SCORES) * len(first)
    if first.sum() > few:
        if _related(old.reference, new.reference) or _related(old.system, new.system):
            return np.ones(len(first), np.bool_), "no rating"
        return ~first, "all ratings"  # equal IDs identify different responses
    return (~first, "first rating") if (differ & ~first).sum() > few else (~differ, "all ratings")


def _related(x: NDArray[np.float64], y: NDArray[np.float64]) -> bool:
    if len(x) < 4 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return True
    r = min(float(np.corrcoef(x, y)[0, 1]), 1 - 1e-12)
    return bool(np.arctanh(max(r, -1 + 1e-12)) * np.sqrt(len(x) - 3) > RELATED)


def _too_little(found: Sharing, common: int, smaller: int) -> Term | None:
    """Return why the shared responses do not allow a paired comparison, or None."""
    if not common:
        return Term("apart.none_in_common")
    if found.n < SAME_SCORES**2 * common:
        return Term("apart.rated_otherwise", n=found.different, of=common)
    if found.n < max(2, ENOUGH * smaller):
        return Term("apart.few_in_common", n=found.n)
    return None


def _positions(old: RunRows, new: RunRows) -> Positions | None:
    """Return the position of every new response among the old ones, by ID or order, -1 if it is not there."""
    if old.ids is None or new.ids is None:
        alike = old.human.shape[0] == new.human.shape[0] and np.array_equal(old.reference, new.reference)
        return np.arange(len(new.system)) if alike else None
    return positions_of(new.ids, old.ids)


def _different_groups(old: RunRows, new: RunRows, old_rows: Positions, new_rows: Positions) -> tuple[str, ...]:
    """Return the group columns of both runs whose values differ for a shared response."""

    def levels(run: RunRows, name: str, rows: Positions) -> Any:
        codes, labels = run.groups[name]
        return np.asarray(labels, dtype=object)[codes[rows]]

    both = (name for name in old.groups if name in new.groups)
    return tuple(name for name in both if not np.array_equal(levels(old, name, old_rows), levels(new, name, new_rows)))


OF_RATINGS = ("system.h_mean", "system.h_sd", "human.qwk", "human.r")
"""Statistics that depend only on ratings: runs of one file with equal values and equal numbers of responses share their
ratings."""


def sets_of_same_responses(runs: Sequence[Run]) -> list[list[Run]]:
    """Group the runs that scored the same responses, in the order of the runs.

    Runs belong together if they have the same response IDs and ratings; without IDs, the same ratings in the same
    order. If scores cannot be read again, a stored digest of both decides, or the same data file with as many responses
    and the same number of ratings.
    """
    sets: list[tuple[set[str], list[Run]]] = []
    sizes = [run.n for run in runs]
    for run in runs:
        keys = set(_keys(run)) if sizes.count(run.n) > 1 else set()
        for known, members in sets:
            if known & keys:
                known |= keys
                members.append(run)
                break
        else:
            sets.append((keys, [run]))
    return [members for _, members in sets if len(members) > 1]


def _keys(run: Run) -> Iterator[str]:
    if run.rows is not None:
        yield digest_of_ratings(run.rows.ids, run.rows.human, interchangeable=run.rows.interchangeable)
    elif run.ratings_sha256:
        yield run.ratings_sha256
    ratings = [run.estimate(NumberPlace(key)) for key in OF_RATINGS]
    if ratings[0] is not None and ratings[0].value is not None:
        told = [None if each is None or each.value is None else round(each.value, 9) for each in ratings]
        yield f"{run.source.sha256} {run.n} {told}"


ALL_CHECKS = 30  # with at most this many runs, all requirements are kept; with more, only unmet ones


def decisions_of(runs: Sequence[Run], policy: str) -> list[dict[str, Any]]:
    """Return each run's decision, policy, and requirements, and whether they were evaluated `here`.

    The decision is empty if a run has neither a verdict nor scores to evaluate. Requirements on a group that any run
    withholds are excluded.

    policy: Policy for the runs without a verdict.
    """
    hidden = {(column, level) for run in runs for column in run.groups for level in run.withheld(column)}
    decisions = []
    for run in runs:
        found = verdict_of(run, policy)
        checks = [check for check in found.checks if (check.column, check.level) not in hidden] if found else []
        if len(runs) > ALL_CHECKS:
            checks = [check for check in checks if check.outcome in ("not met", "out of reach")]
        decisions.append({
            "run": run.name, "decision": found.decision if found else "", "policy": found.policy if found else "",
            "checks": [replace(check, source="") if check.column else check for check in checks], "n": run.n,
            "here": found is not None and run.verdict is None, "share": run.share,
        })  # fmt: skip
    return decisions


def verdict_of(run: Run, policy: str) -> Verdict | None:
    """Return the verdict in a run's report, or of its scores; None without either."""
    if run.verdict is not None or (tallied := run.tallied) is None:
        return run.verdict
    facts = {
        "primary": tallied.primary.type.key, "primary_rounded": tallied.primary_rounded.type.key,
        "min_n_per_group": tallied.min_n, "min_n_by_group": dict(tallied.min_n_by_group),
        "groups_withheld": tallied.withheld.names(), "rater_error_variance_given": tallied.rater_error_variance,
    }  # fmt: skip
    evaluation = Evaluation(  # the facts a policy needs about scores without a report
        source=run.source, roles=(), scale=run.scale, score_types=tuple(form.type for form in tallied.forms),
        groups=tallied.groups, raters=run.raters, settings={}, facts=facts, estimates={}, tables={}, checks=(),
        warnings=(), provenance={}, statistics=kept_statistics(tallied, {}),
    )  # fmt: skip
    return verdict(evaluation, load_policy(policy if run.scale.ordered else policy_of_labels(policy)))


def largest_difference(decision: Mapping[str, Any]) -> Check | None:
    """Return the requirement on the group that differs most from the others, or None."""
    checks = (check for check in decision["checks"] if check.column and check.outcome != "insufficient")
    groups = (check for check in checks if check.estimate.metric == "dsm" and check.estimate.defined)
    return max(groups, key=lambda check: abs(check.estimate.value or 0.0), default=None)
