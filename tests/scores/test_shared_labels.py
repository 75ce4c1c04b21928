"""Columns of words that nobody planned: found because they share labels, and put in order by what is confused."""

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.design.profiles import order_of_labels
from reportgen.errors import QuestionError, SettingsError

SCALES = {
    "trifft nicht zu|trifft eher nicht zu|teils-teils|trifft eher zu|trifft zu": "Beurteiler_1 Beurteiler_2 Modell",
    "Muy bajo|Bajo|Medio|Alto|Muy alto": "evaluador_1 evaluador_2 modelo",
    "Does Not Meet|Approaches|Meets|Exceeds": "human human2 machine",
}


def frame(labels: list[str], names: list[str], seed: int = 1) -> pd.DataFrame:
    """Return columns of labels, each a step off in a quarter of the responses, and columns without scores."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(labels), 300)
    steps = {name: np.clip(truth + rng.choice([-1, 0, 0, 0, 0, 0, 1], 300), 0, len(labels) - 1) for name in names}
    other = {"id": [f"r{place}" for place in range(300)], "sex": rng.choice(["f", "m"], 300), "words": rng.integers(9,
        99, 300)}  # fmt: skip
    return pd.DataFrame(other | {name: [labels[step] for step in each] for name, each in steps.items()})


def question(data: pd.DataFrame, **options: object) -> QuestionError:
    with pytest.raises(QuestionError) as asked:
        reportgen.evaluate(data, **options)  # type: ignore[arg-type]
    return asked.value


@pytest.mark.parametrize("labels", SCALES)
def test_the_order_of_labels_in_any_language_raises_a_question(labels: str) -> None:
    found = question(frame(labels.split("|"), SCALES[labels].split()))
    assert [options for _, options in found.choices] == [("--labels", labels.replace("|", ",")), ("--unordered",)]


def test_columns_that_share_labels_are_proposed_under_any_name() -> None:
    labels = ["rosso", "verde", "giallo", "blu"]
    found = question(frame(labels, ["x", "y", "z"]))
    assert all({"x", "y", "z"} & set(options) and "sex" not in options for _, options in found.choices)
    flags = frame(labels, ["score"]).assign(level=np.random.default_rng(2).choice(labels, 300))  # no better than chance
    with pytest.raises(SettingsError, match="no column looks like"):
        reportgen.evaluate(flags)


def test_a_rater_with_the_same_labels_is_not_a_group() -> None:
    data = frame(["Basic", "Proficient", "Advanced"], ["teacher_rating", "aide_rating", "auto_rating"])
    (_, both), (_, one) = question(data).choices
    assert both == ("--human", "aide_rating", "--human", "teacher_rating", "--system", "auto_rating")
    assert one == ("--human", "teacher_rating", "--system", "auto_rating")


def test_labels_without_confusions_keep_their_places() -> None:
    assert sorted(order_of_labels(np.eye(3) * 2)) == [0, 1, 2]
    assert order_of_labels(np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [2, 0, 0, 0]])) == [0, 1, 2, 3]
