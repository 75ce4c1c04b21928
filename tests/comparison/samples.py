"""Simulated scores of two systems on the same responses."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from simulated import simulated

from reportgen.comparison.paired import Side
from reportgen.evaluation.statistics import sum_statistics
from reportgen.results import Estimate
from reportgen.tally import TRIMMED, Form

BOUNDS = (0.5002, 6.4998)


def estimate_in(cell: object) -> Estimate:
    """Return the estimate in a cell."""
    assert isinstance(cell, Estimate)
    return cell


Scores = dict[str, "np.ndarray[Any, Any]"]


def scores(seed: int, n: int) -> Scores:
    """Return human (two raters, the second with gaps), two systems, and a group of three levels."""
    true, human, engine, rng = simulated(n, seed, twice=0.5, noise=0.4)
    noise = engine - true
    a, b = true + noise + rng.normal(0, 0.3, n), true + 0.6 * noise + rng.normal(0, 0.3, n) + 0.1
    return {"human": human, "a": a, "b": b, "group": rng.integers(0, 3, n)}


def side(system: Any, human: Any, form: Form = TRIMMED, bounds: tuple[float, float] = BOUNDS) -> Side:
    return Side(system, human, bounds, form, sum_statistics(None))


def write_csv(path: Path, seed: int = 1, n: int = 240, **more: Any) -> Path:
    """Write a file with two systems, two raters and a group column."""
    made = scores(seed, n)
    second = [None if np.isnan(score) else int(score) for score in made["human"][:, 1]]
    columns = {
        "id": [f"r{row}" for row in range(n)], "h1": made["human"][:, 0].astype(int).tolist(), "h2": second,
        "engine_a": made["a"].round(4).tolist(), "engine_b": made["b"].round(4).tolist(),
        "language": [("Mandarin", "Spanish", "Korean")[code] for code in made["group"]], **more,
    }  # fmt: skip
    pyarrow.csv.write_csv(pa.table(columns), path)
    return path
