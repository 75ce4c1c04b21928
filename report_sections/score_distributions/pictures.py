"""How often each score is given, the error at each human score, and what raters give where the engine gives a score."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from report_sections.lookup import Record, number
from report_sections.score_distributions.levels import LevelError, ScoreMeans
from report_sections.score_figures import ErrorAt, ShareAt, calibration_square, errors_at_scores, paired_shares
from reportgen.results import Cell, Estimate
from reportgen.sections import Chart, Term

DISTRIBUTION, ERRORS, CALIBRATION = "distribution.chart", "levels.by_human.chart", "calibration.chart"


def distribution_chart(rows: Sequence[Record], flagged: Collection[str], *, labels: bool = False) -> Chart:
    """Return the percentage of responses at each score, raters beside the engine.

    Parameters
    ----------
    rows
        Scores with their shares.
    flagged
        Scores beside which the difference is written.
    labels
        Whether they are labels without an order.
    """
    told = [{"score": str(row["score"]), **{who: number(row[f"{who}_percent"]) for who in ("human", "system")}}
            for row in rows]  # fmt: skip
    shares = [
        ShareAt(
            str(row["score"]),
            number(row["human_percent"]),
            number(row["system_percent"]),
            _difference(row["difference"]) if str(row["score"]) in flagged else None,
        )
        for row in rows
    ]
    axes = Term("axis_label" if labels else "axis_score"), Term("share_of_responses")
    names = Term("raters"), Term("engine")
    return paired_shares(
        DISTRIBUTION, Term("distribution_alt", rows=told), shares, names, axes, Term("engine_minus_rater")
    )


def _difference(cell: Cell) -> Estimate:
    """Return a difference of shares; that of bands has no interval."""
    return cell if isinstance(cell, Estimate) else Estimate("share_difference", number(cell), 0, kind="percent")


def error_chart(levels: Sequence[LevelError], least: int) -> Chart:
    """Return the mean error at each human score, beside what rater error alone would give.

    Parameters
    ----------
    levels
        Those of the human scores that occur, at least one.
    least
        Dots of fewer responses are hollow.
    """
    alt = Term("errors_alt", ends=[vars(levels[0]), *([vars(levels[-1])] if len(levels) > 1 else [])])
    found = [
        ErrorAt(each.at, each.error, None if each.expected is None else each.expected.value, each.beyond)
        for each in levels
    ]
    axes = Term("mean_human_score_of_level"), Term("engine_minus_rater")
    return errors_at_scores(ERRORS, alt, found, least, axes, Term("rater_error_alone"))


def calibration_chart(
    bands: Sequence[ScoreMeans], said: Mapping[str, Any], least: int, low: float, high: float
) -> Chart:
    """Return the mean human score where the engine gives a score, beside the line on which both are equal.

    Parameters
    ----------
    bands
        Those of the engine scores that occur, at least one.
    said
        What the section says of them, which the words for the chart repeat.
    least
        Dots of fewer responses are hollow.
    low, high
        Ends of the scale.
    """
    alt = Term("calibration_alt", bands=len(bands), **{key: said[key] for key in ("rows", "off", "worst")})
    human = [replace(each.human, n=each.n) for each in bands]
    axes = Term("mean_engine_score_of_band"), Term("mean_human_score")
    engine = [each.engine for each in bands]
    return calibration_square(CALIBRATION, alt, engine, human, least, (low, high), axes, Term("equal_means"))
