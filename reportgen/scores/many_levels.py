"""Group columns of so many levels that they are ids: told before memory and time go into them."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.errors import InputError


def refuse_many_levels(levels: Mapping[str, int], most: int) -> None:
    """Raise when a group column has too many levels.

    Parameters
    ----------
    levels
        Group column -> how many it has, so far.
    most
        The setting ``max_levels``.

    Raises
    ------
    InputError
        Names the column.

    Examples
    --------
    >>> refuse_many_levels({"school": 40, "student": 7000}, 5000)
    Traceback (most recent call last):
    ...
    reportgen.errors.InputError: group column 'student' has more than 5,000 levels, which looks like ids; ...
    """
    for name, n in levels.items():
        if n > most:
            raise InputError(
                f"group column '{name}' has more than {most:,} levels, which looks like ids; leave it out (name the "
                "others with --group), or raise max_levels under [statistics] in a configuration."
            )
