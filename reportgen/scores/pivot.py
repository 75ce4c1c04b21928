"""From one row per rating to one row per response: ratings packed side by side, who gave each kept.

Numpy on codes only; two hundred raters with two ratings a response make two columns, not two hundred.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.design.profiles import Profile
from reportgen.design.ratings import sides_of
from reportgen.design.readings import ColumnRoles, LongColumns
from reportgen.design.score_columns import told_of_patterns, with_systems
from reportgen.errors import InputError, RepeatError, SettingsError, listed
from reportgen.results import Role, Source
from reportgen.scores import pivot
from reportgen.scores.left_out import chosen, refuse_one_left
from reportgen.scores.table import Design, LeftOut, RaterIds, Ratings, design_of
from reportgen.scores.writing import with_labels_found
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.columns import (
    Coded,
    Codes,
    Floats,
    as_numbers,
    as_text,
    as_times,
    encode,
    integers_to_arrow,
    texts_to_arrow,
)
from reportgen.sources.tabular import FIRST_LOOK, Place, Reader
from reportgen.sources.written import read_scores
from reportgen.wording.names import natural

MOST_RATINGS = 100
"""More ratings of one response than this are a mistake in the columns."""

MOST_COLUMNS = 12
"""Raters up to whom each has a column; ratings of more are packed side by side."""

NOBODY = -1

Rows = NDArray[np.int64]


def repeated(responses: Codes, raters: Codes, rows: Rows) -> tuple[int, int] | None:
    """Return the first two of `rows` in which one rater rates one response again; None when nobody does.

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


def spread(responses: Codes, slots: NDArray[np.intp], rows: Rows, width: int = 1) -> Rows:
    """Return (responses, slots): the row in each slot of each response, `NOBODY` where there is none.

    responses: Codes of all rows of the file.
    slots, rows: Where each of some rows stands; the last one stays where two have one place.

    Examples
    --------
    >>> spread(np.array([0, 0, 1]), np.array([1, 0, 1]), np.arange(3)).tolist()
    [[1, 0], [-1, 2]]
    """
    n = int(responses.max(initial=-1)) + 1
    table = np.full((n, max(int(slots.max(initial=0)) + 1, width)), NOBODY, np.int64)
    table[responses[rows], slots] = rows
    return table


def numbered(responses: Codes, rows: Rows) -> NDArray[np.intp]:
    """Return how many of the rows before each of some are of the same response."""
    own = responses[rows]
    order = np.argsort(own, kind="stable")
    found = np.empty(len(rows), np.intp)
    found[order] = np.arange(len(rows)) - np.searchsorted(own[order], own[order])
    return found


def side_by_side(
    responses: Codes, raters: Codes, usable: NDArray[np.bool_], rows: Rows, columns: Sequence[int], first: int | None
) -> Rows:
    """Return (responses, ratings): the row of each rating, a column for each rater, or packed in their order.

    Ratings that are not usable are left out.  Those of the rater of record stay, because they decide which responses
    count; where nobody is, those of a response without any usable one, so that its fate can be told.

    responses, raters, usable: Of all rows of the file: codes from 0 (-1 an unnamed rater), whether the rating is a
        score.
    rows: The rows that hold human ratings.
    columns: Codes of the raters who have a column each, in that order; none where ratings are packed.
    first: Code of the rater of record, whose ratings alone stand in the first place; None without.

    Examples
    --------
    >>> responses, raters = np.array([0, 0, 1, 1]), np.array([5, 2, 9, 5])
    >>> side_by_side(responses, raters, np.array([True, True, False, True]), np.arange(4), (), None).tolist()
    [[1, 0], [3, -1]]
    >>> side_by_side(responses, raters, np.ones(4, bool), np.arange(4), (), 2).tolist()
    [[1, 0, -1], [-1, 3, 2]]
    >>> side_by_side(responses, raters, np.ones(4, bool), np.arange(4), [2, 5, 9], None).tolist()
    [[1, 0, -1], [-1, 3, 2]]
    """
    own = np.zeros(len(rows), np.bool_) if first is None else raters[rows] == first
    kept = usable[rows] | own
    if first is None:
        kept |= ~np.isin(responses[rows], responses[rows[kept]])
    rows, own = rows[kept], own[kept]
    if columns:
        place = np.zeros(int(raters.max(initial=0)) + 1, np.intp)
        place[list(columns)] = np.arange(len(columns))
        return spread(responses, place[raters[rows]], rows, len(columns))
    order = np.lexsort((rows, raters[rows]))
    rows, own = rows[order], own[order]
    slots = np.zeros(len(rows), np.intp)
    slots[~own] = numbered(responses, rows[~own]) + (first is not None)
    kept = usable[rows] | own | (slots == 0)
    return spread(responses, slots[kept], rows[kept])


def first_rows(responses: Codes, present: NDArray[np.bool_]) -> Rows:
    """Return for each response the first row in which `present` holds, -1 where none does.

    Examples
    --------
    >>> first_rows(np.array([0, 0, 1]), np.array([False, True, False])).tolist()
    [1, -1]
    """
    rows = np.flatnonzero(present)[::-1]
    return np.asarray(spread(responses, np.zeros(len(rows), np.intp), rows)[:, 0])


def carried(file: RatingFile, data: DataSettings, names: Container[str], left_out: dict[str, str]) -> dict[str, Any]:
    """Return the other columns, one value per response; notes in `left_out` those that differ within one.

    names: Names that packed ratings and systems have.
    Raises InputError: A column that plays a declared part, or holds system scores, contradicts itself.
    Raises SettingsError: A column that is declared has the name of a rating or a rater.
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

    table, reader, roles: Its columns, where they came from, which of them says what.
    responses, raters: Which response each row is about, and whose rating it holds.
    numbers, texts: The scores as numbers, NaN where there is none, and as they are written.
    filled: Where there is a score at all.
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

        Raises InputError: It has no rows, or a row names no response.
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

    def by(self, raters: Sequence[str]) -> NDArray[np.bool_]:
        """Return which rows are by one of the named raters."""
        found: NDArray[np.bool_] = np.isin(np.array(self.raters.labels, object), np.array(list(raters), object))
        return found[self.raters.codes]

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


def ranked(coded: Coded) -> Coded:
    """Return a column with codes in the order of its labels, numbers as numbers, so that the order of rows is lost."""
    order = sorted(range(len(coded.labels)), key=lambda code: natural(coded.labels[code]))
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return Coded(rank[coded.codes], tuple(coded.labels[code] for code in order))


def filled(coded: Coded) -> NDArray[np.bool_]:
    """Return where a column says anything."""
    has_text = np.array([bool(label) for label in coded.labels], dtype=np.bool_)
    found: NDArray[np.bool_] = has_text[coded.codes] if len(has_text) else np.zeros(len(coded.codes), np.bool_)
    return found


def taken(column: Any, rows: Rows) -> Any:
    """Return a column's values in the given rows, null where the row is `NOBODY`."""
    return column.take(integers_to_arrow(np.where(rows == NOBODY, 0, rows), rows != NOBODY))


def human_ratings(
    file: RatingFile, people: Sequence[str], exclude_zeros: bool, record: str | None
) -> tuple[dict[str, Any], RaterIds, Ratings, Design, list[str]]:
    """Return the columns of people's ratings, who gave them, how many there were, which count, and what is none.

    Each rater has a column, or ratings are packed where raters are many.

    record: What the settings say about the score of record.
    Raises InputError: There is none, or a rater rates a response twice.
    Raises SettingsError: The rater of record is none of the raters.
    """
    rows = np.flatnonzero(file.by(people) & file.filled)
    if not rows.size:
        raise InputError(
            f"no human ratings are left in column '{file.roles.score}': every rater in '{file.roles.rater}' is "
            "taken for a system, or every cell is blank; name the systems with --system NAME."
        )
    raters = ranked(file.raters)
    nobody = 0 if raters.labels[0] == "" else NOBODY
    again = repeated(file.responses.codes, raters.codes, rows[raters.codes[rows] != nobody])
    if again:
        raise RepeatError(
            f"one rater rates one response twice, in rows {file.row(again[0])} and {file.row(again[1])}",
            "keep one of them, or name the raters that are systems with --system NAME.",
        )
    zero = (file.numbers == 0) & exclude_zeros
    usable = np.isfinite(file.numbers) & ~zero
    times = as_times(file.table[file.roles.time], file.roles.time) if file.roles.time else None
    used = [code for code in np.unique(raters.codes[rows]).tolist() if code != nobody]
    nameless = bool((raters.codes[rows] == nobody).any())
    design = Design(None, "nameless")
    if record is not None or not nameless:
        scored = rows[usable[rows]]
        rated = np.bincount(raters.codes[scored], minlength=len(raters.labels))[used].tolist()
        responses = np.unique(file.responses.codes[scored]).size
        design = design_of([raters.labels[code] for code in used], rated, responses, record)
    first = None if design.record is None else used[design.record]
    apart = len(used) <= MOST_COLUMNS and not nameless
    columns = sorted(used, key=lambda code: (code != first, code)) if apart else ()
    found = side_by_side(file.responses.codes, raters.codes, usable, rows, columns, first)
    if found.shape[1] > MOST_RATINGS:
        raise file.worst(found)
    texts = {f"rating {slot + 1}": taken(file.texts, found[:, slot]) for slot in range(found.shape[1])}
    ids = _rater_ids(raters, found, used, times)
    return texts, ids, Ratings(len(rows), len(used), apart), design, _left_over(file, rows, found, zero)


def _rater_ids(raters: Coded, table: Rows, used: Sequence[int], times: Floats | None) -> RaterIds:
    """Return who gave each packed rating, and when; raters in the order of their names."""
    here = table != NOBODY
    place = np.full(len(raters.labels) + 1, NOBODY, np.int32)  # one more: the last answers for NOBODY
    place[list(used)] = np.arange(len(used), dtype=np.int32)
    when = np.where(here, times[table], np.nan) if times is not None else None
    codes = np.where(here, raters.codes[table], NOBODY)
    return RaterIds(place[codes], tuple(raters.labels[code] for code in used), when)


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


def system_scores(file: RatingFile, systems: Iterable[str]) -> tuple[dict[str, Any], dict[str, tuple[str, ...]]]:
    """Return the columns of raters that are systems and of their further runs, and for each system the names of those.

    Raises InputError: A system scores a response twice in one run, or more often than can be.
    """
    run = ranked(trimmed(file.table, file.roles.run)) if file.roles.run is not None else None
    columns: dict[str, Any] = {}
    further: dict[str, tuple[str, ...]] = {}
    for name in systems:
        rows = np.flatnonzero(file.by([name]))
        if run is None:
            slots = numbered(file.responses.codes, rows)
        else:
            again = repeated(file.responses.codes, run.codes, rows)
            if again:
                raise RepeatError(
                    f"'{name}' scores one response twice in run "
                    f"'{run.labels[run.codes[again[0]]]}', in rows {file.row(again[0])} and {file.row(again[1])}",
                    "keep one of them.",
                )
            slots = np.unique(run.codes[rows], return_inverse=True)[1]
        table = spread(file.responses.codes, slots, rows)
        if table.shape[1] > MOST_RATINGS:
            raise file.worst(table, f" by '{name}'")
        names = [name, *(f"{name} run {number}" for number in range(2, table.shape[1] + 1))]
        columns |= {column: taken(file.texts, table[:, index]) for index, column in enumerate(names)}
        further[name] = tuple(names[1:])
    return columns, further


PACKED = "packed from one row per rating"


class LongReader(Reader):
    """A source of ratings, seen as one of responses.

    inner: The source.
    roles: Which column says what.
    data: What is declared.
    exclude_zeros: Whether a rating of 0 is none.
    whole: Whether the source holds every rater, and not only those of some rows.
    """

    def __init__(
        self, inner: Reader, roles: LongColumns, data: DataSettings, exclude_zeros: bool, whole: bool = True
    ) -> None:
        self._inner, self._roles = inner, roles
        names = inner.head.schema.names
        beside = [name for name in names if name not in roles.all() and name != data.text]
        unread = {name: Profile(inner.head[name], name).unread for name in beside}
        self.left_out = {name: why for name, why in unread.items() if why}
        table = inner.load([name for name in names if name not in self.left_out])
        data = with_labels_found(data, table, [roles.score])
        file = RatingFile.of(table, inner, roles, data.labels)
        self._rows_of_file = len(file.numbers)
        columns = [name for name in file.table.schema.names if name not in roles.all()]
        self.sides = sides_of(file.raters.labels, columns, roles.rater, data)
        self.data = data = with_systems(data, self.sides.named)
        self.left_out |= dict.fromkeys(self.sides.others, "another engine; not named with --system")
        systems, self.runs = system_scores(file, self.sides.systems)
        people, self.without = _without(file, self.sides.people, data.without, all_known=whole)
        if whole:
            refuse_one_left(self.without, len(people), len(systems) + len(self.sides.columns))
        human, self.rater_ids, self.ratings, self.design, told = human_ratings(file, people, exclude_zeros, data.record)
        engines = (*self.sides.systems, *self.sides.others)
        patterns = told_of_patterns(data.human or (), file.raters.labels, self.sides.people, engines)
        self.warnings = [*_not_named(self.sides.left_out, data), *patterns, *told]
        self.human = tuple(human)
        others = carried(file, data, {*systems, *human}, self.left_out)
        ids = {roles.id: texts_to_arrow(file.responses.labels)}
        self._table = pa.table({**ids, **human, **systems, **others})
        self.head = self._table.slice(0, FIRST_LOOK)
        everyone = pivot.first_rows(file.responses.codes, np.ones(self._rows_of_file, np.bool_))
        self._first_ratings: list[int] = everyone.tolist()

    def load(self, names: Sequence[str]) -> Any:
        """Return the named columns, one row per response."""
        return self._table.select(list(names))

    def place(self, index: int) -> Place:
        """Return where the first rating of a response stands."""
        return self._inner.place(self._first_ratings[index])

    def source(self, rows: int) -> Source:
        """Return where the ratings came from; the rows are the file's, not the `rows` responses."""
        del rows
        return self._inner.source(self._rows_of_file)

    def told_roles(self) -> tuple[Role, ...]:
        """Return the parts that only a file of ratings has."""
        return self._roles.told()

    def tell(self, cast: ColumnRoles) -> None:
        """Say in `cast` how ratings and raters that are systems were found, and which columns are runs of these."""
        found = {**self.sides.systems, **dict.fromkeys(self.human, PACKED), self._roles.id: self._roles.how["id"]}
        cast.retell(found)
        for system, runs in self.runs.items():
            cast.give("run", runs, PACKED)
            cast.runs[system] = runs


def _not_named(raters: Sequence[str], data: DataSettings) -> list[str]:
    """Return a sentence about the raters whom ``--human`` does not name, with their names where these are shown."""
    if not raters:
        return []
    named = f": {listed(raters)}" if data.show_rater_names else ""
    are, them = ("rater is", "this rater") if len(raters) == 1 else ("raters are", "them")
    return [f"{len(raters):,} {are} left out: --human does not name {them}{named}."]


def _without(
    file: RatingFile, people: Sequence[str], wanted: Sequence[str], *, all_known: bool = True
) -> tuple[tuple[str, ...], LeftOut]:
    """Return the people whose ratings count, and what is left out; errors as for `chosen`."""
    if not wanted:
        return tuple(people), LeftOut()
    out = chosen(wanted, [name for name in people if name], all_known=all_known)
    n = int((file.by(out) & file.filled).sum())
    return tuple(name for name in people if name not in out), LeftOut(len(out), n)
