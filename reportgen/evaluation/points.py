"""Evaluated scores: trimmed, in steps of the scale, on its points or bands of points.

In steps, half points, a scale from 0 to 100, and continuous scores use the same tally, because a rounded score is a
point of the scale instead of an integer.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.results import Scale, round_step
from reportgen.tally import MOST_POINTS, OVERALL, TRIMMED, ClusteredRows, Floats, Integers, Tally, crossed
from reportgen.tally.cells import NEAR, WHOLE, Rounding, TrimBounds, as_written, formed_scores
from reportgen.wording.numbers import point

SINGLE_POINTS = 20  # largest number of points of a scale without bands

MOST_BANDS = 12
_WIDTHS = (2, 5, 10, 20, 25, 50, 100)  # points per band; the first that gives at most `MOST_BANDS` bands is used

MISSING = -1


@dataclass(frozen=True)
class Grid:
    """Points of a scale: score = start + step x steps.

    start, step: score at position 0, and distance of points.
    first, size: position of the first point in steps, and number of points (of bands on a continuous scale).
    """

    start: float
    step: float
    first: int
    size: int
    continuous: bool  # whether there are only bands, so agreement on points is undefined
    limits: tuple[float, float]  # bounds of trimming, in steps

    @classmethod
    def of(cls, scale: Scale, preparation: Preparation) -> Grid:
        """Return the points; a continuous scale has at most `MOST_BANDS` bands of a round width."""
        trim, bounds = preparation.trim, preparation.bounds
        continuous = scale.step == 0 or (scale.high - scale.low) / scale.step >= MOST_POINTS
        if continuous:  # a score on an edge belongs to the upper band
            span = scale.high - scale.low or 1.0
            step = round_step(0.0, span, MOST_BANDS)
            low = np.floor(scale.low / step + 1e-9) * step
            start, first = float(low + step / 2 - 1e-9 * step), 0
            last = max(1, int(np.ceil((scale.high - low) / step - 1e-9))) - 1
        else:  # wide trimming allows engine scores beyond the scale
            start, step = rounding_on(scale, as_rsmtool=False).start, scale.step
            first, last = (round((end - start) / step) for end in (min(scale.low, trim[0]), max(scale.high, trim[1])))
        limits = (bounds[0] - start) / step, (bounds[1] - start) / step
        return cls(start, step, first, last - first + 1, continuous, limits)

    @property
    def categories(self) -> Floats:
        """The points of the scale."""
        return as_written(self.start + self.step * (self.first + np.arange(self.size)))

    def steps(self, system: Floats) -> Floats:
        """Return engine scores in steps."""
        return (system - self.start) / self.step if self.continuous else Rounding(self.start, self.step).steps(system)

    def ratings(self, human: Floats) -> Floats:
        """Return ratings in steps, without rounding errors of integers."""
        steps = (human - self.start) / self.step
        nearest = np.rint(steps)
        return np.where(np.abs(steps - nearest) < NEAR, nearest, steps)

    def points(self, tally: Tally, rows: ClusteredRows | None, scale: Scale) -> Points:
        """Return the points of scores that were counted in steps."""
        names = names_of(scale, self.categories)
        return Points(**vars(self), tally=tally, rows=rows, declared=not scale.assumed, names=names)


@dataclass(frozen=True)
class Points(Grid):
    """The primary score and the ratings, in steps."""

    tally: Tally  # of engine scores and ratings in steps
    rows: ClusteredRows | None  # the responses with their test takers, if these are the units
    declared: bool  # whether the scale was declared; otherwise, it is inferred from the scores
    names: tuple[str, ...]  # names of the points: labels of the scale, or numbers

    @property
    def by_candidate(self) -> bool:
        """Whether test takers, not responses, are the units of intervals."""
        return self.rows is not None and self.rows.by_candidate

    @property
    def width(self) -> int:
        """Points per band; 1 without bands."""
        if self.size <= SINGLE_POINTS:
            return 1
        return next((width for width in _WIDTHS if self.size <= width * MOST_BANDS), -(-self.size // MOST_BANDS))

    @property
    def bands(self) -> int:
        """Number of levels (points or bands); a last band of less than half the width is merged."""
        return max(1, round(self.size / self.width))

    def level(self, position: Integers) -> Integers:
        """Return the level of positions among the points; `MISSING` is unchanged."""
        return np.minimum(position // self.width, self.bands - 1)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the levels: points, or bands of points."""
        if self.continuous:
            ends = self.start + self.step * (np.arange(self.size + 1) - 0.5)
            return tuple(f"{point(low)} to {point(high)}" for low, high in itertools.pairwise(ends))
        return tuple(
            self.names[low] if low == high else f"{self.names[low]} to {self.names[high]}" for low, high in self.edges
        )

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """The first and the last position of each level among the points."""
        starts = self.width * np.arange(self.bands)
        return tuple(zip(starts.tolist(), np.append(starts[1:] - 1, self.size - 1).tolist(), strict=True))

    def rated(self, rater: int) -> Integers:
        """Return (cells,): the position of a rater's score among the points, `MISSING` if there is none."""
        ratings = self.tally.cells.ratings[:, rater]
        given = np.isfinite(ratings)
        return np.where(given, self._position(np.where(given, ratings, self.first)), MISSING)

    def scored(self) -> Integers:
        """Return (cells,): the position of the trimmed and rounded engine score."""
        return self._position(formed_scores(self.tally, TRIMMED).alpha)

    def _position(self, steps: Floats) -> Integers:
        return np.clip(np.rint(steps).astype(np.intp) - self.first, 0, self.size - 1)

    def crossed(self, grouping: str, first: Integers, second: Integers) -> Floats:
        """Return (levels, points, points): the responses of every level by two positions, if both exist."""
        return crossed(self.tally.slices[grouping], first, second, self.size)

    def units(self, counted: NDArray[np.bool_]) -> float:
        """Return the number of test takers or responses in the counted cells."""
        if self.rows is None:
            return float(self.tally.weights[counted].sum())
        return float(self.rows.units(OVERALL, counted)[0])

    def squared_influence(self, influence: Floats) -> float:
        """Return the sum over units of a squared influence that is equal for all responses of a cell."""
        overall = self.tally.slices[OVERALL]
        moved = influence[overall.cell]
        if self.rows is None:
            return float((moved**2 * overall.sums[0]).sum())
        return float(self.rows.squared(OVERALL, moved[None])[0, 0])


def names_of(scale: Scale, points: Floats) -> tuple[str, ...]:
    """Return the names of points: the labels of the scale, or the numbers.

    >>> names_of(Scale(0, 1, 1, False, ("fail", "pass")), np.array([0.0, 1.0])), names_of(
    ...     Scale(1, 2, 0.5, False), np.array([1.0, 1.5])
    ... )
    (('fail', 'pass'), ('1', '1.5'))
    """
    known = dict(zip(scale.points(), scale.labels, strict=True)) if scale.labels else {}
    return tuple(known.get(value, point(value)) for value in map(float, points))


def in_whole_points(scale: Scale) -> bool:
    """Return whether the points of a scale are integers, so the tally of its scores is sufficient."""
    return scale.step == 1 and float(scale.low).is_integer() and scale.high - scale.low < MOST_POINTS


GIVEN, RESCALED = "raw", "scale"
"""Families of score types, named as in RSMTool's tables: unchanged, and rescaled to the human scale."""


def rounding_on(scale: Scale, *, as_rsmtool: bool) -> Rounding:
    """Return the points of the scale to which scores are rounded if they must match.

    On a continuous scale, scores are rounded to integers if a table requires points. RSMTool rounds engine scores to
    integers on any scale.
    """
    if as_rsmtool:
        return WHOLE
    if not scale.step:
        return Rounding(both=True, points=False)
    steps = scale.low / scale.step
    start = 0.0 if abs(steps - round(steps)) < NEAR else scale.low  # ties go to the even multiple of the step
    return Rounding(start, scale.step, both=True)


class Preparation(NamedTuple):
    """Preparation of system scores for evaluation.

    training: (mean, SD of the system's training predictions, mean, SD of their human scores), or None.
    """

    trim: tuple[float, float]  # lowest and highest score on the scale
    tolerance: float  # distance beyond them at which a score is trimmed
    training: tuple[float, float, float, float] | None = None
    as_is: bool = False  # whether the scores are already on the human scale, and so are named "scale" instead of "raw"
    rounding: Rounding = WHOLE  # the points to which scores are rounded if they must match

    @property
    def bounds(self) -> TrimBounds:
        """Lowest and highest score after trimming, with their rounding."""
        return TrimBounds.of(self.trim[0] - self.tolerance, self.trim[1] + self.tolerance, self.rounding)

    def families(self, system: Floats) -> dict[str, Floats]:
        """Return the system scores of every family."""
        if self.training is None:
            return {RESCALED if self.as_is else GIVEN: system}
        mean, sd, human_mean, human_sd = self.training
        return {GIVEN: system, RESCALED: (system - mean) / sd * human_sd + human_mean}

    def primary(self, system: Floats) -> Floats:
        """Return the trimmed scores of headline numbers: rescaled if scores are rescaled."""
        return np.asarray(np.clip(next(reversed(self.families(system).values())), *self.bounds))
