"""Human-human agreement, and the system held against it: degradation and disattenuated correlations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.evaluation.overall_agreement import overall_agreement
from reportgen.evaluation.rater_pairs import (
    AGREEMENT,
    MOST_AVERAGED,
    agreement,
    average_agreement,
    rater_pairs,
)
from reportgen.evaluation.statistics import AGREEMENT_METRICS
from reportgen.evaluation.tables.build import (
    DISCRETE_METRICS,
    called,
    count_column,
    estimate_cells,
    metric_column,
    table,
)
from reportgen.evaluation.tables.rounding import RATERS, UNLIKE, told_of_rounding
from reportgen.evaluation.tallied_scores import ScoreForm, TalliedScores
from reportgen.metrics.catalogue import in_table
from reportgen.results import Cell, Column, Row, Table
from reportgen.results.term import Term
from reportgen.tally import OVERALL


def human_tables(tallied: TalliedScores) -> list[Table]:
    """Return human-human agreement, degradation and disattenuated correlations; none without a second rater."""
    if len(tallied.raters) < 2:
        return []
    own = tallied.one_by_one
    overall = [_overall_agreement(own)] if len(own.raters) > 2 else []
    return [_raters(tallied), _human_agreement(tallied), *overall, _degradation(tallied), _disattenuated(tallied)]


def _raters(tallied: TalliedScores) -> Table:
    """Return means and SDs of the raters: the first on all responses, the first two on those that both scored."""
    if tallied.apart is not None:
        return _ratings_and_raters(tallied, tallied.apart)
    ratings = tallied.tally.cells.ratings
    weight = np.bincount(tallied.tally.slices[OVERALL].cell, tallied.tally.slices[OVERALL].sums[0], len(ratings))
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
    return _descriptives([row for row in rows if _count(row) >= least])


def _count(row: Row) -> int:
    """Return how many responses a row is about."""
    return int(str(row.cells[2]))


def _descriptives(rows: Sequence[Row]) -> Table:
    """Return means and SDs of raters; without rows of no responses: nobody scored once, or nobody twice."""
    columns = (Column("rater"), Column("which"), count_column(), *(Column(key, "", "score") for key in DESCRIBED))
    return table("human_human.descriptives", "", columns, [row for row in rows if row.cells[2]])


DESCRIBED = ("mean", "sd", "min", "max")


def _ratings_and_raters(tallied: TalliedScores, own: TalliedScores) -> Table:
    """Return means and SDs of a rating drawn of each response, and of every rater where they are told apart."""
    rows = [Row((Term("one_rating_of_each"), Term("all_responses"), *_described(tallied, 0)))]
    names = {} if own.packed else dict(enumerate(own.raters))
    rows += [
        Row((name, Term("all_ratings"), *_described(own, place)))
        for place, name in names.items()
        if place not in own.withheld.raters
    ]
    return _descriptives(rows)


def _described(tallied: TalliedScores, rater: int) -> tuple[Cell, ...]:
    """Return n, mean, SD, min and max of a column of ratings."""
    ratings, overall = tallied.tally.cells.ratings[:, rater], tallied.tally.slices[OVERALL]
    weight, given = np.bincount(overall.cell, overall.sums[0], len(ratings)), np.isfinite(ratings)
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
    """Return how two raters are called in a table."""
    return f"{tallied.raters[pair[0]]}, {tallied.raters[pair[1]]}"


def _overall_agreement(tallied: TalliedScores) -> Table:
    """Return the agreement of three or more raters at once."""
    found = overall_agreement(tallied)
    rows = [Row((Term(key), each.n, each)) for key, each in found.items()]
    columns = (Column("coefficient"), count_column(), Column("value", "", "coefficient"))
    return table("human_human.overall", "", columns, rows)


def _degradation(tallied: TalliedScores) -> Table:
    """Return engine-human agreement minus human-human agreement, with the interval of the difference."""
    rows = []
    for metric in AGREEMENT_METRICS:
        if metric == "smd" and tallied.drawn is not None:
            continue  # of two ratings drawn at random neither is the first
        score = tallied.primary_rounded if metric in DISCRETE_METRICS else tallied.primary
        slices = tallied.estimates(score)
        parts = [slices.estimate(f"{family}.{metric}") for family in ("human", "system", "degradation")]
        rows.append(Row((called(metric), score.type.label, *parts)))
    columns = (
        Column("metric"),
        Column("score_type"),
        Column("human_human", "", "coefficient"),
        Column("system_human", "", "coefficient"),
        Column("difference", "", "difference"),
    )
    return table("human_human.degradation", "", columns, rows, told_of_rounding(tallied, UNLIKE))


def _disattenuated(tallied: TalliedScores) -> Table:
    """Return correlations corrected for the unreliability of one human score."""
    rows = [disattenuated_row(tallied, score, score.type.label) for score in tallied.forms]
    return table("human_human.disattenuated", "", (Column("score_type"), *DISATTENUATED), rows)


DISATTENUATED = tuple(Column(key, "", "coefficient") for key in ("corr_HM", "corr_HH", "sqrt_HH", "corr_disattenuated"))


def disattenuated_row(
    tallied: TalliedScores, score: ScoreForm, label: str, grouping: str = OVERALL, level: int = 0
) -> Row:
    """Return one row of a table of disattenuated correlations."""
    slices = tallied.estimates(score, grouping)
    system, human = slices.estimate("system.r", level), slices.estimate("human.r", level)
    root = float(np.sqrt(human.value)) if human.value is not None and human.value >= 0 else None
    return Row((label, system, human, root, slices.estimate("disattenuated.r", level)))
