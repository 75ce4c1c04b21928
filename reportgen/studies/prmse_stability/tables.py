"""From measures to the tables of the report, and every printed number beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.results import Column, Row, Table
from reportgen.results.term import Term
from reportgen.studies.prmse_stability import measures
from reportgen.studies.prmse_stability.measures import ALONE, EVERYONE, METRICS, Measures
from reportgen.studies.statements import Paper, judge_in_sets, published_table, statements_table
from reportgen.studies.study import headings

if TYPE_CHECKING:
    from reportgen.studies.prmse_stability import PrmseStability

CATEGORIES = ("poor", "low", "moderate", "average", "medium", "high", "perfect")
"""Categories of the paper, which have words; others are named by their numbers."""

Runs = Sequence[Measures]
Notes = tuple[Term, ...]


def tables_of(design: PrmseStability, replayed: Measures | None, fresh: Runs) -> tuple[Table, ...]:
    """Return every table: of the fresh data sets, and of the paper's where it is replayed; each says which."""
    afresh = (Term("note.drawn_afresh", sets=len(fresh)),)
    one = (Term("note.replayed") if replayed is not None else Term("note.first_drawn", sets=len(fresh)),)
    first = replayed or fresh[0]
    raters = headings(category="text", wanted="coefficient", raters="count", r="coefficient", mean="score", sd="score")
    systems = headings(category="text", wanted="coefficient", systems="count", r_squared="coefficient", r="coefficient",
                       r_raters="coefficient")  # fmt: skip
    tables = [
        _described("raters", design.rater_categories, design.raters, fresh, raters, afresh),
        _described("systems", design.system_categories, design.systems, fresh, systems, afresh),
        _stability(fresh, afresh),
        _assignment(design, first, one),
        _ranking(fresh, afresh),
        _ranked(first, one),
        _joining(first, one),
        _double(design, fresh, afresh),
    ]
    if replayed is not None:
        again = [_stability([replayed], one), _ranking([replayed], one), _double(design, [replayed], one)]
        tables += [replace(table, key=f"{table.key}.replayed") for table in again]
        paper = Paper(Path(__file__).with_name("paper.toml"))
        here, *others = [run.names() for run in (replayed, *fresh)]
        statements = judge_in_sets([paper.statements(names) for names in (here, *others)])
        printed = published_table(paper.printed(here), 100, [[*paper.printed(names)] for names in others])
        tables += [statements_table(statements, replayed=True), printed]
    return tuple(tables)


def facts_of(design: PrmseStability, replayed: Measures | None, fresh: Runs) -> dict[str, Any]:
    """Return what sections put into sentences."""
    counts = sorted(design.double_scored)
    return {
        "responses": design.responses,
        "raters_each": design.raters,
        "pairs": design.pairs,
        "replicates": len(fresh),
        "replayed": replayed is not None,
        "studied": design.studied_system[0],
        "known": _mean([each.known for each in fresh]),
        "agreement": design.rater_categories,
        "accuracy": design.system_categories,
        "half_width": design.half_width,
        **{
            key: {name: measures.needed(counts, fresh, name, design.half_width, which)
                  for name in design.rater_categories}
            for key, which in (("needed", EVERYONE), ("needed_alone", ALONE))
        },
        "nearly": measures.NEARLY,
        "with_true": dict((replayed or fresh[0]).with_true),
    }  # fmt: skip


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _metric(metric: str) -> Term:
    return Term(f"short_name.{metric}")


def _category(name: str) -> str:
    """Return what a category of raters or systems is called."""
    return Term(f"category.{name}") if name in CATEGORIES else name


def _described(
    of: str, wanted: Mapping[str, float], number: int, fresh: Runs, columns: tuple[Column, ...], notes: Notes
) -> Table:
    """Return the numbers that describe the "raters" or "systems" of every category."""
    rows = [
        Row((_category(name), asked, number, *(_mean([getattr(run, of)[name][k] for run in fresh]) for k in range(3))))
        for name, asked in wanted.items()
    ]
    return Table(f"study.{of}", "", columns, tuple(rows), notes)


def _stability(fresh: Runs, notes: Notes) -> Table:
    """Return what figures 1 and 4 of the paper show: every metric of one system, by its raters."""
    rows = [
        Row((_metric(metric), Term(f"against_{reference}"), _category(name),
             *measures.spread([each.stability[reference, metric][name] for each in fresh])))
        for (reference, metric), by_raters in fresh[0].stability.items()
        for name in by_raters
    ]  # fmt: skip
    numbers = headings(mean="coefficient", low="coefficient", high="coefficient", sd="coefficient")
    columns = (*headings(metric="text", reference="text", category="text"), *numbers)
    return Table("study.stability", "", columns, tuple(rows), notes, max_rows=60)


def _assignment(design: PrmseStability, run: Measures, notes: Notes) -> Table:
    raters, systems = design.rater_categories, design.system_categories
    rows = [Row((_category(name), *(run.ranking.assigned(name, other) for other in raters))) for name in systems]
    columns = (Column("category"), *(Column(name, _category(name), "count") for name in raters))
    return Table("study.assignment", "", columns, tuple(rows), notes)


def _ranking(fresh: Runs, notes: Notes) -> Table:
    rows = []
    for metric in METRICS:
        cells: list[float] = []
        for same in (False, True):
            cells.append(_mean([run.ranking.concordance([metric], same=same)[0] for run in fresh]))
            cells.append(sum(run.ranking.misplaced([metric], same=same) == [0] for run in fresh))
        rows.append(Row((_metric(metric), *cells)))
    columns = headings(
        metric="text", tau="coefficient", in_order="count", tau_same="coefficient", in_order_same="count"
    )
    return Table("study.ranking", "", columns, tuple(rows), notes)


def _ranked(run: Measures, notes: Notes) -> Table:
    """Return every system's rank by each metric: figure 2 of the paper."""
    columns, found = [*headings(category="text", raters="text", known="count")], [measures.ranks(run.ranking.known)]
    for metric in METRICS:
        for key, same in ((metric, False), (f"{metric}_same", True)):
            found.append(run.ranking.ranks(metric, same=same))
            columns.append(Column(key, Term("ranked_by", metric=_metric(metric)), "count", shown=not same))
    who = zip(run.ranking.category.tolist(), run.ranking.raters.tolist(), np.transpose(found).tolist(), strict=True)
    rows = [Row((_category(category), _category(raters), *each)) for category, raters, each in who]
    return Table("study.ranked", "", tuple(columns), tuple(rows), notes, max_rows=60)


def _joining(run: Measures, notes: Notes) -> Table:
    """Return figure 3 of the paper: metrics against the mean of more and more raters."""
    rows = [
        Row((_metric(metric), k, *map(float, values)))
        for metric, by_category in run.joining.items()
        for k, values in enumerate(zip(*by_category.values(), strict=True), start=1)
    ]
    names = (Column(name, _category(name), "coefficient") for name in run.raters)
    return Table(
        "study.joining", "", (*headings(metric="text", raters="count"), *names), tuple(rows), notes, max_rows=12
    )


def _double(design: PrmseStability, fresh: Runs, notes: Notes) -> Table:
    """Return table 4 of the paper and what it means: how far PRMSE varies with the number of double scores."""
    rows = []
    for count in sorted(design.double_scored):
        for name in design.rater_categories:
            everyone, alone = ([each.double[count, name][which] for each in fresh] for which in (EVERYONE, ALONE))
            mean, low, high, sd = measures.spread(everyone)
            ranges = [_mean([float(np.ptp(each)) for each in values]) for values in (everyone, alone)]
            rows.append(Row((
                count, _category(name), mean, low, high, ranges[0], measures.NORMAL * sd, sd, ranges[1],
                *measures.spread(alone),
            )))  # fmt: skip
    shown = ("mean", "low", "high", "range", "half_width", "sd", "range_alone")
    hidden = ("mean_alone", "low_alone", "high_alone", "sd_alone")
    numbers = (Column(key, kind="coefficient", shown=key in shown) for key in (*shown, *hidden))
    columns = (*headings(double="count", category="text"), *numbers)
    return Table("study.double_scoring", "", columns, tuple(rows), notes, max_rows=60)
