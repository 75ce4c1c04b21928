"""The score scale: declared, or read off the scores and marked as assumed."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError, SettingsError
from reportgen.results import Scale
from reportgen.settings import MOST_POINTS, PreparationSettings, Settings
from reportgen.sources.columns import Floats

NO_SCORE = "; where 0 means that there is no score, type --exclude-zero-scores"
"""What else to do when a human score of 0 lies outside the declared scale."""

_STEPS = (1.0, 0.5)
"""Steps a scale is assumed to have; scores that fit none of them are continuous (step 0)."""


COARSE, LEAST_COARSE = 5, 3
"""A longer step is assumed where it is at least so long, and raters gave at least so many of its points.

On a scale of tens, agreement to the point would be a matter of an engine's last digit; two to four may be chance.
"""

FEW_STEPS = 10
"""So long an assumed scale may be on the word of the engine, however few of its points raters used."""


class Span(NamedTuple):
    """The ends of the engine's scores, and whether all are whole, or whole and half; those of two tables add up.

    `common` is the greatest whole number that divides them all where they are whole, else 0.
    """

    low: float = np.inf
    high: float = -np.inf
    whole: bool = True
    halves: bool = True
    common: int = 0

    @classmethod
    def of(cls, scores: Floats) -> Span:
        """Return the span of some finite scores.

        Examples
        --------
        >>> Span.of(np.array([1.0, 2.5])) + Span.of(np.array([4.0]))
        Span(low=1.0, high=4.0, whole=False, halves=True, common=0)
        """
        if not scores.size:
            return cls()
        whole, halves = (not np.fmod(scores, step).any() for step in _STEPS)
        return cls(float(scores.min()), float(scores.max()), whole, halves, _divisor(scores) if whole else 0)

    def __add__(self, other: Span) -> Span:  # type: ignore[override]
        """Return the span of both."""
        ends = min(self.low, other.low), max(self.high, other.high)
        whole = self.whole and other.whole
        common = math.gcd(self.common, other.common) if whole else 0
        return Span(*ends, whole, self.halves and other.halves, common)


NOWHERE = Span()
"""Of no scores."""


def score_scale(
    declared: Scale | None, human: Floats, times: Floats | None = None, engine: Span | None = None
) -> Scale:
    """Return the declared scale, or the one that the scores span.

    Whole human scores give a step of 1, half points 0.5, and multiples of 5 or more, at three points or more, the
    longest step that they share, unless the engine gives whole numbers between; scores between those, and scores
    that would need more than 1,001 points, give a continuous scale, whose step is 0.  Scores of the engine on the
    same points lengthen it, but to no more than twice its length or ten steps, and not below 0 where no rater was.

    Parameters
    ----------
    declared
        The scale of the configuration, if any.
    human
        Human scores, shape (n, k), NaN where missing; at least one is not.
    times
        How often each of them was given; once when left out.
    engine
        The ends of the engine's scores, when these may lengthen a scale that is not declared.

    Raises
    ------
    InputError
        Human scores lie outside the declared scale.

    Examples
    --------
    >>> score_scale(None, np.array([[2.0, np.nan], [4.5, 3.0]]))
    Scale(low=2.0, high=4.5, step=0.5, assumed=True, labels=(), ordered=True)
    """
    given = ~np.isnan(human)
    scores = human[given]
    if declared is not None:
        _refuse_outside(scores, declared, None if times is None else times[given])
        return declared
    low, high = float(scores.min()), float(scores.max())
    for step in (*_coarse_step(scores, engine or NOWHERE), *_STEPS):
        if (high - low) / step < MOST_POINTS and np.all(scores / step == np.rint(scores / step)):
            return Scale(*_with_engine(low, high, step, engine or NOWHERE), step, assumed=True)
    return Scale(low, high, 0.0, assumed=True)


def _divisor(scores: Floats) -> int:
    """Return the greatest whole number that divides whole scores; 1 for scores too large to be counted exactly."""
    if np.abs(scores).max() >= 2**53:
        return 1
    return int(np.gcd.reduce(np.unique(np.abs(scores)).astype(np.int64)))


def _coarse_step(scores: Floats, engine: Span) -> tuple[float, ...]:
    """Return the long step that whole human scores share, if they do and no whole engine score lies between."""
    points = np.unique(scores)
    if len(points) < LEAST_COARSE or not np.all(points == np.rint(points)):
        return ()
    step = _divisor(points)
    between = engine.whole and engine.low <= engine.high and engine.common % step != 0
    return (float(step),) if step >= COARSE and not between else ()


def _with_engine(low: float, high: float, step: float, engine: Span) -> tuple[float, float]:
    """Return the ends of a scale that raters used, lengthened by an engine that gives its points."""
    on_points = engine.halves if step == 0.5 else engine.whole and engine.common % int(step) == 0
    if not on_points or engine.low > engine.high:
        return low, high
    lowest, highest = min(low, engine.low), max(high, engine.high)
    lowest = low if lowest < 0 <= low else lowest
    length = highest - lowest
    far = length > max(2 * (high - low), FEW_STEPS * step) or length / step >= MOST_POINTS
    return (low, high) if far else (lowest, highest)


def typed(low: float, high: float, step: float) -> str:
    """Return a scale as it is typed after ``--scale``; ends that no scale would have are left to fill in.

    Examples
    --------
    >>> typed(1, 6, 1), typed(1, 5, 0.5), typed(0.25, 99.125, 0), typed(-6, 1e308, 0)
    ('1:6', '1:5:0.5', '0.25:99.125:0', 'LOW:HIGH')
    """
    if not high - low < MOST_POINTS:
        return "LOW:HIGH"
    low_end, high_end = (repr(float(end)).removesuffix(".0") for end in (low, high))
    ends = f"{low_end}:{high_end}"
    return ends if step == 1 else f"{ends}:{step:g}"


def between_points(scale: Scale, human: Floats, times: Floats | None = None) -> int:
    """Return how many human scores, each given so many `times`, lie between the points of a scale.

    It is 0 for a continuous scale.
    """
    if scale.step == 0:
        return 0
    given = ~np.isnan(human)
    steps = (human[given] - scale.low) / scale.step
    return _number(np.abs(steps - np.rint(steps)) > 1e-6, None if times is None else times[given])


def trim_bounds(preparation: PreparationSettings, scale: Scale) -> tuple[float, float]:
    """Return the bounds of trimmed scores: as set, else the ends of the scale."""
    low = scale.low if preparation.trim_min is None else preparation.trim_min
    high = scale.high if preparation.trim_max is None else preparation.trim_max
    if low > high:
        raise SettingsError(
            f"preparation: trim_min ({low:g}) must not lie above trim_max ({high:g}); "
            "what is not set is the end of the score scale."
        )
    if scale.step > 0 and high - low >= MOST_POINTS * scale.step:
        raise SettingsError(
            f"preparation: trim_min ({low:g}) and trim_max ({high:g}) must lie within {MOST_POINTS:,} score points of "
            "each other; bring them nearer to the ends of the score scale."
        )
    return low, high


def trim_tolerance(settings: Settings, scale: Scale) -> float:
    """Return how far a trimmed score may lie beyond the bounds: a share of the step, so that it still rounds to them.

    It is 0 on a continuous scale, whose scores are not rounded.  An rsmeval configuration says the distance itself.
    """
    given = settings.preparation.trim_tolerance
    return given if settings.rsmeval is not None else given * scale.step


def _number(marked: NDArray[np.bool_], times: Floats | None) -> int:
    """Return how many scores are marked, when each was given so many times."""
    return int(marked.sum() if times is None else times[marked].sum())


def _refuse_outside(scores: Floats, declared: Scale, times: Floats | None) -> None:
    """Raise when scores lie outside the declared scale; says how many, and which values."""
    outside = (scores < declared.low) | (scores > declared.high)
    if not outside.any():
        return
    values, spanned = np.unique(scores[outside]), score_scale(None, scores)
    shown = ", ".join(f"{value:g}" for value in values[:5]) + (", ..." if values.size > 5 else "")
    raise InputError(
        f"human scores outside the declared scale {declared.low:g} to {declared.high:g}: {_number(outside, times):,}, "
        f"with the values {shown}; correct them, or declare the scale they are on, "
        f"as in --scale {typed(spanned.low, spanned.high, spanned.step)}"
        f"{NO_SCORE if 0 in values else ''}."
    )
