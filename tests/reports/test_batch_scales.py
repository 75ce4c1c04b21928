"""Batches of items on separate scales, and of multiple systems, with a folder for each."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import refused
from command import reportgen as run
from simulated import evaluation_of, framed, simulated

import reportgen
from reportgen.errors import InputError, ReportgenError, SettingsError
from reportgen.reports.batches import batches_of_systems
from reportgen.runs.ours import runs_of_columns
from reportgen.scores.reading import settings_of_systems
from reportgen.scores.scale import declared_scales
from reportgen.settings import from_keywords
from reportgen.storing import results_file
from reportgen.storing.report_folder import Writing

BY_ITEM = ("--by", "item", "--workers", "1")
PLAIN: dict[str, Any] = {"by": "item", "tables_only": True, "groups": [], "human": "h1", "system": "engine"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a folder with the scores of two items, of which one has 0 as a score, and their scales."""
    lines = [f"a{i},{i % 5},{i % 5 + 0.3},A" for i in range(40)] + [
        f"b{i},{i % 6 + 1},{i % 6 + 0.6},nan" for i in range(42)
    ]
    (tmp_path / "s.csv").write_text("\n".join(["id,h1,engine,item", *lines]) + "\n")
    (tmp_path / "scales.csv").write_text("item,scale\nA,0:4\nnan,1:6\n")
    return tmp_path


def written(folder: Path) -> dict[str, int]:
    """Return when the results of each report were written."""
    return {path.parent.name: path.stat().st_mtime_ns for path in folder.glob("*/results.json")}


def test_each_item_is_read_on_a_separate_scale(home: Path) -> None:
    reportgen.batch(home / "s.csv", home / "out", scales=home / "scales.csv", **PLAIN)
    header, *lines = (home / "s.csv").read_text().splitlines()
    for item, scale, n in (("A", "0:4", 40), ("nan", "1:6", 42)):
        (home / "one.csv").write_text("\n".join([header, *(line for line in lines if line.endswith(f",{item}"))]))
        alone = evaluation_of(home / "one.csv", scale=scale, groups=[], human="h1", system="engine")
        found = results_file.read(home / "out" / item / "results.json").evaluation
        assert found.estimates == alone.estimates
        assert found.tables == alone.tables
        assert found.scale == alone.scale
        assert found.estimates["system.qwk"].n == n  # a 0 is a score of the first
        assert not found.scale.assumed
    again = evaluation_of(home / "out" / "A" / "config.toml")
    assert again.estimates == results_file.read(home / "out" / "A" / "results.json").evaluation.estimates


@pytest.mark.slow
def test_the_configuration_of_the_summary_repeats_the_batch(home: Path) -> None:
    run("batch", "s.csv", "out", *BY_ITEM, "--scales", "scales.csv", "--tables-only", "--no-groups", cwd=home)
    before = written(home / "out")
    assert 'scales = "../../scales.csv"' in (home / "out" / "summary" / "config.toml").read_text()
    run("batch", "out/summary/config.toml", "again", "--tables-only", "--workers", "1", cwd=home)
    for item in ("A", "nan"):
        first, second = (results_file.read(home / out / item / "results.json").evaluation for out in ("out", "again"))
        assert first.tables == second.tables
    assert written(home / "out") == before


def test_a_report_is_rebuilt_if_its_scale_has_changed(home: Path) -> None:
    def made() -> dict[str, int]:
        reportgen.batch(home / "s.csv", home / "out", scales=home / "scales.csv", **PLAIN)
        return written(home / "out")

    first = made()
    (home / "scales.csv").write_text("item;scale\r\nnan;1:6\r\n\r\nA;0:4\r\nother;1:3\r\n", encoding="utf-8-sig")
    assert made() == first  # the same scales, written in another way
    (home / "scales.csv").write_text("item,scale\nA,0:5\nnan,1:6\n")
    second = made()
    assert {name for name in first if first[name] != second[name]} == {"A", "summary"}
    assert results_file.read(home / "out" / "A" / "results.json").evaluation.scale.high == 5


@pytest.mark.slow
def test_an_item_without_a_scale_is_reported_and_others_continue(home: Path) -> None:
    (home / "scales.csv").write_text("item,scale\nnan,1:6\n")
    command = ("batch", "s.csv", "out", *BY_ITEM, "--scales", "scales.csv", "--tables-only", "--no-groups")
    said = run(*command, cwd=home, code=3).stderr
    assert "1 of 2 reports are complete" in said
    assert "A (the scale file has no line for this item)" in said
    entries = json.loads((home / "out" / "batch.json").read_text())["batch"]["reports"]
    assert [entry["status"] for entry in entries] == ["not made", "finished"]
    (home / "scales.csv").write_text("item,scale\nnan,1:6\nA,0:4\n")
    before = written(home / "out")["nan"]
    run(*command, cwd=home)
    assert written(home / "out")["nan"] == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,scale\nA,6:1\nnan,1:6\n", "scales.csv, line 2: '6:1' is not a scale (the low end of a scale must be"),
        ("item,scale\nA,0:4\n\n A ,0:4\n", "scales.csv, line 4: item 'A' is listed twice"),
        ("item,scale\nA,\n", "scales.csv, line 2: '' is not a scale"),
        ("item,scale\n,0:4\n,0:5\n", "scales.csv, line 3: item 'No info' is listed twice"),
        ("item,scale\nA,0:4:0.3\n", "steps of 0.3 do not reach 4 from 0"),
        ("item,scale\nA,nan:4\n", "scales.csv, line 2: 'nan:4' is not a scale"),
        ("item,scale\nA,0:4,5\n", "scales.csv: row 2: the header has 2 columns, but this row has 3 values"),
        ("item,scale,scale\nA,0:4,0:4\n", "scales.csv: row 1: 2 columns are named 'scale'"),
        ('item,scale\n"A,0:4\n', "scales.csv: row 2: a quote is opened and never closed"),
        ("item\nA\n", "scales.csv: column 'scale' does not exist; use 'item'"),
        ("", "scales.csv: the file is empty; add a header row"),
        ("item,scale\nA,0:1e308\n", "a scale can have at most 1001 points, found 1e+308"),
    ],
)
def test_invalid_scales_write_nothing(home: Path, text: str, said: str) -> None:
    (home / "scales.csv").write_text(text)
    with pytest.raises((InputError, SettingsError)) as error:
        reportgen.batch(home / "s.csv", home / "out", scales=home / "scales.csv", **PLAIN)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert not (home / "out").exists()


@pytest.mark.parametrize(("place", "said"), [("nowhere.csv", "nowhere.csv: file not found"), (".", "this folder does")])
def test_an_invalid_file_of_scales(home: Path, place: str, said: str) -> None:
    command = ("batch", "s.csv", "out", *BY_ITEM, "--scales", place, "--tables-only")
    assert said in refused(*command, cwd=home)


def test_scales_with_incompatible_options(home: Path) -> None:
    with pytest.raises(SettingsError, match="already declares one scale for all items"):
        reportgen.batch(home / "s.csv", home / "out", scales=home / "scales.csv", scale="1:6", **PLAIN)
    with pytest.raises(SettingsError, match="scales: a single report has one scale"):
        reportgen.evaluate(home / "s.csv", scales=home / "scales.csv")
    with pytest.raises(ReportgenError, match="by"):
        reportgen.item_tables(home / "s.csv", by=[], scales=home / "scales.csv")


def test_accepted_formats_of_a_file_of_scales(tmp_path: Path) -> None:
    path = tmp_path / "scales.csv"
    path.write_text('scale , note,grade,item\r\n0:4,"a, ""b""\r\nc",08,"x, y"\r\n,,,\r\n1:6:0.5,,, x \r\n', "utf-16")
    found = declared_scales(from_keywords(scales=path, by=("item", "grade"))) or {}
    assert {item: (scale.low, scale.high, scale.step) for item, scale in found.items()} == {
        "x, y · 08": (0, 4, 1), "x · No info": (1, 6, 0.5),
    }  # fmt: skip


N = 80
ASSOCIATION = "system_human.association.csv"


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """Write two raters, two systems, and an item."""
    scores, path = simulated(N, 3, error=0.5), tmp_path / "scores.csv"
    other = scores.true + scores.rng.normal(0, 0.5, N)
    frame = framed(scores, engine="gpt_few", gpt_zero=other, item=["P0", "P1"] * (N // 2))
    frame.round(3).to_csv(path, index_label="id")
    return path


def test_a_batch_of_multiple_systems_has_a_folder_for_each(wide: Path, tmp_path: Path) -> None:
    settings = from_keywords(by="item", systems=["gpt*"], scale="1:6")
    made = batches_of_systems(wide, settings, Writing(tmp_path / "out", tables_only=True))
    assert list(made) == ["gpt_few", "gpt_zero"]
    for system, outcome in made.items():
        outcome.raise_failures()
        report = results_file.read(tmp_path / "out" / system / "P0" / "results.json")
        assert [role.columns for role in report.evaluation.roles if role.role == "system"] == [(system,)]
        assert report.evaluation.raters == ("h1", "h2")
    assert (tmp_path / "out" / "gpt_zero" / "summary" / "results.json").is_file()


def test_tables_of_multiple_systems_have_a_folder_for_each(wide: Path, tmp_path: Path) -> None:
    run("tables", wide, "out", "--by", "item", "--system", "gpt_few", "--system", "gpt_zero", cwd=tmp_path)
    run("tables", wide, "one", "--by", "item", "--system", "gpt_zero", cwd=tmp_path)
    both, one = ((tmp_path / name / ASSOCIATION).read_text() for name in ("out/gpt_zero", "one"))
    assert both == one
    assert both != (tmp_path / "out" / "gpt_few" / ASSOCIATION).read_text()


def test_a_pattern_selects_the_runs_to_compare(wide: Path) -> None:
    runs, _ = runs_of_columns(wide, ["gpt*"], from_keywords(scale="1:6"))
    assert [run.name for run in runs] == ["gpt_few", "gpt_zero"]
    with pytest.raises(SettingsError, match="is one engine"):
        runs_of_columns(wide, ["gpt_f*"], from_keywords(scale="1:6"))


def test_one_system_has_no_separate_folder(wide: Path) -> None:
    assert settings_of_systems(wide, from_keywords(system="gpt_f*")) == {}
    assert settings_of_systems(wide, from_keywords()) == {}


@pytest.mark.slow
def test_runs_of_multiple_systems_are_paired_by_name(wide: Path, tmp_path: Path) -> None:
    columns = [line.split(",") for line in wide.read_text().splitlines()]
    other = [[*row[:3], "gpt_zero", "o3", *row[5:]] if place == 0 else row for place, row in enumerate(columns)]
    (tmp_path / "new.csv").write_text("\n".join(map(",".join, other)) + "\n")
    for name in ("scores", "new"):
        run("evaluate", f"{name}.csv", f"run_{name}", "--tables-only", "--scale", "1:6", cwd=tmp_path)
    done = run("compare", "run_scores", "run_new", "--out", "changes", "--tables-only", cwd=tmp_path)
    assert [path.name for path in (tmp_path / "changes").iterdir()] == ["gpt_zero"]
    assert "gpt_few, o3 (not in every run)" in done.stdout
    found = results_file.read(tmp_path / "changes" / "gpt_zero" / "results.json")
    assert found.title == "Comparison of run_scores and run_new"
