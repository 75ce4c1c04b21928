"""The training file whose moments rescale the system scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from reportgen.errors import InputError, did_you_mean
from reportgen.scores.preparation import LARGEST
from reportgen.scores.table import Training
from reportgen.sources.columns import Floats, as_numbers
from reportgen.sources.readers import open_reader

HUMAN, PREDICTION = "sc1", "prediction"

SMALLEST_SD = 1e-6
"""Scores that vary less than this do not vary: dividing by it would make numbers that nothing can hold."""

UNCHANGED = Training(0.0, 1.0, 0.0, 1.0)
"""Rescaling that changes nothing: with scale_with "raw" the given scores are named twice, as RSMTool does."""


def read_training(path: str | Path) -> Training:
    """Return mean and standard deviation (n - 1) of the scores and predictions in a training file.

    Every number in the file counts; cells without one are passed over.

    Raises
    ------
    InputError
        The file cannot be read, lacks one of the columns, or one of them does not vary.
    """
    try:
        reader = open_reader(path)
        names = list(reader.head.schema.names)
        for column in (HUMAN, PREDICTION):
            if column not in names:
                raise InputError(
                    f"a training file needs the columns '{HUMAN}' and '{PREDICTION}', "
                    f"'{column}' is not there{did_you_mean(column, names)}"
                )
        table = reader.load([HUMAN, PREDICTION])
        human, prediction = (_moments(as_numbers(table[name], name), name) for name in (HUMAN, PREDICTION))
    except InputError as error:
        raise InputError(f"scale_with: '{path}': {error}") from None
    return Training(*prediction, *human)


def _moments(values: Floats, name: str) -> tuple[float, float]:
    """Return mean and standard deviation of the numbers in a column."""
    values = values[~np.isnan(values)]
    if values.size < 2 or not np.all(np.isfinite(values)) or values.min() == values.max():
        raise InputError(f"column '{name}' needs at least two different finite numbers.")
    largest = float(np.abs(values).max())
    if largest > LARGEST:
        raise InputError(f"column '{name}' holds {largest:g}; expected scores within {LARGEST:,.0f} of 0.")
    sd = float(values.std(ddof=1))
    if sd < SMALLEST_SD:
        raise InputError(
            f"column '{name}' has a standard deviation of {sd:g}; expected at least {SMALLEST_SD:f}, "
            "since scores are divided by it."
        )
    return float(values.mean()), sd
