"""Which of a file's columns are systems, which are further runs of one, and which system others are compared with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reportgen.errors import SettingsError, listed, write_command
from reportgen.scores.contents import Contents
from reportgen.scores.table import BY_NAME, ColumnRoles, ambiguous
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.column_names import engines_among, may_name_engine

NO_ENGINE = (
    "there is no engine's score in this file, only ratings; for a report on the raters type: reportgen evaluate FILE"
)
"""What is said where an engine's scores are needed."""


def refuse_contradiction(data: DataSettings) -> None:
    """Raise where a system is named and a report on the raters alone is asked for.

    Raises
    ------
    SettingsError
        As said.
    """
    if data.ratings_only and named_systems(data):
        raise SettingsError("--ratings-only and --system contradict each other; leave one of them out.")


def named_systems(data: DataSettings) -> tuple[str, ...]:
    """Return every system that the configuration names."""
    named = (data.system, *(data.systems or ()))
    if data.systems and len(set(data.systems)) < len(data.systems):
        twice = next(name for name in data.systems if data.systems.count(name) > 1)
        raise SettingsError(f"--system: '{twice}' is named twice; name every system once.")
    return tuple(dict.fromkeys(name for name in named if name is not None))


def systems_by_name(names: Iterable[str], *, people_named: bool) -> list[str]:
    """Return the columns whose names say that they hold scores of a system, or a run of one.

    Parameters
    ----------
    people_named
        Whether it is clear which columns are of people: then a name that a person may have, too, is that of a model.

    Examples
    --------
    >>> systems_by_name(["human1", "engine", "sonnet_run2", "Claude"], people_named=True)
    ['engine', 'sonnet_run2', 'Claude']
    """
    whose = {name: (column_names.run_of(name) or (name, 0))[0] for name in names}
    models = set(engines_among(whose.values()))
    return [
        name
        for name, system in whose.items()
        if column_names.is_system_name(name)
        or column_names.is_system_name(system)
        or system in models
        or (people_named and may_name_engine(system))
    ]


def first_runs(names: list[str]) -> list[str]:
    """Return names without those that are further runs of another one."""
    families: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        system, number = column_names.run_of(name) or (name, 0)
        families.setdefault(column_names.normalised(system), []).append((number, name))
    return [min(family)[1] for family in families.values()]


def find_runs(columns: Mapping[str, Contents], data: DataSettings, cast: ColumnRoles) -> None:
    """Find the further runs of each system by their names, unless they are declared."""
    systems = cast.columns("system")
    if data.runs is not None:
        if len(systems) > 1 and data.runs:
            raise SettingsError("runs belong to one system; name it with --system NAME, once.")
        cast.runs = dict.fromkeys(systems, data.runs)
        return
    for system in systems:
        own = column_names.normalised((column_names.run_of(system) or (system, 0))[0])
        found = [
            (run[1], name)
            for name, contents in cast.free(columns).items()
            if (run := column_names.run_of(name)) is not None
            and column_names.normalised(run[0]) == own
            and contents.has_scores
        ]
        runs = tuple(name for _, name in sorted(found))
        cast.give("run", runs, BY_NAME)
        cast.runs.setdefault(system, runs)


def baseline_first(cast: ColumnRoles, data: DataSettings) -> None:
    """Put the system that the others are compared with before them.

    Raises
    ------
    SettingsError
        It is none of the systems, or the only one.
    """
    systems = cast.columns("system")
    if data.baseline is None:
        return
    if len(systems) == 1:
        other = next(iter(look_alikes(cast)), "ANOTHER")
        raise SettingsError(
            f"baseline '{data.baseline}' needs systems to be compared with it, and only '{systems[0]}' is one; name "
            f"them all, as in {write_command('--system', data.baseline, '--system', other)}."
        )
    if data.baseline not in systems:
        raise SettingsError(
            f"baseline '{data.baseline}' is none of the systems ({listed(systems)}); name them all with --system NAME."
        )
    cast.parts["system"].sort(key=lambda part: part[0] != data.baseline)


def look_alikes(cast: ColumnRoles) -> list[str]:
    """Return the columns of numbers without a part whose names go on where the name of a system, or of any, ends."""
    systems = [column_names.normalised(name) for name in cast.columns("system")]
    return [
        name
        for name, reason in cast.left_out.items()
        if reason.startswith(("numbers", "plays no part"))
        and (
            any(column_names.normalised(name).startswith(system) for system in systems)
            or column_names.begins_like_system(name)
        )
    ]


def suggest_systems(cast: ColumnRoles, data: DataSettings) -> None:
    """Say of columns that may be further systems how to name them: one by one where each item has a report."""
    systems = cast.columns("system")
    for name in look_alikes(cast):
        named = write_command(*(word for each in (*systems, name) for word in ("--system", each)))
        how = f"run again with {write_command('--system', name)}" if data.by else f"type {named}"
        cast.left_out[name] += f"; if it is another system, {how}"


def refuse_several(data: DataSettings, what: str) -> None:
    """Raise where several systems are named and one is evaluated.

    Raises
    ------
    SettingsError
        `what`, as in "a batch", is of one system; says how to make one of each.
    """
    systems = named_systems(data)
    if len(systems) > 1 and data.system is None:
        each = ", then ".join(write_command("--system", name) for name in systems)
        raise SettingsError(
            f"--system: {what} is of one system, and {len(systems)} are named; run it once for each, in folders of "
            f"their own: {each}."
        )


def the_system(cast: ColumnRoles, data: DataSettings) -> str:
    """Return the one system to evaluate.

    Raises
    ------
    SettingsError
        There are several.
    """
    systems = cast.columns("system")
    if data.system is not None:
        return data.system
    if not systems:
        raise SettingsError(NO_ENGINE)
    if len(systems) > 1:
        raise SettingsError(ambiguous("system score", "--system", systems))
    return systems[0]
