"""All tables of hundreds of items, made in one pass over the responses.

The verb reads as its story: open, count, withhold, tabulate, write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen import reports
from reportgen.errors import InputError, OutputError, SettingsError
from reportgen.evaluation.many_items import ItemsStudy, LongTable, item_tables
from reportgen.evaluation.many_items.counting import ItemCounters, ItemCountPlan, Pass, count_items, scales_of
from reportgen.evaluation.many_items.singly import ALSO
from reportgen.evaluation.many_items.withholding import hidden_levels, withheld_rows
from reportgen.evaluation.outlay import OF_TABLES, refuse_costly_groups, sizes_of
from reportgen.evaluation.preparation import Preparation
from reportgen.long_tables.files import FORMATS, MANIFEST, write_item_tables
from reportgen.machine.progress import Silent
from reportgen.machine.row_progress import own_meter, told
from reportgen.results import Scale, Source
from reportgen.scores.ids import repeats_told
from reportgen.scores.item_batches import ItemSource, ids_in_items, open_item_source
from reportgen.scores.item_ids import repeated_in_items
from reportgen.scores.item_scales import BETWEEN, declared_scales, lines_of_no_item
from reportgen.scores.reading import named
from reportgen.scores.scale import trim_bounds
from reportgen.scores.systems import refuse_several
from reportgen.settings import Settings
from reportgen.settings.models import ScaleSettings
from reportgen.sources.batches import Metered
from reportgen.sources.uniqueness import Seen
from reportgen.storing import recover
from reportgen.storing.report_folder import check_writable
from reportgen.tally import Tally
from reportgen.tally.many import BY_ITEM, within
from reportgen.wording.natural_order import natural

LEAST = 2
"""Fewest responses that an item is evaluated with."""


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
    _refuse_unknown("--format", formats, FORMATS)
    _refuse_unknown("--also", also or ALSO, ALSO)
    _refuse_what_needs_rows(settings)
    if folder is not None:
        check_writable(folder)
        recover(folder)
        _refuse_tables(folder, force)
    declared = declared_scales(settings)
    with ThreadPoolExecutor(workers) if executor is None and workers > 1 else nullcontext() as threads:
        with named(source), Seen() as seen:
            opened = open_item_source(source, settings, declared, seen.key if executor is None else None)
            hands = ItemCounters(threads, executor, workers, seen)
            passed, plan = _counted(opened, settings, declared, hands, status or Silent())
            refused = _refused(opened, passed) | _repeated(opened, seen, settings)
            unfit = _unfit(passed, refused)
            made_of = _studies(opened, passed, unfit, refused, plan, settings)
            studies = [replace(tallied, also=tuple(also)) for tallied in made_of]
            rows = sum(passed.rows.values())
            read = threads.submit(opened.reader.source, rows) if threads else None  # bytes are hashed meanwhile
            items = EvaluatedItems.of(studies, unfit)
            made = [
                _items_table(items, passed),
                *_exclusions(items, passed),
                *item_tables(studies, threads),
                *_withheld(studies),
            ]
            titled = tuple(_named(table, items, settings.data.by) for table in made)
            source_read = read.result() if read else opened.reader.source(rows)
        account = _account(opened, source_read, passed, studies, unfit, refused, settings, command)
        told = lines_of_no_item(settings, declared, passed.rows)
        account["warnings"] = [f"{told}."] if told else []
        found = ItemTables(titled, account | {"tables": _contents(titled)})
        if folder is not None:
            refuse = partial(_refuse_tables, folder, force)
            write_item_tables(found.tables, found.account, folder, formats, refuse, threads)
    return found


def _refuse_tables(folder: Path, force: bool) -> None:
    """Refuse a folder that holds tables already."""
    if (folder / MANIFEST).exists() and not force:
        raise OutputError(
            f"'{folder}' already holds tables of items ({MANIFEST}); name another folder, or replace them with --force."
        )


def _refuse_unknown(option: str, names: Sequence[str], known: Sequence[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        expected = f"{', '.join(known[:-1])} or {known[-1]}"
        raise SettingsError(f"{option}: expected {expected}, found {', '.join(unknown) or 'none'}.")


def _refuse_what_needs_rows(settings: Settings) -> None:
    """Raise for a setting that asks for what one pass over sums cannot give."""
    data = settings.data
    refuse_several(data, "a run of tables")
    asked = {
        "flags": data.flags, "only": data.only, "candidate": data.candidate, "runs": data.runs,
        "rater_ids": data.rater_ids, "item_scores": data.item_scores, "intersections": data.intersections,
        "connection": data.connection,
        "scale_with": settings.preparation.scale_with,
        "min_items_per_candidate": settings.preparation.min_items_per_candidate,
        "intervals = bootstrap": settings.statistics.intervals == "bootstrap",
    }  # fmt: skip
    found = [name for name, value in asked.items() if value]
    if found:
        raise SettingsError(f"tables of items: {found[0]} is not possible here; use reportgen batch --tables-only.")


@contextmanager
def _told(opened: ItemSource, status: Silent) -> Iterator[ItemSource]:
    """Yield a source of whose rows the status hears while they are read."""
    total = sum(piece.rows for _, piece in opened.pieces)
    status.rows(0, total)
    with told(own_meter(), lambda rows: status.rows(rows, max(rows, total))):
        yield replace(opened, pieces=tuple((number, Metered(piece)) for number, piece in opened.pieces))


def _counted(
    opened: ItemSource,
    settings: Settings,
    declared: Mapping[str, ScaleSettings] | None,
    hands: ItemCounters,
    status: Silent,
) -> tuple[Pass, ItemCountPlan]:
    """Return what a pass over all responses finds, and how it was made: on which scales."""
    if settings.data.scale is not None:
        found = {"": _as_scale(settings.data.scale)}
    elif declared is not None:
        found = {item: _as_scale(scale) for item, scale in declared.items()}
    else:
        with _told(opened, status) as pieces:
            found = scales_of(pieces, hands)
    scales = tuple(sorted(set(found.values()), key=lambda scale: (scale.low, scale.high, scale.step)))
    scale_of = {item: scales.index(scale) for item, scale in found.items()}
    if not scales:
        raise InputError("no response has a human score and an engine score.")
    tolerance = settings.preparation.trim_tolerance
    bounds = []
    for scale in scales:
        low, high = trim_bounds(settings.preparation, scale)
        bounds.append((low - tolerance, high + tolerance))
    withholds = settings.privacy.withhold_small_groups and bool(opened.wanted.groups)
    plan = ItemCountPlan(opened.wanted, scales, tuple(bounds), scale_of if len(scales) > 1 else None, withholds)
    with _told(opened, status) as pieces:
        passed = count_items(pieces, plan, hands)
    status.stage("making the tables")
    return passed, plan


def _as_scale(scale: ScaleSettings) -> Scale:
    return Scale(scale.low, scale.high, scale.step, assumed=False)


def _refused(opened: ItemSource, passed: Pass) -> dict[str, str]:
    """Return the items with a score that none can have, and which one."""
    last = max(passed.sizes, default=-1) + 1
    starts = [0, *accumulate(passed.sizes.get(number, 0) for number in range(last))]
    of_file: Counter[int] = Counter()
    for number, piece in opened.pieces:
        of_file[piece.file] += passed.sizes.get(number, 0)
    opened.reader.counted(of_file)
    return {
        item: f"row {opened.reader.place(starts[number] + refusal.row)}: {refusal.told}"
        for item, (number, refusal) in passed.refused.items()
    }


def _repeated(opened: ItemSource, seen: Seen, settings: Settings) -> dict[str, str]:
    """Return the items of which an id stands in two rows, and which one."""
    if not opened.wanted.id:
        return {}
    found = repeated_in_items(lambda: ids_in_items(opened), seen)
    named = settings.privacy.show_response_ids
    return {
        item: repeats_told(opened.wanted.id, n, text if named else None, [opened.reader.place(row) for row in rows])
        + "; make ids unique within the item, or name another column with --id NAME"
        for item, (n, text, rows) in found.items()
    }


def _unfit(passed: Pass, refused: Mapping[str, str]) -> dict[str, str]:
    """Return the items that are not evaluated, and why: those that are refused, or have too few responses."""
    sizes: dict[str, float] = {}
    for counted in passed.counted.values():
        slices = counted.tally.slices[BY_ITEM]
        sizes |= dict(zip(slices.labels, np.bincount(slices.level, slices.sums[0], len(slices.labels)), strict=True))
    few = f"fewer than {LEAST} responses with both scores"
    return {item: refused.get(item, few) for item in passed.rows if item in refused or sizes.get(item, 0) < LEAST}


def _studies(
    opened: ItemSource,
    passed: Pass,
    unfit: Mapping[str, str],
    refused: Mapping[str, str],
    plan: ItemCountPlan,
    settings: Settings,
) -> list[ItemsStudy]:
    """Return what is evaluated, scale by scale: the items that are not `unfit`."""
    if len(unfit) == len(passed.rows) and refused:
        item, told = next((item, told) for item, told in unfit.items() if item in refused)
        what = "such a score" if item in passed.refused else "such ids"
        raise InputError(f"item '{item}', {told}; no item is left without {what}.")
    if not passed.counted:
        raise InputError("no response has a human score and an engine score.")
    if len(unfit) == len(passed.rows):
        raise InputError(f"no item has {LEAST} responses with both scores.")
    statistics, preparation = settings.statistics, settings.preparation
    studies = []
    for place, counted in sorted(passed.counted.items()):
        tally = _fit(counted.tally, opened.wanted.groups, unfit)
        if tally is None:
            continue
        scale = plan.scales[place]
        tallied = ItemsStudy(
            replace(counted, tally=tally), opened.wanted.groups, opened.wanted.human, scale,
            Preparation(trim_bounds(preparation, scale), preparation.trim_tolerance), statistics.confidence_level,
            statistics.min_n_per_group, statistics.rater_error_variance, dict(statistics.min_n_by_group),
        )  # fmt: skip
        sizes = {name: sizes_of(tally.slices[within(name)]) for name in opened.wanted.groups}
        refuse_costly_groups(sizes, statistics.min_n_per_group if plan.withholds else 0, scale, each=OF_TABLES)
        if counted.combinations is not None:
            hidden = hidden_levels(tally, tallied.groups, counted.combinations, statistics.min_n_per_group)
            tallied = replace(tallied, hidden=hidden)
        studies.append(tallied)
    return studies


def _fit(tally: Tally, groups: Sequence[str], unfit: Mapping[str, str]) -> Tally | None:
    """Return the tally of the items that are evaluated; None where there is none."""
    few = tuple(label for label in tally.slices[BY_ITEM].labels if label in unfit)
    if not few:
        return tally
    if len(few) == len(tally.slices[BY_ITEM].labels):
        return None
    out = {BY_ITEM: few}
    for grouping in groups:
        labels = tally.slices[within(grouping)].labels
        out[within(grouping)] = tuple(label for label in labels if label.split("\x1f", 1)[0] in unfit)
    return tally.without(out)


@dataclass(frozen=True)
class EvaluatedItems:
    """Every item, those that are evaluated first, study by study.

    Parameters
    ----------
    labels
        What they are called; the column `_item` of a table has places among them.
    studies
        What they are evaluated in.
    unfit
        Items that are not evaluated, and why.
    """

    labels: tuple[str, ...]
    studies: Sequence[ItemsStudy]
    unfit: Mapping[str, str]

    @classmethod
    def of(cls, studies: Sequence[ItemsStudy], unfit: Mapping[str, str]) -> EvaluatedItems:
        """Return the items of some studies, and those that are in none."""
        return cls((*(item for tallied in studies for item in tallied.items), *unfit), studies, unfit)

    @cached_property
    def rank(self) -> NDArray[np.intp]:
        """Place of every item in natural order."""
        keys = [[natural(part) for part in label.split(BETWEEN)] for label in self.labels]
        return np.argsort(np.array(sorted(range(len(keys)), key=keys.__getitem__), np.intp))

    def parts(self, columns: int) -> list[NDArray[np.object_]]:
        """Return what the columns that name items say of each."""
        texts = [label.split(BETWEEN, columns - 1) for label in self.labels]
        return [np.array([text[place] for text in texts], object) for place in range(columns)]

    def places(self, labels: Iterable[str]) -> NDArray[np.intp]:
        """Return the places of items."""
        place = {label: index for index, label in enumerate(self.labels)}
        return np.array([place[label] for label in labels], np.intp)


def _items_table(items: EvaluatedItems, passed: Pass) -> LongTable:
    """Return a row for each item: what was read, and what is evaluated, on which scale."""
    counts, points, scales = [], [], []
    for tallied in items.studies:
        slices, ratings = tallied.counted.tally.slices[BY_ITEM], tallied.counted.tally.cells.ratings
        several = (np.isfinite(ratings).sum(axis=1) > 1)[slices.cell]
        counts.append(
            [np.bincount(slices.level, slices.sums[0] * of, len(slices.labels)) for of in (np.ones(1), several)]
        )
        points += [label not in tallied.counted.continuous for label in tallied.items]
        scales += [tallied.scale] * len(tallied.items)
    n, twice = np.concatenate([np.stack(each) for each in counts], axis=1)
    none = len(items.unfit)
    left_out: Counter[str] = Counter()
    for (item, _), size in passed.excluded.items():
        left_out[item] += size
    return LongTable(
        "items",
        "What was read of each item, and what is evaluated, on which scale",
        {
            "_item": np.arange(len(items.labels)),
            "rows": np.array([passed.rows[label] for label in items.labels], np.int64),
            "left_out": np.array([left_out[label] for label in items.labels], np.int64),
            "evaluated": np.append(n, np.zeros(none)).astype(np.int64),
            "scored_twice_or_more": np.append(twice, np.zeros(none)).astype(np.int64),
            "engine_on_points": np.array([*points, *[True] * none], bool),
            **{
                f"scale_{name}": np.array([*(getattr(scale, name) for scale in scales), *[np.nan] * none], float)
                for name in ("low", "high", "step")
            },
            "scale_assumed": np.array([*(scale.assumed for scale in scales), *[False] * none], bool),
            "not_evaluated": np.array([""] * (len(items.labels) - none) + list(items.unfit.values()), object),
        },
    )


def _exclusions(items: EvaluatedItems, passed: Pass) -> list[LongTable]:
    """Return the rows left out, item by item and reason by reason; no table when there is none."""
    if not passed.excluded:
        return []
    pairs = sorted(passed.excluded.items(), key=lambda pair: passed.rules.index(pair[0][1]))
    columns = {
        "_item": items.places(item for (item, _), _ in pairs),
        "reason": np.array([reason for (_, reason), _ in pairs], object),
        "responses": np.array([n for _, n in pairs], np.int64),
    }
    return [LongTable("data.exclusions", "Responses left out, by reason", columns)]


def _withheld(studies: Sequence[ItemsStudy]) -> list[LongTable]:
    """Return the log of what is withheld; no table when nothing is."""
    rows, first = [], 0
    for tallied in studies:
        rows += [(first + item, *told) for item, *told in withheld_rows(tallied.counted.tally, tallied.hidden)]
        first += len(tallied.items)
    if not rows:
        return []
    item, group, level, what = (np.array(column, object) for column in zip(*rows, strict=True))
    columns = {"_item": item.astype(np.intp), "group": group, "level": level, "withheld": what}
    return [LongTable("privacy.withheld", "Groups that are withheld from every table", columns)]


def _named(table: LongTable, items: EvaluatedItems, by: Sequence[str]) -> LongTable:
    """Return a table with the columns that name its items first, items in natural order."""
    places = table.columns["_item"]
    order = np.argsort(items.rank[places], kind="stable")
    columns = {name: part[places[order]] for name, part in zip(by, items.parts(len(by)), strict=True)}
    taken = {"group": "group_column"} if "group" in columns else {}
    rest = {
        taken.get(name, name if name not in columns else f"{name}_"): column[order]
        for name, column in table.columns.items()
        if name != "_item"
    }
    return LongTable(table.key, table.caption, {**columns, **rest})


def _contents(tables: Sequence[LongTable]) -> dict[str, Any]:
    return {
        table.key: {"caption": table.caption, "rows": len(table), "columns": list(table.columns)} for table in tables
    }


def _account(
    opened: ItemSource,
    source: Source,
    passed: Pass,
    studies: Sequence[ItemsStudy],
    unfit: Mapping[str, str],
    refused: Mapping[str, str],
    settings: Settings,
    command: str,
) -> dict[str, Any]:
    """Return what was read, how, and what was left out."""
    return {
        "made": "tables of items",
        "by": list(settings.data.by),
        "source": {
            "name": source.name, "sha256": source.sha256, "bytes": source.bytes, "rows": source.rows,
            "files": [{"name": file.name, "sha256": file.sha256, "bytes": file.bytes} for file in source.files],
        },
        "roles": [{"role": role.role, "columns": list(role.columns), "how": role.how} for role in opened.roles],
        "columns_left_out": dict(opened.left_out),
        "scales": [
            {
                "low": tallied.scale.low, "high": tallied.scale.high, "step": tallied.scale.step,
                "assumed": tallied.scale.assumed, "trimmed_to": list(tallied.preparation.bounds),
                "items": len(tallied.items),
            }
            for tallied in studies
        ],
        "scales_declared_in": settings.data.scales.name if settings.data.scales else None,
        "items": sum(len(tallied.items) for tallied in studies),
        "items_not_evaluated": sorted(unfit),
        "items_refused": {item: unfit[item] for item in sorted(refused)},
        "ids_compared_in": opened.wanted.id or None,
        "responses_evaluated": sum(tallied.counted.tally.n for tallied in studies),
        "responses_left_out": sum(passed.excluded.values()),
        "exclusions": _reasons_told(passed, passed.rules),
        "groups_withheld": sum(
            int((mask.levels | mask.twice).sum()) for tallied in studies for mask in tallied.hidden.values()
        ),
        "notes": _notes(opened, studies),
        "settings": settings.model_dump(mode="json"),
        "provenance": reports.provenance_of(settings, command),
    }  # fmt: skip


def _reasons_told(passed: Pass, order: Sequence[str]) -> list[dict[str, Any]]:
    """Return how many responses of how many items each reason left out."""
    responses, items = Counter[str](), Counter[str]()
    for (_, reason), n in passed.excluded.items():
        responses[reason] += n
        items[reason] += n > 0
    return [{"reason": each, "responses": responses[each], "items": items[each]} for each in order if responses[each]]


def _of_ids(opened: ItemSource) -> str:
    """Return whether somebody looked that no id stands in two rows: else a file that is given twice counts twice."""
    if opened.wanted.id:
        return f"No id in '{opened.wanted.id}' stands in two rows of an item that is evaluated."
    column = next((role.columns[0] for role in opened.roles if role.role == "id"), None)
    where = f"Ids in '{column}'" if column else "Rows without an id"
    return f"{where} were not checked for duplicates: a response that stands in two rows counts twice."


def _notes(opened: ItemSource, studies: Sequence[ItemsStudy]) -> list[str]:
    """Return what a reader of the tables must know."""
    notes = [
        "Columns found their parts on the first rows; name them to be sure.",
        _of_ids(opened),
        "Intervals take responses as the units.",
    ]
    candidate = next((role.columns[0] for role in opened.roles if role.role == "candidate"), None)
    if candidate:
        notes[-1] += f" The candidates in '{candidate}' are not looked at: within an item each has one response or few."
    if any(tallied.scale.assumed for tallied in studies):
        notes.append("The scale was not declared: each item has the one that its own human scores span.")
    if len(opened.wanted.human) > 2:
        notes.append("Of the human raters only the first two are compared; true scores rest on all of them.")
    return notes


__all__ = ["ItemTables", "tables"]
