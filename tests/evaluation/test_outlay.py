"""Groups that need more memory than allowed are rejected before the evaluation."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import reportgen
from reportgen.errors import InputError
from reportgen.evaluation.counting import OF_TABLES, refuse_costly_groups
from reportgen.machine import memory

LEVELS = 1000


def level_sizes(levels: int, n: float = 20.0) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.full(levels, n)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("data") / "scores.csv"
    rows = (f"{i % 5 + 1},{i % 7 % 5 + 1},{i % 5 + 1.25},all,L{i % LEVELS}\n" for i in range(10 * LEVELS))
    file.write_text("human,human2,system,item,school\n" + "".join(rows), encoding="utf-8")
    return file


WAYS: dict[str, Callable[[Path, Path], object]] = {
    "rows": lambda file, out: reportgen.evaluate(file, system="system", groups=["school"], batches=False),
    "batches": lambda file, out: reportgen.evaluate(file, system="system", groups=["school"], batches=True),
    "tables": lambda file, out: reportgen.item_tables(file, by="item", system="system", groups=["school"], scale="1:5"),
}


@pytest.mark.parametrize("way", WAYS)
def test_too_many_levels_raise(way: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(memory.VARIABLE, "0.152")
    with pytest.raises(InputError, match=r"the 1,000 levels of 'school' require about") as error:
        WAYS[way](path, tmp_path)
    assert "groups=, or use --memory 1 (in Python, " in str(error.value)
    assert len(str(error.value).removeprefix(str(path))) <= 250


def test_too_many_levels_in_batch_raise(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(memory.VARIABLE, "0.152")
    with pytest.raises(reportgen.errors.BatchError, match="'school' require about"):
        reportgen.batch(path, tmp_path / "out", by="item", system="system", groups=["school"], tables_only=True)


@pytest.mark.parametrize(("levels", "n"), [(10_000, 20), (321, 9), (150_000, 1)])
def test_levels_within_memory_are_accepted(levels: int, n: int) -> None:
    refuse_costly_groups({"a": level_sizes(levels, n), "b": level_sizes(5)}, 10)


def test_many_levels_within_items_are_accepted() -> None:
    refuse_costly_groups({"a": level_sizes(200_000)}, 10, OF_TABLES)


@pytest.mark.parametrize(("columns", "levels"), [(1, 30_000), (6, 5000), (5000, 7)])
def test_memory_error_is_short(columns: int, levels: int) -> None:
    sizes = {f"{'a' * 300}{number}": level_sizes(levels) for number in range(columns)}
    with pytest.raises(memory.NeedsMemoryError, match=f"{columns * levels:,} levels") as error:
        refuse_costly_groups(sizes, 10)
    assert len(str(error.value)) <= 300
