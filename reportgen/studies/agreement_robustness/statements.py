"""The names of the numbers on which statements of Yannakoudakis and Cummins (2015) rest: see ``paper.toml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.studies.agreement_robustness.sweeps import (
    SPREADS,
    WEIGHTS,
    Sweep,
    chance_agreement,
    coefficients,
    correlations,
    gaussian_scores,
    moved,
    panel,
    percent_agreement,
    rebinned,
    table_of,
    tilted,
)
from reportgen.studies.statements import Paper
from reportgen.studies.study import Floats

PAPER = Paper(Path(__file__).with_name("paper.toml"))
STEADY: float = PAPER.constants["steady"]

SHARES_ALIKE, SHARES_UNLIKE = ((60, 15), (15, 10)), ((60, 5), (25, 10))
"""Two tables with the same agreement (.70) and the same shares of both together: shares of each alike, and not."""

ALWAYS_PASS = ((80, 20), (0, 0))
"""A system that passes everybody, with the gold scores of table 1 (right): it agrees as often as the paper's."""

HIGHER = 3
"""Points by which all scores of an example lie too high, on a scale of ten."""

COARSE, FEW, FINE = 3, 5, 40
"""Points of the scale: the fewest of section 4.4, where quadratic kappa is said to rise most up to, and all."""

TWO_POINTS = ("kappa_linear", "bp_linear", "ac_linear")
"""What figures draw of pass and fail, where weights are the same."""

ALIKE = 0.99
"""Similarity from which passing shares count as equal."""

FAR, NEAR_MISSES = 5, 0.5
"""Two systems: one far off in every score, by so many points of ten; one off by a point in this share of scores."""


@dataclass(frozen=True)
class Found:
    """What statements are held against.

    sweeps: Stress -> coefficients along it, on synthetic scores or on the stand-in for the examination scripts.
    apart: Pass and fail where the system's mean lies off: its shares are as unlike as those of figure 2 (right).
    like (sets, points, points): tables of the stand-in.
    seed: Of the study.
    """

    sweeps: Mapping[str, Sweep]
    apart: Sweep
    like: Floats
    seed: int

    def names(self) -> dict[str, Any]:
        """Return the numbers found, by their names in ``paper.toml``."""
        printed = PAPER.constants["counts"].values()
        tables = {name: _without_weights(np.array(counts, float))
                  for name, counts in zip(("left", "right", "one", "other"), printed, strict=True)}  # fmt: skip
        alike, unlike, always = (
            coefficients(np.array(each, float), "identity") for each in (SHARES_ALIKE, SHARES_UNLIKE, ALWAYS_PASS)
        )
        tilts = [np.array([tilted(table, factor) for table in self.like]) for factor in (SPREADS[0], SPREADS[-1])]
        fine, coarse = correlations(self.like), correlations(rebinned(self.like, COARSE))
        ties = np.array([fine[name].mean() - coarse[name].mean() for name in fine])
        vary = [coarse[name].std(ddof=1) / fine[name].std(ddof=1) for name in fine] if len(self.like) > 1 else []
        threshold, sizes = self.sweeps["threshold"], self.sweeps["magnitude"]
        same = threshold.beside["similarity"] >= ALIKE
        lowest = threshold["kappa_linear"][same].argmin()
        stresses = [self.sweeps[key] for key in ("prevalence", "marginals", "spread", "rebinning")]
        return {
            **self.sweeps, **tables, **_examples(self.seed), "apart": self.apart, "alike": alike, "unlike": unlike,
            "always": always, "narrow": correlations(tilts[0]), "wide": correlations(tilts[1]), "fine": fine,
            "ties": ties, "ties_vary": vary,
            "tied": [_tied(self.like), _tied(rebinned(self.like, COARSE))],
            "kappas": [coefficients(self.like, weights)["kappa"].mean() for weights in ("identity", *WEIGHTS)],
            "agreement": percent_agreement(self.like).mean(),
            "shorter": {
                weights: [coefficients(rebinned(self.like, size), weights)["kappa"].mean() for size in (2, FEW, FINE)]
                for weights in WEIGHTS
            },
            "alpha_from_scott": max(
                np.abs(sweep[f"alpha_{weights}"] - sweep[f"scott_{weights}"]).max()
                for sweep in (*self.sweeps.values(), self.apart)
                for weights in WEIGHTS
            ),
            "both": [_passing(threshold), _passing(self.apart)],
            "lowest_where_alike": [threshold[name][same][lowest] for name in ("kappa_linear", "pa")],
            "with_similarity": lambda name: _rank_correlation(self.apart.beside["similarity"], self.apart[name]),
            "robust": _robust(sizes, stresses), "robust_of_all": _robust(sizes, [*stresses, threshold]),
            "farthest": lambda along, value: along[np.abs(along - value).argmax()],
        }  # fmt: skip


def _without_weights(counts: Floats) -> dict[str, Floats]:
    """Return the coefficients of a table without weights, percent agreement, and agreement by chance."""
    chance = {f"chance_{name}": value for name, value in chance_agreement(counts, "identity").items()}
    return coefficients(counts, "identity") | chance | {"pa": percent_agreement(counts)}


def _tied(tables: Floats) -> float:
    """Return the share of pairs of responses with the same gold score."""
    share = tables.sum(axis=-2) / tables.sum(axis=(-2, -1))[..., None]
    return float((share**2).sum(axis=-1).mean())


def _examples(seed: int) -> dict[str, Any]:
    """Return the examples of what correlations and agreement do not see, each made for the purpose."""
    draw = partial(gaussian_scores, n=5000)
    rng = np.random.default_rng([seed, 21])
    gold = draw(rng, points=10 - HIGHER, mean=(9 - HIGHER) / 2, sd=1.0)
    higher = table_of(gold, gold + HIGHER, 10)
    unrelated, related = np.zeros((FINE, FINE)), np.diag(np.r_[np.full(5, 10.0), np.zeros(FINE - 5)])
    unrelated[:3, :3], unrelated[-1, -1], related[0, -1] = 10, 1, 1
    rng = np.random.default_rng([seed, 22])
    gold = draw(rng, points=10 - FAR, mean=(9 - FAR) / 2, sd=0.5)
    # quadratic AC, tau-b and mean size of an error of a system that is far off, and of one that is nearly right
    far, near = (
        np.array([panel(table)["ac_quadratic"], correlations(table)["tau_b"], panel(table)["mae"]])
        for table in (table_of(gold, system, 10) for system in (gold + FAR, moved(rng, gold, 10, NEAR_MISSES, 1)))
    )
    return {
        "shifted": correlations(higher) | {"pa": percent_agreement(higher)},
        "unrelated": correlations(unrelated), "related": correlations(related), "far_off": far, "nearly_right": near,
    }  # fmt: skip


def _passing(sweep: Sweep) -> dict[str, Any]:
    """Return what figures 1 (right) and 3 are to show of pass and fail along the passing scores."""
    gaps = np.array([np.abs(sweep[name] - sweep["pa"]) for name in TWO_POINTS])
    most, probability = sweep.beside["prevalence"].argmax(), sweep.beside["probability"]
    places = probability.argmin(), np.abs(probability - 0.5).argmin(), probability.argmax()
    low, half, high = (sweep["kappa_linear"][place] for place in places)
    return {
        "moves": sweep.ranges(TWO_POINTS),
        "mean_gaps": np.nanmean(gaps, axis=1),
        "gaps_of_most": gaps[1:, most],
        "largest_gaps": gaps[1:].max(axis=1),
        "of_most": [sweep[name][most] for name in ("kappa_linear", "pa")],
        "by_weights": max(np.abs(sweep[f"{name}_linear"] - sweep[f"{name}_quadratic"]).max()
                          for name in ("kappa", "bp", "ac")),
        "by_probability": [low, half, high],
        "lower_at_ends": max(low, high) < half - STEADY,
    }  # fmt: skip


def _rank_correlation(one: Floats, other: Floats) -> float:
    first, second = (np.argsort(np.argsort(values)).astype(float) for values in (one, other))
    return float(np.corrcoef(first, second)[0, 1])


def _robust(sizes: Sweep, stresses: Sequence[Sweep]) -> dict[str, Any]:
    """Return how far quadratic AC, BP and kappa move at most, and whether the first two do so least.

    Of all coefficients that the size of errors moves.
    """
    most = {name: max(sweep.range(name) for sweep in stresses) for name in sizes.mean}
    noticing = [name for name in most if name not in ("pa", "mae") and sizes.range(name) > STEADY]
    best = sorted(noticing, key=lambda name: most[name])[:2]
    moves = [most[f"{name}_quadratic"] for name in ("ac", "bp", "kappa")]
    return {"moves": moves, "best": set(best) == {"ac_quadratic", "bp_quadratic"}}
