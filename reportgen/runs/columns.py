"""Several systems in one file: each column of system scores is a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reportgen.errors import SettingsError
from reportgen.runs.model import Run
from reportgen.runs.ours import run_of_scores
from reportgen.scores import read, resolved
from reportgen.settings import Settings, override


def runs_of_columns(source: Any, systems: Sequence[str], settings: Settings) -> list[Run]:
    """Return one run for each column of system scores, all with the same human scores and groups.

    Parameters
    ----------
    source
        Path of a data file, or a frame.
    systems
        Columns of system scores, the one the others are compared with first.
    settings
        What is declared about the rest of the data.

    Raises
    ------
    SettingsError
        Fewer than two columns are named, or one twice.
    InputError
        The data can not be read (see `reportgen.scores.read`).
    """
    if len(systems) < 2:
        raise SettingsError(
            f"--system: expected two columns of system scores or more, found {len(systems)}; repeat it."
        )
    for name in systems:
        if systems.count(name) > 1:
            raise SettingsError(f"--system: '{name}' is named twice; name every column once.")
    rest = _without_systems(source, systems, settings)
    runs = []
    for name in systems:
        scores = read(source, override(rest, system=name))
        runs.append(
            run_of_scores(
                scores, name, "scores", created="",
                min_n=settings.statistics.min_n_per_group, level=settings.statistics.confidence_level,
            )
        )  # fmt: skip
    return runs


def _without_systems(source: Any, systems: Sequence[str], settings: Settings) -> Settings:
    """Return the settings with every role spelled out, none of them played by another system."""
    first = override(settings, system=systems[0])
    found = resolved(first, read(source, first))
    data = found.data
    kept = {
        "human": [name for name in data.human or () if name not in systems],
        "groups": [name for name in data.groups or () if name not in systems],
    }
    single = {role: getattr(data, role) for role in ("id", "item", "candidate") if getattr(data, role) not in systems}
    return override(found, **kept, **{role: name for role, name in single.items() if name is not None})
