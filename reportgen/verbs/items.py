"""All tables of hundreds of items, made in one pass over the responses.

The verb reads as its story: open, count, withhold, tabulate, write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.errors import InputError, OutputError, SettingsError
from reportgen.evaluation.many_items import CountedItems, ItemsStudy, LongTable, item_tables
from reportgen.evaluation.many_items.counting import Pass, Plan, count_items, scale_of
from reportgen.evaluation.many_items.withholding import hidden_levels, withheld_rows
from reportgen.evaluation.preparation import Preparation
from reportgen.item_files import FORMATS, MANIFEST, write_item_tables
from reportgen.natural import natural
from reportgen.output import check_writable
from reportgen.results import Scale
from reportgen.scores.item_batches import BETWEEN, ItemSource, all_reasons, open_item_source
from reportgen.scores.reading import named
from reportgen.scores.scale import trim_bounds
from reportgen.settings import Settings
from reportgen.tally.many import BY_ITEM, within
from reportgen.verbs import reports as verbs

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
    workers: int = 1,
    executor: Executor | None = None,
    force: bool = False,
    command: str = "",
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
    workers
        Into how many shares the rows are divided.
    executor
        Who counts the shares, and makes the tables; None for this process.

    Raises
    ------
    ReportgenError
        The input, a setting or the folder is not what it should be; nothing is written.
    """
    _refuse_unknown_formats(formats)
    _refuse_what_needs_rows(settings)
    if folder is not None:
        _check(folder, force)
    with named(source):
        opened = open_item_source(source, settings)
        passed, scale, trim = _counted(opened, settings, executor, workers)
        unfit = _unfit(opened, passed)
        study = _study(opened, passed, unfit, scale, trim, settings)
    made = [
        _items_table(study, passed, unfit),
        *_exclusions(passed, all_reasons(opened.wanted)),
        *item_tables(study),
        *_withheld(study),
    ]
    titled = tuple(_named(table, study, settings.data.by) for table in made)
    account = _account(opened, passed, study, unfit, settings, command)
    found = ItemTables(titled, account | {"tables": _contents(titled)})
    if folder is not None:
        write_item_tables(found.tables, found.account, folder, formats, lambda: _check(folder, force))
    return found


def _check(folder: Path, force: bool) -> None:
    """Refuse a folder that nothing can be written to, or that holds tables already."""
    check_writable(folder)
    if (folder / MANIFEST).exists() and not force:
        raise OutputError(
            f"'{folder}' already holds tables of items ({MANIFEST}); name another folder, or replace them with --force."
        )


def _refuse_unknown_formats(formats: Sequence[str]) -> None:
    unknown = [name for name in formats if name not in FORMATS]
    if unknown or not formats:
        raise SettingsError(f"--format: expected {' or '.join(FORMATS)}, found {', '.join(unknown) or 'none'}.")


def _refuse_what_needs_rows(settings: Settings) -> None:
    """Raise for a setting that asks for what one pass over sums cannot give."""
    data = settings.data
    asked = {
        "flags": data.flags, "only": data.only, "candidate": data.candidate, "runs": data.runs,
        "rater_ids": data.rater_ids, "item_scores": data.item_scores, "intersections": data.intersections,
        "systems": data.systems, "connection": data.connection,
        "scale_with": settings.preparation.scale_with,
        "min_items_per_candidate": settings.preparation.min_items_per_candidate,
        "intervals = bootstrap": settings.statistics.intervals == "bootstrap",
    }  # fmt: skip
    found = [name for name, value in asked.items() if value]
    if found:
        raise SettingsError(f"tables of items: {found[0]} is not possible here; use reportgen batch --tables-only.")


def _counted(
    opened: ItemSource, settings: Settings, executor: Executor | None, workers: int
) -> tuple[Pass, Scale, tuple[float, float]]:
    """Return what a pass over all responses finds, and the scale and the ends that scores are trimmed to."""
    declared = settings.data.scale
    if declared is not None:
        scale: Scale | None = Scale(declared.low, declared.high, declared.step, assumed=False)
    else:
        scale = scale_of(opened, executor, workers)
    if scale is None:
        raise InputError("no response has a human score and an engine score.")
    trim = trim_bounds(settings.preparation, scale)
    tolerance = settings.preparation.trim_tolerance
    plan = Plan(
        opened.wanted, scale, (trim[0] - tolerance, trim[1] + tolerance),
        settings.privacy.withhold_small_groups and bool(opened.wanted.groups),
    )  # fmt: skip
    return count_items(opened, plan, executor, workers), scale, trim


def _unfit(opened: ItemSource, passed: Pass) -> dict[str, str]:
    """Return the items that are not evaluated, and why: one has a score that none can have, or too few responses."""
    last = max(passed.sizes, default=-1) + 1
    starts = [0, *accumulate(passed.sizes.get(number, 0) for number in range(last))]
    of_file: Counter[int] = Counter()
    for number, piece in opened.pieces:
        of_file[piece.file] += passed.sizes.get(number, 0)
    opened.reader.counted(of_file)
    unfit = {
        item: f"row {opened.reader.place(starts[number] + refusal.row)}: {refusal.told}"
        for item, (number, refusal) in passed.refused.items()
    }
    sizes: dict[str, float] = {}
    if passed.counted is not None:
        slices = passed.counted.tally.slices[BY_ITEM]
        sizes = dict(zip(slices.labels, np.bincount(slices.level, slices.sums[0], len(slices.labels)), strict=True))
    few = f"fewer than {LEAST} responses with both scores"
    return {item: unfit.get(item, few) for item in passed.rows if item in unfit or sizes.get(item, 0) < LEAST}


def _study(
    opened: ItemSource,
    passed: Pass,
    unfit: Mapping[str, str],
    scale: Scale,
    trim: tuple[float, float],
    settings: Settings,
) -> ItemsStudy:
    """Return what is evaluated: the items that are not `unfit`."""
    if len(unfit) == len(passed.rows) and passed.refused:
        item, told = next((item, told) for item, told in unfit.items() if item in passed.refused)
        raise InputError(f"item '{item}', {told}; no item is left without such a score.")
    if passed.counted is None:
        raise InputError("no response has a human score and an engine score.")
    if len(unfit) == len(passed.rows):
        raise InputError(f"no item has {LEAST} responses with both scores.")
    tally = passed.counted.tally
    few = tuple(label for label in tally.slices[BY_ITEM].labels if label in unfit)
    if few:
        out = {BY_ITEM: few}
        for grouping in opened.wanted.groups:
            labels = tally.slices[within(grouping)].labels
            out[within(grouping)] = tuple(label for label in labels if label.split("\x1f", 1)[0] in unfit)
        tally = tally.without(out)
    counted = CountedItems(tally, passed.counted.combinations, passed.counted.continuous)
    statistics = settings.statistics
    study = ItemsStudy(
        counted, opened.wanted.groups, opened.wanted.human, scale,
        Preparation(trim, settings.preparation.trim_tolerance), statistics.confidence_level,
        statistics.min_n_per_group, statistics.rater_error_variance, dict(statistics.min_n_by_group),
    )  # fmt: skip
    if counted.combinations is None:
        return study
    least = statistics.min_n_per_group
    return replace(study, hidden=hidden_levels(tally, study.groups, counted.combinations, least))


def _items_table(study: ItemsStudy, passed: Pass, unfit: Mapping[str, str]) -> LongTable:
    """Return a row for each item: what was read, and what is evaluated."""
    slices, ratings = study.counted.tally.slices[BY_ITEM], study.counted.tally.cells.ratings
    labels = [*study.items, *unfit]
    several = (np.isfinite(ratings).sum(axis=1) > 1)[slices.cell]
    n, twice = (np.bincount(slices.level, slices.sums[0] * counted, len(labels)) for counted in (1, several))
    left_out: Counter[str] = Counter()
    for (item, _), size in passed.excluded.items():
        left_out[item] += size
    reasons = [""] * len(study.items) + list(unfit.values())
    return LongTable(
        "items",
        "What was read of each item, and what is evaluated",
        {
            "_item": np.array(labels, object),
            "rows": np.array([passed.rows[label] for label in labels], np.int64),
            "left_out": np.array([left_out[label] for label in labels], np.int64),
            "evaluated": n.astype(np.int64),
            "scored_twice_or_more": twice.astype(np.int64),
            "engine_on_points": np.array([label not in study.counted.continuous for label in labels], bool),
            "not_evaluated": np.array(reasons, object),
        },
    )


def _exclusions(passed: Pass, order: Sequence[str]) -> list[LongTable]:
    """Return the rows left out, item by item and reason by reason; no table when there is none."""
    if not passed.excluded:
        return []
    pairs = sorted(passed.excluded.items(), key=lambda pair: order.index(pair[0][1]))
    columns = {
        "_item": np.array([item for (item, _), _ in pairs], object),
        "reason": np.array([reason for (_, reason), _ in pairs], object),
        "responses": np.array([n for _, n in pairs], np.int64),
    }
    return [LongTable("data.exclusions", "Responses left out, by reason", columns)]


def _withheld(study: ItemsStudy) -> list[LongTable]:
    """Return the log of what is withheld; no table when nothing is."""
    rows = list(withheld_rows(study.counted.tally, study.hidden))
    if not rows:
        return []
    item, group, level, what = (np.array(column, object) for column in zip(*rows, strict=True))
    columns = {"_item": item.astype(np.intp), "group": group, "level": level, "withheld": what}
    return [LongTable("privacy.withheld", "Groups that are withheld from every table", columns)]


def _named(table: LongTable, study: ItemsStudy, by: Sequence[str]) -> LongTable:
    """Return a table with the columns that name its items first, items in natural order."""
    places = table.columns["_item"]
    labels = places if places.dtype == object else np.array(study.items, object)[places]
    distinct = sorted(set(labels.tolist()), key=lambda label: [natural(part) for part in label.split(BETWEEN)])
    rank = {label: index for index, label in enumerate(distinct)}
    order = np.argsort(np.array([rank[label] for label in labels.tolist()]), kind="stable")
    ordered = labels[order]
    parts = {label: label.split(BETWEEN, len(by) - 1) for label in distinct}
    columns = {
        name: np.array([parts[label][place] for label in ordered.tolist()], object) for place, name in enumerate(by)
    }
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
    opened: ItemSource, passed: Pass, study: ItemsStudy, unfit: Mapping[str, str], settings: Settings, command: str
) -> dict[str, Any]:
    """Return what was read, how, and what was left out."""
    source, scale = opened.reader.source(sum(passed.rows.values())), study.scale
    return {
        "made": "tables of items",
        "by": list(settings.data.by),
        "source": {
            "name": source.name, "sha256": source.sha256, "bytes": source.bytes, "rows": source.rows,
            "files": [{"name": file.name, "sha256": file.sha256, "bytes": file.bytes} for file in source.files],
        },
        "roles": [{"role": role.role, "columns": list(role.columns), "how": role.how} for role in opened.roles],
        "columns_left_out": dict(opened.left_out),
        "scale": {"low": scale.low, "high": scale.high, "step": scale.step, "assumed": scale.assumed},
        "trimmed_to": list(study.preparation.bounds),
        "items": len(study.items),
        "items_not_evaluated": sorted(unfit),
        "items_refused": {item: unfit[item] for item in sorted(passed.refused)},
        "responses_evaluated": study.counted.tally.n,
        "responses_left_out": sum(passed.excluded.values()),
        "groups_withheld": sum(int((mask.levels | mask.twice).sum()) for mask in study.hidden.values()),
        "notes": _notes(opened, study),
        "settings": settings.model_dump(mode="json"),
        "provenance": verbs.provenance_of(settings, command),
    }  # fmt: skip


def _notes(opened: ItemSource, study: ItemsStudy) -> list[str]:
    """Return what a reader of the tables must know."""
    notes = [
        "Columns found their parts on the first rows; name them to be sure.",
        "Ids were not checked for duplicates.",
        "Intervals take responses as the units.",
    ]
    candidate = next((role.columns[0] for role in opened.roles if role.role == "candidate"), None)
    if candidate:
        notes[-1] += f" The candidates in '{candidate}' are not looked at: within an item each has one response or few."
    if study.scale.assumed:
        notes.append("The scale was not declared: it is that of all items' human scores together.")
    if len(study.raters) > 2:
        notes.append("Of the human raters only the first two are compared; true scores rest on all of them.")
    return notes


__all__ = ["ItemTables", "tables"]
