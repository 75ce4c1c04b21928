"""Candidates whose responses are counted in batches are the units that they are when rows are held."""

import gc
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_agreement import assert_alike, both, drawn, numbers, texts, written

from reportgen.passes import NeedsRowsError, count
from reportgen.scores import read
from reportgen.settings import from_keywords

Columns = dict[str, list[Any]]


def with_candidates(columns: Columns, seed: int, most: int = 60) -> Columns:
    """Give the responses to candidates, a few of whom wrote many; some have no name, or one with a blank."""
    rng = np.random.default_rng(seed)
    n = len(columns["h1"])
    who = (most * rng.random(n) ** 2).astype(int)
    names = np.array([f"c{each}" for each in who], object)
    names[rng.random(n) < 0.1] = ""
    names[rng.random(n) < 0.05] = "  "
    names[rng.random(n) < 0.05] = "c1 "
    return columns | {"student": names.tolist(), "number": (who * 7 - 30).tolist()}


SCALE = {"scale": "1:6", "exclude_zero_scores": True}
NAMED = {"system": "engine", "human": ["h1", "h2"], "groups": ["gender", "item"], **SCALE}

CASES: dict[str, dict[str, Any]] = {
    "found": {"human": ["h1", "h2"], "system": "engine"},
    "named": {**NAMED, "candidate": "student"},
    "numbers": {**NAMED, "candidate": "number"},
    "flags and zeros": {"flags": {"flag": [0]}, "scale": "0:6"},
    "crossed": {"groups": ["item", "grade"], "intersections": "all pairs", "min_n_per_group": 20},
    "nothing withheld": {"withhold_small_groups": False, "trim_min": 0.5, "trim_max": 7},
    "one rater": {"human": ["h1"], "rater_error_variance": 0.2},
}


@pytest.fixture(autouse=True)
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few responses, and files that are written in many pieces."""
    for module in ("reportgen.tally.clusters", "reportgen.passes.candidates"):
        monkeypatch.setattr(f"{module}.BLOCK_ROWS", 40)
    monkeypatch.setattr("reportgen.sources.digests.BATCH_ROWS", 50)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_the_two_ways_agree(case: str, suffix: str, tmp_path: Path) -> None:
    columns = with_candidates(drawn(400, 7), 7)
    table = texts(columns) if suffix == ".csv" else numbers(columns)
    held, batched = both(
        written(table, tmp_path, suffix), from_keywords(**CASES[case]), sections=None if case == "found" else ()
    )
    assert held["report"]["evaluation"]["facts"]["clustered"]
    assert held["report"]["evaluation"]["estimates"]["judges.calibrated_mean"]["low"] is not None
    assert_alike(held, batched)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "decimals", "high", "settings"),
    [
        (0.5, 3, 6, {}),
        (0.5, 0, 6, {"scale": "1:6:0.5", "exclude_zero_scores": True, "withhold_small_groups": False}),
        (1, 2, 40, {"scale": "0:40", "human": ["h1", "h2"]}),
        (0.25, 3, 5, {"scale": "1:5:0", "exclude_zero_scores": True}),
    ],
)
def test_every_kind_of_scale_agrees(
    step: float, decimals: int, high: float, settings: dict[str, Any], tmp_path: Path
) -> None:
    table = numbers(with_candidates(drawn(350, 3, step=step, decimals=decimals, high=high), 3))
    assert_alike(*both(written(table, tmp_path, ".parquet"), from_keywords(**settings)))


@pytest.mark.slow
def test_rescaled_scores_agree(tmp_path: Path) -> None:
    (tmp_path / "training.csv").write_text("sc1,prediction\n1,1.5\n2,2\n5,4.5\n3,3.5\n", encoding="utf-8")
    source = written(numbers(with_candidates(drawn(300, 5), 5)), tmp_path, ".parquet")
    for scale_with in ("asis", str(tmp_path / "training.csv")):
        assert_alike(*both(source, from_keywords(scale_with=scale_with, scale="1:6", exclude_zero_scores=True)))


@pytest.mark.slow
def test_rank_correlations_in_groups_agree(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("reportgen.evaluation.counting.MOST_CELLS", 1 << 9)
    monkeypatch.setattr("reportgen.tally.clusters.MOST_PRODUCTS", 0)
    table = numbers(with_candidates(drawn(400, 17, decimals=6), 17))
    assert_alike(*both(written(table, tmp_path, ".parquet"), from_keywords(scale="1:6", exclude_zero_scores=True)))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_several_files_agree(suffix: str, tmp_path: Path) -> None:
    columns = with_candidates(drawn(500, 11), 11)
    table = texts(columns) if suffix == ".csv" else numbers(columns)
    source, settings = written(table, tmp_path, suffix, files=3), from_keywords(flags={"flag": [0]})
    assert_alike(*both(source, settings))


def test_candidates_with_one_response_each_are_not_clusters(tmp_path: Path) -> None:
    columns = drawn(300, 29)
    table = numbers({**columns, "student": columns["id"]})
    held, batched = both(written(table, tmp_path, ".parquet"), from_keywords(scale="1:6", exclude_zero_scores=True))
    assert not held["report"]["evaluation"]["facts"]["clustered"]
    assert_alike(held, batched)


@pytest.mark.slow
def test_a_candidate_column_of_floats_agrees(tmp_path: Path) -> None:
    """Numbers that are whole but for one are texts with a point, in all rows."""
    columns = with_candidates(drawn(300, 31), 31)
    for last in (7.0, 7.5):
        table = numbers({**columns, "student": [*(float(each) for each in columns["number"][:-2]), None, last]})
        assert_alike(*both(written(table, tmp_path, ".parquet"), from_keywords(scale="1:6", exclude_zero_scores=True)))


@pytest.mark.slow
def test_the_same_file_gives_the_same_digits(tmp_path: Path) -> None:
    source = written(numbers(with_candidates(drawn(300, 37), 37)), tmp_path, ".parquet")
    one, two = (both(source, from_keywords(scale="1:6", exclude_zero_scores=True))[1] for _ in range(2))
    assert one == two


def test_candidates_with_few_responses_need_rows(tmp_path: Path) -> None:
    source = written(numbers(with_candidates(drawn(200, 41), 41)), tmp_path, ".parquet")
    with pytest.raises(NeedsRowsError, match="few responses"):
        count(source, from_keywords(min_items_per_candidate=2))


def test_few_candidates_with_most_responses_need_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reportgen.passes.candidates.MOST_TOGETHER", 150)
    source = written(numbers({**drawn(300, 43), "student": ["one"] * 300}), tmp_path, ".parquet")
    with pytest.raises(NeedsRowsError, match="a few candidates gave most responses"):
        count(source, from_keywords())


def test_files_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a report when it is, those of a run that is stopped at once."""
    folder, opened = tmp_path / "temporary", list[Any]()
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))

    def temporary() -> Any:
        opened.append(tempfile.TemporaryFile())  # noqa: SIM115
        return opened[-1]

    monkeypatch.setattr("reportgen.sources.databases.TemporaryFile", temporary)
    source = written(numbers(with_candidates(drawn(200, 47), 47)), tmp_path, ".parquet")
    found = count(source, from_keywords())
    assert found.account.n_units == read(source, from_keywords()).n_units
    assert [file.closed for file in opened] == [False]  # blocks of the study are still there
    assert not list(folder.iterdir())
    del found
    gc.collect()
    assert all(file.closed for file in opened)

    def stop(_: object, done: int, __: int) -> None:
        if done > 150 and any(folder.iterdir()):  # not while all rows are surveyed
            raise KeyboardInterrupt

    monkeypatch.setattr("reportgen.machine.progress.Silent.rows", stop)
    with pytest.raises(KeyboardInterrupt):
        count(source, from_keywords(system="engine", human=["h1"], groups=[], **SCALE), rows=20)
    assert not list(folder.iterdir())
