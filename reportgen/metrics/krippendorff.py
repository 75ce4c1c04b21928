"""Krippendorff's alpha, and the panel of all usual coefficients of the same labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics import chance_corrected as kappas
from reportgen.metrics.chance_corrected import Coefficient, Linearised, Patterns, Weights, without_value
from reportgen.metrics.pair import ratio
from reportgen.metrics.two_scores import kendall_tau_b_of_table, spearman_rho_of_table
from reportgen.tally.sums import Floats

__all__ = ["krippendorff_alpha"]

Level = Literal["nominal", "ordinal", "interval", "ratio"]

_WEIGHTS_OF_LEVEL = {"nominal": "identity", "interval": "quadratic", "ratio": "ratio"}


def krippendorff_alpha(
    ratings: ArrayLike,
    *,
    categories: ArrayLike | None = None,
    weights: Weights = "identity",
    level: Level | None = None,
    sample_weight: ArrayLike | None = None,
) -> Coefficient:
    """Compute Krippendorff's alpha, 1 - observed disagreement / chance disagreement.

    Only responses with at least two labels count, each weighted by its number of labels. Chance pairs labels without
    replacement, which adds 1 / (number of labels) to the observed agreement.

    Result: at most 1; nan, with a reason, without a response labeled twice or if all labels are the same. `n` counts
    every response with a label.
    Source: Krippendorff (2011); Gwet (2014, chapter 6) for the standard error.

    Parameters
    ----------
    level
        Krippendorff's difference function, instead of `weights`: "nominal" equals identity weights, "interval"
        quadratic, and "ratio" ratio weights. "ordinal" counts the labels between two categories, so it depends on the
        data and differs from ordinal weights.
    sample_weight
        (n,): how often each response counts; the small-sample term uses their sum as the number of responses.

    Notes
    -----
    Of three published standard errors, this is the linearized form whose reference observed agreement excludes the
    small-sample term, with n - 1 degrees of freedom over all responses. For level "ordinal", it includes the
    uncertainty of the difference function.

    Examples
    --------
    Krippendorff's example C (published .743 .815 .849 .797):

    >>> from reportgen.metrics.worked_examples import KRIPPENDORFF_C
    >>> for level in ("nominal", "ordinal", "interval", "ratio"):
    ...     print(level, round(krippendorff_alpha(KRIPPENDORFF_C, level=level).value, 3))
    nominal 0.743
    ordinal 0.815
    interval 0.849
    ratio 0.797
    """
    patterns = kappas.patterns_of(ratings, categories, sample_weight)
    found = alpha_linearised(patterns, weights, level)
    if found.reason:
        return kappas.told(patterns, found)
    multiple = patterns.ratings() > 1
    paired = patterns.rated_more_than_once()
    moved = found.influence[multiple] * (paired.n / patterns.n)
    return kappas.told(patterns, found, paired.error(moved, paired.responses - 1))


def alpha_linearised(patterns: Patterns, weights: Weights = "identity", level: Level | None = None) -> Linearised:
    """Compute alpha and its influences; arguments as for `krippendorff_alpha`."""
    reason = kappas.why_undefined(patterns)
    if reason:
        return without_value(patterns, reason)
    multiple = patterns.ratings() > 1
    paired = patterns.rated_more_than_once()
    found = _alpha(paired, _credit(paired, weights, level))
    if found.reason:
        return without_value(patterns, found.reason, found.observed, found.expected)
    moved = found.influence + (_through_ranks(paired) if level == "ordinal" else 0.0)
    influence = np.zeros(len(patterns.codes))
    influence[multiple] = moved * (patterns.n / paired.n)
    return Linearised(found.value, found.observed, found.expected, influence)


def _credit(paired: Patterns, weights: Weights, level: Level | None) -> Floats:
    if level is None:
        return kappas.weight_matrix(weights, paired.categories)
    if not (isinstance(weights, str) and weights == "identity"):
        raise ValueError("krippendorff_alpha accepts weights or level, not both")
    if level == "ordinal":
        loss = _squared_gaps(_mid_ranks(paired))
        return np.asarray(1 - loss / loss.max())
    if level not in _WEIGHTS_OF_LEVEL:
        raise ValueError(f"unknown level {level!r}; use nominal, ordinal, interval, or ratio")
    return kappas.weight_matrix(_WEIGHTS_OF_LEVEL[level], paired.categories)


def _mid_ranks(paired: Patterns) -> Floats:
    labels = paired.count @ paired.by_category()
    return np.asarray(np.cumsum(labels) - labels / 2)


def _squared_gaps(values: Floats) -> Floats:
    return np.asarray((values[:, None] - values) ** 2)


def _alpha(paired: Patterns, weights: Floats) -> Linearised:
    table, labels = paired.by_category(), paired.ratings()
    mean_labels = float(paired.mean(labels))
    weigh = labels / mean_labels
    agreement = weigh * kappas.pairwise_agreement(paired, weights)
    shares = paired.mean(table) / mean_labels
    raw, expected = float(paired.mean(agreement)), float(shares @ weights @ shares)
    room = 1 - expected
    if abs(room) < 1e-12:
        return without_value(paired, kappas.ALL_BY_CHANCE, raw, expected)
    small_sample = 1 / (paired.n * mean_labels)
    observed = (1 - small_sample) * raw + small_sample
    above = (raw - expected) / room
    by_pattern = table @ (weights @ shares) / mean_labels
    influence = (agreement - raw * (weigh - 1) - expected) / room
    influence -= 2 * (1 - above) * (by_pattern - expected * weigh) / room
    return Linearised((observed - expected) / room, observed, expected, influence - above)


def _through_ranks(paired: Patterns) -> Floats:
    """Return the effect of a response on ordinal alpha by the mid-ranks of the categories."""
    table, labels = paired.by_category(), paired.ratings()
    rank = _mid_ranks(paired)
    weigh = paired.count / (labels - 1)
    found = table.T @ (table * weigh[:, None])  # coincidences of labels, including each label with itself
    shares = paired.count @ table / (paired.count @ labels)
    total = found.sum() - float((weigh * labels).sum())
    observed = float((found * _squared_gaps(rank)).sum()) / total
    expected = float(shares @ _squared_gaps(rank) @ shares)
    # d/d rank_c of sum_kl m_kl (rank_k - rank_l)^2 is 4 (rank_c sum_l m_cl - sum_l m_cl rank_l)
    slope_observed = 4 * (rank * found.sum(axis=1) - found @ rank) / total
    slope_expected = 4 * shares * (rank - float(shares @ rank))
    slope = slope_observed / expected - observed / expected**2 * slope_expected
    shift = np.cumsum(table, axis=1) - table / 2
    return np.asarray(-paired.n * (shift @ slope))


def interval_alpha(ratings: Floats, total: Floats, square: Floats, gap: Floats) -> Floats:
    """Compute alpha of level "interval" from sums over the responses with at least two ratings, on any scale.

    ratings, total, square: number of their ratings, and the sums of the ratings and of their squares.
    gap: sum over responses of the mean squared difference of two of their ratings, times the number of these.
    """
    return 1 - ratio(ratio(gap, ratings), ratio(2 * ratings * square - 2 * total**2, ratings * (ratings - 1)))


FOR_PAIRS = "for pairs of raters only"  # reason for three or more raters


def _percent(patterns: Patterns) -> Linearised:
    found = kappas.linearised(patterns, np.eye(len(patterns.categories)), kappas.no_chance)
    return found._replace(value=100 * found.value, influence=100 * found.influence)


def _corrected(chance: kappas.ChanceModel, weights: str, patterns: Patterns) -> Linearised:
    return kappas.linearised(patterns, kappas.weight_matrix(weights, patterns.categories), chance)


def _ranks(of_table: Callable[[Floats], Linearised], patterns: Patterns) -> Linearised:
    if patterns.raters != 2:
        return without_value(patterns, FOR_PAIRS)
    both = (patterns.codes != kappas.MISSING).all(axis=1)
    if not both.any():
        return without_value(patterns, "no response has two labels")
    size = len(patterns.categories)
    table = np.zeros((size, size))
    place = tuple(patterns.codes[both].T)
    np.add.at(table, place, patterns.count[both])
    found = of_table(table)
    influence = np.zeros(len(patterns.codes))
    influence[both] = found.influence[place] * (patterns.n / patterns.count[both].sum())
    return found._replace(influence=influence)


PANEL: Mapping[str, Callable[[Patterns], Linearised]] = MappingProxyType(
    {
        "exact_agreement": _percent,
        "kappa": partial(_corrected, kappas.own_chance, "identity"),
        "kappa_linear": partial(_corrected, kappas.own_chance, "linear"),
        "kappa_quadratic": partial(_corrected, kappas.own_chance, "quadratic"),
        "scott": partial(_corrected, kappas.pooled_chance, "identity"),
        "bp": partial(_corrected, kappas.uniform_chance, "identity"),
        "bp_linear": partial(_corrected, kappas.uniform_chance, "linear"),
        "bp_quadratic": partial(_corrected, kappas.uniform_chance, "quadratic"),
        "ac1": partial(_corrected, kappas.hard_cases_chance, "identity"),
        "ac2_linear": partial(_corrected, kappas.hard_cases_chance, "linear"),
        "ac2_quadratic": partial(_corrected, kappas.hard_cases_chance, "quadratic"),
        "alpha_nominal": partial(alpha_linearised, level="nominal"),
        "alpha_ordinal": partial(alpha_linearised, level="ordinal"),
        "alpha_interval": partial(alpha_linearised, level="interval"),
        "tau_b": partial(_ranks, kendall_tau_b_of_table),
        "spearman": partial(_ranks, spearman_rho_of_table),
    }
)
"""Coefficient of the patterns by catalogue key, in the order of the panel; for three and more raters, kappa is Conger's
and Scott's pi is Fleiss's kappa."""

UNORDERED = ("exact_agreement", "kappa", "scott", "bp", "ac1", "alpha_nominal")
"""Coefficients that only compare labels for equality, and so exist for labels without order."""

OF_LABELS = ("exact_agreement", "kappa")
"""Those of `UNORDERED` for engine and raters, by group, and as differences between engine and raters."""


def pattern_shares(patterns: Patterns) -> tuple[Floats, Floats]:
    """Return the shares of the categories: (K,) pooled over responses, and (raters, K) by rater."""
    table = patterns.by_category() / np.maximum(patterns.ratings(), 1)[:, None]
    chosen = np.stack([patterns.count @ (patterns.codes == k) for k in range(len(patterns.categories))], axis=-1)
    return patterns.mean(table), chosen / chosen.sum(axis=1, keepdims=True)
