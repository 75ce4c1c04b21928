"""Ids that stand in two rows of one unit: of the whole source, or of one item, for items may number alike.

They are found by their fingerprints and compared as texts, in bounded memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.scores.ids import refuse_repeated_id
from reportgen.sources.batches import Batched, Piece, Wanted
from reportgen.sources.bridge import texts_to_arrow
from reportgen.sources.columns import as_text, labelled
from reportgen.sources.fingerprints import Fingerprints, fingerprints
from reportgen.sources.uniqueness import Seen

FOLLOWED = 1000
"""Suspicious fingerprints of a whole source whose texts are compared at a time."""

IDS = "ids"
"""What fingerprints of ids within items are called among those that are seen."""

Labelled = tuple[NDArray[np.integer], list[str]]
"""Codes and labels of units, of every row."""


@dataclass(frozen=True)
class Repeats:
    """How often values repeat an earlier one, and the first that does, with its first two rows."""

    n: int
    text: str = ""
    rows: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class IdBatch:
    """Ids of some rows, in an Arrow array, with their fingerprints, and the unit of each row."""

    ids: Any
    prints: Fingerprints
    units: Labelled

    @classmethod
    def within(cls, ids: Any, units: Labelled, key: int) -> IdBatch:
        """Return ids that are compared within their units."""
        return cls(labelled(ids, whole=False), fingerprints_in_items(ids, units, key), units)

    @classmethod
    def of_source(cls, ids: Any, name: str, key: int) -> IdBatch:
        """Return ids that are compared with all others."""
        return cls(ids, fingerprints(ids, name, key), (np.zeros(len(ids), np.intp), [""]))


Batches = Callable[[], Iterator[IdBatch]]
"""Yields the ids of all rows, batch by batch, whenever it is called."""


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


def repeats(pieces: Sequence[Piece], column: str, seen: Seen, whole: Mapping[str, bool]) -> Repeats:
    """Return whether values of a column repeat; the rows are read again only when fingerprints do."""

    def batches() -> Iterator[IdBatch]:
        for piece in pieces:
            for table in piece.batches(Wanted((column,))):
                yield IdBatch.of_source(labelled(table[column], whole.get(column, True)), column, seen.key)

    found, missed = _repeated(batches, seen, column, FOLLOWED)
    return replace(found[""], n=found[""].n + missed) if found else Repeats(0)


def repeats_in_items(batches: Batches, seen: Seen) -> dict[str, Repeats]:
    """Return the items in which ids repeat; the rows are read again only when fingerprints do.

    Parameters
    ----------
    batches
        Yields the ids of all rows, `within` their items.

    Raises
    ------
    InputError
        More ids stand in several rows than can be told apart.
    """
    found, missed = _repeated(batches, seen, IDS, 1)
    if missed:
        surplus, _ = seen.repeated(IDS)
        raise InputError(
            f"{surplus:,} rows repeat an id of their item, more than can be told apart; is a file given twice? Make "
            "ids unique, or name another column with --id NAME."
        )
    return found


def refuse_repeats(found: Repeats, column: str, reader: Batched, *, named: bool) -> None:
    """Raise when an id stands in two rows; the id itself is said only when it may be `named`."""
    if found.n:
        rows = [reader.place(row) for row in found.rows]
        refuse_repeated_id(column, found.n, found.text if named else None, rows)


def _repeated(batches: Batches, seen: Seen, name: str, each: int) -> tuple[dict[str, Repeats], int]:
    """Return the units in which ids repeat, and how many more rows repeat one than are suspected.

    Parameters
    ----------
    each
        Suspicious fingerprints of a unit whose texts are compared at a time.
    """
    surplus, suspects = seen.repeated(name)
    found, missed = dict[str, Repeats](), -1
    while len(suspects):
        look, first = _Look(suspects, each), 0
        for batch in batches():
            look.add(batch, first)
            first += len(batch.prints)
        missed = surplus - look.surplus if missed < 0 else missed
        rest = [np.empty(0, np.intp)]
        for unit, places in look.by_unit():
            if (repeat := look.repeat(places)) is not None:
                found[unit] = repeat
            else:  # ids that differ, and whose fingerprints do not, are no repeats
                rest.append(places[~look.followed[places]])
        suspects = suspects[np.sort(np.concatenate(rest))]
    return found, max(missed, 0)


class _Look:
    """One look at all rows for suspicious fingerprints, and for the texts that the first of them in each unit have."""

    def __init__(self, suspects: Fingerprints, each: int) -> None:
        self._suspects, self._each = suspects, each
        self._n, self._unit = np.zeros(len(suspects), np.int64), np.full(len(suspects), -1, np.intp)
        self._numbers: dict[str, int] = {}
        self._taken: Counter[int] = Counter()
        self._texts: dict[int, dict[str, list[int]]] = {}
        self.followed = np.zeros(len(suspects), np.bool_)
        """(suspects,): whose texts are compared."""

    def add(self, batch: IdBatch, first: int) -> None:
        """Take note of some rows, of which the first is row `first` of all."""
        place = np.minimum(np.searchsorted(self._suspects, batch.prints), len(self._suspects) - 1)
        rows = np.flatnonzero(self._suspects[place] == batch.prints)
        place = place[rows]
        self._n += np.bincount(place, minlength=len(self._n))
        self._follow(place, rows, batch.units)
        followed = self.followed[place]
        place, rows = place[followed], rows[followed]
        texts = as_text(batch.ids.take(pa.array(rows))).to_pylist()
        for row, at, text in zip(rows.tolist(), place.tolist(), texts, strict=True):
            self._texts[at].setdefault(text or "", []).append(first + row)

    def _follow(self, place: NDArray[np.intp], rows: NDArray[np.intp], units: Labelled) -> None:
        """Note the unit of every suspect that is new, and follow the first ones of each unit."""
        new, at = np.unique(place, return_index=True)
        at = np.sort(at[self._unit[new] < 0])
        own = np.array([self._numbers.setdefault(label, len(self._numbers)) for label in units[1]], np.intp)
        self._unit[place[at]] = own[units[0][rows[at]]]
        for suspect, unit in zip(place[at].tolist(), self._unit[place[at]].tolist(), strict=True):
            if self._taken[unit] < self._each:
                self._taken[unit] += 1
                self._texts[suspect] = {}
                self.followed[suspect] = True

    @property
    def surplus(self) -> int:
        """Rows that repeat an earlier one."""
        return int(np.maximum(self._n - 1, 0).sum())

    def by_unit(self) -> Iterator[tuple[str, NDArray[np.intp]]]:
        """Yield every unit and the places of its suspects."""
        labels = list(self._numbers)
        order = np.argsort(self._unit, kind="stable")
        order = order[self._unit[order] >= 0]
        for places in np.split(order, np.flatnonzero(np.diff(self._unit[order])) + 1):
            if len(places):
                yield labels[self._unit[places[0]]], places

    def repeat(self, places: NDArray[np.intp]) -> Repeats | None:
        """Return what repeats among the texts that were compared; None when they differ."""
        texts = [each for place in places[self.followed[places]].tolist() for each in self._texts[place].items()]
        again = [(rows, text) for text, rows in texts if len(rows) > 1]
        if not again:
            return None
        (one, two, *_), text = min(again)
        whole = self.followed[places].all()  # else fingerprints must do
        n = sum(len(rows) - 1 for rows, _ in again) if whole else int((self._n[places] - 1).sum())
        return Repeats(n, text, (one, two))
