"""How often an engine that treats everybody alike is accused when it has many groups, and shrunken intervals.

    python benchmarks/many_groups.py [SAMPLES] [GROUPS,RESPONSES ...]

Groups are of unlike sizes (as 1 / sqrt of their rank), a fifth of the responses are scored twice, those with ten or
more are judged. Printed are the shares of samples in which some group is said to lie beyond ±.10 (alone, together),
and to differ from 0 (alone, together; at equal true score together), then the coverage of intervals of intersections.
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np

from reportgen.evaluation.differences import Judged, design_of, differences, looked_at_together, shrunken
from reportgen.evaluation.points import Preparation
from reportgen.evaluation.tallied_scores import Plan, TalliedScores, tally_scores
from reportgen.results import Check, Estimate, Scale
from reportgen.tally import Floats, Integers, limits
from reportgen.verdicts import judge
from reportgen.verdicts.judging import together

SD, RELIABILITY, DOUBLE, LEAST, LIMIT = 0.8, 0.65, 0.2, 10, 0.1
DESIGNS = ((2, 500), (6, 500), (21, 500), (21, 2000), (50, 2000), (200, 10_000))
ROWS, COLUMNS, CROSSED = 2, 10, 2000


def sample(group: Integers, names: list[str], bias: Floats, rng: np.random.Generator) -> TalliedScores:
    """Return the counted scores of one sample, an engine with a bias in each group."""
    n = len(group)
    true = rng.normal(0, SD, n)
    ratings = 3.5 + true[:, None] + rng.normal(0, SD * np.sqrt(1 / RELIABILITY - 1), (n, 2))
    ratings = np.clip(np.rint(ratings), 1, 6)
    ratings[rng.random(n) >= DOUBLE, 1] = np.nan
    system = 3.5 + 0.8 * true + bias[group] + rng.normal(0, 0.35, n)
    return tally_scores(
        system,
        ratings,
        {"g": (group, names)},
        Plan(raters=("h1", "h2"), scale=Scale(1, 6, 1, assumed=False), preparation=Preparation((1.0, 6.0), 0.4998)),
    )


def of_unlike_sizes(groups: int, n: int, rng: np.random.Generator) -> Integers:
    """Return the group of every response; each has one at least."""
    share = 1 / np.sqrt(np.arange(1, groups + 1))
    drawn = rng.choice(groups, n - groups, p=share / share.sum())
    return np.concatenate([np.arange(groups), drawn])


def dsm(tallied: TalliedScores) -> list[Judged]:
    """Return DSM of the groups that are judged."""
    own = tallied.estimates(tallied.primary, "g")
    found = [Judged("g", label, own.estimate("system.dsm", place)) for place, label in enumerate(own.labels)]
    return [each for each in found if each.estimate.n >= LEAST]


def at_equal_true_score(tallied: TalliedScores) -> list[Judged]:
    """Return differences from all others at equal true score."""
    found = differences(tallied, "g")
    numbers, names = found.from_others, tallied.tally.slices["g"].labels
    low, high = limits(numbers.value, numbers.error, numbers.freedom, "none", 0.95)
    return [
        Judged("g", name, Estimate("difference", float(value), round(n), float(a), float(b), float(error)))
        for name, value, error, a, b, n in zip(names, numbers.value, numbers.error, low, high, found.n, strict=True)
        if n >= LEAST
    ]


def accusations(groups: int, n: int, rng: np.random.Generator) -> list[bool]:
    """Return by which of five rules a fair engine is accused in one sample."""
    tallied = sample(of_unlike_sizes(groups, n, rng), [f"g{k}" for k in range(groups)], np.zeros(groups), rng)
    seen, given, levels = dsm(tallied), at_equal_true_score(tallied), {"g": groups}
    checks = [
        Check("DSM", each.estimate, judge(each.estimate, -LIMIT, LIMIT), -LIMIT, LIMIT, statistic="system.dsm",
              column="g", level=each.level)
        for each in seen
    ]  # fmt: skip
    apart = [smallest(each, levels) for each in (seen, given)]
    return [
        any(check.outcome == "not met" for check in checks),
        any(check.outcome == "not met" for check in together(checks, lambda check, _: check)),
        any(
            e.low > 0 or e.high < 0
            for e in (each.estimate for each in seen)
            if e.low is not None and e.high is not None
        ),
        apart[0] < 0.05,
        apart[1] < 0.05,
    ]


def smallest(groups: list[Judged], levels: dict[str, int]) -> float:
    """Return the smallest p after adjustment; two groups make one comparison, whose own p it is."""
    beside = [Judged("none", "", Estimate("dsm", 0.0, LEAST, -1.0, 1.0, 0.5))] if levels["g"] == 2 else []
    found = looked_at_together([*groups, *beside], levels)
    return float(found["p"]) / (2 if beside else 1)


def coverage(spread: float, samples: int, rng: np.random.Generator) -> tuple[float, float, float]:
    """Return how often intervals of intersections hold the truth, plain and shrunken, and the ratio of their RMSE."""
    names = [f"r{i} × c{j}" for i in range(ROWS) for j in range(COLUMNS)]
    held, errors = [], []
    for _ in range(samples):
        bias = np.add.outer(rng.normal(0, 0.05, ROWS), rng.normal(0, 0.05, COLUMNS)).ravel()
        bias += rng.normal(0, spread, len(bias)) if spread else 0.0
        group = of_unlike_sizes(len(names), CROSSED, rng)
        found = dsm(sample(group, names, bias, rng))
        share = 1 / np.sqrt(np.arange(1, len(names) + 1))
        centre = (share @ bias) / share.sum()
        within = (share @ (bias - centre) ** 2) / share.sum()
        truth = (bias - centre) / np.sqrt((0.8 * SD) ** 2 + 0.35**2 + within)
        design = design_of("r × c", [each.level for each in found], ["r", "c"])
        drawn = shrunken([each.estimate for each in found], design)
        for own, near in zip(found, drawn, strict=True):
            if near is not None and near.value is not None and own.estimate.value is not None:
                true = truth[names.index(own.level)]
                held.append([_holds(own.estimate, true), _holds(near, true)])
                errors.append([own.estimate.value - true, near.value - true])
    plain, mine = np.mean(held, axis=0)
    sizes = np.sqrt((np.array(errors) ** 2).mean(axis=0))
    return float(plain), float(mine), float(sizes[1] / sizes[0])


def _holds(estimate: Estimate, true: float) -> bool:
    return estimate.low is not None and estimate.high is not None and estimate.low <= true <= estimate.high


def main(samples: int, designs: tuple[tuple[int, int], ...]) -> None:
    """Print both tables."""
    print("groups | responses | beyond ±.10 alone | together | differs from 0 alone | together | equal true score | s")
    for groups, n in designs:
        began, rng = process_time(), np.random.default_rng(groups + n)
        rate = np.mean([accusations(groups, n, rng) for _ in range(samples)], axis=0)
        print(f"{groups} | {n} | " + " | ".join(f"{each:.1%}" for each in rate) + f" | {process_time() - began:.0f}",
              flush=True)  # fmt: skip
    print("spread of intersections about main effects, points | plain interval | shrunken | RMSE shrunken / plain")
    for spread in (0.0, 0.03, 0.1):
        plain, mine, ratio = coverage(spread, max(40, samples // 10), np.random.default_rng(3))
        print(f"{spread} | {plain:.1%} | {mine:.1%} | {ratio:.2f}", flush=True)


if __name__ == "__main__":
    asked = tuple(tuple(map(int, each.split(","))) for each in sys.argv[2:])
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, asked or DESIGNS)  # type: ignore[arg-type]
