"""How well hidden ratings are recovered, and whether decisions stay the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from report_sections.lookup import Record, fact, number, records
from report_sections.pictures import dots_of
from report_sections.words import first_few, listed, name
from reportgen.results import Estimate
from reportgen.results.chart import Line
from reportgen.sections import Axis, Chart, Evaluation, Findings, Section, Table
from reportgen.wording.numbers import fixed, many, with_interval

LOW_RANK = "study.low_rank"
FILLED = "study.filled"
RECOVERED = ("study.own", "study.pairs", "study.three")
DECIDED = ("study.own_decisions", "study.decisions")
BEST, BASELINE = "gaussian", "mean"


@dataclass(frozen=True)
class StudyRatingCompletion(Section):
    """The low-rank test, recovery of hidden ratings, and decisions made on them."""

    name: ClassVar[str] = "study_rating_completion"
    title: ClassVar[str] = "Ratings that were not collected"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what can be predicted, and what becomes of decisions."""
        tables = evaluation.tables
        found = [tables[key] for key in (FILLED, *RECOVERED, *DECIDED, LOW_RANK) if key in tables]
        charts = [_chart(table) for key, table in tables.items() if key in RECOVERED]
        if LOW_RANK in tables:
            charts.append(_low_rank(tables[LOW_RANK]))
        return Findings(
            headline=_headline(evaluation),
            paragraphs=(_design(evaluation), *_changed(evaluation), *_decided(evaluation)),
            tables=tuple(found),
            charts=tuple(charts),
            notes=(
                "Gaps are drawn at random. Ratings that are missing for a reason, for instance because a rater passed "
                "over what is hard to rate, are recovered less well than these numbers say.",
            ),
        )


def _headline(evaluation: Evaluation) -> str:
    """Say how far predicted ratings are off, beside the rater's mean."""
    recovered = evaluation.facts["recovered"]
    share, errors = next(iter(recovered.items()))
    best, mean = float(errors[BEST]), float(errors[BASELINE])
    percent = fixed(100 * float(share), 0)
    gain = evaluation.facts.get("better", {}).get(share)
    told = ""
    verdict = "Whether missing ratings can be predicted better than by the rater's mean is not known"
    if gain is not None:
        value, low, high = (float(each) for each in gain)
        paired = Estimate("gain", value, fact(evaluation, "draws"), low, high, kind="score")
        told = f"; the difference, paired over the draws, is {with_interval(paired)}"
        if low > 0:
            verdict = "Missing ratings can be predicted better than by the rater's mean"
        elif high < 0:
            verdict = "Missing ratings are predicted worse than by the rater's mean"
        else:
            verdict = "Missing ratings are not shown to be predicted better than by the rater's mean"
    return (
        f"{verdict}: with {percent} % missing they are off by {fixed(best, 2)} on average, against {fixed(mean, 2)}"
        f"{told}."
    )


def _design(evaluation: Evaluation) -> str:
    n, draws = fact(evaluation, "responses"), fact(evaluation, "draws")
    if evaluation.facts.get("own"):
        given = fixed(100 * float(evaluation.facts["given"]), 0)
        return (
            f"Of the ratings of {many(n, 'response')} by {many(fact(evaluation, 'raters'), 'rater')} ({given} % of the "
            f"matrix is there) a share is hidden at random, {many(draws, 'time')}; every method predicts what is "
            "hidden from the rest, and is compared with what was hidden. Intervals over draws say what other hidden "
            f"ratings of these responses would give. Raters are {_raters(evaluation)}."
        )
    return (
        f"{many(n, 'response')} rated by three simulated judges whose agreement is that of the paper's corpus: a share "
        f"of the ratings is hidden at random, {many(draws, 'time')}, and predicted from the rest."
    )


def _raters(evaluation: Evaluation) -> str:
    return first_few([name(each) for each in evaluation.facts["columns"]], most=12)


def _changed(evaluation: Evaluation) -> tuple[str, ...]:
    """Say how a decision on the completed matrix differs from one on one rating each."""
    changed = evaluation.facts.get("changed")
    if not changed:
        return ()
    told = (
        f"Ranked by the mean of the completed ratings and by one rating each, responses agree with "
        f"tau-b = {fixed(float(changed['tau']), 2)}"
    )
    if changed["pairs"]:
        told += f"; {changed['opposite']} of {many(int(changed['pairs']), 'pair')} of systems change their order"
    filled, cells = int(changed["filled"]), int(changed["cells"])
    return (f"Of {many(cells, 'rating')} {filled:,} are filled. {told}.",)


def _decided(evaluation: Evaluation) -> tuple[str, ...]:
    """Say what becomes of comparisons of systems, beside one rating for every response."""
    table = next((evaluation.tables[key] for key in DECIDED if key in evaluation.tables), None)
    if table is None:
        return ()
    rows = records(table)
    share = rows[0]["missing"]
    own = {str(row["method"]): row["opposite"] for row in rows if row["missing"] == share}
    single = next(iter(own))
    methods = list(own)[1:]
    said = listed(f"{_percent(own[method])} by the {method}" for method in methods[:1] + methods[3:4])
    return (
        f"With {fixed(float(number(share) or 0), 0)} % of the ratings missing, comparisons of two systems come out "
        f"differently from the full ratings in {said}; with {single}, in {_percent(own[single])}.",
    )


def _percent(cell: object) -> str:
    return f"{with_interval(cell)} %" if isinstance(cell, Estimate) and cell.value is not None else "–"


def _chart(table: Table) -> Chart:
    """Return mean absolute error by share of gaps, a dot with its interval for every method."""
    rows = [row for row in records(table) if isinstance(row["error"], Estimate) and row["error"].defined]
    estimates = [row["error"] for row in rows if isinstance(row["error"], Estimate)]
    names = tuple(f"{fixed(float(number(row['missing']) or 0), 0)} % · {row['method']}" for row in rows)
    said = listed(f"{name} {with_interval(e)}" for name, e in list(zip(names, estimates, strict=True))[:5])
    return Chart(
        f"{table.key}.chart",
        f"Mean absolute error, {table.caption.removeprefix('Ratings recovered: ')}",
        f"Mean absolute error by share of missing ratings and method: {said}.",
        Axis("Mean absolute error", low=0),
        Axis("Missing · method", categories=names),
        (
            dots_of("Mean absolute error", names, estimates),
        ),
    )  # fmt: skip


def _low_rank(table: Table) -> Chart:
    """Return the low-rank ratio by noise: figure 1 of the paper."""
    rows = [row for row in records(table) if number(row["level"]) is not None]
    kinds = list(dict.fromkeys(str(row["noise"]) for row in rows))
    dashes = ("solid", "dash", "dot")
    lines = tuple(
        Line(kind, *_points([row for row in rows if row["noise"] == kind]), dashes=dashes[place % 3])  # type: ignore[arg-type]
        for place, kind in enumerate(kinds)
    )
    last = listed(f"{line.label} {fixed(line.y[-1] or 0, 2)}" for line in lines)
    return Chart(
        f"{LOW_RANK}.chart",
        "How near ratings are to rank 1, by kind and level of noise",
        f"Low-rank ratio at the highest level of noise: {last}.",
        Axis("Level of noise"),
        Axis("Low-rank ratio", low=0),
        lines,
    )


def _points(rows: Sequence[Record]) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    return tuple(number(row["level"]) for row in rows), tuple(number(row["ratio"]) for row in rows)
