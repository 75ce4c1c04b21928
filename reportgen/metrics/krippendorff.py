"""Krippendorff's alpha: agreement beyond chance among the values that can be paired."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics.chance_corrected import (
    Coefficient,
    pairwise_agreement,
    undefined,
    why_undefined,
    with_interval,
)
from reportgen.metrics.patterns import Patterns, patterns_of
from reportgen.metrics.weights import Weights, weight_matrix
from reportgen.tally.sums import Floats

Level = Literal["nominal", "ordinal", "interval", "ratio"]

_WEIGHTS_OF_LEVEL = {"nominal": "identity", "interval": "quadratic", "ratio": "ratio"}


def krippendorff_alpha(
    ratings: ArrayLike,
    categories: ArrayLike | None = None,
    weights: Weights = "identity",
    level: Level | None = None,
) -> Coefficient:
    """Return Krippendorff's alpha, 1 - observed disagreement / disagreement expected by chance.

    Only responses with two labels or more count; each weighs by its number of labels.  Chance pairs
    labels without replacement, which adds the small-sample term 1 / (number of labels) to the
    observed agreement.

    Parameters
    ----------
    ratings
        (n, raters): labels, NaN for none.
    categories
        (K,): the declared scale.
    weights
        As in `cohen_kappa`; not together with `level`.
    level
        Krippendorff's difference function: "nominal" is the same as identity weights, "interval" as
        quadratic, "ratio" as ratio weights.  "ordinal" counts the labels between two categories and
        so depends on the data; it is not the same as ordinal weights.

    Returns
    -------
    Coefficient
        At most 1; nan, with a reason, without a response labelled twice or when all labels are the
        same.  `n` counts every response with a label.

    Raises
    ------
    ValueError
        As in `cohen_kappa`, and when `level` is unknown or given together with `weights`.

    Notes
    -----
    Three standard errors are in print.  This one is the linearised form in which the reference
    observed agreement leaves the small-sample term out, with n - 1 degrees of freedom over all
    responses; for level "ordinal" the difference function is taken as known.

    References
    ----------
    Krippendorff (2011); Gwet (2014, chapter 6) for the standard error.

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
    patterns = patterns_of(ratings, categories)
    reason = why_undefined(patterns)
    return undefined(patterns, reason) if reason else _alpha(patterns, _credit(patterns, weights, level))


def _credit(patterns: Patterns, weights: Weights, level: Level | None) -> Floats:
    """Return the agreement weights for a weight set or a level of measurement."""
    if level is None:
        return weight_matrix(weights, patterns.categories)
    if not (isinstance(weights, str) and weights == "identity"):
        raise ValueError("give either weights or level to krippendorff_alpha, not both")
    if level == "ordinal":
        return _ordinal_credit(patterns)
    if level not in _WEIGHTS_OF_LEVEL:
        raise ValueError(f"level {level!r} is unknown; use nominal, ordinal, interval or ratio")
    return weight_matrix(_WEIGHTS_OF_LEVEL[level], patterns.categories)


def _ordinal_credit(patterns: Patterns) -> Floats:
    """Return weights from the squared distance of the categories' mid-ranks among paired labels."""
    paired = patterns.rated_more_than_once()
    labels = paired.count @ paired.by_category()
    rank = np.cumsum(labels) - labels / 2
    loss = (rank[:, None] - rank) ** 2
    return np.asarray(1 - loss / loss.max())


def _alpha(patterns: Patterns, weights: Floats) -> Coefficient:
    """Return alpha and its interval for these weights."""
    paired = patterns.rated_more_than_once()
    table, labels = paired.by_category(), paired.ratings()
    mean_labels = float(paired.mean(labels))
    weigh = labels / mean_labels
    agreement = weigh * pairwise_agreement(paired, weights)
    shares = paired.mean(table) / mean_labels
    raw, expected = float(paired.mean(agreement)), float(shares @ weights @ shares)
    room = 1 - expected
    if abs(room) < 1e-12:
        return undefined(patterns, "chance alone gives full agreement: every label is the same", raw, expected)
    small_sample = 1 / (paired.n * mean_labels)
    observed = (1 - small_sample) * raw + small_sample
    above = (raw - expected) / room
    by_pattern = table @ (weights @ shares) / mean_labels
    influence = (agreement - raw * (weigh - 1) - expected) / room
    influence -= 2 * (1 - above) * (by_pattern - expected * weigh) / room
    value = (observed - expected) / room
    found = replace(undefined(patterns, ""), value=value, observed=observed, expected=expected)
    return with_interval(found, paired, influence - above, paired.n - 1)
