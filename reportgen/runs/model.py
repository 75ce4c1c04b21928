"""Model a finished run: its scores, and every statistic they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation import Plan, TalliedScores, tally_scores
from reportgen.evaluation.counting import ScoreCounts
from reportgen.evaluation.suppression import hidden_by_size
from reportgen.evaluation.tallied_scores import Candidates, ScoreForm, of_counts
from reportgen.metrics.krippendorff import OF_LABELS
from reportgen.results import Estimate, ScoreType, Source, Verdict
from reportgen.scores.table import SampleWeights
from reportgen.sources.columns import to_numpy
from reportgen.tally import OVERALL, Floats, Groups, PairedTally, system_contingency

Origin = Literal["reportgen", "rsmeval", "rsmtool", "scores"]
"""Tool that made a run; "scores" is a column of a data file, evaluated here."""


class NumberPlace(NamedTuple):
    """The key of a number: statistic, score type ("" is the primary one), group column, and level."""

    key: str
    score: str = ""
    grouping: str = OVERALL
    level: str = ""


@dataclass(frozen=True)
class RunRows:
    """The scores of a run, response by response.

    interchangeable: Whether raters are interchangeable; otherwise the first column is the score of record.
    ratings_alone: (m, raters): two or more ratings of responses without a system score, which count for rater error; or
        None.
    """

    ids: Any  # Arrow array of strings, or None
    system: Floats  # (n,): system scores as given to `Preparation.families`
    human: Floats  # (n, raters): NaN if missing
    groups: Groups  # (codes, labels) by grouping column
    candidates: NDArray[np.integer] | None = None  # (n,): code of each response's candidate, or None
    interchangeable: bool = False
    packed: bool = False  # whether a column contains ratings of many raters
    weights: SampleWeights | None = None  # weights of the responses, if they are unequal
    ratings_alone: Floats | None = None

    @property
    def reference(self) -> Floats:
        """(n,): the score of record, or the expected value of a random rating if raters are interchangeable."""
        return np.nanmean(self.human, axis=1) if self.interchangeable else self.human[:, 0]

    @property
    def is_weighted(self) -> bool:
        """Whether weighted rows are counted instead of responses."""
        return self.interchangeable or self.weights is not None

    def take(self, rows: NDArray[np.intp]) -> RunRows:
        """Select responses in the given order, without ratings of any others."""
        import pyarrow as pa

        groups = {name: (codes[rows], labels) for name, (codes, labels) in self.groups.items()}
        ids = None if self.ids is None else self.ids.take(pa.array(rows.tolist(), pa.int64()))
        candidates = None if self.candidates is None else self.candidates[rows]
        weights = self.weights and SampleWeights(self.weights.first[rows], self.weights.second[rows])
        return replace(
            self, ids=ids, system=self.system[rows], human=self.human[rows], groups=groups, candidates=candidates,
            weights=weights, ratings_alone=None,
        )  # fmt: skip


@dataclass(frozen=True)
class CountedRows:
    """Counts of a run's scores, instead of its rows.

    against: Joint counts with the scores of the baseline run, by score family; empty for a run without a baseline.
    """

    tallied: ScoreCounts  # the counts
    against: Mapping[str, PairedTally] = field(default_factory=dict)
    candidates: Candidates | None = None  # the responses by candidate, if candidates are the units

    @property
    def n(self) -> int:
        """Number of responses."""
        return self.tallied.tallies[self.tallied.primary].n if self.tallied.tallies else 0


class Confusion(NamedTuple):
    """First human score (rows) by rounded system score (columns)."""

    points: tuple[float, ...]  # score points, ascending
    counts: NDArray[np.int64]  # (points, points): numbers of responses


@dataclass(frozen=True, kw_only=True)
class Run(Plan):
    """One system, evaluated once; `stored` numbers are used if the rows do not give them."""

    name: str  # name in tables and charts
    origin: Origin
    created: str  # date, YYYY-MM-DD; empty if unknown
    source: Source
    n: int  # responses that count
    groups: tuple[str, ...]
    score_types: tuple[ScoreType, ...]  # forms of the system score; the primary one and its rounded form are last
    rows: RunRows | None  # the scores; None if they cannot be read again, with the reason in `no_rows`
    no_rows: str = ""
    description: str = ""
    purpose: str = ""  # "judge" or "engine"; empty if unknown
    share: float | None = None  # percent of the test's points that each scored item is worth; None if unknown
    stored: Mapping[NumberPlace, Estimate] = field(default_factory=dict)
    stored_confusion: Confusion | None = None  # the saved confusion matrix
    withhold: bool = True
    counted: CountedRows | None = field(default=None, repr=False)  # counts of the scores, if rows are not kept
    verdict: Verdict | None = field(default=None, repr=False)  # verdict in its own report; None without one
    ratings_sha256: str = ""  # digest of its response IDs and ratings, saved in its report; empty without one
    _studies: list[TalliedScores] = field(default_factory=list, compare=False, repr=False)
    _hidden: dict[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def tallied(self) -> TalliedScores | None:
        """The counted scores, counted on first use; None without rows."""
        if not self._studies and (tallied := _tally(self)) is not None:
            self._studies.append(tallied)
        return self._studies[0] if self._studies else None

    def _changed(self, **changes: Any) -> Run:
        return replace(self, _studies=[], _hidden={}, **changes)

    def of(self, rows: RunRows) -> Run:
        """Return this run on other rows; its saved numbers are kept if these are about as many responses."""
        n = len(rows.system)
        kept: dict[str, Any] = {} if n == self.n else {"stored": {}, "stored_confusion": None}
        return self._changed(rows=rows, n=n, **kept)

    def with_groups_of(self, other: Run) -> Run:
        """Add the group columns of another run on the same responses in the same order."""
        if self.counted is not None:
            return replace(self, groups=tuple(dict.fromkeys((*self.groups, *self.counted.tallied.groups))))
        if self.rows is None or other.rows is None:
            return self
        groups = {**other.rows.groups, **self.rows.groups}
        names = tuple(dict.fromkeys((*self.groups, *groups)))
        if names == self.groups and len(groups) == len(self.rows.groups):
            return self  # with its counts
        return self._changed(rows=replace(self.rows, groups=groups), groups=names)

    def with_groups(self, names: Sequence[str]) -> Run:
        """Return this run with only some of its group columns."""
        kept = tuple(name for name in names if name in self.groups)
        rows = self.rows and replace(self.rows, groups={n: c for n, c in self.rows.groups.items() if n in kept})
        return self._changed(groups=kept, rows=rows)

    def withholding(self, withhold: bool) -> Run:
        """Return this run with or without its small groups."""
        return self if withhold == self.withhold else self._changed(withhold=withhold)

    def named(self, name: str) -> Run:
        """Return this run under another name."""
        return replace(self, name=name)

    def estimate(self, place: NumberPlace) -> Estimate | None:
        """Return a number: from the rows if possible, otherwise the saved one; None without either.

        A hidden group has no number. A statistic that needs ordered labels has none if the labels have no order.
        """
        if place.grouping != OVERALL and place.level in self.withheld(place.grouping):
            return None
        if not self.scale.ordered and place.key.partition(".")[2] not in OF_LABELS:
            return None
        counted = self._counted(place)
        if counted is not None and counted.defined:
            return counted
        return self.stored.get(place, counted)

    def form(self, place: NumberPlace) -> ScoreForm | None:
        """Return the form of the score for a place; metrics of exact score points use the rounded score."""
        if self.tallied is None:
            return None
        if place.score:
            return next((form for form in self.tallied.forms if form.type.key == place.score), None)
        return self.tallied.form_of(place.key)

    def levels(self, grouping: str) -> tuple[str, ...]:
        """Return the levels of a group column, largest first."""
        if self.tallied is not None and grouping in self.tallied.groups:
            labels = self.tallied.tally.slices[grouping].labels
            return tuple(labels[level] for level in self.tallied.level_order(grouping))
        sizes, hidden = self._stored_sizes(grouping), self.withheld(grouping)
        return tuple(sorted(sizes.keys() - hidden, key=lambda level: (-sizes[level], level)))

    def withheld(self, grouping: str) -> frozenset[str]:
        """Return the hidden levels of a group column."""
        if not self.withhold:
            return frozenset()
        counted = self.counted.tallied.groups if self.counted is not None else self.rows.groups if self.rows else ()
        if self.tallied is not None and grouping in counted:
            return self.tallied.withheld.levels.get(grouping, frozenset())
        if grouping not in self._hidden:
            self._hidden[grouping] = hidden_by_size(self._stored_sizes(grouping), self.n, self.min_n)
        return self._hidden[grouping]

    def _stored_sizes(self, grouping: str) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for place, found in self.stored.items():
            if place.grouping == grouping:
                sizes[place.level] = max(found.n, sizes.get(place.level, 0))
        return sizes

    def confusion(self) -> Confusion | None:
        """Return the confusion matrix of the first human score and the rounded primary score."""
        tallied = self.tallied
        if tallied is None:
            return self.stored_confusion
        table = system_contingency(tallied.tally, OVERALL, tallied.primary_rounded.form, tallied.whole_points())
        return Confusion(tuple(float(point) for point in table.points), table.counts[0].astype(np.int64))

    def _counted(self, place: NumberPlace) -> Estimate | None:
        form = self.form(place)
        if self.tallied is None or form is None or place.grouping not in self.tallied.tally.slices:
            return None
        slices = self.tallied.estimates(form, place.grouping)
        if place.key not in slices.numbers or place.level not in slices.labels:
            return None
        return slices.estimate(place.key, slices.labels.index(place.level))


def _tally(run: Run) -> TalliedScores | None:
    rows, counted = run.rows, run.counted
    plan = Plan(**{each.name: getattr(run, each.name) for each in fields(Plan)})
    if rows is not None:
        return tally_scores(
            rows.system, rows.human, rows.groups, replace(plan, raters=run.raters[: rows.human.shape[1]]),
            candidates=rows.candidates, interchangeable=rows.interchangeable, packed=rows.packed, weights=rows.weights,
            ratings_alone=rows.ratings_alone,
        )  # fmt: skip
    if counted is None:
        return None
    tallied, units = of_counts(counted.tallied, plan), counted.candidates
    return tallied if units is None else replace(tallied, candidates=units, rows=units.rows if units.clustered else {})


def positions_of(wanted: Any, known: Any) -> NDArray[np.intp]:
    """Return the position of every wanted ID among the known ones, -1 if it is not there.

    wanted, known: Arrow arrays of strings.

    >>> import pyarrow as pa
    >>> positions_of(pa.array(["b", "x", "a"]), pa.array(["a", "b"])).tolist()
    [1, -1, 0]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.index_in(pc.cast(wanted, pa.string()), value_set=pc.cast(known, pa.string()))
    return to_numpy(found, np.int64, -1).astype(np.intp)
