"""Kappas and their relatives: chance-corrected agreement of two or more raters.

All take numeric labels, NaN where a rater gave none.  `categories` is the declared scale: weights and
the number of categories come from it.  When it is left out the labels seen are used, the value depends
on which they happen to be (six pairs give a quadratic AC of .54, .55 or .85), and the result says so
in `categories_declared`.  The common method is told in `reportgen.metrics.chance_corrected`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics._arrays import as_ratings, as_weighted_pairs
from reportgen.metrics.chance_corrected import (
    ChanceModel,
    Coefficient,
    Patterns,
    Weights,
    coefficient,
    hard_cases_chance,
    own_chance,
    patterns_of,
    pooled_chance,
    uniform_chance,
    weight_matrix,
)


def cohen_kappa(
    human: ArrayLike,
    system: ArrayLike,
    *,
    categories: ArrayLike | None = None,
    weights: Weights = "identity",
    sample_weight: ArrayLike | None = None,
) -> Coefficient:
    """Return Cohen's kappa, plain or weighted, of two raters.

    ``pe = sum of w_kl p_k+ p_+l``: each rater keeps their own distribution of labels.

    Parameters
    ----------
    human, system
        (n,): labels of the two raters; pairs with a missing side are dropped.
    categories
        (K,): the declared scale.
    weights
        A name in `reportgen.metrics.chance_corrected.NAMED_WEIGHTS`, or a symmetric (K, K) matrix whose rows
        follow `categories`.
    sample_weight
        (n,): how often each response counts, 0 or more; once by default.  Integer weights repeat rows.
        Standard errors take rows as independent draws: they suit weights by the inverse probability of a draw.

    Returns
    -------
    Coefficient
        At most 1; nan, with a reason, without a pair, or when one label is all that occurs: kappa is then 0/0.
        scikit-learn gives nan too; RSMTool gives 1.

    Raises
    ------
    ValueError
        When shapes differ, a label is not among `categories` or is infinite, or the weights are
        unknown or asymmetric.

    References
    ----------
    Cohen (1960); Cohen (1968) for weights; Fleiss, Cohen and Everitt (1969) for the standard error.

    Examples
    --------
    Of 100 answers 64 are passed and 16 failed by both raters, and 20 divide them (Yannakoudakis and
    Cummins 2015, table 1; printed .49):

    >>> system = [1] * 68 + [0] * 32
    >>> human = [1] * 64 + [0] * 4 + [1] * 16 + [0] * 16
    >>> round(cohen_kappa(system, human).value, 2)
    0.49
    """
    first, second, weight = as_weighted_pairs(human, system, sample_weight)
    return _coefficient(np.column_stack([first, second]), categories, weights, weight, own_chance)


def conger_kappa(
    ratings: ArrayLike,
    *,
    categories: ArrayLike | None = None,
    weights: Weights = "identity",
    sample_weight: ArrayLike | None = None,
) -> Coefficient:
    """Return Conger's kappa: Cohen's kappa for any number of raters.

    ``pe`` is the mean over pairs of raters of Cohen's chance agreement.

    Parameters
    ----------
    ratings
        (n, raters): labels, NaN for none.
    categories, weights, sample_weight
        As in `cohen_kappa`.

    Returns
    -------
    Coefficient
        At most 1; nan, with a reason, without a response labelled twice or when all labels are the same.

    Raises
    ------
    ValueError
        As in `cohen_kappa`.

    References
    ----------
    Conger (1980); Gwet (2014, chapters 2 and 5) for gaps and the standard error.

    Examples
    --------
    Gwet's four raters and twelve subjects (published .76282, standard error .14917):

    >>> from reportgen.metrics.worked_examples import GWET_FOUR_RATERS
    >>> kappa = conger_kappa(GWET_FOUR_RATERS, categories=[1, 2, 3, 4, 5])
    >>> round(kappa.value, 5), round(kappa.se, 5)
    (0.76282, 0.14917)
    """
    return _coefficient(ratings, categories, weights, sample_weight, own_chance)


def fleiss_kappa(
    ratings: ArrayLike,
    *,
    categories: ArrayLike | None = None,
    weights: Weights = "identity",
    sample_weight: ArrayLike | None = None,
) -> Coefficient:
    """Return Fleiss's kappa of any number of raters, who need not be the same for every response.

    ``pe = sum of w_kl pi_k pi_l`` with pi_k the mean share of category k.

    Parameters
    ----------
    ratings
        (n, raters): labels, NaN for none.
    categories, weights, sample_weight
        As in `cohen_kappa`.

    Returns
    -------
    Coefficient
        At most 1; nan, with a reason, without a response labelled twice or when all labels are the same.

    Raises
    ------
    ValueError
        As in `cohen_kappa`.

    References
    ----------
    Fleiss (1971); Gwet (2014, chapters 2 and 5) for gaps, weights and the standard error.

    Examples
    --------
    Gwet's four raters and twelve subjects (published .76117, standard error .15302):

    >>> from reportgen.metrics.worked_examples import GWET_FOUR_RATERS
    >>> kappa = fleiss_kappa(GWET_FOUR_RATERS, categories=[1, 2, 3, 4, 5])
    >>> round(kappa.value, 5), round(kappa.se, 5)
    (0.76117, 0.15302)
    """
    return _coefficient(ratings, categories, weights, sample_weight, pooled_chance)


def scott_pi(
    ratings: ArrayLike,
    *,
    categories: ArrayLike | None = None,
    weights: Weights = "identity",
    sample_weight: ArrayLike | None = None,
) -> Coefficient:
    """Return Scott's pi of two raters: Fleiss's kappa for two.

    ``pe = sum of w_kl pi_k pi_l`` with pi_k the mean share of category k over both raters.

    Parameters
    ----------
    ratings
        (n, 2): labels, NaN for none; a response with one label still counts in the shares.
    categories, weights, sample_weight
        As in `cohen_kappa`.

    Returns
    -------
    Coefficient
        At most 1; nan, with a reason, without a response labelled twice or when all labels are the same.

    Raises
    ------
    ValueError
        As in `cohen_kappa`, and when there are not two columns.

    References
    ----------
    Scott (1955).

    Examples
    --------
    Three-category abstraction of 100 charts by two abstractors (Gwet 2014; published .7962397):

    >>> from reportgen.metrics.worked_examples import ABSTRACTORS, ratings_of_table
    >>> round(scott_pi(ratings_of_table(ABSTRACTORS)).value, 7)
    0.7962397
    """
    if (columns := as_ratings(ratings).shape[1]) != 2:
        raise ValueError(f"scott_pi compares two raters; found {columns} columns (fleiss_kappa takes any number)")
    return fleiss_kappa(ratings, categories=categories, weights=weights, sample_weight=sample_weight)


def brennan_prediger(
    ratings: ArrayLike,
    *,
    categories: ArrayLike | None = None,
    weights: Weights = "identity",
    sample_weight: ArrayLike | None = None,
) -> Coefficient:
    """Return the coefficient of Brennan and Prediger: chance chooses every category equally often.

    ``pe = (sum of all weights) / K^2``.

    Parameters
    ----------
    ratings
        (n, raters): labels, NaN for none.
    categories, weights, sample_weight
        As in `cohen_kappa`; K is the number of declared categories, so declare them.

    Returns
    -------
    Coefficient
        At most 1; nan, with a reason, without a response labelled twice or with a single category.

    Raises
    ------
    ValueError
        As in `cohen_kappa`.

    References
    ----------
    Brennan and Prediger (1981); Gwet (2014) for weights, gaps and the standard error.

    Examples
    --------
    Gwet's four raters and twelve subjects (published .77273, standard error .14472):

    >>> from reportgen.metrics.worked_examples import GWET_FOUR_RATERS
    >>> found = brennan_prediger(GWET_FOUR_RATERS, categories=[1, 2, 3, 4, 5])
    >>> round(found.value, 5), round(found.se, 5)
    (0.77273, 0.14472)
    """
    return _coefficient(ratings, categories, weights, sample_weight, uniform_chance)


def gwet_ac(
    ratings: ArrayLike,
    *,
    categories: ArrayLike | None = None,
    weights: Weights = "identity",
    sample_weight: ArrayLike | None = None,
) -> Coefficient:
    """Return Gwet's agreement coefficient: AC1 with identity weights, AC2 with others.

    ``pe = (sum of all weights) / (K (K - 1)) x sum of pi_k (1 - pi_k)``: chance acts on the responses
    that are hard to rate, so the coefficient does not collapse when one category prevails.

    Parameters
    ----------
    ratings
        (n, raters): labels, NaN for none.
    categories, weights, sample_weight
        As in `cohen_kappa`; K is the number of declared categories, so declare them.

    Returns
    -------
    Coefficient
        At most 1; nan, with a reason, without a response labelled twice or with a single category.

    Raises
    ------
    ValueError
        As in `cohen_kappa`.

    References
    ----------
    Gwet (2008); Gwet (2014).

    Examples
    --------
    Gwet's four raters and twelve subjects (published .77544, standard error .14295):

    >>> from reportgen.metrics.worked_examples import GWET_FOUR_RATERS
    >>> found = gwet_ac(GWET_FOUR_RATERS, categories=[1, 2, 3, 4, 5])
    >>> round(found.value, 5), round(found.se, 5)
    (0.77544, 0.14295)
    """
    return _coefficient(ratings, categories, weights, sample_weight, hard_cases_chance)


def _coefficient(
    ratings: ArrayLike, categories: ArrayLike | None, weights: Weights, rows: ArrayLike | None, chance: ChanceModel
) -> Coefficient:
    """Return the coefficient of these ratings, whose rows are weighted, with this model of chance agreement."""
    patterns: Patterns = patterns_of(ratings, categories, rows)
    return coefficient(patterns, weight_matrix(weights, patterns.categories), chance)
