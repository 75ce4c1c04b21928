"""The passes over one source: the first rows suggest what to count by, all rows settle it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from reportgen.errors import InputError, ReportgenError, SettingsError
from reportgen.evaluation import Preparation, Study, prepared_by, refuse_other_groups
from reportgen.evaluation.counting import StudyCounts
from reportgen.evaluation.points import grid_of
from reportgen.evaluation.study import study_of_counts
from reportgen.passes.candidates import ByCandidate
from reportgen.passes.clusters import candidates_of
from reportgen.passes.counts import Counter, Counts
from reportgen.passes.limits import refuse_rows_late
from reportgen.passes.plan import Counting, NeedsRowsError, Plan
from reportgen.passes.repeats import refuse_repeats, repeats
from reportgen.passes.running import Hands, Progress, run
from reportgen.results import Scale
from reportgen.scores import Account
from reportgen.scores.accounting import Counted, Told, account_of, rescaling_of
from reportgen.scores.batches import Batched, Piece
from reportgen.scores.cast import Cast
from reportgen.scores.columns import is_whole
from reportgen.scores.contents import Contents
from reportgen.scores.roles import assign_roles, named_roles, shortlist
from reportgen.scores.scale import score_scale, trim_bounds
from reportgen.scores.screening import refuse_unusable
from reportgen.scores.survey import UNIQUE, Facts, Surveyed
from reportgen.scores.systems import baseline_first
from reportgen.scores.table import Floats
from reportgen.scores.uniqueness import Seen
from reportgen.scores.words import refuse_words
from reportgen.settings import Settings
from reportgen.tally import OVERALL
from reportgen.tally.cells import totals

MOST_PASSES = 6
"""Every pass settles something: columns, parts, the scale."""


@dataclass
class _Known:
    """What is known of all rows of the source so far."""

    n: int | None = None
    facts: dict[str, Facts] = field(default_factory=dict)
    asked: dict[str, frozenset[str]] = field(default_factory=dict)
    whole: dict[str, bool] = field(default_factory=dict)
    unique: dict[str, bool] = field(default_factory=dict)
    checked: set[str] = field(default_factory=set)
    """Columns of ids that were checked for repeats, and refused if there were any."""


class Passes:
    """The passes over one source."""

    def __init__(self, reader: Batched, settings: Settings, hands: Hands, progress: Progress, rows: int) -> None:
        self._reader, self._settings, self._hands, self._progress, self._rows = reader, settings, hands, progress, rows
        self._named = named_roles(reader.head.schema.names, settings.data)
        heads = {name: Contents(reader.head[name], name) for name in reader.head.schema.names}
        self._columns = shortlist(heads, self._named)
        self._head = reader.head.select(self._columns)
        self._pieces: Sequence[Piece] = reader.pieces(self._columns)
        self._known = _Known()
        self._spilled = ByCandidate()

    def all(self) -> tuple[Account, StudyCounts]:
        """Return the account of the scores and what is counted, when nothing is left to be found out."""
        scale: Scale | None = None
        for _ in range(MOST_PASSES):
            plan, cast = self._plan(scale)
            found = self._pass(plan)
            if cast is None or plan.counting is None:
                continue
            agreed, own = self._cast(set())
            if not self._settled(plan) or _parts(own) != _parts(plan.counting.cast):
                continue
            counted = self._counted(found, own)
            account = account_of(
                counted, own, self._reader.source(found.n), self._reader.place, self._settings,
                Told(agreed.columns("system")),
            )  # fmt: skip
            if found.study is not None and account.scale == plan.counting.scale:
                return account, found.study
            scale = account.scale
        raise InputError("the file changes while it is read; try again when nothing writes to it.")

    def _plan(self, scale: Scale | None) -> tuple[Plan, Cast | None]:
        """Return the next pass, and the parts it counts by; None when the first rows do not tell them."""
        asked: set[tuple[str, str]] = set()
        cast: Cast | None = None
        try:
            _, cast = self._cast(asked)
        except SettingsError:
            if self._all_known(asked):
                raise
        else:
            refuse_rows_late(cast, sum(piece.rows for piece in self._pieces))
        wanted: dict[str, set[str]] = {}
        for name, what in asked:
            if what not in self._known.asked.get(name, frozenset()):
                wanted.setdefault(name, set()).add(what)
        whole = {name: self._whole(name) for name in self._columns}
        plan = Plan(self._settings, {name: frozenset(what) for name, what in wanted.items()}, whole, rows=self._rows)
        if cast is None:
            return plan, None
        scale = scale or self._guessed_scale(replace(plan, counting=Counting(cast), asked={}))
        counting = Counting(cast, scale, None if scale is None else self._preparation(scale))
        return replace(plan, counting=counting, checked=frozenset(self._known.checked)), cast

    def _cast(self, asked: set[tuple[str, str]]) -> tuple[Cast, Cast]:
        """Return the part of every column, and those when the one system is evaluated; notes what had to be asked."""
        known, settings = self._known, self._settings
        columns = {
            name: Surveyed(
                self._head[name],
                name,
                known.facts.get(name),
                known.asked.get(name, frozenset()),
                known.unique.get(name),
            )
            for name in self._columns
        }
        try:
            cast = assign_roles(columns, settings.data, self._named.copy())
        finally:
            asked |= {(name, what) for name, column in columns.items() for what in column.asked}
        baseline_first(cast, settings.data)
        systems = cast.columns("system")
        if settings.data.system is None and len(systems) > 1:
            raise NeedsRowsError("several systems are compared on the responses that all of them scored")
        return cast, cast.of_system(settings.data.system or systems[0])

    def _all_known(self, asked: set[tuple[str, str]]) -> bool:
        """Return whether everything that was asked is known of all rows."""
        return all(what in self._known.asked.get(name, frozenset()) for name, what in asked)

    def _settled(self, plan: Plan) -> bool:
        """Return whether parts rest on all rows, and texts were taken as all rows say."""
        asked: set[tuple[str, str]] = set()
        self._cast(asked)
        right = all(self._known.whole.get(name, plan.whole[name]) == plan.whole[name] for name in plan.labels)
        return right and self._all_known(asked)

    def _whole(self, name: str) -> bool:
        """Return whether a column of floats has texts without a point, as far as that is known."""
        return self._known.whole.get(name, is_whole(self._head[name]) if _is_float(self._head[name]) else True)

    def _pass(self, plan: Plan) -> Counts:
        """Return what a pass finds, and take note of what it says of the columns."""
        known = self._known
        with Seen() as seen, ByCandidate() as spilled:
            found = run(self._pieces, plan, self._hands, seen, self._progress, spilled)
            self._spilled.close()
            self._spilled = spilled
            if found.n == 0:
                raise InputError("the file has no rows below its header; expected one row per response.")
            known.n = found.n
            self._reader.counted(found.rows)
            known.whole |= found.whole
            right = {name for name in plan.labels if found.whole.get(name, plan.whole[name]) == plan.whole[name]}
            for name in right.intersection(plan.asked):
                known.facts[name] = _joined(known.facts.get(name), found.facts[name], plan.asked[name])
                known.asked[name] = known.asked.get(name, frozenset()) | plan.asked[name]
            for name in sorted(right):
                if UNIQUE in plan.asked.get(name, frozenset()):
                    known.unique[name] = not repeats(self._pieces, name, seen, plan.whole).n
            self._refuse_repeats(plan, right, seen)
        return found

    def _refuse_repeats(self, plan: Plan, right: set[str], seen: Seen) -> None:
        """Raise when an id stands in two rows, once it is sure which column holds the ids."""
        if plan.counting is None or not self._settled(plan):
            return
        _, cast = self._cast(set())
        for name in cast.columns("id"):
            if name in right.intersection(plan.ids):
                found = repeats(self._pieces, name, seen, plan.whole)
                refuse_repeats(found, name, self._reader, named=self._settings.privacy.show_response_ids)
                self._known.checked.add(name)

    def _counted(self, found: Counts, cast: Cast) -> Counted:
        """Return what was counted of the responses; raise when they cannot be evaluated."""
        if found.screening is None:
            raise AssertionError("responses were not counted")
        refuse_words(found.words, getattr(self._reader, "names", ()))
        refuse_unusable(found.screening, cast, self._settings, self._reader.place)
        human, times = _human_scores(found)
        return Counted(found.screening, human, times, found.shared, found.padded)

    def _guessed_scale(self, plan: Plan) -> Scale | None:
        """Return the scale that the first rows suggest; None when they do not."""
        if self._settings.data.scale is None and not self._head.num_rows:
            return None
        counter = Counter(plan)
        try:
            counter.add(self._head, 0)
            human, times = _human_scores(counter.counts())
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

    def study(self, counts: StudyCounts, account: Account) -> Study:
        """Return the study of what was counted.

        Raises
        ------
        SettingsError
            A least number of responses is given for a column that is no group column.
        NeedsRowsError
            Three raters or more, and not so many responses that they are not compared one by one.
        """
        settings = self._settings
        refuse_other_groups(settings, counts.groups)
        refuse_rows_late(Cast(), account.kept, len(account.raters))
        statistics, preparation = settings.statistics, self._preparation(account.scale)
        study = study_of_counts(
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
            return study
        grid = grid_of(account.scale, preparation.trim, preparation.bounds)
        candidates = candidates_of(self._spilled, counts, study.tallies, preparation, grid)
        return replace(study, candidates=candidates, rows=candidates.rows if candidates.clustered else {})


def _human_scores(found: Counts) -> tuple[Floats, Floats]:
    """Return the distinct human scores that count, and how often each was given."""
    if found.study is None:
        seen = sorted(found.human)
        return np.array(seen), np.array([found.human[value] for value in seen], np.float64)
    tally = next(iter(found.study.tallies.values()))
    overall = tally.slices[OVERALL]
    ratings = tally.cells.ratings[overall.cell]
    given = np.isfinite(ratings)
    values, place = np.unique(ratings[given], return_inverse=True)
    times = np.broadcast_to(overall.sums[0][:, None], ratings.shape)[given]
    return values, totals(place, times, len(values))


def _joined(ours: Facts | None, theirs: Facts, asked: frozenset[str]) -> Facts:
    """Return facts of the same rows that were asked at different times."""
    if ours is None:
        return theirs
    kinds = {
        "numbers": ("blank", "numbers", "fractions", "distinct"), "texts": ("texts",), "unique": ("letters", "written"),
    }  # fmt: skip
    names = [name for what in asked for name in kinds[what]]
    return replace(ours, **{name: getattr(theirs, name) for name in names})


def _parts(cast: Cast) -> dict[str, tuple[str, ...]]:
    """Return the columns of every part that is played."""
    return {role: cast.columns(role) for role in cast.parts if cast.columns(role)}


def _is_float(column: Any) -> bool:
    return bool(pa.types.is_floating(column.type))
