"""Configurations of comparisons and summaries reproduce reports, and those of RSMTool choose and order sections."""

import json
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from command import page_text, refused, reportgen

import reportgen as api
from reportgen.errors import SettingsError
from reportgen.testing import text_of

CASES = Path(__file__).parent / "cases"
DATA = "id,h1,h2,m,n,L1\n" + "".join(
    f"r{i:02d},{i % 5 + 1},{(i + i // 7) % 5 + 1},{i % 5 + 1 + (i % 3 - 1) / 4:.2f},{i % 5 + 1.3:.2f},{'ab'[i % 2]}\n"
    for i in range(60)
)
OWN_SECTION = (
    "from dataclasses import dataclass\nfrom typing import ClassVar\nfrom reportgen.sections import Findings, Section\n"
    "@dataclass(frozen=True)\nclass Mine(Section):\n"
    "    word: str = 'plain'\n    name: ClassVar[str] = 'mine'\n    title: ClassVar[str] = 'Mine'\n"
    "    def findings(self, evaluation):\n"
    "        return Findings(headline=f'{self.word}: {evaluation.kind} of {len(evaluation.facts[\"runs\"])}')\n"
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    (folder / "s.csv").write_text(DATA)
    for name in ("m", "n"):
        api.evaluate(folder / "s.csv", folder / f"run_{name}", system=name, human=["h1", "h2"], groups=["L1"],
                     scale="1:5", formats=[])  # fmt: skip
    return folder


@pytest.fixture
def home(runs: Path, tmp_path: Path) -> Path:
    return shutil.copytree(runs, tmp_path, dirs_exist_ok=True)


def same_tables(first: Path, second: Path) -> None:
    names = sorted(path.name for path in (first / "tables").iterdir())
    assert names == sorted(path.name for path in (second / "tables").iterdir())
    for name in names:
        assert (first / "tables" / name).read_bytes() == (second / "tables" / name).read_bytes(), name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("compare", ["run_m", "run_n", "--name", "old", "--name", "new"]),
        ("summarize", ["run_m", "run_n"]),
        ("compare", ["s.csv", "--system", "m", "--system", "n", "--human", "h1", "--human", "h2", "--scale", "1:5"]),
        ("compare", [CASES / "tool-compare/config.json"]),
        ("summarize", [CASES / "summary-with-h2/config.json"]),
    ],
)
def test_written_configuration_reproduces_report(home: Path, verb: str, arguments: list[Any]) -> None:
    reportgen(verb, *arguments, "--out", "deep/one", "--tables-only", "--title", "Again", cwd=home)
    reportgen(verb, "deep/one/config.toml", "two", "--tables-only", "--language", "es", cwd=home)
    same_tables(home / "deep/one", home / "two")
    if (home / "deep/one/output").is_dir():
        assert sorted(path.name for path in (home / "two/output").iterdir()) == sorted(
            path.name for path in (home / "deep/one/output").iterdir()
        )
    assert (api.load(home / "two").title, api.load(home / "two").language) == ("Again", "es")
    reportgen(verb, "two/config.toml", "three", "--tables-only", cwd=home)
    assert (home / "three/config.toml").read_text() == (home / "two/config.toml").read_text()


@pytest.mark.slow
def test_custom_sections_with_options_and_templates(home: Path) -> None:
    (home / "mine.py").write_text(OWN_SECTION)
    (home / "look/sections/comparison_agreement").mkdir(parents=True)
    (home / "look/sections/comparison_agreement/section.md.j2").write_text("# Agreement in other words\n")
    (home / "c.toml").write_text(
        '[runs]\nkind = "comparison"\nsources = ["run_m", "run_n"]\n'
        '[report]\nsections = ["./mine.py", "comparison_agreement"]\ntemplates = "look"\nformats = ["html"]\n'
        '[sections.mine]\nword = "chosen"\n'
    )
    reportgen("compare", "c.toml", "out", cwd=home)
    text = page_text(home / "out/report.html")
    assert text.index("chosen: comparison of 2") < text.index("Agreement in other words")
    report = api.summarize(home / "run_m", home / "run_n", sections=["summarize_agreement", str(home / "mine.py")])
    assert [section.name for section in report.sections] == ["summarize_agreement", "mine"]
    assert report.sections[1].findings.headline == "plain: summary of 2"


@pytest.mark.parametrize(
    ("verb", "content", "words"),
    [
        ("evaluate", '[runs]\nkind = "summary"\nsources = ["run_m"]\n', "reportgen summarize CONFIG OUT_DIR"),
        ("summarize", '[runs]\nkind = "comparison"\nsources = ["run_m"]\n', "run: reportgen compare"),
        ("compare", '[data]\nfile = "s.csv"\n', "run: reportgen evaluate"),
        ("compare", '[runs]\nkind = "comparison"\n', "no runs are listed"),
        ("compare", '[runs]\nkind = "comparison"\nsource = ["a"]\n', "did you mean 'runs.sources'"),
    ],
)
def test_wrong_configuration_raises(home: Path, verb: str, content: str, words: str) -> None:
    (home / "c.toml").write_text(content)
    assert words in refused(verb, "c.toml", "out", cwd=home)


def notebook(path: Path, *cells: str) -> str:
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells]), path)
    return str(path)


@pytest.mark.slow
def test_notebooks_of_rsmcompare_become_sections(tmp_path: Path) -> None:
    shutil.copytree(CASES / "tool-compare", tmp_path / "case")
    config = tmp_path / "case/config.json"
    fields = json.loads(config.read_text())
    code = "print(experiment_id_old, score_prefix_new, exists(join(output_dir_new, f'{experiment_id_new}_eval.csv')))"
    fields |= {
        "custom_sections": [notebook(tmp_path / "mine.ipynb", code)],
        "general_sections": ["sysinfo", "true_score_evaluation"],
        "section_order": ["sysinfo", "mine", "true_score_evaluation"],
    }
    config.write_text(json.dumps(fields))
    reportgen("compare", config, "out", "--formats", "html", cwd=tmp_path)
    report = api.load(tmp_path / "out")
    names = ["comparison_summary", "provenance", "custom_mine", "comparison_agreement"]
    assert [section.name for section in report.sections] == names
    shown = report.sections[2].findings.values["outputs"][0]["text/plain"].split()
    assert shown[0] == fields["experiment_id_old"]
    assert shown[1:] == ["scale" if fields.get("use_scaled_predictions_new") else "raw", "True"]
    fields["section_order"] = ["sysinfo", "mine"]
    config.write_text(json.dumps(fields))
    assert "missing: true_score_evaluation" in refused("compare", config, "other", cwd=tmp_path)


@pytest.mark.slow
def test_notebooks_of_rsmsummarize_read_tables(tmp_path: Path) -> None:
    shutil.copytree(CASES, tmp_path / "cases")
    config = tmp_path / "cases/summary-with-h2/config.json"
    fields = json.loads(config.read_text())
    code = "print(summary_id, len(model_list), exists(join(output_dir, f'{summary_id}_eval_short.csv')))"
    fields["custom_sections"] = notebook(tmp_path / "mine.ipynb", code)
    config.write_text(json.dumps(fields))
    reportgen("summarize", config, "out", "--formats", "html", cwd=tmp_path)
    report = api.load(tmp_path / "out")
    assert report.sections[-1].name == "custom_mine"
    found = report.sections[-1].findings.values["outputs"][0]["text/plain"].split()
    assert found == [fields["summary_id"], str(len(report.evaluation.facts["runs"])), "True"]


def test_minimum_size_applies_by_subgroup(tmp_path: Path) -> None:
    rows = "".join(f"r{i:02d},{i % 5 + 1},{i % 5 + 1.2:.2f},{'ab'[i % 2]},{'xy'[i % 19 == 0]}\n" for i in range(60))
    (tmp_path / "p.csv").write_text("id,h1,m,L1,G\n" + rows)
    fields = {
        "experiment_id": "pilot", "predictions_file": str(tmp_path / "p.csv"), "system_score_column": "m",
        "human_score_column": "h1", "id_column": "id", "trim_min": 1, "trim_max": 5, "subgroups": ["L1", "G"],
        "min_n_per_group": {"L1": 31, "G": 3},
    }  # fmt: skip
    report = api.evaluate(fields)
    outcomes = {check.group: check.outcome for check in report.evaluation.checks if check.group}
    assert outcomes["L1: a"] == outcomes["L1: b"] == "insufficient"
    assert outcomes["G: y"] != "insufficient"
    marks = {row.cells[0]: row.mark for row in report.evaluation.tables["data.groups.L1"].rows}
    assert set(marks.values()) == {"insufficient"}
    assert any("31" in note for note in report.evaluation.tables["by_group.L1"].notes)
    with pytest.raises(SettingsError, match="'L2' is not a group column; use 'L1'"):
        api.evaluate(tmp_path / "p.csv", system="m", min_n_by_group={"L2": 5}, groups=["L1"])


@pytest.mark.slow
def test_raters_are_compared_by_group(home: Path) -> None:
    report = api.compare(home / "run_m", home / "run_n")
    table = report.evaluation.tables["comparison.raters.by.L1"]
    metrics = {row.cells[0] for row in table.rows}
    assert len(metrics) == 11, "groups have DSM instead of SMD"
    rows = [line.split(",") for line in DATA.splitlines()[1:]]
    for level in "ab":
        pairs = [(float(row[1]), float(row[2])) for row in rows if row[5] == level]
        exact = 100 * sum(first == second for first, second in pairs) / len(pairs)
        (found,) = [row for row in table.rows if row.cells[2] == level and row.cells[0] == "exact_agreement"]
        for cell in found.cells[5:7]:
            assert getattr(cell, "value", None) == pytest.approx(exact)
    (raters,) = (section for section in report.sections if section.name == "comparison_raters")
    assert "The raters are the same in both runs." in text_of(raters, report.evaluation)
    assert "comparison.raters.by.L1" not in [table.key for table in raters.findings.tables]
