"""Commands that install packages: they work for the Python that runs reportgen, and none names a package of others."""

import re
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from reportgen.errors import install_command, requirements

ROOT = Path(__file__).parents[1]
OF_OTHERS = re.compile(r"pip install (?:[^\n&;|`]*\s)?[\"']?reportgen(?![\w./-])|[\"']reportgen\[")
"""The package of this name on the index is not ours."""


def test_no_text_installs_a_package_of_the_same_name() -> None:
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    texts = [ROOT / name for name in files if name and not name.endswith((".pdf", ".png", ".ipynb", ".html"))]
    found = [
        (path.relative_to(ROOT), line)
        for path in texts
        if path.is_file() and path != Path(__file__) and not path.is_symlink()
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if OF_OTHERS.search(line[:1000])
    ]
    assert found == []


@pytest.mark.parametrize("text", ["pip install reportgen", "pip install -U 'reportgen[xlsx]'", 'x = "reportgen[yaml]"'])
def test_such_a_text_is_found(text: str) -> None:
    assert OF_OTHERS.search(text)


def test_a_hint_installs_what_the_extra_declares() -> None:
    python, *pip, yaml = shlex.split(install_command(extra="yaml"))
    assert [python, *pip] == [sys.executable, "-m", "pip", "install"]
    assert yaml.startswith("pyyaml>=")
    done = subprocess.run(
        f"{install_command(extra='yaml')} --dry-run --no-index", shell=True, capture_output=True, text=True, check=False
    )
    assert "already satisfied: pyyaml" in done.stdout, done


def test_without_pip_uv_installs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert shlex.split(install_command("x>=1")) == ["uv", "pip", "install", "--python", sys.executable, "x>=1"]


def test_a_copy_that_was_never_installed_names_its_own_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    def requires(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", requires)
    assert requirements("yaml") == ["reportgen-scoring[yaml]"]
    assert requirements() == []


def test_reportgen_can_be_imported_without_being_installed() -> None:
    code = (
        "from importlib import metadata\n"
        "def missing(name): raise metadata.PackageNotFoundError(name)\n"
        "metadata.metadata = metadata.version = metadata.requires = missing\n"
        "import reportgen, reportgen.citations, reportgen.cli.app\n"
        "from reportgen.reports.single import versions_here\n"
        "print(versions_here()['reportgen'])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("not installed\n", "")
