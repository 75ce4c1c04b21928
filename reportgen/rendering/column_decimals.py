"""How many decimals a column of a table has: one number for all of its cells of a kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reportgen.results import Cell, Column, Estimate, Kind, Row
from reportgen.wording.numbers import places_needed

USUAL: Mapping[Kind, int] = {"coefficient": 2, "difference": 2, "score": 2, "percent": 1}
"""Decimals that a column has where nothing asks for more; a number of no unit has as many as its size asks for."""

LEAST = 2
"""Decimals that a column of numbers of no unit has at least where one of them needs as many."""

SPAN = 3
"""Orders of magnitude between numbers of no unit up to which a column writes them with the same decimals."""

Thresholds = Mapping[tuple[str, str], tuple[float, ...]]
"""What the checks hold a statistic to, by its metric and kind."""


def column_decimals(rows: Sequence[Row], index: int, column: Column, thresholds: Thresholds) -> dict[Kind, int]:
    """Return the decimals of a column's cells, by their kind.

    All cells have as many as the one that needs most: to keep to its side of a limit, or to tell the ends of its
    interval apart.  More than one beyond the usual only where half of the cells need them: a small value alone does
    not make a column of long numbers.

    Examples
    --------
    >>> from reportgen.results import Estimate
    >>> rows = [Row((Estimate("qwk", value, 90, value - 0.1, value + 0.1),)) for value in (0.698, 0.8)]
    >>> column_decimals(rows, 0, Column("a", "A", "coefficient"), {("qwk", "coefficient"): (0.7,)})
    {'coefficient': 3}
    """
    needs: dict[Kind, list[int]] = {}
    for row in rows:
        cell = row.cells[index]
        kind = kind_of(cell, column)
        needed = places_needed(cell, kind, *_limits(cell, thresholds))
        if needed is not None and not _is_nothing(cell):
            needs.setdefault(kind, []).append(needed)
    found = ((kind, _agreed(kind, sorted(places))) for kind, places in needs.items())
    return {kind: places for kind, places in found if places is not None}


def kind_of(cell: Cell, column: Column) -> Kind:
    """Return how a cell is written: as its estimate says, else as its column does."""
    return cell.kind if isinstance(cell, Estimate) else column.kind


def _limits(cell: Cell, thresholds: Thresholds) -> Iterable[float]:
    return thresholds.get((cell.metric, cell.kind), ()) if isinstance(cell, Estimate) else ()


def _agreed(kind: Kind, places: Sequence[int]) -> int | None:
    """Return the decimals of cells that need so many, fewest first; None where each keeps its own."""
    middle = places[len(places) // 2]
    if kind in USUAL:
        return min(places[-1], max(USUAL[kind] + 1, middle))
    return min(places[-1], max(LEAST, middle)) if places[-1] - places[0] <= SPAN else None


def _is_nothing(cell: Cell) -> bool:
    """Return whether a cell is exactly 0, without an interval: it is 0 with any number of decimals."""
    if isinstance(cell, Estimate):
        return cell.value == 0 and cell.low is None
    return cell == 0
