"""Make names and sentences safe and readable: user names, natural order, folder names, joined sentences."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

NAME_LENGTH = 60  # most letters of a user's name in a sentence; tables have the whole name

_DIRECTION_CONTROLS = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def name(text: object, most: int = NAME_LENGTH) -> str:
    r"""Make a user's name safe in a sentence: one line, not too long, without changing the text direction.

    The result is plain text; templates escape it.

    >>> name("first\nlanguage"), name("x" * 70, most=5), name(" ")
    ('first language', 'xxxx…', '(blank)')
    """
    kept = "".join(
        " " if unicodedata.category(letter) in {"Cc", "Zl", "Zp", "Cs"} else letter
        for letter in str(text)
        if letter not in _DIRECTION_CONTROLS
    )
    line = " ".join(kept.split()) or "(blank)"
    if len(line) > most:
        line = line[: most - 1] + "…"
    if any(unicodedata.bidirectional(letter) in {"R", "AL"} for letter in line):
        line = f"\u2068{line}\u2069"  # isolates keep the following numbers in place
    return line


def capital(text: str) -> str:
    """Capitalize a sentence, unless it starts with a symbol, markup, or a column name.

    >>> capital("the engine"), capital("r is high"), capital("r"), capital("raters"), capital("rater_1 is")
    ('The engine', 'r is high', 'r', 'Raters', 'rater_1 is')
    """
    symbol = text[:1] in ("r", "κ") and not text[1:2].isalpha()
    return text if symbol or "_" in text.partition(" ")[0] else text[:1].upper() + text[1:]


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that compares numbers in names by value.

    >>> sorted(["R10", "R9", "a"], key=natural)
    ['R9', 'R10', 'a']
    """
    parts = re.split(r"(\d{1,18})", text)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part)


def joined(sources: Iterable[str]) -> tuple[str, ...]:
    """Merge sources: every reference once, followed by everything it is cited for.

    `sources`: Each is a reference, or "reference: content"; empty and repeated ones are dropped.

    >>> joined(["Smith (2012): at least .70", "Smith (2012): less than .15", "ours", "Smith (2012): at least .70"])
    ('Smith (2012): at least .70, less than .15', 'ours')
    """
    found: dict[str, list[str]] = {}
    for source in dict.fromkeys(source for source in sources if source):
        reference, _, said = source.partition(": ")
        found.setdefault(reference, []).extend([said] if said else [])
    return tuple(f"{reference}: {', '.join(said)}" if said else reference for reference, said in found.items())


_PARTS = re.compile(r"('[^']*'|(?<![\w.:])\d+(?:,\d{3})*(?:\.\d+)?(?![\w:]))")
"""Quotations and numbers in a sentence; numbers can differ, all other text must be equal."""


def pattern_of(sentence: str) -> tuple[str, ...]:
    """Return a sentence without its numbers.

    >>> pattern_of("'h1' has 12 scores") == pattern_of("'h1' has 1,300 scores"), pattern_of("'h2' has 12 scores")
    (True, ('', "'h2'", ' has ', '', ' scores'))
    """
    return tuple("" if part[:1].isdigit() and _PARTS.fullmatch(part) else part for part in _PARTS.split(sentence))


def together(sentences: Sequence[str]) -> str:
    """Merge sentences of one pattern, with the smallest and largest of each number that differs.

    >>> together(["r is .61, 0.61 over 3 items.", "r is .61, 0.5 over 3 items."])
    'r is .61, 0.5 to 0.61 over 3 items.'
    """
    parts = zip(*(_PARTS.split(sentence) for sentence in sentences), strict=True)
    return "".join(_one(values) for values in parts)


def _one(values: tuple[str, ...]) -> str:
    ordered = sorted(set(values), key=lambda value: float(value.replace(",", ""))) if len(set(values)) > 1 else values
    return values[0] if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"


_OF_DEVICES = ("con", "aux", "nul", "prn", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)))
"""Names that Windows reserves for devices, also with an extension."""


def folder_names(names: Sequence[str], kind: str, reserved: Iterable[str] = ()) -> list[str]:
    """Return a folder name for each name: plain letters, all different, none `reserved`.

    `names`: In order; the second of two similar names gets a number. `kind`: Kind of the named objects, for names
    without a plain letter. `reserved`: Names that the report needs.

    >>> folder_names(["gpt-4o", "GPT 4o", "a/b", "tables", "é"], "system", ["tables"])
    ['gpt-4o', 'GPT-4o-2', 'a-b', 'system-tables', 'system']
    >>> folder_names(["con", "aux.txt", "contrast"], "item")
    ['item-con', 'item-aux.txt', 'contrast']
    """
    found: list[str] = []
    taken: set[str] = set()
    given = set(names)
    kept = {name.casefold() for name in reserved}
    next_number: dict[str, int] = {}
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", name)[:60].strip("-.") or kind
        plain = re.sub(r"\.(previous)$", r"-\1", plain, flags=re.IGNORECASE)  # temporarily used for the earlier report
        if plain.casefold() in kept or plain.casefold().partition(".")[0] in _OF_DEVICES:
            plain = f"{kind}-{plain}"
        unique = plain
        while unique.casefold() in taken or (unique != plain and unique in given):
            number = next_number.get(plain.casefold(), 2)
            unique, next_number[plain.casefold()] = f"{plain}-{number}", number + 1
        taken.add(unique.casefold())
        found.append(unique)
    return found
