"""One's own ratings completed: the file, and what the completion changes."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.metrics import kendall_tau_b
from reportgen.storing.csv_tables import harmless
from reportgen.studies.completion import Completed, complete
from reportgen.studies.completion.decisions import different_orders, one_rating_each
from reportgen.studies.rating_completion.own import OwnRatings

METHOD = "gaussian"
"""The method that recovers ratings best in every experiment of the study, and the one that knows its error."""


def fill(own: OwnRatings) -> Completed:
    """Return the completed ratings, on their scale."""
    return complete(own.ratings, METHOD, scale=own.scale)


def changed(own: OwnRatings, filled: Completed, seed: int) -> dict[str, Any]:
    """Return how a decision on the completed ratings differs from one on a single rating each."""
    rng = np.random.default_rng([seed, 6])
    rated = np.isfinite(own.ratings).any(axis=1)
    single = one_rating_each(own.ratings[rated], rng)
    mean = filled.values[rated].mean(axis=1)
    opposite, pairs = (0, 0) if own.systems is None else different_orders(mean, single, own.systems[rated])
    return {
        "filled": int(filled.filled.sum()),
        "cells": int(filled.filled.size),
        "tau": float(kendall_tau_b(mean, single)),
        "opposite": opposite,
        "pairs": pairs,
    }


def write(own: OwnRatings, filled: Completed, path: Path) -> None:
    """Write every column of the file; after each rater's, whether its rating is filled, and the error of it.

    Ratings that were given keep the text they have in the file.
    """
    place = {name: index for index, name in enumerate(own.names)}
    header: list[str] = []
    columns: list[list[Any]] = []
    for name in own.table.schema.names:
        texts = ["" if text is None else text for text in own.table[name].to_pylist()]
        header.append(name)
        if name not in place:
            columns.append(texts)
            continue
        index = place[name]
        gaps = filled.filled[:, index]
        values, errors = filled.values[:, index], filled.errors[:, index]
        columns.append([f"{values[i]:.6g}" if gaps[i] else text for i, text in enumerate(texts)])
        columns.append([int(gap) for gap in gaps])
        columns.append([f"{errors[i]:.6g}" if gaps[i] else "" for i in range(len(texts))])
        header += [f"{name}_filled", f"{name}_error"]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([harmless(name) for name in header])
        writer.writerows([[harmless(cell) for cell in row] for row in zip(*columns, strict=True)])
