"""What is wrong with a setting is said in our words, wherever it stands."""

from __future__ import annotations

import re
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError

from reportgen.errors import SettingsError
from reportgen.policies import Policy
from reportgen.reports.studies import design_of
from reportgen.settings import Settings, from_keywords, validated
from reportgen.settings.wording import PATTERNS, problem
from reportgen.studies import STUDIES, find

WRONG: tuple[Any, ...] = (
    None, True, -1, 1.5, 95, 1e300, 10**400, float("nan"), "", "zzz", "x" * 400, b"\xff", object(), [], [1], [None],
    [[]], [""], ["zzz"], {"a": "b"}, {"low": "x"}, {"low": 2, "high": 1}, [{"low": "x"}], {"a": [object()]},
)  # fmt: skip
"""Values, most of which no field takes."""

THEIRS = ("Input should", "input should", "valid string", "Value error", "pydantic", "Extra inputs", "ield required")


MODELS: tuple[type[BaseModel], ...] = (Settings, Policy, *map(find, STUDIES))
"""Every model that users fill."""


def places(model: type[BaseModel]) -> list[tuple[str, ...]]:
    """Return the keys of a model, and those of the tables in it."""
    found: list[tuple[str, ...]] = []
    for name, field in model.model_fields.items():
        found.append((name,))
        inner = [each for each in (field.annotation, *get_args(field.annotation)) if isinstance(each, type)]
        for each in inner:
            if issubclass(each, BaseModel):
                found += [(name, *rest) for rest in places(each)]
    return found


def sentences(model: type[BaseModel], place: tuple[str, ...]) -> list[str]:
    """Return what is said of wrong values at a place."""
    said = []
    for value in WRONG:
        content: Any = {place[-1]: value}
        for key in reversed(place[:-1]):
            content = {key: [content] if model is Policy else content}
        try:
            model.model_validate(content)
        except ValidationError as error:
            said.append(problem(model, error))
        except (OverflowError, TypeError):
            pass  # caught where settings are validated
    return said


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_no_wrong_value_of_any_setting_is_answered_in_the_words_of_the_validator(model: type[BaseModel]) -> None:
    found = {place: sentences(model, place) for place in places(model)}
    assert all(found[place] for place in found if len(place) == 1)
    for place, said in found.items():
        for sentence in said:
            assert not any(words in sentence for words in THEIRS), (place, sentence)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"confidence_level": 95}, "statistics.confidence_level: expected a share from 0.01 to 0.9999, found 95; did "
                                   "you mean 0.95?"),
        ({"confidence_level": -3}, "statistics.confidence_level: expected a share from 0.01 to 0.9999, found -3."),
        ({"annotator_margin": 20}, "expected a share of at least 0 and below 1, found 20; did you mean 0.2?"),
        ({"formats": "odt"}, "report.formats, entry 1: expected 'html', 'pdf', 'docx' or 'brief', found 'odt'."),
        ({"formats": "html,pfd"}, "'docx' or 'brief', found 'pfd'; did you mean 'pdf'?"),
        ({"human": ["a", 3]}, "data.human, entry 2: expected text in quotes, found 3."),
        ({"item": 3}, "data.item: expected text in quotes or '', found 3."),
        ({"flags": {"kind": [[]]}}, "data.flags.kind, entry 1: expected text in quotes or a number, found []."),
        ({"scale": 6}, "data.scale: a scale is written low:high or low:high:step, such as 1:6, not '6'."),
        ({"scale": {"low": 1}}, "data.scale.high is missing; add it."),
        ({"created": "today"}, "report.created: expected a date such as 2026-03-31, found 'today'."),
        ({"min_n_per_group": 0}, "expected a whole number from 1 to 999999999999999999, found 0."),
    ],
)  # fmt: skip
def test_what_is_expected_is_said(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingsError) as refused:
        from_keywords(**given)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("criteria", "sentence"),
    [
        ([{"statistic": "own.a", "low": "x"}], "criterion 1, low: a bound is a number, written without quotes"),
        ([{"statistic": "own.a", "low": 1}, {"low": 1}], "criterion 2, statistic is missing; add it"),
        ([{"statistic": "own.a", "low": 1, "bands": [{"meaning": ""}]}], "criterion 1, band 1, meaning: expected text"),
        ([{"statistic": "own.a", "low": 1, "groups": 3}], "criterion 1, groups: expected true or false or a list"),
        (["a"], "criterion 1: expected a table of keys, found 'a'"),
    ],
)
def test_places_are_counted_from_one(criteria: list[Any], sentence: str) -> None:
    with pytest.raises(SettingsError, match=f"^ours.toml: {sentence}"):
        validated(Policy, {"name": "p", "criteria": criteria}, "ours.toml")


def test_an_option_of_a_study_is_answered_in_our_words() -> None:
    with pytest.raises(SettingsError, match=r"missing, entry 1: expected a share above 0 and below 0\.9, found '5'"):
        design_of("rating-completion", {"missing": ["5"]})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"language": "../../etc"}, "a language such as 'en'"),
        ({"colours": {"engine": "blue"}}, "a color such as #1f4e79"),
    ],
)
def test_text_that_fails_a_pattern_is_answered_with_what_its_field_expects(given: Any, expected: str) -> None:
    with pytest.raises(SettingsError, match=f"expected {expected}, found"):
        from_keywords(**given)


def test_every_pattern_of_a_setting_has_words() -> None:
    patterns = {
        found for model in MODELS for found in re.findall(r"'pattern': '([^']*)'", str(model.model_json_schema()))
    }
    assert patterns == set(PATTERNS)
