"""Builds templates/languages/*.po, the translations of reports, from the English templates: `make docs`.

A file has an entry for every line of a template that has words or fills a sentence, and for every word of
``templates/words``. The context is the name of the template or the key of the word. Translations stay, new lines come
empty, and old ones go. To begin a language, make an empty file such as ``templates/languages/fr.po``.
"""

import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jinja2
import polib

from reportgen.wording.vocabulary import LANGUAGES, TEMPLATES

SECTIONS = Path(__file__).parent.parent / "report_sections"

UNTRANSLATED = ("direction",)  # fields of words that are codes

TRIM = re.compile(r"(?<=\{[%{#])[-+]|[-+](?=[%}#]\})")
"""The marks of tags that trim white space."""

READ_ALOUD = re.compile(r'((?:aria-label|title|alt|placeholder)=")([^"<>]*)')


def entries() -> Iterator[tuple[str, str]]:
    """Yield the context and the English text of all that a language translates."""
    for name, file in templates():
        source = file.read_text(encoding="utf-8")
        for line, changed in zip(source.splitlines(), change_words(source, str.swapcase).splitlines(), strict=True):
            if line != changed or ("{{" in line and name.startswith(("sections/", "words/"))):
                yield name, line.strip()
    for file in sorted((TEMPLATES / "words").glob("*.toml")):
        yield from words(file)


def templates() -> Iterator[tuple[str, Path]]:
    """Yield the name and the file of every template with words that a page or the terminal shows."""
    for name in ("html", "notebook", "papers", "words"):
        files = (file for file in sorted((TEMPLATES / name).glob("*.j2")) if ".tex" not in file.suffixes)
        yield from ((file.relative_to(TEMPLATES).as_posix(), file) for file in files)
    for file in sorted(SECTIONS.rglob("section.md.j2")):
        yield f"sections/{file.relative_to(SECTIONS).as_posix()}", file


def words(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the key and the English text of every word of a file."""
    yield from _words((), tomllib.loads(file.read_text(encoding="utf-8")))


def _words(keys: tuple[str, ...], held: Any) -> Iterator[tuple[str, str]]:
    if isinstance(held, str):
        if held:
            yield ".".join(keys), held
    else:
        for key, each in enumerate(held) if isinstance(held, list) else held.items():
            if key not in UNTRANSLATED:
                yield from _words((*keys, str(key)), each)


def change_words(source: str, change: Callable[[str], str]) -> str:
    """Replace the words of a template: text outside tags, accessible names, and text in ``_("...")``.

    `change` returns as many letters as it is given.
    """
    inside_tag, before, parts = False, ["", ""], []
    environment = jinja2.Environment(keep_trailing_newline=True)
    for _, kind, value in environment.lex(TRIM.sub(" ", source)):  # marks that trim would join lines
        if kind == "data":
            value, inside_tag = _change_text(value, inside_tag, change)
        elif kind == "string" and before == ["_", "("]:
            value = change(value)
        parts.append(value)
        if kind != "whitespace":
            before = [before[1], value]
    changed = list("".join(parts))
    for mark in TRIM.finditer(source):
        changed[mark.start()] = mark[0]
    return "".join(changed)


def _change_text(text: str, inside: bool, change: Callable[[str], str]) -> tuple[str, bool]:
    """Return the text between two tags of Jinja with other words, and whether it ends inside a tag of HTML."""
    parts = []
    for piece in re.split(r"(<(?=[a-zA-Z/!])|>)", text):
        if piece == "<" or (piece == ">" and inside):
            inside = piece == "<"
        elif inside:
            piece = READ_ALOUD.sub(lambda match: match[1] + change(match[2]), piece)
        else:
            piece = change(piece)
        parts.append(piece)
    return "".join(parts), inside


def text(file: Path) -> str:
    """Return the file of a language: all entries, with the translations that it has.

    A text of `texts` has what the terminal prints as its key, and keeps its translation if only that changes.
    """
    before = polib.pofile(str(file), wrapwidth=0)
    known = {(entry.msgctxt, entry.msgid): entry.msgstr for entry in before if not entry.obsolete}
    now = dict.fromkeys(entries())
    moved = {english: told for (context, english), told in known.items() if (context, english) not in now}
    after = polib.POFile(wrapwidth=0)
    after.header = before.header
    after.metadata = {"Language": file.stem, "Content-Type": "text/plain; charset=UTF-8"}
    for context, english in now:
        told = known.get((context, english), moved.get(english, "") if context.startswith("texts.") else "")
        after.append(polib.POEntry(msgctxt=context, msgid=english, msgstr=told))
    return f"{after}\n"


def main() -> None:
    """Write the files."""
    for file in LANGUAGES.glob("*.po"):
        file.write_text(text(file), encoding="utf-8")


if __name__ == "__main__":
    main()
