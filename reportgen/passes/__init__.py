"""Count sources larger than memory batch by batch, with the same results as in memory.

The column roles are determined from all rows; then one pass counts them. DuckDB compares IDs and collects the responses
of each candidate.
"""

from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from reportgen.evaluation import TalliedScores
from reportgen.machine.progress import Silent
from reportgen.passes.candidates import NeedsRowsError
from reportgen.passes.counter import LargeSource, refuse_rows_of_settings
from reportgen.runs.model import CountedRows
from reportgen.scores import Account
from reportgen.scores.reading import named, opened
from reportgen.settings import Settings
from reportgen.sources.tabular import BATCH_ROWS

__all__ = ["InPasses", "NeedsRowsError", "count", "count_systems"]


@dataclass(frozen=True)
class InPasses:
    """A system counted in passes over its source: how its scores were prepared, and the counts.

    shared: Counts of the responses that count for every system; None if there is only one system.
    """

    account: Account
    tallied: TalliedScores
    own: CountedRows
    shared: CountedRows | None = None


def count(source: Any, settings: Settings, status: Silent | None = None, rows: int = BATCH_ROWS) -> InPasses:
    """Count the scores of the only system of a source; arguments and errors as for `count_systems`."""
    (counted,) = count_systems(source, settings, status, rows)
    return counted


def count_systems(
    source: Any, settings: Settings, status: Silent | None = None, rows: int = BATCH_ROWS
) -> tuple[InPasses, ...]:
    """Count the scores of every system of a source, baseline first, in memory that does not grow with the rows.

    source: Path of a CSV, TSV, or Parquet file, a pattern of paths, a folder of Parquet files, or a list of paths.
    settings: Declared facts about the data; the rest is detected.
    status: Receives the number of rows read and the estimated total.
    rows: Most rows of a batch.
    Raises NeedsRowsError: If a requested statistic cannot be counted batch by batch.
    Raises InputError, SettingsError: As for `reportgen.scores.read`.
    """
    refuse_rows_of_settings(settings)
    with named(source):
        first = opened(source, settings)
        if not first.reader.in_batches or first.foreign:
            raise NeedsRowsError("files of this format are read as a whole")
        if first.long is not None:
            raise NeedsRowsError("a file with one row per rating is packed into one row per response")
        large = LargeSource(first.reader, first.settings, status or Silent(), rows, first.notes)
    with closing(large):
        with named(source):
            accounts, studied = large.counted()
        found = []
        for number, account in enumerate(accounts):
            counts = studied.own(number)
            tallied = large.tallied(counts, account)
            if tallied.candidates is not None:
                account = replace(account, counted_candidates=tallied.candidates.n)
            own = CountedRows(counts, candidates=tallied.candidates)
            shared = (studied.by_all[number].of_scored(), studied.against[number]) if len(accounts) > 1 else None
            found.append(InPasses(account, tallied, own, shared and CountedRows(*shared)))
        return tuple(found)
