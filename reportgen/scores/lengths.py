"""How long responses are: as a column says, or as their texts are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.scores.column_roles import ColumnRoles
from reportgen.sources.bridge import to_numpy
from reportgen.sources.columns import Floats, as_numbers, as_text


def lengths(table: Any, cast: ColumnRoles, kept: NDArray[np.bool_]) -> Floats | None:
    """Return (n,) lengths of the responses that count, NaN where unknown; None when no column was named.

    A column with a number is one of lengths; any other holds the responses, whose characters are counted.

    Raises
    ------
    InputError
        The column is blank.
    """
    for name in cast.columns("length"):
        numbers = as_numbers(table[name], name)[kept]
        numbers[~np.isfinite(numbers)] = np.nan
        if np.isfinite(numbers).any():
            return numbers
        counted = to_numpy(pc.utf8_length(pc.utf8_trim_whitespace(as_text(table[name], name))), np.float64, np.nan)[
            kept
        ]
        if not counted.any():
            raise InputError(f"length column '{name}' is blank; expected lengths, or the texts of the responses.")
        counted[counted == 0] = np.nan
        return counted
    return None
