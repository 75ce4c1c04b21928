"""Simulated ratings that stand in for the corpora of the paper, and its three kinds of noise.

The ratings of the paper come from the quality-estimation task of WMT 2012 and from the TIDES program;
neither is at hand here.  The simulated judges are calibrated to the agreement it reports of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SCALE = (1, 5)
CE_RESPONSES = 2254
PAIRS = ((0, 1), (0, 2), (1, 2))
"""The judges of the first corpus, two at a time."""
CE_JUDGES = ((4.055, 1.050, 0.518), (3.478, 0.584, 0.422), (3.367, 1.013, 0.414))
"""Mean, spread and noise of each judge: score = cut(round(mean + spread (quality + noise e))).  With these the
linear kappas are near .39, .46 and .50, Fleiss's kappa near .25, tau-b .64 to .68, as the paper reports."""

TIDES_SETS, TIDES_SYSTEMS, TIDES_SEGMENTS = 31, 3, 70
TIDES_SPREAD = {"system": 0.04, "judge": 0.25, "segment": 0.16, "noise": 0.44, "interaction": 0.04}
"""Standard deviations: two judges of very low agreement (kappa near .05), who put two systems in opposite order in
about 36 % of comparisons; one rating each and both do in about 17 % (20 in print).  Sizes of sets are not printed."""
TIDES_MEAN = 2.9


def ce_like(rng: np.random.Generator, responses: int = CE_RESPONSES) -> Floats:
    """Return (responses, 3) whole scores of three judges who use the scale differently."""
    quality = rng.normal(size=responses)
    noise = rng.normal(size=(responses, len(CE_JUDGES)))
    mean, spread, error = (np.array(each) for each in zip(*CE_JUDGES, strict=True))
    return np.clip(np.rint(mean + spread * (quality[:, None] + error * noise)), *SCALE)


def tides_like(rng: np.random.Generator) -> list[Floats]:
    """Return sets of (systems, segments, 2) whole scores by two judges each."""
    sd, sets = TIDES_SPREAD, []
    for _ in range(TIDES_SETS):
        system = rng.normal(0, sd["system"], TIDES_SYSTEMS)[:, None, None]
        judge = rng.normal(0, sd["judge"], 2)
        segment = rng.normal(0, sd["segment"], (TIDES_SYSTEMS, TIDES_SEGMENTS))[:, :, None]
        together = rng.normal(0, sd["interaction"], (TIDES_SYSTEMS, 2))[:, None, :]
        noise = rng.normal(0, sd["noise"], (TIDES_SYSTEMS, TIDES_SEGMENTS, 2))
        sets.append(np.clip(np.rint(TIDES_MEAN + system + judge + segment + together + noise), *SCALE))
    return sets


NOISES = (1, 2, 3)
"""The three strategies of section 4.1: random, one judge stricter, one judge commits more."""

MEAN, SD, SMALL_SD = 3.0, 1.0, 0.1
"""Quality of translations and the small noise; the paper leaves them open."""


def noisy_pair(rng: np.random.Generator, strategy: int, level: float, n: int = 1000) -> Floats:
    """Return (n, 2) ratings with one of the three kinds of noise; `level` is the paper's theta, first a variance."""
    quality = rng.normal(MEAN, SD, n)
    if strategy == 1:
        return np.column_stack([rng.normal(quality, np.sqrt(level)) for _ in range(2)])
    if strategy == 2:
        return np.column_stack([rng.normal(quality + shift * level / 2, SMALL_SD) for shift in (1, -1)])
    side = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    return np.column_stack([rng.normal(quality, SMALL_SD), rng.normal(quality + side * level / 2, SMALL_SD)])


def low_rank_limit(strategy: int, level: float) -> float:
    """Return what the low-rank ratio of `noisy_pair` tends to with many responses, from its second moments."""
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
