"""Measure weighted intervals of samples with unequal probabilities: `python benchmarks/coverage_samples.py`.

People score the ends of the scale more often ("ends"), second ratings are more probable where engine and rater differ
("differences"), or both.  Two raters could rate each response; the truth is that of a large population.
"""

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from reportgen.evaluation import Plan, Preparation, TalliedScores, tally_scores
from reportgen.results import Scale
from reportgen.scores.table import SampleWeights
from reportgen.tally.sums import Floats

KEYS = (
    "system.qwk", "system.smd", "system.exact_agreement", "human.qwk", "human.exact_agreement", "degradation.qwk",
    "true_score.error_variance", "true_score.prmse",
)  # fmt: skip
PLAN = Plan(raters=("one", "two"), scale=Scale(1, 6, 1, False), preparation=Preparation((1, 6), 0.4998))
RESPONSES, POPULATION = 10_000, 400_000


def drawn(n: int, seed: int) -> tuple[Floats, Floats]:
    """Return engine scores, and two ratings of each response."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(3.5, 1, n)
    human = np.clip(np.rint(truth[:, None] + rng.normal(0, 0.6, (n, 2))), 1, 6)
    return np.clip(3.5 + 0.9 * (truth - 3.5) + rng.normal(0, 0.5, n), 0.5, 6.5), human


def sampled(design: str, seed: int) -> tuple[Floats, Floats, SampleWeights]:
    """Return a sample by design, and its weights."""
    system, human = drawn(RESPONSES, seed)
    rng = np.random.default_rng([seed, 1])
    far = np.abs(human[:, 0] - system) > 1
    first = np.where((system < 2) | (system > 5), 0.8, 0.1) if design != "differences" else np.ones(len(system))
    second = np.full(len(system), 0.3) if design == "ends" else np.where(far, 1, 0.05)
    chosen = rng.random(len(system)) < first
    human[rng.random(len(system)) >= second, 1] = np.nan
    return system[chosen], human[chosen], SampleWeights(1 / first[chosen], 1 / second[chosen])


def run(design: str, samples: int) -> Mapping[str, tuple[float, float, float]]:
    """Return for each statistic its bias, and the shares of weighted and unweighted intervals that have the truth."""
    truth = tally_scores(*drawn(POPULATION, 0), {}, PLAN)
    values, hits = defaultdict[str, list[float]](list), defaultdict[tuple[str, bool], list[bool]](list)

    def note(tallied: TalliedScores, weighted: bool) -> None:
        for key in KEYS:
            found, true = tallied.headline(key), truth.headline(key).value
            if found.value is not None and found.low is not None and found.high is not None and true is not None:
                hits[key, weighted].append(found.low <= true <= found.high)
                if weighted:
                    values[key].append(found.value - true)

    for seed in range(1, samples + 1):
        system, human, weights = sampled(design, seed)
        note(tally_scores(system, human, {}, PLAN, weights=weights), weighted=True)
        note(tally_scores(system, human, {}, PLAN), weighted=False)
    return {
        key: (float(np.mean(values[key])), float(np.mean(hits[key, True])), float(np.mean(hits[key, False])))
        for key in KEYS
    }


if __name__ == "__main__":
    for _design in ("ends", "differences", "both"):
        for _key, (_bias, _weighted, _plain) in run(_design, 500).items():
            print(f"{_design:12} {_key:26} bias {_bias:+.4f}, coverage {_weighted:.1%}, without weights {_plain:.1%}")
