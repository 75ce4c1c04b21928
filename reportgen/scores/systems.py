"""Which system of a file is evaluated, and which one others are compared with."""

from __future__ import annotations

from reportgen.design.readings import ColumnRoles
from reportgen.design.roles import look_alikes
from reportgen.design.score_columns import named_systems
from reportgen.errors import SettingsError, listed, write_command
from reportgen.settings import DataSettings

NO_ENGINE = (
    "there is no engine's score in this file, only ratings; for a report on the raters type: reportgen evaluate FILE"
)
"""What is said where an engine's scores are needed."""


def refuse_contradiction(data: DataSettings) -> None:
    """Raise where a system is named and a report on the raters alone is asked for.

    Raises SettingsError: As said.
    """
    if data.ratings_only and named_systems(data):
        raise SettingsError("--ratings-only and --system contradict each other; leave one of them out.")


def baseline_first(cast: ColumnRoles, data: DataSettings) -> None:
    """Put the system that the others are compared with before them.

    Raises SettingsError: It is none of the systems, or the only one.
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


def refuse_several(data: DataSettings, what: str) -> None:
    """Raise where several systems are named and one is evaluated.

    Raises SettingsError: `what`, as in "a batch", is of one system; says how to make one of each.
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

    Raises SettingsError: There are several.
    """
    systems = cast.columns("system")
    if data.system is not None:
        return data.system
    if not systems:
        raise SettingsError(NO_ENGINE)
    if len(systems) > 1:
        raise SettingsError(
            f"several columns may hold the system score: {listed(systems)}; name the right one, as in --system "
            f"{listed(systems[:1])}."
        )
    return systems[0]
