"""Cells of CSV files are text in a spreadsheet, whatever separator its language reads them with."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

import reportgen
from reportgen.storing.csv_tables import harmless

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


def test_tables_run_nothing_with_any_separator(tmp_path: Path) -> None:
    with (tmp_path / "s.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["id", "human", "system", "group"])
        for name in NAMES:
            writer.writerows([f"{name}{i}", i % 4 + 1, (i + i % 2) % 4 + 1, f"{name}"] for i in range(12))
    reportgen.evaluate(tmp_path / "s.csv", tmp_path / "out", formats=[], groups=["group"])
    files = sorted((tmp_path / "out" / "tables").glob("*.csv"))
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    assert "1+1" in text
    for path in files:
        lines = path.read_text(encoding="utf-8").splitlines()
        for separator in ",;\t":
            assert not [cell for line in csv.reader(lines, delimiter=separator) for cell in line if runs(cell)], path


def test_any_mixture_of_separators_and_signs_is_text() -> None:
    chance = random.Random(1)
    for _ in range(3000):
        cell = "".join(chance.choices([*SIGNS, *";\t\r\n \ufeff\u200b", "1", "a", "-1.5"], k=chance.randrange(1, 9)))
        parts = str(harmless(cell)).replace("\t", ";").replace("\r", ";").replace("\n", ";").split(";")
        assert not any(map(runs, parts)), repr(cell)


@pytest.mark.parametrize("cell", ["-1.5", "+3", "a-b", "a, -b", "x = 1", "1;-2", "female", -1.5, 3])
def test_numbers_and_plain_text_stay(cell: str | float) -> None:
    assert harmless(cell) == cell
