"""The account of tables of many items, as plain values for JSON: what was read, how, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from reportgen.evaluation.many_items import ItemsStudy, LongTable
from reportgen.evaluation.many_items.counting import Pass
from reportgen.long_tables.unfit import UnfitItems
from reportgen.results import Source
from reportgen.scores.column_roles import BY_CONTENTS
from reportgen.scores.item_sources import ItemSource
from reportgen.settings import Settings


def account_of(
    opened: ItemSource,
    source: Source,
    passed: Pass,
    by_scale: Sequence[ItemsStudy],
    unfit: UnfitItems,
    settings: Settings,
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
            for tallied in by_scale
        ],
        "scales_declared_in": settings.data.scales.name if settings.data.scales else None,
        "items": sum(len(tallied.items) for tallied in by_scale),
        "items_not_evaluated": sorted(unfit.why),
        "items_withheld": sorted(unfit.withheld),
        "protected": settings.privacy.protects_slices,
        "items_refused": {item: unfit.why[item] for item in sorted(unfit.refused)},
        "ids_compared_in": _ids_compared_in(opened) or None,
        "responses_evaluated": sum(tallied.counted.tally.n for tallied in by_scale),
        "responses_left_out": sum(passed.excluded.values()),
        "exclusions": _reasons_told(passed),
        "groups_withheld": sum(
            int((mask.levels | mask.twice).sum()) for tallied in by_scale for mask in tallied.hidden.values()
        ),
        "notes": _notes(opened, by_scale, settings),
        "settings": settings.model_dump(mode="json"),
    }  # fmt: skip


def contents_of(tables: Sequence[LongTable]) -> dict[str, Any]:
    """Return what each table holds."""
    return {
        table.key: {"caption": table.caption, "rows": len(table), "columns": list(table.columns)} for table in tables
    }


def _reasons_told(passed: Pass) -> list[dict[str, Any]]:
    """Return how many responses of how many items each reason left out."""
    responses, items = Counter[str](), Counter[str]()
    for (_, reason), n in passed.excluded.items():
        responses[reason] += n
        items[reason] += n > 0
    return [
        {"reason": each, "responses": responses[each], "items": items[each]} for each in passed.rules if responses[each]
    ]


def _ids_compared_in(opened: ItemSource) -> str:
    """Return the column of ids of which none stands in two rows of an item that is evaluated; empty without one."""
    return opened.wanted.id or _column_of("id", opened, BY_CONTENTS)  # what is found by its contents has no equals


def _column_of(part: str, opened: ItemSource, how: str = "") -> str:
    """Return the first column that plays a part, and was found in some way; empty when there is none."""
    found = (role.columns[0] for role in opened.roles if role.role == part and how in role.how)
    return next(found, "")


def _of_ids(opened: ItemSource) -> str:
    """Return whether somebody looked that no id stands in two rows: else a file that is given twice counts twice."""
    if compared := _ids_compared_in(opened):
        return f"No id in '{compared}' stands in two rows of an item that is evaluated."
    column = _column_of("id", opened)
    where = f"Ids in '{column}'" if column else "Rows without an id"
    return f"{where} were not checked for duplicates: a response that stands in two rows counts twice."


def _of_protection(settings: Settings) -> str:
    """Return whether few responses of an item are shown."""
    least = settings.statistics.min_n_per_group
    if settings.privacy.protects_slices:
        return f"Items of fewer than {least} responses are withheld, and those that would tell of them by subtraction."
    return f"These tables are not protected: items of fewer than {least} responses are shown."


def _notes(opened: ItemSource, by_scale: Sequence[ItemsStudy], settings: Settings) -> list[str]:
    """Return what a reader of the tables must know."""
    notes = [
        _of_protection(settings),
        _of_ids(opened),
        "Intervals take responses as the units.",
    ]
    if candidate := _column_of("candidate", opened):
        notes[-1] += f" The candidates in '{candidate}' are not looked at: within an item each has one response or few."
    if any(tallied.scale.assumed for tallied in by_scale):
        notes.append("The scale was not declared: each item has the one that its own human scores span.")
    if len(opened.wanted.human) > 2:
        notes.append("Of the human raters only the first two are compared; true scores rest on all of them.")
    return notes
