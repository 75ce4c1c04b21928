"""Sums of features and their second moments, from cells.

Each response contributes a row of *features* (1, h, s, h^2, hs, ...). Within a cell, every feature is a polynomial in u
of degree two at most, so n and u1..u4 determine the sums of features and of their products. Intervals require the
second moments.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from reportgen.tally.cells import OVERALL, Form, FormedScores, LevelSums, Tally, formed_scores, rounding_of
from reportgen.tally.sums import Floats, Integers, PairSums, RatingSums

DEGREE = 2

PAIR_FEATURES = 9
RATING_FEATURES = 13


@dataclass(frozen=True)
class Sums:
    """All sums of moment statistics: system against first rater, rater against rater, all raters."""

    system: PairSums
    human: PairSums
    ratings: RatingSums

    @classmethod
    def of(cls, sums: Floats, centre: float) -> Sums:
        """Return the named sums of a matrix whose last axis is the features."""
        columns = list(np.ascontiguousarray(np.moveaxis(sums, -1, 0)))
        one, both = PAIR_FEATURES, 2 * PAIR_FEATURES
        return cls(
            PairSums(centre, *columns[:one]), PairSums(centre, *columns[one:both]), RatingSums(centre, *columns[both:])
        )


@dataclass(frozen=True)
class Units:
    """Number of independent units (responses or clusters) per level.

    `system` have a system score, `human` scores of both raters, `multiple` at least two ratings.
    """

    system: Floats
    human: Floats
    multiple: Floats

    COLUMNS: ClassVar[list[int]] = [0, PAIR_FEATURES, 2 * PAIR_FEATURES + 1]  # the features that count these responses


class Between(NamedTuple):
    """Contributions of sampled raters to sums of squares of statistics, per level of one grouping.

    products, cross (levels, features, features): as in `Moments`, over raters, minus those over single ratings.
    freedom (levels, 3): degrees of freedom through the engine and a rating, two ratings, and all ratings.
    """

    products: Floats
    cross: Floats
    freedom: Floats


@dataclass(frozen=True)
class Moments:
    """First and second moments of the features, per level of one grouping.

    labels: levels.
    sums (levels, features): sum over responses of each feature.
    products (levels, features, features): sum over units of the product of two features.
    centre: origin of the scores in the sums.
    cross (levels, features, features): sum over units of the product of a feature of the whole unit and one of its part
        in the level; equal to `products` if every unit is in one level.
    units: number of units.
    offset: origin of the system scores in the products, relative to `centre`; not 0 if they are far from the ratings,
        to avoid cancellation in fourth powers.
    between: contributions of sampled raters, or None.
    """

    labels: tuple[str, ...]
    sums: Floats
    products: Floats
    centre: float
    cross: Floats
    units: Units
    offset: float = 0.0
    between: Between | None = None

    def at(self, levels: Integers) -> Moments:
        """Return the moments of some levels."""
        units = Units(self.units.system[levels], self.units.human[levels], self.units.multiple[levels])
        products = self.products[levels]
        cross = products if self.cross is self.products else self.cross[levels]
        labels = tuple(self.labels[level] for level in levels.tolist())
        between = self.between and Between(*(part[levels] for part in self.between))
        return Moments(labels, self.sums[levels], products, self.centre, cross, units, self.offset, between)

    def with_ratings_alone(self, alone: LevelSums | None) -> Moments:
        """Return the moments with the rater error of responses without a system score, if there are any."""
        if alone is None:
            return self
        places = 2 * PAIR_FEATURES + np.array([1, 9, 10])  # double-scored responses, squares within, and c - 1
        sums, products, cross = self.sums.copy(), self.products.copy(), self.cross.copy()
        multiple, place = self.units.multiple.copy(), {label: level for level, label in enumerate(self.labels)}
        for label, amounts in zip(alone.labels, alone.sums.T, strict=True):
            if (level := place.get(label)) is None:
                continue
            own, square = amounts[:3], amounts[3:].reshape(3, 3)
            sums[level, places] += own
            multiple[level] += own[0]
            products[level, places[:, None], places] += square
            cross[level, places[:, None], places] += square
        return replace(self, sums=sums, products=products, cross=cross, units=replace(self.units, multiple=multiple))

    def without(self, levels: Mapping[str, Sequence[int]]) -> Moments:
        """Return the moments with nan for some levels' sums of two raters ("human") and of all ("multiple")."""
        sums = self.sums.copy()
        sums[list(levels.get("human", ())), PAIR_FEATURES : 2 * PAIR_FEATURES] = np.nan
        sums[list(levels.get("multiple", ())), 2 * PAIR_FEATURES :] = np.nan
        return replace(self, sums=sums)

    def named(self) -> Sums:
        """Return the sums by name."""
        return Sums.of(self.sums, self.centre)


def moments(tally: Tally, grouping: str, form: Form) -> Moments:
    """Compute the moments of every level of `grouping`, for one form of the score and the first two raters."""
    centre, scores = pilot_centre(tally), formed_scores(tally, form)
    offset = system_offset(tally, scores, centre)
    polynomials = feature_polynomials(tally, scores, centre, offset)
    slices = tally.slices[grouping]
    levels, size, degrees = len(slices.labels), polynomials.shape[2], np.add.outer(np.arange(3), np.arange(3))
    sums, products = np.zeros((levels, size)), np.zeros((levels, size, size))
    for level, (start, stop) in enumerate(itertools.pairwise(slices.starts())):
        here = polynomials[:, slices.cell[start:stop]]
        weighed = np.einsum("dce,cef->def", slices.sums[degrees, start:stop], here)
        sums[level] = weighed[0].sum(axis=0)
        products[level] = here.reshape(-1, size).T @ weighed.reshape(-1, size)
    units = Units(*sums[:, Units.COLUMNS].T)
    sums = sums @ moving(offset).T if offset else sums
    found = Moments(slices.labels, sums, products, centre, products, units, offset)
    return found.with_ratings_alone(tally.ratings_alone.get(grouping))


def pilot_centre(tally: Tally) -> float:
    """Return a number near the ratings for all slices and forms: halfway between their extremes."""
    ratings = tally.cells.ratings[np.isfinite(tally.cells.ratings)]
    return float(ratings.min() + ratings.max()) / 2 if ratings.size else 0.0


FAR = 10.0  # system scores this many standard deviations from the ratings' center get a separate origin


def system_offset(tally: Tally, scores: FormedScores, centre: float) -> float:
    """Return the origin of system scores relative to the ratings' center: 0 unless they are far from it.

    It is the same for every slice. Fourth powers of scores d standard deviations from their origin lose 4 log10(d)
    digits, squares half as many.
    """
    slices = tally.slices[OVERALL]
    n, alpha = slices.sums[0], scores.alpha[slices.cell]
    mean = float(n @ alpha / n.sum())
    spread = float(np.sqrt(n @ (alpha - mean) ** 2 / n.sum()))
    return float(np.rint(mean - centre)) if abs(mean - centre) > FAR * max(spread, 1.0) else 0.0


def moving(offset: float) -> Floats:
    """Return the (features, features) transformation of sums from origin `offset` to the ratings' center."""
    moved, pair = np.eye(2 * PAIR_FEATURES + RATING_FEATURES), 2 * PAIR_FEATURES
    n, x, y, yy, xy = 0, 1, 2, 4, 5
    moved[y, n], moved[xy, x] = offset, offset
    moved[yy, y], moved[yy, n] = 2 * offset, offset**2
    responses, c, cm, cms, cs, css, s, ss = (pair + place for place in (0, 2, 4, 6, 7, 8, 11, 12))
    moved[cms, cm], moved[cs, c], moved[s, responses] = offset, offset, offset
    moved[css, cs], moved[css, c] = 2 * offset, offset**2
    moved[ss, s], moved[ss, responses] = 2 * offset, offset**2
    return moved


@dataclass(frozen=True)
class Polynomial:
    """A value of every cell's responses as ``c[0] + c[1] u + c[2] u^2``, with u the score minus its rounded score."""

    c: Floats  # (3, cells)
    __array_ufunc__ = None  # NumPy arrays on the left use the operators of this class

    @classmethod
    def of(cls, constant: Floats, slope: Floats | float = 0.0) -> Polynomial:
        """Return ``constant + slope u``, each (cells,)."""
        return cls(np.stack([constant, np.broadcast_to(slope, constant.shape), np.zeros_like(constant)]))

    def __add__(self, other: Polynomial | Floats | float) -> Polynomial:
        """Return the sum."""
        if isinstance(other, Polynomial):
            return Polynomial(self.c + other.c)
        return Polynomial(np.stack([self.c[0] + other, *self.c[1:]]))

    def __sub__(self, other: Polynomial | Floats | float) -> Polynomial:
        """Return the difference."""
        return self + (other * -1.0 if isinstance(other, Polynomial) else -np.asarray(other, np.float64))

    def __mul__(self, other: Polynomial | Floats | float) -> Polynomial:
        """Return the product; ValueError if its degree is above two."""
        if not isinstance(other, Polynomial):
            return Polynomial(self.c * np.asarray(other, np.float64))
        product = np.zeros((2 * DEGREE + 1, self.c.shape[1]))
        for i, j in itertools.product(range(DEGREE + 1), repeat=2):
            product[i + j] += self.c[i] * other.c[j]
        if product[DEGREE + 1 :].any():
            raise ValueError("a feature is at most of degree two in the score")
        return Polynomial(product[: DEGREE + 1])

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Floats | float) -> Polynomial:
        """Return other - self."""
        return self * -1.0 + other


def feature_polynomials(tally: Tally, scores: FormedScores, centre: float, offset: float = 0.0) -> Floats:
    """Return (3, cells, features): the features in the order of `Sums.of`, with system scores from `offset`."""
    ratings = np.where(np.isfinite(tally.cells.ratings), tally.cells.ratings - centre, np.nan)
    s = Polynomial.of(scores.alpha - centre - offset, scores.beta)
    first, present = np.nan_to_num(ratings[:, 0]), ~np.isnan(ratings)
    one, square = np.ones_like(first), s * s
    error = s + (offset - first)
    c = present.sum(axis=1).astype(np.float64)
    some, mean = (c > 0) * 1.0, np.nansum(ratings, axis=1) / np.maximum(c, 1.0)
    within = np.nansum((ratings - mean[:, None]) ** 2, axis=1)
    every = [
        one, first, s, first**2, square, first * s, scores.sign * error,
        scores.exact.astype(np.float64), scores.adjacent.astype(np.float64),
        *_human_features(ratings, tally),
        some, (c > 1) * 1.0, c, c * c, c * mean, c * mean**2, c * mean * s, c * s, c * square,
        within, np.maximum(c - 1, 0), some * s, some * square,
    ]  # fmt: skip
    return np.stack([(each if isinstance(each, Polynomial) else Polynomial.of(each)).c for each in every], axis=2)


def _human_features(ratings: Floats, tally: Tally) -> list[Floats]:
    if ratings.shape[1] < 2:
        return [np.zeros(len(ratings))] * PAIR_FEATURES
    first, second = ratings[:, 0], ratings[:, 1]
    both = ~np.isnan(first) & ~np.isnan(second)
    x, y = np.where(both, first, 0.0), np.where(both, second, 0.0)
    rounding = rounding_of(tally.bounds)
    matched, step = rounding.matched(tally.cells.ratings), rounding.adjacent
    with np.errstate(invalid="ignore"):
        apart = np.abs(matched[:, 0] - matched[:, 1])
    return [both * 1.0, x, y, x * x, y * y, x * y, np.abs(x - y), both & (apart == 0), both & (apart <= step)]
