"""Sources larger than memory: counted in passes over batches, with the numbers that their rows would give.

The first rows suggest which column plays which part and what the scale is; a pass finds out what all rows hold
while it counts by that.  Where the suggestion was wrong, another pass counts by what was found.
"""

from __future__ import annotations

from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from reportgen.evaluation import TalliedScores
from reportgen.passes.clusters import Selection
from reportgen.passes.counts import Studied
from reportgen.passes.limits import refuse_rows_of_layout, refuse_rows_of_settings
from reportgen.passes.plan import NeedsRowsError
from reportgen.passes.running import Progress
from reportgen.passes.survey_and_count import Passes
from reportgen.runs import CountedRows
from reportgen.scores import Account
from reportgen.scores.reading import named, opened
from reportgen.settings import Settings
from reportgen.sources.batches import BATCH_ROWS, in_batches
from reportgen.sources.fetched import Fetched

__all__ = ["InPasses", "NeedsRowsError", "count", "count_systems"]


@dataclass(frozen=True)
class InPasses:
    """A system that was counted in passes over its source.

    Parameters
    ----------
    account
        How its scores were prepared.
    tallied
        What is counted of them.
    own
        What was counted of them.
    shared
        What was counted of the responses that count for every system; None for the only one.
    """

    account: Account
    tallied: TalliedScores
    own: CountedRows
    shared: CountedRows | None = None


def count(
    source: Any,
    settings: Settings,
    executor: Executor | None = None,
    progress: Progress | None = None,
    rows: int = BATCH_ROWS,
) -> InPasses:
    """Return the counted scores of the one system of a source; arguments and errors as for `count_systems`.

    Raises
    ------
    ValueError
        There are several.
    """
    (counted,) = count_systems(source, settings, executor, progress, rows)
    return counted


def count_systems(
    source: Any,
    settings: Settings,
    executor: Executor | None = None,
    progress: Progress | None = None,
    rows: int = BATCH_ROWS,
) -> tuple[InPasses, ...]:
    """Return the counted scores of every system of a source, the baseline first, in memory that rows do not fill.

    Parameters
    ----------
    source
        Path of a CSV, TSV or Parquet file, a pattern of paths, a folder of Parquet files, or a list of paths.
    settings
        What is declared about the data; everything else is found.
    executor
        Counts instead of this process; its workers can read the files.
    progress
        Is told how many rows are read, and of about how many.
    rows
        Rows of a batch, at most.

    Raises
    ------
    NeedsRowsError
        Something that is asked for cannot be counted batch by batch.
    InputError, SettingsError
        As for `reportgen.scores.read`.
    """
    refuse_rows_of_settings(settings)
    with named(source):
        first = opened(source, settings)
        reader = in_batches(first.reader)
        if reader is None or first.foreign:
            raise NeedsRowsError("files of this format are read as a whole")
        refuse_rows_of_layout(first.long)
        settings = first.settings
        if isinstance(source, Fetched):
            executor = None  # no other process can open its file
        passes = Passes(reader, settings, executor, progress or (lambda *_: None), rows, first.told)
        accounts, studied = passes.all()
    with closing(passes):
        return tuple(_in_passes(passes, accounts, studied, number) for number in range(len(accounts)))


def _in_passes(passes: Passes, accounts: list[Account], studied: Studied, number: int) -> InPasses:
    """Return one of the systems that were counted."""
    counts, account = studied.own(number), accounts[number]
    tallied = passes.tallied(counts, account, Selection(number))
    if tallied.candidates is not None:
        account = replace(account, counted_candidates=tallied.candidates.n)
    own = CountedRows(counts, candidates=tallied.candidates)
    if len(accounts) == 1:
        return InPasses(account, tallied, own)
    shared, against = studied.by_all[number].of_scored(), studied.against[number]
    if tallied.candidates is None or not shared.tallies:
        return InPasses(account, tallied, own, CountedRows(shared, against))
    units = passes.tallied(
        replace(shared, unscored=None, points=None), account, Selection(number, by_all=True)
    ).candidates
    several = units is not None and units.clustered and bool(against)
    pairs = passes.pairs(against, (accounts[0], account), number) if several else {}
    return InPasses(account, tallied, own, CountedRows(shared, against, units, pairs))
