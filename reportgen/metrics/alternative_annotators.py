"""The alternative annotator test of Calderon, Reichart and Dror for replacing annotators.

Each annotator is excluded in turn. The system wins a response if it agrees with the other annotators at least as well
as the excluded annotator does, and the annotator wins it in the opposite case; both win ties. The system wins against
an annotator if its share of wins is above the annotator's share minus a margin, by a paired one-sided test with a false
discovery rate for all annotators. It passes if it wins against at least half of the annotators.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.metrics._arrays import as_ratings, as_scores, check_lengths
from reportgen.metrics.many_groups import benjamini_hochberg
from reportgen.tally.sums import Floats

__all__ = ["AlternativeAnnotatorTest", "alternative_annotator_test"]

Alignment = Literal["rmse", "accuracy"]

MARGINS = {"expert": 0.20, "skilled": 0.15, "crowd": 0.10}
"""Margins by kind of annotator, from the authors' guide (github.com/nitaytech/AltTest), not from the paper."""

LEAST_ANNOTATORS = 3
LEAST_RATINGS = 2
"""Ratings that a response needs: one of the excluded annotator and one more (authors' ``min_humans_per_instance``)."""

LEAST_RESPONSES = 30  # responses that an annotator needs for Student's t and for a verdict (authors' guide)

WINNING_RATE = 0.5
SIGNIFICANCE = 0.05


class AnnotatorComparison(NamedTuple):
    """Comparison of the system with one excluded annotator.

    system_advantage, annotator_advantage: shares of the responses that the system and the annotator win; a tie counts
        for both.
    won: whether the system wins, after adjustment for all annotators; None if the annotator has too few responses.
    """

    annotator: int  # column of the ratings, or code of the annotator
    n: int  # responses scored by the system, this annotator, and enough others
    system_advantage: float
    annotator_advantage: float
    p: float  # one-sided p of the test that the system's share is above the annotator's share minus the margin
    won: bool | None
    test: Literal["t", "wilcoxon"]  # "t" (Student), or "wilcoxon" (exact signed ranks) for fewer than `LEAST_RESPONSES`


@dataclass(frozen=True)
class AlternativeAnnotatorTest:
    """Result of the test for all annotators.

    Parameters
    ----------
    comparisons
        One for each annotator with comparable responses, in order.
    winning_rate
        Share of the annotators with enough responses that the system wins against.
    advantage
        Average advantage probability: mean of the system's advantages over the same annotators.
    passed
        Whether the winning rate is at least one half; None if there is no verdict (see `reason`).
    margin, alignment
        The arguments of the test.
    """

    comparisons: tuple[AnnotatorComparison, ...]
    winning_rate: float
    advantage: float
    passed: bool | None
    margin: float
    alignment: Alignment
    reason: str = ""


class Wins(NamedTuple):
    """Winner of each rating's response, (n, raters) each: 1, 0, or NaN if there is nothing to compare."""

    system: Floats
    annotator: Floats


def alternative_annotator_test(
    system: ArrayLike,
    ratings: ArrayLike,
    annotators: ArrayLike | None = None,
    *,
    margin: float,
    alignment: Alignment = "rmse",
    significance: float = SIGNIFICANCE,
    least_ratings: int = LEAST_RATINGS,
) -> AlternativeAnnotatorTest:
    """Test whether the system can replace an annotator.

    With d = 1 if only the annotator wins, -1 if only the system wins, and 0 otherwise, the test of an annotator is
    ``t = (mean d - margin) / (SD d / root n)``, one-sided, with n - 1 degrees of freedom. Benjamini and Yekutieli's
    procedure adjusts for the number of annotators.

    Result: no verdict, with the reason, if fewer than three annotators have 30 responses to compare.
    Source: Calderon, Reichart and Dror (2025), following the authors' guide and code; Benjamini and Yekutieli (2001).

    Parameters
    ----------
    annotators
        (n, raters): integer code of the annotator of each rating, negative if unknown; such ratings are never excluded.
        By default, every column is an annotator.
    margin
        How far the system's share of wins may be below the annotator's share; see `MARGINS`.
    alignment
        "rmse": the smaller root mean squared difference from the others wins (ordered scores); "accuracy": the larger
        share of equal labels wins.
    significance
        The false discovery rate.
    least_ratings
        Responses with fewer ratings are excluded; at least 2.

    Examples
    --------
    Each of three annotators errs on ten responses, and the system never does:

    >>> ratings = np.full((30, 3), 2)
    >>> for k in range(3):
    ...     ratings[10 * k : 10 * k + 10, k] = 4
    >>> found = alternative_annotator_test(np.full(30, 2), ratings, margin=0.0)
    >>> found.winning_rate, round(found.comparisons[0].annotator_advantage, 2), found.passed
    (1.0, 0.67, True)
    """
    if not -1 < margin < 1 or not 0 < significance < 1:
        raise ValueError(f"margin must be from -1 to 1, significance from 0 to 1; found {margin}, {significance}")
    scores, human = as_scores(system, "system"), as_ratings(ratings)
    check_lengths({"system scores": scores, "rows of ratings": human})
    columns = np.broadcast_to(np.arange(human.shape[1]), human.shape)
    who = columns if annotators is None else np.asarray(annotators)
    if who.shape != human.shape or not np.issubdtype(who.dtype, np.integer):
        raise ValueError(f"annotators must be integers of shape {human.shape}, found {who.dtype} of {who.shape}")
    return judged_by_wins(wins(scores, human, alignment, least_ratings), who, margin, alignment, significance)


def judged_by_wins(
    won: Wins, who: NDArray[np.integer], margin: float, alignment: Alignment = "rmse", alpha: float = SIGNIFICANCE
) -> AlternativeAnnotatorTest:
    """Compute the test from the winner and the annotator code of each rating (negative if unknown)."""
    found = [_compared(code, won, who, margin) for code in np.unique(who[~np.isnan(won.system) & (who >= 0)]).tolist()]
    enough = [place for place, each in enumerate(found) if each.n >= LEAST_RESPONSES]
    rejected = benjamini_yekutieli([found[place].p for place in enough], alpha)
    judged = dict(zip(enough, rejected, strict=True))
    comparisons = tuple(each._replace(won=judged.get(place)) for place, each in enumerate(found))
    rate = float(np.mean(rejected)) if rejected else math.nan
    advantage = float(np.mean([found[place].system_advantage for place in enough])) if enough else math.nan
    reason = "" if len(enough) >= LEAST_ANNOTATORS else (
        f"{len(enough)} annotators have {LEAST_RESPONSES} responses that others and the system scored too; the test "
        f"needs {LEAST_ANNOTATORS}"
    )  # fmt: skip
    passed = None if reason else rate >= WINNING_RATE
    return AlternativeAnnotatorTest(comparisons, rate, advantage, passed, margin, alignment, reason)


def wins(system: Floats, ratings: Floats, alignment: Alignment = "rmse", least_ratings: int = LEAST_RATINGS) -> Wins:
    """Compute who agrees at least as well with the other annotators, for every rating.

    A rating counts if the system scored the response and the response has enough ratings, including this one.

    Without the first rating, 4, the others gave 2 and 2; the system gave 3:

    >>> found = wins(np.array([3.0]), np.array([[4.0, 2.0, 2.0]]))
    >>> found.system.tolist(), found.annotator.tolist()
    ([[1.0, 1.0, 1.0]], [[0.0, 0.0, 0.0]])
    """
    if alignment not in ("rmse", "accuracy"):
        raise ValueError(f"alignment must be 'rmse' or 'accuracy'; found {alignment!r}")
    if least_ratings < LEAST_RATINGS:
        raise ValueError(f"least_ratings must be at least {LEAST_RATINGS}; found {least_ratings}")
    present = ~np.isnan(ratings)
    system_wins, annotator_wins = (np.full(ratings.shape, np.nan) for _ in range(2))
    for k in range(ratings.shape[1]):
        others = present.copy()
        others[:, k] = False
        here = present[:, k] & ~np.isnan(system) & (others.sum(axis=1) >= least_ratings - 1)
        rest = np.where(others[here], ratings[here], np.nan)
        by_system, by_annotator = (_misfit(score[here], rest, alignment) for score in (system, ratings[:, k]))
        system_wins[here, k] = by_system <= by_annotator
        annotator_wins[here, k] = by_annotator <= by_system
    return Wins(system_wins, annotator_wins)


def benjamini_yekutieli(p: Sequence[float], rate: float) -> list[bool]:
    """Return which hypotheses are rejected at a false discovery rate, for any dependence.

    Rejects the k smallest p-values, with k the largest number for which ``p(k) <= k rate / (m (1 + 1/2 + ... + 1/m))``
    (Benjamini and Yekutieli 2001, theorem 1.3).

    With m = 3 the sum is 11/6, and the bounds .0091, .0182 and .0273:

    >>> benjamini_yekutieli([0.03, 0.001, 0.018], 0.05)
    [False, True, True]
    """
    dependent = (1 / np.arange(1, len(p) + 1)).sum()
    return [bool(each) for each in benjamini_hochberg(p) * dependent <= rate]


def _misfit(score: Floats, rest: Floats, alignment: Alignment) -> Floats:
    gap = score[:, None] - rest
    missed = gap**2 if alignment == "rmse" else np.where(np.isnan(gap), np.nan, gap != 0)
    return np.asarray(np.nansum(missed, axis=1))


def _compared(code: int, won: Wins, who: NDArray[np.integer], margin: float) -> AnnotatorComparison:
    here = (who == code) & ~np.isnan(won.system)
    system, annotator = won.system[here], won.annotator[here]
    gap, n = annotator - system, int(here.sum())
    enough = n >= LEAST_RESPONSES
    p = _student(gap, margin) if enough else _signed_ranks(gap - margin)
    test: Literal["t", "wilcoxon"] = "t" if enough else "wilcoxon"
    return AnnotatorComparison(code, n, float(system.mean()), float(annotator.mean()), p, None, test)


def _student(gap: Floats, margin: float) -> float:
    from scipy.special import stdtr

    mean, spread = float(gap.mean()) - margin, float(gap.std(ddof=1))
    if spread == 0:
        return 0.0 if mean < 0 else 1.0
    return float(stdtr(len(gap) - 1, mean / (spread / math.sqrt(len(gap)))))


def _signed_ranks(gap: Floats) -> float:
    gap = gap[gap != 0]
    if not gap.size:
        return 1.0
    _, code, count = np.unique(np.round(np.abs(gap), 12), return_inverse=True, return_counts=True)
    doubled = (2 * np.cumsum(count) - count + 1)[code]  # twice the mean rank of each: whole
    chances = np.zeros(int(doubled.sum()) + 1)
    chances[0] = 1.0
    for rank in doubled.tolist():
        chances[rank:] = (chances[rank:] + chances[: len(chances) - rank]) / 2
        chances[:rank] /= 2
    return float(min(chances[: int(doubled[gap > 0].sum()) + 1].sum(), 1.0))
