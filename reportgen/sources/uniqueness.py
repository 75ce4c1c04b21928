"""Which values of a column, or of a column within units, stand in two rows.

Fingerprints of 8 bytes a row tell which may; DuckDB compares those as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from reportgen.machine.memory import refuse_above
from reportgen.sources.bridge import whole_to_arrow
from reportgen.sources.columns import as_text
from reportgen.sources.digests import Fingerprints, fingerprints
from reportgen.sources.engine import Engine

PARTS = 16
"""Fingerprints are sorted in parts, by what they begin with, so that they are held once."""


class Repeats(NamedTuple):
    """How often values repeat an earlier one, and the first that does, with its first two rows."""

    n: int
    text: str
    rows: tuple[int, int]


class Rows(NamedTuple):
    """Some rows of a column, in an Arrow array, and the unit of each where units are told apart."""

    ids: Any
    units: Any = None


class Seen:
    """The fingerprints of columns, row by row.

    >>> rows = [Rows(pa.array(["a", "b"])), Rows(pa.array(["c", "b"]))]
    >>> seen = Seen()
    >>> for each in rows:
    ...     seen.add("id", each)
    >>> seen.repeats("id", lambda: iter(rows))
    {'': Repeats(n=1, text='b', rows=(1, 3))}
    """

    def __init__(self) -> None:
        self._prints: dict[str, list[Fingerprints]] = {}
        self._n = 0

    def add(self, column: str, rows: Rows) -> None:
        """Take note of some rows of a column."""
        found = _prints(rows, column)
        self._n += len(found)
        refuse_above(found.itemsize * float(self._n), "comparing ids needs")
        self._prints.setdefault(column, []).append(found)

    def repeats(self, column: str, again: Callable[[], Iterator[Rows]]) -> dict[str, Repeats]:
        """Return the units in which values repeat, the only one without a name; errors as for `Engine`.

        again: Yields the same rows once more; it is called only if fingerprints repeat.
        """
        suspects, start, any_row = self._suspects(column), 0, False
        if not len(suspects):
            return {}
        with closing(Engine("ids cannot be checked")) as engine:
            for rows in again():
                found = _prints(rows, column)
                place = np.minimum(np.searchsorted(suspects, found), len(suspects) - 1)
                here = np.flatnonzero(suspects[place] == found)
                if len(here):
                    engine.add("suspects", _as_table(rows, here, start, column))
                    any_row = True
                start += len(found)
            columns = [each for batch in engine.ask(_REPEATS) for each in batch.to_pylist()] if any_row else []
        return {each["unit"]: Repeats(int(each["n"]), each["text"], (each["one"], each["two"])) for each in columns}

    def _suspects(self, column: str) -> Fingerprints:
        """Return the fingerprints that occur more than once, sorted."""
        found = []
        for part in range(PARTS):
            own = [each[each >> np.uint64(60) == part] for each in self._prints.get(column, ())]
            prints = np.sort(np.concatenate([np.empty(0, np.uint64), *own]))
            found.append(np.unique(prints[1:][prints[1:] == prints[:-1]]))
        return np.concatenate(found)


_REPEATS = """
WITH again AS (SELECT unit, id, count(*) AS n, min(row) AS one FROM suspects GROUP BY unit, id HAVING count(*) > 1),
     first AS (SELECT unit, sum(n) - count(*) AS n, min(one) AS one FROM again GROUP BY unit),
     named AS (SELECT first.*, id FROM first JOIN suspects ON row = one)
SELECT named.unit AS unit, n, coalesce(named.id::VARCHAR, '') AS text, one, min(row) AS two FROM named JOIN suspects
ON suspects.unit = named.unit AND suspects.id IS NOT DISTINCT FROM named.id AND row > one GROUP BY ALL ORDER BY one
"""


def _prints(rows: Rows, column: str) -> Fingerprints:
    """Return the fingerprints of ids within their units."""
    found = fingerprints(rows.ids, column)
    return found if rows.units is None else found ^ (fingerprints(rows.units) << np.uint64(1))


def _as_table(rows: Rows, here: Any, start: int, column: str) -> Any:
    """Return some of the rows, of which the first is row `start` of all."""
    places = whole_to_arrow(here)
    units = pa.repeat("", len(here)) if rows.units is None else rows.units.take(places)
    ids = comparable(rows.ids.take(places), column)
    return pa.table({"unit": units, "id": ids, "row": whole_to_arrow(here + start)})


def comparable(column: Any, name: str) -> Any:
    """Return a column as whole numbers of 64 bits where it holds such, else as text."""
    whole = pa.types.is_integer(column.type) and column.type != pa.uint64()
    return column.cast(pa.int64()) if whole else as_text(column, name)
