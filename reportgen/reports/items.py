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
from reportgen.privacy.slices import withheld_slices
from reportgen.results import Source
from reportgen.scores.item_sources import ItemSource, ids_in_items
from reportgen.scores.repeats import repeats_told
from reportgen.scores.scale import BETWEEN
from reportgen.settings import Settings
from reportgen.sources.uniqueness import Seen
from reportgen.tally.cells import Integers, totals
from reportgen.wording.names import natural


def evaluated_by_scale(
    passed: Pass, settings: Settings, unfit: Collection[str], also: Sequence[str]
) -> list[ItemsStudy]:
    """Return what is evaluated of the items that are not `unfit`, scale by scale, with further tables asked for."""
    found = []
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
    return found


@dataclass(frozen=True)
class EvaluatedItems:
    """Every item, those that are evaluated first, scale by scale.

    labels: What they are called; the column `_item` of a table has places among them.
    by_scale: What is evaluated.
    unfit: Items that are not evaluated, and why.
    """

    labels: tuple[str, ...]
    by_scale: Sequence[ItemsStudy]
    unfit: Mapping[str, str]

    @classmethod
    def of(cls, by_scale: Sequence[ItemsStudy], unfit: Mapping[str, str]) -> EvaluatedItems:
        """Return the items that are evaluated, and those that are not."""
        return cls((*(item for tallied in by_scale for item in tallied.items), *unfit), by_scale, unfit)

    @cached_property
    def rank(self) -> NDArray[np.intp]:
        """Place of every item in natural order."""
        keys = [[natural(part) for part in label.split(BETWEEN)] for label in self.labels]
        return np.argsort(np.array(sorted(range(len(keys)), key=keys.__getitem__), np.intp))

    def parts(self, columns: int) -> list[NDArray[np.object_]]:
        """Return what the columns that name items say of each."""
        texts = [label.split(BETWEEN, columns - 1) for label in self.labels]
        return [np.array([text[place] for text in texts], object) for place in range(columns)]

    def named(self, table: LongTable, by: Sequence[str]) -> LongTable:
        """Return a table with the columns that name its items first, items in natural order."""
        places = table.columns["_item"]
        order = np.argsort(self.rank[places], kind="stable")
        columns = {name: part[places[order]] for name, part in zip(by, self.parts(len(by)), strict=True)}
        taken = {"group": "group_column"} if "group" in columns else {}
        rest = {
            taken.get(name, name if name not in columns else f"{name}_"): column[order]
            for name, column in table.columns.items()
            if name != "_item"
        }
        return LongTable(table.key, {**columns, **rest})


LEAST = 2
"""Fewest responses that an item is evaluated with."""


@dataclass(frozen=True)
class UnfitItems:
    """Items that are not evaluated.

    why: Each of them, in the order of their first rows, and why.
    refused: Those among them that are refused for what their rows hold.
    withheld: Those of which not even counts are shown: they have few responses, or protect such items.
    """

    why: Mapping[str, str]
    refused: frozenset[str]
    withheld: frozenset[str] = frozenset()


def unfit_items(opened: ItemSource, passed: Pass, seen: Seen, settings: Settings) -> UnfitItems:
    """Return the items that are not evaluated."""
    refused = _refused(opened, passed) | _repeated(opened, seen, settings)
    sizes: dict[str, float] = {}
    for study in passed.studies:
        slices = study.tally.slices[BY_ITEM]
        sizes |= dict(zip(slices.labels, slices.sizes.tolist(), strict=True))
    few = f"fewer than {LEAST} responses with both scores"
    why = {item: refused.get(item, few) for item in passed.rows if item in refused or sizes.get(item, 0) < LEAST}
    _refuse_none_left(passed, why, refused)
    if not settings.privacy.protects_slices:
        return UnfitItems(why, frozenset(refused))
    least = settings.statistics.min_n_per_group
    withheld = _withheld(passed, {item: round(n) for item, n in sizes.items()}, refused, settings)
    if withheld.issuperset(item for item in passed.rows if item not in why):
        raise InputError(
            f"every item has fewer than {least} responses, or would tell of one that has: nothing is written. Name a "
            "smaller number with --min-n, or show them all with --unprotected."
        )
    told = dict.fromkeys(withheld, f"withheld: it has fewer than {least} responses, or would tell of an item that has")
    why = {item: refused.get(item) or told.get(item) or why[item] for item in passed.rows if item in {*why, *told}}
    return UnfitItems(why, frozenset(refused), withheld)


def _withheld(passed: Pass, sizes: Mapping[str, int], refused: Collection[str], settings: Settings) -> frozenset[str]:
    """Return the items of which nothing may be shown; of one without responses, or refused, only its rows count."""
    least, columns = settings.statistics.min_n_per_group, len(settings.data.by)
    parted = {item: tuple(item.split(BETWEEN, columns - 1)) for item in sizes if item not in refused}
    found = withheld_slices({values: sizes[item] for item, values in parted.items()}, least)
    few = {item for item, rows in passed.rows.items() if rows < least and not (item in parted and sizes[item])}
    return frozenset(few | {item for item, values in parted.items() if values in found})


def _refused(opened: ItemSource, passed: Pass) -> dict[str, str]:
    """Return the items with a score that none can have, and which one."""
    return {item: f"row {opened.reader.place(found.row)}: {found.told}" for item, found in passed.refused.items()}


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


def _refuse_none_left(passed: Pass, unfit: Mapping[str, str], refused: Mapping[str, str]) -> None:
    """Raise when no item is left, for the reason that a reader can do most about."""
    if len(unfit) == len(passed.rows) and refused:
        item, told = next((item, told) for item, told in unfit.items() if item in refused)
        what = "such a score" if item in passed.refused else "such ids"
        raise InputError(f"item '{item}', {told}; no item is left without {what}.")
    if not passed.studies:
        raise InputError("no response has a human score and an engine score.")
    if len(unfit) == len(passed.rows):
        raise InputError(f"no item has {LEAST} responses with both scores.")


def items_table(items: EvaluatedItems, passed: Pass, withheld: Collection[str] = ()) -> LongTable:
    """Return a row for each item: what was read, and what is evaluated, on which scale; of withheld ones the name."""
    found: dict[str, tuple[Any, ...]] = {}
    for tallied in items.by_scale:
        slices, ratings, scale = tallied.tally.slices[BY_ITEM], tallied.tally.cells.ratings, tallied.scale
        several = (np.isfinite(ratings).sum(axis=1) > 1)[slices.cell]
        counts = [totals(slices.level, slices.sums[0] * of, len(slices.labels)).tolist() for of in (1.0, several)]
        for label, n, twice in zip(slices.labels, *counts, strict=True):
            on_points = label not in tallied.continuous
            found[label] = n, twice, on_points, scale.low, scale.high, scale.step, scale.assumed
    none = (0, 0, True, np.nan, np.nan, np.nan, False)
    n, twice, points, low, high, step, assumed = zip(*(found.get(label, none) for label in items.labels), strict=True)
    left_out: Counter[str] = Counter()
    for (item, _), size in passed.excluded.items():
        left_out[item] += size
    read = {
        "rows": [passed.rows[label] for label in items.labels],
        "left_out": [left_out[label] for label in items.labels],
        "evaluated": n,
        "scored_twice_or_more": twice,
    }
    hidden = np.array([label in withheld for label in items.labels], bool)
    return LongTable(
        "items",
        {
            "_item": np.arange(len(items.labels)),
            **{name: _shown(np.array(each, np.int64), hidden) for name, each in read.items()},
            "engine_on_points": np.array(points, bool),
            **{f"scale_{name}": np.array(each, float) for name, each in (("low", low), ("high", high), ("step", step))},
            "scale_assumed": np.array(assumed, bool),
            "not_evaluated": np.array([items.unfit.get(label, "") for label in items.labels], object),
        },
    )


def _shown(counts: Integers, hidden: NDArray[np.bool_]) -> Integers:
    return np.ma.masked_array(counts, hidden) if hidden.any() else counts


def exclusion_tables(items: EvaluatedItems, passed: Pass) -> list[LongTable]:
    """Return the rows left out, item by item and reason by reason; no table when there is none."""
    place = {label: index for index, label in enumerate(items.labels)}
    pairs = sorted(passed.excluded.items(), key=lambda pair: passed.rules.index(pair[0][1]))
    return _of_rows("data.exclusions", ("reason", "responses"), [(place[item], why, n) for (item, why), n in pairs])


def withheld_tables(items: EvaluatedItems) -> list[LongTable]:
    """Return the log of what is withheld; no table when nothing is."""
    rows, first = [], 0
    for tallied in items.by_scale:
        rows += [(first + item, *told) for item, *told in tallied.withheld]
        first += len(tallied.items)
    return _of_rows("privacy.withheld", ("group", "level", "withheld"), rows)


def _of_rows(key: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> list[LongTable]:
    """Return a table of rows that begin with the place of an item; none without rows."""
    columns = zip(("_item", *names), zip(*rows, strict=True), strict=False)
    made = {name: np.array(each, object if isinstance(each[0], str) else np.int64) for name, each in columns}
    return [LongTable(key, made)] if made else []


def account_of(
    opened: ItemSource,
    source: Source,
    passed: Pass,
    by_scale: Sequence[ItemsStudy],
    unfit: UnfitItems,
    settings: Settings,
) -> dict[str, Any]:
    """Return what was read, how, and what was left out."""
    compared = opened.wanted.id or _column_of("id", opened, BY_CONTENTS)  # what is found by its contents has no equals
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
            for tallied in by_scale
        ],
        "scales_declared_in": settings.data.scales.name if settings.data.scales else None,
        "items": sum(len(tallied.items) for tallied in by_scale),
        "items_not_evaluated": sorted(unfit.why),
        "items_withheld": sorted(unfit.withheld),
        "protected": settings.privacy.protects_slices,
        "items_refused": {item: unfit.why[item] for item in sorted(unfit.refused)},
        "ids_compared_in": compared or None,
        "responses_evaluated": sum(tallied.tally.n for tallied in by_scale),
        "responses_left_out": sum(passed.excluded.values()),
        "exclusions": _reasons_told(passed),
        "groups_withheld": sum(len(tallied.withheld) for tallied in by_scale),
        "notes": _notes(opened, by_scale, settings, compared),
        "settings": settings.model_dump(mode="json"),
    }  # fmt: skip


def contents_of(tables: Sequence[LongTable]) -> dict[str, Any]:
    """Return what each table holds."""
    return {
        table.key: {"caption": table.caption, "rows": len(table), "columns": list(table.columns)} for table in tables
    }


def _reasons_told(passed: Pass) -> list[dict[str, Any]]:
    """Return how many responses of how many items each reason left out."""
    by_reason = {why: [n for (_, each), n in passed.excluded.items() if each == why and n] for why in passed.rules}
    return [{"reason": why, "responses": sum(each), "items": len(each)} for why, each in by_reason.items() if each]


def _column_of(part: str, opened: ItemSource, how: str = "") -> str:
    """Return the first column that plays a part, and was found in some way; empty when there is none."""
    found = (role.columns[0] for role in opened.roles if role.role == part and how in role.how)
    return next(found, "")


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
