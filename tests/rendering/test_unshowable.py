"""Invisible and bidirectional characters in the data appear in no output."""

import json
import tomllib
from pathlib import Path

import pypdf
import pytest
from command import reportgen as run

from reportgen.charts.svg import clean, written_out

PLANTED = "\x1b\x07\u202e\u2066\u200b\u200d\u2060\ufeff\xad"
NAME = "ab".join(["", *PLANTED, ""])

POLICY = """name = "{0}"
description = "{0}"
[[criteria]]
statistic = "system.qwk"
label = "{0}"
abbreviation = "{0}"
source = "{0}"
low = 0.999
bands = [{{low = 0.5, meaning = "{0}"}}]
[[criteria]]
statistic = "system.dsm"
groups = true
low = -0.1
high = 0.1
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a report with such characters in columns, groups, title, and policy."""
    home = tmp_path_factory.mktemp("planted")
    rows = [
        f"r{i},{i % 5 + 1},{(i + i // 7) % 5 + 1},{i % 5 + 1 + (i % 3 - 1) / 4:.2f},{NAME}{i % 2}" for i in range(80)
    ]
    text = "\n".join([f"id,human,human2,{NAME}s,{NAME}g", *rows])
    (home / "scores.csv").write_text(text, encoding="utf-8")
    planted = json.dumps(NAME)[1:-1].replace("\\x7f", "")
    (home / "policy.toml").write_text(POLICY.format(planted), encoding="utf-8")
    (home / "config.toml").write_text(
        f'[data]\nfile = "scores.csv"\nsystem = "{planted}s"\ngroups = ["{planted}g"]\nscale = "1:5"\n'
        f'[verdict]\npolicy = "./policy.toml"\n[report]\ntitle = "{planted}"\ndescription = "{planted}"\n'
    )
    options = ("--gate", "--junit", "gate/junit.xml", "--markdown", "gate/gate.md")
    (home / "gate").mkdir()
    done = run("evaluate", "config.toml", "out", *options, cwd=home, code=1)
    (home / "gate" / "terminal.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    return home


FOR_READERS = ("out/report.html", "out/report.ipynb", "out/config.toml", "gate/junit.xml", "gate/gate.md",
               "gate/terminal.txt")  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("file", FOR_READERS)
def test_files_have_no_invisible_characters(file: str, made: Path) -> None:
    text = (made / file).read_text(encoding="utf-8")
    if file.endswith(".ipynb"):
        text = json.dumps(json.loads(text), ensure_ascii=False).replace("\\u001b", "\x1b").replace("\\u0007", "\x07")
    assert [hex(ord(letter)) for letter in PLANTED if letter in text] == []


@pytest.mark.slow
def test_pdf_has_no_invisible_characters(made: Path) -> None:
    pdf = pypdf.PdfReader(made / "out" / "report.pdf")
    outline = [entry.title for entry in pdf.outline if not isinstance(entry, list)]
    text = " ".join([*map(str, (pdf.metadata or {}).values()), *map(str, outline)])
    text += "".join(page.extract_text() for page in pdf.pages)
    assert [hex(ord(letter)) for letter in PLANTED if letter in text] == []
    assert pdf.metadata is not None
    assert pdf.metadata.title == clean(NAME)


@pytest.mark.slow
def test_configuration_keeps_names(made: Path) -> None:
    settings = tomllib.loads((made / "out" / "config.toml").read_text(encoding="utf-8"))
    assert settings["report"]["title"] == NAME
    assert settings["data"]["groups"] == [f"{NAME}g"]


def test_required_joiners_are_kept() -> None:
    persian, family = "می\u200cخواهم", "\U0001f468\u200d\U0001f469"
    assert clean(persian) == written_out(persian) == persian
    assert clean(family) == "\U0001f468\U0001f469"
