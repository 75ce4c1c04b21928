"""Compute differences between two systems on the same responses, with paired intervals.

The difference of two statistics is one statistic of the joined sums of both systems' features, and its infinitesimal
jackknife is the one in `reportgen.tally.intervals`. The second set is stored as its *change* from the first, so shared
parts cancel exactly rather than by subtraction.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.contingency import POINT_KEYS, Crossing
from reportgen.evaluation.statistics import rests_on, sum_statistics
from reportgen.evaluation.tallied_scores import ScoreForm
from reportgen.runs.model import Run
from reportgen.tally import OVERALL, Floats, Form, Groups, Integers, Moments, Slices, Statistics, Tally
from reportgen.tally.cells import formed_scores, totals
from reportgen.tally.features import PAIR_FEATURES, RATING_FEATURES, Units, feature_polynomials, pilot_centre
from reportgen.tally.intervals import Influence, derivatives, standard_errors
from reportgen.tally.kernel import MONOMIALS, PairedTallier, PairedTally, WeightedRatings, cells_of, counted_ratings

FEATURES = 2 * (2 * PAIR_FEATURES + RATING_FEATURES)
"""Number of features of a response: the first system's features, and the change to the second system's."""

BLOCK_ROWS = 1 << 15

NOISE = 1e-8
"""Differences and standard errors below this are rounding noise: a variance of 0 is computed as about 1e-20."""


class Side(NamedTuple):
    """One system's scores before trimming, (n,), and the (n, raters) ratings, NaN if missing."""

    system: Floats
    human: Floats
    bounds: tuple[float, float]
    form: Form
    statistics: Statistics

    def tally(self, slices: Mapping[str, Slices] | None = None) -> Tally:
        """Count each response in a separate cell."""
        return Tally(cells_of(self.human, self.system, self.bounds), dict(slices or {}), self.bounds)

    def features(self, rows: Integers, centre: float) -> Floats:
        """Return (rows, features): each response's contribution to the sums of `reportgen.tally.Sums`."""
        tally = self._replace(system=self.system[rows], human=self.human[rows]).tally()
        constant, linear, square = feature_polynomials(tally, formed_scores(tally, self.form), centre)
        u = (self.system[rows] - tally.cells.system)[:, None]
        return np.asarray(constant + linear * u + square * u**2)


class PairedDifferences(NamedTuple):
    """Second system minus first, in every level of a grouping, for one statistic.

    `error_of_sum` is the standard error of the sum of the two values, which matters if they are on different sides of
    zero. `units` counts the independent units behind the statistic.
    """

    labels: tuple[str, ...]
    value: Floats
    error: Floats
    error_of_sum: Floats
    units: Floats


Difference = tuple[Floats, Floats, Floats]
"""Second minus first, (levels,): value, standard error, and the standard error of the sum."""


class Paired(ABC):
    """Two systems' scores of the same responses, whose differences follow from their moments."""

    @property
    @abstractmethod
    def statistics(self) -> tuple[Statistics, Statistics]:
        """Functions to compute from the sums of each system."""

    @abstractmethod
    def moments_of(self, grouping: str) -> Moments:
        """Return sums and products of the first system's features and the change to the second's."""

    @abstractmethod
    def kappas_of(self, grouping: str) -> dict[str, Difference]:
        """Return the difference of every Cohen's kappa: with the human, between humans, and their degradation."""

    def differences(self, grouping: str) -> dict[str, PairedDifferences]:
        """Compute the difference of every statistic, including kappa, in every level of `grouping`.

        Infinitesimal jackknife on whole responses (Jaeckel 1972; Efron 1982, chapter 6); it agrees with the row
        bootstrap and the delete-one jackknife of the difference.
        """
        slices, whole = self.moments_of(grouping), self.moments_of(OVERALL)
        (old, new), (old_whole, new_whole) = _halves(slices), _halves(whole)
        first, second = self.statistics
        with np.errstate(all="ignore"):
            before = first(old.named(), old_whole.named())
            after = second(new.named(), new_whole.named())
        slope_before = derivatives(first, old, old_whole)
        slope_after = derivatives(second, new, new_whole)
        units = {key: _units(slices, key) for key in (*before, *POINT_KEYS)}
        found = self.kappas_of(grouping)
        for key in before:
            value = np.broadcast_to(after[key] - before[key], units[key].shape)
            joined = [_joined(slope_before[key], slope_after[key], sign) for sign in (-1, 1)]
            error, error_of_sum = (standard_errors(influence, slices, whole, units[key]) for influence in joined)
            found[key] = value, error, error_of_sum
        return {
            key: PairedDifferences(slices.labels, value, _without_noise(error, value), error_of_sum, units[key])
            for key, (value, error, error_of_sum) in found.items()
        }


@dataclass(frozen=True)
class PairedScores(Paired):
    """Two systems' scores of the same responses, in the same order.

    candidates: Code of each response's candidate, if candidates are the independent units; None if responses are.
    weights (n,): Weight of each row; None if each row is one response.
    """

    first: Side
    second: Side
    groups: Groups
    candidates: NDArray[np.integer] | None = None
    block_rows: int = BLOCK_ROWS
    weights: Floats | None = None

    def of(self, counted: WeightedRatings | None) -> PairedScores:
        """Return what is counted instead of responses, for both systems and the same ratings."""
        if counted is None:
            return self
        place = counted.response
        first, second = (
            side._replace(system=side.system[place], human=counted.ratings) for side in (self.first, self.second)
        )
        groups = {name: (codes[place], labels) for name, (codes, labels) in self.groups.items()}
        units = place if self.candidates is None else self.candidates[place]
        return PairedScores(first, second, groups, units, self.block_rows, counted.weight)

    @property
    def statistics(self) -> tuple[Statistics, Statistics]:
        """Functions to compute from each system's sums."""
        return self.first.statistics, self.second.statistics

    def moments_of(self, grouping: str) -> Moments:
        """Compute the moments of a grouping."""
        return self._moments[grouping]

    @cached_property
    def _moments(self) -> dict[str, Moments]:
        centre = pilot_centre(self.first.tally())
        slicings = self._slicings()
        collected = {name: Collected(labels) for name, (_, labels) in slicings.items()}
        units = self._units()
        for rows in blocks(units, self.block_rows):
            before, after = (side.features(rows, centre) for side in (self.first, self.second))
            joint = np.hstack([before, after - before])
            if self.weights is not None:
                joint *= self.weights[rows, None]
            for name, part in collected.items():
                part.add(joint, slicings[name][0][rows], units[rows])
        return {name: part.moments(centre) for name, part in collected.items()}

    def kappas_of(self, grouping: str) -> dict[str, Difference]:
        """Return the differences of Cohen's kappa, with influences summed within units first."""
        slices = row_slices(*self._slicings()[grouping], self.weights)
        units = self._units()[slices.cell]
        tallies = [(side.tally({grouping: slices}), side.form) for side in (self.first, self.second)]
        return table_differences(
            tallies,
            grouping,
            lambda every: _errors(_squares(slices.level, units, np.array(every) * slices.sums[0], len(slices.labels))),
        )

    def _slicings(self) -> Groups:
        return {OVERALL: (np.zeros(len(self.first.system), np.intp), ("",)), **self.groups}

    def _units(self) -> NDArray[np.integer]:
        return np.arange(len(self.first.system)) if self.candidates is None else self.candidates


def _halves(joint: Moments) -> tuple[Moments, Moments]:
    size = joint.sums.shape[1] // 2
    before, change = joint.sums[:, :size], joint.sums[:, size:]
    products, cross = joint.products[:, :size, :size], joint.cross[:, :size, :size]
    return (
        Moments(joint.labels, before, products, joint.centre, cross, joint.units),
        Moments(joint.labels, before + change, products, joint.centre, cross, joint.units),
    )


def _units(moments: Moments, key: str) -> Floats:
    which, units = rests_on(key), moments.units
    if which == "multiple":  # none if the rater error variance is given
        return np.where(units.multiple > 1, units.multiple, units.system)
    return units.human if which == "human" else units.system


def _joined(before: Influence, after: Influence, sign: int) -> Influence:
    own, whole = (
        np.hstack([later + sign * earlier, later])
        for later, earlier in ((after.own, before.own), (after.whole, before.whole))
    )
    return Influence(own, whole)


def _without_noise(error: Floats, value: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.where(error < NOISE * np.maximum(np.abs(value), 1.0), 0.0, error)


Codes = NDArray[np.integer]


class Collected:
    """Growing moments of the levels of a grouping; the second half of the features is a change from the first."""

    def __init__(self, labels: Sequence[str]) -> None:
        self._labels, levels = labels, len(labels)
        self._sums, self._counts = np.zeros((levels, FEATURES)), np.zeros((levels, len(Units.COLUMNS)))
        self._products, self._cross = np.zeros((2, levels, FEATURES, FEATURES))
        self._used: set[int] = set()

    def add(self, features: Floats, codes: Codes, units: Codes) -> None:
        """Add (rows, features) of a block, with their levels and units; no unit continues in another block."""
        unit, whole = _per_unit(features, units)
        active = np.flatnonzero(features.any(axis=0))  # shared parts do not change: columns of zeros
        for level in np.unique(codes).tolist():
            inside = codes == level
            mine, own = _per_unit(features[inside], units[inside])
            square = np.zeros((FEATURES, FEATURES))
            square[np.ix_(active, active)] = own[:, active].T @ own[:, active]
            self._sums[level] += own.sum(axis=0)
            self._products[level] += square
            # a unit with one response is in one level, so its part there is complete
            alone = len(unit) == len(units)
            self._cross[level] += square if alone else whole[np.searchsorted(unit, mine)].T @ own
            before = own[:, Units.COLUMNS]
            after = before + own[:, [FEATURES // 2 + column for column in Units.COLUMNS]]
            self._counts[level] += np.minimum((before > 0).sum(axis=0), (after > 0).sum(axis=0))
            self._used.add(level)

    def moments(self, centre: float) -> Moments:
        """Return the moments of the levels that have responses."""
        used = sorted(self._used)
        labels, units = tuple(self._labels[level] for level in used), Units(*self._counts[used].T)
        return Moments(labels, self._sums[used], self._products[used], centre, self._cross[used], units)


def blocks(units: Codes, size: int) -> Iterator[Integers]:
    """Yield the responses in blocks of about `size` that never split a unit.

    >>> [block.tolist() for block in blocks(np.array([0, 1, 0, 2, 1]), 2)]
    [[0, 2], [1, 4], [3]]
    """
    order = np.argsort(units, kind="stable")
    ordered, start = units[order], 0
    while start < len(order):
        last = ordered[min(start + size, len(order)) - 1]
        stop = int(np.searchsorted(ordered, last, side="right"))
        yield order[start:stop]
        start = stop


def _per_unit(features: Floats, units: Codes) -> tuple[Codes, Floats]:
    order = np.argsort(units, kind="stable")
    ordered = units[order]
    first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    if len(first) == len(units):
        return ordered, features[order]
    return ordered[first], np.add.reduceat(features[order], first, axis=0)


BASIS = ((0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2))
"""Powers of u and of w of features: with v = u + w, the square of v is u^2 + 2 u w + w^2."""

_PRODUCTS = np.array([[MONOMIALS.index((i + k, j + m)) for k, m in BASIS] for i, j in BASIS])
"""Index of the monomial that is the product of two monomials."""


@dataclass(frozen=True)
class PairedCounts(Paired):
    """Two systems' scores of the same responses, counted together; every response is an independent unit."""

    tally: PairedTally
    forms: tuple[Form, Form]
    both: tuple[Statistics, Statistics]
    _made: dict[str, Moments] = field(default_factory=dict, repr=False, compare=False)

    @property
    def statistics(self) -> tuple[Statistics, Statistics]:
        """Functions to compute from each system's sums."""
        return self.both

    def moments_of(self, grouping: str) -> Moments:
        """Compute the moments of a grouping."""
        if grouping not in self._made:
            self._made[grouping] = self._moments(grouping)
        return self._made[grouping]

    def kappas_of(self, grouping: str) -> dict[str, Difference]:
        """Compute the differences of Cohen's kappa."""
        slices = self.tally.slices[grouping]
        tallies = [(self.tally.side(number), form) for number, form in enumerate(self.forms)]
        n = slices.sums[0]

        def errors(every: Sequence[Floats]) -> list[Floats]:
            squares = [totals(slices.level, n * moved**2, len(slices.labels)) for moved in every]
            return _errors(np.array([totals(slices.level, n, len(slices.labels)), *squares]))

        return table_differences(tallies, grouping, errors)

    def _moments(self, grouping: str) -> Moments:
        slices, (columns, coefficients) = self.tally.slices[grouping], self.features
        size = int(columns[0].max()) + 1
        sums, products = np.zeros((len(slices.labels), size)), np.zeros((len(slices.labels), size, size))
        for level, (start, stop) in enumerate(itertools.pairwise(slices.starts())):
            cell, powers = slices.cell[start:stop], slices.sums[:, start:stop]
            parts = [(own, each[cell]) for own, each in zip(columns, coefficients, strict=True) if len(own)]
            places = [place for place, own in enumerate(columns) if len(own)]
            for place, (own, part) in zip(places, parts, strict=True):
                sums[level, own] += powers[_PRODUCTS[0, place]] @ part
                for other, (others, factor) in zip(places, parts, strict=True):
                    if other < place:
                        continue
                    found = part.T @ (powers[_PRODUCTS[place, other], :, None] * factor)
                    products[level][np.ix_(own, others)] += found
                    if other > place:
                        products[level][np.ix_(others, own)] += found.T
        counts = np.minimum(sums[:, Units.COLUMNS], (sums[:, : size // 2] + sums[:, size // 2 :])[:, Units.COLUMNS])
        return Moments(slices.labels, sums, products, self.centre, products, Units(*counts.T))

    @cached_property
    def centre(self) -> float:
        """Origin of the scores."""
        return pilot_centre(self.tally.side(0))

    @cached_property
    def features(self) -> tuple[list[Integers], list[Floats]]:
        """Return the features of each part of `BASIS` with their coefficients by joint cell, the changes last."""
        sides = zip(map(self.tally.side, (0, 1)), self.forms, strict=True)
        before, after = (feature_polynomials(side, formed_scores(side, form), self.centre) for side, form in sides)
        parts = [np.hstack([own, other - own]) for own, other in zip(before, after, strict=True)]
        nothing, (_, linear, square) = np.zeros_like(before[0]), after
        parts += [np.hstack([nothing, each]) for each in (linear, 2 * square, square)]
        every = np.arange(parts[0].shape[1])
        used = [every if place == 0 else np.flatnonzero(part.any(axis=0)) for place, part in enumerate(parts)]
        return used, [np.ascontiguousarray(part[:, own]) for own, part in zip(used, parts, strict=True)]


def table_differences(
    tallies: Sequence[tuple[Tally, Form]], grouping: str, errors: Callable[[Sequence[Floats]], Sequence[Floats]]
) -> dict[str, Difference]:
    """Compute the difference of every table statistic of two systems on the same responses; `errors` map influences."""
    two_raters = all(tally.raters > 1 for tally, _ in tallies)
    statistics = {key: each for key, each in POINT_KEYS.items() if two_raters or key.startswith("system.")}
    earlier, later = (Crossing.of(tally, grouping, form).linear(statistics) for tally, form in tallies)
    keys = list(statistics)
    every = errors([later[key].influence + sign * earlier[key].influence for key in keys for sign in (-1, 1)])
    pairs = zip(keys, every[::2], every[1::2], strict=True)
    return {key: (later[key].value - earlier[key].value, error, of_sum) for key, error, of_sum in pairs}


def row_slices(codes: NDArray[np.integer], labels: Sequence[str], weights: Floats | None = None) -> Slices:
    """Return slices in which every response, or weighted row, is an entry, sorted by level."""
    used, level = np.unique(codes, return_inverse=True)
    order = np.argsort(level, kind="stable")
    sums = np.zeros((5, len(codes)))
    sums[0] = 1.0 if weights is None else weights[order]
    unknown = np.full(len(used), np.nan)
    return Slices(tuple(labels[int(code)] for code in used), level[order], order, sums, unknown, unknown)


def _squares(level: Codes, units: Codes, every: Floats, levels: int) -> Floats:
    size = int(units.max()) + 1
    pairs, of_row = np.unique(level * size + units, return_inverse=True)
    own = pairs // size
    squares = [totals(own, totals(of_row, moved, len(pairs)) ** 2, levels) for moved in every]
    return np.array([np.bincount(own, minlength=levels), *squares])


def _errors(counted: Floats) -> list[Floats]:
    n, *squares = counted
    with np.errstate(all="ignore"):
        return [np.where(n > 1, np.sqrt(square * n / (n - 1)), np.nan) for square in squares]


MOST_ENTRIES = 1 << 20
"""Number of occupied joint cells in all levels (120 bytes each) above which the rows take less memory."""

PIECE_ROWS = 1 << 19  # rows to count before checking whether counting is still worthwhile


def paired_tally(old: Run, new: Run, families: tuple[str, str], groups: Groups) -> PairedTally | None:
    """Count the scores of two families of two runs on the same responses together.

    Returns None if the rows must be processed: candidates are the units, human scores differ, or nearly every response
    has unique scores.
    """
    if new.counted is not None:
        return new.counted.against[families[1]]
    first, second = old.rows, new.rows
    if first is None or second is None or first.candidates is not None or first.is_weighted:
        return None
    if not np.array_equal(first.human, second.human, equal_nan=True):
        return None
    one, two = (
        run.preparation.families(rows.system)[family]
        for run, rows, family in zip((old, new), (first, second), families, strict=True)
    )
    tallier = PairedTallier((old.preparation.bounds, new.preparation.bounds))
    for start in range(0, len(one), PIECE_ROWS):
        rows = slice(start, start + PIECE_ROWS)
        levels = {name: (codes[rows], labels) for name, (codes, labels) in groups.items()}
        tallier.add(first.human[rows], one[rows], two[rows], levels)
        if tallier.entries > MOST_ENTRIES:
            return None
    return tallier.tally()


def paired(old: Run, new: Run, forms: tuple[ScoreForm, ScoreForm], groups: Groups, tally: PairedTally | None) -> Paired:
    """Return two runs' scores in the given forms, on shared responses in one order; from `tally` if given."""
    if tally is not None:
        both = sum_statistics(old.rater_error_variance), sum_statistics(new.rater_error_variance)
        return PairedCounts(tally, (forms[0].form, forms[1].form), both)
    if (rows := old.rows) is None:
        raise ValueError(f"run {old.name!r} has no rows")
    counted = counted_ratings(rows.human, interchangeable=rows.interchangeable, weights=rows.weights)
    return PairedScores(_side(old, forms[0]), _side(new, forms[1]), groups, rows.candidates).of(counted)


def _side(run: Run, form: ScoreForm) -> Side:
    if run.rows is None:
        raise ValueError(f"run {run.name!r} has no rows")
    system = run.preparation.families(run.rows.system)[form.family]
    return Side(system, run.rows.human, run.preparation.bounds, form.form, sum_statistics(run.rater_error_variance))
