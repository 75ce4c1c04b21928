"""What rsmeval says about the data: which responses were excluded, and how many there are of each kind."""

from __future__ import annotations

import numpy as np

from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.rsmtool.table import PeerTable
from reportgen.scores import ScoreTable

_HUMAN = ("numeric non-zero human score", "zero human score", "non-numeric human score")
_SYSTEM = ("numeric system score", "non-numeric system score")


def composition_tables(scores: ScoreTable, tallied: TalliedScores, candidates: int | None) -> list[PeerTable]:
    """Return the excluded responses by kind, the size of the data, and the sizes of the groups.

    Parameters
    ----------
    candidates
        Distinct candidates of the responses that count, if there is a column of them.
    """
    by_group = [_composition_by(tallied, grouping) for grouping in tallied.groups]
    return [_excluded(scores), _composition(scores, tallied, candidates), *by_group]


def _excluded(scores: ScoreTable) -> PeerTable:
    """Return the excluded responses by both scores; rows have names only when there is any, as in RSMTool.

    Counts in a column with a blank are written as 3.0.
    """
    blank = [any(cell is None for cell in column) for column in zip(*scores.composition, strict=True)]
    cells = tuple(
        tuple(_count(cell, as_float) for cell, as_float in zip(line, blank, strict=True)) for line in scores.composition
    )
    any_excluded = scores.kept + scores.flagged < scores.read
    if not any_excluded:
        return PeerTable("test_excluded_composition", _SYSTEM, cells)
    rows = tuple((label, *line) for label, line in zip(_HUMAN, cells, strict=True))
    return PeerTable("test_excluded_composition", ("Human/System", *_SYSTEM), rows)


def _count(cell: int | None, as_float: bool) -> int | float:
    """Return a count as RSMTool holds it: a float in a column with a blank, which is NaN."""
    if cell is None:
        return np.nan
    return float(cell) if as_float else cell


def _composition(scores: ScoreTable, tallied: TalliedScores, candidates: int | None) -> PeerTable:
    """Return the number of responses, of candidates, and of levels of each subgroup."""
    numbers = {"responses": scores.kept}
    if candidates is not None:
        numbers["candidates"] = candidates
    numbers |= {grouping: len(tallied.tally.slices[grouping].labels) for grouping in tallied.groups}
    return PeerTable("data_composition", ("partition", *numbers), (("Evaluation", *numbers.values()),))


def _composition_by(tallied: TalliedScores, grouping: str) -> PeerTable:
    """Return the size of every level."""
    slices = tallied.tally.slices[grouping]
    sizes = np.bincount(slices.level, slices.sums[0], len(slices.labels))
    rows = sorted((label, int(size)) for label, size in zip(slices.labels, sizes, strict=True))
    return PeerTable(f"data_composition_by_{grouping}", (grouping, "N responses"), tuple(rows))
