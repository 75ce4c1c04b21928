"""Memory limits of the shell (`ulimit`): a run stops with an error or finishes."""

import subprocess
import sys
from pathlib import Path

import pytest
from command import refused
from command import reportgen as run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these limits require Linux")

SCORES = "human,human2,system\n" + "".join(f"{i % 5 + 1},{i * 3 % 5 + 1},{i % 5 + 1.2}\n" for i in range(40))


def limited(letter: str, megabytes: int, folder: Path, *words: str) -> tuple[int, str]:
    """Run a command line under a limit for at most a minute, and return its exit code and stderr."""
    (folder / "scores.csv").write_text(SCORES, encoding="utf-8")
    line = [f'ulimit -{letter} {megabytes}000; exec "$@"', "sh", sys.executable, "-m", "reportgen", *words]
    done = subprocess.run(["sh", "-c", *line], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("letter", "megabytes"), [("v", 150), ("v", 400), ("v", 1100), ("d", 150), ("d", 400)])
def test_too_small_limit_raises_at_once(letter: str, megabytes: int, tmp_path: Path) -> None:
    code, said = limited(letter, megabytes, tmp_path, "evaluate", "scores.csv", "out")
    assert code == 2
    assert said.startswith(f"error: this process is limited to {megabytes * 1.024 / 1000:.2g} GB of memory (ulimit -")
    assert len(said) <= 301


@pytest.mark.slow
@pytest.mark.parametrize(("letter", "megabytes"), [("v", 1200), ("d", 500)])
def test_small_report_fits_smallest_limit(letter: str, megabytes: int, tmp_path: Path) -> None:
    code, said = limited(letter, megabytes, tmp_path, "evaluate", "scores.csv", "out", "--formats", "html,pdf")
    assert code == 0, said
    assert (tmp_path / "out" / "report.pdf").is_file()


def test_version_works_under_any_limit(tmp_path: Path) -> None:
    assert limited("v", 150, tmp_path, "--version")[0] == 0


@pytest.mark.parametrize(
    "command", ["evaluate a", "batch a", "tables a b", "compare a b", "check a", "complete a", "plan"]
)
def test_invalid_memory_option_raises(command: str, tmp_path: Path) -> None:
    said = refused(*command.split(), "--memory", "-1", cwd=tmp_path)
    assert "REPORTGEN_MEMORY: expected gigabytes above 0, found '-1.0'\nhint: try --memory 8" in said


def test_memory_option_allows_more(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text(SCORES, encoding="utf-8")
    run("evaluate", "scores.csv", "out", "--tables-only", cwd=tmp_path)
    words, little = ("check", "out", "-q"), {"REPORTGEN_MEMORY": "0.0001"}
    assert "use --memory 1 (" in run(*words, cwd=tmp_path, code=2, environment=little).stderr
    run(*words, "--memory", "1", cwd=tmp_path, environment=little)


def test_memory_option_is_not_stored(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text(SCORES, encoding="utf-8")
    run("evaluate", "scores.csv", "out", "--tables-only", "--memory", "3", cwd=tmp_path)
    assert "--memory" not in (tmp_path / "out" / "results.json").read_text(encoding="utf-8")
