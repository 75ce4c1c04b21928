"""The files of a new section come into their place together, or not at all."""

from __future__ import annotations

from pathlib import Path
from string import Template

import pytest

from reportgen.cli.starter import new_section
from reportgen.errors import OutputError


def test_a_disk_that_refuses_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Template, "safe_substitute", fail)
    with pytest.raises(OutputError, match="No space left on device"):
        new_section("own", tmp_path / "mine" / "deeper")
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "own").symlink_to("nowhere")
    with pytest.raises(OutputError, match="is there already; choose another name"):
        new_section("own", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["own"]
