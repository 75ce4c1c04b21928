"""One chart of every kind, as sections make them."""

from reportgen.results.chart import Axis, Cells, Chart, Dots, Line, Pairs, Panel, Shares, Spans, Zone

SCORES = ("1", "2", "3", "4", "5", "6")

COUNTS = ((3, 4, 0, 0, 0, 0), (1, 38, 21, 1, 0, 0), (0, 9, 61, 18, 0, 0), (0, 0, 12, 24, 5, 0), (0, 0, 0, 2, 3, 0),
          (0, 0, 0, 0, 0, 0))  # fmt: skip


def heat(counts: tuple[tuple[int, ...], ...], names: tuple[str, ...] = SCORES) -> Cells:
    """Return a heat map of row percentages with small counts."""
    totals = [sum(row) for row in counts]
    shares = tuple(
        tuple(100 * cell / total if total else None for cell in row) for row, total in zip(counts, totals, strict=True)
    )
    texts = tuple(tuple(f"{share:.0f}" if share else "·" for share in row) for row in shares)
    small = tuple(tuple(str(cell) if cell else "" for cell in row) for row in counts)
    return Cells(names, names, shares, texts, "% of the row", True, small=small, n=tuple(totals), full=100.0)


def heat_maps() -> Chart:
    """Return the heat maps of the engine and of a second rater."""
    axes = Axis("First rater's score", SCORES)
    panels = (
        Panel("Engine", Axis("Engine's score", SCORES), (heat(COUNTS),), axes),
        Panel("Second rater", Axis("Second rater's score", SCORES), (heat(COUNTS[::-1]),), axes),
    )
    return Chart("heat", "Who gives which score", "Most agree.", Axis(""), axes, (), panels=panels)


def same_score() -> Chart:
    """Return the shares of equal scores, scores one point apart, and others."""
    shares = Shares(
        ("A second rater", "The engine"),
        ("same score", "one point apart", "two or more"),
        ((145, 53, 2), (129, 70, 1)),
        ("human", "engine"),
    )
    axes = Axis("", low=0, high=100, fixed=True), Axis("", shares.rows)
    return Chart("same", "Compared with the first rater", "145 and 129 of 200 get the same.", *axes, (shares,))


def ladder() -> Chart:
    """Return the accuracy of one, two and three ratings and of the engine."""
    ratings = ("one rating", "mean of two", "mean of three")
    engine = ("the engine", "the engine, rescaled", "the engine, rounded")
    return Chart(
        "ladder",
        "How accurate the engine is",
        "The engine is as accurate as one rating.",
        Axis("PRMSE", low=0.4, high=1.0, fixed=True),
        Axis("", (*ratings, *engine)),
        (
            Zone(0.7, None, "required: 0.70 or more"),
            Dots("PRMSE", ratings, (0.68, 0.81, 0.865), (0.6, 0.75, 0.82), (0.75, 0.86, 0.9), ink="human"),
            Dots("PRMSE", engine, (0.698, 0.77, 0.2), (0.541, 0.68, 0.1), (0.809, 0.85, 0.5),
                 hollow=(True, False, False)),
        ),
    )  # fmt: skip


def staircase() -> Chart:
    """Return the steps from the best accuracy after rescaling to the accuracy of rounded scores."""
    steps = ("best attainable", "minus scale", "minus mean", "PRMSE", "minus rounding", "PRMSE, rounded")
    return Chart(
        "stairs",
        "Where accuracy is lost",
        "The scale costs 0.06.",
        Axis("PRMSE", low=0.6, high=0.8),
        Axis("", steps),
        (
            Spans("lost", steps, (0.77, 0.77, 0.71, 0.698, 0.698, 0.68), (0.77, 0.71, 0.698, 0.698, 0.68, 0.68),
                  ("0.77", "−0.06", "−0.01", "0.70", "−0.02", "0.68")),
            Dots("PRMSE", (steps[0], steps[3], steps[5]), (0.77, 0.698, 0.68)),
        ),
    )  # fmt: skip


GROUPS = ("Vietnamese", "Persian", "Arabic", "Mandarin Chinese", "Portuguese (Brazil)", "Wolof")


def groups(names: tuple[str, ...] = GROUPS) -> Chart:
    """Return differences of groups, as seen and at equal true score."""
    n = len(names)
    values = tuple(-0.26 + 0.4 * place / n for place in range(n))
    other = tuple(value / 2 for value in values)
    flagged, hollow = (tuple(index in places for index in range(n)) for places in ((0,), (1, 2)))
    pale, sizes = tuple(index == n - 1 for index in range(n)), tuple(242 - index for index in range(n))

    def dots(found: tuple[float, ...]) -> Dots:
        low, high = (tuple(value + side for value in found) for side in (-0.08, 0.08))
        return Dots("difference", names, found, low, high, sizes, hollow, flagged, pale=pale)

    axis = Axis("SD", low=-0.2, high=0.2, fixed=True)
    panels = tuple(
        Panel(title, axis, (Zone(-0.1, 0.1, "limit ±0.10"), dots(found)))
        for title, found in (("As seen", values), ("At equal true score", other))
    )
    alt = "Vietnamese is scored 0.26 too low."
    return Chart("groups", "Groups", alt, Axis(""), Axis("First language", names), (), panels=panels)


def dumbbells() -> Chart:
    """Return old and new engine on several statistics, each turned so that right is better."""
    rows = (
        ("QWK", Axis("", low=0.4, high=1.0, fixed=True), 0.67, 0.78, Zone(0.7, None)),
        ("RMSE", Axis("", low=0.0, high=1.0, fixed=True, turned=True), 0.71, 0.55, None),
        ("PRMSE", Axis("", low=0.4, high=1.0, fixed=True), 0.65, 0.85, Zone(0.7, None)),
    )
    panels = tuple(
        Panel(
            "",
            axis,
            (
                *((zone,) if zone else ()),
                Pairs(("old engine", "new engine"), (name,), (old,), (new,), notes=(f"{old} → {new}",), along="x",
                      inks=("engine", "engine"), hollow_first=True),
            ),
            Axis("", (name,)),
        )
        for name, axis, old, new, zone in rows
    )  # fmt: skip
    return Chart("dumbbells", "Better", "All better.", Axis(""), Axis(""), (), panels=panels, stacked=True)


def many_reports() -> Chart:
    """Return reports with their decisions and four numbers each on a scale that never moves."""
    names = ("Nine-item test", "Writing tasks", "ASAP essays")
    share, apart = Axis("", low=0.4, high=1.0, fixed=True), Axis("", low=-0.2, high=0.2, fixed=True)
    panels = (
        Panel("QWK", share,
              (Zone(0.7, None), Dots("QWK", names, (0.8, 0.82, 0.8), (0.7, 0.8, 0.74), (0.9, 0.84, 0.84)))),
        Panel("SMD", apart, (Zone(-0.15, 0.15), Dots("SMD", names, (0.01, -0.04, 0.06)))),
        Panel("PRMSE", share,
              (Zone(0.7, None), Dots("PRMSE", names, (0.84, 0.81, 0.698), hollow=(False, False, True)))),
        Panel("Largest group difference", apart,
              (Zone(-0.1, 0.1), Dots("DSM", names, (0.04, -0.26, None), flagged=(False, True, False)))),
    )  # fmt: skip
    return Chart("many", "Reports", "One yes, one no, one not yet.", Axis(""), Axis("", names), (), panels=panels)


def distribution() -> Chart:
    """Return the shares of both at each score, the difference noted where it is flagged."""
    pairs = Pairs(
        ("raters", "engine"), SCORES, (3.0, 30.0, 43.5, 20.5, 3.0, 0.0), (6.5, 25.0, 49.5, 18.0, 1.0, 0.0),
        notes=("+3.5 [0.9, 6.1]", "", "+6.0 [0.4, 12.2]", "", "", ""), note_label="Difference",
    )  # fmt: skip
    axes = Axis("Score", SCORES), Axis("Share of responses", low=0.0, unit="%")
    return Chart("shares", "Score 3 is given too often", "Engine 49.5 %, raters 43.5 %.", *axes, (pairs,))


def calibration() -> Chart:
    """Return the mean human score in each band of engine scores on a square."""
    x = (1.2, 2.1, 2.9, 3.8, 4.6)
    y = tuple(1 + 0.8 * (value - 1) for value in x)
    counts = (12, 1488, 2105, 344, 40)
    dots = Dots("mean human score", x, y, tuple(v - 0.2 for v in y), tuple(v + 0.2 for v in y), counts, along="y")
    line = Line("equal", (1.0, 6.0), (1.0, 6.0), "muted", "dash")
    axes = Axis("Engine's score", low=1, high=6, fixed=True), Axis("Mean human score", low=1, high=6, fixed=True)
    return Chart(
        "calibration", "Means", "Near the line.", *axes, (line, dots), strip_counts=tuple(zip(x, counts, strict=True)),
        square=True, counts_above=True,
    )  # fmt: skip


def error_at_each_score() -> Chart:
    """Return the mean error at each human score, of the engine and of rater error alone."""
    x, y = (1.0, 2.0, 3.0, 4.0, 5.0), (0.4, 0.2, 0.05, -0.2, -0.52)
    dots = Dots(
        "engine minus raters", x, y, tuple(v - 0.15 for v in y), tuple(v + 0.15 for v in y), (7, 60, 88, 41, 5),
        along="y", pale=(True, True, True, True, False),
    )  # fmt: skip
    line = Line("rater error", x, (0.35, 0.18, 0.02, -0.13, -0.24), "muted", "dash")
    axes = Axis("Human score", low=1, high=6), Axis("Engine minus raters")
    return Chart("error", "Error", "0.52 below at 5.", *axes, (line, dots))


def multiples() -> Chart:
    """Return small multiples of lines over a share."""
    x = (10.0, 30.0, 50.0, 70.0, 90.0)
    y = Axis("Mean absolute error", low=0.0, high=1.0)
    panels = tuple(
        Panel(
            corpus,
            Axis("Missing", unit="%"),
            tuple(
                Line(name, x, tuple(0.3 + 0.1 * k + share / 300 for share in x), "engine" if k else "human",
                     "dash" if k else "solid")
                for k, name in enumerate(("rater's mean", "by EM"))
            ),
            y,
        )
        for corpus in ("Essays", "Summaries", "Dialogues")
    )  # fmt: skip
    return Chart("multiples", "Errors", "By EM is better.", Axis(""), y, (), panels=panels)


def every() -> list[Chart]:
    """Return one of each."""
    many = tuple(f"group {'W' * 20} {index}" for index in range(70))
    wide = tuple(f"{index}" for index in range(1, 16))
    long_scale = tuple(tuple(int(row == column) * 7 for column in range(15)) for row in range(15))
    far = Chart("wide", "t", "a", Axis("engine", wide), Axis("raters", wide), (heat(long_scale, wide),))
    return [
        heat_maps(), same_score(), ladder(), staircase(), groups(), groups(many), dumbbells(), many_reports(),
        distribution(), calibration(), error_at_each_score(), multiples(), far,
    ]  # fmt: skip
