"""All tables of hundreds of items, made in one pass over the responses.

The verb reads as its story: open, count, leave out, tabulate, write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from reportgen import reports
from reportgen.evaluation.many_items import LongTable, item_tables
from reportgen.evaluation.many_items.counting import ItemCounters
from reportgen.evaluation.many_items.singly import ALSO
from reportgen.long_tables.account import account_of, contents_of
from reportgen.long_tables.evaluated import EvaluatedItems, evaluated_by_scale
from reportgen.long_tables.files import FORMATS, MANIFEST, write_item_tables
from reportgen.long_tables.of_items import exclusion_tables, items_table, withheld_tables
from reportgen.long_tables.one_pass import counted
from reportgen.long_tables.refusals import refuse_tables, refuse_unknown, refuse_what_needs_rows
from reportgen.long_tables.unfit import unfit_items
from reportgen.machine.progress import Silent
from reportgen.scores.item_scales import declared_scales, lines_of_no_item
from reportgen.scores.item_sources import open_item_source
from reportgen.scores.reading import named, settings_of_systems
from reportgen.settings import Settings
from reportgen.sources.uniqueness import Seen
from reportgen.storing import check_replaceable
from reportgen.storing.report_folder import check_writable
from reportgen.wording.names import folder_names


@dataclass(frozen=True)
class ItemTables:
    """The tables of many items.

    Parameters
    ----------
    tables
        Each with the columns of the items first.
    account
        What was read, how, and what was left out; plain values, for JSON.
    """

    tables: tuple[LongTable, ...]
    account: dict[str, Any]

    def table(self, key: str) -> LongTable:
        """Return the table of a key; KeyError when there is none."""
        for table in self.tables:
            if table.key == key:
                return table
        raise KeyError(key)


def tables(
    source: Any,
    settings: Settings,
    folder: Path | None = None,
    *,
    formats: Sequence[str] = ("csv",),
    also: Sequence[str] = (),
    workers: int = 1,
    executor: Executor | None = None,
    force: bool = False,
    command: str = "",
    status: Silent | None = None,
) -> ItemTables:
    """Return all tables of all items that the columns of ``by`` name; write them when a folder is given.

    Parameters
    ----------
    source
        Path of a CSV, TSV or Parquet file, a pattern, or several paths.
    settings
        What is declared, ``by`` among it.
    formats
        "csv", "parquet" or both.
    also
        Further tables: "panel", "differences".
    workers
        How many threads work; shares of an executor.
    executor
        Who counts shares of the rows; None for threads of this process, whose numbers are the
        same, bit by bit, however many they are.
    status
        Is told what is being done, and how many rows this process has read.

    Raises
    ------
    ReportgenError
        The input, a setting or the folder is not what it should be; nothing is written.
    """
    refuse_unknown("--format", formats, FORMATS)
    refuse_unknown("--also", also or ALSO, ALSO)
    refuse_what_needs_rows(settings)
    if folder is not None:
        check_writable(folder)
        check_replaceable(folder)
        refuse_tables(folder, force)
    declared, status = declared_scales(settings), status or Silent()
    with ThreadPoolExecutor(workers) if executor is None and workers > 1 else nullcontext() as threads:
        with named(source), Seen() as seen:
            opened = open_item_source(source, settings, declared, seen.key if executor is None else None, status)
            hands = ItemCounters(threads, executor, workers, seen)
            passed, plan = counted(opened, settings, declared, hands, status)
            unfit = unfit_items(opened, passed, seen, settings)
            passed = replace(passed, excluded=_of_shown(passed.excluded, unfit.withheld))
            by_scale = evaluated_by_scale(passed, plan, settings, unfit.why, also)
            rows = sum(passed.rows.values())
            read = threads.submit(opened.reader.source, rows) if threads else None  # bytes are hashed meanwhile
            items = EvaluatedItems.of(by_scale, unfit.why)
            made = [
                items_table(items, passed, unfit.withheld),
                *exclusion_tables(items, passed),
                *item_tables(by_scale, threads),
                *withheld_tables(items),
            ]
            titled = tuple(items.named(table, settings.data.by) for table in made)
            source_read = read.result() if read else opened.reader.source(rows)
        account = account_of(opened, source_read, passed, by_scale, unfit, settings)
        account["provenance"] = reports.provenance_of(settings, command)
        warning = lines_of_no_item(settings, declared, passed.rows)
        account["warnings"] = [f"{warning}."] if warning else []
        found = ItemTables(titled, account | {"tables": contents_of(titled)})
        if folder is not None:
            refuse = partial(refuse_tables, folder, force)
            write_item_tables(found.tables, found.account, folder, formats, refuse, threads)
    return found


def _of_shown(excluded: Counter[tuple[str, str]], withheld: Collection[str]) -> Counter[tuple[str, str]]:
    """Return how many rows of items that are shown were left out, and why."""
    return Counter({pair: n for pair, n in excluded.items() if pair[0] not in withheld})


def tables_of_systems(source: Any, settings: Settings, folder: Path, **how: Any) -> dict[Path, ItemTables]:
    """Return the tables of each system by their folder, below `folder` where several are named.

    Further arguments are those of `tables`.

    Raises
    ------
    ReportgenError
        As for `tables`.
    """
    every = settings_of_systems(source, settings)
    if not every:
        return {folder: tables(source, settings, folder, **how)}
    places = [folder / place for place in folder_names(list(every), "system", (MANIFEST,))]
    return {place: tables(source, own, place, **how) for own, place in zip(every.values(), places, strict=True)}
