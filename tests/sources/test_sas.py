"""SAS data files."""

from pathlib import Path

import pytest
from sas_files import sas_file

from reportgen.errors import InputError, SettingsError
from reportgen.scores import read
from reportgen.settings import from_keywords
from reportgen.sources.tabular import Place

COLUMNS: dict[str, list[str | float]] = {
    "id": [f"{i:03d}" for i in range(60)],
    "human": [*(float(i % 5 + 1) for i in range(59)), float("nan")],
    "system": [i % 5 + 1 + (i % 3 - 1) / 4 for i in range(60)],
    "language": ["Zoë", ""] * 30,
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "scores.sas7bdat"
    file.write_bytes(sas_file(COLUMNS))
    return file


def test_a_sas_file_is_read_with_missing_values_and_accents(path: Path) -> None:
    scores = read(path, from_keywords(groups=["language"]))
    assert (scores.read, scores.kept) == (60, 59)
    assert scores.ids[7].as_py() == "007"
    assert scores.groups["language"].labels == ("No info", "Zoë")
    assert scores.exclusions[0].first_rows == (Place(60),)
    assert scores.source.format == "sas7bdat"


def test_the_encoding_can_be_named(path: Path) -> None:
    assert read(path, from_keywords(groups=["language"], encoding="cp437")).groups["language"].labels[1] != "Zoë"
    with pytest.raises(SettingsError, match="encoding 'latin-99' is not known"):
        read(path, from_keywords(encoding="latin-99"))


@pytest.mark.parametrize("size", [10, 500, 1200, 6000])
def test_a_mangled_file_is_an_error(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(InputError, match="not a readable SAS data file"):
        read(path)
