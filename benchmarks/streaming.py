"""Measure a whole report on more rows than a report should hold: tables, and HTML, from Parquet and CSV.

    python benchmarks/streaming.py [--rows 10000000] [--times 1] [--runs 1] [--data FOLDER]

Every run is `reportgen evaluate --batches` in a process of its own.  `--times 10` reads ten links to the file (less
its ids), as ten files of a dataset: a hundred million rows.  With `--held` the rows are held instead, for comparison.
With `--candidates 2500000` the responses are those of so many candidates, in three groupings.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from make_scores import write
from measure import Usage, measure

OUTPUTS = {"tables": ["--tables-only"], "tables and HTML": ["--formats", "html"]}
COLUMNS = ["--system", "system", "--human", "human1", "--human", "human2", "--scale", "1:6"]
GROUPS = [word for name in ("item", "first_language", "gender", "grade") for word in ("--group", name)]


def source(rows: int, times: int, file_format: str, data: Path, candidates: int = 0) -> Path:
    """Return the scores: one file, or a folder of as many links to it."""
    kind = f"{file_format}_{rows}" + (f"_of_{candidates}" if candidates else "")
    folder = data / kind
    path = folder / f"scores.{file_format}"
    if not path.exists():
        write(rows, folder, file_format, 20240601, candidates)
    if times == 1:
        return path
    links = data / f"{kind}_times_{times}"
    links.mkdir(exist_ok=True)
    first = links / f"part-0.{file_format}"
    if not first.exists():
        copy_without_ids(path, first)
    for number in range(1, times):
        link = links / f"part-{number}.{file_format}"
        if not link.exists():
            link.hardlink_to(first)
    return links if file_format == "parquet" else links / f"*.{file_format}"


def copy_without_ids(path: Path, to: Path) -> None:
    """Copy scores batch by batch: ids that stand in several files would be refused."""
    if path.suffix == ".csv":
        with pa_csv.open_csv(path) as rows, pa_csv.CSVWriter(to, rows.schema.remove(0)) as writer:
            for batch in rows:
                writer.write_batch(batch.drop_columns(["id"]))
        return
    file = pq.ParquetFile(path)
    with pq.ParquetWriter(to, file.schema_arrow.remove(0)) as writer:
        for batch in file.iter_batches(1 << 20):
            writer.write_batch(batch.drop_columns(["id"]))


def run(scores: Path, words: list[str], out: Path) -> Usage:
    """Return what one report costs."""
    command = [sys.executable, "-m", "reportgen", "evaluate", str(scores), str(out), "--force", "--quiet"]
    return measure([*command, *COLUMNS, *words])


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure reports on many rows, counted in batches.")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--times", type=int, default=1, help="how many links to the file are read")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--formats", nargs="+", choices=("parquet", "csv"), default=["parquet", "csv"])
    parser.add_argument("--candidates", type=int, default=0, help="candidates who gave the responses")
    parser.add_argument("--held", action="store_true", help="hold the rows instead")
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "reportgen_benchmarks")
    options = parser.parse_args()
    way = ["--no-batches"] if options.held else ["--batches"]
    print(f"| {options.rows * options.times:,} rows | CPU s | wall s | MB |\n|---|--:|--:|--:|")
    for file_format in options.formats:
        scores = source(options.rows, options.times, file_format, options.data, options.candidates)
        groups = GROUPS if file_format == "parquet" else ["--group", "prompt", *GROUPS[2:6]]
        if options.candidates:
            groups = [*groups[:6], "--candidate", "student"]
        for label, words in OUTPUTS.items():
            runs = [run(scores, [*way, *groups, *words], options.data / "report") for _ in range(options.runs)]
            cpu, wall, memory = (
                statistics.median(getattr(each, name) for each in runs) for name in ("cpu", "wall", "memory")
            )
            print(f"| {file_format}, {label} | {cpu:.1f} | {wall:.1f} | {memory:.0f} |", flush=True)


if __name__ == "__main__":
    main()
