"""A policy that cannot be read is refused in one sentence, whatever its file holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reportgen.cli.printing import MOST_OF_AN_ERROR
from reportgen.errors import SettingsError
from reportgen.policies import load_policy
from reportgen.settings import loading

HOSTILE = {
    "binary.toml": (os.urandom(3000) + b"\xff\x00", "UTF-8"),
    "zeros.json": (b"\x00" * 3000, "not valid JSON"),
    "deep.yaml": (b"name: " + b"[" * 3000 + b"]" * 3000, "not valid YAML"),
    "nested.yaml": (b"\n".join(b" " * i + b"a:" for i in range(1500)), "YAML"),
    "deep.json": (b'{"name":' * 3000 + b"1" + b"}" * 3000, "JSON"),
    "deep.toml": (b"name = " + b"[" * 3000 + b"]" * 3000, "TOML"),
    "dotted.toml": (b".".join([b"a"] * 3000) + b" = 1", "nesting"),
    "tagged.yaml": (b"name: !!python/object/apply:os.system [x]", "not valid YAML"),
    "list.yaml": (b"- a", "expected tables"),
    "one_line.toml": (b"name " * 4000, "not valid TOML"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_policy_that_is_none_is_refused_in_one_sentence(name: str, tmp_path: Path) -> None:
    content, reason = HOSTILE[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SettingsError) as refused:
        load_policy(tmp_path / name)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < MOST_OF_AN_ERROR + len(str(tmp_path))


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MOST_BYTES", 1_000_000)
    (tmp_path / "huge.toml").write_bytes(b"#" * 1_000_001)
    with pytest.raises(SettingsError, match="is larger than 1 MB; is it another file"):
        load_policy(tmp_path / "huge.toml")


def test_a_folder_in_the_place_of_a_policy_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").mkdir()
    with pytest.raises(SettingsError, match="no ordinary file"):
        load_policy(tmp_path / "ours.toml")
