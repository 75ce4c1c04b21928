"""Requirements as pages show them, each with a strip: estimate, interval, and limit on a scale that never moves."""

from markupsafe import Markup

from reportgen.charts import theme
from reportgen.charts.marks import Box, Dot, Mark, Path, Text
from reportgen.charts.static import drawn
from reportgen.charts.svg import clean, element, words
from reportgen.charts.theme import Colours
from reportgen.rendering.filters import sign
from reportgen.rendering.page_tables import estimate_view
from reportgen.results import Check
from reportgen.results.chart import scale_ends
from reportgen.results.term import Term
from reportgen.wording import numbers
from reportgen.wording.vocabulary import Vocabulary

WIDTH, HEIGHT, MARGIN = 168.0, 38.0, 8.0
TOP, FLOOR, FOOT = 2.0, 21.0, 35.0  # upper edge of the shaded part, the axis, and the line on which its numbers stand

LETTERS = 10.7  # size of the numbers in pixels


class CheckView:
    """A check as its template prints it, with its strip."""

    def __init__(self, check: Check, colours: Colours, words: Vocabulary) -> None:
        say = words.phrases("say")
        self.label, self.group = clean(check.label), clean(check.group)
        self.reason = clean(check.estimate.reason)
        self.estimate = estimate_view(check.estimate, {}, (check.low, check.high))
        self.n = numbers.num(None if check.withheld else check.estimate.n)
        self.required = say.required(check)
        self.strip = Markup(strip(check, colours, words))
        self.outcome = check.outcome
        self.outcome_word = say.outcome(check)
        self.sign = sign(check.outcome)


def strip(check: Check, colours: Colours, vocabulary: Vocabulary) -> str:
    """Return the strip of one check.

    The part where the whole interval must lie is shaded; a limit is a line with its number, the ends of the scale
    stand in pale ink.  A dotted line is what an engine without error would reach.  The dot is hollow while the check
    is undecided or out of reach, and orange only when it is not met; what lies beyond an end of the scale is an arrow
    at that end.
    """
    spoken, not_measured = vocabulary.say(Term("strip_said", check=check)), vocabulary.say(Term("not_measured"))
    return element(
        "svg",
        element("title", words(spoken)) + "".join(drawn(part, colours) for part in _parts(check, not_measured)),
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        aria_label=spoken,
        class_="strip",
        viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}",
        width=WIDTH,
        height=HEIGHT,
        font_family=theme.FONTS,
        font_size=LETTERS,
    )


def _parts(check: Check, not_measured: str) -> tuple[list[Mark], list[Mark], list[Mark]]:
    """Return the ground of a strip, the numbers below the axis, and what was found."""
    ground: list[Mark] = []
    told: list[Mark] = []
    found: list[Mark] = []
    estimate, middle = check.estimate, (TOP + FLOOR) / 2
    low, high = scale_ends(estimate.kind, (check.low, check.high))
    limits = [limit for limit in (check.low, check.high) if limit is not None]

    def across(value: float) -> float:
        """Return the place of a value; beyond an end it is a little beyond the axis."""
        return min(max(MARGIN + (WIDTH - 2 * MARGIN) * ((value - low) / (high - low)), 2.0), WIDTH - 2.0)

    start, stop = across(low if check.low is None else check.low), across(high if check.high is None else check.high)
    if limits:  # the part where the whole interval must lie
        ground.append(Box(start, TOP, max(0.0, stop - start), FLOOR - TOP, "engine", f"{theme.BAND}"))
    ground.append(Path(((MARGIN, FLOOR), (WIDTH - MARGIN, FLOOR)), "muted"))
    ground += [Path(((x, TOP), (x, FLOOR + 3)), "text", 1.1) for x in map(across, limits)]
    best = check.best.value if check.best else None
    if best is not None and low <= best <= high:
        ground.append(Path(((across(best), TOP), (across(best), FLOOR)), "text", 1.4, "fine"))

    taken: list[tuple[float, float]] = []
    for limit in limits:
        label = numbers.bound(limit, estimate.kind)
        half = 0.3 * LETTERS * len(label)
        x = min(max(across(limit), half), WIDTH - half)
        if all(abs(x - other) > half + before for other, before in taken):
            taken.append((x, half))
            told.append(Text(label, x, FOOT, "middle", "text"))
    for end, x, anchor, side in ((low, 5.0, "start", 0.5), (high, WIDTH - 5.0, "end", -0.5)):
        label = numbers.bound(end, estimate.kind)
        width = 0.6 * LETTERS * len(label)
        if all(abs(other - (x + side * width)) > half + width / 2 + 6 for other, half in taken):
            told.append(Text(label, x, FOOT, anchor, opacity=theme.PALE))

    if estimate.value is None:
        half = 0.25 * LETTERS * len(not_measured)
        found.append(Text(not_measured, min(max((start + stop) / 2, half), WIDTH - half), middle + 4, "middle"))
        return ground, told, found
    ink = "flag" if check.outcome == "not met" else "engine"
    if estimate.low is not None and estimate.high is not None:
        found.append(Path(((across(estimate.low), middle), (across(estimate.high), middle)), ink, 2.6))
    if estimate.value < low:
        found.append(Dot(6.0, middle, "left", ink, width=0.0))
    elif estimate.value > high:
        found.append(Dot(WIDTH - 6.0, middle, "right", ink, width=0.0))
    else:
        hollow = check.outcome in ("out of reach", "not yet known", "insufficient")
        found.append(Dot(across(estimate.value), middle, "circle", ink, hollow, 2 if hollow else 0.5))
    return ground, told, found
