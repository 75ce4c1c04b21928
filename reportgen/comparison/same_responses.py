"""Which runs are known to have the same responses with the same ratings: only these can be ranked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.runs import NumberPlace, Run
from reportgen.scores.digest import digest_of_ratings

OF_RATINGS = ("system.h_mean", "system.h_sd", "human.qwk", "human.r")
"""Numbers that rest on ratings alone: runs of one file with the same ones, and as many responses, have the same."""


def sets_of_same_responses(runs: Sequence[Run]) -> list[list[Run]]:
    """Return the runs that scored the same responses, two or more together, in the order of the runs.

    Runs belong together when they have the same response ids and ratings; without ids, the same ratings in the same
    order.  Where scores cannot be read again, a stored digest of both tells it, or the same data file, as many
    responses and the same numbers of ratings.
    """
    sets: list[tuple[set[str], list[Run]]] = []
    sizes = [run.n for run in runs]
    for run in runs:
        keys = set(_keys(run)) if sizes.count(run.n) > 1 else set()
        found = next((each for each in sets if each[0] & keys), None)
        if found is None:
            sets.append((keys, [run]))
        else:
            found[0].update(keys)
            found[1].append(run)
    return [members for _, members in sets if len(members) > 1]


def known_same(old: Run, new: Run) -> bool:
    """Return whether two runs are known to have the same responses with the same ratings, and no others."""
    return bool(sets_of_same_responses([old, new]))


def _keys(run: Run) -> Iterator[str]:
    """Yield what is the same for runs of the same responses and ratings."""
    if run.rows is not None:
        yield digest_of_ratings(run.rows.ids, run.rows.human, interchangeable=run.rows.interchangeable)
    elif run.ratings_sha256:
        yield run.ratings_sha256
    ratings = [run.estimate(NumberPlace(key)) for key in OF_RATINGS]
    if ratings[0] is not None and ratings[0].value is not None:
        told = [None if each is None or each.value is None else round(each.value, 9) for each in ratings]
        yield f"{run.source.sha256} {run.n} {told}"
