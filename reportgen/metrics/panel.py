"""The agreement panel: every usual coefficient of the same labels, side by side.

Each is a function of the patterns of labels alone, and comes with the influence of every pattern, so
that intervals, by response or by candidate, follow from one pass over the patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from reportgen.metrics.chance_corrected import (
    ChanceModel,
    Linearised,
    hard_cases_chance,
    linearised,
    no_chance,
    own_chance,
    pooled_chance,
    uniform_chance,
    without_value,
)
from reportgen.metrics.krippendorff import Level, alpha_linearised
from reportgen.metrics.patterns import MISSING, Patterns
from reportgen.metrics.rank_tables import kendall_tau_b_of_table, spearman_rho_of_table
from reportgen.metrics.weights import weight_matrix
from reportgen.tally.sums import Floats

FOR_PAIRS = "for pairs of raters only"
"""Why a rank correlation of three or more raters is not given."""


def _percent(patterns: Patterns) -> Linearised:
    found = linearised(patterns, np.eye(len(patterns.categories)), no_chance)
    return replace(found, value=100 * found.value, influence=100 * found.influence)


def _corrected(chance: ChanceModel, weights: str) -> Callable[[Patterns], Linearised]:
    def of(patterns: Patterns) -> Linearised:
        return linearised(patterns, weight_matrix(weights, patterns.categories), chance)

    return of


def _alpha(level: Level) -> Callable[[Patterns], Linearised]:
    return lambda patterns: alpha_linearised(patterns, level=level)


def _ranks(of_table: Callable[[Floats], Linearised]) -> Callable[[Patterns], Linearised]:
    def of(patterns: Patterns) -> Linearised:
        if patterns.raters != 2:
            return without_value(patterns, FOR_PAIRS)
        both = (patterns.codes != MISSING).all(axis=1)
        if not both.any():
            return without_value(patterns, "no response has two labels")
        size = len(patterns.categories)
        table = np.zeros((size, size))
        place = tuple(patterns.codes[both].T)
        np.add.at(table, place, patterns.count[both])
        found = of_table(table)
        influence = np.zeros(len(patterns.codes))
        influence[both] = found.influence[place] * (patterns.n / patterns.count[both].sum())
        return replace(found, influence=influence)

    return of


PANEL: Mapping[str, Callable[[Patterns], Linearised]] = MappingProxyType(
    {
        "exact_agreement": _percent,
        "kappa": _corrected(own_chance, "identity"),
        "kappa_linear": _corrected(own_chance, "linear"),
        "kappa_quadratic": _corrected(own_chance, "quadratic"),
        "scott": _corrected(pooled_chance, "identity"),
        "bp": _corrected(uniform_chance, "identity"),
        "bp_linear": _corrected(uniform_chance, "linear"),
        "bp_quadratic": _corrected(uniform_chance, "quadratic"),
        "ac1": _corrected(hard_cases_chance, "identity"),
        "ac2_linear": _corrected(hard_cases_chance, "linear"),
        "ac2_quadratic": _corrected(hard_cases_chance, "quadratic"),
        "alpha_nominal": _alpha("nominal"),
        "alpha_ordinal": _alpha("ordinal"),
        "alpha_interval": _alpha("interval"),
        "tau_b": _ranks(kendall_tau_b_of_table),
        "spearman": _ranks(spearman_rho_of_table),
    }
)
"""Key in the catalogue -> coefficient of the patterns, in the order of the panel.

For three and more raters kappa is Conger's and Scott's pi is Fleiss's kappa.
"""

UNORDERED = ("exact_agreement", "kappa", "scott", "bp", "ac1", "alpha_nominal")
"""Those that only ask whether two labels are the same, and so exist where labels have no order."""

OF_LABELS = ("exact_agreement", "kappa")
"""Those of them that are known of engine and raters, by group, and as the engine's less that of raters."""


def pattern_shares(patterns: Patterns) -> tuple[Floats, Floats]:
    """Return what tells prevalence from unequal use: pooled shares of the categories, and each rater's own.

    Returns
    -------
    tuple of numpy.ndarray
        (K,): mean over responses; (raters, K): shares among the labels each rater gave.
    """
    table = patterns.by_category() / np.maximum(patterns.ratings(), 1)[:, None]
    chosen = np.stack([patterns.count @ (patterns.codes == k) for k in range(len(patterns.categories))], axis=-1)
    return patterns.mean(table), chosen / chosen.sum(axis=1, keepdims=True)
