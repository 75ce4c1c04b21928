"""An rsmeval configuration and its fields: told from others, read, checked, and refused in one sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, StrictFloat, StrictInt, TypeAdapter, ValidationError
from pydantic import Field as Limits

from reportgen.errors import SettingsError, did_you_mean, shortened
from reportgen.settings import CONFIG_SUFFIXES, Settings, parse
from reportgen.settings.kinds import split
from reportgen.settings.wording import problem

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
    """The type of a field, by which pydantic reads it, and what it is when the field is left out."""

    type: Any
    default: Any = None


def _number(value: object) -> object:
    """Return a number that is written as text as one."""
    with suppress(ValueError):
        return float(value) if isinstance(value, str) else value
    return value


def _identifier(value: str) -> str:
    """Refuse an experiment's id that cannot name files."""
    if not re.fullmatch(r"[^\s/\\\x00]{1,200}", value) or value in (".", ".."):
        raise ValueError(f"expected at most 200 characters, no blank and no slash, found {shortened(repr(value))}")
    return value


def _kept(value: object) -> object:
    """Return for each flag column a list of the values that are kept."""
    return (
        {key: each if isinstance(each, list) else [each] for key, each in value.items()}
        if isinstance(value, dict)
        else value
    )


def _no_truth(value: object) -> object:
    """Refuse true and false, which Python counts as 1 and 0."""
    if isinstance(value, bool):
        raise ValueError(f"expected a whole number, found {str(value).lower()}")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError(f"expected text that is not blank, found {value!r}")
    return value


Text = Annotated[str, AfterValidator(_not_blank)]
Identifier = Annotated[str, AfterValidator(_identifier)]
Number = Annotated[StrictInt | Annotated[StrictFloat, Limits(allow_inf_nan=False)], BeforeValidator(_number)]
NotNegative = Annotated[Number, Limits(ge=0)]
Whole = Annotated[int, Limits(ge=0), BeforeValidator(_no_truth)]
Names = Annotated[list[Text], BeforeValidator(split)]
Flags = Annotated[dict[str, list[str | bool | int | float]], BeforeValidator(_kept)]
Format = Annotated[
    Literal["csv", "tsv", "xlsx"], BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value)
]

PRIVATE = "privacy"
"""A field of our own: no small groups and no single responses in RSMTool's tables either."""

NOT_LOGGED = "use_wandb is set, but nothing is logged: reportgen writes files only."

FIELDS: Mapping[str, Field] = {
    "experiment_id": Field(Identifier, REQUIRED),
    "predictions_file": Field(Text, REQUIRED),
    "system_score_column": Field(Text, REQUIRED),
    "trim_min": Field(Number, REQUIRED),
    "trim_max": Field(Number, REQUIRED),
    "description": Field(str, ""),
    "id_column": Field(Text, "spkitemid"),
    "human_score_column": Field(Text, "sc1"),
    "second_human_score_column": Field(Text),
    "file_format": Field(Format, "csv"),
    "flag_column": Field(Flags),
    "exclude_zero_scores": Field(bool, True),
    "use_thumbnails": Field(bool, False),
    "scale_with": Field(Text),
    "trim_tolerance": Field(NotNegative, 0.4998),
    "rater_error_variance": Field(NotNegative),
    "subgroups": Field(Names, []),
    "min_n_per_group": Field(Whole | dict[str, Whole]),
    "general_sections": Field(Names, ["all"]),
    "custom_sections": Field(Names),
    "section_order": Field(Names),
    "candidate_column": Field(Text),
    "min_items_per_candidate": Field(Whole),
    "use_wandb": Field(bool, False),
    "wandb_project": Field(Text),
    "wandb_entity": Field(Text),
    PRIVATE: Field(bool, False),
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
        return TypeAdapter(field.type).validate_python(given)
    except ValidationError as error:
        raise SettingsError(f"{where}: {name}: {problem(field.type, error)}.") from None


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
