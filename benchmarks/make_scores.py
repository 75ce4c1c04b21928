"""Write a synthetic file of scores and the peer's configuration for it.

    python benchmarks/make_scores.py ROWS FOLDER [--format csv|parquet] [--seed 20240601]

Two human raters on a scale from 1 to 6, the second on about half of the responses, a continuous
system score, and three subgroup columns: prompt (8 levels), gender (3) and first_language (20,
sizes falling as 1/rank).  The Parquet file has the 70 slices of the tally benchmark instead:
item (50 levels), first_language (10), gender (3) and grade (6), with all responses the 70th.
With candidates, each row has a student drawn among so many, in a column of its own.
Rows are drawn in blocks of a million, each from its own seed, so memory does not grow with ROWS
and the same ROWS and seed give the same scores.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

BLOCK = 1_000_000


def levels(prefix: str, count: int) -> list[str]:
    """Return `count` level names of equal width, as ``L01, L02, ...``."""
    return [f"{prefix}{number:02d}" for number in range(1, count + 1)]


def zipf(count: int) -> np.ndarray:
    """Return `count` shares that fall as 1/rank."""
    shares: np.ndarray = 1.0 / np.arange(1, count + 1)
    shares /= shares.sum()
    return shares


def named(codes: np.ndarray, names: list[str]) -> pa.DictionaryArray:
    """Return a text column that stores each level once."""
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(names))


def rating(true_score: np.ndarray, error: float, missing: float, rng: np.random.Generator) -> pa.Array:
    """Return one rater's whole scores from 1 to 6, a share of them missing."""
    scores = np.clip(np.rint(true_score + rng.normal(0, error, len(true_score))), 1, 6)
    return pa.array(scores.astype(np.int64), mask=rng.random(len(true_score)) < missing)


def block(first: int, rows: int, sliced: bool, seed: int, candidates: int = 0) -> pa.Table:
    """Return rows `first` to `first + rows`, with the columns of the CSV or, if `sliced`, of the tally benchmark."""
    rng = np.random.default_rng([seed, first])
    languages = 10 if sliced else 20
    prompts = 50 if sliced else 8
    prompt = rng.integers(0, prompts, rows)
    gender = rng.choice(3, rows, p=[0.52, 0.45, 0.03])
    language = rng.choice(languages, rows, p=zipf(languages))
    true_score = rng.normal(3.5, 1.0, rows) + 0.2 * np.sin(prompt)
    system = 3.5 + 0.85 * (true_score - 3.5) + rng.normal(0, 0.45, rows) + 0.1 * (language == 2)
    columns = {
        "id": pa.array(np.char.mod("R%08d", np.arange(first, first + rows))),
        "human1": rating(true_score, 0.55, 0.0, rng),
        "human2": rating(true_score, 0.60, 0.5, rng),
        "system": pa.array(np.round(system, 6)),
        "item" if sliced else "prompt": named(prompt, levels("P", prompts)),
        "gender": named(gender, ["female", "male", "undisclosed"]),
        "first_language": named(language, levels("L", languages)),
    }
    if sliced:
        columns["grade"] = named(rng.integers(0, 6, rows), levels("G", 6))
    if candidates:
        who = np.random.default_rng([seed, first, candidates]).integers(0, candidates, rows)
        columns["student"] = pa.array(np.char.mod("S%08d", who))
    return pa.table(columns)


def blocks(rows: int, sliced: bool, seed: int, candidates: int = 0) -> Iterator[pa.Table]:
    """Yield the whole table, a million rows at a time."""
    for first in range(0, rows, BLOCK):
        yield block(first, min(BLOCK, rows - first), sliced, seed, candidates)


def write_peer_settings(scores: Path, **columns: str | list[str]) -> None:
    """Write, beside the scores, the configuration with which the peer evaluates them in the same way."""
    settings = {
        "experiment_id": "scores",
        "predictions_file": scores.name,
        "system_score_column": "system",
        "trim_min": 1,
        "trim_max": 6,
        **columns,
    }
    scores.with_name("rsmeval.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def write(rows: int, folder: Path, file_format: str, seed: int, candidates: int = 0) -> Path:
    """Write the scores and, beside a CSV, the peer's configuration; return the path of the scores."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"scores.{file_format}"
    tables = blocks(rows, file_format == "parquet", seed, candidates)
    first = next(tables)
    if file_format == "parquet":
        writer = pa.parquet.ParquetWriter(path, first.schema)
    else:
        writer = pa.csv.CSVWriter(path, first.schema)
        write_peer_settings(
            path,
            human_score_column="human1",
            second_human_score_column="human2",
            id_column="id",
            subgroups=["prompt", "gender", "first_language"],
        )
    with writer:
        writer.write_table(first)
        for table in tables:
            writer.write_table(table)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a synthetic file of scores.")
    parser.add_argument("rows", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--format", choices=("csv", "parquet"), default="csv")
    parser.add_argument("--seed", type=int, default=20240601)
    options = parser.parse_args()
    print(write(options.rows, options.folder, options.format, options.seed))


if __name__ == "__main__":
    main()
