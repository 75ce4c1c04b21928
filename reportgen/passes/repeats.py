"""Ids that stand in two rows, found by their fingerprints and compared as texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.scores.batches import Batched, Piece, Wanted
from reportgen.scores.columns import as_text, labelled
from reportgen.scores.fingerprints import fingerprints
from reportgen.scores.ids import refuse_repeated_id
from reportgen.scores.uniqueness import Seen

FOLLOWED = 1000
"""Texts with suspicious fingerprints that are compared; the first of them tell all that is said."""


@dataclass(frozen=True)
class Repeats:
    """How often values of a column repeat an earlier one, and the first that does, with its first two rows."""

    n: int
    text: str = ""
    rows: tuple[int, int] = (0, 0)


def repeats(pieces: Sequence[Piece], column: str, seen: Seen, whole: Mapping[str, bool]) -> Repeats:
    """Return whether values of a column repeat; the rows are read again only when fingerprints do."""
    n, suspects = seen.repeated(column)
    if not n:
        return Repeats(0)
    followed: dict[str, list[int]] = {}
    done = 0
    for piece in pieces:
        for table in piece.batches(Wanted((column,))):
            labels = labelled(table[column], whole.get(column, True))
            found = fingerprints(labels, column)
            place = np.minimum(np.searchsorted(suspects, found), len(suspects) - 1)
            marked = np.flatnonzero(suspects[place] == found)
            for row, text in zip(marked.tolist(), as_text(labels.take(marked), column).to_pylist(), strict=True):
                if text in followed or len(followed) < FOLLOWED:
                    followed.setdefault(text or "", []).append(done + row)
            done += table.num_rows
    if len(followed) < FOLLOWED:  # all were compared: fingerprints of different texts may be equal
        n = sum(len(rows) - 1 for rows in followed.values())
    first = next(((text, rows) for text, rows in followed.items() if len(rows) > 1), None)
    return Repeats(n, first[0], (first[1][0], first[1][1])) if first else Repeats(0)


def refuse_repeats(found: Repeats, column: str, reader: Batched, *, named: bool) -> None:
    """Raise when an id stands in two rows; the id itself is said only when it may be `named`."""
    if found.n:
        rows = [reader.place(row) for row in found.rows]
        refuse_repeated_id(column, found.n, found.text if named else None, rows)
