"""Ids that stand in two rows of one item, found by their fingerprints and compared as texts, in bounded memory.

Two items may number their responses alike: what is compared is the id within its item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.sources.bridge import texts_to_arrow
from reportgen.sources.columns import as_text, labelled
from reportgen.sources.fingerprints import Fingerprints, fingerprints
from reportgen.sources.uniqueness import Seen

IDS = "ids"
"""What fingerprints of ids are called among those that are seen."""

Labelled = tuple[NDArray[np.integer], list[str]]
"""Codes and labels of items, of every row."""

Batches = Callable[[], Iterator[tuple[Any, Labelled]]]
"""Yields ids (an Arrow array) and items of all rows, batch by batch, whenever it is called."""


def fingerprints_in_items(ids: Any, items: Labelled, key: int) -> Fingerprints:
    """Return the fingerprints of ids within their items, shape (n,).

    Examples
    --------
    >>> found = fingerprints_in_items(pa.array(["1", "2", "1", "1"]), (np.array([0, 0, 1, 0]), ["A", "B"]), key=7)
    >>> len(set(found.tolist())), bool(found[0] == found[3])
    (3, True)
    """
    own = fingerprints(texts_to_arrow(items[1]), key=key ^ 1)  # an id that is called as its item is no other's
    found = fingerprints(labelled(ids, whole=False), key=key)
    found ^= own[items[0]]
    return found


def repeated_in_items(batches: Batches, seen: Seen) -> dict[str, tuple[int, str, tuple[int, int]]]:
    """Return item -> how many of its rows repeat an id, the first such id, and its first two rows; rows from 0.

    The rows are read again, twice, where fingerprints repeat.

    Raises
    ------
    InputError
        More ids stand in several rows than can be told apart.
    """
    surplus, suspects = seen.repeated(IDS)
    found: dict[str, tuple[int, str, tuple[int, int]]] = {}
    if not surplus:
        return found
    counted = _Counted(suspects)
    for first, ids, items in _rows(batches):
        counted.add(fingerprints_in_items(ids, items, seen.key), items, first)
    if counted.surplus < surplus:
        raise InputError(
            f"{surplus:,} rows repeat an id of their item, more than can be told apart; is a file given twice? Make "
            "ids unique, or name another column with --id NAME."
        )
    left = counted.by_item()
    while left:
        asked = np.array([places[0] for places in left.values()], np.intp)
        texts = _texts(batches, np.sort(suspects[asked]), seen.key)
        for item, places in list(left.items()):
            repeated = [(rows, text) for text, rows in texts[int(suspects[places[0]])].items() if len(rows) > 1]
            if repeated:
                (one, two), text = min(repeated)
                found[item] = sum(int(counted.n[place]) - 1 for place in places), text, (one, two)
            if repeated or len(places) == 1:  # ids that differ, and whose fingerprints do not, are no repeats
                del left[item]
            else:
                left[item] = places[1:]
    return found


class _Counted:
    """How often each of some fingerprints occurs, where first, and in which item."""

    def __init__(self, suspects: Fingerprints) -> None:
        self._suspects = suspects
        self.n = np.zeros(len(suspects), np.int64)
        self._first = np.full(len(suspects), -1, np.int64)
        self._item = np.zeros(len(suspects), np.int64)
        self._numbers: dict[str, int] = {}

    def add(self, found: Fingerprints, items: Labelled, first: int) -> None:
        """Take note of some rows, of which the first is row `first` of all."""
        place, rows = _marked(found, self._suspects)
        self.n += np.bincount(place, minlength=len(self.n))
        new, at = np.unique(place, return_index=True)
        new, at = new[self._first[new] < 0], at[self._first[new] < 0]
        own = np.array([self._numbers.setdefault(label, len(self._numbers)) for label in items[1]], np.int64)
        self._first[new] = first + rows[at]
        self._item[new] = own[items[0][rows[at]]]

    @property
    def surplus(self) -> int:
        """Rows that repeat an earlier one."""
        return int((self.n - 1).sum())

    def by_item(self) -> dict[str, list[int]]:
        """Return item -> the places of its fingerprints, in the order of their first rows."""
        found: dict[str, list[int]] = {}
        labels = list(self._numbers)
        for place in np.argsort(self._first).tolist():
            found.setdefault(labels[self._item[place]], []).append(place)
        return found


def _texts(batches: Batches, asked: Fingerprints, key: int) -> dict[int, dict[str, list[int]]]:
    """Return fingerprint -> each text that has it -> its first two rows."""
    texts: dict[int, dict[str, list[int]]] = {each: {} for each in asked.tolist()}
    for first, ids, items in _rows(batches):
        found = fingerprints_in_items(ids, items, key)
        _, rows = _marked(found, asked)
        told = as_text(labelled(ids, whole=False).take(pa.array(rows))).to_pylist()
        for row, each, text in zip(rows.tolist(), found[rows].tolist(), told, strict=True):
            known = texts[each].setdefault(text or "", [])
            if len(known) < 2:
                known.append(first + row)
    return texts


def _rows(batches: Batches) -> Iterator[tuple[int, Any, Labelled]]:
    """Yield where each batch begins among all rows, and the batch."""
    first = 0
    for ids, items in batches():
        yield first, ids, items
        first += len(ids)


def _marked(found: Fingerprints, suspects: Fingerprints) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places among sorted suspects of the rows that are suspicious, and these rows."""
    place = np.minimum(np.searchsorted(suspects, found), len(suspects) - 1)
    rows = np.flatnonzero(suspects[place] == found)
    return place[rows], rows
