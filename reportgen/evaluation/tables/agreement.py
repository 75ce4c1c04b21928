"""System-human agreement: descriptives, association and agreement of every score type."""

from __future__ import annotations

import numpy as np

from reportgen.evaluation.tables.build import count_column, estimate_cells, metric_column, table
from reportgen.evaluation.tables.rounding import ENGINE, told_of_rounding
from reportgen.evaluation.tallied_scores import ScoreForm, TalliedScores
from reportgen.metrics.catalogue import in_table
from reportgen.results import Column, Row, Table
from reportgen.tally import OVERALL, Form
from reportgen.tally.cells import Floats
from reportgen.tally.rounding import rounding_of


def system_tables(tallied: TalliedScores) -> list[Table]:
    """Return descriptives, association and agreement of every score type with the first human score."""
    return [_descriptives(tallied), _association(tallied), _agreement(tallied)]


def _descriptives(tallied: TalliedScores) -> Table:
    """Return means, SDs and extremes of human and engine scores by score type."""
    human = tallied.tally.cells.ratings[:, 0]
    rows = []
    for score in tallied.forms:
        slices = tallied.estimates(score)
        low, high = system_extremes(tallied, score)
        keys = ["system.h_mean", "system.system_mean", "system.h_sd", "system.system_sd"]
        cells = estimate_cells(slices, keys)
        extremes = (float(human.min()), float(human.max()), low, high)
        rows.append(Row((score.type.label, tallied.tally.n, *cells, *extremes, slices.estimate("system.smd"))))
    columns = (
        Column("score_type"),
        count_column(),
        metric_column("h_mean", "human_mean"),
        metric_column("system_mean"),
        metric_column("h_sd", "human_sd"),
        metric_column("system_sd"),
        *(Column(f"{who}_{end}", "", "score", shown=False) for who in ("human", "system") for end in ("min", "max")),
        metric_column("smd"),
    )
    return table("system_human.descriptives", "", columns, rows)


def system_extremes(tallied: TalliedScores, score: ScoreForm) -> tuple[float, float]:
    """Return the smallest and largest engine score in one form."""
    tally = tallied.tallies[score.family]
    overall = tally.slices[OVERALL]
    ends = extremes_in(np.array([overall.minimum[0], overall.maximum[0]]), score.form, tally.bounds)
    return float(ends[0]), float(ends[1])


def extremes_in(ends: Floats, form: Form, bounds: tuple[float, float]) -> Floats:
    """Return smallest and largest scores, given as they are, in one form."""
    if form.trimmed:
        ends = np.clip(ends, *bounds)
    return rounding_of(bounds).nearest(ends) if form.rounded else ends


def _association(tallied: TalliedScores) -> Table:
    """Return how closely each score type follows the human score."""
    metrics = in_table("system_human.association")
    rows = [
        Row(
            (
                score.type.label,
                tallied.tally.n,
                *estimate_cells(tallied.estimates(score), [f"system.{m}" for m in metrics]),
            )
        )
        for score in tallied.forms
    ]
    columns = (Column("score_type"), count_column(), *(metric_column(metric) for metric in metrics))
    return table("system_human.association", "", columns, rows)


def _agreement(tallied: TalliedScores) -> Table:
    """Return agreement on score points; unrounded continuous scores have none."""
    metrics = in_table("system_human.agreement")
    keys = [f"system.{metric}" for metric in metrics]
    rows = [
        Row((
            score.type.label,
            tallied.tally.n,
            *estimate_cells(tallied.estimates(score), keys, continuous=score.type.continuous),
        ))
        for score in tallied.forms
    ]  # fmt: skip
    columns = (Column("score_type"), count_column(), *(metric_column(metric) for metric in metrics))
    return table("system_human.agreement", "", columns, rows, told_of_rounding(tallied, ENGINE))
