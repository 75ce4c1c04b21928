"""Errors and their hints: every hint with a command or an option works, and the troubleshooting page is up to date."""

import os
import re
import shlex
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import page_files
import pytest
from command import forked, refused

from reportgen.errors import nearest
from reportgen.scores.scale import typed

PAGE = Path(__file__).parents[2] / "docs" / "troubleshooting.md"
BLOCK = re.compile(r"^```console\n\$ reportgen (.*)\n((?:.+\n)+)```", re.MULTILINE)
LABELS = ("weak", "fair", "strong")

UNREADABLE_NAME = os.fsdecode(b"sc\xff\xe9")
SUFFIXES = (".csv", ".tsv", ".jsonl", ".xlsx", ".parquet", ".sas7bdat")

ROWS: dict[str, tuple[str, Callable[[int], str]]] = {
    "judge.csv": ("essay,judge", lambda i: f"This is essay {i},{i % 5 + 1}"),
    "columns.csv": ("a,b,c", lambda i: f"{i % 5},{(i + i % 3 // 2) % 5},{(i + i % 7 // 6) % 5 + 0.2}"),
    "words.csv": ("human,engine", lambda i: f"{LABELS[i % 3]},{LABELS[(i + i % 7 // 6) % 3]}"),
    "codes.csv": ("human,engine", lambda i: f"{99 if i % 10 == 4 else i % 5 + 1},{i % 5 + 1.2}"),
    "shares.csv": ("human,engine", lambda i: f"{i % 5 + 1},{i % 5 / 5 + 0.1:.2f}"),
    "reverse.csv": ("human,engine", lambda i: f"{i * 7 % 5 + 1},{5 - i * 7 % 5 + i % 3 / 9:.2f}"),
    "repeats.csv": ("id,human,engine", lambda i: f"R{i % 55},{i % 4 + 1},{i % 55 % 4 + 1}"),
    "comma.csv": ("id,text,human,engine", lambda i: f"R{i},A, B,{i % 5 + 1},{i % 4 + 1}"),
    "places.csv": ("id,µØÇø,human,engine", lambda i: f"R{i},ÉÏº£,{i % 5 + 1},{i % 4 + 1}"),  # GB 2312
    "full.csv": ("rater_1,rater_2", lambda i: f"{i % 5 + 1},{i * 3 % 5 + 1}"),
}  # fmt: skip
"""Small files: their columns, and a row."""

HINTS = {
    "evaluate scores.csv x --strict": "add --gate",
    "evaluate scores.csv old": "choose another folder, or add --force to overwrite",
    "evaluate scores.csv --polcy default": "did you mean '--policy'?",
    "evaluate scors.csv": "did you mean 'scores.csv'?",
    "evaluate scores.csv --policy defalt":
        "did you mean 'default'? To use your own, give its path, such as ./policy.toml",
    "evaluate scores.csv --sections summry": "did you mean 'summary'?",
    "evaluate scores.csv --group gendr": "did you mean 'gender'?",
    "evaluate scores.csv --formats htm": "did you mean 'html'?",
    "evaluate scores.csv --confidence 95": "did you mean 0.95?",
    "evaluate scores.csv --scale one:six": "for example, --scale 1:6",
    "evaluate scores.csv --scale 6:1": "did you mean 1:6?",
    "evaluate scores.csv --scale 1:4": "correct them, or use --scale 1:6",
    "evaluate shares.csv --system-scale 0:1": "for example, --scale 1:5",
    "evaluate scores.csv --blind": "for example, --read 40",
    "evaluate scores.csv --memory 0": "try --memory 8",
    "evaluate scores.csv --memory": "for help, run: reportgen evaluate --help",
    "evaluate traits.csv --batches": "remove --batches",
    "evaluate ratings.csv --ratings-only --read 5": "remove --read",
    "summarize runs.toml OUT_DIR": "run: reportgen compare runs.toml OUT_DIR",
    "evaluate": "for example, reportgen evaluate scores.csv",
    "batch scores.csv b --by item --min-n 200": "use a smaller --min-n, or make all reports with --unprotected",
    "tables scores.csv t --by item --min-n 200": "use a smaller --min-n, or show all items with --unprotected",
    "compare scores.csv": "to list them, run: reportgen look scores.csv",
    "batch scores.csv b --by item --workers 0": "for help, run: reportgen batch --help",
    "compare run run": "give each run a name, for example --name old --name new",
    "plan": "for example, --prmse 0.8 --human-r 0.65",
    "plan --prmse 0.8": "for example, --human-r 0.65",
    "plan --prmse 2 --human-r 0.65": "for example, --prmse 0.8",
    "plan --prmse 0.8 --human-r 0.65 --power 80": "for example, --threshold 0.7 --power 80",
    "plan --prmse 0.8 --human-r 0.65 --threshold 0.7 --power 180": "for example, --power 80",
    "plan --prmse 0.8 --human-r 0.65 --n 100 --n2 200": "for example, --n2 100",
    "plan --prmse 0.8 --human-r 0.65 --half-width 0": "for example, --half-width 0.05",
    "plan --from run --prmse 0.8": "remove --prmse",
    "plan --from run --confidence 0.9": "remove --confidence",
    "complete full.csv": (
        "to test how well hidden ratings are recovered, run: reportgen study rating-completion --file full.csv"
    ),
    "study rating-completon --help": "did you mean 'rating-completion'?",
    "study prmse-stability --sede 3": "for help, run: reportgen study prmse-stability --help",
    "cite run --format bibtx": "did you mean 'bibtex'?",
    "policy show fairnes": "did you mean 'fairness'? To use your own, give its path, such as ./policy.toml",
    "packet": "name its folder, or create a card with --starter card.toml",
    "packet --starter full.csv": "choose another file, or use --force to overwrite it",
    "init scores.csv --out full.csv": "choose another file, or use --force to overwrite it",
    "eject sumary": "did you mean 'summary'?",
    "export run e --tables latx": "did you mean 'latex'?",
}  # fmt: skip
"""Command lines that are wrong, and the hint that the terminal shows."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files and a report."""
    folder = tmp_path_factory.mktemp("home")
    page_files.write_scores(folder / "scores.csv", ("item",))
    page_files.write_traits(folder / "traits.csv", ())
    page_files.write_ratings(folder / "ratings.csv", ())
    for name, (columns, row) in ROWS.items():
        lines = "\n".join([columns, *map(row, range(60))])
        (folder / name).write_text(lines, encoding="latin-1")
    for name in ("run", "old"):
        assert forked(folder, ["evaluate", "scores.csv", name, "--formats", "html", "-q"])[0] == 0
    (folder / "runs.toml").write_text(
        '[runs]\nkind = "comparison"\nsources = ["run", "run"]\nnames = ["a", "b"]\n', encoding="utf-8"
    )
    return folder


def corrected(words: list[str], hint: str) -> list[str]:
    """Return the words of a command line after an edit that a hint suggests."""
    if command := re.search(r"(?:run:|for example,) reportgen (.*)", hint):
        return shlex.split(command[1])
    if meant := re.search(r"did you mean '?([^'?]+)'?", hint):
        wrong = nearest(meant[1], words[1:]) or words[-1]
        return [meant[1] if word == wrong else word for word in words]
    options = [each.split() for each in re.findall(r"--[a-z][a-z0-9-]*(?: [a-z0-9][\w.:]*(?=$| --))?", hint)]
    if hint.startswith("use a smaller"):
        options = options[1:]
    for option, *_ in options:
        if option in words:
            at = words.index(option)
            words = words[:at] + words[at + 1 + (at + 1 < len(words) and not words[at + 1].startswith("--")) :]
    return words if hint.startswith("remove") else [*words, *(word for option in options for word in option)]


def quickly(words: list[str]) -> list[str]:
    """Return the words of a command line that writes no pages, into a new folder if it names none."""
    if words[:1] != ["evaluate"] or "--help" in words:
        return words
    named = len(words) > 2 and not words[2].startswith("--")
    words = words if named else [*words[:2], "new", *words[2:]]
    return [*words, "--force", *["--tables-only"] * (not {"--formats", "--read"} & {*words})]


@pytest.mark.parametrize("line", HINTS)
def test_hints_work_if_pasted(line: str, home: Path) -> None:
    code, said = forked(home, shlex.split(line))
    assert (code, said.splitlines()[-1]) == (2, f"hint: {HINTS[line]}"), said
    code, said = forked(home, quickly(corrected(shlex.split(line), HINTS[line])))
    assert code in (0, 1) if "--gate" in HINTS[line] else code == 0, said


def without_pango() -> None:
    """Let WeasyPrint fail as it does if the library is not installed."""

    class NoPango:
        @staticmethod
        def find_spec(name: str, *_: Any) -> ModuleSpec | None:
            if name == "weasyprint":
                raise OSError("cannot load library 'libpango-1.0-0'")
            return None

    sys.modules.pop("weasyprint", None)
    sys.meta_path.insert(0, NoPango)


@pytest.mark.parametrize(("line", "shown"), BLOCK.findall(PAGE.read_text(encoding="utf-8")))
def test_the_troubleshooting_page_shows_what_the_terminal_prints(line: str, shown: str, home: Path) -> None:
    ready = without_pango if "Pango" in shown else lambda: None
    assert forked(home, shlex.split(line), ready) == (2, shown)
    for command in re.findall(r"^     reportgen (.*)$", shown, re.MULTILINE):
        code, said = forked(home, quickly(shlex.split(command)))
        assert code == 0, said


def test_the_troubleshooting_page_has_a_command_for_every_message() -> None:
    assert len(BLOCK.findall(page := PAGE.read_text(encoding="utf-8"))) == page.count("```") // 2 > 10


@pytest.mark.parametrize("ends", [(-6.0, 1e308), (-1e308, 1e308), (0.0, 1001.0)])
def test_invalid_ends_of_a_scale_are_placeholders(ends: tuple[float, float]) -> None:
    assert typed(*ends, 0) == "LOW:HIGH"


@pytest.mark.parametrize(("worst", "hint"), [("1e308", "within 1,000,000 of 0"), ("7.5", "--scale 1:7.5:0.5")])
def test_scores_outside_the_declared_scale_suggest_a_valid_scale(worst: str, hint: str, tmp_path: Path) -> None:
    rows = [f"{i % 5 + 1},{(i + 1) % 5 + 1}" for i in range(30)]
    (tmp_path / "ratings.csv").write_text("\n".join(["h1,h2", *rows, f"1,{worst}"]))
    assert hint in refused("complete", "ratings.csv", "--scale", "1:5", cwd=tmp_path)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("command", ["evaluate", "complete"])
def test_a_file_whose_name_is_not_utf_8_is_an_error(command: str, suffix: str, tmp_path: Path) -> None:
    (tmp_path / (UNREADABLE_NAME + suffix)).write_text("id,human,system\n1,2,3\n")
    said = refused(command, UNREADABLE_NAME + suffix, cwd=tmp_path)
    assert "the name of this file, or of its folder, is not UTF-8 text\nhint: rename it" in said


def test_an_unknown_command_suggests_the_nearest_one(tmp_path: Path) -> None:
    done = refused("evalute", "s.csv", cwd=tmp_path)
    assert "error: reportgen has no command 'evalute'\nhint: did you mean 'evaluate'?" in done
