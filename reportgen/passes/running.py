"""One pass over a source: its pieces are shared out, counted, and brought together in their order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa

from reportgen.errors import InputError, ReportgenError
from reportgen.machine.worker_processes import each
from reportgen.passes.candidates import ByCandidate
from reportgen.passes.counter import Counter
from reportgen.passes.counts import PassCounts, Studied, studied_together
from reportgen.passes.plan import NeedsRowsError, PassPlan
from reportgen.scores.many_levels import refuse_many_levels
from reportgen.sources.batches import PIECE_ROWS, Piece
from reportgen.sources.uniqueness import Seen

SHARE_ROWS = PIECE_ROWS
"""Rows that are counted at a time; what is found in them waits in memory until it is brought together."""


RELEASED_AFTER = 8
"""Batches after which a process gives back the memory that reading has left; together processes would hold too much."""

WAITING = 2
"""Counted shares of one system that wait to be merged; of several, fewer."""

WAITING_RESPONSES = 1 << 17
"""Responses with their candidates that wait to be written."""

Progress = Callable[[int, int], None]
"""Is told how many rows are read, and of about how many."""

Share = tuple[int, Sequence[Piece], PassPlan]
"""The place of a share, its pieces, and what is to be counted."""


def run(
    pieces: Sequence[Piece],
    plan: PassPlan,
    executor: Executor | None,
    seen: Seen,
    progress: Progress,
    spilled: ByCandidate,
) -> PassCounts:
    """Return what a pass finds; fingerprints go to `seen`, responses with their candidates to `spilled`.

    An executor counts where one is given, else this process does.

    Raises
    ------
    InputError
        A piece cannot be read, or a process ended.
    NeedsRowsError
        There is too much to count in bounded memory.
    """
    plan, most = replace(plan, key=seen.key), max(1, WAITING // max(1, len(plan.counting)))
    found, parts, total = PassCounts(), list[Studied](), sum(piece.rows for piece in pieces)
    memory = pa.default_memory_pool()
    progress(0, total)
    with closing(_counted(pieces, plan, executor, progress)) as counted:
        for counts in _in_order(counted):
            for name, prints in counts.fingerprints.items():
                for part in prints:
                    seen.add(name, part)
            for responses in counts.responses:
                spilled.add(responses)
            counts.fingerprints, counts.responses = {}, []
            found.add(counts)
            parts += [counts.studied] if counts.studied is not None else []
            if len(parts) > most:
                parts = [studied_together(parts)]
            if executor is not None:  # what processes send leaves as much again behind
                del counts
                memory.release_unused()
    progress(found.n, max(total, found.n))
    found.studied = studied_together(parts) if any(part.any_response for part in parts) else None
    if found.studied is not None:
        _refuse_many_levels(found.studied, plan)
    return found


def _refuse_many_levels(studied: Studied, plan: PassPlan) -> None:
    """Raise when a group column of some system has too many levels in all parts together."""
    for counts in (*studied.by_all, *studied.others):
        if counts.tallies:
            slices = counts.tallies[counts.primary].slices
            named = plan.counting[0].cast.columns("group")
            levels = {name: len(slices[name].labels) for name in named if name in slices}
            refuse_many_levels(levels, plan.settings.statistics.max_levels)


def shares(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return pieces in their order, those that are counted at a time together."""
    found: list[list[Piece]] = []
    rows = SHARE_ROWS
    for piece in pieces:
        if rows >= SHARE_ROWS:
            found.append([])
            rows = 0
        found[-1].append(piece)
        rows += max(piece.rows, 1)
    return found


def _counted(
    pieces: Sequence[Piece], plan: PassPlan, executor: Executor | None, progress: Progress
) -> Generator[tuple[int, PassCounts], None, None]:
    """Yield the place of each share and what is found in it, as they come."""
    parted = shares(pieces)
    total, done = sum(piece.rows for piece in pieces), 0
    if executor is not None:
        for number, counts in each(_count_share, _items(parted, plan), _lost, executor=executor):
            done += counts.n
            progress(done, max(total, done))
            yield number, counts
        return
    counter, place = Counter(plan), itertools.count()
    for share in parted:
        for table, file in _tables(share, plan):
            counter.add(table, file)
            done += table.num_rows
            progress(done, max(total, done))
            if counter.waiting >= WAITING_RESPONSES:
                yield next(place), counter.counts(last=False)
        yield next(place), counter.counts(last=share is parted[-1])


def _items(parted: Sequence[Sequence[Piece]], plan: PassPlan) -> list[Callable[[], Share]]:
    """Return what is sent to a process for each share."""
    return [partial(_item, number, share, plan) for number, share in enumerate(parted)]


def _item(number: int, share: Sequence[Piece], plan: PassPlan) -> Share:
    return number, share, plan


def _count_share(item: Share) -> tuple[int, PassCounts]:
    """Return the place of a share, and what is found in it; in any process."""
    number, share, plan = item
    counter, memory = Counter(plan), pa.default_memory_pool()
    for batch, (table, file) in enumerate(_tables(share, plan), start=1):
        counter.add(table, file)
        if batch % RELEASED_AFTER == 0:
            memory.release_unused()
    counts = counter.counts()
    del counter
    memory.release_unused()
    return number, counts


def _tables(share: Sequence[Piece], plan: PassPlan) -> Iterator[tuple[Any, int]]:
    """Yield the batches of pieces, and the number of their file."""
    for piece in share:
        for table in piece.batches(plan.wanted()):
            yield table, piece.file


def _lost(_: int, error: BaseException) -> tuple[int, PassCounts]:
    """Raise what a process raised, or that it ended."""
    if isinstance(error, ReportgenError | NeedsRowsError):
        raise error
    raise InputError(f"a process that counted rows ended ({type(error).__name__}); try again, or without an executor.")


def _in_order(results: Iterator[tuple[int, PassCounts]]) -> Iterator[PassCounts]:
    """Yield results in the order of their places."""
    waiting: dict[int, PassCounts] = {}
    following = 0
    for number, counts in results:
        waiting[number] = counts
        while following in waiting:
            yield waiting.pop(following)
            following += 1
