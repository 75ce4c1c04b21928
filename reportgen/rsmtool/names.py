"""The names that RSMTool promises to custom notebooks, as the code of a first cell."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen.rsmtool.run import PeerRun

FRAMES = {
    "df_test_metadata": "test_metadata",
    "df_test_other_columns": "test_other_columns",
    "df_test_human_scores": "test_human_scores",
    "df_test_excluded": "test_excluded_responses",
    "df_test_responses_with_excluded_flags": "test_responses_with_excluded_flags",
    "df_pred_preproc": "pred_processed",
}
"""Name of a frame -> the table that it holds."""

_IMPORTS = """\
import itertools, math, os, platform, re, time, warnings
from functools import partial
from os.path import abspath, exists, join, relpath
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
from IPython.display import HTML, Image, Javascript, Markdown, SVG, display
%matplotlib inline
{assignments}
"""
"""What RSMTool's headers import, and the names."""

_FRAMES = """
def _read(path):
    kind = os.path.splitext(path)[1].lower()
    if kind == ".xlsx":
        return pd.read_excel(path, dtype=_texts, keep_default_na=False, na_values=_blank)
    if kind == ".sas7bdat":
        return pd.read_sas(path, encoding="latin-1")
    if kind == ".jsonlines":
        return pd.read_json(path, lines=True)
    separator = "\\t" if kind == ".tsv" else ","
    return pd.read_csv(path, sep=separator, dtype=_texts, keep_default_na=False, na_values=_blank)

df_test_orig = _read(test_file_location)
for _frame, _name in {frames!r}.items():
    _path = join(output_dir, f"{{experiment_id}}_{{_name}}.{{file_format}}")
    if exists(_path):
        globals()[_frame] = _read(_path)
"""
"""The frames of rsmeval; ids, candidates and subgroups are read as text."""


def of_rsmeval(run: PeerRun, output: Path) -> str:
    """Return the code that defines the names of rsmeval; `output` is the folder of its tables."""
    fields = run.fields
    names: Mapping[str, Any] = {
        "experiment_id": run.id,
        "description": fields["description"],
        "context": "rsmeval",
        "use_scaled_predictions": fields["scale_with"] is not None,
        "exclude_zero_scores": fields["exclude_zero_scores"],
        "second_human_score_column": fields["second_human_score_column"],
        "groups_desc": fields["subgroups"],
        "groups_eval": fields["subgroups"],
        "min_items": fields["min_items_per_candidate"] or 0,
        "min_n_per_group": fields["min_n_per_group"] or {},
        "model_name": "",
        "use_thumbnails": False,
        "rater_error_variance": fields["rater_error_variance"],
        "file_format": run.format,
        "output_dir": str(output.resolve()),
        "figure_dir": str(output.resolve().parent / "figure"),
        "test_file_location": str(run.predictions.resolve()),
        "_texts": dict.fromkeys(_texts(run), "str"),
        "_blank": {"sc1": [""], "sc2": [""]},
    }
    return defining(names) + _FRAMES.format(frames=FRAMES)


def defining(names: Mapping[str, Any]) -> str:
    """Return the code that imports what RSMTool's headers do, and assigns each name."""
    return _IMPORTS.format(assignments="\n".join(f"{name} = {value!a}" for name, value in names.items()))


def _texts(run: PeerRun) -> list[str]:
    """Return the columns that hold text, by their names in the input and in the tables."""
    given = (run.fields["id_column"], run.fields["candidate_column"], "spkitemid", "candidate")
    return [name for name in (*given, *run.fields["subgroups"]) if name]
