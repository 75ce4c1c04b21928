"""Files that are held in memory are refused by their size when a run may not take what they need."""

import json
from collections.abc import Callable
from pathlib import Path

import judge_files
import pytest

from reportgen.errors import InputError
from reportgen.machine import memory
from reportgen.scores import read


def json_lines(path: Path) -> Path:
    path = path.with_suffix(".jsonl")
    rows = ({"id": f"r{i}", "human": i % 5, "human2": i * 3 % 5, "system": i % 5 + 0.25} for i in range(40))
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def traces_in_parquet(path: Path) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = judge_files.mlflow_traces()
    kept = ("assessment_name", "source", "feedback", "create_time")
    held = [{key: each[key] for key in kept} for row in rows for each in row["assessments"][:3]]
    rows = [{"trace_id": row["trace_id"], "assessments": held[3 * i : 3 * i + 3]} for i, row in enumerate(rows)]
    pq.write_table(pa.Table.from_pylist(rows), path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


FILES: dict[str, Callable[[Path], Path]] = {
    "JSON lines": json_lines,
    "promptfoo": lambda path: judge_files.promptfoo_judges(path.with_suffix(".json")),
    "Inspect": lambda path: judge_files.as_eval(judge_files.inspect_log(), path.with_suffix(".eval")),
    "MLflow": traces_in_parquet,
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_needs_more_memory_than_allowed_is_an_error(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = FILES[kind](tmp_path / "scores")
    read(path)
    monkeypatch.setenv(memory.VARIABLE, "0.000001")
    with pytest.raises(InputError, match=r"reading it requires about .* of memory.* or use --memory 1 "):
        read(path)
