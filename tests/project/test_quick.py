"""``make quick``: a choice of all tests that leaves out what is slow, and of every room what can be told at once."""

from __future__ import annotations

import re

from quick import SLOW, TESTS, is_slow

CORE = (
    "charts", "comparison", "evaluation", "gates", "item_response", "metrics", "policies", "privacy", "rendering",
    "report_sections", "scores", "settings", "sources", "storing", "studies", "tally", "verdicts", "wording",
)  # fmt: skip
"""Rooms of which something is tested at once."""

FILES = [path for path in TESTS.rglob("test_*.py") if "node_modules" not in path.parts]


def test_what_is_left_out_is_there() -> None:
    assert [place for place in sorted(SLOW) if not (TESTS / place).exists()] == []


def test_every_room_of_the_core_is_told_of() -> None:
    assert {path.relative_to(TESTS).parts[0] for path in FILES if not is_slow(path)} >= set(CORE)


def test_no_test_of_the_choice_runs_commands() -> None:
    runs = re.compile(r"^from command import .*\b(?:reportgen|forked|COPIES)\b", re.MULTILINE)
    found = [path for path in FILES if not is_slow(path) and runs.search(path.read_text(encoding="utf-8"))]
    assert found == [], "add them to SLOW in tests/quick.py"


def test_it_is_a_choice() -> None:
    left_out = [path for path in FILES if is_slow(path)]
    assert len(left_out) < 0.6 * len(FILES)
