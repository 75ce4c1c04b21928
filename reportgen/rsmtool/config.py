"""An rsmeval configuration: told from others, read, checked, and refused in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen.errors import SettingsError, did_you_mean
from reportgen.rsmtool.fields import FIELDS, REQUIRED, TOOLS
from reportgen.settings import CONFIG_SUFFIXES, Settings, parse

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
    tool = tool_of(content)
    if tool != "rsmeval":
        raise SettingsError(f"{where}: {_wrong_tool(tool)}")
    for name in content:
        if name not in FIELDS:
            raise SettingsError(f"{where}: '{name}' is not a field of rsmeval{_whose(name)}")
    fields = {name: _value(name, content, where) for name in FIELDS}
    problem = _contradiction(fields)
    if problem:
        raise SettingsError(f"{where}: {problem}")
    return fields


def _value(name: str, content: Mapping[str, Any], where: str) -> Any:
    """Return one field: as given, or its default."""
    field, given = FIELDS[name], content.get(name)
    if given is None:
        if field.default is REQUIRED:
            raise SettingsError(f"{where}: rsmeval needs the field '{name}'; add it.")
        return field.default
    try:
        return field.read(given)
    except ValueError as error:
        raise SettingsError(f"{where}: {name}: {error}; found {str(given)[:80]!r}.") from None


def _wrong_tool(tool: str | None) -> str:
    """Return what to type instead of evaluating the configuration of another tool."""
    if tool is None:
        return "not an rsmeval configuration; it names neither 'predictions_file' nor 'system_score_column'."
    commands = {"rsmcompare": "compare", "rsmsummarize": "summarize"}
    if tool in commands:
        return f"this configures {tool}, not rsmeval; type: reportgen {commands[tool]} CONFIG OUT_DIR"
    return (
        f"this configures {tool}, which works with models; reportgen evaluates scores that are there already: give "
        "an rsmeval configuration, or the file of scores itself."
    )


def _whose(name: str) -> str:
    """Return the end of the sentence on an unknown field: the tool it belongs to, or the nearest name."""
    owner = next((tool for tool, marks in TOOLS.items() if name in marks), None)
    return f" but of {owner}; remove it." if owner else did_you_mean(name, FIELDS)


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
    return _contradiction_of_groups(fields)


def _contradiction_of_groups(fields: Fields) -> str:
    """Return the sentence for sizes of groups that are not the subgroups."""
    sizes, groups = fields["min_n_per_group"], fields["subgroups"]
    if sizes and not groups:
        return "min_n_per_group needs subgroups; add them."
    if isinstance(sizes, dict) and sorted(sizes) != sorted(groups):
        return f"min_n_per_group names {', '.join(sizes) or 'no group'}; expected exactly {', '.join(groups)}."
    return ""
