"""What is counted of the responses, in one pass over any number of batches: everything that needs no rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.combinations import Combinations, merged
from reportgen.evaluation.item_sums import ItemSums
from reportgen.evaluation.points import grid_of, in_whole_points
from reportgen.evaluation.preparation import Preparation, rounding_on
from reportgen.evaluation.rank_counts import RankCounter
from reportgen.privacy import Mask
from reportgen.results import Scale
from reportgen.tally import OVERALL, Groups, Tallier, Tally, merge
from reportgen.tally.cells import Floats, RatingsAlone
from reportgen.tally.drawing import Drawn

PARTS = 8
"""Sets of combinations that wait to be merged."""


@dataclass(frozen=True)
class ScoreCounts:
    """What is counted of one system's scores.

    Parameters
    ----------
    tallies
        Family of scores -> tally.
    on_scale
        Family of scores -> whether every score is a point of the scale.
    combinations
        What decides who may be shown; None where nothing is withheld.
    points
        Tally of the primary scores in steps of the scale; None where its points are whole numbers.
    pairs
        Human by engine scores, for rank correlations; None where these are computed from rows.
    unscored
        Tally of the scores of responses that only the engine scored, beside a rating of 0; None where they are not
        counted, or none are.
    items
        Sums by item, whether items are a grouping or not; None where none are known.
    """

    tallies: Mapping[str, Tally]
    on_scale: Mapping[str, bool]
    combinations: Combinations | None = None
    points: Tally | None = None
    pairs: RankCounter | None = None
    unscored: Tally | None = None
    items: ItemSums | None = None

    @property
    def primary(self) -> str:
        """The family of the primary score: rescaled when scores were rescaled."""
        return list(self.tallies)[-1]

    @property
    def groups(self) -> tuple[str, ...]:
        """Group columns."""
        return tuple(name for name in self.tallies[self.primary].slices if name != OVERALL)

    def of_scored(self) -> ScoreCounts:
        """Return what is counted of responses with a system score alone: what systems are compared on."""
        return replace(self, tallies={name: replace(each, ratings_alone={}) for name, each in self.tallies.items()})


@dataclass
class ScoreCounter:
    """Counts batches of responses.

    Parameters
    ----------
    scale, preparation
        The score scale, and how system scores are prepared.
    withholds
        Whether small groups will be withheld.
    pairs
        Counts human by engine scores, maybe of other responses too; None where ranks are taken from rows.
    """

    scale: Scale
    preparation: Preparation
    withholds: bool
    pairs: RankCounter | None = None
    _talliers: dict[str, Tallier] = field(default_factory=dict)
    _on_scale: dict[str, bool] = field(default_factory=dict)
    _combinations: list[Combinations] = field(default_factory=list)
    _levels: dict[str, set[str]] = field(default_factory=dict)
    _points: Tallier | None = None
    _unscored: Tallier | None = None
    _items: ItemSums | None = None
    _alone: RatingsAlone | None = None

    def __post_init__(self) -> None:
        self._grid = grid_of(self.scale, self.preparation.trim, self.preparation.bounds)

    @property
    def cells(self) -> int:
        """How many cells the tallies of all families hold so far."""
        return sum(tallier.cells for tallier in self._talliers.values())

    @property
    def levels(self) -> dict[str, int]:
        """How many levels each grouping has so far."""
        return {name: len(labels) for name, labels in self._levels.items()}

    @property
    def too_many_scores(self) -> bool:
        """Whether the first human scores are too many to be told apart."""
        return self.pairs is not None and self.pairs.too_many

    def meet(self, groups: Groups) -> None:
        """Take note of the levels of a batch, before its responses are counted."""
        for name, (_, labels) in groups.items():
            self._levels.setdefault(name, set()).update(labels)

    def add(
        self, system: Floats, human: Floats, groups: Groups, all_items: Mask | None = None, drawn: Drawn | None = None
    ) -> None:
        """Count the responses of a batch that count.

        Parameters
        ----------
        system, human, groups
            As for `reportgen.tally.tally_of`.
        all_items
            (n,): responses with all item scores, of which reported scores are shown; None without item scores.
        drawn
            The ratings that may be drawn of each, where none is the score of record; the first rating then need not
            be there.
        """
        if not len(system):
            return
        if self.withholds and groups:
            given = human if drawn is None else -np.sort(-human, axis=1)
            self._combinations.append(Combinations.of(given, groups, all_items))
            if len(self._combinations) > PARTS:
                self._combinations = [merged(self._combinations)]
        weights = None
        if drawn is not None:
            system, human, weights = system[drawn.response], drawn.ratings, drawn.weight
            groups = {name: (codes[drawn.response], labels) for name, (codes, labels) in groups.items()}
        families, bounds = self.preparation.families(system), self.preparation.bounds
        for name, scores in families.items():
            self._talliers.setdefault(name, Tallier(bounds)).add(human, scores, groups, weights)
            self._on_scale[name] = self._on_scale.get(name, True) and on_scale(scores, self.scale)
        self.meet(groups)
        primary = next(reversed(families.values()))
        if self.pairs is not None:
            self.pairs.add(human[:, 0], np.clip(primary, *bounds))
        if not in_whole_points(self.scale):
            self._points = self._points or Tallier(self._grid.limits)
            self._points.add(self._grid.ratings(human), self._grid.steps(primary), weights=weights)

    def add_unscored(self, system: Floats) -> None:
        """Count the scores of a batch's responses that only the engine scored."""
        if len(system):
            primary = next(reversed(self.preparation.families(system).values()))
            self._unscored = self._unscored or Tallier(self.preparation.bounds)
            self._unscored.add(np.zeros(len(primary)), primary)

    def add_ratings_alone(self, ratings: Floats, *, drawn: bool = False) -> None:
        """Count (n, raters) two or more ratings each of responses without a system score."""
        if len(ratings):
            found = RatingsAlone.of(ratings, drawn=drawn)
            self._alone = found if self._alone is None else self._alone.together(found)

    @property
    def items(self) -> int:
        """How many items have sums so far."""
        return len(self._items.labels) if self._items else 0

    def add_items(
        self,
        system: Floats,
        human: Floats,
        items: tuple[NDArray[np.integer], Sequence[str]],
        most: int,
        drawn: Drawn | None = None,
    ) -> None:
        """Add up the responses of a batch item by item; with more items than `most`, no more than one above it."""
        if len(system) and self.items <= most:
            weights = None
            if drawn is not None:
                system, human, weights = system[drawn.response], drawn.ratings, drawn.weight
                items = items[0][drawn.response], items[1]
            primary = next(reversed(self.preparation.families(system).values()))
            found = item_sums(primary, human, items, self.scale, self.preparation, weights)
            self._items = (found if self._items is None else self._items + found).first(most + 1)

    def counts(self) -> ScoreCounts:
        """Return what was counted; the tallies are empty when nothing was."""
        alone = {} if self._alone is None else {OVERALL: self._alone}
        return ScoreCounts(
            {name: replace(tallier.tally(), ratings_alone=alone) for name, tallier in self._talliers.items()},
            dict(self._on_scale),
            merged(self._combinations) if self._combinations else None,
            self._points.tally() if self._points else None,
            self.pairs,
            self._unscored.tally() if self._unscored else None,
            self._items,
        )


def together(parts: Sequence[ScoreCounts]) -> ScoreCounts:
    """Return what is counted in all parts together; parts without responses may be among them.

    Raises
    ------
    ValueError
        No part has a response.
    """
    counted = [part for part in parts if part.tallies]
    if not counted:
        raise ValueError("no response was counted")
    combinations = [part.combinations for part in counted if part.combinations is not None]
    points = [part.points for part in counted if part.points is not None]
    unscored = [part.unscored for part in parts if part.unscored is not None]
    items = [part.items for part in counted if part.items is not None]
    pairs = counted[0].pairs
    if pairs is not None:
        pairs.merge(part.pairs for part in counted[1:] if part.pairs is not None)
    return ScoreCounts(
        {name: merge([part.tallies[name] for part in counted]) for name in counted[0].tallies},
        {name: all(part.on_scale[name] for part in counted) for name in counted[0].on_scale},
        merged(combinations) if combinations else None,
        merge(points) if points else None,
        pairs,
        merge(unscored) if unscored else None,
        reduce(add, items) if items else None,
    )


def item_sums(
    primary: Floats,
    human: Floats,
    items: tuple[NDArray[np.integer], Sequence[str]],
    scale: Scale,
    preparation: Preparation,
    weights: Floats | None = None,
) -> ItemSums:
    """Return the sums by item of first human scores and trimmed primary scores, from the middle of the scale."""
    centre = (scale.low + scale.high) / 2
    return ItemSums.of(human[:, 0] - centre, np.clip(primary, *preparation.bounds) - centre, items, weights)


def on_scale(scores: Floats, scale: Scale) -> bool:
    """Return whether every score is a point of the scale, so that exact agreement has a meaning."""
    return scale.step > 0 and not rounding_on(scale, as_rsmtool=False).between(scores).any()
