"""How often reports accuse engines and raters that do nothing wrong.

A perfect engine gives true scores that are normal, skewed or of two peaks; six raters are equally harsh; one rater
errs more than the others but is honest. Counted are sentences of the report.

    python benchmarks/accusations.py [SAMPLES] [DESIGN]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

import reportgen
from reportgen.testing import text_of

Columns = dict[str, Any]


def rated(true: Any, errors: Any) -> Any:
    """Return ratings on 1 to 6 of true scores with errors."""
    return np.clip(np.rint(true[:, None] + errors), 1, 6)


def perfect(kind: str, n: int, twice: float) -> Callable[[int], Columns]:
    """Return what draws responses of a perfect engine, a share of them scored twice."""

    def drawn(seed: int) -> Columns:
        rng = np.random.default_rng(seed)
        true = {
            "normal": lambda: rng.normal(3.5, 1.0, n),
            "skewed": lambda: 1.5 + rng.gamma(1.5, 0.8, n),
            "two peaks": lambda: np.where(rng.random(n) < 0.5, 2.0, 5.0) + rng.normal(0, 0.4, n),
        }[kind]()
        true = np.clip(true, 1, 6)
        ratings = rated(true, rng.normal(0, 0.7, (n, 2)))
        ratings[rng.random(n) >= twice, 1] = np.nan
        return {"id": [f"r{k}" for k in range(n)], "h1": ratings[:, 0], "h2": ratings[:, 1], "engine": true}

    return drawn


def six_raters(n: int, noise: list[float]) -> Callable[[int], Columns]:
    """Return what draws responses that six raters of equal harshness scored, two each, as a long table."""

    def drawn(seed: int) -> Columns:
        rng = np.random.default_rng(seed)
        true = rng.normal(3.5, 1.0, n)
        who = np.array([rng.choice(6, 2, replace=False) for _ in range(n)])
        scores = rated(true, rng.normal(0, 1, (n, 2)) * np.array(noise)[who])
        rows = [(f"r{k}", f"R{who[k, j]}", scores[k, j]) for k in range(n) for j in range(2)]
        rows += [(f"r{k}", "engine", round(true[k] + rng.normal(0, 0.4), 3)) for k in range(n)]
        return dict(zip(("id", "rater", "score"), map(list, zip(*rows, strict=True)), strict=True))

    return drawn


def told(columns: Columns) -> dict[str, bool]:
    """Return which accusations the report of one sample makes."""
    asked: dict[str, Any] = {"human": ["h1", "h2"]} if "h1" in columns else {"layout": "long", "rater": "rater"}
    report = reportgen.evaluate(columns, system="engine", id="id", scale="1:6", groups=[], **asked)
    text = " ".join(text_of(section, report.evaluation).words for section in report.sections)
    return {name: any(word in text for word in words) for name, words in ACCUSATIONS.items()}


ACCUSATIONS = {
    "along the scale": ("The engine underscores", "The engine overscores"),
    "shares": ("uses some scores differently", "too rarely", "too often"),
    "ends": ("rarely gives", "never gives", "often gives"),
    "harsh": ("aters differ in severity",),
}
DESIGNS: dict[str, Callable[[int], Columns]] = {
    **{f"perfect engine, {kind}": perfect(kind, 1000, 0.3) for kind in ("normal", "skewed", "two peaks")},
    "six equally harsh raters": six_raters(400, [0.6] * 6),
    "one honest noisy rater": six_raters(90, [0.6] * 5 + [1.8]),
}


def main(samples: int, only: str = "") -> None:
    """Print a line for each design."""
    for name, design in DESIGNS.items():
        if only not in name:
            continue
        began, found = process_time(), Counter[str]()
        for seed in range(samples):
            found.update({key: int(value) for key, value in told(design(seed)).items()})
        shares = ", ".join(f"{key} {found[key] / samples:.1%}" for key in ACCUSATIONS)
        print(f"{name}: {shares} ({samples} samples, {process_time() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500, sys.argv[2] if len(sys.argv) > 2 else "")
