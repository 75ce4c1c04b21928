"""The confusion matrix: which score the engine gives for each of the first rater's, beside a second rater."""

from __future__ import annotations

from report_sections.score_figures import Matrix, heat_maps
from reportgen.results import Table
from reportgen.sections import Chart, Term

MOST_BESIDE = 10
"""Points of a scale whose two heat maps still fit beside each other."""


def confusion_pair(engine: Table, raters: Table | None, *, ordered: bool) -> Chart:
    """Return which score the engine gives for each score of the first rater, and which a second rater gives.

    Parameters
    ----------
    engine, raters
        Numbers of responses: the row's name, one column for each point of the scale, then "total".  A row is a score
        of the first rater, a column one of the engine, or of the second rater.
    ordered
        Whether the points are scores; otherwise they are labels.
    """
    what = "score" if ordered else "label"
    matrix = Matrix.of(engine)
    maps = [(Term("panel_engine"), Term(f"engine_{what}"), matrix)]
    if raters is not None and len(matrix.rows) <= MOST_BESIDE:
        maps.append((Term("panel_second_rater"), Term(f"second_rater_{what}"), Matrix.of(raters)))
    told = [_said(row, matrix.columns, line) for row, line in zip(matrix.rows, matrix.counts, strict=True)]
    alt = Term("confusion_alt", rows=told)
    return heat_maps(f"{engine.key}.chart", alt, maps, Term(f"first_rater_{what}"), Term("percent_of_row"))


def _said(row: str, columns: tuple[str, ...], line: tuple[int, ...]) -> dict[str, object]:
    """Return how many of a row get the same score, and which other score is most frequent."""
    same = line[columns.index(row)] if row in columns else 0
    others = [(cell, other) for cell, other in zip(line, columns, strict=True) if other != row]
    most, other = max(others, default=(0, ""), key=lambda pair: pair[0])
    return {"score": row, "n": sum(line), "same": same, "other": other if most else ""}
