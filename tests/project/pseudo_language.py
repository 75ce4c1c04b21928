"""A language that nobody speaks: the words of templates in strange letters, so that words from elsewhere show."""

import re
from collections.abc import Mapping

from scripts import loaded

STRANGE = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "åƀçđéƒğĥïĵķłɱñøƥɋřšŧûʋŵẋýžÅƁÇĐÉƑĞĤÎĴĶŁṀÑØƤɊŘŠŦÛṼŴẊÝŽ"
)
KEPT = re.compile(r"&#?\w+;|\{\w+\}|https?://\S+|^\+\+\+.*$|^```.*$|--[\w-]+|\btables/[\w.-]*", re.MULTILINE)

build = loaded("docs/build_languages.py")


def strange(text: str) -> str:
    """Return words with strange letters; references of characters, addresses, files and options stay."""
    parts, at = [], 0
    for kept in KEPT.finditer(text):
        parts += [text[at : kept.start()].translate(STRANGE), kept[0]]
        at = kept.end()
    return "".join([*parts, text[at:].translate(STRANGE)])


def translations() -> Mapping[tuple[str, str], str]:
    """Return the strange language, as `reportgen.wording.vocabulary.translations` returns others."""
    found = {}
    for name, file in build.templates():
        source = file.read_text(encoding="utf-8")
        both = zip(source.splitlines(), build.change_words(source, strange).splitlines(), strict=True)
        found.update({(name, line.strip()): changed.strip() for line, changed in both})
    for key, text in build.entries():
        found.setdefault((key, text), build.change_words(text, strange))
    return found
