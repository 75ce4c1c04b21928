"""How often nominal 95 % intervals on raters hold the true value: `python benchmarks/coverage_raters.py [REPLICATES]`.

Whole scores from 1 to 6 of two raters, the second .15 more lenient; an engine with error; the true values are
those of 400,000 responses.  Prints a Markdown table; 400 replicates take about 20 s of CPU.
"""

from __future__ import annotations

import sys

import numpy as np

from reportgen.evaluation import Plan, Preparation, TalliedScores, tally_scores
from reportgen.evaluation.rater_effects import compared
from reportgen.evaluation.rater_error import error_by_score, severity_effect
from reportgen.evaluation.reliability import crossed, intraclass
from reportgen.evaluation.sampling import balance
from reportgen.metrics import rater_severity
from reportgen.results import Estimate, Scale

DESIGNS = ((200, 200, 0.6), (1000, 100, 0.6), (500, 250, 0.9))
"""Responses, how many are scored twice, SD of rater errors."""

RATERS = ((6, 60, 0.3), (6, 60, 0.02), (20, 200, 0.05), (20, 200, 0.2), (50, 1000, 0.15))
"""Raters, responses scored by two of them, SD of severity (errors have an SD of .5)."""


def drawn(rng: np.random.Generator, n: int, twice: int, error: float) -> TalliedScores:
    """Return one sample."""
    true = rng.normal(3.5, 1, n)
    human = np.clip(np.rint(true[:, None] + np.array([0, 0.15]) + rng.normal(0, error, (n, 2))), 1, 6)
    human[rng.permutation(n)[twice:], 1] = np.nan
    return tally_scores(
        true + rng.normal(0, 0.45, n),
        human,
        {},
        Plan(raters=("a", "b"), scale=Scale(1, 6, 1, False), preparation=Preparation((1, 6), 0.4998)),
    )


def statistics(tallied: TalliedScores) -> dict[str, Estimate]:
    """Return the statistics whose intervals are tried."""
    pair, icc, found, severity = (
        compared(tallied, 0, 1),
        intraclass(tallied),
        crossed(tallied),
        severity_effect(tallied),
    )
    assert found is not None
    assert severity is not None
    return {
        "difference of means in SDs": pair["smd"],
        "ratio of SDs": pair["sd_ratio"],
        "difference of r with the engine": pair["r_difference"],
        "ICC(1), F": icc["icc_1"],
        "ICC(A,1), F": icc["icc_a1"],
        "ICC(C,1), F": icc["icc_c1"],
        "E rho^2 of one rating": found.coefficient[0],
        "E rho^2 of three": found.coefficient[2],
        "gain of the second": found.gain[0],
        "Phi of one rating": found.dependability[0],
        "SD of error of one rating": found.error[0],
        "rater error variance": severity.variance,
        "its trend along the engine's score": error_by_score(tallied).trend,
        "rise of PRMSE by severity": severity.rise,
    }


def held(estimate: Estimate, truth: float) -> bool:
    """Return whether an interval holds the true value."""
    return estimate.low is not None and estimate.high is not None and estimate.low <= truth <= estimate.high


def main(replicates: int) -> None:
    """Print both tables."""
    rng = np.random.default_rng(0)
    rows: dict[str, list[float]] = {}
    for n, twice, error in DESIGNS:
        truth = {key: each.value or 0.0 for key, each in statistics(drawn(rng, 400_000, 400_000, error)).items()}
        hits: dict[str, list[bool]] = {}
        for _ in range(replicates):
            tallied = drawn(rng, n, twice, error)
            for key, each in statistics(tallied).items():
                hits.setdefault(key, []).append(held(each, truth[key]))
            for row in balance(tallied):
                hits.setdefault("difference of the double-scored from the rest", []).extend(
                    held(cell, 0.0) for cell in row.cells if isinstance(cell, Estimate)
                )
        for key, found in hits.items():
            rows.setdefault(key, []).append(100 * float(np.mean(found)))
    print("| interval | " + " | ".join(f"n {n}, {twice} twice, error SD {e}" for n, twice, e in DESIGNS) + " |")
    print("|---" * (len(DESIGNS) + 1) + "|")
    for key, values in rows.items():
        cells = [""] * (len(DESIGNS) - len(values)) + [f"{value:.1f}" for value in values]
        print(f"| {key} | " + " | ".join(cells) + " |")
    print("\n| raters | responses | SD of severity | as found | drawn toward 0 | error as found | error drawn |")
    print("|---" * 7 + "|")
    for raters, n, sd in RATERS:
        print(f"| {raters} | {n} | {sd} | " + " | ".join(severities(rng, raters, n, sd, replicates)) + " |")


def severities(rng: np.random.Generator, raters: int, n: int, sd: float, replicates: int) -> list[str]:
    """Return coverage and root mean squared error of severities as found and drawn toward 0."""
    covered, errors = np.zeros(2), np.zeros(2)
    for _ in range(replicates):
        severity = rng.normal(0, sd, raters)
        who = np.array([rng.choice(raters, 2, replace=False) for _ in range(n)])
        found = rater_severity(rng.normal(0, 1, (n, 1)) + severity[who] + rng.normal(0, 0.5, (n, 2)), who)
        true = severity - severity.mean()
        covered += [
            np.mean((found.observed_low <= true) & (true <= found.observed_high)),
            np.mean((found.expected_low <= true) & (true <= found.expected_high)),
        ]
        errors += [np.mean((found.observed - true) ** 2), np.mean((found.expected - true) ** 2)]
    root = np.sqrt(errors / replicates)
    return [f"{100 * each / replicates:.1f}" for each in covered] + [f"{each:.3f}" for each in root]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
