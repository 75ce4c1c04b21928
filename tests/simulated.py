"""Simulated responses: true scores, raters who err around them, and an engine."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import reportgen
from reportgen.results import Evaluation

Floats = NDArray[np.float64]


class Scores(NamedTuple):
    """Scores of responses, and the generator that drew them, for what else a test draws."""

    true: Floats
    human: Floats
    """(responses, raters)."""

    engine: Floats
    rng: np.random.Generator


def simulated(
    n: int, seed: int | np.random.Generator = 1, raters: int = 2, *, mean: float = 3.5, sd: float = 1.0,
    error: float = 0.6, noise: float = 0.5, twice: float = 1.0, ends: tuple[float, float] = (1, 6),
) -> Scores:  # fmt: skip
    """Return scores of `n` responses, whole ones by raters; raters after the first score the share `twice`."""
    rng = np.random.default_rng(seed)
    true = rng.normal(mean, sd, n)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, error, (n, raters))), *ends)
    if twice < 1:
        human[:, 1:][rng.random((n, raters - 1)) >= twice] = np.nan
    return Scores(true, human, true + rng.normal(0, noise, n), rng)


def framed(scores: Scores, human: str = "h", engine: str = "engine", **more: Any) -> pd.DataFrame:
    """Return a frame of the scores; the columns of raters are named `human` and their number."""
    raters = {f"{human}{place}": column for place, column in enumerate(scores.human.T, start=1)}
    return pd.DataFrame({**raters, engine: scores.engine, **more})


def evaluation_of(data: Any, **settings: Any) -> Evaluation:
    """Return the evaluation of scores."""
    return reportgen.evaluate(data, sections=[], **settings).evaluation
