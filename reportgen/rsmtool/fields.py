"""The fields of an rsmeval configuration: their defaults and how each value is read.

A reader turns what a JSON file says into the value RSMTool would use, or raises `ValueError` with
what was expected.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

TOOLS: Mapping[str, frozenset[str]] = {
    "rsmcompare": frozenset({
        "comparison_id", "experiment_id_old", "experiment_dir_old", "experiment_id_new", "experiment_dir_new",
        "description_old", "description_new", "use_scaled_predictions_old", "use_scaled_predictions_new",
    }),
    "rsmsummarize": frozenset({"summary_id", "experiment_dirs", "experiment_names"}),
    "rsmeval": frozenset({"predictions_file", "system_score_column", "human_score_column", "scale_with"}),
    "rsmexplain": frozenset({
        "background_data", "explain_data", "background_kmeans_size", "num_features_to_display", "sample_range",
        "sample_size", "sample_ids", "show_auto_cohorts",
    }),
    "rsmpredict": frozenset({"input_features_file", "experiment_dir"}),
    "rsmxval": frozenset({"folds", "folds_file"}),
    "rsmtool": frozenset({
        "model", "train_file", "test_file", "train_label_column", "test_label_column", "features",
        "feature_subset", "feature_subset_file", "sign", "length_column", "flag_column_test",
        "predict_expected_scores", "select_transformations", "use_scaled_predictions", "use_truncation_thresholds",
        "skll_fixed_parameters", "skll_objective", "skll_grid_search_jobs", "standardize_features",
        "truncate_outliers", "form_level_scores",
    }),
}  # fmt: skip
"""The fields by which a configuration of each tool is told from those of its sisters, clearest tool first."""

REQUIRED = object()
"""Stands in for the default of a field that has none."""


@dataclass(frozen=True)
class Field:
    """How the value of a field is read, and what it is when the field is left out."""

    read: Callable[[Any], Any]
    default: Any = None


def text(value: Any) -> str:
    """Return a text that is not blank."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("expected text")
    return value


def prose(value: Any) -> str:
    """Return any text."""
    if not isinstance(value, str):
        raise ValueError("expected text")
    return value


def identifier(value: Any) -> str:
    """Return an experiment's id: it names files, so it is short and has no blanks."""
    if not isinstance(value, str) or not re.fullmatch(r"[^\s/\\\x00]{1,200}", value) or value in (".", ".."):
        raise ValueError("expected at most 200 characters, without blanks and slashes, because it names files")
    return value


def number(value: Any) -> float:
    """Return a number, also one that is written as text."""
    try:
        found = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found):
        raise ValueError("expected a number")
    return int(found) if isinstance(value, int) else found


def not_negative(value: Any) -> float:
    """Return a number that is 0 or more."""
    found = number(value)
    if found < 0:
        raise ValueError("expected a number that is not negative")
    return found


def whole(value: Any) -> int:
    """Return a whole number; 0 stands for no limit."""
    found = number(value)
    if found != int(found) or found < 0:
        raise ValueError("expected a whole number that is not negative")
    return int(found)


def truth(value: Any) -> bool:
    """Return true or false, also when it is written as text."""
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.strip().lower())
    if not isinstance(value, bool):
        raise ValueError("expected true or false")
    return value


def names(value: Any) -> list[str]:
    """Return a list of names, also when it is written as text between commas."""
    parts = [part.strip() for part in value.split(",")] if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, str) and part for part in parts):
        raise ValueError("expected a list of names, or names between commas")
    return parts


def flags(value: Any) -> dict[str, list[str | float]]:
    """Return for each flag column the list of values that are kept."""
    if not isinstance(value, dict):
        raise ValueError('expected an object such as {"advisory": [0, 1]}')
    kept = {column: wanted if isinstance(wanted, list) else [wanted] for column, wanted in value.items()}
    if not all(isinstance(each, str | int | float) for wanted in kept.values() for each in wanted):
        raise ValueError("expected texts or numbers as the values that are kept")
    return kept


def group_sizes(value: Any) -> int | dict[str, int]:
    """Return the least size of a group: one number, or one for each subgroup."""
    return {name: whole(size) for name, size in value.items()} if isinstance(value, dict) else whole(value)


def table_format(value: Any) -> str:
    """Return the format of the tables."""
    if not isinstance(value, str) or value.lower() not in ("csv", "tsv", "xlsx"):
        raise ValueError("expected csv, tsv or xlsx")
    return value.lower()


PRIVATE = "privacy"
"""A field of our own: no small groups and no single responses in RSMTool's tables either."""

NOT_LOGGED = "use_wandb is set, but nothing is logged: reportgen writes files only."

FIELDS: Mapping[str, Field] = {
    "experiment_id": Field(identifier, REQUIRED),
    "predictions_file": Field(text, REQUIRED),
    "system_score_column": Field(text, REQUIRED),
    "trim_min": Field(number, REQUIRED),
    "trim_max": Field(number, REQUIRED),
    "description": Field(prose, ""),
    "id_column": Field(text, "spkitemid"),
    "human_score_column": Field(text, "sc1"),
    "second_human_score_column": Field(text),
    "file_format": Field(table_format, "csv"),
    "flag_column": Field(flags),
    "exclude_zero_scores": Field(truth, True),
    "use_thumbnails": Field(truth, False),
    "scale_with": Field(text),
    "trim_tolerance": Field(not_negative, 0.4998),
    "rater_error_variance": Field(not_negative),
    "subgroups": Field(names, []),
    "min_n_per_group": Field(group_sizes),
    "general_sections": Field(names, ["all"]),
    "custom_sections": Field(names),
    "section_order": Field(names),
    "candidate_column": Field(text),
    "min_items_per_candidate": Field(whole),
    "use_wandb": Field(truth, False),
    "wandb_project": Field(text),
    "wandb_entity": Field(text),
    PRIVATE: Field(truth, False),
}
"""Every field of an rsmeval configuration, in the order in which RSMTool writes them."""
