"""rsmeval configurations are read like RSMTool reads them, and errors are one sentence."""

from pathlib import Path
from typing import Any

import pytest
from rsmeval_runs import write_run

from reportgen.errors import InputError, ReportgenError, SettingsError
from reportgen.rsmtool.config import load_run, tool_of, tool_of_file
from reportgen.scores import read

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"trim_mni": 1}, "'trim_mni' is not a field of rsmeval; did you mean 'trim_min'?"),
    ({"test_label_column": "h1"}, "'test_label_column' is not a field of rsmeval but of rsmtool"),
    ({"trim_max": ...}, "requires the field 'trim_max'"),
    ({"predictions_file": ...}, "requires the field 'predictions_file'"),
    ({"trim_min": 6}, "trim_min (6) is greater than trim_max (5)"),
    ({"trim_min": "one"}, "trim_min: expected a whole number or a number, found 'one'"),
    ({"trim_min": True}, "trim_min: expected a whole number or a number"),
    ({"trim_tolerance": -1}, "trim_tolerance: expected a number of at least 0"),
    ({"experiment_id": "two words"}, "no blank"),
    ({"experiment_id": "../up"}, "no blank and no slash"),
    ({"experiment_id": "x" * 201}, "at most 200"),
    ({"human_score_column": "m"}, "human_score_column and system_score_column both name 'm'"),
    ({"second_human_score_column": "h1"}, "both name 'h1'"),
    ({"second_human_score_column": "m"}, "both name 'm'"),
    ({"file_format": "json"}, "file_format: expected 'csv', 'tsv', or 'xlsx', found 'json'"),
    ({"exclude_zero_scores": "perhaps"}, "exclude_zero_scores: expected true or false"),
    ({"flag_column": "flag"}, "flag_column: expected a table of keys"),
    ({"min_items_per_candidate": 2}, "requires a candidate_column"),
    ({"min_items_per_candidate": True}, "min_items_per_candidate: expected a whole number, found true"),
    ({"human_score_column": " "}, "human_score_column: expected text that is not blank, found ' '"),
    ({"min_n_per_group": 20}, "min_n_per_group requires subgroups"),
    ({"min_n_per_group": {"sex": 20}, "subgroups": "L1"}, "expected exactly L1"),
    ({"use_wandb": True, "wandb_project": "p"}, "requires both wandb_project and wandb_entity"),
    ({"general_sections": ["evaluatoin"]}, "did you mean 'evaluation'?"),
    ({"general_sections": ["fairness_analyses"]}, "requires subgroups"),
    ({"section_order": ["evaluation"]}, "missing: data_description"),
    ({"general_sections": "evaluation", "section_order": "evaluation,sysinfo"}, "not chosen: sysinfo"),
    ({"custom_sections": ["no.ipynb"]}, "'{folder}/no.ipynb' is not an existing notebook"),
    ({"comparison_id": "x"}, "reportgen compare CONFIG OUT_DIR"),
    ({"summary_id": "x"}, "reportgen summarize CONFIG OUT_DIR"),
]


@pytest.mark.parametrize(("fields", "words"), REFUSED, ids=lambda value: str(value)[:40])
def test_wrong_configuration_raises(fields: dict[str, Any], words: str, tmp_path: Path) -> None:
    path = write_run(tmp_path, **fields)
    with pytest.raises(SettingsError) as problem:
        load_run(path, {})
    assert words.format(folder=tmp_path) in str(problem.value)
    assert str(problem.value).startswith(str(path))
    assert "\n" not in str(problem.value)


def test_training_configuration_raises(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"experiment_id": "x", "model": "LinearRegression", "train_file": "a", "test_file": "b"}')
    with pytest.raises(SettingsError, match="this configures rsmtool, which uses models"):
        load_run(path, {})


def test_missing_predictions_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"predictions_file 'gone.csv' was not found"):
        load_run(write_run(tmp_path, predictions_file="gone.csv"), {})


def test_comments_and_quoted_values_are_read(tmp_path: Path) -> None:
    path = write_run(tmp_path, subgroups=...)
    text = path.read_text(encoding="utf-8").replace('"trim_min"', '// http://x "\n/* two\nlines */ "trim_min"', 1)
    more = '"subgroups": " L1 ,h2", "exclude_zero_scores": "False", "description": "see // this", "trim_max": "5"}'
    path.write_text(text[: text.index(', "trim_max"')] + ", " + more, encoding="utf-8")
    run = load_run(path, {})
    assert run.settings.data.groups == ("L1", "h2")
    assert run.settings.preparation.exclude_zero_scores is False
    assert run.settings.report.description == "see // this"


def test_path_in_working_directory_has_precedence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_run(tmp_path / "here")
    path = write_run(tmp_path / "there")
    assert load_run(path, {}).predictions == tmp_path / "there" / "predictions.csv"
    monkeypatch.chdir(tmp_path / "here")
    assert load_run(path, {}).predictions == Path("predictions.csv")


def test_scale_is_trim_range_if_it_contains_human_scores(tmp_path: Path) -> None:
    for bounds, expected in (((0, 6), (0, 6, False)), ((2, 4), (1, 5, True)), ((0.5, 6), (1, 5, True))):
        run = load_run(write_run(tmp_path, trim_min=bounds[0], trim_max=bounds[1]), {})
        scale = run.prepared(read(run.predictions, run.settings)).scale
        assert (scale.low, scale.high, scale.assumed) == expected


def test_boolean_flags_match_any_spelling(tmp_path: Path) -> None:
    rows = [
        {"id": str(i), "h1": str(i % 5 + 1), "m": f"{i / 9:.2f}", "ok": ("TRUE", "False", "1")[i % 3]}
        for i in range(30)
    ]
    run = load_run(write_run(tmp_path, rows, flag_column={"ok": True}), {})
    assert read(run.predictions, run.settings).kept == 20


def test_wandb_logging_warns(tmp_path: Path) -> None:
    run = load_run(write_run(tmp_path, use_wandb="true", wandb_project="p", wandb_entity="e"), {})
    assert "nothing is logged" in run.prepared(read(run.predictions, run.settings)).warnings[-1]


@pytest.mark.parametrize(
    ("content", "tool"),
    [
        ({"experiment_id": "x", "system_score_column": "m"}, "rsmeval"),
        ({"experiment_id": "x", "trim_min": 1}, "rsmeval"),
        ({"experiment_id_old": "x"}, "rsmcompare"),
        ({"experiment_dirs": []}, "rsmsummarize"),
        ({"experiment_id": "x", "train_file": "a", "folds": 3}, "rsmxval"),
        ({"experiment_id": "x", "explain_data": "a"}, "rsmexplain"),
        ({"data": {"file": "a.csv"}}, None),
        ({"unknown": 1}, None),
    ],
)
def test_tool_of_configuration(content: dict[str, Any], tool: str | None) -> None:
    assert tool_of(content) == tool


def test_tool_of_file_requires_json(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('experiment_id = "x"')
    assert tool_of_file(path) is None
    broken = tmp_path / "config.json"
    broken.write_text("{")
    with pytest.raises(ReportgenError, match="not valid JSON"):
        tool_of_file(broken)
