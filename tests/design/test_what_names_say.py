"""Scales, training rows, and further scores that the names of columns speak of."""

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from command import reportgen as run

from reportgen.scores.reading import read_tables

N = 60
TRUTH = np.random.default_rng(3).integers(1, 6, N)
POINTS = np.clip(TRUTH + np.random.default_rng(11).integers(-1, 2, N), 1, 5)
RANDOM = np.random.default_rng(12)
SIDES = {"id": [f"r{row}" for row in range(N)], "human": TRUTH, "engine": POINTS}


SAME, MOVED = "evaluate s.csv --scale 1:5 --system-scale 1:5", "evaluate s.csv --scale 1:5 --system-scale"


@pytest.mark.parametrize(
    ("columns", "said", "commands"),
    [
        ({"max_score": np.where(TRUTH > 3, 6, 5)}, "'max_score' differ",
         ["batch s.csv --by max_score", "evaluate s.csv --scale 1:6"]),
        ({"Points Possible": np.where(TRUTH > 3, 9, 7)}, "(7, 9)",
         ["batch s.csv --by 'Points Possible'", "evaluate s.csv --scale 1:9"]),
        ({"engine": TRUTH + 1}, "range from 2 to 6", [f"{MOVED} 2:6", SAME]),
        ({"engine": ((TRUTH - 3) / 2.3 + RANDOM.normal(0, 0.05, N)).round(3)}, "range from", [f"{MOVED} -1:1", SAME]),
        ({"engine_v2": TRUTH % 4 + 1}, "", []),
        ({"engine_v2": POINTS[::-1] % 2 + TRUTH % 5}, "", []),
        ({"engine_v2": np.clip(TRUTH + RANDOM.integers(-1, 2, N), 1, 5)}, "'engine_v2' agrees with",
         ["evaluate s.csv --human human --system engine --system engine_v2",
          "evaluate s.csv --human human --system engine"]),
    ],
)  # fmt: skip
def test_scales_and_scores_in_column_names_raise_a_question(
    columns: dict[str, Any], said: str, commands: list[str], tmp_path: Path
) -> None:
    pa_csv.write_csv(pa.table({**SIDES, **columns}), tmp_path / "s.csv")
    done = run("evaluate", "s.csv", "--tables-only", cwd=tmp_path, code=2 if commands else 0)
    assert said in done.stderr
    printed = [line.strip() for line in done.stderr.splitlines() if line.startswith("     ")]
    assert printed == [f"reportgen {each.replace('s.csv', 's.csv --tables-only')}" for each in commands]
    for place, command in enumerate(printed):
        words = shlex.split(command)
        run(*words[1:3], f"out{place}", *words[3:], cwd=tmp_path)


@pytest.mark.parametrize(("name", "high"), [("h1 (10 pts)", 10), ("h1 /20", 20), ("h1 (0-6)", 6), ("h1 (2026)", 5)])
def test_the_name_of_a_rating_column_gives_the_highest_score(name: str, high: int) -> None:
    table = pa.table(SIDES)
    (found,) = read_tables(table.rename_columns(["id", name, "engine"]))
    assert (found.scale.high, found.scale.assumed) == (high, True)


def test_training_markers_and_scores_in_words_are_not_groups() -> None:
    table = pa.table({**SIDES, "part": RANDOM.choice(["train", "test"], N), "female": RANDOM.integers(0, 2, N)})
    (found,) = read_tables(table)
    assert found.columns("group") == ("female",)
    assert "reportgen batch --by part" in dict(found.left_out)["part"]
