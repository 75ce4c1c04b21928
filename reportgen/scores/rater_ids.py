"""Who gave each human score, and when, where a file with one row per response says so."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import SettingsError
from reportgen.scores.column_roles import ColumnRoles
from reportgen.scores.table import RaterIds
from reportgen.scores.times import as_times
from reportgen.sources.columns import encode

NOBODY = -1
"""The code where no rater is named."""


def named_raters(table: Any, cast: ColumnRoles, kept: NDArray[np.bool_]) -> RaterIds | None:
    """Return the raters of the human scores of the responses that count, None when no column names them.

    Raises
    ------
    SettingsError
        There is not one column of raters, or of times, for each column of human scores.
    InputError
        A time is neither a number nor a date.
    """
    human, raters, times = (cast.columns(role) for role in ("human", "rater", "time"))
    if times and not raters:
        raise SettingsError("rating_times are given without rater_ids; name the columns of raters too.")
    if not raters:
        return None
    if len(raters) != len(human):
        raise SettingsError(
            f"there are {len(human)} columns of human scores and {len(raters)} of rater_ids; name one for each."
        )
    if len(times) not in (0, 1, len(human)):
        raise SettingsError(
            f"there are {len(human)} columns of human scores and {len(times)} of rating_times; name one or all."
        )
    coded = [encode(table[name], name) for name in raters]
    names = sorted({label.strip() for each in coded for label in each.labels} - {""})
    place = {name: code for code, name in enumerate(names)}
    codes = np.column_stack(
        [
            np.array([place.get(label.strip(), NOBODY) for label in each.labels], np.int32)[each.codes[kept]]
            for each in coded
        ]
    )
    when = None
    if times:
        columns = [as_times(table[name], name)[kept] for name in times]
        when = np.column_stack(columns * (len(human) if len(columns) == 1 else 1))
    return RaterIds(codes, tuple(names), when)
