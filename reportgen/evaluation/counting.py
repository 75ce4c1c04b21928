"""What is counted of the responses, in one pass over any number of batches: everything that needs no rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import shortened
from reportgen.evaluation.points import Preparation, grid_of, in_whole_points, rounding_on
from reportgen.evaluation.suppression import Combinations, merged
from reportgen.machine.memory import refuse_above
from reportgen.privacy import Mask
from reportgen.results import Scale
from reportgen.tally import OVERALL, Groups, Slices, Tallier, Tally, merge
from reportgen.tally.cells import Integers, RatingsAlone, placed, totals
from reportgen.tally.drawing import Drawn
from reportgen.tally.sums import Floats

PARTS = 8
"""Sets of combinations that wait to be merged."""


@dataclass(frozen=True)
class ScoreCounts:
    """What is counted of one system's scores.

    tallies: Family of scores -> tally.
    on_scale: Family of scores -> whether every score is a point of the scale.
    combinations: What decides who may be shown; None where nothing is withheld.
    points: Tally of the primary scores in steps of the scale; None where its points are whole numbers.
    pairs: Human by engine scores, for rank correlations; None where these are computed from rows.
    unscored: Tally of the scores of responses that only the engine scored, beside a rating of 0; None where they are
        not counted, or none are.
    items: Sums by item, whether items are a grouping or not; None where none are known.
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

    pairs: Counts human by engine scores, maybe of other responses too; None where ranks are taken from rows.
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

        system, human, groups: As for `reportgen.tally.tally_of`.
        all_items (n,): responses with all item scores, of which reported scores are shown; None without item scores.
        drawn: The ratings that may be drawn of each, where none is the score of record; the first rating then need not
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
            # from the middle of the scale, so that no sum of squares loses digits
            centre = (self.scale.low + self.scale.high) / 2
            trimmed = np.clip(primary, *self.preparation.bounds)
            found = ItemSums.of(human[:, 0] - centre, trimmed - centre, items, weights)
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

    Raises ValueError: No part has a response.
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


def on_scale(scores: Floats, scale: Scale) -> bool:
    """Return whether every score is a point of the scale, so that exact agreement has a meaning."""
    return scale.step > 0 and not rounding_on(scale, as_rsmtool=False).between(scores).any()


SUMS = 6
"""Number of sums kept per item: n, x, y, xx, yy, xy."""


@dataclass(frozen=True)
class ItemSums:
    """What is added up of each item; sums of several sets of responses add up.

    labels: Names of the items, sorted.
    sums (6, items): responses, sums of human scores x and engine scores y, of x², y² and xy, from one centre.
    """

    labels: tuple[str, ...]
    sums: Floats

    @classmethod
    def of(
        cls,
        human: Floats,
        system: Floats,
        items: tuple[NDArray[np.integer], Sequence[str]],
        weights: Floats | None = None,
    ) -> ItemSums:
        """Return the sums of some responses.

        human, system: Scores from a centre near them, shape (n,).
        items: Code of each response's item, and the item of each code.
        weights (n,): what each counts for; each is a response when left out.

        Examples
        --------
        >>> human, system = np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 2.0])
        >>> ItemSums.of(human, system, (np.array([0, 0, 1]), ("a", "b"))).sums[:3].tolist()
        [[2.0, 1.0], [3.0, 3.0], [2.0, 2.0]]
        """
        codes, labels = items
        one = np.ones(len(human)) if weights is None else weights
        powers = (one, one * human, one * system, one * human * human, one * system * system, one * human * system)
        order = sorted(range(len(labels)), key=lambda code: labels[code])
        sums = np.stack([totals(codes.astype(np.intp), power, len(labels)) for power in powers])
        return cls(tuple(labels[code] for code in order), sums[:, order])

    def __add__(self, other: ItemSums) -> ItemSums:
        """Return the sums of both sets of responses together."""
        if self.labels == other.labels:
            return ItemSums(self.labels, self.sums + other.sums)
        labels = tuple(sorted({*self.labels, *other.labels}))
        place = {label: index for index, label in enumerate(labels)}
        sums = np.zeros((SUMS, len(labels)))
        for part in (self, other):
            sums[:, [place[label] for label in part.labels]] += part.sums
        return ItemSums(labels, sums)

    def first(self, most: int) -> ItemSums:
        """Return those of no more than so many items."""
        return self if len(self.labels) <= most else ItemSums(self.labels[:most], self.sums[:, :most])


MOST_CELLS = 1 << 20
"""Cells of the table of human by engine scores; more distinct scores than fit are grouped."""

MOST_REFERENCE = 1 << 10
"""Distinct scores of the reference rater that are told apart."""


class RankTable(NamedTuple):
    """A table of reference (rows) by judged scores (columns), both ascending.

    counts (rows, columns): responses.
    width: Of the groups that judged scores are taken in; 0 when each distinct score is its own.
    """

    counts: Floats
    width: float


class RankCounter:
    """Counts pairs of scores batch by batch, exactly while distinct scores are few, and in groups in any case.

    The groups are of equal width between two ends; their number is the largest power of two that fits, so that
    groups become coarser by joining neighbours when a further reference score turns up.

    ends: Between which judged scores lie.

    Examples
    --------
    >>> counter = RankCounter((0.0, 4.0))
    >>> counter.add(np.array([1.0, 2.0, 2.0]), np.array([1.5, 2.5, 2.5]))
    >>> counter.table().counts.tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """

    def __init__(self, ends: tuple[float, float]) -> None:
        self._ends = ends
        self._reference: Floats = np.empty(0)
        self._judged: Floats | None = np.empty(0)
        self._exact = np.zeros((0, 0))
        self._grouped = np.zeros((0, MOST_CELLS))

    @property
    def too_many(self) -> bool:
        """Whether more reference scores occur than are told apart."""
        return len(self._reference) > MOST_REFERENCE

    def add(self, reference: Floats, judged: Floats) -> None:
        """Count some responses, scores of shape (n,) each.

        Once there are too many reference scores, nothing more is counted.
        """
        row, new = placed(reference, self._reference)
        if new.any():
            self._learn(np.unique(reference[new]))
            if self.too_many:
                return
            row = placed(reference, self._reference)[0]
        _count(self._grouped, row, self._column(judged))
        if self._judged is not None:
            place, new = placed(judged, self._judged)
            if new.any() and self._learn_judged(np.unique(judged[new])):
                place = placed(judged, self._judged)[0]
        if self._judged is not None:
            _count(self._exact, row, place)

    def merge(self, others: Iterable[RankCounter]) -> None:
        """Count what others, of the same ends, have counted."""
        for other in others:
            self._learn(np.setdiff1d(other._reference, self._reference))
            if self.too_many:
                return
            rows = np.searchsorted(self._reference, other._reference)
            grouped = other._grouped
            while grouped.shape[1] > self._grouped.shape[1]:
                grouped = _coarser(grouped)
            self._grouped[rows] += grouped
            if other._judged is None:
                self._judged = None
            elif self._judged is not None and self._learn_judged(np.setdiff1d(other._judged, self._judged)):
                self._exact[np.ix_(rows, np.searchsorted(self._judged, other._judged))] += other._exact

    def table(self) -> RankTable:
        """Return the table of every distinct judged score, or of groups of them where these are too many."""
        if self._judged is not None:
            return RankTable(self._exact, 0.0)
        used = np.flatnonzero(self._grouped.any(axis=0))
        return RankTable(self._grouped[:, used], (self._ends[1] - self._ends[0]) / self._grouped.shape[1])

    def place(self, reference: Floats, judged: Floats) -> Integers:
        """Return (n,): where in the table, row by row, responses that were counted are."""
        row = np.searchsorted(self._reference, reference)
        if self._judged is not None:
            return np.asarray(row * len(self._judged) + np.searchsorted(self._judged, judged))
        used = np.flatnonzero(self._grouped.any(axis=0))
        return np.asarray(row * len(used) + np.searchsorted(used, self._column(judged)))

    def _column(self, judged: Floats) -> Integers:
        (low, high), size = self._ends, self._grouped.shape[1]
        share = (judged - low) / (high - low) if high > low else np.zeros(len(judged))
        return np.clip((share * size).astype(np.intp), 0, size - 1)

    def _learn(self, new: Floats) -> None:
        if not new.size:
            return
        known, self._reference = self._reference, np.union1d(self._reference, new)
        if self.too_many:
            return
        rows = np.searchsorted(self._reference, known)
        while self._grouped.shape[1] * len(self._reference) > MOST_CELLS:
            self._grouped = _coarser(self._grouped)
        self._grouped = _spread(self._grouped, rows, len(self._reference))
        if self._judged is not None and self._fits(len(self._judged)):
            self._exact = _spread(self._exact, rows, len(self._reference))

    def _learn_judged(self, new: Floats) -> bool:
        """Make room for new judged scores, each given once; return whether all are few enough to be told apart."""
        known = self._judged if self._judged is not None else np.empty(0)
        if self._fits(len(known) + len(new)) and new.size:
            self._judged = np.union1d(known, new)
            self._exact = _spread(self._exact.T, np.searchsorted(self._judged, known), len(self._judged)).T.copy()
        return self._judged is not None

    def _fits(self, columns: int) -> bool:
        """Return whether so many judged scores fit into the table; lets go of them when not."""
        if columns > MOST_CELLS // max(len(self._reference), 1):
            self._judged, self._exact = None, np.zeros((0, 0))
        return self._judged is not None


def _count(table: Floats, row: Integers, column: Integers) -> None:
    """Count responses in a table; one by one where it has more places than there are responses."""
    place = row * table.shape[1] + column
    if len(place) < table.size:
        np.add.at(table.reshape(-1), place, 1.0)
    else:
        table += np.bincount(place, minlength=table.size).reshape(table.shape)


def _spread(counts: Floats, rows: Integers, size: int) -> Floats:
    """Return counts with their rows moved to new places among `size` of them."""
    wide = np.zeros((size, counts.shape[1]))
    wide[rows] = counts
    return wide


def _coarser(grouped: Floats) -> Floats:
    return np.asarray(grouped.reshape(len(grouped), grouped.shape[1] // 2, 2).sum(axis=2))


PROCESS = 150e6
"""Bytes that every run takes."""

OF_REPORT, OF_TABLES = 88e3, 4.5e3
"""Bytes that a level which is shown takes in a report; one of groups within items, of which there are tables only."""

WITHHELD = 1 / 8
"""The share of that which a level takes that is not shown."""

NAME = 40
"""Characters of a column's name that fit into the sentence."""


def sizes_of(slices: Slices) -> Floats:
    """Return how many responses each level has."""
    return totals(slices.level, slices.sums[0], len(slices.labels))


def refuse_costly_groups(sizes: Mapping[str, Floats], least: int, each: float = OF_REPORT) -> None:
    """Raise when groups need more memory than a run may take.

    sizes: Group column, or columns that are crossed -> (levels,): responses of each.
    least: Fewest responses of a level that is shown; 0 where all are.
    each: Bytes of a level that is shown.
    Raises NeedsMemoryError: As said; names the column that needs most.
    """
    if not sizes:
        return
    needed = {name: each * float(np.where(n >= least, 1.0, WITHHELD).sum()) for name, n in sizes.items()}
    largest, levels = max(needed, key=needed.__getitem__), sum(map(len, sizes.values()))
    what = f"the {levels:,} levels of '{shortened(largest, NAME)}' need"
    if len(sizes) > 1:
        most = f"{len(sizes[largest]):,} of them in '{shortened(largest, NAME)}'"
        what = f"{len(sizes):,} group columns of {levels:,} levels, {most}, need"
    refuse_above(PROCESS + sum(needed.values()), what, "name fewer columns with --group")
