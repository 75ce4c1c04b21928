"""Templates are compiled once for all reports of a process, and anew when their text changes."""

from __future__ import annotations

import jinja2

from reportgen.wording.compiled import Compiled


def test_a_template_is_compiled_once_and_again_when_it_changes(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    texts = {"a.j2": "{{ 1 + 1 }}"}
    kept, compiled = Compiled("test"), []
    compile_ = jinja2.Environment.compile

    def counted(*arguments, **options):  # type: ignore[no-untyped-def]
        compiled.append(arguments)
        return compile_(*arguments, **options)

    monkeypatch.setattr(jinja2.Environment, "compile", counted)

    def filled() -> str:
        return jinja2.Environment(loader=jinja2.DictLoader(texts), bytecode_cache=kept).get_template("a.j2").render()

    assert [filled(), filled(), len(compiled)] == ["2", "2", 1]
    texts["a.j2"] = "{{ 2 + 1 }}"
    assert [filled(), filled(), len(compiled)] == ["3", "3", 2]
