"""The sections of RSMTool's report and what says the same in ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reportgen.errors import did_you_mean
from reportgen.rsmtool.config import Fields

OURS = {
    "data_description": ("data",),
    "data_description_by_group": ("data",),
    "consistency": ("human_human_agreement",),
    "evaluation": ("score_distributions", "system_human_agreement"),
    "true_score_evaluation": ("true_score_evaluation",),
    "evaluation_by_group": ("group_differences",),
    "fairness_analyses": ("group_differences",),
    "intermediate_file_paths": ("provenance",),
    "sysinfo": ("provenance",),
}
"""Section of RSMTool, in its default order -> sections of ours."""

BY_GROUP = ("data_description_by_group", "evaluation_by_group", "fairness_analyses")
"""The sections that need subgroups."""


def chosen_sections(fields: Fields, notebooks: Sequence[Path]) -> list[str]:
    """Return the chosen sections by RSMTool's names, in order; that of a notebook is the stem of its file.

    Raises
    ------
    ValueError
        A section is unknown, needs subgroups that are not there, or the order does not list exactly the chosen ones.
    """
    asked = list(OURS) if fields["general_sections"] == ["all"] else fields["general_sections"]
    for name in asked:
        if name not in OURS:
            raise ValueError(f"general_sections: rsmeval has no section '{name}'{did_you_mean(name, OURS)}")
    if not fields["subgroups"]:
        by_group = [name for name in asked if name in BY_GROUP]
        if by_group and fields["general_sections"] != ["all"]:
            raise ValueError(f"general_sections: '{by_group[0]}' needs subgroups; add them, or remove the section.")
        asked = [name for name in asked if name not in BY_GROUP]
    general = [name for name in OURS if name in asked]
    return _ordered([*general, *(notebook.stem for notebook in notebooks)], fields["section_order"])


def _ordered(chosen: list[str], order: list[str] | None) -> list[str]:
    """Return the chosen sections in the given order."""
    if not order:
        return chosen
    missing = [name for name in chosen if name not in order]
    extra = [name for name in order if name not in chosen]
    if missing or extra or len(order) != len(chosen):
        told = [f"missing: {', '.join(missing)}"] if missing else []
        told += [f"not chosen: {', '.join(extra)}"] if extra else []
        raise ValueError(
            f"section_order: expected every chosen section once ({'; '.join(told) or 'one is listed twice'})."
        )
    return order


def our_sections(chosen: Sequence[str], notebooks: Sequence[Path]) -> list[str | Path]:
    """Return our sections in the order of RSMTool's chosen ones, the summary first; notebooks keep their places."""
    files = {notebook.stem: notebook for notebook in notebooks}
    entries: dict[str | Path, None] = {"summary": None}
    for name in chosen:
        entries.update(dict.fromkeys([files[name]] if name in files else OURS[name]))
    return list(entries)
