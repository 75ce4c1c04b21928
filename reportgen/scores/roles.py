"""Which column plays which part: as configured, else by its name, else by its contents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reportgen.errors import SettingsError, did_you_mean
from reportgen.results import Role
from reportgen.scores import vocabulary
from reportgen.scores.contents import LONG_TEXT, MOST_LEVELS, MOST_NAMED_LEVELS, Contents
from reportgen.settings import DataSettings

MOST_FOUND = 30
"""Group columns that are found without being named; all that are named are taken."""

NAMED = "named in the configuration"
BY_NAME = "found by its name"
BY_CONTENTS = "found by its contents"

ROLES = ("system", "run", "human", "rater", "time", "id", "candidate", "item", "group", "flag")
"""The parts a column can play, in the order they are told."""


@dataclass
class Cast:
    """The parts given so far, and why the other columns have none."""

    parts: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    runs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """For each system the columns of its further runs."""

    def of_system(self, system: str) -> Cast:
        """Return the parts when one of the systems is evaluated: the others and their runs play none."""
        parts = dict(self.parts)
        parts["system"] = [part for part in parts["system"] if part[0] == system]
        parts["run"] = [part for part in parts.get("run", ()) if part[0] in self.runs.get(system, ())]
        others = [name for name in self.columns("system") if name != system]
        left_out = dict.fromkeys(others, "another system")
        left_out |= {run: f"a run of another system, {name}" for name in others for run in self.runs.get(name, ())}
        return Cast(parts, {**self.left_out, **left_out}, self.runs)

    def retell(self, how: Mapping[str, str]) -> None:
        """Say of columns that they were found in another way."""
        self.parts = {
            role: [(column, how.get(column, told)) for column, told in given] for role, given in self.parts.items()
        }

    def give(self, role: str, columns: Sequence[str], how: str) -> None:
        """Give a part to columns."""
        self.parts.setdefault(role, []).extend((column, how) for column in columns)

    def columns(self, role: str) -> tuple[str, ...]:
        """Return the columns that play a part."""
        return tuple(column for column, _ in self.parts.get(role, ()))

    def taken(self) -> set[str]:
        """Return every column that plays a part."""
        return {column for role in self.parts for column in self.columns(role)}

    def roles(self) -> tuple[Role, ...]:
        """Return the parts as told in the report, one entry for each way they were found."""
        told: dict[tuple[str, str], list[str]] = {}
        for role in ROLES:
            for column, how in self.parts.get(role, ()):
                told.setdefault((role, how), []).append(column)
        return tuple(Role(role, tuple(columns), how) for (role, how), columns in told.items())


def named_roles(names: Sequence[str], data: DataSettings) -> Cast:
    """Return the parts that the configuration gives.

    Raises
    ------
    SettingsError
        A column does not exist, or is to play two parts.
    """
    cast = Cast()
    cast.give("system", named_systems(data), NAMED)
    cast.give("run", data.runs or (), NAMED)
    for role, column in {"id": data.id, "candidate": data.candidate, "item": data.item}.items():
        cast.give(role, [column] if column else [], NAMED)
    cast.give("human", data.human or (), NAMED)
    cast.give("rater", data.rater_ids or (), NAMED)
    cast.give("time", data.rating_times or (), NAMED)
    cast.give("group", data.groups or (), NAMED)
    cast.give("flag", tuple(data.flags), NAMED)
    for role in cast.parts:
        for column in cast.columns(role):
            if column not in names:
                raise SettingsError(f"{role} column '{column}' does not exist{did_you_mean(column, names)}")
    _refuse_two_parts(cast)
    return cast


def named_systems(data: DataSettings) -> tuple[str, ...]:
    """Return every system that the configuration names."""
    named = (data.system, *(data.systems or ()))
    if data.systems and len(set(data.systems)) < len(data.systems):
        twice = next(name for name in data.systems if data.systems.count(name) > 1)
        raise SettingsError(f"--system: '{twice}' is named twice; name every system once.")
    return tuple(dict.fromkeys(name for name in named if name is not None))


def shortlist(head: Mapping[str, Contents], cast: Cast) -> list[str]:
    """Return the columns worth reading in full, judged by the first rows; notes the others in `cast`."""
    scores_known = all(_known(role, head, cast) for role in ("system", "human"))
    worth = []
    for name, contents in head.items():
        if name in cast.taken() or (_has_known_name(name) and contents.is_readable):
            worth.append(name)
        elif not contents.is_readable:
            cast.left_out[name] = "neither text nor numbers"
        elif contents.mean_length > LONG_TEXT:
            cast.left_out[name] = "long text"
        elif scores_known and contents.is_numeric and not contents.is_id_like:
            cast.left_out[name] = "numbers, and no name that says what they are"
        else:
            worth.append(name)
    return worth


def assign_roles(columns: Mapping[str, Contents], data: DataSettings, cast: Cast) -> Cast:
    """Give every part that the configuration left open.

    Raises
    ------
    SettingsError
        No column, or more than one, can be the system score or the human scores.
    """
    _find_scores_by_name(columns, cast)
    _find_runs(columns, data, cast)
    _find_rater_ids(columns, data, cast)
    _find_single("id", vocabulary.first_id, columns, cast)
    _find_single("candidate", vocabulary.first_candidate, columns, cast)
    _find_single("item", vocabulary.first_item, columns, cast)
    _find_scores_by_contents(columns, cast)
    if not cast.columns("id"):
        unique = [name for name, contents in _free(columns, cast).items() if contents.is_id_like]
        cast.give("id", unique[:1], BY_CONTENTS)
    if data.groups is None:
        _find_groups(columns, cast)
    for name in _free(columns, cast):
        cast.left_out.setdefault(name, "plays no part")
    return cast


def _free(columns: Mapping[str, Contents], cast: Cast) -> dict[str, Contents]:
    """Return the columns without a part."""
    taken = cast.taken()
    return {name: contents for name, contents in columns.items() if name not in taken}


def _has_known_name(name: str) -> bool:
    """Return whether a name speaks for any part."""
    tests = (
        vocabulary.is_system_name,
        vocabulary.is_human_name,
        vocabulary.may_be_human_name,
        vocabulary.is_group_name,
    )
    picks = (vocabulary.first_id, vocabulary.first_candidate, vocabulary.first_item)
    numbers = (vocabulary.run_of(name), vocabulary.rater_id_of(name), vocabulary.rating_time_of(name))
    return (
        any(number is not None for number in numbers)
        or any(test(name) for test in tests)
        or any(pick([name]) for pick in picks)
    )


def _known(role: str, head: Mapping[str, Contents], cast: Cast) -> bool:
    """Return whether a score column is named, or will be found by its name."""
    test = _any_system_name if role == "system" else _any_human_name
    return bool(cast.columns(role)) or any(
        test(name) and contents.is_readable and contents.has_numbers for name, contents in head.items()
    )


def _any_system_name(name: str) -> bool:
    """Return whether a name says that the column holds scores of a system, or a run of one."""
    run = vocabulary.run_of(name)
    return vocabulary.is_system_name(name) or (run is not None and vocabulary.is_system_name(run[0]))


def _any_human_name(name: str) -> bool:
    """Return whether a name fits a human score, clearly or perhaps."""
    return vocabulary.is_human_name(name) or vocabulary.may_be_human_name(name)


def _find_scores_by_name(columns: Mapping[str, Contents], cast: Cast) -> None:
    """Find the system score and the human scores by their names."""
    if not cast.columns("system"):
        found = _numeric_first([name for name in _free(columns, cast) if _any_system_name(name)], columns)
        cast.give("system", _first_runs(found), BY_NAME)
    if not cast.columns("human"):
        free = _free(columns, cast)
        clear = [name for name in free if vocabulary.is_human_name(name)]
        perhaps = [name for name in free if vocabulary.may_be_human_name(name)]
        found = _with_numbers(clear, columns)
        if not found:
            found = _with_numbers(perhaps, columns) or clear or perhaps
            if found != clear and len({vocabulary.stem(name) for name in found}) > 1:
                raise SettingsError(_ambiguous("human score", "--human", found))
        cast.give("human", sorted(found, key=vocabulary.rater_order), BY_NAME)


def _first_runs(names: list[str]) -> list[str]:
    """Return names without those that are further runs of another one."""
    families: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        system, number = vocabulary.run_of(name) or (name, 0)
        families.setdefault(vocabulary.normalised(system), []).append((number, name))
    return [min(family)[1] for family in families.values()]


def _find_runs(columns: Mapping[str, Contents], data: DataSettings, cast: Cast) -> None:
    """Find the further runs of each system by their names, unless they are declared."""
    systems = cast.columns("system")
    if data.runs is not None:
        if len(systems) > 1 and data.runs:
            raise SettingsError("runs belong to one system; name it with --system NAME, once.")
        cast.runs = dict.fromkeys(systems, data.runs)
        return
    for system in systems:
        own = vocabulary.normalised((vocabulary.run_of(system) or (system, 0))[0])
        found = [
            (run[1], name)
            for name, contents in _free(columns, cast).items()
            if (run := vocabulary.run_of(name)) is not None
            and vocabulary.normalised(run[0]) == own
            and contents.has_numbers
        ]
        runs = tuple(name for _, name in sorted(found))
        cast.give("run", runs, BY_NAME)
        cast.runs.setdefault(system, runs)


def baseline_first(cast: Cast, data: DataSettings) -> None:
    """Put the system that the others are compared with before them.

    Raises
    ------
    SettingsError
        It is none of the systems.
    """
    systems = cast.columns("system")
    if data.baseline is None:
        return
    if data.baseline not in systems:
        raise SettingsError(
            f"baseline '{data.baseline}' is none of the systems ({_listed(systems)}); name them all with --system NAME."
        )
    cast.parts["system"].sort(key=lambda part: part[0] != data.baseline)


def the_system(cast: Cast, data: DataSettings) -> str:
    """Return the one system to evaluate.

    Raises
    ------
    SettingsError
        There are several.
    """
    systems = cast.columns("system")
    if data.system is not None:
        return data.system
    if len(systems) > 1:
        raise SettingsError(_ambiguous("system score", "--system", systems))
    return systems[0]


def _find_rater_ids(columns: Mapping[str, Contents], data: DataSettings, cast: Cast) -> None:
    """Find the columns that name who gave each human score, and when, if there is one for each."""
    if data.rater_ids is None:
        _give_numbered("rater", vocabulary.rater_id_of, columns, cast)
    if data.rating_times is None and cast.columns("rater"):
        _give_numbered("time", vocabulary.rating_time_of, columns, cast)


def _give_numbered(
    role: str, number_of: Callable[[str], int | None], columns: Mapping[str, Contents], cast: Cast
) -> None:
    """Give a part to the columns with the numbers of the human scores, when there is one for each."""
    numbered = {name: number_of(name) for name in _free(columns, cast)}
    found = {number: name for name, number in numbered.items() if number is not None}
    human = [vocabulary.rater_order(name) for name in cast.columns("human")]
    if len(human) > 1 and all(number in found for number in human) and len(set(human)) == len(human):
        cast.give(role, [found[number] for number in human], BY_NAME)


def _numeric_first(names: list[str], columns: Mapping[str, Contents]) -> list[str]:
    """Return the columns that hold numbers, or all of them when none does."""
    return _with_numbers(names, columns) or names


def _with_numbers(names: list[str], columns: Mapping[str, Contents]) -> list[str]:
    """Return the columns that hold numbers."""
    return [name for name in names if columns[name].has_numbers]


def _find_scores_by_contents(columns: Mapping[str, Contents], cast: Cast) -> None:
    """Find the scores that no name gave away: repeated whole numbers are human, fractions are the system's."""
    if not cast.columns("system"):
        found = [name for name, contents in _free(columns, cast).items() if contents.is_fractional]
        _give_the_one("system", "system score", found, columns, cast)
    if not cast.columns("human"):
        found = [
            name
            for name, contents in _free(columns, cast).items()
            if contents.is_score_like and not vocabulary.is_group_name(name)
        ]
        _give_the_one("human", "human score", found, columns, cast)


def _give_the_one(role: str, title: str, found: list[str], columns: Mapping[str, Contents], cast: Cast) -> None:
    """Give a part to the only column that can play it."""
    if len(found) > 1:
        raise SettingsError(_ambiguous(title, f"--{role}", found))
    if not found:
        numeric = [name for name, contents in _free(columns, cast).items() if contents.has_numbers]
        among = "columns with numbers: " + _listed(numeric) if numeric else "no other column holds numbers"
        raise SettingsError(f"no column was found to hold the {title} ({among}); name it with --{role} NAME.")
    cast.give(role, found, BY_CONTENTS)


def _ambiguous(title: str, option: str, found: Sequence[str]) -> str:
    """Return the sentence for more than one candidate."""
    return f"several columns may hold the {title}: {_listed(found)}; name the right one, as in {option} '{found[0]}'."


def _listed(names: Sequence[str]) -> str:
    """Return names in quotes, the first ten of them."""
    return ", ".join(f"'{name}'" for name in names[:10]) + (", ..." if len(names) > 10 else "")


def _find_single(role: str, pick: Any, columns: Mapping[str, Contents], cast: Cast) -> None:
    """Find a part that one column plays by its name."""
    if not cast.columns(role):
        found = pick(_free(columns, cast))
        cast.give(role, [found] if found else [], BY_NAME)


def _find_groups(columns: Mapping[str, Contents], cast: Cast) -> None:
    """Find the subgroups: the item, known names, and texts that repeat."""
    candidates = dict.fromkeys(cast.columns("item")) | dict.fromkeys(_free(columns, cast))
    for name in candidates:
        known = vocabulary.is_group_name(name) or name in cast.columns("item")
        contents = columns[name]
        problem = contents.levels_problem(MOST_NAMED_LEVELS if known else MOST_LEVELS)
        if not problem and not known and contents.is_numeric:
            problem = "numbers, and no name that says what they are"
        if not problem and len(cast.columns("group")) >= MOST_FOUND:
            problem = f"{MOST_FOUND} group columns were found before it; name those that matter with --group"
        if not problem:
            cast.give("group", [name], BY_NAME if known else BY_CONTENTS)
        elif name not in cast.taken():
            cast.left_out[name] = problem


def _refuse_two_parts(cast: Cast) -> None:
    """Raise when a column plays two parts; an item may be a group too, and flags may be anything."""
    seen: dict[str, str] = {}
    for role in ROLES[:-1]:
        for column in cast.columns(role):
            if column in seen and (seen[column], role) != ("item", "group"):
                raise SettingsError(
                    f"column '{column}' cannot be both {seen[column]} and {role}; name another column for one of them."
                    if seen[column] != role
                    else f"column '{column}' is named twice as {role}; name it once."
                )
            seen[column] = role
