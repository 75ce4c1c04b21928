"""Characters that no font of this machine has: found while a page is drawn, and told once."""

from __future__ import annotations

import logging
import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

LOGGER = logging.getLogger(__name__)

REPLACEMENT = "\N{BALLOT BOX}"
"""What stands on paper in the place of a character without a glyph: an empty box, which the text font has."""

NAMED = 12
"""Characters that the sentence names at most."""

EAST_ASIAN = ("CJK", "HANGUL", "HIRAGANA", "KATAKANA", "BOPOMOFO", "KANGXI", "IDEOGRAPHIC")
"""How the Unicode names begin of characters that fonts of other scripts leave out."""

_told: set[str] = set()


@contextmanager
def missing_characters() -> Iterator[set[str]]:
    """Yield the set that WeasyPrint's warnings about characters without a glyph fill while this thread draws."""
    missing: set[str] = set()
    thread = threading.get_ident()

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.thread == thread and "notdef" in record.msg and isinstance(record.args, tuple):
                missing.add(str(record.args[0]))

    logger, listener = logging.getLogger("weasyprint"), Listener()
    logger.addHandler(listener)
    try:
        yield missing
    finally:
        logger.removeHandler(listener)


_STANDING_IN = re.compile(f"{REPLACEMENT}+")


def in_a_font_that_has_it(body: Any) -> None:
    """Set the replacement character in the class ``missing``: headings have a font that may lack it."""
    for node in list(body.iter()):
        if not isinstance(node.tag, str) or node.tag.startswith("{"):  # comments, and charts, which have no bold text
            continue
        for place in ("text", "tail"):
            words = getattr(node, place)
            if words and REPLACEMENT in words:
                _set_apart(body, node, place, words)


def _set_apart(body: Any, node: Any, place: str, words: str) -> None:
    """Put each run of replacement characters of a text into an element of its own."""
    plain, runs = _STANDING_IN.split(words), _STANDING_IN.findall(words)
    setattr(node, place, plain[0])
    parent = node if place == "text" else next(each for each in body.iter() if node in list(each))
    at = 0 if place == "text" else list(parent).index(node) + 1
    for number, (run, after) in enumerate(zip(runs, plain[1:], strict=True)):
        part = node.makeelement("span", {"class": "missing"})
        part.text, part.tail = run, after
        parent.insert(at + number, part)


def tell(missing: Iterable[str], file: str) -> None:
    """Log a warning about the characters; a character is told once in a process, however many reports it makes."""
    new = set(missing) - _told
    if new:
        _told.update(new)
        LOGGER.warning(sentence(new, file))


def sentence(missing: Iterable[str], file: str) -> str:
    """Say which characters have no glyph, what stands in their place, and what to install.

    Examples
    --------
    >>> sentence("ไท", "report.pdf").partition(";")[0]
    'report.pdf: no font on this machine has ทไ'
    """
    letters = sorted(letter for letter in missing if unicodedata.category(letter)[0] != "M") or sorted(missing)
    shown = "".join(letter if letter.isprintable() else f"U+{ord(letter):04X} " for letter in letters[:NAMED]).rstrip()
    more = f" and {len(letters) - NAMED} more characters" if len(letters) > NAMED else ""
    packages = " ".join(sorted({package(letter) for letter in letters}))
    return (
        f"{file}: no font on this machine has {shown}{more}; {REPLACEMENT} stands for each. "
        f"Install fonts that have them (Debian: apt-get install {packages}) and render again."
    )


def package(letter: str) -> str:
    """Return the Debian package of fonts that has a character, as far as its kind tells.

    Examples
    --------
    >>> package("한"), package("ท"), package("\N{MELTING FACE}")
    ('fonts-noto-cjk', 'fonts-noto-core', 'fonts-noto-color-emoji')
    """
    if unicodedata.name(letter, "").startswith(EAST_ASIAN):
        return "fonts-noto-cjk"
    return "fonts-noto-color-emoji" if unicodedata.category(letter) in ("So", "Sk") else "fonts-noto-core"
