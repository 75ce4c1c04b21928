"""Evaluations of raters, in every case that their sections must be able to show, and of files with an engine."""

from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from fixtures import HOSTILE, cases
from simulated import evaluation_of

from reportgen.results import Evaluation


def known() -> dict[str, Evaluation]:
    """Return every case: constructed evaluations of engines, and of raters."""
    return cases() | rated_cases()


@cache
def rated_cases() -> dict[str, Evaluation]:
    """Return evaluations of raters: everything known, two raters, gaps, nothing to learn, strange names, nothing."""
    full = _rated(5, 0.2, random=True, group=["f", "m"] * 60)
    return {
        "raters: full": full,
        "raters: two": _rated(2, 0.0),
        "raters: many": _rated(15, 0.6),
        "raters: alone": _rated(3, 0.0, alone=True),
        "raters: hostile": _rated(6, 0.2, names=HOSTILE, group=[HOSTILE[0], HOSTILE[3]] * 60),
        "raters: empty": replace(full, facts={}, estimates={}, tables={}, checks=(), settings={}, groups=()),
    }


def _rated(
    raters: int,
    gaps: float,
    *,
    random: bool = False,
    alone: bool = False,
    names: tuple[str, ...] = (),
    group: list[str] | None = None,
) -> Evaluation:
    rng = np.random.default_rng(raters)
    true = rng.normal(3, 1, 120)
    scores = np.clip(np.rint(true[:, None] + rng.normal(0, 0.4, raters) + rng.normal(0, 0.5, (120, raters))), 1, 5)
    if random:
        scores[:, 0] = rng.integers(1, 6, 120)
    scores[rng.random(scores.shape) < gaps] = np.nan
    if alone:
        scores[np.arange(120)[:, None] % raters != np.arange(raters)] = np.nan
    called = [names[j] if j < len(names) else f"rater_{j + 1}" for j in range(raters)]
    columns = {name: [None if np.isnan(x) else x for x in scores[:, j]] for j, name in enumerate(called)}
    more: dict[str, Any] = {"group": group} if group else {}
    table = pa.table({"id": [f"e{i}" for i in range(120)], **columns, **more})
    keywords: dict[str, Any] = {"human": called, "ratings_only": True, "groups": list(more), "scale": "1:5"}
    return evaluation_of(table, **keywords)


def labels(names: list[str], n: int = 80) -> pd.DataFrame:
    """Return labels of a rater and of an engine that agrees in most."""
    rng = np.random.default_rng(2)
    human = rng.integers(0, len(names), n)
    engine = np.where(rng.random(n) < 0.8, human, rng.integers(0, len(names), n))
    return pd.DataFrame({"human1": [names[each] for each in human], "engine": [names[each] for each in engine]})


evaluated = partial(evaluation_of, system="engine")


on_six_points = partial(evaluated, scale="1:6")
