"""The layers of a chart that compare, as SVG: zones, pairs of values, shares of a whole, spans, words."""

from __future__ import annotations

from reportgen.charts import markers, text, theme
from reportgen.charts.layout import Frame, named_beside, zone_ends
from reportgen.charts.pen import Pen
from reportgen.charts.svg import element, words
from reportgen.charts.theme import Colours
from reportgen.results.chart import Chart, Ink, Number, Pairs, Shares, Spans, Words, Zone
from reportgen.wording.numbers import count, percent

PART_SHADES = ("1.000", "0.360", "0.160")
"""Opacity of the first, the second and every further part of a whole."""

BAR = 22.0
"""Height of a bar of shares, in pixels."""


class Parts(Pen):
    """Draws what compares inside the frame of one chart."""

    def __init__(self, chart: Chart, frame: Frame, colours: Colours) -> None:
        super().__init__(colours)
        self.chart = chart
        self.frame = frame

    def zone(self, layer: Zone) -> list[str]:
        """Return the shaded part, with a thin line at each of its ends that is a limit."""
        frame = self.frame
        scale, place = (frame.x, frame.across) if layer.axis == "x" else (frame.y, frame.down)
        ends = sorted(place(end) for end in zone_ends(layer, scale))
        limits = [place(end) for end in (layer.low, layer.high) if end is not None and scale.low <= end <= scale.high]
        parts = []
        for start, stop in self.stretches(layer):
            box = {"x": ends[0], "y": start, "width": ends[1] - ends[0], "height": stop - start}
            if layer.axis == "y":
                box = {"x": start, "y": ends[0], "width": stop - start, "height": ends[1] - ends[0]}
            parts.append(
                element("rect", **box, fill=self.colours.engine, fill_opacity=f"{theme.BAND}", class_="fill-engine")
            )
            for at in limits:
                line = (at, start, at, stop) if layer.axis == "x" else (start, at, stop, at)
                parts.append(self.stroke("quiet", *line, stroke_width=0.9))
        return parts

    def stretches(self, layer: Zone) -> list[tuple[float, float]]:
        """Return from where to where a zone goes along the other axis: all of it, or the rows that it is for."""
        frame = self.frame
        if not layer.rows:
            return [(frame.top, frame.bottom) if layer.axis == "x" else (frame.left, frame.right)]
        across, place = (frame.y, frame.down) if layer.axis == "x" else (frame.x, frame.across)
        spots = [spot for row in layer.rows if (spot := across.place(row)) is not None]
        return [(place(spot - 0.42), place(spot + 0.42)) for spot in spots]

    def pairs(self, layer: Pairs) -> list[str]:
        """Return pairs of values with the line between them, the interval of the second, and what is noted."""
        parts: list[str] = []
        beside = named_beside(layer, self.frame.x, self.frame.width, self.frame.sheet)
        across = self.frame.y if layer.along == "x" else self.frame.x
        for index, position in enumerate(layer.positions):
            place = across.place(position)
            if place is None:
                continue
            flagged = bool(layer.flagged) and layer.flagged[index]
            inks: tuple[Ink, Ink] = (layer.inks[0], "flag" if flagged else layer.inks[1])
            points = [self.spot(layer, place, value) for value in (layer.first[index], layer.second[index])]
            parts += self.joined(layer, index, place, points, inks)
            known = [point for point in points if point is not None]
            if layer.notes and layer.notes[index] and known:
                parts.append(self.noted(layer, layer.notes[index], known))
            if beside and not index:
                parts += self.two_names(layer, points)
        return parts

    def spot(self, layer: Pairs, place: float, value: Number) -> tuple[float, float] | None:
        """Return the pixels of a value; None of one that is not known."""
        along = self.frame.x if layer.along == "x" else self.frame.y
        held = along.place(along.held(value))
        if held is None:
            return None
        if layer.along == "x":
            return self.frame.across(held), self.frame.down(place)
        return self.frame.across(place), self.frame.down(held)

    def joined(
        self,
        layer: Pairs,
        index: int,
        place: float,
        points: list[tuple[float, float] | None],
        inks: tuple[Ink, Ink],
    ) -> list[str]:
        """Return the two points of one pair and the lines behind them."""
        parts = []
        first, second = points
        if first is not None and second is not None:
            parts.append(self.stroke("muted", *first, *second, stroke_width=2.4))
        if layer.low and layer.high:
            ends = [self.spot(layer, place, end) for end in (layer.low[index], layer.high[index])]
            if ends[0] is not None and ends[1] is not None:
                parts.append(self.stroke(inks[1], *ends[0], *ends[1], stroke_width=1.6))
        along = self.frame.x if layer.along == "x" else self.frame.y
        for which, (point, values) in enumerate(zip(points, (layer.first, layer.second), strict=True)):
            if point is not None:
                shape: markers.Shape = "diamond" if inks[which] == "flag" else "circle"
                shape = markers.arrow(layer.along, along.beyond(values[index] or 0.0)) or shape
                parts.append(self.marker(shape, layer.hollow_first and not which, inks[which], *point))
        return parts

    def noted(self, layer: Pairs, note: str, points: list[tuple[float, float]]) -> str:
        """Return what is written above a pair, or at the right of one that lies."""
        if layer.along == "y":
            half = self.frame.sheet.measure(note) / 2
            x = max(self.frame.left + half, min(points[0][0], self.frame.right - half))
            return self.text(note, x, min(y for _, y in points) - 9, "middle", "text")
        return self.text(note, max(x for x, _ in points) + 9, points[0][1] + 4, "start", "text")

    def two_names(self, layer: Pairs, points: list[tuple[float, float] | None]) -> list[str]:
        """Return the names of both values at the right of the first pair, apart from each other."""
        (x, one), (_, other) = (point or (0.0, 0.0) for point in points)
        apart = max(0.0, theme.SIZE + 1 - abs(one - other)) / 2
        up = -1.0 if one <= other else 1.0
        heights = (one + up * apart + 4, other - up * apart + 4)
        return [self.text(name, x + 8, y, "start", "text") for name, y in zip(layer.labels, heights, strict=True)]

    def shares(self, layer: Shares) -> list[str]:
        """Return one bar for each row with its counts and percentages, the names of the parts above the first."""
        parts = self.part_names(layer)
        for row, (counts, shares) in enumerate(zip(layer.counts, layer.percentages(), strict=True)):
            place = self.frame.y.place(layer.rows[row])
            if place is None:
                continue
            ink = layer.inks[row] if layer.inks else "engine"
            y, start = self.frame.down(place) - BAR / 2, 0.0
            for part, (n, share) in enumerate(zip(counts, shares, strict=True)):
                parts += self.share(ink, part, y, start, share, n, sum(counts))
                start += share
        return parts

    def share(self, ink: Ink, part: int, y: float, start: float, share: float, n: int, total: int) -> list[str]:
        """Return one part of a bar, with as much of its numbers as it has room for."""
        left, right = self.frame.across(start), self.frame.across(start + share)
        if not n:
            return []
        box = {"x": left, "y": y, "width": max(0.8, right - left - 1), "height": BAR}
        shade = PART_SHADES[min(part, len(PART_SHADES) - 1)]
        parts = [
            element("rect", **box, fill=theme.PAPER, class_="fill-paper"),
            element("rect", **box, fill=self.colours.of(ink), fill_opacity=shade, class_=f"fill-{ink}"),
        ]
        whole = count(n), f"({percent(share, total)})"
        said = next((each for each in (" ".join(whole), whole[0]) if self.fits(each, right - left)), "")
        if said:
            fill, name = (theme.PAPER, "fill-paper") if not part else (theme.TEXT, "fill-text")
            place: dict[str, str | float | None] = {"x": (left + right) / 2, "y": y + BAR / 2 + 4}
            parts.append(element("text", words(said), **place, text_anchor="middle", fill=fill, class_=name))
        return parts

    def fits(self, said: str, room: float) -> bool:
        """Return whether a text stands in so many pixels."""
        return self.frame.sheet.measure(said) + 6 <= room

    def part_names(self, layer: Shares) -> list[str]:
        """Return the names of the parts above the first row that has them."""
        y = self.frame.top - 4
        return [self.text(name, left, y) for name, left in names_of_parts(layer, self.frame)]

    def spans(self, layer: Spans) -> list[str]:
        """Return stretches of the axis, each with its text and a thin line down to where the next one begins."""
        parts: list[str] = []
        frame, ends = self.frame, list(zip(layer.start, layer.stop, strict=True))
        for index, (position, (start, stop)) in enumerate(zip(layer.positions, ends, strict=True)):
            place = frame.y.place(position)
            if place is None or start is None or stop is None:
                continue
            one, other = sorted(frame.across(end) for end in (start, stop))
            y = frame.down(place)
            parts.append(self.box(layer.ink, one, y - 5, max(1.2, other - one), 10))
            at = frame.across(stop)
            parts.append(self.stroke("quiet", at, y + 5, at, frame.down(place + 1) - 5, stroke_width=0.8))
            if layer.texts:
                parts.append(self.text(layer.texts[index], other + 6, y + 4, "start", "text"))
        return parts

    def said(self, layer: Words) -> list[str]:
        """Return a column of words beside the rows, under its heading."""
        heading = "" if self.chart.title else layer.label  # the title of its panel heads it, where it has one
        parts = [self.text(text.shorten(heading, 40), self.frame.left, self.frame.top - 6)] if heading else []
        for index, position in enumerate(layer.positions):
            place = self.frame.y.place(position)
            if place is not None:
                y = self.frame.down(place) + 4
                parts.append(self.text(text.shorten(layer.texts[index], 60), self.frame.left, y, "start", "text"))
        return parts


def names_of_parts(layer: Shares, frame: Frame) -> list[tuple[str, float]]:
    """Return the names of parts with their left ends in pixels: the first begins with its part, the others end with it.

    A name that would reach over the one before is left out: no name stands over a part that it is not of.
    """
    first = next((row for row in layer.percentages() if sum(row)), ())
    found: list[tuple[str, float]] = []
    start, free = 0.0, frame.left
    for place, (name, share) in enumerate(zip(layer.parts, first, strict=False)):
        start += share
        width = frame.sheet.measure(name)
        left = frame.across(start) - width if place else frame.left
        if share and left >= free - 0.1 and left + width <= frame.right + 1:
            found.append((name, left))
            free = left + width + 8
    return found
