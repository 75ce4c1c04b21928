"""Confusion matrices, score distributions and calibration, over the whole declared scale."""

from __future__ import annotations

import numpy as np

from reportgen.evaluation.study import Study
from reportgen.evaluation.tables.build import count_column, table
from reportgen.metrics import METRICS
from reportgen.numbers import point
from reportgen.results import Column, Estimate, Row, Table
from reportgen.tally import OVERALL, human_contingency, limits, system_bands, system_contingency
from reportgen.tally.features import pilot_centre
from reportgen.tally.tables import Contingency

ROUNDED_NOTE = "Human scores that are not whole points are rounded half to even."


def distribution_tables(study: Study) -> list[Table]:
    """Return confusion matrices, the score distribution and the calibration by score band."""
    points = study.whole_points()
    system = system_contingency(study.tally, OVERALL, study.primary_rounded.form, points)
    notes = (ROUNDED_NOTE,) if _fractional(study) else ()
    caption = f"First human score by engine score ({study.primary_rounded.type.label.lower()}): numbers of responses"
    if not system.points.size:
        return []  # continuous scores: there are no points to tabulate
    tables = [_confusion("confusion.system", caption, "Human", system, notes)]
    if len(study.raters) > 1:
        human = human_contingency(study.tally, OVERALL, points=points)
        caption = f"{study.raters[0]} by {study.raters[1]}: numbers of responses that both scored"
        if human.counts.sum():
            tables.append(_confusion("confusion.human", caption, study.raters[0], human, notes))
    return [*tables, _distribution(study, system, notes), _calibration(study)]


def _fractional(study: Study) -> bool:
    """Return whether some human score is not a whole point."""
    ratings = study.tally.cells.ratings[np.isfinite(study.tally.cells.ratings)]
    return not np.array_equal(np.rint(ratings), ratings)


def _confusion(key: str, caption: str, rows_are: str, contingency: Contingency, notes: tuple[str, ...]) -> Table:
    """Return a contingency table with row totals."""
    labels = [point(float(score)) for score in contingency.points]
    counts = contingency.counts[0].astype(int)
    rows = [
        Row((label, *(int(count) for count in line), int(line.sum())))
        for label, line in zip(labels, counts, strict=True)
    ]
    columns = (
        Column("human", rows_are),
        *(Column(label, label, "count") for label in labels),
        count_column("total", "Total"),
    )
    return table(key, caption, columns, rows, notes)


def _distribution(study: Study, contingency: Contingency, notes: tuple[str, ...]) -> Table:
    """Return the share of responses at every score point, human and system side by side."""
    counts = contingency.counts[0]
    n = counts.sum()
    rows = []
    for score, human, system in zip(contingency.points, counts.sum(axis=1), counts.sum(axis=0), strict=True):
        share_human, share_system = float(100 * human / n), float(100 * system / n)
        rows.append(Row((
            point(float(score)), int(human), share_human, int(system), share_system, share_system - share_human,
        )))  # fmt: skip
    columns = (
        Column("score", "Score"),
        count_column("human_n", "Human n"),
        Column("human_percent", "Human", "percent", "%"),
        count_column("system_n", "Engine n"),
        Column("system_percent", "Engine", "percent", "%"),
        Column("difference", "Engine − human", "percent", "points"),
    )
    caption = (
        f"Score distribution of the first human score and the engine score ({study.primary_rounded.type.label.lower()})"
    )
    return table("distribution", caption, columns, rows, notes)


def _calibration(study: Study) -> Table:
    """Return the mean human score in each band of the engine score."""
    centre = pilot_centre(study.tally)
    bands = system_bands(study.tally, study.primary.form, centre)
    mean = bands.human / bands.n
    with np.errstate(all="ignore"):
        variance = np.maximum(bands.human_square - bands.n * mean**2, 0.0) / (bands.n - 1)
        error = np.sqrt(variance / bands.n)
    low, high = limits(mean + centre, error, bands.n - 1, "none", study.level)
    rows = []
    for index, (start, end) in enumerate(zip(bands.low, bands.high, strict=True)):
        label = point(float(start)) if start == end else f"{point(float(start))} to {point(float(end))}"
        n = int(bands.n[index])
        has_interval = bool(np.isfinite(low[index]))
        estimate = Estimate(
            "h_mean", float(mean[index] + centre), n,
            float(low[index]) if has_interval else None, float(high[index]) if has_interval else None,
            float(error[index]) if has_interval else None, study.level, "Student's t", METRICS["h_mean"].kind,
            interval_reason="" if has_interval else "too few or equal scores in the band",
        )  # fmt: skip
        rows.append(Row((label, n, float(bands.system[index] / n + centre), estimate)))
    columns = (
        Column("band", "Engine score, rounded"),
        count_column(),
        Column("mean_system", "Mean engine score", "score"),
        Column("mean_human", "Mean human score", "score"),
    )
    caption = "Mean first human score by band of the engine score: a calibrated engine has equal means in every band"
    return table("calibration", caption, columns, rows)
