"""Templates: shipped files by name, compilation, and errors of templates of a user."""

import time
from pathlib import Path

import jinja2
import pytest
import sample_report as sample
from sample_report import report

from reportgen.errors import TemplateError
from reportgen.rendering import Look, render
from reportgen.rendering.templates import TEMPLATES, Templates, shipped
from reportgen.wording.filling import Compiled, template_of


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("screen.css", "html/screen.css"), ("html/print.css", "html/print.css"), ("table", "html/table.html.j2"),
        ("base_section", "notebook/base_section.md.j2"), ("index.html", "html/index.html.j2"),
        ("provenance", "sections/provenance/section.md.j2"),
    ],
)  # fmt: skip
def test_shipped_finds_template(name: str, place: str) -> None:
    file, where = shipped(name)
    assert file.is_file()
    assert where.as_posix() == place


def test_shipped_suggests_nearest_name() -> None:
    with pytest.raises(TemplateError, match=r"did you mean 'html/screen\.css'"):
        shipped("html/scren.css")


def test_shipped_templates_compile() -> None:
    templates = Templates(sample.report(), Look())
    pages = [path for path in TEMPLATES.rglob("*.j2") if path.relative_to(TEMPLATES).parts[0] != "gates"]
    assert len(pages) > 20
    for path in pages:  # `reportgen.verdicts.gate` fills the templates of gates
        name = path.relative_to(TEMPLATES).as_posix()
        assert Path(templates.pages.get_template(f"shipped/{name}").filename or "") == path


def test_template_is_compiled_once_and_again_when_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"a.j2": "{{ 1 + 1 }}"}
    shared, compiled = Compiled(), []
    compile_source = jinja2.Environment.compile

    def count(*arguments, **options):  # type: ignore[no-untyped-def]
        compiled.append(arguments)
        return compile_source(*arguments, **options)

    monkeypatch.setattr(jinja2.Environment, "compile", count)

    def fill() -> str:
        environment = jinja2.Environment(loader=jinja2.DictLoader(texts))
        shared.share(environment)
        return environment.get_template("a.j2").render()

    assert [fill(), fill(), len(compiled)] == ["2", "2", 1]
    texts["a.j2"] = "{{ 2 + 1 }}"
    assert [fill(), fill(), len(compiled)] == ["3", "3", 2]


@pytest.mark.parametrize(
    "text",
    [
        "{{ 'a'|name }}", "{{ 'a' is known }}", "{% if 'a' is known %}True{% endif %}", "{{ ['a'|name][0] }}",
        "{{ 'a' }}",
    ],
)  # fmt: skip
def test_constants_are_filled_for_each_report(text: str) -> None:
    shared = Compiled()

    def fill(answer: object) -> str:
        environment = jinja2.Environment(loader=jinja2.DictLoader({"a.j2": text}))
        shared.share(environment, lambda value: answer if value == "a" else value)
        environment.filters["name"] = lambda _: answer
        environment.tests["known"] = lambda _: answer
        found = environment.get_template("a.j2").render()
        assert template_of(environment, text).render() == found
        return found

    first, second = fill(False), fill(True)
    assert (first, second) in {("False", "True"), ("", "True")}


def rendered(folder: Path, **templates: str) -> None:
    """Render the sample report with templates, whose names have ``_`` for the slash."""
    for name, text in templates.items():
        path = folder / "mine" / name.replace("_", "/", 1)
        path = path.with_name(f"{path.name}.html.j2")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "out").mkdir()
    render(report(), folder / "out", formats=["html"], look=Look(templates=folder / "mine"))


@pytest.mark.parametrize("name", ["html_index", "html_table", "html_checks"])
def test_syntax_error_names_file_and_line(name: str, tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=r"\.html\.j2, line 2: Unexpected end of template\..*[^.]\.$"):
        rendered(tmp_path, **{name: "\n{% if true %}"})


@pytest.mark.parametrize("name", ["html_index", "html_table"])
@pytest.mark.parametrize("way", ["extends", "include"])
def test_recursive_template_raises_at_once(name: str, way: str, tmp_path: Path) -> None:
    begin = time.process_time()
    with pytest.raises(TemplateError, match="extends or includes itself"):
        rendered(tmp_path, **{name: f'{{% {way} "{name.replace("_", "/")}.html.j2" %}}'})
    assert time.process_time() - begin < 5


def test_circular_templates_raise(tmp_path: Path) -> None:
    circle = {"html_table": '{% extends "html/other.html.j2" %}', "html_other": '{% extends "html/table.html.j2" %}'}
    with pytest.raises(TemplateError, match="extends or includes itself"):
        rendered(tmp_path, **circle)
