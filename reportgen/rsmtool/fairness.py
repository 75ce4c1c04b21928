"""The fairness analyses of an rsmeval run: the same tables from a `TalliedScores`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.evaluation.fairness import Analysis, analyses
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.rsmtool.table import PeerTable, Value
from reportgen.tally import error_sums, limits

_FAIRNESS_LABELS = ("Overall score accuracy", "Overall score difference", "Conditional score difference")


def fairness_tables(tallied: TalliedScores, grouping: str) -> list[PeerTable]:
    """Return the coefficients of the three models, and what the group explains."""
    order = tallied.level_order(grouping)
    sums = error_sums(tallied.tally, grouping, tallied.primary.form)
    results = analyses(sums, order)
    base = sums.labels[order[0]]
    r_squared: list[Value] = [analysis.r_squared for analysis in results]
    sig: list[Value] = [analysis.p for analysis in results]
    rows = (*r_squared, base), (*sig, base)
    metrics = PeerTable(f"fairness_metrics_by_{grouping}", (*_FAIRNESS_LABELS, "base_category"), rows, ("R2", "sig"))
    names = [f"Intercept ({base})", *(sums.labels[level] for level in order[1:])]
    return [*(_estimates(grouping, analysis, names) for analysis in results), metrics]


def _estimates(grouping: str, analysis: Analysis, names: Sequence[str]) -> PeerTable:
    """Return one model's coefficients with p-values and 95 % limits."""
    from scipy.special import stdtr

    estimate, error = analysis.coefficients, analysis.errors
    low, high = limits(estimate, error, np.full(len(names), analysis.freedom), "none", 0.95)
    exact = error == 0  # without residual variance the interval is the estimate itself
    low, high = np.where(exact, estimate, low), np.where(exact, estimate, high)
    with np.errstate(all="ignore"):
        p = 2 * stdtr(max(analysis.freedom, 1.0), -np.abs(estimate / error))
    rows = tuple(zip(estimate, p, low, high, strict=True))
    columns = ("estimate", "P>[t]", "[0.025", "0.975]")
    return PeerTable(f"estimates_{analysis.key}_by_{grouping}", columns, rows, tuple(names))
