"""The rows of a source that hold given values, as a source of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError, SettingsError, did_you_mean
from reportgen.settings import DataSettings
from reportgen.sources.bridge import mask_to_arrow
from reportgen.sources.columns import NO_INFO, Coded, coded, encode
from reportgen.sources.tabular import Reader, TableReader

BLOCK_ROWS = 1 << 18
"""Rows that are turned into codes together."""


def selected(reader: Reader, data: DataSettings) -> Reader:
    """Return a reader, or one of those of its rows that the setting ``only`` names.

    Raises
    ------
    InputError
        No row holds the values.
    SettingsError
        A column does not exist.
    """
    if not data.only:
        return reader
    names = reader.head.schema.names
    refuse_unknown(data.only, names, "data.only")
    table = reader.load(names)
    kept = np.logical_and.reduce([_holds(table[name], name, value) for name, value in data.only.items()])
    if not kept.any():
        raise InputError(f"no row holds {said(data.only)}; correct 'only' under [data].")
    places = [reader.place(row) for row in np.flatnonzero(kept).tolist()]
    return TableReader(table.filter(mask_to_arrow(kept)), reader.source(table.num_rows), 1, (), places)


def refuse_unknown(wanted: Sequence[str] | Mapping[str, str], names: Sequence[str], where: str) -> None:
    """Raise for a column that is not there.

    Raises
    ------
    SettingsError
        One of the `wanted` columns is none of the `names`.
    """
    for name in wanted:
        if name not in names:
            raise SettingsError(f"{where}: column '{name}' does not exist{did_you_mean(name, names)}")


def values_of(column: Any, name: str) -> Coded:
    """Return a column as codes into its distinct values, white space around them taken away, blank ones named."""
    coded = encode(column, name)
    labels = [label.strip() or NO_INFO for label in coded.labels]
    distinct = list(dict.fromkeys(labels))
    place = {label: index for index, label in enumerate(distinct)}
    return Coded(np.array([place[label] for label in labels], np.int32)[coded.codes], tuple(distinct))


def values_in_blocks(column: Any, name: str) -> Coded:
    """Return what `values_of` returns of a long column, block by block; some of the values may be unused."""
    codes = np.empty(len(column), np.int32)
    place: dict[str, int] = {}
    for start in range(0, len(column), BLOCK_ROWS):
        block = column.slice(start, BLOCK_ROWS)
        found = coded(block, name)
        new = [place.setdefault(label.strip() or NO_INFO, len(place)) for label in found.labels]
        codes[start : start + len(block)] = np.array(new, np.int32)[found.codes]
    return Coded(codes, tuple(place))


def said(values: Mapping[str, str]) -> str:
    """Return columns and their values in words.

    Examples
    --------
    >>> said({"item": "P01", "grade": "8"})
    "item 'P01', grade '8'"
    """
    return ", ".join(f"{name} '{value}'" for name, value in values.items())


def _holds(column: Any, name: str, value: str) -> NDArray[np.bool_]:
    """Return where a column holds a value, shape (n,)."""
    coded = values_of(column, name)
    holds: NDArray[np.bool_] = coded.codes == (coded.labels.index(value) if value in coded.labels else -1)
    return holds
