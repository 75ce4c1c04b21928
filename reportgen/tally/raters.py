"""Variation of statistics between sets of sampled raters.

Responses of the same rater share that rater's severity, so they are not independent. Influences are summed over the
ratings of each rater. The squares of these sums, minus those of single ratings, are added to the variance between
responses or test takers (two-way clusters: Cameron, Gelbach and Miller 2011). Because influences sum to 0, and a
response with two raters counts for both, sums of few raters are biased by a factor that follows from who rated what
with whom.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.tally import kernel
from reportgen.tally.cells import Form, Tally
from reportgen.tally.clusters import Block, CellFinder, ClusteredRows, Summing, held
from reportgen.tally.features import PAIR_FEATURES, RATING_FEATURES, Between
from reportgen.tally.sums import Floats, Integers

SIZES = (PAIR_FEATURES, PAIR_FEATURES, RATING_FEATURES)
"""Features of the engine and a rating, of two ratings, and of all ratings of a response."""

MOST_RATERS = 1000  # largest number of raters for which co-raters are considered

ALONE = 1 - 1e-6  # a rater with this share of the ratings counts as the only one


@dataclass(frozen=True)
class _Rows(ClusteredRows):
    """Ratings in clusters; the cells of a second role come last.

    shares (roles, cells, parts): weight of a rating in a role for the features of each of `SIZES`.
    """

    shares: Floats = field(default_factory=lambda: np.zeros((0, 0, 0)), repr=False)
    _products = None

    def _polynomials(self, form: Form) -> Floats:
        own = super()._polynomials(form)
        return np.concatenate([own * np.repeat(share, SIZES, axis=1) for share in self.shares], axis=1)

    def entries(self, grouping: str, block: Block) -> NDArray[np.integer]:
        role, cell = np.divmod(block.cell, len(self.tally.cells))
        own = super().entries(grouping, block._replace(cell=cell))
        return np.asarray(own + role * len(self.tally.slices[grouping].cell))

    def powers(self, grouping: str) -> Floats:
        """Return (3, levels, parts): sums over clusters of the weights of their ratings, their squares, and cubes."""
        levels, places = len(self.tally.slices[grouping].labels), self.shares.reshape(-1, len(SIZES))
        found, adds = np.zeros((3, levels, len(SIZES))), Summing(np.stack([places, 0 * places, 0 * places]))
        for block in self.source.of(grouping):
            parts = block.parts(block.level, levels)
            own = adds(parts.starts, *block.taken(parts.order))
            for power, total in enumerate(found, 1):
                np.add.at(total, parts.place, own**power)
        return found


@dataclass(frozen=True)
class SampledRaters:
    """Contribution of sampled raters to the variance of statistics.

    by_rater, by_rating: ratings by rater, and by rater and response.
    shared (parts,): factor for sums of squares if multiple raters rated one response.
    """

    by_rater: _Rows
    by_rating: _Rows
    shared: Floats
    _made: dict[tuple[str, Form], Between] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls, tally: Tally, system: Floats, human: Floats, raters: NDArray[np.integer], groups: kernel.Groups,
        units: NDArray[np.integer], weights: tuple[Floats, Floats] | None, *, drawn: bool,
    ) -> SampledRaters:  # fmt: skip
        """Return the raters of the responses of a tally.

        human, raters (n, k): ratings, NaN if missing; codes of their raters, -1 if unknown.
        units (n,): code of each response or of its test taker.
        weights: of first and second scores, as for `WeightedRatings.of_sample`.
        drawn: whether any rating can be the first.
        """
        given = np.isfinite(tally.cells.ratings)
        count = given.sum(axis=1)
        several = count > 1
        if drawn:
            found = kernel.drawn(human, raters)
            role, shares = 0 * found.response, np.array([[several | True, 2 * several, count * several]])
        else:
            response, role = np.nonzero(np.isfinite(human))
            found = kernel.WeightedRatings(response, human[response], np.ones(len(role)), rater=raters[response, role])
            two = given[:, :2].all(axis=1) & several
            shares = np.array([[one * (k < 1), one * (k < 2) * two, one * several] for k, one in enumerate(given.T)])
        assert found.rater is not None
        counted = found._replace(response=np.arange(len(role)))
        if weights is not None:
            first, second = (each[found.response] for each in weights)
            counted = counted.of_sample(first, second)
            counted = counted._replace(weight=counted.weight * first.mean() / weights[0].mean())
        counted = counted.at(found.rater[counted.response] >= 0)
        response, rater = found.response[counted.response], found.rater[counted.response].astype(np.intp)
        cell, u = CellFinder(tally).find(system[response], counted.ratings)
        cell += (role[counted.response] * len(given)).astype(np.int32)
        own = {name: (codes[response], labels) for name, (codes, labels) in groups.items()}
        of_rating = units[response].astype(np.intp) * (int(rater.max(initial=0)) + 1) + rater
        by_rater, by_rating = (
            _Rows(tally, held(tally, cell, u, own, clusters, counted.weight), shares=shares.transpose(0, 2, 1) * 1.0)
            for clusters in (rater, of_rating)
        )
        return cls(by_rater, by_rating, _shared(np.where(np.isfinite(human), raters, -1), drawn=drawn))

    def crossed(self, grouping: str) -> bool:
        """Return whether any rater rated responses of two levels."""
        levels = len(self.by_rater.tally.slices[grouping].labels)
        parts = (block.parts(block.level, levels).cluster for block in self.by_rater.source.of(grouping))
        return any(len(np.unique(each)) < len(each) for each in parts)

    def between(self, grouping: str, form: Form) -> Between:
        """Return the contributions of raters to sums of squares of statistics, in every level of a grouping."""
        if (grouping, form) not in self._made:
            rater, rating = (each.moments(grouping, form) for each in (self.by_rater, self.by_rating))
            factor, freedom = self._factors(grouping)
            scale = np.repeat(np.sqrt(factor), SIZES, axis=1)
            both = scale[:, :, None] * scale[:, None, :]
            products, cross = both * (rater.products - rating.products), both * (rater.cross - rating.cross)
            self._made[grouping, form] = Between(products, cross, freedom)
        return self._made[grouping, form]

    def _factors(self, grouping: str) -> tuple[Floats, Floats]:
        total, square, cube = self.by_rater.powers(grouping)
        with np.errstate(all="ignore"):
            factor, several = self.shared * _unbiased(total, square, cube), square < ALONE * total**2
            return np.where(several, factor, 0.0), np.where(several, np.maximum(total**2 / square - 1, 1.0), 1.0)

    def squared(
        self, grouping: str, system: Floats, human: Floats, place: Integers | None = None, places: int = 1
    ) -> Floats:
        """Return the contributions of raters to sums of squared influences, as in `ClusteredRows.squared`.

        system, human (outputs, ..., entries): influences through one rating and the engine, and through two ratings.
        """
        slices, shares = self.by_rater.tally.slices[grouping], self.by_rater.shares
        scale = np.sqrt(self._factors(grouping)[0])[slices.level] * shares[:, slices.cell]
        moved = np.concatenate([system * each[:, 0] + human * each[:, 1] for each in scale], axis=-1)
        place = np.zeros(len(slices.cell), np.intp) if place is None else place
        of_rater, of_rating = (
            by.squared(grouping, moved, np.tile(place, len(shares)), places) for by in (self.by_rater, self.by_rating)
        )
        return np.maximum(of_rater - of_rating, 0.0)

    def freedom(self, grouping: str, part: int) -> Floats:
        """Return (levels,): degrees of freedom of the contributions of raters through one of the parts."""
        return self._factors(grouping)[1][:, part]


def _shared(raters: NDArray[np.integer], *, drawn: bool) -> Floats:
    """Return (parts,): factors of sums of squares over raters if multiple raters rated one response.

    A response moves with all its raters, so sums over a rater's responses include a part of the partners' effects. With
    fewer raters, they lose more of the rater's effect.
    """
    known, codes = np.unique(raters, return_inverse=True)
    codes = codes.reshape(raters.shape) - (known[0] < 0)
    codes, size = codes[(codes >= 0).sum(axis=1) > 1], int(codes.max(initial=-1)) + 1
    made, count, one = np.ones(len(SIZES)), (codes >= 0).sum(axis=1), np.ones(len(codes))
    two = (codes, 2 / count, 2 / (count * (count - 1))) if drawn else (codes[:, :2], one, one)
    for part, (who, once, twice) in {1: two, 2: (codes, one, one)}.items() if size <= MOST_RATERS else ():
        moved = np.zeros((size, size))
        for first, second in itertools.product(range(who.shape[1]), repeat=2):
            both = (who[:, first] >= 0) & (who[:, second] >= 0)
            np.add.at(moved, (who[both, first], who[both, second]), (once if first == second else twice)[both])
        each = np.diagonal(moved).copy()
        square = ((moved - np.outer(each, each) / max(len(who), 1)) ** 2).sum()
        alone = (each**2).sum()
        seen = square > (1 - ALONE) * alone
        made[part] = alone / square / _unbiased(each.sum(), alone, (each**3).sum()) if seen else 0.0
    return made


def _unbiased(total: Any, square: Any, cube: Any) -> Any:
    return 1 / (1 + square / total**2 - 2 * cube / square / total)
