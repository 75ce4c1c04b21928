"""Overall results on true scores: PRMSE taken apart, and the engine in units of raters."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.evaluation.exchangeability import MOST_RATERS, Exchange, exchangeability, exchanges
from reportgen.evaluation.tables.build import called, metric_column, table
from reportgen.evaluation.tables.true_score import double_scoring_table, parts_table, rescaling_table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.evaluation.true_scores import MOST_RATINGS, true_score_estimates
from reportgen.results import Column, Estimate, Row, Table
from reportgen.results.term import Term


def true_score_results(
    tallied: TalliedScores, estimates: Mapping[str, Estimate]
) -> tuple[list[Table], dict[str, Estimate]]:
    """Return what PRMSE is made of, what more double scores would buy, and the engine in units of raters.

    Parameters
    ----------
    estimates
        The overall estimates made so far.
    """
    if "true_score.prmse" not in estimates:
        return [], {}
    found = true_score_estimates(tallied)
    every = {**estimates, **found}
    planned = double_scoring_table(tallied, every)
    rescaled = rescaling_table(tallied, every)
    tables = [parts_table(every), *(each for each in (rescaled, planned) if each), _ratings(every)]
    if len(tallied.raters) > 1:
        tables.append(_exchange(tallied))
        found |= exchangeability(tallied, tallied.primary)
    return tables, found


def _ratings(estimates: Mapping[str, Estimate]) -> Table:
    """Return the PRMSE of means of ratings and of the engine."""
    rows = [
        Row((Term("mean_of_ratings", n=k), estimates[f"true_score.prmse_of_ratings_{k}"]))
        for k in range(1, MOST_RATINGS + 1)
    ]
    rows.append(Row((Term("the_engine"), estimates["true_score.prmse"]), "overall"))
    return table("human_equivalence.ratings", "", (Column("who"), metric_column("prmse")), rows)


def _exchange(tallied: TalliedScores) -> Table:
    """Return the agreement of rater and rater, and of rater and engine, on the responses both scored."""
    rows = []
    for score in (tallied.primary, tallied.primary_rounded):
        for each in exchanges(tallied, score):
            rows += _rows(score.type.label, each)
    columns = (
        Column("raters"),
        Column("score_type"),
        Column("statistic"),
        *(Column(key, kind="coefficient") for key in ("raters_agree", "first_engine", "second_engine")),
        *(Column(key, kind="difference") for key in ("exchange", "rater_gap")),
    )
    if tallied.drawn is not None:  # two ratings drawn at random agree with the engine alike
        kept = [place for place, column in enumerate(columns) if column.key not in ("second_engine", "rater_gap")]
        columns = tuple(columns[place] for place in kept)
        rows = [Row(tuple(row.cells[place] for place in kept)) for row in rows]
    notes = (Term("pairs_of_the_first", most=MOST_RATERS),) if len(tallied.raters) > MOST_RATERS else ()
    return table("human_equivalence.exchange", "", columns, rows, notes)


def _rows(label: str, each: Exchange) -> list[Row]:
    first, second = each.raters
    return [
        Row((f"{first}, {second}", label, called(metric), *found.values())) for metric, found in each.estimates.items()
    ]
