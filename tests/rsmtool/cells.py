"""Compare two tables cell by cell in any order of rows and columns."""

import csv
import math
from pathlib import Path

Cells = dict[tuple[str, str], str]
"""(row, column) -> cell."""

MISSING = {"", "nan", "none"}


def read(path: Path) -> Cells:
    """Return the cells of a CSV or TSV file by row and column name."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ",")
    named = header[0] in ("", "spkitemid", "Human/System", "partition") or "_by_" in path.name
    cells = {}
    for number, row in enumerate(rows):
        name = row[0] if named else str(number)
        for column, cell in zip(header, row, strict=True):
            assert (name, column) not in cells, f"{path.name}: duplicate row {name!r}"
            cells[as_name(name), as_name(column)] = cell
    return cells


def as_name(text: str) -> str:
    """Return the name of a row or column, with numbers in one format."""
    try:
        return f"{float(text):g}" if text != "" and not text.startswith("0") else text
    except ValueError:
        return text


def differences(expected: Cells, actual: Cells) -> list[str]:
    """Return the differences in words."""
    found = [f"missing: {key}" for key in expected.keys() - actual.keys()]
    found += [f"not expected: {key}" for key in actual.keys() - expected.keys()]
    for key in expected.keys() & actual.keys():
        if not same(expected[key], actual[key]):
            found.append(f"{key}: expected {expected[key]}, found {actual[key]}")
    return found


def same(expected: str, actual: str) -> bool:
    """Return whether two cells are equal: text exactly, numbers to one in a million."""
    if expected.lower() in MISSING or actual.lower() in MISSING:
        return expected.lower() in MISSING and actual.lower() in MISSING
    try:
        return math.isclose(float(expected), float(actual), rel_tol=1e-6, abs_tol=1e-8)
    except ValueError:
        return expected == actual
