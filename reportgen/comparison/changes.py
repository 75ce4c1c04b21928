"""What changed from one run to another: old, new, their difference, and what it means."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from reportgen.comparison.paired import NOISE, Paired, PairedDifferences
from reportgen.comparison.pairing import paired, paired_tally
from reportgen.comparison.sharing import Positions, Sharing, share
from reportgen.evaluation.tallied_scores import ScoreForm
from reportgen.metrics import METRICS
from reportgen.metrics.catalogue import holds_across_raters
from reportgen.results import Estimate, Kind
from reportgen.runs import NumberPlace, Run
from reportgen.tally import Groups, limits
from reportgen.tally.paired import PairedTally

Reading = Literal[
    "better", "worse", "higher", "lower", "not distinguishable", "the same", "no interval", "",
    "not comparable: different raters", "not comparable: different responses",
]  # fmt: skip
"""What a change means: the engine is better or worse, a description is higher or lower, or neither can be said."""

Compared = Literal["judged", "described", ""]
"""What may be said of a number of two runs: which is better, which is higher, or nothing."""

PAIRED = "paired infinitesimal jackknife"
UNPAIRED = "root of the summed squared standard errors"

SAME = "both runs give the same scores"

NOT_KNOWN = "not compared: it rests on the quality of the ratings, which are not the same"


@dataclass(frozen=True)
class Change:
    """One number in two runs.

    `difference` is new minus old; `reading` goes by its interval, and for statistics that should be
    near zero by the interval of the change in distance from zero.
    """

    old: Estimate
    new: Estimate
    difference: Estimate
    reading: Reading


@dataclass
class Pair:
    """Two runs side by side; on the responses they share when they share them.

    Parameters
    ----------
    old, new
        The runs; restricted to the shared responses when they are `paired`.
    sharing
        What the runs have in common.
    """

    old: Run
    new: Run
    sharing: Sharing
    _made: dict[tuple[str, str, str], dict[str, PairedDifferences]] = field(default_factory=dict, repr=False)
    _scores: dict[tuple[str, str], Paired] = field(default_factory=dict, repr=False)
    _tallies: dict[tuple[str, str], PairedTally | None] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, old: Run, new: Run) -> Pair:
        """Return two runs side by side."""
        if new.counted is not None and new.counted.against:
            return cls(old.with_groups_of(new), new.with_groups_of(old), Sharing(True, counted=new.n))
        sharing = share(old, new)
        if not sharing.paired or old.rows is None or new.rows is None:
            return cls(old, new, sharing)
        old, new = _on(old, sharing.old_rows), _on(new, sharing.new_rows)
        return cls(old.with_groups_of(new), new.with_groups_of(old), sharing)

    @property
    def groupings(self) -> tuple[str, ...]:
        """Group columns that either run has."""
        return tuple(dict.fromkeys((*self.old.groups, *self.new.groups)))

    def levels(self, grouping: str) -> tuple[str, ...]:
        """Return the levels of a grouping in either run, largest first."""
        hidden = self.old.withheld(grouping) | self.new.withheld(grouping)
        levels = dict.fromkeys((*self.old.levels(grouping), *self.new.levels(grouping)))
        return tuple(level for level in levels if level not in hidden)

    def score_types(self) -> tuple[tuple[str, str], ...]:
        """Return which form of the old score is compared with which of the new: those of one name, else of one part."""
        old, new = ([kind.key for kind in run.score_types] for run in (self.old, self.new))
        common = [(key, key) for key in old if key in new]
        return tuple(common) or tuple(zip(old[-3:], new[-3:], strict=False))

    def compared(self, key: str, grouping: str = "") -> Compared:
        """Return what may be said of a number: which run is better only where responses and ratings are the same.

        Other raters make QWK, r, RMSE, SMD and degradation better or worse of the same engine.  What is free of rater
        error, or only describes, is higher or lower; and groups are then not compared at all.

        Notes
        -----
        Loukina, Madnani, Cahill, Yao, Johnson, Riordan and McCaffrey (2020), sections 4.1 and 4.2.
        """
        of_engine = key.startswith("system.")
        if self.sharing.state == "same ratings" or (self.first_ratings_same and of_engine):
            return "judged"
        return "described" if not grouping and holds_across_raters(key) else ""

    @property
    def first_ratings_same(self) -> bool:
        """Whether both engines are held against the same first ratings of the same responses."""
        return self.sharing.state == "same ratings" or (self.sharing.paired and self.sharing.comparable != "no rating")

    @cached_property
    def raters_differ(self) -> bool:
        """Whether ratings are known to be others, or raters differ: in number, agreement or error, beyond chance."""
        if self.sharing.state != "other responses":
            return self.sharing.state == "other ratings"
        if len(self.old.raters) != len(self.new.raters):
            return True
        found = (self.change(key) for key in ("human.r", "human.qwk", "true_score.error_variance"))
        return any(change is not None and change.reading in ("higher", "lower") for change in found)

    def change(self, key: str, score: tuple[str, str] = ("", ""), grouping: str = "", level: str = "") -> Change | None:
        """Return one number in both runs; None when neither has it, or nothing may be said of a group.

        A number that rests on ratings that are not the same has no difference.
        """
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
            return Change(old, new, nothing, "not comparable: different raters" if self.raters_differ else why)
        difference, distance = self._difference(old, new, NumberPlace(key, score[0], grouping, level), score)
        better = METRICS[old.metric].better if compared == "judged" else ""
        return Change(old, new, difference, _reading(old, new, difference, distance, better))

    def _difference(
        self, old: Estimate, new: Estimate, place: NumberPlace, score: tuple[str, str]
    ) -> tuple[Estimate, Estimate | None]:
        """Return new minus old, and the change in distance from zero where that is what counts."""
        kind = _kind(old.kind)
        if old.value is None or new.value is None:
            missing = old if old.value is None else new
            nothing = Estimate(old.metric, None, min(old.n, new.n), kind=kind, reason=missing.reason)
            return nothing, None
        value = new.value - old.value
        opposite = old.value * new.value < 0
        found = self._paired(place, score)
        if found is not None:
            index = found.labels.index(place.level)
            value, error, across = (float(numbers[index]) for numbers in (found.value, found.error, found.error_of_sum))
            n, freedom, method = min(old.n, new.n), float(found.units[index]) - 1, PAIRED
        else:
            error = across = _root_of_squares(old.standard_error, new.standard_error)
            n, freedom, method = old.n + new.n, _freedom(old, new), UNPAIRED
        if old.standard_error is None or new.standard_error is None:
            error = across = np.nan  # a constant score, or a number from a file: no uncertainty is known
        value = 0.0 if abs(value) < NOISE else value
        bare = Estimate(old.metric, value, n, level=old.level, method=method, kind=kind)
        difference = _estimate(bare, error, freedom)
        if METRICS[old.metric].better != "zero":
            return difference, None
        nearer = replace(difference, value=abs(new.value) - abs(old.value))
        return difference, _estimate(nearer, across if opposite else error, freedom)

    def _paired(self, place: NumberPlace, score: tuple[str, str]) -> PairedDifferences | None:
        """Return the paired differences of a statistic; None where the rows do not give them."""
        old, new = self.old.form(place), self.new.form(place._replace(score=score[1]))
        if not self.sharing.paired or old is None or new is None:
            return None
        if place.grouping and place.grouping not in self._shared_groupings():
            return None
        made_key = (old.type.key, new.type.key, place.grouping)
        if made_key not in self._made:
            self._made[made_key] = self._paired_scores(old, new).differences(place.grouping)
        found = self._made[made_key].get(place.key)
        if found is None or place.level not in found.labels:
            return None
        return found if np.isfinite(found.value[found.labels.index(place.level)]) else None

    def _paired_scores(self, old: ScoreForm, new: ScoreForm) -> Paired:
        """Return both systems' scores in the given forms."""
        key = old.type.key, new.type.key
        if key not in self._scores:
            tally = self.tally((old.family, new.family))
            self._scores[key] = paired(self.old, self.new, (old, new), self._groups(), tally)
        return self._scores[key]

    def tally(self, families: tuple[str, str]) -> PairedTally | None:
        """Return both systems' scores of the given families counted together; None where that cannot be."""
        if not self.sharing.paired:
            return None
        if families not in self._tallies:
            self._tallies[families] = paired_tally(self.old, self.new, families, self._groups())
        return self._tallies[families]

    def _shared_groupings(self) -> tuple[str, ...]:
        """Return the group columns that say the same of every shared response."""
        return self.new.groups if self.new.counted is not None else tuple(self._groups())

    def _groups(self) -> Groups:
        """Return the rows of these columns; none where rows are not held."""
        if self.old.rows is None or self.new.rows is None:
            return {}
        different = set(self.sharing.different_groups)
        return {name: codes for name, codes in self.old.rows.groups.items() if name not in different}


def _on(run: Run, rows: Positions) -> Run:
    """Return a run on some of its rows, in this order; itself, with what is counted of it, when it has no others."""
    if run.rows is None:
        return run
    others = run.rows.ratings_alone
    if (others is None or not len(others)) and np.array_equal(rows, np.arange(len(run.rows.system))):
        return run
    return run.of(run.rows.take(rows))


def _absent(other: Estimate | None) -> Estimate:
    """Return what stands for a number that only the other run has."""
    metric, kind = (other.metric, other.kind) if other else ("n", "count")
    return Estimate(metric, None, 0, kind=kind, reason="not part of this run")


def _kind(kind: Kind) -> Kind:
    """Return how a difference of such numbers is written: with its sign."""
    return "difference" if kind in ("coefficient", "score") else kind


def _root_of_squares(*errors: float | None) -> float:
    """Return the standard error of a difference of independent numbers; nan when one is not known."""
    return float(np.sqrt(sum(np.nan if error is None else error**2 for error in errors)))


def _freedom(old: Estimate, new: Estimate) -> float:
    """Return the degrees of freedom of an unpaired difference (Welch 1947; Satterthwaite 1946)."""
    if not old.standard_error or not new.standard_error:
        return max(old.n + new.n - 2.0, 0.0)
    first, second = old.standard_error**2, new.standard_error**2
    return (first + second) ** 2 / (first**2 / max(old.n - 1, 1) + second**2 / max(new.n - 1, 1))


def _estimate(difference: Estimate, error: float, freedom: float) -> Estimate:
    """Return a difference with Student's interval; one without variation has none."""
    value = np.array([difference.value], np.float64)
    low, high = limits(value, np.array([error]), np.array([freedom]), "none", difference.level)
    known = bool(np.isfinite(low[0]) and np.isfinite(high[0]))
    if known:
        reason = ""
    elif error == 0:
        reason = SAME if difference.value == 0 else "the difference does not vary"
    else:
        reason = "the runs hold no standard errors"
    return replace(
        difference,
        low=float(low[0]) if known else None,
        high=float(high[0]) if known else None,
        standard_error=error if np.isfinite(error) else None,
        interval_reason=reason,
    )


def _reading(old: Estimate, new: Estimate, difference: Estimate, distance: Estimate | None, better: str) -> Reading:
    """Say what a change means, by the interval of the difference; where nothing is `better`, only its direction."""
    judged = distance if better == "zero" and distance is not None else difference
    if old.value is None or new.value is None or judged.value is None:
        return ""
    if judged.low is None or judged.high is None:
        return "the same" if difference.value == 0 else "no interval"
    clear = not judged.low <= 0 <= judged.high
    if clear and better:
        return "better" if (judged.low > 0) == (better == "high") else "worse"
    # a clear change that is neither better nor worse: of a description, or from one side of zero to the other
    low, high = difference.low, difference.high
    if low is None or high is None or low <= 0 <= high:
        return "not distinguishable"
    return "higher" if low > 0 else "lower"
