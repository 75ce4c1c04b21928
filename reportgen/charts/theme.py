"""How charts look: inks, fonts and sizes, and labels that are cut and measured before they are drawn."""

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from itertools import accumulate
from pathlib import Path

from reportgen.errors import SettingsError

_HEX = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True)
class Colours:
    """The four inks of a report, as ``#rrggbb``; distinct in greyscale and to colour-blind readers.

    Raises
    ------
    SettingsError
        If a colour is not written as ``#rrggbb``.
    """

    engine: str = "#143d66"
    human: str = "#6b737d"
    flag: str = "#c4520a"
    muted: str = "#c3c9d1"

    def __post_init__(self) -> None:
        """Refuse what is not a colour: it goes into style sheets as it is."""
        for name, value in asdict(self).items():
            if not _HEX.fullmatch(value):
                raise SettingsError(f"colours.{name}: expected a colour such as #143d66, found {value!r}.")

    def of(self, ink: str) -> str:
        """Return the colour of a role, or of "text", "quiet", "grid" and "paper"."""
        return str(NEUTRAL.get(ink) or getattr(self, ink))


TEXT = "#1c2530"  # titles and labels

QUIET = "#59636f"  # axis labels and counts: gray that still reads at 8 pt

GRID = "#e3e7ec"  # lines only where values are read off

PAPER = "#ffffff"

NEUTRAL = {"text": TEXT, "quiet": QUIET, "grid": GRID, "paper": PAPER}  # the colours that are the same in every report

DARK = {TEXT: "#e6e9ee", QUIET: "#a5aeba", GRID: "#323b47", PAPER: "#151a21"}
"""What the neutral colours become in dark mode."""

DARK_INKS = {"engine": "#7fb2e5", "human": "#727a85", "flag": "#f0904a", "muted": "#4d5763"}
"""What the default inks become in dark mode; colours chosen by the user stay as chosen."""

FONTS = "Report Sans, Noto Sans, DejaVu Sans, sans-serif"
"""The name that pages give to the font they carry, and what stands in for characters it lacks."""

SIZE = 12.0  # text in pixels of a chart that is `WIDTH` wide; on paper this is about 8.8 pt

WIDTH = 640.0

PALE = "0.8"  # opacity of the ends of a scale, and of other numbers that only place what is read

BAND = 0.1  # opacity of the shaded part where an estimate should lie

SHADE = 0.45
"""Opacity of the darkest cell of a heat map with texts: the default inks then keep a contrast of 5 with their text."""


def dark_colours(colours: Colours) -> dict[str, str]:
    """Return what each colour of a chart becomes in dark mode.

    Examples
    --------
    >>> dark_colours(Colours())["#143d66"]
    '#7fb2e5'
    """
    default = asdict(Colours())
    inks = {value: DARK_INKS[name] for name, value in asdict(colours).items() if value == default[name]}
    return {**DARK, **inks}


ELLIPSIS = "…"

_ENDLESS = re.compile(r"\S{121,}")  # words that no reader needs in full; results.json and the CSV files have them

LOOK = tomllib.loads(Path(__file__).with_name("look.toml").read_text(encoding="utf-8"))
"""The table of shapes, of dashes, and of the widths of characters."""


def columns(text: str) -> int:
    """Return how many columns `text` takes, where East Asian wide characters take two.

    Examples
    --------
    >>> columns("abc"), columns("日本")
    (3, 4)
    """
    return sum(_columns(character) for character in text)


def width(text: str, size: float) -> float:
    """Return the width of `text` in pixels at `size` pixels per em, as the font of charts draws it.

    On the safe side: what is drawn may be narrower, so a label is never cut.

    Examples
    --------
    >>> width("0.71", 10.0), width("é", 10.0) == width("e", 10.0)
    (17.5, True)
    """
    return round(size * sum(map(_em, text)), 3)


def shorten(text: str, limit: int) -> str:
    """Return `text` on one line and in at most `limit` columns, with an ellipsis in the place of its middle.

    Examples
    --------
    >>> shorten("Portuguese (Brazil), grade 4", 17)
    'Portuguese…ade 4'
    >>> shorten("two lines", 20)
    'two lines'
    """
    text = " ".join(text.split())
    if columns(text) <= limit:
        return text
    tail = _beginning(text[::-1], limit // 3)[::-1]
    return f"{_beginning(text, limit - 1 - columns(tail)).rstrip()}{ELLIPSIS}{tail.lstrip()}"


def shorten_apart(labels: Sequence[str], limit: int) -> tuple[str, ...]:
    """Return labels in at most `limit` columns each; labels that would be the same without their middle get numbers.

    Examples
    --------
    >>> shorten_apart(("a" * 20 + "b" + "a" * 20, "a" * 41, "a"), 12)
    ('aaaaa…aa (1)', 'aaaaa…aa (2)', 'a')
    """
    alike: dict[str, list[str]] = {}
    for label in dict.fromkeys(" ".join(each.split()) for each in labels):
        alike.setdefault(shorten(label, limit), []).append(label)
    made = {}
    for short, named in alike.items():
        for number, label in enumerate(named, 1):
            mark = f" ({number})" if len(named) > 1 else ""
            made[label] = shorten(label, max(3, limit - len(f" ({len(named)})"))) + mark if mark else short
    return tuple(made[" ".join(each.split())] for each in labels)


def shorten_words(text: str) -> str:
    """Return text whose endless words have a digest in the place of their middle.

    Different words stay different. To lay out a name of thousands of letters takes as long as a hundred pages.

    Examples
    --------
    >>> shorten_words("the column " + "x" * 2000)
    'the column xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…5c0e0e…xxxxxxxxxxxxxxxxxxxxxxxxx'
    """
    return _ENDLESS.sub(
        lambda word: (
            f"{word[0][:60]}{ELLIPSIS}{sha256(word[0].encode('utf-8', 'replace')).hexdigest()[:6]}"
            f"{ELLIPSIS}{word[0][-25:]}"
        ),
        text,
    )


def apart(labels: Sequence[str]) -> tuple[str, ...]:
    """Return labels without the words that all of them begin with, which the name of their axis says anyway.

    Examples
    --------
    >>> apart(("Level 1", "Level 2")), apart(("Level 1", "Grade 2")), apart(("low", "low end"))
    (('1', '2'), ('Level 1', 'Grade 2'), ('low', 'low end'))
    """
    named = [label.split() for label in labels]
    shared = 0
    while all(len(words) > shared + 1 and words[shared] == named[0][shared] for words in named):
        shared += 1
    return tuple(" ".join(words[shared:]) for words in named) if len(named) > 1 and shared else tuple(labels)


@cache
def _em(character: str) -> float:
    """Return the width of a character in Source Sans, in ems; what it lacks comes from a wider font."""
    if unicodedata.combining(character):
        return 0.0
    plain = unicodedata.normalize("NFD", character)[0]
    for letters, em in LOOK["widths"].items():
        if plain in letters:
            return float(em)
    if _columns(character) == 2:
        return 1.05
    return 0.9 if character.isupper() else 0.72


def _beginning(text: str, limit: int) -> str:
    used = accumulate(map(_columns, text))
    return "".join(character for character, end in zip(text, used, strict=True) if end <= limit)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
