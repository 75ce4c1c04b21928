"""Who of the raters of a file with one row per rating is a person, and who an engine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

from reportgen.design.readings import NAMED
from reportgen.design.score_columns import named_systems
from reportgen.errors import MOST_NAMES, QuestionError, SettingsError, listed, shortened
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.column_names import Kind, chosen, engines_among, kind_of, may_name_engine, pattern_of, series_of
from reportgen.wording.names import natural

BY_RATER = "found by the name of the rater"


class Sides(NamedTuple):
    """The raters of a file.

    systems: Engines that are evaluated -> how each was found.
    others: Engines that are not evaluated, and rate beside nobody.
    people: Raters whose ratings count as human.
    left_out: Further raters, whom ``--human`` does not name.
    columns: Columns that are named as systems.
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

    raters: Every name in the column of raters; an empty one where it is blank.
    columns: The other columns of the file: a system may be one of them.
    column: The column of raters, for errors.
    data: What is declared.
    Raises SettingsError: A name that is given is no rater, or stands on both sides.
    Raises QuestionError: The names do not tell who is a person.
    """
    names = sorted((name for name in raters if name), key=natural)
    where = f"raters in column '{column}'"
    every = chosen(named_systems(data), [*names, *columns], "--system", f"{where} and columns", private=True).values()
    named = [name for those in every for name in those]
    systems, in_columns = {name: NAMED for name in named if name in names}, tuple(n for n in named if n not in names)
    engines, people, unclear = _by_name([name for name in names if name not in systems])
    not_engines = [*people, *unclear]
    typed = (
        chosen([each], names if each in names else not_engines, "--human", where, private=True)[each]
        for each in data.human or ()
    )
    human = list(dict.fromkeys(name for those in typed for name in those))
    both = sorted(set(systems) & set(human))
    if both:
        raise SettingsError(f"rater {listed(both[:1])} cannot be both system and human; name it once.")
    engines = [name for name in engines if name not in human]
    if data.systems is None:
        systems |= dict.fromkeys(engines, BY_RATER)
    others = tuple(name for name in engines if name not in systems)
    if human:
        left_out = tuple(name for name in names if name in not_engines and name not in human)
        return Sides(systems, others, tuple(human), left_out, in_columns)
    if unclear and not data.ratings_only:
        _ask(column, people, unclear, systems)
    if data.ratings_only:
        people = [name for name in names if name in not_engines]
    nobody = ("",) if "" in raters else ()
    return Sides(systems, others, (*nobody, *people), (), in_columns)


def _by_name(names: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Return names of engines, of people, and those of which it is not clear."""
    engines = {name for name in names if column_names.is_system_rater(name)} | set(engines_among(names))
    rest = [name for name in names if name not in engines]
    kinds = {name: kind_of(name) for name in rest}
    doubtful = {name for name in rest if may_name_engine(name)}
    if not any(kind == ("name", "") for name, kind in kinds.items() if name not in doubtful):
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


def _ask(column: str, people: Sequence[str], unclear: Sequence[str], systems: Mapping[str, str]) -> NoReturn:
    """Ask of raters who may be persons or engines."""
    first = f"persons, by their names: {_some(people)}; " if people else ""
    who = "person or engine" if len(unclear) == 1 else "persons or engines"
    them = "it is an engine" if len(unclear) == 1 else "they are engines"
    named = [name for name, how in systems.items() if how == NAMED]
    engines = sorted({*systems, *unclear}, key=natural)

    def typed(human: Sequence[str], systems: Sequence[str]) -> tuple[str, ...]:
        sides = (("--human", human), ("--system", systems))
        return ("--layout", "long", *(word for option, names in sides for name in names for word in (option, name)))

    raise QuestionError(
        f"who is a person in column '{shortened(column)}' ({first}{who}: {_some(unclear)})?",
        [
            ("all are persons", typed(["*"], named)),
            (them, typed(_patterns(people, engines), _patterns(engines, people))),
        ],
    )


def _patterns(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return what names raters: a pattern for those of one series, each of the others."""
    series: dict[str, list[str]] = {}
    for name in names:
        series.setdefault((series_of(name) or (name, ""))[0], []).append(name)
    found = []
    for those in series.values():
        pattern = pattern_of(those, [*others, *(name for name in names if name not in those)])
        found += [pattern] if pattern else [re.sub(r"([*?\[])", r"[\1]", name) for name in those]
    return found


def _some(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    return listed(names[:MOST_NAMES]) + more
