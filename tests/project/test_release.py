"""What `make release-check` looks at and takes no time: the version, and what is wrong with a release."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def release() -> Any:
    spec = importlib.util.spec_from_file_location("release_check", ROOT / ".ci" / "release_check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_version_stands_once_and_the_changelog_has_it(release: Any, tmp_path: Path) -> None:
    assert release.version(tmp_path).startswith(release.VERSION)


def test_a_file_too_many_or_too_few_is_named(release: Any) -> None:
    release._same({"a"}, {"a"}, "the wheel")
    with pytest.raises(release.WrongError, match="the wheel lacks b"):
        release._same({"a"}, {"a", "b"}, "the wheel")
    with pytest.raises(release.WrongError, match="the wheel should not hold c"):
        release._same({"a", "c"}, {"a"}, "the wheel")


def test_an_environment_too_heavy_fails(release: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "_megabytes", lambda folder: release.MOST_MEGABYTES + 1)
    with pytest.raises(release.WrongError, match="601 MB after a report"):
        release.weight(tmp_path)
