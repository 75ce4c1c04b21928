"""How a study's work is spread and told: any executor, and somebody who listens to progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

Progress = Callable[[str, int, int], None]
"""(what is done, parts finished, parts in all); called from the thread that runs the study."""


def unheard(what: str, finished: int, total: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Work:
    """Carries out independent parts, in this thread or by an executor.

    Parameters
    ----------
    executor
        Any `concurrent.futures.Executor`; None does the parts one after the other.  The results do not
        depend on it: every part must carry its own seed.
    progress
        Hears of every finished part.

    Examples
    --------
    >>> Work().map("squares", abs, [-3, 4])
    [3, 4]
    """

    executor: Executor | None = None
    progress: Progress = unheard

    def map(self, what: str, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Return the function of every item, in order."""
        parts = list(items)
        self.progress(what, 0, len(parts))
        results: list[Result] = []
        for result in self._each(function, parts):
            results.append(result)
            self.progress(what, len(results), len(parts))
        return results

    def _each(self, function: Callable[[Item], Result], parts: list[Item]) -> Iterator[Result]:
        """Return the results one by one, in order."""
        return self.executor.map(function, parts) if self.executor is not None else map(function, parts)
