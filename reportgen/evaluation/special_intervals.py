"""Intervals of statistics that a standard error does not serve: PRMSE, and scores without error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reportgen.metrics import errorless, pair
from reportgen.tally import Influence, Moments, Sums, covariances, fieller
from reportgen.tally.cells import Floats

METHOD_FIELLER = "Fieller's interval, variances by the infinitesimal jackknife on whole {units}"
METHOD_ERRORLESS = "bound from seeing no error (rule of three)"
MAYBE_NO_TRUE_VARIANCE = "the variance of true scores cannot be told from 0 by the responses that are scored twice"


class Estimated(Protocol):
    """What is read of a statistic's numbers."""

    @property
    def value(self) -> Floats: ...  # noqa: D102
    @property
    def error(self) -> Floats: ...  # noqa: D102
    @property
    def low(self) -> Floats: ...  # noqa: D102
    @property
    def high(self) -> Floats: ...  # noqa: D102


@dataclass(frozen=True)
class Ends:
    """New ends of an interval in some slices, how they were made, or why there are none."""

    where: NDArray[np.bool_]
    low: Floats
    high: Floats
    method: str
    reason: str = ""


def ratio_to_true_variance(
    numbers: Mapping[str, Estimated],
    influences: Mapping[str, Influence],
    slices: Moments,
    whole: Moments,
    units: Floats,
    level: float,
    clustered: bool,
) -> Ends:
    """Return Fieller's interval of PRMSE: 1 less that of mean squared error to true-score variance.

    It is used throughout: to use it only where the true-score variance is badly known would choose by
    the very estimate that went astray (see benchmarks/coverage.md).
    """
    top, bottom = numbers["true_score.mse_true"], numbers["true_score.true_variance"]
    of_top, of_bottom = influences["true_score.mse_true"], influences["true_score.true_variance"]
    varies = (numbers["true_score.prmse"].error > 0) & (bottom.error > 1e-7 * np.abs(bottom.value))
    together = covariances(of_top, of_bottom, slices, whole, units)
    low, high = fieller(top.value, bottom.value, (top.error**2, bottom.error**2, together), units - 1, level)
    return Ends(
        varies,
        1 - high,
        1 - low,
        METHOD_FIELLER.format(units="candidates" if clustered else "responses"),
        MAYBE_NO_TRUE_VARIANCE,
    )


def without_error(
    sums: Sums, numbers: Mapping[str, Estimated], worst: float, worst_human: float, level: float
) -> Iterator[tuple[str, Ends]]:
    """Return bounds for the statistics of scores that never differ, by key.

    Half of 1 - level pays for the share of errors, half for the variance of the human scores.

    Parameters
    ----------
    worst, worst_human
        How far a system score, and a second human score, can lie from the first.
    """
    perfect = {}
    for family, own, furthest in (("system", sums.system, worst), ("human", sums.human, worst_human)):
        perfect[family] = (own.n > 1) & (pair.squared_errors(own) == 0) & (pair.squares_x(own) > 0)
        if not perfect[family].any():
            continue
        ends = _bounds(own.n, numbers[f"{family}.h_sd"].low ** 2, furthest, level)
        for metric, (low, high) in ends.items():
            if f"{family}.{metric}" in numbers:
                yield f"{family}.{metric}", Ends(perfect[family], low, high, METHOD_ERRORLESS)
    ratings = sums.ratings
    agreed = perfect["system"] & (ratings.within == 0) & (ratings.multiple > 1)
    agreed &= pair.without_rounding(ratings.cmm - 2 * ratings.cms + ratings.css, ratings.cmm, ratings.n) == 0
    if agreed.any():
        quarter = 1 - (1 - level) / 4
        mse = errorless.largest_error_share(sums.system.n, quarter) * worst**2
        error = errorless.largest_error_share(np.maximum(ratings.multiple, 1), quarter) * worst_human**2 / 2
        low = errorless.least_prmse(mse, numbers["system.h_sd"].low ** 2, error)
        yield "true_score.prmse", Ends(agreed, low, np.ones_like(low), METHOD_ERRORLESS)


def _bounds(n: Floats, variance: Floats, worst: float, level: float) -> dict[str, tuple[Floats, Floats]]:
    """Return the ends for every metric of a pair of scores that agreed in all of n responses."""
    one, share = np.ones_like(n), errorless.largest_error_share(np.maximum(n, 1), level)
    half = errorless.largest_error_share(np.maximum(n, 1), (1 + level) / 2)
    mse, shift = half * worst**2, half * worst / np.sqrt(variance)
    return {
        "qwk": (errorless.least_qwk(mse, variance), one),
        "r": (errorless.least_correlation(mse, variance), one),
        "r_squared": (1 - mse / variance, one),
        "smd": (-shift, shift),
        "rmse": (0 * one, np.sqrt(share) * worst),
        "mae": (0 * one, share * worst),
    }


def widened_degradation(numbers: Mapping[str, Estimated], perfect: Mapping[str, Ends]) -> Iterator[tuple[str, Ends]]:
    """Return the ends of degradations one of whose parts is known by a bound alone."""
    for metric in ("qwk", "r"):
        parts = {family: perfect.get(f"{family}.{metric}") for family in ("system", "human")}
        if not any(parts.values()) or f"degradation.{metric}" not in numbers:
            continue
        own, n = numbers[f"degradation.{metric}"], len(numbers[f"degradation.{metric}"].value)
        where, both = np.zeros(n, bool), np.ones(n, bool)
        slack = {}
        for family, ends in parts.items():
            is_perfect = ends.where if ends is not None else np.zeros(n, bool)
            slack[family] = np.where(is_perfect, 1 - ends.low, 0.0) if ends is not None else np.zeros(n)
            where, both = where | is_perfect, both & is_perfect
        low = np.where(both, own.value, own.low) - slack["system"]
        high = np.where(both, own.value, own.high) + slack["human"]
        yield f"degradation.{metric}", Ends(where, low, high, METHOD_ERRORLESS)
