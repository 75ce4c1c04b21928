"""Differences between two systems on the same responses, with intervals that know they are the same.

Every response gives its features twice, once with each system's score.  The sums and products of
both sets of features together, per slice, are all that the sampling variance of any difference
needs: the difference of two statistics is one statistic of the joined sums, and its infinitesimal
jackknife is that of `reportgen.tally.intervals`.  The second set is kept as its *change* from the
first, so that what the systems share cancels exactly and not by subtraction.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reportgen.comparison.collecting import Collected, blocks
from reportgen.comparison.kappas import RESTS_ON, KappaDifference, error_of, kappa_differences, row_slices
from reportgen.evaluation.statistics import SUM_STATISTICS
from reportgen.tally import (
    OVERALL,
    Cells,
    Form,
    Groups,
    Influence,
    Moments,
    Slices,
    Statistics,
    Tally,
    derivatives,
    standard_errors,
)
from reportgen.tally.cells import Floats, Integers
from reportgen.tally.drawing import drawn
from reportgen.tally.features import feature_polynomials, pilot_centre
from reportgen.tally.forms import formed_scores
from reportgen.tally.kernel import state_of
from reportgen.tally.rounding import rounding_of

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

    def part(self, rows: Integers) -> Side:
        """Return some of the responses."""
        return Side(self.system[rows], self.human[rows], self.bounds, self.form, self.statistics)

    def tally(self, slices: Mapping[str, Slices] | None = None) -> Tally:
        """Return a tally in which every response is a cell of its own."""
        rounding = rounding_of(self.bounds)
        ratings = rounding.ratings(self.human)
        ratings = np.where(np.isnan(ratings), -np.inf, ratings)
        state = state_of(self.system, self.human[:, 0], self.bounds)
        return Tally(Cells(ratings, rounding.nearest(self.system), state), dict(slices or {}), self.bounds)

    def features(self, centre: float) -> Floats:
        """Return (n, features): what each response adds to the sums of `reportgen.tally.Sums`."""
        tally = self.tally()
        parts = feature_polynomials(tally, formed_scores(tally, self.form), centre)
        u = (self.system - tally.cells.system)[:, None]
        features: Floats = parts.constant + parts.linear * u + parts.square * u**2
        return features


@dataclass(frozen=True)
class PairedDifferences:
    """Second system minus first, in every level of a grouping, one statistic.

    `value` and `error` are of the difference; `error_of_sum` is the standard error of the two
    values' sum, which is what matters when they lie on different sides of zero; `units` counts the
    independent units that the statistic rests on.
    """

    labels: tuple[str, ...]
    value: Floats
    error: Floats
    error_of_sum: Floats
    units: Floats


class Paired(ABC):
    """Two systems' scores of the same responses; whatever differs between the systems follows from their moments."""

    @property
    @abstractmethod
    def statistics(self) -> tuple[Statistics, Statistics]:
        """What is computed from the sums of the first system, and of the second."""

    @abstractmethod
    def moments_of(self, grouping: str) -> Moments:
        """Return sums and products of the first system's features and the second's change from them."""

    @abstractmethod
    def kappas_of(self, grouping: str) -> dict[str, KappaDifference]:
        """Return the difference of every Cohen's kappa: with the human, between humans, and their degradation."""

    def differences(self, grouping: str) -> dict[str, PairedDifferences]:
        """Return the difference of every statistic, kappa included, in every level of `grouping`.

        Notes
        -----
        Infinitesimal jackknife on whole responses (Jaeckel 1972; Efron 1982, chapter 6); it agrees
        with the row bootstrap and the delete-one jackknife of the difference.
        """
        slices, whole = self.moments_of(grouping), self.moments_of(OVERALL)
        (old, new), (old_whole, new_whole) = _halves(slices), _halves(whole)
        first, second = self.statistics
        with np.errstate(all="ignore"):
            before = first(old.named(), old_whole.named())
            after = second(new.named(), new_whole.named())
        slope_before = derivatives(first, old, old_whole)
        slope_after = derivatives(second, new, new_whole)
        found = {}
        for key in before:
            units = _units(slices, key)
            value = np.broadcast_to(after[key] - before[key], units.shape)
            joined = [_joined(slope_before[key], slope_after[key], sign) for sign in (-1, 1)]
            error, error_of_sum = (standard_errors(influence, slices, whole, units) for influence in joined)
            found[key] = PairedDifferences(slices.labels, value, _without_noise(error, value), error_of_sum, units)
        for key, kappa in self.kappas_of(grouping).items():
            error = _without_noise(kappa.error, kappa.value)
            found[key] = PairedDifferences(slices.labels, kappa.value, error, kappa.error_of_sum, _units(slices, key))
        return found


@dataclass(frozen=True)
class PairedScores(Paired):
    """Two systems' scores of the same responses, in the same order.

    Parameters
    ----------
    first, second
        The systems.
    groups
        Grouping column -> (code of each response, label of each code).
    candidates
        Code of each response's candidate, who is then the independent unit; None when responses are.
    block_rows
        Responses whose features are in memory at a time.
    weights
        (n,): what each row counts for, where rows are ratings that may be drawn; None where each is a response.
    """

    first: Side
    second: Side
    groups: Groups
    candidates: NDArray[np.integer] | None = None
    block_rows: int = BLOCK_ROWS
    weights: Floats | None = None

    def drawn(self) -> PairedScores:
        """Return the same where raters stand in for each other; of the same ratings beside both systems."""
        pairs = drawn(self.first.human)
        place = pairs.response
        first, second = (
            replace(side, system=side.system[place], human=pairs.ratings) for side in (self.first, self.second)
        )
        groups = {name: (codes[place], labels) for name, (codes, labels) in self.groups.items()}
        units = place if self.candidates is None else self.candidates[place]
        return PairedScores(first, second, groups, units, self.block_rows, pairs.weight)

    @property
    def statistics(self) -> tuple[Statistics, Statistics]:
        """What is computed from the sums of either system."""
        return self.first.statistics, self.second.statistics

    def moments_of(self, grouping: str) -> Moments:
        """Return the moments of a grouping."""
        return self.moments[grouping]

    @cached_property
    def moments(self) -> dict[str, Moments]:
        """Sums and products of the first system's features and the second's change from them, by grouping."""
        centre = pilot_centre(self.first.tally())
        collected = {name: Collected(codes, labels) for name, (codes, labels) in self._slicings().items()}
        units = self._units()
        for rows in blocks(units, self.block_rows):
            before, after = (side.part(rows).features(centre) for side in (self.first, self.second))
            joint = np.hstack([before, after - before])
            if self.weights is not None:
                joint *= self.weights[rows, None]
            for part in collected.values():
                part.add(joint, rows, units[rows])
        return {name: part.moments(centre) for name, part in collected.items()}

    def kappas_of(self, grouping: str) -> dict[str, KappaDifference]:
        """Return the differences of Cohen's kappa, influences summed within units first."""
        slices = row_slices(*self._slicings()[grouping], self.weights)
        units = self._units()[slices.cell]
        sides = (self.first, self.second)
        tallies = [(side.tally({grouping: slices}), side.form) for side in sides]
        return kappa_differences(
            tallies, grouping, lambda every: [error_of(slices, units, moved * slices.sums[0]) for moved in every]
        )

    def _slicings(self) -> Groups:
        """Return every grouping, that of all responses included."""
        return {OVERALL: (np.zeros(len(self.first.system), np.intp), ("",)), **self.groups}

    def _units(self) -> NDArray[np.integer]:
        """Return the independent unit of each response: its candidate where those are known, else itself."""
        return np.arange(len(self.first.system)) if self.candidates is None else self.candidates


def _halves(joint: Moments) -> tuple[Moments, Moments]:
    """Return the first and the second system's own moments (sums alone are right for the second)."""
    size = joint.sums.shape[1] // 2
    before, change = joint.sums[:, :size], joint.sums[:, size:]
    products, cross = joint.products[:, :size, :size], joint.cross[:, :size, :size]
    return (
        Moments(joint.labels, before, products, joint.centre, cross, joint.units),
        Moments(joint.labels, before + change, products, joint.centre, cross, joint.units),
    )


def _units(moments: Moments, key: str) -> Floats:
    """Return how many independent units of every level a statistic rests on."""
    rests_on = SUM_STATISTICS[key].rests_on if key in SUM_STATISTICS else RESTS_ON[key]
    if rests_on == "human":
        return moments.units.human
    if rests_on == "multiple":  # none, where rater error variance is known from elsewhere
        return np.where(moments.units.multiple > 1, moments.units.multiple, moments.units.system)
    return moments.units.system


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
