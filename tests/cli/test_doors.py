"""One sentence for a wrong command line, a path that is too long, or deeply nested input; other kernels."""

import errno
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from command import forked, refused, reportgen
from command import reportgen as run

from reportgen.cli import printing
from reportgen.cli.found import lines_read, say_decisions
from reportgen.cli.printing import say
from reportgen.scores import read
from reportgen.settings import from_keywords

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


THREAD = "Unknown error: Failed to launch worker thread: Resource temporarily unavailable"
LONG = "x" * 3000
PATHS = [
    "evaluate LONG", "evaluate LONG.csv", "evaluate LONG/*.csv", "evaluate scores.csv LONG", "evaluate LONG.toml",
    "evaluate scores.csv out --templates LONG", "evaluate scores.csv out --policy LONG",
    "evaluate scores.csv out --sections ./LONG.py", "evaluate scores.csv out --gate --junit LONG --tables-only",
    "evaluate scores.csv out --gate --markdown LONG --tables-only",
    "evaluate LONG.csv --format mlflow",
    "evaluate LONG.json", "batch LONG.csv out --by item", "batch scores.csv LONG --by item",
    "batch scores.csv out --by item --scales LONG", "tables LONG.csv out --by item", "tables scores.csv LONG --by item",
    "tables scores.csv out --by item --scales LONG", "compare LONG LONG",
    "compare run run --name a --name b --out LONG",
    "compare LONG.toml out", "summarize LONG LONG", "summarize run run --name a --name b --out LONG", "check LONG",
    "check run --policy LONG", "check run --junit LONG", "render LONG", "render LONG.json",
    "render run/results.json LONG", "render run/results.json out --templates LONG",
    "render run/results.json out --sections ./LONG.py", "render run/results.json out --logo LONG", "packet LONG",
    "packet run LONG", "packet run out --card LONG", "packet run out --previous LONG", "packet --starter LONG",
    "plan --from LONG", "plan --from LONG.csv", "complete LONG.csv", "complete scores.csv LONG", "init LONG.csv",
    "init scores.csv --out LONG", "study prmse-stability LONG", "study rating-completion out --file LONG.csv",
    "eject data LONG", "new section mine LONG", "policy show LONG",
]  # fmt: skip
"""Command lines with a path that no system takes in every place of a path."""


@pytest.fixture(scope="module")
def with_long_names(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    rows = "".join(f"{i % 5 + 1},{i * 3 % 5 + 1},{i % 5 + 1.2},P{i % 2}\n" for i in range(40))
    (folder / "scores.csv").write_text("human,human2,system,item\n" + rows, encoding="utf-8")
    run("evaluate", "scores.csv", "run", "--tables-only", "-q", cwd=folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("line", PATHS)
def test_a_path_that_is_too_long_is_an_error_in_one_sentence(line: str, with_long_names: Path) -> None:
    code, said = forked(with_long_names, line.replace("LONG", LONG).split())
    assert code == 2
    assert said.startswith("error: ")
    assert said.count("\n") <= 2
    assert len(said) <= 307


@pytest.mark.parametrize("number", [errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EACCES, errno.ENOSPC])
def test_a_path_error_is_not_a_reportgen_bug(number: int) -> None:
    sentence, code = printing.explain(OSError(number, os.strerror(number), LONG))
    assert code == printing.SURROUNDINGS
    assert os.strerror(number) in sentence
    assert len(sentence) <= 300


def test_deep_nesting_is_blamed_on_the_input() -> None:
    sentence, code = printing.explain(RecursionError("maximum recursion depth exceeded"))
    assert code == printing.SURROUNDINGS
    assert "nested too deeply" in sentence


@pytest.mark.parametrize("error", [pa.ArrowMemoryError("malloc of size 99 failed"), pa.ArrowException(THREAD)])
def test_memory_that_runs_out_while_a_file_is_read_is_not_blamed_on_the_file(
    error: Exception, with_long_names: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(pyarrow.csv, "read_csv", fail)
    monkeypatch.setattr(pyarrow.csv, "open_csv", fail)
    code, said = forked(with_long_names, ["evaluate", "scores.csv", "none"])
    assert code == 2
    assert said.startswith("error: the run requires more memory")


def test_decisions_are_counted_with_the_most_common_first(capsys: pytest.CaptureFixture[str]) -> None:
    say_decisions(["deploy", "do not deploy", "", "do not deploy"])
    assert capsys.readouterr().out == "results       No: 2 reports; Yes: 1 report\n"


def test_a_missing_decision_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    say_decisions(["", ""])
    assert capsys.readouterr().out == ""


def test_one_rater_is_not_multiple_raters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"r{i},{rater},{i % 5 + 1}" for i in range(20) for rater in ("ann", "engine")]
    (tmp_path / "long.csv").write_text("\n".join(["id,rater,score", *rows]))
    say(lines_read([read(tmp_path / "long.csv", from_keywords(layout="long", system="engine", scale="1:5"))]))
    assert "read 20 ratings of 20 responses by 1 rater" in " ".join(capsys.readouterr().out.split())
