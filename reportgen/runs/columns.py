"""Several systems in one file: each is a run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from reportgen.errors import InputError, SettingsError
from reportgen.runs.model import CountedRows, Run
from reportgen.runs.ours import run_of_counts, run_of_scores
from reportgen.scores import Account, ScoreTable, read_systems
from reportgen.settings import Settings, override
from reportgen.sources.naming_patterns import WILD
from reportgen.wording.numbers import count

SUBTRACTED = (
    "Which groups are withheld is decided for every report by itself; as the reports of the systems and their "
    "comparison are not on the same responses, a withheld group can follow from two of them by subtraction."
)
"""What readers of all reports of one run can do, and whoever shares these should know."""


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
    patterns = any(WILD.search(name) for name in systems)
    if len(systems) < 2 and not patterns:
        raise SettingsError(
            f"--system: expected two or more columns of system scores, found {len(systems)}; repeat --system."
        )
    first = None if WILD.search(systems[0]) else systems[0]
    tables = read_systems(source, override(settings, systems=tuple(systems), system=None, baseline=first))
    if len(tables) < 2:
        raise SettingsError(f"--system: '{systems[0]}' names one system, expected two or more; name another one.")
    runs, notes = runs_on_shared(tables, settings)
    return runs, (*tables[0].told, *notes)


def runs_of_tables(tables: Sequence[ScoreTable], settings: Settings) -> list[Run]:
    """Return one run for each table of scores, named after its system, on the responses that it scored itself."""
    return [run_of_scores(table, settings) for table in tables]


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
    _refuse_few(n, len(shared), len(tables))
    runs = []
    for run, table in zip(runs_of_tables(tables, settings), tables, strict=True):
        at = np.flatnonzero(shared[table.rows.kept])
        runs.append(run.of(run.rows.take(at)) if run.rows is not None and len(at) < run.n else run)
    return runs, _lost(n, tables, settings)


def runs_of_counts(accounts: Sequence[Account], counted: Sequence[CountedRows], settings: Settings) -> list[Run]:
    """Return one run for each account of scores, named after its system, of what was counted of these."""
    return [run_of_counts(account, counts, settings) for account, counts in zip(accounts, counted, strict=True)]


def runs_counted_on_shared(
    accounts: Sequence[Account], shared: Sequence[CountedRows], settings: Settings
) -> tuple[list[Run], tuple[str, ...]]:
    """Return the same as `runs_on_shared`, of what was counted of the responses that all systems scored.

    Raises
    ------
    InputError
        Fewer than two responses were scored by all.
    """
    n = shared[0].n
    _refuse_few(n, accounts[0].read, len(accounts))
    return runs_of_counts(accounts, shared, settings), _lost(n, accounts, settings)


def _refuse_few(n: int, read: int, systems: int) -> None:
    """Raise when too few responses were scored by all systems."""
    if n < 2:
        raise InputError(
            f"{n} of {read:,} responses were scored by all {systems} systems, expected at least 2; "
            "name fewer systems with --system NAME."
        )


def _lost(n: int, accounts: Sequence[Account], settings: Settings) -> tuple[str, ...]:
    """Return what to say of the responses that are not compared; nothing when all are."""
    lost = [
        f"{count(account.kept - n)} that {account.columns('system')[0]} scored and another did not"
        for account in accounts
        if account.kept > n
    ]
    if not lost:
        return ()
    compared = (
        f"The systems are compared on the {count(n)} responses that all of them scored; left out are {', '.join(lost)}."
    )
    withholds = settings.privacy.withhold_small_groups and accounts[0].columns("group")
    return (compared, SUBTRACTED) if withholds else (compared,)
