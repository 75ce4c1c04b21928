"""The check that authors of sections run in their tests."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from reportgen.cli.starter import new_section
from reportgen.errors import SectionError, SettingsError
from reportgen.results import Evaluation, Findings
from reportgen.sections import DEFAULT_ORDERS, Section, load
from reportgen.testing import check_section, example_evaluation, text_of


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return example_evaluation()


@dataclass(frozen=True)
class Greeting(Section):
    name: ClassVar[str] = "greeting"
    title: ClassVar[str] = "Greeting"
    word: str = "Hello"

    def findings(self, evaluation: Evaluation) -> Findings:
        return Findings(headline=f"{self.word}, {evaluation.facts['responses_kept']} responses.")


class Wrong(Greeting):
    def findings(self, evaluation: Evaluation) -> Findings:
        return "text"  # type: ignore[return-value]


class Unstorable(Greeting):
    def findings(self, evaluation: Evaluation) -> Findings:
        return Findings(values={"set": {1, 2}})


class Meddling(Greeting):
    def findings(self, evaluation: Evaluation) -> Findings:
        evaluation.facts["responses_kept"] = 7  # type: ignore[index]
        return Findings()


def test_check_section_returns_findings(evaluation: Evaluation) -> None:
    assert check_section(Greeting, evaluation, word="Hi").headline == "Hi, 120 responses."


@pytest.mark.parametrize(("section", "sentence"), [(Wrong, "expected findings"), (Unstorable, "cannot contain a set")])
def test_invalid_findings_raise(evaluation: Evaluation, section: type[Section], sentence: str) -> None:
    with pytest.raises(SectionError, match=sentence):
        check_section(section, evaluation)


def test_check_section_of_changed_evaluation_raises() -> None:
    with pytest.raises(SectionError, match="changed the evaluation"):
        check_section(Meddling)


def test_check_section_with_unknown_option_raises(evaluation: Evaluation) -> None:
    with pytest.raises(SectionError, match="no option 'words'"):
        check_section(Greeting, evaluation, words="Hi")
    with pytest.raises(SettingsError, match="unknown option"):
        check_section("provenance", evaluation, words="Hi")


@pytest.mark.slow
@pytest.mark.parametrize("name", DEFAULT_ORDERS["evaluation"])
def test_built_in_sections_pass(evaluation: Evaluation, name: str) -> None:
    findings = check_section(name, evaluation)
    assert not findings.headline, "words are in templates"
    assert findings.values or findings.tables
    assert text_of(load([name], {})[0].section, evaluation).words


def test_new_section_passes(tmp_path: Path, evaluation: Evaluation) -> None:
    new_section("own_words", tmp_path)
    assert check_section(tmp_path / "own_words" / "__init__.py", evaluation).tables


def test_section_of_guide_passes(tmp_path: Path, evaluation: Evaluation) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "sections.md").read_text(encoding="utf-8")
    (tmp_path / "top_of_scale.py").write_text(guide.split("```python\n")[1].split("```")[0], encoding="utf-8")
    findings = check_section(tmp_path / "top_of_scale.py", evaluation, limit=3.0)
    assert "points of the raters" in findings.headline
