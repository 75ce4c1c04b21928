"""What Yannakoudakis and Cummins (2015) print in numbers: their tables, and what their text says of them."""

from __future__ import annotations

import numpy as np

from reportgen.results import Row, Table
from reportgen.results.term import Term
from reportgen.studies.agreement_robustness.coefficients import (
    Floats,
    chance_agreement,
    coefficients,
    correlations,
    percent_agreement,
)
from reportgen.studies.agreement_robustness.sweeps import Sweep
from reportgen.studies.printed import in_figure, in_section, in_table, published_columns

COUNTS = {
    "1, left": ((40, 10), (10, 40)),
    "1, right": ((64, 4), (16, 16)),
    "2, left": ((20, 0), (60, 20)),
    "2, right": ((60, 15), (20, 5)),
}
"""Tables of the paper: system pass and fail in rows."""

OF_TABLES = {
    "1, left": {"kappa": 0.60, "bp": 0.60, "ac": 0.60, "pa": 0.80, "chance_kappa": 0.50, "chance_ac": 0.50},
    "1, right": {"kappa": 0.49, "bp": 0.60, "ac": 0.67, "pa": 0.80, "chance_kappa": 0.61, "chance_ac": 0.38},
    "2, left": {"kappa": 0.12, "pa": 0.40},
    "2, right": {"kappa": 0.00, "pa": 0.65},
}
"""What is printed of each, beneath it or in the text."""

STILL = 0.75
"""Quadratic BP and percent agreement in figure 1 (left), whatever the prevalence."""

CORRELATION = 0.75
"""Of the system and the examiners of the examination scripts, about."""

LEAST_SIMILAR = 0.70
"""Where the axis of figure 2 (right) begins: the similarity of the passing shares that are least alike."""

HALF_UNIT = 0.005


def counts_of(place: str) -> Floats:
    """Return the counts of a table of the paper."""
    return np.array(COUNTS[place], float)


def of_table(place: str) -> dict[str, float]:
    """Return the coefficients without weights of a table of the paper, percent agreement, and agreement by chance."""
    counts = counts_of(place)
    chance = {f"chance_{name}": value for name, value in chance_agreement(counts, "identity").items()}
    found = coefficients(counts, "identity") | chance | {"pa": percent_agreement(counts)}
    return {name: float(value) for name, value in found.items()}


def published_table(prevalence: Sweep, marginals: Sweep, like: Floats) -> Table:
    """Return every printed number beside ours.

    Parameters
    ----------
    like
        Tables of the scores that stand in for the examination scripts.
    """
    rows = [
        _row(in_table(place), name, value, of_table(place)[name])
        for place, printed in OF_TABLES.items()
        for name, value in printed.items()
    ]
    left = in_figure("1, left")
    rows += [
        _row(left, "bp_quadratic", STILL, _farthest(prevalence, "bp_quadratic", STILL)),
        _row(left, "pa", STILL, _farthest(prevalence, "pa", STILL)),
        _row(left, "mae", 0.5, _farthest(prevalence, "mae", 0.5)),
        _row(in_figure("2, left"), "mae", 1.0, _farthest(marginals, "mae", 1.0)),
        _row(in_section("4.1"), "r", CORRELATION, float(correlations(like)["r"].mean()), stand_in=True),
    ]
    return Table("study.published", "", published_columns(), tuple(rows), max_rows=40)


def _row(place: Term, name: str, printed: float, here: float, *, stand_in: bool = False) -> Row:
    agrees = Term("yes" if abs(here - printed) <= HALF_UNIT + 1e-9 else "no")
    return Row((place, Term(f"family.{name}"), printed, here, here - printed, Term("stand_in") if stand_in else agrees))


def _farthest(sweep: Sweep, name: str, printed: float) -> float:
    """Return the value along a sweep that is farthest from the one in print."""
    values = sweep.mean[name]
    return float(values[np.abs(values - printed).argmax()])
