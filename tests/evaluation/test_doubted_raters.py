"""Page one shows raters who do not rate and engines that contradict the raters."""

import re

import numpy as np
import pandas as pd
import pytest
from simulated import evaluation_of, framed, simulated

from report_sections.summary import Summary
from reportgen.evaluation import tally_screened
from reportgen.evaluation.doubts import doubts_of_columns
from reportgen.results import Evaluation
from reportgen.scores import read
from reportgen.scores.left_out import without_ratings
from reportgen.settings import Settings, override
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
    assert f"among the {100 * apart.mean():.1f}% of responses with a score in “adjudicated”" in found.verdict.sentence
    assert [each for each in doubts(found) if " differ by 2" in each and "a score in “adjudicated”" in each]
    page = text_of(Summary(), found)
    assert "have a score in “adjudicated”" in page
    assert "Raters scored" not in page
