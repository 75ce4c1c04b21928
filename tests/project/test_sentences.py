"""Sentences of the shipped examples and of the page of metrics are complete."""

from pathlib import Path

import pytest
from holes import hole

from reportgen.rendering.notebook import cells
from reportgen.storing import results_file

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.parent for path in (ROOT / "example_reports").glob("*/results.json"))


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_no_sentence_of_an_example_has_a_hole(folder: Path) -> None:
    lines = [
        (section, line)
        for section, _, text in cells(results_file.read(folder / "results.json"))
        for line in text.splitlines()
        if not line.startswith(("report.", "|", "```"))
    ]
    assert not [(section, line) for section, line in lines if hole(line)]


def test_the_page_of_metrics_defines_every_analysis() -> None:
    text = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8").split("## References")[0]
    analyses = ("(OSA)", "(OSD)", "(CSD)", "degradation of a statistic")
    assert [name for name in analyses if f"{name} |" not in text and f"{name} t |" not in text] == []
