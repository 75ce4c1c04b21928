"""A user's own file in a study: its columns, found by name and read as numbers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError, did_you_mean
from reportgen.scores import read_columns
from reportgen.sources.columns import as_numbers, is_blank


def table_of_file(file: Path, needed: Iterable[str]) -> Any:
    """Return every column of a file, as an Arrow table of strings.

    Raises
    ------
    InputError
        When the file cannot be read, or a column that is needed is not there.
    """
    try:
        table = read_columns(file)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    names = list(table.schema.names)
    for name in needed:
        if name not in names:
            raise InputError(f"{file}: there is no column '{name}'{did_you_mean(name, names)}")
    return table


def numbers_of(table: Any, name: str, file: Path) -> NDArray[np.float64]:
    """Return a column's numbers, NaN where it is blank; refuse anything else, by row."""
    numbers = as_numbers(table[name], name)
    wrong = np.flatnonzero(~np.isfinite(numbers) & ~is_blank(table[name], name))
    if len(wrong):
        row = int(wrong[0])
        found = str(table[name][row])
        raise InputError(f"{file}: row {row + 2}, column '{name}': expected a number, found {found!r}.")
    return numbers
