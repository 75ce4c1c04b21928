"""One's own test, from a file of item scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.errors import InputError, SettingsError
from reportgen.reporting import FEWEST_CALIBRATED, MOST_CALIBRATED_SCORE
from reportgen.results import Source
from reportgen.scores.tabular import file_source
from reportgen.studies.files import numbers_of, table_of_file
from reportgen.studies.score_impact.test import Test

if TYPE_CHECKING:
    from reportgen.studies.score_impact import ScoreImpact

FORM = "your test"


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
        if (own != np.rint(own)).any() or own.min() < 0 or own.max() > MOST_CALIBRATED_SCORE:
            raise InputError(f"{file}: column '{name}': expected whole item scores from 0 to {MOST_CALIBRATED_SCORE}.")
        if own.max() == own.min():
            raise InputError(f"{file}: column '{name}': everybody has the score {own.max():g}; leave the item out.")
    second = columns[design.human2][complete] if design.human2 else np.full(int(complete.sum()), np.nan)
    most = tuple(int(column.max()) for column in scores.T)
    test = Test(
        scores.astype(np.int64), most, len(most) - 1, automated[complete], second, {FORM: tuple(range(len(most)))}
    )
    told = {"file": file.name, "left_out": int((~complete).sum()), "item": design.human}
    return OwnTest(file_source(file, len(items), "item scores"), test, told)
