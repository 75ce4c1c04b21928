"""Tables by score level: what becomes of each human score, what each engine score means, and all levels together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reportgen.evaluation.levels import Levels, overall_levels, slopes
from reportgen.evaluation.points import Points
from reportgen.evaluation.tables.build import count_column, metric_column, table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results import Cell, Column, Estimate, Row, Table
from reportgen.results.term import Term

OVERALL = (
    "levels.off_by_two", "levels.macro_rmse", "levels.lowest_kept", "levels.highest_kept", "levels.extremes_kept",
    "levels.calibration_slope", "levels.error_slope", "levels.expected_error_slope", "levels.true_sd",
)  # fmt: skip
"""Statistics of all levels together, in the order of the table."""

RMSE_ROW = "system.rmse"
"""The third row, to compare the second with."""


def level_results(tallied: TalliedScores) -> tuple[list[Table], dict[str, Estimate]]:
    """Return the tables by level, and the statistics of all levels together."""
    levels = Levels.of(tallied)
    estimates = overall_levels(levels) | slopes(tallied)
    tables = [
        _calibration(tallied, levels),
        _by_human(tallied, levels),
        _overall(tallied, estimates),
    ]
    return tables, estimates


def level_unit(points: Points) -> str:
    """Return what lies between two levels: a "point", a "step" of the scale that is no point, or a "band"."""
    if points.width != 1 or points.continuous:
        return "band"
    return "point" if points.step == 1 else "step"


def _calibration(tallied: TalliedScores, levels: Levels) -> Table:
    """Return the mean human score at each engine score: what an engine score means."""
    kept = levels.human == levels.engine
    rows = []
    for at in np.unique(levels.engine):
        here = levels.engine == at
        means = levels.means(here)
        precision = levels.share("precision", kept, here)
        rows.append(
            Row((
                levels.labels[at], precision.n, means["system_mean"].value, means["h_mean"],
                means["calibration_gap"], precision,
            ))
        )  # fmt: skip
    columns = (
        Column("band"),
        count_column(),
        Column("mean_system", "", "score"),
        Column("mean_human", "", "score"),
        metric_column("calibration_gap"),
        metric_column("precision"),
    )
    return table("calibration", "", columns, rows, _notes(tallied, levels))


def _by_human(tallied: TalliedScores, levels: Levels) -> Table:
    """Return what the engine does with each human score."""
    expected = levels.expected_errors()
    kept, far = levels.human == levels.engine, np.abs(levels.human - levels.engine) >= 2
    rows = []
    for at, label in enumerate(levels.labels):
        here = levels.human == at
        recall = levels.share("recall", kept, here)
        if not recall.n:
            rows.append(Row((label, 0, *[None] * 6)))
            continue
        means = levels.means(here)
        rows.append(
            Row((
                label, recall.n, means["h_mean"].value, recall, levels.share("off_by_two", far, here),
                means["mean_error"], expected[at] if expected[at].defined else None, means["level_rmse"],
            ))
        )  # fmt: skip
    columns = (
        Column("human"),
        count_column(),
        Column("mean_human", "", "score", shown=False),
        metric_column("recall"),
        metric_column("off_by_two"),
        metric_column("mean_error"),
        Column("expected_error", "", "difference", shown=any(each.defined for each in expected)),
        metric_column("level_rmse"),
    )
    return table("levels.by_human", "", columns, rows, _notes(tallied, levels))


def _overall(tallied: TalliedScores, estimates: Mapping[str, Estimate]) -> Table:
    """Return the statistics of all levels together."""
    rows = [Row((Term(key), estimates[key].n, estimates[key])) for key in OVERALL]
    rmse: Cell = tallied.estimates(tallied.primary).estimate("system.rmse")
    rows.insert(2, Row((Term(RMSE_ROW), tallied.tally.n, rmse)))
    columns = (Column("statistic"), count_column(), Column("value", "", "coefficient"))
    return table("levels.overall", "", columns, rows)


def _notes(tallied: TalliedScores, levels: Levels) -> tuple[str, ...]:
    """Say how levels were made where they are not points in steps of 1."""
    points = levels.points
    if points.continuous:
        size = len(tallied.scale.points()) if tallied.scale.step else 0
        return (Term("in_bands_of", points=size, width=points.step),)
    return (Term("in_bands", points=points.size, width=points.width),) if points.width > 1 else ()
