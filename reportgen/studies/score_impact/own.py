"""One's own test, from a file of item scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError, SettingsError
from reportgen.results import Source
from reportgen.results.term import Term
from reportgen.scale_scores import FEWEST_CALIBRATED, MOST_CALIBRATED_SCORE
from reportgen.sources.tabular import file_source
from reportgen.studies.files import numbers_of, table_of_file
from reportgen.studies.score_impact.test import Test

if TYPE_CHECKING:
    from reportgen.studies.score_impact import ScoreImpact

Floats = NDArray[np.float64]

FORM = Term("your_test")


@dataclass(frozen=True)
class OwnTest:
    """A file's item scores, where they come from, and what its columns are called."""

    source: Source
    test: Test
    names: dict[str, Any]


def own_test(design: ScoreImpact) -> OwnTest:
    """Return the test of a file; test takers without all item scores are left out.

    Raises
    ------
    SettingsError
        When a column that is needed is not named.
    InputError
        When a column is not there, or holds what is no item score.
    """
    file = design.file
    if file is None or design.human is None or design.system is None or not design.items:
        raise SettingsError("study score-impact: a file needs --items, --human and --system (and --human2).")
    if design.human2 is None and design.rater_error_variance is None:
        raise SettingsError("study score-impact: rater error needs --human2, or --rater-error-variance.")
    roles = (*design.items, design.human, design.system, *([design.human2] if design.human2 else []))
    table = table_of_file(file, roles)
    columns = {name: numbers_of(table, name, file) for name in roles}
    items = np.column_stack([columns[name] for name in (*design.items, design.human)])
    automated = columns[design.system]
    complete = np.isfinite(items).all(axis=1) & np.isfinite(automated)
    if complete.sum() < FEWEST_CALIBRATED:
        raise InputError(
            f"{file}: expected {FEWEST_CALIBRATED} test takers with every item score or more, found {complete.sum()}."
        )
    scores = items[complete]
    for name, own in zip((*design.items, design.human), scores.T, strict=True):
        if (own != np.rint(own)).any():
            raise InputError(f"{file}: column '{name}': expected whole item scores.")
        if own.max() == own.min():
            raise InputError(f"{file}: column '{name}': everybody has the score {own.max():g}; leave the item out.")
    second = columns[design.human2][complete] if design.human2 else np.full(int(complete.sum()), np.nan)
    lowest = _lowest(design, (*design.items, design.human), scores, file)
    scores = scores - lowest
    most = tuple(int(column.max()) for column in scores.T)
    start = float(lowest[-1])
    test = Test(
        scores.astype(np.int64), most, len(most) - 1, automated[complete] - start, second - start,
        {FORM: tuple(range(len(most)))}, tuple(int(each) for each in lowest),
    )  # fmt: skip
    told = {
        "file": file.name, "left_out": int((~complete).sum()), "item": design.human,
        "lowest": {name: int(low) for name, low in zip((*design.items, design.human), lowest, strict=True) if low},
        "lowest_given": bool(design.lowest),
    }  # fmt: skip
    return OwnTest(file_source(file, len(items), "item scores"), test, told)


def _lowest(design: ScoreImpact, names: Sequence[str], scores: Floats, file: Path) -> Floats:
    """Return the lowest score of each item, as given or as found.

    Raises
    ------
    SettingsError
        Another number of them is given than one, or one for each item.
    InputError
        A score lies below the lowest, or too far above it.
    """
    given = design.lowest
    if len(given) not in (0, 1, len(names)):
        raise SettingsError(
            f"study score-impact: lowest: expected one score, or one for each of {len(names)} items (the studied one "
            f"last), found {len(given)}."
        )
    found = scores.min(axis=0)
    lowest = found if not given else np.broadcast_to(np.array(given, np.float64), found.shape)
    for name, low, least, top in zip(names, lowest, found, scores.max(axis=0), strict=True):
        if least < low:
            raise InputError(f"{file}: column '{name}': expected scores of {low:g} or more, found {least:g}.")
        if top - low > MOST_CALIBRATED_SCORE:
            raise InputError(
                f"{file}: column '{name}': expected whole item scores within {MOST_CALIBRATED_SCORE} of the lowest, "
                f"found {top:g} above {low:g}."
            )
    return np.asarray(lowest, np.float64)
