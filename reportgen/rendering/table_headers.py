"""Which header cells belong to each cell of a table in a PDF."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pydyf

HEAD = "/TH"


@dataclass(frozen=True)
class Cell:
    """A cell of a table, with the rows and columns that it covers."""

    element: Any
    rows: range
    columns: range

    @property
    def head(self) -> bool:
        """Whether it is a header."""
        return bool(self.element["S"] == HEAD)


class TableHeaders:
    """The headers of one table, or of the part of it that stands on one page.

    Headers in the head of a table, and in a row of headers alone, belong to the cells below them; in the latter
    case as far as the next such row.  Other headers belong to their rows.  A part that has no caption of its own goes
    on with the table before it.
    """

    def __init__(self, kids: Callable[[Any], list[Any]], table: Any, before: TableHeaders | None) -> None:
        self.kids = kids
        parts = kids(table)
        self.columns: list[Cell] = []
        self.between: list[Cell] = []
        if before is not None and not any(part["S"] == "/Caption" for part in parts):
            self.between = before.between
        self.rows = [(part["S"] == "/THead", row) for part in parts for row in self._rows(part)]

    def _rows(self, part: Any) -> list[Any]:
        return [part] if part["S"] == "/TR" else [each for each in self.kids(part) if each["S"] == "/TR"]

    def name(self) -> None:
        """Say of every header where it holds, and name the headers of every other cell."""
        grid = list(self._grid())
        for number, (top, _) in enumerate(self.rows):
            cells = [cell for cell in grid if number in cell.rows]
            heads = [cell for cell in cells if cell.head]
            if top:
                self.columns += self._holding(heads, "/Column")
            elif cells == heads:
                self.between = self._holding(heads, "/Column")
            else:
                self._beside(cells, number, self._holding(heads, "/Row"))

    def _grid(self) -> Iterator[Cell]:
        taken: set[tuple[int, int]] = set()
        for number, (_, row) in enumerate(self.rows):
            column = 0
            for element in self.kids(row):
                if element["S"] not in (HEAD, "/TD"):
                    continue
                while (number, column) in taken:
                    column += 1
                told = element["A"]
                rows = range(number, number + told.get("RowSpan", 1))
                columns = range(column, column + told.get("ColSpan", 1))
                taken.update((each, other) for each in rows for other in columns)
                yield Cell(element, rows, columns)

    def _holding(self, heads: list[Cell], scope: str) -> list[Cell]:
        for cell in heads:
            cell.element["A"]["Scope"] = scope
        return heads

    def _beside(self, cells: list[Cell], number: int, own: list[Cell]) -> None:
        for cell in cells:
            if not cell.head and cell.rows.start == number:
                above = [each for each in (*self.columns, *self.between) if _share(each.columns, cell.columns)]
                cell.element["A"]["Headers"] = pydyf.Array([each.element["ID"] for each in (*own, *above)])


def _share(some: range, others: range) -> bool:
    return some.start < others.stop and others.start < some.stop
