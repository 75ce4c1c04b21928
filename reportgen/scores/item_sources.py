"""Files that hold the responses to many items: which columns are read, and which scores the items may have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError, SettingsError
from reportgen.machine.progress import Silent
from reportgen.results import Role, Scale
from reportgen.scores.column_roles import BY_CONTENTS
from reportgen.scores.items import roles_of_parts
from reportgen.scores.reading import Opened
from reportgen.scores.screening import excludes_zeros
from reportgen.settings import Settings
from reportgen.sources.batches import Batched, Piece, in_batches
from reportgen.sources.columns import as_text
from reportgen.sources.files import paths_of
from reportgen.sources.readers import open_reader

Labelled = tuple[NDArray[np.integer], list[str]]
"""Codes and labels, of every row."""


@dataclass(frozen=True)
class Limits:
    """Which human scores an item may have.

    Parameters
    ----------
    low, high
        Ends of its declared scale, infinite without one: an item with a human score outside them is refused.
    zeros_out
        Whether a human score of 0 counts as none.
    """

    low: float
    high: float
    zeros_out: bool

    @classmethod
    def of(cls, scale: Scale | None, settings: Settings) -> Limits:
        """Return the limits that a declared scale sets, or none."""
        low, high = (scale.low, scale.high) if scale else (-np.inf, np.inf)
        return cls(low, high, excludes_zeros(settings))


UNDECLARED = Limits(np.inf, -np.inf, zeros_out=False)
"""Limits that no score keeps: of an item that has no scale among those that are declared by item."""


@dataclass(frozen=True)
class ItemColumns:
    """Which columns are read, and how their rows are screened.

    Parameters
    ----------
    by, system, human, groups
        Columns that name the item, of engine scores, of human scores and of groups.
    limits
        Which human scores count.
    by_item
        The same item by item; None when they hold for all.
    id
        Column of ids that are compared within their items; none when empty.
    """

    by: tuple[str, ...]
    system: str
    human: tuple[str, ...]
    groups: tuple[str, ...]
    limits: Limits
    by_item: Mapping[str, Limits] | None = None
    id: str = ""

    def limits_of(self, items: Labelled) -> tuple[Any, Any, Any]:
        """Return lowest and highest score, and whether 0 is none: (rows,) each, or single ones that hold for all."""
        if self.by_item is None:
            return self.limits.low, self.limits.high, self.limits.zeros_out
        own = [self.by_item.get(label, UNDECLARED) for label in items[1]]
        columns = ([each.low for each in own], [each.high for each in own], [each.zeros_out for each in own])
        low, high, zeros = (np.array(column)[items[0]] for column in columns)
        return low, high, zeros


@dataclass(frozen=True)
class ItemSource:
    """Files that hold the responses to many items.

    Parameters
    ----------
    reader
        The files, opened.
    roles
        Which column plays which part.
    pieces
        Their rows, in pieces each of which can be read by itself, with their numbers.
    wanted
        What is read of them.
    left_out
        (column, reason) of columns that play no part.
    """

    reader: Batched
    roles: tuple[Role, ...]
    pieces: tuple[tuple[int, Piece], ...]
    wanted: ItemColumns
    left_out: tuple[tuple[str, str], ...]


def open_item_source(
    source: Any,
    settings: Settings,
    scales: Mapping[str, Scale] | None = None,
    status: Silent | None = None,
) -> ItemSource:
    """Return the files of a source, cut into pieces; columns find their parts on all rows.

    Parameters
    ----------
    scales
        Item -> its declared scale, when items have scales of their own.
    status
        Hears of the rows that are read to tell which part a column plays.

    Raises
    ------
    InputError, SettingsError
        A file cannot be read, its format cannot be read in batches, files do not fit each other, or the columns of
        scores cannot be told; sentences do not name the source.
    """
    if paths_of(source) is None:
        raise SettingsError("tables of items are made of files; write the frame to a Parquet file first.")
    opened = open_reader(source, settings.data.encoding)
    reader = in_batches(opened)
    if reader is None:
        raise InputError("tables of items are made of CSV, TSV and Parquet files; convert it, or use reportgen batch.")
    if not reader.head.num_rows:
        raise InputError("the file has no rows below its header; expected one row per response.")
    first = Opened(opened, settings).laid_out()
    if first.long is not None:
        raise SettingsError(
            "one row per rating cannot be read here; give one row per response, or use reportgen batch."
        )
    settings = first.settings
    cast = roles_of_parts(reader, settings, status or Silent())
    by_item = None if scales is None else {item: Limits.of(scale, settings) for item, scale in scales.items()}
    wanted = ItemColumns(
        settings.data.by,
        cast.columns("system")[0],
        cast.columns("human"),
        cast.columns("group"),
        Limits.of(settings.data.scale, settings),
        by_item,
        next((column for column, how in cast.parts.get("id", ()) if how != BY_CONTENTS), ""),
    )
    names = list(dict.fromkeys((*wanted.by, *wanted.groups, wanted.system, *wanted.human, *filter(None, (wanted.id,)))))
    for name in names:
        as_text(reader.head[name], name)  # refuses what is neither text nor numbers before anything is counted
    return ItemSource(
        reader, cast.roles(), tuple(enumerate(reader.pieces(names))), wanted, tuple(cast.left_out.items())
    )
