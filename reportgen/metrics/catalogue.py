"""The metrics a report prints: those of ``catalogue.toml``, and those of installed packages."""

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
    """Return the statistics of installed packages by key; SettingsError for one that is not as it must be."""
    found: dict[str, Computed] = {}
    for entry in sorted(entry_points(GROUP), key=lambda entry: entry.name):
        provider = distribution_of(entry) or entry.module
        statistic, problem = _loaded(entry)
        if problem:
            raise SettingsError(f"statistic '{entry.name}' of {provider} {problem}; uninstall or fix that package.")
        if statistic.key in found or statistic.key in _KNOWN:
            other = "a statistic of reportgen" if statistic.key in _KNOWN else "another one"
            raise SettingsError(f"statistic '{statistic.key}' of {provider} has the key of {other}; expected its own.")
        found[statistic.key] = statistic
    return found


def _loaded(entry: EntryPoint) -> tuple[Any, str]:
    """Return what an entry point names, and why it is no statistic that can be computed everywhere; empty if it is."""
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
    except Exception as error:  # noqa: BLE001 - a statistic is anyone's code; its failure is told
        return None, f"cannot be loaded ({type(error).__name__}: {shortened(str(error), 100)})"


def pair_statistics() -> dict[str, PairStatistic]:
    """Return every statistic of the sums of two scores by key: those of reportgen, then those of installed packages.

    Examples
    --------
    >>> "qwk" in pair_statistics(), "kappa" in pair_statistics()
    (True, False)
    """
    return _OF_PAIRS | {key: each for key, each in _brought().items() if isinstance(each, PairStatistic)}


def table_statistics() -> dict[str, TableStatistic]:
    """Return every statistic of the table of two scores by key, likewise."""
    return {**OF_TABLES, **{key: each for key, each in _brought().items() if isinstance(each, TableStatistic)}}


class _Catalogue(Mapping[str, Metric]):
    """Every metric by key; those of installed packages are looked for when they are asked for."""

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
    """Return the metrics of a table: association, then agreement on points, then differences of means.

    Examples
    --------
    >>> found = in_table("human_human.degradation")
    >>> [key for key in found if key in ("smd", "kappa", "qwk")]
    ['qwk', 'kappa', 'smd']
    """
    found = [metric for metric in METRICS.values() if place in metric.tables]
    return tuple(metric.key for metric in sorted(found, key=_order))


def metrics_on_points() -> tuple[str, ...]:
    """Return the metrics that have a meaning for scores on the scale's points only."""
    return (*in_table("system_human.agreement"), *table_statistics())


def requires_second_ratings(key: str) -> bool:
    """Return whether a statistic describes all responses only if second ratings fell on responses like the others.

    Examples
    --------
    >>> [requires_second_ratings(key) for key in ("true_score.prmse", "system.qwk")]
    [True, False]
    """
    return bool(FAMILIES.get(key.partition(".")[0], {}).get("requires") == "second")


def holds_across_raters(key: str) -> bool:
    """Return whether a number may be set beside the same one from other raters: free of their error, or descriptive.

    Other raters make QWK, r, RMSE, SMD and degradation better or worse of the same engine.

    Notes
    -----
    Loukina, Madnani, Cahill, Yao, Johnson, Riordan and McCaffrey (2020), sections 4.1 and 4.2.

    Examples
    --------
    >>> [holds_across_raters(key) for key in ("true_score.prmse", "system.system_mean", "system.qwk")]
    [True, True, False]
    """
    family, _, metric = key.partition(".")
    return "across_raters" in FAMILIES.get(family, ()) or (metric in METRICS and not METRICS[metric].better)


def _order(metric: Metric) -> tuple[bool, bool, bool]:
    return metric.better == "zero", "system_human.agreement" in metric.tables, metric.kind == "percent"
