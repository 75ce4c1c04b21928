"""Two runs' scores of the responses they share: counted together where that is possible, else row by row."""

from __future__ import annotations

import numpy as np

from reportgen.comparison.clustered import PairedClusters
from reportgen.comparison.counted import PairedCounts
from reportgen.comparison.paired import Paired, PairedScores, Side
from reportgen.evaluation.statistics import sum_statistics
from reportgen.evaluation.tallied_scores import ScoreForm
from reportgen.runs import Run
from reportgen.tally import Groups
from reportgen.tally.kernel import PairedTallier
from reportgen.tally.paired import PairedTally

MOST_ENTRIES = 1 << 20
"""Occupied joint cells of all levels (120 bytes each) beyond which the rows themselves take less."""

PIECE_ROWS = 1 << 19
"""Rows that are counted before it is asked whether that still pays."""


def paired_tally(old: Run, new: Run, families: tuple[str, str], groups: Groups) -> PairedTally | None:
    """Return the scores of two families of two runs, which are of the same responses, counted together.

    Returns
    -------
    PairedTally
        None where rows have to be gone through: candidates are the units, human scores differ, or nearly every
        response has scores of its own.
    """
    if new.counted is not None:
        return new.counted.against[families[1]]
    first, second = old.rows, new.rows
    if first is None or second is None or first.candidates is not None or first.interchangeable:
        return None
    if not np.array_equal(first.human, second.human, equal_nan=True):
        return None
    one, two = (
        run.preparation.families(rows.system)[family]
        for run, rows, family in zip((old, new), (first, second), families, strict=True)
    )
    tallier = PairedTallier((old.preparation.bounds, new.preparation.bounds))
    for start in range(0, len(one), PIECE_ROWS):
        rows = slice(start, start + PIECE_ROWS)
        levels = {name: (codes[rows], labels) for name, (codes, labels) in groups.items()}
        tallier.add(first.human[rows], one[rows], two[rows], levels)
        if tallier.entries > MOST_ENTRIES:
            return None
    return tallier.tally()


def paired(old: Run, new: Run, forms: tuple[ScoreForm, ScoreForm], groups: Groups, tally: PairedTally | None) -> Paired:
    """Return two runs' scores in the given forms, on responses that they share in one order; of `tally` if there is."""
    if tally is not None:
        both = sum_statistics(old.rater_error_variance), sum_statistics(new.rater_error_variance)
        counts = PairedCounts(tally, (forms[0].form, forms[1].form), both)
        blocks = None if new.counted is None else new.counted.pairs.get(forms[1].family)
        return counts if blocks is None else PairedClusters(counts, blocks)
    candidates = old.rows.candidates if old.rows is not None else None
    scores = PairedScores(_side(old, forms[0]), _side(new, forms[1]), groups, candidates)
    return scores.drawn() if old.rows is not None and old.rows.interchangeable else scores


def _side(run: Run, form: ScoreForm) -> Side:
    """Return a run's scores in one form."""
    if run.rows is None:
        raise ValueError(f"run {run.name!r} has no rows")
    system = run.preparation.families(run.rows.system)[form.family]
    return Side(system, run.rows.human, run.preparation.bounds, form.form, sum_statistics(run.rater_error_variance))
