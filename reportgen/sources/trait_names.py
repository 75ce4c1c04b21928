"""Columns that score several traits of one response, told by their names alone.

A name holds a trait and a part: a rater (``ideas_human1``, ``rater2_ideas``, ``ideas_1``) or an engine
(``ideas_system``).  Names that share a trait but for the part belong together, wherever in the name the part stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from reportgen.sources import column_names
from reportgen.sources.column_names import VOCABULARY, names_engine, says
from reportgen.wording.names import natural

OVERALL_TRAIT = "overall"
"""What the scores of the whole response are called that stand beside those of traits."""

MOST_WORDS = 12
"""Names of more words are those of questions, not of scores."""

Words = tuple[str, ...]


@dataclass
class TraitColumns:
    """The columns of one trait.

    name: What the trait is called.
    human, systems: Rater, and engine, as the names of columns say it -> column.
    """

    name: str
    human: dict[str, str] = field(default_factory=dict)
    systems: dict[str, str] = field(default_factory=dict)


class NamedTraits(NamedTuple):
    """The traits of a file.

    traits: Those with ratings and a score of an engine, in natural order.
    incomplete: Names of those that lack one of both.
    unclear: Columns of which the names do not say whether they are ratings: those that stand for raters among `traits`,
        and the scores of a trait beside which ratings stand.
    """

    traits: tuple[TraitColumns, ...]
    incomplete: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()


class WithoutEngine(NamedTuple):
    """Names of traits that several raters scored, and no engine."""

    names: tuple[str, ...]


def named_traits(names: Iterable[str]) -> NamedTraits | WithoutEngine | None:
    """Return the traits that columns score; None where names speak of fewer than two.

    >>> found = named_traits(["id", "ideas_h1", "ideas_h2", "ideas_system", "voice_h1", "voice_h2", "voice_system"])
    >>> [(trait.name, list(trait.human.values()), list(trait.systems.values())) for trait in found.traits]
    [('ideas', ['ideas_h1', 'ideas_h2'], ['ideas_system']), ('voice', ['voice_h1', 'voice_h2'], ['voice_system'])]
    >>> named_traits(["human1", "human2", "system", "system_trimmed"]) is None
    True
    """
    parsed = _all_parsed(sorted(names))
    families, twice = _families(parsed)
    unclear = list(dict.fromkeys([*_add_unnamed(parsed, families), *twice]))
    whole = families.pop((), None)
    complete = [each for each in families.values() if each.human and each.systems]
    if len(complete) < 2:
        return None if whole is not None or complete else _without_engine(families)
    lacking = sorted((each.name for each in families.values() if not (each.human and each.systems)), key=natural)
    if whole is not None and whole.human and whole.systems:
        whole.name = OVERALL_TRAIT
        complete.append(whole)
    for each in complete:
        each.human = dict(sorted(each.human.items(), key=lambda pair: natural(pair[0])))
    return NamedTraits(tuple(sorted(complete, key=lambda each: natural(each.name))), tuple(lacking), tuple(unclear))


def _without_engine(families: dict[Words, TraitColumns]) -> WithoutEngine | None:
    """Return the traits that the same raters, two or more, scored and no engine; None for fewer than two."""
    rated = [each for each in families.values() if len(each.human) > 1 and not each.systems]
    alike = len({tuple(sorted(each.human)) for each in rated}) == 1
    if len(rated) < 2 or not alike or any(each.systems for each in families.values()):
        return None
    return WithoutEngine(tuple(sorted((each.name for each in rated), key=natural)))


def is_whole(name: str) -> bool:
    """Return whether a trait is the score of the whole response, which other traits are parts of.

    >>> is_whole("Holistic"), is_whole("overall score"), is_whole("ideas")
    (True, True, False)
    """
    words = _trait(_words(name))
    return bool(words) and set(VOCABULARY["whole"]).issuperset(words)


class _Parsed(NamedTuple):
    """A name taken apart: whose scores, and of what."""

    part: str  # "human", "system" or nothing
    tag: str
    trait: Words
    short: bool = True
    """Whether only numbers and single letters follow the first word of the part."""


def _words(name: str) -> Words:
    """Return the words and numbers of a name, in lower case."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return tuple(word.casefold() for word in re.findall(r"[^\W\d_]+|\d+", spaced))


def _all_parsed(names: Iterable[str]) -> dict[str, _Parsed]:
    """Return the columns that hold scores, each with whose scores of which trait."""
    ways = {name: found for name in names if (found := _ways(name))}
    others = [found for each in ways.values() for found in each if found.part != "system"]
    traits = {each.trait for each in others} | {each.trait[:-1] for each in others if each.trait[-1:] and _ends(each)}
    return {name: max(found, key=lambda each: (each.trait in traits, bool(each.trait), each.short, len(each.tag)))
            for name, found in ways.items()}  # fmt: skip


def _ends(parsed: _Parsed) -> bool:
    """Return whether a number stands at the end of a trait, which may be a rater's."""
    return parsed.trait[-1].isdigit()


def _ways(name: str) -> list[_Parsed]:
    """Return every way in which a name says whose scores of which trait it holds; none for what holds no scores."""
    words = _words(name)
    if not 0 < len(words) <= MOST_WORDS or says("no_trait", words) or column_names.names_somebody(name):
        return []
    found = list(_parts(words))
    kinds = {kind for kind, _, _ in found}
    if not kinds:
        return [_Parsed("", "", _trait(words))]
    if len(kinds) > 1:
        return []
    made = [
        _Parsed(kind, "".join(words[start:stop]), _trait(words[:start] + words[stop:]), _short(words[start + 1 : stop]))
        for kind, start, stop in found
    ]
    return [max(made, key=lambda each: len(each.tag))] if kinds == {"human"} else made


def _short(words: Words) -> bool:
    """Return whether words are numbers and single letters, as versions of models are."""
    return all(word.isdigit() or len(word) == 1 for word in words)


def _parts(words: Words) -> Iterator[tuple[str, int, int]]:
    """Yield every run of words that names an engine or a rater: which, and from where to where."""
    for start in range(len(words)):
        for stop in range(start + 1, len(words) + 1):
            name = "".join(words[start:stop])
            if says("generic", (words[start], words[stop - 1])) or name.isdigit():
                continue
            if column_names.is_system_name(name) or _names_model(words[start:stop]):
                yield "system", start, stop
            elif column_names.is_human_name(name):
                yield "human", start, stop


def _names_model(words: Words) -> bool:
    """Return whether words are the name of a model, from its first word on."""
    return names_engine(" ".join(words)) and not names_engine(" ".join(words[1:]))


def _trait(words: Words) -> Words:
    """Return the words that name a trait."""
    return tuple(word for word in words if word not in VOCABULARY["generic"])


def _families(parsed: dict[str, _Parsed]) -> tuple[dict[Words, TraitColumns], list[str]]:
    """Return the columns whose names say rater or engine, by trait, and those that stand for one rater with another."""
    with_engine = {each.trait for each in parsed.values() if each.part == "system"}
    families: dict[Words, TraitColumns] = {}
    twice = []
    for name, each in parsed.items():
        if not each.part or all(word.isdigit() for word in each.trait or ("",)):
            continue
        trait, tag = each.trait, each.tag
        if each.part == "human" and trait not in with_engine and trait[-1:] and trait[-1].isdigit():
            trait, tag = trait[:-1], tag + trait[-1]  # human_ideas_1
        family = families.setdefault(trait, TraitColumns(_called(name, trait)))
        columns = family.human if each.part == "human" else family.systems
        if tag in columns:
            twice.append(name)
        columns[tag if tag not in columns else name] = name
    return families, twice


def _add_unnamed(parsed: dict[str, _Parsed], families: dict[Words, TraitColumns]) -> list[str]:
    """Add the columns whose names say trait and number, or trait alone; return those that may be ratings or not."""
    plain: dict[Words, str] = {}
    unclear: list[str] = []
    other: list[tuple[Words, str]] = []
    engines = [trait for trait, family in families.items() if trait and family.systems]
    for name, each in parsed.items():
        if each.part:
            continue
        words, rater = each.trait, ""
        if words not in engines and words[-1:] and words[-1].isdigit():
            words, rater = words[:-1], words[-1]
        elif words not in engines and words[:1] and words[0].isdigit():
            words, rater = words[1:], words[0]
        if words not in engines:
            other += [(trait, name) for trait in engines if _contains(each.trait, trait)]
        elif (words in plain) if not rater else (rater in families[words].human):
            unclear.append(name)
        elif rater:
            families[words].human[rater] = name
        else:
            plain[words] = name
    for trait, name in plain.items():
        if families[trait].human:
            unclear.append(name)
        else:
            families[trait].human[""] = name
    unnamed = [(trait, name) for trait, name in other if not families[trait].human]
    for trait, name in unnamed:
        families[trait].human[name] = name
    return [*unclear, *(name for _, name in unnamed)]


def _contains(words: Words, trait: Words) -> bool:
    """Return whether a name holds all words of a trait, in order, and more."""
    width = len(trait)
    return len(words) > width and any(words[at : at + width] == trait for at in range(len(words) - width + 1))


def _called(name: str, trait: Words) -> str:
    """Return a trait as the name of its column writes it, with spaces between its words."""
    written = re.search(r"[\W_]*".join(map(re.escape, trait)), name, re.IGNORECASE)
    return re.sub(r"[\W_]+", " ", written[0]) if written else " ".join(trait)
