"""The distinct combinations of what decides who may be shown, and how many responses have each: nothing else is known.

Responses may be counted batch by batch, in any order, and the counts merged: that is what counting them at once gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reportgen.privacy import Mask, Short, distinct, short
from reportgen.tally import Groups
from reportgen.tally.cells import Floats

HUMAN: Final = "human"
"""Numbers that rest on responses scored by the first two raters."""

MULTIPLE: Final = "multiple"
"""Numbers that rest on responses scored by any two raters."""

REPORTED: Final = "reported"
"""Numbers that rest on responses with all item scores."""

MOST_SCORES = 25
"""Distinct first human scores up to which means at each of them are shown by group."""


@dataclass(frozen=True)
class Combinations:
    """Distinct combinations of levels, kinds of numbers and first human score, each with its number of responses.

    Parameters
    ----------
    counts
        (combinations,): responses of each.
    codes
        Grouping -> (combinations,): place of the level in `labels`, in as few bytes as hold it.
    labels
        Grouping -> names of its levels, sorted.
    kinds
        Kind of numbers (`HUMAN`, `MULTIPLE`, `REPORTED`) -> (combinations,): whether such numbers rest on them.
    scores
        (combinations,): place of the first human score in `points`; None when more than `MOST_SCORES` different ones
        occur.
    points
        First human scores, sorted.
    """

    counts: NDArray[np.integer]
    codes: Mapping[str, NDArray[np.integer]]
    labels: Mapping[str, tuple[str, ...]]
    kinds: Mapping[str, Mask]
    scores: NDArray[np.integer] | None = None
    points: Floats = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(cls, human: Floats, groups: Groups, all_items: Mask | None = None) -> Combinations:
        """Return the combinations among some responses.

        Parameters
        ----------
        human
            (n, raters): human scores, NaN where missing; the first column has none missing.
        groups
            Grouping column -> (codes, labels).
        all_items
            (n,): responses with all item scores, of which reported scores are shown; None without item scores.

        Examples
        --------
        >>> human = np.array([[1, 2], [1, 3], [4, np.nan], [1, 1]])
        >>> found = Combinations.of(human, {"sex": (np.array([0, 0, 1, 1]), ("m", "f"))})
        >>> found.labels["sex"], found.codes["sex"].tolist(), found.points[found.scores].tolist(), found.counts.tolist()
        (('f', 'm'), [0, 0, 1], [4.0, 1.0, 1.0], [1, 1, 2])
        """
        kinds = _kinds(human) | ({} if all_items is None else {REPORTED: np.asarray(all_items, np.bool_)})
        labels = {name: tuple(sorted(names)) for name, (_, names) in groups.items()}
        codes = {name: _placed(*group, labels[name]) for name, group in groups.items()}
        scores, points = _pointed(human[:, 0])
        return _distinct(cls(np.ones(len(human), np.int8), codes, labels, kinds, scores, points))

    def __add__(self, other: Combinations) -> Combinations:
        """Return the combinations among both sets of responses together."""
        return merged([self, other])


def merged(parts: Iterable[Combinations]) -> Combinations:
    """Return the combinations among all responses of `parts`; the order of the parts does not matter.

    Raises
    ------
    ValueError
        There is none, or they differ in groupings or kinds of numbers.
    """
    parts = list(parts)
    if len({(frozenset(part.codes), frozenset(part.kinds)) for part in parts}) != 1:
        raise ValueError("combinations to merge must be some, and of the same groupings and kinds of numbers")
    names = parts[0].codes
    labels = {name: tuple(sorted({label for part in parts for label in part.labels[name]})) for name in names}
    scores, points = _points_of(parts)
    return _distinct(
        Combinations(
            np.concatenate([part.counts for part in parts]),
            {n: np.concatenate([_placed(p.codes[n], p.labels[n], labels[n]) for p in parts]) for n in names},
            labels,
            {kind: np.concatenate([part.kinds[kind] for part in parts]) for kind in parts[0].kinds},
            scores,
            points,
        )
    )


def _distinct(found: Combinations) -> Combinations:
    """Return each combination once, in the order of codes, kinds and scores."""
    columns = [(codes, len(found.labels[name])) for name, codes in found.codes.items()]
    columns += [(mask.view(np.int8), 2) for mask in found.kinds.values()]
    columns += [] if found.scores is None else [(found.scores, len(found.points))]
    first, counts = distinct(columns, found.counts)
    return Combinations(
        short(counts.astype(np.intp), int(counts.max(initial=0))),
        {name: codes[first] for name, codes in found.codes.items()},
        found.labels,
        {kind: mask[first] for kind, mask in found.kinds.items()},
        None if found.scores is None else found.scores[first],
        found.points,
    )


def _placed(codes: NDArray[np.integer], names: Sequence[str], labels: tuple[str, ...]) -> Short:
    """Return codes of `names` as places in `labels`."""
    if tuple(names) == labels:
        return short(codes, len(labels))
    place = {label: index for index, label in enumerate(labels)}
    found: Short = short(np.array([place[name] for name in names], np.intp), len(labels))[codes]
    return found


def _pointed(scores: Floats) -> tuple[Short | None, Floats]:
    """Return scores as places among the different ones, and these; none where they are too many."""
    points = np.unique(scores)
    if len(points) > MOST_SCORES:
        return None, np.zeros(0)
    return short(np.searchsorted(points, scores), len(points)), points


def _points_of(parts: Sequence[Combinations]) -> tuple[Short | None, Floats]:
    """Return the scores of all parts, one part after the other, as places among the different ones, and these."""
    points = np.unique(np.concatenate([part.points for part in parts]))
    placed = [
        short(np.searchsorted(points, part.points), len(points))[part.scores]
        for part in parts
        if part.scores is not None
    ]
    if len(placed) < len(parts) or len(points) > MOST_SCORES:
        return None, np.zeros(0)
    return np.concatenate(placed), points


def _kinds(human: Floats) -> dict[str, Mask]:
    """Return the responses that numbers of two human scores rest on."""
    if human.shape[1] < 2:
        return {}
    present = np.isfinite(human)
    return {HUMAN: present[:, 0] & present[:, 1], MULTIPLE: present.sum(axis=1) > 1}
