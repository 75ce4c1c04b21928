"""Templates of a user's that cannot be read: one sentence that names them, soon."""

import time
from pathlib import Path

import pytest
from sample_report import report

from reportgen.errors import TemplateError
from reportgen.rendering import Look, render


def rendered(folder: Path, **templates: str) -> None:
    """Render the sample report with templates: their names with ``_`` for the slash, and their texts."""
    for name, text in templates.items():
        path = folder / "mine" / name.replace("_", "/", 1)
        path = path.with_name(f"{path.name}.html.j2")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "out").mkdir()
    render(report(), folder / "out", formats=["html"], look=Look(templates=folder / "mine"))


@pytest.mark.parametrize("name", ["html_index", "html_table", "html_checks"])
def test_a_syntax_error_is_said_with_file_and_line(name: str, tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=r"\.html\.j2, line 2: Unexpected end of template\..*[^.]\.$"):
        rendered(tmp_path, **{name: "\n{% if true %}"})


@pytest.mark.parametrize("name", ["html_index", "html_table"])
@pytest.mark.parametrize("way", ["extends", "include"])
def test_a_template_that_needs_itself_is_refused_at_once(name: str, way: str, tmp_path: Path) -> None:
    begin = time.process_time()
    with pytest.raises(TemplateError, match="extends or includes itself"):
        rendered(tmp_path, **{name: f'{{% {way} "{name.replace("_", "/")}.html.j2" %}}'})
    assert time.process_time() - begin < 5


def test_templates_that_extend_each_other_are_refused(tmp_path: Path) -> None:
    circle = {"html_table": '{% extends "html/other.html.j2" %}', "html_other": '{% extends "html/table.html.j2" %}'}
    with pytest.raises(TemplateError, match="extends or includes itself"):
        rendered(tmp_path, **circle)
