"""Define the look of charts (colors, fonts, and sizes), and measure and shorten labels."""

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
    """The four colors of a report, as ``#rrggbb``; distinct in grayscale and to color-blind readers.

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
        """Reject invalid colors: they are inserted into style sheets unchanged."""
        for name, value in asdict(self).items():
            if not _HEX.fullmatch(value):
                raise SettingsError(f"colours.{name}: expected a colour such as #143d66, found {value!r}.")

    def of(self, ink: str) -> str:
        """Return the color of a role, or of "text", "quiet", "grid", or "paper"."""
        return str(NEUTRAL.get(ink) or getattr(self, ink))


TEXT = "#1c2530"  # titles and labels

QUIET = "#59636f"  # axis labels and counts: a gray that is readable at 8 pt

GRID = "#e3e7ec"  # grid lines

PAPER = "#ffffff"

NEUTRAL = {"text": TEXT, "quiet": QUIET, "grid": GRID, "paper": PAPER}  # colors that are the same in every report

DARK = {TEXT: "#e6e9ee", QUIET: "#a5aeba", GRID: "#323b47", PAPER: "#151a21"}
"""Neutral colors in dark mode."""

DARK_INKS = {"engine": "#7fb2e5", "human": "#7f8893", "flag": "#f0904a", "muted": "#5d6875"}
"""Default inks in dark mode; custom colors do not change."""

FONTS = "Report Sans, Noto Sans, DejaVu Sans, sans-serif"  # the font that reports embed, and its fallbacks

SIZE = 12.0  # font size in pixels in a chart that is `WIDTH` wide; about 8.8 pt on paper

WIDTH = 640.0

PALE = "0.8"  # opacity of scale ends and of other reference numbers

BAND = 0.1  # opacity of target zones

CHANCE = 0.4  # opacity of what chance alone would show

SHADE = 0.45  # opacity of the darkest heat map cell with text; text on the default colors then has a contrast of 5


def dark_colours(colours: Colours) -> dict[str, str]:
    """Map each color of a chart to its color in dark mode.

    >>> dark_colours(Colours())["#143d66"]
    '#7fb2e5'
    """
    default = asdict(Colours())
    return DARK | {value: DARK_INKS[name] for name, value in asdict(colours).items() if value == default[name]}


ELLIPSIS = "…"

_ENDLESS = re.compile(r"\S{121,}")  # words too long to read in full; results.json and the CSV files have them

LOOK = tomllib.loads(Path(__file__).with_name("look.toml").read_text(encoding="utf-8"))
"""Tables of shapes, dashes, and character widths."""


def columns(text: str) -> int:
    """Count the columns of `text`; East Asian wide characters take two.

    >>> columns("abc"), columns("日本")
    (3, 4)
    """
    return sum(_columns(character) for character in text)


def width(text: str, size: float) -> float:
    """Measure `text` in pixels at `size` pixels per em, in the font of charts.

    The result is an upper bound, so labels are never cut.

    >>> width("0.71", 10.0), width("é", 10.0) == width("e", 10.0)
    (17.5, True)
    """
    return round(size * sum(map(_em, text)), 3)


def shorten(text: str, limit: int) -> str:
    """Shorten `text` to one line of at most `limit` columns, with an ellipsis in the middle.

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


def fold(text: str, room: float) -> list[str]:
    """Split `text` into at most two lines; the first has as many words as fit in `room` pixels.

    >>> fold("Kendall's tau-b, unrounded engine score", 158.0)
    ["Kendall's tau-b, unrounded", 'engine score']
    """
    words = text.split()
    first = next((n for n in range(len(words), 1, -1) if width(" ".join(words[:n]), SIZE) <= room), 1)
    return [" ".join(line) for line in (words[:first], words[first:]) if line]


def shorten_apart(labels: Sequence[str], limit: int) -> tuple[str, ...]:
    """Shorten labels to at most `limit` columns each, and number those that would become equal.

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
    """Replace the middle of endless words by a digest.

    Different words stay different. The layout of a name with thousands of letters takes as long as a hundred pages.

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
    """Remove the words that all labels start with, which the axis name already contains.

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
    """Return the width of a character in Source Sans, in ems, or of a wider font if it has no such character."""
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
