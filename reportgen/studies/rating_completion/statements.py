"""Numbers on which statements of Wisniewski (2013) rest, and its numbers beside ours: see ``paper.toml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.metrics import cohen_kappa, fleiss_kappa, kendall_tau_b
from reportgen.results import Kind, Table
from reportgen.studies.completion import METHODS, different_orders, low_rank_ratio, one_rating_each
from reportgen.studies.rating_completion.experiments import PAIRS, SCALE, SINGLE, Recovery, tides_like
from reportgen.studies.statements import Paper, Statement, gaps_table
from reportgen.studies.study import Floats

PAPER = Paper(Path(__file__).with_name("paper.toml"))

SHARES = (0.1, 0.2, 0.3, 0.4)
"""Shares of missing ratings; the second corpus (TIDES) has no results at .4."""

POINTS = range(SCALE[0], SCALE[1] + 1)

MODERATE, WEAK = 1.0, 0.1
"""Levels of noise at which the low-rank ratio is looked at."""


@dataclass(frozen=True)
class Simulated:
    """What is found in simulated ratings.

    ratings (n, 3): those of the first corpus.
    pairs, three, sets: What was recovered of two judges at a time, of all three together, and of the second corpus.
    low_rank: Kind of noise, and (level, mean ratio, limit) of each level.
    random_ratio: Low-rank ratio of a random matrix.
    planted: "share" of ratings that were replaced, and the share of them "found".
    """

    ratings: Floats
    pairs: Sequence[Recovery]
    three: Sequence[Recovery]
    sets: Sequence[Recovery]
    low_rank: Sequence[tuple[int, list[tuple[float, float, float]]]]
    random_ratio: float
    planted: Mapping[str, float]

    @property
    def ratio(self) -> float:
        """The mean low-rank ratio of three judges, two at a time."""
        return float(np.mean([low_rank_ratio(self.ratings[:, list(pair)]) for pair in PAIRS]))

    def names(self) -> dict[str, Any]:
        """Return the numbers found, by their names in ``paper.toml``; nan for shares of gaps that were not drawn."""
        weak, moderate = (
            [mean for _, levels in self.low_rank for one, mean, _ in levels if one == level]
            for level in (WEAK, MODERATE)
        )
        return {
            "pairs": _means(self.pairs), "three": _means(self.three), "sets": _means(self.sets), "weak": weak,
            "moderate": moderate, "random_ratio": self.random_ratio, "ratio": self.ratio, "planted": self.planted,
        }  # fmt: skip

    def statements(self) -> list[Statement]:
        """Return the paper's statements with their outcomes."""
        return PAPER.statements(self.names())

    def beside_tables(self) -> list[Table]:
        """Return the paper's tables 1 to 3, every number beside ours, and those of three judges."""
        kinds: dict[str, Kind] = {"error": "score", "tau": "score", "opposite": "percent"}
        printed = [*PAPER.printed(self.names())]
        return [
            gaps_table(key, kind, [one for one in printed if one.entry["measure"] == key], 40,
                       beside="" if key == "opposite" else "three")
            for key, kind in kinds.items()
        ]  # fmt: skip

    def corpora_table(self, rng: np.random.Generator) -> Table:
        """Return what the paper reports of its ratings beside the simulated judges: how near the stand-in comes."""
        pairs, sets = [self.ratings[:, list(pair)] for pair in PAIRS], tides_like(rng)
        apart, single, of = np.array([_orders(each, rng) for each in sets]).sum(axis=0)
        found = {
            "kappas": [_kappa(pair) for pair in pairs],
            "fleiss": fleiss_kappa(self.ratings, categories=POINTS).value,
            "taus": [float(kendall_tau_b(pair[:, 0], pair[:, 1])) for pair in pairs],
            "three": _means(self.three),
            "ratio": self.ratio,
            "kappas_of_sets": [_kappa(each.reshape(-1, 2)) for each in sets],
            "apart": 100 * apart / of,
            "single_turned": 100 * single / of,
        }
        return PAPER.stand_in("study.corpora", found)


def single_tau(found: Sequence[Recovery]) -> float:
    """Return the mean tau-b of one rating each with the mean of all."""
    return float(np.mean([one.tau for one in found if one.method == SINGLE]))


def _means(found: Sequence[Recovery]) -> dict[str, Any]:
    """Return number -> method -> means over draws at all shares of the paper; nan where nothing was drawn."""
    means: dict[str, Any] = {"single": single_tau(found)}
    for what in ("error", "tau", "turned"):
        means[what] = {}
        for method in (SINGLE, *METHODS):
            drawn = [
                [getattr(one, what) for one in found if one.share == share and one.method == method] for share in SHARES
            ]
            means[what][method] = np.array([np.mean(values) if values else np.nan for values in drawn])
    return means


def _kappa(pair: Floats) -> float:
    return cohen_kappa(*pair.T, categories=POINTS, weights="linear").value


def _orders(ratings: Floats, rng: np.random.Generator) -> tuple[int, int, int]:
    """Return how many pairs of systems two judges, or one rating each and two, put in opposite order, of how many."""
    systems, flat = np.repeat(np.arange(ratings.shape[0]), ratings.shape[1]), ratings.reshape(-1, 2)
    apart, of = different_orders(flat[:, 0], flat[:, 1], systems)
    single, _ = different_orders(one_rating_each(flat, rng), flat.mean(axis=1), systems)
    return apart, single, of
