"""An rsmeval configuration and its fields: told from others, read, checked, and refused in one sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reportgen.errors import SettingsError, did_you_mean
from reportgen.settings import CONFIG_SUFFIXES, Settings, parse

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


KEPT = "rsmeval"
"""The table of our configurations that keeps one of rsmeval."""

Fields = Mapping[str, Any]
"""Every field of an rsmeval configuration with its value or default."""


def tool_of(content: Mapping[str, Any]) -> str | None:
    """Return the RSMTool tool that a configuration is for; None when it is not one of RSMTool's.

    Examples
    --------
    >>> tool_of({"experiment_id": "pilot", "predictions_file": "scores.csv"}), tool_of({"summary_id": "all"})
    ('rsmeval', 'rsmsummarize')
    >>> tool_of({"data": {"file": "scores.csv"}}) is None
    True
    """
    ours, theirs = set(Settings.model_fields), set(FIELDS)  # both have "privacy"
    if (ours - theirs) & set(content):
        return None
    marked = (tool for tool, marks in TOOLS.items() if marks & set(content))
    return next(marked, "rsmeval" if (theirs - ours) & set(content) else None)


def tool_of_file(path: Path) -> str | None:
    """Return the RSMTool tool that a file configures; only JSON files do."""
    return tool_of(parse(path)) if path.suffix.lower() == ".json" else None


def answers_rsmeval(path: Path) -> bool:
    """Return whether a file is a configuration of ours that keeps one of rsmeval (see `spelled_out`)."""
    return path.suffix.lower() in CONFIG_SUFFIXES and path.is_file() and KEPT in parse(path)


def read_fields(content: Mapping[str, Any], where: str) -> Fields:
    """Return the fields of an rsmeval configuration, checked.

    Parameters
    ----------
    content
        What the file says.
    where
        Its path, for messages.

    Raises
    ------
    SettingsError
        It is for another tool; a field is unknown, missing, of the wrong kind, or contradicts another.

    Examples
    --------
    >>> given = {"experiment_id": "pilot", "predictions_file": "p.csv", "system_score_column": "engine"}
    >>> fields = read_fields({**given, "trim_min": "1", "trim_max": 6, "subgroups": "L1, gender"}, "config.json")
    >>> fields["trim_min"], fields["subgroups"], fields["human_score_column"]
    (1.0, ['L1', 'gender'], 'sc1')
    """
    fields = fields_of(content, FIELDS, "rsmeval", where)
    problem = _contradiction(fields)
    if problem:
        raise SettingsError(f"{where}: {problem}")
    return fields


def fields_of(content: Mapping[str, Any], known: Mapping[str, Field], tool: str, where: str) -> Fields:
    """Return every field that a tool knows with its value or default.

    Raises
    ------
    SettingsError
        The configuration is for another tool; a field is unknown, missing, or of the wrong kind.
    """
    found = tool_of(content)
    if found != tool:
        raise SettingsError(f"{where}: {_other_tool(found, tool)}")
    for name in content:
        if name not in known:
            owner = next((other for other, marks in TOOLS.items() if name in marks), None)
            whose = f" but of {owner}; remove it." if owner else did_you_mean(name, known)
            raise SettingsError(f"{where}: '{name}' is not a field of {tool}{whose}")
    return {name: _value(name, field, content.get(name), tool, where) for name, field in known.items()}


def _value(name: str, field: Field, given: Any, tool: str, where: str) -> Any:
    if given is None:
        if field.default is REQUIRED:
            raise SettingsError(f"{where}: {tool} needs the field '{name}'; add it.")
        return field.default
    try:
        return field.read(given)
    except ValueError as error:
        raise SettingsError(f"{where}: {name}: {error}; found {str(given)[:80]!r}.") from None


def _other_tool(found: str | None, wanted: str) -> str:
    """Return what to type instead of the configuration of another tool."""
    commands = {"rsmcompare": "compare", "rsmsummarize": "summarize", "rsmeval": "evaluate"}
    if found in commands:
        return f"this configures {found}, not {wanted}; type: reportgen {commands[found]} CONFIG OUT_DIR"
    if wanted != "rsmeval":
        command = f"reportgen {commands[wanted]} DIR DIR --out OUT_DIR"
        return f"this is no configuration of {wanted}; name finished runs instead: {command}"
    if found is None:
        return "not an rsmeval configuration; it names neither 'predictions_file' nor 'system_score_column'."
    return (
        f"this configures {found}, which works with models; reportgen evaluates scores that are there already: give "
        "an rsmeval configuration, or the file of scores itself."
    )


def _contradiction(fields: Fields) -> str:
    """Return the sentence for the first two fields that cannot both hold; empty when all can."""
    columns = ("human_score_column", "system_score_column", "second_human_score_column")
    for index, name in enumerate(columns):
        for other in columns[:index]:
            if fields[name] is not None and fields[name] == fields[other]:
                return f"{other} and {name} both name '{fields[name]}'; name another column for one of them."
    if fields["trim_min"] > fields["trim_max"]:
        return f"trim_min ({fields['trim_min']:g}) lies above trim_max ({fields['trim_max']:g}); exchange them."
    if fields["min_items_per_candidate"] and not fields["candidate_column"]:
        return "min_items_per_candidate needs a candidate_column; add it."
    if fields["use_wandb"] and not (fields["wandb_project"] and fields["wandb_entity"]):
        return "use_wandb needs both wandb_project and wandb_entity; add them."
    sizes, groups = fields["min_n_per_group"], fields["subgroups"]
    if sizes and not groups:
        return "min_n_per_group needs subgroups; add them."
    if isinstance(sizes, dict) and sorted(sizes) != sorted(groups):
        return f"min_n_per_group names {', '.join(sizes) or 'no group'}; expected exactly {', '.join(groups)}."
    return ""
