"""Measure whether promised chances come true: of a clear answer with more data, and of a number of double scores.

    python benchmarks/assurance.py chances [--samples 4000]
    python benchmarks/assurance.py power [--samples 2000]

`chances`: engines of every quality around a limit and raters who agree more or less, each in a sample of its own.
Where the sample leaves a requirement open, what the report promises of more data is set against what the same sample
says once it has them.  `power`: engines of one quality, scored twice as often as `reportgen plan --power` asks, and how
often the interval leaves the limit out.  Scores are those of `coverage.py` without its group: true scores normal, human
scores rounded (`power`: to hundredths, as the plan's formula assumes), an engine with an error of its own.  Both print
the tables of ``benchmarks/validation.md``.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from coverage import BOUNDS, MEAN, SD, Floats, rater_sd

from reportgen.evaluation.estimates import SliceEstimates, estimate_slices
from reportgen.metrics.double_scoring import PrmsePlan
from reportgen.policies import Criterion
from reportgen.results import Chance
from reportgen.tally import ROUNDED, TRIMMED, Form, tally_of
from reportgen.verdicts import check
from reportgen.verdicts.judging import judge

BATCH_ROWS = 500_000


@dataclass(frozen=True)
class Design:
    """A requirement, the responses of today and those to come, and how widely raters and engines differ.

    `human_r` holds the ends of the raters' correlation: what is plausible is spread over raters as well as engines.
    `quality` holds the ends of the engine's correlation with true scores, whose spread it has, and of its mean's
    distance from theirs, in standard deviations.
    """

    statistic: str
    low: float | None
    high: float | None
    now: tuple[int, int]
    then: tuple[int, int]
    human_r: tuple[float, float]
    quality: tuple[tuple[float, float], tuple[float, float]]


MIXED, SHIFTED = ((0.45, 1.0), (0.0, 0.0)), ((0.85, 0.85), (-0.7, 0.7))

DESIGNS = (
    Design("system.qwk", 0.60, None, (200, 0), (500, 0), (0.5, 0.8), MIXED),
    Design("system.qwk", 0.60, None, (200, 0), (2000, 0), (0.5, 0.8), MIXED),
    Design("system.qwk", 0.65, None, (60, 0), (200, 0), (0.7, 0.9), MIXED),
    Design("system.smd", -0.15, 0.15, (100, 0), (500, 0), (0.5, 0.8), SHIFTED),
    Design("system.smd", -0.15, 0.15, (300, 0), (1000, 0), (0.5, 0.8), SHIFTED),
    Design("system.exact_agreement", 48.0, None, (500, 0), (2000, 0), (0.5, 0.8), MIXED),
    Design("degradation.qwk", -0.10, None, (200, 200), (1000, 1000), (0.5, 0.8), MIXED),
    Design("degradation.qwk", -0.05, None, (1000, 100), (1000, 500), (0.5, 0.8), MIXED),
    Design("degradation.qwk", -0.05, None, (500, 100), (1000, 1000), (0.5, 0.8), MIXED),
    Design("disattenuated.r", 0.80, None, (1000, 100), (1000, 500), (0.5, 0.8), MIXED),
    Design("true_score.prmse", 0.60, None, (300, 100), (300, 200), (0.5, 0.8), MIXED),
    Design("true_score.prmse", 0.70, None, (1000, 100), (1000, 500), (0.5, 0.8), MIXED),
    Design("true_score.prmse", 0.70, None, (1000, 200), (2000, 2000), (0.5, 0.8), MIXED),
    Design("true_score.prmse", 0.70, None, (200, 200), (500, 500), (0.7, 0.9), MIXED),
    Design("true_score.prmse", 0.60, None, (2000, 200), (2000, 1000), (0.3, 0.55), MIXED),
)


def sample(
    rng: np.random.Generator, design: Design, errors: tuple[float, float], samples: int
) -> tuple[Floats, Floats]:
    """Return engine scores (samples, responses to come) and two ratings of each (samples, responses, 2)."""
    n = design.then[0]
    true = np.clip(rng.normal(MEAN, SD, (samples, n)), 1, 6)
    human = np.clip(
        np.rint(true[:, :, None] + rng.uniform(*errors, (samples, 1, 1)) * rng.normal(size=(samples, n, 2))), 1, 6
    )
    closeness, shift = (rng.uniform(*ends, (samples, 1)) for ends in design.quality)
    own = SD * (shift + np.sqrt(1 - closeness**2) * rng.normal(size=(samples, n)))
    system = MEAN + closeness * (true - MEAN) + own
    return system, human


def estimates(
    system: Floats, human: Floats, counts: tuple[int, int], form: Form = TRIMMED, bounds: tuple[float, float] = BOUNDS
) -> SliceEstimates:
    """Return the statistics of each sample's first responses, so many of them scored twice."""
    n, double = counts
    samples = len(system)
    ratings = human[:, :n].copy()
    ratings[:, double:, 1] = np.nan
    names = [f"{index:06}" for index in range(samples)]
    groups = {"sample": (np.repeat(np.arange(samples), n), names)}
    tally = tally_of(system[:, :n].ravel(), ratings.reshape(-1, 2), groups, bounds)
    return estimate_slices(tally, "sample", form, 0.95, None)


def promised(design: Design, samples: int) -> tuple[int, Floats]:
    """Return how many samples are open, and of these the mean promise and the share kept, of met and of not met."""
    errors, rng = (rater_sd(design.human_r[1]), rater_sd(design.human_r[0])), np.random.default_rng(3)
    criterion = Criterion(statistic=design.statistic, low=design.low, high=design.high)
    form = ROUNDED if design.statistic.endswith("agreement") else TRIMMED
    step = max(1, BATCH_ROWS // design.then[0])
    found = []
    for start in range(0, samples, step):
        system, human = sample(rng, design, errors, min(step, samples - start))
        now, then = (estimates(system, human, counts, form) for counts in (design.now, design.then))
        for place in range(len(system)):
            chance = chance_of(criterion, design, now, place)
            if chance is not None:
                later = judge(then.estimate(design.statistic, place), design.low, design.high)
                found.append((chance.met, later == "met", chance.not_met, later == "not met"))
    return len(found), np.array(found, float)


def chance_of(criterion: Criterion, design: Design, now: SliceEstimates, place: int) -> Chance | None:
    """Return what the report promises of one sample; None where it is not open."""
    alone = design.statistic.startswith("system.")
    made = check(
        criterion,
        now.estimate(design.statistic, place),
        rests_on="system" if alone else "multiple",
        lookup=lambda key: now.estimate(key, place) if key in now.numbers else None,
    )
    size = design.then[0] if alone else design.then[1]
    return next((each for each in made.assurance if each.n == size), None)


def chances_table(samples: int) -> None:
    """Print how many samples are open, and of these the promises and the shares kept, in percent."""
    heads = ("requirement", "now", "then", "open", "met: promised", "kept", "not met: promised", "kept",
             "clear: promised", "kept")  # fmt: skip
    print(f"| {' | '.join(heads)} |\n|---|{'--:|' * (len(heads) - 1)}")
    for design in DESIGNS:
        n, found = promised(design, samples)
        means = 100 * found.mean(axis=0)
        told = [*means, means[0] + means[2], means[1] + means[3]]
        asked = f"{design.low} to {design.high}" if design.high is not None else f"at least {design.low}"
        sizes = (" / ".join(f"{count:,}" for count in each if count) for each in (design.now, design.then))
        name = f"`{design.statistic}` {asked}, r {design.human_r[0]:.2f} to {design.human_r[1]:.2f}"
        print(f"| {' | '.join([name, *sizes, f'{n:,}', *(f'{each:.1f}' for each in told)])} |", flush=True)


PLANS = (
    (0.80, 0.65, 0.70, None, 0.8),
    (0.80, 0.65, 0.70, 500, 0.8),
    (0.80, 0.65, 0.70, 2000, 0.8),
    (0.80, 0.80, 0.70, 500, 0.8),
    (0.80, 0.40, 0.70, 3000, 0.8),
    (0.85, 0.65, 0.70, 1000, 0.9),
    (0.76, 0.65, 0.70, 2000, 0.8),
    (0.60, 0.65, 0.70, 500, 0.8),
    (0.80, 0.65, 0.70, 2000, 0.5),
)
"""True PRMSE, correlation of raters, limit, responses, power."""

UNBOUNDED = (-1e6, 1e6)


def power_of(plan: tuple[float, float, float, int | None, float], samples: int) -> tuple[int, int, float, float]:
    """Return the double scores planned, all responses, the power promised and the share of samples that are clear."""
    prmse, human_r, limit, n, wanted = plan
    made = PrmsePlan(prmse, human_r, n)
    double = made.for_power(limit, wanted)
    if double is None:
        raise SystemExit("no number of double scores is enough")
    all_ = made.responses(double) or 20 * double
    step, rng, clear = max(1, BATCH_ROWS // all_), np.random.default_rng(4), []
    for start in range(0, samples, step):
        some = min(step, samples - start)
        system = rng.normal(0, np.sqrt(prmse), (some, all_))
        true = system + rng.normal(0, np.sqrt(1 - prmse), (some, all_))
        human = true[:, :, None] + rng.normal(0, np.sqrt((1 - human_r) / human_r), (some, all_, 2))
        found = estimates(system, np.round(human, 2), (all_, double), bounds=UNBOUNDED).numbers["true_score.prmse"]
        clear.append((found.low > limit) if prmse > limit else (found.high < limit))
    return double, all_, made.power(double, limit), float(np.concatenate(clear).mean())


def power_table(samples: int) -> None:
    """Print how often planned double scores tell PRMSE from a limit, in percent."""
    heads = ("PRMSE", "r(h1, h2)", "limit", "responses", "double-scored", "power asked", "promised", "achieved")
    print(f"| {' | '.join(heads)} |\n|{'--:|' * len(heads)}")
    for plan in PLANS:
        double, all_, told, achieved = power_of(plan, samples)
        cells = [*(f"{each:.2f}" for each in plan[:3]), f"{all_:,}", f"{double:,}"]
        cells += [f"{100 * each:.1f}" for each in (plan[4], told, achieved)]
        print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("chances", "power"))
    parser.add_argument("--samples", type=int, default=2000)
    chosen = parser.parse_args()
    (chances_table if chosen.what == "chances" else power_table)(chosen.samples)


if __name__ == "__main__":
    main()
