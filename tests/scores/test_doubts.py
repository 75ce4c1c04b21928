"""Test doubts about all numbers: columns given twice, zeros that count, and labels with spaces."""

import numpy as np
import pytest
from score_files import Write

from reportgen.cli.found import lines_read
from reportgen.cli.printing import say
from reportgen.scores import ScoreTable, read
from reportgen.scores.accounting import SharedScores, shared_scores
from reportgen.settings import from_keywords


def table(write: Write, human: list[float], system: list[float], second: list[float] | None = None) -> ScoreTable:
    lines = ["id,human,system" + (",human2" if second else "")]
    for place, (h, s) in enumerate(zip(human, system, strict=True)):
        lines.append(f"r{place},{h:g},{s:g}" + (f",{second[place]:g}" if second else ""))
    return read(write("\n".join(lines) + "\n"), from_keywords(human=["human", *["human2"] * bool(second)]))


HUMAN = [1.0, 2.0, 3.0, 4.0] * 10


def test_an_engine_that_equals_the_human_score_is_doubted_first(write: Write) -> None:
    scores = table(write, HUMAN, HUMAN)
    assert "'system' and 'human' are identical in all 40 responses" in scores.doubts[0]
    assert scores.warnings[0] == scores.doubts[0]


def test_a_rater_given_twice_is_doubted_and_one_difference_ends_the_doubt(write: Write) -> None:
    engine = [score + 0.25 for score in HUMAN]
    assert "'human' and 'human2'" in table(write, HUMAN, engine, HUMAN).doubts[0]
    assert table(write, HUMAN, engine, [*HUMAN[:-1], 1.0]).doubts == ()


@pytest.mark.parametrize(
    ("scores", "doubted"),
    [
        ([0.0, 1.0] * 90, False),
        ([0.0, 1.0] * 100, True),
        ([1.0] * 290 + [0.0] * 10, False),
        ([1.0] * 970 + [0.0] * 30, True),
        ([1.0, 2.0, 3.0] * 9, False),
        ([1.0, 2.0, 3.0] * 10, True),
        ([3.0] * 38 + [1.0, 2.0], False),
        ([float(score) for score in range(10)], True),
        ([float(score) for score in range(9)], False),
        ([4.0] * 900, False),
    ],
)
def test_few_different_scores_may_be_equal_without_being_one_column(scores: list[float], doubted: bool) -> None:
    column = np.array(scores)
    (found,) = shared_scores(["a", "b"], [column, column]).values()
    assert found.doubtful is doubted
    parts = [SharedScores.of(column[rows], column[rows]) for rows in (slice(0, 7), slice(7, 100), slice(100, None))]
    assert parts[0].with_more(parts[1]).with_more(parts[2]).doubtful is doubted
    column = np.append(column, 5.0)
    assert not SharedScores.of(column, np.append(column[:-1], 6.0)).doubtful


def test_zeros_count_and_the_effect_of_excluding_them_is_reported(write: Write) -> None:
    engine = [score + 0.25 for score in HUMAN]
    many = table(write, [*HUMAN, 0, 0], [*engine, 3, 3], [*HUMAN, 0, 1])
    assert many.kept == 42
    assert many.zeros == 3
    assert many.doubts == ()
    assert many.warnings[0] == (
        "3 human scores are 0 and count as scores; to count them as missing, add --exclude-zero-scores."
    )
    second = table(write, HUMAN, engine, [*HUMAN[:-1], 0.0])
    assert second.warnings[0].endswith("counts as a score; to count it as missing, add --exclude-zero-scores.")
    below = table(write, [score - 2 for score in HUMAN], engine)
    assert not any("are 0" in sentence for sentence in below.warnings), "0 is the middle of this scale"


@pytest.mark.parametrize(
    ("human", "advice"),
    [
        (HUMAN, "add --scale 1:4 to confirm it"),
        ([score / 2 for score in HUMAN], "add --scale 0.5:2:0.5 to confirm it"),
        ([score / 3 for score in HUMAN], "in steps of 0.333333 (detected"),
        ([*HUMAN, 0.0], "add --scale 0:4 to confirm it"),
    ],
)
def test_the_suggested_scale_is_valid(
    write: Write, capsys: pytest.CaptureFixture[str], human: list[float], advice: str
) -> None:
    scores = table(write, human, [score + 0.2 for score in human])
    say(lines_read([scores]))
    said = capsys.readouterr().out
    assert "if the scale is wider, specify it)" in said
    assert advice in said
    typed = said.split("--scale ")[1].split()[0].rstrip("),")
    declared = from_keywords(scale=typed)
    again = read(write("id,human,system\n" + "".join(f"r{i},{h:g},1.5\n" for i, h in enumerate(human))), declared)
    assert again.kept == len(human)
    assert again.scale.step == pytest.approx(scores.scale.step)


def test_whitespace_around_labels_is_stripped(write: Write) -> None:
    rows = "".join(f"r{i},{i % 4 + 1},{i % 4 + 1.2},{'F ' if i % 3 else 'F' if i % 2 else 'M'}\n" for i in range(30))
    scores = read(write("id,human,system,gender\n" + rows), from_keywords())
    assert scores.groups["gender"].labels == ("F", "M")
