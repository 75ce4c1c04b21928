"""Provide valid input to change: settings, judge outputs, and results."""

import json
import re
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fuzz import archives, tables

CONFIGURATION: dict[str, Any] = {
    "data": {
        "file": "s.csv", "system": "engine", "human": ["h1", "h2"], "id": "id", "groups": ["gender", "l1"],
        "candidate": "candidate", "item": "item", "scale": "1:6", "intersections": [["gender", "l1"]],
        "flags": {"gender": ["M", "F"]}, "only": {"item": "P1"},
    },
    "preparation": {
        "trim_min": 1, "trim_max": 6, "trim_tolerance": 0.4998, "exclude_zero_scores": True,
        "min_items_per_candidate": 1,
    },
    "statistics": {
        "confidence_level": 0.95, "min_n_per_group": 5, "max_levels": 5000, "annotator_margin": 0.15, "seed": 1,
        "intervals": "jackknife", "replicates": 200, "rater_error_variance": 0.3, "min_n_by_group": {"gender": 4},
    },
    "impact": {
        "scoring": "summed", "weight": 2, "slope": 10, "intercept": 100, "cuts": [110, 130], "low": 50, "high": 200,
    },
    "privacy": {"withhold_small_groups": True, "peer_tables": False},
    "verdict": {"policy": "default"},
    "report": {
        "title": "T", "description": "D", "created": "2026-01-01", "formats": ["html"], "interactive": True,
        "page": "A4", "colours": {"engine": "#1f4e79"},
    },
    "sections": {"data": {"group_sizes": False}},
}  # fmt: skip
RSMEVAL: dict[str, Any] = {
    "experiment_id": "x", "predictions_file": "s.csv", "system_score_column": "engine", "human_score_column": "h1",
    "second_human_score_column": "h2", "id_column": "id", "trim_min": 1, "trim_max": 6, "description": "d",
    "candidate_column": "candidate", "subgroups": ["gender", "l1"], "min_n_per_group": {"gender": 5, "l1": 5},
    "flag_column": {"gender": ["M", "F"]}, "file_format": "csv", "scale_with": "train.csv",
    "exclude_zero_scores": True, "min_items_per_candidate": 1, "general_sections": ["evaluation"],
    "use_thumbnails": False, "trim_tolerance": 0.4,
}  # fmt: skip
RSMCOMPARE: dict[str, Any] = {
    "comparison_id": "c", "experiment_id_old": "x", "experiment_dir_old": "rsm", "experiment_id_new": "x",
    "experiment_dir_new": "rsm", "description_old": "o", "description_new": "n", "subgroups": ["gender"],
    "use_scaled_predictions_old": False,
}  # fmt: skip
RSMSUMMARIZE: dict[str, Any] = {
    "summary_id": "s", "experiment_dirs": ["rsm", "rsm"], "experiment_names": ["a", "b"], "description": "d",
    "file_format": "csv", "subgroups": ["gender"],
}  # fmt: skip
POLICY: dict[str, Any] = {
    "name": "p", "description": "d", "include": ["prmse"],
    "criteria": [
        {"statistic": "system.qwk", "low": 0.7, "source": "s", "source_checked": False},
        {"statistic": "system.smd", "groups": ["gender"], "low": -0.1, "high": 0.1, "strict": True, "label": "L"},
        {"statistic": "true_score.prmse", "low": 0.7, "bands": [{"high": 0.7, "meaning": "m"}]},
        {"statistic": "system.exact_agreement", "score_type": "rounded", "low": 60, "by": "lower"},
    ],
}  # fmt: skip
SCALES = tables.Table(["item", "scale"], [["P0", "1:6"], ["P1", "1:6"], ["P2", "1:6:1"]])


SLIM = ("--sections", "summary,data,system_human_agreement,group_differences,criteria,provenance")
EVALUATE = ("--tables-only", "--scale", "1:6")
MADE_BY: dict[str, tuple[str, ...]] = {
    "full": ("evaluate", "s.csv", "full", *EVALUATE),
    "slim": ("evaluate", "s.csv", "slim", *EVALUATE, *SLIM),
    "changes": ("compare", "full", "slim", "--tables-only", "--out", "changes"),
    "rsm": ("evaluate", "rsm.json", "rsm", "--tables-only"),
    "side": ("summarize", "full", "slim", "--tables-only", "--out", "side"),
    "all": ("batch", "s.csv", "all", "--by", "item", "--tables-only", "--workers", "1", "--no-groups"),
    "card.toml": ("packet", "--starter", "card.toml"),
}
"""Output -> the command that creates it."""


class Sound:
    """A folder of valid input."""

    def __init__(self, place: Path, run: Callable[[list[str], Path], int]) -> None:
        """Create missing files in `place`; `run` runs a command line in a folder."""
        self.place = place
        place.mkdir(parents=True, exist_ok=True)
        table = tables.wide()
        lines = [",".join(row) for row in (table.head, *table.body)]
        (place / "s.csv").write_text("\n".join(lines) + "\n")
        training = "".join(f"{i % 6 + 1},{i % 6 + 1.3}\n" for i in range(40))
        (place / "train.csv").write_text("sc1,prediction\n" + training)
        (place / "rsm.json").write_text(json.dumps(RSMEVAL))
        if not (place / "s.duckdb").exists():
            archives.database(table, place / "s.duckdb")
        for name, command in MADE_BY.items():
            if not (place / name).exists() and run([*command], place) not in (0, 1):
                raise RuntimeError(f"sound input cannot be made: reportgen {' '.join(command)}")
        self._stored = {name: self._read(name) for name in ("full", "slim", "changes", "side")}
        self.batch = json.loads((place / "all" / "batch.json").read_text())
        card = (place / "card.toml").read_text()
        self.card = tomllib.loads(re.sub(r"(?m)^#\s?(\w+ = )", r"\1", card))

    def results(self, name: str) -> Any:
        """Return stored results."""
        return self._stored[name]

    def put(self, work: Path, *names: str) -> None:
        """Copy files and folders into the folder of a case."""
        for name in names:
            if (self.place / name).is_dir():
                shutil.copytree(self.place / name, work / name)
            else:
                shutil.copy(self.place / name, work / name)

    def _read(self, name: str) -> Any:
        return json.loads((self.place / name / "results.json").read_text())
