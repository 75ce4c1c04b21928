"""Every command on a page runs: tutorials from top to bottom, others on files with the names in the command."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import page_files
import pytest
import typer
from command import page_text, reportgen

from reportgen.cli import app

ROOT = Path(__file__).parents[2]
STORIES = [ROOT / "docs" / f"{name}.md" for name in ("start", "tutorial", "judges", "deployment_review", "publish")]
"""Pages whose commands run one after the other, in the checkout."""

OTHERS = [path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if path not in STORIES]
PAGES = [*STORIES, *OTHERS, *(ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "benchmarks/README.md"))]
BLOCK = re.compile(r"^ *```(?:sh|bash)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
STEP = re.compile(r"^ *- run: (.*)$", re.MULTILINE)
INLINE = re.compile(r"`(reportgen [^`]+)`")
WRITES = {"evaluate", "batch", "tables", "render", "packet"}
"""Commands whose second word is the folder that they write."""

RUN = re.compile(r"(?:out|report|scores_report|old_report|new_report|run_[abc])$|out/config\.toml$")
BATCH = re.compile(r"reports/(?:summary|P017)/config\.toml$")
PAGES_MADE = {"evaluate", "batch", "render", "compare", "summarize", "packet", "study", "complete"}


def commands(page: Path) -> list[str]:
    """Return the commands of reportgen that a page shows, without what only a reader fills in."""
    text = page.read_text(encoding="utf-8")
    lines = [line.strip() for block in BLOCK.findall(text) for line in block.splitlines()]
    lines += [part for step in STEP.findall(text) for part in step.split(" && ")]
    return [line for line in lines if line.startswith("reportgen ") and "..." not in line.split("#")[0]]


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as it stands; only the PDF is left out."""
    command, _, remark = line.partition(" #")
    command, _, target = command.partition(" > ")
    words = shlex.split(command)[1:]
    if words[0] in PAGES_MADE and "--formats" not in words and "--starter" not in words:
        words += ["--formats", "html"]
    told = re.search(r"exit code (\d)$", remark)
    codes = {int(told[1])} if told else {0, 1} if words[0] in ("check", "verify") or "--gate" in words else {0}
    done = subprocess.run(
        [sys.executable, "-m", "reportgen", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert done.returncode in codes, f"{line}\n{done.stdout}\n{done.stderr}"
    if target:
        (folder / target.strip()).write_text(done.stdout, encoding="utf-8")
    return done


@pytest.mark.slow
@pytest.mark.parametrize("page", STORIES, ids=lambda page: page.stem)
def test_commands_of_a_page_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    (tmp_path / "example_reports").symlink_to(ROOT / "example_reports")
    for name in ("scores.csv", "judge.csv", "out.json"):
        page_files.MAKERS[name](tmp_path / name, ())
    seen = "".join(run(line, tmp_path).stdout for line in commands(page))
    seen += " ".join(page_text(report) for report in tmp_path.glob("*/report.html"))
    said = re.findall(r"“([^”]+)”", page.read_text(encoding="utf-8"))
    assert [words for words in said if words.rstrip(".") not in seen.replace("\n", " ")] == []


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run."""
    home = tmp_path_factory.mktemp("run")
    page_files.write_scores(home / "scores.csv", ())
    reportgen("evaluate", "scores.csv", "out", "--formats", "html", cwd=home)
    return home / "out"


@pytest.fixture(scope="session")
def batch_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished batch, next to its scores."""
    home = tmp_path_factory.mktemp("batch")
    page_files.write_scores(home / "scores.csv", ("item",))
    reportgen("batch", "scores.csv", "reports", "--by", "item", "--formats", "html", cwd=home)
    return home


def inputs(words: list[str]) -> Iterator[str]:
    """Yield the words of a command that name what it reads."""
    written = {words[place + 1] for place, word in enumerate(words) if word in ("--out", "--starter", "--junit", ">")}
    if words[1] in WRITES and len(words) > 3 and not words[3].startswith("-"):
        written.add(words[3])
    if "--connection" in words:  # nothing but the folder that it writes is named
        written.add(words[2])
    yield from (word for word in words[2:] if word not in written)


def provide(folder: Path, line: str, run_folder: Path, batch_folder: Path) -> None:
    """Put what a command reads into the folder where it runs."""
    words = shlex.split(line, comments=True)
    named = [name for name in page_files.EXTRA if re.search(rf"(?<![\w.]){name}(?![\w.])", line.split("#")[0])]
    named += ["judge_a", "judge_b"] if "judge_*" in line else []
    for word in inputs(words):
        if maker := page_files.MAKERS.get(word):
            maker(folder / word, named)
        elif BATCH.match(word):
            shutil.copytree(batch_folder, folder, dirs_exist_ok=True)
        elif found := RUN.match(word):
            shutil.copy(run_folder.parent / "scores.csv", folder)
            shutil.copytree(run_folder, folder / found[0].split("/")[0], dirs_exist_ok=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "line"),
    [
        pytest.param(page, line, id=f"{page.stem}: {line.split('#')[0].strip()}")
        for page in OTHERS
        for line in commands(page)
    ],
)
def test_a_single_command(page: Path, line: str, tmp_path: Path, run_folder: Path, batch_folder: Path) -> None:
    provide(tmp_path, line, run_folder, batch_folder)
    run(line, tmp_path)


ALL = sorted({(page.name, line) for page in PAGES for line in INLINE.findall(page.read_text(encoding="utf-8"))})


def test_commands_in_sentences_have_existing_options() -> None:
    for _, line in ALL:
        words = line.split()[1:]
        command: Any = typer.main.get_command(app.app)
        while words and words[0] in getattr(command, "commands", ()):
            command = command.commands[words.pop(0)]
        known = {
            flag
            for parameter in command.get_params(typer.Context(command))
            for flag in (*parameter.opts, *parameter.secondary_opts)
        }
        assert words[:1] in ([], ["NAME"]) or words[0].startswith("-") or not hasattr(command, "commands"), line
        passed_on = command.ignore_unknown_options
        assert passed_on or {word.split("=")[0].rstrip(",;.") for word in words if word.startswith("--")} <= known, line


def test_makefile_targets_and_scripts_on_pages_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    missing = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        lines = [line.split("#")[0].split() for block in BLOCK.findall(text) for line in block.splitlines()]
        for words in lines:
            if words and words[0] == "make":
                missing += [
                    f"make {word}" for word in words[1:] if re.fullmatch("[a-z-]+", word) and word not in targets
                ]
            missing += [
                word
                for word in words
                if re.match(r"(?:benchmarks|tests|example_reports)/", word) and not (ROOT / word).exists()
            ]
    assert missing == []
