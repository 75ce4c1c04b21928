"""Several traits in one source, each read as a source of its own: in columns of their own, or row by row.

A wide file has columns for every trait, told by their names (`reportgen.sources.trait_names`) or declared as
``[[traits]]``; a long one has a column that names the trait of a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from reportgen.design.profiles import Profile
from reportgen.design.ratings import long_columns
from reportgen.design.roles import NO_ENGINE
from reportgen.design.score_columns import named_systems
from reportgen.design.survey import values_of
from reportgen.errors import InputError, SettingsError, did_you_mean, listed, write_command
from reportgen.results import Scale, Source
from reportgen.scores.items import ItemRows, items_held, places_of
from reportgen.scores.reading import Opened
from reportgen.scores.table import ScoreTable
from reportgen.settings import DataSettings, Settings, TraitSettings, as_toml, override
from reportgen.sources.column_names import first_id, normalised
from reportgen.sources.parted_rows import InMemory
from reportgen.sources.tabular import Reader, TableReader
from reportgen.sources.trait_names import WithoutEngine, is_whole, named_traits

MOST_TRAITS = 50
"""A column of more distinct values than this names no traits."""

MOST_WORDS_OF_SCORES = 12
"""A column of more distinct words than this holds no scores."""

_OF_ONE = (
    "no engine scored these traits, and a report on the raters is of one trait; write the trait into a configuration, "
    'under [data], as only = {COLUMN = "TRAIT"}, and type: reportgen evaluate CONFIG'
)
"""What is said of ratings of several traits alone."""

_WORDS = ("trait", "dimension", "criterion", "aspect", "criteria", "rubrictrait", "rubriccriterion", "rubricdimension")
"""What a column of traits is called, with or without "name" behind it."""


@dataclass(frozen=True)
class Trait:
    """One trait, ready to be read.

    name, weight: What it is called, and its weight in the composite.
    settings: Those that read it from the source again.
    rows: Its rows.
    """

    name: str
    weight: float
    settings: Settings
    rows: ItemRows

    def read(self) -> ScoreTable:
        """Return the prepared scores of the trait; errors are those of `reportgen.scores.read`, and name it."""
        try:
            return self.rows.read(self.settings)
        except (InputError, SettingsError) as error:
            if NO_ENGINE in str(error):
                raise SettingsError(_OF_ONE) from None
            raise error.about(f"trait '{self.name}'") from None


@dataclass(frozen=True)
class Traits:
    """A source with several traits.

    source: Where it comes from, with all its rows.
    settings: Those that read all traits from the source again.
    parts: The traits, in natural order or as declared.
    told: Sentences on what was found, and on what is left out.
    in_columns: Whether each trait has columns of its own, so that row i is the same response in all of them.
    """

    source: Source
    settings: Settings
    parts: tuple[Trait, ...]
    told: tuple[str, ...]
    in_columns: bool

    def read(self) -> tuple[Traits, tuple[ScoreTable, ...]]:
        """Return the traits that can be read, and their prepared scores; it is told which cannot, and why.

        Errors are those of `Trait.read`, where fewer than two traits are left.
        """
        parts, tables, errors = [], [], []
        for part in self.parts:
            try:
                tables.append(part.read())
                parts.append(part)
            except InputError as error:
                errors.append(error)
        if errors and len(parts) < 2:
            raise errors[0]
        told = (*self.told, *(f"Not evaluated: {error}" for error in errors))
        return replace(self, parts=tuple(parts), told=told), tuple(tables)

    def only(self, name: str) -> Trait:
        """Return one trait.

        Raises SettingsError: There is none of that name.
        """
        found = next((part for part in self.parts if part.name == name), None)
        if found is None:
            known = [part.name for part in self.parts]
            raise SettingsError(f"--trait: '{name}' is no trait{did_you_mean(name, known)}")
        return found


def traits_in(door: Opened) -> Traits | None:
    """Return the traits of a source that is opened; None when it has none, or one.

    Raises InputError: The source cannot be read.
    Raises SettingsError: It is not clear which columns belong to which trait, what is declared does not fit, or
        ``trait`` names one of a source that has none.
    """
    data = door.settings.data
    found = None
    if not (door.foreign or data.by or data.trait_column == "" or data.ratings_only):
        found = _traits_in(door)
    if found is None and data.trait is not None:
        raise SettingsError(
            f"--trait '{data.trait}': no traits were found; name the column that holds them with --trait-column NAME, "
            "or declare them as [[traits]] in a configuration."
        )
    return found and replace(found, told=(*door.told, *found.told))


def _traits_in(door: Opened) -> Traits | None:
    """Return the traits of a source, declared or found."""
    reader, settings = door.reader, door.settings
    data, declared, names = settings.data, settings.traits, reader.head.schema.names
    if declared and declared[0].system is not None:
        for trait in declared:
            for each in (*(trait.human or ()), str(trait.system)):
                if each not in names:
                    raise SettingsError(
                        f"trait '{trait.name}': column '{each}' does not exist{did_you_mean(each, names)}"
                    )
        return _in_columns(reader, settings, declared, ())
    column = data.trait_column or _column_of_traits(reader, data)
    if column is not None:
        return _by_rows(door, column)
    if declared:
        raise SettingsError(
            "traits: no column names them; write trait_column under [data], or human and system of each trait."
        )
    if door.long is not None or data.layout == "long" or data.rater is not None or data.item_scores or data.runs:
        return None
    named = _by_names(reader, data)
    return _in_columns(reader, settings, *named) if named else None


def _by_names(reader: Reader, data: DataSettings) -> tuple[list[TraitSettings], list[str]] | None:
    """Return the traits that the names of columns speak of, and what to say of them; None for fewer than two."""
    head = reader.head
    found = named_traits([name for name in head.schema.names if _may_score(Profile(head[name], name))])
    if isinstance(found, WithoutEngine):
        if data.human is not None or named_systems(data):
            return None
        raise SettingsError(
            f"the ratings are of {len(found.names)} traits ({listed(found.names[:3])}), and no engine scored them; "
            "name those of one, as in --ratings-only --human 'ideas_*', or declare all in a configuration, above "
            "[data], as traits = [{name = ..., human = [...], system = ...}, ...]."
        )
    tags = [tag for trait in found.traits for tag in trait.systems] if found else []
    if found is None or data.human is not None or data.systems is not None or data.system not in (None, *tags):
        return None
    engine = _engine(data, [list(trait.systems) for trait in found.traits])
    traits = [
        TraitSettings(
            name=each.name, human=tuple(each.human.values()), system=each.systems[engine], weight=_weight(each.name)
        )
        for each in found.traits
    ]
    if unclear := found.unclear:
        asked = next((trait for trait in traits if not {*(trait.human or ())}.isdisjoint(unclear)), traits[0])
        told = as_toml({"name": asked.name, "human": asked.human, "system": asked.system})
        some = listed(unclear[:2]) + (", ..." if len(unclear) > 2 else "")
        raise SettingsError(
            f"are these ratings that count: {some}? Declare every trait in a configuration, above [data], as traits = "
            f"[{told}, ...]; or look for none with --trait-column ''."
        )
    said = [f"{len(traits)} traits were found by the names of columns; --trait-column '' looks for none."]
    said += _of_whole(traits)
    if found.incomplete:
        said.append(f"Not evaluated, because ratings or an engine's scores are missing: {listed(found.incomplete)}.")
    return traits, said


def _may_score(contents: Profile) -> bool:
    """Return whether a column may hold scores, judged by the first rows: numbers, nothing yet, or a few words."""
    if not contents.is_readable:
        return False
    return contents.has_numbers or contents.is_blank or contents.n_distinct <= MOST_WORDS_OF_SCORES


def _engine(data: DataSettings, by_trait: Sequence[Sequence[str]]) -> str:
    """Return the engine that scored every trait, of those that scored each.

    Raises SettingsError: There are several, or not every trait has one.
    """
    shared = [tag for tag in by_trait[0] if all(tag in tags for tags in by_trait)]
    if data.system in shared:
        return str(data.system)
    if len(shared) == 1 and all(len(tags) == 1 for tags in by_trait):
        return shared[0]
    tags = listed(sorted({tag for each in by_trait for tag in each}))
    if shared:
        raise SettingsError(
            f"the {len(by_trait)} traits have scores of several engines ({tags}), but a report covers one; name it, as "
            f"in {write_command('--system', shared[0])}."
        )
    raise SettingsError(
        f"no engine scored all {len(by_trait)} traits ({tags}); declare the columns of each trait as [[traits]] in a "
        "configuration."
    )


def _in_columns(reader: Reader, settings: Settings, traits: Sequence[TraitSettings], told: Sequence[str]) -> Traits:
    """Return traits that have columns of their own."""
    head, length = reader.head, settings.data.length
    own = {trait.name: (*(trait.human or ()), str(trait.system)) for trait in traits}
    scored = {column for columns in own.values() for column in columns}
    names = head.schema.names
    table = reader.load([name for name in names if name in {*scored, length} or not Profile(head[name], name).unread])
    rows = np.arange(table.num_rows)
    places = places_of(reader, table.num_rows, rows) if table.num_rows else ()
    source = reader.source(table.num_rows)
    settings = settings.model_copy(update={"traits": tuple(traits)})
    parts = []
    for trait in traits:
        kept = table.select([name for name in table.schema.names if name in own[trait.name] or name not in scored])
        scale = {"scale": trait.scale} if trait.scale else {}
        chosen = override(settings, system=trait.system, human=trait.human, layout="wide", trait=trait.name, **scale)
        parts.append(Trait(trait.name, trait.weight, chosen, ItemRows(InMemory(kept, rows), source, places, {})))
    of_all = override(settings, system=None, human=None, trait=None)
    return Traits(source, of_all, tuple(parts), tuple(told), in_columns=True)


def _column_of_traits(reader: Reader, data: DataSettings) -> str | None:
    """Return the column that names the trait of each row, None when there is none; all rows are looked at."""
    taken = {data.system, data.id, data.item, data.candidate, data.rater, data.score, *(data.human or ())}
    taken |= {*(data.systems or ()), *(data.groups or ()), *data.only, *data.flags, *data.item_scores}
    names = reader.head.schema.names
    called = {word + end for word in _WORDS for end in ("", "name", "id")}
    found = [name for name in names if normalised(name) in called and name not in taken]
    if not found:
        return None
    ids = [name for name in (data.id or first_id(names),) if name is not None]
    table = reader.look([*found, *ids])
    again = any(not Profile(table[name], name).is_unique for name in ids)
    named = [name for name in found if _names_traits(Profile(table[name], name), again=again)]
    if len(named) > 1:
        raise SettingsError(
            f"several columns may name the traits ({listed(named)}); name one with --trait-column NAME."
        )
    return named[0] if named else None


def _names_traits(contents: Profile, *, again: bool) -> bool:
    """Return whether a column has a few values that come again: words, or numbers where ids come `again`, too."""
    if not contents.is_readable or contents.is_blank or contents.levels_problem(MOST_TRAITS):
        return False
    return again or not contents.has_numbers


def _by_rows(door: Opened, column: str) -> Traits:
    """Return traits that a column names row by row."""
    reader, settings = door.reader, door.settings
    names = reader.head.schema.names
    if column not in names:
        raise SettingsError(f"--trait-column: column '{column}' does not exist{did_you_mean(column, names)}")
    declared = {trait.name: trait for trait in settings.traits or ()}
    scales: Mapping[str, Scale] = {name: trait.scale for name, trait in declared.items() if trait.scale is not None}
    layout = {"layout": "long"} if _looks_long(door, column) else {}
    plain = settings.model_copy(update={"traits": None})
    asked = override(plain, by=(column,), trait=None, trait_column=None, **layout)
    try:
        items = items_held(door._replace(settings=asked).laid_out(), scales or None)
    except SettingsError as error:
        if NO_ENGINE in str(error):
            raise SettingsError(f"column '{column}' names traits; {_OF_ONE}") from None
        raise
    found = {items.name(number): number for number in range(len(items.values))}
    for name in declared:
        if name not in found:
            raise SettingsError(f"trait '{name}' is no value of column '{column}'{did_you_mean(name, found)}")
    if len(found) < 2 and not declared:
        raise SettingsError(f"--trait-column: column '{column}' has one value; leave the option out.")
    parts = []
    for name, number in found.items():
        if name in declared or not declared:
            weight = declared[name].weight if declared else _weight(name)
            parts.append(Trait(name, weight, items.settings_of(number), items.part(number)))
    weighed = [TraitSettings(name=part.name, weight=part.weight, scale=scales.get(part.name)) for part in parts]
    spelled = override(plain, trait_column=column, trait=None, **layout).model_copy(update={"traits": tuple(weighed)})
    told = [f"Column '{column}' names {len(weighed)} traits; --trait-column '' looks for none."]
    told += () if declared else _of_whole(weighed)
    if declared and (left := [name for name in found if name not in declared]):
        told.append(f"Not evaluated, because the configuration does not list them: {listed(left)}.")
    return Traits(items.source, spelled, tuple(parts), tuple(told), in_columns=False)


def _looks_long(door: Opened, column: str) -> bool:
    """Return whether the rows of one trait are ratings, which all rows together hide."""
    if door.long is not None or door.settings.data.layout is not None:
        return False
    head = door.reader.head
    values = values_of(head[column], column)
    first = head.filter(pa.array(values.codes == values.codes[0]))
    return long_columns(TableReader(first, door.reader.source(head.num_rows), 1), door.settings.data) is not None


def _of_whole(traits: Sequence[TraitSettings]) -> list[str]:
    """Return what to say of traits that are scores of the whole response."""
    whole = [trait.name for trait in traits if not trait.weight]
    said = f"{listed(whole)}: a score of the whole response, and not in the composite; [[traits]] can give it a weight."
    return [said] if whole else []


def _weight(name: str) -> float:
    """Return the weight of a trait that nobody weighed: 1, and 0 for a score of the whole response."""
    return 0.0 if is_whole(name) else 1.0
