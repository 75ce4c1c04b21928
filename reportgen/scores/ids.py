"""What is said of ids that stand in two rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from reportgen.errors import InputError
from reportgen.scores.tabular import Place


def refuse_repeated_id(column: str, n: int, first: str | None, rows: Sequence[Place]) -> NoReturn:
    """Raise for ids that stand in two rows.

    Parameters
    ----------
    n
        How many rows repeat an id of an earlier one.
    first, rows
        The first of them, None when it may not be named, and its first two rows.

    Raises
    ------
    InputError
        Always.
    """
    one, two = (f"{place:,}" if isinstance(place, int) else place for place in rows[:2])
    where = "stands in rows" if first is None else f"is '{first}' in rows"
    raise InputError(
        f"duplicate ids in column '{column}': {n:,}, the first {where} {one} and {two}; make ids "
        "unique, name another column with --id NAME, or type --layout long when there is one row per rating."
    )
