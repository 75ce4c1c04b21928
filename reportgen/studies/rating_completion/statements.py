"""What Wisniewski (2013) prints and says beside what is found here: two simulated judges at a time, and three."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from reportgen.metrics import cohen_kappa, fleiss_kappa, kendall_tau_b
from reportgen.results import Column, Kind, Table
from reportgen.results.term import Term
from reportgen.studies import Floats
from reportgen.studies.completion import different_orders, low_rank_ratio, one_rating_each
from reportgen.studies.rating_completion.experiments import PAIRS, SCALE, SINGLE, Recovered, tides_like
from reportgen.studies.statements import (
    Statement,
    gaps_table,
    in_figure,
    in_section,
    in_table,
    near,
    of_what,
    stand_in_table,
)

Numbers = Mapping[str, tuple[float, ...]]
"""Method -> a number for each share of gaps."""

SHARES = (0.1, 0.2, 0.3, 0.4)
"""Shares of missing ratings; the second corpus (TIDES) has no results at .4."""

MAE: Numbers = {
    "nuclear": (0.65, 0.77, 0.94, 1.14),
    "mean": (0.79, 0.78, 0.78, 0.78),
    "random": (1.47, 1.45, 1.44, 1.45),
}
MAE_TIDES: Numbers = {"nuclear": (0.48, 0.76, 0.95), "mean": (0.41, 0.41, 0.43), "random": (1.36, 1.38, 1.37)}
"""Table 1, over all pairs of judges."""

TAU: Numbers = {"nuclear": (0.93, 0.88, 0.83, 0.78), "mean": (0.92, 0.87, 0.80, 0.72)}
"""Table 2, first corpus."""

OPPOSITE: Numbers = {"nuclear": (3.66, 6.45, 9.24), "mean": (1.20, 2.10, 3.53)}
"""Table 3, second corpus: percentage of comparisons of two systems that come out differently."""

KAPPA, FLEISS, TAU_JUDGES = (0.39, 0.50), 0.25, (0.64, 0.68)
"""Section 3, first corpus: linear kappa of pairs of judges, Fleiss's kappa, tau-b of pairs."""

SINGLE_TAU = (0.754, 0.755)
"""Section 3: tau-b of one rating each with the mean of three, the ends of its interval."""

KAPPA_TIDES, DISAGREE, SINGLE_TURNED = (-0.05, 0.20), 36.0, 20.0
"""Section 3, second corpus: kappa of pairs, and in percent how often two judges, or one rating each and two, put two
systems in opposite order."""

RATIO = 0.08
"""Section 4.1: low-rank ratio of the first corpus."""

POINTS = range(SCALE[0], SCALE[1] + 1)

MODERATE, WEAK = 1.0, 0.1
"""Levels of noise at which the low-rank ratio is looked at."""

CHANCE_TIMES = 5
"""Times the share by chance that planted errors must be found to count as found."""

LowRank = Sequence[tuple[int, list[tuple[float, float, float]]]]
"""Kind of noise, and (level, mean ratio, limit) of each level."""


def beside_tables(found: Recovered) -> list[Table]:
    """Return the paper's tables 1 to 3, every number beside ours, the largest gap first."""
    measures: tuple[tuple[str, Kind, tuple[tuple[str, str, str, str, Numbers], ...]], ...] = (
        ("error", "score", (("1", "pairs", "error", "mae", MAE), ("1", "sets", "error", "mae_tides", MAE_TIDES))),
        ("tau", "score", (("2", "pairs", "tau", "tau", TAU),)),
        ("opposite", "percent", (("3", "sets", "turned", "opposite", OPPOSITE),)),
    )
    tables = []
    for key, kind, parts in measures:
        three = (Column("three", kind=kind),) if parts[0][1] == "pairs" else ()
        pairs = [
            (in_table(place), of_what(Term("method_at", method=Term(f"method.{method}"), missing=100 * share), word),
             value, here, [found.of("three", what, method, share) if design == "pairs" else None] if three else [])
            for place, design, what, word, numbers in parts
            for method, values in numbers.items()
            for share, value in zip(SHARES, values, strict=False)
            if (here := found.of(design, what, method, share)) is not None
        ]  # fmt: skip
        tables.append(gaps_table(key, kind, pairs, 40, three))
    return tables


def corpora_table(ratings: Floats, found: Recovered, rng: np.random.Generator) -> Table:
    """Return what the paper reports of its ratings beside the simulated judges: how near the stand-in comes."""
    pairs = [ratings[:, list(pair)] for pair in PAIRS]
    sets = tides_like(rng)
    apart, single, of = np.array([_orders(each, rng) for each in sets]).sum(axis=0)
    rows: tuple[tuple[str, Sequence[float], Sequence[float], Kind], ...] = (
        ("kappa_judges", KAPPA, [_kappa(pair) for pair in pairs], "score"),
        ("fleiss", [FLEISS], [fleiss_kappa(ratings, categories=POINTS).value], "score"),
        ("tau_judges", TAU_JUDGES, [float(kendall_tau_b(pair[:, 0], pair[:, 1])) for pair in pairs], "score"),
        ("single", SINGLE_TAU, [found.single("three")], "number"),
        ("ratio", [RATIO], [mean_ratio(ratings)], "score"),
        ("kappa_tides", KAPPA_TIDES, [_kappa(each.reshape(-1, 2)) for each in sets], "score"),
        ("disagree", [DISAGREE], [100 * apart / of], "percent"),
        ("single_turned", [SINGLE_TURNED], [100 * single / of], "percent"),
    )
    return stand_in_table(
        "study.corpora", [(Term(f"published.{what}"), printed, here, kind) for what, printed, here, kind in rows]
    )


def mean_ratio(ratings: Floats) -> float:
    """Return the low-rank ratio of three judges, two at a time."""
    return float(np.mean([low_rank_ratio(ratings[:, list(pair)]) for pair in PAIRS]))


def _kappa(pair: Floats) -> float:
    return cohen_kappa(*pair.T, categories=POINTS, weights="linear").value


def _orders(ratings: Floats, rng: np.random.Generator) -> tuple[int, int, int]:
    """Return how many pairs of systems two judges, or one rating each and two, put in opposite order, of how many."""
    systems, flat = np.repeat(np.arange(ratings.shape[0]), ratings.shape[1]), ratings.reshape(-1, 2)
    apart, of = different_orders(flat[:, 0], flat[:, 1], systems)
    single, _ = different_orders(one_rating_each(flat, rng), flat.mean(axis=1), systems)
    return apart, single, of


def statements_of(
    found: Recovered, low_rank: LowRank, random_ratio: float, ratio: float, planted: Mapping[str, float]
) -> list[Statement]:
    """Return every statement with its outcome.

    Parameters
    ----------
    found
        What was recovered, at all shares of the paper.
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
    weak, moderate = (
        [mean for _, levels in low_rank for one, mean, _ in levels if one == level] for level in (WEAK, MODERATE)
    )
    yield Statement(in_figure("1"), "rank_weak", max(weak) < 0.1, (), weak)
    yield Statement(in_figure("1"), "rank_moderate", max(moderate) < random_ratio, (), [*moderate, random_ratio])
    yield Statement(in_section("4.1"), "rank_judges", near([RATIO], [ratio]), [RATIO], [ratio], "number")


def _many(
    found: Recovered, design: str, what: str, *methods: str, shares: Sequence[float] = SHARES
) -> list[list[float]]:
    """Return the numbers of methods at all shares of the paper."""
    drawn = ((found.of(design, what, method, share) for share in shares) for method in methods)
    return [[np.nan if value is None else value for value in values] for values in drawn]


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Return the numbers at the smallest and the largest share of gaps."""
    return float(values[0]), float(values[-1])


def _less(one: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether every number is below the other."""
    return all(low < high for low, high in zip(one, other, strict=True))


def _of_errors(found: Recovered) -> Iterator[Statement]:
    """Yield what is said of mean absolute errors, first corpus and second."""
    old, first, text = MAE["nuclear"], in_table("1"), in_section("4.2")
    for design in ("pairs", "three"):
        nuclear, mean, random = _many(found, design, "error", "nuclear", "mean", "random")
        yield Statement(first, f"size_{design}", near(old, nuclear), _ends(old), _ends(nuclear))
        yield Statement(text, f"beats_random_{design}", _less(nuclear, random), _ends(old), _ends(nuclear))
        yield Statement(first, f"beats_mean_{design}", _less(nuclear[:2], mean[:2]), old[:2], nuclear[:2])
    nuclear, mean, random = _many(found, "pairs", "error", "nuclear", "mean", "random")
    yield Statement(text, "falls_quickly", nuclear == sorted(nuclear), _ends(old), _ends(nuclear))
    yield Statement(first, "size_mean", near(MAE["mean"], mean), _ends(MAE["mean"]), _ends(mean))
    steady = near(MAE["random"], random) and float(np.ptp(random)) < 0.05
    yield Statement(text, "random_steady", steady, _ends(MAE["random"]), _ends(random))
    for method, old in MAE_TIDES.items():
        [own] = _many(found, "sets", "error", method, shares=SHARES[:3])
        yield Statement(first, f"tides_{method}", near(old, own), old, own)


def _of_ranks(found: Recovered) -> Iterator[Statement]:
    """Yield what is said of the ranking of responses (tau-b)."""
    old, gap, text = TAU["nuclear"], TAU["nuclear"][-1] - TAU["mean"][-1], in_section("4.2")
    for design in ("pairs", "three"):
        nuclear, mean = _many(found, design, "tau", "nuclear", "mean")
        last, single = nuclear[-1], found.single(design)
        yield Statement(in_table("2"), f"ranks_{design}", near(old, nuclear), _ends(old), _ends(nuclear))
        yield Statement(text, f"ranks_beat_mean_{design}", _less(mean, nuclear), [gap], [last - mean[-1]], "difference")
        printed = (old[-1], SINGLE_TAU[1])
        yield Statement(text, f"ranks_beat_single_{design}", last > single, printed, (last, single))
    printed_tau, here = [SINGLE_TAU[1]], [found.single("three")]
    yield Statement(in_section("3"), "several_judges", near(printed_tau, here), printed_tau, here)


def _of_comparisons(found: Recovered) -> Iterator[Statement]:
    """Yield what is said of comparisons of two systems, second corpus."""
    shares = SHARES[:3]
    turned = float(np.mean(_many(found, "sets", "turned", SINGLE, shares=shares)))
    old, own = [SINGLE_TURNED], [turned]
    yield Statement(in_section("3"), "single_turns", near(old, own), old, own, "percent")
    counts = {method: _many(found, "sets", "turned", method, shares=shares)[0] for method in OPPOSITE}
    for method, printed in OPPOSITE.items():
        both = (counts[method][-1], turned)
        fewer = max(counts[method]) < turned
        yield Statement(in_table("3"), f"turns_{method}", fewer, (printed[-1], SINGLE_TURNED), both, "percent")
    old, own = ([numbers[method][-1] for method in ("mean", "nuclear")] for numbers in (OPPOSITE, counts))
    fewer = _less(counts["mean"], counts["nuclear"])
    yield Statement(in_section("4.2"), "mean_turns_less", fewer, old, own, "percent")
