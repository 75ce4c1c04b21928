"""Group columns that cannot be groups, because of many levels or long labels, before memory and time go into them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reportgen.errors import InputError

LONGEST_LABEL = 1_000
"""Characters of the longest label that a group may have: the label is in every table, chart, and file name of it."""


def refuse_long_labels(name: str, labels: Iterable[str]) -> None:
    """Raise when a label of a group column is too long.

    Raises
    ------
    InputError
        Names the column.

    Examples
    --------
    >>> refuse_long_labels("essay", ["short", "x" * 1001])
    Traceback (most recent call last):
    ...
    reportgen.errors.InputError: group column 'essay' has a label of 1,001 characters; ...
    """
    longest = max(map(len, labels), default=0)
    if longest > LONGEST_LABEL:
        raise InputError(
            f"group column '{name}' has a label of {longest:,} characters; a group's label has at most "
            f"{LONGEST_LABEL:,}. Shorten the labels, or exclude the column (name the others with --group)."
        )


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
