"""Ids that stand in two rows, found by their fingerprints and compared as texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.scores.ids import refuse_repeated_id
from reportgen.sources.batches import Batched, Piece, Wanted
from reportgen.sources.columns import as_text, labelled
from reportgen.sources.fingerprints import Fingerprints, fingerprints
from reportgen.sources.uniqueness import Seen

FOLLOWED = 1000
"""Suspicious fingerprints whose texts are compared at a time; the first texts that repeat tell all that is said."""


@dataclass(frozen=True)
class Repeats:
    """How often values of a column repeat an earlier one, and the first that does, with its first two rows."""

    n: int
    text: str = ""
    rows: tuple[int, int] = (0, 0)


def repeats(pieces: Sequence[Piece], column: str, seen: Seen, whole: Mapping[str, bool]) -> Repeats:
    """Return whether values of a column repeat; the rows are read again only when fingerprints do."""
    n, suspects = seen.repeated(column)
    while len(suspects):
        followed = _followed(pieces, column, seen.key, whole, suspects)
        rows = [(text, rows) for texts in followed.values() for text, rows in texts.items() if len(rows) > 1]
        if rows:
            if len(suspects) <= FOLLOWED:  # all were compared: fingerprints of different texts may be equal
                n = sum(len(found) - 1 for _, found in rows)
            text, (first, second, *_) = min(rows, key=lambda found: found[1][0])
            return Repeats(n, text, (first, second))
        suspects = suspects[~np.isin(suspects, np.array(list(followed) or suspects, np.uint64))]
    return Repeats(0)


def _followed(
    pieces: Sequence[Piece], column: str, key: int, whole: Mapping[str, bool], suspects: Fingerprints
) -> dict[int, dict[str, list[int]]]:
    """Return the rows of the texts of each suspicious fingerprint, those that come first and no more than some."""
    followed: dict[int, dict[str, list[int]]] = {}
    done = 0
    for piece in pieces:
        for table in piece.batches(Wanted((column,))):
            labels = labelled(table[column], whole.get(column, True))
            found = fingerprints(labels, column, key)
            place = np.minimum(np.searchsorted(suspects, found), len(suspects) - 1)
            marked = np.flatnonzero(suspects[place] == found)
            texts = as_text(labels.take(marked), column).to_pylist()
            for row, each, text in zip(marked.tolist(), found[marked].tolist(), texts, strict=True):
                if each in followed or len(followed) < FOLLOWED:
                    rows = followed.setdefault(each, {}).setdefault(text or "", [])
                    if len(rows) < 2 or len(suspects) <= FOLLOWED:
                        rows.append(done + row)
            done += table.num_rows
    return followed


def refuse_repeats(found: Repeats, column: str, reader: Batched, *, named: bool) -> None:
    """Raise when an id stands in two rows; the id itself is said only when it may be `named`."""
    if found.n:
        rows = [reader.place(row) for row in found.rows]
        refuse_repeated_id(column, found.n, found.text if named else None, rows)
