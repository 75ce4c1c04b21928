"""Confusion matrices and score distributions, over the whole declared scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.evaluation.levels import Levels
from reportgen.evaluation.perfect_use import PerfectUse, perfect_use
from reportgen.evaluation.points import names_of
from reportgen.evaluation.tables.build import count_column, table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results import Cell, Column, Row, Table
from reportgen.results.term import Term
from reportgen.tally import OVERALL, human_contingency, system_contingency
from reportgen.tally.cells import Floats

NEAR = 1e-6
"""How near a score a rating is that is the same but for rounding."""

ROUNDED = Term("human_scores_rounded")
"""Said where human scores lie between the points shown."""


def distribution_tables(tallied: TalliedScores) -> list[Table]:
    """Return confusion matrices and the score distribution, on the points of the scale."""
    system = _engine_by_human(tallied)
    if system is None:
        return []  # continuous scores: there are no points to tabulate
    notes = (ROUNDED,) if _fractional(tallied) else ()
    tables = [_confusion("confusion.system", "", system, notes)]
    human = _human_by_human(tallied)
    if human is not None:
        tables.append(_confusion("confusion.human", tallied.raters[0], human, notes))
    return [*tables, _distribution(tallied, system, notes)]


@dataclass(frozen=True)
class ScoreCrossing:
    """Numbers of responses: (points, points), rows the first human score; `names` are what the points are called.

    `ratings` are how many each point has of all raters.
    """

    names: tuple[str, ...]
    counts: Floats
    ratings: Sequence[int] = ()

    def whole(self) -> list[list[int]]:
        """Return the counts as whole numbers that add up to each row's; ratings that share a response count in part."""
        made = []
        for line in self.counts:
            whole = np.floor(line + 1e-9)
            most = np.argsort(-(line - whole), kind="stable")[: round(line.sum()) - int(whole.sum())]
            whole[most] += 1
            made.append([int(count) for count in whole])
        return made


def _engine_by_human(tallied: TalliedScores) -> ScoreCrossing | None:
    """Return the counts of human by engine score; None on a continuous scale, and where there are too many."""
    points = tallied.points
    if tallied.scale.step == 0:
        return None
    if not points.continuous:
        counts = points.crossed(OVERALL, points.rated(0), points.scored())[0]
        return ScoreCrossing(points.names, counts, _ratings_at(tallied, points.categories))
    table = system_contingency(tallied.tally, OVERALL, tallied.primary_rounded.form, tallied.whole_points())
    names = names_of(tallied.scale, table.points)
    return ScoreCrossing(names, table.counts[0], _ratings_at(tallied, table.points)) if names else None


def _human_by_human(tallied: TalliedScores) -> ScoreCrossing | None:
    """Return the counts of the first two raters; None without responses that both scored."""
    points = tallied.points
    if len(tallied.raters) < 2:
        return None
    if points.continuous:
        table = human_contingency(tallied.tally, OVERALL, points=tallied.whole_points())
        found = ScoreCrossing(names_of(tallied.scale, table.points), table.counts[0])
    else:
        found = ScoreCrossing(points.names, points.crossed(OVERALL, points.rated(0), points.rated(1))[0])
    return found if found.counts.sum() else None


def _ratings_at(tallied: TalliedScores, at: Floats) -> list[int]:
    """Return how many ratings, of all raters, each of some scores has."""
    own = tallied.one_by_one
    points = own.points
    tally = own.tally if points.continuous else points.tally
    overall, ratings = tally.slices[OVERALL], tally.cells.ratings
    weight = np.bincount(overall.cell, overall.sums[0], len(ratings))
    if not points.continuous:
        ratings = points.start + points.step * np.rint(ratings)
    return [round(float(weight @ (np.abs(ratings - score) < NEAR).sum(axis=1))) for score in at.tolist()]


def _fractional(tallied: TalliedScores) -> bool:
    """Return whether some human score lies between the points that are shown."""
    points = tallied.points
    ratings = tallied.tally.cells.ratings if points.continuous else points.tally.cells.ratings
    given = ratings[np.isfinite(ratings)]
    return not np.array_equal(np.rint(given), given)


def _confusion(key: str, rows_are: str, crossed: ScoreCrossing, notes: tuple[str, ...]) -> Table:
    """Return a contingency table with row totals."""
    labels = crossed.names
    rows = [Row((label, *line, sum(line))) for label, line in zip(labels, crossed.whole(), strict=True)]
    columns = (
        Column("human", rows_are),
        *(Column(_key(label), label, "count") for label in labels),
        count_column("total", ""),
    )
    return table(key, "", columns, rows, notes)


def _key(label: str) -> str:
    """Return the key of a score's column; a label may be what another column is called."""
    return f"score {label}" if label in ("human", "total") else label


PERFECT = ("perfect_percent", "perfect_low", "perfect_high")
"""What an engine that gave every true score would use each point for, and over the interval of their variance."""


def _of_perfect(perfect: PerfectUse | None, at: int) -> list[float | None]:
    """Return the cells of a point; blank where they are not known."""
    if perfect is None:
        return [None] * len(PERFECT)
    found = (float(each[at]) for each in (perfect.share, perfect.low, perfect.high))
    return [each if np.isfinite(each) else None for each in found]


def _distribution(tallied: TalliedScores, crossed: ScoreCrossing, notes: tuple[str, ...]) -> Table:
    """Return the share of responses at every score point, human and system side by side."""
    counts = crossed.counts
    n = counts.sum()
    levels = Levels.of(tallied) if not tallied.points.continuous and tallied.points.width == 1 else None
    perfect = perfect_use(tallied, counts.sum(axis=1)) if n and levels else None
    rows = []
    for at, (name, human, system) in enumerate(zip(crossed.names, counts.sum(axis=1), counts.sum(axis=0), strict=True)):
        share_human, share_system = float(100 * human / n), float(100 * system / n)
        difference: Cell = levels.share_difference(at) if levels else share_system - share_human
        rows.append(Row((name, round(human), share_human, round(system), share_system, difference,
                         *_of_perfect(perfect, at), crossed.ratings[at])))  # fmt: skip
    columns = (
        Column("score", "" if tallied.scale.ordered else Term("axis_label")),
        count_column("human_n", ""),
        Column("human_percent", "", "percent", "%"),
        count_column("system_n", ""),
        Column("system_percent", "", "percent", "%"),
        Column("difference", "", "percent", Term("points")),
        *(Column(key, kind="percent", unit="%", shown=False) for key in PERFECT),
        Column("ratings_n", kind="count", shown=False),
    )
    return table("distribution", "", columns, rows, notes)
