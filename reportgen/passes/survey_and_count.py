"""The passes over one source: the first rows suggest what to count by, all rows settle it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace

from reportgen.errors import InputError
from reportgen.evaluation import Preparation, TalliedScores, prepared_by, refuse_other_groups
from reportgen.evaluation.counting import ScoreCounts
from reportgen.evaluation.points import grid_of, rounding_on
from reportgen.evaluation.tallied_scores import of_counts
from reportgen.passes.candidates import ByCandidate
from reportgen.passes.clusters import Selection, StoredPairs, candidates_of, pairs_of
from reportgen.passes.counts import PassCounts, Studied
from reportgen.passes.human_scores import guessed_scale, human_scores
from reportgen.passes.limits import refuse_rows_late
from reportgen.passes.plan import Counting, NeedsRowsError, PassPlan
from reportgen.passes.roles_so_far import RolesSoFar
from reportgen.passes.running import Progress, run
from reportgen.results import Scale
from reportgen.scores import Account
from reportgen.scores.accounting import Counted, Told, account_of, on_one_scale, rescaling_of
from reportgen.scores.column_roles import ColumnRoles
from reportgen.scores.contents import Contents
from reportgen.scores.design import Design
from reportgen.scores.known_columns import KnownColumns
from reportgen.scores.reading import designed
from reportgen.scores.repeats import refuse_repeats, repeats
from reportgen.scores.roles import named_roles, shortlist
from reportgen.scores.scale import trim_bounds, trim_tolerance
from reportgen.scores.screening import ScreeningCounts, refuse_unusable
from reportgen.scores.survey import UNIQUE
from reportgen.scores.words import refuse_words
from reportgen.settings import Settings
from reportgen.sources.batches import Batched, Piece
from reportgen.sources.parted_rows import CHANGED
from reportgen.sources.uniqueness import Seen
from reportgen.tally.paired import PairedTally

MOST_PASSES = 6
"""Every pass settles something: columns, parts, the scale."""

Scales = Sequence[Scale | None]
"""The scale of every system's scores, as far as it is known."""


class Passes:
    """The passes over one source.

    Parameters
    ----------
    reader, settings
        The source, and what is declared about it.
    executor, progress
        Who counts, this process when left out, and who is told how far it is.
    rows
        Rows of a batch, at most.
    told
        Sentences about the source.
    """

    def __init__(
        self, reader: Batched, settings: Settings, executor: Executor | None, progress: Progress, rows: int,
        told: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self._told = told
        self._reader, self._settings, self._rows = reader, settings, rows
        self._executor, self._progress = executor, progress
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
        scales: Scales = ()
        for _ in range(MOST_PASSES):
            guessed = self._roles()
            plan = self._plan(guessed, scales)
            found = self._pass(plan)
            roles = self._roles()
            if not (plan.counting and self._settled(plan, roles) and roles.plays_as(guessed)):
                continue
            accounts = self._accounts(found, roles)
            scales = [account.scale for account in accounts]
            if found.studied is not None and scales == [how.scale for how in plan.counting]:
                return accounts, found.studied
        raise InputError(CHANGED)

    def _roles(self) -> RolesSoFar:
        """Return the part of every column, as far as is known."""
        return RolesSoFar.of(self._known, self._columns, self._named, self._settings.data)

    def _plan(self, roles: RolesSoFar, scales: Scales) -> PassPlan:
        """Return the next pass: it asks for what is missing, and counts by the parts and scales that are suggested."""
        if roles.agreed is not None and not roles.of_systems:
            raise NeedsRowsError("the file holds ratings and no engine's score")
        for each in roles.of_systems:
            refuse_rows_late(each, sum(piece.rows for piece in self._pieces))
        whole = dict.fromkeys(self._columns, True) | self._known.whole
        plan = PassPlan(self._settings, roles.missing, whole, checked=frozenset(self._checked), rows=self._rows)
        if len(scales) != len(roles.of_systems):
            alone = [replace(plan, counting=(Counting(each),), asked={}) for each in roles.of_systems]
            scales = [guessed_scale(self._head, each) for each in alone]
        counting = tuple(
            Counting(each, scale, None if scale is None else self._preparation(scale))
            for each, scale in zip(roles.of_systems, scales, strict=True)
        )
        return replace(plan, counting=counting)

    def _settled(self, plan: PassPlan, roles: RolesSoFar) -> bool:
        """Return whether parts rest on all rows, and texts were taken as all rows say."""
        return roles.sure and all(self._known.whole.get(name, True) == plan.whole[name] for name in plan.labels)

    def _pass(self, plan: PassPlan) -> PassCounts:
        """Return what a pass finds, and take note of what it says of the columns."""
        known = self._known
        with Seen() as seen, ByCandidate() as spilled:
            found = run(self._pieces, plan, self._executor, seen, self._progress, spilled)
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
        roles = self._roles()
        if roles.agreed is None or not (plan.counting and self._settled(plan, roles)):
            return
        for name in sorted(right.intersection(plan.ids, roles.agreed.columns("id"))):
            found = repeats(self._pieces, name, seen, plan.whole)
            refuse_repeats(found, name, self._reader, named=self._settings.privacy.show_response_ids)
            self._checked.add(name)

    def _accounts(self, found: PassCounts, roles: RolesSoFar) -> list[Account]:
        """Return how the scores of every system were prepared; raise when some cannot be evaluated."""
        if roles.agreed is None:
            raise AssertionError("parts are not settled")
        told, source = Told(roles.agreed.columns("system"), self._told), self._reader.source(found.n)
        counted = [self._counted(found, number, each) for number, each in enumerate(roles.of_systems)]
        accounts = [
            account_of(
                each, of_system, source, self._reader.place, self._settings,
                replace(told, design=self._design(each.screening, of_system)),
            )
            for each, of_system in zip(counted, roles.of_systems, strict=True)
        ]  # fmt: skip
        return list(on_one_scale(accounts, self._settings))

    def _design(self, counts: ScreeningCounts, roles: ColumnRoles) -> Design:
        """Return which ratings count, when all rows are screened."""
        return designed(counts, roles, self._settings)

    def _counted(self, found: PassCounts, number: int, roles: ColumnRoles) -> Counted:
        """Return what was counted of the responses of a system; raise when they cannot be evaluated."""
        system = found.systems[number]
        refuse_words(system.words, getattr(self._reader, "names", ()))
        if system.screening is None:
            raise AssertionError("responses were not counted")
        if self._design(system.screening, roles).record != 0:
            raise NeedsRowsError("the first column of human scores is not the score of record")
        refuse_unusable(system.screening, roles, self._settings, self._reader.place)
        human, times = human_scores(system, None if found.studied is None else found.studied.own(number))
        return Counted(system.screening, human, times, system.shared, system.padded)

    def _preparation(self, scale: Scale) -> Preparation:
        """Return how system scores are prepared on a scale."""
        settings = self._settings
        bounds = trim_bounds(settings.preparation, scale)
        return prepared_by(
            bounds,
            trim_tolerance(settings, scale),
            *rescaling_of(settings),
            rounding_on(scale, as_rsmtool=settings.rsmeval is not None),
        )

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
