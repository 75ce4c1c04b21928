"""Effects of one item on reported scores: scale scores with either score, their differences, and tables."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen import scale_scores
from reportgen.errors import SettingsError
from reportgen.evaluation.measure import row_estimate
from reportgen.evaluation.points import in_whole_points, rounding_on
from reportgen.evaluation.statistics import NO_VARIATION
from reportgen.evaluation.tables.agreement import all_data
from reportgen.evaluation.tables.build import columns_of, table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import reported_scores as formulas
from reportgen.results import Cell, Column, Estimate, Kind, Mark, Row, Table, Term, round_step
from reportgen.scale_scores import Reported, Reporting, report_scores
from reportgen.scores import ScoreTable
from reportgen.settings.models import ImpactSettings
from reportgen.tally import Floats, RowFeatures, RowStatistics, rowwise
from reportgen.wording.numbers import point

ABILITY_ENDS = (-4.0, 4.0)  # default range of reported abilities


class TwiceReported(NamedTuple):
    """Test takers whose reported scores are compared.

    here (responses,): their responses.
    items (n, k - 1): scores of the other items; no columns if only the item's weight is known.
    human, other (n,): two scores of the item, weighted.
    by_human, by_other: reported score with either.
    candidates (n,): codes of the test takers, if these are the units.
    reporting: transformation to scale scores.
    tallied: the counted scores of all responses.
    problem: why there are no scale scores; empty otherwise.
    """

    here: NDArray[np.bool_]
    items: Floats
    human: Floats
    other: Floats
    by_human: Reported
    by_other: Reported
    candidates: NDArray[np.integer] | None
    reporting: Reporting
    tallied: TalliedScores
    problem: str = ""

    @property
    def n(self) -> int:
        """Number of test takers."""
        return len(self.human)


def operational_scores(system: Floats, tallied: TalliedScores) -> Floats:
    """Return engine scores as reported: rescaled if requested, trimmed, on the points of the scale."""
    trimmed, scale = tallied.preparation.primary(system), tallied.scale
    if scale.step == 0:
        return trimmed
    low, high = tallied.preparation.trim
    nearest = rounding_on(scale, as_rsmtool=False).nearest(trimmed)
    return nearest if in_whole_points(scale) else np.clip(nearest, low, high)


def reported_by_raters(scores: ScoreTable, tallied: TalliedScores, impact: ImpactSettings) -> TwiceReported | None:
    """Return scale scores with the first and with the second human score; None if unknown.

    Item response theory is excluded, because it would calibrate all items on the few double-scored test takers.
    """
    if scores.human.shape[1] < 2 or impact.scoring == "irt":
        return None
    here = scores.with_all_items & np.isfinite(scores.human[:, 1])
    return reported_twice(scores, tallied, impact, here, scores.human[:, 1]) if here.sum() > 1 else None


def reported_twice(
    scores: ScoreTable, tallied: TalliedScores, impact: ImpactSettings, here: NDArray[np.bool_], other: Floats
) -> TwiceReported:
    """Return scale scores of the responses `here` with the first human score, and with the `other` score."""
    items = np.empty((int(here.sum()), 0)) if scores.item_scores is None else scores.item_scores[here]
    weight = impact.weight or 1.0
    human, other = weight * scores.human[here, 0], weight * other[here]
    reporting, none = _reporting(impact), Reported.none(len(items), "")
    candidates = scores.candidates[here] if tallied.by_candidate and scores.candidates is not None else None
    twice = TwiceReported(here, items, human, other, none, none, candidates, reporting, tallied)
    if not reporting.summed:
        return _calibrated(twice, (*scores.columns("item score"), scores.raters[0]))
    if len(items) < 2:
        return twice._replace(problem=Term("problem.few_with_every_item", n=len(items), of=scores.kept))
    most = [0] * (items.shape[1] + 1)
    by_human, by_other = (report_scores(np.column_stack([items, own]), most, reporting) for own in (human, other))
    return twice._replace(by_human=by_human, by_other=by_other)


def _reporting(impact: ImpactSettings) -> Reporting:
    summed = impact.scoring == "summed"
    ends = (-np.inf, np.inf) if summed else tuple(impact.slope * end + impact.intercept for end in ABILITY_ENDS)
    low, high = (end if given is None else given for given, end in zip((impact.low, impact.high), ends, strict=True))
    return Reporting(impact.slope, impact.intercept, low, high, impact.cuts, summed=summed)


def _calibrated(twice: TwiceReported, names: Sequence[str]) -> TwiceReported:
    """Return scale scores by item response theory, calibrated with either score and linked by the other items."""
    if twice.n < scale_scores.FEWEST_CALIBRATED:
        return twice._replace(problem=Term("problem.few_to_calibrate", n=twice.n, least=scale_scores.FEWEST_CALIBRATED))
    both = np.concatenate([twice.human, twice.other])
    items = [(name, column, column) for name, column in zip(names[:-1], twice.items.T, strict=True)]
    checked = [*items, (names[-1], twice.human, both), ("", twice.other, both)]
    if problem := next(filter(None, (_unfit(*each) for each in checked)), ""):
        return twice._replace(problem=problem)
    of_others, start = (twice.items - twice.items.min(axis=0)).astype(np.int64), both.min()
    human, other = (np.column_stack([of_others, (own - start).astype(np.int64)]) for own in (twice.human, twice.other))
    most = np.maximum(human, other).max(axis=0).tolist()
    by_human = report_scores(human, most, twice.reporting)
    if by_human.problem or by_human.calibration is None:
        return twice._replace(problem=by_human.problem)
    base = scale_scores.base_items(by_human.calibration, twice.reporting)
    by_other = report_scores(other, most, twice.reporting, base, by_human.calibration.items)
    return twice._replace(by_human=by_human, by_other=by_other, problem=by_other.problem)


def _unfit(column: str, scores: Floats, points: Floats) -> str:
    """Return why an item's scores (without a column, the engine's) cannot be calibrated, given the range `points`."""
    if (points != np.rint(points)).any():
        return Term("problem.between_whole_numbers", column=column)
    low, high = float(points.min()), float(points.max())
    if low == high:
        return Term("problem.same_for_everybody", column=column, score=low)
    if high - low > scale_scores.MOST_CALIBRATED_SCORE:
        return Term("problem.too_many_steps", column=column, most=scale_scores.MOST_CALIBRATED_SCORE)
    unused = sorted(set(range(int(low), int(high) + 1)) - set(scores.astype(int).tolist()))
    return Term("problem.unused_score", column=column, score=unused[0]) if unused else ""


KNOWN_ITEMS = "; item parameters taken as known"
NO_MOVE = "no scale score differs"
UNKNOWN_ITEMS = "the calibrations of the items add most of the uncertainty, and that is not estimated"

LEVELS = ("same_level", "lower", "higher")  # percentages of test takers by performance level with the other score

KINDS: Mapping[str, tuple[Kind, str]] = {
    **dict.fromkeys(("mean_difference", "alpha_change"), ("difference", "none")),
    "mean": ("score", "none"),
    **dict.fromkeys(("rmsd", "sd", "sem_reference", "sem_other"), ("score", "log")),
    **dict.fromkeys(("alpha_reference", "alpha_other"), ("coefficient", "log1m")),
    **dict.fromkeys(LEVELS, ("percent", "wilson")),
}
"""Number format and interval scale by statistic."""

OF_CALIBRATIONS = frozenset({*LEVELS, "sem_reference", "sem_other"})
"""Statistics whose sampling error is mostly due to calibration: with known item parameters, their standard errors are a
quarter to a half of the true ones."""

Mask = NDArray[np.bool_]


def moved(twice: TwiceReported, among: Mask | None = None) -> dict[str, Estimate]:
    """Return mean difference and RMSD of scale scores, and changes of level, `among` some or all test takers."""
    chosen = np.ones(twice.n, np.bool_) if among is None else among
    reference, other = twice.by_human.scores[chosen], twice.by_other.scores[chosen]
    found = _estimates(formulas.movement_features(reference, other), formulas.movement, twice, chosen)
    if twice.reporting.cuts:
        gap = twice.by_other.levels[chosen] - twice.by_human.levels[chosen]
        parts = {
            key: np.where(here, 100.0, 0.0) for key, here in zip(LEVELS, (gap == 0, gap < 0, gap > 0), strict=True)
        }
        found |= _means(parts, twice, chosen)
    return found


def described(twice: TwiceReported) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
    """Return mean and SD of the scale scores with the human, and with the other score."""

    def of(scores: Floats) -> dict[str, Estimate]:
        middle = float(scores.mean())

        def shifted(sums: Mapping[str, Floats]) -> dict[str, Floats]:
            return {"mean": middle + formulas.spread(sums)["mean"], "sd": formulas.spread(sums)["sd"]}

        return _estimates(formulas.spread_features(scores), shifted, twice)

    return of(twice.by_human.scores), of(twice.by_other.scores)


def precision(twice: TwiceReported) -> dict[str, Estimate]:
    """Return alpha with either score of the item, its change, and the standard errors of measurement."""
    if not twice.items.shape[1]:
        return {}
    slope = twice.reporting.slope
    features = formulas.reliability_features(twice.items, twice.human, twice.other)
    found = _estimates(features, lambda sums: formulas.reliability(sums, slope), twice)
    conditional = {"sem_reference": twice.by_human.errors, "sem_other": twice.by_other.errors}
    known = {key: errors for key, errors in conditional.items() if errors is not None}
    return found | (_means(known, twice) if known else {})


def _means(parts: Mapping[str, Floats], twice: TwiceReported, among: Mask | None = None) -> dict[str, Estimate]:
    n = np.ones(len(next(iter(parts.values()))))
    return _estimates({"n": n, **parts}, lambda sums: {key: sums[key] / sums["n"] for key in parts}, twice, among)


def _estimates(
    features: RowFeatures, statistics: RowStatistics, twice: TwiceReported, among: Mask | None = None
) -> dict[str, Estimate]:
    """Return every statistic of sums over test takers, by response or test taker as unit."""
    candidates, n, made = twice.candidates, len(features["n"]), {}
    if candidates is not None and among is not None:
        candidates = candidates[among]
    for key, numbers in rowwise(features, statistics, candidates).items():
        (kind, transform), value, name = KINDS[key], float(numbers.value[0]), f"impact.{key}"
        if key in OF_CALIBRATIONS and not twice.reporting.summed and np.isfinite(value):
            made[key] = Estimate(name, value, n, level=twice.tallied.level, kind=kind, interval_reason=UNKNOWN_ITEMS)
            continue
        why = NO_MOVE if key == "rmsd" and value == 0 else NO_VARIATION
        found = row_estimate(name, numbers, twice.tallied, kind, transform, interval_reason=why)
        known_items = found.method and not twice.reporting.summed
        made[key] = replace(found, method=found.method + KNOWN_ITEMS) if known_items else found
    return made


ENGINE, FIRST_RATER, SECOND_RATER = Term("engine"), Term("first_rater"), Term("second_rater")
"""Scorers of the item, as names of rows."""

MOST_MOVES = 12  # largest number of distinct differences; more are counted in bands of a round width

MOVED = ("mean_difference", "rmsd")
NAMED_OVERALL = (*MOVED, *LEVELS, "alpha_reference", "alpha_other", "alpha_change", "sem_reference", "sem_other")

Results = tuple[list[Table], dict[str, Estimate], dict[str, Any]]


def impact_results(scores: ScoreTable, tallied: TalliedScores, impact: ImpactSettings) -> Results:
    """Return tables, overall estimates, and facts about reported scores."""
    if tallied.drawn:
        raise SettingsError(
            "reported scores require a score of record, but raters are interchangeable; name one with --record NAME, "
            "or remove item scores and [impact]."
        )
    system = operational_scores(scores.system, tallied)
    twice = reported_twice(scores, tallied, impact, scores.with_all_items, system)
    known = {"withheld": _withheld(tallied), "share": _share(twice, impact)}
    facts = {"impact": _facts(scores, twice, impact) | known}
    if twice.problem:
        return [], {}, facts
    overall = moved(twice) | precision(twice)
    by_raters = reported_by_raters(scores, tallied, impact)
    rows = [Row((ENGINE, *_move_cells(overall)), "overall")]
    rows += [] if by_raters is None else [Row((SECOND_RATER, *_move_cells(moved(by_raters))))]
    tables = [
        *([_scores(twice, overall)] if twice.items.shape[1] else []),
        table("impact.differences", (Column("scored_by"), *_move_columns(overall)), rows, (Term("rmsd_note"),)),
        _moves(twice),
        *([_levels(twice)] if impact.cuts else []),
        *(_by_group(scores, twice, grouping, overall) for grouping in tallied.groups),
    ]
    return tables, {f"impact.{key}": overall[key] for key in NAMED_OVERALL if key in overall}, facts


def _facts(scores: ScoreTable, twice: TwiceReported, impact: ImpactSettings) -> dict[str, Any]:
    calibrations = [twice.by_human.calibration, twice.by_other.calibration]
    return {
        "problem": twice.problem,
        "n": twice.n,
        "left_out": scores.kept - twice.n,
        "items": twice.items.shape[1],
        "scoring": impact.scoring,
        "weight": impact.weight or 1.0,
        **{key: getattr(impact, key) for key in ("slope", "intercept", "low", "high")},
        "cuts": list(impact.cuts),
        "converged": all(found is None or found.converged for found in calibrations),
    }


def _share(twice: TwiceReported, impact: ImpactSettings) -> float | None:
    """Return the item's share of the points of the test, in percent; None if other items have no points."""
    own = (impact.weight or 1.0) * (twice.tallied.scale.high - twice.tallied.scale.low)
    if not twice.items.size or own <= 0:
        return None
    return 100 * own / (own + float(np.ptp(twice.items, axis=0).sum()))


def required_by_share(share: float, items: int) -> dict[str, float]:
    """Return the PRMSE that an item needs for its share, in percent, of the points of a test.

    The `limit` is this PRMSE with three decimals, as shown in reports and required by policies.

    items: number of such items that the engine scores.
    Raises SettingsError: If they have more points than the test.
    """
    if items * share > 100:
        text = f"impact.machine_scored: {items} items with {share:g}% of the points each exceed the test; "
        raise SettingsError(f"{text}expected at most {100 // share:.0f}.")
    needed = formulas.required_prmse(share / 100, items)
    return {
        "share": share,
        "items": items,
        "prmse": needed,
        "limit": round(needed, 3),
        "reference_share": 100 * formulas.REFERENCE_SHARE,
        "largest_share": 100 * formulas.LARGEST_SHARE,
        "largest_limit": round(formulas.required_prmse(formulas.LARGEST_SHARE, items), 3),
        "reference_prmse": formulas.REFERENCE_PRMSE,
    }


def _withheld(tallied: TalliedScores) -> dict[str, int]:
    """Return how many groups of each grouping are shown elsewhere, but not for reported scores."""
    found = {}
    for grouping in tallied.groups:
        labels, order = tallied.tally.slices[grouping].labels, tallied.level_order(grouping)
        if n := sum(tallied.withheld.hides_reported(grouping, labels[level]) for level in order):
            found[grouping] = n
    return found


def _scores(twice: TwiceReported, overall: dict[str, Estimate]) -> Table:
    rows = []
    for name, key, own in zip((FIRST_RATER, ENGINE), ("reference", "other"), described(twice), strict=True):
        rows.append(Row((name, twice.n, own["mean"], own["sd"], overall[f"alpha_{key}"], overall[f"sem_{key}"])))
    columns = columns_of(scored_by="text", n="count", mean="score", sd="score", alpha="coefficient", sem="score")
    return table("impact.scores", columns, rows, (Term("precision_note", summed=twice.reporting.summed),))


def _move_columns(found: dict[str, Estimate]) -> tuple[Column, ...]:
    return columns_of(n="count", **{key: KINDS[key][0] for key in (*MOVED, *LEVELS) if key in found})


def _move_cells(found: dict[str, Estimate]) -> tuple[Cell, ...]:
    return (found["rmsd"].n, *(found[key] for key in (*MOVED, *LEVELS) if key in found))


def _by_group(scores: ScoreTable, twice: TwiceReported, grouping: str, overall: dict[str, Estimate]) -> Table:
    """Return the differences of scale scores in every shown group, largest first."""
    coded, tallied = scores.groups[grouping], twice.tallied
    codes, places = coded.codes[twice.here], {label: code for code, label in enumerate(coded.labels)}
    labels = tallied.tally.slices[grouping].labels
    rows = [Row((all_data(tallied, grouping), *_move_cells(overall)), "overall")]
    for level in tallied.level_order(grouping):
        among = codes == places[labels[level]]
        n = int(among.sum())
        if n and not tallied.withheld.hides_reported(grouping, labels[level]):
            mark: Mark = "insufficient" if n < tallied.min_n_of(grouping) else ""
            rows.append(Row((labels[level], *_move_cells(moved(twice, among))), mark))
    return table(f"impact.by_group.{grouping}", (Column("level", grouping), *_move_columns(overall)), rows)


def _moves(twice: TwiceReported) -> Table:
    gaps = np.round(twice.by_other.scores - twice.by_human.scores, 9)
    values, counts = np.unique(gaps, return_counts=True)
    width = 0.0
    if len(values) > MOST_MOVES:
        width = round_step(float(values[0]), float(values[-1]), MOST_MOVES)
        bands = np.rint(gaps / width).astype(int)
        steps = range(int(bands.min()), int(bands.max()) + 1)
        counts = np.array([(bands == step).sum() for step in steps])
        values = width * np.array(steps)
    rows = [Row((float(value), int(n), 100 * float(n) / twice.n)) for value, n in zip(values, counts, strict=True)]
    notes = (Term("bands_of_points", width=width),) if width else ()
    return table("impact.moves", columns_of(difference="text", n="count", share="percent"), rows, notes)


def _levels(twice: TwiceReported) -> Table:
    names = level_names(twice.reporting.cuts)
    size = len(names)
    counts = np.zeros((size, size), int)
    np.add.at(counts, (twice.by_human.levels, twice.by_other.levels), 1)
    rows = [Row((name, *line, sum(line))) for name, line in zip(names, counts.tolist(), strict=True)]
    levels = (Column(f"level_{place}", name, "count") for place, name in enumerate(names, start=1))
    return table("impact.levels", (Column("level"), *levels, Column("total", kind="count")), rows)


def level_names(cuts: Sequence[float]) -> list[str]:
    """Return names of performance levels in symbols that need no translation.

    >>> level_names([45, 55.5])
    ['< 45', '45–<55.5', '≥ 55.5']
    """
    points = [point(cut) for cut in cuts]
    return [f"< {points[0]}", *[f"{low}–<{high}" for low, high in pairwise(points)], f"≥ {points[-1]}"]
