"""Load policies: the bounds that statistics must meet before scores can be used, each with its source.

A policy is a small TOML, YAML, or JSON file. The built-in policies are next to this module; they define all
thresholds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, field_validator, model_validator
from pydantic.types import StringConstraints

from reportgen.errors import SettingsError, did_you_mean, nearest
from reportgen.metrics import METRICS
from reportgen.results import GIVEN_TRUE_SCORE, Band, Basis
from reportgen.settings.kinds import is_policy_path, quoted
from reportgen.settings.loading import parse, validated
from reportgen.settings.models import Names, Strict
from reportgen.wording.names import capital
from reportgen.wording.vocabulary import Entry, Form, english

DEPTH = 8  # how deep policies can include each other

_FOLDER = Path(__file__).parent


def name_of(statistic: str, form: Form = "name") -> str:
    """Return the name of a statistic as in headings, or the end of its key if it has none.

    form: "short" is the name for narrow places.

    >>> name_of("judges.advantage"), name_of("human.qwk", "short")
    ('Average advantage probability over raters', 'QWK of two raters')
    >>> name_of("panel.human.kappa_linear"), name_of("panel.tau_b_unrounded"), name_of("own.thing")
    ('Linear weighted kappa of two raters', "Kendall's tau-b, engine unrounded", 'Thing')
    >>> name_of("r", "short")
    'r'
    >>> name_of("true_score.prmse_of_ratings_2")
    'PRMSE of the mean of ratings (2)'
    """
    return capital(english().statistic(statistic, form, brought(statistic.rpartition(".")[2])))


def brought(metric: str) -> Entry | None:
    """Return a package's description of its statistic, or None if no package declares it."""
    found = METRICS.get(metric)
    if found is None or not found.label:
        return None
    return Entry(metric, found.label, found.abbreviation, found.question, direction=found.better)


Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]

UNCHECKED = "the original was not seen"  # shown with a threshold that is known only from a secondary source

JUDGED = ("system", "human", "degradation", "disattenuated", "true_score")
"""The families of statistics, which start their keys; the rest of a key is a metric key."""


def _number(value: object) -> object:
    if isinstance(value, bool | str):
        raise ValueError(f"expected a number without quotes, found {quoted(value)}")
    return value


Bound = Annotated[float | None, BeforeValidator(_number)]


COMPARED = "degradation"  # the family of differences between two values of a metric


def impossible(statistic: str, bound: float) -> str:
    """Return why a statistic cannot be compared with a bound; empty if it can, or if it is unknown.

    >>> impossible("system.r", 3.0)
    'system.r is between -1 and 1'
    >>> impossible("system.exact_agreement", 0.6)
    'system.exact_agreement is a percentage, such as 60'
    >>> impossible("degradation.exact_agreement", -5), impossible("system.rmse", 0.6), impossible("own.thing", 3)
    ('', '', '')
    """
    family, _, name = statistic.partition(".")
    metric = METRICS.get(name) if family in JUDGED else None
    if metric is None:
        return ""
    low, high = metric.possible
    if family == COMPARED:
        low, high = low - high, high - low
    if not low <= bound <= high:
        ends = [f"at least {low:g}"] if low > -math.inf else []
        ends += [f"at most {high:g}"] if high < math.inf else []
        return f"{statistic} is between {low:g} and {high:g}" if len(ends) > 1 else f"{statistic} is {ends[0]}"
    if metric.kind == "percent" and (0 < abs(bound) < 1 or (bound == 1 and family != COMPARED)):
        return f"{statistic} is a percentage, such as {100 * bound:g}"
    return ""


def misspelt(statistic: str) -> str:
    """Return a message about an unknown statistic in a metric family, or an empty string.

    >>> misspelt("system.qwkk")
    "'system.qwkk' is not a statistic; did you mean 'system.qwk'?"
    >>> misspelt("system.qwk"), misspelt("panel.kappa"), misspelt("true_score.prmse_of_ratings_2")
    ('', '', '')
    """
    family, _, metric = statistic.partition(".")
    meant = family if family in JUDGED else nearest(family, JUDGED)
    if not meant or (meant == family and any(metric == key or metric.startswith(f"{key}_") for key in METRICS)):
        return ""
    near = nearest(statistic, [*(f"{meant}.{key}" for key in METRICS), GIVEN_TRUE_SCORE])
    return f"'{statistic}' is not a statistic; did you mean '{near}'?" if near not in ("", statistic) else ""


class BandSettings(Strict):
    """A range of the statistic, and what a value in it means."""

    low: Bound = None
    high: Bound = None
    meaning: Name

    @model_validator(mode="after")
    def _upright(self) -> BandSettings:
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"low ({self.low:g}) must not be above high ({self.high:g})")
        return self


class Criterion(Strict):
    """Where one statistic should be."""

    statistic: Name
    score_type: Name | None = None
    groups: bool | Names = False
    simultaneous: bool = False
    low: Bound = None
    high: Bound = None
    strict: bool = False
    by: Basis = "interval"
    label: str = ""
    abbreviation: str = ""
    source: str = ""
    source_checked: bool = True
    bands: tuple[BandSettings, ...] = ()

    @field_validator("groups")
    @classmethod
    def _some(cls, value: bool | tuple[str, ...]) -> bool | tuple[str, ...]:
        if value == ():
            raise ValueError("list at least one group column, or set true for all")
        if isinstance(value, tuple) and len(set(value)) < len(value):
            raise ValueError("list each group column once")
        return value

    @field_validator("statistic")
    @classmethod
    def _spelled(cls, value: str) -> str:
        why = misspelt(value)
        if why:
            raise ValueError(why)
        return value

    @model_validator(mode="after")
    def _bounded(self) -> Criterion:
        """Reject a criterion that every value or no value meets."""
        if self.low is None and self.high is None:
            raise ValueError(f"the criterion on '{self.statistic}' requires low, high, or both")
        if self.low is not None and self.high is not None:
            if self.low > self.high:
                raise ValueError(f"low ({self.low:g}) must not be above high ({self.high:g})")
            if self.strict and self.low == self.high:
                raise ValueError(f"no value is between {self.low:g} and {self.high:g} if strict = true")
        if self.simultaneous and not self.groups:
            raise ValueError("simultaneous = true requires groups; add groups = true")
        if self.simultaneous and self.by != "interval":
            raise ValueError(f'simultaneous = true requires intervals; remove by = "{self.by}"')
        for name, bound in self._all_bounds():
            why = "" if bound is None else impossible(self.statistic, bound)
            if why:
                raise ValueError(f"{name} = {bound:g}, but {why}")
        return self

    def _all_bounds(self) -> Iterator[tuple[str, float | None]]:
        yield from (("low", self.low), ("high", self.high))
        for index, band in enumerate(self.bands):
            yield from ((f"band {index + 1}, low", band.low), (f"band {index + 1}, high", band.high))

    @property
    def name(self) -> str:
        """Name of the criterion."""
        return self.label or name_of(self.statistic)

    @property
    def short_name(self) -> str:
        """Name of the criterion for narrow places."""
        return self.abbreviation or name_of(self.statistic, "short")

    @property
    def source_in_words(self) -> str:
        """Source of the bounds, and whether it was checked."""
        if not self.source or self.source_checked:
            return self.source
        return f"{self.source} ({UNCHECKED})"


class Policy(Strict):
    """Criteria that are evaluated together."""

    name: Name
    description: str = ""
    include: Names = ()
    criteria: tuple[Criterion, ...] = ()


def shipped_policies() -> tuple[str, ...]:
    """Return the names of the built-in policies.

    >>> shipped_policies()
    ('default', 'fairness', 'prmse', 'unordered', 'williamson-2012', 'yannakoudakis-2015')
    """
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def shipped_text(name: str) -> str:
    """Return the text of a built-in policy, to copy and edit."""
    return _shipped(name).read_text(encoding="utf-8")


def load_policy(policy: str | Path) -> Policy:
    """Load a policy by its built-in name or path, with the criteria of the policies it includes.

    Raises SettingsError: If there is no such policy, or one of its keys or values is invalid.

    >>> [criterion.statistic for criterion in load_policy("prmse").criteria]
    ['true_score.prmse']
    """
    return _loaded(str(policy), Path(), ())


def policy_of_labels(name: str) -> str:
    """Return the policy for labels without an order: "unordered" instead of the default.

    >>> policy_of_labels("default"), policy_of_labels("own.toml")
    ('unordered', 'own.toml')
    """
    return "unordered" if name == "default" else name


def bands_of(policy: Policy) -> dict[str, tuple[Band, ...]]:
    """Return the bands of a policy by statistic."""
    return {
        criterion.statistic: tuple(Band(band.low, band.high, band.meaning) for band in criterion.bands)
        for criterion in policy.criteria
        if criterion.bands
    }


def _loaded(policy: str, folder: Path, within: tuple[Path, ...]) -> Policy:
    path = folder / policy if is_policy_path(policy) else _shipped(policy)
    content = parse(path, "policy file")
    if path.resolve() in within or len(within) >= DEPTH:
        raise SettingsError(f"{path}: a policy cannot include itself; remove it from include.")
    found = validated(Policy, content, str(path))
    included = [_loaded(name, path.parent, (*within, path.resolve())) for name in found.include]
    criteria = tuple(criterion for each in (*included, found) for criterion in each.criteria)
    if not criteria:
        raise SettingsError(f"{path}: expected at least one criterion; add a table [[criteria]], or include a policy.")
    return found.model_copy(update={"criteria": criteria})


def _shipped(name: str) -> Path:
    if name not in shipped_policies():
        near = f"{did_you_mean(name, shipped_policies())} To use your own, give its path, such as ./policy.toml"
        raise SettingsError(f"policy '{name}' does not exist{near}")
    return _FOLDER / f"{name}.toml"
