"""Three responses, sixty, two hundred drawn ones, and the type of the fixture that writes files."""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np

Write = Callable[..., Path]

THREE = "id,human,system\na,1,1.2\nb,2,2.2\nc,3,3.1\n"
SIXTY = "id,human,human2,system\n" + "".join(
    f"r{i},{i % 5 + 1},{(i + i // 7) % 5 + 1},{i % 5 + 1.25}\n" for i in range(60)
)


def two_hundred(seed: int = 1) -> dict[str, list[str] | list[int] | list[float]]:
    """Return columns of 200 responses, scored by two raters and an engine on 1 to 6, in two groups."""
    rng = np.random.default_rng(seed)
    true = rng.normal(3.5, 1.1, 200)
    first, second = (np.clip(np.rint(true + rng.normal(0, 0.5, 200)), 1, 6).astype(int).tolist() for _ in range(2))
    engine = np.round(true + rng.normal(0, 0.4, 200), 3).tolist()
    ids, groups = [f"r{number}" for number in range(200)], rng.choice(["a", "b"], 200).tolist()
    return {"id": ids, "h1": first, "h2": second, "engine": engine, "group": groups}


def write_csv(path: Path, seed: int = 1) -> Path:
    """Write `two_hundred` responses to a file."""
    columns = two_hundred(seed)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([list(columns), *zip(*columns.values(), strict=True)])
    return path
