"""Test the example repository of docs/pipeline.md: its files are read, and its commands are run."""

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import reportgen

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "pipeline.md").read_text(encoding="utf-8")
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
FILES = dict(re.findall(r"`([\w./-]+)`:\n\n```\w+\n(.*?)```", PAGE, re.DOTALL))


def step() -> dict[str, Any]:
    """Return the step of the workflow that uses the action."""
    workflow = yaml.safe_load(FILES[".github/workflows/evaluate.yml"])
    found: dict[str, Any] = workflow["jobs"]["evaluate"]["steps"][-1]
    return found


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example repository, with the scores of a shipped example."""
    folder = tmp_path_factory.mktemp("repository")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    example = ROOT / "example_reports" / "asap2"
    shutil.copy(example / "scores.csv", folder / "evaluation")
    (folder / "reports" / "2.3.0").mkdir(parents=True)
    shutil.copy(example / "results.json", folder / "reports" / "2.3.0")
    return folder


def test_the_tree_matches_the_files(repository: Path) -> None:
    assert set(FILES) == {
        ".github/workflows/evaluate.yml", ".pre-commit-config.yaml", "evaluation/config.toml", "evaluation/policy.toml",
    }  # fmt: skip
    tree = PAGE.partition("```text\n")[2].partition("```")[0]
    assert all(path.name in tree for path in repository.rglob("*") if path.is_file())


def test_the_table_has_every_input_with_its_default() -> None:
    items = dict(re.findall(r"^\| `([\w-]+)` \| .+ \| (.+?) \|$", PAGE, re.MULTILINE))
    assert set(items) == set(ACTION["inputs"])
    for name, each in ACTION["inputs"].items():
        default = each.get("default", "required") or "empty"
        assert items[name].strip("`") == ("the job's token" if "github.token" in default else default), name


def test_the_workflow_sets_existing_inputs_and_needs_few_permissions() -> None:
    workflow = yaml.safe_load(FILES[".github/workflows/evaluate.yml"])
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert set(step()["with"]) <= set(ACTION["inputs"])


@pytest.mark.slow
def test_the_command_of_the_workflow_writes_a_report(repository: Path) -> None:
    given = step()["with"]
    options = given["options"].split()
    reportgen("evaluate", "--gate", *options, "--formats=html", "--", given["input"], "report", cwd=repository)
    assert "reading-engine" in (repository / "report" / "results.json").read_text(encoding="utf-8")
    assert (repository / "reportgen.xml").exists()


def test_the_hook_checks_stored_reports(repository: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (used,) = yaml.safe_load(FILES[".pre-commit-config.yaml"])["repos"][0]["hooks"]
    assert used["id"] == hook["id"]
    names = [path.relative_to(repository).as_posix() for path in repository.rglob("*") if path.is_file()]
    stored = [name for name in names if re.search(hook["files"], name)]
    assert "reports/2.3.0/results.json" in stored
    command, *words = shlex.split(hook["entry"])
    assert command == "reportgen"
    reportgen(*words, *used["args"], *stored, cwd=repository)


def test_multiple_stored_reports_pass_if_all_do(repository: Path) -> None:
    stored = ROOT / "example_reports"
    said = reportgen("check", stored / "asap2", stored / "biased_group", cwd=repository, code=1).stdout
    assert said.count("verdict  ") == 2
    assert reportgen("check", stored / "asap2", stored / "nowhere", cwd=repository, code=2).stdout == ""
