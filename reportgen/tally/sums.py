"""Sums for all moment statistics.

`PairSums` describe two scores of the same responses (human and system, or two humans); `RatingSums` describe any number
of ratings and one system score. Every field is an array with one entry per slice (overall, each group, each replicate),
so formulas apply to all slices. Scores are measured from `centre`, a fixed number near the data, to avoid cancellation.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True)
class PairSums:
    """Sums over the responses that have both scores x and y; x' and y' are measured from `centre`.

    `x` is the reference (the first human), `y` the evaluated score (the system or the second human).
    """

    centre: float
    n: Floats  # responses
    x: Floats  # sum of x'
    y: Floats  # sum of y'
    xx: Floats  # sum of x'^2
    yy: Floats  # sum of y'^2
    xy: Floats  # sum of x' y'
    absolute: Floats  # sum of |x - y|
    exact: Floats  # number with x == y
    adjacent: Floats  # number with |x - y| of at most one step of the scale


@dataclass(frozen=True)
class RatingSums:
    """Sums over responses i with c_i human ratings, their mean m_i, and a system score s_i (from `centre`)."""

    centre: float
    n: Floats  # responses with at least one rating
    multiple: Floats  # responses with at least two ratings
    c: Floats  # sum of c
    cc: Floats  # sum of c^2
    cm: Floats  # sum of c m'
    cmm: Floats  # sum of c m'^2
    cms: Floats  # sum of c m' s'
    cs: Floats  # sum of c s'
    css: Floats  # sum of c s'^2
    within: Floats  # sum of squares of ratings about their response's mean
    freedom: Floats  # sum of (c - 1)
    s: Floats  # sum of s'
    ss: Floats  # sum of s'^2
