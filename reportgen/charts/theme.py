"""How charts look: inks, fonts and sizes, shared by both ways of drawing."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass

from reportgen.errors import SettingsError
from reportgen.results.chart import Ink

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

    def of(self, ink: Ink) -> str:
        """Return the colour of a role."""
        return str(getattr(self, ink))


TEXT = "#1c2530"
"""Titles and labels."""

QUIET = "#59636f"
"""Axis labels and counts: grey that still reads at 8 pt."""

GRID = "#e3e7ec"
"""Grid lines: only where values are read off."""

PAPER = "#ffffff"

DARK = {TEXT: "#e6e9ee", QUIET: "#a5aeba", GRID: "#323b47", PAPER: "#151a21"}
"""What the neutral colours become in dark mode."""

DARK_INKS = {"engine": "#7fb2e5", "human": "#727a85", "flag": "#f0904a", "muted": "#4d5763"}
"""What the default inks become in dark mode; colours chosen by the user stay as chosen."""

FONTS = "Report Sans, Noto Sans, DejaVu Sans, sans-serif"
"""The name that pages give to the font they carry, and what stands in for characters it lacks."""

SIZE = 12.0
"""Text in pixels of a chart that is `WIDTH` wide; on paper this is about 8.8 pt."""

WIDTH = 640.0


PALE = "0.8"
"""Opacity of the ends of a scale, and of other numbers that only place what is read."""

BAND = 0.1
"""Opacity of the shaded part where an estimate should lie."""

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
