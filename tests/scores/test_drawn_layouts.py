"""Test random files in many layouts: each is read correctly or raises a question."""

from collections import Counter
from pathlib import Path

import pytest
from scripts import loaded

FILES = 60


@pytest.mark.slow
def test_no_random_file_is_misread_silently(tmp_path: Path) -> None:
    layouts, counts = loaded("benchmarks/layouts.py"), Counter[str]()
    for seed in range(FILES):
        folder = tmp_path / str(seed)
        folder.mkdir()
        counts[layouts.outcome(layouts.drawn(seed), folder)[0]] += 1
    assert not counts["quietly wrong"]
    assert counts["asked twice"] <= FILES / 10
    assert counts["right"] > FILES / 2
