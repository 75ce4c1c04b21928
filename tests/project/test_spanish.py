"""The Spanish report of the examples says nothing in English but the data's own words, sources and short names."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from page_words import texts_of

from reportgen.rendering import render
from reportgen.storing import results_file

EXAMPLES = Path(__file__).parents[2] / "example_reports"

ENGLISH = re.compile(r"\b(?:the|of|and|with|is|are|from|by|this|than|raters?|engine's)\b", re.IGNORECASE)
"""Words that no Spanish sentence contains."""

CODE = re.compile(r"\btables/\S+\.csv\b|\bstudy\.\w+")
"""Tables that a run writes, and settings: their names are the same in every language."""


@pytest.mark.slow
@pytest.mark.parametrize("example", sorted(file.parent.name for file in EXAMPLES.glob("*/results.json")))
def test_only_words_of_the_data_are_english(example: str, tmp_path: Path) -> None:
    stored = results_file.read(EXAMPLES / example / "results.json")
    source = replace(stored.evaluation.source, name="datos.csv")
    evaluation = replace(stored.evaluation, source=source, provenance={}, settings={})
    report = replace(stored, title="Informe", description="", language="es", evaluation=evaluation)
    render(report, tmp_path, formats=("html",))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    page = re.sub(r'<div class="works">.*?</div>', "", page, flags=re.DOTALL)  # works keep the language of their titles
    names = {stored.title, stored.description, "rater 1", "rater 2", "rater_1", "rater_2"}
    names |= {each["run"] for each in evaluation.facts.get("decisions") or ()}
    ours = [re.sub("|".join(map(re.escape, sorted(names, key=len, reverse=True))), "", text) for text in texts_of(page)]
    assert [text for text in ours if ENGLISH.search(CODE.sub("", text))] == [], "translate in templates/languages/es.po"
    assert sum("ciones" in text for text in ours) > 20
