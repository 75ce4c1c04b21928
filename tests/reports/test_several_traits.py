"""Test a file with multiple traits: an overview page, and a report of each trait in a separate folder."""

import csv
import re
from pathlib import Path
from typing import Any

import pytest
from command import page_text, refused
from command import reportgen as run
from trait_files import NAMES, long, on_points, ratings, wide

import reportgen
from reportgen.errors import InputError
from reportgen.results import Estimate, Report
from reportgen.storing import results_file

PLANTED = on_points()


def written(columns: dict[str, Any], path: Path) -> Path:
    """Write columns as a CSV file."""
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        rows.writerows(
            zip(*([("" if cell is None else cell) for cell in column] for column in columns.values()), strict=True)
        )
    return path


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    return written(wide(PLANTED), tmp_path / "scores.csv")


def numbers(report: Report) -> dict[str, tuple[float | None, ...]]:
    """Return every estimate of a report, including its tables."""
    found = dict(report.evaluation.estimates)
    for table in report.evaluation.tables.values():
        cells = [cell for row in table.rows for cell in row.cells]
        found |= {f"{table.key} {place}": cell for place, cell in enumerate(cells) if isinstance(cell, Estimate)}
    return {key: (each.value, each.low, each.high) for key, each in found.items()}


@pytest.mark.slow
def test_one_folder_with_a_page_for_all(scores: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("evaluate", scores, out, "--formats", "html", "--scale", "1:6", cwd=tmp_path)
    assert "3 traits were detected by column name" in done.stdout
    assert re.search(r"traits +ideas: human ideas_human1, ideas_human2; system ideas_system; 1 to 6", done.stdout)
    assert "report 3 of 3: voice" in done.stderr
    assert re.search(r"result +voice: (Yes|No|Not yet)", done.stdout)
    assert sorted(path.name for path in out.iterdir() if path.is_dir()) == sorted([*NAMES, "tables"])
    page = (out / "report.html").read_text()
    for name in NAMES:
        assert f'href="{name}/report.html"' in page
        assert (out / name / "report.html").is_file()
        assert name in results_file.read(out / name / "results.json").title
    text = page_text(out / "report.html")
    assert "The composite of 3 traits has a PRMSE of" in text
    assert "One rater's errors on two traits correlate" in text.replace("’", "'")
    assert (
        text.index("The composite of") < text.index("Every trait and its answer") < text.index("errors on two traits")
    )
    for path in (*out.rglob("*.html"), *out.rglob("*.json"), *out.rglob("*.csv")):
        assert "ZQ~" not in path.read_text(), path  # no response is named


def test_the_worst_comes_first(scores: Path) -> None:
    table = wide(PLANTED)
    table["voice_system"] = list(reversed(table["voice_system"]))
    scores = written(table, scores)
    report = reportgen.evaluate(scores, scale="1:6")
    rows = report.evaluation.tables["traits.traits"].rows
    assert rows[0].cells[:2] == ("voice", "do not deploy")
    assert rows[0].mark == "flagged"


@pytest.mark.slow
@pytest.mark.parametrize("layout", [wide, long, ratings])
def test_configurations_reproduce_the_reports(layout: Any, tmp_path: Path) -> None:
    scores = written(layout(PLANTED), tmp_path / "scores.csv")
    out = tmp_path / "out"
    report = reportgen.evaluate(scores, out, scale="1:6", formats=())
    assert numbers(reportgen.evaluate(out / "config.toml")) == numbers(report)
    part = results_file.read(out / "voice" / "results.json")
    assert numbers(reportgen.evaluate(out / "voice" / "config.toml")) == numbers(part)


@pytest.mark.slow
def test_one_trait_has_a_separate_report(scores: Path, tmp_path: Path) -> None:
    run("evaluate", scores, "all", "--formats", "", "--scale", "1:6", cwd=tmp_path)
    run("evaluate", scores, "one", "--formats", "", "--scale", "1:6", "--trait", "voice", cwd=tmp_path)
    one, part = (results_file.read(tmp_path / path / "results.json") for path in ("one", "all/voice"))
    assert one.evaluation.kind == "evaluation"
    assert numbers(one) == numbers(part)
    assert "did you mean 'voice'?" in refused("evaluate", scores, "none", "--trait", "voise", cwd=tmp_path)


@pytest.mark.slow
def test_each_trait_equals_a_file_with_only_its_columns(scores: Path) -> None:
    report = reportgen.evaluate(scores, scale="1:6")
    alone = reportgen.evaluate(
        scores, system="voice_system", human=["voice_human1", "voice_human2"], groups=["gender"], id="id", scale="1:6"
    )
    place = list(NAMES).index("voice") + 1
    for key in ("system.qwk", "system.r", "true_score.prmse"):
        found, expected = report.evaluation.estimates[f"run{place}.{key}"], alone.evaluation.estimates[key]
        assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)


def test_a_folder_that_contains_a_report_is_kept(scores: Path, tmp_path: Path) -> None:
    (tmp_path / "out" / "voice").mkdir(parents=True)
    (tmp_path / "out" / "voice" / "results.json").write_text("{}")
    assert "--force" in refused("evaluate", scores, "out", cwd=tmp_path)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["voice"]


def test_traits_need_all_rows(scores: Path) -> None:
    with pytest.raises(InputError, match="remove batches"):
        reportgen.evaluate(scores, batches=True)


@pytest.mark.slow
def test_a_title_is_shared(scores: Path, tmp_path: Path) -> None:
    report = reportgen.evaluate(scores, tmp_path / "out", title="Pilot", formats=(), scale="1:6")
    assert report.title == "Pilot"
    assert results_file.read(tmp_path / "out" / "voice" / "results.json").title == "Pilot: voice"


def test_look_shows_the_traits(tmp_path: Path) -> None:
    written(long(PLANTED), tmp_path / "scores.csv")
    said = run("look", "scores.csv", cwd=tmp_path).stdout
    assert "scores.csv: 240 rows read" in said
    assert "Column 'trait' names 3 traits" in said
    assert "composite of the traits" in said
    written(wide(PLANTED) | dict.fromkeys(NAMES, [1, 2] * 40), tmp_path / "scores.csv")
    assert re.search(r"question +are .* ratings to use", run("look", "scores.csv", cwd=tmp_path).stdout)
