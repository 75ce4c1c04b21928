"""Which works stand behind the numbers of a report: those of its statistics, its intervals and its requirements."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from reportgen.errors import DISTRIBUTION
from reportgen.metrics import METRICS
from reportgen.results import Estimate, Evaluation
from reportgen.wording.bibliography import Work, named_in, works

FILE = Path(__file__).parent / "used.toml"


def works_behind(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the keys of the works behind an evaluation's numbers, in the order of the bibliography.

    Examples
    --------
    >>> from reportgen.testing import example_evaluation
    >>> [key for key in works_behind(example_evaluation()) if key.startswith(("cohen", "wilson"))]
    ['cohen_1960', 'cohen_1968', 'wilson_1927']
    """
    found = set(_of_study(evaluation))
    for statistic in {each.metric for each in _shown(evaluation)}:
        found.update(_of_statistic(statistic))
    for method in {str(each.method) for each in _shown(evaluation)}:
        found.update(_of_method(method))
    for source in {str(check.source) for check in evaluation.checks}:
        found.update(named_in(source))
    return tuple(key for key in works() if key in found)


def _shown(evaluation: Evaluation) -> Iterator[Estimate]:
    """Yield every estimate with a value, of the tables and beside them."""
    for estimate in evaluation.estimates.values():
        yield from (estimate for _ in [0] if estimate.defined)
    for table in evaluation.tables.values():
        for row in table.rows:
            yield from (cell for cell in row.cells if isinstance(cell, Estimate) and cell.defined)


@cache
def _of_statistic(key: str) -> tuple[str, ...]:
    """Return the works that a statistic is from."""
    known = named_in(METRICS[key].source) if key in METRICS else ()
    return (*known, *(work for start, found in _told("statistics").items() if key.startswith(start) for work in found))


@cache
def _of_method(method: str) -> tuple[str, ...]:
    """Return the works that an interval is from; its method may name them."""
    return (
        *named_in(method),
        *(work for words, found in _told("methods").items() if words in method for work in found),
    )


def _of_study(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the work that a study repeats."""
    return tuple(_told("studies").get(str(evaluation.facts.get("study")), ()))


@cache
def _told(part: str) -> Mapping[str, list[str]]:
    """Return a part of the file."""
    found: dict[str, dict[str, list[str]]] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return found[part]


try:
    _ABOUT = {name: metadata(DISTRIBUTION)[name] for name in ("Summary", "Version")}
except PackageNotFoundError:  # a copy of the source that is on the import path only
    _ABOUT = {"Summary": "evaluation reports for automated scoring engines", "Version": "unknown"}

SOFTWARE = Work(
    key="reportgen",
    type="software",
    authors=("The reportgen project",),
    title=f"reportgen: {_ABOUT['Summary']}",
    checked=True,
    number=f"Version {_ABOUT['Version']}",
)
