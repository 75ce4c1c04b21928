"""What is evaluated of many items and what is not, and what the tables tell of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.design.readings import BY_CONTENTS
from reportgen.errors import InputError
from reportgen.evaluation.counting import OF_TABLES, refuse_costly_groups
from reportgen.evaluation.many_items import ItemsStudy, LongTable
from reportgen.evaluation.many_items.counted import BY_ITEM, within
from reportgen.evaluation.many_items.counting import Pass
from reportgen.privacy import withheld_slices
from reportgen.results import Source
from reportgen.scores.item_sources import ItemSource, ids_in_items
from reportgen.scores.scale import BETWEEN
from reportgen.settings import Settings
from reportgen.sources.digests import Seen
from reportgen.sources.tabular import repeats_told
from reportgen.tally.cells import totals
from reportgen.wording.names import natural


@dataclass(frozen=True)
class EvaluatedItems:
    """Every item: what is evaluated, scale by scale, and what is not.

    unfit: Each item that is not evaluated, in the order of their first rows, and why.
    refused: Those among them that are refused for what their rows hold.
    withheld: Those of which not even counts are shown: they have few responses, or protect such items.
    """

    by_scale: Sequence[ItemsStudy]
    unfit: Mapping[str, str]
    refused: frozenset[str]
    withheld: frozenset[str]

    @classmethod
    def of(
        cls, opened: ItemSource, passed: Pass, seen: Seen, settings: Settings, also: Sequence[str]
    ) -> EvaluatedItems:
        """Return what is evaluated of the items that were counted, with further tables asked for."""
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
        """What they are called, those that are evaluated first; the column `_item` of a table has places among them."""
        return (*(item for study in self.by_scale for item in study.items), *self.unfit)

    def named(self, table: LongTable, by: Sequence[str]) -> LongTable:
        """Return a table with the columns that name its items first, items in natural order."""
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


LEAST = 2
"""Fewest responses that an item is evaluated with."""


def _unfit(
    opened: ItemSource, passed: Pass, seen: Seen, settings: Settings
) -> tuple[dict[str, str], frozenset[str], frozenset[str]]:
    """Return the items that are not evaluated and why, those that are refused, and those that are withheld."""
    place = opened.reader.place
    absurd = {item: f"row {place(found.row)}: {found.told}" for item, found in passed.refused.items()}
    refused = absurd | _repeated(opened, seen, settings)
    sizes: dict[str, float] = {}
    for study in passed.studies:
        slices = study.tally.slices[BY_ITEM]
        sizes |= dict(zip(slices.labels, slices.sizes.tolist(), strict=True))
    few = f"fewer than {LEAST} responses with both scores"
    why = {item: refused.get(item, few) for item in passed.rows if item in refused or sizes.get(item, 0) < LEAST}
    if len(why) == len(passed.rows) and refused:  # the reason that a reader can do most about
        item, told = next((item, told) for item, told in why.items() if item in refused)
        what = "such a score" if item in absurd else "such ids"
        raise InputError(f"item '{item}', {told}; no item is left without {what}.")
    if not passed.studies:
        raise InputError("no response has a human score and an engine score.")
    if len(why) == len(passed.rows):
        raise InputError(f"no item has {LEAST} responses with both scores.")
    if not settings.privacy.protects_slices:
        return why, frozenset(refused), frozenset()
    least = settings.statistics.min_n_per_group
    withheld = _withheld(passed, {item: round(n) for item, n in sizes.items()}, refused, settings)
    if withheld.issuperset(item for item in passed.rows if item not in why):
        raise InputError(
            f"every item has fewer than {least} responses, or would tell of one that has: nothing is written. Name a "
            "smaller number with --min-n, or show them all with --unprotected."
        )
    few = f"withheld: it has fewer than {least} responses, or would tell of an item that has"
    why |= {item: few for item in withheld if item not in refused}
    return {item: why[item] for item in passed.rows if item in why}, frozenset(refused), withheld


def _withheld(passed: Pass, sizes: Mapping[str, int], refused: Collection[str], settings: Settings) -> frozenset[str]:
    """Return the items of which nothing may be shown; of one without responses, or refused, only its rows count."""
    least, columns = settings.statistics.min_n_per_group, len(settings.data.by)
    parted = {item: tuple(item.split(BETWEEN, columns - 1)) for item in sizes if item not in refused}
    found = withheld_slices({values: sizes[item] for item, values in parted.items()}, least)
    few = {item for item, rows in passed.rows.items() if rows < least and not (item in parted and sizes[item])}
    return frozenset(few | {item for item, values in parted.items() if values in found})


def _repeated(opened: ItemSource, seen: Seen, settings: Settings) -> dict[str, str]:
    """Return the items of which an id stands in two rows, and which one."""
    if not opened.wanted.id:
        return {}
    found = seen.repeats(opened.wanted.id, lambda: ids_in_items(opened))
    named, place = settings.privacy.show_response_ids, opened.reader.place
    return {
        item: repeats_told(opened.wanted.id, each.n, each.text if named else None, [place(row) for row in each.rows])
        + "; make ids unique within the item, or name another column with --id NAME"
        for item, each in found.items()
    }


COUNTS = ("rows", "left_out", "evaluated", "scored_twice_or_more")
OF_ITEMS = {
    **dict.fromkeys(COUNTS, np.int64), "engine_on_points": np.bool_, "scale_low": np.float64,
    "scale_high": np.float64, "scale_step": np.float64, "scale_assumed": np.bool_, "not_evaluated": np.object_,
}  # fmt: skip
"""Columns of the table of items, and what they hold."""


def items_table(items: EvaluatedItems, passed: Pass) -> LongTable:
    """Return a row for each item: what was read, and what is evaluated, on which scale; of withheld ones the name."""
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
    """Return the rows left out, item by item and reason by reason, and the log of what is withheld, where any are."""
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
    """Return a table of rows that begin with the place of an item; none without rows."""
    columns = zip(("_item", *names), zip(*rows, strict=True), strict=False)
    made = {name: np.array(each, object if isinstance(each[0], str) else np.int64) for name, each in columns}
    return [LongTable(key, made)] if made else []


def account_of(
    opened: ItemSource, source: Source, passed: Pass, items: EvaluatedItems, settings: Settings
) -> dict[str, Any]:
    """Return what was read, how, and what was left out."""
    compared = opened.wanted.id or _column_of("id", opened, BY_CONTENTS)  # what is found by its contents has no equals
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
    """Return what a reader of the tables must know; ids in the column `compared` were looked at."""
    least, column = settings.statistics.min_n_per_group, _column_of("id", opened)
    protection = f"These tables are not protected: items of fewer than {least} responses are shown."
    if settings.privacy.protects_slices:
        protection = (
            f"Items of fewer than {least} responses are withheld, and those that would tell of them by subtraction."
        )
    where = f"Ids in '{column}'" if column else "Rows without an id"
    ids = f"{where} were not checked for duplicates: a response that stands in two rows counts twice."
    if compared:
        ids = f"No id in '{compared}' stands in two rows of an item that is evaluated."
    notes = [protection, ids, "Intervals take responses as the units."]
    if candidate := _column_of("candidate", opened):
        notes[-1] += f" The candidates in '{candidate}' are not looked at: within an item each has one response or few."
    if any(tallied.scale.assumed for tallied in by_scale):
        notes.append("The scale was not declared: each item has the one that its own human scores span.")
    if len(opened.wanted.human) > 2:
        notes.append("Of the human raters only the first two are compared; true scores rest on all of them.")
    return notes
