"""Outputs of judges with anything in the place of anything, damaged bytes, and archives that are traps."""

import copy
import io
import json
import os
import struct
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import judge_files
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen.errors import InputError, ReportgenError
from reportgen.scores import read
from reportgen.settings import from_keywords
from reportgen.sources import judge_readers

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8)
    | st.sampled_from(["\ud800", "", "score", "3", "{\"score\": 1}", "[[[", "nan", "1e999", "rating 1", "target"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


def _made(write: Callable[[Path], Any]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "f.json")
        return (Path(folder) / "f.json").read_bytes()


def _archive(log: dict[str, Any]) -> bytes:
    return _made(lambda path: judge_files.as_eval(log, path))


def _fixture(name: str) -> Any:
    return json.loads((Path(__file__).parent / "judge_fixtures" / name).read_text(encoding="utf-8"))


LOG = judge_files.inspect_log(epochs=2)
VALID: dict[str, tuple[str, Any]] = {
    "promptfoo": ("x.json", json.loads(_made(judge_files.promptfoo_judges))),
    "promptfoo rubric": ("x.json", json.loads(_made(judge_files.promptfoo_rubric))),
    "inspect": ("x.json", LOG),
    "inspect scorer": ("x.json", judge_files.inspect_log(mode="value", scorers=("essay_rubric", "human_expert"))),
    "mlflow": ("x.json", judge_files.mlflow_traces()),
    "mlflow columns": ("x.json", {"trace_id": {"0": "a"}, "assessments": {"0": []}}),
    "deepeval": ("x.json", _fixture("deepeval.json")),
    "langfuse": ("x.json", _fixture("langfuse.json")["data"][:9]),
    "langfuse subjects": ("x.json", _fixture("langfuse_v3.json")),
    "langfuse categories": ("x.json", _fixture("langfuse_categories.json")[:9]),
    "langsmith": ("x.json", _fixture("langsmith_feedback.json")[:9]),
    "phoenix": ("x.json", _fixture("phoenix_annotations.json")),
    "ragas": ("x.json", _fixture("ragas.json")),
}


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
    """Read a file; fail on any exception that is no sentence for the user."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        said = ""
        try:
            read(path, from_keywords(format=kind.split()[0]))
        except ReportgenError as error:
            said = str(error)
        assert len(said.replace(str(path), name)) <= 300


@pytest.mark.slow
@pytest.mark.parametrize("new", ["x", 1, 2.5, True, None, [], ["x"], {}, {"x": 1}, "\ud800"])
@pytest.mark.parametrize("kind", VALID)
def test_another_kind_of_value_in_any_place_is_read_or_refused(kind: str, new: Any) -> None:
    name, content = VALID[kind]
    one_each = {tuple(key for key in path if isinstance(key, str)): path for path in places(content)}
    for path in one_each.values():
        refused_or_read(name, json.dumps(replaced(content, path, new)).encode(), kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", VALID)
@QUICK
@given(st.data())
def test_anything_in_the_place_of_anything_is_read_or_refused(kind: str, data: st.DataObject) -> None:
    name, content = VALID[kind]
    for _ in range(data.draw(st.integers(1, 3))):
        content = replaced(content, data.draw(st.sampled_from(places(content))), data.draw(ANYTHING))
    refused_or_read(name, json.dumps(content).encode(), kind)


@QUICK
@given(st.data())
def test_anything_in_an_archive_is_read_or_refused(data: st.DataObject) -> None:
    parts = {"header.json": {key: value for key, value in LOG.items() if key != "samples"}}
    parts |= {f"samples/{number}.json": sample for number, sample in enumerate(LOG["samples"])}
    name = data.draw(st.sampled_from(sorted(parts)))
    parts[name] = replaced(parts[name], data.draw(st.sampled_from(places(parts[name]))), data.draw(ANYTHING))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, content in parts.items():
            archive.writestr(each, json.dumps(content))
    refused_or_read("x.eval", packed.getvalue(), "inspect")


BYTES = {
    "promptfoo": ("x.json", json.dumps(VALID["promptfoo"][1]).encode()),
    "mlflow": ("x.jsonl", "\n".join(map(json.dumps, judge_files.mlflow_traces())).encode()),
    "mlflow csv": ("x.csv", _made(lambda path: judge_files.as_csv(judge_files.mlflow_traces(), path, python=True))),
    "inspect": ("x.eval", _archive(LOG)),
    **{
        kind: (f"x{suffix}", (Path(__file__).parent / "judge_fixtures" / f"{name}{suffix}").read_bytes())
        for kind, name, suffix in (
            ("langfuse", "langfuse_blob_export", ".csv"), ("langsmith", "langsmith_experiment", ".csv"),
            ("phoenix", "phoenix_annotations", ".csv"), ("ragas", "ragas", ".csv"),
            ("lm-evaluation-harness", "samples_essays_answers", ".jsonl"),
            ("lm-evaluation-harness judge", "samples_essays_judge", ".jsonl"), ("deepeval", "deepeval", ".json"),
        )
    },
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", BYTES)
@QUICK
@given(st.data())
def test_damaged_bytes_are_read_or_refused(kind: str, data: st.DataObject) -> None:
    name, content = BYTES[kind]
    start = data.draw(st.integers(0, len(content)))
    new = data.draw(st.binary(max_size=4) | st.sampled_from([b"\xff\xfe", b"\xed\xa0\x80", b"\0", b'"', b"[" * 5000]))
    cut = data.draw(st.sampled_from([0, 1, 4, len(content)]))
    refused_or_read(name, content[:start] + new + content[start + cut :], kind)


NO_FORMAT = (b"\xff\xfe\x00", b"\x80abc", b"[" * 100_000, b"{" * 9, b"null", b"[]", b"1", b'""')


@pytest.mark.parametrize("kind", sorted(judge_readers.installed()))
def test_no_file_of_a_format_is_refused(kind: str, tmp_path: Path) -> None:
    for suffix in (".json", ".jsonl", ".csv", ".tsv", ".parquet", ".eval"):
        for content in NO_FORMAT:
            path = tmp_path / f"x{suffix}"
            path.write_bytes(content)
            with pytest.raises(InputError):
                read(path, from_keywords(format=kind))


def zipped(path: Path, content: bytes, **changes: int) -> Path:
    """Write an archive whose header declares something else than what is there: attributes of `ZipInfo`."""
    with zipfile.ZipFile(path, "w", changes.pop("compress_type", zipfile.ZIP_DEFLATED)) as archive:
        archive.writestr("header.json", b"{}")
        archive.writestr("samples/a.json", content)
        for name, value in changes.items():
            setattr(archive.filelist[1], name, value)
    return path


def test_an_archive_that_declares_too_much_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.eval", b"{}", file_size=1 << 29)
    with pytest.raises(InputError, match=r"reading it needs about 5\.4 GB of memory"):
        read(path)


def test_an_archive_that_holds_more_than_it_declares_is_not_unpacked(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.eval", b'{"id": "' + b"a" * 50_000_000 + b'"}', file_size=20)
    with pytest.raises(InputError, match="not a readable archive"):
        read(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_compression_without_bounds_is_refused(tmp_path: Path, method: int) -> None:
    with pytest.raises(InputError, match="encrypted or compressed unusually"):
        read(zipped(tmp_path / "x.eval", b"{}", compress_type=method))


def test_an_encrypted_archive_is_refused(tmp_path: Path) -> None:
    content = bytearray(zipped(tmp_path / "x.eval", b"{}").read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = -1
        while (at := content.find(mark, at + 1)) >= 0:
            struct.pack_into("<H", content, at + place, 1)
    (tmp_path / "x.eval").write_bytes(content)
    with pytest.raises(InputError, match="encrypted"):
        read(tmp_path / "x.eval")


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv", ".parquet", ".eval"])
def test_a_pipe_is_no_file_of_judges(suffix: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f"x{suffix}")
    for kind in (None, "promptfoo", "mlflow", "inspect"):
        with pytest.raises(InputError, match="no ordinary file"):
            read(tmp_path / f"x{suffix}", from_keywords(**({"format": kind} if kind else {})))
