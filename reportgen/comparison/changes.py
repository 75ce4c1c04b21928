"""Compute the changes between two runs, what they mean, how scores move, and the tables of all this."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from reportgen.comparison.paired import NOISE, Paired, PairedDifferences, paired, paired_tally
from reportgen.comparison.sharing import Positions, Sharing, share
from reportgen.evaluation.points import names_of
from reportgen.evaluation.statistics import DISCRETE_METRICS
from reportgen.evaluation.tables.build import columns_of, table
from reportgen.metrics import METRICS
from reportgen.metrics.catalogue import holds_across_raters
from reportgen.metrics.many_groups import holm
from reportgen.results import Column, Estimate, Kind, Row, Scale, Table, Term
from reportgen.runs.model import Confusion, NumberPlace, Run
from reportgen.tally import DIGITS, OVERALL, ROUNDED, Floats, Groups, PairedTally, formed_scores, limits
from reportgen.verdicts.judging import judge, tail, wider

Reading = Literal[
    "better", "worse", "equivalent", "higher", "lower", "not distinguishable", "the same", "no interval", "",
    "not comparable: different raters", "not comparable: different responses",
]  # fmt: skip
"""Meaning of a change: the engine is better or worse, or not by an amount that matters; a descriptive statistic is
higher or lower."""

CLEAR = ("better", "worse", "higher", "lower")  # readings of a change whose interval excludes 0

Compared = Literal["judged", "described", ""]
"""What a statistic of two runs can show: which run is better, which is higher, or nothing."""

PAIRED = "paired infinitesimal jackknife"
UNPAIRED = "root of the summed squared standard errors"

SAME = "both runs give the same scores"

NOT_KNOWN = "not compared: it depends on the quality of the ratings, which are not the same"


class Change(NamedTuple):
    """One statistic in two runs."""

    old: Estimate
    new: Estimate
    difference: Estimate  # new minus old
    reading: Reading  # meaning of the interval of `judged`
    judged: Estimate  # the difference, or the change in distance from zero if values near zero are better
    better: str = ""  # which direction is better: "high", "low", "zero", or "" for a descriptive statistic

    @property
    def p(self) -> float:
        """Two-sided p-value for no change."""
        return min(2 * tail(self.judged, 0.0, above=(self.judged.value or 0.0) > 0), 1.0)


Asked = tuple[str, tuple[str, str], str, str]  # key of a statistic, score types of both runs, grouping, and level


@dataclass(eq=False)
class Pair:
    """Two runs to compare, restricted to the responses they share if these are `paired`.

    together: Readings of changes, by the arguments of `change`, corrected for multiple comparisons; see
    `read_together`.
    """

    old: Run
    new: Run
    sharing: Sharing
    together: dict[Asked, Reading] = field(default_factory=dict, repr=False)
    _made: dict[tuple[str, str, str], dict[str, PairedDifferences]] = field(default_factory=dict, repr=False)
    _scores: dict[tuple[str, str], Paired] = field(default_factory=dict, repr=False)
    _tallies: dict[tuple[str, str], PairedTally | None] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, old: Run, new: Run) -> Pair:
        """Pair two runs."""
        if new.counted is not None and new.counted.against:
            return cls(old.with_groups_of(new), new.with_groups_of(old), Sharing(True, counted=new.n))
        sharing = share(old, new)
        if not sharing.paired or old.rows is None or new.rows is None:
            return cls(old, new, sharing)
        old, new = _on(old, sharing.old_rows), _on(new, sharing.new_rows)
        return cls(old.with_groups_of(new), new.with_groups_of(old), sharing)

    @property
    def groupings(self) -> tuple[str, ...]:
        """Group columns of either run."""
        return tuple(dict.fromkeys((*self.old.groups, *self.new.groups)))

    def levels(self, grouping: str) -> tuple[str, ...]:
        """Return the levels of a grouping in either run, largest first."""
        hidden = self.old.withheld(grouping) | self.new.withheld(grouping)
        levels = dict.fromkeys((*self.old.levels(grouping), *self.new.levels(grouping)))
        return tuple(level for level in levels if level not in hidden)

    def score_types(self) -> tuple[tuple[str, str], ...]:
        """Pair the score types of the two runs: by name if possible, otherwise by part."""
        old, new = ([kind.key for kind in run.score_types] for run in (self.old, self.new))
        common = [(key, key) for key in old if key in new]
        return tuple(common) or tuple(zip(old[-3:], new[-3:], strict=False))

    def compared(self, key: str, grouping: str = "") -> Compared:
        """Return what a statistic can show: which run is better only if responses and ratings are the same.

        Other raters change the QWK, r, RMSE, SMD, and degradation of the same engine. Statistics that are free of rater
        error, or only descriptive, are higher or lower. With other raters, groups are not compared.

        Loukina, Madnani, Cahill, Yao, Johnson, Riordan and McCaffrey (2020), sections 4.1 and 4.2.
        """
        of_engine = key.startswith("system.")
        if self.sharing.state == "same ratings" or (self.first_ratings_same and of_engine):
            return "judged"
        return "described" if not grouping and holds_across_raters(key) else ""

    @property
    def first_ratings_same(self) -> bool:
        """Whether both engines are compared with the same first ratings of the same responses."""
        return self.sharing.state == "same ratings" or (self.sharing.paired and self.sharing.comparable != "no rating")

    @cached_property
    def raters_differ(self) -> bool:
        """Whether ratings are known to differ, or raters differ beyond chance in number, agreement, or error."""
        if self.sharing.state != "other responses":
            return self.sharing.state == "other ratings"
        if len(self.old.raters) != len(self.new.raters):
            return True
        found = (self.change(key) for key in ("human.r", "human.qwk", "true_score.error_variance"))
        return any(change is not None and change.reading in ("higher", "lower") for change in found)

    def change(self, key: str, score: tuple[str, str] = ("", ""), grouping: str = "", level: str = "") -> Change | None:
        """Return a statistic in both runs, with a difference if the ratings agree; None if it cannot be compared."""
        compared = self.compared(key, grouping)
        if grouping and not compared:
            return None
        old = self.old.estimate(NumberPlace(key, score[0], grouping, level))
        new = self.new.estimate(NumberPlace(key, score[1], grouping, level))
        if old is None and new is None:
            return None
        old, new = old or _absent(new), new or _absent(old)
        if not compared:
            nothing = Estimate(old.metric, None, min(old.n, new.n), kind=_kind(old.kind), reason=NOT_KNOWN)
            why: Reading = "not comparable: different responses"
            why = "not comparable: different raters" if self.raters_differ else why
            return Change(old, new, nothing, why, nothing)
        difference, distance = self._difference(old, new, NumberPlace(key, score[0], grouping, level), score)
        better = METRICS[old.metric].better if compared == "judged" else ""
        judged = distance if better else difference
        reading = _reading(judged, better) if old.defined and new.defined else ""
        if reading in ("not distinguishable", "the same") and judged is not difference:  # the difference may cross zero
            reading, judged = _reading(difference, ""), difference
        return Change(old, new, difference, self.together.get((key, score, grouping, level), reading), judged, better)

    def _difference(
        self, old: Estimate, new: Estimate, place: NumberPlace, score: tuple[str, str]
    ) -> tuple[Estimate, Estimate]:
        kind = _kind(old.kind)
        if old.value is None or new.value is None:
            missing = old if old.value is None else new
            nothing = Estimate(old.metric, None, min(old.n, new.n), kind=kind, reason=missing.reason)
            return nothing, nothing
        value = new.value - old.value
        opposite = old.value * new.value < 0
        found = self._paired(place, score)
        if found is not None:
            index = found.labels.index(place.level)
            value, error, across = (float(numbers[index]) for numbers in (found.value, found.error, found.error_of_sum))
            n, freedom, method = min(old.n, new.n), float(found.units[index]) - 1, PAIRED
        else:
            errors = (old.standard_error or 0.0, new.standard_error or 0.0)
            error = across = float(np.sqrt(sum(each**2 for each in errors)))
            n, freedom, method = old.n + new.n, _freedom(old, new), UNPAIRED
        if old.standard_error is None or new.standard_error is None:
            error = across = np.nan  # a constant score, or a number from a file: the uncertainty is unknown
        value = 0.0 if abs(value) < NOISE else value
        bare = Estimate(old.metric, value, n, level=old.level, method=method, kind=kind)
        difference = _estimate(bare, error, freedom)
        if METRICS[old.metric].better != "zero":
            return difference, difference
        nearer = replace(difference, value=abs(new.value) - abs(old.value))
        return difference, _estimate(nearer, across if opposite else error, freedom)

    def _paired(self, place: NumberPlace, score: tuple[str, str]) -> PairedDifferences | None:
        """Return the paired differences of a statistic, or None if the rows do not provide them."""
        old, new = self.old.form(place), self.new.form(place._replace(score=score[1]))
        if not self.sharing.paired or old is None or new is None:
            return None
        shared = self.new.groups if self.new.counted is not None else self._groups()
        if place.grouping and place.grouping not in shared:
            return None
        made_key = (old.type.key, new.type.key, place.grouping)
        if made_key not in self._made:
            key = made_key[:2]
            if key not in self._scores:
                tally = self.tally((old.family, new.family))
                self._scores[key] = paired(self.old, self.new, (old, new), self._groups(), tally)
            self._made[made_key] = self._scores[key].differences(place.grouping)
        found = self._made[made_key].get(place.key)
        if found is None or place.level not in found.labels:
            return None
        return found if np.isfinite(found.value[found.labels.index(place.level)]) else None

    def tally(self, families: tuple[str, str]) -> PairedTally | None:
        """Count both systems' scores of the given families together, or return None if that is not possible."""
        if not self.sharing.paired:
            return None
        if families not in self._tallies:
            self._tallies[families] = paired_tally(self.old, self.new, families, self._groups())
        return self._tallies[families]

    def _groups(self) -> Groups:
        if self.old.rows is None or self.new.rows is None:
            return {}
        different = set(self.sharing.different_groups)
        return {name: codes for name, codes in self.old.rows.groups.items() if name not in different}


def _on(run: Run, rows: Positions) -> Run:
    if run.rows is None:
        return run
    others = run.rows.ratings_alone
    if (others is None or not len(others)) and np.array_equal(rows, np.arange(len(run.rows.system))):
        return run
    return run.of(run.rows.take(rows))


def _absent(other: Estimate | None) -> Estimate:
    metric, kind = (other.metric, other.kind) if other else ("n", "count")
    return Estimate(metric, None, 0, kind=kind, reason="not part of this run")


def _kind(kind: Kind) -> Kind:
    return "difference" if kind in ("coefficient", "score") else kind


def _freedom(old: Estimate, new: Estimate) -> float:
    if not old.standard_error or not new.standard_error:
        return max(old.n + new.n - 2.0, 0.0)
    first, second = old.standard_error**2, new.standard_error**2
    return (first + second) ** 2 / (first**2 / max(old.n - 1, 1) + second**2 / max(new.n - 1, 1))


def _estimate(difference: Estimate, error: float, freedom: float) -> Estimate:
    """Return a difference with Student's interval; without variation there is no interval."""
    value = np.array([difference.value], np.float64)
    low, high = limits(value, np.array([error]), np.array([freedom]), "none", difference.level)
    known = bool(np.isfinite(low[0]) and np.isfinite(high[0]))
    still = SAME if difference.value == 0 else "the difference does not vary"
    reason = "" if known else still if error == 0 else "the runs contain no standard errors"
    ends = (float(low[0]), float(high[0])) if known else (None, None)
    spread = error if np.isfinite(error) else None
    return replace(difference, low=ends[0], high=ends[1], standard_error=spread, interval_reason=reason)


def _reading(judged: Estimate, better: str) -> Reading:
    """Return the meaning of a change from its interval; if there is no `better`, only its direction."""
    if judged.low is None or judged.high is None:
        return "the same" if judged.value == 0 else "no interval"
    if judged.low <= 0 <= judged.high:
        return "not distinguishable"
    if better:
        return "better" if (judged.low > 0) == (better == "high") else "worse"
    return "higher" if judged.low > 0 else "lower"


ROUNDED_SCORE, EACH = "trimmed and rounded", "each"
"""Forms of the score in a table line that are not separate from the primary score."""

OF_RATERS = ("human.h_mean", "human.h_sd", "human.system_mean", "human.system_sd")
"""Statistics with different names in comparisons of raters."""

ALL = 10_000  # most rows that a report shows of tables that are never long


class ChangeLine(NamedTuple):
    """One line of a table of changes: a statistic and the form of the score."""

    key: str
    form: str

    @property
    def metric(self) -> str:
        """Key of the statistic in the catalogue."""
        return "disattenuated_r" if self.key == "disattenuated.r" else self.key.split(".")[1]

    @property
    def name(self) -> Term:
        """Name of the statistic; in raters-only runs, the second rater replaces the engine."""
        return Term(self.key if self.key in OF_RATERS else self.metric)

    def score(self, pair: Pair) -> tuple[str, str]:
        """Return the score types of the two runs."""
        if self.form != ROUNDED_SCORE or self.metric in DISCRETE_METRICS:
            return "", ""
        return pair.old.score_types[-1].key, pair.new.score_types[-1].key

    def scores(self, pair: Pair) -> list[tuple[tuple[str, str], str]]:
        """Return the score types of every row of this line, with a name for each form."""
        if self.form != EACH:
            return [(self.score(pair), Term(self.form))]
        labels = {kind.key: kind.label for kind in (*pair.old.score_types, *pair.new.score_types)}
        any_form = self.metric not in DISCRETE_METRICS
        return [(each, labels[each[0]]) for each in pair.score_types() if any_form or each[0].endswith("_round")]


STATISTICS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))

LINES = {
    table: [ChangeLine(key, form) for form, *keys in lines for key in keys]
    for table, lines in STATISTICS["changes"].items()
}


NAMED_OF_GROUPS = ("system.qwk", "trimmed"), ("system.dsm", "trimmed")
"""Group statistics that sentences mention; for labels without order, kappa is a separate family."""


def read_together(pairs: Sequence[Pair], rivals: Sequence[Pair], primary: str, margin: float) -> None:
    """Correct the readings of changes for multiple comparisons (Holm's method).

    A family is one statistic in all pairs and groups; for groups, all statistics that sentences mention. A change is
    equivalent if its interval, widened to hold simultaneously for its family, is within the margin.

    rivals: Pairs compared only on the primary statistic.
    primary: Key of the statistic that decides which engine is better.
    margin: Smallest difference that matters, of a coefficient or in SDs.

    Holm (1979); Dunn (1961); Schuirmann (1987) for equivalence.
    """
    groupings = dict.fromkeys(name for pair in pairs for name in pair.groupings)
    lines = [(each, line) for name in LINES for each in (groupings if "by" in name else ("",)) for line in LINES[name]]
    places = [
        (grouping, line, pair, (line.key, score, grouping, level))
        for (grouping, line), pair in product(lines, pairs)
        for (score, _), level in product(line.scores(pair), pair.levels(grouping) if grouping else ("",))
    ]
    places += [("", ChangeLine(primary, ""), pair, (primary, ("", ""), "", "")) for pair in rivals]
    families: dict[tuple[object, ...], list[tuple[Pair, Asked, Change]]] = {}
    for grouping, line, pair, asked in places:
        named = bool(grouping) and (line.key, line.form) in NAMED_OF_GROUPS
        if (change := pair.change(*asked)) is not None and change.judged.low is not None:
            families.setdefault((named,) if named else (bool(grouping), *asked[:2]), []).append((pair, asked, change))
    for family in families.values():
        for (pair, asked, change), p in zip(family, holm([change.p for *_, change in family]), strict=True):
            wide, comparable = wider(change.difference, len(family)), change.better in ("high", "zero")
            if comparable and wide.kind != "percent" and judge(wide, -margin, margin) == "met":
                pair.together[asked] = "equivalent"
            elif change.reading in CLEAR and p >= 1 - change.judged.level:
                pair.together[asked] = "not distinguishable"


def comparison_tables(runs: Sequence[Run], pairs: Sequence[Pair]) -> list[Table]:
    """Return all tables of old, new, and change; labels have one form of the score."""
    whole, of_groups = [name for name in LINES if "by" not in name], [name for name in LINES if "by" in name]
    tables = [_changes(name, pairs) for name in whole if name != "score_types" or pairs[0].old.scale.ordered]
    for grouping in dict.fromkeys(name for pair in pairs for name in pair.groupings):
        tables += [_changes(name, pairs, grouping) for name in of_groups]
    return [runs_table(runs, pairs), *tables]


def runs_table(runs: Sequence[Run], pairs: Sequence[Pair] = ()) -> Table:
    """Return the table of runs: origin, date, responses, scale, and what each run shares with the first."""
    shared = [None, *(pair.sharing for pair in pairs)] if pairs else [None] * len(runs)
    rows = [
        Row((
            run.name, Term(f"origin.{run.origin}"), run.created, run.source.name, run.source.sha256, run.n,
            Term("numbers_from_to", low=run.scale.low, high=run.scale.high),
            run.score_types[-2].label if len(run.score_types) > 1 else "",
            Term("numbers_from_to", low=float(run.preparation.bounds[0]), high=float(run.preparation.bounds[1])),
            sharing.n if sharing and sharing.paired else None, run.no_rows, run.description,
        ))
        for run, sharing in zip(runs, shared, strict=True)
    ]  # fmt: skip
    known = {"created": any(run.created for run in runs), "trimming": runs[0].scale.ordered, "shared": bool(pairs)}
    hidden = ["sha256", "scale", "score_type", "no_rows", "description", *(key for key in known if not known[key])]
    columns = columns_of(
        hidden=hidden, run="text", origin="text", created="text", source="text", sha256="text", n="count",
        scale="text", score_type="text", trimming="text", shared="count", no_rows="text", description="text",
    )  # fmt: skip
    return table("comparison.runs" if pairs else "summary.runs", columns, rows, max_rows=ALL)


def _changes(name: str, pairs: Sequence[Pair], grouping: str = "") -> Table:
    rows = []
    for line, pair in product(LINES[name], pairs):
        levels = pair.levels(grouping) if grouping else ("",)
        for (score, form), level in product(line.scores(pair), levels):
            change = pair.change(line.key, score, grouping, level)
            if change is None or not (change.old.defined or change.new.defined):
                continue
            both = (change.old, change.new)
            of_level = (level, min(each.n for each in both if each.defined)) if grouping else ()
            few = bool(grouping) and min(each.n for each in both) < pair.old.min_n_of(grouping)
            reading = Term(change.reading) if change.reading else None
            cells = (line.name, form, *of_level, pair.new.name, *both, change.difference, reading)
            rows.append(Row(cells, "insufficient" if few else ""))
    by_form = any(line.form == EACH for line in LINES[name])
    lead = [Column("metric"), Column("form", shown=not by_form or pairs[0].old.scale.ordered)]
    if grouping:
        named = Term("name_of_column", column=grouping)
        lead += [Column("level", named), Column("n", kind="count", shown=len(pairs) == 1)]
    key = f"comparison.{name}.{grouping}" if grouping else f"comparison.{name}"
    old, new = (Term("name_of_run", run=run.name) for run in (pairs[0].old, pairs[0].new))
    columns = (
        *lead, Column("system", shown=len(pairs) > 1), Column("old", old, "coefficient"),
        Column("new", new if len(pairs) == 1 else "", "coefficient"), Column("change", kind="difference"),
        Column("reading"),
    )  # fmt: skip
    return table(key, columns, rows, max_rows=60 if grouping else ALL)


MOVEMENTS = (
    "moves.same", "moves.up_one", "moves.up_more", "moves.down_one", "moves.down_more",
    "moves.nearer", "moves.farther", "moves.as_far",
)  # fmt: skip
"""Ways a rounded score can move; the last three count the same changes in another way."""

LABEL_MOVEMENTS = ("moves.same_label", "moves.other_label", "moves.now_right", "moves.no_longer_right", "moves.neither")
"""The same for labels without an order: the old label or another one; the rater's label or another one."""


def movement_tables(pairs: Sequence[Pair]) -> list[Table]:
    """Return distributions, confusion matrices with their changes, and the movement of scores."""
    tables = []
    first = pairs[0].old
    if any(pair.first_ratings_same for pair in pairs) and (found := first.confusion()) is not None:
        tables.append(_confusion(1, first, found, first.scale))
    for number, pair in enumerate(pairs, start=2):
        old, new = (run.confusion() if pair.first_ratings_same else None for run in (pair.old, pair.new))
        if new is not None:
            tables.append(_confusion(number, pair.new, new, first.scale))
        if old is not None and new is not None:
            points = tuple(sorted({*old.points, *new.points}))
            old, new = _spread(old, points), _spread(new, points)
            change = Confusion(old.points, new.counts - old.counts)
            caption = Term("change_of_confusion", new=pair.new.name, old=pair.old.name)
            tables += [
                _counts(f"comparison.confusion.change.{number}", caption, Term("rater"), change, first.scale),
                _distribution(f"comparison.distribution.{number}", pair, old, new),
            ]
        moved = movement(pair)
        if moved is not None:
            caption = Term("movement_of", old=pair.old.name, new=pair.new.name)
            rows_are = Term("name_of_run", run=pair.old.name)
            tables.append(_counts(f"comparison.movement.{number}", caption, rows_are, moved, first.scale))
    return [*tables, _movement_summary(pairs)]


def _spread(matrix: Confusion, points: tuple[float, ...]) -> Confusion:
    place = [points.index(each) for each in matrix.points]
    counts = np.zeros((len(points), len(points)), np.int64)
    counts[np.ix_(place, place)] = matrix.counts
    return Confusion(points, counts)


class ScoreMoves(NamedTuple):
    """Rounded primary scores of two runs, first human scores, and the number of responses of each entry."""

    old: Floats
    new: Floats
    human: Floats
    n: Floats


def moves_of(pair: Pair) -> ScoreMoves | None:
    """Return the rounded scores of two runs, or None if they share no responses."""
    if not pair.sharing.paired or pair.old.tallied is None or pair.new.tallied is None:
        return None
    tally = pair.tally((pair.old.tallied.primary.family, pair.new.tallied.primary.family))
    if tally is not None:
        used, n = tally.slices[OVERALL].cell, tally.slices[OVERALL].sums[0]
        old, new = (formed_scores(tally.side(number), ROUNDED).alpha[used] for number in (0, 1))
        return ScoreMoves(old, new, tally.first.ratings[used, 0], n)
    if pair.old.rows is None:
        return None
    old, new = rounded_rows(pair.old), rounded_rows(pair.new)
    return ScoreMoves(old, new, pair.old.rows.reference, np.ones(len(old)))


def rounded_rows(run: Run) -> Floats:
    """Round and trim the primary score of every response."""
    if run.rows is None or run.tallied is None:
        raise ValueError(f"run {run.name!r} has no rows")
    system = run.preparation.families(run.rows.system)[run.tallied.primary.family]
    return run.preparation.rounding.nearest(np.clip(system, *run.preparation.bounds))


def movement(pair: Pair) -> Confusion | None:
    """Count the responses that move from each score to each score; None if the runs share no responses."""
    moves = moves_of(pair)
    if moves is None:
        return None
    known = pair.old.tallied.whole_points() if pair.old.tallied else ()
    points = np.unique(np.concatenate([moves.old, moves.new, np.asarray(known, np.float64)]))
    place = np.searchsorted(points, moves.old) * len(points) + np.searchsorted(points, moves.new)
    counts = np.bincount(place, moves.n, len(points) ** 2).reshape(len(points), len(points))
    return Confusion(tuple(float(each) for each in points), counts.astype(np.int64))


def _movement_summary(pairs: Sequence[Pair]) -> Table:
    """Count the responses whose score changes, by direction and by whether it gets closer to the human score."""
    rows = []
    for pair in pairs:
        moves = moves_of(pair)
        if moves is None:
            continue
        total, unit = moves.n.sum(), pair.old.scale.step or 1.0
        step = np.round((moves.new - moves.old) / unit, DIGITS)
        old, new = (np.round(np.abs(each - moves.human) / unit, DIGITS) for each in (moves.old, moves.new))
        names: tuple[str, ...]
        if pair.old.scale.ordered:
            up, down = (step > 0) & (step <= 1), (step < 0) & (step >= -1)
            names, found = MOVEMENTS, [step == 0, up, step > 1, down, step < -1]
        else:
            names, found, old, new = LABEL_MOVEMENTS, [step == 0, step != 0], np.sign(old), np.sign(new)
        found += [new < old, new > old, (new == old) & (step != 0)] if pair.first_ratings_same else []
        for label, which in zip(names, found, strict=False):
            n = moves.n[which].sum()
            rows.append(Row((Term(label), pair.new.name, int(n), float(100 * n / total))))
    system, n = Column("system", shown=len(pairs) > 1), Column("n", kind="count")
    columns = (Column("movement"), system, n, Column("percent", kind="percent", unit="%"))
    return table("comparison.movement", columns, rows, max_rows=1000)


def _confusion(number: int, run: Run, matrix: Confusion, scale: Scale) -> Table:
    return _counts(f"comparison.confusion.{number}", Term("confusion_of", run=run.name), Term("rater"), matrix, scale)


def _counts(key: str, caption: Term, rows_are: Term, matrix: Confusion, scale: Scale) -> Table:
    labels = names_of(scale, np.asarray(matrix.points))
    rows = [Row((label, *map(int, line), int(line.sum()))) for label, line in zip(labels, matrix.counts, strict=True)]
    columns = (Column("row", rows_are), *(Column(label, label, "count") for label in labels))
    return Table(key, caption, (*columns, Column("total", kind="count")), tuple(rows), max_rows=1000)


def _distribution(key: str, pair: Pair, old: Confusion, new: Confusion) -> Table:
    counts = (old.counts.sum(axis=1), old.counts.sum(axis=0), new.counts.sum(axis=0))
    percents = [(100 * each / max(int(each.sum()), 1)).tolist() for each in counts]
    names = names_of(pair.old.scale, np.asarray(old.points))
    rows = [
        Row((name, human, before, after, after - before))
        for name, human, before, after in zip(names, *percents, strict=True)
    ]
    given = {"old": pair.old.name, "new": pair.new.name}
    labels = {"human": Term("rater"), **{key: Term("name_of_run", run=run) for key, run in given.items()}}
    shares = (Column(key, label, "percent", "%") for key, label in labels.items())
    columns = (Column("score"), *shares, Column("change", kind="percent", unit=Term("unit.percentage_points")))
    return Table(key, Term("distribution_of", **given), columns, tuple(rows), max_rows=1000)
