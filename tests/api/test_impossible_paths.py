"""Test that invalid paths are errors in one sentence, with exit code 2."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import refused
from score_files import two_hundred, write_csv

import reportgen
from reportgen.errors import ReportgenError
from reportgen.reports import single
from reportgen.storing.report_folder import write_tables

KNOWN: dict[str, Any] = {"id": "id", "system": "engine", "human": ["h1", "h2"], "groups": []}

CALLS: tuple[Callable[[str], object], ...] = (
    reportgen.evaluate,
    reportgen.look,
    reportgen.load,
    reportgen.check,
    reportgen.cite,
    reportgen.summarize,
    reportgen.verify,
    reportgen.attest,
    lambda path: reportgen.compare(path, path),
    lambda path: reportgen.evaluate([path, path]),
    lambda path: reportgen.evaluate(two_hundred(), path, **KNOWN),
    lambda path: reportgen.batch(two_hundred(), path, by="group", **KNOWN),
    lambda path: reportgen.evaluate(two_hundred(), labels_file=path, **KNOWN),
    lambda path: reportgen.evaluate(two_hundred(), templates=path, **KNOWN),
    lambda path: reportgen.evaluate(two_hundred(), policy=f"{path}.toml", **KNOWN),
)


@pytest.mark.parametrize("path", ["a\0b.csv", "", "x" * 5000, "loop", "file.csv/x.csv"])
def test_impossible_paths_are_one_sentence(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    Path("file.csv").write_text("id\n")
    for number, call in enumerate(CALLS):
        with pytest.raises(ReportgenError) as refused:
            call(path)
        assert refused.value.exit_code == 2, number
        assert len(str(refused.value)) < 500, number
        assert "\n" not in str(refused.value), number
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file.csv", "loop"]


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "c.toml", "out"], ["look", "c.toml"], ["compare", "c.toml", "--out", "out"], ["evaluate", ""],
        ["evaluate", "s.csv", ""], ["evaluate", "s.csv", "--templates="], ["evaluate", "s.csv", "--labels-file", ""],
        ["evaluate", "x" * 5000], ["summarize", "x" * 5000, "--out", "out"],
    ],
)  # fmt: skip
def test_commands_reject_impossible_paths(words: list[str], tmp_path: Path) -> None:
    write_csv(tmp_path / "s.csv")
    (tmp_path / "c.toml").write_text('[data]\nfile = "\\u0000"\n')
    refused(*words, cwd=tmp_path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["c.toml", "s.csv"]


@pytest.mark.parametrize("away", [shutil.rmtree, lambda folder: folder.rename(f"{folder}2")])
def test_folder_deleted_during_a_run_is_an_error_in_one_sentence(
    away: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, write = tmp_path / "out", write_tables
    out.mkdir()

    def write_and_lose(*given: Any) -> None:
        write(*given)
        away(out)

    monkeypatch.setattr(single, "write_tables", write_and_lose)
    with pytest.raises(ReportgenError, match="was removed or renamed") as refused:
        reportgen.evaluate(two_hundred(), out, formats=[], **KNOWN)
    assert refused.value.exit_code == 2
    assert not out.exists()
