"""A source that is not held: all rows say which column plays which part, then all are counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from reportgen.design.readings import ColumnRoles
from reportgen.design.survey import Survey, ids_of
from reportgen.errors import InputError, ReportgenError
from reportgen.evaluation import Preparation, TalliedScores, plan_of, prepared_by, refuse_other_groups
from reportgen.evaluation.counting import ScoreCounts
from reportgen.evaluation.points import grid_of, rounding_on
from reportgen.evaluation.tallied_scores import of_counts
from reportgen.machine.progress import Silent
from reportgen.passes.candidates import ByCandidate
from reportgen.passes.clusters import candidates_of
from reportgen.passes.counter import LABELS, Counter, Plan, SystemCounts
from reportgen.passes.limits import NeedsRowsError, refuse_rows_late
from reportgen.passes.studying import Studied
from reportgen.results import Scale
from reportgen.scores import Account
from reportgen.scores.accounting import Counted, Told, account_of, on_one_scale, rescaling_of, scale_found
from reportgen.scores.reading import designed
from reportgen.scores.repeats import refuse_repeated_id
from reportgen.scores.scale import trim_bounds, trim_tolerance
from reportgen.scores.screening import refuse_unusable
from reportgen.scores.systems import baseline_first
from reportgen.scores.writing import refuse_words
from reportgen.settings import Settings
from reportgen.sources.columns import Floats
from reportgen.sources.parted_rows import CHANGED
from reportgen.sources.tabular import Reader
from reportgen.sources.uniqueness import Seen
from reportgen.tally import OVERALL
from reportgen.tally.cells import totals

MOST_COUNTS = 3
"""The first rows suggest the scale; where they mislead, all are counted again, on the scale that all rows have."""

NO_ROWS = "the file has no rows below its header; expected one row per response."

Progress = Callable[[int, int], None]
"""Is told how many rows are read, and of about how many."""


class LargeSource:
    """A source whose rows are counted batch by batch.

    Parameters
    ----------
    reader, settings
        The source, and what is declared about it.
    progress
        Is told how far it is.
    rows
        Rows of a batch, at most.
    told
        Sentences about the source.
    """

    def __init__(
        self, reader: Reader, settings: Settings, progress: Progress, rows: int, told: tuple[str, ...] = ()
    ) -> None:
        self._reader, self._settings, self._progress, self._told = reader, settings, progress, told
        if not reader.head.num_rows:
            raise InputError(NO_ROWS)
        survey = Survey(reader, settings.data, parted=False, reasons=True, status=_Heard(progress))
        self._columns, self._roles = survey.columns, survey.cast
        baseline_first(self._roles, settings.data)
        data, roles = settings.data, self._roles
        systems = roles.columns("system") if data.system is None else (data.system,)
        if not systems:
            raise NeedsRowsError("the file holds ratings and no engine's score")
        if len(systems) > 1 and roles.columns("candidate"):
            raise NeedsRowsError("several engines are compared candidate by candidate")
        casts = tuple(roles.of_system(name) for name in systems)
        for each in casts:
            refuse_rows_late(each, reader.rows)
        survey.look_at(name for part in (*LABELS, "candidate", "id") for name in roles.columns(part))
        ids = tuple(name for name in roles.columns("id") if not survey.is_unique(name))
        self._plan = Plan(settings, casts, survey.whole, (), ids, rows)
        self._responses = ByCandidate()

    def counted(self) -> tuple[list[Account], Studied]:
        """Return the account of every system's scores, and what is counted of them."""
        head = self._reader.head.select(self._columns)
        scales = [_guessed_scale(head, replace(self._plan, casts=(cast,), ids=())) for cast in self._plan.casts]
        for _ in range(MOST_COUNTS):
            counter = self._count([scale for scale in scales if scale is not None])
            self._plan, studied = replace(self._plan, ids=()), counter.studied()
            accounts = self._accounts(counter, studied)
            if studied is not None and scales == [account.scale for account in accounts]:
                return accounts, studied
            scales = [account.scale for account in accounts]
        raise InputError(CHANGED)

    def _count(self, scales: Sequence[Scale]) -> Counter:
        """Return what is counted of all rows; without a scale for every system, of their human scores alone."""
        known = len(scales) == len(self._plan.casts)
        prepared = tuple((scale, self._preparation(scale)) for scale in scales) if known else ()
        self.close()
        seen = Seen()
        counter = Counter(replace(self._plan, prepared=prepared), seen, self._responses)
        self._progress(0, self._reader.rows)
        for file, table in self._reader.batches(*counter.plan.wanted()):
            counter.add(table, file)
            self._progress(counter.n, max(self._reader.rows, counter.n))
        if counter.n == 0:
            raise InputError(NO_ROWS)
        self._progress(counter.n, counter.n)
        for column in self._plan.ids:
            self._refuse_repeats(column, seen)
        return counter

    def _refuse_repeats(self, column: str, seen: Seen) -> None:
        """Raise when an id stands in two rows; the id itself is said only when it may be named."""
        again = partial(ids_of, self._reader, column, self._plan.whole.get(column, True))
        for found in seen.repeats(column, again).values():
            text = found.text if self._settings.privacy.show_response_ids else None
            refuse_repeated_id(column, found.n, text, [self._reader.place(row) for row in found.rows])

    def _accounts(self, counter: Counter, studied: Studied | None) -> list[Account]:
        """Return how the scores of every system were prepared; raise when some cannot be evaluated."""
        told, source = Told(self._roles.columns("system"), self._told), self._reader.source(counter.n)
        settings, accounts = self._settings, []
        found = [self._counted(counter.systems[number], number, studied) for number in range(len(counter.systems))]
        for counted, cast in zip(found, self._plan.casts, strict=True):
            design = designed(counted.screening, cast, settings)
            own = replace(told, design=design)
            accounts.append(account_of(counted, cast, source, self._reader.place, settings, own))
        return list(on_one_scale(accounts, settings))

    def _counted(self, system: SystemCounts, number: int, studied: Studied | None) -> Counted:
        """Return what was counted of the responses of a system; raise when they cannot be evaluated."""
        cast = self._plan.casts[number]
        refuse_words(system.words, self._reader.names)
        if system.screening is None:
            raise AssertionError("no row was read")
        if designed(system.screening, cast, self._settings).record != 0:
            raise NeedsRowsError("the first column of human scores is not the score of record")
        refuse_unusable(system.screening, cast, self._settings, self._reader.place)
        human, times = _human_scores(system, None if studied is None else studied.own(number))
        return Counted(system.screening, human, times, system.shared, system.padded)

    def _preparation(self, scale: Scale) -> Preparation:
        """Return how system scores are prepared on a scale."""
        settings = self._settings
        return prepared_by(
            trim_bounds(settings.preparation, scale),
            trim_tolerance(settings, scale),
            *rescaling_of(settings),
            rounding_on(scale, as_rsmtool=settings.rsmeval is not None),
        )

    def tallied(self, counts: ScoreCounts, account: Account) -> TalliedScores:
        """Return what was counted of a system.

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
        preparation = self._preparation(account.scale)
        tallied = of_counts(counts, plan_of(account, settings, preparation))
        if not account.columns("candidate"):
            return tallied
        grid = grid_of(account.scale, preparation.trim, preparation.bounds)
        candidates = candidates_of(self._responses, counts, tallied.tallies, preparation, grid)
        return replace(tallied, candidates=candidates, rows=candidates.rows if candidates.clustered else {})

    def close(self) -> None:
        """Let go of the responses with their candidates."""
        self._responses.close()
        self._responses = ByCandidate()


class _Heard(Silent):
    """Hands on how many rows are read."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def rows(self, done: int, total: int) -> None:
        """Hand it on."""
        self._progress(done, total)


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


def _guessed_scale(head: Any, plan: Plan) -> Scale | None:
    """Return the scale that the first rows suggest; None when they do not."""
    if plan.settings.data.scale is None and not head.num_rows:
        return None
    try:
        counter = Counter(plan, Seen(), ByCandidate())
        counter.add(head, 0)
        (system,), (cast,) = counter.systems, plan.casts
        human, times = _human_scores(system)
        if system.screening is None or not human.size:
            return None
        found = scale_found(plan.settings, system.screening, cast, human, times)
        trim_bounds(plan.settings.preparation, found)
    except (ReportgenError, NeedsRowsError):
        return None
    return found
