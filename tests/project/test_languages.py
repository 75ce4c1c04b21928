"""Every shipped language says all that English says: the same blocks, values, tables, and decisions."""

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta
import jinja2.nodes
import pytest
from jinja2.nodes import Block, CondExpr, If, Macro
from scripts import loaded

from reportgen.errors import TemplateError
from reportgen.sections import DEFAULT_ORDERS
from reportgen.wording import vocabulary
from reportgen.wording.filling import translated as in_language
from reportgen.wording.vocabulary import LANGUAGES, TEMPLATES, Vocabulary, languages, translations, use_of

build = loaded("docs/build_languages.py")
OTHERS = [name for name in languages() if name != "en"]
SOURCES = {name: file.read_text(encoding="utf-8") for name, file in build.templates()}


def begun(language: str) -> set[str]:
    """Return the templates with a started translation, and all templates of a report whose first section has one."""
    found = {context for context, _ in translations(language)}
    orders = [[f"sections/{name}/section.md.j2" for name in order] for order in DEFAULT_ORDERS.values()]
    return found.union(*(order for order in orders if order[0] in found)) & {*SOURCES}


CASES = [(language, name) for language in OTHERS for name in begun(language)]

IS_ONE = "[Operand(op='eq', expr=Const(value=1))])"
"""How the question whether a number is 1 ends, as Jinja reads it."""


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_file_has_the_current_lines(language: str) -> None:
    file = LANGUAGES / f"{language}.po"
    assert file.read_text(encoding="utf-8") == build.text(file), "run `make docs`, then translate the new lines"


@pytest.mark.parametrize("language", OTHERS)
def test_a_started_translation_is_complete(language: str) -> None:
    known = translations(language)
    missing = [
        (name, english)
        for name, english in build.entries()
        if (language, name) in CASES and (name, english) not in known and has_words(name, english)
    ]
    for file in sorted((TEMPLATES / "words").glob("*.toml")):
        held = dict(build.words(file))
        if any(entry in known for entry in held.items()):
            missing += [entry for entry in held.items() if entry not in known and not may_be_left(entry[0])]
    assert missing == [], f"translate them in templates/languages/{language}.po"
    marked = re.compile(r'_\("([^"]*)"\)')
    kept = {word for (_, one), other in known.items() for word in {*marked.findall(one)} & {*marked.findall(other)}}
    assert kept <= {"No"}, "words in arguments are translated too"


def test_a_language_file_can_have_windows_line_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (LANGUAGES / "es.po").read_bytes().replace(b"\n", b"\r\n")
    (tmp_path / "crlf.po").write_bytes(lines)
    (tmp_path / "open.po").write_bytes(b"not a line of it\r\n" + lines)
    expected = translations("es")
    monkeypatch.setattr(vocabulary, "LANGUAGES", tmp_path)
    assert translations("crlf") == expected
    with pytest.raises(TemplateError, match=r"open\.po: cannot be read as PO \(Syntax error in po file"):
        Vocabulary(language="open")


def has_words(name: str, line: str) -> bool:
    """Return whether a line of a template has words: others only fill sentences."""
    both = zip(SOURCES[name].splitlines(), build.change_words(SOURCES[name], str.swapcase).splitlines(), strict=True)
    return any(each.strip() == line and each != changed for each, changed in both)


def may_be_left(key: str) -> bool:
    """Return whether a word may be that of English: abbreviations and signs."""
    return key.startswith("terms.") and key.endswith((".short", ".unit"))


@cache
def parsed(text: str) -> jinja2.nodes.Template:
    """Return a template as Jinja reads it, whichever filters it uses."""
    environment = jinja2.Environment(extensions=["jinja2.ext.do"])
    tree = environment.parse(text)
    environment.filters.update({node.name: str for node in tree.find_all(jinja2.nodes.Filter)})
    return tree


def structure(text: str) -> dict[str, Any]:
    """Return the blocks and macros of a template, and the names that it uses."""
    tree = parsed(text)
    return {
        "blocks": sorted(block.name for block in tree.find_all(jinja2.nodes.Block)),
        "macros": sorted((macro.name, len(macro.args)) for macro in tree.find_all(jinja2.nodes.Macro)),
        "names": sorted(jinja2.meta.find_undeclared_variables(tree)),
    }


def conditions(text: str) -> Counter[tuple[str, str]]:
    """Return what each block and macro of a template asks, but whether something is one: that is a language's own."""
    tree = parsed(text)
    parts: list[Block | Macro] = [*tree.find_all(Block), *tree.find_all(Macro)]
    asked: list[tuple[str, jinja2.nodes.Node]] = []
    for part in parts:
        asked += [(part.name, each.test) for each in part.find_all(If)]
        asked += [(part.name, each.test) for each in part.find_all(CondExpr)]
    return Counter((name, repr(test)) for name, test in asked if not repr(test).endswith(IS_ONE))


def shown(text: str) -> list[str]:
    """Return the tables and charts that a template shows, with their columns, in order."""
    return [
        repr((call.args, [each for each in call.kwargs if each.key == "columns"]))
        for call in parsed(text).find_all(jinja2.nodes.Call)
        if isinstance(call.node, jinja2.nodes.Name) and call.node.name == "show"
    ]


def test_a_translated_template_has_the_logic_of_the_english_one() -> None:
    for language, name in CASES:
        theirs = SOURCES[name]
        ours = in_language(jinja2.DictLoader(SOURCES), language).get_source(jinja2.Environment(), name)[0]
        there, here = structure(theirs), structure(ours)
        assert (here["blocks"], here["macros"]) == (there["blocks"], there["macros"]), name
        assert set(here["names"]) <= set(there["names"]) | {"_"}, name
        assert not conditions(theirs) - conditions(ours), name
        assert shown(ours) == shown(theirs), name


def test_translated_words_use_the_values_of_the_english_ones() -> None:
    for language in OTHERS:
        for (key, theirs), ours in translations(language).items():
            if "/" not in key:
                here, there = (jinja2.meta.find_undeclared_variables(parsed(each)) for each in (ours, theirs))
                assert here <= there, key


def test_a_judge_gives_outputs_what_annotators_give() -> None:
    source = 'An engine{% if x == "engine" %} and a rater{% endif %}: {{ _("Engine") }} <b class="engine">responses</b>'
    text = 'A judge{% if x == "engine" %} and an annotator{% endif %}: {{ _("Judge") }} <b class="engine">outputs</b>'
    assert use_of("en+judge")(source) == text
