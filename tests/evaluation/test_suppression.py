"""Withheld numbers appear nowhere, and combinations of responses in parts are those of all responses."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reportgen.evaluation import evaluate, tally_screened
from reportgen.evaluation.many_items import counted
from reportgen.evaluation.many_items.counted import BY_ITEM, hidden_levels, items_as_groups
from reportgen.evaluation.suppression import (
    HUMAN,
    MOST_SCORES,
    MULTIPLE,
    REPORTED,
    Combinations,
    hidden_by_size,
    merged,
    suppression,
)
from reportgen.results import WITHHELD, Estimate, Evaluation
from reportgen.scores import read
from reportgen.settings import from_keywords
from reportgen.tally import Sums, tally_of
from reportgen.tally.sums import Floats, Integers


def data(seed: int = 3, n: int = 400) -> pd.DataFrame:
    """Scores with a group of six, a large group of which four responses were scored twice, and candidates."""
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 7, n)
    group = np.array(["a", "b", "c", "d", "d", "d"], object)[rng.integers(0, 6, n)]
    group[:6] = "tiny"
    second = np.clip(human + rng.integers(-1, 2, n), 1, 6).astype(float)
    second[rng.random(n) < 0.3] = np.nan
    second[np.flatnonzero(group == "d")[4:]] = np.nan
    second[np.flatnonzero(group == "d")[:4]] = 3
    return pd.DataFrame({
        "id": [f"r{i}" for i in range(n)], "system": human + rng.normal(0, 0.6, n), "h1": human, "h2": second,
        "group": group, "who": [f"w{i // 2}" for i in range(n)],
    })  # fmt: skip


def evaluated(frame: pd.DataFrame, **keywords: object) -> Evaluation:
    settings = from_keywords(
        system="system", human=["h1", "h2"], groups=["group"], id="id", scale="1:6",
        **{"candidate": None, **keywords},
    )  # fmt: skip
    return evaluate(read(frame, settings), settings, {})


@pytest.fixture(scope="module", params=[None, "who"])
def found(request: pytest.FixtureRequest) -> Evaluation:
    frame = data() if request.param else data().drop(columns="who")
    return evaluated(frame, candidate=request.param)


def levels(found: Evaluation, key: str) -> set[object]:
    return {row.cells[0] for row in found.tables[key].rows}


def test_small_group_and_complement_appear_in_no_table(found: Evaluation) -> None:
    hidden = set(found.facts["groups_withheld"]["group"])
    assert "tiny" in hidden
    assert len(hidden) == 2
    for key, table in found.tables.items():
        if key == "privacy.withheld":
            continue
        for row in table.rows:
            assert not any(cell in hidden for cell in row.cells), key
        assert not hidden & {column.label for column in table.columns}, key


def test_human_agreement_of_few_second_scores_is_withheld(found: Evaluation) -> None:
    shown = levels(found, "by_group.group")
    twice = levels(found, "human_human.by.group")
    assert "d" not in twice
    assert "d" in shown or "d" in found.facts["groups_withheld"]["group"]
    assert len(shown - twice) >= 1


def test_withheld_table_has_names_and_no_numbers(found: Evaluation) -> None:
    table = found.tables["privacy.withheld"]
    assert {("group", name) for name in found.facts["groups_withheld"]["group"]} <= {
        row.cells[:2] for row in table.rows
    }
    assert all(isinstance(cell, str) and not cell.isdigit() for row in table.rows for cell in row.cells)


def test_criteria_of_withheld_groups_are_insufficient(found: Evaluation) -> None:
    checks = {check.group: check for check in found.checks if check.group}
    check = checks["group: tiny"]
    assert (check.outcome, check.estimate.value, check.estimate.n) == ("insufficient", None, 0)
    assert WITHHELD in check.estimate.reason


def test_measure_withholds_groups(found: Evaluation) -> None:
    assert found.measure is not None

    def second_mean(own: Sums, _: Sums) -> Floats:
        return own.human.y / own.human.n

    def system_mean(own: Sums, _: Sums) -> Floats:
        return own.system.y / own.system.n

    own = found.measure("m", system_mean, grouping="group")
    assert set(own) == levels(found, "by_group.group") - {"All data"}
    assert all(estimate.low is not None for estimate in own.values())
    twice = found.measure("m", second_mean, grouping="group")
    for label, estimate in twice.items():
        assert (estimate.value is not None) == (label in levels(found, "human_human.by.group"))


def assert_same(one: object, other: object) -> None:
    """Compare two cells; sums over more groups differ in the last digits."""
    if isinstance(one, Estimate) and isinstance(other, Estimate):
        for name, value in vars(one).items():
            assert_same(value, getattr(other, name))
    elif isinstance(one, float):
        assert other == pytest.approx(one, rel=1e-12, abs=1e-12)
    else:
        assert one == other


def test_shown_estimates_do_not_depend_on_withholding(found: Evaluation) -> None:
    candidate = "who" if found.facts["units"] else None
    frame = data() if candidate else data().drop(columns="who")
    every = evaluated(frame, withhold_small_groups=False, candidate=candidate)
    whole = {row.cells[0]: row for row in every.tables["by_group.group"].rows}
    # dsm_fair depends on the slope within the groups that are shown
    shown = [at for at, column in enumerate(found.tables["by_group.group"].columns) if column.key != "dsm_fair"]
    for row in found.tables["by_group.group"].rows:
        for at in shown:
            assert_same(row.cells[at], whole[row.cells[0]].cells[at])
    assert every.tables.keys() == found.tables.keys() - {"privacy.withheld"}


def test_grouping_withheld_completely_is_absent() -> None:
    frame = data()
    frame["group"] = ["few"] * 5 + ["many"] * (len(frame) - 5)
    found = evaluated(frame)
    assert not found.groups
    assert not [key for key in found.tables if "group" in key]
    assert {check.group for check in found.checks if check.group} == {"group: few", "group: many"}


def test_suppression_matches_rows() -> None:
    frame = data()
    settings = from_keywords(system="system", human=["h1", "h2"], groups=["group"], id="id", scale="1:6")
    scores = read(frame, settings)
    tallied = tally_screened(scores, settings)
    assert tallied.withheld == suppression(Combinations.of(scores.human, scores.groups), 10)
    both = frame.h2.notna().to_numpy()
    shown = [tallied.tally.slices["group"].labels[i] for i in tallied.level_order("group", "human")]
    for label in shown:
        assert (both & (frame.group == label).to_numpy()).sum() >= 10
    rest = both & ~frame.group.isin(shown).to_numpy()
    assert rest.sum() == 0 or rest.sum() >= 10


def test_hidden_by_size_of_stored_tables() -> None:
    assert hidden_by_size({"a": 50, "b": 20, "c": 3}, 73, 10) == {"b", "c"}
    assert hidden_by_size({"a": 50, "b": 20}, 73, 10) == {"b"}  # three responses are in no group
    assert hidden_by_size({"a": 50, "b": 20}, 70, 10) == frozenset()


def test_rare_score_withholds_cells_only() -> None:
    """Human score 1 occurs four times in one of two large groups: only the cell is withheld."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"group": np.repeat(["women", "men"], [104, 96]), "h1": rng.integers(2, 6, 200)})
    frame.loc[frame.index[-4:], "h1"] = 1
    frame["system"] = frame.h1 + rng.normal(0, 0.6, 200)
    settings = from_keywords(system="system", human=["h1"], groups=["group"], scale="1:6")
    found = evaluate(read(frame, settings), settings, {})
    assert not found.facts["groups_withheld"]
    assert levels(found, "by_group.group") >= {"women", "men"}
    cells = suppression(Combinations.of(frame[["h1"]].to_numpy(float), {"group": groups_of(frame.group)}), 10).cells[
        "group"
    ]
    assert ("men", 1.0) in cells
    checks = [check for check in found.checks if check.group]
    assert all(check.estimate.defined for check in checks)


@pytest.mark.parametrize("seed", range(12))
def test_groups_are_withheld_by_size_only(seed: int) -> None:
    """Second scores and score points affect only their own numbers."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 200))
    a, b = rng.integers(0, 3, n), rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])
    human = np.column_stack([rng.choice(5, n, p=[0.03, 0.17, 0.4, 0.3, 0.1]), rng.integers(0, 5, n)]).astype(float)
    human[rng.random(n) < rng.choice([0.1, 0.6, 0.95]), 1] = np.nan
    groups = {"a": groups_of(pd.Series(a).astype(str)), "b": groups_of(pd.Series(b).astype(str))}
    made = suppression(Combinations.of(human, groups), 10)
    assert made.levels == suppression(Combinations.of(np.zeros((n, 1)), groups), 10).levels
    for name, (codes, labels) in groups.items():
        for level, label in enumerate(labels):
            inside = codes == level
            for point in range(5):
                size = (inside & (human[:, 0] == point)).sum()
                assert not 0 < size < 10 or made.hides_at(name, label, float(point))
            both = (inside & np.isfinite(human).all(axis=1)).sum()
            assert not 0 < both < 10 or made.hides(name, label, "human")
            shown = [p for p in range(5) if not made.hides_at(name, label, float(p))]
            rest = inside & ~np.isin(human[:, 0], shown)
            if label not in made.levels[name] and len(shown):
                public = [p for p in range(5) if not (~inside & (human[:, 0] == p)).any()]  # the margin is the cell
                assert not 0 < rest.sum() < 10 or set(human[rest, 0]) <= set(public)


def groups_of(column: pd.Series) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return codes and labels."""
    codes, labels = pd.factorize(column, sort=True)
    return codes, tuple(labels)


def test_second_ratings_cannot_be_subtracted() -> None:
    """One group is double-scored completely: a difference would reveal the four of the other group."""
    rng = np.random.default_rng(1)
    human = rng.integers(1, 7, (200, 2)).astype(float)
    human[4:100, 1] = np.nan
    groups = {"gender": (np.repeat([0, 1], 100), ("F", "M"))}
    found = suppression(Combinations.of(human, groups), 10)
    assert not found.levels["gender"]
    for kind in ("human", "multiple"):
        assert found.twice[kind]["gender"] == {"F", "M"}


Rows = tuple[Floats, dict[str, tuple[Integers, tuple[str, ...]]], np.ndarray]


def responses(seed: int, n: int, points: int) -> Rows:
    rng = np.random.default_rng(seed)
    human = rng.integers(0, points, (n, 3)).astype(float)
    human[:, 1:][rng.random((n, 2)) < 0.6] = np.nan
    place = rng.choice(5, n, p=rng.dirichlet(np.full(5, 0.7)))
    groups = {"place": (place, ("e", "d", "c", "b", "a")), "sex": (rng.integers(0, 2, n), ("f", "m"))}
    return human, groups, rng.random(n) < 0.8


def part_of(rows: Rows, chosen: Integers) -> Combinations:
    """Return the combinations of some responses, with levels in order of appearance."""
    human, groups, all_items = rows
    coded = {}
    for name, (codes, labels) in groups.items():
        met = list(dict.fromkeys(labels[code] for code in codes[chosen]))
        coded[name] = (np.array([met.index(labels[code]) for code in codes[chosen]], np.intp), tuple(met))
    return Combinations.of(human[chosen], coded, all_items[chosen])


def counts_of(found: Combinations) -> Counter[tuple[object, ...]]:
    """Return the responses of each combination by names."""
    return Counter({
        (
            *(found.labels[name][found.codes[name][place]] for name in sorted(found.codes)),
            *(bool(found.kinds[kind][place]) for kind in sorted(found.kinds)),
            None if found.scores is None else float(found.points[found.scores[place]]),
        ): int(found.counts[place])
        for place in range(len(found.counts))
    })  # fmt: skip


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(5, 120),
    points=st.sampled_from([1, 4, 26, 60]),
    cuts=st.lists(st.floats(0, 1), max_size=4),
)
def test_merged_parts_match_all_responses(seed: int, n: int, points: int, cuts: list[float]) -> None:
    rows = responses(seed, n, points)
    pieces = np.split(np.random.default_rng(seed).permutation(n), sorted(int(cut * n) for cut in cuts))
    parts = [part_of(rows, piece) for piece in pieces if len(piece)]
    together, whole = merged(parts[::-1]), part_of(rows, np.arange(n))
    assert counts_of(together) == counts_of(whole)
    assert together.labels == whole.labels
    assert suppression(together, 10) == suppression(whole, 10)


def test_combinations_match_rows() -> None:
    human, groups, all_items = rows = responses(7, 90, 4)
    expected: Counter[tuple[object, ...]] = Counter()
    for place in range(90):
        given_ = np.isfinite(human[place])
        levels = (groups[name][1][groups[name][0][place]] for name in ("place", "sex"))
        expected[(*levels, bool(given_[1]), bool(given_.sum() > 1), bool(all_items[place]), human[place, 0])] += 1
    found = part_of(rows, np.arange(90))
    assert sorted(found.kinds) == [HUMAN, MULTIPLE, REPORTED]
    assert counts_of(found) == expected


def test_combinations_with_many_scores_keep_none() -> None:
    group = {"g": (np.zeros(MOST_SCORES, np.intp), ("all",))}
    few = np.arange(MOST_SCORES, dtype=float)[:, np.newaxis]
    assert merged([Combinations.of(few, group)] * 2).scores is not None
    many = merged([Combinations.of(few, group), Combinations.of(few + 0.5, group)])
    assert many.scores is None
    assert many.counts.tolist() == [2 * MOST_SCORES]
    assert merged([many, Combinations.of(few, group)]).scores is None


def test_merged_rejects_different_groupings() -> None:
    one = Combinations.of(np.ones((2, 1)), {"g": (np.zeros(2, np.intp), ("a",))})
    with pytest.raises(ValueError, match="must be some"):
        merged([])
    with pytest.raises(ValueError, match="same groupings"):
        merged([one, Combinations.of(np.ones((2, 2)), {"g": (np.zeros(2, np.intp), ("a",))})])


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 9999),
    rows=st.integers(5, 150),
    raters=st.integers(1, 3),
    nested=st.booleans(),
    least=st.integers(2, 8),
    rare=st.floats(0.02, 0.5),
)
def test_quick_hidden_levels_match_full_search(
    seed: int, rows: int, raters: int, nested: bool, least: int, rare: float
) -> None:
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 5, (rows, raters)).astype(float)
    human[:, 1:][rng.random((rows, raters - 1)) < 0.5] = np.nan
    item = rng.integers(0, 4, rows)
    sex = rng.choice(3, rows, p=[0.6 - rare / 2, 0.4 - rare / 2, rare])
    school = rng.integers(0, 2, rows) + (2 * sex if nested else 0)
    items = (item, [f"i{code}" for code in range(4)])
    groups: dict[str, tuple[NDArray[np.integer], list[str]]] = {
        "sex": (sex, ["f", "m", "x"]),
        "school": (school, [f"s{code}" for code in range(6)]),
    }
    tally = tally_of(human[:, 0] + rng.normal(0, 0.4, rows), human, items_as_groups(items, groups))
    found = Combinations.of(np.where(np.isnan(human), np.nan, 1.0), {BY_ITEM: items, **groups})
    quick = hidden_levels(tally, ("sex", "school"), found, least)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counted, "_doubtful", lambda found, _: np.ones(len(found.labels["by item"]), bool))
        asked = hidden_levels(tally, ("sex", "school"), found, least)
    for grouping, mask in asked.items():
        np.testing.assert_array_equal(quick[grouping].levels, mask.levels)
        np.testing.assert_array_equal(quick[grouping].twice, mask.twice)
