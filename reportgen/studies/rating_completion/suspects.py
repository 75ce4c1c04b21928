"""Ratings of one's own file that lie far from what the other raters of the response predict."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from reportgen.results import Column, Row, Table
from reportgen.storing.csv_tables import harmless
from reportgen.studies.completion.suspicious import predictions
from reportgen.studies.rating_completion.own import OwnRatings


def suspicious_table(own: OwnRatings) -> Table:
    """Return, for every rater, how many ratings could be predicted from others, and how many lie far off."""
    found = predictions(own.ratings)
    rows = []
    for place, name in enumerate(own.names):
        errors = found.errors[found.checked[:, place], place]
        error = float(np.sqrt((errors**2).mean())) if len(errors) else None
        rows.append(Row((name, len(errors), int(found.far[:, place].sum()), error)))
    columns = (
        Column("rater"), Column("checked", kind="count"), Column("far", kind="count"), Column("error", kind="score"),
    )  # fmt: skip
    return Table("study.suspicious", "", columns, tuple(rows))


def write_suspicious(own: OwnRatings, path: Path) -> None:
    """Write the ratings far from their prediction, the farthest first: row of the file, rater, rating, prediction."""
    found = predictions(own.ratings)
    places = sorted(np.argwhere(found.far).tolist(), key=lambda place: -abs(found.distances[tuple(place)]))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", "rater", "rating", "predicted", "error", "distance"])
        for row, rater in places:
            numbers = (each[row, rater] for each in (own.ratings, found.values, found.errors, found.distances))
            writer.writerow([row + 2, harmless(own.names[rater]), *(f"{value:.6g}" for value in numbers)])
