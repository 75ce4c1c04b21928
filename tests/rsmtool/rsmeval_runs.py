"""Small rsmeval configurations and their files."""

import csv
import json
from pathlib import Path
from typing import Any

from reportgen.reports import single
from reportgen.storing.report_folder import Writing

CASES = Path(__file__).parent / "cases"

ROWS = [
    {"id": f"{i:03d}", "h1": str(i % 5 + 1), "h2": str((i + i // 7) % 5 + 1), "m": f"{i % 5 + 1 + (i % 3 - 1) / 4:.2f}",
     "L1": ("NA", "a.b", "a.c")[i % 3]}
    for i in range(60)
]  # fmt: skip


def write_run(folder: Path, rows: list[dict[str, str]] = ROWS, **fields: Any) -> Path:
    """Write a file of scores and its configuration, without fields that are ``...``."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "predictions.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    content = {
        "experiment_id": "pilot", "predictions_file": "predictions.csv", "system_score_column": "m",
        "human_score_column": "h1", "id_column": "id", "trim_min": 1, "trim_max": 5, **fields,
    }  # fmt: skip
    path = folder / "config.json"
    path.write_text(json.dumps({key: value for key, value in content.items() if value is not ...}), encoding="utf-8")
    return path


def tables(config: Path, out: Path, **options: Any) -> dict[str, Path]:
    """Run a configuration without pages, and return its tables by name."""
    single.evaluate_rsmeval(config, {}, Writing(out, tables_only=True, **options))
    fields = json.loads(next((out / "output").glob("*_rsmeval.json")).read_text(encoding="utf-8"))
    prefix = f"{fields['experiment_id']}_"
    return {path.stem.removeprefix(prefix): path for path in (out / "output").iterdir() if path.suffix != ".json"}
