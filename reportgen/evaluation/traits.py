"""Multiple traits of the same responses: composite, halo, and added value of trait scores.

Traits of a response are matched by row or id, and ratings by rater, because only ratings of the same rater on all
traits distinguish correlated errors from correlated true scores.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation import preparation_of
from reportgen.evaluation.intervals import MAYBE_NO_TRUE_VARIANCE, METHOD_FIELLER
from reportgen.evaluation.rater_effects import MOST_RATERS
from reportgen.evaluation.statistics import interval_estimate
from reportgen.evaluation.tables.build import metric_column, table
from reportgen.metrics import rater_severity
from reportgen.metrics import traits as formulas
from reportgen.results import Cell, Column, Estimate, Row, Table, Term
from reportgen.scores import ScoreTable
from reportgen.tally import STEP, Floats, TraitMoments, TraitSums, fieller, trait_moments

Statistic = Callable[[TraitSums], Floats]
"""One or more numbers from the sums of all traits; smooth, for complex-step derivatives."""

MANY_TRAITS = 30  # traits up to which pairs are compared; more have hundreds of pairs

ALONE = "only one trait has a weight"
NO_IDS = "no column names the responses, so the traits of one response cannot be brought together"
NO_SHARED = "no response has scores on all traits"
NOT_TWICE = "no response was scored twice by raters who scored every trait"


class Together(NamedTuple):
    """Joint results of traits.

    n, double: responses with scores on all traits, and those that two raters scored on every trait.
    """

    estimates: Mapping[str, Estimate]  # of the composite, by key
    tables: tuple[Table, ...]  # pairs of traits, and the added value of each trait score
    n: int
    double: int
    reason: str = ""  # why there are no results


class _Shared(NamedTuple):
    """Responses with scores on all traits: system scores, ratings with their raters, test takers."""

    system: Floats  # (n, traits)
    ratings: Floats  # (n, raters, traits)
    raters: NDArray[np.integer]  # (n, raters): code of the rater, or the column if raters are not named
    candidates: NDArray[np.integer] | None

    def without_severity(self) -> Floats:
        """Return the ratings minus the constant severity of their raters."""
        named = np.where(np.isnan(self.ratings).any(axis=2), -1, self.raters)
        if named.max(initial=-1) >= MOST_RATERS:
            return self.ratings
        severity = np.stack([rater_severity(scores, named).observed for scores in np.moveaxis(self.ratings, 2, 0)])
        known = np.column_stack([np.nan_to_num(severity), np.zeros(len(severity))])  # code -1 selects the last
        return self.ratings - np.moveaxis(known[:, named], 0, 2)


def traits_together(
    tables: Sequence[ScoreTable], names: Sequence[str], weights: Sequence[float], level: float, *, by_row: bool,
    least: int,
) -> Together:  # fmt: skip
    """Compute the joint results of traits.

    tables: the scores of each trait.
    names, weights: of the traits.
    level: confidence level.
    by_row: whether traits are matched by row; otherwise by id.
    least: double-scored responses required for statistics of raters' errors.
    """
    if len(names) < 2:
        return Together({}, (), 0, 0, ALONE)
    if not by_row and any(table.ids is None for table in tables):
        return Together({}, (), 0, 0, NO_IDS)
    shared = _shared(tables, by_row=by_row)
    if not len(shared.system):
        return Together({}, (), 0, 0, NO_SHARED)
    moments = trait_moments(shared.system, shared.ratings, shared.candidates)
    if moments.multiple < least:
        few = f"only {moments.multiple} responses were" if moments.multiple > 1 else "one response was"
        reason = f"{few} scored twice by raters who scored every trait" if moments.multiple else NOT_TWICE
        return Together({}, (), moments.n, moments.multiple, reason)
    weighed = np.asarray(weights, float)
    by_candidate = shared.candidates is not None
    numbers = _Numbers(moments, level, by_candidate)
    found = [_added(numbers, names, weighed)]
    level_raters = trait_moments(shared.system, shared.without_severity(), shared.candidates)
    correlated = _Numbers(level_raters, level, by_candidate)
    # severity does not change correlations of true scores
    (rho,) = correlated.of("rho", lambda sums: formulas.composite_rho(sums, weighed), numbers.moments.multiple)
    estimates = {"composite.prmse": numbers.prmse(weighed), "composite.rho": rho}
    if len(names) <= MANY_TRAITS:
        found.insert(0, _pairs(correlated, names))
    return Together(estimates, tuple(found), moments.n, moments.multiple)


class _Numbers(NamedTuple):
    """Statistics of one set of moments, as estimates with infinitesimal-jackknife intervals."""

    moments: TraitMoments
    level: float
    clustered: bool

    def of(self, metric: str, statistic: Statistic, n: int = 0) -> list[Estimate]:
        """Return the estimates of a statistic with one or more outputs from `n` responses."""
        n = n or self.moments.n
        units = min(self.moments.units, n)
        values, covariances = self._found(statistic, units)
        errors = np.sqrt(np.maximum(np.diagonal(covariances), 0.0))
        return [
            interval_estimate(metric, float(value), float(error), n, units, self.level, clustered=self.clustered)
            for value, error in zip(values, errors, strict=True)
        ]

    def prmse(self, weights: Floats) -> Estimate:
        """Return PRMSE of the composite with Fieller's interval."""
        (plain,) = self.of("prmse", lambda sums: formulas.prmse_of_composite(sums, weights), self.moments.multiple)
        if not plain.defined:
            return plain
        units = min(self.moments.units, self.moments.multiple)

        def parts(sums: TraitSums) -> Floats:
            return np.stack([formulas.composite_error(sums, weights), formulas.composite_true_variance(sums, weights)])

        (top, bottom), spread = self._found(parts, units)
        variances = np.array([spread[0, 0]]), np.array([spread[1, 1]]), np.array([spread[0, 1]])
        ends = fieller(np.array([top]), np.array([bottom]), variances, np.array([units - 1]), self.level)
        low, high = (float(1 - end[0]) for end in reversed(ends))
        if not np.isfinite(low):
            return replace(plain, low=None, high=None, interval_reason=MAYBE_NO_TRUE_VARIANCE)
        method = METHOD_FIELLER.format(units="clusters" if self.clustered else "responses")
        return replace(plain, low=low, high=high, method=method)

    def _found(self, statistic: Statistic, units: int) -> tuple[Floats, Floats]:
        """Return the values of a statistic, and their sampling covariances."""
        moments = self.moments

        def of(sums: Any) -> Floats:
            return np.atleast_1d(statistic(TraitSums.of(sums, moments.traits)))

        steps = 1j * STEP * np.eye(len(moments.sums))
        with np.errstate(all="ignore"):
            values = of(moments.sums)
            slopes = np.stack([np.imag(of(moments.sums + step)) for step in steps], axis=1) / STEP
        return values, slopes @ moments.products @ slopes.T * units / max(units - 1, 1)


def _pairs(numbers: _Numbers, names: Sequence[str]) -> Table:
    """Return one row for each two traits: correlations of errors (without severity), rater's, true, and system's."""
    rows, columns = np.triu_indices(len(names), 1)

    def upper(statistic: Statistic) -> Statistic:
        return lambda sums: statistic(sums)[rows, columns]

    of_pairs: dict[str, Statistic] = {
        "trait_r_system": formulas.system_correlation,
        "trait_r_true": formulas.true_correlation,
        "trait_r_excess": lambda sums: formulas.system_correlation(sums) - formulas.true_correlation(sums),
        "trait_r_rater": formulas.rater_correlation,
        "halo": formulas.error_correlation,
    }
    found = [
        numbers.of(key, upper(statistic), 0 if key == "trait_r_system" else numbers.moments.multiple)
        for key, statistic in of_pairs.items()
    ]
    made = [
        Row((names[one], names[other], *cells), "flagged" if _clear(cells[2]) else "")
        for one, other, *cells in zip(rows, columns, *found, strict=True)
    ]
    heads = (Column("trait"), Column("other"), *map(metric_column, of_pairs))
    return table("traits.pairs", heads, made, max_rows=500)


def _added(numbers: _Numbers, names: Sequence[str], weights: Floats) -> Table:
    """Return one row for each trait: which predicts its true score better, its own score or the total."""

    def total(sums: TraitSums) -> Floats:
        return formulas.prmse_from_total(sums, weights)

    predictions: dict[str, Statistic] = {
        "prmse_own": formulas.prmse_from_own,
        "prmse_total": total,
        "added_value": lambda sums: formulas.prmse_from_own(sums) - total(sums),
    }
    found = [numbers.of(key, statistic, numbers.moments.multiple) for key, statistic in predictions.items()]
    rows = []
    for name, *cells, difference in zip(names, *found, strict=True):
        said = Term("yes" if _clear(difference) else "no" if _clear(difference, below=True) else "not yet known")
        row: tuple[Cell, ...] = (name, *cells, difference, said)
        rows.append(Row(row, "flagged" if said == "no" else ""))
    columns = (Column("trait"), *map(metric_column, predictions), Column("adds"))
    return table("traits.added_value", columns, rows, max_rows=500)


def _clear(estimate: Estimate, *, below: bool = False) -> bool:
    if below:
        return estimate.high is not None and estimate.high < 0
    return estimate.low is not None and estimate.low > 0


def _shared(tables: Sequence[ScoreTable], *, by_row: bool) -> _Shared:
    if by_row:
        kept = np.logical_and.reduce([table.rows.kept for table in tables])
        rows = [np.flatnonzero(kept[table.rows.kept]) for table in tables]
    else:
        places = [{id_: place for place, id_ in enumerate(table.ids.to_pylist())} for table in tables]
        shared = sorted(set.intersection(*(set(each) for each in places)))
        rows = [np.array([each[id_] for id_ in shared], np.intp) for each in places]
    scores = [preparation_of(table).primary(table.system) for table in tables]
    system = np.stack([own[place] for own, place in zip(scores, rows, strict=True)], axis=1)
    first = tables[0]
    candidates = None if first.candidates is None else first.candidates[rows[0]]
    human = [table.human[place] for table, place in zip(tables, rows, strict=True)]
    raters = min(scores.shape[1] for scores in human)
    codes = np.broadcast_to(np.arange(raters), (len(system), raters))
    if all(table.ratings is not None and table.rater_ids is not None for table in tables):
        human, codes = _by_rater([table.rater_ids for table in tables], human, rows)
        raters = codes.shape[1]
    return _Shared(system, np.stack([scores[:, :raters] for scores in human], axis=2), codes, candidates)


def _by_rater(
    ids: Sequence[Any], human: Sequence[Floats], rows: Sequence[NDArray[np.intp]]
) -> tuple[list[Floats], NDArray[np.integer]]:
    """Return ratings at the same position for a named rater of a response in every trait, and their raters."""
    names = sorted(set().union(*(each.names for each in ids)))
    place = {name: number for number, name in enumerate(names)}
    codes = []
    for each, own in zip(ids, rows, strict=True):
        known = np.array([*(place[name] for name in each.names), -1], np.int64)
        codes.append(known[each.codes[own]])
    slots = codes[0]  # raters without the first trait are incomplete
    moved = []
    for own, scores in zip(codes, human, strict=True):
        found = np.full(slots.shape, np.nan)
        for column in range(scores.shape[1]):
            at, slot = np.nonzero((slots == own[:, [column]]) & (slots >= 0))
            found[at, slot] = scores[at, column]
        moved.append(found)
    return moved, slots
