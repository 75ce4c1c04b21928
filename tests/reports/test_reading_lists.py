"""Responses to read lie beside the report: never in it, for their owner alone, and harmless to open."""

from __future__ import annotations

import csv
import stat
from pathlib import Path
from typing import Any

import pytest
from command import reportgen

import reportgen as package
from reportgen.errors import ReportgenError

TEXT = "ZQTEXT <script>alert('x')</script> &amp; \N{RIGHT-TO-LEFT OVERRIDE}"


def essays(folder: Path, n: int = 80, *, long: bool = False) -> Path:
    file = folder / "essays.csv"
    rows = []
    for i in range(n):
        h1, h2, engine = 1 + i % 5, 1 + (i + i % 3 // 2) % 5, str(1 + (i + i % 7 // 5) % 5)
        engine = {3: "I'm sorry, I cannot.", 4: ""}.get(i, engine)
        own = [f"ZQID{i:03d}", "fm"[i % 2], f"={TEXT} {i}" + " word" * 60]
        if long:
            rows += [[*own, who, score] for who, score in (("ann", h1), ("bob", h2), ("gpt-4", engine))]
        else:
            rows.append([*own, h1, h2, engine])
    header = ["id", "gender", "essay", *(("rater", "score") if long else ("human1", "human2", "engine"))]
    with file.open("w", encoding="utf-8", newline="") as table:
        csv.writer(table).writerows([header, *rows])
    return file


ASKED = ("--read", "20", "--text", "essay", "--scale", "1:5")


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
@pytest.mark.parametrize("long", [False, True])
def test_responses_lie_beside_the_report_and_never_in_it(tmp_path: Path, long: bool) -> None:
    done = reportgen("evaluate", essays(tmp_path, long=long).name, "out", *ASKED, "--formats", "html", cwd=tmp_path)
    assert "out_reading/reading.html" in done.stdout
    assert "do not attach them to the report" in done.stdout
    rows = table(tmp_path / "out_reading" / "reading.csv")
    assert len(rows) == 20
    assert all(row["text"].startswith("'=ZQTEXT") for row in rows)  # no spreadsheet runs it
    assert {"refused", "no score", "agrees"} <= {row["reason"] for row in rows}
    for path in (tmp_path / "out").rglob("*"):
        assert path.is_dir() or not {b"ZQTEXT", b"ZQID"} & {
            word for word in (b"ZQTEXT", b"ZQID") if word in path.read_bytes()
        }
    assert "ZQ" not in done.stdout + done.stderr


@pytest.mark.slow
def test_only_the_owner_may_open_what_holds_responses(tmp_path: Path) -> None:
    reportgen("evaluate", essays(tmp_path).name, "out", *ASKED, "--tables-only", cwd=tmp_path)
    folder = tmp_path / "out_reading"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert sorted(path.name for path in folder.iterdir()) == ["reading.csv", "reading.html"]


@pytest.mark.slow
def test_the_page_runs_nothing_and_says_what_it_is(tmp_path: Path) -> None:
    reportgen("evaluate", essays(tmp_path).name, "out", *ASKED, "--tables-only", cwd=tmp_path)
    page = (tmp_path / "out_reading" / "reading.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert "This page holds responses. Do not attach it to the report" in page
    assert "Standardized disagreement" in page


@pytest.mark.slow
def test_blind_leaves_scores_and_reasons_to_the_key(tmp_path: Path) -> None:
    reportgen("evaluate", essays(tmp_path).name, "out", *ASKED, "--blind", "--tables-only", cwd=tmp_path)
    page = (tmp_path / "out_reading" / "reading.html").read_text(encoding="utf-8")
    for word in ("Engine", "Ratings", "Reason", "agrees", "refused", "sorry", "disagreement"):
        assert word not in page
    assert "ZQTEXT" in page
    assert table(tmp_path / "out_reading" / "reading.csv")[0]["reason"]


@pytest.mark.slow
def test_a_configuration_makes_the_same_list_again(tmp_path: Path) -> None:
    reportgen("evaluate", essays(tmp_path).name, "out", *ASKED, "--tables-only", cwd=tmp_path)
    reportgen("evaluate", "out/config.toml", "again", "--tables-only", cwd=tmp_path)
    for name in ("reading.csv", "reading.html"):
        assert (tmp_path / "out_reading" / name).read_bytes() == (tmp_path / "again_reading" / name).read_bytes()


@pytest.mark.slow
def test_several_systems_have_a_list_each(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"systems": ["engine", "human2"], "human": "human1", "read": 5, "scale": "1:5"}
    package.evaluate(essays(tmp_path), tmp_path / "out", formats=[], **asked)
    for name in ("engine", "human2"):
        assert len(table(tmp_path / "out_reading" / name / "reading.csv")) == 5


@pytest.mark.slow
def test_several_traits_have_a_list_each_and_none_lies_in_the_report(tmp_path: Path) -> None:
    rows = [(f"ZQID{i:03d}", trait, 1 + i % 4, 1 + (i + shift) % 4, 1 + (i + i % 5 // 4) % 4)
            for i in range(60) for shift, trait in enumerate(("ideas", "style"))]  # fmt: skip
    with (tmp_path / "traits.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "trait", "human1", "human2", "engine"), *rows])
    package.evaluate(tmp_path / "traits.csv", tmp_path / "out", read=8, formats=[], scale="1:4")
    assert sorted(path.name for path in (tmp_path / "out_reading").iterdir()) == ["ideas", "style"]
    assert len(table(tmp_path / "out_reading" / "ideas" / "reading.csv")) == 8
    assert not [path for path in (tmp_path / "out").rglob("*") if "reading" in path.name]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("evaluate", "essays.csv", "out", "--blind"), "reading.blind is for a list of responses to read"),
        (("evaluate", "essays.csv", "out", "--text", "essay"), "data.text is for a list of responses to read"),
        (("evaluate", "essays.csv", "out", "--read", "0"), "from 1 to 10000"),
        (("evaluate", "essays.csv", "out", "--read", "5", "--text", "esay"), "text column 'esay' does not exist"),
        (("evaluate", "essays.csv", "out", "--read", "5", "--batches"), "responses to read are picked from all rows"),
        (("evaluate", "essays.csv", "full", "--read", "5"), "already holds a reading list"),
        (("evaluate", "essays.csv", "report/out", "--read", "5"), "which responses to read are no part of"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    essays(tmp_path)
    (tmp_path / "full_reading").mkdir()
    (tmp_path / "full_reading" / "reading.csv").write_text("mine", encoding="utf-8")
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "results.json").write_text("{}", encoding="utf-8")
    done = reportgen(*arguments, cwd=tmp_path, code=2)
    assert sentence in " ".join(done.stderr.split())
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "out_reading").exists()
    assert (tmp_path / "full_reading" / "reading.csv").read_text(encoding="utf-8") == "mine"


def test_ratings_without_an_engine_have_no_list(tmp_path: Path) -> None:
    with (tmp_path / "ratings.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [("id", "rater_1", "rater_2"), *((f"r{i}", 1 + i % 4, 1 + i % 3) for i in range(40))]
        )
    with pytest.raises(ReportgenError, match="a reading list needs an engine's score"):
        package.evaluate(tmp_path / "ratings.csv", tmp_path / "out", read=5, formats=[])
    assert not (tmp_path / "out").exists()


def test_no_report_no_list(tmp_path: Path) -> None:
    with pytest.raises(ReportgenError, match="responses to read are written beside a report"):
        package.evaluate(essays(tmp_path), read=5)
    with pytest.raises(ReportgenError, match="listed beside one report"):
        package.batch(essays(tmp_path), tmp_path / "many", by="gender", read=5)


@pytest.mark.slow
def test_what_sums_up_and_packs_reports_takes_no_list(tmp_path: Path) -> None:
    reportgen("evaluate", essays(tmp_path).name, "out", *ASKED, "--formats", "html", cwd=tmp_path)
    refused = reportgen("summarize", "out", "out_reading", "--out", "all", cwd=tmp_path, code=2)
    assert "holds no run" in refused.stderr
    reportgen("packet", "out", "packed", cwd=tmp_path)
    for folder in ("out", "packed"):
        files = [path for path in (tmp_path / folder).rglob("*") if path.is_file()]
        assert files
        assert not any(b"ZQTEXT" in path.read_bytes() for path in files)
