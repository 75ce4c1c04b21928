"""The sections of RSMTool's reports and what says the same in ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reportgen.errors import did_you_mean
from reportgen.results import ReportKind
from reportgen.rsmtool.config import NAMES
from reportgen.sections import DEFAULT_ORDERS

OURS: Mapping[str, Mapping[str, list[str]]] = NAMES["sections"]
"""Tool -> each of its sections, in its default order -> sections of ours."""

KINDS: Mapping[str, ReportKind] = {"rsmeval": "evaluation", "rsmcompare": "comparison", "rsmsummarize": "summary"}
"""Tool -> the kind of our report that answers it."""

_FAIRNESS = "fairness_analyses"


def sections_of(fields: Mapping[str, Any], folder: Path, tool: str) -> tuple[list[str], list[str | Path]]:
    """Return the chosen sections by RSMTool's names, and our sections and the custom notebooks, both in order.

    fields: The checked fields of a configuration of the tool.
    folder: The folder of the configuration, where relative paths start that do not exist from here.
    """
    notebooks = _notebooks(fields, folder, tool)
    chosen = _chosen(fields, notebooks, tool)
    if has_choice(fields):
        return chosen, _our_sections(chosen, notebooks, tool)
    return chosen, [*DEFAULT_ORDERS[KINDS[tool]], *notebooks]


def has_choice(fields: Mapping[str, Any]) -> bool:
    """Return whether the configuration chooses or orders sections; else ours stand in our own order."""
    return fields["general_sections"] != ["all"] or bool(fields["section_order"])


def located(path: str, folder: Path) -> Path:
    """Return a path that exists from here, else the one from `folder`."""
    return Path(path) if Path(path).exists() else folder / path


def _notebooks(fields: Mapping[str, Any], folder: Path, tool: str) -> list[Path]:
    """Return the custom notebooks."""
    found = [located(path, folder) for path in fields["custom_sections"] or ()]
    for path in found:
        if not path.is_file() or path.suffix.lower() != ".ipynb":
            raise ValueError(f"custom_sections: '{path}' is not a notebook (.ipynb) that is there; check the path.")
    stems = [path.stem for path in found]
    for stem in stems:
        if stems.count(stem) > 1 or stem in OURS[tool]:
            raise ValueError(f"custom_sections: '{stem}' names two sections; rename one notebook.")
    return found


def _chosen(fields: Mapping[str, Any], notebooks: Sequence[Path], tool: str) -> list[str]:
    """Return the chosen sections by RSMTool's names, in order; that of a notebook is the stem of its file."""
    asked = list(OURS[tool]) if fields["general_sections"] == ["all"] else fields["general_sections"]
    for name in asked:
        if name not in OURS[tool]:
            raise ValueError(f"general_sections: {tool} has no section '{name}'{did_you_mean(name, OURS[tool])}")
    if not fields["subgroups"]:
        by_group = [name for name in asked if name.endswith("by_group") or name == _FAIRNESS]
        if by_group and fields["general_sections"] != ["all"]:
            raise ValueError(f"general_sections: '{by_group[0]}' needs subgroups; add them, or remove the section.")
        asked = [name for name in asked if name not in by_group]
    general = [name for name in OURS[tool] if name in asked]
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


def _our_sections(chosen: Sequence[str], notebooks: Sequence[Path], tool: str) -> list[str | Path]:
    """Return our sections in the order of RSMTool's chosen ones, the summary first; notebooks keep their places."""
    files = {notebook.stem: notebook for notebook in notebooks}
    entries: dict[str | Path, None] = {DEFAULT_ORDERS[KINDS[tool]][0]: None}
    for name in chosen:
        entries.update(dict.fromkeys([files[name]] if name in files else OURS[tool][name]))
    return list(entries)
