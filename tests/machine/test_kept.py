"""What is kept between processes: in the user's own folder, whole, never needed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reportgen.machine import kept


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    kept._folder.cache_clear()
    kept._is_own.cache_clear()
    monkeypatch.setenv("REPORTGEN_CACHE", str(tmp_path / "own"))
    return tmp_path / "own"


def test_it_is_made_once(folder: Path) -> None:
    made: list[int] = []

    def make() -> bytes:
        made.append(1)
        return b"content"

    for _ in range(3):
        assert kept.kept("thing", b"about", make) == b"content"
    assert made == [1]
    assert len(list(folder.iterdir())) == 1


def test_another_text_is_another_thing(folder: Path) -> None:
    assert kept.kept("thing", b"one", lambda: b"1") == b"1"
    assert kept.kept("thing", b"two", lambda: b"2") == b"2"


@pytest.mark.skipif(os.name == "nt", reason="POSIX rights")
def test_a_folder_that_others_can_write_is_not_trusted(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    assert kept.kept("thing", b"about", lambda: b"1") == b"1"
    assert kept.kept("thing", b"about", lambda: b"2") == b"2"
    assert not list(folder.iterdir())


def test_nothing_is_kept_where_it_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    kept._folder.cache_clear()
    monkeypatch.setenv("REPORTGEN_CACHE", "")
    assert kept.kept("thing", b"about", lambda: b"1") == b"1"
    assert kept.kept("thing", b"about", lambda: b"2") == b"2"
    kept._folder.cache_clear()
