"""Raters who are a sample: how far statistics vary from one set of raters to the next.

Responses that one rater rated share that rater's severity, so they do not vary independently.  Influences are summed
over what each rater rated; the sums' squares, less those of single ratings, are what raters add to the variance that
responses or candidates give (clusters in two ways: Cameron, Gelbach and Miller 2011).  Influences sum to 0, and a
response that two raters rated counts for both: sums of few raters are too small, or too large, by a factor that follows
from who rated what with whom.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.tally import kernel
from reportgen.tally.cells import Form, Integers, Tally
from reportgen.tally.clusters import Block, CellFinder, ClusteredRows, Summing, held
from reportgen.tally.features import PAIR_FEATURES, RATING_FEATURES, Between
from reportgen.tally.kernel import Groups
from reportgen.tally.sums import Floats

SIZES = (PAIR_FEATURES, PAIR_FEATURES, RATING_FEATURES)
"""Features of the engine beside a rating, of two ratings, and of all ratings of a response."""

MOST_RATERS = 1000
"""Raters up to whom it matters who rated with whom."""

ALONE = 1 - 1e-6
"""From this share of the ratings on, a rater is the only one."""


@dataclass(frozen=True)
class _Rows(ClusteredRows):
    """Ratings in clusters; the cells of those of another role come behind those of the first.

    shares (roles, cells, parts): what a rating in a role counts for in the features of each of `SIZES`.
    """

    shares: Floats = field(default_factory=lambda: np.zeros((0, 0, 0)), repr=False)
    _products = None

    def _polynomials(self, form: Form) -> Floats:
        own = super()._polynomials(form)
        return np.concatenate([own * np.repeat(share, SIZES, axis=1) for share in self.shares], axis=1)

    def entries(self, grouping: str, block: Block) -> NDArray[np.integer]:
        """Return the entry of each rating, those of another role behind those of the first."""
        role, cell = np.divmod(block.cell, len(self.tally.cells))
        own = super().entries(grouping, block._replace(cell=cell))
        return np.asarray(own + role * len(self.tally.slices[grouping].cell))

    def powers(self, grouping: str) -> Floats:
        """Return (3, levels, parts): sums over clusters of what their ratings count for, of its square and cube."""
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
    """What raters add to the variance of statistics, as they are a sample.

    by_rater, by_rating: Ratings by who gave them, and by who gave them and whose response it is.
    shared (parts,): what sums of squares are multiplied by because several raters rated one response.
    """

    by_rater: _Rows
    by_rating: _Rows
    shared: Floats
    _made: dict[tuple[str, Form], Between] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls, tally: Tally, system: Floats, human: Floats, raters: NDArray[np.integer], groups: Groups,
        units: NDArray[np.integer], weights: tuple[Floats, Floats] | None, *, drawn: bool,
    ) -> SampledRaters:  # fmt: skip
        """Return the raters of the responses that `tally` was counted from.

        human, raters (n, k): ratings, NaN where there is none; codes of who gave them, -1 for nobody.
        units (n,): code of each response, or of its candidate.
        weights: Of first and second scores, as for `WeightedRatings.of_sample`.
        drawn: Whether any rating may be the first.
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
        """Return what raters add to sums of squares of statistics, in every level of a grouping."""
        if (grouping, form) not in self._made:
            rater, rating = (each.moments(grouping, form) for each in (self.by_rater, self.by_rating))
            factor, freedom = self._factors(grouping)
            scale = np.repeat(np.sqrt(factor), SIZES, axis=1)
            both = scale[:, :, None] * scale[:, None, :]
            products, cross = both * (rater.products - rating.products), both * (rater.cross - rating.cross)
            self._made[grouping, form] = Between(products, cross, freedom)
        return self._made[grouping, form]

    def _factors(self, grouping: str) -> tuple[Floats, Floats]:
        """Return (levels, parts): what makes sums of squares over raters unbiased, and their degrees of freedom."""
        total, square, cube = self.by_rater.powers(grouping)
        with np.errstate(all="ignore"):
            factor, several = self.shared * _unbiased(total, square, cube), square < ALONE * total**2
            return np.where(several, factor, 0.0), np.where(several, np.maximum(total**2 / square - 1, 1.0), 1.0)

    def squared(
        self, grouping: str, system: Floats, human: Floats, place: Integers | None = None, places: int = 1
    ) -> Floats:
        """Return (outputs, places): what raters add to sums of squared influences, as `ClusteredRows.squared` does.

        system, human (outputs, ..., entries): influences through one rating beside the engine, and through two ratings.
        """
        slices, shares = self.by_rater.tally.slices[grouping], self.by_rater.shares
        scale = np.sqrt(self._factors(grouping)[0])[slices.level] * shares[:, slices.cell]
        moved = np.concatenate([system * each[:, 0] + human * each[:, 1] for each in scale], axis=-1)
        place = np.zeros(len(slices.cell), np.intp) if place is None else place
        of_rater, of_rating = (
            each.squared(grouping, moved, np.tile(place, len(shares)), places)
            for each in (self.by_rater, self.by_rating)
        )
        return np.maximum(of_rater - of_rating, 0.0)

    def freedom(self, grouping: str, part: int) -> Floats:
        """Return (levels,): degrees of freedom of what raters add through one of the parts."""
        return self._factors(grouping)[1][:, part]


def _shared(raters: NDArray[np.integer], *, drawn: bool) -> Floats:
    """Return (parts,): by how much sums of squares over raters are to be multiplied, as several rated one response.

    A response moves with all who rated it: sums over a rater's responses hold a part of what partners do, the less
    their own the fewer raters there are.

    raters (n, k): codes, -1 for nobody.
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
    """Return by how much sums of squares over raters are too small as influences sum to 0: J / (J - 1) for J alike."""
    return 1 / (1 + square / total**2 - 2 * cube / square / total)
