"""CSV files of tables: terms as words, statistics as keys; a file of ours is known again, a changed one is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.results import Column, Estimate, Row, Table
from reportgen.results.term import Term
from reportgen.storing.csv_tables import says, write_tables
from reportgen.testing import example_evaluation
from reportgen.wording.vocabulary import english

TABLE = Table(
    "a.table",
    "",
    (Column("who"), Column("statistic"), Column("value")),
    (
        Row((Term("first_rater"), Term("qwk"), Estimate("qwk", 0.5, 9, 0.25, 0.75))),
        Row((Term("chart_data", title="scores"), "=cmd()", None)),
    ),
)


def written(folder: Path) -> Path:
    write_tables(map(english().file, [TABLE]), folder)
    return folder / TABLE.file_name


def test_terms_are_words_and_statistics_keep_their_keys(tmp_path: Path) -> None:
    assert written(tmp_path).read_text(encoding="utf-8").splitlines() == [
        "who,statistic,value,value_low,value_high,value_n",
        "One rater,qwk,0.5,0.25,0.75,9",
        "Data: scores,'=cmd(),,,,",
    ]


def test_a_file_is_known_again_whatever_its_words(tmp_path: Path) -> None:
    text = written(tmp_path).read_text(encoding="utf-8")
    assert says(text, TABLE)
    assert says(text.replace("One rater", "Primer evaluador"), TABLE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.75", "0.76"),
        ("who", "rater"),
        (",9\n", ",9,more\n"),
        ("One", '"One'),
        ("who", "\ufeffwho"),
    ],
)
def test_a_file_that_somebody_changed_is_not_ours(tmp_path: Path, old: str, new: str) -> None:
    text = written(tmp_path).read_text(encoding="utf-8")
    assert text.replace(old, new) != text
    assert not says(text.replace(old, new), TABLE)
    assert not says("", TABLE)


def test_only_statistics_stay_keys_in_the_files_of_a_report() -> None:
    tables = example_evaluation().tables.values()
    cells = [cell for table in tables for row in table.rows for cell in row.cells]
    kept = [cell for table in map(english().file, tables) for row in table.rows for cell in row.cells]
    assert any(isinstance(cell, Term) for cell in cells)
    assert all(english().knows(cell.key) for cell in kept if isinstance(cell, Term))
