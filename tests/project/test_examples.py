"""The committed example reports are what the program makes of their inputs today."""

import json
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from holes import hole
from typer.testing import CliRunner

import reportgen
from reportgen.cli.app import app
from reportgen.governance.verification import Data, verify
from reportgen.rendering.notebook import cells
from reportgen.results.term import Term
from reportgen.storing import results_file
from reportgen.storing.results_file import differences

EXAMPLES = Path(__file__).parents[2] / "example_reports"
QUICK = ("asap2", "biased_group", "reported_scores", "two_engines", "three_reports")
"""Examples that are rebuilt here; the studies have separate tests."""

NAMES = ("asap2", *(pytest.param(name, marks=pytest.mark.slow) for name in QUICK[1:]))
"""Examples whose numbers and pages are compared with those committed; test_same_as_the_page.py has the PDF of one."""


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function that rebuilds examples, each once, and returns their folder."""
    folder = tmp_path_factory.mktemp("examples")

    def rebuild(*names: str) -> Path:
        wanted = [name for name in names if not (folder / name).exists()]
        if wanted:
            subprocess.run([sys.executable, str(EXAMPLES / "rebuild.py"), *wanted, "--into", str(folder)], check=True)
        return folder

    return rebuild


@pytest.fixture(scope="module")
def unprinted(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that rebuilds an example once, without its PDF, and returns the folder of its report."""
    script, root = runpy.run_path(str(EXAMPLES / "rebuild.py")), tmp_path_factory.mktemp("unprinted")
    script["copy_inputs"](root)

    def make(name: str) -> Path:
        words, report = shlex.split(script["STORIES"][name]), root / name / "report"
        if not report.exists():
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(root / name)
                patch.setattr(sys, "argv", ["reportgen", *words])
                patch.setattr("reportgen.rendering.page.write_pdf", lambda cells, templates, path, more: path)
                assert CliRunner().invoke(app, words).exit_code == 0
        return report

    return make


def is_version(value: Any, where: str) -> bool:
    """Return whether this is what two honest runs may differ in: the versions they were made with."""
    is_row = isinstance(value, dict) and "cells" in value
    return where.endswith(".provenance.versions") or (is_row and str(value["cells"][0]).startswith("versions."))


def changed(old: Any, new: Any) -> list[str]:
    """Return the places where two JSON values differ, but for versions."""
    return [str(each) for each in differences(old, new, ignored=is_version)]


def outline(page: Path) -> list[tuple[str, ...]]:
    """Return headings, captions and the shape of tables of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"<(h[1-6]|caption)\b[^>]*>(.*?)</\1>|<(tr|th|td|figure|svg)\b", text, re.DOTALL)
    return [tuple(part.strip() for part in match) for match in found]


def test_a_changed_number_is_detected() -> None:
    assert changed({"a": [1.0, {"b": 0.5}]}, {"a": [1.0, {"b": 0.5 + 1e-8}]}) == [".a[1].b: 0.5 became 0.50000001"]
    assert changed({"a": 1.0}, {"a": 1.0, "c": 2}) == [".c: None became 2"]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.parent.name for path in EXAMPLES.glob("*/results.json")))
def test_an_example_verifies(rebuilt: Callable[..., Path], tmp_path: Path, name: str) -> None:
    """What is made here is what is shipped once it is committed; studies take long and are taken as they are."""
    for scores in EXAMPLES.glob("*/scores.csv"):  # an example may evaluate the scores of another
        (tmp_path / scores.parent.name).mkdir()
        shutil.copy(scores, tmp_path / scores.parent.name)
    for folder in (EXAMPLES, *([rebuilt(name)] if name in QUICK else [])):
        shutil.copytree(folder / name, tmp_path / name, dirs_exist_ok=True)
    answers = verify(tmp_path / name, Data(), {})
    assert [each for each in answers if each.result == "mismatch"] == []
    if results_file.read(tmp_path / name / "results.json").evaluation.kind == "evaluation":
        standings = {each.about: each.result for each in answers if each.about != "attestation.json"}
        assert set(standings.values()) == {"match"}, standings
        assert {"results.json", "config.toml", "report.html", "report.pdf", "scores.csv", "numbers"} == set(standings)


@pytest.mark.parametrize("name", NAMES)
def test_every_number_is_as_committed(unprinted: Callable[[str], Path], name: str) -> None:
    old, new = (json.loads((folder / "results.json").read_text()) for folder in (EXAMPLES / name, unprinted(name)))
    assert changed(old, new) == []


@pytest.mark.parametrize("name", NAMES)
def test_pages_are_built_as_committed(unprinted: Callable[[str], Path], name: str) -> None:
    old, new = (outline(folder / "report.html") for folder in (EXAMPLES / name, unprinted(name)))
    assert len(old) > 100
    assert old == new


@pytest.mark.slow
@pytest.mark.parametrize("name", ["asap2", "biased_group"])
def test_pdf_has_the_committed_pages_and_outline(rebuilt: Callable[..., Path], name: str) -> None:
    import pypdf

    old, new = (pypdf.PdfReader(folder / name / "report.pdf") for folder in (EXAMPLES, rebuilt(name)))
    assert len(old.pages) == len(new.pages)
    assert str([entry.title for entry in flat(old.outline)]) == str([entry.title for entry in flat(new.outline)])


@pytest.mark.slow
def test_pages_do_not_depend_on_reports_rendered_before(rebuilt: Callable[..., Path], tmp_path: Path) -> None:
    studies = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir() and path.name not in QUICK)
    together, alone = tmp_path / "together", tmp_path / "alone"
    names = {**dict.fromkeys(studies, EXAMPLES), **dict.fromkeys(QUICK, rebuilt(*QUICK))}
    assert len(names) >= 9
    for name, folder in names.items():
        reportgen.render(folder / name / "results.json", together / name, formats=["html"])
        arguments = ["render", str(folder / name / "results.json"), str(alone / name), "--formats", "html"]
        subprocess.run([sys.executable, "-m", "reportgen", *arguments], check=True)
        pages = [each / name / "report.html" for each in (together, alone)]
        assert pages[0].read_bytes() == pages[1].read_bytes(), name


def flat(outline: list[Any]) -> list[Any]:
    """Return the entries of a nested PDF outline, in order."""
    return [each for entry in outline for each in (flat(entry) if isinstance(entry, list) else [entry])]


@pytest.mark.parametrize("example", ["biased_group", "two_engines"])
def test_synthetic_scores_match_their_script(example: str, tmp_path: Path) -> None:
    script = EXAMPLES / example / "make_scores.py"
    subprocess.run([sys.executable, str(script), str(tmp_path / "scores.csv")], check=True)
    assert (tmp_path / "scores.csv").read_bytes() == (EXAMPLES / example / "scores.csv").read_bytes()


def test_only_the_biased_group_is_flagged() -> None:
    """The verdicts of the synthetic story are those it was made for."""
    results = json.loads((EXAMPLES / "biased_group" / "results.json").read_text())
    checks = [check for check in results["report"]["evaluation"]["checks"] if check["group"]]
    worst = {check["group"] for check in checks if check["outcome"] == "not met"}
    assert worst == {"first_language: Vietnamese"}


def said(name: str) -> tuple[str, str]:
    """Return the command that a report tells, and its text."""
    report = json.loads((EXAMPLES / name / "results.json").read_text())["report"]
    assert report["created"] == "2026-01-15"
    assert not [section["name"] for section in report["sections"] if section["error"]]
    stored = results_file.read(EXAMPLES / name / "results.json")
    text = " ".join(" ".join(words for _, _, words in cells(stored)).split())
    return report["evaluation"]["provenance"]["command"], text


def test_the_new_engine_is_better_and_moves_scores_no_more_than_a_second_rater() -> None:
    command, text = said("two_engines")
    assert command == "reportgen compare config.toml report"
    assert re.search(r"Only new_engine[^.]*\. new_engine is better than old_engine on [^.]*\(PRMSE\)\.", text)
    assert "placed at a different level" in said("reported_scores")[1]
    results = json.loads((EXAMPLES / "reported_scores" / "results.json").read_text())["report"]["evaluation"]["tables"]
    engine, rater = results["impact.differences"]["rows"]
    assert engine["cells"][3]["high"] < rater["cells"][3]["high"]


def test_the_summary_is_about_three_reports() -> None:
    command, text = said("three_reports")
    assert command == "reportgen summarize config.toml report"
    assert "Two of three runs do not meet their requirements; one is inconclusive." in text
    assert "Nine-item test: Check how much the engine changes" in text
    evaluation = results_file.read(EXAMPLES / "three_reports" / "results.json").evaluation
    criteria = evaluation.tables["summary.criteria"]
    found = zip(criteria.columns, criteria.rows[2].cells, strict=True)
    accuracy = [cell for column, cell in found if str(column.key).startswith("true_score.prmse")]
    assert accuracy == [None, Term("outcome.not met")]  # of a weighty item, whose limit is another


def test_the_readme_lists_every_example_and_its_command() -> None:
    script = runpy.run_path(str(EXAMPLES / "rebuild.py"))
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for name, command in script["STORIES"].items():
        assert f"[{name}]({name})" in page
        typed = command.replace(f" --created {script['DATE']}", "")
        assert f"`reportgen {typed}`" in page


def test_an_unknown_example_is_an_error(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / "rebuild.py"), "asap3", "--into", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "there is no example 'asap3'" in done.stderr


@pytest.mark.parametrize(
    "folder", sorted(path.parent for path in EXAMPLES.glob("*/results.json")), ids=lambda at: at.name
)
def test_every_sentence_of_an_example_is_complete(folder: Path) -> None:
    lines = [
        (section, line)
        for section, _, text in cells(results_file.read(folder / "results.json"))
        for line in text.splitlines()
        if not line.startswith(("report.", "|", "```"))
    ]
    assert not [(section, line) for section, line in lines if hole(line)]


def test_the_pages_of_statistics_define_every_analysis() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in (EXAMPLES.parent / "docs" / "statistics").glob("*.md"))
    analyses = ("(OSA)", "(OSD)", "(CSD)", "degradation of a statistic t")
    assert [name for name in analyses if f"{name} |" not in text] == []
