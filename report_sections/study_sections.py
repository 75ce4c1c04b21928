"""Provide the sections of studies: metrics of a paper under other raters, other scores, and missing ratings."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any, Literal

from report_sections.figures import beside
from reportgen.results import Axis, Cell, Chart, Dots, Line, Panel, Record, Rule, number
from reportgen.results.chart import contain
from reportgen.sections import Estimate, Evaluation, Findings, Section, Table, Term
from reportgen.wording.numbers import count

STYLES: tuple[tuple[Literal["engine", "human"], Literal["solid", "dash", "dot", "dashdot"]], ...] = (
    ("engine", "solid"), ("human", "solid"), ("engine", "dash"), ("human", "dash"), ("engine", "dot"), ("human", "dot"),
    ("engine", "dashdot"), ("human", "dashdot"),
)  # fmt: skip
"""Styles that distinguish lines, in color and in gray; orange is reserved for values beyond a limit."""

Numbers = tuple[float | None, ...]


def column(rows: Iterable[Record], key: str) -> Numbers:
    """Return the numbers of a column."""
    return tuple(row.number(key) for row in rows)


def grouped(rows: Iterable[Record], key: str) -> dict[str, list[Record]]:
    """Group the rows by a column, in their order."""
    known = list(rows)
    names = dict.fromkeys(row.text(key) for row in known)
    return {name: [row for row in known if row.text(key) == name] for name in names}


def lines_of(series: Iterable[tuple[str, Numbers, Numbers]]) -> tuple[Line, ...]:
    """Draw names with their points as lines that are distinguishable without color.

    >>> [line.dashes for line in lines_of((name, (1.0,), (2.0,)) for name in "abc")]
    ['solid', 'solid', 'dash']
    """
    return tuple(Line(name, x, y, *STYLES[place % len(STYLES)]) for place, (name, x, y) in enumerate(series))


def lines_by(rows: Iterable[Record], by: str, x: str, y: str) -> tuple[Line, ...]:
    """Return a line for every value of a column."""
    return lines_of((name, column(own, x), column(own, y)) for name, own in grouped(rows, by).items())


def spread_chart(
    plots: Sequence[tuple[str, Axis, Sequence[Record], float | None]], rows: str, *, of: str = "category",
    which: str = "", **chart: Any,
) -> Chart:  # fmt: skip
    """Draw several numbers of the same rows side by side, each with its interval on a separate axis.

    Parameters
    ----------
    plots
        Name of each number, its axis, its rows, and the true value.
    rows, of
        The kind of rows, and the column that names each.
    which
        Suffix of the columns "mean", "low", and "high".
    """
    panels, names = [], dict[str, None]()
    for name, axis, found, known in plots:
        at = tuple(row.text(of) for row in found)
        mean, low, high = (column(found, f"{end}{which}") for end in ("mean", "low", "high"))
        dots = Dots(name, at, mean, low, high)
        panels.append(Panel(name, axis, (*([] if known is None else [Rule(known, "", "x", "muted")]), dots)))
        names |= dict.fromkeys(at)
    return Chart(x=Axis(""), y=Axis(rows, categories=tuple(names)), layers=(), panels=tuple(panels), **chart)


def as_printed(table: Table, figure: str) -> str:
    """Return the origin of a chart's numbers: its table's first note, and the corresponding figure of the paper.

    New random data are not in a paper.

    >>> as_printed(Table("t", "", (), (), (Term("note.first_drawn", sets=1),)), "2")
    Term('note.first_drawn', sets=1)
    """
    drawn = table.notes[0]
    return Term("as_printed", at=figure, drawn=drawn) if drawn == Term("note.replayed") else drawn


STATEMENTS, KEY = "study.statements", "study.published"
AGREES, STAND_IN = "yes", "stand_in"


MOST_NAMED = 4  # numbers that differ from the paper's and are named


class StudyPublished(Section, part="annex"):
    """Compare the statements and numbers of a paper with the results here, with reasons for differences."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the statements by outcome, how many numbers agree, which do not, and the tables."""
        beside = [table for key, table in evaluation.tables.items() if key.startswith(f"{KEY}.")]
        tables = [*evaluation.present(STATEMENTS, KEY), *beside]
        if not tables:
            return Findings(values={"case": "own"})
        return Findings(
            values={
                "case": "paper",
                "study": evaluation.facts["study"],
                "statements": outcomes(evaluation),
                **_numbers(evaluation.records(KEY)),
                "n_beside": sum(len(table.rows) for table in beside),
                "more_tables": [table.key for table in beside],
            },
            tables=tuple(tables),
        )


def _numbers(every_row: Sequence[Record]) -> dict[str, Any]:
    """Return how many printed numbers agree with the numbers here, and which do not."""
    rows = [row for row in every_row if row["agrees"] != STAND_IN]
    other = [{"place": row["place"], "what": row["what"]} for row in rows if row["agrees"] != AGREES]
    return {
        "n": len(rows),
        "agreeing": len(rows) - len(other),
        "others": other[:MOST_NAMED],
        "more": len(other[MOST_NAMED:]),
        "stand_in": len(every_row) - len(rows),
    }


def outcomes(evaluation: Evaluation) -> dict[str, int]:
    """Return the number of statements, in total and by outcome; 0 if there are none."""
    rows = evaluation.records(STATEMENTS)
    found = Counter(str(row["outcome"]).removeprefix("statement_") for row in rows)
    return {"n": len(rows), **{name: found[name] for name in ("repeats", "differs", "mixed", "untestable")}}


STABILITY, RANKING, RANKED, JOINING = "study.stability", "study.ranking", "study.ranked", "study.joining"
R, QWK, R2, PRMSE, DEGRADATION = (f"short_name.{key}" for key in ("r", "qwk", "r_squared", "prmse", "degradation"))
"""How rows of the tables name metrics."""

REPLAYED = ".replayed"  # end of the keys of tables of the paper's own data

PRINTED_SCALES = {R: (0.4, 1.0), QWK: (0.4, 1.0), R2: (0.2, 0.8), DEGRADATION: (-0.4, 0.2)}
"""Contents of figure 1 of the paper, and the ends of its axes."""

STEADY = 0.5  # PRMSE counts as steady if it moves by less than this fraction of r's movement


class StudyPrmseStability(Section, part="decision"):
    """Show one system under different raters, the ranking of systems, and an increasing number of raters."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how far each metric moves with the raters, and which metrics rank systems correctly."""
        tables, replayed = evaluation.tables, evaluation.tables.get(STABILITY + REPLAYED)
        rows = _against_mean(tables[STABILITY])
        by_metric = grouped(rows, "metric")
        ends = {key: _ends(column(by_metric[f"short_name.{key}"], "mean")) for key in ("r", "r_squared", "prmse")}
        more = [
            _references(replayed or tables[STABILITY], evaluation),
            *(_ranks(tables[RANKED], metric) for metric in ("r", "qwk", "r_squared", "degradation", "prmse")),
            *(_joining(tables[JOINING], metric, evaluation) for metric in ("r", "qwk", "r_squared")),
            *([_with_prmse(replayed, evaluation)] if replayed else []),  # otherwise the first figure shows it
        ]
        sets, ranked = evaluation.count("replicates"), tables[RANKING].records()
        right = [row["metric"] for row in ranked if row.number("in_order") == sets]
        moved = {key: high - low for key, (low, high) in ends.items()}
        steady = "steady" if moved["prmse"] < STEADY * moved["r"] else "moves"
        return Findings(
            values={
                "case": "one" if len(evaluation.facts["agreement"]) == 1 else steady,
                **ends,
                "known": float(evaluation.facts["known"]),
                "sets": sets,
                "replayed": bool(evaluation.facts["replayed"]),
                "right": right,
                "all_right": len(right) == len(ranked),
                "misranked": _misranked(tables[RANKED]),
                "n_engines": len(tables[RANKED].rows),
                "more_charts": [chart.key for chart in more],
            },
            tables=evaluation.present(
                RANKING, STABILITY, "study.raters", "study.systems", "study.assignment", RANKING + REPLAYED
            ),
            charts=(_stability(rows, evaluation), *more),
        )


def _against_mean(table: Table) -> list[Record]:
    return [row for row in table.records() if row["reference"] == "against_mean"]


def _misranked(table: Table) -> list[dict[str, Any]]:
    worst = next(iter(grouped(table.records(), "category").values()))
    ranks = {each.key: max(row.count(each.key) for row in worst) for each in table.columns[3:] if each.shown}
    return [{"by": Term(f"short_name.{key}"), "rank": rank} for key, rank in ranks.items() if rank > len(worst)]


def _stability(rows: Sequence[Record], evaluation: Evaluation) -> Chart:
    """Return every metric of the one system by the agreement of its raters, each on a scale that never moves."""
    ends = {metric: (-0.4, 0.4) if metric == DEGRADATION else (0.4, 1.0) for metric in grouped(rows, "metric")}
    axes = {metric: Axis("", low=low, high=high, fixed=True) for metric, (low, high) in ends.items()}
    drawn, known = evaluation.tables[STABILITY].notes[0], float(evaluation.facts["known"])
    caption = Term("spreads", known=known, drawn=drawn, pairs=evaluation.count("pairs"))
    return _by_raters("chart", rows, axes, "", caption, known)


def _references(table: Table, evaluation: Evaluation) -> Chart:
    """Return every metric against one rater and against the mean of two: figure 1 of the paper."""
    axes = {metric: Axis("", low=low, high=high) for metric, (low, high) in PRINTED_SCALES.items()}
    rows = table.records()
    for row in rows:
        row["category"] = Term("raters_against", raters=row["category"], reference=Term(f"{row['reference']}.short"))
    caption = Term("pairs_spread", drawn=as_printed(table, "1"), pairs=evaluation.count("pairs"))
    chart = _by_raters("references", rows, axes, Term("references_title"), caption)
    return replace(chart, alt=Term("references_alt", **chart.alt.values)) if isinstance(chart.alt, Term) else chart


def _with_prmse(table: Table, evaluation: Evaluation) -> Chart:
    """Return R2 and PRMSE against the mean of two: figure 4 of the paper."""
    known = float(evaluation.facts["with_true"]["r_squared"])
    axes = dict.fromkeys((R2, PRMSE), Axis("", low=0.4, high=0.9))
    caption = Term("spreads", known=known, drawn=as_printed(table, "4"), pairs=evaluation.count("pairs"))
    return _by_raters("prmse", _against_mean(table), axes, Term("with_prmse_title"), caption, known)


def _by_raters(
    key: str, rows: Iterable[Record], axes: Mapping[str, Axis], title: str, caption: str, known: float | None = None,
) -> Chart:  # fmt: skip
    """Return each metric over the pairs of each category; R2 and PRMSE with their true values."""
    of = grouped(rows, "metric")
    told = [
        {"name": Term(metric), "found": [{"of": row["category"], "value": row.number("mean")} for row in of[metric]]}
        for metric in axes
    ]
    true = dict.fromkeys((R2, PRMSE), known)
    plots = [(Term(metric), axis, of[metric], true.get(metric)) for metric, axis in axes.items()]
    return spread_chart(
        plots, Term("raters_axis"), key=f"{STABILITY}.{key}", title=title,
        alt=Term("stability_alt", metrics=told), caption=caption,
    )  # fmt: skip


def _ranks(table: Table, metric: str) -> Chart:
    """Return rank by a metric against true rank: figure 2 of the paper."""
    known, own, same = (column(table.records(), key) for key in ("known", metric, f"{metric}_same"))
    at = tuple(rank or 0.0 for rank in known)
    moved = max(abs((rank or 0) - true) for rank, true in zip(own, at, strict=True))
    ends, name = (1.0, float(len(at))), Term(f"short_name.{metric}")
    layers = (
        Line(Term("same_order"), ends, ends, ink="muted", dashes="dash"),
        Dots(Term("own_raters"), at, own, along="y"),
        Dots(Term("same_raters"), at, same, along="y", ink="human"),
    )
    title, alt = Term("ranks_title", metric=name), Term("ranks_alt", metric=name, moved=int(moved))
    axes = Axis(Term("true_rank")), Axis(Term("ranked_by", metric=name))
    return Chart(f"{RANKED}.{metric}", title, alt, *axes, layers, as_printed(table, "2"))


def _joining(table: Table, metric: str, evaluation: Evaluation) -> Chart:
    """Return a metric against the mean of more and more raters: figure 3 of the paper."""
    name, known = Term(f"short_name.{metric}"), float(evaluation.facts["with_true"][metric])
    rows = grouped(table.records(), "metric")[name]
    lines = lines_of((each.label, column(rows, "raters"), column(rows, each.key)) for each in table.columns[2:])
    told = [{"of": line.label, "first": line.y[0], "last": line.y[-1]} for line in lines]
    title, alt = Term("joining_title", metric=name), Term("joining_alt", metric=name, found=told)
    rule = Rule(known, Term("with_true_scores", known=known), axis="y")
    axes = Axis(Term("raters_averaged")), Axis(name)
    return Chart(f"{JOINING}.{metric}", title, alt, *axes, (rule, *lines), as_printed(table, "3"))


DOUBLE = "study.double_scoring"
MARKERS: tuple[Literal["circle", "square", "diamond", "triangle", "cross"], ...] = (
    "circle", "square", "diamond", "triangle", "cross",
)  # fmt: skip


class StudyPrmseDoubleScoring(Section):
    """Show PRMSE by the number of double-scored responses, and the number for a target half-width."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the required numbers of double scores, the table, and the charts."""
        table = evaluation.tables[DOUBLE]
        rows = table.records()
        drawn = evaluation.present(DOUBLE, DOUBLE + REPLAYED)
        more = [_spread(evaluation, each, which) for each in drawn for which in ("", "_alone")]
        return Findings(
            values={
                "half_width": float(evaluation.facts["half_width"]),
                "needed": _needed(evaluation, "needed"),
                "needed_alone": _needed(evaluation, "needed_alone"),
                "most": max(row.count("double") for row in rows),
                "alone": _alone(evaluation, rows),
                "more_charts": [chart.key for chart in more],
            },
            tables=(table,),
            charts=(_width(evaluation, rows), *more),
        )


def _needed(evaluation: Evaluation, key: str) -> list[dict[str, Any]]:
    """Return the required double scores by the raters' correlation; None for more than the study tried."""
    needed = evaluation.facts[key]
    found = [{"r": float(r), "n": _about(needed[name])} for name, r in evaluation.facts["agreement"].items()]
    return sorted(found, key=lambda each: each["r"] or 0.0)


def _about(value: float | None) -> int | None:
    """Return a number of double scores with two significant digits: the simulation gives no more."""
    if value is None:
        return None
    size = 10 ** max(0, len(str(int(value))) - 2)
    return int(round(value / size) * size)


def _alone(evaluation: Evaluation, rows: Sequence[Record]) -> dict[str, Any]:
    """Return how many times as widely PRMSE varies without the responses scored once, by the raters' correlation."""
    nearly = float(evaluation.facts["nearly"])
    some = grouped((row for row in rows if row.count("double") < evaluation.count("responses")), "category")
    found = []
    for r, own in zip(evaluation.facts["agreement"].values(), some.values(), strict=False):
        alone, whole = (sum(row.number(key) or 0.0 for row in own) for key in ("range_alone", "range"))
        found.append({"r": float(r), "times": alone / whole})
    if not found:
        return {}
    found.sort(key=lambda each: each["times"])
    return {"least": found[0], "most": found[-1],
            "nearly": all(1 / nearly < each["times"] < nearly for each in found)}  # fmt: skip


def _spread(evaluation: Evaluation, table: Table, which: str) -> Chart:
    """Return PRMSE of all pairs by double scores and raters: figure 5 of the paper, left or right ("_alone")."""
    of_paper = table.key.endswith(REPLAYED)
    known = float(evaluation.facts["with_true"]["r_squared"] if of_paper else evaluation.facts["known"])
    rows = table.records()
    ends = (value for key in ("low", "high", "low_alone", "high_alone") for value in column(rows, key))
    low, high = contain((known, known), ends)  # whole steps, so that no interval reaches the frame
    axis = Axis(Term("short_name.prmse"), low=low, high=high)
    named = grouped((Record({**row, "double": count(row.count("double"))}) for row in rows), "category")
    plots = [(Term("raters_of", category=category), axis, own, known) for category, own in named.items()]
    told = [
        {"of": row["category"], "double": row["double"], "low": row[f"low{which}"], "high": row[f"high{which}"]}
        for row in (rows[0], rows[-1])
    ]
    drawn = as_printed(table, Term("right" if which else "left", at="5"))
    return spread_chart(
        plots, Term("double_scored_axis"), of="double", which=which, key=f"{table.key}.spread{which}",
        title=Term(f"double_scores_title{which}"), alt=Term("double_scores_alt", known=known, ends=told),
        caption=Term("spreads", known=known, drawn=drawn, pairs=evaluation.count("pairs")),
    )  # fmt: skip


def _width(evaluation: Evaluation, rows: Sequence[Record]) -> Chart:
    """Return the half-width by the number of double scores, a line for each category of raters."""
    wanted = float(evaluation.facts["half_width"])
    plain = lines_by(rows, "category", "double", "half_width")
    lines = [replace(line, markers=marker) for line, marker in zip(plain, cycle(MARKERS), strict=False)]
    told = [{"of": line.label, "first": line.y[0], "last": line.y[-1], "least": line.x[0], "most": line.x[-1]}
            for line in lines]  # fmt: skip
    return Chart(
        f"{DOUBLE}.width", "", Term("half_width_alt", found=told), Axis(Term("double_scored_responses"), ratio=True),
        Axis(Term("half_width_axis"), low=0), (Rule(wanted, Term("wanted_width", width=wanted), axis="y"), *lines),
        evaluation.tables[DOUBLE].notes[0],
    )  # fmt: skip


MOVEMENT = "study.movement"
Styles = Mapping[str, tuple[Literal["engine", "human", "muted"], Literal["solid", "dash", "dot", "dashdot"]]]

WITH_WEIGHTS: Styles = {
    "kappa_quadratic": ("engine", "solid"), "kappa_linear": ("engine", "dot"), "bp_quadratic": ("engine", "dash"),
    "bp_linear": ("engine", "dashdot"), "ac_quadratic": ("human", "solid"), "ac_linear": ("human", "dot"),
}  # fmt: skip
TWO_POINTS: Styles = {
    "kappa_linear": ("engine", "solid"), "bp_linear": ("engine", "dash"), "ac_linear": ("human", "solid"),
    "pa": ("muted", "dot"),
}  # fmt: skip
"""How lines are drawn; with pass and fail only, linear and quadratic weights are the same."""

ALONG = {"prevalence": "share_passing", "similarity": "similarity", "probability": "probability"}
"""Quantities on the axes of figures 1 to 3 (right) of the paper."""

DRAWN = {"real_like": ("prevalence", "probability"), "real_apart": ("similarity",)}
"""Quantities drawn for substitute data; if shares are equal, nothing is visible along their similarity."""

SPREADS = ("_spread", "_prevalence")
"""Suffixes of columns of the table of movements in which only the spread of true scores changes."""


class StudyAgreementRobustness(Section, part="decision"):
    """Show coefficients along each stress, on synthetic, realistic, and custom scores."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return coefficients that move with the spread of true scores, statements of the paper, and stresses."""
        sweeps = [key for key in evaluation.tables if key.startswith("study.") and key.count(".") == 2]
        sweeps.sort(key=lambda key: not key.startswith("study.own"))
        movement, limit = evaluation.tables[MOVEMENT], evaluation.facts["steady"]
        charts = [chart for key in sweeps for chart in _along_stresses(evaluation.tables[key])]
        moved = _moved(movement.records(), limit)
        return Findings(
            values={
                **moved,
                "limit": limit,
                "more_charts": [chart.key for chart in charts if chart.key != moved["figure"]],
                "statements": outcomes(evaluation),
            },
            tables=(movement,),
            charts=tuple(charts),
        )


def _moved(rows: Sequence[Record], limit: float) -> dict[str, Any]:
    """Return which coefficients are steady as the spread changes, which moves most, and the chart that shows it."""
    by_column = {
        str(row["coefficient"]).removeprefix("coefficient."): {
            column: number(cell) or 0.0 for column, cell in row.items() if column.endswith(SPREADS)
        }
        for row in rows
    }
    moves = {key: max(moved.values()) for key, moved in by_column.items()}
    steady = [key for key, moved in moves.items() if moved < limit]
    worst = max(moves, key=lambda key: (round(moves[key], 2), key in WITH_WEIGHTS, moves[key]))  # if tied, a drawn one
    # such as "real_like_spread"
    scores, _, stress = max(by_column[worst], key=lambda column: by_column[worst][column]).rpartition("_")
    return {
        "steady": _together(steady),
        "n_steady": len(steady),
        "still": max((moves[key] for key in steady), default=0.0),
        "all_steady": moves[worst] < limit,
        "worst": _named(worst),
        "most": moves[worst],
        "kappa": moves["kappa_quadratic"] if worst != "kappa_quadratic" else None,
        "figure": f"study.{scores}.{stress}.x",
    }


def _named(key: str) -> Term:
    family, _, weights = key.partition("_")
    return Term(f"weighted.{weights}", family=Term(f"family.{family}"))


def _together(keys: Sequence[str]) -> list[Term]:
    """Return names of coefficients; one with both kinds of weights is named once."""
    families: dict[str, list[str]] = {}
    for key in keys:
        families.setdefault(key.partition("_")[0], []).append(key)
    return [Term(f"family.{name}") if len(own) > 1 else _named(own[0]) for name, own in families.items()]


def _along_stresses(table: Table) -> list[Chart]:
    """Return the coefficients of one table along its stress, or along the quantity that a threshold changes."""
    if not table.key.endswith("threshold"):
        return [_along_stress(table, "x", table.columns[0].label, table.caption)]
    charts = []
    for key in DRAWN.get(table.key.split(".")[1], tuple(ALONG)):
        along = Term(f"along.{ALONG[key]}")
        charts.append(_along_stress(table, key, along, Term("stress_along", title=table.caption, along=along)))
    return charts


def _along_stress(table: Table, key: str, along: str, title: str) -> Chart:
    """Return the coefficients of one table along one of its columns."""
    rows = sorted(table.records(), key=lambda row: row.number(key) or 0.0)
    x, of_stress = column(rows, key), key == "x"
    lines = [
        Line(
            Term(f"coefficient.{name}" if of_stress else f"short.{name.partition('_')[0]}"), x, column(rows, name),
            ink, dashes,
        )
        for name, (ink, dashes) in (WITH_WEIGHTS if of_stress else TWO_POINTS).items()
    ]  # fmt: skip
    told = [{"name": line.label, "first": line.y[0], "last": line.y[-1]} for line in lines]
    return Chart(
        f"{table.key}.{key}", title, Term("stress_alt", along=along, low=x[0], high=x[-1], found=told), Axis(along),
        Axis(Term("coefficient_axis"), high=1.0), tuple(lines),
    )  # fmt: skip


LOW_RANK = "study.low_rank"
FILLED, CORPORA, SUSPICIOUS = "study.filled", "study.corpora", "study.suspicious"
RECOVERED = ("study.own", "study.three", "study.pairs")
DECIDED = ("study.own_decisions", "study.decisions")
BEST, BASELINE, SINGLE = "gaussian", "mean", "single"


class StudyRatingCompletion(Section, part="decision"):
    """Show the low-rank test, recovery of hidden ratings, and decisions based on them."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how well ratings can be predicted, and how decisions change."""
        shown = evaluation.present(FILLED, SUSPICIOUS, *RECOVERED, *DECIDED, CORPORA)
        charts = _recovered(evaluation.present(*RECOVERED))
        low_rank, rows = [_low_rank(table) for table in evaluation.present(LOW_RANK)], evaluation.records(SUSPICIOUS)
        return Findings(
            values={
                **_predicted(evaluation),
                "decided": _decided(evaluation),
                "claim": evaluation.facts.get("claim") or {},
                "planted": evaluation.facts.get("planted") or {},
                "suspicious": {key: sum(row.count(key) for row in rows) for key in ("checked", "far") if rows},
                "statements": outcomes(evaluation),
                "changed": evaluation.facts.get("changed") or {},
                "figure": charts[0].key if charts else "",
                "more_charts": [chart.key for chart in low_rank],
                "more_tables": [table.key for table in shown if table.key != FILLED],
            },
            tables=shown,
            charts=(*charts, *low_rank),
        )


def _predicted(evaluation: Evaluation) -> dict[str, Any]:
    """Return the error of predicted ratings, and of the rater's mean, if the fewest are missing."""
    share, errors = next(iter(evaluation.facts["recovered"].items()))
    best, mean = errors[BEST], errors[BASELINE]
    gain = evaluation.facts.get("better", {}).get(share)
    case, estimate = "unknown", None
    if gain is not None:
        value, low, high = (float(each) for each in gain)
        estimate = Estimate("gain", value, evaluation.count("draws"), low, high, kind="score")
        if best is not None and mean is not None:
            case = "better" if low > 0 else "worse" if high < 0 else "not shown"
    return {"case": case, "missing": 100 * float(share), "best": best, "mean": mean, "gain": estimate}


def _decided(evaluation: Evaluation) -> dict[str, Any]:
    """Return how often comparisons of systems are reversed, by method, if the fewest ratings are missing."""
    rows = [row for table in evaluation.present(*DECIDED)[:1] for row in table.records()]
    fewest = {str(row["method"]).removeprefix("method."): row for row in rows if row["missing"] == rows[0]["missing"]}
    shares = {key: share for key in (BEST, BASELINE, SINGLE)
              if key in fewest and (share := fewest[key].estimate("opposite"))}  # fmt: skip
    errors = [fewest[key].estimate("error") for key in (BEST, BASELINE) if key in shares]
    return {"missing": rows[0]["missing"], **shares, "errors": errors} if BEST in shares and SINGLE in shares else {}


def _recovered(tables: tuple[Table, ...]) -> list[Chart]:
    """Return mean absolute error over the share of missing ratings, a line for every method, a plot for every table."""
    known = ((table.key, [row for row in table.records() if row.estimate("error")]) for table in tables)
    plots = {
        Term(f"recovered.{key.removeprefix('study.')}"): lines_by(rows, "method", "missing", "error")
        for key, rows in known
    }
    values = [value for lines in plots.values() for line in lines for value in line.y if value is not None]
    if not values:
        return []
    first = {
        where: [{"method": each.label, "first": each.y[0], "last": each.y[-1]} for each in lines[:3]]
        for where, lines in plots.items()
    }
    told = [{"where": where, "lines": lines} for where, lines in first.items()]
    x, y = Axis(Term("missing_axis"), unit="%"), Axis(Term("error_axis"), low=0.0, high=contain((0.0, 0.0), values)[1])
    key, alt = f"{tables[0].key}.chart", Term("recovered_alt", plots=told)
    panels = tuple(Panel(name, x, lines, y) for name, lines in plots.items())
    return [beside(key, "", alt, panels, Axis(""), y)]


def _low_rank(table: Table) -> Chart:
    """Return the low-rank ratio by noise: figure 1 of the paper."""
    lines = lines_by((row for row in table.records() if row.number("level") is not None), "noise", "level", "ratio")
    told = [{"noise": line.label, "last": line.y[-1]} for line in lines]
    title, alt = Term("low_rank_title"), Term("low_rank_alt", found=told)
    return Chart(f"{LOW_RANK}.chart", title, alt, Axis(Term("noise_axis")), Axis(Term("ratio_axis"), low=0), lines)


FORM = "study.form"
AUTOMATED, HUMAN, BIASED = "Automated score", "Human score", "delta_x30"
SHOWN = ("condition", "mean", "rmsd", "rmsd_share", "sd", "rmsd_automated", "alpha", "csem", "exact", "lower", "higher")
"""Columns of a form that the page shows; the CSV file also has the shares of levels."""

INKS: tuple[Literal["engine", "human"], ...] = ("engine", "human")


ALONE = 0.70  # PRMSE below which scores should not be used alone (Casabianca et al. 2023)


class StudyScoreImpact(Section, part="decision"):
    """Scale scores under eighteen versions of an item's automated score."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how far scale scores and performance levels move as PRMSE falls."""
        facts, names = evaluation.facts, [str(form) for form in evaluation.facts["forms"]]
        published = ("study.published", "study.statements")
        tables = [table for key, table in evaluation.tables.items() if not key.startswith(published)]
        by_form = [table for table in tables if table.key.startswith(FORM)]
        forms = [
            {str(row["condition"]).removeprefix("condition."): row for row in table.records()} for table in by_form
        ]
        columns = ("rmsd", "exact") if facts["cuts"] else ("rmsd",)
        of_prmse = {name: float(value) for name, value in facts["prmse"].items() if value is not None}
        charts = [_by_prmse(key, dict(zip(names, forms, strict=True)), of_prmse) for key in columns]
        starts = (facts.get("own") or {}).get("lowest") or {}
        above, below = (
            _ends(forms[-1][name]["rmsd"] for name, value in of_prmse.items() if (value < ALONE) is low)
            for low in (False, True)
        )
        return Findings(
            values={
                "prmse": facts["prmse"].get(AUTOMATED),
                "moved": _ends(rows[AUTOMATED]["rmsd"] for rows in forms),
                "kept": _ends(rows[AUTOMATED]["exact"] for rows in forms) if facts["cuts"] else [],
                "alone": ALONE,
                "last_form": names[-1],
                "n_forms": len(names),
                "lowest": [{"item": item, "low": low} for item, low in starts.items()],
                "above": above,
                "below": below,
                "share_of_sd": _ends(
                    row["rmsd_share"] for rows in forms for name, row in rows.items() if name != HUMAN
                ),
                "bias": forms[-1][BIASED].number("mean"),
                "statements": outcomes(evaluation),
                "required": [dict(row) for row in evaluation.records("study.required")],
                "form_columns": [column.key for column in by_form[0].columns if column.key in SHOWN],
                "form_tables": [table.key for table in by_form],
                "more_tables": [table.key for table in tables if table not in by_form],
                "more_charts": [chart.key for chart in charts[1:]],
            },
            tables=tuple(tables),
            charts=tuple(charts),
        )


def _ends(cells: Iterable[Cell]) -> list[float]:
    known = [value for cell in cells if (value := number(cell)) is not None]
    return [min(known), max(known)] if known else []


def _by_prmse(key: str, forms: Mapping[str, Mapping[str, Record]], prmse: Mapping[str, float]) -> Chart:
    """Return a number of every condition against PRMSE, a series for each form."""
    layers: list[Rule | Dots] = [Rule(ALONE, Term("prmse_at", value=ALONE), axis="x")]
    told = []
    x = tuple(prmse.values())
    for place, (name, rows) in enumerate(forms.items()):
        values = column((rows[condition] for condition in prmse), key)
        hollow = (place >= len(INKS),) * len(x)  # orange is reserved for values beyond a limit
        label = Term(name) if name == "your_test" else name
        layers.append(Dots(label, x, values, along="y", hollow=hollow, ink=INKS[place % 2]))
        if x:
            found = [{"prmse": x[at], "value": values[at]} for at in (x.index(max(x)), x.index(min(x)))]
            told.append({"form": label, "found": [each for each in found if each["value"] is not None]})
    return Chart(
        f"{FORM}.{key}", Term(f"by_prmse.{key}"), Term("by_prmse_alt", label=Term(f"axis.{key}"), forms=told),
        Axis(Term("short_name.prmse")), Axis(Term(f"axis.{key}")), tuple(layers), caption=Term("dot_is_condition"),
    )  # fmt: skip
