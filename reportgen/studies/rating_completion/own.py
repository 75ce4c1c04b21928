"""One's own matrix of ratings: found in a file, completed, and compared with what the other raters predict."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.design.score_columns import systems_by_name
from reportgen.errors import InputError, listed, write_command
from reportgen.metrics import kendall_tau_b
from reportgen.results import Column, Row, Scale, Source, Table
from reportgen.scores.scale import score_scale
from reportgen.settings import from_keywords
from reportgen.sources import column_names
from reportgen.sources.columns import as_numbers
from reportgen.sources.tabular import file_source
from reportgen.storing.csv_tables import harmless
from reportgen.studies import Floats, numbers_of, table_of_file
from reportgen.studies.completion import Completed, complete, different_orders, one_rating_each
from reportgen.studies.gaussian import predictions

Bools = NDArray[np.bool_]

FEWEST_RESPONSES = 20

METHOD = "gaussian"
"""The method that recovers ratings best in every experiment of the study, and the one that knows its error."""

WIDEST = 4.0
"""Times that the ratings of one rater may spread further than those of another on the same scale."""


@dataclass(frozen=True)
class OwnRatings:
    """A file's ratings.

    Parameters
    ----------
    table
        Every column of the file, as Arrow strings.
    ratings
        (n, raters): NaN where missing.
    names
        The columns of ratings.
    systems
        (n,): whose response each is, or None.
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
    """Return the ratings of a file: the named columns, else those that `rating_columns` finds.

    A text in a column of ratings counts as missing, as in an evaluation, and is told with its rows.

    Raises
    ------
    InputError
        When a column is not there, or there are too few of anything.
    """
    table = table_of_file(file, (*raters, *([systems] if systems else [])))
    if systems and (systems in raters or (column_names.is_human_name(systems) and is_rating(table[systems]))):
        raise InputError(
            f"{file}: --systems: '{systems}' is a column of ratings; name the column that says whose response it is, "
            "or leave --systems out."
        )
    declared = from_keywords(scale=scale).data.scale if scale else None
    ends = None if declared is None else (declared.low, declared.high)
    others = [name for name in table.schema.names if name != systems]
    chosen, left_out = (tuple(raters), ()) if raters else rating_columns(table, others, ends, file)
    if len(chosen) < 2:
        raise InputError(
            f"{file}: expected two columns of ratings or more, found {len(chosen)}; name them, as in --rater h1 "
            "--rater h2."
        )
    if len(set(chosen)) < len(chosen):
        raise InputError(f"{file}: a column of ratings is named twice; name every one once.")
    columns = {name: numbers_of(table[name], name) for name in chosen}
    ratings = np.column_stack([numbers for numbers, _ in columns.values()])
    if len(ratings) < FEWEST_RESPONSES:
        raise InputError(f"{file}: expected {FEWEST_RESPONSES} responses or more, found {len(ratings)}.")
    for name, given in zip(chosen, np.isfinite(ratings).sum(axis=0), strict=True):
        if given < 2:
            raise InputError(f"{file}: column '{name}' has {given} ratings; leave it out, or add ratings.")
    texts = [
        f"Ratings in '{name}' that are not numbers and count as missing: {len(wrong):,} (first rows: "
        f"{', '.join(str(row + 2) for row in wrong[:3])})."
        for name, (_, wrong) in columns.items()
        if len(wrong)
    ]
    known = np.isfinite(ratings).astype(np.float64)
    pairs = [(chosen[a], chosen[b]) for a, b in itertools.combinations(range(len(chosen)), 2)
             if known[:, a] @ known[:, b] < 2]  # fmt: skip
    if pairs:  # what they have in common cannot be learnt
        some = ", ".join(f"{one} and {other}" for one, other in pairs[:5])
        more = f" and {len(pairs) - 5} more pairs" if len(pairs) > 5 else ""
        texts.append(
            "These raters rated fewer than two responses together, so how they go together is not in the data: "
            f"{some}{more}."
        )
    named = np.asarray(table[systems].to_pylist(), dtype=str) if systems else None
    source, found = file_source(file, len(ratings), "ratings"), score_scale(declared, ratings)
    return OwnRatings(source, table, ratings, chosen, named, found, (*left_out, *texts))


def refuse_complete(own: OwnRatings, file: Path) -> None:
    """Refuse ratings without a gap, which leave nothing to fill."""
    if np.isfinite(own.ratings).all():
        responses, raters = own.ratings.shape
        typed = write_command("reportgen", "study", "rating-completion", "--file", file.name)
        raise InputError(
            f"{file.name}: nothing is to be filled: {raters} raters rated all {responses:,} responses. How well hidden "
            f"ratings would be recovered says: {typed}"
        )


def rating_columns(
    table: Any, names: Sequence[str], scale: tuple[float, float] | None, file: Path
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns of ratings, and sentences on columns that might be taken for some.

    Columns with the names of human scores are taken; without two of them, all columns that hold numbers like
    ratings, but for those whose names say otherwise and those off the scale.

    Raises
    ------
    InputError
        When columns hold numbers of different kinds, or the file has one row per rating.
    """
    _refuse_long(table, names, file)
    human = [name for name in names if column_names.is_human_name(name) and np.isfinite(as_numbers(table[name])).any()]
    alike = [name for name in names if is_rating(table[name])]
    systems = systems_by_name(alike, people_named=False)
    not_taken = {"their names are those of systems": systems}
    if len(human) < 2:
        families = Counter(column_names.stem(name) for name in alike)
        human = [name for name in alike if name not in systems]
        others = [name for name in human if families[column_names.stem(name)] < 2 and _names_something_else(name)]
        numbers = {name: as_numbers(table[name]) for name in human if name not in others}
        numbers = {name: every[np.isfinite(every)] for name, every in numbers.items()}
        low, high = scale or (-np.inf, np.inf)
        off = [name for name, known in numbers.items() if known.min() < low or known.max() > high]
        not_taken |= {"their names say something else": others, "they hold numbers off the scale": off}
        numbers = {name: known for name, known in numbers.items() if name not in off}
        _refuse_kinds(numbers, file)
        human = list(numbers)
    told = [f"Not taken as raters, because {why}: {', '.join(given)}." for why, given in not_taken.items() if given]
    return tuple(human), tuple(told)


def is_rating(column: Any) -> bool:
    """Return whether a column holds numbers and blanks only, with some number twice: ids do not."""
    numbers, wrong = numbers_of(column, "")
    known = numbers[np.isfinite(numbers)]
    return bool(len(known) and not len(wrong) and len(np.unique(known)) < len(known))


def _names_something_else(name: str) -> bool:
    """Return whether a name is one of items, groups, persons, ids, runs or times."""
    return (
        (column_names.names_somebody(name) and not column_names.is_human_name(name))
        or column_names.is_group_name(name)
        or column_names.first_item([name]) is not None
        or any(column_names.first_of_long(part, [name]) is not None for part in ("run", "time"))
    )


def _refuse_kinds(numbers: Mapping[str, Floats], file: Path) -> None:
    """Refuse columns whose numbers are not of one kind: which of them are ratings, the file does not say."""
    kinds: list[list[str]] = []
    for name in numbers:
        near = [kind for kind in kinds if any(_one_kind(numbers[name], numbers[other]) for other in kind)]
        kinds = [kind for kind in kinds if kind not in near] + [[*itertools.chain(*near), name]]
    if len(kinds) < 2:
        return
    kinds.sort(key=len, reverse=True)
    said = [f"{listed(kind[:3])}{', ...' if len(kind) > 3 else ''} ({_range(numbers, kind)})" for kind in kinds[:3]]
    some = "; ".join(said) + (" and more" if len(kinds) > 3 else "")
    raise InputError(
        f"{file.name}: the columns of numbers are not all ratings on one scale: {some}; name those of raters, as in "
        "--rater NAME --rater NAME."
    )


def _one_kind(one: Floats, other: Floats) -> bool:
    """Return whether two columns may hold scores on the same scale: both flags or neither, both in steps or neither."""
    flags = [np.isin(numbers, (0, 1)).all() for numbers in (one, other)]
    steps = [(np.abs(2 * numbers - np.rint(2 * numbers)) < 1e-9).mean() > 0.5 for numbers in (one, other)]
    if flags[0] != flags[1] or steps[0] != steps[1]:
        return False
    spans = np.ptp(one), np.ptp(other)
    common = min(one.max(), other.max()) - max(one.min(), other.min())
    return bool(common >= min(spans) / 2 and max(spans) <= WIDEST * min(spans))


def _range(numbers: Mapping[str, Floats], names: Sequence[str]) -> str:
    low, high = min(numbers[name].min() for name in names), max(numbers[name].max() for name in names)
    return f"{low:g} to {high:g}" if low < high else f"only {low:g}"


def _refuse_long(table: Any, names: Sequence[str], file: Path) -> None:
    """Refuse a file with one row per rating: its columns are no raters."""
    rater, score, response = (column_names.first_of_long(part, names) for part in ("rater", "score", "id"))
    if rater is None or score is None or response is None:
        return
    ids = table[response].to_pylist()
    if len(set(ids)) < len(ids):
        raise InputError(
            f"{file.name} has one row per rating (columns {listed([response, rater, score])}); complete needs a row "
            "per response and a column per rater."
        )


def fill(own: OwnRatings) -> Completed:
    """Return the completed ratings, on their scale."""
    return complete(own.ratings, METHOD, scale=own.ends)


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


def filled_table(own: OwnRatings, filled: Completed) -> Table:
    """Return, for every rater, how many ratings were filled, and how uncertain they are."""
    counts = {"given": ~filled.filled, "filled": filled.filled}
    return _by_rater("study.filled", own, counts, filled.errors, filled.filled)


def suspicious_table(own: OwnRatings) -> Table:
    """Return, for every rater, how many ratings could be predicted from others, and how many lie far off."""
    found = predictions(own.ratings)
    return _by_rater("study.suspicious", own, {"checked": found.checked, "far": found.far}, found.errors, found.checked)


def _by_rater(key: str, own: OwnRatings, counts: Mapping[str, Bools], errors: Floats, of: Bools) -> Table:
    """Return counts for every rater, and the root mean square of the errors `of` some ratings."""
    rows = []
    for k, name in enumerate(own.names):
        known = errors[of[:, k], k]
        error = float(np.sqrt((known**2).mean())) if len(known) else None
        rows.append(Row((name, *(int(each[:, k].sum()) for each in counts.values()), error)))
    columns = (Column("rater"), *(Column(each, kind="count") for each in counts), Column("error", kind="score"))
    return Table(key, "", columns, tuple(rows))


def write(own: OwnRatings, filled: Completed, folder: Path) -> None:
    """Write ``completed.csv``: every column, after each rater's whether its rating is filled, and the error of it.

    Ratings that were given keep the text they have in the file.  ``suspicious.csv`` has the ratings far from their
    prediction, the farthest first.
    """
    completed: list[tuple[str, Sequence[Any]]] = []
    for name in own.table.schema.names:
        texts = ["" if text is None else text for text in own.table[name].to_pylist()]
        if name not in own.names:
            completed.append((name, texts))
            continue
        cells = zip(
            texts,
            *(each[:, own.names.index(name)] for each in (filled.filled, filled.values, filled.errors)),
            strict=True,
        )
        made = [(f"{value:.6g}", 1, f"{error:.6g}") if gap else (text, 0, "") for text, gap, value, error in cells]
        completed += zip((name, f"{name}_filled", f"{name}_error"), zip(*made, strict=True), strict=True)
    header, columns = zip(*completed, strict=True)
    _write(folder / "completed.csv", header, zip(*columns, strict=True))
    others = predictions(own.ratings)
    places = sorted(np.argwhere(others.far).tolist(), key=lambda place: -abs(others.distances[tuple(place)]))
    numbers = (own.ratings, others.values, others.errors, others.distances)
    rows = ([row + 2, own.names[rater], *(f"{each[row, rater]:.6g}" for each in numbers)] for row, rater in places)
    _write(folder / "suspicious.csv", ["row", "rater", "rating", "predicted", "error", "distance"], rows)


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV file no cell of which a spreadsheet would run."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([[harmless(cell) for cell in row] for row in (header, *rows)])
