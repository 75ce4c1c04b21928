"""Stresses on scores in increasing strength, and every agreement coefficient for each.

The methods are those in section 4 of Yannakoudakis and Cummins (2015): a changed distribution of gold scores with the
same errors; errors concentrated at one score, and larger errors, both with the same sum; and fewer points of the scale.
Scores count from 0. The formulas are those in `reportgen.metrics.chance_corrected` for two raters without missing
scores (Gwet 2014), for stacks of contingency tables. Weights refer to the whole scale.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.metrics import pearson_r
from reportgen.metrics.chance_corrected import Weights, weight_matrix
from reportgen.metrics.pair import ratio
from reportgen.metrics.two_scores import kendall_tau_b_of_table, spearman_rho_of_table
from reportgen.studies.study import Floats

if TYPE_CHECKING:
    from reportgen.studies.agreement_robustness import AgreementRobustness

Integers = NDArray[np.int64]

WEIGHTS: tuple[Literal["linear", "quadratic"], ...] = ("linear", "quadratic")

STRESSES = ("prevalence", "marginals", "magnitude")  # stresses on synthetic scores

SPREADS = (0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2)
"""SD of the gold scores relative to the original one, with unchanged errors."""

ROOM = 0.98  # largest requested share of the maximum variance

REAL_LIKE_POINTS, REAL_LIKE_N = 40, 1_238
"""Score points and number of the paper's examination scripts, whose scores are not available."""

CORRELATION = 0.75  # approximate value for their system and examiners


def table_of(gold: NDArray[np.integer], system: NDArray[np.integer], points: int) -> Floats:
    """Return (points, points): frequency of each pair of scores, system in rows; scores count from 0."""
    return np.bincount(system * points + gold, minlength=points * points).reshape(points, points).astype(np.float64)


def chance_agreement(tables: Floats, weights: Weights) -> dict[str, Floats]:
    """Return the chance agreement of kappa, Scott's pi, Brennan-Prediger, and AC, 0 to 1."""
    points = tables.shape[-1]
    credit = weight_matrix(weights, np.arange(points))
    share = tables / tables.sum(axis=(-2, -1))[..., None, None]
    rows, columns = share.sum(axis=-1), share.sum(axis=-2)
    pooled = (rows + columns) / 2
    return {
        "kappa": np.einsum("...k,kl,...l->...", rows, credit, columns),
        "scott": np.einsum("...k,kl,...l->...", pooled, credit, pooled),
        "bp": np.broadcast_to(credit.sum() / points**2, share.shape[:-2]),
        "ac": credit.sum() / (points * (points - 1)) * (pooled * (1 - pooled)).sum(axis=-1),
    }


def coefficients(tables: Floats, weights: Weights) -> dict[str, Floats]:
    """Return every coefficient of (..., points, points) tables; nan if it is 0/0."""
    credit = weight_matrix(weights, np.arange(tables.shape[-1]))
    n = tables.sum(axis=(-2, -1))
    observed = (tables / n[..., None, None] * credit).sum(axis=(-2, -1))
    chance = chance_agreement(tables, weights)
    found = {name: ratio(observed - expected, 1 - expected) for name, expected in chance.items()}
    paired = observed + (1 - observed) / (2 * n)
    return found | {"alpha": ratio(paired - chance["scott"], 1 - chance["scott"])}


def correlations(tables: Floats) -> dict[str, Floats]:
    """Return Pearson's, Spearman's and Kendall's (tau-b) correlation of (..., points, points) tables."""
    points = tables.shape[-1]
    each, (row, column) = tables.reshape(-1, points, points), np.indices((points, points)).reshape(2, -1)
    found = {
        "r": [pearson_r(row, column, sample_weight=table.ravel()) for table in each],
        "rho": [spearman_rho_of_table(table).value for table in each],
        "tau_b": [kendall_tau_b_of_table(table).value for table in each],
    }
    return {name: np.array(values).reshape(tables.shape[:-2]) for name, values in found.items()}


def percent_agreement(tables: Floats) -> Floats:
    """Return the share of responses with equal scores, 0 to 1."""
    return np.asarray(np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1)))


def panel(tables: Floats) -> dict[str, Floats]:
    """Return every coefficient with linear and quadratic weights, percent agreement and mean absolute error."""
    by_weights = {weights: coefficients(tables, weights) for weights in WEIGHTS}
    found = {f"{name}_{weights}": values for weights, each in by_weights.items() for name, values in each.items()}
    place = np.arange(tables.shape[-1])
    error = (tables * np.abs(place[:, None] - place)).sum(axis=(-2, -1)) / tables.sum(axis=(-2, -1))
    return found | {"pa": percent_agreement(tables), "mae": error}


def rebinned(tables: Floats, points: int) -> Floats:
    """Return the tables on a scale of fewer points; neighboring scores share bins of nearly equal size."""
    size = tables.shape[-1]
    return in_bins(tables, np.arange(size) * points // size, points)


def in_bins(tables: Floats, bins: NDArray[np.integer | np.bool_], points: int) -> Floats:
    """Return the tables by the bin of every point."""
    membership = (bins[:, None] == np.arange(points)).astype(np.float64)
    return np.asarray(np.einsum("ka,...kl,lb->...ab", membership, tables, membership))


def gaussian_scores(rng: np.random.Generator, n: int, points: int, mean: float, sd: float) -> Integers:
    """Return rounded normal scores on the scale; draws outside it are repeated."""
    kept: list[Integers] = []
    while sum(map(len, kept)) < n:
        drawn = np.rint(rng.normal(mean, sd, 2 * n)).astype(np.int64)
        kept.append(drawn[(drawn >= 0) & (drawn < points)])
    return np.concatenate(kept)[:n]


def moved(rng: np.random.Generator, gold: Integers, points: int, share: float, step: int) -> Integers:
    """Move a share of the gold scores by `step` points in a random direction.

    If the scale has no such point, another response is used (the paper's footnote 12).
    """
    to = gold + step * rng.choice([-1, 1], len(gold))
    order = rng.permutation(len(gold))
    chosen = order[((to >= 0) & (to < points))[order]][: int(share * len(gold))]
    system = gold.copy()
    system[chosen] = to[chosen]
    return system


def gathered(rng: np.random.Generator, gold: Integers, points: int, centre: float, error: float) -> Integers:
    """Return scores whose errors concentrate at one score, with a given mean absolute error.

    Responses in random order get a score drawn about `centre` (SD 1), up to the total error.
    """
    candidates = gaussian_scores(rng, len(gold), points, centre, 1.0)
    order = rng.permutation(len(gold))
    cost, budget = np.abs(candidates - gold)[order], round(len(gold) * error)
    system, spent, place = gold.copy(), 0, 0
    while place < len(order) and spent < budget:
        # as many in order as possible, then the following ones that still fit
        total = spent + np.cumsum(cost[place:])
        fit = int(np.searchsorted(total, budget, side="right"))
        taken = order[place : place + fit]
        system[taken] = candidates[taken]
        spent = int(total[fit - 1]) if fit else spent
        place += fit + 1
    return system


def enlarged(rng: np.random.Generator, gold: Integers, points: int, size: float, error: float) -> Integers:
    """Return scores with errors of a mean size (a mixture of two integers) and a given mean absolute error."""
    system, budget, spent = gold.copy(), round(error * len(gold)), 0
    lower = int(np.floor(size))
    for response in rng.permutation(len(gold)):
        step = min(lower + int(rng.random() < size - lower), budget - spent)
        if step == 0:
            break
        up, down = gold[response] + step < points, gold[response] - step >= 0
        if up or down:
            direction = rng.choice([-1, 1]) if up and down else (1 if up else -1)
            system[response] += direction * step
            spent += step
    return system


def real_like_table(rng: np.random.Generator, apart: float) -> Floats:
    """Return the table of simulated scores like those of the examination scripts, with means `apart` SDs apart."""
    covariance, highest = [[1, CORRELATION], [CORRELATION, 1]], REAL_LIKE_POINTS - 1
    latent = rng.multivariate_normal([-apart / 2, apart / 2], covariance, REAL_LIKE_N)
    gold, system = np.clip(np.rint(latent.T * (REAL_LIKE_POINTS / 6) + highest / 2), 0, highest).astype(np.int64)
    return table_of(gold, system, REAL_LIKE_POINTS)


def tilted(table: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
    """Return a table (system in rows) whose gold scores have `factor` times the SD, with the same errors.

    Columns are weighted by exp(a d + b d^2), with distance d from the mean gold score, and a and b such that the mean
    is unchanged and the SD is `factor` times the original. Among all distributions with this mean and SD, it is closest
    to the data. The system's distribution at each gold score is unchanged.

    Raises ValueError: If the gold scores do not allow such an SD.
    """
    from scipy.optimize import minimize

    share = table.sum(axis=0) / table.sum()
    used = share > 0
    place = np.arange(table.shape[1], dtype=np.float64)[used]
    mean = share[used] @ place
    deviation = (place - mean) / (np.ptp(place) or 1.0)
    wanted = factor**2 * (share[used] @ deviation**2)
    if wanted > ROOM * -deviation.min() * deviation.max():
        raise ValueError(f"the scores cannot vary {factor:g} times as much on this scale")
    powers = np.stack([deviation, deviation**2])
    target = np.array([0.0, wanted])

    def weights(tilt: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        exponent = tilt @ powers
        raised = share[used] * np.exp(exponent - exponent.max())
        return raised / raised.sum(), float(np.log(raised.sum()) + exponent.max())

    def dual(tilt: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        now, size = weights(tilt)
        return size - float(tilt @ target), powers @ now - target

    found = minimize(dual, np.zeros(2), jac=True, method="BFGS", options={"gtol": 1e-10})
    factors = np.zeros(table.shape[1])
    factors[used] = weights(found.x)[0] / share[used]
    return np.asarray(table * factors)


@dataclass(frozen=True)
class Sweep:
    """Every coefficient for one stress, (replicates, x), on "synthetic", "real_like", or "own" scores.

    beside: other values; at a passing threshold, the share that both pass (prevalence), the mean share that passes
        (probability), and the similarity of the two shares (similarity).
    """

    scores: str
    stress: str
    x: Sequence[float]
    panels: Mapping[str, Floats]
    beside: Mapping[str, Floats] = field(default_factory=dict)

    @cached_property
    def mean(self) -> Mapping[str, Floats]:
        """(x,) means over replicates by coefficient."""
        return {name: values.mean(axis=0) for name, values in self.panels.items()}

    @property
    def largest_sd(self) -> Floats:
        """(x,): the largest standard deviation of any coefficient over replicates; nan for a single replicate."""
        values = np.array([*self.panels.values()])
        return values.std(axis=1, ddof=1).max(axis=0) if values.shape[1] > 1 else np.full(len(self.x), np.nan)

    def __getitem__(self, name: str) -> Floats:
        """Return a coefficient along the stress."""
        return self.mean[name]

    def range(self, name: str) -> float:
        """Return largest minus smallest mean."""
        return float(np.nanmax(self.mean[name]) - np.nanmin(self.mean[name]))

    def ranges(self, names: Sequence[str]) -> Floats:
        """Return the ranges of coefficients."""
        return np.array([self.range(name) for name in names])

    def changes(self, names: Sequence[str]) -> Floats:
        """Return the changes of coefficients from first to last."""
        return np.array([self.mean[name][-1] - self.mean[name][0] for name in names])


def _stressed(
    scores: str, stress: str, x: Sequence[float], replicates: int, table: Callable[[int, int, float], Floats]
) -> Sweep:
    tables = [[table(number, *step) for step in enumerate(x)] for number in range(replicates)]
    return Sweep(scores, stress, x, panel(np.array(tables)))


def sweep_synthetic(key: str, design: AgreementRobustness) -> Sweep:
    """Compute one stress on synthetic scores with the paper's scale, SD of gold scores, and errors."""
    x = {"prevalence": design.spreads, "marginals": range(10), "magnitude": design.sizes}[key]
    points = 5 if key == "prevalence" else 10

    def make(number: int, step: int, value: float) -> Floats:
        rng = np.random.default_rng([design.seed, STRESSES.index(key), step, number])
        gold = gaussian_scores(rng, design.responses, points, (points - 1) / 2, value if key == "prevalence" else 1.0)
        if key == "prevalence":
            return table_of(gold, moved(rng, gold, points, share=0.25, step=2), points)
        stress, error = (gathered, 1.0) if key == "marginals" else (enlarged, 0.5)
        return table_of(gold, stress(rng, gold, points, value, error), points)

    return _stressed("synthetic", key, x, design.replicates, make)


def sweep_own_errors(
    key: str, design: AgreementRobustness, gold: Integers, labels: Sequence[float], error: float
) -> Sweep:
    """Compute stresses with the data's gold scores and total error: concentrated or larger errors."""
    points, gathering = len(labels), key == "marginals"
    x = range(points) if gathering else [size for size in design.sizes if size <= (points - 1) / 2] or [1.0]

    def make(number: int, _: int, value: float) -> Floats:
        rng = np.random.default_rng([design.seed, len(STRESSES) + (not gathering), number])
        return table_of(gold, (gathered if gathering else enlarged)(rng, gold, points, value, error), points)

    found = _stressed("own", key, x, design.replicates, make)
    return replace(found, x=labels) if gathering else found


def sweeps_of_scores(scores: str, stack: Floats, labels: Sequence[float]) -> list[Sweep]:
    """Compute the stresses without new errors: SD, passing threshold, fewer points."""
    by_threshold = threshold_sweep(scores, stack, labels)
    spread = {}
    for factor in SPREADS:
        with suppress(ValueError):  # the scale does not allow this SD
            spread[factor] = np.array([tilted(table, factor) for table in stack])
    sizes = range(stack.shape[-1], 2, -1)
    fewer = [panel(rebinned(stack, size)) for size in sizes]
    by_size = {name: np.stack([each[name] for each in fewer], axis=1) for name in fewer[0]}
    return [
        Sweep(scores, "spread", [*spread], panel(np.stack([*spread.values()], axis=1))),
        by_threshold,
        Sweep(scores, "rebinning", sizes, by_size),
    ]


def threshold_sweep(scores: str, stack: Floats, labels: Sequence[float]) -> Sweep:
    """Compute the coefficients of pass and fail at every passing score that divides human and system scores."""
    points = stack.shape[-1]
    parted = {threshold: in_bins(stack, np.arange(points) >= threshold, 2) for threshold in range(1, points)}
    parted = {threshold: tables for threshold, tables in parted.items() if (tables.sum(axis=-1) > 0).all()}
    if not parted:
        raise InputError(
            "no passing score divides both human and engine scores; expected scores that vary on the declared scale."
        )
    tables = np.stack(list(parted.values()), axis=1)
    share = tables / tables.sum(axis=(-2, -1), keepdims=True)
    system, gold = share.sum(axis=-1)[..., 1], share.sum(axis=-2)[..., 1]
    # the axes of figures 1 to 3 (right) of the paper
    similarity, probability = 1 - np.abs(gold - system), (gold + system) / 2
    passing = {"prevalence": share[..., 1, 1], "similarity": similarity, "probability": probability}
    beside = {name: values.mean(axis=0) for name, values in passing.items()}
    return Sweep(scores, "threshold", [labels[threshold] for threshold in parted], panel(tables), beside)
