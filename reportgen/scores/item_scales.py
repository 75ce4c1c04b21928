"""The scales that a file declares, one for each item."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from reportgen.errors import InputError
from reportgen.scores.columns import NO_INFO
from reportgen.scores.item_batches import BETWEEN
from reportgen.settings.models import ScaleSettings

SCALE = "scale"
"""The column that has the scales, written as after ``--scale``."""


def read_item_scales(path: Path, by: Sequence[str]) -> dict[str, ScaleSettings]:
    """Return the scale of each item that a CSV file declares.

    Parameters
    ----------
    path
        Has the columns that name items, and one called ``scale``, as in 1:6 or 0:4:0.5.
    by
        Columns that name items.

    Raises
    ------
    InputError
        The file cannot be read, lacks a column, names an item twice, or what it calls a scale is none.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            columns = [name.strip() for name in reader.fieldnames or ()]
            lacking = [name for name in (*by, SCALE) if name not in columns]
            if lacking:
                raise InputError(
                    f"{path.name}: no column '{lacking[0]}'; expected the columns {', '.join((*by, SCALE))}."
                )
            reader.fieldnames = columns
            rows = [(reader.line_num, row) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path.name}: not a CSV file of scales that can be read: {error}.") from None
    scales: dict[str, ScaleSettings] = {}
    for line, row in rows:
        item = BETWEEN.join((row[name] or "").strip() or NO_INFO for name in by)
        if item in scales:
            raise InputError(f"{path.name}, line {line}: item '{item}' has a scale already; expected one line each.")
        scales[item] = _scale((row[SCALE] or "").strip(), f"{path.name}, line {line}")
    return scales


def _scale(text: str, where: str) -> ScaleSettings:
    """Return a scale that is written low:high or low:high:step."""
    try:
        return ScaleSettings.model_validate(text)
    except ValidationError as error:
        first = error.errors()[0]
        said = str(first.get("ctx", {}).get("error", first["msg"]))
        raise InputError(f"{where}: '{text}' is no scale ({said}); write it as in 1:6 or 0:4:0.5.") from None
