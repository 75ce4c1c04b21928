"""All tables of hundreds of items, made in one pass over the responses.

The verb reads as its story: open, count, withhold, tabulate, write.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from reportgen import verbs
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
from reportgen.scores.scale import trim_bounds
from reportgen.settings import Settings
from reportgen.tally.many import BY_ITEM, within

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
    opened = open_item_source(source, settings)
    passed, scale, trim = _counted(opened, settings, executor, workers)
    study, few = _study(opened, passed, scale, trim, settings)
    made = [
        _items_table(study, passed, few),
        *_exclusions(passed, all_reasons(opened.wanted)),
        *item_tables(study),
        *_withheld(study),
    ]
    named = tuple(_named(table, study, settings.data.by) for table in made)
    found = ItemTables(named, _account(opened, passed, study, few, settings, command) | {"tables": _contents(named)})
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
        raise InputError(f"{opened.source.name}: no response has a human score and an engine score.")
    trim = trim_bounds(settings.preparation, scale)
    tolerance = settings.preparation.trim_tolerance
    plan = Plan(
        opened.wanted, scale, (trim[0] - tolerance, trim[1] + tolerance), declared,
        settings.privacy.withhold_small_groups and bool(opened.wanted.groups),
    )  # fmt: skip
    try:
        return count_items(opened, plan, executor, workers), scale, trim
    except InputError as error:
        told = str(error)
        raise InputError(told if told.startswith(opened.source.name) else f"{opened.source.name}: {told}") from None


def _study(
    opened: ItemSource, passed: Pass, scale: Scale, trim: tuple[float, float], settings: Settings
) -> tuple[ItemsStudy, tuple[str, ...]]:
    """Return what is evaluated, and the items that have too few responses to be."""
    if passed.counted is None:
        raise InputError(f"{opened.source.name}: no response has a human score and an engine score.")
    tally = passed.counted.tally
    slices = tally.slices[BY_ITEM]
    n = np.bincount(slices.level, slices.sums[0], len(slices.labels))
    few = tuple(label for label, size in zip(slices.labels, n.tolist(), strict=True) if size < LEAST)
    if len(few) == len(slices.labels):
        raise InputError(f"{opened.source.name}: no item has {LEAST} responses with both scores.")
    if few:
        gone = set(few)
        out = {BY_ITEM: few}
        for grouping in opened.wanted.groups:
            labels = tally.slices[within(grouping)].labels
            out[within(grouping)] = tuple(label for label in labels if label.split("\x1f", 1)[0] in gone)
        tally = tally.without(out)
    counted = CountedItems(tally, passed.counted.combinations, passed.counted.continuous)
    statistics = settings.statistics
    study = ItemsStudy(
        counted, opened.wanted.groups, opened.wanted.human, scale,
        Preparation(trim, settings.preparation.trim_tolerance), statistics.confidence_level,
        statistics.min_n_per_group, statistics.rater_error_variance, dict(statistics.min_n_by_group),
    )  # fmt: skip
    if counted.combinations is None:
        return study, few
    least = statistics.min_n_per_group
    return replace(study, hidden=hidden_levels(tally, study.groups, counted.combinations, least)), few


def _items_table(study: ItemsStudy, passed: Pass, few: Sequence[str]) -> LongTable:
    """Return a row for each item: what was read, and what is evaluated."""
    slices, ratings = study.counted.tally.slices[BY_ITEM], study.counted.tally.cells.ratings
    labels = [*study.items, *few, *sorted(set(passed.rows) - set(study.items) - set(few))]
    several = (np.isfinite(ratings).sum(axis=1) > 1)[slices.cell]
    n, twice = (np.bincount(slices.level, slices.sums[0] * counted, len(labels)) for counted in (1, several))
    left_out = (
        [sum(n for (item, _), n in passed.excluded.items() if item == label) for label in labels]
        if (passed.excluded)
        else [0] * len(labels)
    )
    reasons = [""] * len(study.items) + [f"fewer than {LEAST} responses with both scores"] * (
        len(labels) - len(study.items)
    )
    return LongTable(
        "items",
        "What was read of each item, and what is evaluated",
        {
            "_item": np.array(labels, object),
            "rows": np.array([passed.rows[label] for label in labels], np.int64),
            "left_out": np.array(left_out, np.int64),
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
    opened: ItemSource, passed: Pass, study: ItemsStudy, few: Sequence[str], settings: Settings, command: str
) -> dict[str, Any]:
    """Return what was read, how, and what was left out."""
    source, scale = opened.source, study.scale
    return {
        "made": "tables of items",
        "by": list(settings.data.by),
        "source": {
            "name": source.name, "sha256": source.sha256, "bytes": source.bytes, "rows": sum(passed.rows.values()),
            "files": [{"name": file.name, "sha256": file.sha256, "bytes": file.bytes} for file in source.files],
        },
        "roles": [{"role": role.role, "columns": list(role.columns), "how": role.how} for role in opened.roles],
        "columns_left_out": dict(opened.left_out),
        "scale": {"low": scale.low, "high": scale.high, "step": scale.step, "assumed": scale.assumed},
        "trimmed_to": list(study.preparation.bounds),
        "items": len(study.items),
        "items_not_evaluated": [*few, *sorted(set(passed.rows) - set(study.items) - set(few))],
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
