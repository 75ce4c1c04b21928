"""Tables of what the engine's score of one item does to reported scores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from reportgen.charts.scales import round_step
from reportgen.errors import SettingsError
from reportgen.evaluation.movement import LEVELS, described, moved, precision
from reportgen.evaluation.reported_scores import TwiceReported, reported_by_raters, reported_twice
from reportgen.evaluation.tables.build import table
from reportgen.evaluation.tables.groups import all_data
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics.required_accuracy import REFERENCE_PRMSE, REFERENCE_SHARE, required_prmse
from reportgen.results import Cell, Column, Estimate, Mark, Row, Table
from reportgen.results.term import Term
from reportgen.scores import ScoreTable
from reportgen.settings import ImpactSettings
from reportgen.wording.numbers import point

ENGINE, FIRST_RATER, SECOND_RATER = Term("engine"), Term("first_rater"), Term("second_rater")
"""Who scores the item: the names of rows."""

MOST_MOVES = 12
"""Differences that are counted one by one; more are counted in bands of a round width."""

MOVED = ("mean_difference", "rmsd")
NAMED_OVERALL = (*MOVED, *LEVELS, "alpha_reference", "alpha_other", "alpha_change", "sem_reference", "sem_other")

Results = tuple[list[Table], dict[str, Estimate], dict[str, Any]]


def impact_results(scores: ScoreTable, tallied: TalliedScores, impact: ImpactSettings) -> Results:
    """Return tables, overall estimates and facts about reported scores; none when nothing is known of the test."""
    twice = reported_twice(scores, tallied, impact)
    if twice is None:
        return [], {}, {}
    if tallied.drawn is not None:
        raise SettingsError(
            "reported scores need a score of record, and raters stand in for each other; name one with --record NAME, "
            "or leave out item scores and [impact]."
        )
    known = {"withheld": _withheld(tallied), "required": _required(twice, tallied, impact)}
    facts = {"impact": _facts(scores, twice, impact) | known}
    if twice.problem:
        return [], {}, facts
    overall = moved(twice, tallied) | precision(twice, tallied)
    by_raters = reported_by_raters(scores, tallied, impact)
    tables = [
        *([_scores(twice, tallied, overall)] if twice.items.shape[1] else []),
        _differences(overall, {} if by_raters is None else moved(by_raters, tallied)),
        _moves(twice),
        *([_levels(twice)] if impact.cuts else []),
        *(_by_group(scores, twice, tallied, grouping, overall) for grouping in tallied.groups),
    ]
    return tables, {f"impact.{key}": overall[key] for key in NAMED_OVERALL if key in overall}, facts


def _facts(scores: ScoreTable, twice: TwiceReported, impact: ImpactSettings) -> dict[str, Any]:
    """Return what sections put into sentences."""
    calibrations = [twice.by_human.calibration, twice.by_other.calibration]
    return {
        "problem": twice.problem,
        "n": twice.n,
        "left_out": scores.kept - twice.n,
        "items": twice.items.shape[1],
        "scoring": impact.scoring,
        "weight": impact.weight or 1.0,
        "slope": impact.slope,
        "intercept": impact.intercept,
        "low": impact.low,
        "high": impact.high,
        "cuts": list(impact.cuts),
        "converged": all(found is None or found.converged for found in calibrations),
    }


def _required(twice: TwiceReported, tallied: TalliedScores, impact: ImpactSettings) -> dict[str, float]:
    """Return the item's share of the points of the test, in percent, and the PRMSE that it needs for it.

    The `limit` is this PRMSE in three decimals: pages print it, and policies require it.
    Points of the other items are those between their lowest and highest score; nothing where they have none.
    """
    own = (impact.weight or 1.0) * (tallied.scale.high - tallied.scale.low)
    if not twice.items.size or own <= 0:
        return {}
    whole = own + float(np.ptp(twice.items, axis=0).sum())
    needed = required_prmse(own / whole)
    return {
        "share": 100 * own / whole,
        "prmse": needed,
        "limit": round(needed, 3),
        "reference_share": 100 * REFERENCE_SHARE,
        "reference_prmse": REFERENCE_PRMSE,
    }


def _withheld(tallied: TalliedScores) -> dict[str, int]:
    """Return how many groups of each grouping are shown elsewhere and not in tables of reported scores."""
    found = {
        grouping: sum(
            tallied.withheld.hides_reported(grouping, labels[level]) for level in tallied.level_order(grouping)
        )
        for grouping in tallied.groups
        for labels in [tallied.tally.slices[grouping].labels]
    }
    return {grouping: n for grouping, n in found.items() if n}


def _scores(twice: TwiceReported, tallied: TalliedScores, overall: dict[str, Estimate]) -> Table:
    """Return mean, SD and precision of scale scores with either score of the item."""
    rows = []
    for name, key, own in zip((FIRST_RATER, ENGINE), ("reference", "other"), described(twice, tallied), strict=True):
        rows.append(Row((name, twice.n, own["mean"], own["sd"], overall[f"alpha_{key}"], overall[f"sem_{key}"])))
    columns = (
        Column("scored_by"), Column("n", kind="count"), Column("mean", kind="score"), Column("sd", kind="score"),
        Column("alpha", kind="coefficient"), Column("sem", kind="score"),
    )  # fmt: skip
    return table("impact.scores", "", columns, rows, (Term("precision_note", summed=twice.reporting.summed),))


def _move_columns(*, levels: bool) -> tuple[Column, ...]:
    return (
        Column("mean_difference", kind="difference"),
        Column("rmsd", kind="score"),
        *(Column(key, kind="percent", unit="%") for key in LEVELS if levels),
    )


def _move_cells(found: dict[str, Estimate]) -> tuple[Cell, ...]:
    return tuple(found[key] for key in (*MOVED, *LEVELS) if key in found)


def _differences(overall: dict[str, Estimate], by_raters: dict[str, Estimate]) -> Table:
    """Return how far scale scores move with the engine's score, and with a second rater's for comparison."""
    found = {ENGINE: overall, SECOND_RATER: by_raters}
    rows = [
        Row((name, own["rmsd"].n, *_move_cells(own)), "overall" if name == ENGINE else "")
        for name, own in found.items()
        if own
    ]
    columns = (Column("scored_by"), Column("n", kind="count"), *_move_columns(levels="lower" in overall))
    return table("impact.differences", "", columns, rows, (Term("rmsd_note"),))


def _by_group(
    scores: ScoreTable, twice: TwiceReported, tallied: TalliedScores, grouping: str, overall: dict[str, Estimate]
) -> Table:
    """Return how far scale scores move in every group that may be shown, largest first."""
    coded = scores.groups[grouping]
    codes, places = coded.codes[twice.here], {label: code for code, label in enumerate(coded.labels)}
    labels = tallied.tally.slices[grouping].labels
    rows = [Row((all_data(tallied, grouping), twice.n, *_move_cells(overall)), "overall")]
    for level in tallied.level_order(grouping):
        among = codes == places[labels[level]]
        n = int(among.sum())
        if n and not tallied.withheld.hides_reported(grouping, labels[level]):
            mark: Mark = "insufficient" if n < tallied.min_n_of(grouping) else ""
            rows.append(Row((labels[level], n, *_move_cells(moved(twice, tallied, among))), mark))
    columns = (Column("level", grouping), Column("n", kind="count"), *_move_columns(levels="lower" in overall))
    return table(f"impact.by_group.{grouping}", "", columns, rows)


def _moves(twice: TwiceReported) -> Table:
    """Return how many scale scores move by how much."""
    gaps = np.round(twice.by_other.scores - twice.by_human.scores, 9)
    values, counts = np.unique(gaps, return_counts=True)
    width = 0.0
    if len(values) > MOST_MOVES:
        width = round_step(float(values[0]), float(values[-1]), MOST_MOVES)
        bands = np.rint(gaps / width).astype(int)
        steps = range(int(bands.min()), int(bands.max()) + 1)
        counts = np.array([(bands == step).sum() for step in steps])
        values = width * np.array(steps)
    rows = [Row((float(value), int(n), 100 * float(n) / twice.n)) for value, n in zip(values, counts, strict=True)]
    notes = (Term("bands_of_points", width=width),) if width else ()
    columns = (Column("difference"), Column("n", kind="count"), Column("share", kind="percent", unit="%"))
    return table("impact.moves", "", columns, rows, notes)


def _levels(twice: TwiceReported) -> Table:
    """Return counts of performance levels with either score."""
    names = level_names(twice.reporting.cuts)
    size = len(names)
    counts = np.zeros((size, size), int)
    np.add.at(counts, (twice.by_human.levels, twice.by_other.levels), 1)
    rows = [Row((name, *line, sum(line))) for name, line in zip(names, counts.tolist(), strict=True)]
    columns = (
        Column("level"),
        *(Column(f"level_{place}", name, "count") for place, name in enumerate(names, start=1)),
        Column("total", kind="count"),
    )
    return table("impact.levels", "", columns, rows)


def level_names(cuts: Sequence[float]) -> list[str]:
    """Return what performance levels are called, in signs that every language reads.

    Examples
    --------
    >>> level_names([45, 55.5])
    ['< 45', '45–<55.5', '≥ 55.5']
    """
    points = [point(cut) for cut in cuts]
    between = [f"{low}–<{high}" for low, high in pairwise(points)]
    return [f"< {points[0]}", *between, f"≥ {points[-1]}"]
