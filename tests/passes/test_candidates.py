"""Candidates whose responses are counted in batches are the units that they are when rows are held."""

import gc
import tempfile
from pathlib import Path
from typing import Any

import pytest
from test_agreement import assert_alike, both, drawn, numbers, short_blocks, texts, with_candidates, written

from reportgen.passes import NeedsRowsError, count
from reportgen.scores import read
from reportgen.settings import from_keywords

SCALE = {"scale": "1:6", "exclude_zero_scores": True}
NAMED = {"system": "engine", "human": ["h1", "h2"], "groups": ["gender", "item"], **SCALE}


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    short_blocks(monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("column", ["student", "number"])
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_named_columns_of_candidates_agree(column: str, suffix: str, tmp_path: Path) -> None:
    columns = with_candidates(drawn(400, 7), 7)
    table = texts(columns) if suffix == ".csv" else numbers(columns)
    held, batched = both(written(table, tmp_path, suffix), from_keywords(**NAMED, candidate=column))
    assert held["report"]["evaluation"]["estimates"]["judges.calibrated_mean"]["low"] is not None
    assert_alike(held, batched)


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
    with pytest.raises(NeedsRowsError, match="a few candidates wrote most responses"):
        count(source, from_keywords(exclude_zero_scores=False))


def test_files_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of a finished report, and of a run that is stopped at once."""
    folder, opened = tmp_path / "temporary", list[Any]()
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))

    def temporary() -> Any:
        opened.append(tempfile.TemporaryFile())  # noqa: SIM115
        return opened[-1]

    monkeypatch.setattr("reportgen.sources.databases.TemporaryFile", temporary)
    source = written(numbers(with_candidates(drawn(200, 47), 47)), tmp_path, ".parquet")
    found = count(source, from_keywords(exclude_zero_scores=False))
    assert found.account.n_units == read(source, from_keywords(exclude_zero_scores=False)).n_units
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
