"""Tables and reports by the values of a column are not made for small values."""

import csv
import json
import random
from pathlib import Path

import numpy as np
import pytest
from command import reportgen as run
from hypothesis import given
from hypothesis import strategies as st

from report_sections.summaries import SummarizeItems
from reportgen.errors import InputError, OutputError
from reportgen.privacy import withheld_slices
from reportgen.reports.batches import BatchOutcome, batch
from reportgen.reports.item_tables import ItemTables, tables
from reportgen.settings import from_keywords
from reportgen.storing import results_file
from reportgen.storing.report_folder import Writing
from reportgen.testing import text_of

SIZES = {"de": 60, "fr": 40, "es": 25, "is": 2}
TOLD = (4.2162, 5.0760)
"""Engine scores of the two responses in Icelandic."""


def write(path: Path, sizes: dict[str, int] = SIZES) -> Path:
    """Write scores of several languages, of which the two smallest must stay private."""
    draw = random.Random(1)
    rows: list[list[object]] = []
    for language, n in sizes.items():
        for place in range(n):
            human = 4 + place if language == "is" else draw.randint(1, 6)
            engine = TOLD[place] if language == "is" and place < len(TOLD) else human + draw.gauss(0, 0.6)
            rows.append([len(rows), language, human, min(6, human + place % 2), f"{engine:.4f}"])
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["id", "language", "human1", "human2", "engine"], *rows])
    return path


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    return write(tmp_path / "scores.csv")


def made(scores: Path, **more: object) -> ItemTables:
    return tables(scores, from_keywords(**{"by": "language", "scale": "1:6", **more}))


def test_small_language_appears_in_no_table(scores: Path, tmp_path: Path) -> None:
    said = run("tables", scores, "out", "--by", "language", "--scale", "1:6", cwd=tmp_path).stdout
    assert "2 items with fewer than 10 responses" in said
    for path in (tmp_path / "out").iterdir():
        text = path.read_text(encoding="utf-8")
        assert not {"4.2162", "5.076"} & set(text.replace("\n", ",").split(",")), path.name
        if path.name not in ("items.csv", "items.json"):
            assert '"is"' not in text, path.name
            assert '"es"' not in text, path.name
    rows = {
        row["language"]: row for row in csv.DictReader((tmp_path / "out" / "items.csv").read_text("utf-8").splitlines())
    }
    assert rows["is"]["not_evaluated"] == rows["es"]["not_evaluated"], "the small item is not identified"
    assert rows["is"]["not_evaluated"].startswith("withheld")
    assert {rows["is"][name] for name in ("rows", "left_out", "evaluated", "scored_twice_or_more")} == {""}
    account = json.loads((tmp_path / "out" / "items.json").read_text(encoding="utf-8"))
    assert account["protected"]
    assert account["items_withheld"] == ["es", "is"]
    frame = made(scores).table("items").frame().set_index("language")
    assert frame.evaluated.isna().to_dict() == {"de": False, "es": True, "fr": False, "is": True}


@pytest.mark.parametrize("word", ["unprotected", "withhold_small_groups"])
def test_explicit_option_shows_small_languages(scores: Path, word: str) -> None:
    found = made(scores, **{word: word == "unprotected"})
    assert set(found.table("system_human.association").columns["language"]) == set(SIZES)
    assert not found.account["protected"]
    assert not found.account["items_withheld"]
    assert any(note.startswith("These tables are not protected") for note in found.account["notes"])
    large = made(write(scores, {"de": 60, "fr": 40, "es": 10}))
    assert not large.account["items_withheld"]
    assert large.table("items").columns["evaluated"].tolist() == [60, 10, 40]


def test_excluded_rows_of_small_language_are_withheld(tmp_path: Path) -> None:
    path = write(tmp_path / "scores.csv")
    text = path.read_text(encoding="utf-8")
    path.write_text(text + "9001,is,,,3.1\n9002,de,,,3.2\n", encoding="utf-8")
    found = made(path)
    assert list(found.table("data.exclusions").columns["language"]) == ["de"]
    assert sum(each["responses"] for each in found.account["exclusions"]) == 1


def test_tables_of_small_items_only_raise(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"every item has fewer than 10 responses.*--unprotected"):
        made(write(tmp_path / "scores.csv", {"is": 3, "fo": 4}))


@given(st.dictionaries(st.text("abcdefgh", min_size=1, max_size=2), st.integers(1, 40), min_size=1))
def test_withheld_slices_leave_no_small_remainder(sizes: dict[str, int]) -> None:
    hidden = withheld_slices({(name,): n for name, n in sizes.items()}, 10)
    left = sum(sizes[name] for (name,) in hidden)
    assert left == 0 or left >= 10 or len(hidden) == len(sizes)
    assert all((name,) in hidden for name, n in sizes.items() if n < 10)


def test_small_language_within_item_withholds_another() -> None:
    sizes: dict[tuple[str, ...], int] = {
        ("i1", "de"): 50, ("i1", "fr"): 40, ("i1", "is"): 2, ("i2", "de"): 20, ("i2", "fr"): 30,
    }  # fmt: skip
    assert withheld_slices(sizes, 10) >= {("i1", "is"), ("i1", "fr")}, "a run by item shows all of i1"
    assert ("i1", "de") not in withheld_slices(sizes, 10)


def test_sums_of_withheld_languages_cannot_be_solved(scores: Path) -> None:
    """Solve for the sums of withheld languages from all responses and the shown languages."""
    found = made(scores)
    shown = set(found.table("system_human.descriptives").columns["language"])
    names = list(SIZES)
    known = np.array([[1.0] * len(names), *([float(name == each) for name in names] for each in shown)])
    for name in set(names) - shown:
        wanted = np.array([float(name == each) for each in names])
        assert np.linalg.matrix_rank(np.vstack([known, wanted])) > np.linalg.matrix_rank(known)


def made_batch(scores: Path, folder: Path, **more: object) -> BatchOutcome:
    settings = from_keywords(**{"by": "language", "scale": "1:6", "formats": ["html"], **more})
    return batch(scores, settings, Writing(folder, tables_only=True))


@pytest.mark.slow
def test_batch_makes_no_report_of_small_language(scores: Path, tmp_path: Path) -> None:
    told = run("batch", scores, "out", "--by", "language", "--scale", "1:6", "--tables-only", cwd=tmp_path).stdout
    assert "2 of 4" in told
    assert "withheld      2" in told
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"batch.json", "de", "fr", "summary"}
    listed = json.loads((tmp_path / "out" / "batch.json").read_text(encoding="utf-8"))["batch"]["reports"]
    assert {each["folder"]: (each["status"], each["rows"]) for each in listed if each["folder"] in ("is", "es")} == {
        "is": ("withheld", 0), "es": ("withheld", 0),
    }  # fmt: skip
    summary = results_file.read(tmp_path / "out" / "summary" / "results.json").evaluation
    sentence = "For privacy, there is no report on es and is. Each has fewer than 10 responses or would reveal one"
    assert sentence in text_of(SummarizeItems(), summary)
    rows = {row.cells[0]: row.cells[1:] for row in summary.tables["summary.items"].rows}
    assert {cell for name in ("es", "is") for cell in rows[name] if cell is not None} == {"report_withheld"}
    again = run("batch", scores, "out", "--by", "language", "--scale", "1:6", "--tables-only", cwd=tmp_path).stdout
    assert "2 of 4, 2 of them finished before" in again


def test_unprotected_batch_makes_every_report(scores: Path, tmp_path: Path) -> None:
    found = made_batch(scores, tmp_path / "out", unprotected=True)
    assert not found.protected
    assert {entry.status for entry in found.entries} == {"finished"}
    assert "These reports are not protected" in text_of(SummarizeItems(), found.report().evaluation)
    with pytest.raises(OutputError, match="contains a report of few responses"):
        made_batch(scores, tmp_path / "out")


def test_batch_counts_responses_with_scores(tmp_path: Path) -> None:
    path = write(tmp_path / "scores.csv", {"de": 60, "fr": 40, "es": 25})
    lines = path.read_text(encoding="utf-8").splitlines()
    blank = [f"{9000 + place},is,,,{place}.5" for place in range(20)]
    rated = ["9100,is,4,4,4.2162", "9101,is,5,5,5.0760"]
    path.write_text("\n".join([*lines, *blank, *rated]) + "\n", encoding="utf-8")
    found = made_batch(path, tmp_path / "out")
    assert {entry.folder for entry in found.entries if entry.status == "withheld"} == {"es", "is"}


def test_batch_of_small_values_only_raises(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"every value of language has fewer than 10 .*--unprotected"):
        made_batch(write(tmp_path / "scores.csv", {"is": 3, "fo": 4}), tmp_path / "out")
    assert not (tmp_path / "out").exists()
