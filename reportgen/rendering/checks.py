"""Requirements as pages show them, each with a strip: estimate, interval, and limit on a scale that never moves."""

from collections.abc import Iterator

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
    marks, spoken = _Strip(check), vocabulary.say(Term("strip_said", check=check))
    found = marks.found(vocabulary.say(Term("not_measured")))
    return element(
        "svg",
        element("title", words(spoken))
        + "".join(drawn(part, colours) for part in (marks.ground(), marks.numbers(), found)),
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


class _Strip:
    """The parts of one strip."""

    def __init__(self, check: Check) -> None:
        self.check = check
        self.low, self.high = scale_ends(check.estimate.kind, (check.low, check.high))
        self.limits = [limit for limit in (check.low, check.high) if limit is not None]

    def across(self, value: float) -> float:
        """Return the place of a value; beyond an end it is a little beyond the axis."""
        share = (value - self.low) / (self.high - self.low)
        return min(max(MARGIN + (WIDTH - 2 * MARGIN) * share, 2.0), WIDTH - 2.0)

    def accepted(self) -> tuple[float, float]:
        """Return the ends of the part where the whole interval must lie."""
        low, high = self.check.low, self.check.high
        return self.across(self.low if low is None else low), self.across(self.high if high is None else high)

    def ground(self) -> Iterator[Mark]:
        start, stop = self.accepted()
        if self.limits:
            yield Box(start, TOP, max(0.0, stop - start), FLOOR - TOP, "engine", f"{theme.BAND}")
        yield Path(((MARGIN, FLOOR), (WIDTH - MARGIN, FLOOR)), "muted")
        for x in map(self.across, self.limits):
            yield Path(((x, TOP), (x, FLOOR + 3)), "text", 1.1)
        best = self.check.best.value if self.check.best else None
        if best is not None and self.low <= best <= self.high:
            x = self.across(best)
            yield Path(((x, TOP), (x, FLOOR)), "text", 1.4, "fine")

    def numbers(self) -> Iterator[Mark]:
        kind = self.check.estimate.kind
        taken: list[tuple[float, float]] = []
        for limit in self.limits:
            label = numbers.bound(limit, kind)
            half = 0.3 * LETTERS * len(label)
            x = min(max(self.across(limit), half), WIDTH - half)
            if all(abs(x - other) > half + before for other, before in taken):
                taken.append((x, half))
                yield Text(label, x, FOOT, "middle", "text")
        for end, x, anchor in ((self.low, 5.0, "start"), (self.high, WIDTH - 5.0, "end")):
            label = numbers.bound(end, kind)
            width = 0.6 * LETTERS * len(label)
            near = x + width if anchor == "start" else x - width
            if all(abs(other - (x + near) / 2) > half + width / 2 + 6 for other, half in taken):
                yield Text(label, x, FOOT, anchor, opacity=theme.PALE)

    def found(self, not_measured: str) -> Iterator[Mark]:
        check, estimate, middle = self.check, self.check.estimate, (TOP + FLOOR) / 2
        if estimate.value is None:
            half = 0.25 * LETTERS * len(not_measured)
            place = min(max(sum(self.accepted()) / 2, half), WIDTH - half)
            yield Text(not_measured, place, middle + 4, "middle")
            return
        ink = "flag" if check.outcome == "not met" else "engine"
        if estimate.low is not None and estimate.high is not None:
            yield Path(((self.across(estimate.low), middle), (self.across(estimate.high), middle)), ink, 2.6)
        if estimate.value < self.low:
            yield Dot(6.0, middle, "left", ink, width=0.0)
        elif estimate.value > self.high:
            yield Dot(WIDTH - 6.0, middle, "right", ink, width=0.0)
        else:
            hollow = check.outcome in ("out of reach", "not yet known", "insufficient")
            yield Dot(self.across(estimate.value), middle, "circle", ink, hollow, 2 if hollow else 0.5)
