"""The agreement panel: every coefficient of engine and rater, and of raters, with intervals and divergences.

Rank correlations of unrounded scores group scores if there are too many distinct ones, which limits their cost.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.counting import MOST_REFERENCE, RankTable
from reportgen.evaluation.intervals import METHOD_OF_PARTS, Part, difference
from reportgen.evaluation.measure import joint_estimates
from reportgen.evaluation.points import MISSING, Points
from reportgen.evaluation.statistics import bounded, corrected, interval_estimate, no_interval
from reportgen.evaluation.tables.build import Results, called, columns_of, count_column, metric_column, table
from reportgen.evaluation.tallied_scores import PrimaryScores, TalliedScores
from reportgen.metrics import METRICS
from reportgen.metrics.chance_corrected import Linearised, Patterns, linearised, pooled_chance, weight_matrix
from reportgen.metrics.krippendorff import PANEL, UNORDERED, interval_alpha, pattern_shares
from reportgen.metrics.two_scores import kendall_tau_b_of_table, spearman_rho_of_table
from reportgen.results import Cell, Column, Estimate, Row, Table, Term
from reportgen.tally import OVERALL, CellScores, ClusteredRows, Floats, Integers, Polynomial, limits
from reportgen.tally.left_out import FEW_UNITS, spread_of

RANK_CORRELATIONS = {"tau_b": kendall_tau_b_of_table, "spearman": spearman_rho_of_table}


class Ranks(NamedTuple):
    """Rank correlations of two unrounded scores."""

    estimates: dict[str, Estimate]  # estimate by catalogue key
    width: float  # width of the groups of tied scores; 0 if scores are not grouped


class _Units(NamedTuple):
    """Number of independent units, and a function from influences by table cell, (k, places), to sums of squares."""

    n: int
    squares: Callable[[Floats], Floats]
    clustered: bool = True  # whether the units are test takers


def unrounded_ranks(tallied: TalliedScores) -> Ranks | None:
    """Return the rank correlations of engine and first human score; None if the engine uses points of the scale."""
    if not (tallied.primary.type.continuous or tallied.points.continuous):
        return None
    ends, pairs = tallied.preparation.bounds, tallied.counts.pairs
    if tallied.scores is not None:
        own = tallied.scores.of(tallied.counted)
        return _of_rows(own, np.clip(own.system, *ends), ends, tallied.level)
    rows = tallied.rows.get(tallied.primary.family)
    if pairs is None:
        return None
    return _of_table(pairs, tallied.level, None if rows is None else _of_pairs(pairs, rows, ends))


def rater_ranks(tallied: TalliedScores, first: int, second: int) -> Ranks | None:
    """Return the rank correlations of two raters, on all scores; None without shared responses."""
    tally, rows = tallied.tally, tallied.rows.get(tallied.primary.family)
    overall = tally.slices[OVERALL]
    one, other = (tally.cells.ratings[overall.cell, rater] for rater in (first, second))
    both = np.isfinite(one) & np.isfinite(other)
    if not both.any():
        return None
    (reference, width), judged = _group_scores(one[both]), other[both]
    table = RankTable.of(reference, judged, (float(judged.min()), float(judged.max())), overall.sums[0][both])
    if rows is None:
        return _of_table(table, tallied.level, width=width)
    counted = np.zeros(len(tally.cells), np.bool_)
    counted[overall.cell[both]] = True

    def squares(influences: Floats) -> Floats:
        moved = np.zeros((len(influences), len(both)))
        moved[:, both] = influences[:, table.place(reference, judged)]
        return rows.squared(OVERALL, moved)[:, 0]

    units = _Units(round(rows.units(OVERALL, counted)[0]), squares, tallied.by_candidate)
    return _of_table(table, tallied.level, units, width)


def _of_rows(own: PrimaryScores, system: Floats, ends: tuple[float, float], level: float) -> Ranks:
    reference, width = _group_scores(own.human[:, 0])
    table = RankTable.of(reference, system, ends, own.weights)
    if own.units is None:
        return _of_table(table, level, width=width)
    codes, place = np.unique(own.units, return_inverse=True)[1], table.place(reference, system)
    weights = np.ones(len(system)) if own.weights is None else own.weights

    def squares(influences: Floats) -> Floats:
        return np.array([(np.bincount(codes, moved[place] * weights) ** 2).sum() for moved in influences])

    return _of_table(table, level, _Units(int(codes.max()) + 1, squares, own.by_candidate), width)


def _of_pairs(pairs: RankTable, rows: ClusteredRows, ends: tuple[float, float]) -> _Units:
    """Return the test takers of responses whose pairs of first human and engine score were counted."""
    cells = rows.tally.cells

    def squares(influences: Floats) -> Floats:
        total = np.zeros(len(influences))
        for block in rows.source.of(OVERALL):
            place = pairs.place(cells.ratings[block.cell, 0], np.clip(cells.system[block.cell] + block.u, *ends))
            total += (np.add.reduceat(influences[:, place], block.starts[:-1], axis=1) ** 2).sum(axis=1)
        return total

    return _Units(round(rows.units(OVERALL, np.ones(len(cells), np.bool_))[0]), squares)


def _group_scores(reference: Floats) -> tuple[Floats, float]:
    if len(np.unique(reference)) <= MOST_REFERENCE:
        return reference, 0.0
    low, width = reference.min(), float(np.ptp(reference)) / MOST_REFERENCE
    return np.asarray(low + width * np.minimum((reference - low) // width, MOST_REFERENCE - 1)), width


def _of_table(table: RankTable, level: float, units: _Units | None = None, width: float = 0.0) -> Ranks:
    n, estimates = round(table.counts.sum()), {}
    linearised = {key: of_table(table.counts) for key, of_table in RANK_CORRELATIONS.items()}
    influences = np.stack([found.influence.ravel() / n for found in linearised.values()])
    squares = (table.counts.ravel() * influences**2).sum(axis=1) if units is None else units.squares(influences)
    for square, (key, found) in zip(squares.tolist(), linearised.items(), strict=True):
        n_units, clustered = (n, False) if units is None else (units.n, units.clustered)
        error = float(corrected(square, n_units))
        estimates[key] = interval_estimate(
            key, found.value, error, n, n_units, level, clustered=clustered, reason=found.reason
        )
    return Ranks(estimates, max(width, table.width))


MOST_RATERS = 12  # raters whose pairs are all shown (66 pairs); of more, only the first two, and all together

ENGINE = "engine"

ROUNDING = 1e-12  # a smaller standard error is a rounding error, such as for kappa of a constant score

NO_POINTS = "not applicable: the scale has no points, or too many for a table"
"""Reason if agreement on points is missing on a continuous scale."""

DIVERGENCES = {"identity": ("kappa", "ac1"), "quadratic": ("kappa_quadratic", "ac2_quadratic")}
"""Kappa and the AC to compare it with, by weights."""


class Agreement(NamedTuple):
    """The panel of one pair of scores, or of all raters.

    divergences: differences of kappa and AC of the same labels, with their causes, as rows of a table.
    """

    name: str  # the scores
    n: int  # responses with at least two of the scores
    estimates: Mapping[str, Estimate]  # estimate by catalogue key
    divergences: tuple[Row, ...] = ()


def coefficients_of(tallied: TalliedScores) -> tuple[str, ...]:
    """Return the keys of the coefficients that are defined for these scores."""
    return tuple(PANEL) if tallied.scale.ordered else UNORDERED


def engine_panel(tallied: TalliedScores) -> Agreement:
    """Return the panel of the trimmed and rounded engine score and the first human score."""
    return agreement_of(tallied, Term("engine_and_first_rater"), (0, ENGINE))


def rater_panels(tallied: TalliedScores) -> tuple[Agreement, ...]:
    """Return the panels of pairs of raters, the first two first, or only them for more than `MOST_RATERS`."""
    few = range(len(tallied.raters)) if len(tallied.raters) <= MOST_RATERS else range(2)
    raters = [rater for rater in few if rater not in tallied.withheld.raters]
    found: Iterable[Agreement] = (
        agreement_of(tallied, f"{tallied.raters[first]}, {tallied.raters[second]}", (first, second))
        for first, second in itertools.combinations(raters, 2)
    )
    own = tallied.apart
    if own is not None and not own.packed and len(own.raters) <= MOST_RATERS:
        found = itertools.chain(found, rater_panels(own))
    return tuple(each for each in found if each.n)


def everyone_panel(tallied: TalliedScores) -> Agreement | None:
    """Return the panel of all raters with ratings; None for fewer than three."""
    tallied = tallied.one_by_one
    shown = (rater for rater in range(len(tallied.raters)) if rater not in tallied.withheld.raters)
    who = tuple(rater for rater in shown if (tallied.points.rated(rater) != MISSING).any())
    return agreement_of(tallied, Term("all_raters"), who) if len(who) > 2 else None


class Labelled(NamedTuple):
    """Labels of multiple scorers by cell, and their patterns.

    counted (cells,): which cells have labels.
    place (counted cells,): the pattern of each.
    n, units: responses with at least two labels, and independent units among them.
    """

    points: Points
    counted: NDArray[np.bool_]
    patterns: Patterns
    place: Integers
    n: float
    units: float

    def influence(self, one: Linearised) -> Floats:
        """Return (cells,): influence of a response of each cell on a coefficient."""
        found = np.zeros(len(self.counted))
        if self.patterns.n:
            found[self.counted] = one.influence[self.place] / self.patterns.n
        return found

    def error(self, influence: Floats) -> float:
        """Return the standard error from influences."""
        error = float(corrected(self.points.squared_influence(influence), self.units))
        return 0.0 if error < ROUNDING else error

    def spread(self, metric: str, one: Linearised) -> tuple[float, float]:
        """Return a standard error and its units; for few responses, by excluding each."""
        error, units, counts = self.error(self.influence(one)), self.units, self.patterns.count
        scale = METRICS[metric].transform
        if metric not in PANEL or scale == "wilson" or self.points.rows is not None or not 2 < units < FEW_UNITS:
            return error, units
        with np.errstate(all="ignore"):
            fewer = (replace(self.patterns, count=counts - each) for each in np.eye(len(counts)))
            without = np.array([PANEL[metric](each).value for each in fewer])
        found = spread_of(without, np.array([one.value]), scale, np.zeros(len(counts), np.intp), counts)
        known = error > 0 and np.isfinite(found.error[0])
        return (float(found.error[0]), 1 + min(units - 1, float(found.freedom[0]))) if known else (error, units)


def labelled(points: Points, who: tuple[int | str, ...]) -> Labelled:
    """Return the labels of `who`: numbers of raters, and `ENGINE`."""
    codes = np.column_stack([points.scored() if each == ENGINE else points.rated(int(each)) for each in who])
    counted = (codes != MISSING).any(axis=1) if len(who) > 2 else (codes != MISSING).all(axis=1)
    multiple, weights = (codes != MISSING).sum(axis=1) > 1, points.tally.weights
    distinct, place = np.unique(codes[counted], axis=0, return_inverse=True)
    count: Floats = np.bincount(place.ravel(), weights[counted], len(distinct)).astype(np.float64)
    patterns = Patterns(distinct.astype(np.int64), count, points.categories, points.declared)
    return Labelled(points, counted, patterns, place.ravel(), float(weights[multiple].sum()), points.units(multiple))


def agreement_of(tallied: TalliedScores, name: str, who: tuple[int | str, ...]) -> Agreement:
    """Return the panel of the scores of `who`: numbers of raters, and `ENGINE`."""
    points = tallied.points
    labels = labelled(points, who)
    n, patterns = labels.n, labels.patterns
    if points.continuous:
        return Agreement(name, round(n), _without_points(tallied, who, round(n)))
    found = {key: PANEL[key](patterns) for key in coefficients_of(tallied)}

    def estimate(metric: str, one: Linearised) -> Estimate:
        error, units = labels.spread(metric, one)
        return interval_estimate(
            metric, one.value, error, n, units, tallied.level, clustered=points.by_candidate, reason=one.reason
        )

    estimates = {key: estimate(key, one) for key, one in found.items()}
    if not n:
        return Agreement(name, 0, estimates)
    divergences = _divergences(points, patterns, found, estimates, estimate)
    return Agreement(
        name, round(n), estimates, tuple(Row((name, weights, round(n), *each)) for weights, *each in divergences)
    )


def _without_points(tallied: TalliedScores, who: tuple[int | str, ...], n: int) -> dict[str, Estimate]:
    """Return the panel of a continuous scale: alpha, rank correlations, and why there is nothing else."""
    blank = {
        key: Estimate(key, None, n, kind=METRICS[key].kind, level=tallied.level, reason=NO_POINTS) for key in PANEL
    }
    if n:
        blank["alpha_interval"] = _alpha_interval(tallied, who)
    if len(who) > 2:
        return blank
    ranks = unrounded_ranks(tallied) if ENGINE in who else rater_ranks(tallied, *(int(each) for each in who))
    return blank | (ranks.estimates if ranks else {})


def _alpha_interval(tallied: TalliedScores, who: tuple[int | str, ...]) -> Estimate:
    def features(scores: CellScores) -> dict[str, Polynomial | Floats]:
        given = [scores.score if each == ENGINE else scores.ratings[int(each)] for each in who]
        there = [np.ones_like(scores.centre) if each == ENGINE else scores.present[int(each)] * 1.0 for each in who]
        c = np.sum(np.broadcast_arrays(*there), axis=0)
        multiple = (c > 1) * 1.0
        total = sum(given[1:], given[0]) * multiple
        square = sum((each * each for each in given[1:]), given[0] * given[0]) * multiple
        gap = (square * (2 * c) - total * total * 2.0) * (1 / np.maximum(c - 1, 1))
        return {"ratings": c * multiple, "total": total, "square": square, "gap": gap}

    def statistics(sums: Mapping[str, Floats], _: float) -> dict[str, Floats]:
        return {"alpha": interval_alpha(*(sums[key] for key in ("ratings", "total", "square", "gap")))}

    found = tallied.joint(tallied.primary, features, statistics, rests_on="ratings")["alpha"]
    return joint_estimates(tallied, "alpha_interval", found, transform="log1m", reason="all scores are the same")[0]


def _divergences(
    points: Points, patterns: Patterns, found: Mapping[str, Linearised], estimates: Mapping[str, Estimate],
    estimate: Callable[[str, Linearised], Estimate],
) -> Iterator[tuple[Cell, ...]]:  # fmt: skip
    """Yield the difference of kappa and AC with its weights, if both have a value.

    The difference is the sum of AC minus the kappa of pooled shares (Scott's pi, or its weighted form), due to
    prevalence, and the latter minus kappa, due to unequal use. The row also has both chance agreements, the most
    frequent category with its share, and for two raters the percentage of responses to relabel for equal shares.
    """
    shares, own = pattern_shares(patterns)
    shift = float(50 * np.abs(own[0] - own[1]).sum()) if patterns.codes.shape[1] == 2 else None
    prevalent = points.names[shares.argmax()], float(100 * shares.max()), shift
    for weights, (kappa, ac) in DIVERGENCES.items():
        if kappa not in found or (weights != "identity" and len(patterns.categories) == 2):
            continue  # with two points, all weights are equal
        one, other = found[kappa], found[ac]
        pooled = linearised(patterns, weight_matrix(weights, patterns.categories), pooled_chance)
        if pooled.reason or one.reason or other.reason:
            continue
        gap = Linearised(other.value - one.value, np.nan, np.nan, other.influence - one.influence)
        parts = other.value - pooled.value, pooled.value - one.value
        chance = 100 * one.expected, 100 * other.expected
        apart = estimate("ac_less_kappa", gap)
        yield Term(weights), estimates[kappa], estimates[ac], apart, *parts, *chance, *prevalent


COMPARED = ("ac2_quadratic", "tau_b")
"""The coefficient that the paper recommends, and the rank correlation that it would have added."""

NOT_TWICE, ONCE_TWICE = "no response was scored twice", "only one response was scored twice"


def panel_beside_raters(tallied: TalliedScores) -> dict[str, Estimate]:
    """Return engine-rater agreement minus rater-rater agreement by key, such as "degradation.tau_b"."""
    return {f"degradation.{metric}": _compared(tallied, metric) for metric in COMPARED}


def _compared(tallied: TalliedScores, metric: str) -> Estimate:
    """Return a coefficient of engine and first rater minus the raters' coefficient."""

    def without(n: int, reason: str) -> Estimate:
        return Estimate(metric, None, n, kind="difference", level=tallied.level, reason=reason)

    points = tallied.points
    if len(tallied.raters) < 2:
        return without(0, NOT_TWICE)
    both = labelled(points, (0, ENGINE)), labelled(points, (0, 1))
    n = round(both[1].n)
    if n < 2:
        return without(n, ONCE_TWICE if n else NOT_TWICE)
    if points.continuous:
        return without(n, NO_POINTS)
    own, theirs = (PANEL[metric](each.patterns) for each in both)
    if own.reason or theirs.reason:
        return without(n, own.reason or theirs.reason)
    moved = [labels.influence(one) for labels, one in zip(both, (own, theirs), strict=True)]
    value, error = own.value - theirs.value, both[1].error(moved[0] - moved[1])
    low = high = np.nan
    if error > 0:
        parts = []
        for labels, one, influence in zip(both, (own, theirs), moved, strict=True):
            at, spread = np.array([one.value]), np.array([labels.error(influence)])
            ends = limits(at, spread, np.array([labels.units - 1]), METRICS[metric].transform, tallied.level)
            parts.append(Part(at, *ends, spread))
        none = np.array([np.nan])
        (low,), (high,) = difference(parts[0], parts[1], Part(np.array([value]), none, none, np.array([error])))
    return bounded(
        metric, value, n, low, high, error, tallied.level, METHOD_OF_PARTS, "difference",
        interval_reason=no_interval(n),
    )  # fmt: skip


def panel_results(tallied: TalliedScores, *, unrounded: bool = True) -> Results:
    """Return the tables of the panel, and its overall estimates; `unrounded` rank correlations require rows."""
    ranks = unrounded_ranks(tallied) if unrounded and tallied.scale.ordered else None
    pairs, everyone = rater_panels(tallied), everyone_panel(tallied)
    shown = {"engine": engine_panel(tallied)} | ({"human": pairs[0]} if pairs else {})
    agreements = [shown["engine"], *pairs]
    if everyone:
        shown["raters"] = everyone
        agreements.append(everyone)
    tables = [_coefficients(tallied, shown, ranks)]
    if len(pairs) > 1 and not tallied.points.continuous:
        tables.append(_pairs(pairs, coefficients_of(tallied)))
    if apart := [row for each in agreements for row in each.divergences]:
        tables.append(table("panel.divergence", DIVERGENCE, apart))
    found = {
        f"panel.{key}" if name == "engine" else f"panel.{name}.{key}": estimate
        for name, agreement in shown.items()
        for key, estimate in agreement.estimates.items()
    }
    return tables, found | {f"panel.{key}_unrounded": each for key, each in (ranks.estimates if ranks else {}).items()}


def _coefficients(tallied: TalliedScores, shown: Mapping[str, Agreement], ranks: Ranks | None) -> Table:
    continuous = tallied.points.continuous
    keys = [key for key in coefficients_of(tallied) if not continuous or key in (*RANK_CORRELATIONS, "alpha_interval")]
    rows = [Row((called(key), *(each.estimates[key] for each in shown.values()))) for key in keys]
    if ranks and not continuous:
        blanks: tuple[Cell, ...] = (None,) * (len(shown) - 1)
        rows += [Row((Term(f"{key}_unrounded"), estimate, *blanks)) for key, estimate in ranks.estimates.items()]
    columns = (Column("coefficient"), *(Column(key, "", "coefficient") for key in shown))
    notes = (*_notes(tallied, len(shown)), *([Term("ranks", width=ranks.width)] if ranks else []))
    return table("panel.agreement", columns, rows, notes)


def _notes(tallied: TalliedScores, shown: int) -> tuple[str, ...]:
    notes = []
    if not tallied.points.declared and not tallied.points.continuous:
        notes.append(Term("scale_not_declared"))
    if tallied.points.step != 1 and not tallied.points.continuous:
        notes.append(Term("points_apart", step=tallied.points.step, whole=not tallied.preparation.rounding.both))
    if len(tallied.raters) > MOST_RATERS:
        notes.append(Term("first_two_of_many", raters=len(tallied.raters), most=MOST_RATERS))
    if shown > 2 and not tallied.points.continuous:
        notes.append(Term("kappa_of_several"))
    return tuple(notes)


def _pairs(pairs: tuple[Agreement, ...], keys: tuple[str, ...]) -> Table:
    rows = [Row((pair.name, pair.n, *(pair.estimates[key] for key in keys))) for pair in pairs]
    on_page = {"exact_agreement", "kappa", "kappa_quadratic", "ac1", "ac2_quadratic"}
    columns = (Column("pair"), count_column(), *(metric_column(key, shown=key in on_page) for key in keys))
    return table("panel.pairs", columns, rows)


DIVERGENCE = (
    Column("pair"),
    Column("weights"),
    count_column(),
    *columns_of(
        kappa="coefficient", ac="coefficient", difference="difference", by_prevalence="difference",
        by_unequal_use="difference", chance_kappa="percent", chance_ac="percent", prevalent="text",
        prevalence="percent", shift="percent",
        hidden=("kappa", "ac", "by_prevalence", "by_unequal_use", "prevalent", "shift"),
    ),
)  # fmt: skip
