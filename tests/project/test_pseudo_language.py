"""Every visible word is in a template or in the vocabulary, and Spanish reports have no English."""

import re
from dataclasses import replace
from pathlib import Path

import pseudo_language
import pytest
from page_words import texts_of

from reportgen.policies import shipped_policies
from reportgen.rendering import render
from reportgen.rendering.look import Look
from reportgen.storing import results_file
from reportgen.wording import bibliography, filling, vocabulary

EXAMPLES = Path(__file__).parents[2] / "example_reports"

PLAIN = re.compile(r"[A-Za-z]{3,}")
"""A word of plain letters."""

FILE = re.compile(r"\S+\.csv\b|\btables/\S+|\bresults\.json\b|…\w+")
"""Files that a run reads or writes, and the end of a shortened name."""

OF_THE_FIELD = {"SHA", "QWK", "Matérn"}
"""Abbreviations that are the same in every language."""


@pytest.mark.slow
@pytest.mark.parametrize("example", ["asap2", "biased_group", "reported_scores", "two_engines", "three_reports"])
def test_only_words_of_the_data_are_untranslated(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strange = pseudo_language.translations()
    for module in (vocabulary, filling):
        monkeypatch.setattr(module, "translations", lambda language: strange)
    report = results_file.read(EXAMPLES / example / "results.json")
    render(replace(report, language="xx"), tmp_path, look=Look(plotly="none"), formats=("html",))
    known = data_words(EXAMPLES / example)
    plain: dict[str, str] = {}
    for text in texts_of(tmp_path / "report.html"):
        for word in PLAIN.findall(FILE.sub("", text)):
            if word.lower() not in known and word not in OF_THE_FIELD:
                plain.setdefault(word, " ".join(text.split())[:80])
    assert not plain, "\n".join(f"{word}: {text}" for word, text in sorted(plain.items()))


def data_words(folder: Path) -> set[str]:
    """Return the words of the data, of the settings and of sources, which no template says."""
    report = results_file.read(folder / "results.json")
    texts = [(folder / "config.toml").read_text(encoding="utf-8"), *shipped_policies()]
    texts.append(Path(bibliography.__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    texts += [scores.read_text(encoding="utf-8") for scores in sorted(EXAMPLES.glob("*/scores.csv"))]
    texts += [check.source for check in report.evaluation.checks]
    texts += [report.evaluation.provenance.get("command", ""), *report.evaluation.provenance.get("versions", {})]
    return {word.lower() for text in texts for word in PLAIN.findall(text)}


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
