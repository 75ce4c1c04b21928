"""Test the contents of the wheel and the sdist, and that the wheel is enough to write a report."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any

import pytest
from scripts import loaded

pytestmark = pytest.mark.packaging
ROOT = Path(__file__).parents[2]


def run(*command: str | Path, cwd: Path | None = None) -> str:
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    line = [str(word) for word in command]
    done = subprocess.run(line, cwd=cwd, env=outside, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(source: Path, out: Path, *kinds: str) -> None:
    run(sys.executable, "-m", "build", "--no-isolation", *kinds, "--outdir", out, source)


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sdist")
    build(ROOT, out, "--sdist")
    return next(out.glob("*.tar.gz"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    build(ROOT, out, "--wheel")
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def fresh(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel in it; the dependencies are lent by the one that runs the tests."""
    folder = tmp_path_factory.mktemp("fresh") / "env"
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    # A path named in a .pth file is searched last, and its own .pth files, such as that of an
    # editable install, are not read: reportgen can only be the wheel's.
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return python


def test_wheel_contains_packages_templates_and_sections_only(wheel: Path) -> None:
    names = contents(wheel)
    folders = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert folders == {"reportgen", "report_sections"}
    shipped = {path.relative_to(ROOT).as_posix() for path in (ROOT / "templates").rglob("*") if path.is_file()}
    assert shipped
    assert {f"reportgen/{name}" for name in shipped} <= set(names)
    assert {"reportgen/py.typed", "report_sections/py.typed"} <= set(names)
    templates = {path.relative_to(ROOT).as_posix() for path in (ROOT / "report_sections").rglob("*.j2")}
    assert templates <= set(names)


def test_wheel_contains_license_and_notice(wheel: Path) -> None:
    kept = {Path(name).name for name in contents(wheel) if ".dist-info/licenses/" in name}
    assert kept == {"LICENSE", "NOTICE"}


def test_sdist_contains_no_tests_and_builds_the_same_wheel(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    run("tar", "--extract", "--file", sdist, "--directory", tmp_path)
    source = next(tmp_path.iterdir())
    assert not (source / "tests").exists()
    assert (source / "CITATION.cff").is_file()
    build(source, tmp_path / "again", "--wheel")
    assert contents(next((tmp_path / "again").glob("*.whl"))) == contents(wheel)


def test_installed_wheel_writes_a_report_outside_the_checkout(fresh: Path, tmp_path: Path) -> None:
    assert run(fresh, "-c", "import reportgen; print(reportgen.__file__)", cwd=tmp_path).startswith(
        str(fresh.parents[1])
    )
    scores = tmp_path / "scores.csv"
    scores.write_bytes((ROOT / "example_reports" / "asap2" / "scores.csv").read_bytes())
    run(fresh.with_name("reportgen"), "evaluate", "scores.csv", "--sections", "summary,agreement_panel", cwd=tmp_path)
    written = {path.name for path in (tmp_path / "scores_report").iterdir()}
    assert {"report.html", "report.pdf", "report.ipynb", "results.json", "tables", "config.toml"} <= written
    assert (tmp_path / "scores_report" / "report.pdf").read_bytes().startswith(b"%PDF")


@pytest.fixture(scope="module")
def release() -> Any:
    return loaded(".ci/release_check.py")


def test_the_version_is_defined_once_and_is_in_the_changelog(release: Any, tmp_path: Path) -> None:
    assert release.version(tmp_path).startswith(release.VERSION)


def test_a_missing_or_extra_file_is_named(release: Any) -> None:
    release._same({"a"}, {"a"}, "the wheel")
    with pytest.raises(release.WrongError, match="the wheel lacks b"):
        release._same({"a"}, {"a", "b"}, "the wheel")
    with pytest.raises(release.WrongError, match="the wheel should not hold c"):
        release._same({"a", "c"}, {"a"}, "the wheel")


def test_a_large_environment_fails(release: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "_megabytes", lambda folder: release.MOST_MEGABYTES + 1)
    with pytest.raises(release.WrongError, match="601 MB after a report"):
        release.weight(tmp_path)
