"""Pack the statistics that policies can use into columns for results.json, and unpack them unchanged.

A group's estimate takes about 60 bytes instead of 300, so that many groups can be stored.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from reportgen.errors import InputError
from reportgen.results import Estimate, GroupStatistics, Series

REFERENCE = "the other groups are compared with it"  # why the reference group has no difference from itself


def series_of(
    statistic: str, score_type: str, rests_on: str, estimates: Sequence[Estimate], counts: Sequence[int] = ()
) -> Series:
    """Pack the estimates of one statistic, one for each level, into columns.

    `counts` are those of `GroupStatistics` for `rests_on`, which are stored only once. Raises ValueError if the
    estimates differ in metric, kind, or confidence level.
    """
    shared = {(each.metric, each.kind, each.level) for each in estimates}
    if len(shared) != 1:
        raise ValueError(f"{statistic}: expected estimates of one metric, kind and level")
    metric, kind, confidence = shared.pop()
    said = Counter(each.method for each in estimates if each.defined)
    method = max(said, key=said.__getitem__, default="")
    n = tuple(each.n for each in estimates)
    value, low, high, error = (
        tuple(getattr(each, key) for each in estimates) for key in ("value", "low", "high", "standard_error")
    )
    others = (each.method if each.method != (method if each.defined else "") else None for each in estimates)
    return Series(
        statistic, score_type, metric, kind, confidence, method, rests_on, value, low, high, error,
        n=() if n == tuple(counts) else n,
        reasons=_places(each.reason for each in estimates),
        no_interval=_places(each.interval_reason for each in estimates),
        other_methods=_places(others),
    )  # fmt: skip


def _places(words: Iterable[str | None]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        if word:
            found.setdefault(word, []).append(place)
    return {word: tuple(places) for word, places in found.items()}


@dataclass(frozen=True)
class StoredStatistic:
    """One statistic of one level: the estimate, and the responses behind it."""

    level: str
    estimate: Estimate
    rests_on: str


@dataclass(frozen=True)
class Statistics:
    """Look up the statistics of an evaluation."""

    groups: Sequence[GroupStatistics]  # `Evaluation.statistics`
    _taken: dict[tuple[str, str, str], dict[str, StoredStatistic]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def keys(self, *, by_group: bool) -> frozenset[str]:
        """Return the statistics known for all responses, or for groups."""
        wanted = (group for group in self.groups if bool(group.column) == by_group)
        return frozenset(series.statistic for group in wanted for series in group.series)

    def levels(self, statistic: str, score_type: str, column: str = "") -> tuple[StoredStatistic, ...]:
        """Return a statistic of every level of a column; without a column, of all responses.

        A statistic that does not depend on the engine is the same for every score type.
        """
        return tuple(self._by_level(statistic, score_type, column).values())

    def one(self, statistic: str, score_type: str, column: str = "", level: str = "") -> Estimate | None:
        """Return a statistic of one level, or of all responses; None if it is missing."""
        found = self._by_level(statistic, score_type, column).get(level)
        return found.estimate if found else None

    def _by_level(self, statistic: str, score_type: str, column: str) -> dict[str, StoredStatistic]:
        key = (statistic, score_type, column)
        if key not in self._taken:
            packed = ((group, series) for group in self.groups if group.column == column for series in group.series)
            own = (each for each in packed if each[1].statistic == statistic and each[1].score_type in ("", score_type))
            self._taken[key] = {found.level: found for each in islice(own, 1) for found in _unpack(*each)}
        return self._taken[key]


def _unpack(group: GroupStatistics, series: Series) -> Iterator[StoredStatistic]:
    """Yield the unpacked estimates of a series; reject columns of unequal length."""
    counts = series.n or group.counts.get(series.rests_on, ())
    for numbers in (counts, series.value, series.low, series.high, series.error):
        if len(numbers) != len(group.levels):
            text = f"'{series.statistic}' has {len(numbers):,} numbers for {len(group.levels):,} levels of "
            raise InputError(f"{text}{group.column or 'all responses'!r}; run `reportgen evaluate` again.")
    reasons, no_interval, methods = (
        {place: word for word, places in words.items() for place in places}
        for words in (series.reasons, series.no_interval, series.other_methods)
    )
    columns = zip(group.levels, series.value, counts, series.low, series.high, series.error, strict=True)
    for place, (level, value, n, low, high, error) in enumerate(columns):
        method = methods.get(place, "" if value is None else series.method)
        why = reasons.get(place, ""), no_interval.get(place, "")
        estimate = Estimate(series.metric, value, n, low, high, error, series.confidence, method, series.kind, *why)
        yield StoredStatistic(level, estimate, series.rests_on)
