"""Statistics of custom features, and of multiple levels together.

A feature is any polynomial of degree two in a cell's score, and a statistic any smooth function of the features' sums
in all levels. Its influence is computed cell by cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.cells import OVERALL, Form, Tally, formed_scores, products, totals
from reportgen.tally.clusters import ClusteredRows, Summing
from reportgen.tally.features import DEGREE, Polynomial, pilot_centre
from reportgen.tally.intervals import STEP
from reportgen.tally.left_out import FEW_UNITS
from reportgen.tally.sums import Floats

MOST_NUMBERS = 1 << 22  # largest number of influences in memory at a time (32 MB)


@dataclass(frozen=True)
class CellScores:
    """Scores of every cell from `centre`: polynomials of ratings, (raters, cells), 0 where not `present`."""

    one: Polynomial
    ratings: tuple[Polynomial, ...]
    present: NDArray[np.bool_]
    score: Polynomial
    centre: float

    @cached_property
    def given(self) -> Floats:
        """(raters, cells): the ratings, 0 where missing."""
        return np.stack([rating.c[0] for rating in self.ratings])

    @cached_property
    def count(self) -> Floats:
        """(cells,): number of ratings."""
        return np.asarray(self.present.sum(axis=0), np.float64)

    @classmethod
    def of(cls, tally: Tally, form: Form) -> CellScores:
        """Return the scores of a tally's cells, in one form of the system score."""
        centre, scores = pilot_centre(tally), formed_scores(tally, form)
        given = tally.cells.ratings.T
        present = np.isfinite(given)
        ratings = tuple(map(Polynomial.of, np.where(present, given - centre, 0.0)))
        one, score = np.ones_like(scores.alpha), Polynomial.of(scores.alpha - centre, scores.beta)
        return cls(Polynomial.of(one), ratings, present, score, centre)


Features = Callable[[CellScores], Mapping[str, Polynomial | Floats]]
"""Computes features, each a polynomial or a number of every cell."""

JointSums = Mapping[str, Floats]
JointStatistics = Callable[[JointSums, float], Mapping[str, Floats]]
"""(feature -> sums (..., levels), centre) -> statistic -> values (..., outputs); smooth, complex-safe."""


class JointNumbers(NamedTuple):
    """Values and standard errors of the outputs of one statistic.

    value, error (outputs,): the error is nan if fewer than two units contribute.
    n, units (levels,): responses with the required feature, and independent units (test takers or responses).
    without (candidates, outputs): values without each test taker, if these are the units, few, and all in one level;
        None otherwise.
    """

    value: Floats
    error: Floats
    n: Floats
    units: Floats
    without: Floats | None = None


def joint(
    tally: Tally,
    grouping: str,
    form: Form,
    features: Features,
    statistics: JointStatistics,
    *,
    rests_on: str,
    rows: ClusteredRows | None = None,
) -> dict[str, JointNumbers]:
    """Compute statistics of the features' sums in all levels of a grouping, with standard errors.

    The part of each level is multiplied by ``n / (n - 1)``, n its units. If test takers are the units and occur in
    multiple levels, the factor applies to the whole, with all units. The part of a level with one unit is unchanged.

    rests_on: the required feature; a response counts if it is not 0.
    rows: the responses with their test takers, if these are the units.
    Raises ValueError: If a feature is of degree three or more in the score.
    """
    scores = CellScores.of(tally, form)
    made = {key: of if isinstance(of, Polynomial) else Polynomial.of(of) for key, of in features(scores).items()}
    names, slices = list(made), tally.slices[grouping]
    levels, has = len(slices.labels), (made[rests_on].c != 0).any(axis=0)
    coefficients = np.stack([each.c[:, slices.cell] for each in made.values()])
    sums = np.stack([
        totals(slices.level, each, levels) for each in (coefficients * slices.sums[: DEGREE + 1]).sum(axis=1)
    ])  # fmt: skip
    gradients = _gradients(statistics, names, sums, scores.centre)
    n = totals(slices.level, slices.sums[0] * has[slices.cell], levels)
    units = n if rows is None else rows.units(grouping, has)
    with np.errstate(all="ignore"):
        values = statistics(dict(zip(names, sums, strict=True)), scores.centre)
    without: Mapping[str, Floats] = {}
    if rows is not None and rows.by_candidate and grouping == OVERALL and 1 < units.sum() < FEW_UNITS:
        without = _left_out(rows, made, sums, statistics, scores.centre)
    slopes = np.concatenate(list(gradients.values()))
    found, most = [], max(1, MOST_NUMBERS // coefficients[0].size)
    for first in range(0, len(slopes), most):  # one pass over the responses, if memory allows
        moved = np.einsum("ofe,fpe->ope", slopes[first : first + most][:, :, slices.level], coefficients)
        if rows is None:
            own = products(moved, moved, slices.sums)
            found += [(totals(slices.level, each, levels) * _corrections(units)).sum() for each in own]
        else:
            found += [*rows.squared(grouping, moved)[:, 0] * _corrections(units.sum())]
    errors = np.sqrt(np.maximum(found, 0.0)) if units.sum() > 1 else np.full(len(slopes), np.nan)
    ends = np.cumsum([len(gradient) for gradient in gradients.values()])[:-1]
    return {
        key: JointNumbers(np.atleast_1d(np.asarray(values[key], np.float64)), error, n, units, without.get(key))
        for key, error in zip(gradients, np.split(errors, ends), strict=True)
    }


def _left_out(
    rows: ClusteredRows, features: Mapping[str, Polynomial], sums: Floats, statistics: JointStatistics, centre: float
) -> dict[str, Floats]:
    """Return (candidates, outputs) of every statistic without each test taker."""
    adds = Summing(np.stack([feature.c for feature in features.values()], axis=2))
    own = np.concatenate([adds(block.starts, block.cell, block.u, block.weight) for block in rows.source.of(OVERALL)])
    less = sums[:, 0] - own
    with np.errstate(all="ignore"):
        found = statistics({name: less[:, [place]] for place, name in enumerate(features)}, centre)
    return {key: np.asarray(value).reshape(len(less), -1) for key, value in found.items() if np.size(value) > 1}


def _gradients(statistics: JointStatistics, names: list[str], sums: Floats, centre: float) -> dict[str, Floats]:
    """Return (outputs, features, levels) derivatives of every statistic, one level at a time."""
    features, levels = sums.shape
    made: dict[str, list[Floats]] = {}
    for level in range(levels):
        stepped = np.repeat(sums[None].astype(np.complex128), features, axis=0)
        for feature in range(features):
            stepped[feature, feature, level] += 1j * STEP
        with np.errstate(all="ignore"):
            found = statistics({name: stepped[:, index] for index, name in enumerate(names)}, centre)  # type: ignore[misc]
        for key, value in found.items():
            slope = np.imag(value) / STEP
            made.setdefault(key, []).append(slope.reshape(features, -1) if slope.ndim else np.zeros((features, 1)))
    return {key: np.stack(slopes, axis=-1).transpose(1, 0, 2) for key, slopes in made.items()}


def _corrections(units: Floats | float) -> Floats:
    more = np.maximum(units, 2.0)
    return np.where(np.asarray(units) > 1, more / (more - 1), 1.0)


class Contrast(NamedTuple):
    """Influence of responses on one number per level, through their own level and through all levels.

    own (3, entries): influence of a response on its level's number, as ``c[0] + c[1] u + c[2] u^2``.
    weights (levels, shared): influence of every response on the number of each level, as weights of the shared
        influences.
    """

    own: Floats
    weights: Floats


def standard_errors_of_contrasts(
    tally: Tally, grouping: str, contrasts: Mapping[str, Contrast], shared: Floats, rows: ClusteredRows | None = None
) -> dict[str, Floats]:
    """Compute the standard error of every contrast in every level, as root of the sum of squared influences.

    `joint` computes any statistic of the sums of all levels, at a cost quadratic in their number. A contrast such as
    "this level's mean minus the reference's, adjusted by a slope pooled over all levels" uses sums over levels. There
    is no factor ``n / (n - 1)``, because n depends on the contrast.

    shared (shared, 3, entries): influences that levels have in common.
    rows: the responses with their test takers, if these are the units.
    """
    slices = tally.slices[grouping]
    levels, own = len(slices.labels), np.stack([each.own for each in contrasts.values()])
    square, cross = np.zeros((len(own), levels)), np.zeros((len(own), len(shared), levels))
    common = np.zeros((len(shared), len(shared)))
    if rows is None:
        common += products(shared[:, None], shared[None], slices.sums).sum(axis=-1)
        square += [totals(slices.level, each, levels) for each in products(own, own, slices.sums)]
        for number, one in enumerate(own):
            cross[number] += [totals(slices.level, each, levels) for each in products(one, shared, slices.sums)]
    else:
        adds_own, adds_shared = (Summing(each.transpose(1, 2, 0)) for each in (own, shared))
        for block in rows.inside(grouping):
            entry, parts = rows.entries(grouping, block), block.parts(block.level, levels)
            whole = adds_shared(block.starts, entry, block.u, block.weight)
            common += whole.T @ whole
            for number, each in enumerate(adds_own(parts.starts, *block.taken(parts.order, entry)).T):
                square[number] += totals(parts.place, each**2, levels)
                cross[number] += [totals(parts.place, both, levels) for both in each * whole[parts.cluster].T]
    found = {}
    for (name, contrast), own_square, own_cross in zip(contrasts.items(), square, cross, strict=True):
        weights = contrast.weights
        variance = own_square + 2 * (weights * own_cross.T).sum(axis=1) + ((weights @ common) * weights).sum(axis=1)
        found[name] = np.sqrt(np.maximum(variance, 0.0))
    return found


BLOCK_NUMBERS = 4_000_000  # features in memory at a time, for any number of responses


@dataclass(frozen=True)
class TraitSums:
    """Sums over responses i with c_i ratings, their mean vector h_i, and the vector m_i of system scores.

    Scores are measured from a fixed number for each trait. Vectors have shape (traits,), the others (traits, traits);
    the first index of `hm` is that of h.
    """

    n: Floats  # responses
    c: Floats  # sum of c_i, all ratings
    cc: Floats  # sum of c_i^2
    freedom: Floats  # sum of c_i - 1
    h: Floats  # sum of c_i h_i
    m: Floats  # sum of c_i m_i
    hh: Floats  # sum of c_i h_i h_i'
    mm: Floats  # sum of c_i m_i m_i'
    hm: Floats  # sum of c_i h_i m_i'
    within: Floats  # sum over ratings of (x - h_i)(x - h_i)'

    @classmethod
    def of(cls, flat: Floats, traits: int) -> TraitSums:
        """Return the sums in the flat array `flat`, in the order of the fields."""
        shapes = [(traits,) * degree for degree in _DEGREES]
        parts = np.split(flat, np.cumsum([math.prod(shape) for shape in shapes])[:-1])
        return cls(*(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)))


_DEGREES = (0, 0, 0, 0, 1, 1, 2, 2, 2, 2)  # number of dimensions of each of the `TraitSums`


class TraitMoments(NamedTuple):
    """Sums of the features of responses rated on multiple traits, and of their products.

    n, multiple: responses that count, and those with at least two ratings.
    raters: the most ratings of one response.
    sums (features,): input of `TraitSums.of`.
    products (features, features): sum over units (test takers or responses) of the product of two features.
    """

    traits: int
    n: int
    multiple: int
    raters: int
    sums: Floats
    products: Floats
    units: int


def trait_moments(system: Floats, ratings: Floats, units: NDArray[np.integer] | None = None) -> TraitMoments:
    """Compute the moments of the responses with system scores and one rater's scores on all traits.

    system (n, traits): NaN if missing.
    ratings (n, raters, traits): NaN if missing; ratings without all traits are excluded.
    units (n,): code of the test taker of each response; None if responses are the units.
    """
    whole: NDArray[np.bool_] = np.asarray(~np.isnan(ratings).any(axis=2))
    kept = ~np.isnan(system).any(axis=1) & whole.any(axis=1)
    system, ratings, whole = system[kept], ratings[kept], whole[kept]
    count = whole.sum(axis=1)
    traits = system.shape[1]
    size = sum(traits**degree for degree in _DEGREES)
    centre = np.round(ratings[whole].mean(axis=0)) if len(ratings) else np.zeros(traits)
    sums, products = np.zeros(size), np.zeros((size, size))
    of_units = None
    if units is not None:
        codes = np.unique(units[kept], return_inverse=True)[1]
        of_units = np.zeros((int(codes.max(initial=-1)) + 1, size))
    step = max(1, BLOCK_NUMBERS // size)
    for start in range(0, len(system), step):
        part = slice(start, start + step)
        block = _features(system[part] - centre, ratings[part] - centre, whole[part])
        sums += block.sum(axis=0)
        if of_units is None:
            products += block.T @ block
        else:
            np.add.at(of_units, codes[part], block)
    if of_units is not None:
        products = of_units.T @ of_units
    n_units = len(system) if of_units is None else len(of_units)
    most = int(count.max(initial=0))
    return TraitMoments(traits, len(system), int((count > 1).sum()), most, sums, products, n_units)


def _features(system: Floats, ratings: Floats, whole: NDArray[np.bool_]) -> Floats:
    n = len(system)
    c = whole.sum(axis=1).astype(float)
    scores = np.where(whole[:, :, None], ratings, 0.0)
    mean = scores.sum(axis=1) / c[:, None]
    gaps = np.where(whole[:, :, None], ratings - mean[:, None, :], 0.0)
    weighted, predicted = c[:, None] * mean, c[:, None] * system
    one, within = np.ones(n), np.einsum("irs,irt->ist", gaps, gaps)
    vectors = ((weighted, mean), (predicted, system), (weighted, system))
    products = [left[:, :, None] * right[:, None, :] for left, right in vectors]
    every = (one, c, c**2, c - 1, weighted, predicted, *products, within)
    return np.hstack([each.reshape(n, -1) for each in every])


RowFeatures = Mapping[str, Floats]  # contribution of each response to the sum of a feature, (n, ...), by feature

RowStatistics = Callable[[Mapping[str, Floats]], Mapping[str, Floats]]
"""Sums by feature -> values by statistic, (outputs,); smooth and complex-safe."""


def rowwise(
    features: RowFeatures, statistics: RowStatistics, candidates: NDArray[np.integer] | None = None
) -> dict[str, JointNumbers]:
    """Compute statistics of sums over responses, with infinitesimal-jackknife standard errors.

    candidates (n,): code of each response's test taker, if these are the units.

    The mean of four numbers, whose standard error is their SD over 2:

    >>> x = np.array([1.0, 2.0, 3.0, 6.0])
    >>> mean = lambda sums: {"mean": np.atleast_1d(sums["x"] / sums["n"])}
    >>> found = rowwise({"x": x, "n": np.ones(4)}, mean)["mean"]
    >>> found.value.tolist(), np.allclose(found.error, x.std(ddof=1) / 2)
    ([3.0], True)
    """
    sums = {name: np.asarray(feature.sum(axis=0)) for name, feature in features.items()}
    with np.errstate(all="ignore"):
        values = {name: np.atleast_1d(value) for name, value in statistics(sums).items()}
        influence = _influence(features, sums, statistics, values)
    numbers, n = {}, np.array([len(next(iter(features.values())))])
    for name, value in values.items():
        of_units = influence[name]
        if candidates is not None:
            _, codes = np.unique(candidates, return_inverse=True)
            of_units = np.zeros((int(codes.max(initial=-1)) + 1, value.size))
            np.add.at(of_units, codes, influence[name])
        units = len(of_units)
        squares = ((of_units - of_units.mean(axis=0)) ** 2).sum(axis=0)
        error = np.sqrt(squares * units / (units - 1)) if units > 1 else np.full(value.shape, np.nan)
        numbers[name] = JointNumbers(value, error, n, np.array([units]))
    return numbers


def _influence(
    features: RowFeatures, sums: Mapping[str, Floats], statistics: RowStatistics, values: Mapping[str, Floats]
) -> dict[str, Floats]:
    """Return the (n, outputs) influences of each response, from complex-step derivatives."""
    n = len(next(iter(features.values())))
    influence = {name: np.zeros((n, value.size)) for name, value in values.items()}
    for feature, amounts in features.items():
        for place in np.ndindex(sums[feature].shape):
            moved = {name: total.astype(complex) for name, total in sums.items()}
            moved[feature][place] += 1j * STEP
            column = amounts[(slice(None), *place)]
            for name, value in statistics(moved).items():
                influence[name] += column[:, None] * (np.atleast_1d(value).imag / STEP)
    return influence
