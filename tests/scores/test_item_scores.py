"""Test scores of the other items of the test, and their settings."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from command import refused, reportgen

from reportgen.errors import InputError, SettingsError
from reportgen.scores import read, read_systems, resolved
from reportgen.settings import from_keywords, load, write_config

TABLE = pa.table({"human": [1, 2, 3, None, 2], "system": [1.2, 2.2, 2.8, 2.0, 2.0], "q1": ["1", "0", "", "1", "x"],
    "q2": [4, 0, 2, 1, 3]})  # fmt: skip


def test_item_scores_follow_the_responses_that_count() -> None:
    scores = read(TABLE, from_keywords(item_scores=["q2", "q1"]))
    assert scores.columns("item score") == ("q2", "q1")
    assert scores.item_scores is not None
    np.testing.assert_array_equal(scores.item_scores, [[4, 1], [0, 0], [2, np.nan], [3, np.nan]])
    assert scores.with_all_items.tolist() == [True, True, False, False]
    assert any("non-numeric value" in sentence and "'q1'" in sentence for sentence in scores.warnings)
    assert read(TABLE).item_scores is None


def test_one_name_is_enough_and_is_in_the_written_configuration(tmp_path: Path) -> None:
    settings = from_keywords(item_scores="q2", impact_cuts=[3, 4.5], impact_slope=2)
    scores = read(TABLE, settings)
    write_config(resolved(settings, scores, Path("scores.csv")), tmp_path / "config.toml")
    again = load(tmp_path / "config.toml")
    assert again.data.item_scores == ("q2",)
    assert again.impact == settings.impact


def test_every_system_has_item_scores() -> None:
    table = TABLE.append_column("judge", pa.array([1, 2, 3, 2, 2]))
    tables = read_systems(table, from_keywords(item_scores=["q2"], systems=["system", "judge"]))
    assert [each.item_scores is not None for each in tables] == [True, True]


def test_one_row_per_rating() -> None:
    rows = [(f"r{place}", f"R{rater}", 1 + (place + rater) % 3, 1.5 + place % 2, place % 4)
            for place in range(12) for rater in range(2)]  # fmt: skip
    names = ("response_id", "rater_id", "score", "engine", "q1")
    table = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    scores = read(table, from_keywords(item_scores=["q1"]))
    assert scores.item_scores is not None
    assert scores.item_scores[:, 0].tolist() == [place % 4 for place in range(12)]
    wrong = table.set_column(4, "q1", pa.array(range(24)))
    with pytest.raises(InputError, match="column 'q1' contains '0' in row 1 and '1' in row 2"):
        read(wrong, from_keywords(item_scores=["q1"]))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["q3"], "item score column 'q3' does not exist"),
        (["human"], "column 'human' cannot be both human and item score"),
        (["q2", "q2"], "column 'q2' is listed twice"),
    ],
)
def test_columns_that_cannot_be_item_scores(columns: list[str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        read(TABLE, from_keywords(item_scores=columns, human=["human"]))


def test_columns_without_item_scores() -> None:
    for cells, message in ((["a", "b", "c", "d", "e"], "column 'q3' has no numbers"),
                           ([1, 2, 3, 4, 2e6], "row 5: column 'q3' contains the item score 2e\\+06")):  # fmt: skip
        with pytest.raises(InputError, match=message):
            read(TABLE.append_column("q3", pa.array(cells)), from_keywords(item_scores=["q3"]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"impact_cuts": [3]}, "impact.cuts requires the scores of the other items; add item_scores"),
        ({"impact_scoring": "irt"}, "impact.scoring requires the scores of the other items"),
        ({"impact_low": 3}, "impact.low requires the scores of the other items"),
        ({"item_scores": ["q2"], "impact_cuts": [4, 3]}, "cuts must be ascending scale scores"),
        ({"item_scores": ["q2"], "impact_low": 4, "impact_high": 3}, r"low \(4\) must be below high \(3\)"),
        ({"item_scores": ["q2"], "impact_scoring": "irt", "impact_weight": 2}, "does not support item weights"),
        ({"impact_slope": 0}, "above 0"),
        ({"impact_sloope": 1}, "impact_slope"),
    ],
)
def test_settings_that_make_no_sense(given: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message) as told:
        from_keywords(**given)
    assert ": :" not in str(told.value)


def test_the_command_line_takes_item_scores(tmp_path: Path) -> None:
    lines = ["human,engine,q1,q2", *(f"{1 + k % 4},{1.3 + (k * 7) % 4},{k % 2},{k % 3}" for k in range(40))]
    (tmp_path / "scores.csv").write_text("\n".join(lines))
    done = reportgen("evaluate", "scores.csv", "out", "--item-score", "q1", "--item-score", "q2", "--tables-only",
                     cwd=tmp_path)  # fmt: skip
    assert "item score    q1, q2" in done.stdout
    assert (tmp_path / "out" / "tables" / "impact.differences.csv").is_file()
    wrong = refused("evaluate", "scores.csv", "other", "--item-score", "q9", cwd=tmp_path)
    assert "item score column 'q9' does not exist" in wrong
