"""The tally: how often each combination of ratings and system score occurs, in every slice.

A *cell* is one distinct combination (ratings of all raters, system score rounded half to even,
state).  For each slice and cell the tally keeps the number of responses and the power sums
u1..u4 of ``u = system - rounded system``, rounded to whole numbers or to the points of the scale (`rounding`).  The
rounded score is exact and ``|u|`` at most half a step, so nothing
cancels, merging two tallies is addition, and every statistic of the report is algebra on cells.

The *state* of a cell records what rounding would lose: how the unrounded score compares with the
first rating (five classes, so that exact and adjacent agreement of unrounded scores are exact) and
whether trimming touches it (three classes).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.sums import Floats

Integers = NDArray[np.intp]

OVERALL = ""
"""Name of the grouping that has all responses as its one level."""

POWERS = 5
"""Number of sums kept per cell: n, u1, u2, u3, u4."""

SPARSE = 16
"""Codes that are rarer than one in so many are sorted."""

WITHIN = 1
"""Class of a score that trimming does not move."""

CLASSES = 5
"""Classes of system - first rating, in steps of the scale: below -1, [-1, 0), 0, (0, 1], above 1."""


@dataclass(frozen=True)
class Cells:
    """Distinct combinations, one per position.

    ratings (cells, raters): a missing rating is ``-inf``, which sorts first and equals itself.
    system: The rounded system score.
    state: Agreement class + 5 * trimming class (0 below the bounds, 1 within, 2 above).
    """

    ratings: Floats
    system: Floats
    state: NDArray[np.int8]

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.system)

    def keys(self) -> Floats:
        """Return the cells as rows of one matrix (for sorting and comparing)."""
        return np.column_stack([self.ratings, self.system, self.state])

    @classmethod
    def from_keys(cls, keys: Floats) -> Cells:
        """Return the cells whose `keys` are these rows."""
        return cls(np.ascontiguousarray(keys[:, :-2]), keys[:, -2].copy(), keys[:, -1].astype(np.int8))

    def trimming_class(self) -> NDArray[np.int8]:
        """Return 0 below the bounds, 1 within, 2 above."""
        return self.state // CLASSES


@dataclass(frozen=True)
class Slices:
    """The occupied (level, cell) pairs of one grouping, sorted by level, then cell.

    labels: Names of the levels, sorted.
    level, cell: Which pair each entry is.
    sums (5, entries): n, u1, u2, u3, u4.
    minimum, maximum: Smallest and largest system score of each level.
    """

    labels: tuple[str, ...]
    level: Integers
    cell: Integers
    sums: Floats
    minimum: Floats
    maximum: Floats

    def without(self, labels: Iterable[str]) -> Slices:
        """Return the slices without some levels: their responses are then in none."""
        dropped = set(labels)
        kept = np.array([label not in dropped for label in self.labels], bool)
        if kept.all():
            return self
        entries = kept[self.level]
        return Slices(
            tuple(label for label in self.labels if label not in dropped),
            (np.cumsum(kept) - 1)[self.level[entries]],
            self.cell[entries],
            self.sums[:, entries],
            self.minimum[kept],
            self.maximum[kept],
        )

    @property
    def sizes(self) -> Floats:
        """(levels,): responses of each level."""
        return totals(self.level, self.sums[0], len(self.labels))

    def starts(self) -> Integers:
        """Return the position of the first entry of each level, and one past the last."""
        return np.searchsorted(self.level, np.arange(len(self.labels) + 1))


@dataclass(frozen=True)
class LevelSums:
    """Sums over responses of some amounts, (amounts, levels); the labels of levels are sorted.

    Examples
    --------
    >>> one = LevelSums.of(np.array([0, 1, 0]), ("b", "a"), [np.array([1.0, 2.0, 3.0])])
    >>> (one + LevelSums(("c",), np.array([[5.0]]))).sums.tolist()
    [[2.0, 4.0, 5.0]]
    """

    labels: tuple[str, ...]
    sums: Floats

    @classmethod
    def of(cls, codes: NDArray[np.integer], labels: Sequence[str], amounts: Iterable[Floats]) -> LevelSums:
        """Return the sums of amounts, (n,) each, by the level of each response."""
        order = sorted(range(len(labels)), key=lambda code: labels[code])
        sums = np.stack([totals(codes.astype(np.intp), each, len(labels)) for each in amounts])
        return cls(tuple(labels[code] for code in order), sums[:, order])

    def __add__(self, other: LevelSums) -> LevelSums:
        """Return the sums over both sets of responses."""
        labels = tuple(sorted({*self.labels, *other.labels}))
        place = {label: index for index, label in enumerate(labels)}
        sums = np.zeros((len(self.sums), len(labels)))
        for part in (self, other):
            sums[:, [place[label] for label in part.labels]] += part.sums
        return LevelSums(labels, sums)

    def of_level(self, label: str) -> LevelSums | None:
        """Return the sums of one level as those of all responses; None when it has none."""
        if label not in self.labels:
            return None
        return LevelSums(("",), self.sums[:, [self.labels.index(label)]])


def sums_of_ratings(
    ratings: Floats, levels: tuple[NDArray[np.integer], Sequence[str]] | None = None, *, drawn: bool = False
) -> LevelSums:
    """Return what (n, raters) ratings without a system score add to the rater error; all count, or two are `drawn`.

    The sums, two or more ratings to a response, are of 1, of squares within and of c - 1, then of products of two.
    """
    codes, labels = levels or (np.zeros(len(ratings), np.intp), ("",))
    c = np.isfinite(ratings).sum(axis=1)
    within = np.nansum((ratings - np.nanmean(ratings, axis=1, keepdims=True)) ** 2, axis=1)
    each = np.stack([np.ones(len(c)), within, c - 1.0])
    each[1:] /= np.where(drawn, c - 1.0, 1.0)
    return LevelSums.of(codes, labels, [*each, *(each[:, None] * each).reshape(9, -1)])


@dataclass(frozen=True)
class Tally:
    """Mergeable sufficient statistics of one system's scores.

    cells: The combinations that occur anywhere.
    slices: One `Slices` per grouping column; `OVERALL` is always there.
    bounds: Lowest and highest score after trimming (tolerance included); ``(-inf, inf)`` for none.
    ratings_alone: Grouping -> `sums_of_ratings` that raters scored twice and the system did not.
    """

    cells: Cells
    slices: Mapping[str, Slices]
    bounds: tuple[float, float]
    ratings_alone: Mapping[str, LevelSums] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of responses."""
        return int(np.rint(self.slices[OVERALL].sums[0].sum()))

    @property
    def weights(self) -> Floats:
        """(cells,): responses in each cell."""
        overall = self.slices[OVERALL]
        return totals(overall.cell, overall.sums[0], len(self.cells))

    @property
    def raters(self) -> int:
        """Number of raters."""
        return int(self.cells.ratings.shape[1])

    def scored_by_raters_alone(self, grouping: str) -> Floats:
        """Return (levels,): responses of each level that raters scored twice and the system did not."""
        known, labels = self.ratings_alone.get(grouping), self.slices[grouping].labels
        counts = dict(zip(known.labels, known.sums[0].tolist(), strict=True)) if known else {}
        return np.array([counts.get(label, 0.0) for label in labels])

    def without(self, levels: Mapping[str, Iterable[str]]) -> Tally:
        """Return the tally without some levels of its groupings; a grouping that has none left is dropped."""
        slices = {name: part.without(levels.get(name, ())) for name, part in self.slices.items()}
        return replace(self, slices={name: part for name, part in slices.items() if part.labels})

    def __add__(self, other: Tally) -> Tally:
        """Return the tally of both sets of responses together."""
        return merge([self, other])


def merge(tallies: Iterable[Tally]) -> Tally:
    """Return the tally of all responses of `tallies`, of the same bounds, raters, and groupings, in any order."""
    parts = list(tallies)
    keys, slices = merged([part.cells.keys() for part in parts], [part.slices for part in parts])
    alone: dict[str, LevelSums] = {}
    for part in parts:
        for name, own in part.ratings_alone.items():
            alone[name] = alone[name] + own if name in alone else own
    return Tally(Cells.from_keys(keys), slices, parts[0].bounds, alone)


def merged(keys: Sequence[Floats], slices: Sequence[Mapping[str, Slices]]) -> tuple[Floats, dict[str, Slices]]:
    """Return the distinct cells of several tallies, whose keys these are, and the slices of every grouping of them."""
    every = np.concatenate(keys)
    place, first = numbered(list(every.T))
    places = np.split(place, np.cumsum([len(each) for each in keys])[:-1])
    return every[first], {name: _merged([each[name] for each in slices], places, len(first)) for name in slices[0]}


def _merged(parts: list[Slices], places: list[Integers], cells: int) -> Slices:
    """Return the slices of one grouping over the merged cells."""
    labels = tuple(sorted({label for part in parts for label in part.labels}))
    position = {label: index for index, label in enumerate(labels)}
    minimum, maximum = np.full(len(labels), np.inf), np.full(len(labels), -np.inf)
    level_parts, cell_parts = [], []
    for part, place in zip(parts, places, strict=True):
        codes = np.array([position[label] for label in part.labels], np.intp)
        np.minimum.at(minimum, codes, part.minimum)
        np.maximum.at(maximum, codes, part.maximum)
        level_parts.append(codes[part.level])
        cell_parts.append(place[part.cell])
    pair = np.concatenate(level_parts) * cells + np.concatenate(cell_parts)
    sums = np.concatenate([part.sums for part in parts], axis=1)
    pairs, entry = distinct(pair, len(labels) * cells)
    total = np.stack([totals(entry, power, len(pairs)) for power in sums])
    level, cell = np.divmod(pairs, cells)
    return Slices(labels, level, cell, total, minimum, maximum)


def totals(position: Integers, weights: Floats, size: int) -> Floats:
    """Return for each of `size` positions the sum of the weights that fall on it."""
    return np.bincount(position, weights, size).astype(np.float64, copy=False)


def products(left: Floats, right: Floats, powers: Floats) -> Floats:
    """Return (..., entries): the sum over an entry's responses of the product of two polynomials (..., 3, entries)."""
    n, u1, u2, u3, u4 = powers
    a, b, c = (left[..., degree, :] for degree in range(3))
    d, e, f = (right[..., degree, :] for degree in range(3))
    return np.asarray(
        a * d * n + (a * e + b * d) * u1 + (a * f + b * e + c * d) * u2 + (b * f + c * e) * u3 + c * f * u4
    )


def distinct(codes: Integers, size: int) -> tuple[Integers, Integers]:
    """Return the codes below `size` that occur, sorted, and for each of `codes` its place among them.

    Examples
    --------
    >>> used, place = distinct(np.array([3, 0, 3]), 5)
    >>> used.tolist(), place.tolist()
    ([0, 3], [1, 0, 1])
    """
    if size > SPARSE * len(codes):
        return np.unique(codes, return_inverse=True)
    occurs = np.zeros(size, np.bool_)
    occurs[codes] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


MOST_STEPS = 1024
"""Whole numbers that lie within so many points are numbered without sorting."""


def numbered(columns: Sequence[NDArray[np.generic]]) -> tuple[Integers, Integers]:
    """Return for each row the number of what it holds, in order, and for each number the first row that holds it.

    Examples
    --------
    >>> numbered([np.array([5.0, 5.0, 4.0]), np.array([1, 2, 1])])
    (array([1, 2, 0]), array([2, 0, 1]))
    """
    rows, size = len(columns[0]), 1
    number: Integers = np.zeros(rows, np.intp)
    for column in columns:
        code, codes = _coded(column)
        used, number = distinct(number * codes + code, size * codes)
        size = len(used)
    first = np.empty(size, np.intp)
    first[number[::-1]] = np.arange(rows)[::-1]
    return number, first


def _coded(column: NDArray[Any]) -> tuple[Integers, int]:
    """Return a number below some size for each score or code, equal for equal ones; -inf is below all others."""
    if column.dtype.kind != "f":
        whole, size = column.astype(np.intp) - int(column.min()), int(column.max()) - int(column.min()) + 1
        if size <= MOST_STEPS:
            return whole, size
        used, place = distinct(whole, size)
        return place, len(used)
    given = column > -np.inf
    low, high = column.min(where=given, initial=np.inf) - 1, column.max(where=given, initial=-np.inf)
    if high - low > MOST_STEPS or not np.array_equal(np.rint(column), column):
        used, place = np.unique(column, return_inverse=True)
        return place, len(used)
    if high < low:
        return np.zeros(len(column), np.intp), 1
    return (np.maximum(column, low) - low).astype(np.intp), int(high - low) + 1


class Form(NamedTuple):
    """Which form of the score to look at."""

    trimmed: bool = False
    rounded: bool = False


AS_GIVEN = Form()
TRIMMED = Form(trimmed=True)
ROUNDED = Form(trimmed=True, rounded=True)


class FormedScores(NamedTuple):
    """The score of every cell as ``alpha + beta * u``, and how it compares with the first rating.

    `sign` is that of score - first rating (0 where equal), `exact` and `adjacent` whether they are equal, or differ by
    at most a step, where points must match; all hold for every response of a cell.
    """

    alpha: Floats
    beta: Floats
    sign: Floats
    exact: NDArray[np.bool_]
    adjacent: NDArray[np.bool_]


def formed_scores(tally: Tally, form: Form) -> FormedScores:
    """Return what `form` makes of the system score in each cell of `tally`.

    Where the score varies it agrees as the stored class says, else as the score itself does.
    """
    cells, rounding = tally.cells, rounding_of(tally.bounds)
    alpha, beta = cells.system.copy(), np.ones(len(cells))
    if form.trimmed:
        trimming = cells.trimming_class()
        for clipped, bound in zip((trimming == 0, trimming == 2), tally.bounds, strict=True):
            alpha[clipped], beta[clipped] = bound, 0.0
    if form.rounded:
        alpha, beta = rounding.nearest(alpha), np.zeros(len(cells))
    error, apart = alpha - cells.ratings[:, 0], alpha - rounding.matched(cells.ratings[:, 0])
    stored, varies = cells.state % CLASSES, beta != 0
    return FormedScores(
        alpha,
        beta,
        np.where(varies, np.sign(stored - 2.0), np.sign(error)),
        np.where(varies, stored == 2, apart == 0),
        np.where(varies, (stored >= 1) & (stored <= 3), np.abs(apart) <= rounding.adjacent),
    )


NEAR = 1e-4
"""A score nearer than this share of a step to a point is that point, written otherwise; single precision needs it."""

TIE = 1e-9
"""A score nearer than this share of a step to the middle of two points lies there."""

DIGITS = 12
"""Decimal places of a point: enough for any scale, and few enough to take away what multiplication adds."""


def as_written(points: NDArray[np.floating]) -> Floats:
    """Return points as they are written: 0.3 for 3 times 0.1."""
    return np.round(points, DIGITS)


class Rounding(NamedTuple):
    """Points ``start + k step`` to which scores are rounded, half to even.

    both: Whether human scores are rounded as engine scores are where points must match; RSMTool takes them as they are.
    points: Whether scores are points of a scale at all; on a continuous one they agree on none.
    """

    start: float = 0.0
    step: float = 1.0
    both: bool = False
    points: bool = True

    @property
    def whole(self) -> bool:
        """Whether the points are the whole numbers."""
        return self.step == 1 and float(self.start).is_integer()

    @property
    def near(self) -> float:
        """How far equal scores lie apart at most."""
        return 0.0 if self.whole else self.step * NEAR

    @property
    def adjacent(self) -> float:
        """How far adjacent scores lie apart at most."""
        return self.step + self.near

    def steps(self, scores: Floats) -> Floats:
        """Return how many steps above `start` scores are; whole and half numbers but for rounding are made so."""
        steps = (scores - self.start) / self.step
        halves = np.rint(2 * steps) / 2
        with np.errstate(invalid="ignore"):
            return np.where(np.abs(steps - halves) < TIE, halves, steps)

    def nearest(self, scores: Floats) -> Floats:
        """Return the point next to every score.

        Examples
        --------
        >>> Rounding(1.0, 0.5).nearest(np.array([2.2, 2.3, -np.inf])).tolist()
        [2.0, 2.5, -inf]
        """
        if self.whole:
            return np.rint(scores)
        return as_written(self.start + self.step * np.rint(self.steps(scores)))

    def ratings(self, human: Floats) -> Floats:
        """Return ratings, those that are points but for their last digits made points."""
        if self.whole:
            return human
        nearest = self.nearest(human)
        with np.errstate(invalid="ignore"):
            return np.where(np.abs(human - nearest) <= self.near, nearest, human)

    def between(self, scores: Floats) -> NDArray[np.bool_]:
        """Return which scores are no points, even but for their last digits."""
        return np.asarray(np.abs(scores - self.nearest(scores)) > self.near)

    def matched(self, human: Floats) -> Floats:
        """Return ratings as they are compared where points must match."""
        return self.nearest(human) if self.both else human


WHOLE = Rounding()
"""Whole numbers, for engine scores alone."""


class TrimBounds(tuple[float, float]):
    """Lowest and highest score after trimming, tolerance included, and what trimmed scores are rounded to."""

    rounding: Rounding

    @classmethod
    def of(cls, low: float, high: float, rounding: Rounding) -> TrimBounds:
        """Return bounds that know the points between them."""
        made = cls((low, high))
        made.rounding = rounding
        return made


def rounding_of(bounds: tuple[float, float]) -> Rounding:
    """Return what scores between bounds are rounded to: whole numbers where bounds do not say."""
    return getattr(bounds, "rounding", WHOLE)
