"""The same scores in any format, encoding or layout are the same scores."""

import csv
import gzip
import hashlib
import json
import re
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from score_files import THREE, Write

from reportgen.errors import InputError, QuestionError
from reportgen.scores import ScoreTable, read
from reportgen.settings import from_keywords
from reportgen.sources.delimited import likely_encodings
from reportgen.sources.readers import open_reader
from reportgen.sources.tabular import Place, around_of

HOSTILE = ["<script>alert(1)</script>", 'a"b', "x\ny", "\u202eabc", "g" * 300, "\U0001f642", "=cmd()", "NA", "None"]


OBJECTS = [dict(zip(("id", "human", "system"), line.split(","), strict=True)) for line in THREE.split()[1:]]
LISTS: list[dict[str, Any]] = [{**row, "human": [{"by": "X", "read": 1, "score": row["human"]}]} for row in OBJECTS]
LISTS[0]["human"] += [{"by": "Y", "read": 2, "score": 2}]
ROW = r'<Row><Cell>\1</Cell><Cell ss:Index="3">\2</Cell><Cell><Data>\3</Data></Cell></Row>'
XML = re.sub(r"(.*),(.*),(.*)\n", ROW, THREE)


def check_three(scores: ScoreTable) -> None:
    assert scores.kept == 3
    np.testing.assert_array_equal(scores.system, [1.2, 2.2, 3.1])
    np.testing.assert_array_equal(scores.human[:, 0], [1, 2, 3])
    assert scores.ids.to_pylist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    "content",
    [
        THREE.encode("utf-8-sig"),
        THREE.encode("utf-16"),
        THREE.replace("\n", "\r\n").encode(),
        THREE.replace("\n", "\r").encode(),
        THREE.replace(",", ";").replace(".", ",").encode(),
        b"sep=|\n# by a tool, spring\nScores of the test||\n||\n" + THREE.replace(",", "|").encode(),
        b'Scores,,\n"Grade 5, spring",,\nRun by Ann,,\n,,\n' + THREE.encode(),
        b'id,human,text,system\na,1,"Long, and\n\nin lines",1.2\nb,2,"One\nmore",2.2\nc,3,"Last\n\none",3.1\n',
        b"HDR|X|1\n" + THREE.replace(",", "|||").encode(),
        b",id,human,system\n0,a,1,1.2\n1,b,2,2.2\n2,c,3,3.1\n",
        ("\n" + THREE.replace("\n", "\n\n")).rstrip("\n").encode(),
        THREE.replace("1.2", " 1.2 ").replace("id,human", " id , human").encode(),
        b'"id","human","system"\n"7","a",1,1.2\n"8","b",2,2.2\n"9","c",3,3.1\n',
        b'"id"\t"human"\t"system"\t"a, b"\n' + THREE.replace(",", "\t").replace("\n", "\tx\n")[17:].encode(),
        json.dumps(OBJECTS, indent=1).encode("utf-16"),
        "\n\n".join(map(json.dumps, OBJECTS)).encode(),
        json.dumps(LISTS).encode(),
        gzip.compress(THREE.encode(), mtime=0),
        f"<table><tr><th>{THREE.rstrip().replace(',', '<TD>').replace(chr(10), '<tr><td>')}</table>é".encode(),
        b'<?xml version="1.0" encoding="latin-1"?><!-- \xe9 --><Workbook><Table>' + XML.encode(),
    ],
)
def test_tables_in_any_form_are_read_by_content(write: Write, content: bytes) -> None:
    check_three(read(write(content)))
    check_three(read(write(content, "scores.xls")))
    check_three(read(write(THREE.replace(",", "\t"), "scores.tsv")))


def test_json_and_compressed_files(write: Write) -> None:
    columns: dict[str, list[Any]] = {"id": ["a", "b", "c"], "human": [1, 2, 3], "system": [1.2, 2.2, 3.1]}
    rows, places = pd.DataFrame(columns).to_dict("records"), {name: dict(enumerate(columns[name])) for name in columns}
    by_id = {row.pop("id"): row for row in pd.DataFrame(columns).to_dict("records")}
    for content in ({"meta": {"n": 3}, "results": rows}, columns, places, by_id):
        check_three(read(write(json.dumps(content), "scores.json")))
    pd.DataFrame(columns).to_stata(write("", "scores.dta"), write_index=False)
    check_three(read(write("").with_suffix(".dta")))


def test_jsonl_keeps_text_unchanged(write: Write) -> None:
    lines = [{"id": "007", "x": {"human": 1, "system": 1.20}}, {"id": "008", "x": {"human": "2", "system": 2.2}}]
    scores = read(write("\n\n".join(json.dumps(line) for line in lines), "scores.jsonl"))
    assert scores.ids.to_pylist() == ["007", "008"]
    np.testing.assert_array_equal(scores.human[:, 0], [1, 2])


def test_parquet_reads_typed_columns_and_skips_lists(tmp_path: Path) -> None:
    vector = [[1.0], [2.0], [3.0]]
    table = pa.table(
        {"id": list("abc"), "human": pa.array([1, 2, 3], pa.int8()), "system": [1.2, 2.2, 3.1], "vector": vector}
    )
    pq.write_table(table, tmp_path / "scores.parquet")
    scores = read(tmp_path / "scores.parquet")
    check_three(scores)
    assert scores.left_out == (("vector", "neither text nor numbers"),)


def test_pandas_and_arrow_frames_give_the_same_result() -> None:
    columns = {"id": ["a", "b", "c"], "human": [1, 2, 3], "system": [1.2, 2.2, 3.1]}
    one, other = read(pa.table(columns)), read(pd.DataFrame(columns, index=[7, 8, 9]))
    check_three(one)
    check_three(other)
    assert len(one.source.sha256) == 64
    assert read(pa.concat_tables([pa.table(columns).slice(0, 1), pa.table(columns).slice(1)])).source == one.source


def test_a_frame_of_mixed_objects() -> None:
    frame = pd.DataFrame({"id": [1.0, 2.0, 3.0], "human": [1, "2", None], "system": [1.5, 2.5, 3.5]}, dtype=object)
    assert read(frame).ids.to_pylist() == ["1", "2"]


def test_whole_floats_in_group_names_lose_their_decimal_point() -> None:
    table = pa.table({"human": [1, 2, 3, 4], "system": [1.1, 2.1, 3.1, 4.1], "grade": [6.0, 6.0, 7.0, None]})
    assert read(table, from_keywords(groups="grade")).groups["grade"].labels == ("6", "7", "No info")


def test_source_is_the_file(write: Write) -> None:
    path = write(THREE)
    source = read(path).source
    assert (source.name, source.bytes, source.rows, source.format) == ("scores.csv", len(THREE), 3, "csv")
    assert source.sha256 == hashlib.sha256(THREE.encode()).hexdigest()


def test_hostile_names_and_groups_survive_unchanged(write: Write) -> None:
    rows = [f'{i},{i % 3 + 1},{i % 3 + 1.5},"{HOSTILE[i % 9].replace(chr(34), chr(34) * 2)}"' for i in range(36)]
    scores = read(write('id,human,system,"<b>\n=x"\n' + "\n".join(rows)), from_keywords(groups="<b>\n=x"))
    assert set(scores.groups["<b>\n=x"].labels) == set(HOSTILE)


def test_leading_zeros_and_blank_groups(write: Write) -> None:
    rows = (f"00{i},{i % 2 + 1},{i + 0.5},{'  ' if i % 2 else 'f'}" for i in range(8))
    scores = read(write("\n".join(["id,human,system,gender", *rows])))
    assert scores.ids.to_pylist()[0] == "000"
    assert scores.groups["gender"].labels == ("No info", "f")
    np.testing.assert_array_equal(scores.groups["gender"].codes, [1, 0] * 4)


def test_row_numbers_count_blank_lines_and_the_header(write: Write) -> None:
    scores = read(write('\nid,human,system\na,1,1.5\n\n\n"b\nb",x,2\n\nc,x,3\nd,2,3\ne,3,3\n'))
    assert scores.exclusions[0].first_rows == (Place(6), Place(8))


def test_wide_files_are_read_in_part(write: Write) -> None:
    rows = (f"r{i},{i % 4 + 1},{i % 4 + 1.5},{'word ' * 100},{i % 7}\n" for i in range(30))
    scores = read(write("id,human,system,essay,words\n" + "".join(rows)))
    assert dict(scores.left_out) == {"essay": "long text", "words": "numeric, role not recognized"}


def test_csv_does_not_import_pandas(write: Write) -> None:
    reading = f"import sys; from reportgen import scores; scores.read({str(write(THREE))!r})"
    code = reading + "; assert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (b"", "s.csv", ["empty"]),
        (b" \n\n", "s.csv", ["column names", "row 1"]),
        (b"id,human,system\n", "s.csv", ["no rows"]),
        (THREE.encode() + b"d,1\n", "s.csv", ["row 5", "3 columns", "2 values"]),
        (THREE.encode() + b"d,1,2,3\n", "s.csv", ["row 5", "3 columns", "4 values"]),
        (THREE.encode() + b'"d,1,2\ne,1,2\n', "s.csv", ["row 5"]),
        (THREE.replace("b,", "è,").encode("latin-1"), "s.csv", ["line 3", "UTF-8", "--encoding"]),
        (THREE.encode("utf-16-le"), "s.csv", ["null bytes", "--encoding"]),
        (b"human,human,system\n1,2,3\n", "s.csv", ["row 1", "'human'", "2 columns"]),
        (b'{"id": 1}\n[1]\n', "s.jsonl", ["line 2", "found a list"]),
        (b"PK", "s.csv.gz", ["gz file"]),
        (b"\xd0\xcf\x11\xe0\0", "s.xls", ["before 2007", ".xlsx"]),
        (b"<p>No", "s.html", ["no table"]),
        (b"x", "s.sav", ["SPSS"]),
        (b"x", "s.csv.zip", ["zip file"]),
        (b'{"id": 1}', "s.json", ["no list of objects"]),
        (b"\n\n", "s.jsonl", ["no list of objects"]),
        (b"PK", "s.xlsx", ["Excel"]),
        (b"PAR1", "s.parquet", ["Parquet"]),
        (b"x", "s.xyz", [".xyz", ".csv"]),
    ],
)
def test_unreadable_files_are_errors(write: Write, content: bytes, name: str, words: list[str]) -> None:
    with pytest.raises((InputError, QuestionError)) as caught:
        read(write(content, name))
    for word in (name, *words):
        assert word in str(caught.value)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    for source, said in ((tmp_path / "none.csv", "not found"), (tmp_path, "folder"), ([1, 2], "frame")):
        with pytest.raises(InputError, match=said):
            read(source)


@pytest.mark.parametrize("words", [9, 60])
def test_texts_without_a_score_are_named(write: Write, words: int) -> None:
    rows = (f"{number % 5},{'word ' * words}{number}" for number in range(30))
    with pytest.raises(InputError, match="the texts in 'judge_output' contain no marked score; add a score column"):
        read(write("\n".join(["human,judge_output", *rows])))


ROWS = [f"r{n},{n % 5 + 1},{n % 5 + 1.25}" for n in range(20)]
POINTS, MEAN, MEDIAN = "Points Possible,5,(read only)", "Average,3.0,3.25", "Median,3,3"
BELOW, END = "1 row below the names of the columns was", "1 row at the end was"
AROUND: list[tuple[list[str], list[str], list[str], str]] = [  # above the header, below it, at the end; the note
    ([], [], [], ""),
    ([], [POINTS], [], BELOW),
    ([], [',"{""ImportId"":""QID1""}",x'], [], BELOW),
    ([], [], [MEAN], END),
    ([], [], [MEAN, MEDIAN, ",,"], "rows at the end were"),
    (["Spring,,", ",,"], [",Manual,", POINTS], [",Total:,60"], "2 rows below the names of the columns were"),
    ([], [], ["", "Rubric,,", "Ceiling"], "2 rows at the end"),
    ([], [], ["Mittelwert,3.0,3.2", "SD,1.4,1.4", "Min,1,1.25"], "3 rows at the end"),
    ([], ["Record,Your rating,Engine"], [",3.0,3.25"], END),
]  # fmt: skip


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("name", ["s.csv", "s.xlsx"])
def test_rows_around_a_table_are_not_read(around: tuple[Any, ...], name: str, tmp_path: Path) -> None:
    above, below, end, said = around
    path, lines = tmp_path / name, [*above, "id,human,system", *below, *ROWS, *end]
    path.write_text("\n".join(lines))
    if name == "s.xlsx":
        pd.DataFrame(zip(*zip_longest(*csv.reader(lines)), strict=True)).to_excel(path, header=False, index=False)
    scores, reader = read(path), open_reader(path)
    assert (scores.kept, scores.scale.high, reader.place(0).row) == (20, 5, len(above) + len(below) + 2)
    assert (said in "".join(reader.notes), bool(reader.notes)) == (True, bool(said))


def test_names_in_two_rows_are_joined(write: Write) -> None:
    path = write("\n".join([",Human,,AI", "id,1st,2nd,score", *(f"r{n},1,2,3" for n in range(9))]))
    assert open_reader(path).head.schema.names == ["id", "Human 1st", "Human 2nd", "AI score"]
    assert around_of([["", "Human"], ["id", "1st", "2nd"], *[["a", "1", "2"]] * 9], []).names[2] == "Human 2nd"
    body = [["id", "h", "e"], *([f"7{n}", "2", "3"] for n in range(9)), ["", "", ""]]
    around = around_of(body, [*body, ["Moyenne", "2", "3"], ["Scored", "9", "9"], ["*** End", "", ""]])
    assert (len(around.names), around.end) == (3, 4)


def test_ids_like_words_of_summaries_are_read(write: Write) -> None:
    rows = [*(f"S{n},{n % 5 + 1},{n % 5 + 1.5}" for n in range(20)), "Max,3,3.5", "N1,2,2.5"]
    assert read(write("\n".join(["id,human,system", *rows]))).read == 22


def test_a_grade_that_follows_from_a_total_is_not_a_group(write: Write) -> None:
    rows = (f"r{n},{n % 5 + 1},{(n + n // 7 % 2) % 5 + 1.5},{10.5 + n % 7 * 12},{'FFDDCBA'[n % 7]}" for n in range(60))
    left_out = dict(read(write("\n".join(["id,human,system,Current Score,Current Grade", *rows]))).left_out)
    assert left_out["Current Grade"] == "derived from 'Current Score'"


@pytest.mark.parametrize(
    ("encoding", "letters"),
    [("cp1252", "Müller"), ("cp1250", "Łódź"), ("cp932", "採点者は"), ("gb2312", "评分员"), ("big5", "評分員"),
     ("cp949", "평가자"), ("cp1251", "Эксперт")],
)  # fmt: skip
def test_the_likely_encoding_of_a_file_is_chosen_or_proposed(encoding: str, letters: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(f"id,human,engine,{letters}\n1,2,2.5,{letters}\n2,3,3.5,\n".encode(encoding))
    proposed = likely_encodings(path)
    assert encoding in proposed
    reader = open_reader(path, encoding if proposed[1:] else None)
    assert proposed[1:] or f"({encoding})" in reader.notes[0]
    assert reader.head.schema.names[3] == letters


def test_an_encoding_is_asked_about_only_if_letters_differ(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes("id,human,engine,text\n1,2,2.5,a “first” one\n2,3,3.5,a café here\n".encode("cp1252"))
    assert likely_encodings(path) == ["cp1252"]
    path.write_bytes("id,human,engine,Prüfer\n1,2,2.5,Müller\n".encode("cp1252"))
    assert open_reader(path).notes[0].startswith("the file was read as Western European text (cp1252)")
    path.write_bytes("id,human,engine,région\n1,2,2.5,Créteil\n2,3,3.5,Genève\n3,3,3.5,Nièvre\n".encode("cp1252"))
    with pytest.raises(QuestionError, match="encoding"):
        open_reader(path)


def test_files_of_other_programs_are_read(tmp_path: Path) -> None:
    import pyreadstat
    from pyarrow import feather

    frame = pd.DataFrame({"human": [1.0, 2.0, 9.0], "sex": [1.0, 2.0, 1.0]})
    pyreadstat.write_sav(
        frame, tmp_path / "s.sav", missing_ranges={"human": [9]},
        variable_value_labels={"human": {1: "low"}, "sex": {1: "f", 2: "m"}},
    )  # fmt: skip
    pyreadstat.write_xport(frame, tmp_path / "s.xpt")
    feather.write_feather(frame, tmp_path / "s.feather")
    frame.to_csv(tmp_path / "s.csv.zip", index=False)
    read = {kind: open_reader(tmp_path / f"s.{kind}").head.to_pydict() for kind in ("sav", "xpt", "feather", "csv.zip")}
    assert read["sav"] == {"human": [1.0, 2.0, None], "sex": ["f", "m", "f"]}
    for kind in ("xpt", "feather"):
        assert read[kind] == {"human": [1.0, 2.0, 9.0], "sex": [1.0, 2.0, 1.0]}
    assert [float(each) for each in read["csv.zip"]["human"]] == [1.0, 2.0, 9.0]


def test_sheets_of_the_same_columns_are_read_together_and_others_are_named(tmp_path: Path) -> None:
    import openpyxl  # type: ignore[import-untyped]

    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, header in (("Grade 4", "id human"), ("Grade 7", "id human"), ("Key", "code meaning")):
        sheet = book.create_sheet(title)
        for row in (header.split(), *([f"{title[-1]}{n}", n % 4] for n in range(6 if title != "Key" else 2))):
            sheet.append(row)
    book.save(tmp_path / "s.xlsx")
    reader = open_reader(tmp_path / "s.xlsx")
    assert reader.head.to_pydict()["sheet"] == ["Grade 4"] * 6 + ["Grade 7"] * 6
    assert reader.notes[0] == "sheets not read: 'Key'"
    assert "2 sheets with the same columns" in reader.notes[1]
    del book["Grade 7"]
    book["Key"].delete_rows(1, 3)
    for row in (["id", "AI score"], *([f"4{n}", n % 4] for n in range(5))):
        book["Key"].append(row)
    book.save(tmp_path / "s.xlsx")
    reader = open_reader(tmp_path / "s.xlsx")
    assert reader.head.to_pydict()["AI score"] == ["0", "1", "2", "3", "0", ""]
    assert reader.notes == ("sheet 'Key' is joined on 'id'",)
    book.copy_worksheet(book.worksheets[0])
    book.save(tmp_path / "s.xlsx")
    with pytest.raises(InputError, match="sheets 'Grade 4' and 'Grade 4 Copy' contain the same responses"):
        open_reader(tmp_path / "s.xlsx")


def test_a_parquet_column_of_lists_is_read_like_the_same_lists_in_json(tmp_path: Path) -> None:
    lists = [[i % 4 + 1, (i + i % 3) % 4 + 1] for i in range(40)]
    engine = [i % 4 + 1.25 for i in range(40)]
    pq.write_table(pa.table({"human_scores": lists, "model_score": engine}), tmp_path / "a.parquet")
    rows = [{"human_scores": each, "model_score": score} for each, score in zip(lists, engine, strict=True)]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    one, other = (read(tmp_path / name) for name in ("a.parquet", "a.json"))
    assert one.columns("human") == other.columns("human") == ("human_scores 1", "human_scores 2")
    assert np.array_equal(one.human, other.human)


def test_a_parquet_file_with_empty_fields_in_lists_of_objects_is_read(tmp_path: Path) -> None:
    notes = [[{"by": f"a{i}", "metadata": None}, {"by": "b", "metadata": None}] for i in range(40)]
    table = {"human": [i % 4 for i in range(40)], "engine": [i % 4 + 0.25 for i in range(40)], "notes": notes}
    pq.write_table(pa.table(table), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet").kept == 40
