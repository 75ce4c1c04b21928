"""What the terminal says of many reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.cli.messages import say_decisions, say_found
from reportgen.scores import read
from reportgen.settings import from_keywords


def test_decisions_are_counted_the_commonest_first(capsys: pytest.CaptureFixture[str]) -> None:
    say_decisions(["deploy", "do not deploy", "", "do not deploy"])
    assert capsys.readouterr().out == "results       2 No, 1 Yes\n"


def test_no_decision_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    say_decisions(["", ""])
    assert capsys.readouterr().out == ""


def test_one_rater_is_no_raters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"r{i},{rater},{i % 5 + 1}" for i in range(20) for rater in ("ann", "engine")]
    (tmp_path / "long.csv").write_text("\n".join(["id,rater,score", *rows]))
    say_found(read(tmp_path / "long.csv", from_keywords(layout="long", system="engine", scale="1:5")))
    assert "20 responses by 1 rater read" in " ".join(capsys.readouterr().out.split())
