"""What runs have in common, and so what may be compared: responses, ratings, groups shown, and verdicts."""

from __future__ import annotations

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
"""Least share of common ids whose human scores must be equal; below it equal ids name different responses."""

ENOUGH = 0.5
"""Least share of the smaller run that must be common for a paired comparison to stand for it."""

RELATED = 3.0
"""Standard errors by which a correlation over equal ids must lie above 0 to say that these are the same responses."""

Positions = NDArray[np.intp]
Bools = NDArray[np.bool_]

Comparable = Literal["all ratings", "first rating", "no rating"]
"""What numbers of the same responses may rest on when they say which engine is better: ratings that are the same."""

State = Literal["same ratings", "other ratings", "other responses"]
"""What two runs have in common: responses and ratings, responses alone, or nothing that is known."""


@dataclass(frozen=True)
class Sharing:
    """What two runs have in common.

    paired: Whether the runs are compared response by response.
    reason: Why not; empty when they are.
    old_rows, new_rows: Positions of the shared responses in either run, in the same order.
    different: Responses of one id that are left out because their human ratings differ.
    different_groups: Group columns of both runs that do not say the same of every shared response.
    counted: Responses shared, where these were counted and their rows are not held.
    comparable: What the runs may be compared on where responses are the same.
    known_same: Whether runs that are not compared response by response are known to have the same responses and
        ratings.
    rated_otherwise, common, largest: Responses of one id whose human ratings differ, of how many, and the largest
        difference; nan where a rating is there in one run only.
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
        """Responses shared."""
        return len(self.old_rows) or self.counted

    @property
    def state(self) -> State:
        """What the runs have in common; where it is not known, nothing."""
        if self.known_same:
            return "same ratings"
        if not self.paired:
            return "other responses"
        return "same ratings" if self.comparable == "all ratings" else "other ratings"


def share(old: Run, new: Run) -> Sharing:
    """Return what two runs share, and whether that makes a paired comparison."""
    if old.rows is None or new.rows is None:
        run = old if old.rows is None else new
        known_same = bool(sets_of_same_responses([old, new]))
        return Sharing(False, Term("apart.unread", run=run.name, why=run.no_rows), known_same=known_same)
    at = _positions(old.rows, new.rows)
    if at is None:
        return Sharing(False, Term("apart.no_ids"))
    common = np.flatnonzero(at >= 0)
    both = old.rows.take(at[common]), new.rows.take(common)
    first, differ, largest = _beside(*both)
    kept, comparable = _kept(first, differ, *both)
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


def _beside(old: RunRows, new: RunRows) -> tuple[Bools, Bools, float]:
    """Return for ratings of the same responses whether the first differs, whether any does, and by how much at most.

    The order of further raters says nothing; the largest difference is nan where none of both is known.
    """
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


def _kept(first: Bools, differ: Bools, old: RunRows, new: RunRows) -> tuple[Bools, Comparable]:
    """Return the responses that are compared, and on what: few that were rated otherwise are left out."""
    few = (1 - SAME_SCORES) * len(first)
    if first.sum() > few:
        if _related(old.reference, new.reference) or _related(old.system, new.system):
            return np.ones(len(first), np.bool_), "no rating"
        return ~first, "all ratings"  # equal ids name different responses
    return (~first, "first rating") if (differ & ~first).sum() > few else (~differ, "all ratings")


def _related(x: NDArray[np.float64], y: NDArray[np.float64]) -> bool:
    """Return whether scores of equal ids go together as those of the same responses do."""
    if len(x) < 4 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return True
    r = min(float(np.corrcoef(x, y)[0, 1]), 1 - 1e-12)
    return bool(np.arctanh(max(r, -1 + 1e-12)) * np.sqrt(len(x) - 3) > RELATED)


def _too_little(found: Sharing, common: int, smaller: int) -> Term | None:
    """Return why what is shared does not make a paired comparison; None when it does."""
    if not common:
        return Term("apart.none_in_common")
    if found.n < SAME_SCORES**2 * common:
        return Term("apart.rated_otherwise", n=found.different, of=common)
    if found.n < max(2, ENOUGH * smaller):
        return Term("apart.few_in_common", n=found.n)
    return None


def _positions(old: RunRows, new: RunRows) -> Positions | None:
    """Return for every new response its place among the old ones, -1 where it is not there.

    Without ids responses are told by their order, if all human scores agree.
    """
    if old.ids is None or new.ids is None:
        alike = old.human.shape[0] == new.human.shape[0] and np.array_equal(old.reference, new.reference)
        return np.arange(len(new.system)) if alike else None
    return positions_of(new.ids, old.ids)


def _different_groups(old: RunRows, new: RunRows, old_rows: Positions, new_rows: Positions) -> tuple[str, ...]:
    """Return the group columns of both runs that say something else of some shared response."""

    def levels(run: RunRows, name: str, rows: Positions) -> Any:
        codes, labels = run.groups[name]
        return np.asarray(labels, dtype=object)[codes[rows]]

    both = (name for name in old.groups if name in new.groups)
    return tuple(name for name in both if not np.array_equal(levels(old, name, old_rows), levels(new, name, new_rows)))


OF_RATINGS = ("system.h_mean", "system.h_sd", "human.qwk", "human.r")
"""Numbers that rest on ratings alone: runs of one file with the same ones, and as many responses, have the same."""


def sets_of_same_responses(runs: Sequence[Run]) -> list[list[Run]]:
    """Return the runs that scored the same responses, two or more together, in the order of the runs.

    Runs belong together when they have the same response ids and ratings; without ids, the same ratings in the same
    order.  Where scores cannot be read again, a stored digest of both tells it, or the same data file, as many
    responses and the same numbers of ratings.
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
    """Yield what is the same for runs of the same responses and ratings."""
    if run.rows is not None:
        yield digest_of_ratings(run.rows.ids, run.rows.human, interchangeable=run.rows.interchangeable)
    elif run.ratings_sha256:
        yield run.ratings_sha256
    ratings = [run.estimate(NumberPlace(key)) for key in OF_RATINGS]
    if ratings[0] is not None and ratings[0].value is not None:
        told = [None if each is None or each.value is None else round(each.value, 9) for each in ratings]
        yield f"{run.source.sha256} {run.n} {told}"


ALL_CHECKS = 20
"""Runs up to which every requirement of each is kept; of more those that are not met."""


def decisions_of(runs: Sequence[Run], policy: str) -> list[dict[str, Any]]:
    """Return for each run its decision, the policy, the requirements, and whether they were judged `here`.

    The decision is empty where a run has neither a verdict nor scores to hold a policy against.  Requirements on a
    group that any of the runs withholds are left out.

    policy: Of the runs without a verdict of their own.
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
            "checks": [replace(check, source="") for check in checks], "n": run.n,
            "here": found is not None and run.verdict is None,
        })  # fmt: skip
    return decisions


def verdict_of(run: Run, policy: str) -> Verdict | None:
    """Return the verdict of a run's own report, or of its scores; None where neither is there."""
    if run.verdict is not None or (tallied := run.tallied) is None:
        return run.verdict
    facts = {
        "primary": tallied.primary.type.key, "primary_rounded": tallied.primary_rounded.type.key,
        "min_n_per_group": tallied.min_n, "min_n_by_group": dict(tallied.min_n_by_group),
        "groups_withheld": tallied.withheld.names(), "rater_error_variance_given": tallied.rater_error_variance,
    }  # fmt: skip
    evaluation = Evaluation(  # what a policy needs to know of scores that have no report of their own
        source=run.source, roles=(), scale=run.scale, score_types=tuple(form.type for form in tallied.forms),
        groups=tallied.groups, raters=run.raters, settings={}, facts=facts, estimates={}, tables={}, checks=(),
        warnings=(), provenance={}, statistics=kept_statistics(tallied, {}),
    )  # fmt: skip
    return verdict(evaluation, load_policy(policy if run.scale.ordered else policy_of_labels(policy)))


def largest_difference(decision: Mapping[str, Any]) -> Check | None:
    """Return the requirement on the group that lies farthest from the others; None where no group is judged."""
    checks = (check for check in decision["checks"] if check.column and check.outcome != "insufficient")
    groups = (check for check in checks if check.estimate.metric == "dsm" and check.estimate.defined)
    return max(groups, key=lambda check: abs(check.estimate.value or 0.0), default=None)
