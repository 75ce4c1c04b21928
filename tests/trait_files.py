"""Responses scored on several traits by two raters and an engine, as one file in each layout."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

NAMES = ("ideas", "organization", "voice")

Floats = NDArray[np.float64]


class Traits(NamedTuple):
    """Planted true scores (n, traits), ratings (n, raters, traits) and engine scores (n, traits)."""

    true: Floats
    ratings: Floats
    system: Floats


TRUE = 0.6 + 0.4 * np.eye(3)
"""Covariance of planted true scores."""

ERRORS = 0.15 + 0.25 * np.eye(3)
"""Covariance of planted errors of one rater."""

NOISE = 0.5
"""SD of the engine's errors, which go with nothing."""


def drawn(n: int, seed: int) -> Traits:
    """Return `n` responses, whose raters' errors on traits go together."""
    random = np.random.default_rng(seed)
    true = random.multivariate_normal(np.full(3, 3.5), TRUE, n)
    ratings = true[:, None] + random.multivariate_normal(np.zeros(3), ERRORS, (n, 2))
    return Traits(true, ratings, true + random.normal(0, NOISE, (n, 3)))


def on_points(n: int = 80, seed: int = 5) -> Traits:
    """Return the same on a scale from 1 to 6, whole scores of raters and half of the responses rated twice."""
    true, ratings, system = drawn(n, seed)
    ratings = np.clip(np.rint(ratings), 1, 6)
    ratings[1::2, 1] = np.nan
    return Traits(true, ratings, np.clip(system, 1, 6).round(2))


def wide(traits: Traits) -> dict[str, Any]:
    """Return columns of one row per response."""
    n = len(traits.system)
    columns: dict[str, Any] = {"id": [f"ZQ~{i:03d}" for i in range(n)], "gender": ["f", "m"] * (n // 2)}
    for place, name in enumerate(NAMES):
        columns[f"{name}_human1"] = _cells(traits.ratings[:, 0, place])
        columns[f"{name}_human2"] = _cells(traits.ratings[:, 1, place])
        columns[f"{name}_system"] = traits.system[:, place].tolist()
    return columns


def long(traits: Traits) -> dict[str, Any]:
    """Return columns of one row per response and trait."""
    table, n = wide(traits), len(traits.system)
    made: dict[str, Any] = {"id": table["id"] * 3, "gender": table["gender"] * 3}
    made["trait"] = [name for name in NAMES for _ in range(n)]
    for part in ("human1", "human2", "system"):
        made[part] = [cell for name in NAMES for cell in table[f"{name}_{part}"]]
    return made


def ratings(traits: Traits) -> dict[str, Any]:
    """Return columns of one row per rating, raters Ada and Ben and an engine."""
    table = wide(traits)
    rows = [
        (id_, name, rater, score)
        for name in NAMES
        for part, rater in (("human1", "Ada"), ("human2", "Ben"), ("system", "gpt-4o"))
        for id_, score in zip(table["id"], table[f"{name}_{part}"], strict=True)
        if score is not None
    ]
    return dict(zip(("id", "dimension", "rater", "score"), map(list, zip(*rows, strict=True)), strict=True))


def shuffled(columns: dict[str, Any], seed: int) -> Any:
    """Return an Arrow table of the columns, rows and columns in another order."""
    random = np.random.default_rng(seed)
    table = pa.table(columns)
    names = random.permutation(table.schema.names).tolist()
    return table.select(names).take(pa.array(random.permutation(table.num_rows)))


def _cells(scores: Floats) -> list[float | None]:
    return [None if np.isnan(score) else float(score) for score in scores]
