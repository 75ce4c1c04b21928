"""Statistics of reports, from ``catalogue.toml`` and from installed packages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from importlib.metadata import EntryPoint
from typing import Any

from reportgen.errors import SettingsError, shortened
from reportgen.metrics.pair import DESCRIBED, FAMILIES, Metric, PairStatistic, Place
from reportgen.metrics.pair import OWN as OF_PAIRS
from reportgen.metrics.tables import OWN as OF_TABLES
from reportgen.metrics.tables import TableStatistic
from reportgen.plugins import distribution_of, entry_points

__all__ = ["METRICS"]


GROUP = "reportgen.statistics"  # entry points of statistics of other packages

Computed = PairStatistic | TableStatistic


@cache
def _brought() -> Mapping[str, Computed]:
    """Load the statistics of installed packages by key; SettingsError if one is invalid."""
    found: dict[str, Computed] = {}
    for entry in sorted(entry_points(GROUP), key=lambda entry: entry.name):
        provider = distribution_of(entry) or entry.module
        statistic, problem = _loaded(entry)
        if problem:
            raise SettingsError(f"statistic '{entry.name}' of {provider} {problem}; uninstall or fix that package.")
        if statistic.key in found or statistic.key in _KNOWN:
            other = "a statistic of reportgen" if statistic.key in _KNOWN else "another one"
            raise SettingsError(f"statistic '{statistic.key}' of {provider} has the key of {other}; use a unique key.")
        found[statistic.key] = statistic
    return found


def _loaded(entry: EntryPoint) -> tuple[Any, str]:
    """Return the object of an entry point, and why it is not a valid statistic; empty if it is."""
    try:
        statistic = entry.load()
        if not isinstance(statistic, Computed):
            expected = "a reportgen.metrics.PairStatistic or TableStatistic"
            return statistic, f"is a {type(statistic).__name__}, expected {expected}"
        if not statistic.key.isidentifier():
            return statistic, f"has the key '{statistic.key}', expected a plain word"
        if not statistic.between_raters and any(place.startswith("human_human") for place in statistic.tables):
            return statistic, "is not given of two raters, and names a table of raters"
        return statistic, statistic.misnamed() or statistic.problem() if statistic.label else "has no label"
    except Exception as error:  # noqa: BLE001 - third-party code can raise anything
        return None, f"cannot be loaded ({type(error).__name__}: {shortened(str(error), 100)})"


def pair_statistics() -> dict[str, PairStatistic]:
    """Return the statistics of the sums of two scores by key, those of reportgen first.

    >>> "qwk" in pair_statistics(), "kappa" in pair_statistics()
    (True, False)
    """
    return _OF_PAIRS | {key: each for key, each in _brought().items() if isinstance(each, PairStatistic)}


def table_statistics() -> dict[str, TableStatistic]:
    """Return the statistics of the table of two scores by key, those of reportgen first."""
    return {**OF_TABLES, **{key: each for key, each in _brought().items() if isinstance(each, TableStatistic)}}


class _Catalogue(Mapping[str, Metric]):
    """All metrics by key. Metrics of installed packages are loaded on first use."""

    @cached_property
    def _every(self) -> dict[str, Metric]:
        return {**_OF_PAIRS, **_brought(), **_KNOWN}

    def __getitem__(self, key: str) -> Metric:
        return _KNOWN[key] if key in _KNOWN else self._every[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._every)

    def __len__(self) -> int:
        return len(self._every)


_OF_PAIRS = {each.key: each for each in OF_PAIRS}

_WITH_FORMULAS: Mapping[str, Metric] = {**_OF_PAIRS, **OF_TABLES}

_KNOWN: Mapping[str, Metric] = {key: _WITH_FORMULAS.get(key) or Metric(**fields) for key, fields in DESCRIBED.items()}

METRICS: Mapping[str, Metric] = _Catalogue()  # every metric of the report by key


def in_table(place: Place) -> tuple[str, ...]:
    """Return the metrics of a table, ordered by association, agreement, and differences.

    >>> found = in_table("human_human.degradation")
    >>> [key for key in found if key in ("smd", "kappa", "qwk")]
    ['qwk', 'kappa', 'smd']
    """
    found = [metric for metric in METRICS.values() if place in metric.tables]
    return tuple(metric.key for metric in sorted(found, key=_order))


def metrics_on_points() -> tuple[str, ...]:
    """Return the metrics that require scores on the points of the scale."""
    return (*in_table("system_human.agreement"), *table_statistics())


def requires_second_ratings(key: str) -> bool:
    """Return whether a statistic assumes that double-scored responses are like all others.

    >>> [requires_second_ratings(key) for key in ("true_score.prmse", "system.qwk")]
    [True, False]
    """
    return bool(FAMILIES.get(key.partition(".")[0], {}).get("requires") == "second")


def holds_across_raters(key: str) -> bool:
    """Return whether a statistic is comparable between groups of raters.

    Statistics of true scores and descriptions are. QWK, r, RMSE, SMD, and degradation of an engine depend on the
    raters.

    Source: Loukina, Madnani, Cahill, Yao, Johnson, Riordan and McCaffrey (2020), sections 4.1 and 4.2.

    >>> [holds_across_raters(key) for key in ("true_score.prmse", "system.system_mean", "system.qwk")]
    [True, True, False]
    """
    family, _, metric = key.partition(".")
    return "across_raters" in FAMILIES.get(family, ()) or (metric in METRICS and not METRICS[metric].better)


def _order(metric: Metric) -> tuple[bool, bool, bool]:
    return metric.better == "zero", "system_human.agreement" in metric.tables, metric.kind == "percent"
