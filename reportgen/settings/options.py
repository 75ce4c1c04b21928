"""How a setting is typed on the command line, said beside its field."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Option:
    """The option of a setting; its type, its default and its panel are those of the field.

    Parameters
    ----------
    flags
        What is typed, as in ``--min-n`` or ``--withhold/--no-withhold``; made of the setting's name when left out.
    metavar
        What stands for the value in the help.
    help
        What the help says instead of the field's description, where more or less must be said than in a file.
    listed
        Whether several values stand between commas; else the option is repeated.
    none, none_help
        The option that says that there are none, and its help.
    several
        The setting that takes the values instead when there are several.
    """

    flags: str = ""
    metavar: str | None = None
    help: str = ""
    listed: bool = False
    none: str = ""
    none_help: str = ""
    several: str = ""
