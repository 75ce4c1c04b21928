"""A report on ten million responses says something with every number: digits follow the intervals."""

import copy
import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated import framed, simulated

import reportgen
from reportgen.evaluation.counting import ScoreCounter, ScoreCounts, together
from reportgen.passes.counter import SystemCounts

TIMES = 14
"""The counts of 640 responses, doubled so often, are those of ten million."""

ENDS = re.compile(r"(?P<value>\S+) \[(?P<low>[^\[\],]*\d[^\[\],]*), (?P<high>[^\[\],]*\d[^\[\],]*)\]")
"""A value with its interval, as a page has it."""


def scores(path: Path, n: int = 640, items: int = 8) -> Path:
    """Write scores of two raters and an engine, with groups that hardly differ."""
    made = simulated(n, 5, error=0.5)
    made.human[np.arange(n) % 3 > 0, 1] = np.nan
    engine = np.clip(3.5 + 0.9 * (made.true - 3.5) + made.rng.normal(0, 0.4, n), 1, 6)
    item = [f"P{row % items:02}" for row in range(n)]
    frame = framed(made, sex=list("MF" * (n // 2)), item=item).assign(engine=engine).round(3)
    frame.rename(columns={"h1": "human", "h2": "second"}).to_csv(path, index_label="id")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of ten million responses: counts are added to themselves."""
    where = tmp_path_factory.mktemp("many")
    counts, add = ScoreCounter.counts, SystemCounts.add

    def many(counter: ScoreCounter) -> ScoreCounts:
        found = counts(counter)
        for _ in range(TIMES if found.tallies else 0):
            found = together([found, copy.deepcopy(found)])
        return found

    def added(system: SystemCounts, *given: Any) -> None:
        add(system, *given)
        for _ in range(TIMES):
            assert system.screening is not None
            system.screening += copy.deepcopy(system.screening)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ScoreCounter, "counts", many)
        patch.setattr(SystemCounts, "add", added)
        reportgen.evaluate(
            scores(where / "scores.csv"), where / "report", batches=True, human=["human", "second"], system="engine",
            groups=["sex", "item"], formats=["html"],
        )  # fmt: skip
    return where / "report"


def words_of(page: str) -> str:
    """Return the text of a page and of its pictures, with a blank between a value and its interval."""
    page = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.S)
    alts = " ".join(re.findall(r'(?:aria-label|alt)="([^"]*)"', page))
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page) + alts).replace("\N{NO-BREAK SPACE}", " ").split())


def test_no_interval_has_equal_ends(folder: Path) -> None:
    text = words_of((folder / "report.html").read_text(encoding="utf-8"))
    assert "10,485,760 responses were evaluated" in text
    found = [match.groupdict() for match in ENDS.finditer(text)]
    assert len(found) > 100
    same = {f"{each['value']} [{each['low']}, {each['high']}]" for each in found if each["low"] == each["high"]}
    assert not same
