"""The rows of a source that hold given values, and how rows part by the values of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.design.profiles import blocks
from reportgen.errors import InputError, SettingsError, did_you_mean
from reportgen.settings import DataSettings
from reportgen.sources.bridge import mask_to_arrow
from reportgen.sources.columns import NO_INFO, Coded, coded, encode, is_whole, labelled
from reportgen.sources.tabular import Reader, TableReader
from reportgen.wording.names import natural

MOST_PARTS = 10_000
"""A column with more values than this names responses or candidates, not items."""

Values = tuple[str, ...]
"""What the parting columns hold in a row."""


def selected(reader: Reader, data: DataSettings) -> Reader:
    """Return a reader, or one of those of its rows that the setting ``only`` names.

    Raises InputError: No row holds the values.
    Raises SettingsError: A column does not exist.
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

    Raises SettingsError: One of the `wanted` columns is none of the `names`.
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


@dataclass
class PartsOfRows:
    """Numbers of the parts of rows, in the order in which parts are met, and how many rows each has."""

    by: tuple[str, ...]
    whole: dict[str, bool]
    numbers: dict[Values, int] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)

    def codes(self, table: Any) -> NDArray[np.intp]:
        """Return the number of the part of each row.

        Raises SettingsError: There are more parts than items can be.
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

    def count(self, table: Any) -> NDArray[np.intp]:
        """Take note of some rows, and return their numbers."""
        codes = self.codes(table)
        found = np.bincount(codes, minlength=len(self.numbers)).tolist()
        self.sizes += [0] * (len(found) - len(self.sizes))
        self.sizes = [size + more for size, more in zip(self.sizes, found, strict=True)]
        return codes

    def ordered(self) -> tuple[tuple[dict[str, str], ...], tuple[int, ...], NDArray[np.uint16]]:
        """Return the values and the size of every part in natural order, and the place of each number."""
        met = list(self.numbers)
        ranks = sorted(range(len(met)), key=lambda index: [natural(value) for value in met[index]])
        place = np.empty(len(met), np.uint16)
        place[ranks] = np.arange(len(met))
        values = tuple(dict(zip(self.by, met[index], strict=True)) for index in ranks)
        return values, tuple(self.sizes[index] for index in ranks), place


def refuse_many_parts(by: Sequence[str], values: str) -> None:
    """Raise for columns that name no items.

    Raises SettingsError: Always.
    """
    raise SettingsError(
        f"--by {', '.join(by)}: {values} values, expected {MOST_PARTS:,} at most; name a column of items."
    )


def parted(table: Any, by: Sequence[str]) -> tuple[tuple[dict[str, str], ...], tuple[int, ...], NDArray[np.uint16]]:
    """Return values and size of every part, and which part each row of the table belongs to."""
    whole = {name: is_whole(table[name]) for name in by if pa.types.is_floating(table[name].type)}
    parts = PartsOfRows(tuple(by), whole)
    numbers = [parts.count(block) for block in blocks(table.select(list(by)))]
    values, sizes, place = parts.ordered()
    return values, sizes, place[np.concatenate([*numbers, np.empty(0, np.intp)])]
