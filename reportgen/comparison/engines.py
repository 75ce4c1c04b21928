"""Two engines beside each other where human ratings differ: nothing that rests on a rating is compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reportgen.comparison.changes import Pair
from reportgen.comparison.movement import rounded_rows
from reportgen.evaluation import Preparation, tally_scores
from reportgen.evaluation.estimates import SliceEstimates
from reportgen.results import Column, Row, Scale, Table
from reportgen.results.term import Term

TABLE = "comparison.engines"

METRICS_OF_ENGINES = ("qwk", "r", "kappa", "exact_agreement", "adjacent_agreement")


def ratings_differ(pair: Pair) -> dict[str, Any]:
    """Return what is known where the human ratings of two runs differ; nothing where they do not.

    It says on how many responses of how many, and by how many points at most, where that is known.
    """
    sharing = pair.sharing
    if not sharing.paired or not sharing.rated_otherwise:
        return {}
    largest = float(sharing.largest) if np.isfinite(sharing.largest) else None
    return {"n": sharing.rated_otherwise, "of": sharing.common, "largest": largest}


def engines_table(pairs: Sequence[Pair]) -> Table | None:
    """Return how the engines agree with each other where nothing else can be compared; None where all can."""
    rows = [
        Row((Term(metric), pair.new.name, found.estimate(f"system.{metric}")))
        for pair in pairs
        if pair.sharing.paired and not pair.first_ratings_same
        for found in [_agreement(pair)]
        for metric in METRICS_OF_ENGINES
    ]
    if not rows:
        return None
    columns = (
        Column("metric"),
        Column("system", shown=len(pairs) > 1),
        Column("value", Term("with_run", run=pairs[0].old.name), "coefficient"),
    )
    return Table(TABLE, "", columns, tuple(rows))


def _agreement(pair: Pair) -> SliceEstimates:
    """Return the statistics of the new engine's rounded scores against the old one's."""
    old, new = rounded_rows(pair.old), rounded_rows(pair.new)
    ends = min(old.min(), new.min()), max(old.max(), new.max())
    rows = pair.old.rows
    tallied = tally_scores(
        new, old[:, None], {}, raters=[pair.old.name], scale=Scale(float(ends[0]), float(ends[1]), 1.0, assumed=False),
        preparation=Preparation((float(ends[0]), float(ends[1])), 0.0, rounding=pair.old.preparation.rounding),
        level=pair.old.level,
        candidates=rows.candidates if rows is not None else None,
    )  # fmt: skip
    return tallied.estimates(tallied.primary_rounded)
