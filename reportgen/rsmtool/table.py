"""A table as RSMTool writes it."""

from __future__ import annotations

from dataclasses import dataclass

Value = str | int | float


@dataclass(frozen=True)
class PeerTable:
    """A table as RSMTool writes it.

    `name` follows the experiment's id in the file name; `index` names the rows and is written as an
    unnamed first column, or left out when it is None.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    index: tuple[Value, ...] | None = None
