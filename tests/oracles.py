"""Independent computations with which several tests compare."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.results import Estimate


def jackknife_error(statistic: Callable[[NDArray[np.bool_]], Any], units: Any) -> Any:
    """Return the delete-one standard error of statistics of the rows that a mask keeps, unit by unit."""
    units = np.arange(units) if isinstance(units, int) else np.asarray(units)
    left = np.array([statistic(units != unit) for unit in np.unique(units)])
    return np.sqrt((len(left) - 1) / len(left) * ((left - left.mean(axis=0)) ** 2).sum(axis=0))


def quadratic_kappa(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Return quadratic weighted kappa from the moments of two scores."""
    return float(2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2))


def kappa(x: NDArray[Any], y: NDArray[Any], power: float | None = None, weights: NDArray[Any] | None = None) -> float:
    """Return Cohen's kappa from the table of two scores, weighted by a power of the distance."""
    weights = np.ones(len(x)) if weights is None else weights
    points = np.union1d(x, y)
    shares = np.array([[weights[(x == a) & (y == b)].sum() for b in points] for a in points]) / weights.sum()
    apart = np.abs(np.subtract.outer(points, points))
    loss = (apart > 0) * 1.0 if power is None else apart**power
    return float(1 - (loss * shares).sum() / (loss * np.outer(shares.sum(axis=1), shares.sum(axis=0))).sum())


def value(cell: object) -> float:
    """Return the value of a defined estimate."""
    assert isinstance(cell, Estimate)
    assert cell.value is not None
    return cell.value


def ends(cell: object) -> tuple[float, float]:
    """Return the ends of the interval of an estimate."""
    assert isinstance(cell, Estimate)
    assert cell.low is not None
    assert cell.high is not None
    return cell.low, cell.high
