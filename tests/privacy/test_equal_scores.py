"""Withheld responses do not all have the same score."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.evaluation import evaluate
from reportgen.results import Evaluation
from reportgen.scores import read
from reportgen.settings import from_keywords


def evaluated(frame: pd.DataFrame, groups: list[str], **more: object) -> Evaluation:
    asked = from_keywords(
        system="system", human=["h1"], groups=groups, id="id", candidate=None, **{"scale": "0:1", **more}
    )
    return evaluate(read(frame.assign(id=[f"r{i}" for i in range(len(frame))]), asked), asked, {})


def graded(sizes: dict[str, tuple[int, int]], column: str = "group") -> pd.DataFrame:
    """Return passes and fails of raters and engine, as a map from level to the number of passes and fails."""
    human = [grade for passes, fails in sizes.values() for grade in [1] * passes + [0] * fails]
    level = [name for name, (passes, fails) in sizes.items() for _ in range(passes + fails)]
    return pd.DataFrame({"h1": human, "system": human, column: level})


def left(frame: pd.DataFrame, found: Evaluation, grouping: str, score: str) -> set[float]:
    hidden = found.facts.get("groups_withheld", {}).get(grouping, ())
    return set(frame[frame[grouping].isin(hidden)][score]) if hidden else set()


def test_equal_human_scores_withhold_another_group() -> None:
    frame = graded({"large": (60, 40), "middle": (20, 20), "protector": (10, 0), "tiny": (5, 0)})
    found = evaluated(frame, ["group"])
    assert set(found.facts["groups_withheld"]["group"]) == {"middle", "protector", "tiny"}
    assert left(frame, found, "group", "h1") == {0, 1}


def test_equal_engine_scores_withhold_another_group() -> None:
    frame = graded({"large": (60, 40), "middle": (20, 20), "protector": (6, 4), "tiny": (3, 2)})
    frame.loc[frame.group.isin(["protector", "tiny"]), "system"] = 1
    assert left(frame, evaluated(frame, ["group"]), "group", "system") == {0, 1}


def test_no_further_group_is_withheld_without_need() -> None:
    mixed = {"large": (60, 40), "middle": (20, 20), "protector": (9, 1), "tiny": (5, 0)}
    equal = {"large": (100, 0), "middle": (40, 0), "protector": (10, 0), "tiny": (5, 0)}
    for sizes in (mixed, equal):
        assert set(evaluated(graded(sizes), ["group"]).facts["groups_withheld"]["group"]) == {"protector", "tiny"}


def test_nested_levels_have_mixed_scores() -> None:
    north = graded({"a": (30, 30), "b": (15, 15), "c": (10, 0), "d": (4, 0)}, "school")
    south = graded({"e": (30, 30), "f": (0, 12), "g": (0, 3)}, "school")
    frame = pd.concat([north.assign(region="n"), south.assign(region="s")], ignore_index=True)
    found = evaluated(frame, ["region", "school"])
    hidden = frame[frame.school.isin(found.facts["groups_withheld"]["school"])]
    assert (hidden.groupby("region").h1.nunique() == 2).all()


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.5, 0.8, 0.95]))
def test_withheld_responses_have_mixed_scores(seed: int, passes: float) -> None:
    draw = np.random.default_rng(seed)
    n = int(draw.integers(60, 250))
    group = draw.choice(6, n, p=draw.dirichlet(np.full(6, 0.6)))
    frame = pd.DataFrame({"h1": (draw.random(n) < passes) * 1, "system": (draw.random(n) < passes) * 1, "group": group})
    frame["group"] = [f"g{code}" for code in group]
    if frame.h1.nunique() < 2 or frame.system.nunique() < 2:
        return
    found = evaluated(frame, ["group"])
    for score in ("h1", "system"):
        assert len(left(frame, found, "group", score)) != 1


def test_item_doubt_excludes_withheld_items() -> None:
    draw = np.random.default_rng(2)
    sizes = {"a": 60, "b": 60, "protector": 12, "tiny": 3}
    item = np.repeat(list(sizes), list(sizes.values()))
    shift = pd.Series({"a": -1.5, "b": 1.5, "protector": 0.0, "tiny": 0.0})[item].to_numpy()
    human = np.clip(np.rint(3.5 + shift + draw.normal(0, 0.7, len(item))), 1, 6)
    frame = pd.DataFrame({"h1": human, "system": human, "item": item})

    def item_doubts(tiny: float) -> tuple[str, ...]:
        other = frame.assign(h1=np.where(np.isin(item, ["protector", "tiny"]), tiny, human))
        doubts = evaluated(other, [], item="item", scale="1:6").facts["doubts"]
        return tuple(each for each in doubts if "between the" in each)

    assert "the 2 items" in item_doubts(3.0)[0]
    assert item_doubts(3.0) == item_doubts(5.0), "scores of withheld items change no message"


@pytest.mark.parametrize("withhold", [True, False])
def test_withholding_is_optional(withhold: bool) -> None:
    frame = graded({"large": (60, 40), "middle": (20, 20), "protector": (10, 0), "tiny": (5, 0)})
    found = evaluated(frame, ["group"], withhold_small_groups=withhold)
    assert bool(found.facts.get("groups_withheld", {}).get("group")) == withhold
