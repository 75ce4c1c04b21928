"""Test that spreadsheets read CSV cells as text with any separator."""

import csv
import os
import random
from pathlib import Path

import pytest
from command import refused
from command import reportgen as run

import reportgen
from reportgen.storing.report_folder import harmless

SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"
NAMES = [
    "\uff1d1+1", "\uff0bA1", "\uff0dA1", "\uff20SUM(1)", "=1+1", "\t=1+1", "\r=1+1", "\n=1+1", " =1+1", "\ufeff=1+1",
    "a;=1+1", "a;\uff1dcmd|' /C calc'!A0", "a; @SUM(1)", "a\t=1+1", "a\r\n=1+1", "b;-1+1", ";=1",
]  # fmt: skip


def runs(cell: str) -> bool:
    """Return whether a spreadsheet would read a cell as a formula."""
    text = cell.strip().strip("\x00\ufeff\u200b").strip()
    if not text.startswith(tuple(SIGNS)):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False


def test_csv_cells_are_not_formulas_with_any_separator(tmp_path: Path) -> None:
    with (tmp_path / "s.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["id", "human", "system", "group"])
        for name in NAMES:
            writer.writerows([f"{name}{i}", i % 4 + 1, (i + i % 2) % 4 + 1, f"{name}"] for i in range(12))
    reportgen.evaluate(tmp_path / "s.csv", tmp_path / "out", formats=[], groups=["group"])
    files = sorted((tmp_path / "out" / "tables").glob("*.csv"))
    assert "1+1" in "".join(path.read_text(encoding="utf-8") for path in files)
    for path in files:
        lines = path.read_text(encoding="utf-8").splitlines()
        for separator in ",;\t":
            assert not [cell for line in csv.reader(lines, delimiter=separator) for cell in line if runs(cell)], path


def test_mixed_separators_and_signs_are_text() -> None:
    chance = random.Random(1)
    for _ in range(3000):
        cell = "".join(chance.choices([*SIGNS, *";\t\r\n \ufeff\u200b", "1", "a", "-1.5"], k=chance.randrange(1, 9)))
        parts = str(harmless(cell)).replace("\t", ";").replace("\r", ";").replace("\n", ";").split(";")
        assert not any(map(runs, parts)), repr(cell)


@pytest.mark.parametrize("cell", ["-1.5", "+3", "a-b", "a, -b", "x = 1", "1;-2", "female", -1.5, 3])
def test_numbers_and_plain_text_are_unchanged(cell: str | float) -> None:
    assert harmless(cell) == cell


DATA = "id,item,human,human2,system\n" + "".join(
    f"r{i},{'ab'[i % 2]},{i % 5 + 1},{(i + 1) % 5 + 1},{i % 5 + 1.2:.2f}\n" for i in range(60)
)
COMMAND = ("batch", "s.csv", "all", "--by", "item", "--scale", "1:5", "--tables-only", "--quiet")


@pytest.mark.parametrize("name", ["a", "summary"])
def test_linked_report_raises(tmp_path: Path, name: str) -> None:
    (tmp_path / "s.csv").write_text(DATA)
    for folder in ("all", "elsewhere"):
        (tmp_path / folder).mkdir()
    (tmp_path / "all" / name).symlink_to(tmp_path / "elsewhere")
    assert "is a symbolic link" in refused(*COMMAND, cwd=tmp_path)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_linked_batch_list_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(DATA)
    (tmp_path / "mine.json").write_text("mine")
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "batch.json").symlink_to(tmp_path / "mine.json")
    run(*COMMAND, "--force", cwd=tmp_path)
    assert (tmp_path / "mine.json").read_text() == "mine"
    assert not (tmp_path / "all" / "batch.json").is_symlink()


@pytest.mark.parametrize("kind", ["pipe", "huge"])
def test_invalid_batch_list_raises_early(tmp_path: Path, kind: str) -> None:
    (tmp_path / "s.csv").write_text(DATA)
    (tmp_path / "all").mkdir()
    if kind == "pipe":
        os.mkfifo(tmp_path / "all" / "batch.json")
    else:
        with (tmp_path / "all" / "batch.json").open("wb") as file:
            file.truncate(3_000_000_000)
    assert "batch.json" in refused(*COMMAND, cwd=tmp_path)


@pytest.mark.parametrize("command", ["check out", "packet out review", "compare out out", "plan --from out"])
def test_linked_results_are_not_followed(tmp_path: Path, command: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "secret.json").write_text("{}")
    (tmp_path / "out" / "results.json").symlink_to(tmp_path / "secret.json")
    assert "is a symbolic link" in refused(*command.split(), cwd=tmp_path)


@pytest.mark.parametrize("place", ["/proc/x", "/proc/1/x.toml"])
def test_unwritable_file_raises(tmp_path: Path, place: str) -> None:
    if not Path("/proc/1").is_dir():
        pytest.skip("no /proc")
    (tmp_path / "s.csv").write_text(DATA)
    assert "cannot be written" in refused("init", "s.csv", "-o", place, cwd=tmp_path)
