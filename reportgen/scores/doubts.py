"""What puts every number in doubt: a column given twice, zeros left out on a guess."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from reportgen.results import Scale
from reportgen.scores.scale import typed
from reportgen.scores.table import Floats, Zeros

LEAST_SHARED = 10
"""Fewer responses than this may be scored alike by chance."""


def given_twice(names: Sequence[str], scores: Sequence[Floats]) -> list[str]:
    """Return a sentence for each pair of score columns that are equal wherever both have a score.

    Parameters
    ----------
    names, scores
        The columns, system first, each of shape (n,), NaN where missing.

    Examples
    --------
    >>> engine = np.arange(12.0)
    >>> given_twice(["engine", "h1", "h2"], [engine, engine, engine + 1])
    ["'engine' and 'h1' hold equal scores in all 12 responses that have both: probably one column given twice."]
    """
    told = []
    for (first, a), (second, b) in combinations(zip(names, scores, strict=True), 2):
        shared = ~np.isnan(a) & ~np.isnan(b)
        n = int(shared.sum())
        # a constant score says nothing about where it comes from
        if n >= LEAST_SHARED and np.array_equal(a[shared], b[shared]) and np.ptp(a[shared]) > 0:
            told.append(
                f"'{first}' and '{second}' hold equal scores in all {n:,} responses that have both: "
                "probably one column given twice."
            )
    return told


def zeros_sentence(zeros: Zeros, scale: Scale) -> str:
    """Return what was left out because its human score is 0, and what to type when 0 is a score."""
    agreed = (
        f"; the engine gives {zeros.engine_too:,} of them a score that rounds to 0 as well, so 0 may be a score"
        if zeros.engine_too
        else ""
    )
    text = f"Responses left out because their human score is 0: {zeros.left_out:,} of {zeros.read:,}{agreed}."
    return (
        f"{text} 0 usually means that a response could not be scored; when 0 is a score, type "
        f"--scale {typed(min(0.0, scale.low), max(0.0, scale.high), scale.step)} or set exclude_zero_scores = false."
    )
