"""Formulas on the sums of two scores, x (the reference) and y (what is judged), for many slices at once.

Every function takes `PairSums` and returns one number per slice; a slice in which the statistic is
undefined gets nan.  Nothing is rounded or cut off (but a correlation beyond 1 by rounding alone is 1),
and complex sums give complex results, because intervals differentiate the formulas by a complex step.
What each statistic means and where it comes from is told by the public function and the catalogue entry (`Metric`)
of its name.
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

Transform = Literal["none", "fisher", "log", "log1m", "logit", "wilson"]
"""The scale on which an interval is symmetric.

none: the statistic itself; fisher: atanh x; log: log x; log1m: log(1 - x); logit: log(x / (1 - x)); wilson: Wilson's
score interval for a proportion.
"""

Place = Literal[
    "system_human.association",
    "system_human.agreement",
    "by_group",
    "human_human.agreement",
    "human_human.by",
    "human_human.degradation",
]
"""Tables whose statistics are those that say so.  Those of ``system_human.agreement`` compare points of the scale."""


@dataclass(frozen=True)
class Metric:
    """One printed statistic.

    Parameters
    ----------
    key
        Its name in settings, results.json and tables.
    kind
        How its number is written; the words of `reportgen.results.Kind`.
    range
        The lowest and highest value it can take.
    better
        Where a good system lies: "high", "low", "zero", or "" for a description.
    formula
        In plain text; h is the human score, s the system score, n the number of responses.
    source
        Author and year; docs/references.md has the full reference.
    transform
        The scale on which its interval is symmetric.
    in_theory
        Where the quantity itself lies, when estimates of it may lie beyond; None where that is `range`.
    tables
        Keys of the tables it is a column or a row of, in reports and in tables of many items alike:
        ``system_human.association`` (scores that may be unrounded), ``system_human.agreement`` (points of the scale),
        ``by_group``, ``human_human.agreement``, ``human_human.by``, ``human_human.degradation``.
    label, abbreviation, question
        How it is written out and in a narrow column, and what it answers, where a package brings it; the words of
        reportgen's own stand in the vocabulary (``templates/words``) under the same key.
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
        """The lowest and highest value of the quantity itself."""
        return self.in_theory or self.range

    def misnamed(self) -> str:
        """Return which field has a word that it cannot have, and which it can; empty when none has."""
        words = {name: get_args(hint) for name, hint in get_type_hints(Metric).items() if get_origin(hint) is Literal}
        said = [*((name, getattr(self, name)) for name in words), *(("tables", place) for place in self.tables)]
        words["tables"] = get_args(Place)
        wrong = ((name, word) for name, word in said if word not in words[name])
        return next((f"has '{word}' as {name}, expected {', '.join(words[name])}" for name, word in wrong), "")


_CATALOGUE = tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text(encoding="utf-8"))

FAMILIES: Mapping[str, Mapping[str, Any]] = _CATALOGUE.pop("families")
"""The first part of a statistic's full key -> what it describes (`of`), the phase of the design that must be like the
others for it to describe all responses (`requires`), and whether other raters leave it alone (`across_raters`)."""

DESCRIBED: Mapping[str, Mapping[str, Any]] = {
    key: {"key": key} | {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    for key, fields in _CATALOGUE.items()
}
"""The fields of every metric that ``catalogue.toml`` describes, by key and in its order."""


_ROUNDING = np.finfo(np.float64).eps


def _once(formula: Callable[[PairSums], Floats]) -> Callable[[PairSums], Floats]:
    """Return a formula that is computed once for the same sums: many others rest on it."""
    name = f"_{formula.__name__}"

    @wraps(formula)
    def remembered(sums: PairSums) -> Floats:
        known = vars(sums)
        if name not in known:
            known[name] = formula(sums)
        found: Floats = known[name]
        return found

    return remembered


def ratio(numerator: Floats | float, denominator: Floats | float) -> Floats:
    """Return numerator / denominator, nan where the denominator is 0 or either is nan."""
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
    """Return the square root, nan where the value is negative."""
    kind, real = np.result_type(value, np.float64), np.asarray(np.real(value) >= 0)
    if real.all():
        return np.asarray(np.sqrt(value, dtype=kind))
    result: Floats = np.full(np.shape(value), np.nan, kind)
    return np.sqrt(value, out=result, where=real)


def without_rounding(value: Floats, size: Floats, n: Floats | float) -> Floats:
    """Return `value`, 0 where it is no more than the rounding of a difference of two sums of `size`.

    Adding n numbers one after the other errs by at most n units of rounding; tallies add in blocks,
    so the bound stops growing at a million.  A score whose standard deviation is below about a
    hundred-thousandth of its distance from the centre therefore counts as constant.
    """
    units = np.minimum(np.maximum(np.real(n), 64), 2**20)
    nothing = np.abs(value) <= _ROUNDING * units * np.abs(size)
    return np.where(nothing, 0.0, value) if nothing.any() else np.asarray(value)


@_once
def squares_x(sums: PairSums) -> Floats:
    """Return the sum of squares of x about its mean; exactly 0 where x is constant."""
    return without_rounding(sums.xx - ratio(sums.x**2, sums.n), sums.xx, sums.n)


@_once
def squares_y(sums: PairSums) -> Floats:
    """Return the sum of squares of y about its mean; exactly 0 where y is constant."""
    return without_rounding(sums.yy - ratio(sums.y**2, sums.n), sums.yy, sums.n)


@_once
def products(sums: PairSums) -> Floats:
    """Return the sum of products of x and y about their means; exactly 0 where either is constant."""
    constant = (squares_x(sums) == 0) | (squares_y(sums) == 0)
    together = sums.xy - ratio(sums.x * sums.y, sums.n)
    return np.where(constant, 0.0, together) if constant.any() else together


@_once
def squared_errors(sums: PairSums) -> Floats:
    """Return the sum of (x - y)^2."""
    return without_rounding(sums.xx - 2 * sums.xy + sums.yy, sums.xx + sums.yy, sums.n)


def mean_x(sums: PairSums) -> Floats:
    """Return the mean of x, on the score scale."""
    return sums.centre + ratio(sums.x, sums.n)


def mean_y(sums: PairSums) -> Floats:
    """Return the mean of y, on the score scale."""
    return sums.centre + ratio(sums.y, sums.n)


def mean_difference(sums: PairSums) -> Floats:
    """Return mean y - mean x."""
    return ratio(sums.y - sums.x, sums.n)


def variance_x(sums: PairSums, ddof: int = 1) -> Floats:
    """Return the variance of x with divisor n - ddof; nan where that is 0."""
    return ratio(squares_x(sums), sums.n - ddof)


def variance_y(sums: PairSums, ddof: int = 1) -> Floats:
    """Return the variance of y with divisor n - ddof; nan where that is 0."""
    return ratio(squares_y(sums), sums.n - ddof)


def covariance(sums: PairSums) -> Floats:
    """Return the covariance of x and y with divisor n - 1; nan for a single response."""
    return ratio(products(sums), sums.n - 1)


def sd_x(sums: PairSums, ddof: int = 1) -> Floats:
    """Return the standard deviation of x with divisor n - ddof; nan where that is 0."""
    return root(variance_x(sums, ddof))


def sd_y(sums: PairSums, ddof: int = 1) -> Floats:
    """Return the standard deviation of y with divisor n - ddof; nan where that is 0."""
    return root(variance_y(sums, ddof))


def pearson_r(sums: PairSums) -> Floats:
    """Return the correlation of x and y; nan where either is constant."""
    return _within_one(ratio(products(sums), root(squares_x(sums)) * root(squares_y(sums))))


def _within_one(value: Floats) -> Floats:
    """Return a correlation, 1 or -1 where rounding takes it beyond; by more than a millionth would be a fault."""
    real = np.real(value)
    with np.errstate(invalid="ignore"):
        beyond = (np.abs(real) > 1) & (np.abs(real) < 1 + 1e-6)
    return np.where(beyond, np.sign(real), value) if beyond.any() else value


def quadratic_weighted_kappa(sums: PairSums, ddof: int = 0) -> Floats:
    """Return the continuous quadratic weighted kappa, moments with divisor n - ddof.

    One constant score gives 0; nan where both are constant and equal.
    """
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

    Constant x gives 1 where every y equals it and 0 otherwise; nan for a single response.
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
    """Return (mean y - mean x) / SD of x: the unpooled form, for a system against humans."""
    return ratio(mean_difference(sums), sd_x(sums, ddof))


def standardized_mean_difference_pooled(sums: PairSums, ddof: int = 1) -> Floats:
    """Return (mean y - mean x) / root mean square of the two SDs, for two humans."""
    return ratio(mean_difference(sums), root((variance_x(sums, ddof) + variance_y(sums, ddof)) / 2))


def difference_of_standardized_means(
    sums: PairSums,
    mean_x: Floats | float,
    mean_y: Floats | float,
    sd_x: Floats | float,
    sd_y: Floats | float,
) -> Floats:
    """Return how much higher, in SDs of the population, y places a slice than x does.

    The four moments are the population's; nan where an SD of the population is 0 (within 1e-7).
    """
    by_y = ratio(sums.centre - np.asarray(mean_y) + ratio(sums.y, sums.n), _not_zero(sd_y))
    by_x = ratio(sums.centre - np.asarray(mean_x) + ratio(sums.x, sums.n), _not_zero(sd_x))
    return by_y - by_x


def _not_zero(sd: Floats | float) -> Floats:
    return np.where(np.abs(sd) <= 1e-7, np.nan, sd)


def disattenuated_r(r_human_system: Floats, r_human_human: Floats) -> Floats:
    """Return the human-system correlation divided by the root of the human-human correlation.

    nan where the human-human correlation is negative or 0; values above 1 are kept.
    """
    return ratio(r_human_system, root(r_human_human))


SUMS = {"n": 9.0, "x": 1.5, "y": 2.0, "xx": 12.0, "yy": 14.0, "xy": 8.0, "absolute": 5.0, "exact": 4.0, "adjacent": 8.0}
"""Sums that a formula is tried on."""

Formula = Callable[[PairSums], Floats]
"""One number for each slice from the sums of the slice; complex sums give complex numbers."""


@dataclass(frozen=True, kw_only=True)
class PairStatistic(Metric):
    """A statistic of two scores: of the engine beside the first human score, and of two raters.

    Parameters
    ----------
    formula_on_sums
        Its formula; x is the reference, y what is judged.  Each sum is over the responses of a slice: ``n``, ``x``,
        ``y``, ``xx``, ``yy``, ``xy`` (x and y less ``centre``), ``absolute`` (of the absolute difference), ``exact``
        and ``adjacent`` (numbers of responses).  There are no other sums.
    of_raters
        Its formula for two raters, where it is another one.
    between_raters
        Whether it is computed for two raters too.
    both_vary
        Whether it has an interval only where both scores vary: a constant score makes it 0 whatever comes next.

    Examples
    --------
    Lin's (1989) concordance coefficient with the divisor n - 1; the entry point of a package names such an object.

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
        """Return why it cannot be computed everywhere; empty when it can."""
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
"""The statistics of two scores that reportgen has, in the order of results.json."""
