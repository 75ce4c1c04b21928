"""Where kappa and AC differ: whether one common score or unequal use of the scale is behind it."""

from __future__ import annotations

from typing import Any

from report_sections.lookup import Record, number, records
from reportgen.results import Estimate, Table


def parted(table: Table | None, apart: float) -> dict[str, Any]:
    """Return for each kind of weights whether kappa and AC of engine and rater differ, and why.

    Returns
    -------
    dict
        `margin`; `differ`, a list of the weights by which they do, with numbers; `close`, that they do by none;
        `others`, in how many pairs or sets of raters they differ.
    """
    rows = records(table) if table is not None else []
    first = rows[0]["pair"] if rows else ""
    mine = [row for row in rows if row["pair"] == first]
    found = [row for row in mine if _beyond(row["difference"], apart)]
    others = {str(row["pair"]) for row in rows if row["pair"] != first and _beyond(row["difference"], apart)}
    return {
        "margin": apart,
        "differ": [_why(row) for row in found],
        "close": bool(mine) and not found,
        "others": len(others),
    }


def _beyond(cell: object, apart: float) -> bool:
    """Return whether the whole interval of a difference lies beyond a margin."""
    if not isinstance(cell, Estimate) or cell.low is None or cell.high is None:
        return False
    return cell.low > apart or cell.high < -apart


def _why(row: Record) -> dict[str, Any]:
    """Return the numbers of a difference, and its larger part: "prevalence" or "unequal_use"."""
    spread, unequal = (number(row[key]) or 0.0 for key in ("by_prevalence", "by_unequal_use"))
    return {
        "weights": row["weights"],
        "kappa": row["kappa"],
        "ac": row["ac"],
        "difference": row["difference"],
        "why": "prevalence" if abs(spread) >= abs(unequal) else "unequal_use",
        "by_prevalence": spread,
        "by_unequal_use": unequal,
        "chance_kappa": number(row["chance_kappa"]),
        "chance_ac": number(row["chance_ac"]),
        "prevalent": str(row["prevalent"]),
        "prevalence": number(row["prevalence"]),
        "shift": number(row["shift"]),
    }
