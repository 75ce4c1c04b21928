"""Nobody's score follows from what is shown: attackers who add and subtract shown groups, on random crossings."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reportgen
from reportgen.evaluation import evaluate
from reportgen.privacy import NONE, Mask, Partition, withheld
from reportgen.results import Evaluation
from reportgen.scores import read
from reportgen.settings import from_keywords

LEAST = 10


def exchanged(rng: np.random.Generator, columns: int) -> list[np.ndarray]:
    """Return group columns of which some are each other but for a few people."""
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
    """Return (sets, responses): everybody, and the members of every shown level."""
    n = len(columns[0])
    rows = [np.ones(n)]
    rows += [1.0 * (codes == level) for codes, mask in zip(columns, hidden, strict=True)
             for level in range(len(mask)) if not mask[level]]  # fmt: skip
    return np.array(rows)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3))
def test_the_linear_system_of_all_shown_sums_gives_no_small_crossing_away(seed: int, columns: int) -> None:
    """Whoever knows who is in which groups solves for the sum over each crossing of all columns, by least squares."""
    made = exchanged(np.random.default_rng(seed), columns)
    sums = shown_sets(made, decided(made))
    crossings, place, size = np.unique(np.stack(made), axis=1, return_inverse=True, return_counts=True)
    for crossing in np.flatnonzero(size < LEAST):
        target = 1.0 * (place.ravel() == crossing)
        left = target - sums.T @ np.linalg.lstsq(sums.T, target, rcond=None)[0]
        assert np.abs(left).max() > 1e-6, crossings[:, crossing]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 3))
def test_no_groups_of_two_columns_differ_by_few(seed: int, columns: int) -> None:
    """Every union of shown groups of one column, its complement too, less every union of those of another."""
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


def test_two_columns_that_are_one_but_for_an_exchange_are_not_both_shown() -> None:
    gender, language = np.repeat([0, 1], 40), np.repeat([0, 1], 40)
    language[0], language[-1] = 1, 0
    one, other = decided([gender, language])
    assert one.all() or other.all()


def test_columns_that_cross_freely_cost_nothing_however_small_their_crossings() -> None:
    rng = np.random.default_rng(4)
    school, gender, grade = (
        rng.permutation(np.repeat(np.arange(40), 15)),
        rng.integers(0, 2, 600),
        rng.integers(0, 5, 600),
    )
    assert not any(mask.any() for mask in decided([school, gender, grade]))


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_person_who_follows_from_three_columns_is_protected(order: tuple[int, ...]) -> None:
    """(A + B − C) / 2 is one person, although no two columns give anybody away."""
    place = np.repeat(np.arange(4), [50, 50, 50, 1])
    columns = [np.array(codes)[place] for codes in ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0])]
    assert not any(mask.any() for mask in decided(columns[:2]))
    assert any(mask.any() for mask in decided([columns[index] for index in order]))


def test_what_is_shown_in_any_case_is_not_protected_in_vain() -> None:
    twice = np.repeat([0, NONE], [95, 5])
    group = np.tile([0, 1], 50)
    fixed = [Partition(twice, 1, always_shown=True)]
    assert not withheld([*fixed, Partition(group, 2)], LEAST)[1].any()


@pytest.mark.parametrize("seed", range(3))
def test_a_remainder_within_each_of_many_groups_is_protected_at_once(seed: int) -> None:
    """Every one of 300 schools has a class of three; another class protects it, and no more are withheld."""
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


def test_an_exchange_of_two_people_in_a_file_is_protected(tmp_path: Path) -> None:
    """All men answer in English but one, all women in French but one: men less English are these two."""
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


def test_of_a_group_with_one_score_only_the_size_is_shown() -> None:
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
    assert len(set(human[frame.school.isin(hidden)])) > 1, "nor does it follow from the others"


@pytest.mark.parametrize("engine", [True, False])
def test_a_rater_of_exactly_a_small_group_is_not_shown(engine: bool) -> None:
    """Nor is anything about the six responses that this rater alone rated: they are all responses less the others."""
    rng = np.random.default_rng(1)
    rows = []
    for response in range(120):
        group = "tiny" if response < 6 else "a" if response < 60 else "b"
        true, raters = (
            int(rng.integers(1, 6)),
            ["R9"] if response < 6 else rng.choice(["R1", "R2", "R3"], 2, replace=False),
        )
        rows += [
            (f"e{response}", rater, int(np.clip(true + rng.integers(-1, 2), 1, 6)), group, true) for rater in raters
        ]
    frame = pd.DataFrame(rows, columns=["id", "rater", "score", "group", "system"])
    own = frame[frame.rater == "R9"].score
    frame = frame if engine else frame.drop(columns="system")
    found = reportgen.evaluate(frame, sections=[], scale="1:6", show_rater_names=True).evaluation
    shown = {row.cells[0] for row in found.tables["human_raters.raters"].rows}
    assert "R9" not in shown
    assert len(shown) == 2, "with one withheld, all ratings less those of the others are its"
    for key, table in found.tables.items():
        for row in table.rows:
            assert "R9" not in row.cells, key
            numbers = [cell for cell in row.cells if isinstance(cell, float)]
            assert not any(abs(number - own.mean()) < 1e-9 for number in numbers), key


def test_a_column_of_exactly_a_small_group_is_in_no_table() -> None:
    """Pairs of raters, and the engine in the place of each, are numbers of the same seven responses."""
    rng = np.random.default_rng(8)
    true = rng.integers(2, 6, 150)
    frame = pd.DataFrame({
        "id": [f"e{response}" for response in range(150)], "group": ["small"] * 7 + ["a", "b"] * 71 + ["a"],
        **{name: np.clip(true + rng.integers(-1, 2, 150), 1, 6) for name in ("human_a", "human_b", "human_d")},
        "system": true + rng.normal(0, 0.5, 150),
    })  # fmt: skip
    frame["human_c"] = np.where(frame.group == "small", frame.human_a, np.nan)
    found = reportgen.evaluate(
        frame, sections=[], scale="1:6", human=["human_a", "human_b", "human_c", "human_d"], annotator_min_ratings=2
    ).evaluation
    assert any(key.startswith("panel.") for key in found.tables)
    pages = {key: str(table.rows) for key, table in found.tables.items() if not key.startswith("data.")}
    assert [key for key, page in pages.items() if "human_c" in page] == []


def test_a_rater_of_a_shown_group_and_few_more_is_not_shown() -> None:
    """Rater A rated exactly the members of one group, and two of the other: these two would follow."""
    rng = np.random.default_rng(3)
    rows = []
    for response in range(150):
        raters = ["A"] if response < 62 else ["B", "C", "D"]
        rows += [(f"e{response}", r, int(rng.integers(1, 7)), "a" if response < 60 else "b") for r in raters]
    frame = pd.DataFrame(rows, columns=["id", "rater", "score", "group"])
    found = reportgen.evaluate(frame, sections=[], scale="1:6", show_rater_names=True).evaluation
    assert "by_group.group" in found.tables or "raters.by.group" in found.tables
    assert "A" not in {row.cells[0] for row in found.tables["human_raters.raters"].rows}
