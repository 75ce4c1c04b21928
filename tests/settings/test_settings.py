"""Test reading settings from TOML, YAML, JSON, and keywords, their errors, and writing them."""

import json
import re
import runpy
import tomllib
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, ValidationError

from reportgen.errors import SettingsError
from reportgen.policies import Policy
from reportgen.results import Scale
from reportgen.settings import Settings, from_keywords, load, loading, override, write_config
from reportgen.settings import stored as values
from reportgen.settings.kinds import PATTERNS, TOLD, problem
from reportgen.settings.loading import config_text, validated
from reportgen.settings.models import ReportSettings
from reportgen.studies.study import STUDIES, design_of, find

TOML = """
[data]
file = "scores.csv"
human = "h1"
groups = []
scale = "1:6:0.5"
flags = {advisory = 0, kind = ["a", "b"]}
[report]
created = 2024-02-29
formats = ["html"]
sections = ["data", "./mine/section.py"]
colours = {engine = "#1f4e79"}
[sections.data]
group_sizes = false
"""

YAML = """
data: {file: scores.csv, human: [h1], groups: [], scale: "1:6:0.5", flags: {advisory: 0, kind: [a, b]}}
report: {created: 2024-02-29, formats: html, sections: [data, ./mine/section.py], colours: {engine: "#1f4e79"}}
sections: {data: {group_sizes: false}}
"""

JSON = """{ // a comment
"data": {"file": "scores.csv", "human": "h1", "groups": [], /* "no": 1,
*/ "scale": {"low": 1, "high": 6, "step": 0.5}, "flags": {"advisory": [0], "kind": ["a", "b"]}},
"report": {"created": "2024-02-29", "formats": ["html"], "sections": ["data", "./mine/section.py"],
"colours": {"engine": "#1f4e79"}}, "sections": {"data": {"group_sizes": false}}}"""


def stored(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_config_formats_give_equal_settings(tmp_path: Path) -> None:
    toml = load(stored(tmp_path, "c.toml", TOML))
    assert load(stored(tmp_path, "c.yaml", YAML)) == toml
    assert load(stored(tmp_path, "c.json", JSON)) == toml
    assert toml.data.human == ("h1",)
    assert toml.data.groups == ()
    assert toml.data.flags == {"advisory": (0,), "kind": ("a", "b")}
    assert toml.data.scale is not None
    assert (toml.data.scale.low, toml.data.scale.high, toml.data.scale.step) == (1, 6, 0.5)
    assert toml.report.created == date(2024, 2, 29)
    assert toml.sections == {"data": {"group_sizes": False}}


def test_paths_are_relative_to_config_file(tmp_path: Path) -> None:
    settings = load(stored(tmp_path, "c.toml", TOML))
    assert settings.data.file == tmp_path / "scores.csv"
    assert settings.report.sections == ("data", str(tmp_path / "mine/section.py"))


def test_comma_separated_sections_resolve_each_path(tmp_path: Path) -> None:
    settings = load(stored(tmp_path, "c.toml", '[report]\nsections = "data, mine/section.py"\n'))
    assert settings.report.sections == ("data", str(tmp_path / "mine/section.py"))


def test_path_settings_are_rebased_by_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Report(ReportSettings):
        seal: Path | None = Field(default=None, description="A seal.")
        seals: tuple[Path, ...] = Field(default=(), description="More of them.")

    class More(Settings):
        report: Report = Field(default=Report(), description="The report.")

    monkeypatch.setattr(loading, "Settings", More)
    settings = load(stored(tmp_path, "c.toml", '[report]\nseal = "a.png"\nseals = ["b.png"]\n'))
    report = settings.model_dump()["report"]
    assert (report["seal"], report["seals"]) == (tmp_path / "a.png", (tmp_path / "b.png",))
    written = tomllib.loads(config_text(settings, tmp_path / "out"))["report"]
    assert (written["seal"], written["seals"]) == ("../a.png", ["../b.png"])
    assert {"seal", "seals"}.isdisjoint(values(settings)["report"])


def test_keywords_match_table_keys() -> None:
    settings = from_keywords(system="s", trim_min=1, confidence_level=0.9, sections="data, summary")
    assert (settings.data.system, settings.preparation.trim_min) == ("s", 1)
    assert settings.statistics.confidence_level == 0.9
    assert settings.report.sections == ("data", "summary")
    assert from_keywords(sections={"data": {"group_sizes": False}}).sections == {"data": {"group_sizes": False}}
    assert override(settings, system="t").preparation.trim_min == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[dta]\n", ["'dta'", "did you mean 'data'"]),
        ("[data]\nsytem = 'a'\n", ["'data.sytem'", "did you mean 'data.system'"]),
        ("[report.colours]\nengin = '#fff'\n", ["'report.colours.engin'", "did you mean 'report.colours.engine'"]),
        ("[data.scale]\nlow = 1\nhigh = 2\nstp = 1\n", ["'data.scale.stp'", "did you mean 'data.scale.step'"]),
        ("[report.colours]\nengine = 'red; }'\n", ["report.colours.engine", "#1f4e79", "red"]),
        ("[data]\nscale = '6:1'\n", ["data.scale", "below", "6:1"]),
        ("[data]\nscale = '1-6'\n", ["data.scale", "1:6", "1-6"]),
        ("[data]\nscale = '1:6:0.4'\n", ["data.scale", "0.4"]),
        ("[data]\nscale = '1:6:-1'\n", ["data.scale", "at least 0", "-1"]),
        ("[data.scale]\nlow = 1\nhigh = 2\nassumed = true\n", ["data.scale", "'assumed'"]),
        ("[data]\nscale = '0:1000000'\n", ["data.scale", "points"]),
        ("[preparation]\ntrim_min = 5\ntrim_max = 2\n", ["trim_min (5)", "trim_max (2)"]),
        ("[preparation]\ntrim_min = 'low'\n", ["preparation.trim_min", "number", "low"]),
        ("[preparation]\ntrim_min = nan\n", ["preparation.trim_min", "finite"]),
        ("[statistics]\nconfidence_level = 1e-9\n", ["confidence_level", "0.01"]),
        ("[statistics]\nconfidence_level = 0.9999999999999999\n", ["confidence_level", "up to 0.9999, found"]),
        ("[data]\nintersections = ['']\n", ["data.intersections", "separated by commas", "found ''"]),
        ("[data]\nintersections = ['gender,']\n", ["data.intersections", "found 'gender,'"]),
        ("[statistics]\nseed = 1000000000000000000\n", ["statistics.seed", "999999999999999999"]),
        ("[statistics]\nmin_n_per_group = 1000000000000000000\n", ["min_n_per_group", "999999999999999999"]),
        ("[report]\nformats = ['htlm']\n", ["report.formats", "html", "htlm"]),
        ("[report]\npage = 'A5'\n", ["report.page", "A4", "A5"]),
        ("[data]\nhuman = []\n", ["data.human", "at least one"]),
        ("[data]\nsystem = 3\n", ["data.system", "text in quotes", "3"]),
        ("data = 3\n", ["data"]),
        ("[data\n", ["TOML", "line 1"]),
    ],
)
def test_invalid_config_raises_one_sentence(tmp_path: Path, text: str, words: list[str]) -> None:
    with pytest.raises(SettingsError) as caught:
        load(stored(tmp_path, "c.toml", text))
    for word in ("c.toml", *words):
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [("c.json", '{"a": }', "JSON"), ("c.yaml", "a: [", "YAML"), ("c.yaml", "- a", "list"), ("c.ini", "", ".toml")],
)
def test_syntax_errors_raise(tmp_path: Path, name: str, text: str, word: str) -> None:
    with pytest.raises(SettingsError, match=word):
        load(stored(tmp_path, name, text))


@pytest.mark.parametrize(
    ("text", "word"), [("data:\n  id: a\n  id: b\n", "the key 'id' occurs twice"), ("a: &x [1]\nb: *x\n", "alias")]
)
def test_yaml_rejects_duplicate_keys_and_aliases(tmp_path: Path, text: str, word: str) -> None:
    with pytest.raises(SettingsError, match=word):
        load(stored(tmp_path, "c.yaml", text))


def test_missing_and_unreadable_files_raise(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not found"):
        load(tmp_path / "none.toml")
    (tmp_path / "c.toml").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(SettingsError, match="UTF-8"):
        load(tmp_path / "c.toml")


def test_unknown_keyword_suggests_nearest() -> None:
    with pytest.raises(SettingsError, match="'sytem' is not a setting; did you mean 'system'"):
        from_keywords(sytem="a")


def test_comments_inside_strings_are_kept(tmp_path: Path) -> None:
    path = stored(tmp_path, "c.json", '{"report": {"title": "a // b /* c */ \\" // d"}}')
    assert load(path).report.title == 'a // b /* c */ " // d'


def test_scale_accepts_text_table_and_scale() -> None:
    scale = Scale(1.0, 6.0, 0.5, assumed=False)
    for said in ("1:6:0.5", {"low": 1, "high": 6, "step": 0.5}, scale, replace(scale, assumed=True)):
        assert from_keywords(scale=said).data.scale == scale


def test_labels_accept_text_and_list() -> None:
    assert from_keywords(labels=" No , Partly,Yes").data.labels == ("No", "Partly", "Yes")
    assert from_keywords(labels=["No", 2, True]).data.labels == ("No", "2", "true")


@pytest.mark.parametrize(
    ("keywords", "word"),
    [
        ({"labels": "No"}, "2 to 100"),
        ({"labels": "No,Yes,no "}, "twice"),
        ({"labels": "No,Yes", "scale": "0:1"}, "labels and --scale"),
    ],
)
def test_invalid_labels_raise(keywords: dict[str, str], word: str) -> None:
    with pytest.raises(SettingsError, match=word):
        from_keywords(**keywords)


@pytest.mark.parametrize("where", [".", "out/deep", "../beside"])
def test_written_settings_round_trip(tmp_path: Path, where: str) -> None:
    settings = load(stored(tmp_path, "c.toml", TOML))
    home = (tmp_path / where).resolve()
    home.mkdir(parents=True, exist_ok=True)
    write_config(settings, home / "config.toml")
    again = load(home / "config.toml")
    assert isinstance(again.data.file, Path)
    assert again.data.file.resolve() == (tmp_path / "scores.csv").resolve()
    assert not Path(tomllib.loads((home / "config.toml").read_text())["data"]["file"]).is_absolute()
    for changed in ("file", "sections"):
        settings, again = override(settings, **{changed: None}), override(again, **{changed: None})
    assert again == settings


@given(text=st.text(st.characters(codec="utf-8"), min_size=1, max_size=30), number=st.floats(-1e6, 1e6))
def test_any_text_round_trips(text: str, number: float) -> None:
    settings = from_keywords(
        system=text,
        human=[text, "b"],
        title=text,
        trim_min=number,
        flags={text: text},
        sections={text: {text: [number, text]}},
    )
    again = Settings.model_validate(tomllib.loads(config_text(settings, Path())))
    assert again.data == settings.data
    assert again.sections == {text: {text: [number, text]}}
    assert (again.report.title, again.preparation.trim_min) == (text, number)


def test_every_setting_has_description() -> None:
    schema = json.dumps(Settings.model_json_schema())
    text = config_text(override(Settings(), runs_kind="summary"), Path())
    for table in Settings.TABLES:
        model = type(getattr(Settings(), table))
        assert {*TOLD[table]} == {*model.model_fields}, "describe each field in reportgen/settings/settings.toml"
        for key, field in model.model_fields.items():
            assert field.description, key
            assert f"# {field.description}" in text
            assert json.dumps(field.description)[1:-1] in schema


def test_docs_list_every_setting() -> None:
    docs = Path(__file__).parents[2] / "docs"
    text = (docs / "configuration.md").read_text(encoding="utf-8")
    assert runpy.run_path(str(docs / "build_configuration.py"))["page"](text) == text, "type: make docs"
    for table in Settings.TABLES:
        for key, field in Settings.table(table).model_fields.items():
            assert f"| `{key}` | {field.description} |" in text


WRONG: tuple[Any, ...] = (
    None, True, -1, 1.5, 95, 1e300, 10**400, float("nan"), "", "zzz", "x" * 400, b"\xff", object(), [], [1], [None],
    [[]], [""], ["zzz"], {"a": "b"}, {"low": "x"}, {"low": 2, "high": 1}, [{"low": "x"}], {"a": [object()]},
)  # fmt: skip
"""Values that most fields reject."""

THEIRS = ("Input should", "input should", "valid string", "Value error", "pydantic", "Extra inputs", "ield required")


MODELS: tuple[type[BaseModel], ...] = (Settings, Policy, *map(find, STUDIES))
"""Every settings model."""


def places(model: type[BaseModel]) -> list[tuple[str, ...]]:
    """Return the keys of a model and of its nested tables."""
    found: list[tuple[str, ...]] = []
    for name, field in model.model_fields.items():
        found.append((name,))
        inner = [each for each in (field.annotation, *get_args(field.annotation)) if isinstance(each, type)]
        for each in inner:
            if issubclass(each, BaseModel):
                found += [(name, *rest) for rest in places(each)]
    return found


def sentences(model: type[BaseModel], place: tuple[str, ...]) -> list[str]:
    """Return the errors for invalid values at a place."""
    items = []
    for value in WRONG:
        content: Any = {place[-1]: value}
        for key in reversed(place[:-1]):
            content = {key: [content] if model is Policy else content}
        try:
            model.model_validate(content)
        except ValidationError as error:
            items.append(problem(model, error))
        except (OverflowError, TypeError):
            pass  # the validation of settings catches it
    return items


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_invalid_values_never_show_pydantic_messages(model: type[BaseModel]) -> None:
    found = {place: sentences(model, place) for place in places(model)}
    assert all(found[place] for place in found if len(place) == 1)
    for place, said in found.items():
        for sentence in said:
            assert not any(words in sentence for words in THEIRS), (place, sentence)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"confidence_level": 95}, "statistics.confidence_level: expected a number up to 0.9999, found 95; did "
                                   "you mean 0.95?"),
        ({"confidence_level": -3}, "statistics.confidence_level: expected a number of at least 0.01, found -3."),
        ({"annotator_margin": 20}, "expected a number below 1, found 20; did you mean 0.2?"),
        ({"formats": "odt"}, "report.formats, entry 1: expected 'html', 'pdf', 'docx', or 'brief', found 'odt'."),
        ({"formats": "html,pfd"}, "'docx', or 'brief', found 'pfd'; did you mean 'pdf'?"),
        ({"human": ["a", 3]}, "data.human, entry 2: expected text in quotes, found 3."),
        ({"item": 3}, "data.item: expected text in quotes or '', found 3."),
        ({"flags": {"kind": [[]]}}, "data.flags.kind, entry 1: expected text in quotes or a number, found []."),
        ({"scale": 6}, "data.scale: expected LOW:HIGH or LOW:HIGH:STEP, found '6'; for example, 1:6."),
        ({"scale": {"low": 1}}, "data.scale.high is missing; add it."),
        ({"created": "today"}, "report.created: expected a date such as 2026-03-31, found 'today'."),
        ({"min_n_per_group": 0}, "expected a whole number of at least 1, found 0."),
    ],
)  # fmt: skip
def test_invalid_value_error_names_expected_type(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingsError) as refused:
        from_keywords(**given)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("criteria", "sentence"),
    [
        ([{"statistic": "own.a", "low": "x"}], "criterion 1, low: expected a number without quotes"),
        ([{"statistic": "own.a", "low": 1}, {"low": 1}], "criterion 2, statistic is missing; add it"),
        ([{"statistic": "own.a", "low": 1, "bands": [{"meaning": ""}]}], "criterion 1, band 1, meaning: expected text"),
        ([{"statistic": "own.a", "low": 1, "groups": 3}], "criterion 1, groups: expected true or false or a list"),
        (["a"], "criterion 1: expected a table of keys, found 'a'"),
    ],
)
def test_error_places_count_from_one(criteria: list[Any], sentence: str) -> None:
    with pytest.raises(SettingsError, match=f"^ours.toml: {sentence}"):
        validated(Policy, {"name": "p", "criteria": criteria}, "ours.toml")


def test_study_option_error_is_reworded() -> None:
    with pytest.raises(SettingsError, match=r"missing, entry 1: expected a number below 0\.9, found '5'"):
        design_of("rating-completion", {"missing": ["5"]})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"language": "../../etc"}, "a language such as 'en'"),
        ({"colours": {"engine": "blue"}}, "a color such as #1f4e79"),
    ],
)
def test_pattern_mismatch_names_expected_format(given: Any, expected: str) -> None:
    with pytest.raises(SettingsError, match=f"expected {expected}, found"):
        from_keywords(**given)


def test_every_pattern_has_description() -> None:
    patterns = {
        found for model in MODELS for found in re.findall(r"'pattern': '([^']*)'", str(model.model_json_schema()))
    }
    assert patterns == set(PATTERNS)


def test_section_options_reject_lone_surrogates() -> None:
    for options in ({"a": "\ud83d"}, {"\ud83d": 1}, {"a": [{"b": "\ud83d"}]}):
        with pytest.raises(SettingsError, match="text in UTF-8"):
            from_keywords(sections={"summary": options})
