"""Counting responses for the studies of systems, and for the comparison of several of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.design.readings import ColumnRoles
from reportgen.design.roles import refuse_long_label
from reportgen.evaluation.counting import ScoreCounter, ScoreCounts, together
from reportgen.evaluation.points import Preparation
from reportgen.results import Scale
from reportgen.scores.screening import Screened, ratings_alone, unscored
from reportgen.settings import Settings
from reportgen.sources.column_names import item_column
from reportgen.sources.columns import Coded, among, levels, refuse_many_levels, with_intersections
from reportgen.tally.kernel import PairedTallier
from reportgen.tally.paired import PairedTally

MOST_CELLS = 1 << 20
"""Cells of the tallies of one pass (each takes some 100 bytes in every grouping)."""

MOST_PLACES = 1 << 20
"""Levels of all groupings, times cells (some 300 bytes each, most of them while parts are merged)."""

MOST_PAIRED = 1 << 20
"""Occupied cells of two systems, in all levels (120 bytes each, and more while parts are merged)."""

Mask = NDArray[np.bool_]


class NeedsRowsError(Exception):
    """Something that is asked for cannot be counted batch by batch; the message says what, and why."""


@dataclass
class Studied:
    """What is counted of responses for the studies of systems, and for their comparison.

    by_all: Of each system, the responses that count for every system; of one system, all of its own.
    others: Of each system, the responses that count for it, but not for every system.
    against: Of each system, family of scores -> these scores and the first system's counted together, of the responses
        that count for every system; empty for the first.
    """

    by_all: tuple[ScoreCounts, ...]
    others: tuple[ScoreCounts, ...]
    against: tuple[Mapping[str, PairedTally], ...]

    def own(self, system: int) -> ScoreCounts:
        """Return what is counted of all responses of a system."""
        return together([self.by_all[system], self.others[system]])


class StudiesCounter:
    """Counts the responses of one system, or of several and of each beside the first.

    Responses that count for every system are counted apart from those that count for some: the comparison is on the
    former, the report of a system on both.
    """

    def __init__(self, settings: Settings, cast: ColumnRoles, prepared: Sequence[tuple[Scale, Preparation]]) -> None:
        self._settings = settings
        self._named = cast.columns("group")
        self._item = item_column(cast.columns("item"), self._named, settings.data.item)
        self._preparations = [each for _, each in prepared]
        self._by_all, self._others = (
            [ScoreCounter(*each, settings.privacy.withhold_small_groups, ranks=True) for each in prepared]
            for _ in range(2)
        )
        self._against: list[dict[str, PairedTallier]] = [{} for _ in prepared]

    def add(self, every: Sequence[Screened], groups: Mapping[str, Coded], column: Callable[[str], Coded]) -> None:
        """Count a batch, screened for every system, also item by item while items are not too many.

        column: Returns the column of items by its name.
        """
        by_all = np.logical_and.reduce([screened.screening.kept for screened in every])
        crossed, most = self.crossed(groups, by_all), self._settings.statistics.max_levels
        few = self._item is not None and all(counter.items <= most for counter in self._by_all)
        items = column(self._item) if self._item is not None and few else None
        for screened, counter, others in zip(every, self._by_all, self._others, strict=True):
            rest = screened.screening.kept & ~by_all
            self._add(counter, screened, by_all, crossed)
            if rest.any():
                self._add(others, screened, rest, self.crossed(groups, rest))
            for each, kept in ((counter, by_all), (others, rest)):
                if items is not None:
                    system, human = among(screened.system.numbers, kept), among(screened.human, kept)
                    each.add_items(system, human, levels(items, kept), most)
            alone = unscored(screened)
            if alone is not None:
                counter.add_unscored(alone.system)
            counter.add_ratings_alone(ratings_alone(screened))
        self._add_pairs(every, by_all, crossed)
        self._refuse_too_much()

    def counts(self) -> Studied | None:
        """Return what was counted; None where no response was."""
        by_all, others = (tuple(counter.counts() for counter in counters) for counters in (self._by_all, self._others))
        against = tuple({family: each.tally() for family, each in found.items()} for found in self._against)
        found = Studied(by_all, others, against)
        return found if any(part.tallies for part in (*by_all, *others)) else None

    def crossed(self, groups: Mapping[str, Coded], kept: Mask) -> dict[str, Coded]:
        """Return the groups of some responses."""
        own = {name: levels(each, kept) for name, each in groups.items()}
        return with_intersections(own, self._settings.data.intersections)

    def _add(self, counter: ScoreCounter, screened: Screened, kept: Mask, groups: Mapping[str, Coded]) -> None:
        """Count some responses of one system."""
        for name in self._named:
            refuse_long_label(name, max(map(len, groups[name].labels if name in groups else ()), default=0))
        counter.meet(groups)
        own = {name: n for name, n in counter.levels.items() if name in self._named}
        refuse_many_levels(own, self._settings.statistics.max_levels)
        counter.add(among(screened.system.numbers, kept), among(screened.human, kept), groups)

    def _add_pairs(self, every: Sequence[Screened], by_all: Mask, groups: Mapping[str, Coded]) -> None:
        """Count what every system but the first gave beside the first."""
        if len(every) < 2 or not by_all.any():
            return
        human = among(every[0].human, by_all)
        scores = [
            each.families(among(screened.system.numbers, by_all))
            for each, screened in zip(self._preparations, every, strict=True)
        ]
        for number, found in enumerate(self._against[1:], start=1):
            bounds = self._preparations[0].bounds, self._preparations[number].bounds
            for family, own in scores[number].items():
                tallier = found.setdefault(family, PairedTallier(bounds))
                tallier.add(human, scores[0][family], own, groups)

    def _refuse_too_much(self) -> None:
        """Raise when what is counted grows with the rows."""
        counters = [*self._by_all, *self._others]
        if any(counter.too_many_scores for counter in counters):
            raise NeedsRowsError("the human scores are continuous")
        cells = sum(counter.cells for counter in counters)
        if cells > MOST_CELLS:
            raise NeedsRowsError("nearly every response has a combination of scores of its own")
        levels = {
            name: max(counter.levels.get(name, 0) for counter in counters)
            for counter in self._by_all for name in counter.levels
        }  # fmt: skip
        if cells * sum(levels.values()) > MOST_PLACES:
            name = max(levels, key=lambda name: levels[name])
            raise NeedsRowsError(
                f"the groups have {sum(levels.values()):,} levels so far, most of them in '{name}', which are too "
                f"many beside {cells:,} combinations of scores"
            )
        paired = sum(tallier.entries for found in self._against for tallier in found.values())
        if paired > MOST_PAIRED:
            raise NeedsRowsError(
                f"the scores of two systems have {paired:,} combinations with groups so far, which are too many to be "
                "counted together"
            )
