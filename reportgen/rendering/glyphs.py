"""Prepare text that WeasyPrint cannot set: characters without a glyph, and right-to-left labels."""

import logging
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import groupby
from typing import Any

from reportgen.charts.theme import shorten_apart

LOGGER = logging.getLogger(__name__)

LABEL = 34  # most columns of a spelled-out category name in a chart

NAMED = 12  # most characters that the warning names

EAST_ASIAN = ("CJK", "HANGUL", "HIRAGANA", "KATAKANA", "BOPOMOFO", "KANGXI", "IDEOGRAPHIC")
"""Prefixes of the Unicode names of characters that fonts of other scripts lack."""

_reported: set[str] = set()


@contextmanager
def missing_characters() -> Iterator[set[str]]:
    """Yield a set that collects WeasyPrint's warnings about characters without a glyph in this thread."""
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
    """Spell out characters without a glyph in Latin letters, so that names stay different.

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
    """Return the script and name of a character, or its number if the name is not a word."""
    script, _, name = unicodedata.name(letter, "").partition(" ")
    number = f"{ord(letter):04X}"
    if unicodedata.category(letter)[0] not in "LMN" or not name:
        return "", f"{script} {name}".strip().lower() or f"U+{number}"
    plain = re.sub(r"\b(LETTER|CHARACTER|SYLLABLE) ", "", name).lower()
    return script if script == "CJK" else script.title(), number if name.endswith(number) else plain


def fit_labels(body: Any, svg: str) -> None:
    """Shorten spelled-out chart labels; different labels stay different."""
    for drawing in body.iter(f"{svg}svg"):
        nodes = [node for node in drawing.iter(f"{svg}text") if "[" in (node.text or "")]
        for node, label in zip(nodes, shorten_apart([node.text for node in nodes], LABEL), strict=True):
            node.text = label


def warn_missing(missing: Iterable[str], file: str) -> None:
    """Log a warning about the characters; each character is reported once per process."""
    new = set(missing) - _reported
    if new:
        _reported.update(new)
        LOGGER.warning(sentence(new, file))


def sentence(missing: Iterable[str], file: str) -> str:
    """Return a sentence with the characters without a glyph, their replacements, and what to install.

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
    """Return the Debian font package for a character, as far as its kind determines it.

    >>> package("한"), package("ท"), package("\N{MELTING FACE}")
    ('fonts-noto-cjk', 'fonts-noto-core', 'fonts-noto-color-emoji')
    """
    if unicodedata.name(letter, "").startswith(EAST_ASIAN):
        return "fonts-noto-cjk"
    return "fonts-noto-color-emoji" if unicodedata.category(letter) in ("So", "Sk") else "fonts-noto-core"


MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")  # mirrored brackets

PRESENTATION = (range(0xFB50, 0xFC00), range(0xFE70, 0xFEFD))
"""Unicode blocks of the contextual forms of Arabic letters."""

KINDS = {"R": "R", "AL": "R", "L": "L", "EN": "#", "AN": "#", "CS": ",", "ES": ",", "ET": "%"}
"""How `_NUMBER` and `_FROM_RIGHT` write bidirectional classes; all others are neutral."""

_NUMBER, _FROM_RIGHT = re.compile(r"%*#(?:,?#|%)*"), re.compile(r"R(?:[^L]*[R#])?")
"""A number with its separators and signs; and a right-to-left run, up to the last letter or number before an L."""


def as_seen(text: str) -> str:
    """Reorder `text` to its visual order from left to right; unchanged without right-to-left letters.

    WeasyPrint sets each letter of an SVG text separately, so Arabic letters would not join and Hebrew would read
    backward. The rules are the part of the Unicode bidirectional algorithm that matters for one line in a left-to-right
    page (UAX 9, without explicit marks).

    >>> as_seen("Portuguese (Brazil)")
    'Portuguese (Brazil)'
    >>> as_seen("שלום") == "שלום"[::-1]
    True
    >>> [f"{ord(letter):X}" for letter in as_seen("سلام")]  # meem alone, lam with alef joined to the right, seen
    ['FEE1', 'FEFC', 'FEB3']
    """
    if not {"R", "AL"} & set(map(unicodedata.bidirectional, text)):
        return text
    bare = "".join(letter for letter in unicodedata.normalize("NFC", text) if not unicodedata.combining(letter))
    letters = joined(bare)
    kinds = "".join(KINDS.get(unicodedata.bidirectional(letter), " ") for letter in letters)
    kinds = _NUMBER.sub(lambda found: "#" * len(found[0]), kinds)
    seen, end = "", 0
    for run in _FROM_RIGHT.finditer(kinds):
        parts = re.finditer("#+|[^#]", run[0])
        turned = [letters[run.start() + each.start() : run.start() + each.end()] for each in parts][::-1]
        seen += letters[end : run.start()] + "".join(each.translate(MIRRORED) for each in turned)
        end = run.end()
    return seen + letters[end:]


def joined(text: str) -> str:
    """Replace every Arabic letter by the form that joins its neighbors.

    >>> [f"{ord(letter):X}" for letter in joined("بب ب")]  # initial, final, alone
    ['FE91', 'FE90', '20', 'FE8F']
    """
    forms, made, joins = _forms(), "", False
    units = re.findall("|".join(sorted(forms, key=len, reverse=True)) + "|.", text, re.DOTALL)
    for unit, after in zip(units, [*units[1:], ""], strict=True):
        own = forms.get(unit, {})
        onward = "initial" in own and "final" in forms.get(after, {})
        wanted = ("medial" if onward else "final") if joins and "final" in own else "initial" if onward else "isolated"
        made, joins = made + own.get(wanted, unit), onward
    return made


@cache
def _forms() -> dict[str, dict[str, str]]:
    """Return the forms of single letters, and of lam with the letters it forms a ligature with."""
    forms: dict[str, dict[str, str]] = {}
    for code in (code for block in PRESENTATION for code in block):
        name, *parts = unicodedata.decomposition(chr(code)).split() or [""]
        letters = "".join(chr(int(part, 16)) for part in parts)
        if name.startswith("<") and (len(letters) == 1 or letters.startswith("ل")):
            forms.setdefault(letters, {}).setdefault(name.strip("<>"), chr(code))
    return forms
