"""Make the tables of hundreds of items in one pass over the responses."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from reportgen.design.readings import BY_CONTENTS
from reportgen.design.roles import refuse_several
from reportgen.errors import InputError, OutputError, SettingsError, write_command
from reportgen.evaluation.counting import OF_TABLES, refuse_costly_groups
from reportgen.evaluation.many_items.counted import BY_ITEM, ItemsStudy, within
from reportgen.evaluation.many_items.counting import ItemCounters, Pass, count_items, scales_of
from reportgen.evaluation.many_items.tables import ALSO, CAPTIONS, LongTable, item_tables
from reportgen.evaluation.tallied_scores import Plan, plan_of, prepared
from reportgen.machine.progress import Silent
from reportgen.machine.worker_processes import ahead
from reportgen.privacy import withheld_slices
from reportgen.reports import single
from reportgen.reports.parts import each_system
from reportgen.results import Scale, Source
from reportgen.scores.items import ItemSource, ids_in_items, open_item_source
from reportgen.scores.reading import named
from reportgen.scores.scale import BETWEEN, declared_scales
from reportgen.scores.table import design_of
from reportgen.settings import Settings
from reportgen.sources.columns import floats_to_arrow, integers_to_arrow, mask_to_arrow, texts_to_arrow
from reportgen.sources.digests import Seen
from reportgen.sources.tabular import repeats_error
from reportgen.storing import check_replaceable, replaced
from reportgen.storing.report_folder import check_writable, harmless
from reportgen.tally.cells import totals
from reportgen.wording.names import natural


@dataclass(frozen=True)
class ItemTables:
    """The tables of many items."""

    tables: tuple[LongTable, ...]  # tables whose first columns are the item columns
    account: dict[str, Any]  # summary of the input and the excluded rows, as plain values for JSON

    def table(self, key: str) -> LongTable:
        """Return a table by key; KeyError if there is none."""
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
    """Return all tables of all items in the ``by`` columns; write them if a folder is given.

    source: Path of a CSV, TSV, or Parquet file, a pattern, or several paths.
    also: Additional tables: "panel", "differences".
    workers: Number of threads; results are identical, bit by bit, for any number.
    status: Receives the current step, and the number of rows read.
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
            read = threads.submit(opened.reader.source, rows) if threads else None  # bytes are hashed at the same time
            excluded, withheld = tables_of_what_is_left_out(items, passed)
            made = [items_table(items, passed), *excluded, *item_tables(items.by_scale, threads), *withheld]
            titled = tuple(items.named(table, settings.data.by) for table in made)
            source_read = read.result() if read else opened.reader.source(rows)
        account = account_of(opened, source_read, passed, items, settings)
        account["provenance"] = single.provenance_of(settings, command)
        account["warnings"] = []
        account["tables"] = {
            each.key: {"caption": each.caption, "rows": len(each), "columns": list(each.columns)} for each in titled
        }
        found = ItemTables(titled, account)
        if folder is not None:
            _write(found, folder, formats, force, threads)
    return found


def tables_of_systems(source: Any, settings: Settings, folder: Path, **how: Any) -> dict[Path, ItemTables]:
    """Return the tables of each system by folder; arguments as for `tables`. Systems have subfolders of `folder`."""
    every = each_system(source, settings, folder, (MANIFEST,))
    return {place or folder: tables(source, own, place, **how) for _, own, place in every}


def _refuse_gaps(passed: Pass, opened: ItemSource, settings: Settings) -> None:
    human, (*rated, responses) = opened.human, passed.rated.tolist()
    if len(human) > 1 and responses and design_of(human, rated, responses, settings.data.record).record != 0:
        raise SettingsError(
            f"'{human[0]}' has scores for only {rated[0]:,} of {responses:,} human-scored responses, but tables "
            f"require a score of record; add {write_command('--record', human[0])}, or use reportgen batch "
            "--tables-only, which supports interchangeable raters."
        )


def _plans(
    opened: ItemSource, settings: Settings, declared: Mapping[str, Scale] | None, hands: ItemCounters
) -> tuple[list[Plan], dict[str, int] | None]:
    if settings.data.scale is not None:
        scale_of: Mapping[str, Scale] = {"": settings.data.scale}
    else:
        scale_of = scales_of(opened, hands) if declared is None else declared
    scales = tuple(sorted(set(scale_of.values()), key=lambda scale: (scale.low, scale.high, scale.step)))
    if not scales:
        raise InputError("no response has numbers as human and engine scores; for words, use reportgen batch.")
    plans = [plan_of(opened.human, scale, settings, prepared(settings, scale)) for scale in scales]
    if not opened.groups:
        plans = [replace(plan, withhold=False) for plan in plans]
    places = {item: scales.index(scale) for item, scale in scale_of.items()} if len(scales) > 1 else None
    return plans, places


FORMATS = ("csv", "parquet")

MANIFEST = "items.json"

OWN_FILES = frozenset((MANIFEST, *(f"{key}.{kind}" for key in CAPTIONS for kind in FORMATS)))
"""Files that a run of tables can write into its folder."""


def _write(found: ItemTables, folder: Path, formats: Sequence[str], force: bool, threads: Executor | None) -> None:
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
    """Convert a long table to an Arrow table: null for undefined numbers, and texts as `shown`."""
    columns = [_arrow(column, shown) for column in table.columns.values()]
    return pa.Table.from_arrays(columns, names=list(map(shown, table.columns)))


def _arrow(column: NDArray[Any], shown: Callable[[Any], Any]) -> Any:
    if column.dtype == object:
        texts = {text: shown(text) for text in set(column)}
        return texts_to_arrow([texts[text] for text in column])
    if column.dtype == np.bool_:
        return mask_to_arrow(column)
    if isinstance(column, np.ma.MaskedArray):
        return integers_to_arrow(column.filled(0), ~np.ma.getmaskarray(column))
    return integers_to_arrow(column) if column.dtype.kind == "i" else floats_to_arrow(column)


def _refuse_unknown(option: str, names: Sequence[str], known: Sequence[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        expected = f"{', '.join(known[:-1])} or {known[-1]}"
        raise SettingsError(f"{option}: expected {expected}, found {', '.join(unknown) or 'none'}.")


def _refuse_what_needs_rows(settings: Settings) -> None:
    """Raise for a setting that one pass over sums cannot support."""
    data = settings.data
    refuse_several(data, "a run of tables")
    asked = {
        "flags": data.flags, "only": data.only, "without": data.without, "candidate": data.candidate, "runs": data.runs,
        "rater_ids": data.rater_ids, "item_scores": data.item_scores, "intersections": data.intersections,
        "connection": data.connection, "labels_file": data.labels_file, "cluster": data.cluster, "weight": data.weight,
        "double_weight": data.double_weight,
        "scale_with": settings.preparation.scale_with,
        "min_items_per_candidate": settings.preparation.min_items_per_candidate,
        "intervals = bootstrap": settings.statistics.intervals == "bootstrap",
    }  # fmt: skip
    found = [name for name, value in asked.items() if value]
    if found:
        raise SettingsError(f"reportgen tables does not support {found[0]}; use reportgen batch --tables-only.")


def _refuse_tables(folder: Path, force: bool) -> None:
    if (folder / MANIFEST).exists() and not force:
        raise OutputError(
            f"'{folder}' already contains tables of items ({MANIFEST}); choose another folder, or use --force."
        )


@dataclass(frozen=True)
class EvaluatedItems:
    """All items: those evaluated, by scale, and those not."""

    by_scale: Sequence[ItemsStudy]
    unfit: Mapping[str, str]  # each item that is not evaluated, with the reason, in order of first rows
    refused: frozenset[str]  # the items among them that are rejected because of their data
    withheld: frozenset[str]  # the items whose counts are hidden too: they have few responses, or protect such items

    @classmethod
    def of(cls, opened: ItemSource, passed: Pass, seen: Seen, settings: Settings, also: Sequence[str]) -> Self:
        """Evaluate the counted items, with the requested additional tables."""
        (unfit, refused, withheld), found = _unfit(opened, passed, seen, settings), []
        passed.excluded = Counter({pair: n for pair, n in passed.excluded.items() if pair[0] not in withheld})
        for counted in passed.studies:
            study = counted.without(unfit)
            if study is None:
                continue
            sizes = {name: study.tally.slices[within(name)].sizes for name in study.groups}
            refuse_costly_groups(sizes, study.least, OF_TABLES)
            study = study.protected()
            if passed.alone is not None and settings.rsmeval is None:
                study = replace(study, tally=replace(study.tally, ratings_alone={BY_ITEM: passed.alone}))
            found.append(replace(study, also=tuple(also)))
        return cls(found, unfit, refused, withheld)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Item labels, evaluated items first; the column `_item` of a table refers to their positions."""
        return (*(item for study in self.by_scale for item in study.items), *self.unfit)

    def named(self, table: LongTable, by: Sequence[str]) -> LongTable:
        """Put the item columns first in a table, with items in natural order."""
        keys = [[natural(part) for part in label.split(BETWEEN)] for label in self.labels]
        rank = np.argsort(np.array(sorted(range(len(keys)), key=keys.__getitem__), np.intp))
        places = table.columns["_item"]
        order = np.argsort(rank[places], kind="stable")
        texts = zip(*(label.split(BETWEEN, len(by) - 1) for label in self.labels), strict=True)
        columns = {name: np.array(part, object)[places[order]] for name, part in zip(by, texts, strict=True)}
        taken = {"group": "group_column"} if "group" in columns else {}
        rest = {
            taken.get(name, name if name not in columns else f"{name}_"): column[order]
            for name, column in table.columns.items()
            if name != "_item"
        }
        return LongTable(table.key, {**columns, **rest})


LEAST = 2  # fewest responses of an evaluated item


def _unfit(
    opened: ItemSource, passed: Pass, seen: Seen, settings: Settings
) -> tuple[dict[str, str], frozenset[str], frozenset[str]]:
    """Return the items that are not evaluated with reasons, the rejected ones, and the hidden ones."""
    place = opened.reader.place
    absurd = {item: f"row {place(found.row)}: {found.reason}" for item, found in passed.refused.items()}
    refused = absurd | _repeated(opened, seen, settings)
    sizes: dict[str, float] = {}
    for study in passed.studies:
        slices = study.tally.slices[BY_ITEM]
        sizes |= dict(zip(slices.labels, slices.sizes.tolist(), strict=True))
    few = f"fewer than {LEAST} responses with both scores"
    why = {item: refused.get(item, few) for item in passed.rows if item in refused or sizes.get(item, 0) < LEAST}
    if len(why) == len(passed.rows) and refused:  # the reason that a reader can do the most about
        item, told = next((item, told) for item, told in why.items() if item in refused)
        what = "an invalid score" if item in absurd else "duplicate IDs"
        raise InputError(f"every item has {what}; in item '{item}', {told}.")
    if not passed.studies:
        raise InputError("no response has a human score and an engine score.")
    if len(why) == len(passed.rows):
        raise InputError(f"no item has {LEAST} responses with both scores.")
    if not settings.privacy.protects_slices:
        return why, frozenset(refused), frozenset()
    least = settings.statistics.min_n_per_group
    withheld = _withheld(passed, {item: round(n) for item, n in sizes.items()}, refused, settings)
    if withheld.issuperset(item for item in passed.rows if item not in why):
        text = f"every item has fewer than {least} responses, or would reveal one that does; use a "
        raise InputError(f"{text}smaller --min-n, or show all items with --unprotected.")
    few = f"withheld: it has fewer than {least} responses, or would reveal an item that has"
    why |= {item: few for item in withheld if item not in refused}
    return {item: why[item] for item in passed.rows if item in why}, frozenset(refused), withheld


def _withheld(passed: Pass, sizes: Mapping[str, int], refused: Collection[str], settings: Settings) -> frozenset[str]:
    least, columns = settings.statistics.min_n_per_group, len(settings.data.by)
    parted = {item: tuple(item.split(BETWEEN, columns - 1)) for item in sizes if item not in refused}
    found = withheld_slices({values: sizes[item] for item, values in parted.items()}, least)
    few = {item for item, rows in passed.rows.items() if rows < least and not (item in parted and sizes[item])}
    return frozenset(few | {item for item, values in parted.items() if values in found})


def _repeated(opened: ItemSource, seen: Seen, settings: Settings) -> dict[str, str]:
    """Return the items in which an ID occurs in two rows, and the ID."""
    if not opened.id:
        return {}
    found = seen.repeats(opened.id, lambda: ids_in_items(opened))
    named, place = settings.privacy.show_response_ids, opened.reader.place
    return {
        item: repeats_error(opened.id, each.n, each.text if named else None, [place(row) for row in each.rows])
        + "; make IDs unique within the item, or name another column with --id NAME"
        for item, each in found.items()
    }


COUNTS = ("rows", "left_out", "evaluated", "scored_twice_or_more")
OF_ITEMS = {
    **dict.fromkeys(COUNTS, np.int64), "engine_on_points": np.bool_, "scale_low": np.float64,
    "scale_high": np.float64, "scale_step": np.float64, "scale_assumed": np.bool_, "not_evaluated": np.object_,
}  # fmt: skip
"""Columns of the table of items, with their content."""


def items_table(items: EvaluatedItems, passed: Pass) -> LongTable:
    """Return a row for each item: counts, evaluated statistics, and scale; only the name if it is hidden."""
    found: dict[str, tuple[Any, ...]] = {}
    for study in items.by_scale:
        slices, scale = study.tally.slices[BY_ITEM], study.scale
        several = (np.isfinite(study.tally.cells.ratings).sum(axis=1) > 1)[slices.cell]
        twice = totals(slices.level, slices.sums[0] * several, len(slices.labels))
        for label, *n in zip(slices.labels, slices.sizes.tolist(), twice.tolist(), strict=True):
            found[label] = *n, label not in study.continuous, scale.low, scale.high, scale.step, scale.assumed
    left_out: Counter[str] = Counter()
    for (item, _), size in passed.excluded.items():
        left_out[item] += size
    none, why = (0, 0, True, np.nan, np.nan, np.nan, False), items.unfit
    rows = [(passed.rows[item], left_out[item], *found.get(item, none), why.get(item, "")) for item in items.labels]
    every = zip(OF_ITEMS.items(), zip(*rows, strict=True), strict=True)
    columns: dict[str, NDArray[Any]] = {name: np.array(column, kind) for (name, kind), column in every}
    hidden = np.array([item in items.withheld for item in items.labels], bool)
    if hidden.any():
        columns |= {name: np.ma.masked_array(columns[name], hidden) for name in COUNTS}
    return LongTable("items", {"_item": np.arange(len(rows)), **columns})


def tables_of_what_is_left_out(items: EvaluatedItems, passed: Pass) -> tuple[list[LongTable], list[LongTable]]:
    """Return the excluded rows by item and reason, and the log of hidden items, if there are any."""
    place = {label: index for index, label in enumerate(items.labels)}
    pairs = sorted(passed.excluded.items(), key=lambda pair: passed.rules.index(pair[0][1]))
    log, first = [], 0
    for study in items.by_scale:
        log += [(first + item, *told) for item, *told in study.withheld]
        first += len(study.items)
    return (
        _of_rows("data.exclusions", ("reason", "responses"), [(place[item], why, n) for (item, why), n in pairs]),
        _of_rows("privacy.withheld", ("group", "level", "withheld"), log),
    )


def _of_rows(key: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> list[LongTable]:
    columns = zip(("_item", *names), zip(*rows, strict=True), strict=False)
    made = {name: np.array(each, object if isinstance(each[0], str) else np.int64) for name, each in columns}
    return [LongTable(key, made)] if made else []


def account_of(
    opened: ItemSource, source: Source, passed: Pass, items: EvaluatedItems, settings: Settings
) -> dict[str, Any]:
    """Summarize the input and the excluded rows."""
    # a column found by its unique contents has no duplicates
    compared = opened.id or _column_of("id", opened, BY_CONTENTS)
    by_scale = items.by_scale
    by_reason = {why: [n for (_, each), n in passed.excluded.items() if each == why and n] for why in passed.rules}
    return {
        "made": "tables of items",
        "by": list(settings.data.by),
        "source": {
            **_picked(source, "name", "sha256", "bytes", "rows"),
            "files": [_picked(file, "name", "sha256", "bytes") for file in source.files],
        },
        "roles": [{"role": role.role, "columns": list(role.columns), "how": role.how} for role in opened.roles],
        "columns_left_out": dict(opened.left_out),
        "scales": [
            {
                **_picked(study.scale, "low", "high", "step", "assumed"),
                "trimmed_to": list(study.preparation.bounds), "items": len(study.items),
            }
            for study in by_scale
        ],
        "scales_declared_in": settings.data.scales.name if settings.data.scales else None,
        "items": sum(len(study.items) for study in by_scale),
        "items_not_evaluated": sorted(items.unfit),
        "items_withheld": sorted(items.withheld),
        "protected": settings.privacy.protects_slices,
        "items_refused": {item: items.unfit[item] for item in sorted(items.refused)},
        "ids_compared_in": compared or None,
        "responses_evaluated": sum(study.tally.n for study in by_scale),
        "responses_left_out": sum(passed.excluded.values()),
        "exclusions": [
            {"reason": why, "responses": sum(each), "items": len(each)} for why, each in by_reason.items() if each
        ],
        "groups_withheld": sum(len(study.withheld) for study in by_scale),
        "notes": _notes(opened, by_scale, settings, compared),
        "settings": settings.model_dump(mode="json"),
    }  # fmt: skip


def _picked(each: object, *names: str) -> dict[str, Any]:
    return {name: getattr(each, name) for name in names}


def _column_of(part: str, opened: ItemSource, how: str = "") -> str:
    return next((role.columns[0] for role in opened.roles if role.role == part and how in role.how), "")


def _notes(opened: ItemSource, by_scale: Sequence[ItemsStudy], settings: Settings, compared: str) -> list[str]:
    """Return the notes that a reader of the tables needs; IDs in the column `compared` were checked for duplicates."""
    least, column = settings.statistics.min_n_per_group, _column_of("id", opened)
    protection = f"These tables are not protected: items with fewer than {least} responses are shown."
    if settings.privacy.protects_slices:
        protection = (
            f"Items with fewer than {least} responses, and items that would reveal them by subtraction, are withheld."
        )
    where = f"IDs in '{column}'" if column else "Rows without an ID"
    ids = f"{where} were not checked for duplicates: a response in two rows counts twice."
    if compared:
        ids = f"Every ID in '{compared}' is unique within its item."
    notes = [protection, ids, "Intervals treat responses as the units."]
    if candidate := _column_of("candidate", opened):
        notes[-1] += f" Candidates in '{candidate}' are ignored: each usually has only one response per item."
    if any(tallied.scale.assumed for tallied in by_scale):
        notes.append("The scale was not set, so each item's scale was detected from its human scores.")
    if len(opened.human) > 2:
        notes.append("Only the first two human raters are compared; true scores use all raters.")
    return notes
