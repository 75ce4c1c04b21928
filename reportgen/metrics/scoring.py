"""The report's metrics as scikit-learn scorers, so that models are chosen by what they will be judged by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics.accuracy import mean_absolute_error, r_squared, root_mean_squared_error
from reportgen.metrics.agreement import exact_agreement, quadratic_weighted_kappa
from reportgen.metrics.association import pearson_r
from reportgen.metrics.catalogue import METRICS
from reportgen.metrics.coefficients import cohen_kappa
from reportgen.metrics.differences import standardized_mean_difference


def scorer(metric: str) -> Any:
    """Return a scikit-learn scorer for a metric of `METRICS` that compares human and system scores.

    Greater is better for every scorer, as scikit-learn wants it: errors (``"rmse"``, ``"mae"``) come
    with a minus sign, and ``"smd"`` as minus its absolute value.  Agreement on score points
    (``"kappa"``, and ``"exact_agreement"`` and ``"adjacent_agreement"`` as shares) is that of scores rounded half to
    even, the others take predictions as they are.  All of them take ``sample_weight``.

    Parameters
    ----------
    metric
        One of "qwk", "r", "r_squared", "rmse", "mae", "smd", "kappa", "exact_agreement",
        "adjacent_agreement".

    Returns
    -------
    callable
        ``scorer(estimator, X, human)``; nan where the metric is undefined, as for constant predictions.

    Raises
    ------
    ValueError
        When the metric is unknown, or is no comparison of two scores.
    ModuleNotFoundError
        When scikit-learn is not installed.

    References
    ----------
    Each metric's source stands in `METRICS`; the interface is that of ``sklearn.metrics.make_scorer``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> words = np.array([[120.0], [180.0], [240.0], [310.0]])
    >>> human = np.array([2, 3, 4, 5])
    >>> model = LinearRegression().fit(words, human)
    >>> round(scorer("qwk")(model, words, human), 3), round(scorer("rmse")(model, words, human), 3)
    (0.999, -0.043)
    """
    if metric not in _FUNCTIONS:
        known = ", ".join(f"'{name}'" for name in _FUNCTIONS)
        raise ValueError(f"'{metric}' is not a metric of human and system scores; expected one of {known}")
    from sklearn.metrics import make_scorer

    return make_scorer(_FUNCTIONS[metric], greater_is_better=METRICS[metric].better != "low")


def _kappa(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    return cohen_kappa(np.rint(human), np.rint(system), sample_weight=sample_weight).value


def _exact_agreement(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    return exact_agreement(np.rint(human), np.rint(system), sample_weight=sample_weight)


def _adjacent_agreement(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    return exact_agreement(np.rint(human), np.rint(system), tolerance=1, sample_weight=sample_weight)


def _distance_of_means(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    return -abs(standardized_mean_difference(human, system, sample_weight=sample_weight))


_FUNCTIONS: dict[str, Callable[..., float]] = {
    "qwk": quadratic_weighted_kappa,
    "r": pearson_r,
    "r_squared": r_squared,
    "rmse": root_mean_squared_error,
    "mae": mean_absolute_error,
    "smd": _distance_of_means,
    "kappa": _kappa,
    "exact_agreement": _exact_agreement,
    "adjacent_agreement": _adjacent_agreement,
}
"""Plain functions at the top of the module, so that a scorer can be sent to another process."""
