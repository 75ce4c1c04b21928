"""Long tables: columns of numbers, a row for each item and whatever it is divided into."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.estimates import Numbers
from reportgen.tally.cells import Floats, Integers

if TYPE_CHECKING:  # pragma: no cover - pandas is imported only when a frame is asked for
    import pandas as pd

Columns = dict[str, NDArray[Any]]
"""Column -> values; nan is no value."""

ENDS = ("", "_low", "_high", "_n")
"""What the columns of an estimate end in: value, interval, responses it rests on."""


@dataclass(frozen=True)
class LongTable:
    """A table of many items.

    Parameters
    ----------
    key, caption
        Its name, and what it says.
    columns
        Column -> values, the first of which name the item and what it is divided into; masked where not shown.
    """

    key: str
    caption: str
    columns: Columns

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self.columns.values())))

    def frame(self) -> pd.DataFrame:
        """Return the table as a pandas frame, unrounded."""
        import pandas as pd

        hidden = {name: each for name, each in self.columns.items() if isinstance(each, np.ma.MaskedArray)}
        filled = {name: np.ma.filled(each.astype(float), np.nan) for name, each in hidden.items()}
        return pd.DataFrame({**self.columns, **filled})


def estimate_columns(key: str, numbers: Numbers, rows: Integers, shown: NDArray[np.bool_] | None = None) -> Columns:
    """Return the four columns of an estimate for some slices; no value where it is undefined or not shown.

    Parameters
    ----------
    shown
        (slices,): where it has a meaning; everywhere when left out.
    """
    value = numbers.value if shown is None else np.where(shown, numbers.value, np.nan)
    value = np.where(np.isfinite(value), value, np.nan)
    known = np.isfinite(value) & np.isfinite(numbers.low) & np.isfinite(numbers.high)
    ends = np.where(known, numbers.low, np.nan), np.where(known, numbers.high, np.nan)
    of = (value, *ends, numbers.n.astype(np.int64))
    return {key + end: np.broadcast_to(column, known.shape)[rows] for end, column in zip(ENDS, of, strict=True)}


def interval_columns(key: str, value: Floats, low: Floats, high: Floats, n: Floats) -> Columns:
    """Return the four columns of an estimate."""
    known = np.isfinite(value) & np.isfinite(low) & np.isfinite(high)
    return {
        key: np.where(np.isfinite(value), value, np.nan),
        f"{key}_low": np.where(known, low, np.nan),
        f"{key}_high": np.where(known, high, np.nan),
        f"{key}_n": n.astype(np.int64),
    }


def named(labels: Sequence[str], places: Integers) -> NDArray[Any]:
    """Return labels by their places."""
    every = np.empty(len(labels), object)
    every[:] = labels
    return every[places]


def stacked(parts: Iterable[Columns]) -> Columns:
    """Return the rows of all parts, one after the other; every part has the same columns."""
    every = list(parts)
    return {name: np.concatenate([part[name] for part in every]) for name in every[0]} if every else {}


def filled(parts: Sequence[Columns]) -> list[Columns]:
    """Return parts with the columns of all of them, in the order in which they come; blank where a part had none."""
    texts: dict[str, bool] = {}
    for part in parts:
        texts |= {name: column.dtype == object or texts.get(name, False) for name, column in part.items()}

    def column(part: Columns, name: str) -> NDArray[Any]:
        if name in part and (part[name].dtype == object or not texts[name]):
            return part[name]
        blank: NDArray[Any] = np.full(
            len(part["_item"]), "" if texts[name] else np.nan, object if texts[name] else float
        )
        return blank

    return [{name: column(part, name) for name in texts} for part in parts]


def taken(columns: Mapping[str, NDArray[Any]], order: Integers) -> Columns:
    """Return rows in an order."""
    return {name: column[order] for name, column in columns.items()}
