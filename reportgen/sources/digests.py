"""Hash values independently of their layout in memory, and find values of a column, or a unit, that repeat.

Fingerprints of 8 bytes per row find possible repeats; DuckDB compares the values themselves.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cached_property, reduce
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.machine.memory import NeedsMemoryError, allowed, pass_on, refuse_above, sentence
from reportgen.machine.temporary import trouble
from reportgen.sources.columns import as_text, integers_to_arrow, to_numpy

TEXTS = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
"""Types of texts and bytes of any length."""


class Digest:
    """SHA-256 of the values of a table, added in batches.

    The memory behind missing values, and buffers that text columns share, do not affect it.

    schema: Names and types of the columns.

    >>> table = pa.table({"human": [1, None, 2]})
    >>> digest = Digest(table.schema)
    >>> for batch in table.to_batches():
    ...     digest.add(batch)
    >>> digest.hexdigest()[:8], digest.bytes
    ('5ddd235f', 25)
    """

    def __init__(self, schema: Any) -> None:
        self._hash = hashlib.sha256(schema.serialize())
        self.bytes = 0  # bytes of the values and of the mask of missing values

    def add(self, batch: Any) -> None:
        """Add a batch; the batch sizes affect the hash."""
        for column in batch.columns:
            for part in _bytes_of(column):
                self._hash.update(part)
                self.bytes += len(part)

    def hexdigest(self) -> str:
        """Return the hash."""
        return self._hash.hexdigest()


def _bytes_of(column: Any) -> list[bytes]:
    """Return the mask of a column's values, and the values."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    there = to_numpy(column.is_valid(), np.bool_, False)
    mask = np.packbits(there).tobytes()
    kind = column.type
    if pa.types.is_boolean(kind):
        return [mask, np.packbits(to_numpy(column, np.bool_, False)).tobytes()]
    if str(kind) in TEXTS:
        text = column.cast(pa.large_binary())
        text = pc.fill_null(text, b"") if text.null_count else text
        if not len(text):
            return [mask]
        _, offsets, data = text.buffers()
        ends = np.frombuffer(offsets, np.int64, len(text) + 1, 8 * text.offset)
        return [mask, np.diff(ends).tobytes(), data.slice(ends[0], ends[-1] - ends[0]).to_pybytes() if data else b""]
    if pa.types.is_primitive(kind) or pa.types.is_decimal(kind) or pa.types.is_fixed_size_binary(kind):
        width = kind.bit_width // 8
        values = np.frombuffer(column.buffers()[1] or b"", np.uint8)[column.offset * width :][: len(column) * width]
        if column.null_count:
            values = values.reshape(len(column), width) * there[:, None]
        return [mask, values.tobytes()]
    return [mask, repr(column.to_pylist()).encode()]


Fingerprints = NDArray[np.uint64]

BLOCK_ROWS = 1 << 14  # texts per block of fingerprints, so that the memory fits in the processor's cache

_MISSING = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def fingerprints(column: Any, name: str = "") -> Fingerprints:
    """Return the fingerprints of a column of text or numbers, shape (n,); those of integers never collide.

    >>> found = fingerprints(pa.chunked_array([["a", "b", "a", "a longer one"]]))
    >>> bool(found[0] == found[2]), len(set(found.tolist()))
    (True, 3)
    """
    chunks = getattr(column, "chunks", [column])
    return np.concatenate([np.empty(0, np.uint64), *(_of_chunk(chunk, name) for chunk in chunks)])


def joint_prints(prints: Sequence[Fingerprints]) -> Fingerprints:
    """Return one fingerprint for each row of multiple columns."""
    with np.errstate(over="ignore"):
        return reduce(lambda one, two: (one ^ (two + (one << np.uint64(6)))) * _MISSING, prints)


def _of_chunk(chunk: Any, name: str) -> Fingerprints:
    kind = chunk.type
    if not len(chunk):
        return np.empty(0, np.uint64)
    if pa.types.is_dictionary(kind):
        own = np.append(_of_chunk(chunk.dictionary, name), _MISSING)
        return np.asarray(own[to_numpy(chunk.indices, np.int64, len(own) - 1)])
    if pa.types.is_integer(kind):
        found = _mix(to_numpy(chunk, np.int64, 0).view(np.uint64))
    else:
        chunk = as_text(pa.chunked_array([chunk]), name).chunk(0)
        found = _of_text(chunk)
    if chunk.null_count:
        found[~to_numpy(chunk.is_valid(), np.bool_, False)] = _MISSING
    return found


def _of_text(text: Any) -> Fingerprints:
    """Return the fingerprints of an Arrow array of strings, mixing in eight bytes at a time."""
    _, offsets_of, data_of = text.buffers()
    wide = np.int64 if pa.types.is_large_string(text.type) else np.int32
    offsets = np.frombuffer(offsets_of, wide)[text.offset : text.offset + len(text) + 1]
    begin, end = int(offsets[0]), int(offsets[-1])
    data = b"" if data_of is None else memoryview(data_of)[begin:end]
    padded = np.frombuffer(b"".join((data, bytes(8))), np.uint8)
    words = np.ndarray((len(padded) - 7,), "<u8", padded, strides=(1,))
    found = np.empty(len(text), np.uint64)
    for first in range(0, len(text), BLOCK_ROWS):
        own = offsets[first : first + BLOCK_ROWS + 1].astype(np.int64) - begin
        found[first : first + BLOCK_ROWS] = _of_words(words, own[:-1], np.diff(own))
    return found


def _of_words(words: Fingerprints, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> Fingerprints:
    """Return the fingerprints of texts from the eight-byte words that begin at every byte, and their starts."""
    found = _mix(lengths.astype(np.uint64))
    rows = np.arange(len(lengths))
    for done in range(0, int(lengths.max()), 8):
        rows = rows[lengths[rows] > done]
        missing = np.maximum(8 - (lengths[rows] - done), 0).astype(np.uint64) * np.uint64(8)
        found[rows] = _mix(found[rows] ^ (words[starts[rows] + done] << missing))
    return found


def _mix(values: Fingerprints) -> Fingerprints:
    """Mix 64 bits in place so that each depends on all others, and return them; distinct values stay distinct."""
    for shift, factor in ((30, _FACTORS[0]), (27, _FACTORS[1])):
        values ^= values >> np.uint64(shift)
        values *= factor
    values ^= values >> np.uint64(31)
    return values


class Repeats(NamedTuple):
    """The number of values that repeat an earlier one, and the first of them with its first two rows."""

    n: int
    text: str
    rows: tuple[int, int]


class Rows(NamedTuple):
    """Some rows of a column in an Arrow array, and their units, if any."""

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
        """Add rows of a column."""
        found = _prints(rows, column)
        self._n += len(found)
        refuse_above(found.itemsize * float(self._n), "comparing IDs requires")
        self._prints.setdefault(column, []).append(found)

    def repeats(self, column: str, again: Callable[[], Iterator[Rows]]) -> dict[str, Repeats]:
        """Return the units in which values repeat, "" for a single unit; `again` yields the same rows if needed."""
        prints = np.sort(np.concatenate([np.empty(0, np.uint64), *self._prints.get(column, ())]))
        suspects, start = np.unique(prints[1:][prints[1:] == prints[:-1]]), 0
        if not len(suspects):
            return {}
        with closing(Engine("IDs cannot be checked")) as engine:
            for rows in again():
                found = _prints(rows, column)
                place = np.minimum(np.searchsorted(suspects, found), len(suspects) - 1)
                engine.add("suspects", _as_table(rows, np.flatnonzero(suspects[place] == found), start, column))
                start += len(found)
            columns = [each for batch in engine.ask(_REPEATS) for each in batch.to_pylist()]
        return {each["unit"]: Repeats(int(each["n"]), each["text"], (each["one"], each["two"])) for each in columns}


_REPEATS = """
SELECT unit, sum(n) AS n, arg_min(coalesce(id::VARCHAR, ''), one) AS text, min(one) AS one, arg_min(two, one) AS two
FROM (SELECT unit, id, count(*) - 1 AS n, min(row) AS one, min(row, 2)[2] AS two FROM suspects GROUP BY unit, id)
WHERE n > 0 GROUP BY unit ORDER BY one
"""


def _prints(rows: Rows, column: str) -> Fingerprints:
    found = fingerprints(rows.ids, column)
    return found if rows.units is None else found ^ (fingerprints(rows.units) << np.uint64(1))


def _as_table(rows: Rows, here: Any, start: int, column: str) -> Any:
    """Return some of the rows; the first of them is row `start` of all."""
    places = integers_to_arrow(here)
    units = pa.repeat("", len(here)) if rows.units is None else rows.units.take(places)
    ids = comparable(rows.ids.take(places), column)
    return pa.table({"unit": units, "id": ids, "row": integers_to_arrow(here + start)})


def comparable(column: Any, name: str) -> Any:
    """Return a column as 64-bit integers if possible, otherwise as text."""
    whole = pa.types.is_integer(column.type) and column.type != pa.uint64()
    return column.cast(pa.int64()) if whole else as_text(column, name)


SHARE = 16  # DuckDB's share of the memory of a run (128 MB of 2 GB) before it writes rows to disk

THREADS = 2  # every thread needs memory

BATCH_ROWS = 1 << 16  # rows of a result in memory at a time


class Engine:
    """Tables in DuckDB, deleted when this is closed; `what` names the task in the error for a full disk."""

    def __init__(self, what: str) -> None:
        self._what, self._held = what, ExitStack()
        self._tables: set[str] = set()

    def add(self, table: str, rows: Any, columns: str = "*") -> None:
        """Append columns, named as in SQL, of an Arrow table; the first table defines the names and types."""
        with self._clear_errors():
            begin = f"INSERT INTO {table}" if table in self._tables else f"CREATE TABLE {table} AS"
            self._connection.register("rows_to_add", rows)
            self._connection.execute(f"{begin} SELECT {columns} FROM rows_to_add")
            self._connection.unregister("rows_to_add")
        self._tables.add(table)

    def ask(self, sql: str) -> Iterator[Any]:
        """Yield the result as Arrow record batches, in its order."""
        with self._clear_errors():
            for batch in pa.RecordBatchReader.from_stream(self._connection.sql(sql)):
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    yield batch.slice(start, BATCH_ROWS)

    def close(self) -> None:
        """Release the rows."""
        self._held.close()

    @cached_property
    def _connection(self) -> Any:
        import duckdb

        try:
            folder = TemporaryDirectory(prefix="reportgen-", ignore_cleanup_errors=True)
        except OSError as error:
            raise InputError(trouble(self._what, error)) from None
        config: dict[str, Any] = {  # only its own memory and folder
            "memory_limit": f"{allowed() / SHARE:.0f}B",
            "threads": THREADS,
            "temp_directory": self._held.enter_context(folder),
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "python_enable_replacements": False,
        }
        connection = self._held.enter_context(duckdb.connect(config=config))
        connection.execute("SET enable_external_access = false")
        return connection

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        import duckdb

        try:
            yield
        except duckdb.OutOfMemoryException:
            raise NeedsMemoryError(f"{self._what}: {sentence()}") from None
        except duckdb.Error as error:
            pass_on(error)
            raise InputError(trouble(self._what, OSError(0, " ".join(str(error).split())[:200]))) from None


def digest_of_ratings(ids: Any, human: NDArray[np.float64], *, interchangeable: bool = False) -> str:
    """Return the SHA-256 of all response IDs with their ratings, in the order of the IDs.

    It shows whether two sets of ratings are equal without revealing them.  The order of raters does not count, except
    for the first one unless raters are interchangeable.

    ids: Arrow array of n distinct strings; if None, the order of the ratings counts.
    human: (n, raters): ratings, NaN if missing, the score of record first.
    interchangeable: Whether raters are interchangeable.

    >>> one = digest_of_ratings(pa.array(["a", "b"]), np.array([[3.0, np.nan], [4.0, 5.0]]))
    >>> one == digest_of_ratings(pa.array(["b", "a"]), np.array([[4.0, 5.0], [3.0, np.nan]]))
    True
    >>> one == digest_of_ratings(pa.array(["a", "b"]), np.array([[3.0, np.nan], [4.0, 4.0]]))
    False
    """
    digest = hashlib.sha256()
    order = np.arange(len(human))
    if ids is not None:
        ids = pc.cast(ids, pa.large_string())
        order = pc.sort_indices(ids).to_numpy(zero_copy_only=False)
        digest.update("\0".join(map(str, ids.take(order).to_pylist())).encode())
    ratings = np.array(human[order], np.float64) + 0.0  # -0.0 becomes 0.0
    lead = 0 if interchangeable else 1
    ratings[:, lead:] = np.sort(ratings[:, lead:], axis=1)  # missing ratings come last
    ratings[np.isnan(ratings)] = np.nan
    there = ~np.isnan(ratings).all(axis=0)
    digest.update(np.ascontiguousarray(ratings[:, there]).tobytes())
    return digest.hexdigest()
