"""Test that no visible sentence is in Python: it is in a template, or in the vocabulary."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import jinja2
import pytest

import report_sections
import reportgen
from reportgen.results import Decision, Needed, Outcome
from reportgen.sections import Section
from reportgen.wording.vocabulary import TEMPLATES, english

SECTIONS, PROGRAM = Path(report_sections.__file__).parent, Path(reportgen.__file__).parent
FILES = [*sorted(SECTIONS.rglob("*.py")), *sorted((PROGRAM / "verdicts").rglob("*.py"))]

WORDS = re.compile(r"([^\W\d_]{2,}|\{\})[,;:]? +[^\W\d_]{2,}|[^\W\d_]{2,}[,;:]? +\{\}")
"""Two words of letters with a space between them, one of which an f-string may fill in."""

NO_WORDS = {"<?xml version='1.0' encoding='UTF-8'?>\n", "reportgen {}", "item score"}
"""The first line of an XML file, the name of a suite in it, and the part of a column in `reportgen.results.Role`."""

NOT_READ = ("debug", "info", "warning")
"""Methods of a log, whose arguments no reader of a report sees."""


def sentences(source: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of two words or more, with their lines; ``{}`` stands for what an f-string is filled with.

    Docstrings, what is raised, descriptions of fields, logs and the titles that sections have in lists are none.
    """
    yield from _below(ast.parse(source))


def _below(node: ast.AST) -> Iterator[tuple[int, str]]:
    for child in node.body if isinstance(node, ast.ClassDef) else ast.iter_child_nodes(node):
        if isinstance(child, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in child.values)
            filled = [part for part in child.values if not isinstance(part, ast.Constant)]
            yield from ((child.lineno, text) for _ in [0] if WORDS.search(text))
            for part in filled:
                yield from _below(part)
        elif isinstance(child, ast.Constant):
            if isinstance(child.value, str) and WORDS.search(child.value):
                yield child.lineno, child.value
        elif not _unread(child):
            yield from _below(child)


def _unread(node: ast.AST) -> bool:
    """Return whether nothing below a node is read by a reader of reports."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.keyword):
        return node.arg == "description"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in NOT_READ
    if isinstance(node, ast.AnnAssign):
        return isinstance(node.target, ast.Name) and node.target.id == "title" and "ClassVar" in ast.dump(node)
    return isinstance(node, ast.Raise)


@cache
def codes() -> frozenset[str]:
    """Return the codes of two words in results and in templates."""
    found = {code for kind in (Outcome, Decision, Needed) for code in get_args(kind)}
    for file in (*TEMPLATES.rglob("*.j2"), *SECTIONS.rglob("*.j2")):
        tokens = list(jinja2.Environment().lex(file.read_text(encoding="utf-8")))
        plain = [value for _, kind, value in tokens if kind != "whitespace"]
        kinds = [kind for _, kind, _ in tokens if kind != "whitespace"]
        found |= {
            ast.literal_eval(value)
            for place, (kind, value) in enumerate(zip(kinds, plain, strict=True))
            if kind == "string" and plain[place - 2 : place] != ["_", "("]
        }
    return frozenset(found)


@cache
def known() -> frozenset[str]:
    """Return the texts that the vocabulary says, with ``{}`` for what differs in them."""
    held = english()._held
    keys = [text for part in ("texts", "words") for text in held[part]]
    return frozenset(re.sub(r"\{\w+\}", "{}", text) for key in keys for text in (key, key.partition(".")[2]))


@pytest.mark.parametrize("file", FILES, ids=lambda file: "/".join(file.parts[-2:]))
def test_python_code_contains_no_report_sentences(file: Path) -> None:
    found = [
        (line, text)
        for line, text in sentences(file.read_text(encoding="utf-8"))
        if text not in codes() | known() | NO_WORDS
    ]
    assert not found, "move these words to templates/words, or to the template of the section"


def test_every_section_has_its_name_in_the_vocabulary() -> None:
    shipped = [each.name for each in Section.__subclasses__() if each.__module__.startswith("report_sections.")]
    assert not [name for name in shipped if english().section(name, "") == name], "name it in templates/words"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('x = "Two words"', ["Two words"]),
        ('x = f"{n} more"', ["{} more"]),
        ("x = f\"{one('two words')}\"", ["two words"]),
        ('"""A docstring here."""', []),
        ('raise InputError("Two words")', []),
        ('log.debug("Two words")', []),
        ('Field(description="Two words")', []),
        ('Field(title="Two words")', ["Two words"]),
        ('class A:\n    title: ClassVar[str] = "Two words"', []),
        ('class A(Section, title="Two words"):\n    pass', []),
        ('title = "Two words"', ["Two words"]),
        ('x = "word", "a.key", "1 2", "one_two"', []),
        ('x = "Prüfen heißt lesen"', ["Prüfen heißt lesen"]),
    ],
)
def test_sentences_are_found(source: str, found: list[str]) -> None:
    assert [text for _, text in sentences(source)] == found


def test_every_case_of_page_one_has_its_sentence() -> None:
    brief, code = TEMPLATES / "words" / "brief.j2", SECTIONS / "summary" / "__init__.py"
    told = re.findall(r'each\.case == "(\w+)"', brief.read_text(encoding="utf-8"))
    assert {*re.findall(r'_case\(\s*"(\w+)"', code.read_text(encoding="utf-8"))} == {*told}, f"mend {brief} or {code}"
