"""Withheld groups cannot be computed from shown groups, and small values of a column get no tables."""

import csv
import json
import random
import time
from pathlib import Path

import numpy as np
import pytest
from command import reportgen as run
from hypothesis import given, settings
from hypothesis import strategies as st

from report_sections.summaries import SummarizeItems
from reportgen.errors import InputError, OutputError
from reportgen.privacy import NONE, Partition, withheld, withheld_slices
from reportgen.reports.batches import BatchOutcome, batch
from reportgen.reports.item_tables import ItemTables, tables
from reportgen.settings import from_keywords
from reportgen.storing import results_file
from reportgen.storing.report_folder import Writing
from reportgen.testing import text_of

LEAST = 10


def everyone(n: int) -> Partition:
    return Partition(np.zeros(n, np.intp), 1, always_shown=True)


def sets(partitions: list[Partition], hidden: list[np.ndarray], *, shown: bool) -> list[frozenset[int]]:
    """Return the shown or the withheld levels as sets of responses."""
    return [
        frozenset(np.flatnonzero(partition.codes == level).tolist())
        for partition, mask in zip(partitions, hidden, strict=True)
        for level in range(partition.levels)
        if mask[level] != shown and (partition.codes == level).any()
    ]


def recovered(partitions: list[Partition], hidden: list[np.ndarray]) -> list[frozenset[int]]:
    """Return small withheld levels in the span of shown levels, by least squares."""
    n = len(partitions[0].codes)

    def column(members: frozenset[int]) -> np.ndarray:
        made = np.zeros(n)
        made[list(members)] = 1.0
        return made

    matrix = np.column_stack([column(members) for members in sets(partitions, hidden, shown=True)])
    hiding = [members for members in sets(partitions, hidden, shown=False) if len(members) < LEAST]
    if not hiding:
        return []
    targets = np.column_stack([column(members) for members in hiding])
    left = np.abs(matrix @ np.linalg.lstsq(matrix, targets, rcond=None)[0] - targets).max(axis=0)
    return [members for members, rest in zip(hiding, left, strict=True) if rest < 1e-8]


@settings(max_examples=90, deadline=None)
@given(st.integers(0, 10**6), st.integers(20, 150), st.integers(1, 3))
def test_small_groups_cannot_be_recovered(seed: int, n: int, groupings: int) -> None:
    rng = np.random.default_rng(seed)
    partitions = [everyone(n)]
    for _ in range(groupings):
        levels = int(rng.integers(2, 7))
        codes = rng.choice(levels, n, p=rng.dirichlet(np.full(levels, 0.7)))
        partitions.append(Partition(np.where(rng.random(n) < 0.05, NONE, codes), levels))
    if groupings > 1:
        a, b = partitions[1], partitions[2]
        both = np.where((a.codes < 0) | (b.codes < 0), NONE, a.codes * b.levels + b.codes)
        partitions.append(Partition(both, a.levels * b.levels))
    hidden = withheld(partitions, LEAST)
    for partition, mask in zip(partitions[1:], hidden[1:], strict=True):
        sizes = np.bincount(partition.codes[partition.codes >= 0], minlength=partition.levels)
        assert not ((sizes > 0) & (sizes < LEAST) & ~mask).any()
    assert not recovered(partitions, hidden)
    whole = [frozenset(np.flatnonzero(p.codes == level)) for p, m in zip(partitions, hidden, strict=True)
             for level in range(p.levels) if not m[level]]  # fmt: skip
    for outer in whole:
        for partition, mask in zip(partitions, hidden, strict=True):
            rest = set(outer)
            for level in np.flatnonzero(~mask):
                inner = set(np.flatnonzero(partition.codes == level))
                if inner <= outer:
                    rest -= inner
            assert rest == set(outer) or not rest or len(rest) >= LEAST


def test_small_group_withholds_another_if_alone() -> None:
    one = np.repeat([0, 1, 2], [30, 20, 4])
    assert withheld([everyone(54), Partition(one, 3)], LEAST)[1].tolist() == [False, True, True]
    two = np.repeat([0, 1, 2], [30, 6, 4])
    assert withheld([everyone(40), Partition(two, 3)], LEAST)[1].tolist() == [False, True, True]
    few = np.repeat([0, 1, 2, 3], [30, 20, 3, 4])  # both together are seven, which is too few
    assert withheld([everyone(57), Partition(few, 4)], LEAST)[1].tolist() == [False, True, True, True]


def test_nested_group_is_protected_from_parent() -> None:
    district = np.repeat([0, 1], [43, 57])
    school = np.repeat([0, 1, 2, 3], [40, 3, 30, 27])
    hidden = withheld([everyone(100), Partition(district, 2), Partition(school, 4)], LEAST)
    assert not hidden[1].any()
    assert hidden[2].tolist() == [True, True, False, False]


def test_combination_of_three_groupings_is_protected() -> None:
    """p = (pq + pr - qr) / 2, although no shown level is a subset of another."""
    place = np.repeat(np.arange(4), [5, 20, 21, 22])

    def pairs(codes: list[int]) -> Partition:
        return Partition(np.array(codes)[place], 2)

    single = Partition(np.where(place == 0, 0, NONE), 1)
    partitions = [everyone(len(place)), pairs([0, 0, 1, 1]), pairs([0, 1, 0, 1]), pairs([0, 1, 1, 0]), single]
    shown = [np.zeros(p.levels, bool) for p in partitions]
    shown[-1][0] = True
    assert recovered(partitions, shown)
    hidden = withheld(partitions, LEAST)
    assert hidden[-1].all()
    assert not recovered(partitions, hidden)


@pytest.mark.parametrize("least", [1, 2])
def test_groups_at_the_minimum_are_shown(least: int) -> None:
    codes = np.repeat([0, 1, 2], [least, least, 5])
    assert not any(mask.any() for mask in withheld([everyone(len(codes)), Partition(codes, 3)], least))


def test_combination_of_scores_and_groups_is_protected() -> None:
    """Groups are crossed with a small grouping and with scores, whose totals are public."""
    rng = np.random.default_rng(8)
    group, half = np.repeat(np.arange(5), 50), rng.integers(0, 2, 250)
    score = rng.choice(4, 250, p=[0.1, 0.2, 0.5, 0.2])
    partitions = [everyone(250), Partition(score, 4, always_shown=True)]
    partitions += [Partition(codes, levels) for codes, levels in (
        (group, 5), (half, 2), (group * 2 + half, 10), (group * 4 + score, 20), (half * 4 + score, 8),
        ((group * 2 + half) * 4 + score, 40),
    )]  # fmt: skip
    small = [np.bincount(p.codes, minlength=p.levels) < LEAST for p in partitions]
    assert recovered(partitions, small)
    hidden = withheld(partitions, LEAST)
    assert not recovered(partitions, hidden)
    assert 0 < sum(mask.sum() for mask in hidden) < sum(mask.size for mask in hidden)


def test_ten_thousand_groups_take_seconds() -> None:
    rng = np.random.default_rng(3)
    sizes = np.where(rng.random(10_000) < 0.3, 1, rng.integers(10, 30, 10_000))
    codes = np.repeat(np.arange(10_000), sizes)
    score, twice = rng.integers(0, 6, len(codes)), rng.random(len(codes)) < 0.2
    partitions = [
        everyone(len(codes)), Partition(np.where(twice, 0, NONE), 1, always_shown=True),
        Partition(score, 6, always_shown=True), Partition(codes, 10_000),
        Partition(np.where(twice, codes, NONE), 10_000), Partition(codes * 6 + score, 60_000),
    ]  # fmt: skip
    begun = time.process_time()
    hidden = withheld(partitions, LEAST)
    assert time.process_time() - begun < 10
    assert hidden[3][sizes < LEAST].all()
    assert not hidden[3][sizes >= LEAST].all()


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
    assert "2 items that have fewer than 10 responses" in said
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
