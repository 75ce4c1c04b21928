"""Test the stability of metrics given rater agreement, and the double scores that PRMSE requires.

Repeats the simulations of Loukina et al. (2020), or runs your own design.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from reportgen.results import Column, Kind, Row, Scale, Table, Term
from reportgen.studies.prmse_stability import measures
from reportgen.studies.prmse_stability.measures import ALONE, EVERYONE, METRICS, Measures, draw, measure, replay
from reportgen.studies.statements import Paper, judge_in_sets, published_table, statements_table
from reportgen.studies.study import Study, StudyResults, Work, simulated, table

RATER_NAMES = ("low", "moderate", "average", "high")
SYSTEM_NAMES = ("poor", "low", "medium", "high", "perfect")
STUDIED, STUDIED_NUMBER = 0.8, 1  # accuracy and number (from 0) of the system that the paper studies, sys_17

Share = Annotated[float, Field(gt=0, lt=1)]
Accuracy = Annotated[float, Field(ge=0, lt=1)]


class PrmseStability(Study):
    """Metrics of one system with raters of different agreement, and PRMSE by number of double scores."""

    name: ClassVar[str] = "prmse-stability"

    responses: int = Field(default=10_000, ge=50, le=200_000)
    mean: float = 3.844
    sd: float = Field(default=0.74, gt=0)
    scale: str = "1:6"
    agreement: tuple[Share, ...] = Field(default=(0.40, 0.55, 0.65, 0.80), min_length=1)
    raters: int = Field(default=50, ge=2, le=500)
    accuracy: tuple[Accuracy, ...] = Field(default=(0.0, 0.40, 0.65, 0.80, 0.99), min_length=1)
    systems: int = Field(default=5, ge=1, le=50)
    studied: float = STUDIED
    pairs: int = Field(default=50, ge=2, le=1000)
    double_scored: tuple[int, ...] = Field(default=(100, 250, 500, 1000, 2500, 5000, 10_000), min_length=1)
    half_width: float = Field(default=0.05, gt=0)
    replicates: int = Field(default=9, ge=1, le=10_000)
    streams: Literal["both", "fresh"] = "both"

    @model_validator(mode="after")
    def _fits(self) -> PrmseStability:
        low, high = self.ends
        if not low <= self.mean <= high:
            raise ValueError(f"mean: expected a mean on the scale {self.scale}, found {self.mean:g}")
        if self.studied not in self.accuracy:
            raise ValueError(f"studied: expected one of accuracy {self.accuracy}, found {self.studied:g}")
        if len(set(self.agreement)) < len(self.agreement) or len(set(self.accuracy)) < len(self.accuracy):
            raise ValueError("agreement and accuracy: every category requires a separate value")
        if min(self.double_scored) < 10 or max(self.double_scored) > self.responses:
            raise ValueError(f"double_scored: expected numbers from 10 to {self.responses} (responses)")
        if self.pairs > self.raters * (self.raters - 1) // 2:
            raise ValueError(f"pairs: {self.raters} raters have only {self.raters * (self.raters - 1) // 2} pairs")
        return self

    @property
    def ends(self) -> tuple[int, int]:
        """Lowest and highest point of the scale."""
        low, _, high = self.scale.partition(":")
        try:
            ends = int(low), int(high)
        except ValueError:
            raise ValueError(f"scale: expected two whole numbers such as 1:6, found '{self.scale}'") from None
        if ends[0] >= ends[1] or ends[1] - ends[0] > 100:
            raise ValueError(f"scale: expected LOW:HIGH with at most 101 points, found '{self.scale}'")
        return ends

    @property
    def is_the_papers(self) -> bool:
        """Whether the design is the paper's, so that its random streams can be replayed."""
        own = {"seed", "half_width", "replicates", "streams"}
        fields = type(self).model_fields
        return all(getattr(self, key) == field.default for key, field in fields.items() if key not in own)

    @property
    def rater_categories(self) -> dict[str, float]:
        """Correlation of raters by name of the category."""
        return self._named(RATER_NAMES, "r", self.agreement)

    @property
    def system_categories(self) -> dict[str, float]:
        """R2 with true scores by name of the category of systems."""
        return self._named(SYSTEM_NAMES, "R²", self.accuracy)

    def _named(self, names: Sequence[str], number: str, values: Sequence[float]) -> dict[str, float]:
        own = [f"{number} = {value:.2f}" for value in sorted(values)]
        return dict(zip(names if self.is_the_papers else own, sorted(values), strict=True))

    @property
    def studied_system(self) -> tuple[str, int]:
        """Category and number of the studied system."""
        name = next(name for name, value in self.system_categories.items() if value == self.studied)
        return name, min(STUDIED_NUMBER, self.systems - 1)

    def results(self, work: Work) -> StudyResults:
        """Return tables 1 to 4 and the data of figures 1 to 5, replayed if possible, and with new random data."""
        fresh = work.map("data sets", self._fresh, range(self.replicates))
        replayed = None
        if self.is_the_papers and self.streams == "both":
            replayed = measure(*replay(self), self.studied_system)
        return StudyResults(
            simulated(self, self.responses * self.replicates),
            Scale(*self.ends, 1, assumed=False),
            tables_of(self, replayed, fresh),
            facts=facts_of(self, replayed, fresh),
            warnings=self._warnings(fresh),
        )

    def _fresh(self, number: int) -> Measures:
        return measure(*draw(self, np.random.default_rng([self.seed, number])), self.studied_system)

    def _warnings(self, fresh: list[Measures]) -> tuple[str, ...]:
        """Warn if the simulated raters miss the requested agreement, as with few raters and responses."""
        told = []
        for name, wanted in self.rater_categories.items():
            found = float(np.mean([each.raters[name][0] for each in fresh]))
            if abs(found - wanted) > 0.02:
                told.append(
                    f"Raters that should correlate {wanted:.2f} correlate {found:.2f} in the data that were drawn; "
                    "interpret the results for that correlation, or use more responses and raters."
                )
        return tuple(told)


CATEGORIES = ("poor", "low", "moderate", "average", "medium", "high", "perfect")
"""Categories of the paper, which have names; other categories have numbers."""

Runs = Sequence[Measures]
Notes = tuple[Term, ...]


def tables_of(design: PrmseStability, replayed: Measures | None, fresh: Runs) -> tuple[Table, ...]:
    """Return every table, of the new data sets, and if replayed, of the paper's."""
    afresh = (Term("note.drawn_afresh", sets=len(fresh)),)
    one = (Term("note.replayed") if replayed is not None else Term("note.first_drawn", sets=len(fresh)),)
    first, raters, systems = replayed or fresh[0], design.rater_categories, design.system_categories
    assigned = [Row((_category(name), *(first.ranking.assigned(name, other) for other in raters))) for name in systems]
    tables = [
        table("raters", _described("raters", raters, design.raters, fresh), notes=afresh, category="text",
              wanted="coefficient", raters="count", r="coefficient", mean="score", sd="score"),
        table("systems", _described("systems", systems, design.systems, fresh), notes=afresh, category="text",
              wanted="coefficient", systems="count", r_squared="coefficient", r="coefficient", r_raters="coefficient"),
        _stability(fresh, afresh),
        table("assignment", assigned, *_by_category(raters, "count"), notes=one, category="text"),
        _ranking(fresh, afresh),
        _ranked(first, one),
        _joining(first, one),
        _double(design, fresh, afresh),
    ]  # fmt: skip
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
    """Return facts for the sentences of sections."""
    counts = sorted(design.double_scored)
    return {
        "responses": design.responses, "raters_each": design.raters, "pairs": design.pairs, "replicates": len(fresh),
        "replayed": replayed is not None, "studied": design.studied_system[0],
        "known": _mean([each.known for each in fresh]), "agreement": design.rater_categories,
        "accuracy": design.system_categories, "half_width": design.half_width,
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
    return Term(f"category.{name}") if name in CATEGORIES else name


def _by_category(names: Iterable[str], kind: Kind) -> Iterator[Column]:
    return (Column(name, _category(name), kind) for name in names)


def _described(of: str, wanted: Mapping[str, float], number: int, fresh: Runs) -> Iterator[Row]:
    for name, asked in wanted.items():
        numbers = (_mean([getattr(run, of)[name][k] for run in fresh]) for k in range(3))
        yield Row((_category(name), asked, number, *numbers))


def _stability(fresh: Runs, notes: Notes) -> Table:
    """Return the values of figures 1 and 4 of the paper: every metric of one system, by its raters."""
    rows = [
        Row((_metric(metric), Term(f"against_{reference}"), _category(name),
             *measures.spread([each.stability[reference, metric][name] for each in fresh])))
        for (reference, metric), by_raters in fresh[0].stability.items()
        for name in by_raters
    ]  # fmt: skip
    return table("stability", rows, notes=notes, shown=60, metric="text", reference="text", category="text",
                 mean="coefficient", low="coefficient", high="coefficient", sd="coefficient")  # fmt: skip


def _ranking(fresh: Runs, notes: Notes) -> Table:
    rows = []
    for metric in METRICS:
        cells: list[float] = []
        for same in (False, True):
            cells.append(_mean([run.ranking.concordance([metric], same=same)[0] for run in fresh]))
            cells.append(sum(run.ranking.misplaced([metric], same=same) == [0] for run in fresh))
        rows.append(Row((_metric(metric), *cells)))
    return table("ranking", rows, notes=notes, metric="text", tau="coefficient", in_order="count",
                 tau_same="coefficient", in_order_same="count")  # fmt: skip


def _ranked(run: Measures, notes: Notes) -> Table:
    """Return every system's rank by each metric: figure 2 of the paper."""
    columns, found = list[Column](), [measures.ranks(run.ranking.known)]
    for metric in METRICS:
        for key, same in ((metric, False), (f"{metric}_same", True)):
            found.append(run.ranking.ranks(metric, same=same))
            columns.append(Column(key, Term("ranked_by", metric=_metric(metric)), "count", shown=not same))
    who = zip(run.ranking.category.tolist(), run.ranking.raters.tolist(), np.transpose(found).tolist(), strict=True)
    rows = [Row((_category(category), _category(raters), *each)) for category, raters, each in who]
    return table("ranked", rows, *columns, notes=notes, shown=60, category="text", raters="text", known="count")


def _joining(run: Measures, notes: Notes) -> Table:
    """Return figure 3 of the paper: metrics against the mean of an increasing number of raters."""
    rows = [
        Row((_metric(metric), k, *map(float, values)))
        for metric, by_category in run.joining.items()
        for k, values in enumerate(zip(*by_category.values(), strict=True), start=1)
    ]
    columns = _by_category(run.raters, "coefficient")
    return table("joining", rows, *columns, notes=notes, shown=12, metric="text", raters="count")


def _double(design: PrmseStability, fresh: Runs, notes: Notes) -> Table:
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
    return table("double_scoring", rows, *numbers, notes=notes, shown=60, double="count", category="text")
