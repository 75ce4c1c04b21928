"""Count a source that does not fit in memory: find the column roles from all rows, then count the rows."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.design.readings import ColumnRoles
from reportgen.design.roles import Survey, baseline_first, ids_of
from reportgen.errors import InputError, ReportgenError
from reportgen.evaluation import TalliedScores, plan_of, refuse_other_groups
from reportgen.evaluation.counting import ScoreCounts
from reportgen.evaluation.points import Grid
from reportgen.evaluation.rater_effects import MOST_WORK
from reportgen.evaluation.tallied_scores import of_counts, prepared
from reportgen.machine.progress import Silent
from reportgen.metrics.alternative_annotators import LEAST_ANNOTATORS
from reportgen.passes.candidates import ByCandidate, NeedsRowsError, candidates_of
from reportgen.passes.counter import LABELS, Counter, Plan, Studied, SystemCounts
from reportgen.results import Scale
from reportgen.scores import Account
from reportgen.scores.accounting import Counted, account_of, on_one_scale, scale_found
from reportgen.scores.scale import trim_bounds
from reportgen.scores.screening import designed, refuse_unusable
from reportgen.scores.table import SourceFacts
from reportgen.settings import Settings
from reportgen.sources.columns import Floats
from reportgen.sources.digests import Seen
from reportgen.sources.tabular import CHANGED, Reader
from reportgen.tally import OVERALL, totals

MOST_COUNTS = 3
"""The first rows suggest the scale. If they are misleading, all rows are counted again, on the scale of all rows."""

NO_ROWS = "the file has no rows below its header; expected one row per response."


class LargeSource:
    """A source whose rows are counted in batches of at most `rows`; `notes` contains sentences about it."""

    def __init__(
        self, reader: Reader, settings: Settings, status: Silent, rows: int, notes: tuple[str, ...] = ()
    ) -> None:
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
            design = designed(system.screening, roles, settings)
            if design.record != 0:
                raise NeedsRowsError("the first column of human scores is not the score of record")
            refuse_unusable(system.screening, roles, settings, self._reader.place)
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
        "the rows that 'only' names are picked out of all": data.only,
        "labels are joined to all rows": data.labels_file is not None,
        "ratings are excluded rater by rater": data.without,
        "labels without an order are found among all rows": data.unordered and data.labels is None,
        "responses to read are picked from all rows": settings.reading.read is not None,
        "a bootstrap draws rows": settings.statistics.intervals == "bootstrap",
        BY_ROLE["item score"]: settings.impact.weight is not None,
        "which candidates have few responses is known when all rows are read, not before":
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
