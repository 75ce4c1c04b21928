"""The rows of a source that hold given values, and how rows part by the values of columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError, SettingsError, did_you_mean
from reportgen.settings import DataSettings
from reportgen.sources.bridge import mask_to_arrow
from reportgen.sources.columns import NO_INFO, Coded, coded, encode, labelled
from reportgen.sources.tabular import Reader, TableReader
from reportgen.wording.names import natural

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


MOST_PARTS = 10_000
"""A column with more values than this names responses or candidates, not items."""

Values = tuple[str, ...]
"""What the parting columns hold in a row."""


@dataclass
class PartsOfRows:
    """Numbers of the parts of rows, in the order in which parts are met, and how many rows each has."""

    by: tuple[str, ...]
    whole: dict[str, bool]
    numbers: dict[Values, int] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)

    def codes(self, table: Any) -> NDArray[np.intp]:
        """Return the number of the part of each row.

        Raises
        ------
        SettingsError
            There are more parts than items can be.
        """
        columns = [coded(labelled(table[name], self.whole.get(name, True)), name) for name in self.by]
        joint = np.zeros(table.num_rows, np.int64)
        for column in columns:
            joint = joint * len(column.labels) + column.codes
        found, codes = np.unique(joint, return_inverse=True)
        numbers = []
        for code in found.tolist():
            values = []
            for column in reversed(columns):
                code, index = divmod(code, len(column.labels))
                values.append(column.labels[index].strip() or NO_INFO)
            numbers.append(self.numbers.setdefault(tuple(reversed(values)), len(self.numbers)))
        if len(self.numbers) > MOST_PARTS:
            refuse_many_parts(self.by, f"more than {MOST_PARTS:,}")
        return np.array(numbers, np.intp)[codes.reshape(-1)]

    def count(self, table: Any) -> None:
        """Take note of some rows."""
        found = np.bincount(self.codes(table), minlength=len(self.numbers)).tolist()
        self.sizes += [0] * (len(found) - len(self.sizes))
        self.sizes = [size + more for size, more in zip(self.sizes, found, strict=True)]


def refuse_many_parts(by: Sequence[str], values: str) -> None:
    """Raise for columns that name no items.

    Raises
    ------
    SettingsError
        Always.
    """
    raise SettingsError(
        f"--by {', '.join(by)}: {values} values, expected {MOST_PARTS:,} at most; name a column of items."
    )


def parted(table: Any, by: Sequence[str]) -> tuple[tuple[dict[str, str], ...], tuple[int, ...], NDArray[np.uint16]]:
    """Return values and size of every part, and which part each row of the table belongs to."""
    columns = [values_in_blocks(table[name], name) for name in by]
    labels = [column.labels for column in columns]
    levels = math.prod(len(each) for each in labels)
    joint = columns[0].codes if levels < 1 << 31 else columns[0].codes.astype(np.int64)
    for column in columns[1:]:
        joint = joint * len(column.labels) + column.codes
    del columns
    found, codes, sizes = _distinct(joint, levels)
    if len(found) > MOST_PARTS:
        refuse_many_parts(by, f"{len(found):,}")
    values = []
    for code in found.tolist():
        parts = []
        for each in reversed(labels):
            code, index = divmod(code, len(each))
            parts.append(each[index])
        values.append(tuple(reversed(parts)))
    ranks = natural_order(values)
    place = np.empty(len(ranks), np.uint16)
    place[ranks] = np.arange(len(ranks))
    return (
        tuple(dict(zip(by, values[index], strict=True)) for index in ranks),
        tuple(int(sizes[index]) for index in ranks),
        _looked_up(place, codes),
    )


def natural_order(values: Sequence[Sequence[str]]) -> list[int]:
    """Return the order of parts: by value, numbers as numbers."""
    return sorted(range(len(values)), key=lambda index: [natural(value) for value in values[index]])


def _distinct(joint: NDArray[Any], levels: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the distinct codes of some levels, which of them each row has, and how many rows have each."""
    if levels > max(MOST_PARTS, min(len(joint), BLOCK_ROWS)):
        found, codes, sizes = np.unique(joint, return_inverse=True, return_counts=True)
        return found, codes.reshape(-1), sizes
    sizes = np.zeros(levels, np.int64)
    for start in range(0, len(joint), BLOCK_ROWS):
        sizes += np.bincount(joint[start : start + BLOCK_ROWS], minlength=levels)
    found = np.flatnonzero(sizes)
    place = np.zeros(levels, np.int32)
    place[found] = np.arange(len(found))
    return found, _looked_up(place, joint), sizes[found]


def _looked_up(table: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
    """Return the entries of a table at some places, which are not widened all at once."""
    found = np.empty(len(places), table.dtype)
    for start in range(0, len(places), BLOCK_ROWS):
        found[start : start + BLOCK_ROWS] = table[places[start : start + BLOCK_ROWS]]
    return found
