"""Where scores go: distributions and confusion matrices side by side, and which responses change score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.comparison.changes import Pair
from reportgen.evaluation.points import names_of
from reportgen.results import Cell, Column, Row, Scale, Table
from reportgen.results.term import Term
from reportgen.runs.model import Confusion, Run
from reportgen.tally import OVERALL, ROUNDED
from reportgen.tally.cells import DIGITS, formed_scores
from reportgen.tally.sums import Floats

MOVEMENTS = (
    "moves.same", "moves.up_one", "moves.up_more", "moves.down_one", "moves.down_more",
    "moves.nearer", "moves.farther", "moves.as_far",
)  # fmt: skip
"""Where a rounded score can go; the last three tell the changes apart once more."""

LABEL_MOVEMENTS = ("moves.same_label", "moves.other_label", "moves.now_right", "moves.no_longer_right", "moves.neither")
"""The same of labels without an order: equal to the old label, or another one; equal to the rater's, or not."""

Counts = NDArray[np.int64]


def movement_tables(pairs: Sequence[Pair]) -> list[Table]:
    """Return distributions, confusion matrices and their changes, and the movement of scores."""
    tables = []
    first = pairs[0].old
    if any(pair.first_ratings_same for pair in pairs) and (found := first.confusion()) is not None:
        tables.append(_counts("comparison.confusion.1", _confusion_caption(first), Term("rater"), found, first.scale))
    for number, pair in enumerate(pairs, start=2):
        old, new = (run.confusion() if pair.first_ratings_same else None for run in (pair.old, pair.new))
        if new is not None:
            key = f"comparison.confusion.{number}"
            tables.append(_counts(key, _confusion_caption(pair.new), Term("rater"), new, first.scale))
        if old is not None and new is not None:
            old, new = on_same_points(old, new)
            change = Confusion(old.points, new.counts - old.counts)
            caption = Term("change_of_confusion", new=pair.new.name, old=pair.old.name)
            tables += [
                _counts(f"comparison.confusion.change.{number}", caption, Term("rater"), change, first.scale),
                _distribution(f"comparison.distribution.{number}", pair, old, new),
            ]
        moved = movement(pair)
        if moved is not None:
            caption = Term("movement_of", old=pair.old.name, new=pair.new.name)
            rows_are = Term("name_of_run", run=pair.old.name)
            tables.append(_counts(f"comparison.movement.{number}", caption, rows_are, moved, first.scale))
    summary = _movement_summary(pairs)
    return [*tables, summary] if summary.rows else tables


def on_same_points(old: Confusion, new: Confusion) -> tuple[Confusion, Confusion]:
    """Return two confusion matrices over the score points of both; a point that one lacks counts nobody there."""
    points = tuple(sorted({*old.points, *new.points}))
    return _spread(old, points), _spread(new, points)


def _spread(matrix: Confusion, points: tuple[float, ...]) -> Confusion:
    place = [points.index(each) for each in matrix.points]
    counts = np.zeros((len(points), len(points)), np.int64)
    counts[np.ix_(place, place)] = matrix.counts
    return Confusion(points, counts)


class ScoreMoves(NamedTuple):
    """Scores of the same responses, trimmed and rounded half to even.

    old, new (entries,): primary scores of either run.
    human (entries,): first human scores.
    n (entries,): how many responses each is.
    """

    old: Floats
    new: Floats
    human: Floats
    n: Floats


def moves_of(pair: Pair) -> ScoreMoves | None:
    """Return the rounded scores of two runs; None unless they share responses."""
    if not pair.sharing.paired or pair.old.tallied is None or pair.new.tallied is None:
        return None
    tally = pair.tally((pair.old.tallied.primary.family, pair.new.tallied.primary.family))
    if tally is not None:
        used, n = tally.slices[OVERALL].cell, tally.slices[OVERALL].sums[0]
        old, new = (formed_scores(tally.side(number), ROUNDED).alpha[used] for number in (0, 1))
        return ScoreMoves(old, new, tally.first.ratings[used, 0], n)
    if pair.old.rows is None:
        return None
    old, new = rounded_rows(pair.old), rounded_rows(pair.new)
    return ScoreMoves(old, new, pair.old.rows.reference, np.ones(len(old)))


def rounded_rows(run: Run) -> Floats:
    """Return the primary score of every response, trimmed and rounded."""
    if run.rows is None or run.tallied is None:
        raise ValueError(f"run {run.name!r} has no rows")
    system = run.preparation.families(run.rows.system)[run.tallied.primary.family]
    return run.preparation.rounding.nearest(np.clip(system, *run.preparation.bounds))


def movement(pair: Pair) -> Confusion | None:
    """Return how many responses go from which score to which; None unless the runs share responses."""
    moves = moves_of(pair)
    if moves is None:
        return None
    known = pair.old.tallied.whole_points() if pair.old.tallied else ()
    points = np.unique(np.concatenate([moves.old, moves.new, np.asarray(known, np.float64)]))
    place = np.searchsorted(points, moves.old) * len(points) + np.searchsorted(points, moves.new)
    counts = np.bincount(place, moves.n, len(points) ** 2).reshape(len(points), len(points))
    return Confusion(tuple(float(each) for each in points), counts.astype(np.int64))


def _movement_summary(pairs: Sequence[Pair]) -> Table:
    """Return how many responses change score, in which direction, and whether towards the human score."""
    rows = []
    for pair in pairs:
        moves = moves_of(pair)
        if moves is None:
            continue
        total, unit = moves.n.sum(), pair.old.scale.step or 1.0
        step = np.round((moves.new - moves.old) / unit, DIGITS)
        old, new = (np.round(np.abs(each - moves.human) / unit, DIGITS) for each in (moves.old, moves.new))
        names: tuple[str, ...]
        if pair.old.scale.ordered:
            up, down = (step > 0) & (step <= 1), (step < 0) & (step >= -1)
            names, found = MOVEMENTS, [step == 0, up, step > 1, down, step < -1]
        else:
            names, found, old, new = LABEL_MOVEMENTS, [step == 0, step != 0], np.sign(old), np.sign(new)
        found += [new < old, new > old, (new == old) & (step != 0)] if pair.first_ratings_same else []
        for label, which in zip(names, found, strict=False):
            rows.append(
                Row((Term(label), pair.new.name, int(moves.n[which].sum()), float(100 * moves.n[which].sum() / total)))
            )
    columns = (
        Column("movement"),
        Column("system", shown=len(pairs) > 1),
        Column("n", kind="count"),
        Column("percent", kind="percent", unit="%"),
    )
    return Table("comparison.movement", "", columns, tuple(rows), max_rows=1000)


def _confusion_caption(run: Run) -> Term:
    return Term("confusion_of", run=run.name)


def _counts(key: str, caption: Term, rows_are: Term, matrix: Confusion, scale: Scale) -> Table:
    labels = names_of(scale, np.asarray(matrix.points))
    rows = [
        Row((label, *(int(cell) for cell in line), int(line.sum())))
        for label, line in zip(labels, matrix.counts, strict=True)
    ]
    columns = (Column("row", rows_are), *(Column(label, label, "count") for label in labels))
    return Table(key, caption, (*columns, Column("total", kind="count")), tuple(rows), max_rows=1000)


def _distribution(key: str, pair: Pair, old: Confusion, new: Confusion) -> Table:
    human = _percent(old.counts.sum(axis=1))
    before, after = _percent(old.counts.sum(axis=0)), _percent(new.counts.sum(axis=0))
    rows = []
    for index, name in enumerate(names_of(pair.old.scale, np.asarray(old.points))):
        cells: tuple[Cell, ...] = (human[index], before[index], after[index], after[index] - before[index])
        rows.append(Row((name, *cells)))
    columns = (
        Column("score"),
        Column("human", Term("rater"), "percent", "%"),
        Column("old", Term("name_of_run", run=pair.old.name), "percent", "%"),
        Column("new", Term("name_of_run", run=pair.new.name), "percent", "%"),
        Column("change", kind="percent", unit=Term("unit.percentage_points")),
    )
    caption = Term("distribution_of", old=pair.old.name, new=pair.new.name)
    return Table(key, caption, columns, tuple(rows), max_rows=1000)


def _percent(counts: Counts) -> list[float]:
    total = max(int(counts.sum()), 1)
    return [float(100 * count / total) for count in counts]
