"""What Yannakoudakis and Cummins (2015) say of their figures and recommend, held against what is found here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from reportgen.studies.agreement_robustness.arguments import arguments
from reportgen.studies.agreement_robustness.coefficients import Floats, correlations, panel, table_of
from reportgen.studies.agreement_robustness.found import SAME, STEADY, Found
from reportgen.studies.agreement_robustness.published import STILL
from reportgen.studies.agreement_robustness.stresses import gaussian_scores, moved
from reportgen.studies.agreement_robustness.sweeps import Sweep
from reportgen.studies.printed import in_figure, in_section
from reportgen.studies.statements import Statement

OF_FIGURES = ("kappa", "bp", "ac")
WEIGHED = tuple(f"{name}_{weights}" for name in OF_FIGURES for weights in ("linear", "quadratic"))
"""What the figures draw."""

TWO_POINTS = tuple(f"{name}_linear" for name in OF_FIGURES)
"""What they draw of pass and fail, where weights are the same."""

ALIKE = 0.99
"""Similarity from which passing shares count as equal."""

FAR, NEAR_MISSES = 5, 0.5
"""Two systems: one far off in every score, by so many points of ten; one off by a point in this share of scores."""


def statements(found: Found) -> list[Statement]:
    """Return every statement of the paper with its outcome."""
    return [
        *arguments(found),
        *_of_prevalence(found),
        *_of_marginals(found),
        *_of_similarity(found.apart),
        *_of_sizes(found["magnitude"]),
        *_of_scale(found["rebinning"]),
        *_of_recommendations(found),
    ]


def _ranges(sweep: Sweep, names: Sequence[str]) -> list[float]:
    return [sweep.range(name) for name in names]


def _of_prevalence(found: Found) -> Iterator[Statement]:
    """Yield what figure 1 is to show."""
    left, place = found["prevalence"], in_figure("1, left")
    others = [name for name in WEIGHED if not name.startswith("bp")]
    moves = _ranges(left, others)
    yield Statement(place, "nearly_all_move", min(moves) > STEADY, (), moves, "coefficient")
    kappa, ac = (_ranges(left, (f"{name}_linear", f"{name}_quadratic")) for name in ("kappa", "ac"))
    less = all(one < other for one, other in zip(ac, kappa, strict=True))
    yield Statement(place, "ac_moves_less", less, (), (ac[1], kappa[1]), "coefficient")
    ends = [float(left.mean["ac_quadratic"][at]) for at in (0, -1)]
    rises = all(left.mean[f"ac_{weights}"][0] > left.mean[f"ac_{weights}"][-1] for weights in ("linear", "quadratic"))
    yield Statement(place, "ac_rewards", rises, (), ends, "coefficient")
    still = [name for name in WEIGHED if left.range(name) < SAME]
    value = float(left.mean["bp_quadratic"][0])
    yield Statement(place, "only_bp_still", still == ["bp_linear", "bp_quadratic"] and abs(value - STILL) < SAME,
                    (STILL,), (value,), "coefficient")  # fmt: skip
    yield from _of_thresholds(found["threshold"], found.apart)


def _of_thresholds(right: Sweep, apart: Sweep) -> Iterator[Statement]:
    """Yield what figures 1 (right) and 3 are to show; it must be so of both stand-ins, numbers are the first's."""
    both, place = (right, apart), in_figure("1, right")
    moves = _ranges(right, TWO_POINTS)
    holds = all(min(_ranges(sweep, TWO_POINTS)) > STEADY for sweep in both)
    yield Statement(place, "all_move", holds, (), moves, "coefficient")
    means = [_from_agreement(right, name) for name in OF_FIGURES]
    further = all(_from_agreement(sweep, "kappa") > max(_from_agreement(sweep, name) for name in ("bp", "ac"))
                  for sweep in both)  # fmt: skip
    yield Statement(place, "kappa_farther", further, (), means, "coefficient")
    at_most = [_at_ends(sweep, "prevalence")[1] for sweep in both]
    last = [float(abs(right.mean[name][at_most[0]] - right.mean["pa"][at_most[0]])) for name in TWO_POINTS[1:]]
    near = all(abs(sweep.mean[name][at] - sweep.mean["pa"][at]) < STEADY
               for sweep, at in zip(both, at_most, strict=True) for name in TWO_POINTS[1:])  # fmt: skip
    yield Statement(place, "near_agreement", near, (), last, "coefficient")
    most = [float(np.abs(sweep.mean[name] - sweep.mean["pa"]).max()) for sweep in both for name in TWO_POINTS[1:]]
    yield Statement(place, "near_everywhere", max(most) < STEADY, (), most[:2], "coefficient")
    low = [(float(sweep.mean["kappa_linear"][at]), float(sweep.mean["pa"][at]))
           for sweep, at in zip(both, at_most, strict=True)]  # fmt: skip
    yield Statement(place, "kappa_low", all(kappa < agreement / 2 for kappa, agreement in low), (), low[0],
                    "coefficient")  # fmt: skip
    gaps = [float(np.abs(sweep.mean[f"{name}_linear"] - sweep.mean[f"{name}_quadratic"]).max())
            for sweep in both for name in OF_FIGURES]  # fmt: skip
    yield Statement(in_section("4.1"), "two_points", max(gaps) < SAME, (), (max(gaps),), "coefficient")
    ends = [_kappa_by_probability(sweep) for sweep in both]
    holds = all(max(each[0], each[2]) < each[1] - STEADY for each in ends)
    yield Statement(in_figure("3"), "kappa_ends", holds, (), ends[0], "coefficient")
    like = right.beside["similarity"] >= ALIKE
    lowest = float(right.mean["kappa_linear"][like].min())
    agreement = float(right.mean["pa"][like][right.mean["kappa_linear"][like].argmin()])
    yield Statement(in_figure("3"), "alike_no_help", lowest < agreement / 2, (), (lowest, agreement), "coefficient")


def _from_agreement(sweep: Sweep, name: str) -> float:
    """Return the mean distance of a coefficient from percent agreement."""
    return float(np.nanmean(np.abs(sweep.mean[f"{name}_linear"] - sweep.mean["pa"])))


def _at_ends(sweep: Sweep, along: str) -> tuple[int, int]:
    """Return where what changes beside the thresholds is smallest and largest."""
    return int(sweep.beside[along].argmin()), int(sweep.beside[along].argmax())


def _kappa_by_probability(sweep: Sweep) -> tuple[float, float, float]:
    """Return kappa where hardly anybody passes, where half pass, and where nearly all do."""
    probability, kappa = sweep.beside["probability"], sweep.mean["kappa_linear"]
    low, high = _at_ends(sweep, "probability")
    return float(kappa[low]), float(kappa[np.abs(probability - 0.5).argmin()]), float(kappa[high])


def _of_marginals(found: Found) -> Iterator[Statement]:
    """Yield what figure 2 (left) is to show."""
    left, place = found["marginals"], in_figure("2, left")
    middle = len(left.x) // 2
    alike = (middle - 1, middle)
    lowest = [int(np.argmin(left.mean[f"kappa_{weights}"])) in alike for weights in ("linear", "quadratic")]
    kappa = left.mean["kappa_quadratic"]
    yield Statement(place, "kappa_penalises", all(lowest), (), (float(kappa.min()), float(kappa.max())), "coefficient")
    promoting = ("ac_linear", "ac_quadratic", "bp_quadratic")
    highest = [int(np.argmax(left.mean[name])) in alike for name in promoting]
    yield Statement(place, "others_promote", all(highest), (), _ranges(left, promoting), "coefficient")
    yield Statement(place, "bp_linear_still", left.range("bp_linear") < SAME, (), (left.range("bp_linear"),),
                    "coefficient")  # fmt: skip
    agreement = left.mean["pa"]
    ends = (float(agreement[0]), float(agreement[middle]))
    yield Statement(in_section("3.2.2"), "alike_agree_less", ends[1] < ends[0], (), ends, "coefficient")


def _of_similarity(right: Sweep) -> Iterator[Statement]:
    """Yield what figure 2 (right) is to show: rank correlations with similarity over the passing scores."""
    place, similarity = in_figure("2, right"), right.beside["similarity"]
    along = {name: _rank_correlation(similarity, right.mean[name]) for name in TWO_POINTS}
    others = [along[name] for name in TWO_POINTS[1:]]
    yield Statement(place, "others_rise", min(others) > 0.5, (), others, "coefficient")
    yield Statement(place, "kappa_falls", along["kappa_linear"] < -0.5, (), (along["kappa_linear"],), "coefficient")
    means = [float(right.mean[name].mean()) for name in (*TWO_POINTS, "pa")]
    yield Statement(place, "kappa_lower", means[0] < min(means[1:]) - STEADY, (), means[:3], "coefficient")
    apart = [float((right.mean[name] - right.mean["kappa_linear"]).min()) for name in TWO_POINTS[1:]]
    yield Statement(place, "kappa_lower_everywhere", min(apart) > 0, (), apart, "difference")
    far = float(np.abs(right.mean["kappa_linear"] - right.mean["pa"])[similarity.argmax()])
    yield Statement(place, "kappa_far", far > STEADY, (), (far,), "coefficient")


def _rank_correlation(one: Floats, other: Floats) -> float:
    first, second = (np.argsort(np.argsort(values)).astype(float) for values in (one, other))
    return float(np.corrcoef(first, second)[0, 1])


def _of_sizes(sweep: Sweep) -> Iterator[Statement]:
    """Yield what figure 4 is to show."""
    changed = {name: float(sweep.mean[name][-1] - sweep.mean[name][0]) for name in WEIGHED}
    quadratic, linear = ([changed[f"{name}_{weights}"] for name in OF_FIGURES] for weights in ("quadratic", "linear"))
    yield Statement(in_figure("4"), "quadratic_fall", max(quadratic) < -STEADY, (), quadratic, "difference")
    yield Statement(in_figure("4"), "linear_rise", min(linear) > 1e-3, (), linear, "difference")
    for key in ("small_disagreements", "large_worse", "only_simulated"):
        yield Statement(in_section("4.3"), key, None)


def _of_scale(sweep: Sweep) -> Iterator[Statement]:
    """Yield what section 4.4 says, of which the paper prints neither a number nor a figure."""
    place = in_section("4.4")
    moves = {name: sweep.range(name) for name in WEIGHED}
    yield Statement(place, "all_by_scale", min(moves.values()) > STEADY, (), list(moves.values()), "coefficient")
    more = [moves[f"{name}_quadratic"] - moves[f"{name}_linear"] for name in OF_FIGURES]
    yield Statement(place, "quadratic_more", min(more) > 0, (), more, "difference")
    fall = [float(sweep.mean[f"{name}_quadratic"][0] - sweep.mean[f"{name}_quadratic"][-1]) for name in OF_FIGURES]
    yield Statement(place, "kappa_most", fall[0] > max(fall[1:]), (), fall, "coefficient")
    steadier = (moves["ac_quadratic"], moves["bp_quadratic"])
    yield Statement(place, "ac_steadier", steadier[0] < steadier[1], (), steadier, "coefficient")


def _of_recommendations(found: Found) -> Iterator[Statement]:
    """Yield what section 5 concludes."""
    place = in_section("5")
    others = ["prevalence", "marginals", "spread", "rebinning"]
    yield _most_robust(found, "most_robust", others)
    yield _most_robust(found, "most_robust_of_all", [*others, "threshold"])
    kappa = [found[key].range("kappa_quadratic") for key in ("prevalence", "marginals", "rebinning")]
    yield Statement(place, "kappa_depends", min(kappa) > STEADY, (), kappa, "coefficient")
    of_labels = found["threshold"].range("kappa_linear")
    yield Statement(place, "kappa_of_labels", of_labels > STEADY, (), (of_labels,), "coefficient")
    far, near = _far_and_near(found.seed)
    yield Statement(place, "low_agreement_high_ranks", far[0] < near[0] and far[1] > near[1] and far[2] > near[2], (),
                    far, "coefficient")  # fmt: skip
    yield Statement(place, "high_agreement_low_ranks", near[0] > STILL > near[1] and near[2] < 1, (), near,
                    "coefficient")  # fmt: skip
    yield Statement(place, "elsewhere", None)


def _most_robust(found: Found, key: str, stresses: Sequence[str]) -> Statement:
    """Return whether AC and BP move least under stresses, of all coefficients that the size of errors moves."""
    sizes = found["magnitude"]
    most = {name: max(found[stress].range(name) for stress in stresses) for name in sizes.mean}
    noticing = [name for name in most if name not in ("pa", "mae") and sizes.range(name) > STEADY]
    best = sorted(noticing, key=lambda name: most[name])[:2]
    told = [most[f"{name}_quadratic"] for name in ("ac", "bp", "kappa")]
    return Statement(in_section("5"), key, set(best) == {"ac_quadratic", "bp_quadratic"}, (), told, "coefficient")


def _far_and_near(seed: int) -> tuple[list[float], list[float]]:
    """Return quadratic AC, tau-b and mean size of an error of two systems: one that is far off, one nearly right."""
    rng = np.random.default_rng([seed, 22])
    gold = gaussian_scores(rng, 5000, 10 - FAR, (9 - FAR) / 2, 0.5)
    far, near = table_of(gold, gold + FAR, 10), table_of(gold, moved(rng, gold, 10, NEAR_MISSES, 1), 10)
    return _told(far), _told(near)


def _told(table: Floats) -> list[float]:
    found = panel(table)
    return [float(found["ac_quadratic"]), float(correlations(table)["tau_b"]), float(found["mae"])]
