"""Read a given matrix of ratings, complete it, and compare it with predictions from the other raters."""

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError, SettingsError, write_command
from reportgen.metrics import kendall_tau_b
from reportgen.results import Column, Row, Scale, Source, Table
from reportgen.scores import read_columns, read_tables
from reportgen.settings import from_keywords
from reportgen.sources import column_names
from reportgen.sources.columns import as_numbers
from reportgen.storing.report_folder import csv_of
from reportgen.studies.completion import Completed, different_orders, one_rating_each, predictions
from reportgen.studies.study import Floats

Bools = NDArray[np.bool_]

FEWEST_RESPONSES = 20

WIDEST = 4.0  # largest ratio of two raters' spreads on the same scale


class OwnRatings(NamedTuple):
    """The ratings of a file.

    table: every column of the file, as Arrow strings.
    ratings (n, raters): NaN if missing.
    names: the columns of ratings.
    systems (n,): the system of each response, or None.
    """

    source: Source
    table: Any
    ratings: Floats
    names: tuple[str, ...]
    systems: NDArray[Any] | None
    scale: Scale
    warnings: tuple[str, ...]

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest score."""
        return self.scale.low, self.scale.high


def own_ratings(file: Path, raters: Sequence[str], systems: str | None, scale: str | None) -> OwnRatings:
    """Read the ratings of a file from the named columns, or as in a raters-only report."""
    table, groups = read_columns(file), [systems] if systems else []
    # several systems answer one prompt, so a prompt ID does not identify a response
    prompt = column_names.first_of("id", table.schema.names) if systems else None
    settings = from_keywords(ratings_only=True, groups=groups, human=list(raters) or None, scale=scale, item=prompt)
    if systems and (systems in raters or column_names.is_human_name(systems)):
        raise InputError(
            f"{file}: --systems: '{systems}' is a column of ratings; choose the column with each response's system, or "
            "remove --systems."
        )
    try:
        (scores,) = read_tables(file, settings)
    except SettingsError as error:  # the same message, with this option's name
        raise InputError(str(error).replace("--human", "--rater")) from None
    if scores.ratings is not None:
        raise InputError(f"{file} has one row per rating; expected one row per response and one column per rater.")
    names = scores.raters
    ratings = np.full((len(scores.rows.kept), len(names)), np.nan)
    ratings[scores.rows.kept] = scores.human
    if len(names) < 2:
        raise InputError(f"{file}: expected at least two columns of ratings, found {len(names)}; add --rater NAME.")
    if len(ratings) < FEWEST_RESPONSES:
        raise InputError(f"{file}: expected at least {FEWEST_RESPONSES} responses, found {len(ratings)}.")
    known = np.isfinite(ratings).astype(np.float64)
    for name, n in zip(names, known.sum(axis=0), strict=True):
        if n < 2:
            raise InputError(f"{file}: column '{name}' has {n:.0f} ratings; exclude it, or add ratings.")
    texts = list(scores.warnings)
    if not raters:
        _refuse_unlike(ratings, names, file)
        taken = (*names, *scores.columns("id"), prompt, systems)
        others = [name for name in table.schema.names
                  if name not in taken and np.isfinite(as_numbers(table[name])).any()]  # fmt: skip
        texts += [f"Columns with numbers that are not treated as raters: {', '.join(others)}."] if others else []
    pairs = [f"{names[a]} and {names[b]}" for a, b in itertools.combinations(range(len(names)), 2)
             if known[:, a] @ known[:, b] < 2]  # fmt: skip
    if pairs:  # their covariance cannot be estimated
        more = f" and {len(pairs) - 5} more pairs" if len(pairs) > 5 else ""
        texts.append(
            "These pairs of raters share fewer than two responses, so the data does not show how they are related: "
            f"{', '.join(pairs[:5])}{more}."
        )
    named = np.asarray(table[systems].to_pylist(), dtype=str) if systems else None
    return OwnRatings(scores.source, table, ratings, names, named, scores.scale, tuple(texts))


def _refuse_unlike(ratings: Floats, names: Sequence[str], file: Path) -> None:
    low, high = np.nanmin(ratings, axis=0), np.nanmax(ratings, axis=0)
    flags, spans = (low >= 0) & (high <= 1), high - low
    if flags.any() > flags.all() or spans.max() > WIDEST * spans.min():
        said = ", ".join(f"'{name}' ({a:g} to {b:g})" for name, a, b in zip(names, low, high, strict=True))
        why = f"{file.name}: the columns of numbers are not all on one scale: {said}; name the columns of ratings, "
        raise InputError(f"{why}for example --rater NAME --rater NAME.")


def refuse_complete(own: OwnRatings, file: Path) -> None:
    """Raise if there are no missing ratings."""
    if np.isfinite(own.ratings).all():
        responses, raters = own.ratings.shape
        typed = write_command("reportgen", "study", "rating-completion", "--file", file.name)
        why = f"{file.name}: no ratings are missing ({raters} raters rated all {responses:,} responses); to test how "
        raise InputError(f"{why}well hidden ratings are recovered, run: {typed}")


def changed(own: OwnRatings, filled: Completed, seed: int) -> dict[str, Any]:
    """Compare decisions on the completed ratings with those on single ratings."""
    rng = np.random.default_rng([seed, 6])
    rated = np.isfinite(own.ratings).any(axis=1)
    single = one_rating_each(own.ratings[rated], rng)
    mean = filled.values[rated].mean(axis=1)
    opposite, pairs = (0, 0) if own.systems is None else different_orders(mean, single, own.systems[rated])
    return {
        "filled": int(filled.filled.sum()), "cells": int(filled.filled.size),
        "tau": float(kendall_tau_b(mean, single)), "opposite": opposite, "pairs": pairs,
    }  # fmt: skip


def filled_table(own: OwnRatings, filled: Completed) -> Table:
    """Return the number of imputed ratings, and their uncertainty, by rater."""
    counts = {"given": ~filled.filled, "filled": filled.filled}
    return _by_rater("study.filled", own, counts, filled.errors, filled.filled)


def suspicious_table(own: OwnRatings) -> Table:
    """Return the numbers of predictable and of suspicious ratings, by rater."""
    found = predictions(own.ratings)
    return _by_rater("study.suspicious", own, {"checked": found.checked, "far": found.far}, found.errors, found.checked)


def _by_rater(key: str, own: OwnRatings, counts: Mapping[str, Bools], errors: Floats, of: Bools) -> Table:
    rows = []
    for k, name in enumerate(own.names):
        known = errors[of[:, k], k]
        error = float(np.sqrt((known**2).mean())) if len(known) else None
        rows.append(Row((name, *(int(each[:, k].sum()) for each in counts.values()), error)))
    columns = (Column("rater"), *(Column(each, kind="count") for each in counts), Column("error", kind="score"))
    return Table(key, "", columns, tuple(rows))


def write(own: OwnRatings, filled: Completed, folder: Path) -> None:
    """Write ``completed.csv``: every column, and after each rater's whether it is imputed, and its error.

    Given ratings keep their text. ``suspicious.csv`` contains the ratings far from their prediction, the farthest
    first.
    """
    completed: list[tuple[str, Sequence[Any]]] = []
    for name in own.table.schema.names:
        texts = ["" if text is None else text for text in own.table[name].to_pylist()]
        if name not in own.names:
            completed.append((name, texts))
            continue
        place, arrays = own.names.index(name), (filled.filled, filled.values, filled.errors)
        cells = zip(texts, *(each[:, place] for each in arrays), strict=True)
        made = [(f"{value:.6g}", 1, f"{error:.6g}") if gap else (text, 0, "") for text, gap, value, error in cells]
        completed += zip((name, f"{name}_filled", f"{name}_error"), zip(*made, strict=True), strict=True)
    header, columns = zip(*completed, strict=True)
    every = csv_of([header, *zip(*columns, strict=True)])
    (folder / "completed.csv").write_text(every, encoding="utf-8", newline="")
    others = predictions(own.ratings)
    places = sorted(np.argwhere(others.far).tolist(), key=lambda place: -abs(others.distances[tuple(place)]))
    numbers = (own.ratings, others.values, others.errors, others.distances)
    rows = [[row + 2, own.names[rater], *(f"{each[row, rater]:.6g}" for each in numbers)] for row, rater in places]
    few = csv_of([["row", "rater", "rating", "predicted", "error", "distance"], *rows])
    (folder / "suspicious.csv").write_text(few, encoding="utf-8", newline="")
