"""Where kappa and AC part company: whether one common score or unequal use of the scale is behind it."""

from __future__ import annotations

from collections.abc import Iterator

from report_sections.lookup import Record, number, records
from report_sections.words import name
from reportgen.results import Estimate, Table
from reportgen.wording.numbers import num, percent, with_interval

LEAST = 0.00005
"""Below it a part of a difference of coefficients is 0 in all four decimals."""

WEIGHTS = {"identity": "without weights", "quadratic": "with quadratic weights"}


def parted(table: Table | None, apart: float) -> Iterator[str]:
    """Yield a sentence for each kind of weights where kappa and AC of engine and rater part, or that they do not."""
    rows = records(table) if table is not None else []
    if not rows:
        return
    first = rows[0]["pair"]
    mine = [row for row in rows if row["pair"] == first]
    found = [row for row in mine if _beyond(row["difference"], apart)]
    if not found:
        kept = " and ".join(f"{_gap(row)} {WEIGHTS[str(row['weights'])]}" for row in mine)
        yield f"Kappa and AC of {name(first)} do not clearly part by more than {num(apart, 'coefficient')}: {kept}."
    for row in found:
        yield f"{_apart(row)} {_why(row)}"
    others = {str(row["pair"]) for row in rows if row["pair"] != first and _beyond(row["difference"], apart)}
    if others:
        many = "the raters" if len(others) == 1 else f"{len(others)} pairs or sets of raters"
        yield f"They part for {many} too; the table has the numbers."


def _beyond(cell: object, apart: float) -> bool:
    """Return whether the whole interval of a difference lies beyond a margin."""
    if not isinstance(cell, Estimate) or cell.low is None or cell.high is None:
        return False
    return cell.low > apart or cell.high < -apart


def _gap(row: Record) -> str:
    cell = row["difference"]
    return with_interval(cell) if isinstance(cell, Estimate) else "not known"


def _apart(row: Record) -> str:
    return (
        f"Kappa and AC of {name(row['pair'])} part {WEIGHTS[str(row['weights'])]}: "
        f"AC is {num(row['ac'])}, kappa {num(row['kappa'])}, a difference of {_gap(row)}. "
        f"Kappa takes {_percent(row, 'chance_kappa')} agreement for chance, AC {_percent(row, 'chance_ac')}"
        ", because"
    )


def _percent(row: Record, key: str) -> str:
    return percent(number(row[key]) or 0.0)


def _why(row: Record) -> str:
    """Say whether prevalence or unequal use makes the difference, with the numbers that tell."""
    spread, unequal = (number(row[key]) or 0.0 for key in ("by_prevalence", "by_unequal_use"))
    shift = number(row["shift"])
    prevalence = f"score {row['prevalent']} alone has {_percent(row, 'prevalence')} of the scores"
    use = "" if shift is None else f"{percent(shift)} of responses would need another score for both to use them alike"
    by_use = num(unequal, "difference") if abs(unequal) >= LEAST else "next to nothing"
    parts = f"prevalence makes {num(spread, 'difference')} of it, unequal use of the scores {by_use}"
    if abs(spread) >= abs(unequal):
        if row["weights"] == "identity":
            why = f"one score prevails: {prevalence}"
        else:
            why = f"scores crowd on a part of the scale: {prevalence}, so that near misses are common by chance"
    else:
        why = f"the two use the scores unequally: {use}"
    return f"{why} ({parts})."
