"""The pass over the responses to all items, with batches screened by threads in advance."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.many_items.counted import BY_ITEM, ItemsStudy, items_as_groups
from reportgen.evaluation.points import rounding_on
from reportgen.evaluation.suppression import Combinations, merged
from reportgen.evaluation.tallied_scores import Plan
from reportgen.machine.progress import Silent
from reportgen.machine.worker_processes import ahead
from reportgen.results import Scale
from reportgen.scores.items import Codes, ItemSource, Refusal, ScreenedBatch, screened, unscreened_batches
from reportgen.scores.scale import Span, score_scale
from reportgen.scores.screening import refuse_apart_of_item
from reportgen.sources.digests import Seen
from reportgen.tally import Floats, Integers, LevelSums, Tallier, numbered, sums_of_ratings

MOST_PARTS = 16  # batches whose distinct scores are collected before merging

MOST_VALUES = 2_000  # largest number of distinct human scores of a scale with points


@dataclass
class Pass:
    """Result of a pass over all responses.

    studies: counts of the items on each scale; none without usable responses.
    rules: reasons for excluding responses, in the order of the rules.
    excluded: excluded rows by (item, reason).
    refused: first invalid score by item, and its row in the source.
    rated (raters + 1,): responses rated in each column of human scores, and in any.
    alone: by item, ratings of responses that the engine did not score; None without any.
    """

    studies: list[ItemsStudy] = field(default_factory=list)
    rows: Counter[str] = field(default_factory=Counter)
    rules: tuple[str, ...] = ()
    excluded: Counter[tuple[str, str]] = field(default_factory=Counter)
    refused: dict[str, Refusal] = field(default_factory=dict)
    rated: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    alone: LevelSums | None = None

    def add(self, batch: ScreenedBatch) -> None:
        """Count the rows of every item in the next batch, excluded rows, and invalid scores."""
        codes, labels = batch.all_items
        before = self.rows.total()
        self.rated = self.rated + batch.rated
        if batch.alone is not None and len(batch.alone[0]):
            ratings, items = batch.alone
            alone = sums_of_ratings(ratings, (items, labels))
            self.alone = alone if self.alone is None else self.alone + alone
        for item, refusal in batch.refused.items():
            self.refused.setdefault(item, Refusal(before + refusal.row, refusal.reason))
        # skip the search for zeros if all items have them
        self.rules = max(self.rules, tuple(batch.excluded), key=len)
        for name, n in zip(labels, np.bincount(codes, minlength=len(labels)).tolist(), strict=True):
            self.rows[name] += n
        for reason, rows in batch.excluded.items():
            for code, n in enumerate(np.bincount(codes[rows]).tolist()):
                if n:
                    self.excluded[labels[code], reason] += n


@dataclass(frozen=True)
class ItemCounters:
    """Workers of a pass.

    threads: threads of this process that work in advance; results are identical for any number.
    """

    threads: ThreadPoolExecutor | None = None
    seen: Seen | None = None  # collects fingerprints of ids; None if they are not compared
    status: Silent = field(default_factory=Silent)


def scales_of(source: ItemSource, hands: ItemCounters) -> dict[str, Scale]:
    """Return the scale of the scores of each item, as in its own report, from a separate pass."""
    human, engine = ItemValues(), ItemValues()
    slim = replace(source, groups=(), id="")
    for batch in _screened_batches(slim, hands):
        codes, labels = batch.items
        for rater in range(batch.human.shape[1]):
            human.add(codes, batch.human[:, rater], labels)
        engine.add(codes, batch.system, labels)
    spans = {item: Span.of(values) for item, values in engine.by_item()}
    found = {}
    for item, values in human.by_item():
        if len(values) < MOST_VALUES // 2:  # larger sets are incomplete, and would have gaps
            refuse_apart_of_item(item, values)
        found[item] = score_scale(None, values[:, None], engine=spans.get(item))
    return found


def _screened_batches(source: ItemSource, hands: ItemCounters) -> Iterator[ScreenedBatch]:
    def unscreened() -> Iterator[Any]:
        total, done = source.reader.rows, 0
        hands.status.rows(0, total)
        for batch in unscreened_batches(source):
            done += batch.num_rows
            hands.status.rows(done, max(done, total))
            yield batch

    return ahead(hands.threads, lambda batch: screened(batch, source), unscreened())


class ItemCounter:
    """Counts the responses to items on one scale, according to a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._tallier = plan, Tallier(plan.preparation.bounds)
        self._combinations: Combinations | None = None
        self._continuous: set[str] = set()

    def add(self, batch: ScreenedBatch) -> None:
        """Count the usable responses of a batch."""
        self._tallier.add(batch.human, batch.system, items_as_groups(batch.items, batch.groups))
        codes, labels = batch.items
        between = rounding_on(self._plan.scale, as_rsmtool=False).between(batch.system)
        self._continuous.update(labels[code] for code in np.unique(codes[between]).tolist())
        if self._plan.withhold:  # no table here has means by group and human score
            given = np.where(np.isnan(batch.human), np.nan, 1.0)
            found = Combinations.of(given, {BY_ITEM: batch.items, **batch.groups})
            self._combinations = merged([self._combinations, found]) if self._combinations else found

    def study(self, groups: tuple[str, ...]) -> ItemsStudy | None:
        """Return the counts; None without responses."""
        if not self._tallier.cells:
            return None
        return ItemsStudy(
            **vars(self._plan), tally=self._tallier.tally(), groups=groups,
            combinations=self._combinations, continuous=frozenset(self._continuous),
        )  # fmt: skip


def count_items(
    source: ItemSource, plans: Sequence[Plan], scale_of: Mapping[str, int] | None, hands: ItemCounters
) -> Pass:
    """Count all responses in one pass; `scale_of` is the position of each item's scale, by default the first."""
    counters, found = [ItemCounter(each) for each in plans], Pass()
    for batch in _screened_batches(source, hands):
        found.add(batch)
        if hands.seen is not None and batch.ids is not None:
            hands.seen.add(source.id, batch.ids)
        for place, part in _by_scale(batch, scale_of):
            counters[place].add(part)
    found.studies = [study for counter in counters if (study := counter.study(source.groups))]
    return found


def _by_scale(batch: ScreenedBatch, scale_of: Mapping[str, int] | None) -> list[tuple[int, ScreenedBatch]]:
    if not len(batch.system):
        return []
    if scale_of is None:
        return [(0, batch)]
    codes, labels = batch.items
    places = np.array([scale_of.get(label, 0) for label in labels], np.intp)[codes]
    return [(place, batch.at(np.flatnonzero(places == place))) for place in np.unique(places).tolist()]


class ItemValues:
    """Distinct scores of items; for too many, only the ends, one between, and some more."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {}
        self._parts: list[tuple[Integers, Floats]] = [(np.zeros(0, np.intp), np.zeros(0))]

    def add(self, codes: Codes, values: Floats, labels: Sequence[str]) -> None:
        """Record scores of items, nan if missing."""
        given = ~np.isnan(values)
        own = np.array([self._number.setdefault(label, len(self._number)) for label in labels], np.intp)
        self._parts.append((own[codes[given]], values[given]))
        if len(self._parts) > MOST_PARTS:
            self._parts = [self._merged()]

    def by_item(self) -> Iterator[tuple[str, Floats]]:
        """Yield every item with scores, and its distinct scores."""
        (items, values), labels = self._merged(), list(self._number)
        starts = np.flatnonzero(np.diff(items, prepend=-1))
        return zip((labels[item] for item in items[starts].tolist()), np.split(values, starts)[1:], strict=True)

    def _merged(self) -> tuple[Integers, Floats]:
        """Return the distinct pairs of an item and a score, sorted; for items with many, enough to infer a scale."""
        items, values = (np.concatenate(each) for each in zip(*self._parts, strict=True))
        first = numbered([items, values])[1] if len(items) else slice(0)
        items, values = items[first], values[first]
        sizes = np.bincount(items)
        rank = np.arange(len(items)) - (np.cumsum(sizes) - sizes)[items]
        kept = (sizes[items] <= MOST_VALUES) | (rank < MOST_VALUES // 2) | (rank == sizes[items] - 1)
        between = np.flatnonzero(np.rint(2 * values) != 2 * values)
        kept[between[np.unique(items[between], return_index=True)[1]]] = True
        return items[kept], values[kept]
