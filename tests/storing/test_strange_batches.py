"""The folder of a batch that is run again may be somebody else's: nothing in it leads elsewhere or is waited for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from command import reportgen as run

DATA = "id,item,human,human2,system\n" + "".join(
    f"r{i},{'ab'[i % 2]},{i % 5 + 1},{(i + 1) % 5 + 1},{i % 5 + 1.2:.2f}\n" for i in range(60)
)
COMMAND = ("batch", "s.csv", "all", "--by", "item", "--scale", "1:5", "--tables-only", "--quiet")


@pytest.mark.parametrize("name", ["a", "summary"])
def test_a_report_that_is_a_link_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "s.csv").write_text(DATA)
    for folder in ("all", "elsewhere"):
        (tmp_path / folder).mkdir()
    (tmp_path / "all" / name).symlink_to(tmp_path / "elsewhere")
    assert "is a link" in run(*COMMAND, cwd=tmp_path, code=2).stderr
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_list_of_reports_that_is_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(DATA)
    (tmp_path / "mine.json").write_text("mine")
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "batch.json").symlink_to(tmp_path / "mine.json")
    run(*COMMAND, "--force", cwd=tmp_path)
    assert (tmp_path / "mine.json").read_text() == "mine"
    assert not (tmp_path / "all" / "batch.json").is_symlink()


@pytest.mark.parametrize("kind", ["pipe", "huge"])
def test_a_list_of_reports_that_is_none_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    (tmp_path / "s.csv").write_text(DATA)
    (tmp_path / "all").mkdir()
    if kind == "pipe":
        os.mkfifo(tmp_path / "all" / "batch.json")
    else:
        with (tmp_path / "all" / "batch.json").open("wb") as file:
            file.truncate(3_000_000_000)
    assert "batch.json" in run(*COMMAND, cwd=tmp_path, code=2).stderr


@pytest.mark.parametrize("command", ["check out", "packet out review", "compare out out", "plan --from out"])
def test_results_that_are_a_link_are_not_followed_out_of_their_folder(tmp_path: Path, command: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "secret.json").write_text("{}")
    (tmp_path / "out" / "results.json").symlink_to(tmp_path / "secret.json")
    assert "is a link" in run(*command.split(), cwd=tmp_path, code=2).stderr


@pytest.mark.parametrize("place", ["/proc/x", "/proc/1/x.toml"])
def test_a_file_that_cannot_be_written_is_told(tmp_path: Path, place: str) -> None:
    if not Path("/proc/1").is_dir():
        pytest.skip("no /proc")
    (tmp_path / "s.csv").write_text(DATA)
    assert "cannot be written" in run("init", "s.csv", "-o", place, cwd=tmp_path, code=2).stderr
