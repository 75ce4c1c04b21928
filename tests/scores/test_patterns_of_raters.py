"""Patterns after --human choose people: they take no engine, which full names do."""

import pyarrow as pa
import pytest

from reportgen.errors import SettingsError
from reportgen.scores import read, read_systems, read_tables
from reportgen.settings import from_keywords


def wide(*names: str) -> pa.Table:
    """Return a file with one row per response, with score columns and numeric IDs."""
    columns = {name: [1 + (row * (place + 2)) % 5 for row in range(40)] for place, name in enumerate(names)}
    return pa.table({"id": list(range(40)), **columns})


def long(*raters: str) -> pa.Table:
    """Return a file with one row per rating."""
    rows = [(row, rater, 1 + (row * (place + 2)) % 5) for row in range(40) for place, rater in enumerate(raters)]
    return pa.table(dict(zip(("essay_id", "rater", "score"), map(list, zip(*rows, strict=True)), strict=True)))


@pytest.mark.parametrize("pattern", ["*", "[!z]*", "*[a-z0-9]*"])
@pytest.mark.parametrize("engine", ["gpt-4o", "system", "claude-3", "sonnet_few"])
def test_a_pattern_matches_no_engine_in_either_layout(pattern: str, engine: str) -> None:
    found = read(wide("human1", engine, "human2"), from_keywords(human=[pattern]))
    assert (found.columns("system"), set(found.raters)) == ((engine,), {"human1", "human2"})
    found = read(long("R1", engine, "R2"), from_keywords(human=[pattern]))
    assert found.columns("system") == (engine,)
    assert found.rater_ids is not None
    assert set(found.rater_ids.names) == {"R1", "R2"}


def test_a_full_name_matches_an_engine() -> None:
    (found,) = read_tables(long("R1", "gpt", "R2"), from_keywords(human=["R*", "gpt"], ratings_only=True))
    assert found.rater_ids is not None
    assert set(found.rater_ids.names) == {"R1", "gpt", "R2"}
    assert set(read(wide("human1", "gpt", "judge"), from_keywords(human=["human*", "gpt"])).raters) == {"human1", "gpt"}


def test_a_pattern_does_not_match_the_named_system_and_ids() -> None:
    (found,) = read_systems(long("R1", "R2", "R3"), from_keywords(system="R3", human=["R*"]))
    assert found.rater_ids is not None
    assert set(found.rater_ids.names) == {"R1", "R2"}
    wide_too = read(wide("a", "b", "c"), from_keywords(system="c", human=["*"]))
    assert set(wide_too.raters) == {"a", "b"}


@pytest.mark.parametrize("table", [wide("human1", "claude-3"), long("R1", "claude-3")])
def test_a_pattern_that_matches_only_engines_names_no_one(table: pa.Table) -> None:
    with pytest.raises(SettingsError, match=r"--human: '\*3' matches none of the"):
        read(table, from_keywords(human=["*3"]))


@pytest.mark.parametrize("name", ["human2", "rater_b", "gpt"])
def test_a_column_named_like_scores_without_scores_is_not_a_group(name: str) -> None:
    table = wide("human1", "system").append_column(name, [[f"level {'abcd'[row % 4]}" for row in range(40)]])
    found = read(table)
    assert "group" not in {role.role for role in found.roles}
    assert dict(found.left_out)[name].startswith("words, although the other scores are numbers")
    assert "group" not in {role.role for role in read(table, from_keywords(human=["human1"], system="system")).roles}


@pytest.mark.parametrize("table", [wide("rater_1", "rater_2", "rater_3"), long("rater_1", "rater_2", "rater_3")])
def test_a_single_remaining_rater_is_an_error(table: pa.Table) -> None:
    assert read_tables(table, from_keywords(without=["rater_3"], ratings_only=True))[0].kept
    with pytest.raises(SettingsError, match="--without leaves one rater and no engine"):
        read_tables(table, from_keywords(without=["rater_2", "rater_3"]))


def test_any_is_never_the_name_of_a_rater() -> None:
    found = read(wide("any", "human2", "system"), from_keywords(human=["any", "human2"], record="any"))
    assert found.design.interchangeable


def test_an_answer_that_a_harness_could_not_parse_is_not_a_score() -> None:
    scores = ["[invalid]" if row < 4 else str(1 + row % 5) for row in range(40)]
    found = read(wide("human1").append_column("gpt", [scores]))
    assert (found.kept, found.outputs.refusals) == (36, 4)
