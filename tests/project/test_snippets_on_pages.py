"""What pages show of Python, TOML and YAML runs, or is read as settings, as it stands."""

import re
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from typing import Any

import page_files
import pytest
import yaml

from reportgen import policies, settings

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^( *)```(python|toml|yaml)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
BLOCKS = [
    (page, language, textwrap.dedent(code))
    for page in PAGES
    if page.parent.name != "api"  # signatures; their examples are doctests
    for _, language, code in BLOCK.findall(page.read_text(encoding="utf-8"))
]
ELSEWHERE = {"README.md"}
"""Pages whose Python is run by a separate test."""

BEFORE = {
    "scale.md": """
        import types
        import pandas as pd

        def spark(folder): __import__("pathlib").Path(folder).mkdir(); table.to_parquet(f"{folder}/part-0.parquet")
        table = pd.read_csv("scores.csv")
        frame = types.SimpleNamespace(write=types.SimpleNamespace(parquet=spark))
        import shutil; shutil.rmtree("scores", ignore_errors=True)
    """,
    "publish.md": "import types; wandb = types.SimpleNamespace(log=dict)",
    "privacy.md": "import pandas as pd; scores = pd.DataFrame({'language': ['a'] * 12 + ['b']})",
    "CONTRIBUTING.md": """
        from typing import Annotated
        from pydantic import Field
        from reportgen.settings import Option
    """,
}
"""What stands for the reader's own cluster, frames and imports."""

AFTER = {
    "privacy.md": "assert set(scores.language) == {'a', 'other languages'}",
    "sections.md": "test_top_of_scale()",
    "input.md": "assert Bars().recognises(Path('x.bar'))",
}


def home(folder: Path) -> None:
    """Write what snippets read."""
    table = page_files.frame(("item", "grade"))
    table.to_csv(folder / "scores.csv", index=False)
    table = table.rename(columns={"rater_1": "h1", "rater_2": "h2"})
    (folder / "dataset").mkdir()
    for place in (folder / "part-0.parquet", folder / "dataset" / "part-0.parquet"):
        table.to_parquet(place)
    (folder / "example_reports").symlink_to(ROOT / "example_reports")
    (folder / "finished").symlink_to(ROOT / "example_reports" / "asap2")


WRITTEN = {"sections.md"}
"""Pages whose Python is written to a file, as it says."""

PYTHON = sorted({page for page, language, _ in BLOCKS if language == "python"} - {ROOT / name for name in ELSEWHERE})


@pytest.mark.slow
@pytest.mark.parametrize("page", PYTHON, ids=lambda page: page.stem)
def test_python_runs(page: Path, tmp_path: Path) -> None:
    home(tmp_path)
    codes = [code for source, language, code in BLOCKS if (source, language) == (page, "python")]
    parts = (textwrap.dedent(BEFORE.get(page.name, "")), *codes, AFTER.get(page.name, ""))
    script = (
        "\n".join(parts)
        .replace('check("report"', 'check("finished"')
        .replace("assert verdict.passes", "verdict.passes")
    )
    (tmp_path / "snippet.py").write_text(script, encoding="utf-8")
    way = ["snippet.py"] if page.name in WRITTEN else ["-c", script]
    done = subprocess.run([sys.executable, *way], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{script}\n{done.stderr}"
    printed = re.findall(r"^print\(.*\)  # (.+)$", script, re.MULTILINE)
    assert [words for words in printed if words not in done.stdout] == []


TOML = [
    pytest.param(page, code, id=f"{page.stem} {code[:30]!r}") for page, language, code in BLOCKS if language == "toml"
]
TABLES = set(settings.Settings.model_fields)


@pytest.mark.parametrize(("page", "code"), TOML)
def test_toml_is_valid(page: Path, code: str, tmp_path: Path) -> None:
    content: dict[str, Any] = tomllib.loads(code)
    if "criteria" in content or "include" in content:
        path = tmp_path / "policy.toml"
        path.write_text(code, encoding="utf-8")
        assert policies.load_policy(path).name == content["name"]
    elif content.keys() <= TABLES:
        (tmp_path / "logo.svg").write_text("<svg/>", encoding="utf-8")
        path = tmp_path / "config.toml"
        path.write_text(code if "data" in content else f'[data]\nfile = "scores.csv"\n{code}', encoding="utf-8")
        settings.load(path)
    else:
        assert set(content) <= {"project", "terms", "columns"}, f"{page.name}: not known"


@pytest.mark.parametrize("code", [code for _, language, code in BLOCKS if language == "yaml"])
def test_yaml_is_valid(code: str) -> None:
    assert yaml.safe_load(code)
