"""What Yannakoudakis and Cummins (2015) print, argue and recommend, held against what is found here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reportgen.results import Row, Table
from reportgen.results.term import Term
from reportgen.studies import Floats
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
from reportgen.studies.statements import (
    Here,
    Statement,
    in_figure,
    in_section,
    in_table,
    published_columns,
    statements_of_paper,
)

COUNTS = {
    "1, left": ((40, 10), (10, 40)),
    "1, right": ((64, 4), (16, 16)),
    "2, left": ((20, 0), (60, 20)),
    "2, right": ((60, 15), (20, 5)),
}
"""Tables of the paper: system pass and fail in rows."""

OF_TABLES = {
    "1, left": {"kappa": 0.60, "bp": 0.60, "ac": 0.60, "pa": 0.80, "chance_kappa": 0.50, "chance_ac": 0.50},
    "1, right": {"kappa": 0.49, "bp": 0.60, "ac": 0.67, "pa": 0.80, "chance_kappa": 0.61, "chance_ac": 0.38},
    "2, left": {"kappa": 0.12, "pa": 0.40},
    "2, right": {"kappa": 0.00, "pa": 0.65},
}
"""What is printed of each, beneath it or in the text."""

STILL = 0.75
"""Quadratic BP and percent agreement in figure 1 (left), whatever the prevalence."""

CORRELATION = 0.75
"""Of the system and the examiners of the examination scripts, about."""

LEAST_SIMILAR = 0.70
"""Where the axis of figure 2 (right) begins: the similarity of the passing shares that are least alike."""

HALF_UNIT = 0.005

STEADY = 0.05
"""A coefficient that moves less than this counts as steady, on the page and in statements alike."""

SAME = 1e-12
"""Less than this is rounding."""

LEFT, RIGHT = "1, left", "1, right"

SHARES_ALIKE, SHARES_UNLIKE = ((60, 15), (15, 10)), ((60, 5), (25, 10))
"""Two tables with the same agreement (.70) and the same shares of both together: shares of each alike, and not."""

ALWAYS_PASS = ((80, 20), (0, 0))
"""A system that passes everybody, with the gold scores of table 1 (right): it agrees as often as the paper's."""

HIGHER = 3
"""Points by which all scores of an example lie too high, on a scale of ten."""

COARSE, FINE, FEW = 3, 40, 5
"""Points of the scale: the fewest of section 4.4, all, and where quadratic kappa is said to rise most up to."""

OF_FIGURES = ("kappa", "bp", "ac")
WEIGHED = tuple(f"{name}_{weights}" for name in OF_FIGURES for weights in WEIGHTS)
"""What the figures draw."""

TWO_POINTS = tuple(f"{name}_linear" for name in OF_FIGURES)
"""What they draw of pass and fail, where weights are the same."""

ALIKE = 0.99
"""Similarity from which passing shares count as equal."""

FAR, NEAR_MISSES = 5, 0.5
"""Two systems: one far off in every score, by so many points of ten; one off by a point in this share of scores."""


@dataclass(frozen=True)
class Found:
    """What statements are held against: the stresses, by their key, and the tables of the stand-in.

    Parameters
    ----------
    sweeps
        Stress -> coefficients along it, on synthetic scores or on the stand-in.
    apart
        Pass and fail where the system's mean lies off: its shares are as unlike as those of figure 2 (right).
    like
        (sets, points, points): tables of the stand-in.
    seed
        Of the study.
    """

    sweeps: Mapping[str, Sweep]
    apart: Sweep
    like: Floats
    seed: int

    def __getitem__(self, stress: str) -> Sweep:
        """Return the sweep of a stress."""
        return self.sweeps[stress]


def counts_of(place: str) -> Floats:
    """Return the counts of a table of the paper."""
    return np.array(COUNTS[place], float)


def _of_table(place: str) -> dict[str, float]:
    """Return the coefficients without weights of a table of the paper, percent agreement, and agreement by chance."""
    counts = counts_of(place)
    chance = {f"chance_{name}": value for name, value in chance_agreement(counts, "identity").items()}
    found = coefficients(counts, "identity") | chance | {"pa": percent_agreement(counts)}
    return {name: float(value) for name, value in found.items()}


def published_table(prevalence: Sweep, marginals: Sweep, like: Floats) -> Table:
    """Return every printed number beside ours; `like` are the tables that stand in for the examination scripts."""
    numbers = [
        (in_table(place), name, value, _of_table(place)[name])
        for place, printed in OF_TABLES.items()
        for name, value in printed.items()
    ]
    for at, sweep, name, value in (
        ("1, left", prevalence, "bp_quadratic", STILL),
        ("1, left", prevalence, "pa", STILL),
        ("1, left", prevalence, "mae", 0.5),
        ("2, left", marginals, "mae", 1.0),
    ):
        along = sweep.mean[name]
        numbers.append((in_figure(at), name, value, float(along[np.abs(along - value).argmax()])))
    numbers.append((in_section("4.1"), "r", CORRELATION, float(correlations(like)["r"].mean())))
    rows = [
        Row((place, Term(f"family.{name}"), printed, here, here - printed, _agrees(name, here - printed)))
        for place, name, printed, here in numbers
    ]
    return Table("study.published", "", published_columns(), tuple(rows), max_rows=40)


def _agrees(name: str, difference: float) -> Term:
    """Return whether a number is the printed one, but for rounding; correlations are those of the stand-in."""
    return Term("stand_in" if name == "r" else "yes" if abs(difference) <= HALF_UNIT + 1e-9 else "no")


def statements_of(found: Found) -> list[Statement]:
    """Return every statement of the paper with its outcome."""
    here = (
        *_of_correlations(found),
        *_of_ties(found.like),
        *_of_tables(),
        *_of_weights_and_range(found.like),
        *_of_relatives(found),
        *_of_chance(),
        *_of_prevalence(found),
        *_of_marginals(found["marginals"]),
        *_of_similarity(found.apart),
        *_of_sizes(found["magnitude"]),
        *_of_scale(found["rebinning"]),
        *_of_recommendations(found),
    )
    return statements_of_paper(Path(__file__).with_name("statements.toml"), here)


def _of_correlations(found: Found) -> Iterator[Here]:
    """Yield what is said of correlations beside ties."""
    rng = np.random.default_rng([found.seed, 21])
    gold = gaussian_scores(rng, 5000, 10 - HIGHER, (9 - HIGHER) / 2, 1.0)
    higher = table_of(gold, gold + HIGHER, 10)
    related, agreement = correlations(higher), float(percent_agreement(higher))
    r, tau = float(related["r"]), float(related["tau_b"])
    yield Here("shift_unseen", [r, tau, agreement], min(r, tau) > 1 - SAME and agreement == 0)
    shares = counts_of(RIGHT).sum(axis=1)[0], counts_of(RIGHT).sum(axis=0)[0]
    low, high = min(shares) / 100, max(shares) / 100
    highest = float(np.sqrt(low * (1 - high) / (high * (1 - low))))
    yield Here("unequal_shares", [highest])
    unrelated, related_but_one = np.zeros((FINE, FINE)), np.diag(np.r_[np.full(5, 10.0), np.zeros(FINE - 5)])
    unrelated[:3, :3], unrelated[-1, -1], related_but_one[0, -1] = 10, 1, 1
    r, rho = (float(correlations(unrelated)[name]) for name in ("r", "rho"))
    yield Here("outlier_high", [r, rho], r > 0.5 > rho)
    r, rho = (float(correlations(related_but_one)[name]) for name in ("r", "rho"))
    yield Here("outlier_low", [r, rho], r < 0.5 < rho)
    ends = [np.array([tilted(table, factor) for table in found.like]) for factor in (SPREADS[0], SPREADS[-1])]
    for name in ("r", "tau_b"):
        yield Here(f"variability_{name}", [float(correlations(tables)[name].mean()) for tables in ends])


def _of_ties(like: Floats) -> Iterator[Here]:
    """Yield what is said of ties: values, and how much they vary between samples, on few points and on many."""
    fine, coarse = correlations(like), correlations(rebinned(like, COARSE))
    few, many = (_tied(table) for table in (like, rebinned(like, COARSE)))
    yield Here("ties_exist", [few, many])
    r, rho, tau = (float(fine[name].mean() - coarse[name].mean()) for name in fine)
    yield Here("ties_lower", [r, rho])
    yield Here("ties_tau_less", [tau], abs(tau) < min(r, rho))
    if len(like) > 1:
        yield Here("ties_vary", [float(coarse[name].std(ddof=1) / fine[name].std(ddof=1)) for name in fine])


def _tied(tables: Floats) -> float:
    """Return the share of pairs of responses with the same gold score."""
    share = tables.sum(axis=-2) / tables.sum(axis=(-2, -1))[..., None]
    return float((share**2).sum(axis=-1).mean())


def _of_tables() -> Iterator[Here]:
    """Yield what tables 1 and 2 of the paper are to show."""
    left, right, one, other = (_of_table(place) for place in (LEFT, RIGHT, "2, left", "2, right"))
    kappa, bp, ac = ([left[name], right[name]] for name in OF_FIGURES)
    yield Here("table_kappa", kappa, left["pa"] == right["pa"] and kappa[0] - kappa[1] > STEADY)
    yield Here("table_bp", bp, abs(bp[0] - bp[1]) < SAME)
    yield Here("table_ac", ac)
    falls = other["kappa"] < one["kappa"] and other["pa"] > one["pa"]
    yield Here("table_marginals", [one["kappa"], other["kappa"]], falls)


def _of_weights_and_range(like: Floats) -> Iterator[Here]:
    """Yield what is said of the choice of weights and of the length of the scale."""
    kappas = [float(coefficients(like, weights)["kappa"].mean()) for weights in ("identity", *WEIGHTS)]
    yield Here("weights", kappas)
    agreement = float(percent_agreement(like).mean())
    yield Here("high_kappa", [kappas[2], agreement], kappas[2] > 0.7 > 0.3 > agreement)
    linear, quadratic = (
        [float(coefficients(rebinned(like, size), weights)["kappa"].mean()) for size in (2, FEW, FINE)]
        for weights in WEIGHTS
    )
    two, few, fine = quadratic
    yield Here("range_quadratic", quadratic, two < few < fine and few - two > fine - few)
    moves = [max(values) - min(values) for values in (linear, quadratic)]
    yield Here("range_linear_less", moves)
    two, few, fine = linear
    yield Here("range_linear_rises", linear, two < few <= fine)
    yield Here("bp_range", [(0.8 - 1 / points) / (1 - 1 / points) for points in (2, FEW, FINE)])


def _of_relatives(found: Found) -> Iterator[Here]:
    """Yield what is said of Scott's pi, Krippendorff's alpha and weighted kappas."""
    alike, unlike = (coefficients(np.array(counts, float), "identity") for counts in (SHARES_ALIKE, SHARES_UNLIKE))
    scott, kappa = (float(abs(unlike[name] - alike[name])) for name in ("scott", "kappa"))
    yield Here("scott_marginals", [scott, kappa], scott < SAME < kappa)
    gap = max(
        float(np.abs(sweep.mean[f"alpha_{weights}"] - sweep.mean[f"scott_{weights}"]).max())
        for sweep in (*found.sweeps.values(), found.apart)
        for weights in WEIGHTS
    )
    yield Here("alpha_scott", [gap])
    for key, names in (
        ("relatives", ("scott_quadratic", "alpha_quadratic", "scott_linear", "alpha_linear")),
        ("weighted", ("kappa_linear", "kappa_quadratic")),
    ):
        yield Here(key, [*_ranges(found["prevalence"], names), *_ranges(found["marginals"], names)])


def _of_chance() -> Iterator[Here]:
    """Yield what is said of agreement by chance."""
    left, right = _of_table(LEFT), _of_table(RIGHT)
    kappa, ac = right["chance_kappa"], right["chance_ac"]
    yield Here("chance", [kappa])
    yield Here("chance_rises", [left["chance_kappa"], kappa])
    yield Here("chance_overstated", [kappa, ac])
    yield Here("lower_limit", [kappa, ac])
    trivial = coefficients(np.array(ALWAYS_PASS, float), "identity")
    own = {name: float(trivial[name]) for name in OF_FIGURES}
    yield Here("trivial", [*own.values()], all(value < right[name] for name, value in own.items()))


def _ranges(sweep: Sweep, names: Sequence[str]) -> list[float]:
    return [sweep.range(name) for name in names]


def _of_prevalence(found: Found) -> Iterator[Here]:
    """Yield what figure 1 is to show."""
    left = found["prevalence"]
    yield Here("nearly_all_move", _ranges(left, [name for name in WEIGHED if not name.startswith("bp")]))
    kappa, ac = (_ranges(left, [f"{name}_{weights}" for weights in WEIGHTS]) for name in ("kappa", "ac"))
    yield Here("ac_moves_less", [ac[1], kappa[1]], ac[0] < kappa[0] and ac[1] < kappa[1])
    rises = all(left.mean[f"ac_{weights}"][0] > left.mean[f"ac_{weights}"][-1] for weights in WEIGHTS)
    yield Here("ac_rewards", [float(left.mean["ac_quadratic"][at]) for at in (0, -1)], rises)
    still = [name for name in WEIGHED if left.range(name) < SAME]
    value = float(left.mean["bp_quadratic"][0])
    only = still == ["bp_linear", "bp_quadratic"] and abs(value - STILL) < SAME
    yield Here("only_bp_still", [value], only)
    yield from _of_thresholds(found["threshold"], found.apart)


def _of_thresholds(right: Sweep, apart: Sweep) -> Iterator[Here]:
    """Yield what figures 1 (right) and 3 are to show; it must be so of both stand-ins, numbers are the first's."""
    both = (right, apart)
    holds = all(min(_ranges(sweep, TWO_POINTS)) > STEADY for sweep in both)
    yield Here("all_move", _ranges(right, TWO_POINTS), holds)
    means = [[float(np.nanmean(gap)) for gap in _from_agreement(sweep)] for sweep in both]
    yield Here("kappa_farther", means[0], all(kappa > max(others) for kappa, *others in means))
    most = [int(sweep.beside["prevalence"].argmax()) for sweep in both]
    last = [[float(gap[at]) for gap in _from_agreement(sweep)[1:]] for sweep, at in zip(both, most, strict=True)]
    yield Here("near_agreement", last[0], max(map(max, last)) < STEADY)
    farthest = [[float(gap.max()) for gap in _from_agreement(sweep)[1:]] for sweep in both]
    yield Here("near_everywhere", farthest[0], max(map(max, farthest)) < STEADY)
    low = [
        [float(sweep.mean[name][at]) for name in ("kappa_linear", "pa")] for sweep, at in zip(both, most, strict=True)
    ]
    yield Here("kappa_low", low[0], all(kappa < agreement / 2 for kappa, agreement in low))
    gap = max(float(np.abs(sweep.mean[f"{name}_linear"] - sweep.mean[f"{name}_quadratic"]).max())
              for sweep in both for name in OF_FIGURES)  # fmt: skip
    yield Here("two_points", [gap])
    ends = [_kappa_by_probability(sweep) for sweep in both]
    yield Here("kappa_ends", ends[0], all(max(few, all_pass) < half - STEADY for few, half, all_pass in ends))
    like = right.beside["similarity"] >= ALIKE
    kappa = right.mean["kappa_linear"][like]
    lowest, agreement = float(kappa.min()), float(right.mean["pa"][like][kappa.argmin()])
    yield Here("alike_no_help", [lowest, agreement], lowest < agreement / 2)


def _from_agreement(sweep: Sweep) -> list[Floats]:
    """Return the distances of the coefficients of pass and fail from percent agreement."""
    return [np.abs(sweep.mean[name] - sweep.mean["pa"]) for name in TWO_POINTS]


def _kappa_by_probability(sweep: Sweep) -> tuple[float, float, float]:
    """Return kappa where hardly anybody passes, where half pass, and where nearly all do."""
    probability, kappa = sweep.beside["probability"], sweep.mean["kappa_linear"]
    places = probability.argmin(), np.abs(probability - 0.5).argmin(), probability.argmax()
    low, half, high = (float(kappa[place]) for place in places)
    return low, half, high


def _of_marginals(left: Sweep) -> Iterator[Here]:
    """Yield what figure 2 (left) is to show."""
    middle = len(left.x) // 2
    alike = (middle - 1, middle)
    kappa, agreement = left.mean["kappa_quadratic"], left.mean["pa"]
    lowest = all(int(np.argmin(left.mean[f"kappa_{weights}"])) in alike for weights in WEIGHTS)
    yield Here("kappa_penalises", [float(kappa.min()), float(kappa.max())], lowest)
    promoting = ("ac_linear", "ac_quadratic", "bp_quadratic")
    highest = all(int(np.argmax(left.mean[name])) in alike for name in promoting)
    yield Here("others_promote", _ranges(left, promoting), highest)
    yield Here("bp_linear_still", [left.range("bp_linear")])
    yield Here("alike_agree_less", [float(agreement[0]), float(agreement[middle])])


def _of_similarity(right: Sweep) -> Iterator[Here]:
    """Yield what figure 2 (right) is to show: rank correlations with similarity over the passing scores."""
    similarity = right.beside["similarity"]
    kappa, *others = (_rank_correlation(similarity, right.mean[name]) for name in TWO_POINTS)
    yield Here("others_rise", others)
    yield Here("kappa_falls", [kappa])
    means = [float(right.mean[name].mean()) for name in (*TWO_POINTS, "pa")]
    yield Here("kappa_lower", means[:3], means[0] < min(means[1:]) - STEADY)
    apart = [float((right.mean[name] - right.mean["kappa_linear"]).min()) for name in TWO_POINTS[1:]]
    yield Here("kappa_lower_everywhere", apart)
    yield Here("kappa_far", [float(_from_agreement(right)[0][similarity.argmax()])])


def _rank_correlation(one: Floats, other: Floats) -> float:
    first, second = (np.argsort(np.argsort(values)).astype(float) for values in (one, other))
    return float(np.corrcoef(first, second)[0, 1])


def _of_sizes(sweep: Sweep) -> Iterator[Here]:
    """Yield what figure 4 is to show."""
    linear, quadratic = (
        [float(sweep.mean[f"{name}_{weights}"][-1] - sweep.mean[f"{name}_{weights}"][0]) for name in OF_FIGURES]
        for weights in WEIGHTS
    )
    yield Here("quadratic_fall", quadratic)
    yield Here("linear_rise", linear)


def _of_scale(sweep: Sweep) -> Iterator[Here]:
    """Yield what section 4.4 says, of which the paper prints neither a number nor a figure."""
    moves = {name: sweep.range(name) for name in WEIGHED}
    yield Here("all_by_scale", [*moves.values()])
    yield Here("quadratic_more", [moves[f"{name}_quadratic"] - moves[f"{name}_linear"] for name in OF_FIGURES])
    fall = [float(sweep.mean[f"{name}_quadratic"][0] - sweep.mean[f"{name}_quadratic"][-1]) for name in OF_FIGURES]
    yield Here("kappa_most", fall, fall[0] > max(fall[1:]))
    yield Here("ac_steadier", [moves["ac_quadratic"], moves["bp_quadratic"]])


def _of_recommendations(found: Found) -> Iterator[Here]:
    """Yield what section 5 concludes."""
    others = ["prevalence", "marginals", "spread", "rebinning"]
    yield _most_robust(found, "most_robust", others)
    yield _most_robust(found, "most_robust_of_all", [*others, "threshold"])
    kappa = [found[key].range("kappa_quadratic") for key in ("prevalence", "marginals", "rebinning")]
    yield Here("kappa_depends", kappa)
    yield Here("kappa_of_labels", [found["threshold"].range("kappa_linear")])
    far, near = _far_and_near(found.seed)
    yield Here("low_agreement_high_ranks", far, far[0] < near[0] and far[1] > near[1] and far[2] > near[2])
    yield Here("high_agreement_low_ranks", near, near[0] > STILL > near[1] and near[2] < 1)


def _most_robust(found: Found, key: str, stresses: Sequence[str]) -> Here:
    """Return whether AC and BP move least under stresses, of all coefficients that the size of errors moves."""
    sizes = found["magnitude"]
    most = {name: max(found[stress].range(name) for stress in stresses) for name in sizes.mean}
    noticing = [name for name in most if name not in ("pa", "mae") and sizes.range(name) > STEADY]
    best = sorted(noticing, key=lambda name: most[name])[:2]
    told = [most[f"{name}_quadratic"] for name in ("ac", "bp", "kappa")]
    return Here(key, told, set(best) == {"ac_quadratic", "bp_quadratic"})


def _far_and_near(seed: int) -> list[list[float]]:
    """Return quadratic AC, tau-b and mean size of an error of two systems: one that is far off, one nearly right."""
    rng = np.random.default_rng([seed, 22])
    gold = gaussian_scores(rng, 5000, 10 - FAR, (9 - FAR) / 2, 0.5)
    tables = [table_of(gold, system, 10) for system in (gold + FAR, moved(rng, gold, 10, NEAR_MISSES, 1))]
    return [
        [float(panel(table)["ac_quadratic"]), float(correlations(table)["tau_b"]), float(panel(table)["mae"])]
        for table in tables
    ]
