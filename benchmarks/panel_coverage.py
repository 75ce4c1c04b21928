"""How often the panel's 95 % intervals hold the coefficient of the population they were drawn from.

Two raters score on 1 to 6; the second is .2 points more lenient.  Each design is one population of
true scores and rater error; samples are drawn from its table of pairs.

    python benchmarks/panel_coverage.py [REPLICATES]
"""

from __future__ import annotations

import sys

import numpy as np

from reportgen.evaluation.statistics import corrected, interval_estimate
from reportgen.metrics.chance_corrected import Patterns
from reportgen.metrics.krippendorff import PANEL
from reportgen.tally.sums import Floats

SCALE = np.arange(1, 7.0)
PAIRS = np.column_stack(np.divmod(np.arange(36), 6))
DESIGNS = {"middle": (3.5, 1.0, 0.6), "low, good raters": (2.2, 0.8, 0.4), "top, good raters": (5.5, 0.7, 0.3)}
"""Design -> mean and SD of true scores, SD of rater error."""


def population(mean: float, sd: float, error: float, rng: np.random.Generator) -> Floats:
    """Return the shares of the 36 pairs of scores."""
    true = rng.normal(mean, sd, 1_000_000)
    first, second = (np.clip(np.rint(true + bias + rng.normal(0, error, true.size)), 1, 6) for bias in (0.0, 0.2))
    return np.bincount((6 * (first - 1) + second - 1).astype(int), minlength=36) / true.size


def patterns(counts: Floats) -> Patterns:
    """Return a table of counts as patterns."""
    used = counts > 0
    return Patterns(PAIRS[used], counts[used], SCALE, declared=True)


def covered(shares: Floats, n: int, replicates: int, rng: np.random.Generator) -> dict[str, float]:
    """Return the share of samples whose interval holds the population's value; samples without one do not count."""
    truth = {key: of(patterns(1e9 * shares)).value for key, of in PANEL.items()}
    held: dict[str, list[bool]] = {key: [] for key in PANEL}
    for _ in range(replicates):
        sample = patterns(rng.multinomial(n, shares).astype(float))
        for key, of in PANEL.items():
            found = of(sample)
            error = corrected(float(sample.count @ (found.influence / n) ** 2), n)
            estimate = interval_estimate(key, found.value, float(error), n, n, 0.95)
            if estimate.low is not None and estimate.high is not None:
                held[key].append(estimate.low <= truth[key] <= estimate.high)
    return {key: float(np.mean(each)) for key, each in held.items()}


def main(replicates: int) -> None:
    """Print the coverage of every coefficient in every design."""
    rng = np.random.default_rng(5)
    for name, design in DESIGNS.items():
        shares = population(*design, rng)
        for n in (40, 200, 1000):
            found = covered(shares, n, replicates, rng)
            print(f"{name}, n = {n}: " + ", ".join(f"{key} {100 * value:.1f}" for key, value in found.items()))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
