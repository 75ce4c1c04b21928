"""Shipped templates are found by name, wherever the package is."""

from pathlib import Path

import jinja2
import pytest
import sample_report as sample

from reportgen.errors import TemplateError
from reportgen.rendering.look import Look
from reportgen.rendering.templates import TEMPLATES, Templates, shipped
from reportgen.wording.filling import Compiled, template_of


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("screen.css", "html/screen.css"),
        ("html/print.css", "html/print.css"),
        ("table", "html/table.html.j2"),
        ("base_section", "notebook/base_section.md.j2"),
        ("index.html", "html/index.html.j2"),
        ("provenance", "sections/provenance/section.md.j2"),
        ("group_differences", "sections/group_differences/section.md.j2"),
    ],
)
def test_a_template_is_found_by_its_name(name: str, place: str) -> None:
    file, where = shipped(name)
    assert file.is_file()
    assert where.as_posix() == place


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(TemplateError, match=r"did you mean 'html/screen\.css'"):
        shipped("html/scren.css")


def test_every_shipped_template_can_be_extended_and_compiles() -> None:
    templates = Templates(sample.report(), Look())
    pages = [path for path in TEMPLATES.rglob("*.j2") if path.relative_to(TEMPLATES).parts[0] != "gates"]
    assert len(pages) > 20
    for path in pages:  # those of gates are no pages, and are filled by `reportgen.verdicts.gate`
        name = path.relative_to(TEMPLATES).as_posix()
        assert Path(templates.pages.get_template(f"shipped/{name}").filename or "") == path


# Templates are compiled once for all reports of a process, and no report's answers become part of the code.


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
