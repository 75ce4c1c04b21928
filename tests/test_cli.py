"""Test the command line: its output, its files, and its exit codes."""

import json
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from command import invoked as run
from command import refused

from reportgen.cli.printing import printable
from reportgen.errors import OutputError, ReportgenError
from reportgen.reports import single
from reportgen.sections import load as load_sections
from reportgen.storing import report_folder

GROUPS = ["f", "m", "<script>alert(1)</script>"]
SCORES = "id,human,human2,system,gender\n" + "".join(
    f"r{i},{i % 5 + 1},{(i + i // 7) % 5 + 1},{i % 5 + 1 + (i % 3 - 1) / 4:.2f},{GROUPS[i % 3]}\n" for i in range(60)
)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "scores.csv"
    path.write_text(SCORES)
    return path


def test_evaluate_says_what_it_found_and_where_the_report_is(data: Path) -> None:
    said = run("evaluate", data, "--tables-only").stdout
    for words in (
        "60 responses read, 60 used",
        "human, human2 (detected by name)",
        "1 to 5",
        "detected from the scores",
        "results.json",
    ):
        assert words in said
    assert sorted(path.name for path in Path("scores_report").iterdir()) == ["config.toml", "results.json", "tables"]


def test_the_written_configuration_reproduces_the_run(data: Path) -> None:
    run("evaluate", data, "one", "--tables-only", "--min-n", 5, "--scale", "1:6", "--title", 'A "title"')
    assert run("evaluate", "one/config.toml", "two", "--tables-only", "--quiet").output == ""
    assert tomllib.loads(Path("one/config.toml").read_text())["data"]["file"] == "../scores.csv"
    assert Path("two/config.toml").read_text() == Path("one/config.toml").read_text()
    for table in Path("one/tables").iterdir():
        if table.name != "data.roles.csv":
            assert (Path("two/tables") / table.name).read_bytes() == table.read_bytes()


def test_options_override_the_configuration(data: Path) -> None:
    Path("c.toml").write_text('[data]\nfile = "scores.csv"\nsystem = "human"\n[report]\nformats = []\n')
    run("evaluate", "c.toml", "out", "--system", "system", "--human", "human2", "--no-groups", "--tables-only")
    written = tomllib.loads(Path("out/config.toml").read_text())["data"]
    assert (written["system"], written["human"], written["groups"]) == ("system", ["human2"], [])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["evaluate", "none.csv"], ("none.csv", "not found")),
        (["evaluate", "none.toml"], ("none.toml", "not found")),
        (["evaluate", "."], ("folder",)),
        (["evaluate", "scores.csv", "--system", "sytem"], ("'sytem'", "did you mean 'system'")),
        (["evaluate", "scores.csv", "--system", "human", "--human", "human"], ("'human'", "both")),
        (["evaluate", "scores.csv", "--trim-min", "5", "--trim-max", "2"], ("--trim-min (5)", "--trim-max")),
        (["evaluate", "scores.csv", "--templates", "none"], ("templates", "none")),
        (["evaluate", "scores.csv", "scores.csv"], ("listed twice",)),
        (["evaluate", "scores.csv", "empty.toml"], ("is a file",)),
        (["evaluate", "scores.csv", "scores.csv/out"], ("is not a writable folder",)),
        (["evaluate", "empty.toml"], ("no score file", "[data]")),
        (["evaluate", "unknown.toml"], ("'report.titel'", "did you mean 'report.title'")),
        (["render", "scores.csv"], ("scores.csv",)),
        (["render", "none.json"], ("none.json",)),
        (["new", "section", "Not-A-Name"], ("'Not-A-Name'", "Python name")),
    ],
)
def test_user_errors(data: Path, arguments: list[str], words: tuple[str, ...]) -> None:
    Path("empty.toml").write_text("")
    Path("unknown.toml").write_text('[report]\ntitel = "x"\n')
    said = refused(*arguments, cwd=Path.cwd())
    assert all(word in said for word in words)


def test_a_broken_template_is_named_with_its_line(data: Path) -> None:
    Path("mine/sections/data").mkdir(parents=True)
    Path("mine/sections/data/section.md.j2").write_text("# Data\n{% if %}\n")
    options = ("--templates", "mine", "--sections", "data", "--formats", "html")
    said = refused("evaluate", data, *options, cwd=data.parent)
    assert re.search("mine/sections/data/section.md.j2.*line 2", said)


def test_unknown_options_of_sections(data: Path) -> None:
    Path("c.toml").write_text('[data]\nfile = "scores.csv"\n[sections.data]\ngroup_size = false\n')
    said = refused("evaluate", "c.toml", cwd=data.parent)
    assert said == "error: c.toml: sections.data.group_size: unknown option\nhint: did you mean 'group_sizes'?\n"


def test_usage_errors_leave_with_2(data: Path) -> None:
    run("evaluate", code=2)
    run("evaluate", data, "--no-such-option", code=2)


def test_a_report_is_replaced_only_by_force(data: Path) -> None:
    Path("out/tables").mkdir(parents=True)
    Path("out/tables/of_another_report.csv").write_text("1")
    mine = [Path("out/notes.txt"), Path("out/tables/mine.txt")]
    for path in mine:
        path.write_text("mine")
    assert re.search(r"already contains a report(?s:.*)--force", refused("evaluate", data, "out", cwd=data.parent))
    run("evaluate", data, "out", "--tables-only", "--force")
    grouped = Path("out/tables/data.groups.gender.csv")
    Path("out/report.html").write_text("of older results")
    assert grouped.is_file()
    run("evaluate", data, "out", "--tables-only", "--force", "--no-groups")
    assert not grouped.exists()
    assert not Path("out/tables/of_another_report.csv").exists()
    assert not Path("out/report.html").exists()
    assert [path.read_text() for path in mine] == ["mine", "mine"]
    assert not [path for path in Path("out").iterdir() if path.name.startswith(".")]


def test_a_run_that_fails_leaves_nothing(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise OutputError("the disk is full.")

    monkeypatch.setattr(single, "write_tables", fail)
    assert "the disk is full" in refused("evaluate", data, "deep/out", "--tables-only", cwd=data.parent)


def test_a_defect_is_said_as_one(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise ZeroDivisionError("by\nzero")

    monkeypatch.setattr(single, "report_of", fail)
    said = run("evaluate", data, "out", code=4).stderr
    assert "a bug in reportgen" in said
    assert said.count("\n") <= 2
    assert not Path("out").exists()


def test_render_from_stored_results(data: Path) -> None:
    run("evaluate", data, "out", "--tables-only", "--sections", "summary,data")
    data.unlink()
    run("render", "out/results.json", "pages", "--formats", "html")
    assert "<html" in Path("pages/report.html").read_text()
    run("render", "out/results.json", "out", "--formats", "html", "--force")
    assert Path("out/config.toml").is_file()
    assert any(Path("out/tables").iterdir())


def test_schema_sections_and_version() -> None:
    assert "data" in json.loads(run("schema").stdout)["properties"]
    assert "summary" in run("sections").stdout
    assert run("--version").stdout.startswith("reportgen ")


def test_eject_copies_what_is_shipped_and_never_overwrites(data: Path) -> None:
    run("eject", "summary", "mine")
    assert Path("mine/sections/summary/section.md.j2").is_file()
    assert "already exists" in refused("eject", "summary", "mine", cwd=data.parent)
    assert "reportgen export RUN OUT --templates mine" in run("eject", "paper_table.tex", "mine").stdout


def test_a_new_section_works_as_written(data: Path) -> None:
    run("new", "section", "engine_error")
    assert "already exists" in refused("new", "section", "engine_error", cwd=data.parent)
    (found,) = load_sections(["./engine_error/__init__.py"], {})
    assert found.section.title == "Engine error"
    assert {path.name for path in Path("engine_error").iterdir()} == {
        "__init__.py", "section.md.j2", "test_engine_error.py",
    }  # fmt: skip
    runpy.run_path("engine_error/test_engine_error.py")["test_engine_error"]()
    run("evaluate", data, "out", "--formats", "html", "--sections", "engine_error/__init__.py")
    page = Path("out/report.html").read_text()
    assert "Write what a reader should know before the table." in page
    assert "root mean squared error is 0.20 score points" in page
    assert "this report describes 60 responses" in page


@pytest.mark.parametrize("absolute", [False, True])
def test_a_new_section_is_used_by_the_path_that_is_told(absolute: bool, data: Path) -> None:
    said = run("new", "section", "told", str(Path.cwd() / "my own") if absolute else "my own").stdout
    (_, path) = shlex.split(said.splitlines()[-1])[-1].split("data,")
    assert path == f"{Path.cwd() if absolute else '.'}/my own/told/__init__.py"
    assert load_sections([path], {})[0].section.name == "told"


def test_hostile_names_are_shown_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.csv").write_text(SCORES.replace("gender", '"[red]\x1b[31m\u202e\n[/red]"'))
    said = run("evaluate", "s.csv", "out", "--tables-only").stdout
    assert "[red]\\x1b[31m\\u202e\\n[/red]" in said
    assert "\x1b" not in said


def test_printable_keeps_letters_of_any_script() -> None:
    assert printable("grüße 点数 🙂") == "grüße 点数 🙂"
    assert printable("a\u202eb\r") == "a\\u202eb\\r"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code"), [(["--help"], 0), (["evaluate", "none.csv"], 2), (["evaluate"], 2), (["nonsense"], 2)]
)
def test_as_a_process(tmp_path: Path, arguments: list[str], code: int) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "reportgen", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    heavy = ("numpy", "pandas", "pyarrow", "pydantic", "plotly", "matplotlib", "weasyprint", "scipy")
    if code == 0:
        assert not [name for name in heavy if f" {name}\n" in done.stderr]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_ascii_terminals_are_no_error(data: Path) -> None:
    data.write_text(SCORES.replace("gender", "geschlecht_ü"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "reportgen", "evaluate", "scores.csv", "out", "--tables-only"],
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_staging_removes_folders_it_made(tmp_path: Path) -> None:
    def fail() -> None:
        with report_folder.staged(tmp_path / "a/b/c") as stage:
            (stage / "results.json").write_text("{}")
            raise ReportgenError("no")

    with pytest.raises(ReportgenError, match="no"):
        fail()
    assert list(tmp_path.iterdir()) == []
    with report_folder.staged(tmp_path / "a/b/c") as stage:
        (stage / "tables").mkdir()
        (stage / "tables/x.csv").write_text("x")
    assert (tmp_path / "a/b/c/tables/x.csv").read_text() == "x"
    assert [path.name for path in (tmp_path / "a/b").iterdir()] == ["c"]
