"""No sentence of a shipped example has a hole."""

from __future__ import annotations

from pathlib import Path

import pytest
from holes import hole

from reportgen.rendering.notebook import cells
from reportgen.storing import results_file

EXAMPLES = sorted(path.parent for path in (Path(__file__).parents[2] / "example_reports").glob("*/results.json"))


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_no_sentence_of_an_example_has_a_hole(folder: Path) -> None:
    lines = [
        (section, line)
        for section, _, text in cells(results_file.read(folder / "results.json"))
        for line in text.splitlines()
        if not line.startswith(("report.", "|", "```"))
    ]
    assert not [(section, line) for section, line in lines if hole(line)]
