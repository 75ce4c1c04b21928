"""Configurations of rsmcompare and rsmsummarize: which runs, under which names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reportgen.errors import InputError, SettingsError, did_you_mean
from reportgen.rsmtool.config import tool_of
from reportgen.rsmtool.fields import REQUIRED, Field, identifier, names, prose, table_format, text, truth
from reportgen.runs.model import Run
from reportgen.runs.opening import open_folder
from reportgen.runs.peer_files import Experiment, experiment, experiments
from reportgen.runs.peers import read_experiment
from reportgen.settings import parse

_COMMON: Mapping[str, Field] = {
    "general_sections": Field(names, ["all"]),
    "custom_sections": Field(names),
    "section_order": Field(names),
    "use_thumbnails": Field(truth, False),
    "subgroups": Field(names, []),
    "use_wandb": Field(truth, False),
    "wandb_project": Field(text),
    "wandb_entity": Field(text),
}
COMPARE: Mapping[str, Field] = {
    "comparison_id": Field(identifier, REQUIRED),
    **{
        f"{field}_{side}": read
        for side in ("old", "new")
        for field, read in (
            ("experiment_id", Field(identifier, REQUIRED)),
            ("experiment_dir", Field(text, REQUIRED)),
            ("description", Field(prose, "")),
            ("use_scaled_predictions", Field(truth)),
        )
    },
    **_COMMON,
}
"""Fields of rsmcompare."""

SUMMARIZE: Mapping[str, Field] = {
    "summary_id": Field(identifier, REQUIRED),
    "experiment_dirs": Field(names, REQUIRED),
    "experiment_names": Field(names),
    "description": Field(prose, ""),
    "file_format": Field(table_format, "csv"),
    **_COMMON,
}
"""Fields of rsmsummarize."""

UNUSED = ("custom_sections", "section_order", "use_wandb")
"""Fields whose wish is not granted; the report says so when one is set."""


@dataclass(frozen=True)
class Asked:
    """What a configuration asks for.

    Parameters
    ----------
    id, description
        Name and description of the comparison or summary.
    runs
        The runs, in order.
    experiments
        Their folders and files; None for a run of reportgen.
    kind
        Format of the tables in the peer's layout.
    notes
        What was understood otherwise than it was written.
    """

    id: str
    description: str
    runs: tuple[Run, ...]
    experiments: tuple[Experiment | None, ...] = ()
    kind: str = "csv"
    notes: tuple[str, ...] = ()


def read_comparison(file: Path) -> Asked:
    """Return what an rsmcompare configuration asks for; relative paths start at its folder.

    Raises
    ------
    SettingsError, InputError
        It is for another tool, a field is not right, or an experiment is not there.
    """
    fields = read_fields(file, COMPARE, "rsmcompare")
    runs, notes = [], _unused(fields)
    for side in ("old", "new"):
        folder = _located(fields[f"experiment_dir_{side}"], file.parent)
        found = experiment(folder, fields[f"experiment_id_{side}"])
        scaled = fields[f"use_scaled_predictions_{side}"]
        run = read_experiment(found, scaled=scaled)
        if scaled is not None and scaled != run.score_types[-1].key.startswith("scale"):
            kept = "rescaled" if run.score_types[-1].key.startswith("scale") else "unscaled"
            notes.append(f"{run.name} has {kept} scores only; use_scaled_predictions_{side} is passed over.")
        if fields["subgroups"]:
            run = run.with_groups(fields["subgroups"])
        runs.append(run)
    if runs[0].name == runs[1].name:
        runs = [run.named(f"{run.name} ({side})") for run, side in zip(runs, ("old", "new"), strict=True)]
    description = "; ".join(dict.fromkeys(fields[f"description_{side}"] for side in ("old", "new")))
    return Asked(fields["comparison_id"], description.strip("; "), tuple(runs), notes=tuple(notes))


def read_summary(file: Path) -> Asked:
    """Return what an rsmsummarize configuration asks for; relative paths start at its folder.

    Raises
    ------
    SettingsError, InputError
        It is for another tool, a field is not right, or a folder holds no run.
    """
    fields = read_fields(file, SUMMARIZE, "rsmsummarize")
    wanted = fields["experiment_names"]
    folders = [_located(folder, file.parent) for folder in fields["experiment_dirs"]]
    if wanted and len(wanted) != len(folders):
        raise SettingsError(f"{file}: experiment_names: expected {len(folders)} names, one for each folder of "
                            f"experiment_dirs, found {len(wanted)}.")  # fmt: skip
    runs: list[Run] = []
    sources: list[Experiment | None] = []
    for index, folder in enumerate(folders):
        found = _in_folder(folder)
        if wanted and len(found) > 1:
            raise InputError(f"'{folder}' holds {len(found)} experiments; with experiment_names expected one.")
        runs += [run.named(wanted[index]) if wanted else run for run, _ in found]
        sources += [source for _, source in found]
    return Asked(
        fields["summary_id"], fields["description"], tuple(told_apart(runs)), tuple(sources), fields["file_format"],
        tuple(_unused(fields)),
    )  # fmt: skip


def told_apart(runs: Sequence[Run]) -> list[Run]:
    """Return the runs, later ones of a name with a number behind it."""
    seen: dict[str, int] = {}
    apart = []
    for run in runs:
        seen[run.name] = seen.get(run.name, 0) + 1
        apart.append(run if seen[run.name] == 1 else run.named(f"{run.name} ({seen[run.name]})"))
    return apart


def read_fields(file: Path, known: Mapping[str, Field], tool: str) -> dict[str, Any]:
    """Return every field of a configuration with its value or default.

    Raises
    ------
    SettingsError
        It is for another tool; a field is unknown, missing, or of the wrong kind.
    """
    content = parse(file)
    found = tool_of(content)
    if found != tool:
        raise SettingsError(f"{file}: {_other_tool(found, tool)}")
    for name in content:
        if name not in known:
            raise SettingsError(f"{file}: '{name}' is not a field of {tool}{did_you_mean(name, known)}")
    return {name: _value(name, field, content, f"{file}: {tool}") for name, field in known.items()}


def _value(name: str, field: Field, content: Mapping[str, Any], where: str) -> Any:
    given = content.get(name)
    if given is None:
        if field.default is REQUIRED:
            raise SettingsError(f"{where} needs the field '{name}'; add it.")
        return field.default
    try:
        return field.read(given)
    except ValueError as error:
        raise SettingsError(f"{where}: {name}: {error}; found {str(given)[:80]!r}.") from None


def _other_tool(found: str | None, wanted: str) -> str:
    """Return what to type instead of a configuration for another tool."""
    commands = {"rsmcompare": "compare", "rsmsummarize": "summarize", "rsmeval": "evaluate"}
    if found in commands:
        return f"this configures {found}, not {wanted}; type: reportgen {commands[found]} CONFIG OUT_DIR"
    command = f"reportgen {commands[wanted]} DIR DIR --out OUT_DIR"
    return f"this is no configuration of {wanted}; name finished runs instead: {command}"


def _in_folder(folder: Path) -> list[tuple[Run, Experiment | None]]:
    """Return the runs in a folder, with their files where they are the peer's."""
    found = experiments(folder) if folder.is_dir() else []
    if found:
        return [(read_experiment(each), each) for each in found]
    return [(run, None) for run in open_folder(folder)]


def _located(path: str, folder: Path) -> Path:
    """Return a path that exists from here, else the one from `folder`."""
    return Path(path) if Path(path).exists() else folder / path


def _unused(fields: Mapping[str, Any]) -> list[str]:
    return [f"{name} of the configuration is passed over." for name in UNUSED if fields[name]]
