"""Which responses are worth reading, and why: where engine and people part, and some where they agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from reportgen.metrics.expected_scores import expected_true_scores, standardized_disagreements
from reportgen.results import Scale
from reportgen.scores.to_read import ResponsesToRead
from reportgen.sources.columns import Coded, Floats

AGREEING = 10
"""Responses on which engine and people agree, at most; of a list of fewer than 40, a quarter of it."""

FAR, LENGTHS = 2, 5
"""How many steps the engine is far off, the whole scale where it has fewer, and at least which part of its length.

A scale in steps of 0.1 would have hardly any response that is not far off by two of them.
"""


@dataclass(frozen=True)
class Pick:
    """One response of a reading list.

    Parameters
    ----------
    name, text, answer
        What it is called, what was written, what stands in the place of a missing score.
    ratings
        The ratings that it has.
    engine, expected, disagreement
        The engine's score, the expected true score, the standardized disagreement; None where there is none.
    reasons
        Why it is read: "far", "group", "no score", "refused", "difference" or "agrees", each with what it is about.
    """

    name: str
    text: str
    answer: str
    ratings: tuple[float, ...]
    engine: float | None
    expected: float | None
    disagreement: float | None
    reasons: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Numbers:
    """What is known of all responses: difference of engine and mean rating, the same standardized, expected score."""

    gap: Floats
    standardized: Floats
    expected: Floats

    def by_size(self) -> list[int]:
        """Return the responses with an engine's score, the largest disagreement first; equal ones as they stand."""
        size = np.abs(np.where(np.isfinite(self.standardized), self.standardized, self.gap))
        return [int(i) for i in np.argsort(-np.nan_to_num(size, nan=-1.0), kind="stable") if np.isfinite(size[i])]


def picked(
    responses: ResponsesToRead, scale: Scale, n: int, *, seed: int, min_n: int, error_variance: float | None = None
) -> list[Pick]:
    """Return the responses to read, shuffled.

    Reasons take turns: far off, the largest disagreement in each group, no score, a refusal; what is left of the list
    goes to the largest disagreements.  A quarter of the list, ten at most, are responses on which engine and people
    agree, drawn at random.

    Parameters
    ----------
    responses, scale
        All responses, and the score scale.
    n
        How many, at most.
    seed
        Of what is drawn and of the order; the same seed gives the same list.
    min_n
        Groups of fewer responses are passed over.
    error_variance
        The variance of rater errors, when it is known from elsewhere.
    """
    responses = _by_name(responses)
    numbers = _numbers(responses, error_variance)
    draw = np.random.default_rng(seed)
    calm = [int(i) for i in np.flatnonzero(np.abs(numbers.gap) <= _far(scale) / 4)]
    agreeing = [calm[i] for i in draw.permutation(len(calm))[: min(AGREEING, n // 4)]]
    reasons: dict[int, list[tuple[str, str]]] = {}
    largest = [(i, "difference", "") for i in numbers.by_size() if i not in set(calm)]
    for i, reason, about in (*_in_turns(responses, numbers, scale, min_n), *largest):
        if i not in reasons and (len(reasons) >= n - len(agreeing) or i in agreeing):
            continue
        own = reasons.setdefault(i, [])
        if reason != "difference" or not own:
            own.append((reason, about))
    for i in agreeing:
        reasons[i] = [("agrees", "")]
    chosen = sorted(reasons)
    return [_pick(responses, numbers, chosen[place], reasons[chosen[place]]) for place in draw.permutation(len(chosen))]


def _by_name(responses: ResponsesToRead) -> ResponsesToRead:
    """Return the responses in the order of their names, so that the order of rows decides nothing."""
    order = np.array(sorted(range(len(responses.names)), key=responses.names.__getitem__), np.int64)

    def those(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(values[i] for i in order) if values else ()

    return ResponsesToRead(
        those(responses.names),
        those(responses.texts),
        responses.human[order],
        responses.system[order],
        those(responses.answers),
        those(responses.refused),
        {name: Coded(coded.codes[order], coded.labels) for name, coded in responses.groups.items()},
    )


def _numbers(responses: ResponsesToRead, error_variance: float | None) -> _Numbers:
    """Return what is known of all responses."""
    rated = np.isfinite(responses.human)
    mean = np.where(rated, responses.human, 0.0).sum(axis=1) / rated.sum(axis=1)
    return _Numbers(
        responses.system - mean,
        standardized_disagreements(responses.human, responses.system, error_variance=error_variance),
        expected_true_scores(responses.human, responses.system, error_variance=error_variance),
    )


def _in_turns(
    responses: ResponsesToRead, numbers: _Numbers, scale: Scale, min_n: int
) -> Iterator[tuple[int, str, str]]:
    """Yield responses with a reason, one of each reason after the other."""
    ordered = numbers.by_size()
    far = [(i, "far", "") for i in ordered if abs(numbers.gap[i]) >= _far(scale) * (1 - 1e-9)]
    missing = [i for i in range(len(responses.names)) if not np.isfinite(responses.system[i])]
    refused = [(i, "refused", "") for i in missing if responses.refused[i]]
    blank = [(i, "no score", "") for i in missing if not responses.refused[i]]
    queues = (far, list(_worst(responses, ordered, min_n)), blank, refused)
    yield from (each for turn in zip_longest(*queues) for each in turn if each is not None)


def _far(scale: Scale) -> float:
    """Return from which difference on the engine is far off, in score points."""
    length = scale.high - scale.low
    return max(min(FAR * scale.step, length), length / LENGTHS)


def _worst(responses: ResponsesToRead, ordered: list[int], min_n: int) -> Iterator[tuple[int, str, str]]:
    """Yield the largest disagreement of each group that is large enough, the largest of all first."""
    seen: set[tuple[str, int]] = set()
    sizes = {name: np.bincount(coded.codes, minlength=1) for name, coded in responses.groups.items()}
    for i in ordered:
        for name, coded in responses.groups.items():
            code = int(coded.codes[i])
            if sizes[name][code] >= min_n and (name, code) not in seen:
                seen.add((name, code))
                yield i, "group", f"{name} {coded.labels[code]}"


def _pick(responses: ResponsesToRead, numbers: _Numbers, i: int, reasons: list[tuple[str, str]]) -> Pick:
    """Return one response with its reasons."""

    def known(values: Floats) -> float | None:
        return float(values[i]) if np.isfinite(values[i]) else None

    return Pick(
        responses.names[i],
        responses.texts[i] if responses.texts else "",
        responses.answers[i],
        tuple(float(score) for score in responses.human[i] if np.isfinite(score)),
        known(responses.system),
        known(numbers.expected),
        known(numbers.standardized),
        tuple(reasons),
    )
