"""Whatever a file holds: scores, or one sentence; never a traceback."""

import re
from pathlib import Path

import pytest
from command import refused
from fuzz.pieces import Draw
from fuzz.spoiling import spoilt
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen.errors import ReportgenError
from reportgen.scores import read
from reportgen.settings import load

SOUND = b"id,human,human2,system,gender\n" + b"".join(
    b'r%d,%d,%d,%.2f,"%s"\n' % (i, i % 4 + 1, i % 3 + 1, i % 4 + 1.37, b"fm"[i % 2 : i % 2 + 1]) for i in range(30)
)
SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet", ".xlsx")
CONFIGURATION = (
    b'[data]\nsystem = "a"\nhuman = ["h"]\nscale = "1:6"\n[report]\nformats = ["html"]\n[sections.data]\nx = 1\n'
)

many = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def check_sentence(error: ReportgenError) -> None:
    assert str(error).strip()
    assert "Traceback" not in str(error)


def reads_or_says(path: Path) -> None:
    try:
        scores = read(path)
    except ReportgenError as error:
        check_sentence(error)
    else:
        assert 2 <= scores.kept <= scores.read


@many
@given(content=st.binary(max_size=300), suffix=st.sampled_from(SUFFIXES))
def test_random_bytes(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"scores{suffix}"
    path.write_bytes(content)
    reads_or_says(path)


@many
@given(text=st.text(alphabet='a1,.;\t"\n\r 0\u202e\ufeff', max_size=120), suffix=st.sampled_from(SUFFIXES[:3]))
def test_random_text(tmp_path: Path, text: str, suffix: str) -> None:
    path = tmp_path / f"scores{suffix}"
    path.write_text(text, encoding="utf-8", newline="")
    reads_or_says(path)


@many
@given(seed=st.integers(0, 10**9), suffix=st.sampled_from([".toml", ".yaml", ".json"]))
def test_mangled_configuration(tmp_path: Path, seed: int, suffix: str) -> None:
    path = tmp_path / f"config{suffix}"
    path.write_bytes(spoilt(Draw(str(seed)), CONFIGURATION))
    try:
        load(path)
    except ReportgenError as error:
        check_sentence(error)


def test_the_valid_file_is_valid(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(SOUND)
    scores = read(path)
    assert scores.kept == 30
    assert scores.columns("group") == ("gender",)


@pytest.mark.parametrize("suffix", ["", ".csv.7z"])
def test_unknown_format(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"scores{suffix}"
    path.write_bytes(b"\0" + SOUND)
    with pytest.raises(ReportgenError, match=r"are not supported; save the scores as \.csv"):
        read(path)


@pytest.mark.parametrize("blocker", ["report.html", "results.json"])
def test_a_folder_at_the_path_of_a_page_is_an_error_and_kept(tmp_path: Path, blocker: str) -> None:
    from reportgen.errors import OutputError
    from reportgen.storing import report_folder

    (tmp_path / blocker).mkdir()
    with pytest.raises(OutputError, match="is in the way of the report"), report_folder.staged(tmp_path, force=True):
        pass
    assert (tmp_path / blocker).is_dir()


def test_a_pipe_is_not_a_score_file(tmp_path: Path) -> None:
    import os

    from reportgen.errors import InputError
    from reportgen.scores import read

    os.mkfifo(tmp_path / "scores.csv")
    with pytest.raises(InputError, match="not an ordinary file"):
        read(tmp_path / "scores.csv")


@pytest.mark.parametrize("rows_after", [3, 20_000])
def test_an_unclosed_quote_swallows_no_rows(tmp_path: Path, rows_after: int) -> None:
    from reportgen.errors import InputError
    from reportgen.scores import read

    rows = [f"r{number},{number % 4 + 1},{number % 5 + 0.5},x" for number in range(rows_after)]
    text = "\n".join(["id,human,system,g", "a,1,1.2,x", 'b,2,2.1,"y', *rows])
    (tmp_path / "scores.csv").write_text(text + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"row 3: a quote is opened and never closed"):
        read(tmp_path / "scores.csv")


@pytest.mark.slow
def test_a_repeated_key_in_json_lines(tmp_path: Path) -> None:
    lines = '{"id": "a", "human": 1, "system": 1.5}\n{"id": "b", "human": 2, "human": 3, "system": 2.5}\n'
    (tmp_path / "scores.jsonl").write_text(lines)
    said = refused("evaluate", "scores.jsonl", "out", cwd=tmp_path)
    assert "line 2: not readable as JSON (an object has the key 'human' twice)" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.json", '{"data": {"file": "scores.csv", "scale": "1:6", "scale": "1:4"}}'),
        ("c.json", '{"experiment_id": "a", "experiment_id": "b", "predictions_file": "scores.csv"}'),
        ("c.yaml", "data:\n  file: scores.csv\n  scale: '1:6'\n  scale: '1:4'\n"),
        ("c.yaml", "data: &x\n  file: scores.csv\nreport: {title: a, title: b}\n"),
        ("c.toml", 'data.scale = "1:6"\ndata.scale = "1:4"\n'),
    ],
)
def test_a_repeated_key_in_a_configuration(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert re.search("occurs twice in one table|overwrite", refused("evaluate", name, "out", cwd=tmp_path))


@pytest.mark.parametrize(
    ("scores", "says"), [((1, 2e300, 3), "within 1,000,000 of 0"), ((0, 2e-320, 1e-320), "deviation of")]
)
def test_training_scores_out_of_any_range(tmp_path: Path, scores: tuple[float, ...], says: str) -> None:
    (tmp_path / "train.csv").write_text("sc1,prediction\n" + "".join(f"{i},{x}\n" for i, x in enumerate(scores)))
    (tmp_path / "scores.csv").write_text("id,human,system\na,1,1.2\nb,2,2.2\nc,3,3.1\n")
    (tmp_path / "c.toml").write_text('[data]\nfile = "scores.csv"\n[preparation]\nscale_with = "train.csv"\n')
    assert says in refused("evaluate", "c.toml", "out", cwd=tmp_path)


@pytest.mark.parametrize("encoding", ["punycode", "idna", "rot13", "undefined", "no such"])
def test_encodings_of_no_file(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "scores.csv").write_text("id,human,system\na,1,1.2\nb,2,2.2\nc,3,3.1\n")
    said = refused("evaluate", "scores.csv", "out", "--encoding", encoding, cwd=tmp_path)
    assert f"encoding '{encoding}' is not known" in said


ROWS = [f"r{i},{i % 5 + 1},{i % 5 + 1.2:.1f}" for i in range(60)]


@pytest.mark.slow
@pytest.mark.parametrize("score", ["1e308", "-1e308", "1e100"])
@pytest.mark.parametrize("column", ["human", "system"])
def test_scores_beyond_any_scale_are_an_error_with_the_row_and_no_warning(
    tmp_path: Path, column: str, score: str
) -> None:
    cells = ["r7", "3", score] if column == "system" else ["r7", score, "3.2"]
    lines = ["id,human,system", *ROWS[:7], ",".join(cells), *ROWS[8:]]
    (tmp_path / "s.csv").write_text("\n".join(lines))
    done = refused("evaluate", "s.csv", "out", "--formats", "", cwd=tmp_path)
    assert "row 9" in done
    assert f"'{column}'" in done
    assert "Warning" not in done
    assert ".py" not in done


def test_row_errors_are_reported_in_files_with_cells_of_any_length(tmp_path: Path) -> None:
    long = "x" * 200_000
    lines = ["id,human,system,essay", *(f"{row},{long if n == 3 else 'a'}" for n, row in enumerate(ROWS)), "r1,2"]
    (tmp_path / "s.csv").write_text("\n".join(lines))
    done = refused("evaluate", "s.csv", "out", "--formats", "", cwd=tmp_path)
    assert "row 62: the header has 4 columns, but this row has 2 values\nhint: add the missing delimiter" in done
    (tmp_path / "s.csv").write_text("\n".join([*lines[:30], "r1;2;3", *lines[30:-1]]))
    done = refused("evaluate", "s.csv", "out", "--formats", "", cwd=tmp_path)
    assert "row 31: the header has 4 columns, but this row has 1 value\nhint: this row may use another" in done


@pytest.mark.parametrize("deep", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000])
def test_values_that_are_nested_too_deeply_are_an_error_with_the_line_and_a_way_out(tmp_path: Path, deep: str) -> None:
    lines = [
        f'{{"id":"r{i}","human":{i % 5 + 1},"system":{i % 5 + 1.2},"x":{deep if i == 3 else 1}}}' for i in range(60)
    ]
    (tmp_path / "s.jsonl").write_text("\n".join(lines))
    done = refused("evaluate", "s.jsonl", "out", "--formats", "", cwd=tmp_path)
    assert "line 4: not readable as JSON (nested too deeply)\nhint: correct it, or save it as .csv" in done


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "start"), [("s.toml", "[data]\nx = "), ("s.json", '{"data": '), ("s.yaml", "data: "), ("results.json", "")]
)
def test_no_message_names_the_recursion_of_a_parser(tmp_path: Path, name: str, start: str) -> None:
    (tmp_path / name).write_text(start + "[" * 100_000 + "]" * 100_000)
    command = "check" if name == "results.json" else "evaluate"
    done = refused(command, name, cwd=tmp_path)
    assert "nested too deeply" in done
    assert "recursion" not in done
