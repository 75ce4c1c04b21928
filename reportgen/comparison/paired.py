"""Compute differences between two systems on the same responses, with paired intervals.

The difference of two statistics is one statistic of the joined sums of both systems' features, and its infinitesimal
jackknife is the one in `reportgen.tally.intervals`. The second set is stored as its *change* from the first, so shared
parts cancel exactly rather than by subtraction.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.contingency import POINT_KEYS, Crossing
from reportgen.evaluation.statistics import corrected, rests_on, sum_statistics
from reportgen.evaluation.tallied_scores import ScoreForm
from reportgen.runs.model import Run
from reportgen.tally import OVERALL, Floats, Form, Groups, Integers, Moments, Slices, Statistics, Tally
from reportgen.tally.cells import formed_scores
from reportgen.tally.clusters import ClusteredRows, Summing, held
from reportgen.tally.features import PAIR_FEATURES, RATING_FEATURES, Units, feature_polynomials, pilot_centre
from reportgen.tally.intervals import Influence, derivatives, standard_errors
from reportgen.tally.kernel import MONOMIALS, PairedTallier, PairedTally, WeightedRatings, cells_of, counted_ratings

Codes = NDArray[np.integer]

NOISE = 1e-8
"""Differences and standard errors below this are rounding noise: a variance of 0 is computed as about 1e-20."""


class Side(NamedTuple):
    """One system's scores before trimming, (n,), and the (n, raters) ratings, NaN if missing."""

    system: Floats
    human: Floats
    bounds: tuple[float, float]
    form: Form
    statistics: Statistics


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


@dataclass(frozen=True)
class Paired:
    """Two systems' scores of the same responses, whose differences follow from their moments.

    tallies: Scores of each system in the same cells, which are responses if there are `rows`; without `rows`, each
        response is an independent unit, and the sums are those of `MONOMIALS`.
    """

    tallies: tuple[Tally, Tally]
    forms: tuple[Form, Form]
    statistics: tuple[Statistics, Statistics]
    rows: PairedRows | None = None
    _made: dict[str, Moments] = field(default_factory=dict, repr=False, compare=False)

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

    def moments_of(self, grouping: str) -> Moments:
        """Return sums and products of the first system's features and the change to the second's."""
        if self.rows is not None:
            return self.rows.moments(grouping, self.forms[0])
        if grouping not in self._made:
            self._made[grouping] = self._moments(grouping)
        return self._made[grouping]

    def kappas_of(self, grouping: str) -> dict[str, Difference]:
        """Return the difference of every table statistic: with the human, between humans, and their degradation."""
        two_raters = all(tally.raters > 1 for tally in self.tallies)
        statistics = {key: each for key, each in POINT_KEYS.items() if two_raters or key.startswith("system.")}
        pairs = zip(self.tallies, self.forms, strict=True)
        tables = [Crossing.of(tally, grouping, form, self.rows) for tally, form in pairs]
        earlier, later = (each.linear(statistics) for each in tables)
        moved = [later[key].influence + sign * earlier[key].influence for key in statistics for sign in (-1, 1)]
        errors = corrected(tables[0].squares(np.array(moved)), tables[0].units())
        return {
            key: (later[key].value - earlier[key].value, *both)
            for key, both in zip(statistics, errors.reshape(len(statistics), 2, -1), strict=True)
        }

    def _moments(self, grouping: str) -> Moments:
        slices, (columns, coefficients) = self.tallies[0].slices[grouping], self.features
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
        return pilot_centre(self.tallies[0])

    @cached_property
    def features(self) -> tuple[list[Integers], list[Floats]]:
        """Return the features of each part of `BASIS` with their coefficients by joint cell, the changes last."""
        sides = zip(self.tallies, self.forms, strict=True)
        before, after = (feature_polynomials(side, formed_scores(side, form), self.centre) for side, form in sides)
        parts = [np.hstack([own, other - own]) for own, other in zip(before, after, strict=True)]
        nothing, (_, linear, square) = np.zeros_like(before[0]), after
        parts += [np.hstack([nothing, each]) for each in (linear, 2 * square, square)]
        every = np.arange(parts[0].shape[1])
        used = [every if place == 0 else np.flatnonzero(part.any(axis=0)) for place, part in enumerate(parts)]
        return used, [np.ascontiguousarray(part[:, own]) for own, part in zip(used, parts, strict=True)]


class JointSums(Summing):
    """Sums of the features of the first of two systems, and of their changes to the second's, from `centre`.

    sides: Scores of each system with a cell for each response, their form, and (n,) scores minus rounded scores.
    """

    def __init__(self, sides: Sequence[tuple[Tally, Form, Floats]], centre: float) -> None:
        self._sides, self._centre, self.outputs = sides, centre, 2 * (2 * PAIR_FEATURES + RATING_FEATURES)

    def __call__(self, starts: Integers, place: Codes, u: Floats, weight: Floats | None = None) -> Floats:
        """Return (runs, outputs) sums over consecutive responses, with (n,) weights (default: 1)."""
        found = []
        for tally, form, apart in self._sides:
            own, u = replace(tally, cells=tally.cells.take(place)), apart[place, None]
            constant, linear, square = feature_polynomials(own, formed_scores(own, form), self._centre)
            found.append(constant + linear * u + square * u**2)
        joint = np.hstack([found[0], found[1] - found[0]])
        return np.add.reduceat(joint if weight is None else joint * weight[:, None], starts[:-1], axis=0)


@dataclass(frozen=True)
class PairedRows(ClusteredRows):
    """Responses with both systems' scores and their units, a cell for each; `sides` as for `JointSums`."""

    sides: tuple[tuple[Tally, Form, Floats], ...] = ()
    _products = None

    @classmethod
    def paired(
        cls, first: Side, second: Side, groups: Groups, candidates: Codes | None = None,
        counted: WeightedRatings | None = None,
    ) -> Paired:  # fmt: skip
        """Return two systems' scores of the same responses, in the same order.

        candidates: Code of each response's candidate, if candidates are the independent units; None if responses are.
        counted: Rows to count instead of responses, for both systems and the same ratings.
        """
        weights = None
        if counted is not None:
            place, weights = counted.response, counted.weight
            candidates = place if candidates is None else candidates[place]
            first, second = (
                side._replace(system=side.system[place], human=counted.ratings) for side in (first, second)
            )
            groups = {name: (codes[place], labels) for name, (codes, labels) in groups.items()}
        n = len(first.system)
        groups = {OVERALL: (np.zeros(n, np.intp), ("",)), **groups}
        slices = {name: row_slices(codes, labels, weights) for name, (codes, labels) in groups.items()}
        one, other = (Tally(cells_of(each.human, each.system, each.bounds), slices, each.bounds)
                      for each in (first, second))  # fmt: skip
        units = np.arange(n) if candidates is None else candidates
        source = held(one, np.arange(n, dtype=np.int32), np.zeros(n), groups, units, weights)
        sides = tuple((tally, side.form, side.system - tally.cells.system)
                      for tally, side in ((one, first), (other, second)))  # fmt: skip
        rows = cls(one, source, sides=sides)
        return Paired((one, other), (first.form, second.form), (first.statistics, second.statistics), rows)

    def _adds(self, form: Form) -> Summing:  # noqa: ARG002 - each system has its own form
        return JointSums(self.sides, pilot_centre(self.tally))

    def _offset(self, form: Form) -> float:  # noqa: ARG002 - the same origin for both systems
        return 0.0

    def _moments(self, grouping: str, form: Form) -> Moments:
        fewest = [np.full(len(self.tally.slices[grouping].labels), np.inf)] * len(Units.COLUMNS)
        for tally, *_ in self.sides:
            rated = np.isfinite(tally.cells.ratings)
            marks = rated[:, 0], rated[:, 0] & rated[:, 1:2].any(axis=1), rated.sum(axis=1) > 1
            fewest = [np.minimum(most, self.units(grouping, mark)) for most, mark in zip(fewest, marks, strict=True)]
        return replace(super()._moments(grouping, form), units=Units(*fewest))


def _halves(joint: Moments) -> tuple[Moments, Moments]:
    size = joint.sums.shape[1] // 2
    products, cross = joint.products[:, :size, :size], joint.cross[:, :size, :size]
    before = replace(joint, sums=joint.sums[:, :size], products=products, cross=cross)
    return before, replace(before, sums=before.sums + joint.sums[:, size:])


def _units(moments: Moments, key: str) -> Floats:
    which, units = rests_on(key), moments.units
    if which == "multiple":  # none if the rater error variance is given
        return np.where(units.multiple > 1, units.multiple, units.system)
    return units.human if which == "human" else units.system


def _joined(before: Influence, after: Influence, sign: int) -> Influence:
    return Influence(*(np.hstack([new + sign * old, new]) for new, old in zip(after, before, strict=True)))


def _without_noise(error: Floats, value: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.where(error < NOISE * np.maximum(np.abs(value), 1.0), 0.0, error)


BASIS = ((0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2))
"""Powers of u and of w of features: with v = u + w, the square of v is u^2 + 2 u w + w^2."""

_PRODUCTS = np.array([[MONOMIALS.index((i + k, j + m)) for k, m in BASIS] for i, j in BASIS])
"""Index of the monomial that is the product of two monomials."""


def row_slices(codes: NDArray[np.integer], labels: Sequence[str], weights: Floats | None = None) -> Slices:
    """Return slices in which every response, or weighted row, is an entry, sorted by level."""
    used, level = np.unique(codes, return_inverse=True)
    order = np.argsort(level, kind="stable")
    sums = np.ones((1, len(codes))) if weights is None else weights[None, order]
    unknown = np.full(len(used), np.nan)
    return Slices(tuple(labels[int(code)] for code in used), level[order], order, sums, unknown, unknown)


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
    one = old.preparation.families(first.system)[families[0]]
    two = new.preparation.families(second.system)[families[1]]
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
        return Paired((tally.side(0), tally.side(1)), (forms[0].form, forms[1].form), both)
    if (rows := old.rows) is None:
        raise ValueError(f"run {old.name!r} has no rows")
    counted = counted_ratings(rows.human, interchangeable=rows.interchangeable, weights=rows.weights)
    return PairedRows.paired(_side(old, forms[0]), _side(new, forms[1]), groups, rows.candidates, counted)


def _side(run: Run, form: ScoreForm) -> Side:
    if run.rows is None:
        raise ValueError(f"run {run.name!r} has no rows")
    system = run.preparation.families(run.rows.system)[form.family]
    return Side(system, run.rows.human, run.preparation.bounds, form.form, sum_statistics(run.rater_error_variance))
