"""What the terminal says of many reports."""

from __future__ import annotations

import pytest

from reportgen.aloud import say_decisions


def test_decisions_are_counted_the_commonest_first(capsys: pytest.CaptureFixture[str]) -> None:
    say_decisions(["deploy", "do not deploy", "", "do not deploy"])
    assert capsys.readouterr().out == "verdicts      2 do not deploy, 1 deploy\n"


def test_no_decision_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    say_decisions(["", ""])
    assert capsys.readouterr().out == ""
