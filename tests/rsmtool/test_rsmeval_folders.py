"""Folders of an rsmeval run: content, conflicts, replacement, and notebooks as sections."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import invoked, page_text, refused, reportgen
from rsmeval_runs import CASES, tables, write_run
from simulated import evaluation_of

import reportgen as api
from reportgen.errors import OutputError, ReportgenError


def write_notebook(path: Path, *cells: tuple[str, str]) -> Path:
    """Write a notebook of (kind, source) cells."""
    content: list[dict[str, Any]] = [
        {"cell_type": kind, "metadata": {}, "source": source}
        | ({"outputs": [], "execution_count": None} if kind == "code" else {})
        for kind, source in cells
    ]
    path.write_text(json.dumps({"cells": content, "metadata": {}, "nbformat": 4, "nbformat_minor": 0}))
    return path


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.slow
def test_run_writes_folders_of_rsmtool(tmp_path: Path) -> None:
    config = write_run(tmp_path)
    reportgen("evaluate", config, "out", "--formats", "html", cwd=tmp_path)
    made = files(tmp_path / "out")
    expected = {"output/pilot_eval.csv", "output/pilot_rsmeval.json"}
    expected |= {f"report/pilot_{name}" for name in ("report.html", "report.ipynb", "results.json", "config.toml")}
    assert expected <= set(made)
    assert "Evaluation pilot" in page_text(tmp_path / "out" / "report" / "pilot_report.html")
    assert "load('pilot_results.json')" in (tmp_path / "out" / "report" / "pilot_report.ipynb").read_text()
    assert api.load(tmp_path / "out").title == "Evaluation pilot"
    reportgen("evaluate", "out/report/pilot_config.toml", "again", "--tables-only", cwd=tmp_path)
    again = api.load(tmp_path / "again").evaluation.estimates
    assert again == api.load(tmp_path / "out").evaluation.estimates


def table_bytes(out: Path) -> dict[str, bytes]:
    """Return every table of a run, in both layouts."""
    return {name: (out / name).read_bytes() for name in files(out) if name.endswith((".csv", ".tsv"))}


@pytest.mark.slow
def test_config_toml_reproduces_run(tmp_path: Path) -> None:
    """The file also contains fields without a setting: notebooks, "raw", the layout, and group sizes."""
    write_notebook(
        tmp_path / "mine.ipynb", ("markdown", "# Mine"), ("code", "print(experiment_id, len(df_pred_preproc))")
    )
    order = ["evaluation_by_group", "mine", "evaluation", "fairness_analyses"]
    config = write_run(
        tmp_path,
        subgroups="L1", min_n_per_group={"L1": 12}, second_human_score_column="h2", scale_with="raw", file_format="tsv",
        candidate_column="id", custom_sections=["mine.ipynb"], section_order=order,
        general_sections=["evaluation", "evaluation_by_group", "fairness_analyses"],
    )  # fmt: skip
    reportgen("evaluate", config, "out", "--trim-tolerance", "0.4", "--formats", "html", cwd=tmp_path)
    reportgen("evaluate", "out/report/pilot_config.toml", "deeper/again", cwd=tmp_path)
    first, again = (table_bytes(tmp_path / out) for out in ("out", "deeper/again"))
    assert sorted(first) == sorted(again)
    assert len(first) > 20
    assert first == again
    reports = [api.load(tmp_path / out) for out in ("out", "deeper/again")]
    assert [section.name for section in reports[1].sections] == [section.name for section in reports[0].sections]
    assert reports[1].sections[2].findings.values["outputs"] == ({"text/plain": "pilot 60\n"},)
    assert reports[0].evaluation.estimates == reports[1].evaluation.estimates
    assert api.evaluate(tmp_path / "deeper/again/report/pilot_config.toml").title == "Evaluation pilot"


@pytest.mark.slow
def test_config_toml_overrides_stored_configuration(tmp_path: Path) -> None:
    reportgen("evaluate", write_run(tmp_path, subgroups="L1"), "out", "--tables-only", cwd=tmp_path)
    path = tmp_path / "out/report/pilot_config.toml"
    path.write_text(path.read_text().replace("trim_tolerance = 0.4998", "trim_tolerance = 0.1", 1))
    reportgen("evaluate", path, "changed", "--tables-only", cwd=tmp_path)
    first, changed = (table_bytes(tmp_path / out)["output/pilot_pred_processed.csv"] for out in ("out", "changed"))
    assert first != changed
    path.write_text(path.read_text().replace('experiment_id = "pilot"', "", 1))
    done = refused("evaluate", path, "no", cwd=tmp_path)
    assert "pilot_config.toml: [rsmeval]: rsmeval requires the field 'experiment_id'" in done


def test_existing_output_requires_force(tmp_path: Path) -> None:
    out = tmp_path / "out"
    tables(write_run(tmp_path, subgroups="L1"), out)
    (out / "output" / "mine.csv").write_text("kept")
    config = write_run(tmp_path)
    before = files(out)
    with pytest.raises(OutputError, match=r"is not empty; .*--force"):
        tables(config, out)
    assert files(out) == before
    assert "eval_by_L1" not in tables(config, out, force=True)
    assert (out / "output" / "mine.csv").read_text() == "kept"


def test_failed_run_writes_nothing(tmp_path: Path) -> None:
    config = write_run(tmp_path, second_human_score_column="h3")
    done = refused("evaluate", config, "out", "--tables-only", cwd=tmp_path)
    assert "human column 'h3' does not exist\nhint: choose from 'L1', 'h1', 'h2', 'id', and 'm'" in done


@pytest.mark.slow
def test_notebooks_become_sections(tmp_path: Path) -> None:
    write_notebook(
        tmp_path / "first.ipynb",
        ("markdown", "# Lengths of *answers*\n\nBefore.\n\n# Deeper"),
        ("code", "print(len(df_pred_preproc), context, groups_eval)\nkept = 41"),
    )
    write_notebook(
        tmp_path / "second.ipynb", ("code", "display(HTML(f'<b>{kept + 1}</b>'))"), ("code", "undefined_name")
    )
    order = ["first", "evaluation", "data_description", "second"]
    config = write_run(
        tmp_path, custom_sections="first.ipynb, second.ipynb", general_sections=order[1:3], section_order=order
    )
    done = reportgen("evaluate", config, "out", "--formats", "html", cwd=tmp_path, code=3)
    assert "custom_second" in done.stderr
    report = api.load(tmp_path / "out")
    names = ["summary", "custom_first", "score_distributions", "system_human_agreement", "agreement_panel",
             "data", "custom_second"]  # fmt: skip
    assert [section.name for section in report.sections] == names
    assert report.sections[1].findings.values["outputs"][0] == {"text/markdown": "Before.\n\n### Deeper"}
    text = page_text(tmp_path / "out" / "report" / "pilot_report.html")
    assert "60 rsmeval []" in text
    assert "NameError: name 'undefined_name' is not defined" in text
    assert "42" in text


def test_invalid_notebook_raises(tmp_path: Path) -> None:
    (tmp_path / "no.ipynb").write_text("{")
    done = refused("evaluate", write_run(tmp_path, custom_sections=["no.ipynb"]), "out", cwd=tmp_path)
    assert "is not a readable notebook" in done


@pytest.mark.slow
def test_evaluate_accepts_configuration_as_dict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = write_run(tmp_path, subgroups="L1")
    monkeypatch.chdir(tmp_path)
    fields: dict[str, Any] = json.loads(config.read_text())
    report = api.evaluate(fields, min_n_per_group=3)
    assert report.evaluation.groups == ("L1",)
    assert report.evaluation.facts["min_n_per_group"] == 3
    assert report.evaluation.estimates == api.evaluate(config, "out").evaluation.estimates
    assert (tmp_path / "out" / "output" / "pilot_eval.csv").is_file()


def test_score_types_have_names_of_rsmtool(tmp_path: Path) -> None:
    config = CASES / "zeros-kept" / "config.json"
    types = evaluation_of(config).score_types
    assert [each.key for each in types][:4] == ["raw", "raw_trim", "raw_trim_round", "scale"]


def test_configuration_of_other_tool_names_command(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    path.write_text('{"summary_id": "all", "experiment_dirs": ["a"]}')
    with pytest.raises(ReportgenError, match="reportgen summarize CONFIG OUT_DIR"):
        api.evaluate(path, tmp_path / "out")
    invoked("evaluate", path, tmp_path / "out", code=2)


def test_number_formats_match_rsmtool(tmp_path: Path) -> None:
    """Compare text exactly with numbers formatted by Python, because programs depend on the types."""
    rows = [("a", 3, 2.25, 4), ("b", 0, 2.5, 1), ("c, d", 2, 1e-05, ""), ('"e"', 4, 4.0, 4), ("f", "x", 3.5, 2)]
    lines = "".join(f"{json.dumps(i) if i == 'c, d' else i},{h},{s},{t}\n" for i, h, s, t in rows)
    text = "id,human,system,h2\n" + lines.replace('"e"', '"""e"""')
    (tmp_path / "p.csv").write_text(text)
    fields = {
        "experiment_id": "w", "predictions_file": "p.csv", "system_score_column": "system",
        "human_score_column": "human", "id_column": "id", "second_human_score_column": "h2",
        "trim_min": 1, "trim_max": 6, "scale_with": "raw",
    }  # fmt: skip
    (tmp_path / "w.json").write_text(json.dumps(fields))
    reportgen("evaluate", "w.json", "out", "--tables-only", cwd=tmp_path)
    output = tmp_path / "out" / "output"
    low = 1 - 0.4998
    assert (output / "w_pred_processed.csv").read_text() == (
        "spkitemid,sc1,raw,raw_trim,raw_trim_round,scale,scale_trim,scale_trim_round\n"
        "a,3.0,2.25,2.25,2,2.25,2.25,2\n"
        f'"c, d",2.0,1e-05,{low!r},1,1e-05,{low!r},1\n'
        '"""e""",4.0,4.0,4.0,4,4.0,4.0,4\n'
    )
    assert (output / "w_test_human_scores.csv").read_text() == (
        'spkitemid,sc1,sc2\na,3.0,4.0\n"c, d",2.0,\n"""e""",4.0,4.0\n'
    )
    assert (output / "w_test_excluded_composition.csv").read_text() == (
        "Human/System,numeric system score,non-numeric system score\n"
        "numeric non-zero human score,,0\nzero human score,1.0,0\nnon-numeric human score,1.0,0\n"
    )
    for name, n in (("eval", "3"), ("eval_short", "3"), ("consistency", "2")):
        header, *found = (output / f"w_{name}.csv").read_text().splitlines()
        assert header.startswith(",N,")
        assert {line.split(",")[1] for line in found} == {n}, name
