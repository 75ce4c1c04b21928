"""Tables by score level: what becomes of each human score, what each engine score means, and all levels together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reportgen.evaluation.levels import Levels, overall_levels, slopes
from reportgen.evaluation.points import Points
from reportgen.evaluation.tables.build import count_column, metric_column, table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import METRICS
from reportgen.results import Cell, Column, Estimate, Row, Table

LABELS = {
    "levels.off_by_two": "Off by two {unit}s or more (%)",
    "levels.macro_rmse": "RMSE, every human {unit} counting alike",
    "levels.lowest_kept": "Lowest human {unit} kept by the engine (%)",
    "levels.highest_kept": "Highest human {unit} kept by the engine (%)",
    "levels.extremes_kept": "Lowest or highest human {unit} kept (%)",
    "levels.calibration_slope": "Slope of the human on the engine score (1 when calibrated)",
    "levels.error_slope": "Slope of the error on the human score",
    "levels.expected_error_slope": "Slope of the error for an engine without error",
    "levels.true_sd": "Standard deviation of true scores",
}
"""Overall statistic -> its row, in the order of the table."""

RMSE_ROW = f"{METRICS['rmse'].abbreviation}, every response counting alike"
"""The third row, to compare the second with."""


def level_results(tallied: TalliedScores) -> tuple[list[Table], dict[str, Estimate]]:
    """Return the tables by level, and the statistics of all levels together."""
    levels = Levels.of(tallied)
    estimates = overall_levels(levels) | slopes(tallied)
    tables = [
        _calibration(tallied, levels),
        _by_human(tallied, levels, estimates),
        _overall(tallied, levels, estimates),
    ]
    return tables, estimates


def unit_of(levels: Levels) -> str:
    """Return what levels are: points of the scale, or bands."""
    return unit_of_points(levels.points)


def unit_of_points(points: Points) -> str:
    """Return what the levels of a scale are: its points, or bands."""
    return "point" if points.width == 1 and not points.continuous else "band"


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
        Column("band", "Engine score, rounded"),
        count_column(),
        Column("mean_system", "Mean engine score", "score"),
        Column("mean_human", "Mean human score", "score"),
        metric_column("calibration_gap"),
        metric_column("precision"),
    )
    caption = (
        f"Mean first human score by engine score ({tallied.primary.type.label.lower()}): a calibrated engine has "
        "equal means in every row, because the mean human score estimates the mean true score there"
    )
    return table("calibration", caption, columns, rows, _notes(tallied, levels))


def _by_human(tallied: TalliedScores, levels: Levels, estimates: Mapping[str, Estimate]) -> Table:
    """Return what the engine does with each human score."""
    expected = estimates["levels.expected_error_slope"].value
    overall = levels.means(np.ones(len(levels.human), bool))["h_mean"].value or 0.0
    kept, far = levels.human == levels.engine, np.abs(levels.human - levels.engine) >= 2
    rows = []
    for at, label in enumerate(levels.labels):
        here = levels.human == at
        recall = levels.share("recall", kept, here)
        if not recall.n:
            rows.append(Row((label, 0, None, None, None, None, None, None)))
            continue
        means = levels.means(here)
        tilt = None if expected is None else expected * ((means["h_mean"].value or 0.0) - overall)
        rows.append(
            Row((
                label, recall.n, means["h_mean"].value, recall, levels.share("off_by_two", far, here),
                means["mean_error"], tilt, means["level_rmse"],
            ))
        )  # fmt: skip
    columns = (
        Column("human", "Human score"),
        count_column(),
        Column("mean_human", "Mean human score", "score", shown=False),
        metric_column("recall"),
        metric_column("off_by_two"),
        metric_column("mean_error"),
        Column("expected_error", "without engine error", "difference", shown=expected is not None),
        metric_column("level_rmse"),
    )
    caption = (
        "What the engine gives at each first human score: recall is the percentage that get the same score after "
        f"rounding, errors are engine minus human ({tallied.primary.type.label.lower()})"
    )
    return table("levels.by_human", caption, columns, rows, _notes(tallied, levels))


def _overall(tallied: TalliedScores, levels: Levels, estimates: Mapping[str, Estimate]) -> Table:
    """Return the statistics of all levels together."""
    unit = unit_of(levels)
    step = "step" if unit == "point" and levels.points.step != 1 else unit
    units = {"levels.off_by_two": step}  # two levels, which on half points are one point
    rows = [
        Row((label.format(unit=units.get(key, unit)), estimates[key].n, estimates[key]))
        for key, label in LABELS.items()
    ]
    rmse: Cell = tallied.estimates(tallied.primary).estimate("system.rmse")
    rows.insert(2, Row((RMSE_ROW, tallied.tally.n, rmse)))
    columns = (Column("statistic", "Statistic"), count_column(), Column("value", "Value", "coefficient"))
    return table("levels.overall", "Large errors, ends of the scale that are kept, and slopes", columns, rows)


def _notes(tallied: TalliedScores, levels: Levels) -> tuple[str, ...]:
    """Say how levels were made where they are not points in steps of 1."""
    points = levels.points
    if points.continuous:
        why = f"has {len(tallied.scale.points()):,} points" if tallied.scale.step else "is continuous"
        return (f"The scale {why}: scores are shown in bands of {points.step:g}, a score on an edge in the upper.",)
    if points.width > 1:
        return (f"The scale has {points.size} points and is shown in bands of {points.width}.",)
    return ()
