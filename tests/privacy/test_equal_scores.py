"""What shown groups leave of all responses does not tell what every withheld response got."""

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
    """Return passes and fails of raters and engine: level -> how many pass, how many fail."""
    human = [grade for passes, fails in sizes.values() for grade in [1] * passes + [0] * fails]
    level = [name for name, (passes, fails) in sizes.items() for _ in range(passes + fails)]
    return pd.DataFrame({"h1": human, "system": human, column: level})


def left(frame: pd.DataFrame, found: Evaluation, grouping: str, score: str) -> set[float]:
    hidden = found.facts.get("groups_withheld", {}).get(grouping, ())
    return set(frame[frame[grouping].isin(hidden)][score]) if hidden else set()


def test_fifteen_of_fifteen_passes_are_not_left_over() -> None:
    frame = graded({"large": (60, 40), "middle": (20, 20), "protector": (10, 0), "tiny": (5, 0)})
    found = evaluated(frame, ["group"])
    assert set(found.facts["groups_withheld"]["group"]) == {"middle", "protector", "tiny"}
    assert left(frame, found, "group", "h1") == {0, 1}


def test_neither_are_equal_scores_of_the_engine_alone() -> None:
    frame = graded({"large": (60, 40), "middle": (20, 20), "protector": (6, 4), "tiny": (3, 2)})
    frame.loc[frame.group.isin(["protector", "tiny"]), "system"] = 1
    found = evaluated(frame, ["group"])
    assert left(frame, found, "group", "system") == {0, 1}


def test_what_is_mixed_costs_no_further_group() -> None:
    frame = graded({"large": (60, 40), "middle": (20, 20), "protector": (9, 1), "tiny": (5, 0)})
    assert set(evaluated(frame, ["group"]).facts["groups_withheld"]["group"]) == {"protector", "tiny"}


def test_where_all_have_one_score_nothing_more_is_withheld() -> None:
    frame = graded({"large": (100, 0), "middle": (40, 0), "protector": (10, 0), "tiny": (5, 0)})
    assert set(evaluated(frame, ["group"]).facts["groups_withheld"]["group"]) == {"protector", "tiny"}


def test_a_level_that_lies_in_another_is_not_told_either() -> None:
    north = graded({"a": (30, 30), "b": (15, 15), "c": (10, 0), "d": (4, 0)}, "school")
    south = graded({"e": (30, 30), "f": (0, 12), "g": (0, 3)}, "school")
    frame = pd.concat([north.assign(region="n"), south.assign(region="s")], ignore_index=True)
    found = evaluated(frame, ["region", "school"])
    hidden = frame[frame.school.isin(found.facts["groups_withheld"]["school"])]
    assert (hidden.groupby("region").h1.nunique() == 2).all()


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.5, 0.8, 0.95]))
def test_no_data_set_leaves_one_score_unless_all_have_it(seed: int, passes: float) -> None:
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


def test_a_pooled_sentence_on_items_leaves_out_those_that_protect() -> None:
    draw = np.random.default_rng(2)
    sizes = {"a": 60, "b": 60, "protector": 12, "tiny": 3}
    item = np.repeat(list(sizes), list(sizes.values()))
    shift = pd.Series({"a": -1.5, "b": 1.5, "protector": 0.0, "tiny": 0.0})[item].to_numpy()
    human = np.clip(np.rint(3.5 + shift + draw.normal(0, 0.7, len(item))), 1, 6)
    frame = pd.DataFrame({"h1": human, "system": human, "item": item})

    def told(tiny: float) -> tuple[str, ...]:
        other = frame.assign(h1=np.where(np.isin(item, ["protector", "tiny"]), tiny, human))
        return tuple(
            each for each in evaluated(other, [], item="item", scale="1:6").facts["doubts"] if "lies between" in each
        )

    assert "the 2 items" in told(3.0)[0]
    assert told(3.0) == told(5.0), "what withheld items got moves nothing that is told"


@pytest.mark.parametrize("withhold", [True, False])
def test_who_may_see_small_groups_sees_them(withhold: bool) -> None:
    frame = graded({"large": (60, 40), "middle": (20, 20), "protector": (10, 0), "tiny": (5, 0)})
    found = evaluated(frame, ["group"], withhold_small_groups=withhold)
    assert bool(found.facts.get("groups_withheld", {}).get("group")) == withhold
