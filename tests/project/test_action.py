"""The GitHub action: its steps are run as a runner runs them, with inputs that nobody would wish for."""

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from workflow_steps import Runner

import reportgen

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
PULL_REQUEST = {"github.event_name": "pull_request", "github.event.pull_request.number": "7"}

GH = """#!/bin/sh
# stands in for GitHub's command line: tells of one earlier comment if there is one, and keeps what it is asked
echo "$@" >> "$HOME/asked"
case "$*" in *--paginate*) cat "$HOME/earlier" 2>/dev/null; exit 0 ;; esac
[ ! -e "$HOME/forbidden" ]
"""


@pytest.fixture(scope="module")
def action(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The action as a runner has it, with the environment of these tests for the one that it would make."""
    folder = tmp_path_factory.mktemp("action")
    shutil.copy(ROOT / "action.yml", folder)
    for name, text in {
        ".ci/setup": '#!/bin/sh\necho "setup $*"\n',
        ".venv/bin/reportgen": f'#!/bin/sh\nexec "{sys.executable}" -m reportgen "$@"\n',
        "bin/gh": GH,
    }.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)
    return folder


@pytest.fixture
def runner(action: Path, tmp_path: Path) -> Any:
    """Set up a runner with inputs, next to the example."""

    def make(event: dict[str, str] | None = None, /, **inputs: str) -> Runner:
        given = {name.replace("_", "-"): text for name, text in inputs.items()}
        made = Runner(action, tmp_path, given, event or {}, f"{action / 'bin'}:/usr/bin:/bin")
        example = ROOT / "example_reports" / "asap2"
        shutil.copy(example / "scores.csv", tmp_path / "work")
        shutil.copytree(example, tmp_path / "work" / "stored")
        return made

    return make


def test_no_input_reaches_a_script_as_text_and_actions_are_githubs_by_major_version() -> None:
    assert not [step["name"] for step in STEPS if "${{" in step.get("run", "")]
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert all(re.fullmatch(r"actions/[\w-]+@v\d+", name) for name in used)
    assert all("uses" in step or step["shell"] == "bash" for step in STEPS)
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(ACTION["inputs"])


@pytest.mark.slow
def test_scores_become_a_report_an_artifact_a_summary_and_a_comment(runner: Any, tmp_path: Path) -> None:
    run = runner(PULL_REQUEST, input="scores.csv", options="--formats=html\n--scale=1:6\n\n--title=A & $(id) `id`\n")
    assert run.run() == 0, run.log
    report = reportgen.load(tmp_path / "work" / "reportgen-report")
    assert report.verdict is not None
    assert report.title == "A & $(id) `id`"
    assert run.outputs["report.exit-code"] == "0"
    assert "setup run python3 [yaml]" in run.log
    assert "actions/upload-artifact@v6 {'name': 'reportgen-report', 'path': 'reportgen-report'" in run.log
    summary = (run.temporary / "summary.md").read_text(encoding="utf-8")
    comment = (run.temporary / "reportgen-comment.md").read_text(encoding="utf-8")
    assert summary.startswith("## reportgen: ")
    assert summary.strip() in comment
    assert "[Report and log](https://github.example/board/engine/actions/runs/5)" in comment
    asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert asked[1].startswith("api --silent --method POST repos/board/engine/issues/7/comments --field body=@")


@pytest.mark.slow
@pytest.mark.parametrize(("gate", "code"), [("true", 1), ("false", 0)])
def test_a_stored_report_that_fails_the_gate_is_still_reported(
    runner: Any, tmp_path: Path, gate: str, code: int
) -> None:
    (tmp_path / "earlier").write_text("88\n99\n", encoding="utf-8")
    run = runner(PULL_REQUEST, command="check", input="stored", strict="true", gate=gate)
    assert run.run() == code, run.log
    assert run.outputs["report.exit-code"] == "1"
    assert "'path': 'stored'" in run.log
    asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert asked[1].startswith("api --silent --method PATCH repos/board/engine/issues/comments/88 ")


def test_without_a_verdict_the_comment_shows_it(runner: Any) -> None:
    run = runner(PULL_REQUEST, input="nothing.csv")
    assert run.run() == 2
    comment = (run.temporary / "reportgen-comment.md").read_text(encoding="utf-8")
    assert "no verdict" in comment
    assert "exited with code 2" in comment


def test_a_token_that_may_not_comment_fails_nothing(runner: Any, tmp_path: Path) -> None:
    (tmp_path / "forbidden").touch()
    run = runner(PULL_REQUEST, command="check", input="stored")
    assert run.run() == 0, run.log
    assert "::warning title=reportgen::Could not comment" in run.log


def test_without_a_pull_request_github_is_not_called(runner: Any, tmp_path: Path) -> None:
    assert runner(command="check", input="stored", artifact="").run() == 0
    assert not (tmp_path / "asked").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("input", "$(touch planted)", 2),
        ("input", "stored'; touch planted; '", 2),
        ("input", "--help", 2),
        ("input", "stored\nexit-code=0", 2),
        ("policy", "default; touch planted", 2),
        ("policy", "x\n--quiet", 2),
        ("command", "check; touch planted", 2),
        ("command", "eject", 2),
        ("options", "--junit=$(touch planted)/x", 2),
        ("artifact", "`touch planted`\n-->", 0),
    ],
)
def test_hostile_inputs_are_plain_text(runner: Any, tmp_path: Path, name: str, text: str, code: int) -> None:
    run = runner(PULL_REQUEST, **{"command": "check", "input": "stored", name: text})
    assert run.run() == code, run.log
    assert not list(tmp_path.rglob("planted"))
    assert set(run.outputs) <= {"report.exit-code"}
    assert run.outputs.get("report.exit-code", "2") == str(code)


@pytest.mark.slow
def test_names_in_the_data_are_not_commands_to_the_runner(runner: Any, tmp_path: Path) -> None:
    run = runner(input="named.csv", options="--formats=html\n--group=country\n--scale=1:6")
    lines = (tmp_path / "work" / "scores.csv").read_text(encoding="utf-8").splitlines()
    named = [f"{line},{'::error::x' if i % 2 else 'y'}" for i, line in enumerate(lines)]
    named[0] = f"{lines[0]},country"
    (tmp_path / "work" / "named.csv").write_text("\n".join(named) + "\n", encoding="utf-8")
    assert run.run() in (0, 1), run.log
    stop = re.search(r"^::stop-commands::(\w{32})$", run.log, re.MULTILINE)
    assert stop is not None
    between = run.log.split(stop[0], 1)[1].split(f"\n::{stop[1]}::", 1)
    assert len(between) == 2
    assert "::error::x" in between[0]
    assert not re.search(r"^\s*::", between[1], re.MULTILINE)
