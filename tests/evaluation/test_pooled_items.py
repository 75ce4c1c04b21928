"""Items that differ, judged together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.aloud import printable


def responses(shift: float, seed: int = 5) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    n = 600
    item = np.repeat(["a", "b", "c"], n // 3)
    true = rng.normal(3.5, 0.8, n) + shift * (np.repeat([0, 1, 2], n // 3) - 1)
    human, engine = (true + rng.normal(0, 0.7, n) for _ in range(2))
    return pd.DataFrame({
        "item": item, "rater_1": np.clip(np.rint(human), 0, 7), "engine": np.clip(np.round(engine, 3), -0.4, 7.4),
    })  # fmt: skip


def test_the_doubt_holds_the_numbers_of_the_rows() -> None:
    data = responses(1.2)
    (told,) = reportgen.evaluate(data, scale="0:7").evaluation.facts["doubts"]
    human, engine = (data[name] - data.groupby("item")[name].transform("mean") for name in ("rater_1", "engine"))
    total = data.rater_1 - data.rater_1.mean()
    assert f"{100 * (1 - (human**2).sum() / (total**2).sum()):.0f} % of the variance" in told
    assert f"correlation is {np.corrcoef(data.rater_1, data.engine)[0, 1]:.2f}" in told
    assert f"within items {np.corrcoef(human, engine)[0, 1]:.2f}" in told
    assert "the 3 items of 'item'" in printable(told)


@pytest.mark.parametrize(("shift", "groups"), [(0.0, None), (1.2, [])])
def test_items_alike_or_not_looked_at_are_not_doubted(shift: float, groups: list[str] | None) -> None:
    assert not reportgen.evaluate(responses(shift), scale="0:7", groups=groups).evaluation.facts["doubts"]
