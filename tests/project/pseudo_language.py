"""A language that nobody speaks: every word of the templates with strange letters, so that words from elsewhere show.

Words of templates are their text outside tags, the attributes that are read aloud, and what stands in ``_("...")``;
words of the vocabulary are the values of its files.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jinja2

from reportgen.wording.vocabulary import TEMPLATES

STRANGE = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "åƀçđéƒğĥïĵķłɱñøƥɋřšŧûʋŵẋýžÅƁÇĐÉƑĞĤÎĴĶŁṀÑØƤɊŘŠŦÛṼŴẊÝŽ"
)
READ_ALOUD = re.compile(r'((?:aria-label|title|alt)=")([^"<>]*)')
KEPT = re.compile(r"&#?\w+;|\{\w+\}|https?://\S+|^\+\+\+.*$|^```.*$|--[\w-]+|\btables/[\w.-]*", re.MULTILINE)


def strange(text: str) -> str:
    """Return words with strange letters; references of characters, addresses, files and options stay."""
    parts, at = [], 0
    for kept in KEPT.finditer(text):
        parts += [text[at : kept.start()].translate(STRANGE), kept[0]]
        at = kept.end()
    return "".join([*parts, text[at:].translate(STRANGE)])


def template(source: str) -> str:
    """Return a template with strange words."""
    return "".join(_tokens(source))


def _tokens(source: str) -> Iterator[str]:
    inside_tag, before = False, ["", ""]
    for _, kind, value in jinja2.Environment().lex(source):
        if kind == "data":
            changed, inside_tag = _outside_tags(value, inside_tag)
            yield changed
        elif kind == "string" and before == ["_", "("]:
            yield strange(value)
        else:
            yield value
        if kind != "whitespace":
            before = [before[1], value]


def _outside_tags(text: str, inside: bool) -> tuple[str, bool]:
    """Return text with strange words outside tags and in what is read aloud, and whether it ends inside a tag."""
    parts = []
    for piece in re.split(r"(<(?=[a-zA-Z/!])|>)", text):
        if piece == "<":
            inside = True
            parts.append(piece)
        elif piece == ">" and inside:
            inside = False
            parts.append(piece)
        elif inside:
            parts.append(READ_ALOUD.sub(lambda match: match[1] + strange(match[2]), piece))
        else:
            parts.append(strange(piece))
    return "".join(parts), inside


def words(held: dict[str, Any]) -> dict[str, Any]:
    """Return a file of words with strange ones."""
    unspoken = ("direction",)

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: each if key in unspoken else changed(each) for key, each in value.items()}
        return [template(each) for each in value] if isinstance(value, list) else template(str(value))

    return {part: changed(entries) for part, entries in held.items()}


def write(folder: Path, sections: Path) -> Path:
    """Write all templates, those of the sections too, in the strange language into a folder."""
    for file in TEMPLATES.rglob("*"):
        place = file.relative_to(TEMPLATES)
        if not file.is_file() or place.parts[0] == "languages" or file.suffix in (".css", ".js"):
            continue
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".toml":
            target.write_text(_toml(words(tomllib.loads(text))), encoding="utf-8")
        elif file.suffix == ".j2":
            target.write_text(template(text), encoding="utf-8")
    for file in sections.glob("*/section.md.j2"):
        target = folder / "sections" / file.parent.name / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(template(file.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


def _toml(held: dict[str, Any]) -> str:
    lines: list[str] = []
    for part, entries in held.items():
        tables = {key: entry for key, entry in entries.items() if isinstance(entry, dict)}
        lines.append(f"[{part}]")
        lines += [f"{json.dumps(key)} = {_value(entry)}" for key, entry in entries.items() if key not in tables]
        for key, entry in tables.items():
            lines.append(f"[{part}.{json.dumps(key)}]")
            lines += [f"{json.dumps(name)} = {_value(text)}" for name, text in entry.items()]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
