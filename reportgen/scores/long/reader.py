"""A file of ratings as a table of responses, for the same steps that a file of responses goes through."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from reportgen.errors import QuestionError, SettingsError, listed, shortened, write_command
from reportgen.results import Role, Source
from reportgen.scores.contents import LONG_TEXT, Contents
from reportgen.scores.left_out import refuse_one_left
from reportgen.scores.long import pivot
from reportgen.scores.long.layout import LongColumns
from reportgen.scores.long.left_out import without
from reportgen.scores.long.pivot import RatingFile, carried, human_ratings, system_scores
from reportgen.scores.score_columns import told_of_patterns, with_systems
from reportgen.scores.systems import named_systems
from reportgen.scores.table import NAMED, ColumnRoles
from reportgen.scores.writing import with_labels_found
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.bridge import texts_to_arrow
from reportgen.sources.column_names import Kind, chosen, engines_among, kind_of, may_name_engine, pattern_of, series_of
from reportgen.sources.tabular import FIRST_LOOK, Place, Reader
from reportgen.wording.names import natural

PACKED = "packed from one row per rating"


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
    whole
        Whether the source holds every rater, and not only those of some rows.
    """

    def __init__(
        self, inner: Reader, roles: LongColumns, data: DataSettings, exclude_zeros: bool, whole: bool = True
    ) -> None:
        self._inner, self._roles, self._text = inner, roles, data.text
        self.left_out: dict[str, str] = {}
        table = inner.load(self._worth_reading())
        data = with_labels_found(data, table, [roles.score])
        file = RatingFile.of(table, inner, roles, data.labels)
        self._rows_of_file = len(file.numbers)
        columns = [name for name in file.table.schema.names if name not in roles.all()]
        self.sides = sides_of(file.raters.labels, columns, roles.rater, data)
        self.data = data = with_systems(data, self.sides.named)
        self.left_out |= dict.fromkeys(self.sides.others, "another engine; not named with --system")
        systems, self.runs = system_scores(file, self.sides.systems)
        people, self.without = without(file, self.sides.people, data.without, all_known=whole)
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

    def _worth_reading(self) -> list[str]:
        """Return the columns to read: all but prose, judged by the first rows."""
        kept = []
        for name in self._inner.head.schema.names:
            contents = Contents(self._inner.head[name], name)
            if name in self._roles.all() or name == self._text:
                kept.append(name)
            elif not contents.is_readable:
                self.left_out[name] = "neither text nor numbers"
            elif contents.mean_length > LONG_TEXT:
                self.left_out[name] = "long text"
            else:
                kept.append(name)
        return kept


def _not_named(raters: Sequence[str], data: DataSettings) -> list[str]:
    """Return a sentence about the raters whom ``--human`` does not name, with their names where these are shown."""
    if not raters:
        return []
    named = f": {listed(raters)}" if data.show_rater_names else ""
    are, them = ("rater is", "this rater") if len(raters) == 1 else ("raters are", "them")
    return [f"{len(raters):,} {are} left out: --human does not name {them}{named}."]


BY_RATER = "found by the name of the rater"

MOST_TYPED = 5
"""Names of one side that a command to type spells out."""


class Sides(NamedTuple):
    """The raters of a file.

    Parameters
    ----------
    systems
        Engines that are evaluated -> how each was found.
    others
        Engines that are not evaluated, and rate beside nobody.
    people
        Raters whose ratings count as human.
    left_out
        Further raters, whom ``--human`` does not name.
    columns
        Columns that are named as systems.
    """

    systems: dict[str, str]
    others: tuple[str, ...]
    people: tuple[str, ...]
    left_out: tuple[str, ...]
    columns: tuple[str, ...]

    @property
    def named(self) -> tuple[str, ...]:
        """Every system that was named, raters and columns."""
        return (*(name for name, how in self.systems.items() if how == NAMED), *self.columns)


def sides_of(raters: Sequence[str], columns: Sequence[str], column: str, data: DataSettings) -> Sides:
    """Return on which side each rater stands.

    Parameters
    ----------
    raters
        Every name in the column of raters; an empty one where it is blank.
    columns
        The other columns of the file: a system may be one of them.
    column
        The column of raters, for errors.
    data
        What is declared.

    Raises
    ------
    SettingsError
        A name that is given is no rater, or stands on both sides.
    QuestionError
        The names do not tell who is a person.
    """
    names = sorted((name for name in raters if name), key=natural)
    systems, in_columns = _systems_named(names, columns, column, data)
    human = _people_named(names, systems, column, data)
    both = sorted(set(systems) & set(human))
    if both:
        raise SettingsError(f"rater {listed(both[:1])} cannot be both system and human; name it once.")
    free = [name for name in names if name not in systems and name not in human]
    engines, people, unclear = _by_name(free, bool(human))
    if data.systems is None:
        systems |= dict.fromkeys(engines, BY_RATER)
    others = tuple(name for name in engines if name not in systems)
    if human:
        left_out = tuple(name for name in free if name not in engines)
        return Sides(systems, others, tuple(human), left_out, in_columns)
    if unclear and not data.ratings_only:
        raise QuestionError(_question(column, people, unclear, systems, alone=not engines))
    if data.ratings_only:
        people = [name for name in free if name not in engines]
    nobody = ("",) if "" in raters else ()
    return Sides(systems, others, (*nobody, *people), (), in_columns)


def _systems_named(
    names: Sequence[str], columns: Sequence[str], column: str, data: DataSettings
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the raters that are named as systems, how, and the columns that are."""
    where = f"raters in column '{column}' and columns"
    every = chosen(named_systems(data), [*names, *columns], "--system", where, private=True).values()
    found = [name for those in every for name in those]
    return {name: NAMED for name in found if name in names}, tuple(name for name in found if name not in names)


def _people_named(names: Sequence[str], systems: Iterable[str], column: str, data: DataSettings) -> list[str]:
    """Return the raters that are named as people: engines by their full names only."""
    engines = {*systems, *_by_name(names, people_named=False)[0]}
    rest = [name for name in names if name not in engines]
    found = (
        chosen([each], names if each in names else rest, "--human", f"raters in column '{column}'", private=True)[each]
        for each in data.human or ()
    )
    return list(dict.fromkeys(name for those in found for name in those))


def _by_name(names: Sequence[str], people_named: bool) -> tuple[list[str], list[str], list[str]]:
    """Return names of engines, of people, and those of which it is not clear."""
    engines = {name for name in names if column_names.is_system_rater(name)} | set(engines_among(names))
    rest = [name for name in names if name not in engines]
    kinds = {name: kind_of(name) for name in rest}
    doubtful = {name for name in rest if may_name_engine(name)}
    if not people_named and not any(kind == ("name", "") for name, kind in kinds.items() if name not in doubtful):
        engines |= doubtful if len(doubtful) < len(rest) else set()
        doubtful -= engines
    clear = [name for name in rest if name not in engines and name not in doubtful]
    alike = _alike({name: kinds[name] for name in clear})
    return (
        [name for name in names if name in engines],
        [name for name in clear if name in alike],
        [name for name in rest if name not in engines and name not in alike],
    )


def _alike(kinds: Mapping[str, Kind]) -> set[str]:
    """Return the names that are made like those of people: by a word for them, else of the commonest kind."""
    count = Counter(kind for kind in kinds.values() if kind[0] != "other")
    if not count:
        return set()
    kind = max(count, key=lambda each: (each[0] == "people", count[each], each))
    return {name for name, own in kinds.items() if own == kind}


def _question(
    column: str, people: Sequence[str], unclear: Sequence[str], systems: Mapping[str, str], *, alone: bool
) -> str:
    """Return what to ask of raters who may be persons or engines; `alone` where no rater is an engine by its name."""
    typed = " ".join(
        [
            *_typed("--human", people, unclear),
            *(write_command("--system", name) for name, how in systems.items() if how == NAMED),
            *_typed("--system", unclear, ()),
        ]
    )
    first = f"persons, by their names: {_some(people)}; " if people else ""
    who = "person or engine" if len(unclear) == 1 else "persons or engines"
    return (
        f"who is a person in column '{shortened(column)}' ({first}{who}: {_some(unclear)})? "
        f"Name both sides, as in {typed}; who is named on neither is left out."
        + (" If all are persons, type --ratings-only." if alone and not systems else "")
    )


def _typed(option: str, names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return options that name raters: a pattern for those of one series, each of a few others."""
    series: dict[str, list[str]] = {}
    for name in names:
        series.setdefault((series_of(name) or (name, ""))[0], []).append(name)
    words = []
    for those in series.values():
        pattern = pattern_of(those, [*others, *(name for name in names if name not in those)])
        words += [pattern] if pattern else [re.sub(r"([*?\[])", r"[\1]", name) for name in those]
    return [write_command(option, word) for word in words[:MOST_TYPED]] + ["..."] * (len(words) > MOST_TYPED)


def _some(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - MOST_TYPED:,} more" if len(names) > MOST_TYPED else ""
    return listed(names[:MOST_TYPED]) + more
