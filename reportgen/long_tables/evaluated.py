"""What is evaluated, scale by scale, and the items in the order of the tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.many_items import ItemsStudy, LongTable
from reportgen.evaluation.many_items.counting import ItemCountPlan, Pass
from reportgen.evaluation.many_items.items import BY_ITEM, within
from reportgen.evaluation.many_items.withholding import hidden_levels
from reportgen.evaluation.outlay import OF_TABLES, refuse_costly_groups, sizes_of
from reportgen.evaluation.preparation import Preparation, rounding_on
from reportgen.scores.item_batches import UNIT_SEPARATOR
from reportgen.scores.item_scales import BETWEEN
from reportgen.scores.scale import trim_bounds, trim_tolerance
from reportgen.settings import Settings
from reportgen.tally import Tally
from reportgen.wording.names import natural


def evaluated_by_scale(
    passed: Pass, plan: ItemCountPlan, settings: Settings, unfit: Collection[str], also: Sequence[str]
) -> list[ItemsStudy]:
    """Return what is evaluated of the items that are not `unfit`, scale by scale.

    Parameters
    ----------
    also
        Further tables that are asked for.

    Raises
    ------
    InputError
        The groups of the items would take more memory than a run may.
    """
    statistics, preparation, columns = settings.statistics, settings.preparation, plan.wanted
    found = []
    for place, counted in sorted(passed.counted.items()):
        tally = _without(counted.tally, columns.groups, unfit)
        if tally is None:
            continue
        if passed.alone is not None and settings.rsmeval is None:
            tally = replace(tally, ratings_alone={BY_ITEM: passed.alone})
        scale = plan.scales[place]
        tallied = ItemsStudy(
            replace(counted, tally=tally), columns.groups, columns.human, scale,
            Preparation(
                trim_bounds(preparation, scale), trim_tolerance(settings, scale),
                rounding=rounding_on(scale, as_rsmtool=settings.rsmeval is not None),
            ),
            statistics.confidence_level,
            statistics.min_n_per_group, statistics.rater_error_variance, dict(statistics.min_n_by_group),
            also=tuple(also),
        )  # fmt: skip
        sizes = {name: sizes_of(tally.slices[within(name)]) for name in columns.groups}
        refuse_costly_groups(sizes, statistics.min_n_per_group if plan.withholds else 0, scale, each=OF_TABLES)
        if counted.combinations is not None:
            hidden = hidden_levels(tally, tallied.groups, counted.combinations, statistics.min_n_per_group)
            tallied = replace(tallied, hidden=hidden, least=statistics.min_n_per_group)
        found.append(tallied)
    return found


def _without(tally: Tally, groups: Sequence[str], unfit: Collection[str]) -> Tally | None:
    """Return the tally of the items that are evaluated; None where there is none."""
    few = tuple(label for label in tally.slices[BY_ITEM].labels if label in unfit)
    if not few:
        return tally
    if len(few) == len(tally.slices[BY_ITEM].labels):
        return None
    out = {BY_ITEM: few}
    for grouping in groups:
        labels = tally.slices[within(grouping)].labels
        out[within(grouping)] = tuple(label for label in labels if label.split(UNIT_SEPARATOR, 1)[0] in unfit)
    return tally.without(out)


@dataclass(frozen=True)
class EvaluatedItems:
    """Every item, those that are evaluated first, scale by scale.

    Parameters
    ----------
    labels
        What they are called; the column `_item` of a table has places among them.
    by_scale
        What is evaluated.
    unfit
        Items that are not evaluated, and why.
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

    def places(self, labels: Iterable[str]) -> NDArray[np.intp]:
        """Return the places of items."""
        place = {label: index for index, label in enumerate(self.labels)}
        return np.array([place[label] for label in labels], np.intp)

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
        return LongTable(table.key, table.caption, {**columns, **rest})
