"""A progress bar in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text


@contextmanager
def bar() -> Iterator[object]:
    """Yield a function that shows (what is done, parts finished, parts in all)."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as shown:
        tasks: dict[str, object] = {}

        def progress(what: str, finished: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = shown.add_task(what, total=total)
            shown.update(tasks[what], completed=finished, total=total)  # type: ignore[arg-type]

        yield progress


class _Rate(ProgressColumn):
    """How many rows are read in a second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f} rows/s" if task.speed else "")


@contextmanager
def rows_bar() -> Iterator[Callable[[int, int], None]]:
    """Yield a function that shows how many rows are read, of about how many, how fast, and for how long still."""
    counted = TextColumn("{task.completed:,.0f} of about {task.total:,.0f} rows")
    columns: tuple[Any, ...] = (BarColumn(), counted, _Rate(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("rows", total=1)
        yield lambda done, total: shown.update(task, completed=done, total=total)
