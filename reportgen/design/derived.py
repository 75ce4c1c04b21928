"""Columns computed from other columns, and rows that repeat an ID."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.design.profiles import (
    FIRST_CELLS,
    LONG_ID,
    LONGEST_LABEL,
    Profile,
    exact_agreement,
    has_fractions,
    profiles_of,
)
from reportgen.design.ratings import MOST_CANDIDATES, prints_of_all, same_within
from reportgen.design.readings import JOINED, Candidate, ColumnRoles, LongColumns, ranked
from reportgen.design.score_columns import clear_humans, named_systems, systems_by_name
from reportgen.errors import InputError, QuestionError, listed
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources import columns as arrow
from reportgen.sources.digests import Fingerprints, joint_prints
from reportgen.sources.documents import as_object
from reportgen.sources.tabular import BATCH_ROWS, Batches, Place, Reader, TableReader
from reportgen.sources.written import cell as parsed_cell
from reportgen.sources.written import marked_score, thousands_mark
from reportgen.wording.names import natural
from reportgen.wording.numbers import many

NUMBER = re.compile(r"rating of (.+)")
"""Name of a column that numbers the rows with the same ID when their raters are unknown."""

MOST_IN_CELL, LARGEST, LEAST_KAPPA = 10, 100, 0.15
"""The most ratings in a cell, the largest rating, and the minimum kappa of two ratings in cells such as "3,4"."""

_LIST = re.compile(r"\W*\d+(?:\.\d+)?\W*(?:[;|,/]\W*\d+(?:\.\d+)?\W*)+|\[\W*\d+(?:\.\d+)?\W*\]")
_DECIMAL = re.compile(r"[+-]?\d+,\d+")
_RATING = re.compile(r"\d+(?:\.\d+)?")

Made = Mapping[str, tuple[tuple[str, ...], Callable[[Any], Any]]]
"""Derived column -> the columns it is computed from, and the function that computes it from their table."""


class DerivedReader(Reader):
    """A source with derived columns, without the columns in `hidden`."""

    def __init__(self, inner: Reader, made: Made, hidden: Collection[str] = (), notes: Sequence[str] = ()) -> None:
        self._inner, self._made = inner, made
        self.notes, self.rows, self.names = notes, inner.rows, inner.names
        self.in_batches = inner.in_batches and not any(map(NUMBER.fullmatch, made))
        kept = [name for name in inner.head.schema.names if name not in hidden]
        self.head = self._with(inner.head, [*dict.fromkeys((*kept, *made))])

    def _with(self, table: Any, names: Sequence[str]) -> Any:
        columns = {name: make(table) for name, (_, make) in self._made.items() if name in names}
        return pa.table({name: columns[name] if name in columns else table[name] for name in names})

    def _needed(self, names: Sequence[str]) -> list[str]:
        return list(dict.fromkeys(part for name in names for part in self._made.get(name, ((name,), None))[0]))

    def load(self, names: Sequence[str]) -> Any:
        """Return the named columns."""
        return self._with(self._inner.load(self._needed(names)), names)

    def look(self, names: Sequence[str]) -> Any:
        """Return the named columns without freeing the others."""
        return self._with(self._inner.look(self._needed(names)), names)

    def batches(self, names: Sequence[str], labels: Collection[str] = (), rows: int = BATCH_ROWS) -> Batches:
        """Yield the named columns of the next rows."""
        if not self.in_batches:
            yield 0, self.look(names)
            return
        for number, table in self._inner.batches(self._needed(names), set(labels) - set(self._made), rows):
            yield number, self._with(table, names)

    def place(self, index: int) -> Place:
        """Return where a row is in the file."""
        return self._inner.place(index)

    def source(self, rows: int) -> Any:
        """Return where the rows came from."""
        return self._inner.source(rows)


def with_derived(reader: Reader, data: DataSettings) -> Reader:
    """Return a source with derived columns that the settings name or cells contain, with one row per response.

    `essay + prompt` joins two columns, `rating of essay` numbers the rows of each essay, and a column of lists such as
    "3;4" becomes one column per rating, a column of objects one per key, a text with a score that score, and "1,260"
    next to "990" a number.  A table with a row per rater and a column per response is transposed.

    >>> table = pa.table({"essay": ["a", "a"], "prompt": ["p", "q"], "scores": ["3;4", "2;2"]})
    >>> data = DataSettings(id="essay + prompt", rater="rating of essay")
    >>> with_derived(TableReader(table, None), data).head.to_pydict()["essay + prompt"]
    ['a + p', 'a + q']
    """
    given, reader = reader, without_summaries(reader)
    reader = _runs_beside(_turned(reader), data)
    notes = [*reader.notes] * (reader is not given)
    names, made = reader.head.schema.names, dict[str, Any]()
    typed = {each for each in (data.id, data.system, data.score, *(data.systems or ()), *(data.human or ())) if each}
    hidden = []
    for name in names:
        inside, text = _inside(name, reader.head, typed=name in typed)
        hidden += [name] * bool(text and name not in inside)
        made |= {part: ((name,), partial(_taken, name=name, take=take)) for part, take in inside.items()}
        notes += [text] * bool(text)
    for stem, points in _marked_points(reader.head, typed).items():
        made[stem] = tuple(points), partial(_point_marked, points=points)
        hidden += points
        notes.append(f"{listed(points)} mark the points of one score, which is read as '{stem}'")
    lists = [name for name in hidden if f"{name} 1" in made]
    if len(clear_humans(lists)) > 1:
        text = f"cells in {listed(lists)} contain several labels of one rater; write one score into each cell"
        raise InputError(f"{text}, for example with a column for each label.")
    reader = DerivedReader(reader, made, hidden, notes) if made else reader
    names, made = reader.head.schema.names, dict[str, Any]()
    for name in filter(None, (data.id, data.rater)):
        parts, number = tuple(name.split(JOINED)), NUMBER.fullmatch(name)
        if name in names:
            continue
        if len(parts) > 1 and set(parts) <= set(names):
            made[name] = parts, partial(_joined, parts=parts)
        elif number and number[1] in names:
            made[name] = (number[1],), partial(_numbered, name=number[1])
    return DerivedReader(reader, made, (), reader.notes) if made else reader


def _inside(name: str, head: Any, *, typed: bool) -> tuple[Mapping[str, Callable[[str], Any]], str]:
    """Return the columns that the cells of a column contain, and a note; a column with a role stays one column."""
    if not _is_text(head[name]):
        return {}, ""
    if mark := thousands_mark(head[name]):
        return {name: partial(re.sub, re.escape(mark), "")}, f"'{mark}' in column '{name}' separates thousands"
    cells = [cell.strip() for cell in head[name].slice(0, FIRST_CELLS).to_pylist() if cell and cell.strip()]
    if not typed and (most := _ratings_in_cells(cells)):
        text = f"cells in '{name}' contain up to {most} ratings, read as '{name} 1' to '{name} {most}'"
        return {f"{name} {place + 1}": partial(_rating_at, place=place) for place in range(most)}, text
    if keys := _keys_in_cells(cells)[: 1 if typed else None]:
        is_score = typed or (len(keys) == 1 and column_names.has_word("rating", [keys[0].casefold()]))
        numbered = any(f"{key} 2" in keys for key in keys)  # of a list of ratings
        parts = {name: keys[0]} if is_score else {f"{name}.{key}": key for key in keys}
        if numbered:
            parts = {key if re.search(r" \d+$", key) else f"{key} 1": key for key in keys}
            given = {part: {str(_value_at(cell, key)) for cell in cells} for part, key in parts.items()}
            parts = {part: key for part, key in parts.items() if not given[part] <= {part.split()[-1], "None"}}
        text = f"cells in '{name}' are objects, of which {listed(keys)} {'is' if len(keys) == 1 else 'are'} read"
        return {part: partial(_value_at, key=key) for part, key in parts.items()}, text
    if mark := _mark_in_cells(cells[:MOST_EXAMINED]):
        head = head.slice(0, FIRST_CELLS)
        scores = arrow.as_numbers(_taken(head, name, _score_in), name)
        others = (each.first_numbers for each in profiles_of(head).values() if each.is_readable)
        if not any(np.mean(scores == other) > MOSTLY for other in others):
            return {name: _score_in}, f"cells in '{name}' are texts with a score, such as '{mark}', which is read"
    return {}, ""


MOSTLY, SOME_MARKED, LONGEST_CELL, MOST_EXAMINED = 0.9, 0.75, 40, 20
"""The minimum shares of objects and of texts with a score, the longest value in an object, and how many texts count."""


def _marked_points(head: Any, typed: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the points of each score that columns of true and false mark, exactly one in a row: `quality.4`."""
    found: dict[str, dict[str, str]] = {}
    for name in head.schema.names:
        is_mark = _is_text(head[name]) or pa.types.is_boolean(head[name].type)
        if is_mark and name not in typed and (series := re.fullmatch(r"(.*[^\W\d])\W(\d+)", name)):
            found.setdefault(series[1], {})[name] = series[2]
    marks = {name: arrow.to_numpy(_is_marked(head[name]), np.int64, 0) for own in found.values() for name in own}
    return {stem: own for stem, own in found.items() if len(own) > 1 and np.all(sum(map(marks.__getitem__, own)) == 1)}


def _is_marked(column: Any) -> Any:
    return pc.equal(pc.utf8_lower(column.cast(pa.string())), "true")


def _point_marked(table: Any, points: Mapping[str, str]) -> Any:
    return pc.case_when(pc.make_struct(*map(_is_marked, map(table.column, points))), *points.values())


def _keys_in_cells(cells: Sequence[str]) -> list[str]:
    """Return the keys of numbers and short texts if cells are objects, scores first."""
    if sum(cell.startswith(("{", "[{")) for cell in cells) <= MOSTLY * len(cells):
        return []
    short = dict[str, bool]()
    for key, value in (item for cell in cells for item in as_object(cell).items()):
        short[key] = short.get(key, True) and not isinstance(value, dict | list) and len(str(value)) <= LONGEST_CELL
    return sorted(filter(short.get, short), key=lambda key: not column_names.has_word("rating", [key.casefold()]))


def _mark_in_cells(cells: Sequence[str]) -> str:
    """Return the first mark of a score, such as "Rating: [[7]]", if cells are texts with one."""
    texts = [cell for cell in cells if not parsed_cell(cell).is_score]
    marks = [mark for cell in texts if (mark := marked_score(cell)[1])]
    enough = 4 * len(marks) > len(cells) and len(marks) + len(cells) - len(texts) > SOME_MARKED * len(cells)
    return marks[0] if enough else ""


MOST_SUMMARIES = 0.08
"""A larger share of rows with words for summaries are data."""


def without_summaries(reader: Reader) -> Reader:
    """Return a source without rows that are rejected, repeat the names of columns, or summarize rows: "7A total"."""
    if not _summaries(reader.head).any():
        return reader
    table = reader.look(reader.head.schema.names)
    out = _summaries(table)
    rows = np.flatnonzero(~out).tolist()
    place, kept = reader.place, table.filter(arrow.mask_to_arrow(~out))
    found = TableReader(kept, reader.source(len(rows)), 1, (), lambda index: place(rows[index]))
    text = "not read (repeated column names, summaries, or rejected rows; first: row"
    found.notes = (f"{many(len(out) - len(rows), 'row')} {text} {place(int(np.argmax(out)))})",)
    return found


def _summaries(table: Any) -> NDArray[np.bool_]:
    """Return rows that repeat names, are rejected, or have a word for a summary and either lack an ID or are odd."""
    texts = {name: arrow.as_text(table[name], name) for name in table.schema.names if _is_text(table[name])}
    names = np.zeros(table.num_rows, np.int64)
    perhaps, sure = np.zeros((2, table.num_rows), np.bool_)
    for place, (name, column) in enumerate(texts.items()):
        names += arrow.to_numpy(pc.is_in(column, value_set=arrow.texts_to_arrow([name])), np.bool_, False)
        if "status" in column_names.words_of(name):
            sure |= arrow.to_numpy(pc.is_in(column, value_set=arrow.texts_to_arrow(REJECTED)), np.bool_, False)
        short = arrow.to_numpy(pc.utf8_length(column), np.int64, 0) <= LONG_ID
        short &= arrow.to_numpy(pc.match_substring_regex(column, _SUMMARY), np.bool_, False) & (place < MOST_NAMING)
        for row in np.flatnonzero(short).tolist():
            cell = column[row].as_py()
            perhaps[row] |= column_names.may_be_subtotal(cell)
            sure[row] |= column_names.normalised(cell) in column_names.VOCABULARY["summary_whole"]
    others, odd = ~perhaps & ~sure & (names < 2), np.zeros(table.num_rows, np.bool_)
    if perhaps.any() and perhaps.sum() <= MOST_SUMMARIES * len(perhaps):
        for name in table.schema.names:
            numbers, blank = arrow.as_numbers(table[name], name), arrow.is_blank(table[name], name)
            body = numbers[others & ~blank]
            odd |= blank & ~blank[others].any()
            if body.size and np.isfinite(body).all() and not has_fractions(body):
                odd |= (2 * numbers != np.rint(2 * numbers)) & ~np.isnan(numbers)
                odd |= numbers > LEAST_TOTAL * body.max()
    return np.asarray((perhaps & odd) | sure | (names > 1))


def _is_text(column: Any) -> bool:
    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))


REJECTED = ("Rejected", "Spam", "Survey Preview", "Survey Test", "discarded", "draft", "pending")
"""Values of the status of a row that annotation and survey tools do not count."""

MOST_NAMING, LEAST_TOTAL = 4, 2.0
"""Columns of texts that may name a summary; and how many times the highest number a total is at least."""

_SUMMARY = (
    rf"(?i)\b(?:{'|'.join(column_names.VOCABULARY['summary'])})\b|test.?student|student.{{0,2}}test|points?.possible"
)


def _joined(table: Any, parts: Sequence[str]) -> Any:
    texts = (arrow.as_text(table[part], part).cast(pa.string()).fill_null("") for part in parts)
    return pc.binary_join_element_wise(*texts, JOINED)


def _numbered(table: Any, name: str) -> Any:
    numbers = arrow.numbered(arrow.encode(table[name], name).codes).tolist()
    return pa.chunked_array([arrow.texts_to_arrow([f"rating {number + 1}" for number in numbers])])


def _taken(table: Any, name: str, take: Callable[[str], Any]) -> Any:
    coded = arrow.encode(table[name], name)
    labels = [None if (part := take(label)) is None else str(part) for label in coded.labels]
    return pa.chunked_array([arrow.texts_to_arrow(labels).take(pa.array(coded.codes))])


def _rating_at(cell: str, place: int) -> str | None:
    return next(iter(_RATING.findall(cell)[place:]), None)


def _value_at(cell: str, key: str) -> Any:
    return found.get(key) if (found := as_object(cell)) else cell


def _score_in(cell: str) -> str:
    return marked_score(cell)[0] or cell


def _ratings_in_cells(cells: Sequence[str]) -> int:
    """Return the most ratings in a cell, 0 if cells are no lists; "3,4" is a list if its parts agree like ratings."""
    if not cells or not all(map(_LIST.fullmatch, cells)):
        return 0
    numbers = [[*map(float, _RATING.findall(cell))] for cell in cells]
    longest = max(map(len, numbers))
    if not 1 < longest <= MOST_IN_CELL or max(map(max, numbers)) > LARGEST:
        return 0
    pairs = np.array([each for each in numbers if len(each) == 2])
    if all("/" in cell for cell in cells) and len(pairs) and (pairs[:, 0] <= pairs[:, 1]).all():
        return 0  # points out of a total
    if all(map(_DECIMAL.fullmatch, cells)):
        first, second = pairs.T
        return longest if np.isin(second, first).all() and exact_agreement(first, second)[1] > LEAST_KAPPA else 0
    return longest


def _turned(reader: Reader) -> Reader:
    """Return a source with a row per rater and a column per response, transposed.

    Beside the rater, other columns such as a time are allowed if the names of the responses differ only in a number.
    """
    head = reader.head
    if not 1 < head.num_rows < head.num_columns - 1:
        return reader
    first = column_names.all_of_raters(head.schema.names[:1])
    others = [name for name, each in profiles_of(head).items() if each.is_numeric and name not in first]
    names = [name for name in head.schema.names if name not in others]
    if names != first:
        alike = len({re.sub(r"\d+", "0", name) for name in others}) == 1
        names = [each for each in names if alike and column_names.has_word("people_named", column_names.words_of(each))]
    raters = arrow.as_text(head[names[0]], names[0]).to_pylist() if names else []
    if not 1 < len(set(raters)) == len(raters) < len(others):
        return reader
    cells = zip(*(arrow.as_text(head[name], name).to_pylist() for name in others), strict=True)
    table = pa.table([arrow.texts_to_arrow(others), *map(arrow.texts_to_arrow, cells)], ["response", *map(str, raters)])
    found = TableReader(table, reader.source(len(others)))
    found.notes = (f"each row is a rater, by column '{names[0]}', and each other column a response",)
    return found


MOST_RUNS = 50  # a column with more values numbers responses and not the runs of an engine


def _runs_beside(reader: Reader, data: DataSettings) -> Reader:
    """Return a source with a row per response and a column per run or version, if rows are runs of engines.

    They are if a column named like runs or versions differs in every row of an ID, scores of an engine differ, and
    human scores do not.
    """
    names, wanted = reader.head.schema.names, {*(data.runs or ()), *named_systems(data)}
    taken = {*data.by, *data.only, *(data.groups or ()), data.item, *([] if wanted.isdisjoint(names) else names)}
    versions = (n for n in names if column_names.has_word("version", column_names.words_of(n)) and n not in taken)
    run = data.run or column_names.first_of_long("run", names) or min(versions, default="")
    if run not in names or data.layout == "long" or data.rater or (data.layout == "wide" and wanted <= {*names}):
        return reader
    sides = {name: column_names.side_of(name)[0] for name in names}
    systems = named_systems(data) or systems_by_name(names, people_named=True)
    engines = {name for name in names if name in systems or sides[name] == "engine"}
    people = {*(data.human or clear_humans(names) or [name for name in names if sides[name] == "people"])}
    people = people or {name for name in names if column_names.may_be_human_name(name)}
    names = [name for name in names if Profile(reader.head[name], name).is_readable]
    ids = [name for name in names if name not in {run, *engines, *people} and data.id in (None, name)]
    every = prints_of_all(reader, names) if engines and people and ids else {}
    for name in ids if every and len(np.unique(every[run])) <= MOST_RUNS else ():
        alike = {each for each in names if same_within(every[name], every[each])}
        n, once = len(every[name]), len(first_of_copies([every[name], every[run]]))
        if engines - alike and people <= alike and once == n >= 2 * len(np.unique(every[name])):
            numbered = run in (data.run, column_names.first_of_long("run", [run]))
            return _with_runs(reader, name, run, alike, sorted(engines - alike), numbered)
    return reader


def _with_runs(reader: Reader, name: str, run: str, alike: set[str], engines: list[str], numbered: bool) -> Reader:
    table = reader.look(reader.head.schema.names)
    ids, runs = arrow.encode(table[name], name), arrow.ranked(arrow.encode(table[run], run))
    rows = arrow.spread(ids.codes, runs.codes.astype(np.intp), np.arange(len(ids.codes)))
    first = np.unique(ids.codes, return_index=True)[1]
    columns = {each: arrow.at_rows(table[each], first) for each in table.schema.names if each in alike}
    for place, those in enumerate(rows.T):
        called = {each: f"{each} run {place + 1}" if place else each for each in engines}
        called = called if numbered else {each: f"{each} {runs.labels[place]}" for each in engines}
        columns |= {own: arrow.at_rows(table[each], those) for each, own in called.items()}
    source = reader.source(len(ids.codes))
    found = TableReader(pa.table(columns), source, place=lambda row: reader.place(int(first[row])))
    kind = "numbers runs" if numbered else "contains versions"
    text = f"'{run}' {kind} of {listed(engines)}: rows with the same '{name}' are one response"
    found.notes = (*reader.notes, f"{text}; if every row is a different response, add --layout wide")
    return found


def first_of_copies(prints: Sequence[Fingerprints]) -> NDArray[np.int64]:
    """Return the rows that are not copies of an earlier row."""
    return np.sort(np.unique(joint_prints(prints), return_index=True)[1])


SLIPS = 0.05  # up to this share of rows, the same ID twice is likelier a mistake than a design

MOST_COPIES = 0.1  # a larger share of copies is normal in tables whose rows contain little


def notes_on_copies(reader: Reader) -> tuple[str, ...]:
    """Return a note if some rows are exact copies; none if there are many, or if the rows are no longer in memory."""
    columns = [] if reader.head is None else [*profiles_of(reader.head).values()]
    known = bool(columns) and all(each.is_readable and each.mean_length <= LONGEST_LABEL for each in columns)
    prints = [*prints_of_all(reader, reader.head.schema.names).values()] if known else []
    n, rows = len(first_of_copies(prints)) if prints else 0, len(prints[0]) if prints else 0
    few = 0 < rows - n <= MOST_COPIES * rows
    one, more = "row is an exact copy of an earlier row; it is", "rows are exact copies of earlier rows; they are"
    return (f"{many(rows - n, one, more)} counted",) * few


def ask_about_repeats(
    reader: Reader, roles: ColumnRoles, column: str, problem: str, long: LongColumns | None = None
) -> NoReturn:
    """Prompt for what rows with the same ID (and rater, if `long`) are: responses, or ratings of one response."""
    human, systems = (roles.columns("human"), roles.columns("system")) if long is None else ((long.score,), ())
    taken, found = {column, *human, *systems, *(long.all() if long else ())}, list[Candidate]()
    if reader.head is not None:  # large tables are freed
        free = [each for name, each in profiles_of(reader.head).items() if name not in taken]
        free = [each for each in free if each.is_readable and not each.is_fractional and each.mean_length <= LONG_ID]
        unlike = [each.name for each in free if not column_names.names_writer(each.name)]
        scored = systems_by_name(unlike, people_named=True)
        names = [each.name for each in free if each.name not in scored and not column_names.is_measure_name(each.name)]
        names.sort(key=lambda name: (column_names.first_of("item", [name]) is None, natural(name)))
        every = prints_of_all(reader, [column, *names[:MOST_CANDIDATES], *taken.difference([column])])
        ids = joint_prints([every[name] for name in ((column, long.rater) if long else (column,))])
        if not long and len(ids) - len(np.unique(ids)) <= SLIPS * len(ids):
            names = [name for name in names if column_names.first_of("item", [name])]
        for size in (1, 2):
            for parts in combinations(names[:MOST_CANDIDATES], size) if not found else ():
                if len(first_of_copies([ids, *(every[name] for name in parts)])) == len(ids):
                    joined = JOINED.join((column, *parts))
                    means = f"{listed((column, *parts))} together identify a response"
                    found.append(Candidate(None, means, ("--id", joined), ("ids_joined",) * (3 - size)))
        alike = all(same_within(ids, every[name]) for name in systems)
        if long or (len(human) == 1 and alike and not same_within(ids, every[human[0]])):
            options = ["--layout", "long", "--id", column, "--rater", f"rating of {column}", "--score", human[0]]
            options += [word for name in systems for word in ("--system", name)]
            means = "rows with the same ID are ratings of one response"
            found.append(Candidate(None, means, tuple(options), ("ids_rated", *["ids_joined"] * bool(systems))))
        again = 2 * len(np.unique(ids)) <= len(ids) and not roles.columns("candidate")
    if long is None:
        candidate = ("--candidate", column) if reader.head is not None and again else ()
        means = "each row is a different response" + f", and '{column}' identifies the test taker" * bool(candidate)
        found.append(Candidate(None, means, ("--id", "", *candidate), ()))
    if long is None and not found[1:] and not again:
        raise QuestionError(f"{problem}; correct the IDs, or add --id '' if each row is a different response.")
    ask = "What does each row represent?" if found[1:] else "If this is not a mistake, what does each row represent?"
    raise QuestionError(f"{problem}. {ask}", [(each.means, each.options) for each in ranked(found)[:2]])
