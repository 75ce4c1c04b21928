"""A file of ratings as a table of responses, for the same steps that a file of responses goes through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import InputError, SettingsError
from reportgen.results import Role, Source
from reportgen.scores import pivot, vocabulary
from reportgen.scores.bridge import integers_to_arrow
from reportgen.scores.columns import as_numbers, as_text, encode
from reportgen.scores.contents import LONG_TEXT, Contents
from reportgen.scores.layout import LongColumns, system_raters
from reportgen.scores.pivot import NOBODY
from reportgen.scores.roles import Cast
from reportgen.scores.table import Coded, Floats, RaterIds, Ratings
from reportgen.scores.tabular import FIRST_LOOK, Reader, row_number
from reportgen.scores.times import as_times
from reportgen.settings import DataSettings

PACKED = "packed from one row per rating"


class _Human(NamedTuple):
    """The human ratings: their columns, who gave them, what was left out."""

    columns: dict[str, Any]
    ids: RaterIds
    ratings: Ratings
    told: list[str]


@dataclass
class LongReader:
    """A source of ratings, seen as one of responses.

    Parameters
    ----------
    inner
        The source.
    roles
        Which column says what.
    data
        What is declared.
    exclude_zeros
        Whether a rating of 0 is none.
    """

    inner: Reader
    roles: LongColumns
    data: DataSettings
    exclude_zeros: bool

    def __post_init__(self) -> None:
        self.first_row, self.blank_rows = self.inner.first_row, self.inner.blank_rows
        self.left_out: dict[str, str] = {}
        self._file = self.inner.load(self._worth_reading())
        self._rows_of_file = self._file.num_rows
        self._responses = self._encode(self.roles.id)
        self._raters = self._encode(self.roles.rater)
        self._numbers = as_numbers(self._file[self.roles.score], self.roles.score)
        self._scores = as_text(self._file[self.roles.score], self.roles.score).combine_chunks()
        self._blank = _is_blank(self._file[self.roles.score], self.roles.score)
        self._refuse_nameless()
        self.system_raters: dict[str, str] = system_raters(self._raters.labels, self.data)
        self.runs: dict[str, tuple[str, ...]] = {}
        systems = self._systems()
        human = self._human()
        self.rater_ids, self.ratings, self.warnings = human.ids, human.ratings, human.told
        self.human = tuple(human.columns)
        everyone = pivot.first_rows(self._responses.codes, np.ones(self._rows_of_file, np.bool_))
        self.places: Sequence[int] | None = everyone.tolist()
        carried = self._carried({*systems, *human.columns})
        ids = {self.roles.id: pa.array(self._responses.labels, pa.string())}
        self._table = pa.table({**ids, **human.columns, **systems, **carried})
        self.head = self._table.slice(0, FIRST_LOOK)
        self._file = None

    def load(self, names: Sequence[str]) -> Any:
        """Return the named columns, one row per response."""
        return self._table.select(list(names))

    def source(self, rows: int) -> Source:
        """Return where the ratings came from; the rows are the file's, not the `rows` responses."""
        del rows
        return self.inner.source(self._rows_of_file)

    def told_roles(self) -> tuple[Role, ...]:
        """Return the parts that only a file of ratings has."""
        return self.roles.roles()

    def tell(self, cast: Cast) -> None:
        """Say in `cast` how ratings and raters that are systems were found, and which columns are runs of these."""
        cast.retell({**self.system_raters, **dict.fromkeys(self.human, PACKED), self.roles.id: self.roles.how["id"]})
        for system, runs in self.runs.items():
            cast.give("run", runs, PACKED)
            cast.runs[system] = runs

    def _worth_reading(self) -> list[str]:
        """Return the columns to read: all but prose, judged by the first rows."""
        kept = []
        for name in self.inner.head.schema.names:
            contents = Contents(self.inner.head[name], name)
            if name in (self.roles.id, self.roles.rater, self.roles.score, self.roles.time, self.roles.run):
                kept.append(name)
            elif not contents.is_readable:
                self.left_out[name] = "neither text nor numbers"
            elif contents.mean_length > LONG_TEXT:
                self.left_out[name] = "long text"
            else:
                kept.append(name)
        return kept

    def _encode(self, name: str) -> Coded:
        """Return a column of names as codes, white space around them taken away."""
        return encode(pc.utf8_trim_whitespace(as_text(self._file[name], name)), name)

    def _row(self, index: int) -> int:
        """Return the row of the file that holds a rating."""
        return row_number(self.inner, index)

    def _refuse_nameless(self) -> None:
        """Raise when a rating names no response."""
        if self._rows_of_file == 0:
            raise InputError("the file has no rows below its header; expected one row per rating.")
        if "" in self._responses.labels:
            row = int(np.flatnonzero(self._responses.codes == self._responses.labels.index(""))[0])
            raise InputError(f"row {self._row(row)}: column '{self.roles.id}' is blank; expected the response's id.")

    def _of(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Return which rows are by one of the named raters."""
        by = np.isin(np.array(self._raters.labels, dtype=object), np.array(list(names), dtype=object))
        found: NDArray[np.bool_] = by[self._raters.codes]
        return found

    def _take(self, rows: NDArray[np.int64]) -> Any:
        """Return the scores in the given rows as text, null where there is no row."""
        return self._scores.take(integers_to_arrow(np.where(rows < 0, 0, rows), rows >= 0))

    def _systems(self) -> dict[str, Any]:
        """Return one column for each rater that is a system, and one for each of its further runs."""
        columns: dict[str, Any] = {}
        codes = self._responses.codes
        run, found = self.roles.run, None
        if run is not None:
            found = self._encode(run)
            order = sorted(range(len(found.labels)), key=lambda code: vocabulary.natural(found.labels[code]))
            rank = np.empty(len(order), np.int32)
            rank[order] = np.arange(len(order), dtype=np.int32)
            ranked = rank[found.codes]
            pairs = codes * np.int64(len(order)) + ranked
        for name in self.system_raters:
            rows = np.flatnonzero(self._of([name]))
            if found is not None:
                again = pivot.repeated(pairs, np.zeros_like(codes), rows)
                if again:
                    raise InputError(
                        f"'{name}' scores response '{self._responses.labels[codes[again[0]]]}' twice in run "
                        f"'{found.labels[found.codes[again[0]]]}', in rows {self._row(again[0])} and "
                        f"{self._row(again[1])}; keep one of them."
                    )
            table = pivot.runs(codes, rows, ranked if found is not None else None)
            if table.shape[1] > pivot.MOST_RATINGS:
                raise InputError(self._too_many(table, f" by '{name}'"))
            names = [name, *(f"{name} run {number}" for number in range(2, table.shape[1] + 1))]
            columns |= {column: self._take(table[:, index]) for index, column in enumerate(names)}
            self.runs[name] = tuple(names[1:])
        return columns

    def _human(self) -> _Human:
        """Return the human ratings, packed."""
        rows = np.flatnonzero(~self._of(list(self.system_raters)) & ~self._blank)
        if not rows.size:
            raise InputError(
                f"no human ratings are left in column '{self.roles.score}': every rater in '{self.roles.rater}' is "
                "taken for a system, or every cell is blank; name the systems with --system NAME."
            )
        codes = self._raters.codes
        nobody = self._raters.labels.index("") if "" in self._raters.labels else NOBODY
        again = pivot.repeated(self._responses.codes, codes, rows[codes[rows] != nobody])
        if again:
            raise InputError(
                f"rater '{self._raters.labels[codes[again[0]]]}' rates response "
                f"'{self._responses.labels[self._responses.codes[again[0]]]}' twice, in rows {self._row(again[0])} and "
                f"{self._row(again[1])}; keep one of them, or name the raters that are systems with --system NAME."
            )
        zero = (self._numbers == 0) & self.exclude_zeros
        usable = np.isfinite(self._numbers) & ~zero
        times = as_times(self._file[self.roles.time], self.roles.time) if self.roles.time else None
        found = pivot.packed(self._responses.codes, codes, usable, rows, times)
        if found.rows.shape[1] > pivot.MOST_RATINGS:
            raise InputError(self._too_many(found.rows, ""))
        names = [f"rating {number}" for number in range(1, found.rows.shape[1] + 1)]
        columns = {name: self._take(found.rows[:, index]) for index, name in enumerate(names)}
        ids = self._rater_ids(found.rows, nobody, times)
        told = self._left_over(rows, found.rows, zero)
        return _Human(columns, ids, Ratings(len(rows), len(ids.names), found.by_rater), told)

    def _rater_ids(self, table: NDArray[np.int64], nobody: int, times: Floats | None) -> RaterIds:
        """Return who gave each packed rating, and when; raters in the order of their names."""
        here = table >= 0
        codes = np.where(here, self._raters.codes[table], nobody)
        used = sorted(
            (int(code) for code in np.unique(codes) if code != nobody and code >= 0),
            key=lambda code: vocabulary.natural(self._raters.labels[code]),
        )
        place = np.full(len(self._raters.labels) + 1, NOBODY, np.int32)
        place[used] = np.arange(len(used), dtype=np.int32)
        when = np.where(here, times[table], np.nan) if times is not None else None
        return RaterIds(np.where(here, place[codes], NOBODY), tuple(self._raters.labels[code] for code in used), when)

    def _left_over(self, rows: NDArray[np.int64], table: NDArray[np.int64], zero: NDArray[np.bool_]) -> list[str]:
        """Return a sentence for each kind of rating that is no score."""
        kept = np.zeros(self._rows_of_file, np.bool_)
        kept[table[table >= 0]] = True
        out = rows[~kept[rows]]
        kinds = {"not numbers": np.isnan(self._numbers), "infinite": np.isinf(self._numbers), "0": zero}
        told = []
        for kind, marked in kinds.items():
            found = out[marked[out]]
            if found.size:
                first = ", ".join(str(self._row(int(row))) for row in found[:5])
                told.append(f"Ratings that are {kind} and count as missing: {found.size:,} (first rows: {first}).")
        return told

    def _too_many(self, table: NDArray[np.int64], whose: str) -> str:
        """Return the sentence for more ratings of one response than there can be."""
        counts = (table >= 0).sum(axis=1)
        worst = int(counts.argmax())
        return (
            f"response '{self._responses.labels[worst]}' has {int(counts[worst]):,} ratings{whose}, "
            f"expected {pivot.MOST_RATINGS} at most; check that '{self.roles.id}' names responses, or type --id NAME."
        )

    def _carried(self, names: set[str]) -> dict[str, Any]:
        """Return the other columns, one value per response; what differs within a response is left out or refused."""
        own = {self.roles.id, self.roles.rater, self.roles.score, self.roles.time, self.roles.run}
        needed = _declared(self.data)
        columns = {}
        for name in self._file.schema.names:
            if name in own:
                continue
            if name in names:
                if name in needed and name not in self.system_raters:
                    raise SettingsError(f"column '{name}' has the name of a rater or a rating; rename it.")
                self.left_out[name] = "a rater or a rating has its name"
                continue
            text = as_text(self._file[name], name)
            coded = self._encode(name)
            filled = _filled(coded)
            first = pivot.first_rows(self._responses.codes, filled)
            differs = self._differing(name, coded, filled, first)
            if differs is None:
                columns[name] = text.combine_chunks().take(integers_to_arrow(np.maximum(first, 0), first >= 0))
                continue
            response = self._responses.labels[self._responses.codes[differs]]
            if name in needed or vocabulary.is_system_name(name):
                here, there = int(first[self._responses.codes[differs]]), differs
                values = [coded.labels[coded.codes[row]][:40] for row in (here, there)]
                raise InputError(
                    f"column '{name}' says {values[0]!r} in row {self._row(here)} and {values[1]!r} in row "
                    f"{self._row(there)} of the same response '{response}'; expected one value per response."
                )
            self.left_out[name] = f"not the same in every row of a response (first: '{response}')"
        return columns

    def _differing(self, name: str, coded: Coded, filled: NDArray[np.bool_], first: NDArray[np.int64]) -> int | None:
        """Return the first row that contradicts an earlier one of its response; None when none does."""
        rows = np.flatnonzero(filled)
        own, other = coded.codes[rows], coded.codes[first[self._responses.codes[rows]]]
        unlike = rows[own != other]
        if not unlike.size:
            return None
        numbers = as_numbers(self._file[name], name)  # 3 and 3.0 are one value
        same = numbers[unlike] == numbers[first[self._responses.codes[unlike]]]
        return int(unlike[~same][0]) if not same.all() else None


def _is_blank(column: Any, name: str) -> NDArray[np.bool_]:
    """Return where a column is blank, shape (n,)."""
    return ~_filled(encode(pc.utf8_trim_whitespace(as_text(column, name)), name))


def _filled(coded: Coded) -> NDArray[np.bool_]:
    """Return where a column says anything."""
    has_text = np.array([bool(label) for label in coded.labels], dtype=np.bool_)
    filled: NDArray[np.bool_] = has_text[coded.codes] if len(has_text) else np.zeros(len(coded.codes), np.bool_)
    return filled


def _declared(data: DataSettings) -> set[str]:
    """Return the columns that the configuration gives a part that a response has once."""
    single = (data.system, data.candidate, data.item)
    return {name for name in (*single, *(data.systems or ()), *(data.groups or ()), *data.flags) if name}
