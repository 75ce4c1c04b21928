"""System-human agreement: descriptives, association and agreement of every score type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from reportgen.evaluation.differences import design_of, dsm_of_a_fair_engine, shrunken, units
from reportgen.evaluation.rater_effects import AGREEMENT, MOST_AVERAGED, agreement, average_agreement, rater_pairs
from reportgen.evaluation.reliability import overall_agreement
from reportgen.evaluation.statistics import AGREEMENT_METRICS, DISCRETE_METRICS
from reportgen.evaluation.tables.build import (
    ENGINE,
    RATERS,
    UNLIKE,
    called,
    columns_of,
    count_column,
    estimate_cells,
    metric_column,
    table,
    told_of_rounding,
)
from reportgen.evaluation.tallied_scores import ScoreForm, TalliedScores
from reportgen.metrics.catalogue import in_table
from reportgen.metrics.group_differences import minimum_detectable_difference
from reportgen.results import Cell, Column, Mark, Row, Table
from reportgen.results.term import Term
from reportgen.tally import OVERALL, Form
from reportgen.tally.cells import rounding_of
from reportgen.tally.sums import Floats


def system_tables(tallied: TalliedScores) -> list[Table]:
    """Return descriptives, association and agreement of every score type with the first human score."""
    return [
        _descriptives(tallied),
        _of_score_types(tallied, "system_human.association"),
        _of_score_types(tallied, "system_human.agreement", told_of_rounding(tallied, ENGINE)),
    ]


def _descriptives(tallied: TalliedScores) -> Table:
    human = tallied.tally.cells.ratings[:, 0]
    rows = []
    for score in tallied.forms:
        slices = tallied.estimates(score)
        low, high = system_extremes(tallied, score)
        keys = ["system.h_mean", "system.system_mean", "system.h_sd", "system.system_sd"]
        cells = estimate_cells(slices, keys)
        extremes = (float(human.min()), float(human.max()), low, high)
        rows.append(Row((score.type.label, tallied.tally.n, *cells, *extremes, slices.estimate("system.smd"))))
    columns = (
        Column("score_type"),
        count_column(),
        metric_column("h_mean", "human_mean"),
        metric_column("system_mean"),
        metric_column("h_sd", "human_sd"),
        metric_column("system_sd"),
        *(Column(f"{who}_{end}", "", "score", shown=False) for who in ("human", "system") for end in ("min", "max")),
        metric_column("smd"),
    )
    return table("system_human.descriptives", "", columns, rows)


def system_extremes(tallied: TalliedScores, score: ScoreForm) -> tuple[float, float]:
    """Return the smallest and largest engine score in one form."""
    tally = tallied.tallies[score.family]
    overall = tally.slices[OVERALL]
    ends = extremes_in(np.array([overall.minimum[0], overall.maximum[0]]), score.form, tally.bounds)
    return float(ends[0]), float(ends[1])


def extremes_in(ends: Floats, form: Form, bounds: tuple[float, float]) -> Floats:
    """Return smallest and largest scores, given as they are, in one form."""
    if form.trimmed:
        ends = np.clip(ends, *bounds)
    return rounding_of(bounds).nearest(ends) if form.rounded else ends


def _of_score_types(
    tallied: TalliedScores,
    key: Literal["system_human.association", "system_human.agreement"],
    notes: tuple[str, ...] = (),
) -> Table:
    """Return the statistics that the catalogue has for a table; unrounded continuous scores have none on points."""
    metrics = in_table(key)
    rows = []
    for score in tallied.forms:
        keys, continuous = [f"system.{metric}" for metric in metrics], score.type.continuous
        cells = estimate_cells(tallied.estimates(score), keys, continuous=continuous)
        rows.append(Row((score.type.label, tallied.tally.n, *cells)))
    columns = (Column("score_type"), count_column(), *(metric_column(metric) for metric in metrics))
    return table(key, "", columns, rows, notes)


def group_tables(tallied: TalliedScores, grouping: str) -> list[Table]:
    """Return the tables of one group: engine-human, and human-human when there is a second rater."""
    tables = [_by_group(tallied, grouping)]
    if len(tallied.raters) > 1:
        tables += [_human_by_group(tallied, grouping), _disattenuated_by_group(tallied, grouping)]
    return tables


LEADING = ("h_mean", "system_mean", "dsm", "qwk", "rmse")
"""Statistics that every page shows of a group; the others stand in results.json and the CSV file."""

FURTHER = tuple(metric for metric in in_table("by_group") if metric not in LEADING)
LEADING_OF_RATERS = ("h_mean", "system_mean", "dsm", "qwk", "r")
FURTHER_OF_RATERS = tuple(metric for metric in in_table("human_human.by") if metric not in LEADING_OF_RATERS)
NAMED = {"h_mean": "human_mean", "h_sd": "human_sd"}
"""Columns with names of their own."""

ALL_DATA = "All data"


def all_data(tallied: TalliedScores, grouping: str) -> str:
    """Return what the row of all responses is called beside the levels of a grouping: as none of them is called."""
    levels = {label.casefold() for label in tallied.tally.slices[grouping].labels}
    name = ALL_DATA
    while name.casefold() in levels:
        name = f"{name} (all groups)"
    return name


def compared(tallied: TalliedScores) -> tuple[str, ...]:
    """Return the groupings whose levels can be compared: a single level is the whole set over again."""
    return tuple(grouping for grouping in tallied.groups if len(tallied.tally.slices[grouping].labels) > 1)


def _by_group(tallied: TalliedScores, grouping: str) -> Table:
    """Return engine-human statistics of every level, largest first; the whole set comes first."""
    largest, *_ = order = tallied.level_order(grouping)
    labels = tallied.tally.slices[grouping].labels
    detectable, beside = _detectable(tallied, grouping), _beside_dsm(tallied, grouping, order)
    overall = (all_data(tallied, grouping), *_group_cells(tallied, OVERALL, 0, None), *(None for _ in beside))
    rows = [Row(overall, "overall")]
    for level in order:
        cells = *_group_cells(tallied, grouping, level, detectable[level]), *(own.get(level) for own in beside.values())
        rows.append(Row((labels[level], *cells), _group_mark(tallied, grouping, level, is_largest=level == largest)))
    columns = (
        Column("level", grouping),
        Column("n", kind="count"),
        *_named(NAMED, "h_mean", "system_mean", "dsm"),
        Column("detectable", kind="coefficient"),
        *_named(NAMED, "qwk", "rmse"),
        *_named(NAMED, *FURTHER, shown=False),
        *(Column(key, kind="difference") for key in beside),
    )
    least, small = tallied.min_n_of(grouping), any(row.mark == "insufficient" for row in rows)
    notes = (Term("small_groups", least=least),) if small else ()
    return table(f"by_group.{grouping}", "", columns, rows, notes)


def _beside_dsm(tallied: TalliedScores, grouping: str, order: Sequence[int]) -> dict[str, Mapping[int, Cell]]:
    """Return what stands beside DSM: what a fair engine would have, and in intersections DSM drawn to main effects."""
    if grouping not in compared(tallied):
        return {}
    fair = dict(enumerate(dsm_of_a_fair_engine(tallied, grouping)))
    found: dict[str, Mapping[int, Cell]] = {"dsm_fair": fair, "dsm_shrunken": _shrunken(tallied, grouping, order)}
    return {key: cells for key, cells in found.items() if any(cell is not None for cell in cells.values())}


def _shrunken(tallied: TalliedScores, grouping: str, order: Sequence[int]) -> dict[int, Cell]:
    """Return the DSM of the judged groups of an intersection, drawn to the sum of main effects; nothing of others."""
    slices = tallied.estimates(tallied.primary, grouping)
    judged = [level for level in order if slices.sums.system.n[level] >= tallied.min_n_of(grouping)]
    design = design_of(grouping, [slices.labels[level] for level in judged], tallied.groups) if judged else None
    if design is None:
        return {}
    return dict(zip(judged, shrunken([slices.estimate("system.dsm", level) for level in judged], design), strict=True))


def _named(names: Mapping[str, str], *metrics: str, shown: bool = True) -> Iterator[Column]:
    """Yield columns without labels, some with names of their own."""
    return (replace(metric_column(metric, names.get(metric, ""), shown=shown), label="") for metric in metrics)


def _detectable(tallied: TalliedScores, grouping: str) -> list[Cell]:
    """Return for every level the smallest DSM that would probably be seen; None where nothing can be said."""
    slices = tallied.estimates(tallied.primary, grouping)
    errors = [slices.estimate("system.dsm", level).standard_error for level in range(len(slices.labels))]
    alone = len(slices.labels) == 1
    found = minimum_detectable_difference(
        np.array([np.nan if error is None or alone else error for error in errors]), units(tallied, grouping)[0] - 1
    )
    return [float(value) if np.isfinite(value) and value > 0 else None for value in found]


def _group_cells(tallied: TalliedScores, grouping: str, level: int, detectable: Cell) -> tuple[Cell, ...]:
    trimmed = tallied.estimates(tallied.primary, grouping)
    rounded = tallied.estimates(tallied.primary_rounded, grouping)
    # the whole set differs from itself by nothing: a difference of standardized means has no meaning there
    dsm: Cell = None if len(trimmed.labels) == 1 else trimmed.estimate("system.dsm", level)
    before = estimate_cells(trimmed, ("system.h_mean", "system.system_mean"), level)
    n = round(trimmed.sums.system.n[level])
    after = [
        (rounded if metric in DISCRETE_METRICS else trimmed).estimate(f"system.{metric}", level)
        for metric in ("qwk", "rmse", *FURTHER)
    ]
    return (n, *before, dsm, detectable, *after)


def _group_mark(tallied: TalliedScores, grouping: str, level: int, *, is_largest: bool) -> Mark:
    """Return how a level's row is marked: too small to be judged, or the largest; the verdict adds its flags."""
    if grouping not in compared(tallied):
        return ""
    estimate = tallied.estimates(tallied.primary, grouping).estimate("system.dsm", level)
    if estimate.value is None or estimate.n < tallied.min_n_of(grouping):
        return "insufficient"
    return "reference" if is_largest else ""


def _human_by_group(tallied: TalliedScores, grouping: str) -> Table:
    labels = tallied.tally.slices[grouping].labels
    rows = [Row((all_data(tallied, grouping), *_human_group_cells(tallied, OVERALL, 0)), "overall")]
    rows += [Row((labels[level], *_human_group_cells(tallied, grouping, level)))
             for level in tallied.level_order(grouping, "human")]  # fmt: skip
    columns = (
        Column("level", grouping),
        Column("n", kind="count"),
        *_named({"h_mean": "h1_mean", "system_mean": "h2_mean"}, *LEADING_OF_RATERS),
        *_named({}, *FURTHER_OF_RATERS, shown=False),
    )
    return table(f"human_human.by.{grouping}", "", columns, rows)


def _human_group_cells(tallied: TalliedScores, grouping: str, level: int) -> tuple[Cell, ...]:
    slices = tallied.estimates(tallied.primary_rounded, grouping)
    metrics = (*LEADING_OF_RATERS, *FURTHER_OF_RATERS)
    cells = list(estimate_cells(slices, [f"human.{m}" for m in metrics], level))
    if len(slices.labels) == 1:
        cells[metrics.index("dsm")] = None  # as in `_group_cells`
    return (round(slices.sums.human.n[level]), *cells)


def _disattenuated_by_group(tallied: TalliedScores, grouping: str) -> Table:
    labels = tallied.tally.slices[grouping].labels
    rows = [
        disattenuated_row(tallied, tallied.primary, labels[level], grouping, level)
        for level in tallied.level_order(grouping, "human")
    ]
    columns = (Column("level", grouping), *DISATTENUATED)
    return table(f"human_human.disattenuated.by.{grouping}", "", columns, rows)


def human_tables(tallied: TalliedScores) -> list[Table]:
    """Return human-human agreement, degradation and disattenuated correlations; none without a second rater."""
    if len(tallied.raters) < 2:
        return []
    own = tallied.one_by_one
    overall = [_overall_agreement(own)] if len(own.raters) > 2 else []
    # of two ratings drawn at random neither is the first
    metrics = [metric for metric in AGREEMENT_METRICS if metric != "smd" or tallied.drawn is None]
    degradation = degradation_table(tallied, "human_human.degradation", metrics, told_of_rounding(tallied, UNLIKE))
    return [_raters(tallied), _human_agreement(tallied), *overall, degradation, _disattenuated(tallied)]


def _raters(tallied: TalliedScores) -> Table:
    """Return means and SDs of the raters: the first on all responses, the first two on those that both scored."""
    if tallied.apart is not None:
        return _ratings_and_raters(tallied, tallied.apart)
    ratings = tallied.tally.cells.ratings
    weight = tallied.tally.weights
    first, second, *others = tallied.raters
    both = np.isfinite(ratings[:, 0]) & np.isfinite(ratings[:, 1])
    # with three raters "scored once" would be wrong: the third may have scored these too
    once = [] if others else [(first, "scored_once", 0, np.isfinite(ratings[:, 0]) & ~both)]
    rows = [
        Row((name, Term(which), *_describe(ratings[keep, rater], weight[keep])))
        for name, which, rater, keep in (
            (first, "all_responses", 0, np.isfinite(ratings[:, 0])),
            *((other, "all_it_scored", rater, np.isfinite(ratings[:, rater]))
              for rater, other in enumerate(others, start=2) if rater not in tallied.withheld.raters),
            *once,
            (first, "scored_by_both", 0, both),
            (second, "scored_by_both", 1, both),
        )
    ]  # fmt: skip
    least = tallied.withheld.least
    if any(0 < _count(row) < least for row in rows if row.cells[1] == "scored_once"):  # all less both would be these
        rows = [row for row in rows if row.cells[0] != first or row.cells[1] == "all_responses"]
    return _descriptives_of_raters([row for row in rows if _count(row) >= least])


def _count(row: Row) -> int:
    return int(str(row.cells[2]))


def _descriptives_of_raters(rows: Sequence[Row]) -> Table:
    """Return means and SDs of raters; without rows of no responses: nobody scored once, or nobody twice."""
    columns = (
        Column("rater"),
        Column("which"),
        count_column(),
        *columns_of(mean="score", sd="score", min="score", max="score"),
    )
    return table("human_human.descriptives", "", columns, [row for row in rows if row.cells[2]])


def _ratings_and_raters(tallied: TalliedScores, own: TalliedScores) -> Table:
    """Return means and SDs of a rating drawn of each response, and of every rater where they are told apart."""
    rows = [Row((Term("one_rating_of_each"), Term("all_responses"), *_described(tallied, 0)))]
    names = {} if own.packed else dict(enumerate(own.raters))
    rows += [
        Row((name, Term("all_ratings"), *_described(own, place)))
        for place, name in names.items()
        if place not in own.withheld.raters
    ]
    return _descriptives_of_raters(rows)


def _described(tallied: TalliedScores, rater: int) -> tuple[Cell, ...]:
    """Return n, mean, SD, min and max of a column of ratings."""
    ratings, weight = tallied.tally.cells.ratings[:, rater], tallied.tally.weights
    given = np.isfinite(ratings)
    return _describe(ratings[given], weight[given])


def _describe(values: np.ndarray, weight: np.ndarray) -> tuple[Cell, ...]:
    """Return n, mean, SD, min and max of weighted values."""
    n = float(weight.sum())
    if n == 0:
        return (0, None, None, None, None)
    mean = float((weight * values).sum() / n)
    sd = float(np.sqrt((weight * (values - mean) ** 2).sum() / (n - 1))) if n > 1 else None
    return (round(n), mean, sd, float(values.min()), float(values.max()))


PAIR_METRICS = in_table("human_human.agreement")

PAPER = 5
"""Statistics of two raters that a page shows; the CSV file has all."""


def _human_agreement(tallied: TalliedScores) -> Table:
    """Return the agreement of every two raters; with three or more, their average."""
    slices = tallied.estimates(tallied.primary_rounded)
    cells = estimate_cells(slices, [f"human.{metric}" for metric in PAIR_METRICS])
    pairs = rater_pairs(tallied)
    rows = [Row((_pair_name(tallied, pairs[0]), round(slices.sums.human.n[0]), *cells))]
    own, others = tallied, pairs[1:]
    if tallied.apart is not None:
        own, others = tallied.apart, [] if tallied.packed else rater_pairs(tallied.apart)
        pairs = others
    for pair in others:
        found = agreement(own, *pair)
        rows.append(Row((_pair_name(own, pair), found["qwk"].n, *(found[metric] for metric in PAIR_METRICS))))
    if 1 < len(pairs) <= MOST_AVERAGED:
        mean = average_agreement(own, pairs)
        of_pairs = [mean[metric] if metric in AGREEMENT and metric != "smd" else None for metric in PAIR_METRICS]
        rows.append(Row((Term("average_of_pairs"), mean["qwk"].n, *of_pairs), "overall"))
    shown = (metric_column(metric, shown=place < PAPER) for place, metric in enumerate(PAIR_METRICS))
    columns = (Column("pair"), count_column(), *shown)
    return table("human_human.agreement", "", columns, rows, told_of_rounding(tallied, RATERS))


def _pair_name(tallied: TalliedScores, pair: tuple[int, int]) -> str:
    return f"{tallied.raters[pair[0]]}, {tallied.raters[pair[1]]}"


def _overall_agreement(tallied: TalliedScores) -> Table:
    found = overall_agreement(tallied)
    rows = [Row((Term(key), each.n, each)) for key, each in found.items()]
    columns = (Column("coefficient"), count_column(), Column("value", "", "coefficient"))
    return table("human_human.overall", "", columns, rows)


def degradation_table(
    tallied: TalliedScores, key: str, metrics: Sequence[str], notes: tuple[str, ...] = (), *, types: bool = True
) -> Table:
    """Return engine-human agreement minus human-human agreement, with the interval of the difference.

    types: Whether the score type of each is named.
    """
    rows = []
    for metric in metrics:
        score = tallied.primary_rounded if metric in DISCRETE_METRICS else tallied.primary
        slices = tallied.estimates(score)
        parts = [slices.estimate(f"{family}.{metric}") for family in ("human", "system", "degradation")]
        rows.append(Row((called(metric), *([score.type.label] if types else []), *parts)))
    columns = (
        *columns_of(metric="text"),
        *(columns_of(score_type="text") if types else ()),
        *columns_of(human_human="coefficient", system_human="coefficient", difference="difference"),
    )
    return table(key, "", columns, rows, notes)


def _disattenuated(tallied: TalliedScores) -> Table:
    rows = [disattenuated_row(tallied, score, score.type.label) for score in tallied.forms]
    return table("human_human.disattenuated", "", (Column("score_type"), *DISATTENUATED), rows)


DISATTENUATED = columns_of(
    corr_HM="coefficient", corr_HH="coefficient", sqrt_HH="coefficient", corr_disattenuated="coefficient"
)


def disattenuated_row(
    tallied: TalliedScores, score: ScoreForm, label: str, grouping: str = OVERALL, level: int = 0
) -> Row:
    """Return one row of a table of disattenuated correlations."""
    slices = tallied.estimates(score, grouping)
    system, human = slices.estimate("system.r", level), slices.estimate("human.r", level)
    root = float(np.sqrt(human.value)) if human.value is not None and human.value >= 0 else None
    return Row((label, system, human, root, slices.estimate("disattenuated.r", level)))
