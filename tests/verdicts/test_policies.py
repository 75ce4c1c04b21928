"""Test built-in policies, reading of policy files, and their errors."""

import json
import os
from pathlib import Path

import pytest
from simulated import evaluation_of, framed, simulated

import reportgen
from reportgen import policies
from reportgen.cli.printing import MOST_OF_AN_ERROR
from reportgen.errors import SettingsError
from reportgen.policies import Criterion, Policy, load_policy, shipped_policies
from reportgen.settings import from_keywords, load, loading, write_config
from reportgen.settings.loading import as_seen_from

RULE = '[[criteria]]\nstatistic = "system.qwk"\nlow = 0.8\n'


def write(folder: Path, text: str, name: str = "ours.toml") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_default_combines_two_policies() -> None:
    criteria = [*load_policy("williamson-2012").criteria, *load_policy("prmse").criteria]
    assert list(load_policy("default").criteria) == criteria


def test_thresholds_match_sources() -> None:
    """Casabianca et al. (2023) quote Williamson et al. (2012): .70 or higher, less than .10, less than .15."""
    bounds = {each.statistic: (each.low, each.high, each.strict) for each in load_policy("default").criteria}
    assert bounds == {
        "system.qwk": (0.70, None, False),
        "system.r": (0.70, None, False),
        "system.smd": (-0.15, 0.15, True),
        "degradation.qwk": (-0.10, None, True),
        "degradation.r": (-0.10, None, True),
        "system.dsm": (-0.10, 0.10, False),
        "true_score.prmse": (0.70, None, False),
    }


def test_policy_without_published_limit_uses_raters() -> None:
    """Yannakoudakis and Cummins (2015) recommend quadratic AC instead of kappa and give no cutoff."""
    policy = load_policy("yannakoudakis-2015")
    (criterion,) = policy.criteria
    assert (criterion.statistic, criterion.low, criterion.high) == ("degradation.ac2_quadratic", 0.0, None)
    assert "they do not give a limit" in criterion.source_in_words
    assert "Rank correlation is reported but not evaluated" in policy.description


def test_groups_are_simultaneous_by_default() -> None:
    assert [each.statistic for each in load_policy("default").criteria if each.simultaneous] == ["system.dsm"]


def test_every_built_in_threshold_has_source() -> None:
    for criterion in load_policy("default").criteria:
        assert criterion.source
        assert (policies.UNCHECKED in criterion.source_in_words) is (not criterion.source_checked)
    unchecked = [each.statistic for each in load_policy("default").criteria if not each.source_checked]
    assert unchecked == ["degradation.r", "system.dsm"]


def test_bands_cover_every_value() -> None:
    bands = policies.bands_of(load_policy("prmse"))["true_score.prmse"]
    assert [(band.low, band.high) for band in bands] == [(None, 0.70), (0.70, 0.95), (0.95, None)]


@pytest.mark.parametrize("name", shipped_policies())
def test_built_in_file_can_be_copied(name: str, tmp_path: Path) -> None:
    assert load_policy(write(tmp_path, policies.shipped_text(name))) == load_policy(name)


def test_policy_formats_are_equal(tmp_path: Path) -> None:
    text = 'name = "ours"\n' + RULE
    content = {"name": "ours", "criteria": [{"statistic": "system.qwk", "low": 0.8}]}
    yaml = "name: ours\ncriteria:\n- statistic: system.qwk\n  low: 0.8\n"
    files = [
        write(tmp_path, text),
        write(tmp_path, json.dumps(content), "ours.json"),
        write(tmp_path, yaml, "ours.yaml"),
    ]
    assert len({load_policy(file).model_dump_json() for file in files}) == 1


def test_include_is_relative_to_policy_file(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    write(tmp_path / "parts", 'name = "part"\ninclude = "prmse"\n' + RULE, "part.toml")
    policy = load_policy(write(tmp_path, 'name = "ours"\ninclude = ["./parts/part.toml"]\n'))
    assert [each.statistic for each in policy.criteria] == ["true_score.prmse", "system.qwk"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            'name = "x"\n[[criteria]]\nstatistic = "system.qwk"\nlwo = 0.7\n',
            "criterion 1: 'lwo' is not a setting; did you mean 'low'?",
        ),
        ('nmae = "x"\n' + RULE, "did you mean 'name'?"),
        ('name = "x"\n[[criteria]]\nstatistic = "system.qwk"\n', "requires low, high, or both"),
        ('name = "x"\n[[criteria]]\nstatistic = "a.b"\nlow = 0.9\nhigh = 0.1\n', "low (0.9) must not be above high"),
        ('name = "x"\n[[criteria]]\nstatistic = "a.b"\nlow = 0.1\nhigh = 0.1\nstrict = true\n', "no value is between"),
        ('name = "x"\n[[criteria]]\nstatistic = "a.b"\nlow = nan\n', "finite"),
        ('name = "x"\n[[criteria]]\nstatistic = "a.b"\nlow = 0.1\nby = "mean"\n', "criterion 1, by: expected"),
        ('name = "x"\n[[criteria]]\nstatistic = "a.b"\nlow = 0.1\ngroups = []\n', "at least one group column"),
        ('name = "x"\n[[criteria]]\nstatistic = "system.r"\nlow = 3\n', "is between -1 and 1"),
        ('name = "x"\n[[criteria]]\nstatistic = "true_score.prmse"\nlow = 70\n', "low = 70, but true_score"),
        ('name = "x"\n[[criteria]]\nstatistic = "system.rmse"\nhigh = -1\n', "system.rmse is at least 0"),
        ('name = "x"\n[[criteria]]\nstatistic = "degradation.r"\nlow = -3\n', "is between -2"),
        ('name = "x"\n[[criteria]]\nstatistic = "human.exact_agreement"\nlow = 0.6\n', "percentage, such as 60"),
        ('name = "x"\n[[criteria]]\nstatistic = "system.exact_agreement"\nlow = 101\n', "is between 0 and 100"),
        ('name = "x"\n[[criteria]]\nstatistic = "degradation.exact_agreement"\nlow = -0.1\n', "such as -10"),
        ('name = "x"\n[[criteria]]\nstatistic = "system.qwk"\nlow = 0.7\nbands = [{high = 70, meaning = "m"}]\n',
         "band 1, high = 70, but"),
        ('name = "x"\n', "at least one criterion"),
        ('name = "x"\ninclude = "./ours.toml"\n', "cannot include itself"),
        ("name = ", "not valid TOML"),
    ],
)  # fmt: skip
def test_invalid_policy_error_message(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load_policy(write(tmp_path, text))
    assert sentence in str(caught.value)
    assert "ours.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_policy_suggests_name_and_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"did you mean 'williamson-2012'.*\./policy\.toml"):
        load_policy("williamson")
    with pytest.raises(SettingsError, match="was not found"):
        load_policy(tmp_path / "missing.toml")


def test_criterion_name_defaults_to_statistic() -> None:
    assert Criterion(statistic="degradation.qwk", low=0).name == "Engine QWK minus human QWK"
    assert Criterion(statistic="degradation.qwk", low=0).short_name == "Engine QWK minus human QWK"
    assert Criterion(statistic="human.r", low=0).name == "Pearson correlation of two raters"
    assert Criterion(statistic="own.thing", low=0).name == "Thing"
    assert Criterion(statistic="system.qwk", low=0, label="Agreement").name == "Agreement"


def test_schema_lists_every_key() -> None:
    schema = Policy.model_json_schema()
    assert set(schema["properties"]) == {"name", "description", "include", "criteria"}
    assert schema["additionalProperties"] is False
    for field in schema["$defs"]["Criterion"]["properties"].values():
        assert field["description"]


def test_policy_path_is_relative_to_config(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "config.toml").write_text('[verdict]\npolicy = "./ours.toml"\n', encoding="utf-8")
    settings = load(tmp_path / "a" / "config.toml")
    assert Path(settings.verdict.policy) == tmp_path / "a" / "ours.toml"
    assert as_seen_from(settings, tmp_path / "b").verdict.policy == "../a/ours.toml"
    write_config(settings, tmp_path / "a" / "again.toml")
    assert load(tmp_path / "a" / "again.toml").verdict == settings.verdict
    assert as_seen_from(from_keywords(policy="prmse"), tmp_path).verdict.policy == "prmse"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            'name = "x"\n[[criteria]]\nstatistic = "system.qwk"\nlow = true\n',
            "low: expected a number or text, found True",
        ),
        (f'name = "x"\n{RULE}groups = ["sex", "sex"]\n', "each group column once"),
        (f'name = "x"\n{RULE}[[criteria.bands]]\nlow = 0.5\nhigh = 0.1\nmeaning = "b"\n', "must not be above"),
        ('name = "x"\ninclude = ["a\\u0000.toml"]\n', "cannot be read"),
    ],
)
def test_ambiguous_criteria_raise(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=said):
        load_policy(write(tmp_path, text))


@pytest.mark.parametrize(
    ("criterion", "place", "told"),
    [
        ('statistic = "system.qkw"\nlow = 0.7', "criterion 1, statistic", "did you mean 'system.qwk'?"),
        ('statistic = "sytem.qwk"\nlow = 0.7', "criterion 1, statistic", "did you mean 'system.qwk'?"),
        ('statistic = "system.qwk"\nlow = "0.7"', "criterion 1, low", "without quotes, found '0.7'"),
    ],
)
def test_invalid_criterion_raises_before_reading_data(criterion: str, place: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f'name = "mine"\n[[criteria]]\n{criterion}\n')
    with pytest.raises(SettingsError) as refused:
        reportgen.evaluate(tmp_path / "there_is_none.csv", policy=str(path))
    for words in (str(path), place, told):
        assert words in str(refused.value)


def test_criteria_accept_every_statistic() -> None:
    frame = framed(simulated(200, 3, 3), "human", "system", L1=["a", "b"] * 100)
    evaluation = evaluation_of(frame, scale="1:6")
    keys = evaluation.estimates.keys() | {each.statistic for each in evaluation.checks}
    assert len(keys) > 50
    assert [key for key in keys if policies.misspelt(key)] == []


def test_fairness_policy_can_be_included(tmp_path: Path) -> None:
    (criterion,) = load_policy("fairness").criteria
    assert (criterion.statistic, criterion.low, criterion.high) == ("true_score.group_difference", -0.10, 0.10)
    assert criterion.simultaneous
    assert policies.UNCHECKED in criterion.source_in_words
    both = load_policy(write(tmp_path, 'name = "ours"\ninclude = ["default", "fairness"]\n')).criteria
    assert list(both) == [*load_policy("default").criteria, criterion]


def test_every_judge_statistic_has_name() -> None:
    scores = simulated(300, 3, 3)
    again, words = scores.true + scores.rng.normal(0, 0.4, 300), scores.rng.integers(50, 500, 300)
    frame = framed(scores, "human", "system", system_run2=again, group=["a", "b"] * 150, words=words)
    found = evaluation_of(frame, scale="1:6", length="words", runs=["system_run2"])
    assert "judges.advantage" in found.estimates
    named = {key: Criterion.model_construct(statistic=key).name for key in found.estimates}
    assert [key for key, name in named.items() if name == key] == []
    assert all(name[:1].isupper() for name in named.values())


def test_custom_statistic_is_named_by_key() -> None:
    assert policies.name_of("own.hours_saved") == "Hours saved"
    assert Criterion(statistic="judges.advantage", low=0.5).short_name == "Average advantage probability over raters"


HOSTILE = {
    "binary.toml": (os.urandom(3000) + b"\xff\x00", "UTF-8"),
    "zeros.json": (b"\x00" * 3000, "not valid JSON"),
    "deep.yaml": (b"name: " + b"[" * 3000 + b"]" * 3000, "not valid YAML"),
    "nested.yaml": (b"\n".join(b" " * i + b"a:" for i in range(1500)), "YAML"),
    "deep.json": (b'{"name":' * 3000 + b"1" + b"}" * 3000, "JSON"),
    "deep.toml": (b"name = " + b"[" * 3000 + b"]" * 3000, "TOML"),
    "dotted.toml": (b".".join([b"a"] * 3000) + b" = 1", "not a setting"),
    "tagged.yaml": (b"name: !!python/object/apply:os.system [x]", "not valid YAML"),
    "list.yaml": (b"- a", "expected tables"),
    "one_line.toml": (b"name " * 4000, "not valid TOML"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_other_files_raise_one_sentence(name: str, tmp_path: Path) -> None:
    content, reason = HOSTILE[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SettingsError) as refused:
        load_policy(tmp_path / name)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < MOST_OF_AN_ERROR + len(str(tmp_path))


def test_large_policy_file_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MOST_BYTES", 1_000_000)
    (tmp_path / "huge.toml").write_bytes(b"#" * 1_000_001)
    with pytest.raises(SettingsError, match="is larger than 1 MB; is it another file"):
        load_policy(tmp_path / "huge.toml")


def test_folder_as_policy_raises(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").mkdir()
    with pytest.raises(SettingsError, match="not a regular file"):
        load_policy(tmp_path / "ours.toml")
