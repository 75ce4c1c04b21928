"""Counts of responses, from one pass over any number of batches, for everything that requires no rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import shortened
from reportgen.evaluation.points import Grid, Preparation, in_whole_points, rounding_on
from reportgen.evaluation.suppression import Combinations, merged
from reportgen.machine.memory import refuse_above
from reportgen.privacy import Mask
from reportgen.results import Scale
from reportgen.tally import OVERALL, Floats, Groups, Integers, Tallier, Tally, WeightedRatings, merge
from reportgen.tally.cells import LevelSums, numbered, sums_of_ratings

PARTS = 8  # sets of combinations that are collected before merging


class ScoreCounts(NamedTuple):
    """Counts of one system's scores.

    combinations: groups and scores for deciding what to withhold; None if nothing is withheld.
    unscored: tally of the responses that only the engine scored, with a rating of 0; None if there are none.
    """

    tallies: Mapping[str, Tally]
    on_scale: Mapping[str, bool]  # whether every score of a family is a point of the scale
    combinations: Combinations | None = None
    points: Tally | None = None  # tally of the primary scores in steps of the scale; None if its points are integers
    pairs: RankTable | None = None  # human by engine scores for rank correlations; None if these are computed from rows
    unscored: Tally | None = None
    items: LevelSums | None = None  # sums by item, even if items are not a grouping; None without items

    @property
    def primary(self) -> str:
        """The family of the primary score: rescaled if scores were rescaled."""
        return list(self.tallies)[-1]

    @property
    def groups(self) -> tuple[str, ...]:
        """Group columns."""
        return tuple(name for name in self.tallies[self.primary].slices if name != OVERALL)

    def of_scored(self) -> ScoreCounts:
        """Return the counts of responses with a system score, for comparisons of systems."""
        return self._replace(tallies={name: replace(each, ratings_alone={}) for name, each in self.tallies.items()})


@dataclass
class ScoreCounter:
    """Counts batches of responses and, for rank correlations without rows, human by engine scores (`ranks`)."""

    scale: Scale
    preparation: Preparation
    withholds: bool
    ranks: bool = False
    _talliers: dict[str, Tallier] = field(default_factory=dict)
    _on_scale: dict[str, bool] = field(default_factory=dict)
    _combinations: list[Combinations] = field(default_factory=list)
    _levels: dict[str, set[str]] = field(default_factory=dict)
    _points: Tallier | None = None
    _unscored: Tallier | None = None
    _items: LevelSums | None = None
    _alone: LevelSums | None = None
    _pairs: RankTable | None = None

    def __post_init__(self) -> None:
        self._grid = Grid.of(self.scale, self.preparation)

    @property
    def cells(self) -> int:
        """Number of cells in the tallies of all families so far."""
        return sum(tallier.cells for tallier in self._talliers.values())

    @property
    def levels(self) -> dict[str, int]:
        """Number of levels of each grouping so far."""
        return {name: len(labels) for name, labels in self._levels.items()}

    @property
    def too_many_scores(self) -> bool:
        """Whether there are too many first human scores to distinguish."""
        return self._pairs is not None and len(self._pairs.reference) > MOST_REFERENCE

    def meet(self, groups: Groups) -> None:
        """Record the levels of a batch before its responses are counted."""
        for name, (_, labels) in groups.items():
            self._levels.setdefault(name, set()).update(labels)

    def add(
        self,
        system: Floats,
        human: Floats,
        groups: Groups,
        all_items: Mask | None = None,
        counted: WeightedRatings | None = None,
    ) -> None:
        """Count the usable responses of a batch.

        system, human, groups: as for `reportgen.tally.tally_of`.
        all_items (n,): whether a response has all item scores, for reported scores; None without item scores.
        counted: rows to count instead; with interchangeable raters, the first rating can be missing.
        """
        if not len(system):
            return
        if self.withholds and groups:
            given = -np.sort(-human, axis=1) if counted and counted.drawn else human
            self._combinations.append(Combinations.of(given, groups, all_items))
            if len(self._combinations) > PARTS:
                self._combinations = [merged(self._combinations)]
        system, human, weights, groups = _in_place(counted, system, human, groups)
        families, bounds = self.preparation.families(system), self.preparation.bounds
        for name, scores in families.items():
            self._talliers.setdefault(name, Tallier(bounds)).add(human, scores, groups, weights)
            self._on_scale[name] = self._on_scale.get(name, True) and on_scale(scores, self.scale)
        self.meet(groups)
        primary = next(reversed(families.values()))
        if self.ranks:
            found = RankTable.of(human[:, 0], np.clip(primary, *bounds), bounds)
            self._pairs = RankTable.merged([self._pairs, found]) if self._pairs else found
        if not in_whole_points(self.scale):
            self._points = self._points or Tallier(self._grid.limits)
            self._points.add(self._grid.ratings(human), self._grid.steps(primary), weights=weights)

    def add_unscored(self, system: Floats) -> None:
        """Count the responses of a batch that only the engine scored."""
        if len(system):
            primary = next(reversed(self.preparation.families(system).values()))
            self._unscored = self._unscored or Tallier(self.preparation.bounds)
            self._unscored.add(np.zeros(len(primary)), primary)

    def add_ratings_alone(self, ratings: Floats, *, drawn: bool = False) -> None:
        """Count responses without a system score that have at least two of (n, raters) ratings."""
        if len(ratings):
            found = sums_of_ratings(ratings, drawn=drawn)
            self._alone = found if self._alone is None else self._alone + found

    @property
    def items(self) -> int:
        """Number of items with sums so far."""
        return len(self._items.labels) if self._items else 0

    def add_items(
        self, system: Floats, human: Floats, items: tuple[NDArray[np.integer], Sequence[str]], most: int,
        counted: WeightedRatings | None = None,
    ) -> None:  # fmt: skip
        """Add the responses of a batch by item; stop one above `most` items."""
        if len(system) and self.items <= most:
            system, human, weights, groups = _in_place(counted, system, human, {"": items})
            # measured from the middle of the scale, to avoid cancellation
            centre = (self.scale.low + self.scale.high) / 2
            found = item_sums(human[:, 0] - centre, self.preparation.primary(system) - centre, groups[""], weights)
            every = found if self._items is None else self._items + found
            self._items = LevelSums(every.labels[: most + 1], every.sums[:, : most + 1])

    def counts(self) -> ScoreCounts:
        """Return all counts; the tallies are empty without responses."""
        alone = {} if self._alone is None else {OVERALL: self._alone}
        tallies = {name: replace(each.tally(), ratings_alone=alone) for name, each in self._talliers.items()}
        combinations = merged(self._combinations) if self._combinations else None
        points, unscored = (each.tally() if each else None for each in (self._points, self._unscored))
        return ScoreCounts(tallies, dict(self._on_scale), combinations, points, self._pairs, unscored, self._items)


def _in_place(
    counted: WeightedRatings | None, system: Floats, human: Floats, groups: Groups
) -> tuple[Floats, Floats, Floats | None, Groups]:
    if counted is None:
        return system, human, None, groups
    theirs = {name: (codes[counted.response], labels) for name, (codes, labels) in groups.items()}
    return system[counted.response], counted.ratings, counted.weight, theirs


Counted = TypeVar("Counted")


def together(parts: Sequence[ScoreCounts]) -> ScoreCounts:
    """Merge the counts of all parts, some of which can be empty."""
    counted = [part for part in parts if part.tallies]
    if not counted:
        raise ValueError("no response was counted")

    def of_all(each: Iterable[Counted | None], both: Callable[[list[Counted]], Counted]) -> Counted | None:
        known = [part for part in each if part is not None]
        return both(known) if known else None

    return ScoreCounts(
        {name: merge([part.tallies[name] for part in counted]) for name in counted[0].tallies},
        {name: all(part.on_scale[name] for part in counted) for name in counted[0].on_scale},
        of_all((part.combinations for part in counted), merged),
        of_all((part.points for part in counted), merge),
        of_all((part.pairs for part in counted), RankTable.merged),
        of_all((part.unscored for part in parts), merge),
        of_all((part.items for part in counted), lambda items: reduce(add, items)),
    )


def on_scale(scores: Floats, scale: Scale) -> bool:
    """Return whether every score is a point of the scale, so exact agreement is meaningful."""
    return scale.step > 0 and not rounding_on(scale, as_rsmtool=False).between(scores).any()


def item_sums(
    human: Floats, system: Floats, items: tuple[NDArray[np.integer], Sequence[str]], weights: Floats | None = None
) -> LevelSums:
    """Compute by item the number of responses, and the sums of human x, engine y, x², y², and xy.

    human, system (n,): scores minus a number near them.
    items: code of each response's item, and the item of each code.
    weights (n,): weight of each response; default: 1.

    >>> human, system = np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 2.0])
    >>> item_sums(human, system, (np.array([0, 0, 1]), ("a", "b"))).sums[:3].tolist()
    [[2.0, 1.0], [3.0, 3.0], [2.0, 2.0]]
    """
    one = np.ones(len(human)) if weights is None else weights
    factors = (1.0, human, system, human * human, system * system, human * system)
    return LevelSums.of(*items, [one * each for each in factors])


MOST_CELLS = 1 << 20
"""Cells of the table of human by engine scores; if there are more distinct scores, they are grouped."""

MOST_REFERENCE = 1 << 10  # distinct scores of the reference rater that are distinguished


@dataclass(frozen=True)
class RankTable:
    """A table of reference scores (rows) by evaluated scores (columns), both ascending.

    It is the same for every partition of the responses. Each distinct evaluated score has a column, or if there are too
    many, each group of equal width between two ends. The number of groups is the largest power of two that fits, so
    merging neighbors makes groups coarser.

    counts (rows, columns): responses.
    judged: score of each column; None if columns are groups.

    >>> table = RankTable.of(np.array([1.0, 2.0, 2.0]), np.array([1.5, 2.5, 2.5]), (0.0, 4.0))
    >>> table.counts.tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """

    counts: Floats
    reference: Floats
    judged: Floats | None
    ends: tuple[float, float]

    @classmethod
    def of(
        cls,
        reference: Floats,
        judged: Floats,
        ends: tuple[float, float],
        weights: Floats | None = None,
        most: int | None = None,
    ) -> RankTable:
        """Return the table of weighted scores, (n,), with at `most` this many groups."""
        row, first = numbered([reference])
        column, at = numbered([judged])
        rows, known, columns = reference[first], judged[at], len(at)
        grouped = most is not None or columns * len(rows) > MOST_CELLS
        if grouped:
            columns = min(most or MOST_CELLS, 1 << (max(MOST_CELLS // len(rows), 1).bit_length() - 1))
            column = _grouped(judged, ends, columns)
        counts = np.zeros((len(rows), columns))
        np.add.at(counts, (row, column), 1.0 if weights is None else weights)
        return cls(counts, rows, None if grouped else known, ends)

    @classmethod
    def merged(cls, parts: Sequence[RankTable]) -> RankTable:
        """Merge the tables of multiple parts with the same ends."""
        occupied = [part.counts.nonzero() for part in parts]
        of_parts = list(zip(parts, occupied, strict=True))
        reference = np.concatenate([part.reference[row] for part, (row, _) in of_parts])
        judged = np.concatenate([part.columns[column] for part, (_, column) in of_parts])
        weights = np.concatenate([part.counts[place] for part, place in of_parts])
        groups = [part.counts.shape[1] for part in parts if part.judged is None]
        return cls.of(reference, judged, parts[0].ends, weights, min(groups, default=None))

    @property
    def columns(self) -> Floats:
        """The evaluated score of each column, or the middle of each group."""
        middles = self.ends[0] + self.width * (np.arange(self.counts.shape[1]) + 0.5)
        return np.asarray(middles if self.judged is None else self.judged, np.float64)

    @property
    def width(self) -> float:
        """The width of the groups of evaluated scores; 0 if each distinct score has a column."""
        return 0.0 if self.judged is not None else (self.ends[1] - self.ends[0]) / self.counts.shape[1]

    def place(self, reference: Floats, judged: Floats) -> Integers:
        """Return (n,): position of counted responses in the flattened table."""
        columns = self.counts.shape[1]
        column = _grouped(judged, self.ends, columns) if self.judged is None else np.searchsorted(self.judged, judged)
        return np.asarray(np.searchsorted(self.reference, reference) * columns + column)


def _grouped(judged: Floats, ends: tuple[float, float], groups: int) -> Integers:
    low, high = ends
    share = (judged - low) / (high - low) if high > low else np.zeros(len(judged))
    return np.clip((share * groups).astype(np.intp), 0, groups - 1)


PROCESS = 150e6  # memory of every run in bytes

OF_REPORT, OF_TABLES = 88e3, 4.5e3
"""Memory of a shown level in bytes, in a report and as a group within items, which has only tables."""

WITHHELD = 1 / 8  # memory of a withheld level as a share of a shown one

NAME = 40  # characters of a column's name that fit into the message


def refuse_costly_groups(sizes: Mapping[str, Floats], least: int, each: float = OF_REPORT) -> None:
    """Raise an error if groups with these `sizes`, shown from `least` responses, require too much memory."""
    if not sizes:
        return
    needed = {name: each * float(np.where(n >= least, 1.0, WITHHELD).sum()) for name, n in sizes.items()}
    largest, levels = max(needed, key=needed.__getitem__), sum(map(len, sizes.values()))
    what = f"the {levels:,} levels of '{shortened(largest, NAME)}' require"
    if len(sizes) > 1:
        most = f"{len(sizes[largest]):,} of them in '{shortened(largest, NAME)}'"
        what = f"{len(sizes):,} group columns of {levels:,} levels, {most}, require"
    refuse_above(PROCESS + sum(needed.values()), what, "choose fewer columns with --group")
