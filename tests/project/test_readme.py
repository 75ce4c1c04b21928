"""What the README shows works as it is written."""

import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from command import page_text, reportgen

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def block(language: str, holding: str) -> str:
    """Return the only code block of a language that contains a word."""
    (found,) = [code for code in re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL) if holding in code]
    return str(found)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "example_reports" / "biased_group" / "scores.csv", tmp_path)
    return tmp_path


@pytest.mark.parametrize("pages", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_python_example(
    home: Path, pages: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = block("python", "import reportgen\n")
    monkeypatch.chdir(home)
    exec(code if pages else code.replace('"out",', '"out", formats=[],'), {})
    assert capsys.readouterr().out == block("text", "QWK")
    written = {path.name for path in (home / "out").iterdir()}
    assert {"results.json", "tables"} <= written
    if not pages:
        return
    listed = {name.split("/")[0] for name in re.findall(r"^\| `([\w./*]+)` \|", TEXT, re.MULTILINE)}
    assert written == listed - {"report.docx"}  # written to the given path


def test_the_example_ends_with_the_command_for_your_file() -> None:
    dry = ["make", "--no-print-directory", "--dry-run", "--old-file=.venv/ready", "example"]
    done = subprocess.run(dry, cwd=ROOT, capture_output=True, text=True, check=True)
    said = subprocess.run(["sh", "-c", done.stdout.splitlines()[-1]], capture_output=True, text=True, check=True).stdout
    program, *words = shlex.split(said.partition("type: ")[2])
    assert (program, words) == (".venv/bin/reportgen", ["evaluate", "scores.csv"])
    assert "`. .venv/bin/activate`" in TEXT
    assert "openpyxl" in {each.partition(">")[0] for each in tomllib.loads(PROJECT)["project"]["dependencies"]}


@pytest.mark.slow
def test_the_template_and_the_section(home: Path) -> None:
    template = home / "mine" / "sections" / "data" / "section.md.j2"
    template.parent.mkdir(parents=True)
    template.write_text(block("jinja", "block lead"), encoding="utf-8")
    (home / "workload.py").write_text(block("python", "Workload"), encoding="utf-8")
    options = ("--templates", "mine", "--sections", "data,./workload.py", "--formats", "html")
    reportgen("evaluate", "scores.csv", "out", *options, cwd=home)
    text = page_text(home / "out" / "report.html")
    assert "in test centers" in text
    assert "takes one rater 240 hours" in text


def test_every_link_works() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
