"""How accurate an item's score must be for what it weighs in the test."""

from __future__ import annotations

import math

REFERENCE_PRMSE, REFERENCE_SHARE = 0.70, 2 / 43
"""Least PRMSE of Casabianca et al. (2023), and their item's share of the full test: 2 of 43 points, 4.65 %."""


def required_prmse(
    share: float,
    items: int = 1,
    *,
    together: bool = False,
    reference_prmse: float = REFERENCE_PRMSE,
    reference_share: float = REFERENCE_SHARE,
) -> float:
    """Return the PRMSE at which the engine moves test scores no more than at the reference PRMSE and share.

    The engine's error on an item is SD(T) sqrt(1 - PRMSE); the test score takes on that error in proportion to
    the item's share s of the total points.  Equal movement of test scores, in their standard deviations, asks
    for s sqrt(1 - PRMSE) = s0 sqrt(1 - PRMSE0), so that PRMSE = 1 - (1 - PRMSE0) (s0 / s)^2.  Errors of k items of
    share s each are taken as independent (k in the place of 1), or as going together (k^2).

    Parameters
    ----------
    share
        Share of the total possible score that comes from each item, above 0 and at most 1.
    items
        Number of items of this share that the engine scores.
    together
        Whether the engine errs on all of them in the same direction, for the same test takers.
    reference_prmse, reference_share
        What is held to be just accurate enough, and for which share.

    Returns
    -------
    float
        From `reference_prmse` to 1: an item of little weight must still measure what raters score.

    Raises
    ------
    ValueError
        When a share is not above 0 and at most 1, the items together exceed the test, or the PRMSE is above 1.

    Notes
    -----
    Assumes that true scores of items spread in proportion to their points, and that the score of the test is a
    line in the sum of points.

    References
    ----------
    Casabianca et al. (2023), discussion: the risk rises with the share of the total score, and items scored
    together need a higher PRMSE each.  They give no formula; this one is derived.  In their table 3 (noise, pi of
    .80) scores move by .12 standard deviations on the full test and .22 on the shortest: a ratio of 1.8, where the
    shares have 1.9.

    Examples
    --------
    >>> round(required_prmse(2 / 43), 2), round(required_prmse(2 / 36), 2), round(required_prmse(2 / 23), 2)
    (0.7, 0.79, 0.91)
    >>> round(required_prmse(2 / 43, 3), 2), round(required_prmse(2 / 43, 3, together=True), 2)
    (0.9, 0.97)
    """
    for name, value in (("share", share), ("reference_share", reference_share)):
        if not (math.isfinite(value) and 0 < value <= 1):
            raise ValueError(f"{name}: expected above 0 and at most 1; found {value}")
    if items < 1 or items * share > 1 + 1e-9:
        raise ValueError(f"items: expected at least 1 and together at most the whole test; found {items} of {share:g}")
    if not reference_prmse <= 1:
        raise ValueError(f"reference_prmse: expected at most 1; found {reference_prmse}")
    weight = items**2 if together else items
    return max(reference_prmse, 1 - (1 - reference_prmse) * (reference_share / share) ** 2 / weight)
