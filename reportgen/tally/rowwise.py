"""Statistics of sums over responses, with standard errors by influence, where rows are at hand.

`joint` goes by cells and knows one system score per response; repeated runs are several, so what is
summed is given response by response here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.cells import Floats
from reportgen.tally.intervals import STEP

RowFeatures = Mapping[str, Floats]
"""Feature -> (n, ...): what each response adds to its sum."""

RowStatistics = Callable[[Mapping[str, Floats]], Mapping[str, Floats]]
"""Sums (feature -> (...)) -> statistic -> (outputs,); smooth, and complex where sums are."""


class RowNumbers(NamedTuple):
    """Values and standard errors of one statistic, each (outputs,), and the units that they rest on."""

    value: Floats
    error: Floats
    units: int


def rowwise(
    features: RowFeatures, statistics: RowStatistics, candidates: NDArray[np.integer] | None = None
) -> dict[str, RowNumbers]:
    """Return statistics of sums over responses with their infinitesimal-jackknife standard errors.

    Parameters
    ----------
    features
        What each response adds.
    statistics
        Takes the sums.
    candidates
        (n,): code of each response's candidate, who is then the unit; None when responses are.

    Examples
    --------
    The mean of four numbers, whose standard error is their SD over 2:

    >>> x = np.array([1.0, 2.0, 3.0, 6.0])
    >>> mean = lambda sums: {"mean": np.atleast_1d(sums["x"] / sums["n"])}
    >>> found = rowwise({"x": x, "n": np.ones(4)}, mean)["mean"]
    >>> found.value.tolist(), np.allclose(found.error, x.std(ddof=1) / 2)
    ([3.0], True)
    """
    sums = {name: np.asarray(feature.sum(axis=0)) for name, feature in features.items()}
    with np.errstate(all="ignore"):
        values = {name: np.atleast_1d(value) for name, value in statistics(sums).items()}
        influence = _influence(features, sums, statistics, values)
    numbers = {}
    for name, value in values.items():
        of_units = influence[name] if candidates is None else _summed(influence[name], candidates)
        units = len(of_units)
        squares = ((of_units - of_units.mean(axis=0)) ** 2).sum(axis=0)
        error = np.sqrt(squares * units / (units - 1)) if units > 1 else np.full(value.shape, np.nan)
        numbers[name] = RowNumbers(value, error, units)
    return numbers


def _influence(
    features: RowFeatures, sums: Mapping[str, Floats], statistics: RowStatistics, values: Mapping[str, Floats]
) -> dict[str, Floats]:
    """Return (n, outputs): what each response moves every statistic by; derivatives by a complex step."""
    n = len(next(iter(features.values())))
    influence = {name: np.zeros((n, value.size)) for name, value in values.items()}
    for feature, amounts in features.items():
        for place in np.ndindex(sums[feature].shape):
            moved = {name: total.astype(complex) for name, total in sums.items()}
            moved[feature][place] += 1j * STEP
            column = amounts[(slice(None), *place)]
            for name, value in statistics(moved).items():
                influence[name] += column[:, None] * (np.atleast_1d(value).imag / STEP)
    return influence


def _summed(influence: Floats, candidates: NDArray[np.integer]) -> Floats:
    """Return (candidates, outputs): influences summed by candidate."""
    _, codes = np.unique(candidates, return_inverse=True)
    total = np.zeros((int(codes.max(initial=-1)) + 1, influence.shape[1]))
    np.add.at(total, codes, influence)
    return total
