"""Agreement weights: how much credit a pair of categories gets, from 1 (the same) down.

Named weights follow Gwet (2014, chapter 3).  They depend on the categories' values, so they must be
made from the declared scale and not from the labels that happen to occur.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from reportgen.tally.sums import Floats

Weights = str | ArrayLike
"""The name of a weight set, or a symmetric (K, K) matrix."""


def weight_matrix(weights: Weights, categories: ArrayLike) -> Floats:
    """Return the agreement weights of every pair of categories.

    Parameters
    ----------
    weights
        One of `NAMED_WEIGHTS`, or a symmetric matrix, which is returned as it is.
    categories
        (K,): values of the categories; a single category gets weight 1.

    Returns
    -------
    numpy.ndarray
        (K, K), symmetric; named weights have 1 on the diagonal and lie between 0 and 1.

    Raises
    ------
    ValueError
        When the name is unknown, the matrix is not symmetric or of another size, or the weights need
        categories from 0 up and got a negative one.

    Examples
    --------
    >>> weight_matrix("quadratic", [1, 2, 3])
    array([[1.  , 0.75, 0.  ],
           [0.75, 1.  , 0.75],
           [0.  , 0.75, 1.  ]])
    """
    values = np.asarray(categories, float)
    if not isinstance(weights, str):
        return _checked_matrix(weights, len(values))
    if weights not in NAMED_WEIGHTS:
        raise ValueError(f"weights {weights!r} are unknown; use one of {', '.join(NAMED_WEIGHTS)}, or a matrix")
    if len(values) < 2:
        return np.ones((len(values), len(values)))
    loss = NAMED_WEIGHTS[weights](values)
    return np.asarray(1 - loss / loss.max())


def _checked_matrix(weights: ArrayLike, size: int) -> Floats:
    """Return the matrix, refused unless it is finite, symmetric and of this size."""
    matrix = np.asarray(weights, float)
    if matrix.shape != (size, size):
        raise ValueError(f"the weight matrix has shape {matrix.shape}; {size} categories need {(size, size)}")
    if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T, rtol=0, atol=1e-12):
        raise ValueError("the weight matrix must be finite and symmetric: disagreement has no direction")
    return matrix


def _distance(values: Floats) -> Floats:
    """Return |a - b| for every pair."""
    return np.abs(values[:, None] - values)


def _identity(values: Floats) -> Floats:
    return 1 - np.eye(len(values))


def _linear(values: Floats) -> Floats:
    return _distance(values)


def _quadratic(values: Floats) -> Floats:
    return _distance(values) ** 2


def _radical(values: Floats) -> Floats:
    return np.sqrt(_distance(values))


def _ordinal(values: Floats) -> Floats:
    """Return the number of pairs of categories within the span: only the order counts."""
    span = _distance(np.arange(len(values), dtype=float)) + 1
    return span * (span - 1) / 2


def _ratio(values: Floats) -> Floats:
    if values.min() < 0:
        raise ValueError(f"ratio weights need categories from 0 up; found {values.min():g}")
    total = values[:, None] + values
    share = np.divide(_distance(values), total, out=np.zeros_like(total), where=total > 0)
    return share**2


def _circular(values: Floats) -> Floats:
    """Return distances on a circle on which the highest category is followed by the lowest."""
    circumference = float(np.ptp(values)) + 1
    return np.sin(np.pi * _distance(values) / circumference) ** 2


def _bipolar(values: Floats) -> Floats:
    """Return distances that count for more near the ends of the scale than in its middle."""
    total = values[:, None] + values
    room = (total - 2 * values.min()) * (2 * values.max() - total)
    return np.asarray(np.divide(_distance(values) ** 2, room, out=np.zeros_like(room), where=room > 0))


NAMED_WEIGHTS: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {
        "identity": _identity,
        "linear": _linear,
        "quadratic": _quadratic,
        "ordinal": _ordinal,
        "radical": _radical,
        "ratio": _ratio,
        "circular": _circular,
        "bipolar": _bipolar,
    }
)
"""Name -> the loss of every pair of categories; the weight is 1 - loss / largest loss."""
