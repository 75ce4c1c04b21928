"""Read a source with multiple traits, each as a separate source: in columns, or row by row.

A wide file has columns for every trait, detected by name or declared as ``[[traits]]``; a long file has a column that
names the trait of a row.  A column name contains a trait and a role: a rater (``ideas_human1``, ``rater2_ideas``,
``ideas_1``) or an engine (``ideas_system``).  Names that share a trait belong together, whatever the word order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from reportgen.design.profiles import Profile, profiles_of
from reportgen.design.ratings import long_columns
from reportgen.design.roles import NO_ENGINE, values_of
from reportgen.design.score_columns import named_systems, rated_systems
from reportgen.errors import InputError, QuestionError, SettingsError, listed
from reportgen.results import Scale, Source
from reportgen.scores.items import InMemory, ItemRows, items_in_memory, places_of
from reportgen.scores.reading import Opened, ask_for_engine
from reportgen.scores.table import ScoreTable
from reportgen.settings import DataSettings, Settings, TraitSettings, override
from reportgen.sources import column_names
from reportgen.sources.tabular import Reader, TableReader
from reportgen.wording.names import natural

MOST_TRAITS = 50  # a column with more distinct values does not name traits

MOST_WORDS_OF_SCORES = 12  # a column with more distinct words does not contain scores

_OF_ONE = (
    "no engine scored these traits, and a raters-only report covers one trait; in a configuration file, add "
    'only = {COLUMN = "TRAIT"} under [data], and run: reportgen evaluate CONFIG'
)
"""The note on ratings of multiple traits without an engine."""


class Trait(NamedTuple):
    """One trait, ready to be read, with its name and its weight in the composite."""

    name: str
    weight: float
    settings: Settings  # the settings that read it from the source again
    rows: ItemRows  # its rows

    def read(self) -> ScoreTable:
        """Return the prepared scores of the trait; errors are as for `reportgen.scores.read`, and name it."""
        try:
            return self.rows.read(self.settings)
        except (InputError, SettingsError) as error:
            if NO_ENGINE in str(error):
                raise SettingsError(_OF_ONE) from None
            raise error.about(f"trait '{self.name}'") from None


@dataclass(frozen=True)
class Traits:
    """A source with multiple traits."""

    source: Source  # the source, with all its rows
    settings: Settings  # the settings that read all traits from the source again
    parts: tuple[Trait, ...]  # the traits, in natural order or as declared
    notes: tuple[str, ...]  # notes about the traits that were found and excluded
    in_columns: bool  # whether each trait has separate columns, so that row i is the same response in all of them

    def read(self) -> tuple[Traits, tuple[ScoreTable, ...]]:
        """Return the readable traits, with notes about the others, and their prepared scores."""
        parts, tables, errors = [], [], []
        for part in self.parts:
            try:
                tables.append(part.read())
                parts.append(part)
            except InputError as error:
                errors.append(error)
        if errors and len(parts) < 2:
            raise errors[0]
        notes = (*self.notes, *(f"Not evaluated: {error}" for error in errors))
        return replace(self, parts=tuple(parts), notes=notes), tuple(tables)

    def only(self, name: str) -> Trait:
        """Return one trait."""
        parts = {part.name: part for part in self.parts}
        column_names.refuse_unknown([name], parts, "--trait: trait")
        return parts[name]


def traits_in(file: Opened) -> Traits | None:
    """Return the traits of an open source; None if it has at most one."""
    data = file.settings.data
    found = None if file.foreign or data.by or data.trait_column == "" or data.ratings_only else _traits_in(file)
    if found is None and data.trait is not None:
        raise SettingsError(f"--trait '{data.trait}': no traits were found; name their column with --trait-column.")
    return found and replace(found, notes=(*file.notes, *found.notes))


def _traits_in(file: Opened) -> Traits | None:
    """Return the traits of a source, declared or detected."""
    reader, settings = file.reader, file.settings
    data, declared, names = settings.data, settings.traits, reader.head.schema.names
    if declared and declared[0].system is not None:
        for trait in declared:
            wanted = (*(trait.human or ()), str(trait.system))
            column_names.refuse_unknown(wanted, names, f"trait '{trait.name}': column")
        return _in_columns(reader, settings, declared, ())
    column = data.trait_column or _column_of_traits(reader, data)
    if column is not None:
        return _by_rows(file, column)
    if declared:
        raise SettingsError(
            "traits: no trait column was found; set trait_column under [data], or name the columns of each."
        )
    if file.long is not None or data.layout == "long" or data.rater is not None or data.item_scores or data.runs:
        return None
    named = _by_names(reader, data)
    return _in_columns(reader, settings, *named) if named else None


def _by_names(reader: Reader, data: DataSettings) -> tuple[list[TraitSettings], list[str]] | None:
    """Return the traits in the names of columns, and notes about them; None for fewer than two."""
    columns = {name: each for name, each in profiles_of(reader.head).items() if each.is_readable}
    rated = rated_systems(columns, columns)
    readable = [each for name, each in columns.items() if name not in rated]
    few = [each.has_numbers or each.is_blank or each.n_distinct <= MOST_WORDS_OF_SCORES for each in readable]
    found = named_traits([each.name for each, scored in zip(readable, few, strict=True) if scored])
    tags, wanted = [tag for trait in found.traits for tag in trait.systems] if found else [], {*named_systems(data)}
    typed = [tag for tag in tags if found and wanted == {trait.systems.get(tag) for trait in found.traits}]
    if found is None or data.human is not None or not (typed or wanted <= {*tags} - {*(data.systems or ())}):
        return None
    if not tags:
        some = listed(each.name for each in found.traits)
        text = f"raters scored the traits {some}, but no engine did. Which trait should be evaluated?"
        ways = [(f"evaluate '{each.name}'", _options(each.human.values())) for each in found.traits[:2]]
        raise QuestionError(text, ways)
    engine = typed[0] if typed else _engine(data, found.traits)
    traits = [
        TraitSettings(name=each.name, human=tuple(each.human.values()), system=each.systems[engine],
                      weight=float(not is_whole(each.name)))
        for each in found.traits
    ]  # fmt: skip
    if unclear := found.unclear:
        asked = next((trait for trait in traits if not {*(trait.human or ())}.isdisjoint(unclear)), traits[0])
        text = f"it is unclear which trait {listed(unclear, most=2)} rate. Which trait should be evaluated?"
        answer = f"evaluate '{asked.name}'", _options(asked.human or (), str(asked.system))
        raise QuestionError(text, [answer], "list each trait under [[traits]] in a configuration file")
    why = [f"{len(traits)} traits were detected by column name; to turn off trait detection, add --trait-column ''."]
    why += _of_whole(traits)
    if found.incomplete:
        why.append(f"Not evaluated, because ratings or an engine's scores are missing: {listed(found.incomplete)}.")
    return traits, why


def _engine(data: DataSettings, traits: Sequence[TraitColumns]) -> str:
    """Return an engine that scored every trait."""
    by_trait = [list(trait.systems) for trait in traits]
    shared = [tag for tag in by_trait[0] if all(tag in tags for tags in by_trait)]
    if data.system in shared:
        return str(data.system)
    if len(shared) == 1 and all(len(tags) == 1 for tags in by_trait):
        return shared[0]
    if shared:
        text = f"the traits have scores of the engines {listed(sorted({tag for each in by_trait for tag in each}))}. "
        engines = [(f"evaluate '{tag}'", ("--system", tag)) for tag in shared[:2]]
        raise QuestionError(f"{text}Which engine should be evaluated?", engines)
    ways = [
        (f"evaluate '{each.name}'", _options(each.human.values(), next(iter(each.systems.values()))))
        for each in traits[:2]
    ]
    raise QuestionError(f"no engine scored all {len(by_trait)} traits. Which trait should be evaluated?", ways)


def _options(human: Iterable[str], system: str = "") -> tuple[str, ...]:
    people = [word for name in human for word in ("--human", name)]
    return (*people, "--system", system) if system else ("--ratings-only", *people)


def _in_columns(reader: Reader, settings: Settings, traits: Sequence[TraitSettings], notes: Sequence[str]) -> Traits:
    head, length = reader.head, settings.data.length
    own = {trait.name: (*(trait.human or ()), str(trait.system)) for trait in traits}
    scored = {column for columns in own.values() for column in columns}
    names = head.schema.names
    table = reader.load([name for name in names if name in {*scored, length} or not Profile(head[name], name).unread])
    rows = np.arange(table.num_rows)
    places = places_of(reader, table.num_rows, rows) if table.num_rows else ()
    source = reader.source(table.num_rows)
    alone = override(settings.model_copy(update={"traits": tuple(traits)}), systems=None)
    parts = []
    for trait in traits:
        kept = table.select([name for name in table.schema.names if name in own[trait.name] or name not in scored])
        scale = {"scale": trait.scale} if trait.scale else {}
        chosen = override(alone, system=trait.system, human=trait.human, layout="wide", trait=trait.name, **scale)
        parts.append(Trait(trait.name, trait.weight, chosen, ItemRows(InMemory(kept, rows), source, places, {})))
    of_all = override(alone, system=None, human=None, trait=None)
    return Traits(source, of_all, tuple(parts), tuple(notes), in_columns=True)


def _column_of_traits(reader: Reader, data: DataSettings) -> str | None:
    """Return the column that names the trait of each row, None if there is none; all rows are checked."""
    taken = {data.system, data.id, data.item, data.candidate, data.rater, data.score, *(data.human or ())}
    taken |= {*(data.systems or ()), *(data.groups or ()), *data.only, *data.flags, *data.item_scores}
    names = reader.head.schema.names
    found = [name for name in names if column_names.first_of("trait", [name]) and name not in taken]
    if not found:
        return None
    ids = [name for name in (data.id or column_names.first_of("id", names),) if name is not None]
    table = reader.look([*found, *ids])
    again = any(not Profile(table[name], name).is_unique for name in ids)
    columns = [each for each in profiles_of(table.select(found)).values() if each.is_readable and not each.is_blank]
    few = [each for each in columns if not each.levels_problem(MOST_TRAITS)]
    named = [each.name for each in few if again or not each.has_numbers]  # numbers can name traits if IDs repeat
    if len(named) > 1:
        raise SettingsError(f"the traits could be in {listed(named, 'or')}; choose one with --trait-column NAME.")
    return named[0] if named else None


def _by_rows(file: Opened, column: str) -> Traits:
    reader, settings = file.reader, file.settings
    column_names.refuse_unknown([column], reader.head.schema.names, "--trait-column: column")
    declared = {trait.name: trait for trait in settings.traits or ()}
    scales: Mapping[str, Scale] = {name: trait.scale for name, trait in declared.items() if trait.scale is not None}
    declared_rows = file.long is not None or file.settings.data.layout is not None
    values = values_of(reader.head[column], column)
    first = reader.head.filter(pa.array(values.codes == values.codes[0]))
    part = TableReader(first, reader.source(reader.head.num_rows), 1)
    # the rows of one trait may be ratings, which the rows of all traits do not show
    layout = {} if declared_rows or long_columns(part, file.settings.data) is None else {"layout": "long"}
    plain = settings.model_copy(update={"traits": None})
    asked = override(plain, by=(column,), trait=None, trait_column=None, **layout)
    try:
        items = items_in_memory(file._replace(settings=asked).laid_out(), scales or None)
    except SettingsError as error:
        if NO_ENGINE in str(error):
            without = override(plain, trait=None, trait_column=None, **layout)
            ask_for_engine(file._replace(reader=part, settings=without))
        raise
    found = {items.name(number): number for number in range(len(items.values))}
    column_names.refuse_unknown(declared, found, f"column '{column}': trait")
    if len(found) < 2 and not declared:
        raise SettingsError(f"--trait-column: column '{column}' has only one value; remove --trait-column.")
    parts = []
    for name, number in found.items():
        if name in declared or not declared:
            weight = declared[name].weight if declared else float(not is_whole(name))
            parts.append(Trait(name, weight, items.settings_of(number), items.part(number)))
    weighed = [TraitSettings(name=part.name, weight=part.weight, scale=scales.get(part.name)) for part in parts]
    spelled = override(plain, trait_column=column, trait=None, **layout).model_copy(update={"traits": tuple(weighed)})
    notes = [f"Column '{column}' names {len(weighed)} traits; to turn off trait detection, add --trait-column ''."]
    notes += () if declared else _of_whole(weighed)
    if declared and (left := [name for name in found if name not in declared]):
        notes.append(f"Not evaluated, because the configuration does not list them: {listed(left)}.")
    return Traits(items.source, spelled, tuple(parts), tuple(notes), in_columns=False)


def _of_whole(traits: Sequence[TraitSettings]) -> list[str]:
    whole = [trait.name for trait in traits if not trait.weight]
    text = f"{listed(whole)}: a score of the whole response, not in the composite; [[traits]] can set its weight."
    return [text] if whole else []


OVERALL_TRAIT = "overall"  # the name of whole-response scores in a file with trait scores

MOST_WORDS = 12  # names with more words are questions and not scores

LETTERS_OF_ENGINES = "acemk"  # automatic, computer, engine, machine, KI: beside the letter of human scores

Words = tuple[str, ...]


@dataclass
class TraitColumns:
    """The columns of one trait.

    human, systems: Rater, and engine, as in the column name -> column.
    """

    name: str  # the name of the trait
    human: dict[str, str] = field(default_factory=dict)
    systems: dict[str, str] = field(default_factory=dict)


class NamedTraits(NamedTuple):
    """The traits of a file.

    unclear: Columns that may not be ratings, by their names: columns used as raters in `traits`, and scores of a trait
        that also has ratings.
    """

    traits: tuple[TraitColumns, ...]  # in natural order
    incomplete: tuple[str, ...] = ()  # names of traits that lack one of them
    unclear: tuple[str, ...] = ()


def named_traits(names: Iterable[str]) -> NamedTraits | None:
    """Return the traits of score columns; None if names contain fewer than two.

    Traits have no systems if no engine scored them, and the same two or more raters scored all of them.

    >>> found = named_traits(["id", "ideas_h1", "ideas_h2", "ideas_system", "voice_h1", "voice_h2", "voice_system"])
    >>> [(trait.name, list(trait.human.values()), list(trait.systems.values())) for trait in found.traits]
    [('ideas', ['ideas_h1', 'ideas_h2'], ['ideas_system']), ('voice', ['voice_h1', 'voice_h2'], ['voice_system'])]
    >>> named_traits(["human1", "human2", "system", "system_trimmed"]) is None
    True
    """
    parsed = _all_parsed(sorted(names))
    families, twice = _families(parsed)
    unclear = list(dict.fromkeys([*_add_unnamed(parsed, families), *twice]))
    complete = [each for each in families.values() if each.human and each.systems]
    if len(complete) < 2:
        return None if complete or () in families else _without_engine(families or _numbered(parsed))
    lacking = sorted((each.name for trait, each in families.items() if trait and each not in complete), key=natural)
    for each in complete:
        each.human = dict(sorted(each.human.items(), key=lambda pair: natural(pair[0])))
    return NamedTraits(tuple(sorted(complete, key=lambda each: natural(each.name))), tuple(lacking), tuple(unclear))


def _numbered(parsed: dict[str, _Parsed]) -> dict[Words, TraitColumns]:
    """Return the columns whose names are a trait and the number of a rater: `Cohesion_1`, `Syntax_1`."""
    families: dict[Words, TraitColumns] = {}
    for name, each in parsed.items():
        *trait, number = each.trait or ("",)
        if trait and number.isdigit() and not column_names.has_word("no_raters", trait):
            families.setdefault(tuple(trait), TraitColumns(_called(name, tuple(trait)))).human[number] = name
    return families


def _without_engine(families: dict[Words, TraitColumns]) -> NamedTraits | None:
    rated = [each for each in families.values() if len(each.human) > 1]
    alike = len({tuple(sorted(each.human)) for each in rated}) == 1
    if len(rated) < 2 or not alike or any(each.systems for each in families.values()):
        return None
    return NamedTraits(tuple(sorted(rated, key=lambda each: natural(each.name))))


def is_whole(name: str) -> bool:
    """Return whether a trait is the score of the whole response, of which other traits are parts.

    >>> is_whole("Holistic"), is_whole("overall score"), is_whole("ideas")
    (True, True, False)
    """
    words = _trait(_words(name))
    return bool(words) and set(column_names.VOCABULARY["whole"]).issuperset(words)


class _Parsed(NamedTuple):
    """A parsed name: rater or engine, and trait."""

    part: str  # "human", "system" or nothing
    tag: str
    trait: Words
    short: bool = True  # whether only numbers and single letters follow the first word of the rater or engine


def _words(name: str) -> Words:
    """Return the words of a name, without its highest score; a number before a colon is a question's."""
    bare = re.sub(r"\s*\([^()]*\)$", "", name) if column_names.highest_in(name) > 0 else name
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"(?<!\S)(\d[\d.]{0,4}): ", r"question \1 ", bare))
    return tuple(word.casefold() for word in re.findall(r"[^\W\d_]+|\d+", spaced))


def _all_parsed(names: Iterable[str]) -> dict[str, _Parsed]:
    """Return the score columns with their rater or engine and their trait."""
    ways = {name: found for name in names if (found := _ways(name))}
    others = [found for each in ways.values() for found in each if found.part != "system"]
    rated = Counter(each.trait for each in others if each.part == "human" and each.trait)
    is_engine_named = any(each.part == "system" for found in ways.values() for each in found)
    ways = {name: [_of_engine(each, rated, is_engine_named) for each in found] for name, found in ways.items()}
    numbered = {each.trait[:-1] for each in others if "".join(each.trait[-1:]).isdigit()}
    traits = {each.trait for each in others} | numbered
    of_engines = {found.trait for each in ways.values() for found in each if found.part == "system"}

    def rank(each: _Parsed) -> tuple[object, ...]:
        known, paired = each.trait in traits, each.trait in of_engines
        return known and paired, known, paired, bool(each.trait), each.short, len(each.tag)

    return {name: max(found, key=rank) for name, found in ways.items()}


def _of_engine(each: _Parsed, rated: Counter[Words], is_engine_named: bool) -> _Parsed:
    """Return an engine's column with the trait that its name ends with, or a letter for it, as in `Q1_H` and `Q1_M`."""
    if each.part == "system":
        ends = (trait for trait in rated if each.trait[-len(trait) :] == trait)
        end = max(ends, key=lambda trait: (rated[trait], len(trait)), default=())
        return each._replace(trait=end, tag=each.tag + "".join(each.trait[: -len(end)])) if end else each
    if not (each.part or is_engine_named) and each.trait in rated:
        return each._replace(part="system")
    for letter, words in ((each.trait[:1], each.trait[1:]), (each.trait[-1:], each.trait[:-1])):
        if not each.part and words in rated and letter[0] in LETTERS_OF_ENGINES:
            return _Parsed("system", letter[0], words)
    return each


def _ways(name: str) -> list[_Parsed]:
    """Return every way to parse a name; empty for columns that do not contain scores."""
    words, has_word = _words(name), column_names.has_word
    if not 0 < len(words) <= MOST_WORDS or has_word("no_trait", words) or column_names.names_somebody(name):
        return []
    found = list(_parts(words))
    initials = {word for word in words if len(word) == 2 and word.isalpha() and column_names.is_human_name(word)}
    sure = [each for each in found if initials.isdisjoint(words[each[1] : each[2]])]  # TA may be a trait
    codes = [each for each in sure if not re.fullmatch(r"[a-z]\d+", "".join(words[each[1] : each[2]]))]  # and R01
    return list(dict.fromkeys([*_made(words, found), *_made(words, codes or sure)]))


def _made(words: Words, found: Sequence[tuple[str, int, int]]) -> list[_Parsed]:
    """Return the parsed names for the runs of words that name engines or raters."""
    engines = [range(start, stop) for kind, start, stop in found if kind == "system"]
    found = [each for each in found if each[0] == "system" or not any(each[1] in own for own in engines)]  # e-rater
    kinds = {kind for kind, _, _ in found}
    if not kinds:
        return [_Parsed("", "", _trait(words))]
    if len(kinds) > 1:
        return []
    return [
        _Parsed(kind, "".join(words[start:stop]), _trait(words[:start] + words[stop:]), _short(words[start + 1 : stop]))
        for kind, start, stop in found
    ]


def _short(words: Words) -> bool:
    """Return whether words are numbers or single letters, as in versions of models, or words for engines or scores."""
    known = [*column_names.VOCABULARY["scored"], *(word for word in words if column_names.side_of(word)[0] == "engine")]
    return all(word.isdigit() or len(word) == 1 or word in known for word in words)


def _parts(words: Words) -> Iterator[tuple[str, int, int]]:
    """Yield every run of words that names an engine or a rater: the role, the start, and the end."""
    for start in range(len(words)):
        for stop in range(start + 1, len(words) + 1):
            name = "".join(words[start:stop])
            by_letter = len(words[stop - 1]) == 1 < stop - start  # as in rater_a, but not in rater1_c or rater_c1
            by_letter = by_letter and not any(map(str.isdigit, (words[stop - 2], *words[stop : stop + 1])))
            item = column_names.item_in(" ".join(words[start : start + 2]))
            if item or column_names.has_word("generic", (words[start], words[stop - 1])) or name.isdigit():
                continue
            model, rest = " ".join(words[start:stop]), " ".join(words[start + 1 : stop])
            is_model = column_names.names_engine(model) and not column_names.names_engine(rest)
            if is_model or column_names.is_system_name(name):
                yield "system", start, stop
            elif any(map(column_names.is_human_name, (name, name[: -1 if by_letter else 0]))):
                yield "human", start, stop


def _trait(words: Words) -> Words:
    return tuple(word for word in words if word not in column_names.VOCABULARY["generic"])


def _families(parsed: dict[str, _Parsed]) -> tuple[dict[Words, TraitColumns], list[str]]:
    """Return the columns with a rater or engine in their names, by trait, and columns that duplicate a rater."""
    with_engine = {each.trait for each in parsed.values() if each.part == "system"}
    families: dict[Words, TraitColumns] = {}
    twice = []
    for name, each in parsed.items():
        if not each.part or all(word.isdigit() for word in each.trait or ("",)):
            continue
        trait, tag = each.trait, each.tag
        if each.part == "human" and trait not in with_engine and trait[-1:] and trait[-1].isdigit():
            trait, tag = trait[:-1], tag + trait[-1]  # human_ideas_1
        family = families.setdefault(trait, TraitColumns(_called(name, trait) or OVERALL_TRAIT))
        columns = family.human if each.part == "human" else family.systems
        if tag in columns:
            twice.append(name)
        columns[tag if tag not in columns else name] = name
    return families, twice


def _add_unnamed(parsed: dict[str, _Parsed], families: dict[Words, TraitColumns]) -> list[str]:
    """Add the columns named by trait and number, by trait only, or by a word of every trait; return unclear ones."""
    unclear: list[str] = []
    other: list[tuple[Words, str]] = []
    engines = [trait for trait, family in families.items() if trait and family.systems]
    free = {name: each.trait for name, each in parsed.items() if not each.part}
    for name in sorted(free, key=lambda name: free[name] in engines):  # those named by trait only come last
        words = free[name]
        is_last = "".join(words[-1:]).isdigit()
        ways = [(words, ""), (words[:-1] if is_last else words[1:], "".join(words[-1:] if is_last else words[:1]))]
        known = [(trait, rater) for trait, rater in ways if trait in engines and (rater.isdigit() or trait == words)]
        if not known:
            other += [(trait, name) for trait in engines if f" {' '.join(trait)} " in f" {' '.join(words)} "]
            continue
        trait, rater = known[0]
        human = families[trait].human
        if rater in human or (human and not rater):
            unclear.append(name)
        else:
            human[rater] = name
    unnamed = [(trait, name) for trait, name in other if not families[trait].human]
    besides: dict[Words, list[Words]] = {}
    for trait, name in unnamed:
        families[trait].human[name] = name
        besides.setdefault(trait, []).append(tuple(sorted((Counter(parsed[name].trait) - Counter(trait)).elements())))
    alike = len(besides) > 1 and len({tuple(sorted(each)) for each in besides.values()}) == 1
    alike |= all(len(each) == 1 and column_names.item_in(" ".join(trait)) for trait, each in besides.items())
    return unclear if alike else [*unclear, *(name for _, name in unnamed)]


def _called(name: str, trait: Words) -> str:
    written = re.search(r"[\W_]*".join(map(re.escape, trait)), name, re.IGNORECASE)
    return re.sub(r"[\W_]+", " ", written[0]) if written else " ".join(trait)
