"""From sweeps to the tables of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from reportgen.results import Column, Row, Table
from reportgen.results.term import Term
from reportgen.studies.agreement_robustness.coefficients import COEFFICIENTS, WEIGHTS
from reportgen.studies.agreement_robustness.sweeps import Sweep

NAMES = (*(f"{name}_{weights}" for weights in WEIGHTS for name in COEFFICIENTS), "pa", "mae")
"""Keys of the columns of a table of a stress."""

ON_PAPER = ("kappa_quadratic", "bp_quadratic", "ac_quadratic", "kappa_linear", "bp_linear", "ac_linear", "pa", "mae")

TWO_POINTS = ("kappa_linear", "bp_linear", "ac_linear", "pa")
"""With pass and fail only, linear and quadratic weights are the same."""


def sweep_table(sweep: Sweep) -> Table:
    """Return every coefficient along one stress."""
    shown = TWO_POINTS if sweep.beside else ON_PAPER
    columns = (
        Column("x", Term(f"along.{sweep.stress}")),
        *(Column(name, kind="coefficient") for name in sweep.beside),
        *(Column(name, kind="coefficient", shown=name in shown) for name in NAMES),
        Column("largest_sd", kind="coefficient", shown=False),
    )
    spread = np.array(list(sweep.sd.values()))
    rows = [
        Row((
            x,
            *(_number(values[place]) for values in sweep.beside.values()),
            *(_number(sweep.mean[name][place]) for name in NAMES),
            _number(np.max(spread[:, place])),
        ))
        for place, x in enumerate(sweep.x)
    ]  # fmt: skip
    title = Term("stress_title", stress=Term(f"stress.{sweep.stress}"), scores=Term(f"scores.{sweep.scores}"))
    return Table(sweep.key, title, columns, tuple(rows), max_rows=12)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def movement_table(synthetic: Mapping[str, Sweep], scales: Mapping[str, Sequence[Sweep]]) -> Table:
    """Return how far each coefficient moves under each stress; on one's own scores where they are given."""
    scores = "own" if "own" in scales else "real_like"
    sweeps = [*scales[scores]] if scores == "own" else [*synthetic.values(), *scales[scores]]
    rows = [
        Row((Term(f"coefficient.{name}"), *(sweep.range(name) for sweep in sweeps)))
        for name in NAMES
        if name not in ("pa", "mae")
    ]  # fmt: skip
    columns = (
        Column("coefficient"),
        *(Column(f"{sweep.scores}_{sweep.stress}", Term(f"changed.{sweep.stress}"), "coefficient") for sweep in sweeps),
    )
    return Table("study.movement", "", columns, tuple(rows))
