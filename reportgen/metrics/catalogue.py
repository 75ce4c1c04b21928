"""The metrics a report prints: those of ``catalogue.toml``, and those of installed packages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from reportgen.metrics.metric import DESCRIBED, Metric, Place, Transform
from reportgen.metrics.pair import OWN, pair_statistics
from reportgen.metrics.two_categories import CATEGORY_STATISTICS

__all__ = ["METRICS", "Metric", "Transform", "in_table"]


class _Catalogue(Mapping[str, Metric]):
    """Every metric by key; those of installed packages are looked for when they are asked for."""

    @cached_property
    def _every(self) -> dict[str, Metric]:
        return {**pair_statistics(), **_KNOWN}

    def __getitem__(self, key: str) -> Metric:
        return _KNOWN[key] if key in _KNOWN else self._every[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._every)

    def __len__(self) -> int:
        return len(self._every)


_WITH_FORMULAS: Mapping[str, Metric] = {**{each.key: each for each in OWN}, **CATEGORY_STATISTICS}

_KNOWN: Mapping[str, Metric] = {key: _WITH_FORMULAS.get(key) or Metric(**fields) for key, fields in DESCRIBED.items()}

METRICS: Mapping[str, Metric] = _Catalogue()
"""Every metric of the report by key."""


def in_table(place: Place) -> tuple[str, ...]:
    """Return the metrics of a table: association, then agreement on points, then differences of means.

    Examples
    --------
    >>> in_table("human_human.degradation")
    ('qwk', 'r', 'kappa', 'exact_agreement', 'adjacent_agreement', 'smd')
    """
    found = [metric for metric in METRICS.values() if place in metric.tables]
    return tuple(metric.key for metric in sorted(found, key=_order))


ACROSS_RATERS = ("true_score", "disattenuated", "human")
"""Families of numbers that other raters do not make better or worse: free of rater error, or of raters alone."""


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
    return family in ACROSS_RATERS or (metric in METRICS and not METRICS[metric].better)


def _order(metric: Metric) -> tuple[bool, bool, bool]:
    return metric.better == "zero", "system_human.agreement" in metric.tables, metric.kind == "percent"
