"""Doubts about items with different difficulties that are judged together."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from simulated import evaluation_of

from reportgen.cli.printing import printable
from reportgen.evaluation.counting import item_sums
from reportgen.sources.columns import Coded, levels


def responses(shift: float, seed: int = 5) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    n = 600
    item = np.repeat(["a", "b", "c"], n // 3)
    true = rng.normal(3.5, 0.8, n) + shift * (np.repeat([0, 1, 2], n // 3) - 1)
    human, engine = (true + rng.normal(0, 0.7, n) for _ in range(2))
    return pd.DataFrame({
        "item": item, "rater_1": np.clip(np.rint(human), 0, 7), "engine": np.clip(np.round(engine, 3), -0.4, 7.4),
    })  # fmt: skip


def test_item_doubt_matches_rows() -> None:
    data = responses(1.2)
    (told,) = evaluation_of(data, scale="0:7").facts["doubts"]
    human, engine = (data[name] - data.groupby("item")[name].transform("mean") for name in ("rater_1", "engine"))
    total = data.rater_1 - data.rater_1.mean()
    assert f"{100 * (1 - (human**2).sum() / (total**2).sum()):.0f}% of the variance" in told
    assert f"it is {np.corrcoef(data.rater_1, data.engine)[0, 1]:.2f}" in told
    assert f"{np.corrcoef(human, engine)[0, 1]:.2f} within items" in told
    assert "the 3 items of 'item'" in printable(told)


def test_similar_or_undeclared_items_are_not_doubted() -> None:
    assert not doubts(responses(0.0))
    assert not doubts(responses(1.2), item="")


def doubts(data: pd.DataFrame, **given: Any) -> tuple[str, ...]:
    return tuple(evaluation_of(data, scale="0:7", **given).facts["doubts"])


def grouped() -> pd.DataFrame:
    """Return responses with items and two groups. Item "d" has three responses."""
    data = responses(1.2)
    data.loc[[0, 1, 300], "item"] = "d"
    rng = np.random.default_rng(6)
    return data.assign(gender=rng.choice(["f", "m"], len(data)), region=rng.choice(["n", "s"], len(data)))


@pytest.mark.parametrize(
    ("groups", "withhold", "more"),
    [
        ([], False, {}), (["gender"], True, {"item": "item"}), (["gender", "item"], True, {}),
        (["gender", "region"], True, {"batches": True}), (["gender", "item"], False, {"batches": True}),
    ],
)  # fmt: skip
def test_item_doubt_does_not_depend_on_groups(
    tmp_path: Path, groups: list[str], withhold: bool, more: dict[str, Any]
) -> None:
    data = grouped()
    path = tmp_path / "scores.csv"
    data.to_csv(path, index=False)
    own = data[~data.item.isin(["a", "d"])] if withhold else data  # "a" protects "d", and is not shown either
    total = own.rater_1 - own.rater_1.mean()
    within = own.rater_1 - own.groupby("item").rater_1.transform("mean")
    found = evaluation_of(path, scale="0:7", groups=groups, withhold_small_groups=withhold, **more)
    (told,) = found.facts["doubts"]
    share = 100 * (1 - (within**2).sum() / (total**2).sum())
    assert f"Differences among the {own.item.nunique()} items of 'item' account for {share:.0f}% of the" in told
    assert not [key for key in found.tables if "item" in key] or "item" in groups
    assert f"it is {np.corrcoef(own.rater_1, own.engine)[0, 1]:.2f}" in told


@pytest.mark.parametrize("batches", [False, True])
def test_many_or_random_items_are_not_doubted(tmp_path: Path, batches: bool) -> None:
    data = responses(1.2).assign(gender="f")
    path = tmp_path / "scores.csv"
    given: dict[str, Any] = {"scale": "0:7", "groups": ["gender"], "batches": batches}
    data.assign(item=np.arange(len(data)) % 300).to_csv(path, index=False)  # two responses each, of any item
    human = data.rater_1 - data.rater_1.mean()
    within = data.rater_1 - data.groupby(np.arange(len(data)) % 300).rater_1.transform("mean")
    assert 1 - (within**2).sum() / (human**2).sum() > 0.3
    assert not evaluation_of(path, **given).facts["doubts"]
    data.to_csv(path, index=False)
    assert evaluation_of(path, max_levels=3, **given).facts["doubts"]
    assert not evaluation_of(path, max_levels=2, **given).facts["doubts"]


def test_item_sums_of_parts_add_up() -> None:
    rng = np.random.default_rng(7)
    human, system, codes = rng.normal(size=60), rng.normal(size=60), np.sort(rng.integers(0, 5, 60)).astype(np.int32)
    labels = ("e", "b", "c", "a", "d")
    whole = item_sums(human, system, (codes, labels))
    one, two = (
        item_sums(human[part], system[part], levels(Coded(codes, labels), part)) for part in (codes < 3, codes >= 3)
    )
    assert (one + two).labels == whole.labels == tuple("abcde")
    np.testing.assert_allclose((one + two).sums, whole.sums, rtol=1e-12)
