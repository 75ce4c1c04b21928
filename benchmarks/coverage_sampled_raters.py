"""How often 95 % intervals hold the true value where raters are drawn: `python benchmarks/coverage_sampled_raters.py`.

Whole scores from 1 to 6 by two of J raters whose severity has an SD of .3, or of 0; an engine with error.  The true
values are those of 200,000 responses, each with raters of its own.  Prints Markdown: coverage with raters taken for all
there are, and with raters taken for a sample, and how much wider the latter is.  500 samples of each design take about
half an hour of CPU; arguments: samples, then "record" for a score of record instead of interchangeable raters.
"""

from __future__ import annotations

import sys

import numpy as np

from reportgen.evaluation import Plan, Preparation, tally_scores
from reportgen.results import Estimate, Scale
from reportgen.tally.sums import Floats

DESIGNS = ((4, 400, 0.3), (8, 400, 0.3), (20, 400, 0.3), (4, 1000, 0.3), (8, 1000, 0.3), (20, 1000, 0.3), (4, 400, 0.0),
           (20, 400, 0.0))  # fmt: skip
"""Raters, responses, SD of severity."""

STATISTICS = {
    "SMD": "system.smd", "QWK": "system.qwk", "PRMSE": "true_score.prmse",
    "RMSE": "system.rmse", "r": "system.r", "exact agreement": "system.exact_agreement", "kappa": "system.kappa",
    "rater error variance": "true_score.error_variance", "human-human QWK": "human.qwk",
    "degradation of QWK": "degradation.qwk", "mean human score": "system.h_mean",
}  # fmt: skip


def sample(rng: np.random.Generator, raters: int, n: int, sd: float) -> tuple[Floats, Floats, Floats]:
    """Return engine scores, two ratings of each response, and who gave them."""
    true, severity = rng.normal(3.5, 1, n), rng.normal(0, sd, raters)
    who = np.argsort(rng.random((n, raters)), axis=1)[:, :2] if raters < n else np.arange(2 * n).reshape(n, 2)
    human = np.clip(np.rint(true[:, None] + severity[who] + rng.normal(0, 0.5, (n, 2))), 1, 6)
    return true + rng.normal(0, 0.45, n), human, who


def found(system: Floats, human: Floats, who: Floats | None, drawn: bool) -> dict[str, Estimate]:
    """Return the statistics that are tried; raters are a sample where it is given who rated."""
    plan = Plan(raters=("a", "b"), scale=Scale(1, 6, 1, False), preparation=Preparation((1, 6), 0.4998))
    tallied = tally_scores(system, human, {}, plan, interchangeable=drawn, raters=who)
    return {name: tallied.headline(key) for name, key in STATISTICS.items()}


def main(samples: int, drawn: bool) -> None:
    """Print a table for each design."""
    for raters, n, sd in DESIGNS:
        rng = np.random.default_rng(1)
        system, human, _ = sample(rng, 400_000, 200_000, sd)
        truth = {name: each.value for name, each in found(system, human, None, drawn).items()}
        held, width = np.zeros((len(truth), 2)), np.zeros((len(truth), 2))
        for _ in range(samples):
            system, human, who = sample(rng, raters, n, sd)
            for column, given in enumerate((None, who)):
                for row, (name, each) in enumerate(found(system, human, given, drawn).items()):
                    if each.low is not None and each.high is not None:
                        held[row, column] += each.low <= (truth[name] or 0.0) <= each.high
                        width[row, column] += each.high - each.low
        print(f"\n{raters} raters, {n} responses, SD of severity {sd}\n")
        print("| statistic | all there are | a sample | width |\n|---|---|---|---|")
        for row, name in enumerate(truth):
            before, after = 100 * held[row] / samples
            print(f"| {name} | {before:.1f} | {after:.1f} | {width[row, 1] / width[row, 0]:.2f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500, drawn=sys.argv[2:] != ["record"])
