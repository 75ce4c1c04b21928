"""Test that only named raters are excluded, with the same numbers in every layout."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command import refused, reportgen
from simulated import framed, simulated

from reportgen.errors import SettingsError
from reportgen.scores import ScoreTable, read
from reportgen.settings import Settings, override

RATERS = ["ann", "bea", "cem", "dov"]


def wide(seed: int = 1, n: int = 90) -> pd.DataFrame:
    """Return one row per response, the third rater's scores drawn at random."""
    scores = simulated(n, seed, 4, sd=1.2)
    scores.human[:, 2] = scores.rng.integers(1, 7, n)
    return framed(scores, "human_", "system").clip(1, 6).assign(id=[f"r{i}" for i in range(n)])


def long(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the same, one row per rating, in another order."""
    names = {f"human_{place + 1}": rater for place, rater in enumerate(RATERS)} | {"system": "engine"}
    rows = frame.rename(columns=names).melt("id", var_name="rater", value_name="score")
    return rows.sample(frac=1, random_state=3).reset_index(drop=True)


def named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return one row per response, with the rater of each score."""
    return frame.assign(**{f"rater_{place + 1}_id": rater for place, rater in enumerate(RATERS)})


def scores_of(frame: pd.DataFrame, **data: Any) -> ScoreTable:
    """Return the scores of a frame."""
    return read(frame, override(Settings(), **data))


def sets(scores: ScoreTable) -> list[list[float]]:
    """Return the ratings of every response, sorted."""
    return [sorted(row[np.isfinite(row)].tolist()) for row in scores.human]


def test_every_layout_excludes_the_same_ratings() -> None:
    frame = wide()
    expected = sets(read(frame.drop(columns="human_3")))
    ratings = {"rater_ids": [f"rater_{place}_id" for place in range(1, 5)]}
    for scores in (
        scores_of(frame, without=["human_3"]),
        scores_of(named(frame), without=["human_3"], **ratings),
        scores_of(long(frame), without=["cem"], system="engine"),
        scores_of(long(frame), without=["c?m"], system="engine"),
    ):
        assert (scores.without.raters, scores.without.ratings) == (1, 90)
        assert "Excluded by user: 1 rater, 90 ratings." in scores.warnings
        by_id = dict(zip(scores.ids.to_pylist(), sets(scores), strict=True))
        assert [by_id[f"r{i}"] for i in range(90)] == expected


def test_excluding_a_named_rater_keeps_the_scores_of_others() -> None:
    frame = named(wide())
    frame.loc[::2, ["rater_2_id", "rater_4_id"]] = ["dov", "bea"]
    scores = scores_of(frame, without=["bea"], rater_ids=[f"rater_{place}_id" for place in range(1, 5)])
    blank = np.isnan(scores.human)
    assert blank[::2].sum(axis=0).tolist() == [0, 0, 0, 45]
    assert blank[1::2].sum(axis=0).tolist() == [0, 45, 0, 0]
    assert scores.without.ratings == 90


def test_no_raters_are_excluded_by_default() -> None:
    scores = read(wide())
    assert not scores.without.raters
    assert len(scores.raters) == 4


@pytest.mark.parametrize(("name", "said"), [("humn_3", "did you mean 'human_3'"), ("x*", "matches none of the raters")])
def test_an_unknown_rater_is_an_error(name: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        scores_of(wide(), without=[name])


def test_an_engine_is_not_a_rater() -> None:
    with pytest.raises(SettingsError, match="is not one of the raters"):
        scores_of(long(wide()), without=["engine"], system="engine")


def test_excluding_all_raters_is_an_error() -> None:
    for frame, names in ((wide(), ["human*"]), (long(wide()), ["*"])):
        with pytest.raises(SettingsError, match="excludes every rater; keep"):
            scores_of(frame, without=names, system="system" if "system" in frame else "engine")


def evaluated(*words: object) -> dict[str, Any]:
    """Run the command, and return the facts of its results."""
    reportgen("evaluate", *map(str, words), "--tables-only", cwd=Path(str(words[1])).parent)
    found: dict[str, Any] = json.loads((Path(str(words[1])) / "results.json").read_text())["report"]["evaluation"]
    return found


@pytest.mark.slow
def test_the_configuration_of_a_run_excludes_the_same_raters(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    named(wide()).to_csv(path, index=False)
    first = evaluated(path, tmp_path / "a", "--without", "human_1", "--without", "dov")
    again = evaluated(tmp_path / "a" / "config.toml", tmp_path / "b")
    assert again["estimates"] == first["estimates"]
    assert again["facts"]["left_out_as_asked"] == "Excluded by user: 2 raters, 180 ratings."


def test_results_do_not_name_excluded_raters(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    long(wide()).to_csv(path, index=False)
    evaluated(path, tmp_path / "out", "--without", "cem", "--without=dov", "--system", "engine")
    told = (tmp_path / "out" / "results.json").read_text()
    assert "Excluded by user: 2 raters, 180 ratings." in told
    assert "cem" not in told
    assert "dov" not in told


@pytest.mark.slow
@pytest.mark.parametrize("typed", [("--record", "ced O'B"), ("--record=ced O'B",)])
def test_no_page_names_the_rater_of_record(tmp_path: Path, typed: tuple[str, ...]) -> None:
    path = tmp_path / "scores.csv"
    long(wide()).replace("cem", "ced O'B").to_csv(path, index=False)
    reportgen("evaluate", str(path), "out", *typed, "--system", "engine", "--formats", "html", cwd=tmp_path)
    for file in (tmp_path / "out").rglob("*"):
        if file.is_file() and file.name != "config.toml":
            assert b"ced O" not in file.read_bytes(), file.name
    assert "ced O'B" in (tmp_path / "out" / "config.toml").read_text()
    assert evaluated(tmp_path / "out" / "config.toml", tmp_path / "again")["facts"]


@pytest.mark.slow
def test_a_batch_accepts_raters_of_any_item(tmp_path: Path) -> None:
    """A rater of one item is excluded there; an unknown name is an error at once."""
    frame = long(wide()).assign(item=lambda rows: np.where(rows["id"].str.len() > 2, "p1", "p2"))
    frame.loc[frame["item"].eq("p2") & frame["rater"].eq("cem"), "rater"] = "eli"
    frame.to_csv(tmp_path / "scores.csv", index=False)
    words = ("batch", "scores.csv", "out", "--by", "item", "--system", "engine", "--tables-only")
    reportgen(*words, "--without", "eli", cwd=tmp_path)
    told = {
        name: json.loads((tmp_path / "out" / name / "results.json").read_text())["report"]["evaluation"]["facts"]
        for name in ("p1", "p2")
    }
    assert "left_out_as_asked" not in told["p1"]
    assert told["p2"]["left_out_as_asked"] == "Excluded by user: 1 rater, 10 ratings."
    assert "'fay' is not one of the raters" in refused(*words, "--without", "fay", cwd=tmp_path)


def test_absent_candidates_are_no_outputs_of_the_engine() -> None:
    human = [None if index % 10 == 0 else index % 4 + 1 for index in range(100)]
    engine = [None if index % 10 < 2 else index % 3 + 1.5 for index in range(100)]
    outputs = read(pd.DataFrame({"human": human, "system": engine})).outputs
    assert (outputs.n, outputs.unusable) == (90, 10)
