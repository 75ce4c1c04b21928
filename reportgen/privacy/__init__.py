"""Decide which groups to hide, so that nothing about a few responses can be derived from the visible groups.

A report shows sums of the same responses: of all of them, of every level of every grouping, of the double-scored ones.
A level with few responses is hidden, but a sum over few can also follow from sums over many. `withheld` therefore
decides for all groupings together, from the levels of each response.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Mask = NDArray[np.bool_]
Short = NDArray[np.signedinteger]

NONE = -1  # code of a response that is in no level of a grouping

SMALL_CODES = 4  # codes up to this many times their number are counted in an array of all codes; larger ones are sorted


@dataclass(frozen=True)
class Partition:
    """One way to divide responses into levels.

    codes (responses,): Level of each response, or `NONE`.
    levels: Number of levels.
    always_shown: Whether its sums are always visible, as the sums of all responses are.
    """

    codes: NDArray[np.integer]
    levels: int
    always_shown: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", short(self.codes, self.levels))

    def sums(self, weights: Floats) -> Floats:
        """Return (levels,): the sum of the weights of each level's responses."""
        totals = np.bincount(self.codes + 1, weights, self.levels + 1)[1:]  # drops the responses in no level
        return totals.astype(np.float64, copy=False)

    def at(self, responses: Integers) -> Partition:
        """Return the partition of some of the responses."""
        return Partition(self.codes[responses], self.levels, self.always_shown)

    def always(self) -> Partition:
        """Return the partition with sums that are always visible."""
        return Partition(self.codes, self.levels, always_shown=True)

    def without(self, levels: Mask) -> Partition:
        """Move the responses of some levels to no level."""
        if not levels.any():
            return self
        return Partition(
            np.where(np.append(levels, False)[self.codes], NONE, self.codes), self.levels, self.always_shown
        )


def short(codes: NDArray[np.integer], levels: int) -> Short:
    """Convert codes from `NONE` to `levels` to the smallest integer type, because there are as many as combinations.

    >>> short(np.array([0, 126]), 127).dtype, short(np.array([0, 126]), 128).dtype
    (dtype('int8'), dtype('int16'))
    """
    return codes.astype(np.min_scalar_type(-levels - 1), copy=False)


def distinct(columns: Sequence[tuple[NDArray[np.integer], int]], counts: NDArray[np.number]) -> tuple[Integers, Floats]:
    """Find the distinct combinations of several codes: the first place of each, in order, and its count.

    columns: (codes of 0 or more, number of codes) of each column; all with as many places as `counts`.
    counts: Number of responses at each place.

    >>> first, counts = distinct([(np.array([1, 0, 1]), 2), (np.array([0, 1, 0]), 2)], np.array([1, 2, 3]))
    >>> first.tolist(), counts.tolist()
    ([1, 0], [2.0, 4.0])
    """
    place: NDArray[np.integer] = np.zeros(len(counts), np.int32)
    size = 1
    for codes, levels in columns:
        if size * levels > SMALL_CODES * len(counts):
            place = _renumbered(place)
            size = int(place.max(initial=-1)) + 1
        size *= levels
        place = place.astype(np.int32 if size <= np.iinfo(np.int32).max else np.int64, copy=False)
        place *= levels
        place += codes
    place = _renumbered(place)
    totals = np.bincount(place, counts).astype(np.float64, copy=False)
    first = np.empty(len(totals), np.intp)
    first[place[::-1]] = np.arange(len(place))[::-1]  # if a place is assigned several times, the last assignment wins
    return first, totals


def atoms(partitions: Sequence[Partition], counts: Floats) -> tuple[list[Partition], Floats]:
    """Return the partitions of the distinct combinations of levels, and the number of responses of each."""
    first, totals = distinct([(partition.codes + 1, partition.levels + 1) for partition in partitions], counts)
    return [partition.at(first) for partition in partitions], totals


def _renumbered(codes: NDArray[np.integer]) -> NDArray[np.integer]:
    """Renumber codes of 0 or more as 0, 1, 2 ... in order, without a sort if codes are small.

    >>> _renumbered(np.array([7, 2, 9, 2])).tolist(), _renumbered(np.array([7, 2, 10**12, 2])).tolist()
    ([1, 0, 2, 0], [1, 0, 2, 0])
    """
    if codes.max(initial=-1) > SMALL_CODES * len(codes):
        return np.asarray(np.unique(codes, return_inverse=True)[1])
    present = np.zeros(codes.max(initial=-1) + 1, np.bool_)
    present[codes] = True
    numbers = np.cumsum(present, dtype=codes.dtype)
    numbers -= 1
    return np.asarray(numbers[codes])


Difference = Mapping[int, Floats]
"""Weights of each level, (1 + levels,), by number of the partition; the first weight is for responses in no level."""

ROUNDING = 1e-7  # weights up to this are rounding noise

MOST_CLASSES, MOST_WORK = 1_500, 4e9
"""Most sets of levels, and elimination steps, for which sums of three or more partitions are searched one by one."""


class Differences:
    """Sums over fewer than `least` responses that follow from the sums of levels.

    A combination of sums gives every response a weight, the sum of the weights of its levels, and covers the responses
    whose weight is not 0. If many responses differ only in two levels of a partition, a combination that covers few
    responses must give both levels the same weight, so the levels are merged (`_together`). If no sum over few
    responses can be derived, one set of levels is left and the search ends.

    partitions: Partitions of the same places; responses in no level are the remainder, which follows from the sum of
        all responses.
    weights (places,): responses at each.
    least: Fewest responses that a sum may cover.
    """

    def __init__(self, partitions: Sequence[Partition], weights: Floats, least: float) -> None:
        self._sizes = [partition.levels + 1 for partition in partitions]
        self._of_level = [np.arange(size) for size in self._sizes]
        codes = [partition.codes.astype(np.intp) + 1 for partition in partitions]
        self._levels_of = codes
        self._totals = [np.bincount(each, weights, size) for each, size in zip(codes, self._sizes, strict=True)]
        self._least = least
        self._codes, self._counts = _aggregated(codes, self._sizes, weights)
        while self._counts.min(initial=least) < least and self._together():
            pass

    def of_levels(self) -> Iterator[Difference]:
        """Yield the levels and remainders with few responses."""
        for index, total in enumerate(self._totals):
            for level in np.flatnonzero((total > 0) & (total < self._least)).tolist():
                yield {index: (np.arange(len(total)) == level).astype(np.float64)}

    def of_two(self, wanted: Sequence[bool]) -> Iterator[Difference]:
        """Yield differences of two partitions, one of them requested: levels of one minus levels of the other."""
        for first, second in combinations(self._open(), 2):
            if not (wanted[first] or wanted[second]):
                continue
            a, b = self._sizes[first], self._sizes[second]
            place, counts = distinct([(self._codes[first], a), (self._codes[second], b)], self._counts)
            ends = self._codes[first][place], a + self._codes[second][place]
            label, degree = _linked(a + b, *ends, counts, self._least)
            for node in np.flatnonzero((degree > 0) & (degree < self._least)).tolist():
                inside = (label == node).astype(np.float64)
                yield {first: inside[:a][self._of_level[first]], second: -inside[a:][self._of_level[second]]}

    def of_many(self) -> Iterator[Difference]:
        """Yield differences of any number of partitions, by elimination; any single place is among them.

        Raises TooManyError: If there are too many sets of levels.
        """
        partitions = self._open()
        if not partitions:
            return
        codes, counts = _aggregated(
            [self._codes[p] for p in partitions], [self._sizes[p] for p in partitions], self._counts
        )
        starts = np.cumsum([0, *(self._sizes[p] for p in partitions)])
        nodes = np.stack([each + start for each, start in zip(codes, starts, strict=False)])
        part = components(int(starts[-1]), nodes[:-1].ravel(), nodes[1:].ravel())[nodes[0]]
        order = np.lexsort((-counts, part))
        for rows in np.split(order, np.flatnonzero(np.diff(part[order])) + 1):
            if counts[rows[-1]] >= self._least:
                continue
            classes, at = np.unique(nodes[:, rows], return_inverse=True)
            for weights in _few(at.reshape(len(nodes), -1).T, counts[rows], len(classes), self._least):
                every = np.zeros(starts[-1])
                every[classes] = weights
                yield {
                    p: every[start : start + self._sizes[p]][self._of_level[p]]
                    for p, start in zip(partitions, starts, strict=False)
                }

    def apart(self, index: int) -> Mask:
        """Return which levels of a partition are outside the largest set of levels that must have equal weight."""
        own = self._of_level[index]
        largest = np.bincount(own, self._totals[index], self._sizes[index]).argmax()
        return np.asarray((own != largest)[1:])

    def doubtful(self, index: int) -> Mask:
        """Return which levels of a partition have places with few responses that levels may distinguish."""
        small = np.zeros(self._sizes[index], bool)
        small[self._codes[index][self._counts < self._least]] = True
        return np.asarray(small[self._of_level[index]][1:])

    def values(self, difference: Difference) -> Floats:
        """Return (places,): the weight of each response."""
        return np.asarray(np.sum([weights[self._levels_of[index]] for index, weights in difference.items()], axis=0))

    def _open(self) -> list[int]:
        if self._counts.min(initial=self._least) >= self._least:
            return []
        return [index for index, codes in enumerate(self._codes) if codes.min() < codes.max()]

    def _together(self) -> bool:
        """Merge levels that no difference over few responses can distinguish; return whether any were merged.

        If two levels have different weights, then of two places that differ only in these levels, one has a weight
        other than 0. Each level is compared with the largest one among the same levels of other partitions.
        """
        draw = np.random.default_rng(0)
        names = [draw.integers(0, 2**63, size, np.uint64) for size in self._sizes]
        found = False
        for index, size in enumerate(self._sizes):
            codes, counts = self._codes, self._counts
            others = np.zeros(len(counts), np.uint64)
            for other, name in enumerate(names):
                if other != index:
                    others += name[codes[other]]
            order = np.lexsort((-counts, others))
            first = np.concatenate([[True], others[order][1:] != others[order][:-1]])
            own = codes[index][order]
            main = own[np.flatnonzero(first)[np.cumsum(first) - 1]]
            pairs, at = np.unique(own * size + main, return_inverse=True)
            shared = np.bincount(at, counts[order])
            pairs = pairs[(shared >= self._least) & (pairs // size != pairs % size)]
            if len(pairs):
                found = True
                label = components(size, pairs // size, pairs % size)
                self._of_level[index] = label[self._of_level[index]]
                codes = [label[each] if place == index else each for place, each in enumerate(codes)]
                self._codes, self._counts = _aggregated(codes, self._sizes, counts)
        return found


class TooManyError(Exception):
    """Too many sets of levels to check all sums of them."""


def _aggregated(codes: Sequence[Integers], sizes: Sequence[int], weights: Floats) -> tuple[list[Integers], Floats]:
    first, totals = distinct(list(zip(codes, sizes, strict=True)), weights)
    return [each[first] for each in codes], totals


def components(size: int, one: Integers, other: Integers) -> Integers:
    """Return (size,): the smallest node linked with each node.

    >>> components(6, np.array([5, 3, 4]), np.array([3, 2, 1])).tolist()
    [0, 1, 2, 2, 1, 2]
    """
    label = np.arange(size)
    while (apart := label[one] != label[other]).any():
        first, second = label[one[apart]], label[other[apart]]
        np.minimum.at(label, np.maximum(first, second), np.minimum(first, second))
        while (label[label] != label).any():
            label = label[label]
    return label


def _linked(size: int, one: Integers, other: Integers, counts: Floats, least: float) -> tuple[Integers, Floats]:
    """Return sets of nodes linked by many responses, and how many responses link each set to all others."""
    label = np.arange(size)
    while (counts >= least).any():
        big = counts >= least
        merged = components(size, one[big], other[big])
        label = merged[label]
        one, other = np.minimum(merged[one], merged[other]), np.maximum(merged[one], merged[other])
        apart = one != other
        pairs, at = np.unique(one[apart] * size + other[apart], return_inverse=True)
        counts = np.bincount(at, counts[apart], len(pairs)).astype(np.float64)
        one, other = pairs // size, pairs % size
    degree: Floats = np.bincount(one, counts, size).astype(np.float64) + np.bincount(other, counts, size)
    return label, degree


def _few(places: Integers, counts: Floats, classes: int, least: float) -> Iterator[Floats]:
    """Yield the weights of classes whose combination covers few responses, by elimination.

    Among the combinations that are 0 at all places with many responses, elimination makes each the only one that is not
    0 at one of the other places, starting with the largest places.

    places (places, partitions): the classes of each place, most responses first; counts (places,): responses.
    """
    if classes > MOST_CLASSES:
        raise TooManyError
    many = int((counts >= least).sum())
    made = np.zeros((len(places), classes))
    np.put_along_axis(made, places, 1.0, axis=1)
    free = np.eye(classes)
    if many:
        values, vectors = np.linalg.eigh(made[:many].T @ made[:many])
        free = vectors[:, values < ROUNDING * values[-1]].T
    given = free @ made[many:].T
    if len(free) ** 2 * given.shape[1] > MOST_WORK:
        raise TooManyError
    start, unused, pivots = given.copy(), np.arange(len(free)), dict[int, int]()
    for place in range(given.shape[1]):  # a place that is 0 in all unused rows stays so
        left = np.abs(given[unused, place])
        if left.max(initial=0.0) <= ROUNDING:
            continue
        row = int(unused[left.argmax()])
        unused = unused[unused != row]
        pivots[row] = place
        given[row] /= given[row, place]
        others = unused[given[unused, place] != 0]
        given[others, place:] -= np.outer(given[others, place], given[row, place:])
    rows = sorted(pivots)
    pivot = [pivots[row] for row in rows]
    own = np.linalg.solve(given[rows][:, pivot], given[rows])
    few = [counts[many:][each].sum() < least for each in np.abs(own) > ROUNDING]
    if any(few):
        used = np.linalg.solve(start[rows][:, pivot], free[rows])
        rest: Floats = free[unused] - start[unused][:, pivot] @ used
        nothing = np.linalg.qr(rest.T)[0]
        for weights in used[few]:
            yield weights - nothing @ (nothing.T @ weights)


MOST_TRIED = 40  # most hidden levels to show again, the largest first, if the other hidden levels suffice


def withheld(
    partitions: Sequence[Partition],
    least: int,
    already: Sequence[Mask] | None = None,
    counts: NDArray[np.number] | None = None,
) -> list[Mask]:
    """Decide for every partition which levels to hide.

    It hides levels with fewer than `least` responses (1 or more), then others, smallest first, until every combination
    of added and subtracted visible levels, and all responses, covers either none or at least `least` responses. Numbers
    that follow from sums that are always visible cannot be protected, so no level is hidden in vain.

    partitions: Partitions of the same responses.
    least: Fewest responses of a visible group.
    already: Levels that are already hidden, of any size; None for none.
    counts: Number of responses (1 or more) at each place of the partitions' codes; None for one each.

    With 12 responses in a, 11 in b, and 3 in c, of 26: c is too small, and b would reveal it by subtraction.

    >>> codes = np.repeat([0, 1, 2], [12, 11, 3])
    >>> withheld([Partition(codes, 3)], least=10)[0].tolist()
    [False, True, True]
    """
    if counts is None:
        counts = np.ones(len(partitions[0].codes) if partitions else 0)
    partitions, weights = atoms(partitions, counts.astype(np.float64))
    sizes = [partition.sums(weights) for partition in partitions]
    hidden = [
        (size > 0) & (size < least) & (not each.always_shown) for each, size in zip(partitions, sizes, strict=True)
    ]
    if already is not None:
        hidden = [mask | given for mask, given in zip(hidden, already, strict=True)]
    if len(weights) and least > 1 and not all(partition.always_shown for partition in partitions):
        known = _known([partition for partition in partitions if partition.always_shown], weights, least)
        first = [mask.copy() for mask in hidden]
        while _withhold_more(partitions, sizes, weights, hidden, least, known):
            pass
        added = [
            (-size[level], index, level)
            for index, (size, mask, own) in enumerate(zip(sizes, hidden, first, strict=True))
            for level in np.flatnonzero(mask & ~own).tolist()
        ]
        for _, index, level in sorted(added)[:MOST_TRIED]:
            trial = [mask.copy() for mask in hidden]
            trial[index][level] = False
            if not _withhold_more(partitions, sizes, weights, trial, least, known, index):
                hidden[index][level] = False
    return hidden


def _withhold_more(
    partitions: Sequence[Partition], sizes: Sequence[Floats], weights: Floats, hidden: Sequence[Mask], least: int,
    known: Callable[[Floats], bool], tried: int | None = None,
) -> bool:  # fmt: skip
    """Hide levels until none of the differences found covers few responses; return whether there were any.

    tried: A partition with a level that is shown again: only differences with it are new, and the first one decides.
    """
    shown = [partition.without(mask) for partition, mask in zip(partitions, hidden, strict=True)]
    found = Differences(shown, weights, least)
    open_ = [not partition.always_shown for partition in partitions]

    def broken(differences: Iterable[Difference]) -> bool:
        new = [np.zeros_like(mask) for mask in hidden]
        for each in differences:
            own = {index: values for index, values in each.items() if open_[index]}
            if own and not _is_broken(shown, new, own) and not known(found.values(each)):
                _break(shown, sizes, hidden, new, own)
                if tried is not None and any(more.any() for more in new):
                    return True
        for mask, more in zip(hidden, new, strict=True):
            mask |= more
        return any(more.any() for more in new)

    wanted = open_ if tried is None else [index == tried for index in range(len(open_))]
    if broken(found.of_two(wanted)) or broken(found.of_levels()):
        return True
    try:
        return broken(found.of_many() if tried is not None else list(found.of_many()))
    except TooManyError:
        apart = [found.apart(index) & may for index, may in enumerate(open_)]
        more = [mask & ~before & (size > 0) for mask, before, size in zip(apart, hidden, sizes, strict=True)]
        largest = max(range(len(more)), key=lambda index: more[index].sum())
        hidden[largest][more[largest]] = True
        return bool(more[largest].any())


def _remainder(shown: Partition, new: Mask) -> Mask:
    return np.concatenate([[bool((shown.codes == NONE).any())], new])


def _is_broken(shown: Sequence[Partition], new: Sequence[Mask], difference: Difference) -> bool:
    together = (values[_remainder(shown[index], new[index])] for index, values in difference.items())
    return any(len(values) and np.ptp(values) > ROUNDING for values in together)


def _break(
    shown: Sequence[Partition], sizes: Sequence[Floats], hidden: Sequence[Mask], new: Sequence[Mask], found: Difference
) -> None:
    """Hide the smallest levels that break a difference: one that differs from the remainder, or the first two."""
    best: tuple[float, int, list[int]] | None = None
    for index, values in found.items():
        levels = np.flatnonzero(~hidden[index] & ~new[index] & (sizes[index] > 0))
        levels = levels[np.argsort(sizes[index][levels], kind="stable")]
        together = values[_remainder(shown[index], new[index])]
        chosen = [] if len(together) else levels[:1].tolist()
        value = together[0] if len(together) else values[1:][chosen]
        apart = levels[np.abs(values[1:][levels] - value) > ROUNDING]
        if len(apart):
            chosen += apart[:1].tolist()
            cost = float(sizes[index][chosen].sum())
            if best is None or cost <= best[0]:
                best = cost, index, chosen
    if best is not None:
        new[best[1]][best[2]] = True


def _known(fixed: Sequence[Partition], weights: Floats, least: int) -> Callable[[Floats], bool]:
    """Return a function that checks whether a sum over few responses follows from always visible sums."""
    if not fixed:
        return lambda _: False
    found = Differences(fixed, weights, least)
    vectors = [*found.of_levels(), *found.of_two([True] * len(fixed))]
    with suppress(TooManyError):  # numbers that are always visible are then protected in vain
        vectors += found.of_many()
    rows = np.array([found.values(each) for each in vectors])

    def follows(values: Floats) -> bool:
        if not len(rows):
            return False
        near = rows[(np.abs(rows[:, np.abs(values) > ROUNDING]) > ROUNDING).any(axis=1)]
        places = (np.abs(near) > ROUNDING).any(axis=0) | (np.abs(values) > ROUNDING)
        left = near[:, places].T
        return bool(np.abs(left @ np.linalg.lstsq(left, values[places], rcond=None)[0] - values[places]).max() < 1e-6)

    return follows


def withheld_slices(sizes: Mapping[tuple[str, ...], int], least: int) -> frozenset[tuple[str, ...]]:
    """Return the hidden slices of a source: those with fewer than `least` responses, and those that protect them.

    Another run may show the counts of all responses, and of slices by fewer columns. Subtracting the visible slices
    from these leaves no responses or at least `least`.

    sizes: Responses by the values of the slicing columns.

    >>> sorted(withheld_slices({("de",): 40, ("fr",): 30, ("is",): 2}, least=10))
    [('fr',), ('is',)]
    >>> sorted(withheld_slices({("de",): 40, ("fr",): 30, ("is",): 6, ("fo",): 7}, least=10))
    [('fo',), ('is',)]
    """
    slices = [values for values, n in sizes.items() if n > 0]
    counts = np.array([sizes[values] for values in slices], np.float64)
    if not (counts < least).any():
        return frozenset()
    own = Partition(np.arange(len(slices)), len(slices))
    every = range(len(slices[0]))
    fewer = [chosen for number in every[1:] for chosen in combinations(every, number)]
    items = [_coarser(sizes, slices, columns, least) for columns in fewer]
    mask = withheld([*(each for each in items if (each.codes != NONE).any()), own], least, counts=counts)[-1]
    return frozenset(values for values, hidden in zip(slices, mask.tolist(), strict=True) if hidden)


def _coarser(
    sizes: Mapping[tuple[str, ...], int], slices: Sequence[tuple[str, ...]], columns: tuple[int, ...], least: int
) -> Partition:
    keys = [tuple(values[column] for column in columns) for values in slices]
    together: Counter[tuple[str, ...]] = Counter()
    for key, values in zip(keys, slices, strict=True):
        together[key] += sizes[values]
    place = {key: number for number, key in enumerate(together)}
    hidden = withheld_slices(together, least)
    codes = [NONE if key in hidden else place[key] for key in keys]
    return Partition(np.array(codes, np.intp), len(place), always_shown=True)
