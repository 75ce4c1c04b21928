"""The score scale: declared, or read off the human scores and marked as assumed."""

from __future__ import annotations

import numpy as np

from reportgen.errors import InputError, SettingsError
from reportgen.results import Scale
from reportgen.scores.table import Floats
from reportgen.settings import PreparationSettings, ScaleSettings
from reportgen.settings.models import MOST_POINTS

_STEPS = (1.0, 0.5)
"""Steps a scale is assumed to have; scores that fit none of them are continuous (step 0)."""


def score_scale(declared: ScaleSettings | None, human: Floats) -> Scale:
    """Return the declared scale, or the one that the human scores span.

    Whole scores give a step of 1, half points 0.5; scores between those, and scores that would need
    more than 1,001 points, give a continuous scale, whose step is 0.

    Parameters
    ----------
    declared
        The scale of the configuration, if any.
    human
        Human scores, shape (n, k), NaN where missing; at least one is not.

    Raises
    ------
    InputError
        Human scores lie outside the declared scale.

    Examples
    --------
    >>> score_scale(None, np.array([[2.0, np.nan], [4.5, 3.0]]))
    Scale(low=2.0, high=4.5, step=0.5, assumed=True)
    """
    scores = human[~np.isnan(human)]
    if declared is not None:
        _refuse_outside(scores, declared)
        return Scale(declared.low, declared.high, declared.step, assumed=False)
    low, high = float(scores.min()), float(scores.max())
    for step in _STEPS:
        if np.all(scores / step == np.rint(scores / step)) and (high - low) / step < MOST_POINTS:
            return Scale(low, high, step, assumed=True)
    return Scale(low, high, 0.0, assumed=True)


def typed(low: float, high: float, step: float) -> str:
    """Return a scale as it is typed after ``--scale``.

    Examples
    --------
    >>> typed(1, 6, 1), typed(1, 5, 0.5), typed(0.25, 99.125, 0)
    ('1:6', '1:5:0.5', '0.25:99.125:0')
    """
    low_end, high_end = (repr(float(end)).removesuffix(".0") for end in (low, high))
    ends = f"{low_end}:{high_end}"
    return ends if step == 1 else f"{ends}:{step:g}"


def between_points(scale: Scale, human: Floats) -> int:
    """Return how many human scores lie between the points of a scale; 0 for a continuous one."""
    if scale.step == 0:
        return 0
    steps = (human[~np.isnan(human)] - scale.low) / scale.step
    return int(np.sum(np.abs(steps - np.rint(steps)) > 1e-6))


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


def _refuse_outside(scores: Floats, declared: ScaleSettings) -> None:
    """Raise when scores lie outside the declared scale; says how many, and which values."""
    outside = scores[(scores < declared.low) | (scores > declared.high)]
    if outside.size == 0:
        return
    values = np.unique(outside)
    shown = ", ".join(f"{value:g}" for value in values[:5]) + (", ..." if values.size > 5 else "")
    raise InputError(
        f"human scores outside the declared scale {declared.low:g} to {declared.high:g}: {outside.size:,}, "
        f"with the values {shown}; correct them, or declare the scale they are on, "
        f"as in --scale {scores.min():g}:{scores.max():g}."
    )
