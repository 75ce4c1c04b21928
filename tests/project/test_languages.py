"""Every shipped language says all that English says: the same files, blocks, keys and values, and no English word."""

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta
import jinja2.nodes
import pytest
from jinja2.nodes import Block, CondExpr, If, Macro

import report_sections
from reportgen.wording.vocabulary import TEMPLATES, languages

SECTIONS = Path(report_sections.__file__).parent
LANGUAGES = [name for name in languages() if name != "en"]
FILES = [
    (language, file)
    for language in LANGUAGES
    for file in sorted((TEMPLATES / "languages" / language).rglob("*"))
    if file.is_file()
]

IS_ONE = "[Operand(op='eq', expr=Const(value=1))])"
"""How the question whether a number is 1 ends, as Jinja reads it."""


def english(language: str, file: Path) -> Path:
    """Return the shipped file that a file of another language says."""
    place = file.relative_to(TEMPLATES / "languages" / language)
    return SECTIONS.joinpath(*place.parts[1:]) if place.parts[0] == "sections" else TEMPLATES / place


def parsed(text: str) -> jinja2.nodes.Template:
    """Return a template as Jinja reads it, whichever filters it uses."""
    environment = jinja2.Environment(extensions=["jinja2.ext.do"])
    tree = environment.parse(text)
    environment.filters.update({node.name: str for node in tree.find_all(jinja2.nodes.Filter)})
    return tree


def structure(file: Path) -> dict[str, Any]:
    """Return the blocks and macros of a template, and the names that it uses."""
    tree = parsed(file.read_text(encoding="utf-8"))
    return {
        "blocks": sorted(block.name for block in tree.find_all(jinja2.nodes.Block)),
        "macros": sorted((macro.name, len(macro.args)) for macro in tree.find_all(jinja2.nodes.Macro)),
        "names": sorted(jinja2.meta.find_undeclared_variables(tree)),
    }


@pytest.mark.slow
@pytest.mark.parametrize(("language", "file"), [pair for pair in FILES if pair[1].suffix == ".j2"], ids=str)
def test_a_template_has_the_blocks_and_values_of_the_english_one(language: str, file: Path) -> None:
    ours, theirs = structure(file), structure(english(language, file))
    assert ours["blocks"] == theirs["blocks"]
    assert ours["macros"] == theirs["macros"]
    assert set(ours["names"]) <= set(theirs["names"]) | {"_"}


def conditions(file: Path) -> Counter[tuple[str, str]]:
    """Return what each block and macro of a template asks, but whether something is one: that is a language's own."""
    tree = parsed(file.read_text(encoding="utf-8"))
    parts: list[Block | Macro] = [*tree.find_all(Block), *tree.find_all(Macro)]
    asked: list[tuple[str, jinja2.nodes.Node]] = []
    for part in parts:
        asked += [(part.name, each.test) for each in part.find_all(If)]
        asked += [(part.name, each.test) for each in part.find_all(CondExpr)]
    return Counter((name, repr(test)) for name, test in asked if not repr(test).endswith(IS_ONE))


def shown(file: Path) -> list[str]:
    """Return the tables and charts that a template shows, with their columns, in order."""
    tree = parsed(file.read_text(encoding="utf-8"))
    return [
        repr((call.args, [each for each in call.kwargs if each.key == "columns"]))
        for call in tree.find_all(jinja2.nodes.Call)
        if isinstance(call.node, jinja2.nodes.Name) and call.node.name == "show"
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("language", "file"), [pair for pair in FILES if pair[1].suffix == ".j2"], ids=str)
def test_a_template_decides_and_shows_what_the_english_one_does(language: str, file: Path) -> None:
    assert not conditions(english(language, file)) - conditions(file)
    assert shown(file) == shown(english(language, file))


@pytest.mark.parametrize(("language", "file"), [pair for pair in FILES if pair[1].suffix == ".toml"], ids=str)
def test_words_have_the_keys_of_the_english_ones(language: str, file: Path) -> None:
    ours, theirs = (tomllib.loads(each.read_text(encoding="utf-8")) for each in (file, english(language, file)))
    assert {(part, key) for part in ours for key in ours[part]} == {
        (part, key) for part in theirs for key in theirs[part]
    }
    for part, entries in theirs.items():
        for key, text in entries.items():
            if isinstance(text, str):
                held = (jinja2.meta.find_undeclared_variables(parsed(each)) for each in (ours[part][key], text))
                here, there = held
                assert here <= there, f"{part}.{key}"
