"""Policies: which statistics must lie where before a score may be used, each threshold with its source.

A policy is a small TOML, YAML or JSON file.  The shipped ones stand beside this module; the thresholds of the report
are written there and nowhere else.
"""

from __future__ import annotations

from pathlib import Path

from reportgen.errors import SettingsError, did_you_mean
from reportgen.policies.models import Criterion, Policy
from reportgen.results import Band
from reportgen.settings import is_policy_path, parse, validated

__all__ = ["Criterion", "Policy", "bands_of", "load_policy", "policy_of_labels", "shipped_policies", "shipped_text"]

DEPTH = 8
"""How deep policies may include each other."""

_FOLDER = Path(__file__).parent


def shipped_policies() -> tuple[str, ...]:
    """Return the names of the shipped policies.

    Examples
    --------
    >>> shipped_policies()
    ('default', 'fairness', 'prmse', 'unordered', 'williamson-2012', 'yannakoudakis-2015')
    """
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def shipped_text(name: str) -> str:
    """Return the file of a shipped policy, to copy and change.

    Raises SettingsError: There is no policy of that name.
    """
    return _shipped(name).read_text(encoding="utf-8")


def load_policy(policy: str | Path) -> Policy:
    """Return a policy by its shipped name or its path, with the criteria of every policy that it includes.

    Raises SettingsError: There is no such policy, or a key or value in it is not right.

    Examples
    --------
    >>> [criterion.statistic for criterion in load_policy("prmse").criteria]
    ['true_score.prmse']
    """
    return _loaded(str(policy), Path(), ())


def policy_of_labels(name: str) -> str:
    """Return the policy that labels without an order are held against: "unordered" in the place of the default.

    Examples
    --------
    >>> policy_of_labels("default"), policy_of_labels("own.toml")
    ('unordered', 'own.toml')
    """
    return "unordered" if name == "default" else name


def bands_of(policy: Policy) -> dict[str, tuple[Band, ...]]:
    """Return what the values of statistics mean by a policy, by the key of the statistic."""
    return {
        criterion.statistic: tuple(Band(band.low, band.high, band.meaning) for band in criterion.bands)
        for criterion in policy.criteria
        if criterion.bands
    }


def _loaded(policy: str, folder: Path, within: tuple[Path, ...]) -> Policy:
    """Return a policy that is named in a file of `folder`; `within` holds the files that include it."""
    path = folder / policy if is_policy_path(policy) else _shipped(policy)
    content = parse(path, "policy file")
    if path.resolve() in within or len(within) >= DEPTH:
        raise SettingsError(f"{path}: a policy must not include itself.")
    found = validated(Policy, content, str(path))
    included = [_loaded(name, path.parent, (*within, path.resolve())) for name in found.include]
    criteria = tuple(criterion for each in (*included, found) for criterion in each.criteria)
    if not criteria:
        raise SettingsError(f"{path}: expected at least one criterion; add a table [[criteria]], or include a policy.")
    return found.model_copy(update={"criteria": criteria})


def _shipped(name: str) -> Path:
    """Return the file of a shipped policy."""
    if name not in shipped_policies():
        hint = did_you_mean(name, shipped_policies()).rstrip(".?")
        raise SettingsError(
            f"there is no policy '{name}'{hint}; a policy of your own is given by its path, as in ./{name}.toml."
        )
    return _FOLDER / f"{name}.toml"
