"""Heat maps of two scores, and shares of equal scores; every word is given by the section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from report_sections.figures import TOTAL, beside
from reportgen.sections import Axis, Cells, Chart, Panel, Shares, Table
from reportgen.wording.numbers import count, fixed

NOTHING = "·"
"""What stands in a cell without responses."""


@dataclass(frozen=True)
class Matrix:
    """Numbers of responses: a row for each score of the first rater, a column for each score of another."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, table: Table) -> Matrix:
        """Return a table of counts: the name of the row first, one column for each point of the scale, "total" last."""
        points = [column for column in table.columns[1:] if column.key != TOTAL]
        lines = tuple(tuple(row.count(point.key) for point in points) for row in table.records())
        return cls(tuple(str(row.cells[0]) for row in table.rows), tuple(point.label for point in points), lines)

    def told(self, *, last: bool = False) -> list[dict[str, Any]]:
        """Return of each row how many there are, how many keep their score, and the most frequent other score.

        `last`: Of equally frequent ones take the one whose name comes last, not the first point.
        """
        found = []
        for score, line in zip(self.rows, self.counts, strict=True):
            cells = dict(zip(self.columns, line, strict=True))
            same = cells.pop(score, 0)
            other = max(cells, key=lambda each: (cells[each], each if last else ""), default="")
            found.append({"score": score, "n": sum(line), "same": same, "other": other if cells.get(other) else ""})
        return found


def heat(matrix: Matrix, value: str) -> Cells:
    """Return a heat map of percentages of each row, counts in small letters below, n at the right.

    `value`: What a cell is.

    Examples
    --------
    >>> cells = heat(Matrix(("1", "2"), ("1", "2"), ((3, 1), (0, 0))), "% of the row")
    >>> cells.texts, cells.small, cells.n
    ((('75', '25'), ('·', '·')), (('3', '1'), ('', '')), (4, 0))
    """
    n = tuple(map(sum, matrix.counts))
    shares = tuple(
        tuple(100 * cell / of if of else None for cell in line) for line, of in zip(matrix.counts, n, strict=True)
    )
    texts = tuple(tuple(_percentage(share) for share in line) for line in shares)
    small = tuple(tuple(count(cell) if cell else "" for cell in line) for line in matrix.counts)
    return Cells(matrix.rows, matrix.columns, shares, texts, value, frame_diagonal=True, small=small, n=n, full=100.0)


def _percentage(share: float | None) -> str:
    """Return a whole percentage; what is not nothing is never written as 0, nor what is not all as 100."""
    if not share:
        return NOTHING
    said = fixed(share, 0)
    return "<1" if said == "0" else ">99" if said == "100" and share < 100 else said


def heat_maps(key: str, alt: str, maps: Sequence[tuple[str, str, Matrix]], rows: str, value: str) -> Chart:
    """Return heat maps beside each other, on one shading.

    `maps`: The title, the name of the columns, and the counts of each. `rows`, `value`: What the rows are, and what a
    cell is.
    """
    panels = tuple(
        Panel(title, Axis(columns, matrix.columns), (heat(matrix, value),), Axis(rows, matrix.rows))
        for title, columns, matrix in maps
    )
    return beside(key, "", alt, panels, Axis(""), panels[0].y or Axis(rows))


def same_scores_chart(
    key: str, alt: str, rows: Sequence[tuple[str, tuple[int, ...], bool]], parts: Sequence[str]
) -> Chart:
    """Return how many responses get the same score, one point apart, further apart: a bar for each who is compared.

    `rows`: Name, counts of the parts, and whether it is the engine. `parts`: What the parts are called, those nobody
    has left out.
    """
    names, counts, engine = zip(*rows, strict=True)
    shares = Shares(names, tuple(parts), counts, tuple("engine" if each else "human" for each in engine))
    return Chart(key, "", alt, Axis("", low=0.0, high=100.0, fixed=True), Axis("", categories=names), (shares,))
