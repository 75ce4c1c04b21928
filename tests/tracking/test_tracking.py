"""What experiment trackers are told, by stand-ins for their documented calls, and by the packages where installed."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from command import reportgen

DATA = "id,h1,h2,m,L1\n" + "".join(
    f"r{i:02d},{i % 5 + 1},{(i + i // 7) % 5 + 1},{i % 5 + 1 + (i % 3 - 1) / 4:.2f},{'ab'[i % 2]}\n" for i in range(60)
)
MLFLOW = """
import json, pathlib
from contextlib import contextmanager
_log = []
def _called(name):
    def call(*arguments, **named):
        _log.append([name, [str(a) if isinstance(a, pathlib.Path) else a for a in arguments], named])
        pathlib.Path("called.json").write_text(json.dumps(_log))
    return call
def active_run(): return None
@contextmanager
def start_run(run_name=None):
    _called("start_run")(run_name)
    yield
set_experiment, set_tags, log_params = _called("set_experiment"), _called("set_tags"), _called("log_params")
log_metrics, log_artifact = _called("log_metrics"), _called("log_artifact")
"""
WANDB = """
import json, pathlib
run = None
_log = []
def _note(name, value):
    _log.append([name, value])
    pathlib.Path("called.json").write_text(json.dumps(_log, default=lambda each: vars(each)))
class Table:
    def __init__(self, columns, data, allow_mixed_types): self.columns, self.rows = columns, len(data)
class Html:
    def __init__(self, text, inject): self.page = text[:15]
class Settings:
    def __init__(self, **named): pass
class Artifact:
    def __init__(self, name, type): self.name, self.files = name, []
    def add_file(self, path, name): assert pathlib.Path(path).is_file(); self.files.append(name)
class _Config:
    def update(self, settings, allow_val_change): _note("config", settings)
class _Run:
    config = _Config()
    def __enter__(self): return self
    def __exit__(self, *_): _note("finish", None)
    def log(self, what): _note("log", what)
    def log_artifact(self, artifact): _note("artifact", artifact)
def init(**named):
    named.pop("settings")
    _note("init", named)
    return _Run()
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "s.csv").write_text(DATA)
    (tmp_path / "stand_ins").mkdir()
    return tmp_path


def with_stand_in(home: Path, name: str, source: str) -> dict[str, str]:
    """Put a stand-in for a package on the path of the next process."""
    (home / "stand_ins" / f"{name}.py").write_text(source)
    return {"PYTHONPATH": str(home / "stand_ins")}


def called(home: Path) -> list[Any]:
    calls: list[Any] = json.loads((home / "called.json").read_text())
    return calls


def test_mlflow_gets_settings_numbers_and_files(home: Path) -> None:
    environment = with_stand_in(home, "mlflow", MLFLOW)
    options = ["--log-to", "mlflow", "--formats", "html", "--quiet"]
    (home / "c.toml").write_text('[data]\nfile = "s.csv"\n[log]\nproject = "pilot"\n')
    reportgen("evaluate", "c.toml", "out", *options, cwd=home, environment=environment)
    calls = called(home)
    results = json.loads((home / "out/results.json").read_text())["report"]
    assert calls[0] == ["set_experiment", ["pilot"], {}]
    assert calls[1] == ["start_run", [results["title"]], {}]
    (metrics,) = [arguments[0] for name, arguments, _ in calls if name == "log_metrics"]
    estimate = results["evaluation"]["estimates"]["system.qwk"]
    assert [metrics[f"system.qwk{end}"] for end in ("", ".low", ".high", ".n")] == [
        estimate[key] for key in ("value", "low", "high", "n")
    ]
    assert sum(metrics[key] for key in metrics if key.startswith("criteria.")) == len(results["evaluation"]["checks"])
    params = {key: value for name, arguments, _ in calls if name == "log_params" for key, value in arguments[0].items()}
    assert params["data.system"] == "m"
    files = {Path(arguments[0]): named["artifact_path"] for name, arguments, named in calls if name == "log_artifact"}
    sent = {path.relative_to("out").as_posix() for path in files}
    assert sent == {path.relative_to(home / "out").as_posix() for path in (home / "out").rglob("*") if path.is_file()}
    assert set(files.values()) == {"report", "report/tables"}


def test_wandb_gets_a_run_of_rsmeval_under_its_names(home: Path) -> None:
    environment = with_stand_in(home, "wandb", WANDB)
    fields = {
        "experiment_id": "pilot", "predictions_file": "s.csv", "system_score_column": "m", "human_score_column": "h1",
        "second_human_score_column": "h2", "id_column": "id", "trim_min": 1, "trim_max": 5, "subgroups": ["L1"],
        "use_wandb": True, "wandb_project": "essays", "wandb_entity": "team",
    }  # fmt: skip
    (home / "c.json").write_text(json.dumps(fields))
    reportgen("evaluate", "c.json", "out", "--formats", "html", "--quiet", cwd=home, environment=environment)
    calls = called(home)
    assert [name for name, _ in calls] == ["init", "config", "log", "artifact", "finish"]
    given, logged, artifact = calls[0][1], calls[2][1], calls[3][1]
    assert (given["project"], given["entity"]) == ("essays", "team")
    header, row = (home / "out/output/pilot_eval_short.csv").read_text().splitlines()
    peer = dict(zip(header.split(",")[1:], row.split(",")[1:], strict=True))
    for column, cell in peer.items():
        if float(cell):  # rsmeval leaves out 0, too
            assert logged[f"rsmeval/eval_short.{column}"] == float(cell)
    assert logged["rsmeval/true_score_eval.PRMSE true.raw_trim"] == logged["true_score.prmse"]
    assert logged["rsmeval/eval_by_L1"]["rows"] == 3
    assert logged["reports/evaluation"] == {"page": "<!DOCTYPE html>"}
    assert not [
        name for name in logged if "pred_processed" in name or "test_" in name.replace("test_excluded_comp", "")
    ]
    assert "pilot_report.html" in artifact["files"]


def test_without_the_package_a_configuration_of_rsmeval_still_runs(home: Path) -> None:
    if find_spec("wandb"):
        pytest.skip("wandb is installed")
    fields = {
        "experiment_id": "pilot", "predictions_file": "s.csv", "system_score_column": "m", "human_score_column": "h1",
        "id_column": "id", "trim_min": 1, "trim_max": 5,
        "use_wandb": True, "wandb_project": "essays", "wandb_entity": "team",
    }  # fmt: skip
    (home / "c.json").write_text(json.dumps(fields))
    said = reportgen("evaluate", "c.json", "out", "--tables-only", cwd=home).stdout
    assert "nothing is logged: the package wandb is not installed." in said


def test_a_missing_package_is_told_before_anything_is_made(home: Path) -> None:
    environment = with_stand_in(home, "sitecustomize", "import sys\nsys.modules['mlflow'] = None\n")
    if find_spec("mlflow"):
        pytest.skip("mlflow is installed")
    done = reportgen("evaluate", "s.csv", "out", "--log-to", "mlflow", cwd=home, code=2, environment=environment)
    assert "-m pip install 'mlflow-skinny>=" in done.stderr
    assert not (home / "out").exists()
    done = reportgen("evaluate", "s.csv", "out", "--log-to", "mlfow", cwd=home, code=2)
    assert "'wandb' or 'mlflow'" in done.stderr


@pytest.mark.parametrize("fault", ["raise SystemExit(1)", "raise RuntimeError('no route to\\nhost')"])
def test_a_tracker_that_fails_does_not_lose_the_report(home: Path, fault: str) -> None:
    environment = with_stand_in(home, "mlflow", f"def active_run():\n    {fault}\n")
    options = ["--log-to", "mlflow", "--formats", "html"]
    done = reportgen("evaluate", "s.csv", "out", *options, cwd=home, code=3, environment=environment)
    assert done.stderr.startswith("error: the report was written, but not logged: mlflow took nothing: ")
    assert done.stderr.count("\n") == 1
    assert (home / "out/report.html").is_file()
    program = """
        import warnings, reportgen
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            reportgen.evaluate("s.csv", log_to=["mlflow"])
        assert any("mlflow took nothing" in str(each.message) and each.filename == "<string>" for each in told), told
    """
    import os

    command = [sys.executable, "-c", textwrap.dedent(program)]
    subprocess.run(command, cwd=home, env={**os.environ, **environment}, check=True)


def test_nothing_is_imported_unless_it_is_asked_for(home: Path) -> None:
    for name in ("mlflow", "wandb"):
        environment = with_stand_in(home, name, "raise SystemExit('imported')")
    reportgen("evaluate", "s.csv", "out", "--tables-only", cwd=home, environment=environment)
    reportgen("summarize", "out", "--out", "sum", "--tables-only", cwd=home, environment=environment)


def test_comparisons_are_logged_too(home: Path) -> None:
    environment = with_stand_in(home, "mlflow", MLFLOW)
    for name in ("a", "b"):
        reportgen("evaluate", "s.csv", name, "--tables-only", cwd=home)
    arguments = ["compare", "a", "b", "--out", "both", "--tables-only", "--log-to", "mlflow"]
    reportgen(*arguments, cwd=home, environment=environment)
    (metrics,) = [arguments[0] for name, arguments, _ in called(home) if name == "log_metrics"]
    assert metrics["change2.system.qwk"] == 0


@contextmanager
def working_in(folder: Path, monkeypatch: pytest.MonkeyPatch, **environment: str) -> Iterator[None]:
    monkeypatch.chdir(folder)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    yield


PROGRAM = """
import sys, warnings, reportgen
with warnings.catch_warnings():
    warnings.filterwarnings("error", message=".*took nothing.*")
    reportgen.evaluate("s.csv", "out", formats=["html"], log_to=[sys.argv[1]], log_project="pilot")
"""


@pytest.mark.skipif(find_spec("mlflow") is None, reason="mlflow is not installed")
def test_the_real_mlflow_keeps_the_run_in_a_folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with working_in(home, monkeypatch, MLFLOW_TRACKING_URI=(home / "mlruns").as_uri(), MLFLOW_ALLOW_FILE_STORE="true"):
        subprocess.run([sys.executable, "-c", PROGRAM, "mlflow"], cwd=home, check=True)
    assert list(home.glob("mlruns/*/*/metrics/system.qwk"))
    assert list(home.glob("mlruns/*/*/artifacts/report/report.html"))
    assert list(home.glob("mlruns/*/*/artifacts/report/tables/*.csv"))


@pytest.mark.skipif(find_spec("wandb") is None, reason="wandb is not installed")
def test_the_real_wandb_keeps_the_run_offline(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with working_in(home, monkeypatch, WANDB_MODE="offline"):
        subprocess.run([sys.executable, "-c", PROGRAM, "wandb"], cwd=home, check=True)
    (file,) = home.glob("wandb/offline-run-*/run-*.wandb")
    content = file.read_bytes()
    assert b"system.qwk" in content
    assert b"report.html" in content
