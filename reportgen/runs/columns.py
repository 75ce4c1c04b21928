"""Several systems in one file: each is a run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from reportgen.errors import InputError, SettingsError
from reportgen.numbers import count
from reportgen.runs.model import Run
from reportgen.runs.ours import run_of_scores
from reportgen.scores import ScoreTable, read_systems
from reportgen.settings import Settings, override


def runs_of_columns(source: Any, systems: Sequence[str], settings: Settings) -> tuple[list[Run], tuple[str, ...]]:
    """Return one run for each system of a file, on the responses that all of them scored, and what to say of that.

    Parameters
    ----------
    source
        Path of a data file, or a frame.
    systems
        Columns of system scores, or raters that are systems; the one the others are compared with first.
    settings
        What is declared about the rest of the data.

    Raises
    ------
    SettingsError
        Fewer than two systems are named, or one twice.
    InputError
        The data cannot be read (see `reportgen.scores.read`), or no two responses were scored by all.
    """
    if len(systems) < 2:
        raise SettingsError(
            f"--system: expected two columns of system scores or more, found {len(systems)}; repeat it."
        )
    asked = override(settings, systems=tuple(systems), system=None, baseline=systems[0])
    return runs_on_shared(read_systems(source, asked), settings)


def runs_of_tables(tables: Sequence[ScoreTable], settings: Settings) -> list[Run]:
    """Return one run for each table of scores, named after its system, on the responses that it scored itself."""
    return [
        run_of_scores(
            table, table.columns("system")[0], "scores", created="",
            min_n=settings.statistics.min_n_per_group, level=settings.statistics.confidence_level,
        )
        for table in tables
    ]  # fmt: skip


def runs_on_shared(tables: Sequence[ScoreTable], settings: Settings) -> tuple[list[Run], tuple[str, ...]]:
    """Return one run for each table, on the responses that all of them scored, and what to say of the others.

    The tables are of one file (`reportgen.scores.read_systems`).

    Raises
    ------
    InputError
        Fewer than two responses were scored by all.
    """
    shared = reduce(np.logical_and, (table.rows.kept for table in tables))
    n = int(shared.sum())
    if n < 2:
        raise InputError(
            f"{n} of {len(shared):,} responses were scored by all {len(tables)} systems, expected at least 2; "
            "name fewer systems with --system NAME."
        )
    runs, lost = [], []
    for run, table in zip(runs_of_tables(tables, settings), tables, strict=True):
        at = np.flatnonzero(shared[table.rows.kept])
        if run.rows is not None and len(at) < run.n:
            lost.append(f"{count(run.n - len(at))} that {run.name} scored and another did not")
            run = run.of(run.rows.take(at))
        runs.append(run)
    if not lost:
        return runs, ()
    return runs, (
        f"The systems are compared on the {count(n)} responses that all of them scored; left out are "
        f"{', '.join(lost)}.",
    )
