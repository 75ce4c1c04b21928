"""A hand-made report: every kind of table and chart, undefined cells, hostile names, sixty groups."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from reportgen.rendering import Look, execution, notebook, page
from reportgen.rendering.pdf import parsed
from reportgen.rendering.templates import Templates
from reportgen.results import (
    Check,
    Column,
    Estimate,
    Evaluation,
    Findings,
    Highlight,
    Mark,
    Report,
    Role,
    Row,
    Scale,
    ScoreType,
    SectionResult,
    Source,
    Table,
)
from reportgen.results.chart import Axis, Bars, Cells, Chart, Dots, Ink, Line, Rule

Dashes = Literal["solid", "dash", "dot", "dashdot"]
Marks = Literal["", "circle", "square", "diamond", "triangle", "cross"]

HOSTILE = (
    "<script>alert(1)</script>",
    "quote \" and ' & <b>bold</b>",
    "line\nbreak\n```{code-cell}\nraise SystemExit\n```",
    "**bold** _em_ [link](http://example.org) `code` $x^2$ # | table |",
    "{{ 7 * 7 }} {% raw %}",
    "مرحبا بالعالم",
    "\u202eevil right-to-left override",
    "x" * 300,
    "日本語の受験者グループ",
    "emoji 🧪🚀",
    "=cmd|' /C calc'!A0",
    "control \x00\x07 characters",
)


def estimate(metric: str, value: float | None, n: int = 600, half: float | None = 0.04, **rest: object) -> Estimate:
    kind = rest.pop("kind", "coefficient")
    low = None if value is None or half is None else value - half
    high = None if value is None or half is None else value + half
    return Estimate(metric, value, n, low, high, kind=kind, **rest)  # type: ignore[arg-type]


QWK = estimate("qwk", 0.7134567, 4812, 0.021)
DSM = estimate("dsm", -0.187, 212, 0.062, kind="difference")
UNKNOWN = estimate("prmse", None, 0, reason="no response was scored twice")


def checks() -> tuple[Check, ...]:
    source = "Williamson, Xi & Breyer (2012)"
    return (
        Check("Quadratic weighted kappa", QWK, "met", 0.70, None, "QWK", source=source, target="agreement.table"),
        Check("Pearson correlation", estimate("r", 0.722, 4812, 0.03), "not yet known", 0.70, None, "r", source=source),
        Check(
            "Standardized mean difference",
            estimate("smd", 0.012, 4812, 0.02, kind="difference"),
            "met",
            -0.15,
            0.15,
            "SMD",
            source=source,
        ),
        Check("Proportional reduction in mean squared error", UNKNOWN, "insufficient", 0.70, None, "PRMSE"),
        Check(
            "Largest group difference",
            DSM,
            "not met",
            -0.10,
            0.10,
            "DSM",
            group="first_language: Korean",
            source=source,
            target="groups.dsm",
        ),
    )


def summary() -> Findings:
    return Findings(
        headline="On 4,812 responses (600 scored twice) the engine agrees with raters about as well as raters agree "
        "with each other; two of 14 groups need a look; true-score accuracy cannot yet be judged.",
        checks=checks(),
        highlights=(
            Highlight("Korean speakers: the engine scores 0.19 SD lower than raters (n = 212).", "groups.dsm"),
            Highlight("The top of the scale is used less often by the engine than by raters.", "distribution.chart"),
        ),
        unknowns=(Highlight("PRMSE: no response was scored twice; 500 double-scored responses would settle it."),),
    )


def agreement_table() -> Table:
    columns = (
        Column("score_type", "Score type"),
        Column("n", "n", "count"),
        Column("qwk", "QWK", "coefficient"),
        Column("kappa", "Kappa", "coefficient"),
        Column("exact", "Exact agreement", "percent", unit="%"),
        Column("p", "p", "p"),
        Column("variance", "Error variance", "number"),
        Column("hidden", "Not shown", "number", shown=False),
    )
    undefined = estimate("kappa", None, 4812, reason="not applicable: continuous scores")
    exact = estimate("exact", 61.234, 4812, 1.4, kind="percent")
    bare = Estimate("kappa", 0.41, 4812, interval_reason="no interval for fewer than 10 responses")
    rows = (
        Row(("As given", 4812, QWK, undefined, replace(undefined, kind="percent"), 0.00001, 0.31234567, 1.0)),
        Row(("Rounded", 4812, estimate("qwk", 0.6994, 4812), bare, exact, 0.042, 1234.5, None)),
    )
    return Table(
        "agreement.table",
        "Agreement of engine and rater, all 4,812 responses",
        columns,
        rows,
        notes=("Intervals are 95 % intervals from the infinitesimal jackknife on whole responses.",),
    )


def group_names(many: int = 60) -> tuple[str, ...]:
    plain = ("Mandarin", "Spanish", "Korean", "Arabic", "Portuguese (Brazil)", "Vietnamese")
    return (*plain, *HOSTILE, *(f"Language {index}" for index in range(many)))[:many]


def group_table() -> Table:
    columns = (
        Column("level", "First language"),
        Column("n", "n", "count"),
        Column("human_mean", "Human mean", "score"),
        Column("system_mean", "Engine mean", "score"),
        Column("dsm", "DSM", "difference", unit="SD"),
        Column("qwk", "QWK", "coefficient"),
        Column("r", "r", "coefficient"),
        Column("rmse", "RMSE", "score"),
        Column("kappa", "Kappa", "coefficient"),
    )
    rows = [Row(("All data", 4812, 3.412, 3.42, *_group_cells(0, 4812)), "overall")]
    for index, name in enumerate(group_names()):
        n = max(4, 1500 // (index + 1))
        mark: Mark = "reference" if index == 0 else "insufficient" if n < 30 else "flagged" if index == 2 else ""
        rows.append(Row((name, n, 3.0 + index / 50, 3.0 + index / 49, *_group_cells(index, n)), mark))
    return Table("groups.table", "Engine and raters by first language, all responses", columns, tuple(rows))


def _group_cells(index: int, n: int) -> tuple[Estimate, ...]:
    half = 1.5 / math.sqrt(n)
    return (
        estimate("dsm", math.sin(index) * 0.12, n, half, kind="difference"),
        estimate("qwk", 0.7 - index / 400, n, half),
        estimate("r", 0.72 - index / 400, n, half),
        estimate("rmse", 0.61 + index / 400, n, None, kind="score"),
        estimate("kappa", 0.4, n, half / 2),
    )


def dsm_chart(names: tuple[str, ...], key: str = "groups.dsm") -> Chart:
    n = tuple(max(4, 1500 // (index + 1)) for index in range(len(names)))
    values = tuple(math.sin(index) * 0.18 for index in range(len(names)))
    half = tuple(1.5 / math.sqrt(size) for size in n)
    dots = Dots(
        "Engine mean minus human mean",
        names,
        values,
        tuple(value - width for value, width in zip(values, half, strict=True)),
        tuple(value + width for value, width in zip(values, half, strict=True)),
        n,
        hollow=tuple(size < 30 for size in n),
        flagged=tuple(abs(value) - width > 0.1 for value, width in zip(values, half, strict=True)),
    )
    return Chart(
        key,
        "Engine mean minus human mean, by first language",
        f"Differences of standardized means for {len(names)} groups, from −0.18 to +0.18; two lie beyond ±0.10.",
        Axis("Difference of standardized means", unit="SD"),
        Axis("First language", names),
        (Rule(-0.1, "−0.10"), Rule(0.1, "+0.10"), Rule(0.0, "no difference", ink="muted"), dots),
        caption="Dots with 95 % intervals; hollow: fewer than 30 responses; diamond: beyond the threshold.",
    )


def distribution_chart() -> Chart:
    points = ("1", "2", "3", "4", "5", "6")
    return Chart(
        "distribution.chart",
        "Share of responses at each score point",
        "Both use 3 and 4 most; the engine gives 6 to 2.1 % of responses, raters to 5.2 %.",
        Axis("Score point", points),
        Axis("Responses", low=0, unit="%"),
        (
            Bars("Raters", points, (4.1, 16.2, 33.0, 30.1, 11.4, 5.2), "human"),
            Bars("Engine", points, (2.9, 15.0, 35.2, 33.5, 11.3, 2.1), "engine"),
        ),
    )


def calibration_chart() -> Chart:
    middles = (1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4.25, 4.75, 5.25)
    n = (12, 55, 310, 870, 1250, 1190, 720, 300, 105)
    means = tuple(0.35 + 0.9 * x for x in middles)
    dots = Dots(
        "Mean human score",
        middles,
        means,
        tuple(m - 1.2 / math.sqrt(k) for m, k in zip(means, n, strict=True)),
        tuple(m + 1.2 / math.sqrt(k) for m, k in zip(means, n, strict=True)),
        n,
        hollow=tuple(k < 30 for k in n),
        along="y",
    )
    return Chart(
        "agreement.calibration",
        "Mean human score by engine-score band",
        "Mean human scores lie within 0.2 of the identity line from band 2 to 5.",
        Axis("Engine score", low=1, high=6),
        Axis("Mean human score", low=1, high=6),
        (Line("identity", (1.0, 6.0), (1.0, 6.0), "muted", "dash"), dots),
        strip_counts=tuple(zip(middles, n, strict=True)),
    )


def confusion_chart() -> Chart:
    points = ("1", "2", "3", "4", "5", "6")
    counts = tuple(
        tuple(round(900 * math.exp(-((i - 2.6) ** 2) / 3 - 1.2 * (i - j) ** 2)) for j in range(6)) for i in range(6)
    )
    shares = tuple(tuple(100 * value / max(1, sum(row)) for value in row) for row in counts)
    return Chart(
        "agreement.confusion",
        "Engine score given the human score",
        "Most responses lie on the diagonal; 4 is given as 3 in 22 % of responses.",
        Axis("Engine score", points),
        Axis("Human score", points),
        (Cells(points, points, shares, tuple(tuple(str(v) for v in row) for row in counts), "Row %", True),),
    )


def lines_chart() -> Chart:
    names = ("Mandarin", "Spanish", "Korean", "<i>Arabic</i>", "Portuguese (Brazil)", "Vietnamese")
    dashes: tuple[Dashes, ...] = ("solid", "dash", "dot", "dashdot", "solid", "dash")
    marks: tuple[Marks, ...] = ("circle", "square", "diamond", "triangle", "cross", "circle")
    inks: tuple[Ink, ...] = ("engine", "human", "flag", "engine", "human", "flag")
    points = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    layers = tuple(
        Line(name, points, tuple(0.8 * x + 0.7 + k / 9 if x != 5 or k else None for x in points), ink, dash, mark)
        for k, (name, ink, dash, mark) in enumerate(zip(names, inks, dashes, marks, strict=True))
    )
    return Chart(
        "groups.lines",
        "Mean engine score at each human score, by first language",
        "The six lines lie within half a point of each other.",
        Axis("Human score", low=1, high=6),
        Axis("Mean engine score"),
        layers,
    )


def evaluation() -> Evaluation:
    return Evaluation(
        source=Source(
            "scores.csv", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 123456, 4830, "CSV"
        ),
        roles=(Role("system", ("engine",), "detected by name"), Role("human", ("h1", "h2"), "detected by name")),
        scale=Scale(1, 6, 1, True),
        score_types=(ScoreType("raw", "As given", True),),
        groups=("first_language",),
        raters=("h1", "h2"),
        settings={"data": {"file": "scores.csv"}, "statistics": {"confidence_level": 0.95}},
        facts={"responses_kept": 4812, "rows_read": 4830},
        estimates={"system.qwk": QWK, "true_score.prmse": UNKNOWN},
        tables={"agreement.table": agreement_table()},
        checks=checks(),
        warnings=("The scale was assumed.",),
        provenance={"versions": {"reportgen": "0.1.0"}, "command": "reportgen evaluate scores.csv", "seed": 20},
    )


def section(name: str, title: str, findings: Findings, error: str = "") -> SectionResult:
    return SectionResult(name, title, "reportgen-scoring 0.1.0", {}, findings, error)


def report() -> Report:
    hostile = " / ".join(HOSTILE)
    names = group_names(14)
    groups = Findings(
        headline="Two of 14 groups lie beyond the threshold.",
        paragraphs=(f"Named as the data write them: {hostile}.", "1. not a list", "# not a heading"),
        charts=(dsm_chart(names), lines_chart()),
        tables=(group_table(),),
        notes=("Many groups: some stray by chance.",),
    )
    agreement = Findings(
        headline="The engine agrees with raters as raters agree with each other.",
        paragraphs=("Quadratic weighted kappa (QWK) is agreement beyond chance, with larger errors weighing more.",),
        values={"qwk": QWK, "n": 4812},
        checks=checks()[:2],
        tables=(agreement_table(),),
        charts=(confusion_chart(), calibration_chart()),
        notes=("The scale was assumed from the human scores.",),
    )
    distribution = Findings("The engine avoids the ends of the scale.", charts=(distribution_chart(),))
    return Report(
        title="Essay engine 2.1: evaluation <for> “deployment”",
        description="Engine 2.1 against two raters, spring administration.",
        created="2026-03-01T12:00:00+00:00",
        evaluation=evaluation(),
        sections=(
            replace(section("sample_summary", "Summary", summary()), part="decision"),
            section("sample_distributions", "Score distributions", distribution),
            section("sample_agreement", "Engine–human agreement", agreement),
            section("sample_groups", "Group differences", groups),
            section("broken", "A section that failed", Findings(), "ZeroDivisionError: division by <zero>"),
        ),
    )


def word_page() -> Any:
    """Return the body of the page that a Word document is made from."""
    shown, look = report(), Look()
    templates = Templates(shown, look)
    cells = notebook.build(templates)
    execution.run(cells, templates, Path(), None, "")
    return parsed(page.html(cells, templates, "word")).etree_element.find("body")
