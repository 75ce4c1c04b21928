"""What two runs have in common, and so what may be compared: the same responses, and the same ratings of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.comparison.same_responses import known_same
from reportgen.results.term import Term
from reportgen.runs import Run, RunRows, positions_of

SAME_SCORES = 0.95
"""Least share of common ids whose human scores must be equal; below it equal ids name different responses."""

ENOUGH = 0.5
"""Least share of the smaller run that must be common for a paired comparison to stand for it."""

RELATED = 3.0
"""Standard errors by which a correlation over equal ids must lie above 0 to say that these are the same responses."""

Positions = NDArray[np.intp]

Comparable = Literal["all ratings", "first rating", "no rating"]
"""What numbers of the same responses may rest on when they say which engine is better: ratings that are the same."""

State = Literal["same ratings", "other ratings", "other responses"]
"""What two runs have in common: responses and ratings, responses alone, or nothing that is known."""


def _none() -> Positions:
    return np.empty(0, np.intp)


@dataclass(frozen=True)
class Sharing:
    """What two runs have in common.

    Parameters
    ----------
    paired
        Whether the runs are compared response by response.
    reason
        Why not; empty when they are.
    old_rows, new_rows
        Positions of the shared responses in either run, in the same order.
    old_only, new_only
        Responses that only one run has.
    different
        Responses of one id that are left out because their human ratings differ.
    different_groups
        Group columns of both runs that do not say the same of every shared response.
    counted
        Responses shared, where these were counted and their rows are not held.
    comparable
        What the runs may be compared on where responses are the same.
    known_same
        Whether runs that are not compared response by response are known to have the same responses and ratings.
    rated_otherwise, common, largest
        Responses of one id whose human ratings differ, of how many, and the largest difference; nan where a rating
        is there in one run only.
    """

    paired: bool
    reason: str = ""
    old_rows: Positions = field(default_factory=_none)
    new_rows: Positions = field(default_factory=_none)
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
    for run in (old, new):
        if run.rows is None:
            return Sharing(False, Term("apart.unread", run=run.name, why=run.no_rows), known_same=known_same(old, new))
    if old.rows is None or new.rows is None:  # said above; for the type checker
        return Sharing(False)
    at = _positions(old.rows, new.rows)
    if at is None:
        return Sharing(False, Term("apart.no_ids"))
    common = np.flatnonzero(at >= 0)
    ratings = _RatingsBeside.of(old.rows, new.rows, at[common], common)
    kept, comparable = _kept(ratings, old.rows, new.rows, at[common], common)
    new_rows = common[kept]
    old_rows = at[new_rows]
    found = Sharing(
        True, "", old_rows, new_rows, old.n - len(common), new.n - len(common), int((~kept).sum()),
        _different_groups(old.rows, new.rows, old_rows, new_rows), comparable=comparable,
        rated_otherwise=int(ratings.differ.sum()), common=len(common), largest=ratings.largest,
    )  # fmt: skip
    reason = _too_little(found, len(common), min(old.n, new.n))
    return (
        Sharing(False, reason, old_only=found.old_only, new_only=found.new_only, different=found.different)
        if reason
        else found
    )


@dataclass(frozen=True)
class _RatingsBeside:
    """The human ratings of two runs on the responses of one id.

    Parameters
    ----------
    first, differ
        (n,): whether the score that the engine is held against differs, and whether any rating does.
    largest
        The largest difference of two ratings; nan where none of both is known.
    """

    first: NDArray[np.bool_]
    differ: NDArray[np.bool_]
    largest: float

    @classmethod
    def of(cls, old: RunRows, new: RunRows, old_at: Positions, new_at: Positions) -> _RatingsBeside:
        """Return the ratings beside each other; the order of further raters says nothing."""
        reference = old.reference[old_at], new.reference[new_at]
        width = max(old.human.shape[1], new.human.shape[1])
        lead = 0 if old.interchangeable or new.interchangeable else 1
        sides = []
        for rows, at in ((old, old_at), (new, new_at)):
            wide = np.full((len(at), width), np.nan)
            wide[:, : rows.human.shape[1]] = rows.human[at]
            wide[:, lead:] = np.sort(wide[:, lead:], axis=1)
            sides.append(wide)
        apart = np.abs(sides[1] - sides[0])
        differ = ~((apart == 0) | (np.isnan(sides[0]) & np.isnan(sides[1]))).all(axis=1)
        first = differ if lead == 0 else reference[0] != reference[1]
        known = apart[np.isfinite(apart) & (apart > 0)]
        return cls(first, first | differ, float(known.max()) if known.size else float("nan"))


def _kept(
    ratings: _RatingsBeside, old: RunRows, new: RunRows, old_at: Positions, new_at: Positions
) -> tuple[NDArray[np.bool_], Comparable]:
    """Return the responses that are compared, and on what: few that were rated otherwise are left out."""
    n, few = len(old_at), (1 - SAME_SCORES) * len(old_at)
    if ratings.first.sum() > few:
        pairs = (old.reference[old_at], new.reference[new_at]), (old.system[old_at], new.system[new_at])
        if any(_related(*pair) for pair in pairs):
            return np.ones(n, np.bool_), "no rating"
        return ~ratings.first, "all ratings"  # equal ids name different responses
    if (ratings.differ & ~ratings.first).sum() > few:
        return ~ratings.first, "first rating"
    return ~ratings.differ, "all ratings"


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
    different = []
    for name in (name for name in old.groups if name in new.groups):
        before, after = (
            np.asarray(labels, dtype=object)[codes[rows]]
            for (codes, labels), rows in ((old.groups[name], old_rows), (new.groups[name], new_rows))
        )
        if not np.array_equal(before, after):
            different.append(name)
    return tuple(different)
