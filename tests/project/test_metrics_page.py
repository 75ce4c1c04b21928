"""The page of metrics: every analysis of the report is defined."""

from __future__ import annotations

from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
TEXT = PAGE.split("## References")[0]


@pytest.mark.parametrize("name", ["(OSA)", "(OSD)", "(CSD)", "degradation of a statistic"])
def test_every_analysis_is_defined(name: str) -> None:
    assert f"{name} |" in TEXT or f"{name} t |" in TEXT
