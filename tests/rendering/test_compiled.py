"""Templates are compiled once for all reports of a process, and no report's answers become part of the code."""

import jinja2
import pytest

from reportgen.wording.filling import Compiled, template_of


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
