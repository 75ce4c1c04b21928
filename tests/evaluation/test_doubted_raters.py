"""Doubts about raters who do not rate and scores on another scale, with the option that may help."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from command import invoked
from simulated import evaluation_of, framed, simulated

from report_sections.summary import Summary
from reportgen.errors import QuestionError, SettingsError
from reportgen.evaluation import evaluate, refuse_unlike, tally_screened
from reportgen.evaluation.doubts import doubts_of_columns, refuse_unlike_scale
from reportgen.results import Evaluation
from reportgen.scores import read
from reportgen.scores.left_out import without_ratings
from reportgen.settings import Settings, from_keywords, override
from reportgen.testing import text_of
from reportgen.wording.vocabulary import Vocabulary

NAMES = ("Anna", "Boris", "Cleo", "Dora")


def frame(how: str = "", column: int = 2, n: int = 120, raters: int = 4) -> pd.DataFrame:
    """Return scores of an engine and of raters, one of whom does not rate."""
    scores = simulated(n, 12, raters, sd=1.2)
    human, rng = scores.human, scores.rng
    planted = {"random": rng.permutation(human[:, 0]), "constant": np.full(n, 4.0), "reversed": 7 - human[:, column]}
    human[:, column] = planted.get(how, human[:, column])
    return framed(scores, "human_", "system").clip(1, 6).assign(id=[f"r{i}" for i in range(n)])


def long(wide: pd.DataFrame) -> pd.DataFrame:
    """Return the same scores with one row per rating."""
    names = dict(zip(wide.columns[:4], NAMES, strict=False)) | {"system": "engine"}
    rows = wide.rename(columns=names).melt("id", var_name="rater", value_name="score")
    return rows.sample(frac=1, random_state=5)


def doubts(evaluation: Evaluation) -> list[str]:
    """Return the doubts in words, all of which appear on page one."""
    words, page = Vocabulary(), text_of(Summary(), evaluation)
    found = [words.say(each) for each in evaluation.facts["doubts"]]
    assert all(each in page for each in found)
    return found


def hints(evaluation: Evaluation) -> list[str]:
    """Return the hints of the terminal, none of which appear on page one."""
    found = [Vocabulary().say(each.values["hint"]) for each in evaluation.facts["doubts"]]
    assert not any(each in text_of(Summary(), evaluation) for each in found)
    return found


@pytest.mark.parametrize(
    ("how", "begins"),
    [
        ("random", "human_3’s scores cannot be distinguished from random scores: their correlation with the other"),
        ("constant", "human_3 gives nearly every response the same score, 4 (100"),
        ("reversed", "human_3’s scores run opposite to those of the other raters: the correlation is −0."),
    ],
)
def test_rater_who_does_not_rate_is_named_with_hint(how: str, begins: str) -> None:
    evaluation = evaluation_of(frame(how))
    (doubt,) = doubts(evaluation)
    assert doubt.startswith(begins)
    assert hints(evaluation) == ["To exclude the ratings, add --without human_3."]


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["wide", "long"])
@pytest.mark.parametrize("column", [0, 2])
def test_doubt_reports_statistic_without_rater(layout: str, column: int) -> None:
    wide = frame("random", column)
    data, name = (wide, f"human_{column + 1}") if layout == "wide" else (long(wide), NAMES[column])
    given = {} if layout == "wide" else {"system": "engine"}
    (doubt,) = doubts(evaluation_of(data, **given))
    told = re.search(r"(QWK|PRMSE) is ([\d.−]+); without this rater, it would be ([\d.−]+)\.", doubt)
    assert told is not None
    key = "system.qwk" if told[1] == "QWK" else "true_score.prmse"
    for number, options in ((told[2], {}), (told[3], {"without": [name]})):
        value = evaluation_of(data, **given, **options).estimates[key].value
        assert value is not None
        assert float(number.replace("−", "-")) == pytest.approx(value, abs=0.0051)


@pytest.mark.parametrize("column", [0, 1, 3])
def test_without_ratings_matches_reading_without_rater(column: int) -> None:
    wide = frame(n=40)
    files: tuple[tuple[pd.DataFrame, str, dict[str, str]], ...]
    files = (wide, f"human_{column + 1}", {}), (long(wide), NAMES[column], {"system": "engine"})
    for data, name, given in files:
        scores = read(data, override(Settings(), **given))
        expected = read(data, override(Settings(), without=[name], **given))
        if scores.rater_ids is None:
            out = np.broadcast_to(np.arange(4) == column, scores.human.shape)
        else:
            out = scores.rater_ids.codes == scores.rater_ids.names.index(name)
        found = without_ratings(scores, out, Settings())
        assert found is not None
        assert np.array_equal(np.sort(found.human, axis=1), np.sort(expected.human, axis=1))
        assert (found.scale, found.trim_min, found.trim_max) == (expected.scale, expected.trim_min, expected.trim_max)


def test_raters_of_long_file_are_not_named_by_default() -> None:
    data = long(frame("constant"))
    evaluation = evaluation_of(data, system="engine")
    (doubt,) = doubts(evaluation)
    assert doubt.startswith("Rater 3 gives nearly every response the same score")
    assert "Cleo" not in repr(evaluation.facts)
    assert hints(evaluation) == ["--show-rater-names shows the names; --without NAME excludes the ratings."]
    (named,) = doubts(evaluation_of(data, system="engine", show_rater_names=True))
    assert named.startswith("Cleo gives nearly every response the same score")


def test_good_raters_have_no_doubts() -> None:
    assert doubts(evaluation_of(frame())) == []


def test_wide_and_long_have_same_rater_statistics() -> None:
    wide = frame("random")
    wide.loc[::3, "human_4"] = np.nan
    names = {"Anna": "human_1", "Boris": "human_2", "Cleo": "human_3", "Dora": "human_4"}
    tables = [
        evaluation_of(data, **given).tables["human_raters.raters"].frame()
        for data, given in ((wide, {}), (long(wide).dropna(), {"system": "engine", "show_rater_names": True}))
    ]
    tables[1]["rater"] = tables[1]["rater"].map(names)
    first, second = (each.set_index("rater").sort_index().select_dtypes("number") for each in tables)
    assert first.columns.tolist() == second.columns.tolist()
    assert np.allclose(first.to_numpy(float), second.to_numpy(float), rtol=0, atol=1e-12, equal_nan=True)


def test_reversed_engine_is_first_doubt() -> None:
    data = frame()
    data["system"] = 7 - data["system"]
    evaluation = evaluation_of(data, scale="1:6", system_scale="1:6")
    first = doubts(evaluation)[0]
    assert first.startswith("The engine gives high scores where raters give low scores: the correlation is −0.")
    assert text_of(Summary(), evaluation).words.count("gives high scores where raters give low scores") >= 1
    assert "against_raters" not in evaluation_of(frame()).facts


def test_opposite_raters_are_both_named() -> None:
    (doubt,) = doubts(evaluation_of(frame("reversed", column=1, raters=2)))
    assert doubt.startswith("human_1 and human_2 give opposite scores: their correlation is −0.")


def test_opposite_columns_are_doubted_without_rows() -> None:
    data = frame("reversed", column=1, raters=2)
    tallied = tally_screened(read(data), Settings())
    (doubt,) = map(Vocabulary().say, doubts_of_columns(tallied))
    assert doubt.startswith("human_1 and human_2 give opposite scores: their correlation is −0.")
    assert doubts_of_columns(tally_screened(read(frame(column=1, raters=2)), Settings())) == ()


def test_unordered_labels_have_no_reversed_raters() -> None:
    data = frame("reversed")
    data["system"] = 7 - data["system"].round().astype(int)
    assert len(evaluation_of(data, scale="1:6", system_scale="1:6").facts["doubts"]) == 2
    assert not any("against" in str(each) for each in evaluation_of(data, unordered=True).facts["doubts"])


def test_ratings_computed_from_others_are_no_independent_raters() -> None:
    scores = simulated(200, 12, 2, sd=1.2)
    data = framed(scores, "h", "engine").clip(1, 6)
    names = [name for name in data.columns if name != "engine"]
    found = evaluation_of(data.assign(resolved=data[names].mean(axis=1)), human=["resolved", *names])
    assert [each for each in doubts(found) if "“resolved” is computed from other ratings" in each]
    assert not list(found.present("judges.annotators"))
    third = evaluation_of(data.assign(h3=data[names[0]].sample(frac=1, random_state=1).to_numpy()))
    assert list(third.present("judges.annotators"))
    assert not any("is computed from" in each for each in doubts(evaluation_of(data)))


def test_an_adjudicated_column_limits_the_answer_to_its_responses() -> None:
    scores = simulated(400, 12, 2, sd=1.2)
    data = framed(scores, "h", "engine").clip(1, 6)
    one, two = (data[name] for name in data.columns if name != "engine")
    apart = (one - two).abs() >= 2
    found = evaluation_of(data.assign(adjudicated=((one + two) // 2).where(apart)), human="adjudicated")
    assert found.facts["design"]["first"]["how"] == "chosen"
    assert found.verdict is not None
    assert f"with a score in “adjudicated” ({100 * apart.mean():.1f}%)" in found.verdict.sentence
    assert [each for each in doubts(found) if " differ by 2" in each and "a score in “adjudicated”" in each]
    page = text_of(Summary(), found)
    assert "have a score in “adjudicated”" in page
    assert "Raters scored" not in page


def sampled(rng: Any, n: int = 200) -> tuple[Any, Any, Any]:
    true = rng.normal(3.5, 1.1, n)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.6, (n, 2))), 1, 6)
    return human[:, 0], human[:, 1], true + rng.normal(0, 0.5, n)


def doubts_about(first: Any, second: Any, engine: Any) -> list[str]:
    columns = {"human1": first, "human2": second, "system": engine}
    return list(evaluate(read(pa.table(columns), from_keywords()), from_keywords(), {}).facts["doubts"])


def test_rater_on_other_scale_is_first_doubt() -> None:
    first, second, engine = sampled(np.random.default_rng(1))
    expected = "human2's scores (10 to 60) are on a different scale from human1's (1 to 6)."
    assert doubts_about(first, second * 10, engine)[0] == expected


@pytest.mark.slow
def test_severe_raters_and_accurate_engines_are_not_doubted() -> None:
    rng = np.random.default_rng(5)
    for _ in range(25):
        first, second, engine = sampled(rng, int(rng.choice([30, 60, 300])))
        severe = np.clip(second - rng.integers(0, 4), 1, 6)
        regressed = 3.5 + rng.uniform(0.4, 1) * (engine - 3.5) + rng.uniform(-1.5, 1.5)
        assert not [doubt for doubt in doubts_about(first, severe, regressed) if "scale" in doubt]


def is_refused(human: Any, engine: Any, **settings: Any) -> bool:
    chosen = from_keywords(**settings)
    scores = read(pa.table({"human1": human, "system": engine}), chosen)
    try:
        refuse_unlike_scale(tally_screened(scores, chosen), "system", chosen)
    except QuestionError:
        return True
    return False


def test_a_question_about_the_scale_needs_no_decision_about_small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("withholding was decided")

    monkeypatch.setattr("reportgen.evaluation.tallied_scores.withheld_groups", refuse)
    human = np.tile([1, 2, 3, 4, 5, 6], 20)
    table = pa.table({"human1": human, "system": (human - 1) / 5, "district": [f"d{n % 30}" for n in range(120)]})
    with pytest.raises(QuestionError, match="the engine's scale"):
        refuse_unlike(read(table, Settings()), Settings())


def offered(human: Any, engine: Any) -> list[str]:
    """Return the scales of the engine that a question offers, without the scale of the raters."""
    chosen = from_keywords(scale="1:6")
    with pytest.raises(QuestionError) as asked:
        refuse_unlike(read(pa.table({"human1": human, "system": engine}), chosen), chosen)
    assert " right, edit --s" in str(asked.value)
    return [options[-1] for _, options in asked.value.choices][:-1]


@pytest.mark.parametrize("times", [5, 10, 20, 100])
def test_multiples_of_the_scale_are_offered_before_what_the_engine_gave(times: int) -> None:
    rng = np.random.default_rng(7)
    human, _, engine = sampled(rng)
    assert offered(human, np.rint(times * engine))[0] == f"{times}:{6 * times}"


def test_scales_that_the_means_fit_come_first() -> None:
    human, _, engine = sampled(np.random.default_rng(7))
    within = np.clip(engine, 1.5, 4.9)
    assert offered(human, 20 * within) == ["20:120", "0:100"]
    assert offered(human, 20 * (within - 1))[0] == "0:100"


def test_unknown_scales_have_round_ends() -> None:
    human, _, engine = sampled(np.random.default_rng(7))
    assert offered(human, 11316 + 1224 * np.clip(engine - 1, 0, 5)) == ["11000:18000"]


def test_preview_and_evaluation_raise_the_same_question(tmp_path: Path) -> None:
    human, _, engine = sampled(np.random.default_rng(7))
    file = tmp_path / "s.csv"
    rows = [f"r{n},{h:g},{e:.0f}" for n, (h, e) in enumerate(zip(human, 20 * engine, strict=True))]
    file.write_text("\n".join(["id,human1,engine", *rows]))
    previewed, evaluated = (
        " ".join(run.output.split())
        for run in (invoked("look", file), invoked("evaluate", file, tmp_path / "out", "--tables-only", code=2))
    )
    question = evaluated[evaluated.index("the scores of 'engine' range") : evaluated.index("?")]
    assert question in previewed
    assert previewed.count("--scale 1:6 --system-scale") == 1 + evaluated.count("--scale 1:6 --system-scale") == 3


def drawn(rng: Any) -> tuple[float, float, Any, Any]:
    """Return the ends of a scale, human scores, and true scores."""
    low, high = [(1, 6), (1, 5), (0, 4), (1, 9), (0, 100), (1, 4)][rng.integers(6)]
    true = rng.normal(low + (high - low) * rng.uniform(0.35, 0.65), (high - low) * 0.22, int(rng.choice([30, 60, 300])))
    return low, high, np.clip(np.rint(true + rng.normal(0, (high - low) * 0.1, len(true))), low, high), true


def test_engine_on_other_scale_raises_question() -> None:
    rng = np.random.default_rng(11)
    for _ in range(30):
        low, high, human, true = drawn(rng)
        share = np.clip((true + rng.normal(0, 0.15 * (high - low), len(true)) - low) / (high - low), 0, 1)
        others = [share, 11316 + 6121 * share] + ([np.rint(100 * share)] if high < 100 else [])
        assert all(is_refused(human, other) for other in others), (low, high)
        assert not is_refused(human, share, scale=f"{low}:{high}", system_scale="0:1")


def test_narrow_and_noisy_engines_raise_no_question() -> None:
    rng = np.random.default_rng(12)
    asked = []
    for number in range(60):
        low, high, human, true = drawn(rng)
        center, unit = true.mean(), (high - low) / 5
        noise = rng.normal(0, rng.choice([0.2, 0.5, 1.0]) * unit, len(true))
        engine = center + rng.choice([0.35, 0.7, 1]) * (true - center) + noise + rng.choice([-1.5, -1, 0, 1, 1.5])
        engine = np.clip(engine, low - 0.5, high + 0.5) if number % 2 else engine
        asked += [(low, high)] if is_refused(human, engine) else []
    assert asked == []


def test_question_has_working_commands(tmp_path: Path) -> None:
    file = tmp_path / "judge's scores.csv"
    rng = np.random.default_rng(3)
    human = np.r_[1, 5, rng.integers(1, 6, 198)]
    judge = np.clip((human - 1) / 4 + rng.choice([0, 0, 0, 0.25, -0.25], 200), 0, 1)
    rows = [f"r{number},{h},{j:.2f}" for number, (h, j) in enumerate(zip(human, judge, strict=True))]
    file.write_text("\n".join(["id,human1,llm_judge", *rows]))
    out = tmp_path / "out"
    run = invoked("evaluate", file, out, "--tables-only", code=2)
    assert not out.exists()
    typed = re.findall(r"(--scale \S+ --system-scale \S+)", " ".join(run.output.split()))
    assert typed == ["--scale 1:5 --system-scale 0:1", "--scale 1:5 --system-scale 1:5"]
    for options, refused in zip(typed, (False, True), strict=True):
        again = invoked("evaluate", file, out, "--tables-only", "--force", *options.split())
        assert "doubt" not in again.output
        assert ("verdict       No:" in again.output) == refused, again.output


def test_system_scale_maps_engine_scores() -> None:
    rng = np.random.default_rng(4)
    human = rng.integers(1, 6, 200).astype(float)
    engine = np.clip(human + rng.normal(0, 0.6, 200), 1, 5)
    mapped = from_keywords(scale="1:5", system_scale="0:1")
    same = from_keywords(scale="1:5")
    found = evaluate(read(pa.table({"human1": human, "system": (engine - 1) / 4}), mapped), mapped, {})
    expected = evaluate(read(pa.table({"human1": human, "system": engine}), same), same, {})
    for key in ("system.qwk", "system.smd", "system.rmse"):
        value = expected.estimates[key].value
        assert value is not None
        assert found.estimates[key].value == pytest.approx(value, rel=0, abs=1e-9)
    assert found.ruling is not None
    assert expected.ruling is not None
    assert found.ruling.decision == expected.ruling.decision
    with pytest.raises(SettingsError, match="system-scale"):
        from_keywords(system_scale="0:1")


def test_doubtful_columns_have_no_verdict() -> None:
    first, second, engine = sampled(np.random.default_rng(1))
    scores = read(pa.table({"human1": first, "human2": second * 10, "system": engine}), from_keywords())
    found = evaluate(scores, from_keywords(), {})
    assert found.verdict is not None
    assert found.verdict.decision == "cannot be judged"
    assert found.verdict.sentence.startswith("Not yet: it is unclear what the columns contain.")
    assert {check.outcome for check in found.checks} == {"insufficient"}


def test_engines_mostly_beyond_the_scale_are_on_another_one_whatever_their_range() -> None:
    human, _, engine = sampled(np.random.default_rng(11), 144)
    log_probability = 1.1 * (engine - engine.max()) - 0.2
    assert log_probability.max() - log_probability.min() > 2.5
    assert is_refused(human, log_probability, scale="1:6")
    assert not is_refused(human, engine - 1.5, scale="1:6")
