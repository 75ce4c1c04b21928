"""How near a matrix of ratings is to one of rank 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def low_rank_ratio(ratings: ArrayLike) -> float:
    """Return the second singular value divided by the Frobenius norm.

    It is the distance to the nearest matrix of rank 1, relative to the size of the matrix: 0 when all
    raters order and space the responses alike, through zero.

    Parameters
    ----------
    ratings
        (n, raters): complete ratings, not centred; at least two of each.

    Returns
    -------
    float
        0 to .71; nan when every rating is 0.

    Raises
    ------
    ValueError
        When there is one rater or response only, or a rating is missing.

    References
    ----------
    Wisniewski (2013), section 4.1.

    Examples
    --------
    Two raters who give independent whole scores from 1 to 5 approach sqrt(1 / 11) = .30:

    >>> rng = np.random.default_rng(0)
    >>> round(low_rank_ratio(rng.integers(1, 6, (100_000, 2))), 2)
    0.3
    """
    matrix = np.asarray(ratings, dtype=np.float64)
    if matrix.ndim != 2 or min(matrix.shape) < 2:
        raise ValueError(f"expected (n, raters) ratings with two of each or more; found shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError("expected complete ratings; some are missing")
    sizes = np.linalg.svd(matrix, compute_uv=False)
    total = np.sqrt((sizes**2).sum())
    return float(sizes[1] / total) if total > 0 else float("nan")
