"""From folders to runs, and what runs must have in common to be set side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

from reportgen.errors import InputError, SettingsError
from reportgen.results import Scale
from reportgen.runs.model import Run
from reportgen.runs.ours import RESULTS, read_run
from reportgen.runs.peer_files import experiments
from reportgen.runs.peers import read_experiment
from reportgen.storing import refuse_set_aside
from reportgen.wording.numbers import point

CLOSE = 0.5
"""An assumed scale must span at least this share of the other's range to be taken for a part of it."""


def open_folders(folders: Iterable[Path], names: Sequence[str] = ()) -> list[Run]:
    """Return every run in the given folders, in order.

    Parameters
    ----------
    names
        What to call the runs, in order; left out, the names of folders and experiments.

    Raises
    ------
    InputError
        A folder holds no run, or two runs have one name.
    SettingsError
        There are more or fewer names than runs.
    """
    runs = [run for folder in folders for run in open_folder(folder)]
    if names:
        if len(names) != len(runs):
            raise SettingsError(f"--name: expected a name for each of {len(runs)} runs, found {len(names)}.")
        runs = [run.named(name) for run, name in zip(runs, names, strict=True)]
    refuse_same_names(runs)
    return runs


def open_folder(folder: Path) -> list[Run]:
    """Return the runs in a folder: one of reportgen, or every experiment of RSMTool.

    Raises
    ------
    InputError
        The folder is not there or holds no run.
    """
    if folder.name == RESULTS and folder.is_file():
        folder = folder.parent
    refuse_set_aside(folder)
    if not folder.exists():
        raise InputError(f"'{folder}' was not found; name the folder of a finished run.")
    if not folder.is_dir():
        raise InputError(f"'{folder}' is a file; name the folder of a finished run.")
    if (folder / RESULTS).is_file():
        return [read_run(folder)]
    found = experiments(folder.parent if folder.name == "output" else folder)
    if not found:
        raise InputError(
            f"'{folder}' holds no run; expected results.json of reportgen, or a folder 'output' of rsmeval or rsmtool."
        )
    return [read_experiment(experiment) for experiment in found]


def refuse_same_names(runs: Sequence[Run]) -> None:
    """Raise when two runs have one name."""
    name, times = Counter(run.name for run in runs).most_common(1)[0]
    if times > 1:
        raise InputError(f"{times} runs are named '{name}'; tell them apart with --name, once for each run.")


def refuse_scales(runs: Sequence[Run]) -> None:
    """Raise when two runs are on different scales: their scores cannot be compared.

    A scale that was read off the scores may be a part of the other's.
    """
    for first, second in combinations(runs, 2):
        if not _fit(first.scale, second.scale):
            raise InputError(
                f"'{first.name}' is on a scale of {_said(first.scale)}, '{second.name}' of {_said(second.scale)}; "
                "only runs on one scale can be compared."
            )


def _fit(first: Scale, second: Scale) -> bool:
    """Return whether two scales can be one and the same."""
    if (first.low, first.high) == (second.low, second.high):
        return True
    for part, whole in ((first, second), (second, first)):
        inside = whole.low <= part.low and part.high <= whole.high
        if part.assumed and inside and part.high - part.low >= CLOSE * (whole.high - whole.low):
            return True
    return False


def _said(scale: Scale) -> str:
    return f"{point(scale.low)} to {point(scale.high)}"
