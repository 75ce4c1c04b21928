"""Ratings without an engine's score: who gave which, the units of intervals, and estimates from sums over responses."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.counting import refuse_costly_groups
from reportgen.evaluation.measure import estimate_of, joint_estimates
from reportgen.evaluation.rater_effects import MOST_RATERS, NamedRatings, numbered, withheld_raters
from reportgen.evaluation.reliability import ICC_KEYS, METHOD_F, CrossedDesign, crossed_of_raters
from reportgen.evaluation.statistics import METHOD, METHOD_CLUSTERED
from reportgen.evaluation.suppression import MULTIPLE, Combinations, ScoreSums, Suppression, with_equal_scores
from reportgen.metrics import pair
from reportgen.metrics.identified_raters import (
    generalizability_of_raters,
    intraclass_limits,
    intraclass_values,
    mean_squares,
    mean_squares_of_sums,
)
from reportgen.results import Estimate, Scale
from reportgen.scores import RatingTable
from reportgen.scores.table import RaterIds
from reportgen.settings import Settings
from reportgen.sources.columns import Coded, Codes
from reportgen.tally import JointNumbers
from reportgen.tally.intervals import STEP
from reportgen.tally.sums import Floats

MOST_COLUMNS = 60
"""Raters up to which each has a column of its own where all are compared at once."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class RatingSheet:
    """The ratings of one file.  Neither the order of rows nor that of columns, nor the layout of the file decides.

    ratings, codes (n, k): the ratings of a response in the order of its raters, NaN where there is none, and who gave
        each: place in `names`, -1 for nobody.
    names: The raters as pages call them, those with most ratings first.
    ids: The same raters by their own names, as `codes` has them before they are ordered.
    units (n,): code of the candidate, where one gave several responses; None where responses are the units.
    groups: Grouping -> code of each response, and the levels.
    scale, level, min_n, min_n_by_group: The score scale, the confidence level, the fewest responses of a group that is
        judged.
    withheld: What is not shown.
    """

    ratings: Floats
    codes: Codes
    names: tuple[str, ...]
    ids: RaterIds
    units: NDArray[np.integer] | None
    groups: Mapping[str, Coded]
    scale: Scale
    level: float
    min_n: int
    min_n_by_group: Mapping[str, int]
    withheld: Suppression = field(default_factory=Suppression)

    @classmethod
    def of(cls, table: RatingTable, settings: Settings) -> RatingSheet:
        """Return the ratings of a table under its settings."""
        ids = table.rater_ids or RaterIds(np.full(table.human.shape, -1, np.int32), ())
        ratings, ids = _in_order(table.human, ids)
        codes, order, _ = numbered(ratings, ids)
        shown = settings.data.show_rater_names or not (table.columns("rater") or table.ratings)
        names = tuple(ids.names[rater] if shown else f"Rater {row + 1}" for row, rater in enumerate(order))
        units = _units(table.candidates)
        min_n, by_group = settings.statistics.min_n_per_group, dict(settings.statistics.min_n_by_group)
        withheld = _withheld(ratings, table, min_n, settings)
        groups = {
            name: coded
            for name, coded in table.groups.items()
            if set(coded.labels) - withheld.levels.get(name, frozenset())
        }
        return cls(
            ratings, codes, names, ids, units, groups, table.scale, settings.statistics.confidence_level, min_n,
            by_group, withheld,
        )  # fmt: skip

    @cached_property
    def raters_withheld(self) -> Mask:
        """(raters,): of whom nothing is shown."""
        return withheld_raters(
            self.groups,
            self.withheld.levels,
            self.withheld.least,
            np.where(self.given, self.codes, -1),
            len(self.names),
        )

    @cached_property
    def shown_raters(self) -> dict[int, str]:
        """Number -> name of every rater who is shown."""
        return {rater: name for rater, name in enumerate(self.names) if not self.raters_withheld[rater]}

    @property
    def method(self) -> str:
        """How intervals are made."""
        return METHOD if self.units is None else METHOD_CLUSTERED

    @property
    def raters(self) -> tuple[str, ...]:
        """The raters as pages call them."""
        return self.names

    @property
    def rows(self) -> bool:
        """Whether candidates are the units."""
        return self.units is not None

    @property
    def n(self) -> int:
        """Responses."""
        return len(self.ratings)

    @cached_property
    def given(self) -> Mask:
        """(n, k): where there is a rating."""
        return np.isfinite(self.ratings)

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """(n,): ratings of each response."""
        return np.asarray(self.given.sum(axis=1))

    @cached_property
    def everyone(self) -> Mask:
        """(n,): all responses."""
        return np.ones(self.n, np.bool_)

    @cached_property
    def by_rater(self) -> Floats:
        """(n, raters): one column for each rater; more than `MOST_COLUMNS` stay packed, as `ratings` are."""
        if len(self.names) > MOST_COLUMNS or (self.given & (self.codes < 0)).any():
            return self.ratings
        found = np.full((self.n, len(self.names)), np.nan)
        rows, slots = np.nonzero(self.given)
        found[rows, self.codes[rows, slots]] = self.ratings[rows, slots]
        return found

    @property
    def columns_are_raters(self) -> bool:
        """Whether each column of `by_rater` holds the ratings of one rater."""
        return self.by_rater is not self.ratings

    def min_n_of(self, grouping: str) -> int:
        """Return how many responses a group of a column needs to be judged."""
        return self.min_n_by_group.get(grouping, self.min_n)

    def shown_levels(self, grouping: str, *, multiple: bool = False) -> list[int]:
        """Return the levels that may be shown, largest first; `multiple` for numbers of responses rated again."""
        coded = self.groups[grouping]
        sizes = np.bincount(coded.codes, minlength=len(coded.labels))
        shown = [
            level
            for level, label in enumerate(coded.labels)
            if sizes[level]
            and not self.withheld.hides(grouping, label)
            and not (multiple and self.withheld.hides(grouping, label, "multiple"))
        ]
        return sorted(shown, key=lambda level: (-sizes[level], coded.labels[level]))

    def numbers(self, features: Floats, statistics: Callable[[Floats], Floats], counted: Mask) -> JointNumbers:
        """Return smooth functions of sums of features, with standard errors by the influence of each unit.

        features (n, m): what is summed over the responses that count.
        statistics: From sums (m,), complex ones too, to values (outputs,).
        counted (n,): the responses that count.
        """
        features = np.where(counted[:, None], features, 0.0)
        sums = features.sum(axis=0)
        with np.errstate(all="ignore"):
            value = np.asarray(statistics(sums), np.float64)
            steps = np.eye(len(sums)) * 1j * STEP
            slopes = np.stack([np.imag(statistics(sums + step)) / STEP for step in steps])
            error, units = self.errors(features @ slopes, counted)
        return JointNumbers(value, error, np.array([float(counted.sum())]), np.array([units]))

    def errors(self, influence: Floats, counted: Mask) -> tuple[Floats, float]:
        """Return standard errors from influences (n, outputs), and the independent units that count."""
        units = counted if self.units is None else np.bincount(self.units, counted) > 0
        m = float(units.sum())
        if self.units is not None:
            influence = np.stack([np.bincount(self.units, each) for each in influence.T], axis=1)
        if m < 2:
            return np.full(influence.shape[1], np.nan), m
        return np.sqrt((influence**2).sum(axis=0) * m / (m - 1)), m


def _units(candidates: Codes | None) -> NDArray[np.integer] | None:
    """Return the candidates, counted from 0, where one gave several responses."""
    if candidates is None:
        return None
    distinct, units = np.unique(candidates, return_inverse=True)
    return units.ravel() if len(distinct) < len(candidates) else None


def _in_order(human: Floats, ids: RaterIds) -> tuple[Floats, RaterIds]:
    """Return the ratings of each response in the order of the names of its raters, gaps last."""
    given = np.isfinite(human)
    by_name = np.argsort(np.argsort(np.array(ids.names, object))) if ids.names else np.empty(0, np.intp)
    rank = np.where(given & (ids.codes >= 0), np.append(by_name, 0)[ids.codes], len(ids.names))
    order = np.lexsort((human, rank, ~given), axis=1) if human.size else np.argsort(human, axis=1)
    widest = max(int(given.sum(axis=1).max(initial=0)), 1)
    place = order[:, :widest]
    ratings = np.take_along_axis(human, place, axis=1)
    codes = np.where(np.isfinite(ratings), np.take_along_axis(ids.codes, place, axis=1), -1).astype(np.int32)
    times = None if ids.times is None else np.take_along_axis(ids.times, place, axis=1)
    return ratings, RaterIds(codes, ids.names, times)


def _withheld(ratings: Floats, table: RatingTable, min_n: int, settings: Settings) -> Suppression:
    """Return which groups are withheld; refuses groups that cost too much."""
    least = min_n if settings.privacy.withhold_small_groups else 0
    groups = {name: (coded.codes, coded.labels) for name, coded in table.groups.items()}
    sizes = {name: np.bincount(codes, minlength=len(labels)).astype(float) for name, (codes, labels) in groups.items()}
    found = Combinations.of(ratings, groups) if least and groups else None
    refuse_costly_groups(sizes, least, table.scale, len(found.counts) if found else 0)
    if found is None:
        return Suppression(least)
    cell, one = np.repeat(np.arange(len(ratings)), ratings.shape[1]), np.ones(ratings.size)
    of_groups = {
        name: (np.searchsorted(found.labels[name], labels)[codes][cell], np.arange(ratings.size), one, len(labels))
        for name, (codes, labels) in groups.items()
    }
    several = np.where((np.isfinite(ratings).sum(axis=1) > 1)[:, None], ratings, np.nan)
    every, again = (ScoreSums.of(scores.ravel(), one, of_groups) for scores in (ratings, several))
    return with_equal_scores(found, least, [every], {MULTIPLE: [again]} if MULTIPLE in found.kinds else {})


TARGETS = (0.8, 0.9)
"""Reliabilities that are asked for: of scores that are compared, and of decisions about single persons (Nunnally and
Bernstein 1994, chapter 7)."""

MOST_NEEDED = 100
"""More ratings of a response than this are not foretold."""


@dataclass(frozen=True)
class Needed:
    """How many ratings a response needs, so that their mean has a reliability; None where no number is known.

    target: The reliability.
    ratings, low, high: The number for the generalizability coefficient, which does not count severity, and its range
        over the interval of the reliability of one rating; `high` is None where no number would do at that end.
    absolute, absolute_low, absolute_high: The same for the index of dependability, which counts severity.
    """

    target: float
    ratings: int | None
    low: int | None
    high: int | None
    absolute: int | None
    absolute_low: int | None
    absolute_high: int | None


def intraclass(sheet: RatingSheet) -> dict[str, Estimate]:
    """Return intraclass correlations by their estimates' keys.

    All six rest on the responses that every rater rated, where two or more have them; else ICC(1) of responses with
    unequal numbers of ratings stands alone.
    """
    complete: Mask = np.asarray(np.isfinite(sheet.by_rater).all(axis=1))
    if complete.sum() < 2 or not sheet.columns_are_raters:
        found = sheet.numbers(_one_way_features(sheet), _one_way, sheet.everyone)
        reason = "the ratings do not vary, or no response has two"
        estimate = joint_estimates(
            sheet, "icc11", found, kind="coefficient", transform="fisher", reason=reason,
            n=np.array([float((sheet.counts > 1).sum())]),
        )[0]  # fmt: skip
        return {"icc_1": estimate}
    if sheet.units is not None:
        return _by_influence(sheet, complete)
    ratings = sheet.by_rater[complete]
    squares = mean_squares(ratings)
    values, ends = intraclass_values(squares), intraclass_limits(squares, sheet.level)
    return {
        key: estimate_of(
            name, float(values[name]), float(complete.sum()), *ends[name], float("nan"), sheet.level, METHOD_F,
            "coefficient", "all ratings are the same",
        )
        for name, key in ICC_KEYS.items()
    }  # fmt: skip


def crossed(sheet: RatingSheet) -> CrossedDesign | None:
    """Return the variance components of responses and raters, None where the ratings do not tell them."""
    if len(sheet.names) > MOST_RATERS:
        return None
    found = generalizability_of_raters(sheet.ratings, sheet.codes)
    if found.found.reason:
        return None
    return crossed_of_raters(sheet, NamedRatings(sheet.ratings, found, sheet.units))


def needed(found: CrossedDesign | None) -> list[Needed]:
    """Return how many ratings of a response each target needs, by the Spearman-Brown formula.

    Sources: Spearman (1910), Brown (1910); for the index of dependability Brennan (2001, section 4.1).
    """
    if found is None:
        return []
    relative, absolute = found.coefficient[0], found.dependability[0]
    return [Needed(target, *_needed(relative, target), *_needed(absolute, target)) for target in TARGETS]


def ratings_for(target: float, single: float | None) -> int | None:
    """Return how many ratings bring their mean to a reliability, when one has `single`; None where no number does.

    Examples
    --------
    >>> ratings_for(0.8, 0.5), ratings_for(0.9, 0.5), ratings_for(0.8, 0.85), ratings_for(0.8, 0.0)
    (4, 9, 1, None)
    """
    if single is None or not single > 0:
        return None
    if single >= target:
        return 1
    k = math.ceil(target * (1 - single) / ((1 - target) * single) - 1e-9)
    return k if k <= MOST_NEEDED else None


def _needed(single: Estimate, target: float) -> tuple[int | None, int | None, int | None]:
    return ratings_for(target, single.value), ratings_for(target, single.high), ratings_for(target, single.low)


def _by_influence(sheet: RatingSheet, complete: Mask) -> dict[str, Estimate]:
    ratings = np.where(complete[:, None], sheet.by_rater - np.floor(np.nanmean(sheet.by_rater)), 0.0)
    k = ratings.shape[1]
    features = np.column_stack([np.ones(sheet.n), ratings.sum(axis=1) ** 2, (ratings**2).sum(axis=1), ratings])

    def statistics(sums: Floats) -> Floats:
        squares = mean_squares_of_sums(sums[0], sums[1], sums[3:], sums[2])
        values: Mapping[str, Floats] = intraclass_values(squares)
        return np.stack([values[name] for name in ICC_KEYS])

    found = sheet.numbers(features, statistics, complete)
    return {
        key: joint_estimates(
            sheet, name, JointNumbers(found.value[[place]], found.error[[place]], found.n, found.units),
            kind="coefficient", transform="fisher" if name.endswith("1") else "log1m",
            reason="all ratings are the same" if k > 1 else "there is one rater",
        )[0]
        for place, (name, key) in enumerate(ICC_KEYS.items())
    }  # fmt: skip


def _one_way_features(sheet: RatingSheet) -> Floats:
    """Return what is summed for a one-way analysis of variance with unequal numbers of ratings."""
    c = sheet.counts.astype(np.float64)
    x = np.where(sheet.given, sheet.ratings - np.floor(np.nanmean(sheet.ratings)), 0.0)
    total = x.sum(axis=1)
    return np.stack([np.ones(sheet.n), c, c**2, total, total**2 / c, (x**2).sum(axis=1)], axis=1)


def _one_way(sums: Floats) -> Floats:
    """Return ICC(1) from sums: responses, ratings, their squares, scores, squared totals by c, squared scores.

    Source: Donner (1986), with the mean number of ratings that unequal numbers stand for.
    """
    n, ratings, squared, total, between, square = (np.asarray(each) for each in sums)
    of_means = pair.ratio(between - pair.ratio(total**2, ratings), n - 1)
    within = pair.ratio(square - between, ratings - n)
    size = pair.ratio(ratings - pair.ratio(squared, ratings), n - 1)
    return np.stack([pair.ratio(of_means - within, of_means + (size - 1) * within)])
