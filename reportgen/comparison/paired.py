"""Differences between two systems on the same responses, with intervals that know they are the same.

Every response gives its features twice, once with each system's score.  The sums and products of
both sets of features together, per slice, are all that the sampling variance of any difference
needs: the difference of two statistics is one statistic of the joined sums, and its infinitesimal
jackknife is that of `reportgen.tally.intervals`.  The second set is kept as its *change* from the
first, so that what the systems share cancels exactly and not by subtraction.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.statistics import SUM_STATISTICS
from reportgen.metrics import cohen_kappa_gradient, cohen_kappa_of_tables
from reportgen.tally import (
    OVERALL,
    Cells,
    Contingency,
    Form,
    Groups,
    Influence,
    Moments,
    Slices,
    Statistics,
    Tally,
    derivatives,
    human_contingency,
    standard_errors,
    system_contingency,
    weighted_cell_sums,
)
from reportgen.tally.blocks import state_of
from reportgen.tally.cells import Floats
from reportgen.tally.features import feature_polynomials, pilot_centre
from reportgen.tally.forms import formed_scores

BLOCK_ROWS = 1 << 15
"""Responses whose features are in memory at a time (62 numbers each: 16 MB)."""

NOISE = 1e-8
"""Differences, and standard errors, below this are rounding: a variance that is 0 comes out as 1e-20."""


@dataclass(frozen=True)
class Side:
    """One system's scores, as its run prepares them.

    Parameters
    ----------
    system
        (n,): scores before trimming.
    human
        (n, raters): NaN where missing.
    bounds
        Lowest and highest score after trimming.
    form
        The form of the score that is compared.
    statistics
        What is computed from the sums.
    """

    system: Floats
    human: Floats
    bounds: tuple[float, float]
    form: Form
    statistics: Statistics

    def part(self, rows: slice) -> Side:
        """Return some of the responses."""
        return Side(self.system[rows], self.human[rows], self.bounds, self.form, self.statistics)

    def tally(self, slices: Mapping[str, Slices] | None = None) -> Tally:
        """Return a tally in which every response is a cell of its own."""
        ratings = np.where(np.isnan(self.human), -np.inf, self.human)
        state = state_of(self.system, self.human[:, 0], self.bounds)
        return Tally(Cells(ratings, np.rint(self.system), state), dict(slices or {}), self.bounds)

    def features(self, centre: float) -> Floats:
        """Return (n, features): what each response adds to the sums of `reportgen.tally.Sums`."""
        tally = self.tally()
        parts = feature_polynomials(tally, formed_scores(tally, self.form), centre)
        u = (self.system - np.rint(self.system))[:, None]
        features: Floats = parts.constant + parts.linear * u + parts.square * u**2
        return features


@dataclass(frozen=True)
class Differences:
    """Second system minus first, in every level of a grouping, one statistic.

    `value` and `error` are of the difference; `error_of_sum` is the standard error of the two
    values' sum, which is what matters when they lie on different sides of zero.
    """

    labels: tuple[str, ...]
    value: Floats
    error: Floats
    error_of_sum: Floats


@dataclass(frozen=True)
class PairedScores:
    """Two systems' scores of the same responses, in the same order.

    Parameters
    ----------
    first, second
        The systems.
    groups
        Grouping column -> (code of each response, label of each code).
    block_rows
        Responses whose features are in memory at a time.
    """

    first: Side
    second: Side
    groups: Groups
    block_rows: int = BLOCK_ROWS

    @cached_property
    def moments(self) -> dict[str, Moments]:
        """Sums and products of the first system's features and the second's change from them, by grouping."""
        centre = pilot_centre(self.first.tally())
        collected = {name: _Collected(codes, labels) for name, (codes, labels) in self._slicings().items()}
        for start in range(0, len(self.first.system), self.block_rows):
            rows = slice(start, start + self.block_rows)
            before, after = (side.part(rows).features(centre) for side in (self.first, self.second))
            joint = np.hstack([before, after - before])
            for part in collected.values():
                part.add(joint, rows)
        return {name: part.moments(centre) for name, part in collected.items()}

    def differences(self, grouping: str) -> dict[str, Differences]:
        """Return the difference of every statistic, kappa included, in every level of `grouping`.

        Notes
        -----
        Infinitesimal jackknife on whole responses (Jaeckel 1972; Efron 1982, chapter 6); it agrees
        with the row bootstrap and the delete-one jackknife of the difference.
        """
        slices, whole = self.moments[grouping], self.moments[OVERALL]
        (old, new), (old_whole, new_whole) = _halves(slices), _halves(whole)
        with np.errstate(all="ignore"):
            before = self.first.statistics(old.named(), old_whole.named())
            after = self.second.statistics(new.named(), new_whole.named())
        slope_before = derivatives(self.first.statistics, old, old_whole)
        slope_after = derivatives(self.second.statistics, new, new_whole)
        found = {}
        for key in before:
            n = np.minimum(_responses(old, key), _responses(new, key))
            value = np.broadcast_to(after[key] - before[key], n.shape)
            joined = [_joined(slope_before[key], slope_after[key], sign) for sign in (-1, 1)]
            error, error_of_sum = (standard_errors(influence, slices, whole, n) for influence in joined)
            found[key] = Differences(slices.labels, value, _without_noise(error, value), error_of_sum)
        return found | self._kappas(grouping)

    def _slicings(self) -> Groups:
        """Return every grouping, that of all responses included."""
        return {OVERALL: (np.zeros(len(self.first.system), np.intp), ("",)), **self.groups}

    def _kappas(self, grouping: str) -> dict[str, Differences]:
        """Return the differences of Cohen's kappa: with the human, between humans, and their degradation."""
        slices = _row_slices(*self._slicings()[grouping])
        earlier, later = (_kappa_parts(side, slices, grouping) for side in (self.first, self.second))
        found = {}
        for key in earlier.keys() & later.keys():
            (before, moved_before), (after, moved_after) = earlier[key], later[key]
            error, error_of_sum = (_error(slices, moved_after + sign * moved_before) for sign in (-1, 1))
            value = after - before
            found[key] = Differences(slices.labels, value, _without_noise(error, value), error_of_sum)
        return found


class _Collected:
    """Growing sums and products of one grouping."""

    def __init__(self, codes: NDArray[np.integer], labels: Sequence[str]) -> None:
        self._codes, self._labels = codes, labels
        self._sums = np.zeros((len(labels), 0))
        self._products = np.zeros((len(labels), 0, 0))

    def add(self, features: Floats, rows: slice) -> None:
        """Add a block of responses."""
        levels, size = len(self._labels), features.shape[1]
        if not self._sums.size:
            self._sums, self._products = np.zeros((levels, size)), np.zeros((levels, size, size))
        order = np.argsort(self._codes[rows], kind="stable")
        edges = np.searchsorted(self._codes[rows][order], np.arange(levels + 1))
        for level, (low, high) in enumerate(itertools.pairwise(edges)):
            if high > low:
                part = features[order[low:high]]
                self._sums[level] += part.sum(axis=0)
                self._products[level] += part.T @ part

    def moments(self, centre: float) -> Moments:
        """Return the moments of the levels that have responses."""
        used = np.flatnonzero(self._sums[:, 0])
        return Moments(
            tuple(self._labels[int(level)] for level in used), self._sums[used], self._products[used], centre
        )


def _halves(joint: Moments) -> tuple[Moments, Moments]:
    """Return the first and the second system's own moments (sums alone are right for the second)."""
    size = joint.sums.shape[1] // 2
    before, change = joint.sums[:, :size], joint.sums[:, size:]
    products = joint.products[:, :size, :size]
    return (
        Moments(joint.labels, before, products, joint.centre),
        Moments(joint.labels, before + change, products, joint.centre),
    )


def _responses(moments: Moments, key: str) -> Floats:
    """Return how many responses of every level a statistic rests on."""
    sums = moments.named()
    rests_on = SUM_STATISTICS[key].rests_on
    if rests_on == "human":
        return sums.human.n
    if rests_on == "multiple":  # none, where rater error variance is known from elsewhere
        return np.where(sums.ratings.multiple > 1, sums.ratings.multiple, sums.system.n)
    return sums.system.n


def _joined(before: Influence, after: Influence, sign: int) -> Influence:
    """Return the derivative of ``after + sign * before`` by the joined sums (features, change of features)."""
    own, whole = (
        np.hstack([later + sign * earlier, later])
        for later, earlier in ((after.own, before.own), (after.whole, before.whole))
    )
    return Influence(own, whole)


def _without_noise(error: Floats, value: Floats) -> Floats:
    """Return standard errors, 0 where they are only rounding."""
    with np.errstate(invalid="ignore"):
        return np.where(error < NOISE * np.maximum(np.abs(value), 1.0), 0.0, error)


def _row_slices(codes: NDArray[np.integer], labels: Sequence[str]) -> Slices:
    """Return slices in which every response is an entry, sorted by level."""
    used, level = np.unique(codes, return_inverse=True)
    order = np.argsort(level, kind="stable")
    sums = np.zeros((5, len(codes)))
    sums[0] = 1.0
    unknown = np.full(len(used), np.nan)
    return Slices(tuple(labels[int(code)] for code in used), level[order], order, sums, unknown, unknown)


def _kappa_parts(side: Side, slices: Slices, grouping: str) -> dict[str, tuple[Floats, Floats]]:
    """Return kappa by level and its influence by response, for every pair of raters that matters."""
    tally = side.tally({grouping: slices})
    system = _kappa(system_contingency(tally, grouping, side.form), slices)
    if tally.raters < 2:
        return {"system.kappa": system}
    human = _kappa(human_contingency(tally, grouping), slices)
    return {
        "system.kappa": system,
        "human.kappa": human,
        "degradation.kappa": (system[0] - human[0], system[1] - human[1]),
    }


def _kappa(table: Contingency, slices: Slices) -> tuple[Floats, Floats]:
    """Return kappa of every level, and how much each response moves it."""
    if not table.counts.shape[1]:
        return np.full(len(table.labels), np.nan), np.zeros(len(slices.level))
    gradient = np.nan_to_num(cohen_kappa_gradient(table.counts))
    row, column = table.row_of_cell[slices.cell], table.column_of_cell[slices.cell]
    moved = np.where(row >= 0, gradient[slices.level, row, column], 0.0)
    return np.asarray(cohen_kappa_of_tables(table.counts)), moved


def _error(slices: Slices, moved: Floats) -> Floats:
    """Return the standard error that influences by response amount to."""
    n = np.bincount(slices.level, minlength=len(slices.labels))
    with np.errstate(all="ignore"):
        return np.where(n > 1, np.sqrt(weighted_cell_sums(slices, moved)[1] * n / (n - 1)), np.nan)
