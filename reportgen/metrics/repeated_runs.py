"""Repeated runs of one system on the same responses: how much it differs from itself, and what that costs.

A score is response effect + run effect + rest, the design of responses crossed with raters (`crossed`)
with runs in the raters' place.  Averaging runs takes from the error of prediction what runs differ in:
``MSE(m) = MSE(1) - (1 - 1/m) v`` with v the variance of a response's runs, each response weighing by its
human ratings, as in PRMSE.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics import true_score
from reportgen.metrics._arrays import as_ratings
from reportgen.metrics.identified_raters import generalizability
from reportgen.tally.sums import Floats, RatingSums


@dataclass(frozen=True)
class RunVariance:
    """Variance components of repeated runs; unbiased and not cut at 0.

    Parameters
    ----------
    response, run, residual
        Variance of responses, of runs' means, and of the rest: what one run gives one response by chance.
    n, n_runs, n_scores
        Responses and runs with a score, and scores in all.
    reason
        Why values are nan; empty otherwise.
    """

    response: float
    run: float
    residual: float
    n: int
    n_runs: int
    n_scores: int
    reason: str = ""

    @property
    def run_to_run(self) -> float:
        """The variance of one response's score over runs: run and residual together."""
        return self.run + self.residual

    def reliability(self, runs: int) -> float:
        """Return the index of dependability of the mean of `runs` runs: 1 when runs never differ."""
        total = self.response + self.run_to_run / runs
        return self.response / total if total > 0 else math.nan


def run_variance(runs: ArrayLike) -> RunVariance:
    """Return the variance components of responses crossed with repeated runs, gaps allowed.

    Analysis-of-variance estimates as in `generalizability`, with runs in the place of raters.

    Parameters
    ----------
    runs
        (n, runs): scores, NaN where a run gave none.

    Returns
    -------
    RunVariance
        nan, with a reason, when there are fewer than two responses or runs, or too few scores overlap.

    Raises
    ------
    ValueError
        When `runs` has another shape or an infinite score.

    References
    ----------
    Searle, Casella and McCulloch (1992, chapter 5); Brennan (2001).

    Examples
    --------
    Six responses, four runs (the worked example of Shrout and Fleiss 1979: (BMS - EMS) / 4, (JMS - EMS) / 6, EMS):

    >>> from reportgen.metrics.worked_examples import SHROUT_FLEISS
    >>> found = run_variance(SHROUT_FLEISS)
    >>> round(found.response, 2), round(found.run, 2), round(found.residual, 2)
    (2.56, 5.24, 1.02)
    """
    found = generalizability(runs)
    reason = "too few scores of several runs overlap" if found.reason else ""
    return RunVariance(found.person, found.rater, found.residual, found.n, found.n_raters, found.n_ratings, reason)


def prmse_of_mean_of_runs(
    runs: ArrayLike, ratings: ArrayLike, of: int, *, error_variance: float | None = None
) -> float:
    """Return PRMSE that the mean of `of` runs would have; 1 gives that of a single run.

    Parameters
    ----------
    runs
        (n, runs): system scores, NaN where a run gave none.
    ratings
        (n, raters): human scores, NaN where missing.
    of
        Number of runs in the mean, at least 1; it may differ from the number of runs in the data.
    error_variance
        The rater error variance when it is known from elsewhere; else it is estimated.

    Returns
    -------
    float
        On the responses with two runs or more and a human score.  With every run present, `of` = 1 is PRMSE
        with the mean squared error averaged over runs, and `of` = runs is PRMSE of their mean.  nan when no
        response is left, or the rater error variance is unknown and none is rated twice.

    Raises
    ------
    ValueError
        When shapes do not fit, a score is infinite, or `of` is below 1.

    References
    ----------
    Haberman (2008) and Loukina et al. (2020) for PRMSE; that averaging m runs leaves 1/m of their variance
    is elementary.

    Examples
    --------
    Two runs that lie 1 above and 1 below a perfect score: one alone has an error of 1, their mean none.

    >>> human = np.array([[1.0, 1.0], [3.0, 3.0], [5.0, 5.0]])
    >>> runs = human + np.array([1.0, -1.0])
    >>> prmse_of_mean_of_runs(runs, human, 1), prmse_of_mean_of_runs(runs, human, 2)
    (0.75, 1.0)
    """
    if of < 1:
        raise ValueError(f"of must be 1 or more, found {of}")
    scores, human = as_ratings(runs), as_ratings(ratings)
    if len(scores) != len(human):
        raise ValueError(f"runs and ratings must have as many rows, found {len(scores)} and {len(human)}")
    features = prmse_features(scores, human)
    if not len(features["one"]):
        return math.nan
    with np.errstate(all="ignore"):
        sums = {name: np.atleast_1d(feature.sum()) for name, feature in features.items()}
        return float(prmse_of_runs(sums, of, error_variance)[0])


def usable_for_prmse(runs: Floats, ratings: Floats) -> np.ndarray:
    """Return which responses have two runs or more and a human score, (n,)."""
    usable: np.ndarray = ((~np.isnan(runs)).sum(axis=1) > 1) & (~np.isnan(ratings)).any(axis=1)
    return usable


def prmse_features(runs: Floats, ratings: Floats) -> dict[str, Floats]:
    """Return what each usable response adds to the sums of `prmse_of_runs`, (usable,) each."""
    usable = usable_for_prmse(runs, ratings)
    x, h = runs[usable], ratings[usable]
    c = (~np.isnan(h)).sum(axis=1).astype(np.float64)
    centre = float(np.nanmean(h)) if len(h) else 0.0
    m, x = np.nansum(h, axis=1) / c - centre, x - centre
    k = (~np.isnan(x)).sum(axis=1)
    mean = np.nansum(x, axis=1) / k
    spread = np.nansum((x - mean[:, None]) ** 2, axis=1)
    return {
        "one": np.ones(len(c)), "multiple": (c > 1).astype(np.float64), "c": c, "cc": c**2, "cm": c * m,
        "cmm": c * m**2, "cms": c * m * mean, "cs": c * mean, "css": c * (mean**2 + spread / k),
        "within": np.nansum((h - centre - m[:, None]) ** 2, axis=1), "freedom": c - 1,
        "runs": c * spread / (k - 1),
    }  # fmt: skip


def prmse_of_runs(sums: Mapping[str, Floats], of: int, error_variance: float | None = None) -> Floats:
    """Return PRMSE of the mean of `of` runs from sums of `prmse_features`; complex-safe."""
    averaged = RatingSums(
        centre=0.0, n=sums["one"], multiple=sums["multiple"], c=sums["c"], cc=sums["cc"], cm=sums["cm"],
        cmm=sums["cmm"], cms=sums["cms"], cs=sums["cs"], css=sums["css"] - (1 - 1 / of) * sums["runs"],
        within=sums["within"], freedom=sums["freedom"], s=0 * sums["one"], ss=0 * sums["one"],
    )  # fmt: skip
    return true_score.prmse(averaged, error_variance)
