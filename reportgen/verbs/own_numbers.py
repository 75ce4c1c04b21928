"""Whether the headline numbers of stored results are those of the statistics stored beside them."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.results import Evaluation
from reportgen.storing.differences import Difference

Number = tuple[float | None, float | None, float | None]
"""A value and the ends of its interval."""


def apart(evaluation: Evaluation) -> Iterator[Difference]:
    """Yield the headline numbers that none of the stored statistics of all responses is.

    What is no statistic that policies may ask for stands in the results once, and has nothing to be held against.
    """
    stored = _of_all_responses(evaluation)
    for key, estimate in evaluation.estimates.items():
        found = stored.get(key)
        if found and (estimate.value, estimate.low, estimate.high) not in found:
            there = next((value for value, _, _ in found if value is not None), None)
            yield Difference(f"estimates.{key}.value", estimate.value, there)


def _of_all_responses(evaluation: Evaluation) -> dict[str, list[Number]]:
    """Return the numbers of every statistic of all responses, of each form of the engine's score, by its key."""
    found: dict[str, list[Number]] = {}
    for groups in evaluation.statistics:
        if not groups.column:
            for each in groups.series:
                found.setdefault(each.statistic, []).append((each.value[0], each.low[0], each.high[0]))
    return found
