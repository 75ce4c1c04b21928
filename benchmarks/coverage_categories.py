"""How often intervals of two categories hold the truth: `python benchmarks/coverage_categories.py`, a minute of CPU.

Responses are drawn from known shares of the table of two by two, or candidates with four responses each whose scores
and errors are alike within candidates; each line counts over as many samples as are asked for.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation import Plan, Preparation, tally_scores
from reportgen.metrics.tables import CATEGORY_STATISTICS
from reportgen.results import Scale
from reportgen.tally import limits

DESIGNS = ((50, 0.5, 0.8, 0.8), (100, 0.3, 0.85, 0.9), (200, 0.6, 0.91, 0.84), (500, 0.1, 0.8, 0.95),
           (1000, 0.5, 0.95, 0.95))  # fmt: skip
"""Responses, base rate, sensitivity, specificity."""

CANDIDATES, RESPONSES, OF_TRUTH = 80, 4, 500_000
LEVEL = 0.95

Numbers = NDArray[np.float64]


def by_response(design: tuple[int, float, float, float], samples: int, rng: np.random.Generator) -> dict[str, float]:
    """Return the coverage of every statistic where responses are independent."""
    n, base, sensitivity, specificity = design
    lower, higher = (
        (1 - base) * np.array([specificity, 1 - specificity]),
        base * np.array([1 - sensitivity, sensitivity]),
    )
    shares = np.stack([lower, higher])
    tables = rng.multinomial(n, shares.ravel(), samples).reshape(samples, 2, 2).astype(float)
    found = {}
    for key, statistic in CATEGORY_STATISTICS.items():
        of = (tables * statistic.counted).sum(axis=(1, 2))
        value, gradient = statistic.of(tables), statistic.gradient(tables)
        with np.errstate(all="ignore"):
            error = np.sqrt((tables * gradient**2).sum(axis=(1, 2)) * of / (of - 1))
        low, high = limits(value, error, of - 1, statistic.transform, LEVEL, of)
        known, truth = np.isfinite(low) & np.isfinite(high), float(statistic.of(shares))
        found[key] = float(((low <= truth) & (truth <= high))[known].mean())
    return found


def drawn(candidates: int, rng: np.random.Generator) -> tuple[Numbers, Numbers, NDArray[np.int64]]:
    """Return engine and human scores of candidates who are alike in ability and in how often the engine errs."""
    code = np.repeat(np.arange(candidates), RESPONSES)
    ability, error = rng.normal(size=(2, candidates))
    human = (ability[code] + rng.normal(size=len(code)) > -0.3).astype(float)
    wrong = rng.random(len(code)) < 1 / (1 + np.exp(2.0 - error[code] - rng.normal(0, 0.5, len(code))))
    return np.where(wrong, 1 - human, human), human, code


def by_candidate(samples: int, rng: np.random.Generator) -> dict[str, float]:
    """Return the coverage of every statistic where candidates are the units."""
    system, human, _ = drawn(OF_TRUTH, rng)
    truth = np.bincount((2 * human + system).astype(int), minlength=4).reshape(2, 2)
    held: dict[str, list[bool]] = {key: [] for key in CATEGORY_STATISTICS}
    for _ in range(samples):
        system, human, code = drawn(CANDIDATES, rng)
        tallied = tally_scores(
            system,
            human[:, None],
            {},
            Plan(
                raters=("h",),
                scale=Scale(0, 1, 1, False),
                preparation=Preparation((0, 1), 0.4998, None, True),
                level=LEVEL,
            ),
            candidates=code,
        )
        slices = tallied.estimates(tallied.primary_rounded)
        for key, statistic in CATEGORY_STATISTICS.items():
            found = slices.estimate(f"system.{key}")
            if found.low is not None and found.high is not None:
                held[key].append(found.low <= float(statistic.of(truth)) <= found.high)
    return {key: float(np.mean(each)) for key, each in held.items()}


def main() -> None:
    """Print coverage in percent, one line for each design."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    samples, rng = parser.parse_args().samples, np.random.default_rng(2026)
    rows = {
        f"{n} responses, base rate {base:g}, sensitivity {one:g}, specificity {other:g}": by_response(
            (n, base, one, other), samples, rng
        )
        for n, base, one, other in DESIGNS
    }
    rows[f"{CANDIDATES} candidates of {RESPONSES} responses"] = by_candidate(samples, rng)
    print("| design | " + " | ".join(CATEGORY_STATISTICS) + " |")
    print("|---" + "|--:" * len(CATEGORY_STATISTICS) + "|")
    for name, found in rows.items():
        print(f"| {name} | " + " | ".join(f"{100 * value:.1f}" for value in found.values()) + " |")


if __name__ == "__main__":
    main()
