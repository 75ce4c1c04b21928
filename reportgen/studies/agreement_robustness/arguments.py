"""What Yannakoudakis and Cummins (2015) argue in sections 1 to 3, held against examples and the stand-in's scores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.studies.agreement_robustness.coefficients import (
    Floats,
    coefficients,
    correlations,
    percent_agreement,
    rebinned,
    table_of,
)
from reportgen.studies.agreement_robustness.found import SAME, STEADY, Found
from reportgen.studies.agreement_robustness.published import OF_TABLES, counts_of, of_table
from reportgen.studies.agreement_robustness.stresses import gaussian_scores, tilted
from reportgen.studies.agreement_robustness.sweeps import SPREADS
from reportgen.studies.printed import in_section, in_table
from reportgen.studies.statements import Statement

LEFT, RIGHT = "1, left", "1, right"

ALIKE, UNLIKE = ((60, 15), (15, 10)), ((60, 5), (25, 10))
"""Two tables with the same agreement (.70) and the same shares of both together: shares of each alike, and not."""

ALWAYS_PASS = ((80, 20), (0, 0))
"""A system that passes everybody, with the gold scores of table 1 (right): it agrees as often as the paper's."""

HIGHER = 3
"""Points by which all scores of an example lie too high, on a scale of ten."""

COARSE, FINE, FEW = 3, 40, 5
"""Points of the scale: the fewest of section 4.4, all, and where quadratic kappa is said to rise most up to."""


def arguments(found: Found) -> Iterator[Statement]:
    """Yield every statement of sections 1 to 3 with its outcome."""
    yield from _of_correlations(found)
    yield from _of_ties(found.like)
    yield from _of_tables()
    yield from _of_weights_and_range(found)
    yield from _of_relatives(found)
    yield from _of_chance()
    for section, key in (
        ("1", "hard_to_compare"), ("2", "agreement_is_the_task"), ("3.2.1", "normal_scores"), ("3.2.2", "objective"),
        ("3.2.2", "shares_not_fixed"), ("3.2.3", "no_guessing"),
    ):  # fmt: skip
        yield Statement(in_section(section), key, None)


def _of_correlations(found: Found) -> Iterator[Statement]:
    """Yield what is said of correlations beside ties."""
    rng = np.random.default_rng([found.seed, 21])
    gold = gaussian_scores(rng, 5000, 10 - HIGHER, (9 - HIGHER) / 2, 1.0)
    higher = table_of(gold, gold + HIGHER, 10)
    related = correlations(higher)
    shifted = [*(float(related[name]) for name in ("r", "tau_b")), float(percent_agreement(higher))]
    yield Statement(in_section("3.1.1"), "shift_unseen", min(shifted[:2]) > 1 - SAME and shifted[2] == 0, (), shifted,
                    "coefficient")  # fmt: skip
    shares = counts_of(RIGHT).sum(axis=1)[0], counts_of(RIGHT).sum(axis=0)[0]
    low, high = min(shares) / 100, max(shares) / 100
    highest = float(np.sqrt(low * (1 - high) / (high * (1 - low))))
    yield Statement(in_section("3.1"), "unequal_shares", highest < 1, (), (highest,), "coefficient")
    unrelated, related_but_one = np.zeros((FINE, FINE)), np.diag(np.r_[np.full(5, 10.0), np.zeros(FINE - 5)])
    unrelated[:3, :3], unrelated[-1, -1], related_but_one[0, -1] = 10, 1, 1
    for key, table in (("outlier_high", unrelated), ("outlier_low", related_but_one)):
        both = correlations(table)
        pair = [float(both[name]) for name in ("r", "rho")]
        misled = pair[0] > 0.5 > pair[1] if key == "outlier_high" else pair[0] < 0.5 < pair[1]
        yield Statement(in_section("3.1.1"), key, misled, (), pair, "coefficient")
    ends = [np.array([tilted(table, factor) for table in found.like]) for factor in (SPREADS[0], SPREADS[-1])]
    for section, name in (("3.1.1", "r"), ("5", "tau_b")):
        narrow, wide = (float(correlations(tables)[name].mean()) for tables in ends)
        yield Statement(in_section(section), f"variability_{name}", wide - narrow > STEADY, (), (narrow, wide),
                        "coefficient")  # fmt: skip


def _of_ties(like: Floats) -> Iterator[Statement]:
    """Yield what is said of ties: values, and how much they vary between samples, on few points and on many."""
    fine, coarse = correlations(like), correlations(rebinned(like, COARSE))
    tied = [float(_tied(table)) for table in (like, rebinned(like, COARSE))]
    yield Statement(in_section("3.1"), "ties_exist", 0 < tied[0] < tied[1], (), tied, "coefficient")
    fall = {name: float(fine[name].mean() - coarse[name].mean()) for name in fine}
    yield Statement(in_section("3.1"), "ties_lower", min(fall["r"], fall["rho"]) > STEADY, (), (fall["r"], fall["rho"]),
                    "coefficient")  # fmt: skip
    yield Statement(in_section("3.1"), "ties_tau_less", abs(fall["tau_b"]) < min(fall["r"], fall["rho"]), (),
                    (fall["tau_b"],), "coefficient")  # fmt: skip
    several = len(like) > 1
    wider = [float(coarse[name].std(ddof=1) / fine[name].std(ddof=1)) for name in fine] if several else []
    yield Statement(in_section("3.1"), "ties_vary", min(wider) > 1 if several else None, (), wider, "coefficient")


def _tied(tables: Floats) -> float:
    """Return the share of pairs of responses with the same gold score."""
    share = tables.sum(axis=-2) / tables.sum(axis=(-2, -1))[..., None]
    return float((share**2).sum(axis=-1).mean())


def _of_tables() -> Iterator[Statement]:
    """Yield what tables 1 and 2 of the paper are to show."""

    def beside(name: str, *places: str) -> tuple[list[float], list[float]]:
        return [OF_TABLES[place][name] for place in places], [of_table(place)[name] for place in places]

    old, own = beside("kappa", LEFT, RIGHT)
    same = of_table(LEFT)["pa"] == of_table(RIGHT)["pa"]
    yield Statement(in_table("1"), "table_kappa", same and own[0] - own[1] > STEADY, old, own, "coefficient")
    old, own = beside("bp", LEFT, RIGHT)
    yield Statement(in_table("1"), "table_bp", abs(own[0] - own[1]) < SAME, old, own, "coefficient")
    old, own = beside("ac", LEFT, RIGHT)
    yield Statement(in_table("1"), "table_ac", own[1] > own[0], old, own, "coefficient")
    places = ("2, left", "2, right")
    old, own = beside("kappa", *places)
    agreement = beside("pa", *places)[1]
    yield Statement(in_table("2"), "table_marginals", own[1] < own[0] and agreement[1] > agreement[0], old, own,
                    "coefficient")  # fmt: skip


def _of_weights_and_range(found: Found) -> Iterator[Statement]:
    """Yield what is said of the choice of weights and of the length of the scale."""
    like = found.like
    kappas = [float(coefficients(like, weights)["kappa"].mean()) for weights in ("identity", "linear", "quadratic")]
    yield Statement(in_section("3.2"), "weights", max(kappas) - min(kappas) > STEADY, (), kappas, "coefficient")
    agreement = float(percent_agreement(like).mean())
    yield Statement(in_section("3.2.3"), "high_kappa", kappas[2] > 0.7 > 0.3 > agreement, (), (kappas[2], agreement),
                    "coefficient")  # fmt: skip
    by_size = {weights: [float(coefficients(rebinned(like, size), weights)["kappa"].mean()) for size in (2, FEW, FINE)]
               for weights in ("linear", "quadratic")}  # fmt: skip
    two, few, fine = by_size["quadratic"]
    yield Statement(in_section("3.2.3"), "range_quadratic", two < few < fine and few - two > fine - few, (),
                    (two, few, fine), "coefficient")  # fmt: skip
    moved = [max(values) - min(values) for values in by_size.values()]
    yield Statement(in_section("3.2.3"), "range_linear_less", moved[0] < moved[1], (), moved, "coefficient")
    two, few, fine = by_size["linear"]
    yield Statement(in_section("3.2.3"), "range_linear_rises", two < few <= fine, (), (two, few, fine), "coefficient")
    same = [(0.8 - 1 / points) / (1 - 1 / points) for points in (2, FEW, FINE)]
    yield Statement(in_section("3.2.3"), "bp_range", same == sorted(same), (), same, "coefficient")


def _of_relatives(found: Found) -> Iterator[Statement]:
    """Yield what is said of Scott's pi, Krippendorff's alpha and weighted kappas."""
    alike, unlike = (coefficients(np.array(counts, float), "identity") for counts in (ALIKE, UNLIKE))
    apart = [float(abs(unlike[name] - alike[name])) for name in ("scott", "kappa")]
    yield Statement(in_section("3.2.3"), "scott_marginals", apart[0] < SAME < apart[1], (), apart, "coefficient")
    gaps = [
        float(np.abs(sweep.mean[f"alpha_{weights}"] - sweep.mean[f"scott_{weights}"]).max())
        for sweep in found.every for weights in ("linear", "quadratic")
    ]  # fmt: skip
    yield Statement(in_section("3.2.3"), "alpha_scott", max(gaps) < STEADY, (), (max(gaps),), "coefficient")
    both = (found["prevalence"], found["marginals"])
    for key, names in (
        ("relatives", ("scott_quadratic", "alpha_quadratic", "scott_linear", "alpha_linear")),
        ("weighted", ("kappa_linear", "kappa_quadratic")),
    ):
        moves = [sweep.range(name) for sweep in both for name in names]
        yield Statement(in_section("3.2.3"), key, min(moves) > STEADY, (), moves, "coefficient")


def _of_chance() -> Iterator[Statement]:
    """Yield what is said of agreement by chance."""
    right, name = of_table(RIGHT), "chance_kappa"
    yield Statement(in_section("3.2"), "chance", right[name] > 0, (OF_TABLES[RIGHT][name],), (right[name],),
                    "coefficient")  # fmt: skip
    old, own = [OF_TABLES[place][name] for place in (LEFT, RIGHT)], [of_table(place)[name] for place in (LEFT, RIGHT)]
    yield Statement(in_section("3.2.1"), "chance_rises", own[1] > own[0], old, own, "coefficient")
    both = (right["chance_kappa"], right["chance_ac"])
    old = [OF_TABLES[RIGHT]["chance_kappa"], OF_TABLES[RIGHT]["chance_ac"]]
    yield Statement(in_section("3.2.3"), "chance_overstated", both[1] < both[0], old, both, "coefficient")
    yield Statement(in_section("3.2.3"), "lower_limit", min(both) >= 0.5, old, both, "coefficient")
    trivial = coefficients(np.array(ALWAYS_PASS, float), "identity")
    own = [float(trivial[name]) for name in ("kappa", "bp", "ac")]
    penalised = all(float(trivial[name]) < right[name] for name in ("kappa", "bp", "ac"))
    yield Statement(in_section("3.2.2"), "trivial", penalised, (), own, "coefficient")
