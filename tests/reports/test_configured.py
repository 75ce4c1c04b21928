"""What is evaluated, and with which settings: one rule for the command line, for Python, and for every verb."""

from pathlib import Path

import pytest
from judge_files import promptfoo_judges

from reportgen.errors import SettingsError
from reportgen.reports.single import configured


def test_keywords_override_the_configuration_that_names_the_scores(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text('[data]\nfile = "s.csv"\nscale = "1:6"\n[report]\ntitle = "A"\n')
    scores, settings = configured(str(tmp_path / "c.toml"), {"scale": "1:4"})
    assert scores == settings.data.file == tmp_path / "s.csv"
    assert settings.data.scale is not None
    assert (settings.data.scale.high, settings.report.title) == (4, "A")


def test_a_source_that_is_not_a_configuration_is_the_scores(tmp_path: Path) -> None:
    judged = promptfoo_judges(tmp_path / "judged.json")
    for source in (tmp_path / "s.csv", [tmp_path / "a.csv", tmp_path / "b.csv"], judged):
        assert configured(source, {"title": "B"})[0] is source


@pytest.mark.parametrize(("text", "words"), [("", 'add file = "scores.csv"'), ("[data]\nfil = 1\n", "did you mean")])
def test_a_configuration_without_scores_is_an_error(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "c.toml").write_text(text)
    with pytest.raises(SettingsError, match=words):
        configured(tmp_path / "c.toml", {})
