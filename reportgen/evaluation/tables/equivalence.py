"""Overall results on true scores: PRMSE taken apart, and the engine in units of raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.evaluation.exchangeability import MOST_RATERS, Exchange, exchangeability, exchanges
from reportgen.evaluation.tables.build import metric_column, table
from reportgen.evaluation.tables.true_score import double_scoring_table, parts_table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.evaluation.true_scores import MOST_RATINGS, true_score_estimates
from reportgen.metrics import METRICS
from reportgen.results import Column, Estimate, Row, Table

NUMBERS = ("one rating", "mean of two ratings", "mean of three ratings")


def true_score_results(
    tallied: TalliedScores, estimates: Mapping[str, Estimate], thresholds: Sequence[float]
) -> tuple[list[Table], dict[str, Estimate]]:
    """Return what PRMSE is made of, what more double scores would buy, and the engine in units of raters.

    Parameters
    ----------
    estimates
        The overall estimates made so far.
    thresholds
        What PRMSE is held against.
    """
    if "true_score.prmse" not in estimates:
        return [], {}
    found = true_score_estimates(tallied)
    every = {**estimates, **found}
    planned = double_scoring_table(tallied, every, thresholds)
    tables = [parts_table(every), *([planned] if planned else ()), _ratings(every)]
    if len(tallied.raters) > 1:
        tables.append(_exchange(tallied))
        found |= exchangeability(tallied, tallied.primary)
    return tables, found


def _ratings(estimates: Mapping[str, Estimate]) -> Table:
    """Return the PRMSE of means of ratings and of the engine."""
    rows = [
        Row((NUMBERS[k - 1].capitalize(), estimates[f"true_score.prmse_of_ratings_{k}"]))
        for k in range(1, MOST_RATINGS + 1)
    ]
    rows.append(Row(("Engine", estimates["true_score.prmse"]), "overall"))
    return table(
        "human_equivalence.ratings",
        "How well means of ratings, and the engine, predict the true score",
        (Column("who", "Predictor"), metric_column("prmse")),
        rows,
        ("A mean of k ratings errs by the rater error variance divided by k; ratings of one response are taken as "
         "independent given its true score.",),
    )  # fmt: skip


def _exchange(tallied: TalliedScores) -> Table:
    """Return the agreement of rater and rater, and of rater and engine, on the responses both scored."""
    rows = []
    for score in (tallied.primary, tallied.primary_rounded):
        for each in exchanges(tallied, score):
            rows += _rows(score.type.label, each)
    columns = (
        Column("raters", "Raters"),
        Column("score_type", "Engine score"),
        Column("statistic", "Statistic"),
        metric_column("r", "raters_agree", "Rater and rater"),
        metric_column("r", "first_engine", "First rater and engine"),
        metric_column("r", "second_engine", "Second rater and engine"),
        metric_column("exchange_r", "exchange", "Engine less raters"),
        metric_column("rater_gap_r", "rater_gap", "Second less first rater"),
    )
    notes = [
        "All of a row rests on the responses that both raters scored. “Engine less raters” is the mean of the two "
        "agreements with the engine less that of the raters; both differences are paired."
    ]
    if len(tallied.raters) > MOST_RATERS:
        notes.append(f"Pairs of the first {MOST_RATERS} raters.")
    caption = "Agreement of raters with each other and with the engine, on the same responses"
    return table("human_equivalence.exchange", caption, columns, rows, notes)


def _rows(label: str, each: Exchange) -> list[Row]:
    first, second = each.raters
    return [
        Row((f"{first}, {second}", label, METRICS[metric].abbreviation, *found.values()))
        for metric, found in each.estimates.items()
    ]
