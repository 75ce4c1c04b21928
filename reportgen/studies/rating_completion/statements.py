"""What Wisniewski (2013) says, statement by statement, held against two simulated judges at a time, and three."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from reportgen.studies.printed import in_figure, in_section, in_table
from reportgen.studies.rating_completion import published
from reportgen.studies.rating_completion.beside import Recovered
from reportgen.studies.statements import Statement, near

MODERATE, WEAK = 1.0, 0.1
"""Levels of noise at which the low-rank ratio is looked at."""

CHANCE_TIMES = 5
"""Times the share by chance that planted errors must be found to count as found."""

LowRank = Sequence[tuple[int, list[tuple[float, float, float]]]]


def statements(
    found: Recovered, low_rank: LowRank, random_ratio: float, ratio: float, planted: Mapping[str, float]
) -> list[Statement]:
    """Return every statement with its outcome.

    Parameters
    ----------
    found
        What was recovered, at all shares of the paper.
    low_rank
        Kind of noise -> (level, mean ratio, limit).
    random_ratio, ratio
        Low-rank ratio of a random matrix and of the judges.
    planted
        "share" of ratings that were replaced, and the share of them "found".
    """
    return [
        *_of_rank(low_rank, random_ratio, ratio),
        *_of_errors(found),
        *_of_ranks(found),
        *_of_comparisons(found),
        Statement(in_section("5"), "errors_found", planted["found"] > CHANCE_TIMES * planted["share"], (),
                  (100 * planted["found"],), "percent"),
        Statement(in_section("1"), "cheaper", None),
        Statement(in_section("3"), "other_corpora", None),
    ]  # fmt: skip


def _of_rank(low_rank: LowRank, random_ratio: float, ratio: float) -> Iterator[Statement]:
    """Yield what is said of nearness to rank 1."""
    at = {level: [mean for _, levels in low_rank for one, mean, _ in levels if one == level]
          for level in (WEAK, MODERATE)}  # fmt: skip
    yield Statement(in_figure("1"), "rank_weak", max(at[WEAK]) < 0.1, (), at[WEAK])
    yield Statement(in_figure("1"), "rank_moderate", max(at[MODERATE]) < random_ratio, (),
                    [*at[MODERATE], random_ratio])  # fmt: skip
    yield Statement(in_section("4.1"), "rank_judges", near([published.RATIO], [ratio]), [published.RATIO], [ratio],
                    "number")  # fmt: skip


def _many(found: Recovered, design: str, what: str, method: str) -> list[float]:
    """Return the numbers of a method at all shares of the paper."""
    values = (found.of(design, what, method, share) for share in published.SHARES)  # type: ignore[arg-type]
    return [value for value in values if value is not None]


def _of_errors(found: Recovered) -> Iterator[Statement]:
    """Yield what is said of mean absolute errors, first corpus and second."""
    for design in ("pairs", "three"):
        nuclear, mean, random = (_many(found, design, "error", method) for method in ("nuclear", "mean", "random"))
        old = published.MAE["nuclear"]
        yield Statement(in_table("1"), f"size_{design}", near(old, nuclear), _ends(old), _ends(nuclear))
        beaten = all(one < other for one, other in zip(nuclear, random, strict=True))
        yield Statement(in_section("4.2"), f"beats_random_{design}", beaten, _ends(old), _ends(nuclear))
        few = all(one < other for one, other in zip(nuclear[:2], mean[:2], strict=True))
        yield Statement(in_table("1"), f"beats_mean_{design}", few, old[:2], nuclear[:2])
    nuclear = _many(found, "pairs", "error", "nuclear")
    yield Statement(in_section("4.2"), "falls_quickly", nuclear == sorted(nuclear), _ends(published.MAE["nuclear"]),
                    _ends(nuclear))  # fmt: skip
    mean, random = (_many(found, "pairs", "error", method) for method in ("mean", "random"))
    yield Statement(in_table("1"), "size_mean", near(published.MAE["mean"], mean), _ends(published.MAE["mean"]),
                    _ends(mean))  # fmt: skip
    steady = near(published.MAE["random"], random) and float(np.ptp(random)) < 0.05
    yield Statement(in_section("4.2"), "random_steady", steady, _ends(published.MAE["random"]), _ends(random))
    for method, old in published.MAE_TIDES.items():
        own = [found.error_of_sets(method, share) or np.nan for share in published.SHARES[:3]]
        yield Statement(in_table("1"), f"tides_{method}", near(old, own), old, own)


def _of_ranks(found: Recovered) -> Iterator[Statement]:
    """Yield what is said of the ranking of responses (tau-b)."""
    old, old_mean = published.TAU["nuclear"], published.TAU["mean"]
    for design in ("pairs", "three"):
        nuclear, mean = (_many(found, design, "tau", method) for method in ("nuclear", "mean"))
        yield Statement(in_table("2"), f"ranks_{design}", near(old, nuclear), _ends(old), _ends(nuclear))
        better = all(one > other for one, other in zip(nuclear, mean, strict=True))
        yield Statement(in_section("4.2"), f"ranks_beat_mean_{design}", better,
                        [old[-1] - old_mean[-1]], [nuclear[-1] - mean[-1]], "difference")  # fmt: skip
        single = found.single(design)
        yield Statement(in_section("4.2"), f"ranks_beat_single_{design}", nuclear[-1] > single,
                        (old[-1], published.SINGLE[1]), (nuclear[-1], single))  # fmt: skip
    single = found.single("three")
    yield Statement(in_section("3"), "several_judges", near([published.SINGLE[1]], [single]), [published.SINGLE[1]],
                    [single])  # fmt: skip


def _of_comparisons(found: Recovered) -> Iterator[Statement]:
    """Yield what is said of comparisons of two systems, second corpus."""
    single = float(np.mean([found.turned("single", share) or np.nan for share in published.SHARES[:3]]))
    yield Statement(in_section("3"), "single_turns", near([published.SINGLE_TURNED], [single]),
                    [published.SINGLE_TURNED], [single], "percent")  # fmt: skip
    own = {
        method: [found.turned(method, share) or 0.0 for share in published.SHARES[:3]] for method in published.OPPOSITE
    }
    for method, old in published.OPPOSITE.items():
        fewer = max(own[method]) < single
        yield Statement(in_table("3"), f"turns_{method}", fewer, (*old[-1:], published.SINGLE_TURNED),
                        (own[method][-1], single), "percent")  # fmt: skip
    better = all(one < other for one, other in zip(own["mean"], own["nuclear"], strict=True))
    yield Statement(in_section("4.2"), "mean_turns_less", better,
                    (published.OPPOSITE["mean"][-1], published.OPPOSITE["nuclear"][-1]),
                    (own["mean"][-1], own["nuclear"][-1]), "percent")  # fmt: skip


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Return the numbers at the smallest and the largest share of gaps."""
    return float(values[0]), float(values[-1])
