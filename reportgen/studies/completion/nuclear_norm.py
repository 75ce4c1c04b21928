"""The matrix of smallest nuclear norm that agrees with the ratings that were given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEP_SHARE = 0.02
"""Step of the splitting, as a share of the largest singular value."""
MOST_STEPS, NEAR = 4000, 1e-7


def smallest_nuclear_norm(ratings: Floats) -> Floats:
    """Return the matrix with the smallest sum of singular values that agrees with the given ratings.

    Solved by alternating directions (Boyd et al. 2011): singular values are cut by a fixed step, given
    ratings are put back, until nothing moves.  A row without a rating becomes 0.

    Parameters
    ----------
    ratings
        (n, raters): NaN where missing; few raters, any number of responses.

    Returns
    -------
    numpy.ndarray
        (n, raters): given ratings unchanged, the others filled.

    References
    ----------
    Candès and Recht (2012); Wisniewski (2013), section 2.

    Examples
    --------
    >>> filled = smallest_nuclear_norm(np.array([[1.0, 2], [2, 4], [3, np.nan]]))
    >>> float(round(filled[2, 1], 2)) < 6
    True
    """
    given = np.isfinite(ratings)
    filled = np.where(given, ratings, 0.0)
    size = float(np.linalg.norm(filled, 2))
    if size == 0 or given.all():
        return filled
    dual, step = np.zeros_like(filled), STEP_SHARE * size
    for _ in range(MOST_STEPS):
        low = _cut(filled - dual, step)
        again = np.where(given, ratings, low + dual)
        dual = dual + low - again
        moved = np.linalg.norm(again - filled)
        filled = again
        if moved < NEAR * np.linalg.norm(filled):
            break
    return filled


def _cut(matrix: Floats, step: float) -> Floats:
    """Return the matrix with `step` taken off every singular value, by way of its small Gram matrix."""
    squares, vectors = np.linalg.eigh(matrix.T @ matrix)
    sizes = np.sqrt(np.maximum(squares, 0.0))
    kept = np.where(sizes > step, 1 - step / np.maximum(sizes, step), 0.0)
    cut: Floats = matrix @ (vectors * kept) @ vectors.T
    return cut
