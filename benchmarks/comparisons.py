"""How often comparisons of engines find what is not there, and how often what is.

Engines follow the true score with errors of the same size, or one with less error. Counted are sentences of the
report: a headline that calls an engine better or worse, a ranking in which one beats another, a group that gains or
loses.

    python benchmarks/comparisons.py [SAMPLES] [DESIGN]
"""

from __future__ import annotations

import sys
from time import process_time
from typing import Any

import numpy as np

import reportgen
from reportgen.testing import said

HUMAN, DOUBLE = 0.6, 0.2


def engines(seed: int, n: int, sds: list[float], groups: int) -> dict[str, Any]:
    """Return columns of responses on 1 to 6, one engine for each SD of error, some of the error shared."""
    rng = np.random.default_rng(seed)
    true = rng.normal(3.5, 1.0, n)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, HUMAN, (n, 2))), 1, 6)
    human[rng.random(n) >= DOUBLE, 1] = np.nan
    shared = rng.normal(0, 0.3, n)
    columns: dict[str, Any] = {"id": [f"r{row}" for row in range(n)], "h1": human[:, 0], "h2": human[:, 1]}
    columns |= {f"e{k}": true + shared + rng.normal(0, sd, n) for k, sd in enumerate(sds, 1)}
    if groups:
        columns["group"] = [f"g{code:02}" for code in rng.integers(0, groups, n)]
    return columns


def found(seed: int, n: int, sds: list[float], groups: int = 0) -> dict[str, bool]:
    """Return whether the sentences of one report find a difference."""
    columns = engines(seed, n, sds, groups)
    names = [f"e{k}" for k in range(1, len(sds) + 1)]
    report = reportgen.compare(
        columns, systems=names, human=["h1", "h2"], id="id", scale="1:6", groups=["group"] if groups else [],
    )  # fmt: skip
    pages = {section.name: said(section, report.evaluation) for section in report.sections}
    findings = (pages[f"comparison_{name}"].finding for name in ("summary", "agreement"))
    headline, agreement = (finding.replace("better or worse than", "") for finding in findings)  # "No engine is ..."
    first = str(pages["comparison_summary"])
    return {
        "headline": any(word in headline for word in (" better than", " worse than", "is better on")),
        "agreement": any(word in agreement for word in (" better than", " worse than", "is better on")),
        "ranking": any(row.count("rank") > 1 for row in report.evaluation.records("comparison.ranking")),
        "groups": any(word in first for word in ("gain clearly", "gains clearly", "clearly worse off")),
    }


DESIGNS: dict[str, tuple[Any, ...]] = {
    "two equal engines": (500, [0.5, 0.5]),
    "eight equal engines": (500, [0.5] * 8),
    "ten groups, equal engines": (1000, [0.5, 0.5], 10),
    "one .08 better": (1000, [0.78, 0.5]),
}


def main(samples: int, only: str = "") -> None:
    """Print a line for each design."""
    for name, design in DESIGNS.items():
        if only not in name:
            continue
        began = process_time()
        every = [found(seed, *design) for seed in range(samples)]
        shares = {key: sum(each[key] for each in every) / samples for key in every[0]}
        told = ", ".join(f"{key} {share:.1%}" for key, share in shares.items())
        print(f"{name}: {told} ({samples} samples, {process_time() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500, sys.argv[2] if len(sys.argv) > 2 else "")
