"""All tables of hundreds of items, made in one pass over the responses.

The verb reads as its story: open, count, leave out, tabulate, write.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from reportgen.design.roles import refuse_several
from reportgen.errors import InputError, OutputError, SettingsError, write_command
from reportgen.evaluation.many_items import LongTable, item_tables
from reportgen.evaluation.many_items.counting import ItemCounters, Pass, count_items, scales_of
from reportgen.evaluation.many_items.tables import ALSO, CAPTIONS
from reportgen.evaluation.tallied_scores import Plan, plan_of, prepared
from reportgen.machine.progress import Silent
from reportgen.machine.worker_processes import ahead
from reportgen.reports import single
from reportgen.reports.items import EvaluatedItems, account_of, items_table, tables_of_what_is_left_out
from reportgen.reports.parts import each_system
from reportgen.results import Scale
from reportgen.scores.item_sources import ItemSource, open_item_source
from reportgen.scores.reading import named
from reportgen.scores.scale import declared_scales, lines_of_no_item
from reportgen.scores.table import design_of
from reportgen.settings import Settings
from reportgen.sources.columns import floats_to_arrow, integers_to_arrow, mask_to_arrow, texts_to_arrow, whole_to_arrow
from reportgen.sources.digests import Seen
from reportgen.storing import check_replaceable, replaced
from reportgen.storing.csv_tables import harmless
from reportgen.storing.report_folder import check_writable


@dataclass(frozen=True)
class ItemTables:
    """The tables of many items.

    tables: Each with the columns of the items first.
    account: What was read, how, and what was left out; plain values, for JSON.
    """

    tables: tuple[LongTable, ...]
    account: dict[str, Any]

    def table(self, key: str) -> LongTable:
        """Return the table of a key; KeyError when there is none."""
        return {table.key: table for table in self.tables}[key]


def tables(
    source: Any,
    settings: Settings,
    folder: Path | None = None,
    *,
    formats: Sequence[str] = ("csv",),
    also: Sequence[str] = (),
    workers: int = 1,
    force: bool = False,
    command: str = "",
    status: Silent | None = None,
) -> ItemTables:
    """Return all tables of all items that the columns of ``by`` name; write them when a folder is given.

    source: Path of a CSV, TSV or Parquet file, a pattern, or several paths.
    also: Further tables: "panel", "differences".
    workers: How many threads work; numbers are the same, bit by bit, whatever their number.
    status: Is told what is being done, and how many rows this process has read.
    """
    _refuse_unknown("--format", formats, FORMATS)
    _refuse_unknown("--also", also or ALSO, ALSO)
    _refuse_what_needs_rows(settings)
    if folder is not None:
        check_writable(folder)
        check_replaceable(folder)
        _refuse_tables(folder, force)
    declared, status = declared_scales(settings), status or Silent()
    with ThreadPoolExecutor(workers) if workers > 1 else nullcontext() as threads:
        with named(source):
            seen = Seen()
            opened = open_item_source(source, settings, declared, status)
            hands = ItemCounters(threads, seen, status)
            passed = count_items(opened, *_plans(opened, settings, declared, hands), hands)
            _refuse_gaps(passed, opened, settings)
            status.stage("making the tables")
            items, rows = EvaluatedItems.of(opened, passed, seen, settings, also), sum(passed.rows.values())
            read = threads.submit(opened.reader.source, rows) if threads else None  # bytes are hashed meanwhile
            excluded, withheld = tables_of_what_is_left_out(items, passed)
            made = [items_table(items, passed), *excluded, *item_tables(items.by_scale, threads), *withheld]
            titled = tuple(items.named(table, settings.data.by) for table in made)
            source_read = read.result() if read else opened.reader.source(rows)
        account = account_of(opened, source_read, passed, items, settings)
        account["provenance"] = single.provenance_of(settings, command)
        warning = lines_of_no_item(settings, declared, passed.rows)
        account["warnings"] = [f"{warning}."] if warning else []
        account["tables"] = {
            table.key: {"caption": table.caption, "rows": len(table), "columns": list(table.columns)}
            for table in titled
        }
        found = ItemTables(titled, account)
        if folder is not None:
            _write(found, folder, formats, force, threads)
    return found


def tables_of_systems(source: Any, settings: Settings, folder: Path, **how: Any) -> dict[Path, ItemTables]:
    """Return the tables of each system by their folder, below `folder` where several are named.

    Further arguments are those of `tables`.
    """
    every = each_system(source, settings, folder, (MANIFEST,))
    return {place or folder: tables(source, own, place, **how) for _, own, place in every}


def _refuse_gaps(passed: Pass, opened: ItemSource, settings: Settings) -> None:
    """Raise where the first column of human scores is not the score of record."""
    human, (*rated, responses) = opened.wanted.human, passed.rated.tolist()
    if len(human) > 1 and responses and design_of(human, rated, responses, settings.data.record).record != 0:
        raise SettingsError(
            f"'{human[0]}' holds {rated[0]:,} scores of {responses:,} responses that people rated, and tables need one "
            f"score of record: name it with {write_command('--record', human[0])}, or use reportgen batch "
            "--tables-only, where raters may stand in for each other."
        )


def _plans(
    opened: ItemSource, settings: Settings, declared: Mapping[str, Scale] | None, hands: ItemCounters
) -> tuple[list[Plan], dict[str, int] | None]:
    """Return how responses are counted and judged on each scale, and the place of each item's; None on one scale."""
    if settings.data.scale is not None:
        scale_of: Mapping[str, Scale] = {"": settings.data.scale}
    else:
        scale_of = scales_of(opened, hands) if declared is None else declared
    scales = tuple(sorted(set(scale_of.values()), key=lambda scale: (scale.low, scale.high, scale.step)))
    if not scales:
        raise InputError(
            "no response has a human score and an engine score that are numbers; for words use reportgen batch."
        )
    plans = [plan_of(opened.wanted.human, scale, settings, prepared(settings, scale)) for scale in scales]
    if not opened.wanted.groups:
        plans = [replace(plan, withhold=False) for plan in plans]
    places = {item: scales.index(scale) for item, scale in scale_of.items()} if len(scales) > 1 else None
    return plans, places


FORMATS = ("csv", "parquet")

MANIFEST = "items.json"

OWN_FILES = frozenset((MANIFEST, *(f"{key}.{kind}" for key in CAPTIONS for kind in FORMATS)))
"""What a run of tables may write into its folder."""


def _write(
    found: ItemTables, folder: Path, formats: Sequence[str], force: bool, threads: ThreadPoolExecutor | None
) -> None:
    """Write every table, and the account, into a folder: all of them, or none."""
    with replaced(
        folder, lambda _, place: place.as_posix() in OWN_FILES, partial(_refuse_tables, folder, force)
    ) as aside:

        def write(table: LongTable) -> None:
            if "csv" in formats:
                pa_csv.write_csv(arrow_table(table, shown=harmless), aside / f"{table.key}.csv")
            if "parquet" in formats:
                pq.write_table(arrow_table(table), aside / f"{table.key}.parquet")

        for _ in ahead(threads, write, found.tables):
            pass
        account = {**found.account, "formats": list(formats)}
        text = json.dumps(account, indent=1, ensure_ascii=False, allow_nan=False)
        (aside / MANIFEST).write_text(text + "\n", encoding="utf-8")


def arrow_table(table: LongTable, *, shown: Callable[[Any], Any] = str) -> Any:
    """Return a long table as an Arrow table, null where a number is not defined, and its texts as they are `shown`."""
    columns = [_arrow(column, shown) for column in table.columns.values()]
    return pa.Table.from_arrays(columns, names=list(map(shown, table.columns)))


def _arrow(column: NDArray[Any], shown: Callable[[Any], Any]) -> Any:
    if column.dtype == object:
        texts = {text: shown(text) for text in set(column)}
        return texts_to_arrow([texts[text] for text in column])
    if column.dtype == np.bool_:
        return mask_to_arrow(column)
    if isinstance(column, np.ma.MaskedArray):
        return integers_to_arrow(np.ascontiguousarray(column.filled(0), np.int64), ~np.ma.getmaskarray(column))
    return whole_to_arrow(column) if column.dtype.kind == "i" else floats_to_arrow(column)


def _refuse_unknown(option: str, names: Sequence[str], known: Sequence[str]) -> None:
    """Raise when an option holds what is not known, or nothing."""
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        expected = f"{', '.join(known[:-1])} or {known[-1]}"
        raise SettingsError(f"{option}: expected {expected}, found {', '.join(unknown) or 'none'}.")


def _refuse_what_needs_rows(settings: Settings) -> None:
    """Raise for a setting that asks for what one pass over sums cannot give."""
    data = settings.data
    refuse_several(data, "a run of tables")
    asked = {
        "flags": data.flags, "only": data.only, "without": data.without, "candidate": data.candidate, "runs": data.runs,
        "rater_ids": data.rater_ids, "item_scores": data.item_scores, "intersections": data.intersections,
        "connection": data.connection, "labels_file": data.labels_file,
        "scale_with": settings.preparation.scale_with,
        "min_items_per_candidate": settings.preparation.min_items_per_candidate,
        "intervals = bootstrap": settings.statistics.intervals == "bootstrap",
    }  # fmt: skip
    found = [name for name, value in asked.items() if value]
    if found:
        raise SettingsError(f"tables of items: {found[0]} is not possible here; use reportgen batch --tables-only.")


def _refuse_tables(folder: Path, force: bool) -> None:
    """Raise for a folder that holds tables already, unless they are to be replaced."""
    if (folder / MANIFEST).exists() and not force:
        raise OutputError(
            f"'{folder}' already holds tables of items ({MANIFEST}); name another folder, or replace them with --force."
        )
