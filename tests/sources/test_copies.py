"""Exact copies of rows are counted, and what is said to drop them drops them."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from reportgen.errors import InputError
from reportgen.scores import read
from reportgen.settings import from_keywords
from reportgen.sources.delimited import copies

LONG = [f"r{i},{rater},{(i + shift) % 4 + 1}" for i in range(30) for shift, rater in enumerate(("ann", "bo", "engine"))]
WIDE = [f"r{i},{i % 4 + 1},{(i + 1) % 4 + 1},{i % 4 + 1.5}" for i in range(30)]


def written(folder: Path, header: str, rows: list[str]) -> Path:
    file = folder / "two words.csv"
    file.write_text("\n".join([header, *rows]) + "\n")
    return file


@pytest.mark.parametrize(("header", "rows"), [("id,rater,score", LONG), ("id,human_1,human_2,system", WIDE)])
def test_copies_are_told_and_dropped_as_it_is_said(
    tmp_path: Path, header: str, rows: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mixed = [*rows, *rows[:7]]
    random.Random(1).shuffle(mixed)
    written(tmp_path, header, mixed)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="; 7 rows are exact copies of earlier ones; drop them") as refused:
        read("two words.csv", from_keywords(scale="1:5"))
    assert len(str(refused.value)) <= 300
    if shutil.which("awk"):
        subprocess.run(str(refused.value).split("as by: ")[1], shell=True, check=True)
        assert read("once.csv", from_keywords(scale="1:5")).kept == 30


def test_other_repeats_are_told_as_before(tmp_path: Path) -> None:
    file = written(tmp_path, "id,rater,score", [*LONG, "r0,ann,4", "r1,ann,1"])
    with pytest.raises(InputError, match="twice, in rows 2 and 92; keep one of them"):
        read(file)


@pytest.mark.parametrize("text", ['a\n"1\n2"\n"1\n2"\n', "a\n\n\n"])
def test_what_is_no_row_is_no_copy(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.csv").write_text(text)
    assert copies(tmp_path / "s.csv") == 0
    assert copies(tmp_path / "s.parquet") == copies({"a": [1, 1]}) == 0
