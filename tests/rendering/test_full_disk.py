"""Errors of a full disk name the full folder."""

import errno
import tempfile
from pathlib import Path

import pytest

import reportgen
from reportgen.errors import OutputError
from reportgen.machine.temporary import temporary_files


@pytest.mark.parametrize(
    ("full", "message"),
    [
        ("spilled", r"^report\.pdf: temporary files cannot be written \(No space left on device\); free space in '{}'"),
        ("out", r"^'{}' cannot be written \(No space left on device\); choose another folder\.$"),
    ],
)
def test_full_folder_is_named(full: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"r{i},{i % 4 + 1},{i % 4 + 1.3}" for i in range(40)]
    (tmp_path / "s.csv").write_text("\n".join(["id,h1,engine", *lines]) + "\n")
    (tmp_path / "spilled").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spilled"))
    write, tried = Path.write_bytes, []

    def write_bytes(path: Path, data: bytes) -> int:
        spilled = path.is_relative_to(tmp_path / "spilled")
        if spilled if full == "spilled" else path.suffix == ".pdf":
            tried.append(path)
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    with pytest.raises(OutputError, match=message.format(tmp_path / full)):
        reportgen.evaluate(tmp_path / "s.csv", tmp_path / "out", scale="1:4", formats=["pdf"], sections=["data"])
    assert tried
    assert not (tmp_path / "out").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.csv", "spilled"]


def test_other_errors_are_not_full_folders() -> None:
    with pytest.raises(FileNotFoundError), temporary_files("report.pdf"):
        raise FileNotFoundError(errno.ENOENT, "No such file or directory")


def test_missing_temporary_folder_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> str:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", none)
    message = r"No usable temporary directory found\); set a folder in"
    with pytest.raises(OutputError, match=message), temporary_files("report.pdf"):
        pass
