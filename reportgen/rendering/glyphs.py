"""Letters that WeasyPrint cannot set as they are: those that no font has, and labels from right to left."""

from __future__ import annotations

import logging
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import groupby
from typing import Any

from reportgen.charts.theme import shorten_apart

LOGGER = logging.getLogger(__name__)

LABEL = 34
"""Columns that the name of a category in a chart may take once it is spelled out."""

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


def spell_out(text: str, missing: Iterable[str]) -> str:
    """Return text whose characters without a glyph are spelled out in Latin letters, so that names stay different.

    Examples
    --------
    >>> spell_out("日本語 and ไทย", "日本語ไทย")
    '[CJK 65E5-672C-8A9E] and [Thai sara ai maimalai-tho thahan-yo yak]'
    """
    names = {letter: _latin(letter) for letter in missing}
    times = Counter(names.values())
    plain = {letter: f"{ord(letter):04X}" if times[name] > 1 else name[1] for letter, name in names.items()}

    def spelled(run: re.Match[str]) -> str:
        parts = (
            (script, "-".join(plain[each] for each in own)) for script, own in groupby(run[0], lambda c: names[c][0])
        )
        return f"[{' '.join(' '.join(filter(None, part)) for part in parts)}]"

    return re.sub(f"[{re.escape(''.join(names))}]+", spelled, text) if names else text


def _latin(letter: str) -> tuple[str, str]:
    """Return the script of a character and what it is called there; its number where the name is no word."""
    script, _, name = unicodedata.name(letter, "").partition(" ")
    number = f"{ord(letter):04X}"
    if unicodedata.category(letter)[0] not in "LMN" or not name:
        return "", f"{script} {name}".strip().lower() or f"U+{number}"
    plain = re.sub(r"\b(LETTER|CHARACTER|SYLLABLE) ", "", name).lower()
    return script if script == "CJK" else script.title(), number if name.endswith(number) else plain


def fit_labels(body: Any, svg: str) -> None:
    """Shorten the labels of charts that were spelled out; two that differ stay different."""
    for drawing in body.iter(f"{svg}svg"):
        nodes = [node for node in drawing.iter(f"{svg}text") if "[" in (node.text or "")]
        for node, label in zip(nodes, shorten_apart([node.text for node in nodes], LABEL), strict=True):
            node.text = label


def tell(missing: Iterable[str], file: str) -> None:
    """Log a warning about the characters; a character is told once in a process, however many reports it makes."""
    new = set(missing) - _told
    if new:
        _told.update(new)
        LOGGER.warning(sentence(new, file))


def sentence(missing: Iterable[str], file: str) -> str:
    """Return which characters have no glyph, what is printed in their place, and what to install.

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
        f"{file}: no font on this machine has {shown}{more}; their names in Latin letters are printed in brackets. "
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


RIGHT = ("R", "AL")
NUMBER, LEFT = "EN", "L"

MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")
"""Brackets as they look from the other side."""

PRESENTATION = (range(0xFB50, 0xFC00), range(0xFE70, 0xFEFD))
"""Where Unicode keeps the forms of Arabic letters by their neighbors."""


def as_seen(text: str) -> str:
    """Return `text` as it is seen from left to right; unchanged without letters from right to left.

    WeasyPrint sets each letter of an SVG text on its own, so Arabic letters would stand apart and Hebrew would read
    backwards. The rules are those of the Unicode bidirectional algorithm that matter within one line of a page that
    runs from left to right (UAX 9, without explicit marks).

    Examples
    --------
    >>> as_seen("Portuguese (Brazil)")
    'Portuguese (Brazil)'
    >>> as_seen("שלום") == "שלום"[::-1]
    True
    >>> [f"{ord(letter):X}" for letter in as_seen("سلام")]  # meem alone, lam with alef joined to the right, seen
    ['FEE1', 'FEFC', 'FEB3']
    """
    if not any(unicodedata.bidirectional(letter) in RIGHT for letter in text):
        return text
    bare = "".join(letter for letter in unicodedata.normalize("NFC", text) if not unicodedata.combining(letter))
    letters = joined(bare)
    levels = _levels([unicodedata.bidirectional(letter) for letter in letters])
    seen = [letter.translate(MIRRORED) if level % 2 else letter for letter, level in zip(letters, levels, strict=True)]
    for level in range(max(levels), 0, -1):
        start = 0
        while start < len(seen):
            end = start
            while end < len(seen) and levels[end] >= level:
                end += 1
            seen[start:end], levels[start:end] = seen[start:end][::-1], levels[start:end][::-1]
            start = end + 1
    return "".join(seen)


def joined(text: str) -> str:
    """Return `text` with every Arabic letter in the form that joins its neighbors.

    Examples
    --------
    >>> [f"{ord(letter):X}" for letter in joined("بب ب")]  # initial, final, alone
    ['FE91', 'FE90', '20', 'FE8F']
    """
    forms, made, place, joins = _forms(), [], 0, False
    while place < len(text):
        pair = text[place : place + 2]
        unit = pair if pair in forms else text[place]
        place += len(unit)
        own = forms.get(unit, {})
        after = forms.get(text[place : place + 1], {})
        onward = "initial" in own and "final" in after
        wanted = ("medial" if onward else "final") if joins and "final" in own else "initial" if onward else "isolated"
        made.append(own.get(wanted, unit))
        joins = onward
    return "".join(made)


@cache
def _forms() -> dict[str, dict[str, str]]:
    forms: dict[str, dict[str, str]] = {}
    for code in (code for block in PRESENTATION for code in block):
        name, *parts = unicodedata.decomposition(chr(code)).split() or [""]
        letters = "".join(chr(int(part, 16)) for part in parts)
        if name.startswith("<") and (len(letters) == 1 or letters.startswith("ل")):
            forms.setdefault(letters, {}).setdefault(name.strip("<>"), chr(code))
    return forms


def _levels(kinds: Sequence[str]) -> list[int]:
    """Return the level of every letter: 1 from right to left, 2 of numbers within that, 0 of everything else."""
    strong = [_strong(kinds, place) for place in range(len(kinds))]
    levels = []
    for place, kind in enumerate(strong):
        before, after = (_beside(strong, place, way) for way in (-1, 1))
        if kind == NUMBER:
            levels.append(2 if before == "R" else 0)
        else:
            levels.append(1 if kind == "R" or (not kind and before == after == "R") else 0)
    return levels


def _strong(kinds: Sequence[str], place: int) -> str:
    """Return R, L, EN or, of a letter that goes with its neighbors, nothing."""
    kind = kinds[place]
    if kind in ("EN", "AN"):
        return NUMBER
    if kind in (*RIGHT, LEFT):
        return "R" if kind in RIGHT else LEFT
    around = [kinds[other] in ("EN", "AN") for other in (place - 1, place + 1) if 0 <= other < len(kinds)]
    in_number = (kind in ("CS", "ES") and len(around) == 2 and all(around)) or (kind == "ET" and any(around))
    return NUMBER if in_number else ""


def _beside(strong: Sequence[str], place: int, way: int) -> str:
    """Return the direction of the nearest letter that has one; numbers go with what is before them."""
    place += way
    while 0 <= place < len(strong):
        kind = strong[place]
        if kind in ("R", LEFT):
            return kind
        if kind == NUMBER:
            return _beside(strong, place, -1)
        place += way
    return LEFT
