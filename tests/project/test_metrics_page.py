"""The page of metrics: every reference is cited, every analysis of the report is defined."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
TEXT, REFERENCES = PAGE.split("## References")


def test_every_reference_is_cited() -> None:
    entries = REFERENCES.split("\n* ")[1:]
    assert len(entries) > 20
    for entry in entries:
        author = entry.split(",")[0].strip()
        for year in re.findall(r"\((\d{4})\)\.", entry):
            assert re.search(rf"{author}[^|;]*{year}", TEXT.replace("\n", " ")), f"{author} ({year})"


@pytest.mark.parametrize("name", ["(OSA)", "(OSD)", "(CSD)", "degradation of a statistic"])
def test_every_analysis_is_defined(name: str) -> None:
    assert f"{name} |" in TEXT or f"{name} t |" in TEXT
