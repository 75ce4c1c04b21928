"""What Casabianca et al. (2023) print: every number of tables 2 to 5, and those of the text that statements rest on.

``published.csv`` has a row for each condition; its columns are named ``table:number``, or ``table.form:number``
with the forms counted from 1, the full test first.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

FILE = Path(__file__).parent / "published.csv"

FORMS = 3
SD = ((60.0, 61.0), (62.0, 65.0), (65.0, 72.0))
"""Lowest and highest standard deviation of scale scores over conditions, by form (section on results)."""

ITEM_SHARES = (4.65, 5.56, 8.70)
"""Percentage of the total possible score that the studied item contributes, by form (section on the design)."""

CALIBRATION = {"alpha_reading": 0.82, "alpha_writing": 0.81, "alpha_all": 0.87, "r_two_raters": 0.823,
               "rho": 0.993, "prmse": 0.986}  # fmt: skip
"""Alpha of reading, writing and both, agreement of two raters, accuracy of the engine (sections on data and design)."""


@cache
def numbers() -> Mapping[str, Mapping[str, float]]:
    """Return column -> condition -> number, for every number that is printed.

    Examples
    --------
    >>> numbers()["3.3:rmsd_human"]["pi70"], sum(map(len, numbers().values()))
    (16.72, 856)
    """
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = [column for column in rows[0] if column != "condition"]
    return MappingProxyType(
        {column: {row["condition"]: float(row[column]) for row in rows if row[column]} for column in columns}
    )


def printed(column: str, form: int | None = None) -> Mapping[str, float]:
    """Return condition -> number of a column, such as ("3:rmsd_human", 1).

    Examples
    --------
    >>> printed("2:prmse")["pi85"], printed("5:exact", 3)["delta_x30"]
    (0.701, 92.17)
    """
    table, _, number = column.partition(":")
    return numbers()[column if form is None else f"{table}.{form}:{number}"]
