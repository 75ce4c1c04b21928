"""Measure all tables of 500 prompts of 20,000 responses, with three group columns and fairness.

    python benchmarks/item_tables.py [--rows 10000000] [--items 500] [--runs 3] [--data FOLDER]

`reportgen tables` is measured in a process of its own, with one thread and with two.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from make_scores import BLOCK, levels, named, rating, zipf
from measure import measure


def block(first: int, rows: int, items: int) -> pa.Table:
    """Return some rows: responses to prompts in any order, 15 % of them scored twice."""
    rng = np.random.default_rng([7, first])
    prompt = rng.integers(0, items, rows)
    language = rng.choice(10, rows, p=zipf(10))
    true_score = rng.normal(3.5, 1, rows) + 0.2 * np.sin(prompt)
    system = 3.5 + 0.85 * (true_score - 3.5) + rng.normal(0, 0.45, rows)
    return pa.table(
        {
            "human1": rating(true_score, 0.55, 0.0, rng),
            "human2": rating(true_score, 0.6, 0.85, rng),
            "system": pa.array(np.round(system, 6)),
            "prompt": named(prompt, [f"P{number:04d}" for number in range(1, items + 1)]),
            "gender": named(rng.choice(3, rows, p=[0.52, 0.45, 0.03]), ["female", "male", "undisclosed"]),
            "first_language": named(language, levels("L", 10)),
            "grade": named(rng.integers(0, 6, rows), levels("G", 6)),
        }
    )


def write(path: Path, rows: int, items: int) -> None:
    """Write the Parquet file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    first = block(0, min(BLOCK, rows), items)
    with pa.parquet.ParquetWriter(path, first.schema) as writer:
        writer.write_table(first)
        for start in range(BLOCK, rows, BLOCK):
            writer.write_table(block(start, min(BLOCK, rows - start), items))


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure all tables of many items.")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "reportgen_benchmarks")
    options = parser.parse_args()
    path = options.data / f"items_{options.items}_{options.rows}" / "scores.parquet"
    if not path.exists():
        write(path, options.rows, options.items)
    print(f"| {options.items:,} items, {options.rows:,} rows | CPU s | wall s | MB |\n|---|--:|--:|--:|")
    for workers in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            command = [
                sys.executable, "-m", "reportgen", "tables", str(path), folder, "--by", "prompt", "--scale", "1:6",
                "--system", "system", "--human", "human1", "--human", "human2", "--group", "gender",
                "--group", "first_language", "--group", "grade", "--workers", str(workers), "--force", "-q",
            ]  # fmt: skip
            runs = [measure(command) for _ in range(options.runs)]
        cpu, wall, memory = (
            statistics.median(getattr(run, name) for run in runs) for name in ("cpu", "wall", "memory")
        )
        print(f"| `reportgen tables --workers {workers}` | {cpu:.2f} | {wall:.2f} | {memory:.0f} |", flush=True)


if __name__ == "__main__":
    main()
