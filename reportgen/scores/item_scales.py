"""The scales that a file declares, one for each item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from reportgen.errors import InputError, SettingsError
from reportgen.results import Scale
from reportgen.settings import DeclaredScale, Settings
from reportgen.settings.wording import problem
from reportgen.sources.columns import NO_INFO
from reportgen.sources.delimited import DelimitedReader

SCALE = "scale"
"""The column that has the scales, written as after ``--scale``."""

BETWEEN = " · "
"""What stands between the values of several columns that name an item."""

NO_SCALE = "no scale is declared for this item; expected a line for each item in the file of scales"
"""What is said of an item that the file leaves out."""

MOST_LISTED = 10
"""Items that are named in a sentence about lines of the file; of the others it says that there are more."""


def declared_scales(settings: Settings) -> dict[str, Scale] | None:
    """Return the scale of each item that the file of the setting ``scales`` declares, None without one.

    Without columns that name items nothing is read: whoever reads the scores says that they lack.

    Raises
    ------
    InputError
        The file cannot be read, lacks a column, names an item twice, or what it calls a scale is none.
    SettingsError
        One scale is declared for all items as well.
    """
    data = settings.data
    if data.scales is None or not data.by:
        return None
    if data.scale is not None:
        raise SettingsError("--scales: one scale is declared for all items as well; leave out --scale.")
    return read_item_scales(data.scales, data.by, data.encoding)


def read_item_scales(path: Path, by: Sequence[str], encoding: str | None = None) -> dict[str, Scale]:
    """Return the scale of each item that a CSV file declares.

    Parameters
    ----------
    path
        Has the columns that name items, and one called ``scale``, as in 1:6 or 0:4:0.5.
    by
        Columns that name items.
    encoding
        Of the text; UTF-8, or what its byte order mark says, when left out.

    Raises
    ------
    InputError
        The file cannot be read, lacks a column, names an item twice, or what it calls a scale is none.
    """
    columns = (*by, SCALE)
    try:
        if not path.is_dir() and not path.stat().st_size:
            raise InputError(f"the file is empty; expected the columns {', '.join(columns)}, and a line for each item.")
        reader = DelimitedReader(path, encoding)
        lacking = [name for name in columns if name not in reader.head.schema.names]
        if not lacking:
            table = reader.load(columns)
    except OSError as error:
        raise InputError(f"{path.name}: not a CSV file of scales that can be read: {error}.") from None
    except InputError as error:
        raise InputError(f"{path.name}: {error}") from None
    if lacking:
        raise InputError(f"{path.name}: no column '{lacking[0]}'; expected the columns {', '.join(columns)}.")
    scales: dict[str, Scale] = {}
    for index, cells in enumerate(zip(*(table[name].to_pylist() for name in columns), strict=True)):
        *parts, scale = (cell.strip() for cell in cells)
        if not any((*parts, scale)):
            continue  # spreadsheets leave such rows
        line = f"{path.name}, line {reader.place(index).row}"
        item = BETWEEN.join(part or NO_INFO for part in parts)
        if item in scales:
            raise InputError(f"{line}: item '{item}' has a scale already; expected one line each.")
        scales[item] = _scale(scale, line)
    return scales


def lines_of_no_item(settings: Settings, scales: Mapping[str, Scale] | None, items: Iterable[str]) -> str:
    """Return the sentence for items that the file of scales names and the data do not have; empty when there are none.

    Parameters
    ----------
    scales
        What `declared_scales` found.
    items
        The items of the data.
    """
    there = set(items)
    lacking = [item for item in scales or () if item not in there]
    if not lacking or settings.data.scales is None:
        return ""
    what = "1 item" if len(lacking) == 1 else f"{len(lacking):,} items"
    named = ", ".join(lacking[:MOST_LISTED]) + (", ..." if len(lacking) > MOST_LISTED else "")
    return f"{settings.data.scales.name} names {what} that the data do not have: {named}"


def _scale(text: str, where: str) -> Scale:
    """Return a scale that is written low:high or low:high:step."""
    try:
        return TypeAdapter(DeclaredScale).validate_python(text)
    except ValidationError as error:
        said = problem(Scale, error)
        raise InputError(f"{where}: '{text}' is no scale ({said}); write it as in 1:6 or 0:4:0.5.") from None
