"""Several systems in a batch, in tables of items, and compared by a pattern."""

from pathlib import Path

import pytest
from command import reportgen as run
from simulated import framed, simulated

from reportgen.errors import SettingsError
from reportgen.reports.batches import batches_of_systems
from reportgen.runs.ours import runs_of_columns
from reportgen.scores.reading import settings_of_systems
from reportgen.settings import from_keywords
from reportgen.storing import results_file
from reportgen.storing.report_folder import Writing

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
