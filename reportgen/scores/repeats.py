"""Ids that stand in two rows of one unit, and the digest by which two files are known to hold the same."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import RepeatError
from reportgen.sources.tabular import Place


def repeats_told(column: str, n: int, first: str | None, rows: Sequence[Place]) -> str:
    """Return what is said of ids that stand in two rows; parameters as for `refuse_repeated_id`.

    Examples
    --------
    >>> repeats_told("id", 1200, "r7", (Place(7), Place(9, "b.csv")))
    "duplicate ids in column 'id': 1,200, the first is 'r7' in rows 7 and 9 of b.csv"
    """
    one, two = rows[:2]
    where = "stands in rows" if first is None else f"is '{first}' in rows"
    return f"duplicate ids in column '{column}': {n:,}, the first {where} {one} and {two}"


def refuse_repeated_id(column: str, n: int, first: str | None, rows: Sequence[Place]) -> NoReturn:
    """Raise for ids that stand in two rows.

    n: How many rows repeat an id of an earlier one.
    first, rows: The first of them, None when it may not be named, and its first two rows.
    Raises RepeatError: Always.
    """
    raise RepeatError(
        repeats_told(column, n, first, rows),
        "make ids unique, name another column with --id NAME, or type --layout long when there is one row per rating.",
    )


def digest_of_ratings(ids: Any, human: NDArray[np.float64], *, interchangeable: bool = False) -> str:
    """Return the SHA-256 of all response ids with their ratings, in the order of the ids.

    It tells that two sets of ratings are the same, and nothing of what they are.  The order of further raters does not
    count, nor that of all raters where they stand in for each other.

    ids: Arrow array of n strings, none of them twice; or None, and the order of the ratings counts.
    human: (n, raters): ratings, NaN where missing, the score of record first.
    interchangeable: Whether raters stand in for each other.

    Returns
    -------
    str
        64 hexadecimal digits; of no responses that of nothing.

    Examples
    --------
    >>> import pyarrow as pa
    >>> one = digest_of_ratings(pa.array(["a", "b"]), np.array([[3.0, np.nan], [4.0, 5.0]]))
    >>> one == digest_of_ratings(pa.array(["b", "a"]), np.array([[4.0, 5.0], [3.0, np.nan]]))
    True
    >>> one == digest_of_ratings(pa.array(["a", "b"]), np.array([[3.0, np.nan], [4.0, 4.0]]))
    False
    """
    digest = hashlib.sha256()
    order = np.arange(len(human))
    if ids is not None:
        import pyarrow as pa
        import pyarrow.compute as pc

        ids = pc.cast(ids, pa.large_string())
        order = pc.sort_indices(ids).to_numpy(zero_copy_only=False)
        digest.update("\0".join(map(str, ids.take(order).to_pylist())).encode())
    ratings = np.array(human[order], np.float64) + 0.0  # a zero has one sign
    lead = 0 if interchangeable else 1
    ratings[:, lead:] = np.sort(ratings[:, lead:], axis=1)  # missing ones come last
    ratings[np.isnan(ratings)] = np.nan
    there = ~np.isnan(ratings).all(axis=0)
    digest.update(np.ascontiguousarray(ratings[:, there]).tobytes())
    return digest.hexdigest()
