"""Convert one row per rating to one row per response, with the rater of each rating.

Only codes are compared; two hundred raters with two ratings per response make two columns, not two hundred.
"""

from collections.abc import Container, Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.design.derived import ask_about_repeats
from reportgen.design.profiles import Profile
from reportgen.design.ratings import sides_of
from reportgen.design.readings import BY_CONTENTS, NAMED, ColumnRoles, LongColumns
from reportgen.design.roles import SINGLE
from reportgen.design.score_columns import named_systems, with_systems
from reportgen.errors import InputError, SettingsError, listed
from reportgen.results import Source
from reportgen.scores import screening
from reportgen.scores.left_out import NOBODY, chosen, refuse_one_left
from reportgen.scores.table import Design, LeftOut, RaterIds, Ratings, design_of
from reportgen.scores.writing import with_labels_found
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources import columns as arrow
from reportgen.sources.columns import Coded, Codes, Mask
from reportgen.sources.tabular import FIRST_LOOK, Place, Reader
from reportgen.sources.written import read_scores
from reportgen.wording.numbers import many

MOST_RATINGS = 100  # more ratings of one response mean that the columns are wrong

MOST_COLUMNS = 12  # the most raters with a column each; ratings of more raters are packed into fewer columns

PACKED = "reshaped from one row per rating"

Rows = NDArray[np.int64]


def repeated(responses: Codes, raters: Codes, rows: Rows) -> tuple[Rows, Rows]:
    """Return those of `rows` in which a rater rates a response again, and the first row of each.

    >>> repeated(np.array([0, 0, 1, 0]), np.array([0, 1, 0, 1]), np.arange(4))
    (array([3]), array([1]))
    """
    keys = responses[rows].astype(np.int64) * (int(raters.max(initial=0)) + 1) + raters[rows]
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    firsts = rows[first[place]]
    return rows[firsts != rows], firsts[firsts != rows]


def side_by_side(
    responses: Codes, raters: Codes, usable: Mask, rows: Rows, columns: Sequence[int], first: int | None
) -> Rows:
    """Return (responses, ratings): the row of each rating, with a column for each rater, or packed in their order.

    Unusable ratings are dropped, with two exceptions: ratings by the rater of record, which decide whether a response
    counts, and without one ratings of responses without a usable rating, so that the exclusion can be reported.

    responses, raters, usable: For all rows of the file: codes from 0 (-1 for an unnamed rater), whether the rating is a
        score.
    rows: The rows that contain human ratings.
    columns: Codes of the raters with a column each, in order; empty if ratings are packed.
    first: Code of the rater of record, whose ratings are in the first column; None without one.

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
        return arrow.spread(responses, place[raters[rows]], rows, len(columns))
    order = np.lexsort((rows, raters[rows]))
    rows, own = rows[order], own[order]
    slots = np.zeros(len(rows), np.intp)
    slots[~own] = arrow.numbered(responses[rows[~own]]) + (first is not None)
    kept = usable[rows] | own | (slots == 0)
    return arrow.spread(responses, slots[kept], rows[kept])


def first_rows(responses: Codes, present: Mask) -> Rows:
    """Return for each response the first row in which `present` is true, -1 if there is none.

    >>> first_rows(np.array([0, 0, 1]), np.array([False, True, False])).tolist()
    [1, -1]
    """
    rows = np.flatnonzero(present)[::-1]
    return np.asarray(arrow.spread(responses, np.zeros(len(rows), np.intp), rows)[:, 0])


def trimmed(table: Any, name: str) -> Coded:
    """Return a column as codes, with whitespace stripped from its texts."""
    return arrow.encode(pc.utf8_trim_whitespace(arrow.as_text(table[name], name)), name)


class LongReader(Reader):
    """A source of ratings that looks like a source of responses.

    inner: The source.
    roles: The roles of its columns.
    data: The declared settings.
    exclude_zeros: Whether a rating of 0 is missing.
    whole: Whether the source contains all rows, hence every rater.
    """

    def __init__(
        self, inner: Reader, roles: LongColumns, data: DataSettings, exclude_zeros: bool, whole: bool = True
    ) -> None:
        self._inner, self.roles = inner, roles
        names = inner.head.schema.names
        beside = [name for name in names if name not in roles.all() and name != data.text]
        unread = {name: Profile(inner.head[name], name).unread for name in beside}
        self.left_out = {name: why for name, why in unread.items() if why}
        self._file = table = inner.load([name for name in names if name not in self.left_out])
        data = with_labels_found(data, table, [roles.score], roles.id)
        self._read(data)
        columns = [name for name in table.schema.names if name not in roles.all()]
        kind, data = self._side_column(columns, data)
        of_column = not column_names.engines_among(self._raters.labels) and any(map(self._is_engine, columns))
        of_people = data.model_copy(update={"ratings_only": data.ratings_only or of_column})
        self.sides = sides_of(self._raters.labels, columns, roles.rater, of_people)
        self.data = data = with_systems(data, self.sides.named)
        self.sides.systems.update(dict.fromkeys(self.sides.named, BY_CONTENTS) if kind else {})
        self.left_out |= dict.fromkeys(self.sides.others, "another engine; not named with --system")
        systems = self._system_scores()
        people, self.without = self.sides.people, LeftOut()
        if data.without:
            out = chosen(data.without, [name for name in people if name], all_known=whole)
            self.without = LeftOut(len(out), int((self._by(out) & self._filled).sum()))
            people = tuple(name for name in people if name not in out)
        if whole:
            refuse_one_left(self.without, len(people), len(systems) + len(self.sides.columns))
        human, notes = self._human_ratings(people, exclude_zeros, data.record)
        self.warnings = [*_not_named(self.sides.left_out, data), *notes]
        self.warnings += [f"Column '{kind}' shows which raters are engines."] * bool(kind)
        self.human = tuple(human)
        others = self._carried(data, {*systems, *human})
        ids = {roles.id: arrow.texts_to_arrow(self._responses.labels)}
        self._table = pa.table({**ids, **human, **systems, **others})
        self.head = self._table.slice(0, FIRST_LOOK)
        self._first_ratings = first_rows(self._responses.codes, np.ones(len(self._numbers), np.bool_))
        del self._file, self._texts, self._responses, self._raters, self._filled  # frees memory for large files

    def _read(self, data: DataSettings) -> None:
        """Read the response, the rater, and the score of each row: numbers or declared words."""
        table, roles = self._file, self.roles
        if table.num_rows == 0:
            raise InputError("the file has a header but no rows; add one row per rating.")
        self._responses, self._raters = trimmed(table, roles.id), trimmed(table, roles.rater)
        self._numbers = read_scores(table[roles.score], roles.score, data.labels, data.missing).numbers
        self._texts = arrow.as_text(table[roles.score], roles.score).combine_chunks()
        self._filled = trimmed(table, roles.score).where(bool)
        nameless = np.flatnonzero(~self._responses.where(bool))
        if nameless.size:
            row = self._inner.place(int(nameless[0]))
            raise InputError(f"row {row}: column '{roles.id}' is blank; expected the response's id.")

    def _side_column(self, columns: Sequence[str], data: DataSettings) -> tuple[str, DataSettings]:
        """Return a column that shows which raters are engines, and the settings with them; "" if there is none."""
        names, raters = column_names.normalised, self._raters
        for column in columns if not (named_systems(data) or data.human or data.ratings_only) else ():
            kinds = trimmed(self._file, column)
            short = {"h": "people", "m": "engine"}
            sides = [column_names.side_of(kind)[0] or short.get(names(kind)) for kind in kinds.labels]
            pairs = np.unique(np.stack([raters.codes, kinds.codes]), axis=1).T.tolist()
            if {*sides} == {"people", "engine"} and len(pairs) == len(raters.labels):
                who = {side: tuple(raters.labels[n] for n, kind in pairs if sides[kind] == side) for side in sides}
                return column, data.model_copy(update={"systems": who["engine"], "human": who["people"]})
        return "", data

    def _is_engine(self, name: str) -> bool:
        """Return whether a column is named like an engine, with one score of each response on the scale of ratings."""
        if column_names.side_of(name)[0] != "engine":
            return False
        pairs = np.stack([self._responses.codes, arrow.as_numbers(self._file[name], name)])
        codes, scores = np.unique(pairs[:, np.isfinite(pairs[1])], axis=1)
        return 0 < len(codes) == len(np.unique(codes)) and bool(np.isin(scores, self._numbers).all())

    def load(self, names: Sequence[str]) -> Any:
        """Return the named columns, one row per response."""
        return self._table.select(list(names))

    def place(self, index: int) -> Place:
        """Return the place of the first rating of a response."""
        return self._inner.place(int(self._first_ratings[index]))

    def source(self, rows: int) -> Source:
        """Return where the ratings came from, with the number of rows in the file instead of `rows` responses."""
        del rows
        return self._inner.source(len(self._numbers))

    def add_roles(self, roles: ColumnRoles) -> None:
        """Add to `roles` how ratings and systems were found, and which columns are runs of systems."""
        found = {**self.sides.systems, **dict.fromkeys(self.human, PACKED), self.roles.id: self.roles.how["id"]}
        roles.relabel(found)
        for system, runs in self.runs.items():
            roles.assign("run", runs, PACKED)
            roles.runs[system] = runs

    def _by(self, raters: Iterable[str]) -> Mask:
        return self._raters.where(set(raters).__contains__)

    def _refuse_many(self, table: Rows, whose: str = "") -> None:
        """Raise if a response has more ratings than are possible."""
        if table.shape[1] > MOST_RATINGS:
            counts = (table >= 0).sum(axis=1)
            response = int(counts.argmax())
            row = self._inner.place(int(table[response].max()))
            text = f"the response in row {row} has {int(counts[response]):,} ratings{whose}, more than {MOST_RATINGS}; "
            text += f"check that '{self.roles.id}' identifies responses, or name the ID column with --id NAME."
            raise InputError(text)

    def _human_ratings(
        self, people: Sequence[str], exclude_zeros: bool, record: str | None
    ) -> tuple[dict[str, Any], list[str]]:
        """Return the columns of human ratings, and a sentence for each kind of rating that is not a score.

        Each rater has a column, or ratings are packed if there are many raters.  Sets `rater_ids`, `ratings`, and
        `design`; `record` is the setting for the score of record.
        """
        rows, responses = np.flatnonzero(self._by(people) & self._filled), self._responses.codes
        if not rows.size:
            text = f"column '{self.roles.score}' has no human ratings: every rater in '{self.roles.rater}' looks like "
            raise InputError(f"{text}an engine, or every cell is blank; name the engines with --system NAME.")
        raters = arrow.ranked(self._raters)
        nobody = 0 if raters.labels[0] == "" else NOBODY
        again, firsts = repeated(responses, raters.codes, rows[raters.codes[rows] != nobody])
        same = pc.equal(*(self._texts.take(pa.array(each)) for each in (again, firsts)))
        if (other := np.flatnonzero(~arrow.to_numpy(same, np.bool_, False))).size:
            one, two = (self._inner.place(int(each[other[0]])) for each in (firsts, again))
            text = f"a rater rated the same response twice (rows {one} and {two})"
            ask_about_repeats(self._inner, ColumnRoles(), self.roles.id, text, self.roles)
        rows = rows[~np.isin(rows, again)]
        zero = (self._numbers == 0) & exclude_zeros
        usable = np.isfinite(self._numbers) & ~zero
        used = [code for code in np.unique(raters.codes[rows]).tolist() if code != nobody]
        names = tuple(raters.labels[code] for code in used)
        nameless = bool((raters.codes[rows] == nobody).any())
        self.design = Design(None, "nameless")
        if record is not None or not nameless:
            scored = rows[usable[rows]]
            rated = np.bincount(raters.codes[scored], minlength=len(raters.labels))[used].tolist()
            self.design = design_of(names, rated, np.unique(responses[scored]).size, record)
        first = None if self.design.record is None else used[self.design.record]
        apart = len(used) <= MOST_COLUMNS and not nameless
        columns = sorted(used, key=lambda code: (code != first, code)) if apart else ()
        found = side_by_side(responses, raters.codes, usable, rows, columns, first)
        self._refuse_many(found)
        here, time = found != NOBODY, self.roles.time
        place = np.full(len(raters.labels) + 1, NOBODY, np.int32)  # one more: the last element is for NOBODY
        place[used] = np.arange(len(used), dtype=np.int32)
        try:
            when = np.where(here, arrow.as_times(self._file[time], time)[found], np.nan) if time else None
        except InputError:
            if self.roles.how["time"] == NAMED:
                raise
            when, self.roles, self.left_out[str(time)] = None, self.roles._replace(time=None), "no dates that are known"
        self.rater_ids = RaterIds(place[np.where(here, raters.codes[found], NOBODY)], names, when)
        self.ratings = Ratings(len(rows), len(used), apart)
        out, notes = np.setdiff1d(rows, found), list[str]()
        if again.size:
            notes.append(f"{many(again.size, 'copy of a rating', 'copies of ratings')}, counted once.")
        kinds = {"non-numeric": np.isnan(self._numbers), "infinite": np.isinf(self._numbers), "zero": zero}
        marked = [screening.Marked.of(f"{kind} value", out[here[out]]) for kind, here in kinds.items()]
        notes += screening.notes(marked, self._inner.place)
        return {f"rating {place}": arrow.at_rows(self._texts, rows) for place, rows in enumerate(found.T, 1)}, notes

    def _system_scores(self) -> dict[str, Any]:
        """Return the columns of raters that are systems, and of their repeated runs; note the names of the runs."""
        run = arrow.ranked(trimmed(self._file, self.roles.run)) if self.roles.run is not None else None
        columns: dict[str, Any] = {}
        self.runs: dict[str, tuple[str, ...]] = {}
        responses = self._responses.codes
        for name in self.sides.systems:
            rows = np.flatnonzero(self._by([name]))
            if run is None:
                slots = arrow.numbered(responses[rows])
            else:
                again, first = repeated(responses, run.codes, rows)
                if again.size:
                    one, two = (self._inner.place(int(each[0])) for each in (first, again))
                    which = run.labels[run.codes[again[0]]]
                    raise InputError(f"'{name}' scores a response twice in run '{which}' (rows {one}, {two}); keep 1.")
                slots = np.unique(run.codes[rows], return_inverse=True)[1]
            table = arrow.spread(responses, slots, rows)
            self._refuse_many(table, f" by '{name}'")
            names = [name, *(f"{name} run {number}" for number in range(2, table.shape[1] + 1))]
            columns |= {column: arrow.at_rows(self._texts, table[:, index]) for index, column in enumerate(names)}
            self.runs[name] = tuple(names[1:])
        return columns

    def _carried(self, data: DataSettings, names: Container[str]) -> dict[str, Any]:
        """Return the other columns, one value per response; note in `left_out` columns that vary within a response."""
        single = (getattr(data, role) for role in SINGLE)  # one value per response
        needed = {name for name in (*single, *data.item_scores, *(data.groups or ()), *data.flags) if name}
        scores, responses = {*needed, data.system, *(data.systems or ())}, self._responses.codes
        columns = {}
        for name in self._file.schema.names:
            if name in self.roles.all():
                continue
            if name in names:
                if name in needed:
                    raise SettingsError(f"column '{name}' has the name of a rater or a rating; rename it.")
                self.left_out[name] = "a rater or a rating has its name"
                continue
            coded, numbers = trimmed(self._file, name), None
            here = coded.where(bool)
            first = first_rows(responses, here)
            rows = np.flatnonzero(here & (coded.codes != coded.codes[first[responses]]))
            if rows.size:
                numbers = arrow.as_numbers(self._file[name], name)  # 3 and 3.0 are one value
                rows = rows[numbers[rows] != numbers[first[responses[rows]]]]
            if not rows.size:
                columns[name] = arrow.at_rows(arrow.as_text(self._file[name], name).combine_chunks(), first)
                continue
            differs = int(rows[0])
            number = column_names.is_system_name(name) and numbers is not None and np.isfinite(numbers[differs])
            if name in scores or number:  # names of systems are not numbers
                both = (int(first[responses[differs]]), differs)
                told = [repr(coded.labels[coded.codes[row]][:40]) for row in both]
                told = ["one name", "another"] if name == data.candidate else told
                one, two = (f"{value} in row {self._inner.place(row)}" for value, row in zip(told, both, strict=True))
                raise InputError(f"column '{name}' contains {one} and {two} for one response; expected one value.")
            self.left_out[name] = (
                f"differs between rows of the same response (first in row {self._inner.place(differs)})"
            )
        return columns


def _not_named(raters: Sequence[str], data: DataSettings) -> list[str]:
    """Return a sentence about the raters whom ``--human`` does not name, with their names if these are shown."""
    named = f": {listed(raters)}" if data.show_rater_names else ""
    are, them = ("rater is", "this rater") if len(raters) == 1 else ("raters are", "them")
    return [f"{len(raters):,} {are} excluded: --human does not name {them}{named}."] * bool(raters)
