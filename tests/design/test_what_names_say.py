"""Scales, training rows, and further scores that the names of columns speak of."""

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from command import reportgen as run

from reportgen.errors import InputError, QuestionError
from reportgen.scores.reading import read, read_tables
from reportgen.settings import from_keywords

N, TRUTH = 60, np.random.default_rng(3).integers(1, 6, 60)
POINTS = np.clip(TRUTH + np.random.default_rng(11).integers(-1, 2, N), 1, 5)
RANDOM = np.random.default_rng(12)
NEAR = np.clip(TRUTH + RANDOM.integers(-1, 2, N), 1, 5)
CODES, OWN = [*["missing 99 --scale 2:5"] * 2, "scale 2:99"], ("0:1", "2:5", "0:1")
SIDES = {"id": [f"r{row}" for row in range(N)], "human": TRUTH, "engine": POINTS}


SAME, MOVED = "evaluate s.csv --scale 1:5 --system-scale 1:5", "evaluate s.csv --scale 1:5 --system-scale"


@pytest.mark.parametrize(
    ("columns", "said", "commands"),
    [
        ({"max_score": np.where(TRUTH > 3, 6, 5)}, "is 5 or 6, depending on 'max_score'",
         ["batch s.csv --by max_score", "evaluate s.csv --scale 1:6"]),
        ({"Points Possible": np.where(TRUTH > 3, 9, 7)}, "is 7 or 9",
         ["batch s.csv --by 'Points Possible'", "evaluate s.csv --scale 1:9"]),
        ({"max_pts": np.where(TRUTH > 3, 5, 4)}, "depending on 'max_pts'",
         ["batch s.csv --by max_pts", "evaluate s.csv --scale 1:5"]),
        ({"item": TRUTH > 3, "human": TRUTH * np.where(TRUTH > 3, 4, 1), "engine": TRUTH * np.where(TRUTH > 3, 4, 1)},
         "the highest score is 3 or 20, depending on 'item'",
         ["batch s.csv --by item", "evaluate s.csv --scale 1:20"]),
        ({"samp_wt": np.where(TRUTH > 3, 9.0, 1.5)}, "a sampling weight",
         ["evaluate s.csv --weight samp_wt", "evaluate s.csv --weight ''"]),
        ({"weight": np.where(TRUTH > 3, 0.4, 0.2)}, "", []),
        ({"source": np.where(TRUTH > 3, "rater", "imputed")}, "may mark rows to evaluate separately",
         ["batch s.csv --by source", "evaluate s.csv --group source"]),
        ({"engine": TRUTH + 1}, "range from 2 to 6", [f"{MOVED} 2:6", SAME]),
        ({"engine": ((TRUTH - 3) / 2.3 + RANDOM.normal(0, 0.05, N)).round(3)}, "range from", [f"{MOVED} -1:1", SAME]),
        ({"engine_v2": TRUTH % 4 + 1}, "", []),
        ({"engine_v2": POINTS[::-1] % 2 + TRUTH % 5}, "", []),
        ({"orbit": NEAR, "engine_v2": NEAR[::-1]}, "'orbit' agrees closely with",
         [f"evaluate s.csv --human human --system engine{more}" for more in ("", " --human orbit", " --system orbit")]),
        ({"human": np.where(np.arange(N) % 12, TRUTH, 6)}, "human scores in 'human' are 6, but the engine scores these",
         ["evaluate s.csv --missing 6", "evaluate s.csv --scale 1:6"]),
        ({"engine": 20 * POINTS - 50, "scaled_score": 0.93 * POINTS + 0.2}, "", []),
        ({"human": np.where(TRUTH < 2, 99, TRUTH), "engine": NEAR / 5}, "99 is a valid score, and the scale",
         [f"evaluate s.csv --{one} --system-scale {own}" for one, own in zip(CODES, OWN, strict=True)]),
    ],
)  # fmt: skip
def test_columns_raise_a_question(columns: dict[str, Any], said: str, commands: list[str], tmp_path: Path) -> None:
    pa_csv.write_csv(pa.table({**SIDES, **columns}), tmp_path / "s.csv")
    done = run("evaluate", "s.csv", "--tables-only", cwd=tmp_path, code=2 if commands else 0)
    assert said in done.stderr
    printed = [line.strip() for line in done.stderr.splitlines() if line.startswith("     ")]
    assert printed == [f"reportgen {each.replace('s.csv', 's.csv --tables-only')}" for each in commands]
    for place, command in enumerate(printed):
        words = shlex.split(command)
        run(*words[1:3], f"out{place}", *words[3:], cwd=tmp_path)


@pytest.mark.parametrize(("name", "high"), [("h1 (10 pts)", 10), ("h1 /20", 20), ("h1 (0-6)", 6), ("h1 (2026)", 5)])
def test_the_name_of_a_rating_column_gives_the_highest_score(name: str, high: int) -> None:
    table = pa.table(SIDES)
    (found,) = read_tables(table.rename_columns(["id", name, "engine"]))
    assert (found.scale.high, found.scale.assumed) == (high, True)


def test_raters_whose_mean_is_scored_are_not_copies_of_it() -> None:
    apart = np.arange(N) % 3
    raters = {"Ann": 10 * TRUTH, "Bo": 10 * TRUTH + 2 * apart, "engine": 10 * NEAR + 0.3}
    with pytest.raises(QuestionError, match="the human scores are in 'Ann' and 'Bo'"):
        read(pa.table({"id": SIDES["id"], "final score": 10 * TRUTH + apart, **raters}))


def test_training_markers_and_scores_in_words_are_not_groups() -> None:
    table = pa.table({**SIDES, "part": RANDOM.choice(["train", "test"], N), "female": RANDOM.integers(0, 2, N)})
    with pytest.raises(
        QuestionError, match="'part' may mark rows to evaluate separately, such as training data"
    ) as asked:
        read_tables(table)
    assert [options for _, options in asked.value.choices] == [("batch", "--by", "part"), ("--group", "part")]
    (found,) = read_tables(table.drop_columns(["part"]))
    assert found.columns("group") == ("female",)


def test_an_engine_named_as_a_group_is_an_error() -> None:
    with pytest.raises(InputError, match="group column 'engine' looks like engine scores"):
        read_tables(pa.table(SIDES), from_keywords(groups=["engine"]))


@pytest.mark.parametrize(("unit", "who"), [("INPUT:text_id", "ASSIGNMENT:worker_id"), ("_unit_id", "_worker_id")])
def test_ratings_in_rows_of_annotation_tools_are_of_units(unit: str, who: str) -> None:
    rows = range(3 * N)
    names = {"_id": [f"a{row}" for row in rows], unit: [f"t{row // 3}" for row in rows]}
    names[who] = [f"w{row % 7}" for row in rows]
    (found,) = read_tables(pa.table({**names, "score": np.repeat(TRUTH, 3), "engine": np.repeat(NEAR, 3)}))
    assert (found.kept, np.isfinite(found.human).sum(), found.columns("id")) == (N, 3 * N, (unit,))


def test_rows_that_repeat_names_or_summarize_others_are_no_responses() -> None:
    rows = [["AB"[n // 20], f"S{n}", f"{n % 5 + 1}", f"{n % 5 + 1.2}", "Approved"] for n in range(40)]
    more = {40: ["B total", "", "2.9", "3.2", ""], 20: ["A total", "", "3.1", "3.2", ""],
            9: ["class", "id", "human", "engine", "status"], 5: ["Student, Test", "S99", "1", "1", ""],
            2: ["A", "S98", "1", "5", "Rejected"]}  # fmt: skip
    for place, row in more.items():
        rows.insert(place, row)
    (found,) = read_tables(pa.table([*zip(*rows, strict=True)], ["class", "id", "human", "engine", "status"]))
    assert (found.kept, found.scale.step, any("5 rows not read" in each for each in found.warnings)) == (40, 1, True)


GRADES = ["1", "2+", "2", "2-", "3"]


@pytest.mark.parametrize(
    ("human", "engine", "said"),
    [
        (GRADES, GRADES, "--labels 3,2-,2,2[+],1; .*--labels 1,2-,2,2[+],3"),
        (["0", "1", "2", "3", "0"], ["1.9", "1.1", "2.1", "2.9", "2.2"], "--missing 0; .*--scale 0:3"),
    ],
)
def test_scores_that_may_mean_something_else_are_asked_about(human: list[str], engine: list[str], said: str) -> None:
    with pytest.raises(QuestionError, match=said):
        read_tables(pa.table({"id": [f"r{n}" for n in range(60)], "human": human * 12, "engine": engine * 12}))


def test_names_of_columns_in_another_encoding_are_asked_about(tmp_path: Path) -> None:
    rows = ["эксперт 1,эксперт 2,модель", *(f"{n % 5},{n % 4},{n % 3}" for n in range(30))]
    (tmp_path / "s.csv").write_bytes("\n".join(rows).encode("cp1251"))
    with pytest.raises(QuestionError, match="--encoding cp1251"):
        read_tables(tmp_path / "s.csv")


ORDER, SAME_SCORE = np.argsort(TRUTH, kind="stable"), np.where(RANDOM.random(N) < 0.2, POINTS, TRUTH)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"human": np.sort(TRUTH), "engine": np.sort(POINTS)}, "sorted separately"),
        ({"human": np.sort(TRUTH), "engine": POINTS[ORDER]}, ""),
        ({"human": SAME_SCORE, "engine": TRUTH, "action": np.where(SAME_SCORE == TRUTH, "accepted", "edited")},
         "someone"),
        ({"human": SAME_SCORE, "engine": TRUTH, "agree": np.where(SAME_SCORE == TRUTH, "Y", "N")}, ""),
        ({"mean_human": TRUTH / 2, "mean_engine": POINTS / 2, "n_students": TRUTH, "sd_human": TRUTH / 9}, "averages"),
        ({"human": np.arange(N) // 12, "engine": np.arange(N) // 3 % 4, "prompt": np.arange(N) % 3, "count": TRUTH},
         "counts"),
        ({"h1_score": TRUTH, "h2_score": NEAR, "R1_ReaderID": [*"ab"] * 30, "R2_ReaderID": ["c", "CRASE"] * 30},
         "CRASE"),
        ({"human": TRUTH, "engine": POINTS, "split": ["train"] * N}, "used to train"),
        ({"human": TRUTH, "engine": POINTS, "split": ["test"] * N}, ""),
    ],
)  # fmt: skip
def test_scores_that_cannot_show_agreement_are_refused(columns: dict[str, Any], said: str) -> None:
    ids = {} if "count" in columns else {"id": SIDES["id"]}
    table = pa.table({**ids, **columns})
    if not said:
        read(table)
        return
    with pytest.raises(InputError, match=said):
        read(table)


def test_rows_of_one_essay_are_dependent() -> None:
    scores = read(pa.table({"essay": [f"e{row // 3}" for row in range(N)], "human": TRUTH, "engine": POINTS}))
    assert scores.columns("cluster") == ("essay",)
    assert scores.candidates is not None
    assert len(set(scores.candidates.tolist())) == 20
