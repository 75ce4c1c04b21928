"""Test judge outputs with random values, damaged bytes, and malicious archives."""

import copy
import io
import json
import os
import struct
import tempfile
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import judge_files
import pytest
from fuzz import trees
from fuzz.pieces import Draw
from fuzz.spoiling import spoilt

from reportgen.errors import InputError, ReportgenError
from reportgen.scores import read
from reportgen.settings import from_keywords
from reportgen.sources import judge_readers


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values in a value."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [path, *(inner for key in keys for inner in places(value[key], (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a value with another one at a path."""
    if not path:
        return new
    found = copy.copy(value)
    found[path[0]] = replaced(value[path[0]], path[1:], new)
    return found


def refused_or_read(name: str, content: bytes, kind: str) -> None:
    """Read a file; fail on any exception that is not an error for the user."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        text = ""
        try:
            read(path, from_keywords(format=kind.split()[0]))
        except ReportgenError as error:
            text = str(error)
        assert len(text.replace(str(path), name)) <= 300


@pytest.mark.slow
@pytest.mark.parametrize("new", ["x", 1, 2.5, True, None, [], ["x"], {}, {"x": 1}, "\ud800"])
@pytest.mark.parametrize("kind", judge_files.outputs())
def test_another_kind_of_value_in_any_place_is_read_or_rejected(kind: str, new: Any) -> None:
    content = judge_files.outputs()[kind]
    one_each = {tuple(key for key in path if isinstance(key, str)): path for path in places(content)}
    for path in one_each.values():
        refused_or_read("x.json", json.dumps(replaced(content, path, new)).encode(), kind)


@pytest.mark.parametrize("kind", judge_files.outputs())
def test_mutated_outputs_are_read_or_rejected(kind: str) -> None:
    for number in range(12):
        draw = Draw(f"{kind} {number}")
        refused_or_read("x.json", trees.as_json(draw, trees.mutated(draw, judge_files.outputs()[kind], 4)), kind)


def test_mutated_parts_of_an_archive_are_read_or_rejected() -> None:
    for number in range(25):
        draw, log = Draw(str(number)), judge_files.inspect_log(epochs=2)
        parts = {"header.json": {key: value for key, value in log.items() if key != "samples"}}
        parts |= {f"samples/{place}.json": sample for place, sample in enumerate(log["samples"])}
        name = draw.choice(sorted(parts))
        parts[name] = trees.mutated(draw, parts[name])
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for each, content in parts.items():
                archive.writestr(each, json.dumps(content))
        refused_or_read("x.eval", packed.getvalue(), "inspect")


WRITTEN = (
    "langfuse_blob_export.csv", "langsmith_experiment.csv", "phoenix_annotations.csv", "ragas.csv",
    "samples_essays_answers.jsonl", "samples_essays_judge.jsonl",
)  # fmt: skip
BYTES = {
    "x.jsonl mlflow": "\n".join(map(json.dumps, judge_files.mlflow_traces())).encode(),
    "x.csv mlflow": judge_files.bytes_of(partial(judge_files.as_csv, judge_files.mlflow_traces(), python=True)),
    "x.eval inspect": judge_files.bytes_of(partial(judge_files.as_eval, judge_files.inspect_log(epochs=2))),
    **{
        f"{name} {'lm-evaluation-harness' if name.startswith('samples') else name.partition('_')[0].split('.')[0]}":
        (judge_files.FIXTURES / name).read_bytes()
        for name in WRITTEN
    },
}  # fmt: skip
"""File and reader -> content."""


@pytest.mark.parametrize("kind", BYTES)
def test_damaged_bytes_are_read_or_rejected(kind: str) -> None:
    name, reader = kind.split()
    for number in range(12):
        refused_or_read(name, spoilt(Draw(f"{kind} {number}"), BYTES[kind]), reader)


NO_FORMAT = (b"\xff\xfe\x00", b"\x80abc", b"[" * 100_000, b"{" * 9, b"null", b"[]", b"1", b'""')


@pytest.mark.parametrize("kind", sorted(judge_readers.installed()))
def test_valid_files_of_every_format_are_accepted(kind: str, tmp_path: Path) -> None:
    for suffix in (".json", ".jsonl", ".csv", ".tsv", ".parquet", ".eval"):
        for content in NO_FORMAT:
            path = tmp_path / f"x{suffix}"
            path.write_bytes(content)
            with pytest.raises(InputError):
                read(path, from_keywords(format=kind))


def zipped(path: Path, content: bytes, **changes: int) -> Path:
    """Write an archive whose header differs from its contents, by attributes of `ZipInfo`."""
    with zipfile.ZipFile(path, "w", changes.pop("compress_type", zipfile.ZIP_DEFLATED)) as archive:
        archive.writestr("header.json", b"{}")
        archive.writestr("samples/a.json", content)
        for name, value in changes.items():
            setattr(archive.filelist[1], name, value)
    return path


def test_an_archive_that_declares_too_much_is_rejected_before_it_is_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.eval", b"{}", file_size=1 << 29)
    with pytest.raises(InputError, match=r"reading it requires about 5\.4 GB of memory"):
        read(path)


def test_an_archive_that_contains_more_than_it_declares_is_not_unpacked(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.eval", b'{"id": "' + b"a" * 50_000_000 + b'"}', file_size=20)
    with pytest.raises(InputError, match="not a readable archive"):
        read(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unbounded_compression_is_rejected(tmp_path: Path, method: int) -> None:
    with pytest.raises(InputError, match="encrypted or its compression is unsupported"):
        read(zipped(tmp_path / "x.eval", b"{}", compress_type=method))


def test_an_encrypted_archive_is_rejected(tmp_path: Path) -> None:
    content = bytearray(zipped(tmp_path / "x.eval", b"{}").read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = -1
        while (at := content.find(mark, at + 1)) >= 0:
            struct.pack_into("<H", content, at + place, 1)
    (tmp_path / "x.eval").write_bytes(content)
    with pytest.raises(InputError, match="encrypted"):
        read(tmp_path / "x.eval")


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv", ".parquet", ".eval"])
def test_a_pipe_is_not_a_judge_file(suffix: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f"x{suffix}")
    for kind in (None, "promptfoo", "mlflow", "inspect"):
        with pytest.raises(InputError, match="not an ordinary file"):
            read(tmp_path / f"x{suffix}", from_keywords(**({"format": kind} if kind else {})))
