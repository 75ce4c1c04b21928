"""From item scores to reported scores: scale scores, their precision, performance levels."""

from reportgen.scale_scores.reported_scores import (
    FEWEST_CALIBRATED,
    MOST_CALIBRATED_SCORE,
    Reported,
    Reporting,
    base_items,
    report_scores,
)

__all__ = ["FEWEST_CALIBRATED", "MOST_CALIBRATED_SCORE", "Reported", "Reporting", "base_items", "report_scores"]
