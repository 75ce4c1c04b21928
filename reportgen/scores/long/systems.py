"""Raters that are systems: a column for each, and one for each further run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from reportgen.errors import RepeatError
from reportgen.scores.long import pivot
from reportgen.scores.long.rating_file import RatingFile, trimmed
from reportgen.sources.columns import Coded, Codes
from reportgen.wording.names import natural


class SystemScores(NamedTuple):
    """The columns of the systems and of their further runs, and for each system the names of those."""

    columns: dict[str, Any]
    runs: dict[str, tuple[str, ...]]


def system_scores(file: RatingFile, systems: Iterable[str]) -> SystemScores:
    """Return the scores of raters that are systems.

    Raises
    ------
    InputError
        A system scores a response twice in one run, or more often than can be.
    """
    run = trimmed(file.table, file.roles.run) if file.roles.run is not None else None
    ranked = _ranked(run) if run is not None else None
    columns: dict[str, Any] = {}
    runs = {}
    for name in systems:
        rows = np.flatnonzero(file.by([name]))
        if run is not None and ranked is not None:
            again = pivot.repeated(file.responses.codes, ranked, rows)
            if again:
                raise RepeatError(
                    f"'{name}' scores one response twice in run "
                    f"'{run.labels[run.codes[again[0]]]}', in rows {file.row(again[0])} and {file.row(again[1])}",
                    "keep one of them.",
                )
        table = pivot.runs(file.responses.codes, rows, ranked)
        if table.shape[1] > pivot.MOST_RATINGS:
            raise file.worst(table, f" by '{name}'")
        names = [name, *(f"{name} run {number}" for number in range(2, table.shape[1] + 1))]
        columns |= {column: file.scores(table[:, index]) for index, column in enumerate(names)}
        runs[name] = tuple(names[1:])
    return SystemScores(columns, runs)


def _ranked(run: Coded) -> Codes:
    """Return codes of runs that ascend with their names, numbers as numbers."""
    order = sorted(range(len(run.labels)), key=lambda code: natural(run.labels[code]))
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[run.codes]
