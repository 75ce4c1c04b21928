"""Screen and count the responses of a source batch by batch, also for studies and comparisons."""

import tomllib
from collections import Counter as Counts
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.design.readings import ColumnRoles
from reportgen.design.roles import Survey, baseline_first, ids_of, refuse_long_label
from reportgen.errors import NO_ROWS, InputError, ReportgenError
from reportgen.evaluation import TalliedScores, plan_of, refuse_other_groups
from reportgen.evaluation.counting import ScoreCounter, ScoreCounts, together
from reportgen.evaluation.points import Grid, Preparation
from reportgen.evaluation.rater_effects import MOST_WORK
from reportgen.evaluation.tallied_scores import of_counts, prepared
from reportgen.machine.progress import Silent
from reportgen.metrics.alternative_annotators import LEAST_ANNOTATORS
from reportgen.passes.candidates import ByCandidate, NeedsRowsError, candidates_of
from reportgen.results import Scale
from reportgen.scores import Account
from reportgen.scores import screening as rules
from reportgen.scores.accounting import Counted, SharedScores, account_of, on_one_scale, scale_found
from reportgen.scores.scale import trim_bounds
from reportgen.scores.table import SourceFacts
from reportgen.settings import Settings
from reportgen.sources import columns as source_columns
from reportgen.sources.column_names import item_column
from reportgen.sources.columns import Coded, among, coded, labelled, levels, mask_to_arrow, with_intersections
from reportgen.sources.digests import Rows, Seen
from reportgen.sources.tabular import BATCH_ROWS, CHANGED, Reader
from reportgen.tally import OVERALL, Floats, PairedTallier, PairedTally, totals

MOST_CELLS = 1 << 20  # most cells in the tallies of one pass (about 100 bytes each in every grouping)

MOST_PLACES = 1 << 20  # most levels of all groupings times cells (about 300 bytes each, mostly while parts are merged)

# most occupied cells of two systems in all levels (120 bytes each, and more while parts are merged)
MOST_PAIRED = 1 << 20

Mask = NDArray[np.bool_]


@dataclass
class Studied:
    """Counts for the studies of systems, and for their comparison.

    by_all: For each system, the responses that count for every system; for a single system, all of its responses.
    others: For each system, the responses that count for it but not for every system.
    against: For each system, its scores and the first system's counted together, by family of scores, for responses
        that count for every system; empty for the first system.
    """

    by_all: tuple[ScoreCounts, ...]
    others: tuple[ScoreCounts, ...]
    against: tuple[Mapping[str, PairedTally], ...]

    def own(self, system: int) -> ScoreCounts:
        """Return the counts of all responses of a system."""
        return together([self.by_all[system], self.others[system]])


class StudiesCounter:
    """Counts the responses of each system, and of each system jointly with the first.

    Responses that count for every system are counted separately from those that count for some: the comparison uses
    only the former, a system's report both.
    """

    def __init__(self, settings: Settings, roles: ColumnRoles, prepared: Sequence[tuple[Scale, Preparation]]) -> None:
        self._settings = settings
        self._named = roles.columns("group")
        self._item = item_column(roles.columns("item"), self._named, settings.data.item)
        self._preparations = [each for _, each in prepared]
        self._by_all, self._others = (
            [ScoreCounter(*each, settings.privacy.withhold_small_groups, ranks=True) for each in prepared]
            for _ in range(2)
        )
        self._against: list[dict[str, PairedTallier]] = [{} for _ in prepared]

    def add(self, every: Sequence[rules.Screened], groups: Mapping[str, Coded], column: Callable[[str], Coded]) -> None:
        """Count a batch screened for every system, also by item (`column` returns the items) unless there are many."""
        by_all = np.logical_and.reduce([screened.screening.kept for screened in every])
        crossed, most = self.crossed(groups, by_all), self._settings.statistics.max_levels
        few = self._item is not None and all(counter.items <= most for counter in self._by_all)
        items = column(self._item) if self._item is not None and few else None
        for screened, counter, others in zip(every, self._by_all, self._others, strict=True):
            rest = screened.screening.kept & ~by_all
            self._add(counter, screened, by_all, crossed)
            if rest.any():
                self._add(others, screened, rest, self.crossed(groups, rest))
            for each, kept in ((counter, by_all), (others, rest)):
                if items is not None:
                    system, human = among(screened.system.numbers, kept), among(screened.human, kept)
                    each.add_items(system, human, levels(items, kept), most)
            alone = rules.unscored(screened)
            if alone is not None:
                counter.add_unscored(alone.system)
            counter.add_ratings_alone(rules.ratings_alone(screened))
        self._add_pairs(every, by_all, crossed)
        self._refuse_too_much()

    def counts(self) -> Studied | None:
        """Return the counts, or None if there were no responses."""
        by_all, others = (tuple(counter.counts() for counter in counters) for counters in (self._by_all, self._others))
        against = tuple({family: each.tally() for family, each in found.items()} for found in self._against)
        found = Studied(by_all, others, against)
        return found if any(part.tallies for part in (*by_all, *others)) else None

    def crossed(self, groups: Mapping[str, Coded], kept: Mask) -> dict[str, Coded]:
        """Return the groups of some responses."""
        own = {name: levels(each, kept) for name, each in groups.items()}
        return with_intersections(own, self._settings.data.intersections)

    def _add(self, counter: ScoreCounter, screened: rules.Screened, kept: Mask, groups: Mapping[str, Coded]) -> None:
        for name in self._named:
            refuse_long_label(name, max(map(len, groups[name].labels if name in groups else ()), default=0))
        counter.meet(groups)
        own = {name: n for name, n in counter.levels.items() if name in self._named}
        source_columns.refuse_many_levels(own, self._settings.statistics.max_levels)
        counter.add(among(screened.system.numbers, kept), among(screened.human, kept), groups)

    def _add_pairs(self, every: Sequence[rules.Screened], by_all: Mask, groups: Mapping[str, Coded]) -> None:
        """Count the scores of every other system jointly with the first system's."""
        if len(every) < 2 or not by_all.any():
            return
        human = among(every[0].human, by_all)
        scores = [
            each.families(among(screened.system.numbers, by_all))
            for each, screened in zip(self._preparations, every, strict=True)
        ]
        for number, found in enumerate(self._against[1:], start=1):
            bounds = self._preparations[0].bounds, self._preparations[number].bounds
            for family, own in scores[number].items():
                tallier = found.setdefault(family, PairedTallier(bounds))
                tallier.add(human, scores[0][family], own, groups)

    def _refuse_too_much(self) -> None:
        """Raise if the counts grow with the rows."""
        counters = [*self._by_all, *self._others]
        if any(counter.too_many_scores for counter in counters):
            raise NeedsRowsError("the human scores are continuous")
        cells = sum(counter.cells for counter in counters)
        if cells > MOST_CELLS:
            raise NeedsRowsError("nearly every response has a unique combination of scores")
        levels = {
            name: max(counter.levels.get(name, 0) for counter in counters)
            for counter in self._by_all for name in counter.levels
        }  # fmt: skip
        if cells * sum(levels.values()) > MOST_PLACES:
            name = max(levels, key=lambda name: levels[name])
            text = f"the groups have {sum(levels.values()):,} values so far, most of them in '{name}', too many to "
            raise NeedsRowsError(f"{text}count with {cells:,} combinations of scores")
        paired = sum(tallier.entries for found in self._against for tallier in found.values())
        if paired > MOST_PAIRED:
            raise NeedsRowsError(
                f"the scores of two systems have {paired:,} combinations with groups so far, which are too many to be "
                "counted together"
            )


MOST_HUMAN_SCORES = 1 << 10  # most distinct human scores to distinguish; continuous scores have no cells to count

SCORES = ("system", "human")  # roles of numeric columns

LABELS = ("group", "item", "position", "flag")  # roles of columns whose values repeat


@dataclass(frozen=True)
class Plan:
    """How the rows of a source are counted.

    whole: Whether each column of floats contains only whole numbers, so that its text has no decimal point.
    prepared: The scale and preparation of each system's scores; if empty, the human scores are surveyed to find it.
    """

    settings: Settings
    all_roles: tuple[ColumnRoles, ...]  # column roles for each system, the baseline first
    whole: Mapping[str, bool]
    prepared: tuple[tuple[Scale, Preparation], ...] = ()
    ids: tuple[str, ...] = ()  # columns whose values must differ
    rows: int = BATCH_ROWS  # most rows of a batch

    @property
    def candidate(self) -> str | None:
        """The candidate column, if responses are counted."""
        return next(iter(self.all_roles[0].columns("candidate")), None) if self.prepared else None

    @property
    def labels(self) -> tuple[str, ...]:
        """Columns whose text matters."""
        candidate = [self.candidate] if self.candidate is not None else []
        return tuple(dict.fromkeys([*self.playing(*LABELS), *candidate, *self.ids]))

    def wanted(self) -> tuple[tuple[str, ...], frozenset[str], int]:
        """Return the columns to read, those with repeated values, and the rows of a batch."""
        scores, repeated = self.playing(*SCORES), self.playing(*LABELS)
        return tuple(dict.fromkeys([*scores, *self.labels])), frozenset(repeated) - set(scores), self.rows

    def playing(self, *roles: str) -> tuple[str, ...]:
        """Return the columns with any of some roles, for any system."""
        return tuple(dict.fromkeys(name for role in roles for each in self.all_roles for name in each.columns(role)))


@dataclass
class SystemCounts:
    """Counts of one system's responses, except for studies.

    screening: None before a row is read.
    human: Number of responses by distinct human score; empty if responses are counted.
    shared: The common content of two score columns, as far as they are equal.
    """

    screening: rules.ScreeningCounts | None = None
    human: Counts[float] = field(default_factory=Counts)
    shared: dict[tuple[str, str], SharedScores] = field(default_factory=dict)

    def add(self, screened: rules.Screened) -> None:
        """Add the counts of later rows of a file."""
        counts = screened.counts
        self.screening = counts if self.screening is None else self.screening + counts
        kept = screened.screening.kept
        names = [scores.name for scores in (screened.system, *screened.raters)]
        columns = (among(screened.system.numbers, kept), *among(screened.human, kept).T)
        for pair, both in zip(combinations(names, 2), combinations(columns, 2), strict=True):
            known = self.shared.get(pair)
            if known is None or known.equal:  # columns that differ once are not one column given twice
                more = SharedScores.of(*both)
                self.shared[pair] = more if known is None else known.with_more(more)

    def add_human(self, human: Floats) -> None:
        """Add distinct human scores that count."""
        values, times = np.unique(human[~np.isnan(human)], return_counts=True)
        self.human.update(dict(zip(values.tolist(), times.tolist(), strict=True)))
        if len(self.human) > MOST_HUMAN_SCORES:
            raise NeedsRowsError("the human scores are continuous")


class Counter:
    """Screens and counts the rows of a source batch by batch.

    seen, responses: Receive the fingerprints of IDs, and the responses with their candidates, if the plan has them.
    """

    def __init__(self, plan: Plan, seen: Seen, responses: ByCandidate) -> None:
        self.plan, self._seen, self._responses = plan, seen, responses
        self._studies = StudiesCounter(plan.settings, plan.all_roles[0], plan.prepared) if plan.prepared else None
        self.systems = tuple(SystemCounts() for _ in plan.all_roles)
        self.n = 0  # number of counted rows

    def studied(self) -> Studied | None:
        """Return the counts for studies, or None."""
        return self._studies.counts() if self._studies is not None else None

    def add(self, table: Any) -> None:
        """Count a batch of rows of a file; raise NeedsRowsError if memory cannot be bounded."""
        plan, settings = self.plan, self.plan.settings
        self.n += table.num_rows
        labels = {name: labelled(table[name], plan.whole.get(name, True)) for name in plan.labels}
        for name in plan.ids:
            self._seen.add(name, Rows(labels[name]))
        for name in plan.all_roles[0].columns("flag"):
            table = table.set_column(table.schema.get_field_index(name), name, labels[name])
        groups = {name: coded(labels[name], name) for name in plan.all_roles[0].columns("group")}
        every = [rules.screen(table, roles.without("candidate"), settings) for roles in plan.all_roles]
        for system, screened in zip(self.systems, every, strict=True):
            system.add(screened)
        if any(screened.counts.absurd for screened in every):  # these are rejected later, and could not be counted
            return
        if self._studies is None:
            for system, screened in zip(self.systems, every, strict=True):
                system.add_human(screened.human[screened.screening.kept])
            return
        self._studies.add(every, groups, lambda name: groups[name] if name in groups else coded(labels[name], name))
        if plan.candidate is not None:
            self._add_responses(labels[plan.candidate], every, partial(self._studies.crossed, groups))

    def _add_responses(
        self, who: Any, every: Sequence[rules.Screened], levels_of: Callable[[Mask], dict[str, Coded]]
    ) -> None:
        """Pass on the responses with candidates that count for any system, or that only systems scored."""
        kept = np.logical_or.reduce([screened.screening.kept for screened in every])
        human, levels = every[0].human, levels_of(kept)
        scored = [screened.screening.kept | rules.is_unscored(screened) for screened in every]
        numbers = [np.where(here, each.system.numbers, np.nan) for here, each in zip(scored, every, strict=True)]
        system = np.column_stack(numbers)
        self._responses.add_responses(who.filter(mask_to_arrow(kept)), system[kept], human[kept], levels)
        alone = np.isfinite(system).any(axis=1) & ~kept
        if alone.any():  # their levels mean nothing
            none = {name: Coded(np.zeros(alone.sum(), np.int32), each.labels) for name, each in levels.items()}
            nobody = np.full((alone.sum(), human.shape[1]), np.nan)
            self._responses.add_responses(who.filter(mask_to_arrow(alone)), system[alone], nobody, none)


MOST_COUNTS = 3
"""The first rows suggest the scale. If they are misleading, all rows are counted again, on the scale of all rows."""


class LargeSource:
    """A source whose rows are counted in batches of at most `rows`; `notes` contains sentences about it."""

    def __init__(self, reader: Reader, settings: Settings, status: Silent, rows: int, notes: tuple[str, ...]) -> None:
        self._reader, self._settings, self._status, self._notes = reader, settings, status, notes
        if not reader.head.num_rows:
            raise InputError(NO_ROWS)
        survey = Survey(reader, settings.data, parted=False, reasons=True, status=status)
        self._columns, self._roles = survey.columns, survey.roles
        baseline_first(self._roles, settings.data)
        data, roles = settings.data, self._roles
        systems = roles.columns("system") if data.system is None else (data.system,)
        if not systems:
            raise NeedsRowsError("the file contains ratings and no engine scores")
        if len(systems) > 1 and roles.columns("candidate"):
            raise NeedsRowsError("multiple engines are compared candidate by candidate")
        all_roles = tuple(roles.of_system(name) for name in systems)
        for each in all_roles:
            refuse_rows_late(each, reader.rows)
        survey.look_at(name for part in (*LABELS, "candidate", "id") for name in roles.columns(part))
        ids = tuple(name for name in roles.columns("id") if not survey.is_unique(name))
        self._plan = Plan(settings, all_roles, survey.whole, (), ids, rows)
        self._responses = ByCandidate()

    def counted(self) -> tuple[list[Account], Studied]:
        """Return the input summary and the counts of every system's scores."""
        head = self._reader.head.select(self._columns)
        scales = [_guessed_scale(head, replace(self._plan, all_roles=(each,), ids=())) for each in self._plan.all_roles]
        for _ in range(MOST_COUNTS):
            counter = self._count([scale for scale in scales if scale is not None])
            self._plan, studied = replace(self._plan, ids=()), counter.studied()
            accounts = self._accounts(counter, studied)
            if studied is not None and scales == [account.scale for account in accounts]:
                return accounts, studied
            scales = [account.scale for account in accounts]
        raise InputError(CHANGED)

    def _count(self, scales: Sequence[Scale]) -> Counter:
        """Count all rows; if any system has no scale, count only their human scores."""
        known = len(scales) == len(self._plan.all_roles)
        on_scales = tuple((scale, prepared(self._settings, scale)) for scale in scales) if known else ()
        self.close()
        seen = Seen()
        counter = Counter(replace(self._plan, prepared=on_scales), seen, self._responses)
        self._status.rows(0, self._reader.rows)
        for _, table in self._reader.batches(*counter.plan.wanted()):
            counter.add(table)
            self._status.rows(counter.n, max(self._reader.rows, counter.n))
        if counter.n == 0:
            raise InputError(NO_ROWS)
        self._status.rows(counter.n, counter.n)
        for column in self._plan.ids:
            if seen.repeats(column, partial(ids_of, self._reader, column, self._plan.whole.get(column, True))):
                raise NeedsRowsError(f"rows that repeat an ID of column '{column}' are compared with each other")
        return counter

    def _accounts(self, counter: Counter, studied: Studied | None) -> list[Account]:
        """Return how the scores of every system were prepared; raise if some cannot be evaluated."""
        settings, source, systems = self._settings, self._reader.source(counter.n), self._roles.columns("system")
        notes = SourceFacts(source=source, systems=systems, notes=self._notes)
        found = []
        for number, (system, roles) in enumerate(zip(counter.systems, self._plan.all_roles, strict=True)):
            assert system.screening is not None
            design = rules.designed(system.screening, roles, settings)
            if design.record != 0:
                raise NeedsRowsError("the first column of human scores is not the score of record")
            rules.refuse_unusable(system.screening, roles, settings, self._reader.place)
            human, times = _human_scores(system, None if studied is None else studied.own(number))
            counted = Counted(system.screening, human, times, system.shared)
            found.append((counted, roles, replace(notes, design=design)))
        accounts = [account_of(each, roles, self._reader.place, settings, own) for each, roles, own in found]
        return list(on_one_scale(accounts, settings))

    def tallied(self, counts: ScoreCounts, account: Account) -> TalliedScores:
        """Return the tally of a system."""
        settings = self._settings
        refuse_other_groups(settings, counts.groups)
        refuse_rows_late(ColumnRoles(), account.kept, len(account.raters))
        preparation = prepared(settings, account.scale)
        tallied = of_counts(counts, plan_of(account.raters, account.scale, settings, preparation))
        if not account.columns("candidate"):
            return tallied
        grid = Grid.of(account.scale, preparation)
        candidates = candidates_of(self._responses, counts, tallied.tallies, preparation, grid)
        return replace(tallied, candidates=candidates, rows=candidates.rows if candidates.clustered else {})

    def close(self) -> None:
        """Release the responses with their candidates."""
        self._responses.close()
        self._responses = ByCandidate()


def _human_scores(found: SystemCounts, counts: ScoreCounts | None = None) -> tuple[Floats, Floats]:
    """Return the distinct human scores, and how often each occurs."""
    if counts is None:
        seen = sorted(found.human)
        return np.array(seen), np.array([found.human[value] for value in seen], np.float64)
    tally = next(iter(counts.tallies.values()))
    overall = tally.slices[OVERALL]
    ratings = tally.cells.ratings[overall.cell]
    given = np.isfinite(ratings)
    values, place = np.unique(ratings[given], return_inverse=True)
    times = np.broadcast_to(overall.sums[0][:, None], ratings.shape)[given]
    return values, totals(place, times, len(values))


def _guessed_scale(head: Any, plan: Plan) -> Scale | None:
    """Return the scale that the first rows suggest, or None."""
    if plan.settings.data.scale is None and not head.num_rows:
        return None
    try:
        counter = Counter(plan, Seen(), ByCandidate())
        counter.add(head)
        (system,), (roles,) = counter.systems, plan.all_roles
        human, times = _human_scores(system)
        if system.screening is None or not human.size:
            return None
        found = scale_found(plan.settings, system.screening, roles, human, times)
        trim_bounds(plan.settings.preparation, found)
    except (ReportgenError, NeedsRowsError):
        return None
    return found


BY_ROLE: dict[str, str] = tomllib.loads(Path(__file__).with_name("roles.toml").read_text(encoding="utf-8"))
"""Why roles of columns require rows."""


def refuse_rows_of_settings(settings: Settings) -> None:
    """Raise NeedsRowsError for settings that require rows."""
    data = settings.data
    asked = {
        "'only' selects from all rows": data.only,
        "labels are joined to all rows": data.labels_file is not None,
        "ratings are excluded rater by rater": data.without,
        "labels without an order are found among all rows": data.unordered and data.labels is None,
        "responses to read are picked from all rows": settings.reading.read is not None,
        "a bootstrap draws rows": settings.statistics.intervals == "bootstrap",
        BY_ROLE["item score"]: settings.impact.weight is not None,
        "only all rows together show which candidates have few responses":
            settings.preparation.min_items_per_candidate is not None,
    }  # fmt: skip
    for why, needed in asked.items():
        if needed:
            raise NeedsRowsError(why)


def refuse_rows_late(roles: ColumnRoles, n: int, raters: int | None = None) -> None:
    """Raise NeedsRowsError for columns that require rows, given at most `n` responses (default: from `roles`)."""
    for role, why in BY_ROLE.items():
        if roles.columns(role):
            raise NeedsRowsError(f"{why} (column '{roles.columns(role)[0]}')")
    k = len(roles.columns("human")) if raters is None else raters
    if k >= LEAST_ANNOTATORS and n * k * k <= MOST_WORK:
        raise NeedsRowsError("the engine is compared with three or more raters response by response")
