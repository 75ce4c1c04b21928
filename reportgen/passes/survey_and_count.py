"""The passes over one source: the first rows suggest what to count by, all rows settle it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from reportgen.errors import InputError, ReportgenError, SettingsError
from reportgen.evaluation import Preparation, TalliedScores, prepared_by, refuse_other_groups
from reportgen.evaluation.counting import ScoreCounts
from reportgen.evaluation.points import grid_of
from reportgen.evaluation.tallied_scores import of_counts
from reportgen.passes.candidates import ByCandidate
from reportgen.passes.clusters import Selection, StoredPairs, candidates_of, pairs_of
from reportgen.passes.counter import Counter
from reportgen.passes.counts import PassCounts, Studied, SystemCounts
from reportgen.passes.limits import refuse_rows_late
from reportgen.passes.plan import Counting, PassPlan
from reportgen.passes.running import PassCounters, Progress, run
from reportgen.results import Scale
from reportgen.scores import Account
from reportgen.scores.accounting import Counted, Told, account_of, rescaling_of
from reportgen.scores.column_roles import ColumnRoles
from reportgen.scores.contents import Contents
from reportgen.scores.known_columns import KnownColumns
from reportgen.scores.repeats import refuse_repeats, repeats
from reportgen.scores.roles import assign_roles, named_roles, shortlist
from reportgen.scores.scale import score_scale, trim_bounds
from reportgen.scores.screening import refuse_unusable
from reportgen.scores.survey import UNIQUE, Surveyed
from reportgen.scores.systems import baseline_first
from reportgen.scores.words import refuse_words
from reportgen.settings import Settings
from reportgen.sources.batches import Batched, Piece
from reportgen.sources.columns import Floats
from reportgen.sources.uniqueness import Seen
from reportgen.tally import OVERALL
from reportgen.tally.cells import totals
from reportgen.tally.paired import PairedTally

MOST_PASSES = 6
"""Every pass settles something: columns, parts, the scale."""


class Passes:
    """The passes over one source.

    Parameters
    ----------
    reader, settings
        The source, and what is declared about it.
    hands, progress
        Who counts, and who is told how far it is.
    rows
        Rows of a batch, at most.
    """

    def __init__(self, reader: Batched, settings: Settings, hands: PassCounters, progress: Progress, rows: int) -> None:
        self._reader, self._settings, self._hands, self._progress, self._rows = reader, settings, hands, progress, rows
        self._named = named_roles(reader.head.schema.names, settings.data)
        heads = {name: Contents(reader.head[name], name) for name in reader.head.schema.names}
        self._columns = shortlist(heads, self._named)
        self._head = reader.head.select(self._columns)
        self._pieces: Sequence[Piece] = reader.pieces(self._columns)
        self._known = KnownColumns(self._head)
        self._checked: set[str] = set()
        """Columns of ids that were checked for repeats, and refused if there were any."""
        self._spilled = ByCandidate()

    def all(self) -> tuple[list[Account], Studied]:
        """Return the account of every system's scores and what is counted, when nothing is left to be found out."""
        scales: list[Scale | None] = []
        for _ in range(MOST_PASSES):
            plan, casts = self._plan(scales)
            found = self._pass(plan)
            if not casts:
                continue
            agreed, own = self._cast(self._known.columns(self._columns))
            if not self._settled(plan) or [_parts(cast) for cast in own] != [_parts(cast) for cast in casts]:
                continue
            for number, cast in enumerate(own):
                self._refuse_unusable(found, number, cast)
            told, source = Told(agreed.columns("system")), self._reader.source(found.n)
            accounts = [
                account_of(_counted(found, number), cast, source, self._reader.place, self._settings, told)
                for number, cast in enumerate(own)
            ]
            scales = [account.scale for account in accounts]
            if found.studied is not None and scales == [how.scale for how in plan.counting]:
                return accounts, found.studied
        raise InputError("the file changes while it is read; try again when nothing writes to it.")

    def _plan(self, scales: Sequence[Scale | None]) -> tuple[PassPlan, list[ColumnRoles]]:
        """Return the next pass, and the parts it counts by for each system; none when the first rows do not tell."""
        columns = self._known.columns(self._columns)
        casts: list[ColumnRoles] = []
        try:
            _, casts = self._cast(columns)
        except SettingsError:
            if not self._known.missing(columns):
                raise
        for cast in casts:
            refuse_rows_late(cast, sum(piece.rows for piece in self._pieces))
        whole = dict.fromkeys(self._columns, True) | self._known.whole
        plan = PassPlan(self._settings, self._known.missing(columns), whole, rows=self._rows)
        if not casts:
            return plan, []
        if len(scales) != len(casts):
            scales = [self._guessed_scale(replace(plan, counting=(Counting(cast),), asked={})) for cast in casts]
        counting = tuple(
            Counting(cast, scale, None if scale is None else self._preparation(scale))
            for cast, scale in zip(casts, scales, strict=True)
        )
        return replace(plan, counting=counting, checked=frozenset(self._checked)), casts

    def _cast(self, columns: Mapping[str, Surveyed]) -> tuple[ColumnRoles, list[ColumnRoles]]:
        """Return the part of every column, and those when each system is evaluated; columns note what was asked."""
        settings = self._settings
        cast = assign_roles(columns, settings.data, self._named.copy())
        baseline_first(cast, settings.data)
        one = settings.data.system
        return cast, [cast.of_system(name) for name in (cast.columns("system") if one is None else (one,))]

    def _settled(self, plan: PassPlan) -> bool:
        """Return whether parts rest on all rows, and texts were taken as all rows say."""
        columns = self._known.columns(self._columns)
        self._cast(columns)
        right = all(self._known.whole.get(name, True) == plan.whole[name] for name in plan.labels)
        return right and not self._known.missing(columns)

    def _pass(self, plan: PassPlan) -> PassCounts:
        """Return what a pass finds, and take note of what it says of the columns."""
        known = self._known
        with Seen() as seen, ByCandidate() as spilled:
            found = run(self._pieces, plan, self._hands, seen, self._progress, spilled)
            self._spilled.close()
            self._spilled = spilled
            if found.n == 0:
                raise InputError("the file has no rows below its header; expected one row per response.")
            self._reader.counted(found.rows)
            right = {name for name in plan.labels if found.whole.get(name, plan.whole[name]) == plan.whole[name]}
            known.whole |= found.whole
            for name in right.intersection(plan.asked):
                known.learn(name, plan.asked[name], found.facts[name])
            unique = {name for name, what in plan.asked.items() if UNIQUE in what}
            known.learn_whether_unique(right & unique, seen, self._pieces)
            self._refuse_repeats(plan, right, seen)
        return found

    def _refuse_repeats(self, plan: PassPlan, right: set[str], seen: Seen) -> None:
        """Raise when an id stands in two rows, once it is sure which column holds the ids."""
        if not plan.counting or not self._settled(plan):
            return
        cast, _ = self._cast(self._known.columns(self._columns))
        for name in cast.columns("id"):
            if name in right.intersection(plan.ids):
                found = repeats(self._pieces, name, seen, plan.whole)
                refuse_repeats(found, name, self._reader, named=self._settings.privacy.show_response_ids)
                self._checked.add(name)

    def _refuse_unusable(self, found: PassCounts, number: int, cast: ColumnRoles) -> None:
        """Raise when the responses of a system cannot be evaluated."""
        system = found.systems[number]
        refuse_words(system.words, getattr(self._reader, "names", ()))
        if system.screening is not None:
            refuse_unusable(system.screening, cast, self._settings, self._reader.place)

    def _guessed_scale(self, plan: PassPlan) -> Scale | None:
        """Return the scale that the first rows suggest; None when they do not."""
        if self._settings.data.scale is None and not self._head.num_rows:
            return None
        counter = Counter(plan)
        try:
            counter.add(self._head, 0)
            human, times = _human_scores(counter.counts().systems[0])
            found = score_scale(self._settings.data.scale, human, times) if human.size else None
            if found is not None:
                trim_bounds(self._settings.preparation, found)
        except ReportgenError:
            return None
        return found

    def _preparation(self, scale: Scale) -> Preparation:
        """Return how system scores are prepared on a scale."""
        preparation = self._settings.preparation
        return prepared_by(trim_bounds(preparation, scale), preparation.trim_tolerance, *rescaling_of(self._settings))

    def tallied(self, counts: ScoreCounts, account: Account, selection: Selection) -> TalliedScores:
        """Return what was counted of a system, of the responses that are meant.

        Raises
        ------
        SettingsError
            A least number of responses is given for a column that is no group column.
        NeedsRowsError
            Three raters or more, and not so many responses that they are not compared one by one.
        """
        settings = self._settings
        refuse_other_groups(settings, counts.groups)
        refuse_rows_late(ColumnRoles(), account.kept, len(account.raters))
        statistics, preparation = settings.statistics, self._preparation(account.scale)
        tallied = of_counts(
            counts,
            raters=account.raters,
            scale=account.scale,
            preparation=preparation,
            level=statistics.confidence_level,
            min_n=statistics.min_n_per_group,
            min_n_by_group=statistics.min_n_by_group,
            rater_error_variance=statistics.rater_error_variance,
            withhold=settings.privacy.withhold_small_groups,
        )
        if not account.columns("candidate"):
            return tallied
        grid = grid_of(account.scale, preparation.trim, preparation.bounds)
        candidates = candidates_of(self._spilled, counts, tallied.tallies, preparation, grid, selection)
        return replace(tallied, candidates=candidates, rows=candidates.rows if candidates.clustered else {})

    def pairs(
        self, against: Mapping[str, PairedTally], accounts: tuple[Account, Account], system: int
    ) -> dict[str, StoredPairs]:
        """Return what the first system and another gave the same responses, by candidate."""
        first, other = (self._preparation(account.scale) for account in accounts)
        return pairs_of(self._spilled, against, (first, other), system)

    def close(self) -> None:
        """Let go of the responses with their candidates."""
        self._spilled.close()


def _counted(found: PassCounts, number: int) -> Counted:
    """Return what was counted of the responses of a system."""
    system = found.systems[number]
    if system.screening is None:
        raise AssertionError("responses were not counted")
    human, times = _human_scores(system, None if found.studied is None else found.studied.own(number))
    return Counted(system.screening, human, times, system.shared, system.padded)


def _human_scores(found: SystemCounts, counts: ScoreCounts | None = None) -> tuple[Floats, Floats]:
    """Return the distinct human scores that count, and how often each was given."""
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


def _parts(cast: ColumnRoles) -> dict[str, tuple[str, ...]]:
    """Return the columns of every part that is played."""
    return {role: cast.columns(role) for role in cast.parts if cast.columns(role)}
