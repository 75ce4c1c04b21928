"""How often the intervals of the section on reported scores hold the truth.

    python benchmarks/coverage_reported_scores.py [SAMPLES]

Samples of an essay (two raters' worth of error, an engine) and eight short items; the truth is what a
million test takers give.  95 % is asked for.
"""

from __future__ import annotations

import sys

import numpy as np

from reportgen.metrics.reported_scores import movement, movement_features, reliability, reliability_features
from reportgen.tally import limits
from reportgen.tally.joint import JointNumbers, rowwise

TRANSFORMS = {
    "mean_difference": "none",
    "rmsd": "log",
    "alpha_other": "log1m",
    "alpha_change": "none",
    "sem_other": "log",
}
SIZES = (40, 150, 600)


def numbers(seed: tuple[int, ...], n: int) -> dict[str, JointNumbers]:
    """Return every statistic of one sample with its standard error."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=n)
    items = (ability[:, None] + rng.logistic(0, 0.7, (n, 8)) > np.linspace(-1, 1, 8)).astype(float)
    quality = 3.5 + 0.75 * ability + rng.normal(0, 0.55, n)
    human = np.clip(np.rint(quality + rng.normal(0, 0.45, n)), 1, 6)
    engine = np.rint(np.clip(3.4 + 0.8 * (quality - 3.5) + rng.normal(0, 0.4, n), 0.5002, 6.4998))
    moved = rowwise(movement_features(human, engine), movement)
    return moved | rowwise(reliability_features(items, human, engine), reliability)


def main() -> None:
    """Print the percentage of intervals that hold the truth, by sample size."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    truth = {key: found.value[0] for key, found in numbers((1,), 1_000_000).items()}
    print("test takers", *TRANSFORMS, sep="\t")
    for n in SIZES:
        held = dict.fromkeys(TRANSFORMS, 0)
        for sample in range(samples):
            found = numbers((2, n, sample), n)
            for key, transform in TRANSFORMS.items():
                low, high = limits(found[key].value, found[key].error, np.array([n - 1.0]), transform, 0.95)
                held[key] += bool(low[0] <= truth[key] <= high[0])
        print(n, *(f"{100 * each / samples:.1f}" for each in held.values()), sep="\t")


if __name__ == "__main__":
    main()
