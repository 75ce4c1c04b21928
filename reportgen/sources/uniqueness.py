"""Which values of a column, or of a column within units, stand in two rows.

Fingerprints of 8 bytes a row tell which may; DuckDB compares those as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.errors import InputError, RepeatError
from reportgen.machine.memory import NeedsMemoryError, allowed, pass_on, refuse_above, sentence
from reportgen.machine.temporary import trouble
from reportgen.sources.columns import as_text, whole_to_arrow
from reportgen.sources.digests import Fingerprints, fingerprints
from reportgen.sources.tabular import Place


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
        prints = np.sort(np.concatenate([np.empty(0, np.uint64), *self._prints.get(column, ())]))
        suspects, start, any_row = np.unique(prints[1:][prints[1:] == prints[:-1]]), 0, False
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


SHARE = 16
"""DuckDB holds this share of the memory that a run may take (128 MB of 2 GB) before rows wait on disk."""

THREADS = 2
"""Each takes memory of its own."""

BATCH_ROWS = 1 << 16
"""Rows of an answer that are held at a time."""


class Engine:
    """Tables in DuckDB, which are gone when this is closed.

    what: What cannot be done when the temporary folder takes nothing more, for the sentence that says so.
    """

    def __init__(self, what: str) -> None:
        self._what, self._held = what, ExitStack()
        self._tables: set[str] = set()
        self._connection: Any = None

    def add(self, table: str, rows: Any, columns: str = "*") -> None:
        """Append columns of an Arrow table, as SQL names them; the first one says which there are, of which types."""
        with self._told():
            begin = f"INSERT INTO {table}" if table in self._tables else f"CREATE TABLE {table} AS"
            connection = self._connected()
            connection.register("rows_to_add", rows)
            connection.execute(f"{begin} SELECT {columns} FROM rows_to_add")
            connection.unregister("rows_to_add")
        self._tables.add(table)

    def ask(self, sql: str) -> Iterator[Any]:
        """Yield the answer as Arrow record batches, in its order."""
        with self._told():
            for batch in pa.RecordBatchReader.from_stream(self._connected().sql(sql)):
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    yield batch.slice(start, BATCH_ROWS)

    def close(self) -> None:
        """Let go of the rows."""
        self._held.close()
        self._connection = None

    def _connected(self) -> Any:
        """Return the connection; DuckDB is imported when there are rows for it."""
        if self._connection is None:
            import duckdb

            try:
                folder = TemporaryDirectory(prefix="reportgen-", ignore_cleanup_errors=True)
            except OSError as error:
                raise InputError(trouble(self._what, error)) from None
            config: dict[str, Any] = {  # nothing but its own memory and folder
                "memory_limit": f"{allowed() / SHARE:.0f}B",
                "threads": THREADS,
                "temp_directory": self._held.enter_context(folder),
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "python_enable_replacements": False,
            }
            self._connection = self._held.enter_context(duckdb.connect(config=config))
            self._connection.execute("SET enable_external_access = false")
        return self._connection

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what DuckDB raises into the sentence for a disk that is full."""
        import duckdb

        try:
            yield
        except duckdb.OutOfMemoryException:
            raise NeedsMemoryError(f"{self._what}: {sentence()}") from None
        except duckdb.Error as error:
            pass_on(error)
            raise InputError(trouble(self._what, OSError(0, " ".join(str(error).split())[:200]))) from None


def repeats_told(column: str, n: int, first: str | None, rows: Sequence[Place]) -> str:
    """Return what is said of ids that stand in two rows; parameters as for `refuse_repeated_id`.

    Examples
    --------
    >>> repeats_told("id", 1200, "r7", (Place(7), Place(9, "b.csv")))
    "duplicate ids in column 'id': 1,200, the first is 'r7' in rows 7 and 9 of b.csv"
    """
    one, two = rows[:2]
    where = "stands in rows" if first is None else f"is '{first}' in rows"
    return f"duplicate ids in column '{column}': {n:,}, the first {where} {one} and {two}"


def refuse_repeated_id(column: str, n: int, first: str | None, rows: Sequence[Place]) -> NoReturn:
    """Raise for ids that stand in two rows.

    n: How many rows repeat an id of an earlier one.
    first, rows: The first of them, None when it may not be named, and its first two rows.
    Raises RepeatError: Always.
    """
    raise RepeatError(
        repeats_told(column, n, first, rows),
        "make ids unique, name another column with --id NAME, or type --layout long when there is one row per rating.",
    )


def digest_of_ratings(ids: Any, human: NDArray[np.float64], *, interchangeable: bool = False) -> str:
    """Return the SHA-256 of all response ids with their ratings, in the order of the ids.

    It tells that two sets of ratings are the same, and nothing of what they are.  The order of further raters does not
    count, nor that of all raters where they stand in for each other.

    ids: Arrow array of n strings, none of them twice; or None, and the order of the ratings counts.
    human: (n, raters): ratings, NaN where missing, the score of record first.
    interchangeable: Whether raters stand in for each other.

    Returns
    -------
    str
        64 hexadecimal digits; of no responses that of nothing.

    Examples
    --------
    >>> import pyarrow as pa
    >>> one = digest_of_ratings(pa.array(["a", "b"]), np.array([[3.0, np.nan], [4.0, 5.0]]))
    >>> one == digest_of_ratings(pa.array(["b", "a"]), np.array([[4.0, 5.0], [3.0, np.nan]]))
    True
    >>> one == digest_of_ratings(pa.array(["a", "b"]), np.array([[3.0, np.nan], [4.0, 4.0]]))
    False
    """
    digest = hashlib.sha256()
    order = np.arange(len(human))
    if ids is not None:
        import pyarrow as pa
        import pyarrow.compute as pc

        ids = pc.cast(ids, pa.large_string())
        order = pc.sort_indices(ids).to_numpy(zero_copy_only=False)
        digest.update("\0".join(map(str, ids.take(order).to_pylist())).encode())
    ratings = np.array(human[order], np.float64) + 0.0  # a zero has one sign
    lead = 0 if interchangeable else 1
    ratings[:, lead:] = np.sort(ratings[:, lead:], axis=1)  # missing ones come last
    ratings[np.isnan(ratings)] = np.nan
    there = ~np.isnan(ratings).all(axis=0)
    digest.update(np.ascontiguousarray(ratings[:, there]).tobytes())
    return digest.hexdigest()
