"""Formulas for the sums of two scores, x (the reference) and y (the evaluated score), for many slices.

Every function takes `PairSums` and returns one number per slice, nan if the statistic is undefined. Nothing is rounded
or clipped, except for correlations beyond 1 due to rounding. Complex sums return complex results, because intervals use
complex-step derivatives. The public function and the catalogue entry (`Metric`) of the same name describe the meaning
and the source of each statistic.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from reportgen.tally import STEP, Floats, PairSums

__all__ = ["Metric", "PairStatistic", "Transform"]

Transform = Literal["none", "fisher", "log", "log1m", "logit", "variance", "wilson"]
"""Scale on which an interval is symmetric.

none: the statistic itself; fisher: atanh x; log: log x; log1m: log(1 - x); logit: log(x / (1 - x)); wilson: Wilson's
score interval for a proportion."""

Place = Literal[
    "system_human.association",
    "system_human.agreement",
    "by_group",
    "human_human.agreement",
    "human_human.by",
    "human_human.degradation",
]
"""Tables that show a statistic. Those of ``system_human.agreement`` compare points of the scale."""


@dataclass(frozen=True)
class Metric:
    """A statistic of reports.

    Parameters
    ----------
    key
        Its name in settings, results.json, and tables.
    kind
        Number format, one of `reportgen.results.Kind`.
    range
        The lowest and highest value.
    better
        Direction of better values: "high", "low", "zero", or "" for a description.
    formula
        In plain text; h is the human score, s the system score, n the number of responses.
    source
        Author and year; docs/references.md has the full reference.
    transform
        The scale on which its interval is symmetric.
    in_theory
        Range of the true value if estimates can exceed it; None if it is `range`.
    tables
        Keys of the tables that show it, in reports and in tables of many items: ``system_human.association`` (scores
        that may be unrounded), ``system_human.agreement`` (points of the scale), ``by_group``,
        ``human_human.agreement``, ``human_human.by``, ``human_human.degradation``.
    label, abbreviation, question
        Name, short name, and the question it answers, for statistics of other packages. For the statistics of
        reportgen, they are in the vocabulary (``templates/words``) under the same key.
    """

    key: str
    kind: Literal["count", "coefficient", "difference", "score", "percent", "number"]
    range: tuple[float, float]
    better: Literal["high", "low", "zero", ""]
    formula: str
    source: str
    transform: Transform = "none"
    in_theory: tuple[float, float] | None = None
    tables: tuple[Place, ...] = ()
    label: str = ""
    abbreviation: str = ""
    question: str = ""

    @property
    def possible(self) -> tuple[float, float]:
        """The range of the true value."""
        return self.in_theory or self.range

    def misnamed(self) -> str:
        """Return the field with an invalid word, and the valid words; empty if there is none."""
        words = {name: get_args(hint) for name, hint in get_type_hints(Metric).items() if get_origin(hint) is Literal}
        items = [*((name, getattr(self, name)) for name in words), *(("tables", place) for place in self.tables)]
        words["tables"] = get_args(Place)
        wrong = ((name, word) for name, word in items if word not in words[name])
        return next((f"has '{word}' as {name}, expected {', '.join(words[name])}" for name, word in wrong), "")


_CATALOGUE = tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text(encoding="utf-8"))

FAMILIES: Mapping[str, Mapping[str, Any]] = _CATALOGUE.pop("families")
"""By first part of a statistic's key: what it describes (`of`), the design phase that must be representative
(`requires`), and whether it is comparable between raters (`across_raters`)."""

DESCRIBED: Mapping[str, Mapping[str, Any]] = {
    key: {"key": key} | {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    for key, fields in _CATALOGUE.items()
}
"""Fields of every metric in ``catalogue.toml``, by key, in the same order."""


_ROUNDING = np.finfo(np.float64).eps


def _once(formula: Callable[[PairSums], Floats]) -> Callable[[PairSums], Floats]:
    """Cache a formula for the same sums, because many others use it."""
    name = f"_{formula.__name__}"

    @wraps(formula)
    def remembered(sums: PairSums) -> Floats:
        known = vars(sums)
        if name not in known:
            known[name] = formula(sums)
        return np.asarray(known[name])

    return remembered


def ratio(numerator: Floats | float, denominator: Floats | float) -> Floats:
    """Return numerator / denominator, nan if the denominator is 0 or either is nan."""
    divides = np.asarray(denominator != 0)
    kind = np.result_type(numerator, denominator, np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        if divides.all():
            return np.asarray(np.divide(numerator, denominator, dtype=kind))
        top, bottom = np.broadcast_arrays(numerator, denominator)
        quotient: Floats = np.full(top.shape, np.nan, kind)
        np.divide(top, bottom, out=quotient, where=np.broadcast_to(divides, top.shape))
    return quotient


def root(value: Floats) -> Floats:
    """Return the square root, nan if the value is negative."""
    kind, real = np.result_type(value, np.float64), np.asarray(np.real(value) >= 0)
    if real.all():
        return np.asarray(np.sqrt(value, dtype=kind))
    result: Floats = np.full(np.shape(value), np.nan, kind)
    return np.sqrt(value, out=result, where=real)


def without_rounding(value: Floats, size: Floats, n: Floats | float) -> Floats:
    """Return `value`, or 0 if it can be the rounding error of a difference of two sums of `size`.

    The rounding error of n additions is at most n units. Tallies add in blocks, so the bound is constant from one
    million on. A score whose standard deviation is below about 1e-5 of its distance from the center therefore counts as
    constant.
    """
    units = np.minimum(np.maximum(np.real(n), 64), 2**20)
    nothing = np.abs(value) <= _ROUNDING * units * np.abs(size)
    return np.where(nothing, 0.0, value) if nothing.any() else np.asarray(value)


@_once
def squares_x(sums: PairSums) -> Floats:
    """Return the sum of squares of x about its mean; exactly 0 if x is constant."""
    return without_rounding(sums.xx - ratio(sums.x**2, sums.n), sums.xx, sums.n)


@_once
def squares_y(sums: PairSums) -> Floats:
    """Return the sum of squares of y about its mean; exactly 0 if y is constant."""
    return without_rounding(sums.yy - ratio(sums.y**2, sums.n), sums.yy, sums.n)


@_once
def products(sums: PairSums) -> Floats:
    """Return the sum of products of x and y about their means; exactly 0 if either is constant."""
    constant = (squares_x(sums) == 0) | (squares_y(sums) == 0)
    together = sums.xy - ratio(sums.x * sums.y, sums.n)
    return np.where(constant, 0.0, together) if constant.any() else together


@_once
def squared_errors(sums: PairSums) -> Floats:
    """Return the sum of (x - y)^2."""
    return without_rounding(sums.xx - 2 * sums.xy + sums.yy, sums.xx + sums.yy, sums.n)


def mean_x(sums: PairSums) -> Floats:
    """Return the mean of x."""
    return sums.centre + ratio(sums.x, sums.n)


def mean_y(sums: PairSums) -> Floats:
    """Return the mean of y."""
    return sums.centre + ratio(sums.y, sums.n)


def mean_difference(sums: PairSums) -> Floats:
    """Return mean y - mean x."""
    return ratio(sums.y - sums.x, sums.n)


def variance_x(sums: PairSums, ddof: int = 1) -> Floats:
    """Return the variance of x with divisor n - ddof; nan if that is 0."""
    return ratio(squares_x(sums), sums.n - ddof)


def variance_y(sums: PairSums, ddof: int = 1) -> Floats:
    """Return the variance of y with divisor n - ddof; nan if that is 0."""
    return ratio(squares_y(sums), sums.n - ddof)


def covariance(sums: PairSums) -> Floats:
    """Return the covariance of x and y with divisor n - 1; nan for a single response."""
    return ratio(products(sums), sums.n - 1)


def sd_x(sums: PairSums, ddof: int = 1) -> Floats:
    """Return the standard deviation of x with divisor n - ddof; nan if that is 0."""
    return root(variance_x(sums, ddof))


def sd_y(sums: PairSums, ddof: int = 1) -> Floats:
    """Return the standard deviation of y with divisor n - ddof; nan if that is 0."""
    return root(variance_y(sums, ddof))


def pearson_r(sums: PairSums) -> Floats:
    """Return the correlation of x and y; nan if either is constant."""
    return _within_one(ratio(products(sums), root(squares_x(sums)) * root(squares_y(sums))))


def _within_one(value: Floats) -> Floats:
    real = np.real(value)
    with np.errstate(invalid="ignore"):
        beyond = (np.abs(real) > 1) & (np.abs(real) < 1 + 1e-6)
    return np.where(beyond, np.sign(real), value) if beyond.any() else value


def quadratic_weighted_kappa(sums: PairSums, ddof: int = 0) -> Floats:
    """Return the continuous QWK with divisor n - ddof: 0 if one score is constant; nan if both are and equal."""
    shift = mean_difference(sums) ** 2 * (sums.n - ddof)
    return _within_one(ratio(2 * products(sums), squares_x(sums) + squares_y(sums) + shift))


def mean_squared_error(sums: PairSums) -> Floats:
    """Return the mean of (x - y)^2."""
    return ratio(squared_errors(sums), sums.n)


def root_mean_squared_error(sums: PairSums) -> Floats:
    """Return the square root of the mean of (x - y)^2."""
    return root(mean_squared_error(sums))


def mean_absolute_error(sums: PairSums) -> Floats:
    """Return the mean of |x - y|."""
    return ratio(sums.absolute, sums.n)


def r_squared(sums: PairSums) -> Floats:
    """Return 1 - (sum of squared errors) / (sum of squares of x about its mean).

    If x is constant, the result is 1 if every y equals it and 0 otherwise; nan for a single response.
    """
    explained = 1 - ratio(squared_errors(sums), squares_x(sums))
    constant = np.where(sums.absolute == 0, 1.0, 0.0)
    defined = np.where(squares_x(sums) == 0, constant, explained)
    return np.where(np.real(sums.n) > 1, defined, np.nan)


def exact_agreement(sums: PairSums) -> Floats:
    """Return the percentage of responses with x == y."""
    return 100 * ratio(sums.exact, sums.n)


def adjacent_agreement(sums: PairSums) -> Floats:
    """Return the percentage of responses whose scores differ by at most one step of the scale."""
    return 100 * ratio(sums.adjacent, sums.n)


def standardized_mean_difference(sums: PairSums, ddof: int = 1) -> Floats:
    """Return (mean y - mean x) / SD of x, the unpooled form for a system and humans."""
    return ratio(mean_difference(sums), sd_x(sums, ddof))


def standardized_mean_difference_pooled(sums: PairSums, ddof: int = 1) -> Floats:
    """Return (mean y - mean x) / root mean square of the two SDs, for two humans."""
    return ratio(mean_difference(sums), root((variance_x(sums, ddof) + variance_y(sums, ddof)) / 2))


def difference_of_standardized_means(
    sums: PairSums, mean_x: Floats | float, mean_y: Floats | float, sd_x: Floats | float, sd_y: Floats | float
) -> Floats:
    """Return how much higher y places a slice than x does, in SDs of the population.

    The four moments describe the population; nan if an SD is 0 (within 1e-7).
    """
    by_y = ratio(sums.centre - np.asarray(mean_y) + ratio(sums.y, sums.n), _not_zero(sd_y))
    by_x = ratio(sums.centre - np.asarray(mean_x) + ratio(sums.x, sums.n), _not_zero(sd_x))
    return by_y - by_x


def _not_zero(sd: Floats | float) -> Floats:
    return np.where(np.abs(sd) <= 1e-7, np.nan, sd)


def disattenuated_r(r_human_system: Floats, r_human_human: Floats) -> Floats:
    """Return r(human, system) / root of r(human, human); nan if the latter is not positive; can exceed 1."""
    return ratio(r_human_system, root(r_human_human))


SUMS = {"n": 9.0, "x": 1.5, "y": 2.0, "xx": 12.0, "yy": 14.0, "xy": 8.0, "absolute": 5.0, "exact": 4.0, "adjacent": 8.0}
"""Sums for testing a formula."""

Formula = Callable[[PairSums], Floats]
"""A formula from the sums of slices to one number per slice; complex sums must return complex numbers."""


@dataclass(frozen=True, kw_only=True)
class PairStatistic(Metric):
    """A statistic of two scores, computed for engine and first human score, and for two raters.

    Parameters
    ----------
    formula_on_sums
        The formula, with reference x and evaluated score y. The sums over the responses of a slice are ``n``, ``x``,
        ``y``, ``xx``, ``yy``, ``xy`` (x and y minus ``centre``), ``absolute`` (absolute differences), ``exact``, and
        ``adjacent`` (numbers of responses). There are no other sums.
    of_raters
        The formula for two raters, if it differs.
    between_raters
        Whether it is also computed for two raters.
    both_vary
        Whether its interval requires that both scores vary, because a constant score makes it 0.

    Examples
    --------
    Lin's (1989) concordance coefficient with divisor n - 1, ready for an entry point:

    >>> ccc = PairStatistic(
    ...     key="ccc", label="Concordance coefficient", abbreviation="CCC", kind="coefficient", range=(-1, 1),
    ...     better="high", formula="2 cov(h, s) / (var h + var s + (mean h - mean s)^2), divisor n - 1",
    ...     source="Lin 1989", transform="fisher", both_vary=True, tables=("system_human.association", "by_group"),
    ...     formula_on_sums=lambda sums: pair.quadratic_weighted_kappa(sums, ddof=1),
    ... )
    >>> ccc.question, ccc.possible
    ('', (-1, 1))
    """

    formula_on_sums: Formula
    of_raters: Formula | None = None
    between_raters: bool = True
    both_vary: bool = False

    def problem(self) -> str:
        """Return why the statistic is invalid; empty if it is valid."""
        sums = PairSums(3.0, *(np.array([each, each + 1.0]) for each in SUMS.values()))
        moved = PairSums(3.0, *(getattr(sums, name) + 1j * STEP for name in SUMS))
        for formula in (self.formula_on_sums, *([self.of_raters] if self.of_raters else [])):
            if np.shape(formula(sums)) != (2,):
                return "does not give one number for each slice"
            if not np.iscomplexobj(formula(moved)):
                return "loses complex numbers, which its interval is computed with"
        return ""


def _own(key: str, formula: Formula, **more: Any) -> PairStatistic:
    return PairStatistic(**DESCRIBED[key], formula_on_sums=formula, **more)


OWN = (
    _own("h_mean", mean_x),
    _own("h_sd", sd_x),
    _own("system_mean", mean_y),
    _own("system_sd", sd_y),
    _own("qwk", quadratic_weighted_kappa, both_vary=True),
    _own("r", pearson_r),
    _own("r_squared", r_squared, between_raters=False),
    _own("rmse", root_mean_squared_error, between_raters=False),
    _own("mae", mean_absolute_error, between_raters=False),
    _own("smd", standardized_mean_difference, of_raters=standardized_mean_difference_pooled),
    _own("exact_agreement", exact_agreement),
    _own("adjacent_agreement", adjacent_agreement),
)
"""Statistics of two scores of reportgen, in the order of results.json."""
