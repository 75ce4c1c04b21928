"""Simulate ratings, and recover hidden ones.

The ratings of Wisniewski (2013) come from the quality-estimation task of WMT 2012 and from the TIDES program; neither
is available. The simulated judges are calibrated to the agreement that the paper reports.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.metrics import kendall_tau_b
from reportgen.studies.completion import METHODS, complete, different_orders, low_rank_ratio, one_rating_each
from reportgen.studies.study import Floats

SCALE = (1, 5)
CE_RESPONSES = 2254
PAIRS = ((0, 1), (0, 2), (1, 2))  # the judges of the first corpus, two at a time
CE_JUDGES = ((4.055, 1.050, 0.518), (3.478, 0.584, 0.422), (3.367, 1.013, 0.414))
"""Mean, spread, and noise of each judge: score = limited(round(mean + spread (quality + noise e))). Linear kappas are
near .39, .46, and .50, Fleiss's kappa near .25, and tau-b .64 to .68, as in the paper."""

TIDES_SETS, TIDES_SYSTEMS, TIDES_SEGMENTS = 31, 3, 70
TIDES_SPREAD = {"system": 0.04, "judge": 0.25, "segment": 0.16, "noise": 0.44, "interaction": 0.04}
"""Standard deviations of two judges with very low agreement (kappa near .05), who put two systems in opposite order in
about 36% of comparisons; single ratings and both judges do so in about 17% (20% in the paper, without sizes of
sets)."""
TIDES_MEAN = 2.9


def ce_like(rng: np.random.Generator, responses: int = CE_RESPONSES) -> Floats:
    """Return (responses, 3) integer scores of three judges who use the scale differently."""
    quality = rng.normal(size=responses)
    noise = rng.normal(size=(responses, len(CE_JUDGES)))
    mean, spread, error = (np.array(each) for each in zip(*CE_JUDGES, strict=True))
    return np.clip(np.rint(mean + spread * (quality[:, None] + error * noise)), *SCALE)


def tides_like(rng: np.random.Generator) -> list[Floats]:
    """Return sets of (systems, segments, 2) integer scores of two judges each."""
    sd, sets = TIDES_SPREAD, []
    for _ in range(TIDES_SETS):
        system = rng.normal(0, sd["system"], TIDES_SYSTEMS)[:, None, None]
        judge = rng.normal(0, sd["judge"], 2)
        segment = rng.normal(0, sd["segment"], (TIDES_SYSTEMS, TIDES_SEGMENTS))[:, :, None]
        together = rng.normal(0, sd["interaction"], (TIDES_SYSTEMS, 2))[:, None, :]
        noise = rng.normal(0, sd["noise"], (TIDES_SYSTEMS, TIDES_SEGMENTS, 2))
        sets.append(np.clip(np.rint(TIDES_MEAN + system + judge + segment + together + noise), *SCALE))
    return sets


NOISES = (1, 2, 3)  # the three strategies of section 4.1: random, one judge stricter, one judge more extreme

MEAN, SD, SMALL_SD = 3.0, 1.0, 0.1  # quality of translations and the small noise, which the paper does not define


def noisy_pair(rng: np.random.Generator, strategy: int, level: float, n: int = 1000) -> Floats:
    """Return (n, 2) ratings with one kind of noise; `level` is the paper's theta, a variance for the first kind."""
    quality = rng.normal(MEAN, SD, n)
    if strategy == 1:
        return np.column_stack([rng.normal(quality, np.sqrt(level)) for _ in range(2)])
    if strategy == 2:
        return np.column_stack([rng.normal(quality + shift * level / 2, SMALL_SD) for shift in (1, -1)])
    side = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    return np.column_stack([rng.normal(quality, SMALL_SD), rng.normal(quality + side * level / 2, SMALL_SD)])


def low_rank_limit(strategy: int, level: float) -> float:
    """Return the limit of the low-rank ratio of `noisy_pair` for many responses, from its second moments."""
    square = MEAN**2 + SD**2
    if strategy == 1:
        moments = [[square + level, square], [square, square + level]]
    elif strategy == 2:
        own = [SD**2 + SMALL_SD**2 + (MEAN + shift * level / 2) ** 2 for shift in (1, -1)]
        across = square - level**2 / 4
        moments = [[own[0], across], [across, own[1]]]
    else:
        moments = [[square + SMALL_SD**2, square], [square, square + SMALL_SD**2 + level**2 / 4]]
    sizes = np.linalg.eigvalsh(np.array(moments))
    return float(np.sqrt(sizes[0] / sizes.sum()))


LEVELS = (0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)  # noise levels (theta) of the low-rank test

LOW_RANK_DRAWS = 100


def low_rank_of_noise(part: tuple[int, int]) -> tuple[int, list[tuple[float, float, float]]]:
    """Return a kind of noise, and (level, mean ratio of random draws, limit) at every level; `part` is (seed, kind)."""
    seed, strategy = part
    rng = np.random.default_rng([seed, 3, strategy])
    return strategy, [
        (
            level,
            float(np.mean([low_rank_ratio(noisy_pair(rng, strategy, level)) for _ in range(LOW_RANK_DRAWS)])),
            low_rank_limit(strategy, level),
        )
        for level in LEVELS
    ]


def random_ratio(seed: int) -> float:
    """Return the mean low-rank ratio of independent integer scores of two judges, the baseline of figure 1."""
    rng = np.random.default_rng([seed, 9])
    low, high = SCALE
    return float(np.mean([low_rank_ratio(rng.integers(low, high + 1, (1000, 2))) for _ in range(LOW_RANK_DRAWS)]))


SINGLE = "single"  # baseline of completed ratings: every response rated once

AS_PUBLISHED = ("nuclear",)  # methods whose predictions the paper does not limit to the scale


class Recovery(NamedTuple):
    """Results of one method in one experiment."""

    method: str
    share: float
    error: float  # mean absolute error of the hidden ratings; nan for one rating each
    tau: float  # tau-b of the ranking of responses by mean rating with the full ratings' ranking; nan for multiple sets
    turned: float = 0.0  # percentage of pairs of systems in opposite order


def _percentage(opposite: int, pairs: int) -> float:
    return 100 * opposite / max(pairs, 1)


def hide(ratings: Floats, share: float, rng: np.random.Generator) -> Floats:
    """Remove a random share of the given ratings."""
    given = np.flatnonzero(np.isfinite(ratings).ravel())
    gone = rng.permutation(given)[: round(share * len(given))]
    left = ratings.copy()
    left.ravel()[gone] = np.nan
    return left


def _recovered(
    ratings: Floats, share: float, scale: tuple[float, float], rng: np.random.Generator
) -> list[tuple[str, float, Floats]]:
    """Return method, mean absolute error of hidden ratings, and mean rating of each response; single ratings first."""
    left = hide(ratings, share, rng)
    hidden = np.isfinite(ratings) & ~np.isfinite(left)
    found = [(SINGLE, np.nan, one_rating_each(ratings, rng))]
    for method in METHODS:
        # limited to the scale, as in the paper
        values = complete(left, method, scale=None if method in AS_PUBLISHED else scale, rng=rng).values
        # missing ratings are also missing in the comparison
        known = np.where(np.isfinite(ratings), values, np.nan)
        found.append((method, float(np.abs(values - ratings)[hidden].mean()), np.nanmean(known, axis=1)))
    return found


def recover(
    part: tuple[int, float, int], matrices: Sequence[Floats], seed: int, scale: tuple[float, float] = SCALE,
    systems: NDArray[Any] | None = None,
) -> list[Recovery]:  # fmt: skip
    """Return what every method recovers of one matrix; responses that nobody rated are left out.

    part: The number of the matrix, the share of its ratings to hide, and the number of the draw.
    systems (n,): whose responses they are.
    """
    number, share, draw = part
    ratings = matrices[number]
    rated = np.isfinite(ratings).any(axis=1)
    ratings, systems = ratings[rated], None if systems is None else systems[rated]
    full, rng = np.nanmean(ratings, axis=1), np.random.default_rng((seed, 2, number, round(1000 * share), draw))
    return [
        Recovery(method, share, error, float(kendall_tau_b(full, scores)),
                 0.0 if systems is None else _percentage(*different_orders(scores, full, systems)))
        for method, error, scores in _recovered(ratings, share, scale, rng)
    ]  # fmt: skip


def recover_sets(part: tuple[int, float, int]) -> list[Recovery]:
    """Return what every method recovers of all sets of one draw of the second corpus, of (seed, share, draw)."""
    seed, share, number = part
    rng = np.random.default_rng([seed, 4, number])
    errors: dict[str, list[float]] = {}
    orders: dict[str, list[tuple[int, int]]] = {}
    for ratings in tides_like(rng):
        systems, matrix = np.repeat(np.arange(ratings.shape[0]), ratings.shape[1]), ratings.reshape(-1, 2)
        for method, error, scores in _recovered(matrix, share, SCALE, rng):
            errors.setdefault(method, []).append(error)
            orders.setdefault(method, []).append(different_orders(scores, matrix.mean(axis=1), systems))
    return [
        Recovery(method, share, float(np.mean(own)), np.nan, _percentage(*np.sum(orders[method], axis=0).tolist()))
        for method, own in errors.items()
    ]
