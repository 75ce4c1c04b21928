"""Test that results.json round-trips, and that damaged files raise errors."""

import contextlib
import json
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

import numpy as np
import pytest
import sample_report as sample
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.errors import InputError
from reportgen.results import Column, Estimate, Highlight, Row, Scale, Table
from reportgen.results.term import Term
from reportgen.storing import results_file
from reportgen.storing.report_folder import says, write_tables
from reportgen.storing.results_file import decode, encode
from reportgen.testing import example_evaluation
from reportgen.wording.vocabulary import english


def test_report_round_trips(tmp_path: Path) -> None:
    report = sample.report()
    results_file.write(report, tmp_path / "results.json")
    assert results_file.read(tmp_path / "results.json") == report


def test_numbers_are_not_rounded() -> None:
    assert '"value":0.7134567,' in results_file.dumps(sample.report())


def test_nonfinite_numbers_become_null() -> None:
    report = sample.report()
    facts = {"ratio": float("nan"), "range": (float("-inf"), 1.0)}
    text = results_file.dumps(replace(report, evaluation=replace(report.evaluation, facts=facts)))
    assert "NaN" not in text
    assert "Infinity" not in text
    assert results_file.loads(text).evaluation.facts == {"ratio": None, "range": (None, 1.0)}


def test_scale_labels_are_stored_only_if_present() -> None:
    report = sample.report()
    assert set(encode(report.evaluation.scale)) == {"low", "high", "step", "assumed"}
    named = Scale(0, 2, 1, assumed=False, labels=("No", "Partly", "Yes"), ordered=False)
    text = results_file.dumps(replace(report, evaluation=replace(report.evaluation, scale=named)))
    assert results_file.loads(text).evaluation.scale == named


def test_results_in_plain_values_keep_type() -> None:
    values = results_file.loads(results_file.dumps(sample.report())).sections[2].findings.values
    assert values == {"qwk": sample.QWK, "n": 4812}


@pytest.mark.parametrize(
    ("where", "value", "sentence"),
    [
        (("schema",), 99, "schema: expected 3, found 99 of another version"),
        (("schema",), 2, "schema: expected 3, found 2 of another version"),
        (("report", "title"), 7, "report.title: expected text, found 7"),
        (("report", "title"), {"$type": "Term", "key": "n"}, "title: expected a term with 'key' and 'values', found"),
        (("report", "title"), {"$type": "Term", "key": "n", "values": {"a": 10**301}}, "title.values.a: expected"),
        (("report", "evaluation", "source", "rows"), "many", "report.evaluation.source.rows: expected a whole number"),
        (("report", "evaluation", "scale"), [], "report.evaluation.scale: expected an object, found []"),
        (("report", "sections"), {}, "report.sections: expected a list, found {}"),
        (("report", "evaluation", "scale", "low"), "1", 'report.evaluation.scale.low: expected a number, found "1"'),
        (("report", "evaluation", "scale", "low"), True, "report.evaluation.scale.low: expected a number, found true"),
        (("report", "evaluation", "scale", "low"), 10**301, "expected a number, found 1000000000"),
        (("report", "evaluation", "scale", "low"), float("nan"), "scale.low: expected a number, found NaN"),
        (("report", "evaluation", "source", "rows"), 5.0, "source.rows: expected a whole number, found 5.0"),
        (("report", "evaluation", "facts", "kept"), 10**301, "expected a number, found 1000000000"),
        (("report", "evaluation", "ruling"), 5, "report.evaluation.ruling: expected an object or null, found 5"),
        (("report", "evaluation", "measure"), None, "unknown key 'measure'"),
        (("report", "titel"), "x", "unknown key 'titel'; did you mean 'title'?"),
        (("report", "evaluation", "checks", 0, "outcome"), "passed", "expected one of 'met', 'not met'"),
        (
            ("report", "sections", 1, "findings", "charts", 0, "layers", 0, "kind"),
            "pie",
            "layers[0]: expected an object of kind 'dots' or an object of kind 'bars'",
        ),
        (("report", "sections", 1, "findings", "charts", 0, "alt"), " ", "has no alt text"),
    ],
)
def test_damaged_file_error_names_place(where: tuple[str | int, ...], value: object, sentence: str) -> None:
    content = json.loads(results_file.dumps(sample.report()))
    place = content
    for step in where[:-1]:
        place = place[step]
    place[where[-1]] = value
    with pytest.raises(InputError) as caught:
        results_file.loads(json.dumps(content), "old.json")
    assert sentence in str(caught.value)
    assert str(caught.value).startswith("old.json: ")


def test_integers_stay_integers() -> None:
    report = sample.report()
    scale = replace(report.evaluation.scale, low=1, high=6.0)
    read = results_file.loads(results_file.dumps(replace(report, evaluation=replace(report.evaluation, scale=scale))))
    assert [type(read.evaluation.scale.low), type(read.evaluation.scale.high)] == [int, float]


def test_deeply_nested_values_raise() -> None:
    content = json.loads(results_file.dumps(sample.report()))
    for _ in range(700):
        content["report"]["evaluation"]["facts"] = {"deeper": content["report"]["evaluation"]["facts"]}
    with pytest.raises(InputError, match=r"^results\.json: nested too deeply"):
        results_file.loads(json.dumps(content))


def test_missing_key_error_names_key() -> None:
    content = json.loads(results_file.dumps(sample.report()))
    del content["report"]["evaluation"]["source"]["sha256"]
    with pytest.raises(InputError, match=r"report\.evaluation\.source: expected the key 'sha256'"):
        results_file.loads(json.dumps(content))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"schema": 1}', b"[" * 100_000])
def test_other_json_files_raise(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "results.json"
    path.write_bytes(content)
    with pytest.raises(InputError):
        results_file.read(path)


def test_missing_results_raise(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="was not found"):
        results_file.read(tmp_path / "none.json")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_replaced_value_loads_or_raises(data: st.DataObject) -> None:
    content = json.loads(results_file.dumps(sample.report()))
    place = content["report"]
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        child = place[key]
        if not isinstance(child, (dict, list)) or not child or data.draw(st.booleans()):
            break
        place = child
    place[key] = data.draw(st.sampled_from([None, True, -1, 1e300, "text", [], {}, [[]], {"$type": "Table"}]))
    with contextlib.suppress(InputError):
        results_file.loads(json.dumps(content))


def test_nested_type_error_is_found_quickly() -> None:
    inside: object = {"$type": "Row"}
    for _ in range(60):  # searching twice at every level would take exponential time
        inside = [1, {"deeper": inside}]
    content = json.loads(results_file.dumps(sample.report()))
    content["report"]["evaluation"]["facts"] = {"x": inside}
    with pytest.raises(InputError) as refused:
        results_file.loads(json.dumps(content))
    place = "report.evaluation.facts.x" + "[1].deeper" * 60
    assert f": {place}: expected the key 'cells', found none; to make" in str(refused.value)


def test_str_subclasses_are_stored_as_text() -> None:
    """Third-party sections may return NumPy strings or string enumerations."""

    class Word(StrEnum):
        YES = "yes"

    assert [type(value) for value in encode({"a": Word.YES, "b": np.str_("no")}).values()] == [str, str]
    assert decode(encode(Highlight(Word.YES)), Highlight, "highlight") == Highlight("yes")


def test_results_above_memory_limit_raise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPORTGEN_MEMORY", "0.001")
    (tmp_path / "results.json").write_text(" " * 200_000)
    with pytest.raises(InputError, match=r"reading it requires about 0\.002 GB of memory"):
        results_file.read(tmp_path / "results.json")


TABLE = Table(
    "a.table",
    "",
    (Column("who"), Column("statistic"), Column("value")),
    (
        Row((Term("first_rater"), Term("qwk"), Estimate("qwk", 0.5, 9, 0.25, 0.75))),
        Row((Term("chart_data", title="scores"), "=cmd()", None)),
    ),
)


def written(folder: Path) -> Path:
    write_tables(map(english().file, [TABLE]), folder)
    return folder / TABLE.file_name


def test_terms_become_words_and_statistics_keep_keys(tmp_path: Path) -> None:
    assert written(tmp_path).read_text(encoding="utf-8").splitlines() == [
        "who,statistic,value,value_low,value_high,value_n",
        "One rater,qwk,0.5,0.25,0.75,9",
        "Data: scores,'=cmd(),,,,",
    ]


def test_report_is_recognized_in_any_language(tmp_path: Path) -> None:
    text = written(tmp_path).read_text(encoding="utf-8")
    assert says(text, TABLE)
    assert says(text.replace("One rater", "Primer evaluador"), TABLE)


@pytest.mark.parametrize(
    ("old", "new"), [("0.75", "0.76"), ("who", "rater"), (",9\n", ",9,more\n"), ("One", '"One'), ("who", "\ufeffwho")]
)
def test_edited_file_is_not_recognized(tmp_path: Path, old: str, new: str) -> None:
    text = written(tmp_path).read_text(encoding="utf-8")
    assert text.replace(old, new) != text
    assert not says(text.replace(old, new), TABLE)
    assert not says("", TABLE)


def test_report_files_contain_only_statistics_keys() -> None:
    tables = example_evaluation().tables.values()
    cells = [cell for table in tables for row in table.rows for cell in row.cells]
    kept = [cell for table in map(english().file, tables) for row in table.rows for cell in row.cells]
    assert any(isinstance(cell, Term) for cell in cells)
    assert all(english().knows(cell.key) for cell in kept if isinstance(cell, Term))
