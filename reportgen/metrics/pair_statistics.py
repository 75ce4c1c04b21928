"""Statistics of two scores that are algebra on their sums: each is one entry, and everything else follows from it.

Interval, groups, bootstrap, results.json, policies, tables of reports and of many items, and the reference take it
from here.  An installed package adds one by the entry point ``reportgen.statistics``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint
from typing import Any

import numpy as np

from reportgen.errors import SettingsError, shortened
from reportgen.metrics import pair
from reportgen.metrics.metric import DESCRIPTIVE, INF, Metric
from reportgen.plugins import distribution_of, entry_points
from reportgen.tally.sums import Floats, PairSums

GROUP = "reportgen.statistics"
"""Entry points of statistics of other packages."""

SUMS = {"n": 9.0, "x": 1.5, "y": 2.0, "xx": 12.0, "yy": 14.0, "xy": 8.0, "absolute": 5.0, "exact": 4.0, "adjacent": 8.0}
"""Sums that a formula is tried on."""

Formula = Callable[[PairSums], Floats]
"""One number for each slice from the sums of the slice; complex sums give complex numbers."""


@dataclass(frozen=True, kw_only=True)
class PairStatistic(Metric):
    """A statistic of two scores: of the engine beside the first human score, and of two raters.

    Parameters
    ----------
    formula_on_sums
        Its formula; x is the reference, y what is judged.
    of_raters
        Its formula for two raters, where it is another one.
    between_raters
        Whether it is computed for two raters too.
    both_vary
        Whether it has an interval only where both scores vary: a constant score makes it 0 whatever comes next.

    Examples
    --------
    Lin's (1989) concordance coefficient with the divisor n - 1; the entry point of a package names such an object.

    >>> ccc = PairStatistic(
    ...     key="ccc", label="Concordance coefficient", abbreviation="CCC", kind="coefficient", range=(-1, 1),
    ...     better="high", formula="2 cov(h, s) / (var h + var s + (mean h - mean s)^2), divisor n - 1",
    ...     source="Lin 1989", transform="fisher", both_vary=True, tables=("system_human.association", "by_group"),
    ...     formula_on_sums=lambda sums: pair.quadratic_weighted_kappa(sums, ddof=1),
    ... )
    >>> ccc.question, ccc.possible
    ('', (-1, 1))
    """

    formula_on_sums: Formula
    of_raters: Formula | None = None
    between_raters: bool = True
    both_vary: bool = False


OWN = (
    PairStatistic(
        key="h_mean", kind="score", range=(-INF, INF),
        better="", formula="sum of h / n", source=DESCRIPTIVE,
        formula_on_sums=pair.mean_x, tables=("by_group", "human_human.by"),
    ),
    PairStatistic(
        key="h_sd", kind="score", range=(0, INF),
        better="", formula="root of sum of (h - mean h)^2 / (n - 1)", source=DESCRIPTIVE, transform="log",
        formula_on_sums=pair.sd_x, tables=("by_group",),
    ),
    PairStatistic(
        key="system_mean", kind="score", range=(-INF, INF),
        better="", formula="sum of s / n", source=DESCRIPTIVE,
        formula_on_sums=pair.mean_y, tables=("by_group", "human_human.by"),
    ),
    PairStatistic(
        key="system_sd", kind="score", range=(0, INF),
        better="", formula="root of sum of (s - mean s)^2 / (n - 1)", source=DESCRIPTIVE, transform="log",
        formula_on_sums=pair.sd_y, tables=("by_group",),
    ),
    PairStatistic(
        key="qwk", kind="coefficient", range=(-1, 1),
        better="high", formula="2 cov(h, s) / (var h + var s + (mean h - mean s)^2), divisor n",
        source="Cohen 1968; Lin 1989; Haberman 2019", transform="fisher", both_vary=True,
        formula_on_sums=pair.quadratic_weighted_kappa,
        tables=("system_human.association", "by_group", "human_human.agreement", "human_human.by",
                "human_human.degradation"),
    ),
    PairStatistic(
        key="r", kind="coefficient", range=(-1, 1),
        better="high", formula="cov(h, s) / (SD h x SD s)", source="Pearson 1896", transform="fisher",
        formula_on_sums=pair.pearson_r,
        tables=("system_human.association", "by_group", "human_human.agreement", "human_human.by",
                "human_human.degradation"),
    ),
    PairStatistic(
        key="r_squared", kind="coefficient", range=(-INF, 1),
        better="high", formula="1 - sum of (h - s)^2 / sum of (h - mean h)^2", source="Haberman 2008",
        transform="log1m", between_raters=False,
        formula_on_sums=pair.r_squared, tables=("system_human.association", "by_group"),
    ),
    PairStatistic(
        key="rmse", kind="score", range=(0, INF),
        better="low", formula="root of sum of (h - s)^2 / n", source="Haberman 2008", transform="log",
        between_raters=False,
        formula_on_sums=pair.root_mean_squared_error, tables=("system_human.association", "by_group"),
    ),
    PairStatistic(
        key="mae", kind="score", range=(0, INF),
        better="low", formula="sum of |h - s| / n", source="Willmott and Matsuura 2005", transform="log",
        between_raters=False,
        formula_on_sums=pair.mean_absolute_error, tables=("system_human.association",),
    ),
    PairStatistic(
        key="smd", kind="difference", range=(-INF, INF),
        better="zero", formula="(mean s - mean h) / SD h; between two humans the SDs are pooled",
        source="Williamson, Xi and Breyer 2012",
        formula_on_sums=pair.standardized_mean_difference, of_raters=pair.standardized_mean_difference_pooled,
        tables=("human_human.agreement", "human_human.degradation"),
    ),
    PairStatistic(
        key="exact_agreement", kind="percent", range=(0, 100),
        better="high", formula="100 x share of h = s", source="Williamson, Xi and Breyer 2012", transform="wilson",
        formula_on_sums=pair.exact_agreement,
        tables=("system_human.agreement", "by_group", "human_human.agreement", "human_human.by",
                "human_human.degradation"),
    ),
    PairStatistic(
        key="adjacent_agreement", kind="percent",
        range=(0, 100), better="high", formula="100 x share of |h - s| <= 1",
        source="Williamson, Xi and Breyer 2012", transform="wilson",
        formula_on_sums=pair.adjacent_agreement,
        tables=("system_human.agreement", "by_group", "human_human.agreement", "human_human.by",
                "human_human.degradation"),
    ),
)  # fmt: skip
"""The statistics of two scores that reportgen has, in the order of results.json."""


@cache
def pair_statistics() -> dict[str, PairStatistic]:
    """Return every statistic of two scores by key: those of reportgen, then those of installed packages.

    Raises
    ------
    SettingsError
        A package's statistic cannot be loaded, or is not as one must be.

    Examples
    --------
    >>> list(pair_statistics())[4:6]
    ['qwk', 'r']
    """
    found = {each.key: each for each in OWN}
    for entry in sorted(entry_points(GROUP), key=lambda entry: entry.name):
        statistic = _loaded(entry)
        if statistic.key in found:
            raise SettingsError(f"statistic '{statistic.key}' of {_provider(entry)} has the key of another one.")
        found[statistic.key] = statistic
    return found


def _loaded(entry: EntryPoint) -> PairStatistic:
    """Return the statistic that an entry point names."""
    try:
        statistic = entry.load()
        problem = _problem_of(statistic)
    except Exception as error:  # noqa: BLE001 - a statistic is anyone's code; its failure is told
        problem = f"cannot be loaded ({type(error).__name__}: {shortened(str(error), 100)})"
    if problem:
        raise SettingsError(
            f"statistic '{entry.name}' of {_provider(entry)} {problem}; uninstall or mend that package."
        )
    return statistic  # type: ignore[no-any-return]


def _problem_of(statistic: Any) -> str:
    """Return why something is no statistic that can be computed everywhere; empty when it is."""
    if not isinstance(statistic, PairStatistic):
        return f"is a {type(statistic).__name__}, expected a reportgen.metrics.PairStatistic"
    if not statistic.key.isidentifier():
        return f"has the key '{statistic.key}', expected a plain word"
    if not statistic.label:
        return "has no label, expected what it is called"
    sums = PairSums(3.0, *(np.array([each, each + 1.0]) for each in SUMS.values()))
    moved = PairSums(3.0, *(getattr(sums, name) + 1e-20j for name in SUMS))
    for formula in (statistic.formula_on_sums, *([statistic.of_raters] if statistic.of_raters else [])):
        if np.shape(formula(sums)) != (2,):
            return "does not give one number for each slice"
        if not np.iscomplexobj(formula(moved)):
            return "loses complex numbers, which its interval is computed with"
    return ""


def _provider(entry: EntryPoint) -> str:
    return distribution_of(entry) or entry.module
