"""Measure RSMTool's Analyzer beside the same numbers of reportgen, from the same arrays, in one run.

    python benchmarks/analyzer.py --peer /path/to/python [--rows 1000000]

The peer's part is `Analyzer.run_prediction_analyses`: three forms of the engine score against the first human
score and two human scores against each other, overall and by three group columns of 8, 3 and 20 levels, with
confusion tables and true scores.  It takes minutes.  Ours is the tally of the same arrays and every statistic of
the same slices and forms, without intervals, which the peer has none of, and with them.  Both are CPU seconds of
the computation alone: imports, and making data frames of the arrays, are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

BOUNDS = (0.5002, 6.4998)
GROUPS = {"group_prompt": 8, "group_gender": 3, "group_language": 20}
COMPARED = {"corr": "r", "wtkappa": "qwk", "exact_agr": "exact_agreement", "SMD": "smd", "R2": "r_squared"}
"""The peer's column -> our statistic, of trimmed and rounded scores."""


def arrays(rows: int) -> dict[str, np.ndarray]:
    """Return two raters' scores, the second of half of the responses, an engine's, and three groupings."""
    rng = np.random.default_rng(20241121)
    true = rng.normal(3.5, 1, rows)
    human1, human2 = (np.clip(np.rint(true + rng.normal(0, error, rows)), 1, 6) for error in (0.55, 0.6))
    human2[rng.random(rows) < 0.5] = np.nan
    system = np.round(3.5 + 0.85 * (true - 3.5) + rng.normal(0, 0.45, rows), 6)
    groups = {name: rng.integers(0, levels, rows) for name, levels in GROUPS.items()}
    return {"system": system, "human1": human1, "human2": human2, **groups}


def ours(data: dict[str, np.ndarray], intervals: bool) -> dict[str, Any]:
    """Return every statistic of every form and slice."""
    from reportgen.evaluation.estimates import estimate_slices
    from reportgen.evaluation.statistics import sum_statistics
    from reportgen.metrics import cohen_kappa_of_tables
    from reportgen.tally import (
        AS_GIVEN,
        OVERALL,
        ROUNDED,
        TRIMMED,
        human_contingency,
        moments,
        system_contingency,
        tally_of,
    )

    groups = {name: (data[name], [str(level) for level in range(levels)]) for name, levels in GROUPS.items()}
    tally = tally_of(data["system"], np.column_stack([data["human1"], data["human2"]]), groups, BOUNDS)
    found: dict[str, Any] = {}
    compute = sum_statistics(None)
    for form in (AS_GIVEN, TRIMMED, ROUNDED):
        if not intervals:
            whole = moments(tally, OVERALL, form).named()
        for grouping in (OVERALL, *groups):
            if intervals:
                made = estimate_slices(tally, grouping, form, 0.95, None)
                numbers = {key: each.value for key, each in made.numbers.items()}
            else:
                with np.errstate(all="ignore"):
                    numbers = dict(compute(moments(tally, grouping, form).named(), whole))
                numbers["system.kappa"] = cohen_kappa_of_tables(system_contingency(tally, grouping, form).counts)
                numbers["human.kappa"] = cohen_kappa_of_tables(human_contingency(tally, grouping).counts)
            found[grouping] = tally.slices[grouping].labels, numbers  # the last form is the one compared
    return found


def seconds(data: dict[str, np.ndarray], intervals: bool) -> tuple[float, dict[str, Any]]:
    """Return the median CPU seconds of five runs, and the numbers."""
    ours({name: column[:1000] for name, column in data.items()}, intervals)  # imports
    spent = []
    for _ in range(5):
        begin = time.process_time()
        found = ours(data, intervals)
        spent.append(time.process_time() - begin)
    return float(np.median(spent)), found


def largest_difference(found: dict[str, Any], tables: dict[str, Any]) -> float:
    """Return how far the two sets of numbers lie apart at most, relative to their size."""
    worst = 0.0
    for name, rows in tables.items():
        grouping = name.removeprefix("eval_by_") if name.startswith("eval_by_") else ""
        labels, numbers = found[grouping]
        for key, row in rows.items():
            score, level = ("raw_trim_round", key) if grouping else (key, "")
            if score != "raw_trim_round" or (grouping and level not in labels):
                continue
            values = row | {name.removesuffix(".raw_trim_round"): value for name, value in row.items()}
            for theirs, mine in COMPARED.items():
                if values.get(theirs) is not None and f"system.{mine}" in numbers:
                    value = float(numbers[f"system.{mine}"][labels.index(level)])
                    worst = max(worst, abs(value - values[theirs]) / max(abs(value), 1e-3))
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure RSMTool's Analyzer beside the same numbers of reportgen.")
    parser.add_argument("--peer", type=Path, required=True, help="Python of an environment with rsmtool")
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    data = arrays(options.rows)
    before, _ = seconds(data, intervals=False)
    with tempfile.TemporaryDirectory() as folder:
        given, result = Path(folder) / "arrays.npz", Path(folder) / "result.json"
        np.savez(given, allow_pickle=False, bounds=np.array(BOUNDS), **data)
        peer = Path(__file__).with_name("analyzer_peer.py")
        subprocess.run([options.peer, "-W", "ignore", peer, given, result], check=True, stdout=sys.stderr)
        theirs = json.loads(result.read_text())
    numbers, found = seconds(data, intervals=False)
    with_intervals, _ = seconds(data, intervals=True)
    numbers = (before + numbers) / 2
    print(f"| {options.rows:,} rows | CPU s | times less |\n|---|--:|--:|")
    print(f"| RSMTool's Analyzer | {theirs['seconds']:.1f} | |")
    print(f"| the same numbers | {numbers:.3f} | {theirs['seconds'] / numbers:,.0f} |")
    print(f"| the same with intervals | {with_intervals:.3f} | {theirs['seconds'] / with_intervals:,.0f} |")
    print(f"\nLargest relative difference of numbers compared: {largest_difference(found, theirs['tables']):.1e}")


if __name__ == "__main__":
    main()
