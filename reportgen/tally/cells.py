"""The tally: counts of each combination of ratings and system score in every slice.

A *cell* is one distinct combination (ratings of all raters, rounded system score, state). For each slice and cell, the
tally contains the number of responses and the power sums u1..u4 of ``u = system - rounded system``. Scores are rounded
half to even, to integers or to the points of the scale (`rounding`). The rounded score is exact and ``|u|`` is at most
half a step, so cancellation is not a problem, merging two tallies is addition, and every statistic of the report is
algebra on cells.

The *state* of a cell contains the information that rounding loses: how the unrounded score compares with the first
rating (five classes, so agreement of unrounded scores is exact), and whether trimming changes it (three classes).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.sums import Floats, Integers

OVERALL = ""  # name of the grouping with all responses in one level

POWERS = 5  # number of sums per cell: n, u1, u2, u3, u4

SPARSE = 16  # codes that are rarer than one in this many are sorted

WITHIN = 1  # class of a score that trimming does not change

CLASSES = 5  # classes of system - first rating, in steps of the scale: below -1, [-1, 0), 0, (0, 1], above 1


@dataclass(frozen=True)
class Cells:
    """Distinct combinations, one per position.

    ratings (cells, raters): a missing rating is ``-inf``, which sorts first and equals itself.
    system: the rounded system score.
    state: agreement class + 5 * trimming class (0 below the bounds, 1 within, 2 above).
    """

    ratings: Floats
    system: Floats
    state: NDArray[np.int8]

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.system)

    def keys(self) -> Floats:
        """Return the cells as rows of one matrix, for sorting and comparing."""
        return np.column_stack(self.columns())

    def columns(self) -> list[NDArray[Any]]:
        """Return ratings by rater, scores, and states."""
        return [*self.ratings.T, self.system, self.state]

    def take(self, cells: NDArray[Any]) -> Cells:
        """Return some of the cells, by number or mask."""
        return Cells(self.ratings[cells], self.system[cells], self.state[cells])

    @classmethod
    def from_keys(cls, keys: Floats) -> Cells:
        """Return the cells with these rows as `keys`."""
        return cls(np.ascontiguousarray(keys[:, :-2]), keys[:, -2].copy(), keys[:, -1].astype(np.int8))

    def trimming_class(self) -> NDArray[np.int8]:
        """Return 0 below the bounds, 1 within, 2 above."""
        return self.state // CLASSES


@dataclass(frozen=True)
class Slices:
    """The occupied (level, cell) pairs of one grouping, sorted by level, then cell.

    labels: names of the levels, sorted.
    level, cell: the pair of each entry.
    sums (5, entries): n, u1, u2, u3, u4.
    minimum, maximum: smallest and largest system score of each level.
    """

    labels: tuple[str, ...]
    level: Integers
    cell: Integers
    sums: Floats
    minimum: Floats
    maximum: Floats

    @classmethod
    def of(
        cls, codes: NDArray[np.integer], labels: Sequence[str], cell: Integers, amounts: Iterable[Floats], low: Floats,
        high: Floats,
    ) -> Slices:  # fmt: skip
        """Return the sums of the amounts of rows, and the ends of their scores, by level and cell."""
        pair, at = numbered([codes, cell])
        sums = np.stack([totals(pair, each, len(at)) for each in amounts])
        used, level = np.unique(codes[at], return_inverse=True)
        minimum, maximum = np.full(len(used), np.inf), np.full(len(used), -np.inf)
        np.minimum.at(minimum, level[pair], low)
        np.maximum.at(maximum, level[pair], high)
        return cls(tuple(labels[code] for code in used), level, cell[at], sums, minimum, maximum)

    def without(self, labels: Iterable[str]) -> Slices:
        """Return the slices without these levels, whose responses are then in no level."""
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
        """(levels,): number of responses of each level."""
        return totals(self.level, self.sums[0], len(self.labels))

    def starts(self) -> Integers:
        """Return the position of the first entry of each level, and one past the last."""
        return np.searchsorted(self.level, np.arange(len(self.labels) + 1))


@dataclass(frozen=True)
class LevelSums:
    """Sums over responses of multiple amounts, (amounts, levels), with sorted labels of levels.

    >>> one = LevelSums.of(np.array([0, 1, 0]), ("b", "a"), [np.array([1.0, 2.0, 3.0])])
    >>> (one + LevelSums(("c",), np.array([[5.0]]))).sums.tolist()
    [[2.0, 4.0, 5.0]]
    """

    labels: tuple[str, ...]
    sums: Floats

    @classmethod
    def of(cls, codes: NDArray[np.integer], labels: Sequence[str], amounts: Iterable[Floats]) -> LevelSums:
        """Compute the sums of amounts, (n,) each, by the level of each response."""
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
        """Return the sums of one level in the form of overall sums; None if the level is missing."""
        if label not in self.labels:
            return None
        return LevelSums(("",), self.sums[:, [self.labels.index(label)]])


def sums_of_ratings(
    ratings: Floats, levels: tuple[NDArray[np.integer], Sequence[str]] | None = None, *, drawn: bool = False
) -> LevelSums:
    """Compute the sums for the rater error of (n, raters) ratings without a system score.

    All ratings count, or two are `drawn`. For responses with at least two ratings, the sums are of 1, of squares within
    and of c - 1, then of products of two.
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

    bounds: lowest and highest score after trimming (tolerance included); ``(-inf, inf)`` without trimming.
    ratings_alone: `sums_of_ratings` by grouping, for responses scored twice by raters but not by the system.
    """

    cells: Cells  # all combinations that occur
    slices: Mapping[str, Slices]  # one `Slices` per grouping column, including `OVERALL`
    bounds: tuple[float, float]
    ratings_alone: Mapping[str, LevelSums] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of responses."""
        return int(np.rint(self.slices[OVERALL].sums[0].sum()))

    @property
    def weights(self) -> Floats:
        """(cells,): number of responses in each cell."""
        overall = self.slices[OVERALL]
        return totals(overall.cell, overall.sums[0], len(self.cells))

    @property
    def raters(self) -> int:
        """Number of raters."""
        return int(self.cells.ratings.shape[1])

    def scored_by_raters_alone(self, grouping: str) -> Floats:
        """Return the responses of each level that raters scored twice but the system did not."""
        known, labels = self.ratings_alone.get(grouping), self.slices[grouping].labels
        counts = dict(zip(known.labels, known.sums[0].tolist(), strict=True)) if known else {}
        return np.array([counts.get(label, 0.0) for label in labels])

    def without(self, levels: Mapping[str, Iterable[str]]) -> Tally:
        """Return the tally without these levels; a grouping without levels is dropped."""
        slices = {name: part.without(levels.get(name, ())) for name, part in self.slices.items()}
        return replace(self, slices={name: part for name, part in slices.items() if part.labels})

    def __add__(self, other: Tally) -> Tally:
        """Return the tally of both sets of responses."""
        return merge([self, other])


def merge(tallies: Iterable[Tally]) -> Tally:
    """Merge tallies with the same bounds, raters, and groupings, in any order."""
    parts = list(tallies)
    keys, slices = merged([part.cells.keys() for part in parts], [part.slices for part in parts])
    alone: dict[str, LevelSums] = {}
    for part in parts:
        for name, own in part.ratings_alone.items():
            alone[name] = alone[name] + own if name in alone else own
    return Tally(Cells.from_keys(keys), slices, parts[0].bounds, alone)


def merged(keys: Sequence[Floats], slices: Sequence[Mapping[str, Slices]]) -> tuple[Floats, dict[str, Slices]]:
    """Return the distinct cells of multiple tallies, given by their keys, and the merged slices."""
    every = np.concatenate(keys)
    place, first = numbered(list(every.T))
    places = np.split(place, np.cumsum([len(each) for each in keys])[:-1])
    return every[first], {name: _merged([each[name] for each in slices], places) for name in slices[0]}


def _merged(parts: list[Slices], places: list[Integers]) -> Slices:
    labels = sorted({label for part in parts for label in part.labels})
    codes = {label: code for code, label in enumerate(labels)}
    level = np.concatenate([np.array([codes[label] for label in part.labels], np.intp)[part.level] for part in parts])
    cell = np.concatenate([place[part.cell] for part, place in zip(parts, places, strict=True)])
    low = np.concatenate([part.minimum[part.level] for part in parts])
    high = np.concatenate([part.maximum[part.level] for part in parts])
    return Slices.of(level, labels, cell, np.concatenate([part.sums for part in parts], axis=1), low, high)


def totals(position: Integers, weights: Floats, size: int) -> Floats:
    """Return the sum of the weights at each of `size` positions."""
    return np.bincount(position, weights, size).astype(np.float64, copy=False)


def products(left: Floats, right: Floats, powers: Floats) -> Floats:
    """Return (..., entries): sums over an entry's responses of the product of two polynomials (..., 3, entries)."""
    n, u1, u2, u3, u4 = powers
    a, b, c = (left[..., degree, :] for degree in range(3))
    d, e, f = (right[..., degree, :] for degree in range(3))
    return np.asarray(
        a * d * n + (a * e + b * d) * u1 + (a * f + b * e + c * d) * u2 + (b * f + c * e) * u3 + c * f * u4
    )


def distinct(codes: Integers, size: int) -> tuple[Integers, Integers]:
    """Return the sorted codes that occur, all below `size`, and the position of each code among them.

    >>> used, place = distinct(np.array([3, 0, 3]), 5)
    >>> used.tolist(), place.tolist()
    ([0, 3], [1, 0, 1])
    """
    if size > SPARSE * len(codes):
        return np.unique(codes, return_inverse=True)
    occurs = np.zeros(size, np.bool_)
    occurs[codes] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


MOST_STEPS = 1024  # integers within a range of this many are numbered without sorting


def numbered(columns: Sequence[NDArray[np.generic]]) -> tuple[Integers, Integers]:
    """Number the distinct rows in order; return the number of each row and the first row of each number.

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
    """Form of the score: unrounded or rounded, trimmed or not."""

    trimmed: bool = False
    rounded: bool = False


AS_GIVEN = Form()
TRIMMED = Form(trimmed=True)
ROUNDED = Form(trimmed=True, rounded=True)


class FormedScores(NamedTuple):
    """The score of every cell as ``alpha + beta * u``, and its comparison with the first rating.

    `sign` is the sign of score - first rating; `exact` and `adjacent` are whether they are equal, or differ by at most
    one step, if points must match. All three apply to every response of a cell.
    """

    alpha: Floats
    beta: Floats
    sign: Floats
    exact: NDArray[np.bool_]
    adjacent: NDArray[np.bool_]


def formed_scores(tally: Tally, form: Form) -> FormedScores:
    """Compute the system scores of each cell in a form.

    If the form varies within a cell, agreement is the stored class, otherwise the score's.
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


NEAR = 1e-4  # a score within this share of a step of a point equals the point; single precision requires it

TIE = 1e-9  # a score within this share of a step of the middle of two points is a tie

DIGITS = 12  # decimal places of a point: enough for any scale, and few enough to remove errors of multiplication


def as_written(points: NDArray[np.floating]) -> Floats:
    """Round points to their decimal notation, such as 0.3 for 3 times 0.1."""
    return np.round(points, DIGITS)


class Rounding(NamedTuple):
    """Points ``start + k step`` to which scores are rounded, half to even."""

    start: float = 0.0
    step: float = 1.0
    both: bool = False  # whether human scores are also rounded if points must match; RSMTool does not round them
    points: bool = True  # whether the scale has points; scores of a continuous scale never agree

    @property
    def whole(self) -> bool:
        """Whether the points are the integers."""
        return self.step == 1 and float(self.start).is_integer()

    @property
    def near(self) -> float:
        """The largest difference of equal scores."""
        return 0.0 if self.whole else self.step * NEAR

    @property
    def adjacent(self) -> float:
        """The largest difference of adjacent scores."""
        return self.step + self.near

    def steps(self, scores: Floats) -> Floats:
        """Return scores in steps above `start`, without rounding errors of integers and halves."""
        steps = (scores - self.start) / self.step
        halves = np.rint(2 * steps) / 2
        with np.errstate(invalid="ignore"):
            return np.where(np.abs(steps - halves) < TIE, halves, steps)

    def nearest(self, scores: Floats) -> Floats:
        """Return the nearest point of every score.

        >>> Rounding(1.0, 0.5).nearest(np.array([2.2, 2.3, -np.inf])).tolist()
        [2.0, 2.5, -inf]
        """
        if self.whole:
            return np.rint(scores)
        return as_written(self.start + self.step * np.rint(self.steps(scores)))

    def ratings(self, human: Floats) -> Floats:
        """Return ratings, with points corrected in their last digits."""
        if self.whole:
            return human
        nearest = self.nearest(human)
        with np.errstate(invalid="ignore"):
            return np.where(np.abs(human - nearest) <= self.near, nearest, human)

    def between(self, scores: Floats) -> NDArray[np.bool_]:
        """Return which scores are not points, apart from their last digits."""
        return np.asarray(np.abs(scores - self.nearest(scores)) > self.near)

    def matched(self, human: Floats) -> Floats:
        """Return ratings as they are compared if points must match."""
        return self.nearest(human) if self.both else human


WHOLE = Rounding()  # integers, for engine scores only


class TrimBounds(tuple[float, float]):
    """Lowest and highest score after trimming, tolerance included, and the rounding of trimmed scores."""

    rounding: Rounding

    @classmethod
    def of(cls, low: float, high: float, rounding: Rounding) -> TrimBounds:
        """Return bounds with their rounding."""
        made = cls((low, high))
        made.rounding = rounding
        return made


def rounding_of(bounds: tuple[float, float]) -> Rounding:
    """Return the rounding of scores between bounds; integers by default."""
    return getattr(bounds, "rounding", WHOLE)
