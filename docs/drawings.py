"""What pictures of statistics are drawn with: a sheet, a plane of two scores, one function for each kind of picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from html import escape
from typing import Concatenate, ParamSpec

import numpy as np
from numpy.typing import NDArray

from reportgen import metrics

P = ParamSpec("P")
Scores = NDArray[np.float64]

WIDTH, HEIGHT = 520, 200
TEXT, QUIET, GRID, ENGINE, HUMAN, FLAG = "#1c2530", "#59636f", "#c3c9d1", "#143d66", "#8a9eb2", "#c4520a"

FIRST = np.array([1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5], float)
SECOND = np.array([1, 2, 3, 2, 3, 4, 3, 2, 4, 3, 5, 5], float)
SYSTEM = np.array([1.9, 1.7, 2.4, 3.2, 2.6, 3.1, 3.5, 2.1, 3.6, 4.4, 3.9, 4.2])
TRUE = np.array([1.2, 2.0, 2.6, 2.2, 3.0, 3.4, 3.1, 2.5, 3.9, 3.6, 4.3, 4.8])
"""Twelve responses: the scores of two raters, of an engine, and true scores, which nobody knows."""

COUNTS = np.array([[8, 4, 1, 0], [5, 18, 7, 1], [1, 8, 22, 6], [0, 2, 6, 11]])
"""A hundred responses on a scale from 1 to 4: rows are human scores, columns the engine's."""

POINTS = np.arange(1, 5)
HIGHER = np.array([[42, 8], [14, 36]])
"""A hundred responses in two categories: TP, FN; FP, TN."""


class Drawing:
    """The elements of a picture, as SVG."""

    def __init__(self) -> None:
        self.elements: list[str] = []

    def line(
        self, x: float, y: float, to_x: float, to_y: float, ink: str = QUIET, width: float = 1.2, dash: str = ""
    ) -> None:
        """Add a line."""
        self.elements.append(
            f'<path d="M{x:.0f} {y:.0f}L{to_x:.0f} {to_y:.0f}" stroke="{ink}" stroke-width="{width}"'
            + (f' stroke-dasharray="{dash}"' if dash else "") + "/>"
        )  # fmt: skip

    def dot(self, x: float, y: float, ink: str = ENGINE, radius: float = 4.5) -> None:
        """Add a dot."""
        self.elements.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius}" fill="{ink}"/>')

    def box(self, x: float, y: float, width: float, height: float, fill: str = HUMAN, ink: str = "none") -> None:
        """Add a rectangle."""
        self.elements.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" fill="{fill}" stroke="{ink}"/>'
        )

    def curve(self, points: Iterable[tuple[float, float]], ink: str) -> None:
        """Add a line through many points."""
        path = "L".join(f"{x:.0f} {y:.0f}" for x, y in points)
        self.elements.append(f'<path d="M{path}" fill="none" stroke="{ink}" stroke-width="2"/>')

    def text(self, x: float, y: float, words: str, ink: str = QUIET, anchor: str = "start", bold: bool = False) -> None:
        """Add words."""
        weight = ' font-weight="600"' if bold else ""
        self.elements.append(
            f'<text x="{x:.0f}" y="{y:.0f}" fill="{ink}" text-anchor="{anchor}"{weight}>{escape(words)}</text>'
        )

    def svg(self, shows: str, height: int = HEIGHT) -> str:
        """Return the whole picture, with words for those who do not see it."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            'font-family="\'Source Sans Pro\', system-ui, sans-serif" font-size="13">\n'
            f"<title>{escape(shows)}</title>\n"
            f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>\n' + "\n".join(self.elements) + "\n</svg>\n"
        )


def shows(words: str) -> Callable[[Callable[Concatenate[Drawing, P], None]], Callable[P, str]]:
    """Make of a function that draws one that returns the picture, with words for those who do not see it."""

    def made(draw: Callable[Concatenate[Drawing, P], None]) -> Callable[P, str]:
        def picture(*args: P.args, **kwargs: P.kwargs) -> str:
            drawing = Drawing()
            draw(drawing, *args, **kwargs)
            return drawing.svg(words)

        return picture

    return made


class Plane:
    """A plane of two scores in the left half of a picture."""

    def __init__(self, drawing: Drawing, across: str, up: str, low: float = 0.5, high: float = 5.5) -> None:
        self.drawing, self.low, self.high = drawing, low, high
        drawing.line(46, 165, 216, 165, GRID)
        drawing.line(46, 165, 46, 15, GRID)
        drawing.text(131, 185, across, anchor="middle")
        drawing.elements.append(
            f'<text transform="translate(30 90) rotate(-90)" fill="{QUIET}" text-anchor="middle">{up}</text>'
        )

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return where a pair of scores stands."""
        part_x, part_y = ((value - self.low) / (self.high - self.low) for value in (x, y))
        return 46 + 170 * part_x, 165 - 150 * part_y

    def dots(self, x: Scores, y: Scores, ink: str = ENGINE) -> None:
        """Add dots of pairs of scores."""
        for each in zip(x, y, strict=True):
            self.drawing.dot(*self.at(*each), ink)

    def join(
        self, start: tuple[float, float], end: tuple[float, float], ink: str = FLAG, dash: str = "", width: float = 1.6
    ) -> None:
        """Add a line between two pairs of scores."""
        self.drawing.line(*self.at(*start), *self.at(*end), ink, width, dash)

    def diagonal(self) -> None:
        """Add the line where both scores are the same."""
        self.join((self.low, self.low), (self.high, self.high), HUMAN, "4 3")


def said(drawing: Drawing, lines: Sequence[str], value: str) -> None:
    """Write what a picture shows, and the value, next to it."""
    for place, words in enumerate(lines):
        drawing.text(250, 60 + 19 * place, words)
    drawing.text(250, 70 + 19 * len(lines), value, TEXT, bold=True)


def number(value: float) -> str:
    """Return a number as pictures write it."""
    return f"{value:.2f}".replace("-", "−")


def fitted(x: Scores, y: Scores) -> tuple[float, float]:
    """Return slope and intercept of the line of y on x."""
    slope = float(np.cov(x, y)[0, 1] / np.var(x, ddof=1))
    return slope, float(np.mean(y) - slope * np.mean(x))


@shows("Dots of two scores, and the line through them.")
def sloping(drawing: Drawing, x: Scores, y: Scores, across: str, up: str, lines: Sequence[str], what: str) -> None:
    """Draw a line through a cloud of dots."""
    plane = Plane(drawing, across, up)
    slope, start = fitted(x, y)
    plane.diagonal()
    plane.dots(x, y)
    plane.join((1, start + slope), (5, start + 5 * slope))
    value = {"r": np.corrcoef(x, y)[0, 1], "slope": slope, "intercept": start}[what]
    said(drawing, lines, f"{what} = {number(value)}")


@shows("Engine scores over human scores; a line from each dot to where both scores are the same.")
def errors(drawing: Drawing, lines: Sequence[str], value: str, level: float | None = None) -> None:
    """Draw the distances of engine scores from the line where both scores are the same."""
    plane = Plane(drawing, "human score", "engine score")
    plane.diagonal()
    for x, y in zip(FIRST, SYSTEM, strict=True):
        if level in (None, x):
            plane.join((x, x), (x, y))
    plane.dots(FIRST, SYSTEM)
    said(drawing, lines, value)


@shows("Errors of giving everyone the mean, and the smaller errors of the engine.")
def explained(drawing: Drawing) -> None:
    """Draw errors of the engine next to errors of the mean."""
    for place, (guess, words) in enumerate(((np.full(12, FIRST.mean()), "the mean"), (SYSTEM, "the engine"))):
        left = 30 + 225 * place
        for number_, (human, other) in enumerate(zip(FIRST, guess, strict=True)):
            x = left + 10 + 15 * number_
            drawing.line(x, 160 - 26 * human, x, 160 - 26 * other, FLAG, 2)
            drawing.dot(x, 160 - 26 * human, HUMAN, 4)
            drawing.dot(x, 160 - 26 * other, ENGINE, 2.5)
        squares = float(np.sum((FIRST - guess) ** 2))
        drawing.text(left, 180, f"{words}: Σ error² = {squares:.1f}", TEXT)


@shows("Errors over human scores, and a falling line through them.")
def slopes_of_error(drawing: Drawing, perfect: bool) -> None:
    """Draw the error of a score against the human score."""
    score = TRUE if perfect else SYSTEM
    plane = Plane(drawing, "human score", "score − human", 0, 6)
    zero = 3.0
    plane.join((0, zero), (6, zero), HUMAN, "4 3")
    plane.dots(FIRST, score - FIRST + zero, QUIET if perfect else ENGINE)
    slope, start = fitted(FIRST, score - FIRST)
    plane.join((1, zero + start + slope), (5, zero + start + 5 * slope))
    if perfect:
        lines: tuple[str, ...] = ("True scores: even they lie", "below a high human score,", "above a low one.")
    else:
        lines = ("The engine's error falls", "as the human score rises.")
    said(drawing, lines, f"slope = {number(slope)}")


@shows("The same responses in the order of both scores, joined by lines; some lines cross.")
def ordered(drawing: Drawing, ranks: bool) -> None:
    """Draw the same responses in the order of both scores."""
    human, engine = (np.argsort(np.argsort(each, kind="stable"), kind="stable") for each in (FIRST, SYSTEM))
    drawing.text(70, 20, "human", anchor="middle")
    drawing.text(190, 20, "engine", anchor="middle")
    for left, right in zip(human, engine, strict=True):
        crossed = sum((left - a) * (right - b) < 0 for a, b in zip(human, engine, strict=True))
        drawing.line(75, 185 - 13 * left, 185, 185 - 13 * right, FLAG if crossed > 2 else HUMAN, 1.6)
        drawing.dot(70, 185 - 13 * left, QUIET, 4)
        drawing.dot(190, 185 - 13 * right, ENGINE, 4)
    if ranks:
        said(
            drawing,
            ("Scores give way to ranks:", "only the order counts."),
            f"ρ ranks = {number(metrics.spearman_rho(FIRST, SYSTEM))}",
        )
    else:
        said(
            drawing,
            ("Lines that cross are pairs", "in opposite orders."),
            f"τ-b = {number(metrics.kendall_tau_b(FIRST, SYSTEM))}",
        )


@shows("Scores as heaps of dots on the scale, with their mean or spread.")
def heap(drawing: Drawing, scores: Scores, ink: str, who: str, spread: bool) -> None:
    """Draw scores as heaps of dots, with their mean or their spread."""
    drawing.line(40, 150, 440, 150, GRID)
    for point in range(1, 6):
        drawing.text(80 * point, 170, str(point), anchor="middle")
    for point, count in zip(*np.unique(np.rint(scores), return_counts=True), strict=True):
        for place in range(count):
            drawing.dot(80 * point, 140 - 16 * place, ink, 6)
    mean, deviation = float(np.mean(scores)), float(np.std(scores, ddof=1))
    drawing.line(80 * mean, 50, 80 * mean, 155, FLAG, 2)
    if spread:
        drawing.line(80 * (mean - deviation), 45, 80 * (mean + deviation), 45, FLAG, 2)
    shown = f"SD = {number(deviation)}: one SD to either side of the mean" if spread else f"mean = {number(mean)}"
    drawing.text(240, 25, f"{who}: {shown}", TEXT, "middle", bold=True)


def bell(drawing: Drawing, centre: float, sd: float, ink: str, words: str, low: float = 0) -> None:
    """Draw a distribution."""
    points = [centre + sd * step / 10 for step in range(-30, 31)]
    drawing.curve([(x, 150 - 5000 / sd * math.exp(-(((x - centre) / sd) ** 2) / 2)) for x in points], ink)
    drawing.text(centre, 172 + low, words, ink if ink != HUMAN else QUIET, "middle")


@shows("Two distributions of scores, and what lies between them.")
def bells(drawing: Drawing, first: tuple[float, float, str], second: tuple[float, float, str], words: str) -> None:
    """Draw two distributions, and what lies between their centres or their spreads."""
    drawing.line(30, 150, 450, 150, GRID)
    bell(drawing, first[0], first[1], HUMAN, first[2])
    bell(drawing, second[0], second[1], ENGINE, second[2], 0 if abs(first[0] - second[0]) > 130 else 17)
    if first[0] != second[0]:
        drawing.line(first[0], 45, second[0], 45, FLAG, 2.5)
        for x, height in ((first[0], 55), (second[0], 55)):
            drawing.line(x, 40, x, height, FLAG)
    drawing.text(240, 22, words, TEXT, "middle", bold=True)


@shows("Bars of the quantities that are compared.")
def bars(drawing: Drawing, rows: Sequence[tuple[str, float, str]], words: str, of: float = 1.0) -> None:
    """Draw quantities as bars below each other."""
    drawing.text(20, 24, words, TEXT, bold=True)
    step = 140 / len(rows)
    for place, (name, value, ink) in enumerate(rows):
        y = 44 + step * place
        drawing.text(190, y + step / 2, name, anchor="end")
        drawing.box(200, y + step / 2 - 14, 220 * abs(value) / of, 18, ink)
        drawing.text(206 + 220 * abs(value) / of, y + step / 2, number(value), TEXT)


@shows("A bar, and the parts that it consists of.")
def parts(drawing: Drawing, pieces: Sequence[tuple[str, float, str]], words: str) -> None:
    """Draw a whole and its parts."""
    drawing.text(20, 30, words, TEXT, bold=True)
    x = 20.0
    for place, (name, value, ink) in enumerate(pieces):
        drawing.box(x, 60, 440 * value, 40, ink, "#fff")
        middle = x + 220 * value
        drawing.line(middle, 100, middle, 116 + 22 * (place % 3), GRID)
        drawing.text(min(max(middle, 60), 420), 130 + 22 * (place % 3), f"{name} {number(value)}", anchor="middle")
        x += 440 * value


def grid(
    drawing: Drawing, lit: Callable[[int, int], float], counts: Scores = COUNTS, names: Sequence[str] = "1234"
) -> None:
    """Draw counts of pairs of scores; a cell is as dark as the credit that it has."""
    size = 144 / len(names)
    drawing.text(122, 16, "engine", anchor="middle")
    drawing.elements.append(
        f'<text transform="translate(16 108) rotate(-90)" fill="{QUIET}" text-anchor="middle">human</text>'
    )
    for row, name in enumerate(names):
        drawing.text(42, 40 + size * (row + 0.5), name, anchor="end")
        drawing.text(50 + size * (row + 0.5), 32, name, anchor="middle")
        for column in range(len(names)):
            credit = lit(row, column)
            shade = "#{:02x}{:02x}{:02x}".format(*(round(255 + (to - 255) * credit) for to in (0x14, 0x3D, 0x66)))
            drawing.box(50 + size * column, 37 + size * row, size - 2, size - 2, shade, GRID)
            drawing.text(
                49 + size * (column + 0.5),
                41 + size * (row + 0.5),
                str(counts[row, column]),
                "#fff" if credit > 0.5 else TEXT,
                "middle",
            )


def pairs() -> tuple[Scores, Scores]:
    """Return the hundred responses of the grid, one score of each side per response."""
    return np.repeat(np.repeat(POINTS, 4), COUNTS.ravel()), np.repeat(np.tile(POINTS, 4), COUNTS.ravel())


def credit(weights: str) -> Callable[[int, int], float]:
    """Return how much a pair of scores counts as agreement."""
    both = COUNTS.sum(axis=0) + COUNTS.sum(axis=1)
    ranks = np.cumsum(both) - both / 2
    return {
        "ordinal": lambda row, column: 1 - float((ranks[row] - ranks[column]) / (ranks[0] - ranks[3])) ** 2,
        "identity": lambda row, column: float(row == column),
        "linear": lambda row, column: 1 - abs(row - column) / 3,
        "quadratic": lambda row, column: 1 - (row - column) ** 2 / 9,
    }[weights]


@shows("A grid of human and engine scores, dark where both agree; a bar from the agreement of chance to 1.")
def beyond_chance(
    drawing: Drawing,
    function: Callable[..., metrics.Coefficient],
    chance: str,
    weights: str = "identity",
    level: str | None = None,
) -> None:
    """Draw the credit that agreement has, what chance would have, and how far from there to 1 it comes."""
    grid(drawing, credit(weights))
    human, engine = pairs()
    given = (human, engine) if function is metrics.cohen_kappa else (np.column_stack([human, engine]),)
    found = function(*given, categories=POINTS, **({"level": level} if level else {"weights": weights}))
    left, width = 235, 225
    drawing.text(left, 40, f"chance: {chance}")
    drawing.box(left, 88, width, 18, "#fff", GRID)
    drawing.box(left, 88, width * found.expected, 18, HUMAN)
    drawing.box(left + width * found.expected, 88, width * (found.observed - found.expected), 18, ENGINE)
    drawing.text(left + width * found.expected, 81, f"chance {number(found.expected)}", anchor="middle")
    drawing.text(left + width * found.observed, 124, f"agreement {number(found.observed)}", ENGINE, "end")
    drawing.text(left, 160, f"the way from chance to 1: {number(found.value)}", TEXT, bold=True)


@shows("A grid of human and engine scores; dark cells are counted, pale ones are what they are counted among.")
def counted(
    drawing: Drawing,
    lit: Callable[[int, int], bool],
    lines: Sequence[str],
    of: Callable[[int, int], bool] = lambda *_: True,
) -> None:
    """Draw which cells of the grid a percentage counts, and among which."""
    grid(drawing, lambda row, column: 0.85 if lit(row, column) else 0.12 if of(row, column) else 0)
    cells = [(row, column) for row in range(4) for column in range(4)]
    above, below = (sum(int(COUNTS[cell]) for cell in cells if wanted(*cell)) for wanted in (lit, of))
    said(drawing, lines, f"{above} of {below} = {100 * above / below:.0f} %")


@shows("Four cells of two categories; dark cells are counted, pale ones are what they are counted among.")
def two_by_two(
    drawing: Drawing,
    above: str,
    below: str,
    lines: Sequence[str],
    value: Callable[[dict[str, int]], float],
    percent: bool = True,
) -> None:
    """Draw which cells of two categories a statistic counts, and among which."""
    names = (("TP", "FN"), ("FP", "TN"))
    cells = {name: int(HIGHER[row, column]) for row, line in enumerate(names) for column, name in enumerate(line)}
    grid(
        drawing,
        lambda row, column: 0.85 if names[row][column] in above else 0.15 if names[row][column] in below else 0,
        HIGHER,
        ("+", "−"),
    )
    found = value(cells)
    said(drawing, lines, f"{found:.0f} %" if percent else number(found))


@shows("Six responses in rows, with true score, ratings or engine score; lines are what is measured.")
def rated(drawing: Drawing, what: str, lines: Sequence[str], value: str) -> None:
    """Draw responses in rows: a true score, two ratings, the engine's score; and what is measured between them."""
    for row in range(6):
        each, y = 2 * row, 25 + 27 * row
        place = [30 + 36 * score for score in (TRUE[each], FIRST[each], SECOND[each], SYSTEM[each])]
        drawing.line(50, y, 220, y, GRID)
        ends = {"ratings": (1, 2), "true": (0, 3), "human": (1, 3)}.get(what)
        if ends and place[ends[0]] != place[ends[1]]:
            drawing.line(place[ends[0]], y, place[ends[1]], y, FLAG, 3)
        if what != "human":
            drawing.line(place[0], y - 9, place[0], y + 9, TEXT, 2)
        drawing.dot(place[1], y, HUMAN, 5)
        if what in ("ratings", "spread"):
            drawing.dot(place[2], y, HUMAN, 5)
        if what in ("true", "human"):
            drawing.dot(place[3], y, ENGINE, 5)
    shown = {
        "ratings": "tick: true score; dots: ratings",
        "spread": "tick: true score; dots: ratings",
        "human": "pale: rater; dark: engine",
    }
    drawing.text(50, 192, shown.get(what, "tick: true score; dark: engine"))
    said(drawing, lines, value)


@shows("A rater's errors on two traits as dots, with the line through them.")
def carried_over(drawing: Drawing, one: Scores, two: Scores) -> None:
    """Draw a rater's errors on two traits."""
    plane = Plane(drawing, "error on ideas", "error on voice", -1.2, 1.2)
    plane.join((-1.2, 0), (1.2, 0), HUMAN, "4 3")
    plane.join((0, -1.2), (0, 1.2), HUMAN, "4 3")
    plane.dots(one, two)
    slope, start = fitted(one, two)
    plane.join((-0.9, start - 0.9 * slope), (0.9, start + 0.9 * slope))
    said(
        drawing,
        ("A rater too kind on one trait", "is too kind on the other."),
        f"r of errors = {number(float(np.corrcoef(one, two)[0, 1]))}",
    )


@shows("Numbers as dots with their intervals, and the required limit.")
def intervals(
    drawing: Drawing,
    rows: Sequence[tuple[str, float, float, float]],
    limits: Sequence[float],
    ends: Sequence[float],
    words: str,
) -> None:
    """Draw numbers with their intervals against limits."""
    drawing.text(20, 24, words, TEXT, bold=True)

    def across(value: float) -> float:
        return 190 + 310 * (value - ends[0]) / (ends[1] - ends[0])

    step = 130 / len(rows)
    for limit in limits:
        drawing.line(across(limit), 40, across(limit), 175, QUIET, 1.2, "4 3")
        drawing.text(across(limit), 192, number(limit), anchor="middle")
    for place, (name, low, value, high) in enumerate(rows):
        y = 48 + step * (place + 0.5)
        drawing.text(175, y + 4, name, anchor="end")
        drawing.line(across(low), y, across(high), y, ENGINE, 2.5)
        drawing.dot(across(value), y)


@shows("A curve that rises or falls with the number of responses.")
def rising(drawing: Drawing, points: Sequence[tuple[float, float]], across: str, words: str, most: float) -> None:
    """Draw what becomes of a number with more responses."""
    drawing.text(20, 24, words, TEXT, bold=True)
    drawing.line(60, 160, 500, 160, GRID)
    drawing.line(60, 160, 60, 40, GRID)
    end = points[-1][0]
    drawing.curve([(60 + 440 * x / end, 160 - 120 * y / most) for x, y in points], ENGINE)
    for x, y in (points[0], points[len(points) // 3], points[-1]):
        drawing.dot(60 + 440 * x / end, 160 - 120 * y / most)
        drawing.text(min(60 + 440 * x / end, 480), 150 - 120 * y / most, number(y), TEXT, "middle")
        drawing.text(min(60 + 440 * x / end, 490), 176, f"{x:,.0f}", anchor="middle")
    drawing.text(280, 193, across, anchor="middle")


@shows("Two clouds of dots, and the lines through them.")
def clouds(drawing: Drawing, lines: Sequence[str], across: str, items: bool) -> None:
    """Draw two groups, or two items, in the plane of two scores."""
    plane = Plane(drawing, across, "engine score")
    off = np.array([-0.7, -0.3, 0.1, 0.4, 0.8])
    noise = np.array([0.3, -0.4, 0.2, -0.3, 0.25])
    for centre, ink in ((2.0, HUMAN), (4.0, ENGINE)):
        along = noise if items else off + 0.5 * noise
        plane.dots(centre + off, centre + along, ink)
        if items:
            plane.join((centre - 0.9, centre), (centre + 0.9, centre))
    if not items:
        plane.join((1, 1), (5, 5))
    within = float(np.corrcoef(off, noise)[0, 1])
    said(drawing, lines, f"within items: r = {number(within)}" if items else "difference = 0")


def matrix(imports: Mapping[str, Collection[str]], path: Sequence[str]) -> str:
    """Draw the path of a number through rooms, and below it the rooms that each room imports."""
    drawing, names, step, top = Drawing(), list(imports), 12, 235
    drawing.text(10, 20, "Path of a number", TEXT, bold=True)
    for place, name in enumerate(path):
        x, y = 65 + 130 * (place % 4), 46 + 24 * (place // 4)
        drawing.text(x, y, f"{place + 1} {name}", ENGINE, "middle")
        if place % 4:
            drawing.text(x - 65, y, "→", FLAG, "middle")
    drawing.text(10, 125, "Imports: the room in the row imports the marked rooms", TEXT, bold=True)
    drawing.text(10, 141, "Dark: on the path of a number. Gray: the package itself.", QUIET)
    for row, name in enumerate(names):
        ink, y = ENGINE if name in path else QUIET, top + step * row
        drawing.text(106, y + 10, name, ink, "end")
        drawing.elements.append(
            f'<text transform="translate({123 + step * row} {top - 4}) rotate(-90)" fill="{ink}" font-size="11">'
            f"{name}</text>"
        )
        drawing.line(112, y, 112 + step * len(names), y, GRID, 0.5)
        drawing.box(113 + step * row, y + 1, step - 2, step - 2, GRID)
        for column, other in enumerate(names):
            if other in imports[name]:
                drawing.box(
                    113 + step * column, y + 1, step - 2, step - 2, ENGINE if {name, other} <= set(path) else HUMAN
                )
    return drawing.svg(
        "; ".join(f"{name} imports {', '.join(sorted(imports[name])) or 'no room'}" for name in names),
        top + step * len(names) + 10,
    )
