"""One stress from mild to strong, and every coefficient along the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from reportgen.errors import InputError
from reportgen.studies.agreement_robustness.coefficients import Floats, at_threshold, panel, rebinned, table_of
from reportgen.studies.agreement_robustness.stresses import (
    Integers,
    enlarged,
    gathered,
    gaussian_scores,
    moved,
    tilted,
)

# The designs of the paper: scale, spread of gold scores, and what the errors are.
PREVALENCE = {"points": 5, "share": 0.25, "step": 2}
MARGINALS = {"points": 10, "sd": 1.0, "error": 1.0}
MAGNITUDE = {"points": 10, "sd": 1.0, "error": 0.5}

STRESSES = ("prevalence", "marginals", "magnitude")
"""Stresses on synthetic scores."""

SPREADS = (0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2)
"""Spread of the gold scores in units of their own, where errors are left as they are."""


@dataclass(frozen=True)
class Sweep:
    """Every coefficient along one stress.

    Parameters
    ----------
    scores
        "synthetic", "real_like" or "own".
    stress
        A key of the words `stress` of the vocabulary.
    x
        Strength of the stress.
    mean, sd
        Coefficient -> mean and SD over replicates at each x; the SD is nan for a single one.
    beside
        What else changes along the way: at a passing threshold the share that both pass (prevalence), the mean
        share that passes (probability), and how alike the two shares are (similarity).
    """

    scores: str
    stress: str
    x: tuple[float, ...]
    mean: Mapping[str, Floats]
    sd: Mapping[str, Floats]
    beside: Mapping[str, Floats] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Key of its table."""
        return f"study.{self.scores}.{self.stress}"

    def range(self, name: str) -> float:
        """Return largest less smallest mean."""
        return float(np.nanmax(self.mean[name]) - np.nanmin(self.mean[name]))


def _sweep(scores: str, stress: str, x: Sequence[float], tables: Floats) -> Sweep:
    """Return a sweep from (replicates, x, points, points) tables."""
    values = panel(tables)
    several = len(tables) > 1
    return Sweep(
        scores, stress, tuple(float(each) for each in x),
        {name: each.mean(axis=0) for name, each in values.items()},
        {name: each.std(axis=0, ddof=1) if several else np.full(len(x), np.nan) for name, each in values.items()},
    )  # fmt: skip


def sweep_synthetic(
    key: str, n: int, replicates: int, seed: int, spreads: Sequence[float], sizes: Sequence[float]
) -> Sweep:
    """Return one stress on synthetic scores, by the paper's design."""
    place = STRESSES.index(key)
    designs: dict[str, tuple[Sequence[float], Callable[[np.random.Generator, float], Floats]]] = {
        "prevalence": (spreads, lambda rng, sd: _prevalence(rng, n, sd)),
        "marginals": (range(int(MARGINALS["points"])), lambda rng, centre: _marginals(rng, n, centre)),
        "magnitude": (sizes, lambda rng, size: _magnitude(rng, n, size)),
    }
    x, make = designs[key]
    tables = [
        [make(np.random.default_rng([seed, place, step, number]), value) for step, value in enumerate(x)]
        for number in range(replicates)
    ]
    return _sweep("synthetic", key, x, np.array(tables))


def _prevalence(rng: np.random.Generator, n: int, sd: float) -> Floats:
    points = int(PREVALENCE["points"])
    gold = gaussian_scores(rng, n, points, (points - 1) / 2, sd)
    system = moved(rng, gold, points, PREVALENCE["share"], int(PREVALENCE["step"]))
    return table_of(gold, system, points)


def _marginals(rng: np.random.Generator, n: int, centre: float) -> Floats:
    points = int(MARGINALS["points"])
    gold = gaussian_scores(rng, n, points, (points - 1) / 2, MARGINALS["sd"])
    return table_of(gold, gathered(rng, gold, points, centre, MARGINALS["error"]), points)


def _magnitude(rng: np.random.Generator, n: int, size: float) -> Floats:
    points = int(MAGNITUDE["points"])
    gold = gaussian_scores(rng, n, points, (points - 1) / 2, MAGNITUDE["sd"])
    return table_of(gold, enlarged(rng, gold, points, size, MAGNITUDE["error"]), points)


def sweep_own_errors(
    key: str,
    gold: Integers,
    labels: Sequence[float],
    error: float,
    replicates: int,
    seed: int,
    sizes: Sequence[float],
) -> Sweep:
    """Return what errors of the data's own sum do when they gather, or grow, on the data's own gold scores.

    Parameters
    ----------
    labels
        Points of the scale.
    error
        Mean absolute error, in points.
    """
    points = len(labels)
    recipes: dict[str, tuple[Sequence[float], Callable[..., Integers]]] = {
        "marginals": (range(points), gathered),
        "magnitude": ([size for size in sizes if size <= (points - 1) / 2] or [1.0], enlarged),
    }
    x, recipe = recipes[key]
    place = len(STRESSES) + list(recipes).index(key)
    tables = [
        [
            table_of(gold, recipe(np.random.default_rng([seed, place, number]), gold, points, value, error), points)
            for value in x
        ]
        for number in range(replicates)
    ]
    return _sweep("own", key, labels if key == "marginals" else x, np.array(tables))


def sweeps_of_scores(scores: str, tables: Sequence[Floats], labels: Sequence[float]) -> list[Sweep]:
    """Return the stresses that need no new errors: spread, passing threshold, fewer points.

    Parameters
    ----------
    labels
        Points of the scale.

    Raises
    ------
    InputError
        Human or engine scores do not vary.
    """
    stack = np.array(tables)
    points = stack.shape[-1]
    by_threshold = threshold_sweep(scores, stack, labels)
    spreads = [factor for factor in SPREADS if _spreads(stack, factor)]
    by_spread = np.array([[tilted(table, factor) for factor in spreads] for table in stack])
    fewer = [_mean_panel(rebinned(stack, size)) for size in range(points, 2, -1)]
    sizes = range(points, 2, -1)
    mean, sd = ({name: np.array([each[k][name] for each in fewer]) for name in fewer[0][0]} for k in (0, 1))
    return [
        _sweep(scores, "spread", spreads, by_spread),
        by_threshold,
        Sweep(scores, "rebinning", tuple(float(size) for size in sizes), mean, sd),
    ]


def threshold_sweep(scores: str, stack: Floats, labels: Sequence[float]) -> Sweep:
    """Return the coefficients of pass and fail at every passing score that parts both, human and system scores.

    Raises
    ------
    InputError
        There is none.
    """
    thresholds = [t for t in range(1, stack.shape[-1]) if _both_sides(stack, t)]
    if not thresholds:
        raise InputError(
            "no passing score parts the scores of both, human and engine: one of them has all on one side; expected "
            "scores that vary on the declared scale."
        )
    tables = np.stack([at_threshold(stack, threshold) for threshold in thresholds], axis=1)
    swept = _sweep(scores, "threshold", [labels[threshold] for threshold in thresholds], tables)
    return replace(swept, beside=_passing(tables))


def _passing(tables: Floats) -> dict[str, Floats]:
    """Return what figures 1 to 3 (right) of the paper have along their axes, means over replicates."""
    share = tables / tables.sum(axis=(-2, -1), keepdims=True)
    system, gold = share.sum(axis=-1)[..., 1], share.sum(axis=-2)[..., 1]
    passing = {
        "prevalence": share[..., 1, 1],
        "similarity": 1 - np.abs(gold - system),
        "probability": (gold + system) / 2,
    }
    return {name: values.mean(axis=0) for name, values in passing.items()}


def _mean_panel(tables: Floats) -> tuple[dict[str, float], dict[str, float]]:
    """Return mean and SD over replicates of every coefficient."""
    values = panel(tables)
    several = len(tables) > 1
    return (
        {name: float(each.mean()) for name, each in values.items()},
        {name: float(each.std(ddof=1)) if several else np.nan for name, each in values.items()},
    )


def _spreads(stack: Floats, factor: float) -> bool:
    """Return whether the scale leaves room for so wide a spread."""
    try:
        for table in stack:
            tilted(table, factor)
    except ValueError:
        return False
    return True


def _both_sides(stack: Floats, threshold: int) -> bool:
    """Return whether some response passes and some fails, in every set of scores."""
    passing = at_threshold(stack, threshold).sum(axis=-1)
    return bool((passing > 0).all())
