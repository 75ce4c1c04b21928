"""Scores cannot be computed by subtracting shown groups, and withheld responses have several scores."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import evaluation_of

from reportgen.evaluation import evaluate
from reportgen.privacy import NONE, Mask, Partition, withheld
from reportgen.results import Evaluation
from reportgen.scores import read
from reportgen.settings import from_keywords

LEAST = 10


def exchanged(rng: np.random.Generator, columns: int) -> list[np.ndarray]:
    """Return group columns, some of which differ for a few people only."""
    n = int(rng.integers(40, 160))
    first = rng.choice(3, n, p=rng.dirichlet(np.full(3, 3.0)))
    made = [first]
    for _ in range(columns - 1):
        if rng.random() < 0.7:
            again = made[int(rng.integers(len(made)))].copy()
            moved = rng.choice(n, int(rng.integers(1, 8)), replace=False)
            again[moved] = rng.integers(0, 3, len(moved))
        else:
            again = rng.choice(3, n, p=rng.dirichlet(np.full(3, 2.0)))
        made.append(again)
    return made


def decided(columns: list[np.ndarray]) -> list[Mask]:
    return withheld([Partition(codes, int(codes.max()) + 1) for codes in columns], LEAST)


def shown_sets(columns: list[np.ndarray], hidden: list[Mask]) -> np.ndarray:
    """Return (sets, responses): all responses and the members of every shown level."""
    n = len(columns[0])
    rows = [np.ones(n)]
    rows += [1.0 * (codes == level) for codes, mask in zip(columns, hidden, strict=True)
             for level in range(len(mask)) if not mask[level]]  # fmt: skip
    return np.array(rows)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3))
def test_small_crossings_cannot_be_solved(seed: int, columns: int) -> None:
    """An attacker who knows the groups solves for the sum of each crossing by least squares."""
    made = exchanged(np.random.default_rng(seed), columns)
    sums = shown_sets(made, decided(made))
    crossings, place, size = np.unique(np.stack(made), axis=1, return_inverse=True, return_counts=True)
    for crossing in np.flatnonzero(size < LEAST):
        target = 1.0 * (place.ravel() == crossing)
        left = target - sums.T @ np.linalg.lstsq(sums.T, target, rcond=None)[0]
        assert np.abs(left).max() > 1e-6, crossings[:, crossing]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 3))
def test_unions_of_groups_differ_by_many(seed: int, columns: int) -> None:
    """Compare every union of shown groups of a column with every union of another column."""
    made = exchanged(np.random.default_rng(seed), columns)
    hidden = decided(made)
    unions = []
    for codes, mask in zip(made, hidden, strict=True):
        visible = [codes == level for level in range(len(mask)) if not mask[level]]
        parts = [*visible, ~np.any(visible, axis=0)] if visible else [np.ones(len(codes), bool)]
        unions.append(
            [np.any(some, axis=0) for k in range(1, len(parts) + 1) for some in itertools.combinations(parts, k)]
        )
    for one, other in itertools.combinations(range(columns), 2):
        for a, b in itertools.product(unions[one], unions[other]):
            assert not 0 < int((a != b).sum()) < LEAST
    assert all(part.sum() == 0 or part.sum() >= LEAST for own in unions for part in own)


def test_nearly_equal_columns_are_not_both_shown() -> None:
    gender, language = np.repeat([0, 1], 40), np.repeat([0, 1], 40)
    language[0], language[-1] = 1, 0
    one, other = decided([gender, language])
    assert one.all() or other.all()


def test_independent_columns_are_shown() -> None:
    rng = np.random.default_rng(4)
    school = rng.permutation(np.repeat(np.arange(40), 15))
    columns = [school, rng.integers(0, 2, 600), rng.integers(0, 5, 600)]
    assert not any(mask.any() for mask in decided(columns))
    fixed = Partition(np.repeat([0, NONE], [95, 5]), 1, always_shown=True)
    assert not withheld([fixed, Partition(np.tile([0, 1], 50), 2)], LEAST)[1].any()


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_person_in_three_columns_is_protected(order: tuple[int, ...]) -> None:
    """(A + B − C) / 2 is one person, although no two columns reveal anyone."""
    place = np.repeat(np.arange(4), [50, 50, 50, 1])
    columns = [np.array(codes)[place] for codes in ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0])]
    assert not any(mask.any() for mask in decided(columns[:2]))
    assert any(mask.any() for mask in decided([columns[index] for index in order]))


@pytest.mark.parametrize("seed", range(3))
def test_remainders_within_many_groups_are_protected(seed: int) -> None:
    """Each of 300 schools has a class of three, which another class protects."""
    size = np.array([20, 21, 3])
    school = np.repeat(np.arange(300), size.sum())
    classes = np.tile(np.repeat(np.arange(3), size), 300) + 3 * school
    rows = np.random.default_rng(seed).permutation(len(school))
    hidden = decided([school[rows], classes[rows]])
    assert not hidden[0].any()
    assert hidden[1].reshape(300, 3).tolist() == [[True, False, True]] * 300


def scores_of(frame: pd.DataFrame, groups: list[str], **more: object) -> Evaluation:
    asked = from_keywords(
        **{"system": "system", "human": ["human"], "groups": groups, "id": "id", "scale": "1:6", **more}
    )
    return evaluate(read(frame.assign(id=[f"r{i}" for i in range(len(frame))]), asked), asked, {})


def noisy(human: np.ndarray) -> np.ndarray:
    return np.clip(human + np.random.default_rng(0).normal(0, 0.7, len(human)), 1, 6).round(3)


def test_exchange_of_two_people_is_protected(tmp_path: Path) -> None:
    """All men but one answer in English, and all women but one in French."""
    human = np.random.default_rng(0).integers(1, 7, 80)
    gender = np.repeat(["M", "F"], 40)
    language = np.where(gender == "M", "en", "fr")
    language[0], language[79] = "fr", "en"
    frame = pd.DataFrame({"id": range(80), "human": human, "system": noisy(human)}).assign(
        gender=gender, language=language
    )
    frame.to_csv(tmp_path / "scores.csv", index=False)
    asked = from_keywords(scale="1:6")
    tables = evaluate(read(tmp_path / "scores.csv", asked), asked, {}).tables
    assert ("by_group.gender" in tables) != ("by_group.language" in tables)


def test_group_with_one_score_shows_size_only() -> None:
    rng = np.random.default_rng(1)
    human = np.concatenate([np.full(15, 5), rng.integers(1, 7, 100)])
    frame = pd.DataFrame({"human": human, "system": noisy(human), "school": np.repeat(["one", "x", "y"], [15, 60, 40])})
    found = scores_of(frame, ["school"])
    sizes = {row.cells[0]: row.cells[1] for row in found.tables["data.groups.school"].rows}
    assert sizes == {"one": 15, "x": 60, "y": 40}
    for key, table in found.tables.items():
        if key not in ("data.groups.school", "privacy.withheld"):
            assert not any("one" in row.cells for row in table.rows), key
    hidden = set(found.facts["groups_withheld"]["school"])
    assert "one" in hidden
    assert len(set(human[frame.school.isin(hidden)])) > 1, "it cannot be computed from the others"


@pytest.mark.parametrize("engine", [True, False])
def test_rater_of_small_group_is_withheld(engine: bool) -> None:
    """Six responses have this rater only, so they are all responses minus the others."""
    rng = np.random.default_rng(1)
    rows = []
    for response in range(120):
        group = "tiny" if response < 6 else "a" if response < 60 else "b"
        true = int(rng.integers(1, 6))
        raters = ["R9"] if response < 6 else rng.choice(["R1", "R2", "R3"], 2, replace=False)
        scores = [int(np.clip(true + rng.integers(-1, 2), 1, 6)) for _ in raters]
        rows += [(f"e{response}", rater, score, group, true) for rater, score in zip(raters, scores, strict=True)]
    frame = pd.DataFrame(rows, columns=["id", "rater", "score", "group", "system"])
    own = frame[frame.rater == "R9"].score
    frame = frame if engine else frame.drop(columns="system")
    found = evaluation_of(frame, scale="1:6", show_rater_names=True, ratings_only=not engine)
    shown = {row.cells[0] for row in found.tables["human_raters.raters"].rows}
    assert "R9" not in shown
    assert len(shown) == 2, "one withheld rater could be subtracted"
    for key, table in found.tables.items():
        for row in table.rows:
            assert "R9" not in row.cells, key
            numbers = [cell for cell in row.cells if isinstance(cell, float)]
            assert not any(abs(number - own.mean()) < 1e-9 for number in numbers), key


def test_rater_column_of_small_group_is_withheld() -> None:
    """Pairs of raters and exchanges with the engine are statistics of the same seven responses."""
    rng = np.random.default_rng(8)
    true = rng.integers(2, 6, 150)
    frame = pd.DataFrame({
        "id": [f"e{response}" for response in range(150)], "group": ["small"] * 7 + ["a", "b"] * 71 + ["a"],
        **{name: np.clip(true + rng.integers(-1, 2, 150), 1, 6) for name in ("human_a", "human_b", "human_d")},
        "system": true + rng.normal(0, 0.5, 150),
    })  # fmt: skip
    frame["human_c"] = np.where(frame.group == "small", frame.human_a, np.nan)
    found = evaluation_of(
        frame, scale="1:6", human=["human_a", "human_b", "human_c", "human_d"], annotator_min_ratings=2
    )
    assert any(key.startswith("panel.") for key in found.tables)
    pages = {key: str(table.rows) for key, table in found.tables.items() if not key.startswith("data.")}
    assert [key for key, page in pages.items() if "human_c" in page] == []


def test_rater_of_group_and_few_others_is_withheld() -> None:
    """Rater A rated the members of one group and two responses of the other."""
    rng = np.random.default_rng(3)
    rows = []
    for response in range(150):
        raters = ["A"] if response < 62 else ["B", "C", "D"]
        rows += [(f"e{response}", r, int(rng.integers(1, 7)), "a" if response < 60 else "b") for r in raters]
    frame = pd.DataFrame(rows, columns=["id", "rater", "score", "group"])
    found = evaluation_of(frame, scale="1:6", show_rater_names=True, ratings_only=True)
    assert "by_group.group" in found.tables or "raters.by.group" in found.tables
    assert "A" not in {row.cells[0] for row in found.tables["human_raters.raters"].rows}


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
        return tuple(each for each in doubts if "among the" in each)

    assert "the 2 items" in item_doubts(3.0)[0]
    assert item_doubts(3.0) == item_doubts(5.0), "scores of withheld items change no message"


@pytest.mark.parametrize("withhold", [True, False])
def test_withholding_is_optional(withhold: bool) -> None:
    frame = graded({"large": (60, 40), "middle": (20, 20), "protector": (10, 0), "tiny": (5, 0)})
    found = evaluated(frame, ["group"], withhold_small_groups=withhold)
    assert bool(found.facts.get("groups_withheld", {}).get("group")) == withhold
