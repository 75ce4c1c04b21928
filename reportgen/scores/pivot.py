"""From one row per rating to one row per response: ratings packed side by side, who gave each kept.

Numpy on codes only; two hundred raters with two ratings a response make two columns, not two hundred.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.design.readings import LongColumns
from reportgen.errors import InputError, RepeatError, SettingsError
from reportgen.scores.table import Design, RaterIds, Ratings, design_of
from reportgen.scores.times import as_times
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.bridge import integers_to_arrow
from reportgen.sources.columns import Coded, Codes, Floats, as_numbers, as_text, encode
from reportgen.sources.tabular import Place, Reader
from reportgen.sources.written import read_scores
from reportgen.wording.names import natural

MOST_RATINGS = 100
"""More ratings of one response than this are a mistake in the columns."""

NOBODY = -1

Rows = NDArray[np.int64]


def repeated(responses: Codes, raters: Codes, rows: Rows) -> tuple[int, int] | None:
    """Return the first two of `rows` in which one rater rates one response again; None when nobody does.

    Parameters
    ----------
    responses, raters
        Codes of all rows of the file.
    rows
        The rows that are looked at.

    Examples
    --------
    >>> repeated(np.array([0, 0, 1, 0]), np.array([0, 1, 0, 1]), np.arange(4))
    (1, 3)
    """
    keys = responses[rows].astype(np.int64) * (int(raters.max(initial=0)) + 1) + raters[rows]
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if not again.size:
        return None
    first = again[np.argmin(rows[order[again]])]
    return int(rows[order[first]]), int(rows[order[first + 1]])


def packed(responses: Codes, raters: Codes, usable: NDArray[np.bool_], rows: Rows, *, first: int | None) -> Rows:
    """Return (responses, ratings): the row of each rating, packed per response in the order of raters' codes.

    A rating that is not usable is left out, except that a response without any usable one keeps its first, so that its
    fate can be told, and that the rater of record keeps all: they decide which responses count.

    Parameters
    ----------
    responses, raters, usable
        Of all rows of the file: codes from 0 (-1 an unnamed rater), whether the rating is a score.
    rows
        The rows that hold human ratings.
    first
        Code of the rater of record, whose ratings alone stand in the first place; None without.

    Examples
    --------
    >>> responses, raters = np.array([0, 0, 1, 1]), np.array([5, 2, 9, 5])
    >>> packed(responses, raters, np.array([True, True, False, True]), np.arange(4), first=None).tolist()
    [[1, 0], [3, -1]]
    >>> packed(responses, raters, np.ones(4, bool), np.arange(4), first=2).tolist()
    [[1, 0, -1], [-1, 3, 2]]
    """
    n = int(responses.max(initial=-1)) + 1
    if first is not None:
        own = raters[rows] == first
        alone = _slots(responses, raters, usable, rows[own], n)[:, :1]
        others = packed(responses, raters, usable, rows[~own & usable[rows]], first=None)
        return np.hstack([alone, _to_size(others, n)])
    return _slots(responses, raters, usable, rows, n)


def _slots(responses: Codes, raters: Codes, usable: NDArray[np.bool_], rows: Rows, n: int) -> Rows:
    """Return the rows of each response's ratings side by side, usable ones, or the first of those that are not."""
    counts = np.bincount(responses[rows[usable[rows]]], minlength=n)
    order = rows[np.lexsort((rows, raters[rows], ~usable[rows], responses[rows]))]
    starts = np.searchsorted(responses[order], np.arange(n))
    slot = np.arange(len(order)) - starts[responses[order]]
    kept = usable[order] | ((slot == 0) & (counts[responses[order]] == 0))
    table = np.full((n, max(int(counts.max(initial=0)), 1)), NOBODY, np.int64)
    table[responses[order[kept]], slot[kept]] = order[kept]
    return table


def _to_size(table: Rows, n: int) -> Rows:
    """Return a table with so many responses, the last of them without ratings."""
    return np.vstack([table, np.full((n - len(table), table.shape[1]), NOBODY, np.int64)])


def by_rater(
    responses: Codes, raters: Codes, usable: NDArray[np.bool_], rows: Rows, columns: Sequence[int], first: int | None
) -> Rows:
    """Return (responses, raters): the row of each rating, a column for each rater; otherwise as `packed`.

    Parameters
    ----------
    columns
        Codes of the raters, in the order of their columns.

    Examples
    --------
    >>> responses, raters = np.array([0, 0, 1, 1]), np.array([5, 2, 9, 5])
    >>> by_rater(responses, raters, np.ones(4, bool), np.arange(4), [2, 5, 9], None).tolist()
    [[1, 0, -1], [-1, 3, 2]]
    """
    n = int(responses.max(initial=-1)) + 1
    place = np.zeros(int(raters.max(initial=0)) + 2, np.intp)  # one more: the last answers for NOBODY
    place[list(columns)] = np.arange(len(columns))
    table = np.full((n, len(columns)), NOBODY, np.int64)
    kept = rows[usable[rows] | (raters[rows] == (NOBODY - 1 if first is None else first))]
    table[responses[kept], place[raters[kept]]] = kept
    if first is None:  # who has no usable rating keeps one, so that its fate can be told
        left = rows[~np.isin(responses[rows], responses[kept])][::-1]
        table[responses[left], place[raters[left]]] = left
    return table


def first_rows(responses: Codes, present: NDArray[np.bool_]) -> Rows:
    """Return for each response the first row in which `present` holds, -1 where none does.

    Examples
    --------
    >>> first_rows(np.array([0, 0, 1]), np.array([False, True, False])).tolist()
    [1, -1]
    """
    first = np.full(int(responses.max(initial=-1)) + 1, NOBODY, np.int64)
    rows = np.flatnonzero(present)[::-1]
    first[responses[rows]] = rows  # the last assignment wins: the first row
    return first


def runs(responses: Codes, rows: Rows, run: Codes | None) -> Rows:
    """Return (responses, runs): the row of each run of one system, -1 where there is none.

    Parameters
    ----------
    rows
        The system's rows.
    run
        Code of each row's run, ascending; None counts a response's rows in the order of the file.
    """
    n = int(responses.max(initial=-1)) + 1
    if run is None:
        order = rows[np.argsort(responses[rows], kind="stable")]
        starts = np.searchsorted(responses[order], np.arange(n))
        place = np.arange(len(order)) - starts[responses[order]]
    else:
        order = rows
        _, place = np.unique(run[rows], return_inverse=True)
    table = np.full((n, int(place.max(initial=0)) + 1), NOBODY, np.int64)
    table[responses[order], place] = order
    return table


def carried(file: RatingFile, data: DataSettings, names: Container[str], left_out: dict[str, str]) -> dict[str, Any]:
    """Return the other columns, one value per response; notes in `left_out` those that differ within one.

    Parameters
    ----------
    names
        Names that packed ratings and systems have.

    Raises
    ------
    InputError
        A column that plays a declared part, or holds system scores, contradicts itself.
    SettingsError
        A column that is declared has the name of a rating or a rater.
    """
    needed, systems = _declared(data), {data.system, *(data.systems or ())}
    columns = {}
    for name in file.table.schema.names:
        if name in file.roles.all():
            continue
        if name in names:
            if name in needed:
                raise SettingsError(f"column '{name}' has the name of a rater or a rating; rename it.")
            left_out[name] = "a rater or a rating has its name"
            continue
        coded = trimmed(file.table, name)
        here = filled(coded)
        first = first_rows(file.responses.codes, here)
        differs = _differing(file, name, coded, here, first)
        if differs is None:
            columns[name] = taken(as_text(file.table[name], name).combine_chunks(), first)
        elif name in (needed | systems) or (column_names.is_system_name(name) and _is_number(file, name, differs)):
            rows = int(first[file.responses.codes[differs]]), differs
            raise _contradiction(file, name, rows, None if name == data.candidate else coded)
        else:
            left_out[name] = f"not the same in every row of a response (first in row {file.row(differs)})"
    return columns


def _declared(data: DataSettings) -> set[str]:
    """Return the columns that the configuration gives a part that a response has once."""
    single = (data.candidate, data.item, data.length, data.text, data.position)
    return {name for name in (*single, *data.item_scores, *(data.groups or ()), *data.flags) if name}


def _differing(file: RatingFile, name: str, coded: Coded, here: NDArray[np.bool_], first: Rows) -> int | None:
    """Return the first row that contradicts an earlier one of its response; None when none does."""
    rows = np.flatnonzero(here)
    earlier = first[file.responses.codes[rows]]
    differs = coded.codes[rows] != coded.codes[earlier]
    rows, earlier = rows[differs], earlier[differs]
    if not rows.size:
        return None
    numbers = as_numbers(file.table[name], name)  # 3 and 3.0 are one value
    unlike = numbers[rows] != numbers[earlier]
    return int(rows[unlike][0]) if unlike.any() else None


def _is_number(file: RatingFile, name: str, row: int) -> bool:
    """Return whether a row holds a number; names of systems are none."""
    return bool(np.isfinite(as_numbers(file.table[name].slice(row, 1), name))[0])


def _contradiction(file: RatingFile, name: str, rows: tuple[int, int], coded: Coded | None) -> InputError:
    """Return the error for two values of one response, without the values when `coded` is None."""
    values = [repr(coded.labels[coded.codes[row]][:40]) for row in rows] if coded else ["one name", "another"]
    first, second = (f"{value} in row {file.row(row)}" for value, row in zip(values, rows, strict=True))
    return InputError(
        f"column '{name}' says {first} and {second} of the same response; expected one value per response."
    )


@dataclass(frozen=True)
class RatingFile:
    """A file of ratings.

    Parameters
    ----------
    table, reader, roles
        Its columns, where they came from, which of them says what.
    responses, raters
        Which response each row is about, and whose rating it holds.
    numbers, texts
        The scores as numbers, NaN where there is none, and as they stand there.
    filled
        Where there is a score at all.
    """

    table: Any
    reader: Reader
    roles: LongColumns
    responses: Coded
    raters: Coded
    numbers: Floats
    texts: Any
    filled: NDArray[np.bool_]

    @classmethod
    def of(cls, table: Any, reader: Reader, roles: LongColumns, labels: Sequence[str] | None = None) -> RatingFile:
        """Return the file of a table whose scores are numbers, or words that `labels` declare.

        Raises
        ------
        InputError
            It has no rows, or a row names no response.
        """
        if table.num_rows == 0:
            raise InputError("the file has no rows below its header; expected one row per rating.")
        score = table[roles.score]
        file = cls(
            table, reader, roles, trimmed(table, roles.id), trimmed(table, roles.rater),
            read_scores(score, roles.score, labels).numbers, as_text(score, roles.score).combine_chunks(),
            filled(trimmed(table, roles.score)),
        )  # fmt: skip
        nameless = ~filled(file.responses)
        if nameless.any():
            row = file.row(int(np.flatnonzero(nameless)[0]))
            raise InputError(f"row {row}: column '{roles.id}' is blank; expected the response's id.")
        return file

    def row(self, index: int) -> Place:
        """Return the row of the file, as people count, that holds a rating."""
        return self.reader.place(index)

    def ranked_raters(self) -> Coded:
        """Return the raters as codes in the order of their names, so that the order of rows is in nothing."""
        order = sorted(range(len(self.raters.labels)), key=lambda code: natural(self.raters.labels[code]))
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return Coded(rank[self.raters.codes], tuple(self.raters.labels[code] for code in order))

    def by(self, raters: Sequence[str]) -> NDArray[np.bool_]:
        """Return which rows are by one of the named raters."""
        found: NDArray[np.bool_] = np.isin(np.array(self.raters.labels, object), np.array(list(raters), object))
        return found[self.raters.codes]

    def scores(self, rows: Rows) -> Any:
        """Return the scores in the given rows as they stand there, null where there is no row."""
        return taken(self.texts, rows)

    def worst(self, table: Rows, whose: str = "") -> InputError:
        """Return the error for more ratings of one response than there can be."""
        counts = (table >= 0).sum(axis=1)
        response = int(counts.argmax())
        return InputError(
            f"the response in row {self.row(int(table[response].max()))} has {int(counts[response]):,} ratings{whose}, "
            f"expected {MOST_RATINGS} at most; check that '{self.roles.id}' names responses, or type --id NAME."
        )


def trimmed(table: Any, name: str) -> Coded:
    """Return a column as codes, white space around its texts taken away."""
    return encode(pc.utf8_trim_whitespace(as_text(table[name], name)), name)


def filled(coded: Coded) -> NDArray[np.bool_]:
    """Return where a column says anything."""
    has_text = np.array([bool(label) for label in coded.labels], dtype=np.bool_)
    found: NDArray[np.bool_] = has_text[coded.codes] if len(has_text) else np.zeros(len(coded.codes), np.bool_)
    return found


def taken(column: Any, rows: Rows) -> Any:
    """Return a column's values in the given rows, null where the row is `NOBODY`."""
    return column.take(integers_to_arrow(np.where(rows == NOBODY, 0, rows), rows != NOBODY))


MOST_COLUMNS = 12
"""Raters up to whom each has a column; ratings of more are packed side by side."""


class HumanRatings(NamedTuple):
    """The columns of human ratings, who gave them, how many there were, which count, and what is none, in sentences."""

    columns: dict[str, Any]
    ids: RaterIds
    ratings: Ratings
    design: Design
    told: list[str]


def human_ratings(file: RatingFile, people: Sequence[str], exclude_zeros: bool, record: str | None) -> HumanRatings:
    """Return the ratings of people: a column for each rater, or packed where raters are many.

    Parameters
    ----------
    record
        What the settings say about the score of record.

    Raises
    ------
    InputError
        There is none, or a rater rates a response twice.
    SettingsError
        The rater of record is none of the raters.
    """
    rows = np.flatnonzero(file.by(people) & file.filled)
    if not rows.size:
        raise InputError(
            f"no human ratings are left in column '{file.roles.score}': every rater in '{file.roles.rater}' is "
            "taken for a system, or every cell is blank; name the systems with --system NAME."
        )
    ranked = file.ranked_raters()
    nobody = 0 if ranked.labels[0] == "" else NOBODY
    _refuse_second_rating(file, rows[ranked.codes[rows] != nobody])
    zero = (file.numbers == 0) & exclude_zeros
    usable = np.isfinite(file.numbers) & ~zero
    times = as_times(file.table[file.roles.time], file.roles.time) if file.roles.time else None
    used = [code for code in np.unique(ranked.codes[rows]).tolist() if code != nobody]
    nameless = bool((ranked.codes[rows] == nobody).any())
    design = _design(file, rows[usable[rows]], ranked, used, record, nameless=nameless)
    first = None if design.record is None else used[design.record]
    apart = len(used) <= MOST_COLUMNS and not nameless
    if apart:
        columns_of = used if first is None else [first, *(code for code in used if code != first)]
        found = by_rater(file.responses.codes, ranked.codes, usable, rows, columns_of, first)
    else:
        found = packed(file.responses.codes, ranked.codes, usable, rows, first=first)
    if found.shape[1] > MOST_RATINGS:
        raise file.worst(found)
    columns = {f"rating {slot + 1}": file.scores(found[:, slot]) for slot in range(found.shape[1])}
    ids = _rater_ids(ranked, found, used, times)
    told = _left_over(file, rows, found, zero)
    return HumanRatings(columns, ids, Ratings(len(rows), len(used), apart), design, told)


def _design(
    file: RatingFile, usable: Rows, ranked: Coded, used: Sequence[int], record: str | None, *, nameless: bool
) -> Design:
    """Return which ratings count, from the usable ratings of every rater."""
    if nameless and record is None:
        return Design(None, "nameless")
    rated = np.bincount(ranked.codes[usable], minlength=len(ranked.labels))[list(used)]
    responses = np.unique(file.responses.codes[usable]).size
    return design_of([ranked.labels[code] for code in used], rated.tolist(), responses, record)


def _refuse_second_rating(file: RatingFile, rows: Rows) -> None:
    """Raise when a rater rates a response twice; says where."""
    again = repeated(file.responses.codes, file.raters.codes, rows)
    if again:
        raise RepeatError(
            f"one rater rates one response twice, in rows {file.row(again[0])} and {file.row(again[1])}",
            "keep one of them, or name the raters that are systems with --system NAME.",
        )


def _rater_ids(ranked: Coded, table: Rows, used: Sequence[int], times: Floats | None) -> RaterIds:
    """Return who gave each packed rating, and when; raters in the order of their names."""
    here = table != NOBODY
    place = np.full(len(ranked.labels) + 1, NOBODY, np.int32)  # one more: the last answers for NOBODY
    place[list(used)] = np.arange(len(used), dtype=np.int32)
    when = np.where(here, times[table], np.nan) if times is not None else None
    codes = np.where(here, ranked.codes[table], NOBODY)
    return RaterIds(place[codes], tuple(ranked.labels[code] for code in used), when)


def _left_over(file: RatingFile, rows: Rows, table: Rows, zero: NDArray[np.bool_]) -> list[str]:
    """Return a sentence for each kind of rating that is no score."""
    kept = np.zeros(len(file.numbers), np.bool_)
    kept[table[table != NOBODY]] = True
    out = rows[~kept[rows]]
    kinds = {"not numbers": np.isnan(file.numbers), "infinite": np.isinf(file.numbers), "0": zero}
    told = []
    for kind, marked in kinds.items():
        found = out[marked[out]]
        if found.size:
            first = ", ".join(str(file.row(int(row))) for row in found[:5])
            told.append(f"Ratings that are {kind} and count as missing: {found.size:,} (first rows: {first}).")
    return told


class SystemScores(NamedTuple):
    """The columns of the systems and of their further runs, and for each system the names of those."""

    columns: dict[str, Any]
    runs: dict[str, tuple[str, ...]]


def system_scores(file: RatingFile, systems: Iterable[str]) -> SystemScores:
    """Return the scores of raters that are systems.

    Raises
    ------
    InputError
        A system scores a response twice in one run, or more often than can be.
    """
    run = trimmed(file.table, file.roles.run) if file.roles.run is not None else None
    ranked = _ranked(run) if run is not None else None
    columns: dict[str, Any] = {}
    further: dict[str, tuple[str, ...]] = {}
    for name in systems:
        rows = np.flatnonzero(file.by([name]))
        if run is not None and ranked is not None:
            again = repeated(file.responses.codes, ranked, rows)
            if again:
                raise RepeatError(
                    f"'{name}' scores one response twice in run "
                    f"'{run.labels[run.codes[again[0]]]}', in rows {file.row(again[0])} and {file.row(again[1])}",
                    "keep one of them.",
                )
        table = runs(file.responses.codes, rows, ranked)
        if table.shape[1] > MOST_RATINGS:
            raise file.worst(table, f" by '{name}'")
        names = [name, *(f"{name} run {number}" for number in range(2, table.shape[1] + 1))]
        columns |= {column: file.scores(table[:, index]) for index, column in enumerate(names)}
        further[name] = tuple(names[1:])
    return SystemScores(columns, further)


def _ranked(run: Coded) -> Codes:
    """Return codes of runs that ascend with their names, numbers as numbers."""
    order = sorted(range(len(run.labels)), key=lambda code: natural(run.labels[code]))
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[run.codes]
