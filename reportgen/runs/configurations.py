"""Read the runs of folders and of rsmcompare and rsmsummarize configurations."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from reportgen.errors import InputError, SettingsError, write_command
from reportgen.results import Scale
from reportgen.rsmtool.config import NOT_LOGGED, fields_of, has_choice, located, sections_of
from reportgen.runs.model import Run
from reportgen.runs.ours import read_run
from reportgen.runs.peers import Experiment, experiment, experiments, read_experiment
from reportgen.settings import parse
from reportgen.storing import RESULTS_FILE, refuse_set_aside
from reportgen.wording.numbers import point

CLOSE = 0.5  # an assumed scale must span at least this share of the other's range to count as a part of it


def open_folder(folder: Path) -> list[Run]:
    """Return the runs in a folder: one reportgen run, or every RSMTool experiment."""
    if folder.name == RESULTS_FILE and folder.is_file():
        folder = folder.parent
    refuse_set_aside(folder)
    if not folder.exists():
        raise InputError(f"'{folder}' was not found; give the folder of a finished run.")
    if not folder.is_dir():
        command = write_command("reportgen", "look", str(folder))
        raise InputError(f"to compare engines in '{folder}', name two with --system; to list them, run: {command}")
    if (folder / RESULTS_FILE).is_file():
        return [read_run(folder)]
    found = experiments(folder.parent if folder.name == "output" else folder)
    if not found:
        raise InputError(f"'{folder}' does not contain a run; name the folder of a report or of an RSMTool experiment.")
    return [read_experiment(experiment) for experiment in found]


def refuse_same_names(runs: Sequence[Run]) -> None:
    """Raise if two runs have the same name."""
    name, times = Counter(run.name for run in runs).most_common(1)[0]
    if times > 1:
        raise InputError(f"{times} runs are named '{name}'; give each run a name, for example --name old --name new.")


def refuse_scales(runs: Sequence[Run]) -> None:
    """Raise if two runs are on different scales, unless an inferred scale is a part of the other."""
    for first, second in combinations(runs, 2):
        if not _fit(first.scale, second.scale):
            text = f"'{first.name}' and '{second.name}' are on different scales ({_span(first.scale)} and "
            raise InputError(f"{text}{_span(second.scale)}); choose runs on the same scale.")


def _fit(first: Scale, second: Scale) -> bool:
    if (first.low, first.high) == (second.low, second.high):
        return True
    for part, whole in ((first, second), (second, first)):
        inside = whole.low <= part.low and part.high <= whole.high
        if part.assumed and inside and part.high - part.low >= CLOSE * (whole.high - whole.low):
            return True
    return False


def _span(scale: Scale) -> str:
    return f"{point(scale.low)} to {point(scale.high)}"


@dataclass(frozen=True)
class Asked:
    """The content of a configuration.

    id, description: Name and description of the comparison or summary.
    order: Our sections and the custom notebooks, in order; empty if the configuration does not list them.
    rows: Row names of runs in tables of RSMTool's layout: from the configuration, or the experiment.
    """

    runs: tuple[Run, ...]  # the runs, in order
    id: str = ""
    description: str = ""
    experiments: tuple[Experiment | None, ...] = ()  # their folders and files; None for a reportgen run
    kind: str = "csv"  # format of the tables in RSMTool's layout
    notes: tuple[str, ...] = ()  # settings that were interpreted differently
    order: tuple[str | Path, ...] = ()
    names: Mapping[str, Any] = field(default_factory=dict)  # names that custom notebooks use
    rows: tuple[str, ...] = ()

    @property
    def sections(self) -> list[str] | None:
        """Our sections in order; None for all of them in our order."""
        return [entry for entry in self.order if isinstance(entry, str)] or None


def read_comparison(file: Path) -> Asked:
    """Read an rsmcompare configuration; relative paths start at its folder."""
    fields = fields_of(parse(file), "rsmcompare", str(file))
    order = _order(fields, file, "rsmcompare")
    runs, notes = [], [NOT_LOGGED] if fields["use_wandb"] else []
    names: dict[str, Any] = {"use_thumbnails": False}
    for side in ("old", "new"):
        folder = located(fields[f"experiment_dir_{side}"], file.parent)
        scaled = fields[f"use_scaled_predictions_{side}"]
        run = read_experiment(experiment(folder, fields[f"experiment_id_{side}"]), scaled=scaled)
        prefix = run.score_types[-1].key.split("_")[0]
        if scaled is not None and scaled != (prefix == "scale"):
            kept = "unscaled" if scaled else "rescaled"
            notes.append(f"{run.name} has only {kept} scores, so use_scaled_predictions_{side} is ignored.")
        if fields["subgroups"]:
            run = run.with_groups(fields["subgroups"])
        names |= {f"{name}_{side}": fields[f"{name}_{side}"] for name in ("experiment_id", "description")}
        names |= {f"{name}_dir_{side}": str((folder / name).resolve()) for name in ("output", "figure")}
        names |= {f"score_prefix_{side}": prefix, f"scaled_{side}": prefix == "scale"}
        runs.append(run)
    if runs[0].name == runs[1].name:
        runs = [run.named(f"{run.name} ({side})") for run, side in zip(runs, ("old", "new"), strict=True)]
    description = "; ".join(dict.fromkeys(fields[f"description_{side}"] for side in ("old", "new")))
    return Asked(
        tuple(runs), fields["comparison_id"], description.strip("; "), notes=tuple(notes), order=order,
        names={**names, "groups_desc": fields["subgroups"], "groups_eval": fields["subgroups"]},
    )  # fmt: skip


def read_summary(file: Path) -> Asked:
    """Read an rsmsummarize configuration; relative paths start at its folder."""
    fields = fields_of(parse(file), "rsmsummarize", str(file))
    wanted, order = fields["experiment_names"], _order(fields, file, "rsmsummarize")
    folders = [located(folder, file.parent) for folder in fields["experiment_dirs"]]
    if wanted and len(wanted) != len(folders):
        raise SettingsError(f"{file}: experiment_names: expected {len(folders)} names, one for each folder of "
                            f"experiment_dirs, found {len(wanted)}.")  # fmt: skip
    runs: list[Run] = []
    sources: list[Experiment | None] = []
    for index, folder in enumerate(folders):
        own = experiments(folder) if folder.is_dir() else []
        found = [read_experiment(each) for each in own] or open_folder(folder)
        if wanted and len(found) > 1:
            raise InputError(f"'{folder}' contains {len(found)} experiments; expected one with experiment_names.")
        runs += [run.named(wanted[index]) for run in found] if wanted else found
        sources += own or [None] * len(found)
    seen = Counter[str]()
    apart = []
    for run in runs:  # repeated names get a number
        seen[run.name] += 1
        apart.append(run if seen[run.name] == 1 else run.named(f"{run.name} ({seen[run.name]})"))
    models = [
        (each.id, run.name, each.configuration, str((each.folder / "output").resolve()), each.kind)
        for run, each in zip(apart, sources, strict=True)
        if each is not None
    ]
    names = {name: fields[name] for name in ("summary_id", "description")}  # names that custom notebooks use
    names |= dict.fromkeys(("groups_desc", "groups_eval"), fields["subgroups"])
    names |= {"context": "rsmsummarize", "use_thumbnails": False, "model_list": models}
    return Asked(
        tuple(apart), fields["summary_id"], fields["description"], tuple(sources), fields["file_format"],
        (NOT_LOGGED,) if fields["use_wandb"] else (), order, names | {"file_format_summarize": fields["file_format"]},
        tuple(run.name for run in runs),
    )  # fmt: skip


def _order(fields: Mapping[str, Any], file: Path, tool: str) -> tuple[str | Path, ...]:
    try:
        order = sections_of(fields, file.parent, tool)[1]
    except ValueError as error:
        raise SettingsError(f"{file}: {error}") from None
    return tuple(order) if has_choice(fields) or fields["custom_sections"] else ()
