"""Groups crossed: every combination that occurs, names that stay apart, sentences for what cannot be."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import SettingsError
from reportgen.scores import read
from reportgen.settings import Settings, from_keywords
from reportgen.sources.columns import MOST_INTERSECTIONS, Coded, with_intersections

LABELS = st.lists(st.text(alphabet="ab× “”", max_size=5), min_size=1, max_size=6, unique=True)


def coded(labels: list[str], codes: list[int]) -> Coded:
    return Coded(np.array(codes, np.int32), tuple(labels))


@given(LABELS, LABELS, st.data())
def test_combinations_stay_separate_under_any_name(one: list[str], two: list[str], data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 30))
    first, second = (data.draw(st.lists(st.integers(0, len(x) - 1), min_size=n, max_size=n)) for x in (one, two))
    groups = {"a": coded(one, first), "b": coded(two, second)}
    found = with_intersections(groups, [["a", "b"]])["a × b"]
    assert len(set(found.labels)) == len(found.labels) == len(set(zip(first, second, strict=True)))
    same = {(x, y): code for x, y, code in zip(first, second, found.codes.tolist(), strict=True)}
    assert all(same[x, y] == code for x, y, code in zip(first, second, found.codes.tolist(), strict=True))


def test_three_columns_and_a_name_that_is_taken() -> None:
    groups = {name: coded(["x", "y"], [0, 1, 1]) for name in ("a", "b", "c", "a × b")}
    found = with_intersections(groups, [["a", "b"], ["a", "b", "c"]])
    assert list(found)[4:] == ["a × b (2)", "a × b × c"]
    assert found["a × b × c"].labels == ("x × x × x", "y × y × y")
    assert list(with_intersections({name: groups[name] for name in "abc"}, "all pairs"))[3:] == [
        "a × b",
        "a × c",
        "b × c",
    ]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ([["a", "z"]], "group column 'z' does not exist"),
        ([["a"]], "expected two or more group columns"),
        ([["a", "a"]], "expected two or more group columns"),
    ],
)
def test_columns_that_cannot_be_crossed_are_errors(wanted: list[list[str]], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        with_intersections({"a": coded(["x"], [0]), "b": coded(["x"], [0])}, wanted)


def test_too_many_intersections_are_an_error() -> None:
    groups = {f"g{k}": coded(["x"], [0]) for k in range(20)}
    with pytest.raises(SettingsError, match=f"the limit is {MOST_INTERSECTIONS}"):
        with_intersections(groups, "all pairs")


@pytest.mark.parametrize("given", ["a,b", ["a , b"], [["a", "b"]], ("a,b",)])
def test_settings_accept_names_with_commas_or_lists(given: object) -> None:
    assert from_keywords(intersections=given).data.intersections == (("a", "b"),)
    assert from_keywords(intersections=["all"]).data.intersections == "all pairs"
    assert Settings().data.intersections == ()


def test_a_table_has_intersections_along_with_its_groups() -> None:
    frame = pd.DataFrame({"system": [1.5, 2.5, 3.5, 2.0], "h1": [1, 2, 3, 2], "a": list("xyxy"), "b": list("uuvv")})
    scores = read(frame, from_keywords(system="system", human="h1", groups=["a", "b"], intersections=["a,b"]))
    assert list(scores.groups) == ["a", "b", "a × b"]
    assert scores.groups["a × b"].labels == ("x × u", "x × v", "y × u", "y × v")


def test_at_most_thirty_group_columns_are_detected() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"system": rng.normal(3, 1, 60), "h1": rng.integers(1, 5, 60)})
    frame = frame.assign(**{f"c{k}": rng.choice(["u", "v"], 60) for k in range(40)})
    scores = read(frame, from_keywords(system="system", human="h1"))
    assert len(scores.groups) == 30
    assert sum("30 other group columns were found" in why for _, why in scores.left_out) == 10
