"""Independent computations with which several tests compare."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray


def jackknife_error(statistic: Callable[[NDArray[np.bool_]], Any], units: Any) -> Any:
    """Return the delete-one standard error of statistics of the rows that a mask keeps, unit by unit."""
    units = np.arange(units) if isinstance(units, int) else np.asarray(units)
    left = np.array([statistic(units != unit) for unit in np.unique(units)])
    return np.sqrt((len(left) - 1) / len(left) * ((left - left.mean(axis=0)) ** 2).sum(axis=0))
