"""Sums over few responses that can be worked out by adding and subtracting the sums of shown groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from reportgen.privacy.partitions import Floats, Integers, Mask, Partition, distinct

Difference = Mapping[int, Floats]
"""Number of the partition -> (1 + levels,): the weight of each level, after that of the responses in none."""

ROUNDING = 1e-7
"""A weight up to this is nothing but rounding."""

MOST_CLASSES, MOST_WORK = 1_500, 4e9
"""Sets of levels, and steps of elimination, up to which sums of three and more partitions are looked at one by one."""


class Differences:
    """The sums over fewer than `least` responses that follow from the sums of levels.

    A combination of sums gives every response a weight, the sum of the weights of its levels, and is about the
    responses whose weight is not 0.  Two levels of a partition that many responses tell apart by nothing else must
    have one weight if the combination is to be about few, so they are taken together (`_together`): where no few
    responses can be worked out, this leaves one set of levels and the search ends.

    partitions: All of the same places; what is in no level is the remainder, which follows from the sum of all
        responses.
    weights (places,): responses at each.
    least: Fewest responses that a sum may be about.
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
        """Yield the levels and remainders of few responses."""
        for index, total in enumerate(self._totals):
            for level in np.flatnonzero((total > 0) & (total < self._least)).tolist():
                yield {index: (np.arange(len(total)) == level).astype(np.float64)}

    def of_two(self, wanted: Sequence[bool]) -> Iterator[Difference]:
        """Yield differences of two partitions, one of them wanted: levels of one less those of the other."""
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

        Raises TooManyError: There are too many sets of levels.
        """
        partitions = self._open()
        if not partitions:
            return
        codes, counts = _aggregated(
            [self._codes[p] for p in partitions], [self._sizes[p] for p in partitions], self._counts
        )
        starts = np.cumsum([0, *(self._sizes[p] for p in partitions)])
        nodes = np.stack([each + start for each, start in zip(codes, starts, strict=False)])
        part = _components(int(starts[-1]), nodes[:-1].ravel(), nodes[1:].ravel())[nodes[0]]
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
        """Return which levels of a partition are not in the largest set of levels that must have one weight."""
        own = self._of_level[index]
        largest = np.bincount(own, self._totals[index], self._sizes[index]).argmax()
        return np.asarray((own != largest)[1:])

    def doubtful(self, index: int) -> Mask:
        """Return which levels of a partition have places of few responses that levels may tell apart."""
        small = np.zeros(self._sizes[index], bool)
        small[self._codes[index][self._counts < self._least]] = True
        return np.asarray(small[self._of_level[index]][1:])

    def values(self, difference: Difference) -> Floats:
        """Return (places,): the weight of each response."""
        total: Floats = np.sum([weights[self._levels_of[index]] for index, weights in difference.items()], axis=0)
        return total

    def _open(self) -> list[int]:
        """Return the partitions whose levels are more than one set; none where no place has few responses."""
        if self._counts.min(initial=self._least) >= self._least:
            return []
        return [index for index, codes in enumerate(self._codes) if codes.min() < codes.max()]

    def _together(self) -> bool:
        """Take levels together that no difference about few can tell apart; return whether there were any.

        Where two levels have different weights, one of each two places that differ in them alone has a weight other
        than 0.  Each level is compared with the one of most responses among the same levels of other partitions.
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
                label = _components(size, pairs // size, pairs % size)
                self._of_level[index] = label[self._of_level[index]]
                codes = [label[each] if place == index else each for place, each in enumerate(codes)]
                self._codes, self._counts = _aggregated(codes, self._sizes, counts)
        return found


class TooManyError(Exception):
    """Too many sets of levels are in question to look at all sums of them."""


def _aggregated(codes: Sequence[Integers], sizes: Sequence[int], weights: Floats) -> tuple[list[Integers], Floats]:
    """Return the distinct combinations of codes, and their weights."""
    first, totals = distinct(list(zip(codes, sizes, strict=True)), weights)
    return [each[first] for each in codes], totals


def _components(size: int, one: Integers, other: Integers) -> Integers:
    """Return (size,): the smallest node that each node is linked with."""
    label = np.arange(size)
    while True:
        before = label.copy()
        low = np.minimum(label[one], label[other])
        np.minimum.at(label, one, low)
        np.minimum.at(label, other, low)
        np.minimum.at(label, before[one], low)
        np.minimum.at(label, before[other], low)
        label = label[label]
        if np.array_equal(label, before):
            return label


def _linked(size: int, one: Integers, other: Integers, counts: Floats, least: float) -> tuple[Integers, Floats]:
    """Return sets of nodes that many responses link, and how many link each set to all others."""
    label = np.arange(size)
    while (counts >= least).any():
        big = counts >= least
        merged = _components(size, one[big], other[big])
        label = merged[label]
        one, other = np.minimum(merged[one], merged[other]), np.maximum(merged[one], merged[other])
        apart = one != other
        pairs, at = np.unique(one[apart] * size + other[apart], return_inverse=True)
        counts = np.bincount(at, counts[apart], len(pairs)).astype(np.float64)
        one, other = pairs // size, pairs % size
    degree: Floats = np.bincount(one, counts, size).astype(np.float64) + np.bincount(other, counts, size)
    return label, degree


def _few(places: Integers, counts: Floats, classes: int, least: float) -> Iterator[Floats]:
    """Yield the weights of classes whose combination is about few responses, by elimination.

    Of the combinations that give 0 to all places of many responses, each is made the only one that gives something
    to one of the places, those of most responses first.

    places (places, partitions): the classes of each place, most responses first.
    counts (places,): responses.
    classes: Number of classes.
    least: Fewest responses that a combination may be about.
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
    used = np.zeros(len(free), bool)
    while (left := np.abs(given[~used]).max(axis=0, initial=0.0) > ROUNDING).any():
        place = int(left.argmax())
        row = int(np.where(used, 0.0, np.abs(given[:, place])).argmax())
        free[row] /= given[row, place]
        given[row] /= given[row, place]
        rest = given[:, place].copy()
        rest[row] = 0.0
        free -= np.outer(rest, free[row])
        given -= np.outer(rest, given[row])
        used[row] = True
    nothing = np.linalg.qr(free[~used].T)[0]
    for weights, own in zip(free[used], given[used], strict=True):
        if counts[many:][np.abs(own) > ROUNDING].sum() < least:
            yield weights - nothing @ (nothing.T @ weights)
