"""Eighteen versions of the automated score of one item: less accurate, biased, on other scales.

Casabianca et al. (2023), table 1.  The paper multiplies its bias by 1.1 to 30 and adds it to a score
that has it already, so that small multiples cancel it; the same is done here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.metrics import PrmseComponents, prmse_components, rater_error_variance

Floats = NDArray[np.float64]

HUMAN, AUTOMATED = "Human score", "Automated score"
CORRELATIONS = (0.95, 0.90, 0.85, 0.80, 0.75, 0.70)
MULTIPLES = (1.1, 1.2, 2.0, 4.0, 10.0, 20.0, 30.0)


@dataclass(frozen=True)
class Accuracy:
    """How well an automated score predicts the true score of the item.

    Parameters
    ----------
    components
        rho, delta, gamma and PRMSE, all with divisor n.
    qwk
        Quadratic weighted kappa with the first human score, of the unrounded score.
    """

    components: PrmseComponents
    qwk: float


def error_variance(first: Floats, second: Floats) -> float:
    """Return the rater error variance from the responses that both raters scored."""
    return float(rater_error_variance(np.column_stack([first, second])))


def accuracy(scores: Floats, first: Floats, variance: float) -> Accuracy:
    """Return the accuracy of an automated score, by the first human score and the given error variance."""
    from reportgen.metrics import quadratic_weighted_kappa

    return Accuracy(
        prmse_components(scores, first[:, None], error_variance=variance), quadratic_weighted_kappa(first, scores)
    )


def conditions(automated: Floats, first: Floats, variance: float, rng: np.random.Generator) -> dict[str, Floats]:
    """Return every version of the automated score, by the name of its condition.

    Parameters
    ----------
    automated, first
        (n,): automated and first human score.
    variance
        Rater error variance.
    """
    start = accuracy(automated, first, variance).components
    mean, sd = automated.mean(), automated.std()
    true_sd = np.sqrt(first.var() - variance)
    centred, noise = automated - mean, rng.normal(size=len(automated))
    made = {AUTOMATED: automated}
    for pi in CORRELATIONS:
        made[f"pi{100 * pi:.0f}"] = (pi * centred / sd + np.sqrt(1 - pi**2) * noise) * pi * sd + mean
    for multiple in MULTIPLES:
        made[f"delta_x{multiple:.2f}".removesuffix(".00")] = automated + multiple * abs(start.delta) * true_sd
    made["gamma_plus_0.5"] = centred * (start.gamma + 0.5) + mean
    made["invgamma"] = centred / start.gamma + mean
    made["SD match"] = centred * first.std() / sd + mean
    made["Mean & SD match"] = centred * first.std() / sd + first.mean()
    made["Mean & SD match true"] = centred * true_sd / sd + first.mean()
    return made


def rounded(scores: Floats, most: int) -> NDArray[np.int64]:
    """Return scores rounded half up, as operational scores are, and cut to the item's scale."""
    return np.clip(np.floor(scores + 0.5), 0, most).astype(np.int64)
