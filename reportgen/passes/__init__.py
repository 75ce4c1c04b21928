"""Sources larger than memory: counted in passes over batches, with the numbers that their rows would give.

The first rows suggest which column plays which part and what the scale is; a pass finds out what all rows hold
while it counts by that.  Where the suggestion was wrong, another pass counts by what was found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from reportgen.evaluation import Study
from reportgen.passes.limits import refuse_rows_of_layout, refuse_rows_of_settings
from reportgen.passes.plan import NeedsRowsError
from reportgen.passes.running import Hands, Progress
from reportgen.passes.settling import Passes
from reportgen.scores import Account
from reportgen.scores.batches import BATCH_ROWS, in_batches
from reportgen.scores.fetched import Fetched
from reportgen.scores.reading import named, opened
from reportgen.settings import Settings

__all__ = ["Hands", "InPasses", "NeedsRowsError", "count"]


@dataclass(frozen=True)
class InPasses:
    """A source that was counted in passes: how its scores were prepared, and the study of them."""

    account: Account
    study: Study


def count(
    source: Any,
    settings: Settings,
    hands: Hands | None = None,
    progress: Progress | None = None,
    rows: int = BATCH_ROWS,
) -> InPasses:
    """Return the counted scores of the one system of a source, in memory that does not grow with its rows.

    Parameters
    ----------
    source
        Path of a CSV, TSV or Parquet file, a pattern of paths, a folder of Parquet files, or a list of paths.
    settings
        What is declared about the data; everything else is found.
    hands
        Who counts; this process when left out.
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
        refuse_rows_of_layout(reader.head, settings)
        if isinstance(source, Fetched):
            hands = None  # no other process can open its file
        passes = Passes(reader, settings, hands or Hands(), progress or (lambda *_: None), rows)
        account, counts = passes.all()
    study = passes.study(counts, account)
    if study.candidates is not None:
        account = replace(account, counted_candidates=study.candidates.n)
    return InPasses(account, study)
