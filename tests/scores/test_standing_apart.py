"""Test codes for missing scores and typos, which raise a question, and sparse scales, which do not."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command import reportgen

from reportgen.errors import QuestionError
from reportgen.scores import read
from reportgen.scores.scale import outlier_codes
from reportgen.settings import from_keywords


def scores(tmp_path: Path, code: str, n: int, item: bool = False) -> Path:
    rng = np.random.default_rng(3)
    human = rng.integers(1, 7, 80)
    second = [code if place < n else str((value + place % 2) % 6 + 1) for place, value in enumerate(human)]
    head = "id,human1,human2,system" + (",item" if item else "")
    lines = [
        f"r{i},{h},{s},{h}.2" + (f",i{i % 2}" if item else "")
        for i, (h, s) in enumerate(zip(human, second, strict=True))
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join([head, *lines]) + "\n")
    return path


@pytest.mark.parametrize(("code", "n", "typed"), [("99", 60, "1:99"), ("55", 1, "1:55"), ("-9", 8, "-9:6")])
def test_a_code_among_the_scores_raises_a_question(tmp_path: Path, code: str, n: int, typed: str) -> None:
    path = scores(tmp_path, code, n)
    with pytest.raises(QuestionError) as raised:
        read(path)
    said = str(raised.value)
    parts = (
        f"{n} score",
        " in 'human2' ",
        f" {code}, and all others are 1 to 6",
        f"--missing {code}",
        f"--scale {typed}.",
    )
    assert all(part in said for part in parts)
    assert "human1" not in said
    assert len(said) <= 300
    assert read(path, from_keywords(scale=typed)).scale.low == float(typed.split(":")[0])
    assert read(path, from_keywords(missing=[code])).scale.high == 6
    with pytest.raises(QuestionError, match=f"What does {code} mean.*that no score was given: --missing {code};"):
        read(path, from_keywords(scale="1:6"))


def test_a_code_raises_a_question_in_tables_of_items(tmp_path: Path) -> None:
    done = reportgen(
        "tables", scores(tmp_path, "99", 9, item=True), tmp_path / "out", "--by", "item", cwd=tmp_path, code=2
    )
    assert "some human scores are 99, and all others are 1 to 6" in done.stderr
    assert not (tmp_path / "out").exists()


SCALES = [(1, 6, 1), (0, 4, 1), (1, 10, 1), (0, 100, 5), (0, 100, 1), (1, 5, 0.5), (0, 1, 0.01), (-2, 2, 1),
          (200, 800, 10), (0, 30, 1)]  # fmt: skip


def drawn(rng: Any) -> Any:
    low, high, step = SCALES[rng.integers(len(SCALES))]
    n = int(rng.choice([10, 20, 60, 200, 1000]))
    share = rng.normal(rng.uniform(0.2, 0.9), rng.uniform(0.08, 0.3), (n, 1)) + rng.normal(0, 0.08, (n, 2))
    human = np.clip(low + np.round(share * (high - low) / step) * step, low, high)
    return np.where(rng.random(human.shape) < 0.03 * (rng.random() < 0.3), low, human)


def test_a_thousand_files_without_codes_raise_no_question() -> None:
    rng = np.random.default_rng(8)
    assert not [found for _ in range(1_000) if (found := outlier_codes(drawn(rng))).values]


def test_common_codes_are_outliers_and_ends_of_sparse_scales_are_not() -> None:
    for values in ([0, 50, 55, 60, 100], [0, 70, 80, 85], [1, 2, 3, 7], [1, 6, 99], [0, 1], [5]):
        assert not outlier_codes(np.array(values, float)).values
    for values, apart in (([1, 2, 3, 4, 9], 9), ([1, 2, 3, -1, -99], -99), ([0, 1, 2, 3, 999], 999)):
        assert apart in outlier_codes(np.array(values, float)).values


@pytest.mark.parametrize(("code", "typed"), [("6", "--scale 1:6"), ("0", "--scale 0:5"), ("99", "--missing none")])
def test_a_code_among_the_engine_s_scores_is_asked_about(code: str, typed: str) -> None:
    rows = [{"id": f"r{n}", "human": n % 5 + 1, "engine": code if n % 13 == 0 else str(n % 5 + 1)} for n in range(60)]
    with pytest.raises(
        QuestionError,
        match=f"some scores in 'engine' are {code}, but all human scores are 1 to 5.*--missing {code};.*{typed}",
    ):
        read(rows)
    assert read(rows, from_keywords(missing=[code])).kept == 55


def test_a_code_at_one_end_does_not_hide_a_score_far_above_the_others() -> None:
    assert outlier_codes(np.array([-1.0, 1, 2, 3, 4, 5, 6, 11])).values == (-1, 11)
    assert outlier_codes(np.array([-1.0, 1, 2, 3, 4, 5, 6, 7])).values == (-1,)


def test_a_score_of_an_engine_on_a_longer_scale_is_no_code() -> None:
    rng = np.random.default_rng(1)
    human = rng.integers(1, 7, 300)
    longer = np.clip((human - 1) * 20 + rng.normal(0, 8, 300), 0, 100).round(1)
    coded = np.clip(human + rng.normal(0, 0.7, 300), 0.3, 6.6).round(2)
    second = np.clip(human + rng.integers(-1, 2, 300), 1, 6)
    longer[5], coded[5] = 98.0, 99.0
    assert read(pd.DataFrame({"human1": human, "human2": second, "engine": longer})).kept == 300
    with pytest.raises(QuestionError, match="some scores in 'engine' are 99"):
        read(pd.DataFrame({"human1": human, "human2": second, "engine": coded}))
