"""Measure the tally of ten million Parquet and CSV rows, with every statistic of 70 slices.

    python benchmarks/tally.py [--rows 10000000] [--times 1] [--runs 5] [--data FOLDER]

Commands are measured each in its own process: an empty Python with the same imports, a bare
scan of the columns, the passes of `reportgen evaluate` with all statistics and intervals, and the same
of a CSV file.  The slices are all responses, 50 items, 10 first languages,
3 genders and 6 grades.  `--times 10` names the file ten times over, as ten files of a dataset.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from make_scores import write
from measure import Usage, measure

GROUPS = ("item", "first_language", "gender", "grade")
HUMAN = ("human1", "human2")
OVERALL = ""  # all responses
STEPS = {
    "start": "imports alone",
    "scan": "bare scan of the columns",
    "tally": "passes and all statistics of 70 slices",
    "csv": "the same from CSV",
}


def start() -> None:
    """Import what the other steps need."""
    import pyarrow.parquet  # noqa: F401
    import scipy.special  # noqa: F401  (intervals import it late)

    import reportgen.evaluation.estimates  # noqa: F401


def scan(paths: list[Path]) -> None:
    """Read the columns, batch by batch, and keep nothing."""
    import pyarrow.parquet

    start()
    for path in paths:
        file = pyarrow.parquet.ParquetFile(path, read_dictionary=list(GROUPS))
        for _ in file.iter_batches(1 << 18, columns=["system", *HUMAN, *GROUPS]):
            pass


def tally(paths: list[Path]) -> None:
    """Count the files in passes and estimate everything in every slice."""
    from reportgen.passes import count
    from reportgen.settings import from_keywords

    settings = from_keywords(system="system", human=list(HUMAN), groups=list(GROUPS), scale="1:6")
    counted = count([str(path) for path in paths], settings).tallied
    estimates = [counted.estimates(counted.primary, grouping) for grouping in (OVERALL, *GROUPS)]
    slices = sum(len(each.labels) for each in estimates)
    print(f"{counted.tally.n:,} responses, {slices} slices, {len(estimates[0].numbers)} statistics each")


def one(step: str, paths: list[Path]) -> None:
    """Do one step in this process."""
    if step.startswith("csv"):
        paths = [path.with_suffix(".csv") for path in paths]
    steps = {"start": lambda _: start(), "scan": scan, "tally": tally, "csv": tally}
    steps[step](paths)


def write_csv(path: Path) -> None:
    """Write the rows of a Parquet file as CSV beside it, without quotes."""
    import pyarrow.csv
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(path)
    plain = pyarrow.csv.WriteOptions(quoting_style="none", quoting_header="none")
    with pyarrow.csv.CSVWriter(path.with_suffix(".csv"), file.schema_arrow, write_options=plain) as writer:
        for batch in file.iter_batches(1 << 20):
            writer.write_batch(batch)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the tally of many rows.")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--times", type=int, default=1, help="how many times over the file is named")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "reportgen_benchmarks")
    parser.add_argument("--one", choices=tuple(STEPS), help="do this step here instead of measuring it")
    options = parser.parse_args()
    folder = options.data / f"parquet_{options.rows}"
    path = folder / "scores.parquet"
    if options.one:
        one(options.one, [path] * options.times)
        return
    if not path.exists():
        write(options.rows, folder, "parquet", 20240601)
    if not path.with_suffix(".csv").exists():
        write_csv(path)
    print(f"| {options.rows * options.times:,} rows | CPU s | wall s | MB |\n|---|--:|--:|--:|")
    for step, label in STEPS.items():
        command = [sys.executable, __file__, "--one", step, "--rows", str(options.rows), "--data", str(options.data)]
        command += ["--times", str(options.times)]
        print(row(label, [measure(command) for _ in range(options.runs)]), flush=True)


def row(label: str, runs: list[Usage]) -> str:
    """Return one line of the table: medians."""
    cpu, wall, memory = (statistics.median(getattr(run, name) for run in runs) for name in ("cpu", "wall", "memory"))
    return f"| {label} | {cpu:.2f} | {wall:.2f} | {memory:.0f} |"


if __name__ == "__main__":
    main()
