"""Small doors: one sentence for a wrong command line, early refusals, results from strangers, other kernels."""

import json
from pathlib import Path

import pytest
from command import refused, reportgen

DATA = "id,human,system\n" + "".join(f"r{i},{i % 5 + 1},{i % 5 + 1.2:.2f}\n" for i in range(40))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "s.csv").write_text(DATA)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["evaluate", "s.csv", "--zzzzzz"], ("--zzzzzz", "reportgen evaluate --help")),
        (["evaluate", "s.csv", "--min-n", "x"], ("--min-n", "whole number")),
        (["evaluate", "s.csv", "a", "b"], ("is not a score file",)),
        (["evalate", "s.csv"], ("evalate", "evaluate")),
    ],
)
def test_a_wrong_command_line_is_one_sentence(home: Path, arguments: list[str], words: tuple[str, ...]) -> None:
    said = refused(*arguments, cwd=home)
    for word in words:
        assert word in said
    assert [path.name for path in home.iterdir()] == ["s.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["evaluate", "summarize"])
def test_templates_and_logo_are_checked_before_anything_is_written(home: Path, verb: str) -> None:
    reportgen("evaluate", "s.csv", "run", "--tables-only", cwd=home)
    source = {"evaluate": ["s.csv", "out"], "summarize": ["run", "--out", "out"]}[verb]
    said = refused(verb, *source, "--tables-only", "--templates", "none", cwd=home)
    assert "--templates: 'none' is not a folder" in said
    (home / "c.toml").write_text('[data]\nfile = "s.csv"\n[report]\nlogo = "none.png"\n')
    assert "none.png" in refused("evaluate", "c.toml", "out", "--tables-only", cwd=home)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "a\\b", "", "nul\0"])
def test_a_section_name_that_is_a_path_is_an_error(home: Path, name: str) -> None:
    reportgen("evaluate", "s.csv", "run", "--tables-only", cwd=home)
    content = json.loads((home / "run/results.json").read_text())
    content["report"]["sections"][1]["name"] = name
    (home / "bad.json").write_text(json.dumps(content))
    said = refused("render", "bad.json", "pages", cwd=home)
    assert "invalid section name" in said
    assert ".j2" not in said


@pytest.mark.slow
def test_a_kernel_finds_relative_templates_and_prints_nothing(home: Path) -> None:
    pytest.importorskip("ipykernel")
    (home / "mine/sections/data").mkdir(parents=True)
    (home / "mine/sections/data/section.md.j2").write_text(
        '{% extends "shipped/sections/data/section.md.j2" %}\n{% block headline %}Mine.{% endblock %}\n'
    )
    arguments = ["evaluate", "s.csv", "out", "--sections", "data", "--templates", "mine", "--formats", "html"]
    assert reportgen(*arguments, "--kernel", "python3", cwd=home).stderr == ""
    cells = json.loads((home / "out/report.ipynb").read_text())["cells"]
    assert any("templates='mine'" in "".join(cell["source"]) for cell in cells)
