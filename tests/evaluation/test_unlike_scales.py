"""Raters and engines on another scale are the first doubt. Severe raters and narrow engines are not doubted."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from command import invoked

from reportgen.errors import QuestionError, SettingsError
from reportgen.evaluation import evaluate, refuse_unlike, tally_screened
from reportgen.evaluation.doubts import refuse_unlike_scale
from reportgen.scores import read
from reportgen.settings import from_keywords


def sampled(rng: Any, n: int = 200) -> tuple[Any, Any, Any]:
    true = rng.normal(3.5, 1.1, n)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.6, (n, 2))), 1, 6)
    return human[:, 0], human[:, 1], true + rng.normal(0, 0.5, n)


def doubts(first: Any, second: Any, engine: Any) -> list[str]:
    columns = {"human1": first, "human2": second, "system": engine}
    return list(evaluate(read(pa.table(columns), from_keywords()), from_keywords(), {}).facts["doubts"])


def test_rater_on_other_scale_is_first_doubt() -> None:
    first, second, engine = sampled(np.random.default_rng(1))
    expected = "human2's scores (10 to 60) are on a different scale from human1's (1 to 6)."
    assert doubts(first, second * 10, engine)[0] == expected


@pytest.mark.slow
def test_severe_raters_and_accurate_engines_are_not_doubted() -> None:
    rng = np.random.default_rng(5)
    for _ in range(25):
        first, second, engine = sampled(rng, int(rng.choice([30, 60, 300])))
        severe = np.clip(second - rng.integers(0, 4), 1, 6)
        regressed = 3.5 + rng.uniform(0.4, 1) * (engine - 3.5) + rng.uniform(-1.5, 1.5)
        assert not [doubt for doubt in doubts(first, severe, regressed) if "scale" in doubt]


def is_refused(human: Any, engine: Any, **settings: Any) -> bool:
    chosen = from_keywords(**settings)
    scores = read(pa.table({"human1": human, "system": engine}), chosen)
    try:
        refuse_unlike_scale(tally_screened(scores, chosen), "system", chosen)
    except QuestionError:
        return True
    return False


def offered(human: Any, engine: Any) -> list[str]:
    """Return the scales of the engine that a question offers, without the scale of the raters."""
    chosen = from_keywords(scale="1:6")
    with pytest.raises(QuestionError) as asked:
        refuse_unlike(read(pa.table({"human1": human, "system": engine}), chosen), chosen)
    assert "The data do not show its ends" in asked.value.text
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
    assert previewed.count("--scale 1:6 --system-scale") == evaluated.count("--scale 1:6 --system-scale") == 2


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
        assert ("result        No:" in again.output) == refused, again.output


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
