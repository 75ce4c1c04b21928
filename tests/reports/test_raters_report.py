"""A report on raters through every command: made, again, shown, checked; refused where an engine is needed."""

import json
import re
from pathlib import Path

import pytest
from simulated import simulated
from typer.testing import CliRunner

from reportgen.cli.app import app


def ratings(path: Path) -> Path:
    scores = simulated(80, 4, 3, mean=3, ends=(1, 5)).human.astype(int)
    rows = [f"e{i},{','.join(map(str, row))},{'fm'[i % 2]}" for i, row in enumerate(scores)]
    path.write_text("\n".join(["essay_id,rater_1,rater_2,rater_3,gender", *rows]) + "\n")
    return path


def run(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("raters")
    run(
        "evaluate",
        ratings(folder / "ratings.csv"),
        folder / "out",
        "--formats",
        "html",
        "--scale",
        "1:5",
        "--ratings-only",
    )
    return folder / "out"


def estimates(folder: Path) -> object:
    return json.loads((folder / "results.json").read_text())["report"]["evaluation"]["estimates"]


def test_the_page_is_about_raters(report: Path) -> None:
    page = (report / "report.html").read_text(encoding="utf-8")
    assert "the report is about the raters" in page
    assert "The reliability of one rating is" in page
    assert "PRMSE" not in re.sub(r'<div class="works">.*?</div>', "", page, flags=re.DOTALL)


def test_its_configuration_gives_the_same_numbers(report: Path) -> None:
    run("evaluate", report / "config.toml", report.parent / "again", "--tables-only")
    assert estimates(report.parent / "again") == estimates(report)


def test_it_can_be_rendered_and_checked(report: Path) -> None:
    run("render", report / "results.json", report.parent / "pages", "--formats", "html")
    files = report.parent / "v.xml", report.parent / "v.md"
    run("check", report, "--junit", files[0], "--markdown", files[1], code=1)
    assert all("the report is about the raters" in file.read_text() for file in files)
    run("check", report, "--strict", code=1)


def test_a_policy_on_raters_is_a_gate(report: Path) -> None:
    policy = report.parent / "raters.toml"
    for low, code in ((0.1, 0), (0.99, 1)):
        policy.write_text(f'name = "raters"\n[[criteria]]\nstatistic = "human.qwk"\nlow = {low}\n')
        run("check", report, "--policy", policy, "--strict", code=code)


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "{out}", "{out}", "--out", "{new}"),
        ("summarize", "{out}", "{out}", "--out", "{new}"),
        ("batch", "{csv}", "{new}", "--by", "gender"),
        ("tables", "{csv}", "{new}", "--by", "gender"),
        ("packet", "{out}", "{new}"),
        ("evaluate", "{csv}", "{new}", "--read", "5", "--ratings-only"),
    ],
)
def test_commands_about_engines_reject_it_in_one_sentence(report: Path, words: tuple[str, ...]) -> None:
    places = {"out": report, "csv": report.parent / "ratings.csv", "new": report.parent / "new"}
    said = run(*(word.format(**places) for word in words), code=2)
    assert any(word in said for word in ("rater", "ratings", "engine scores"))
    assert not places["new"].exists()
