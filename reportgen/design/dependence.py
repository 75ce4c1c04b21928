"""Refuse scores that cannot show how well an engine agrees with people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.design.profiles import LEAST_BANDED, Profile, Profiles
from reportgen.errors import InputError, listed
from reportgen.sources import column_names

LEAST_SORTED, MOST_ACTIONS = 30, 4
"""The fewest rows in which the order of scores shows anything, and the most values of a column of actions."""


def refuse_dependent(people: Sequence[Profile], engine: Profile, columns: Profiles) -> None:
    """Raise if human scores are sums, summaries, counts, or changed engine scores, or if columns were sorted apart."""
    for own in people:
        _refuse_sums(own, engine, columns)
        _refuse_sorted(own, engine)
        _refuse_changed(own, engine, columns)
    _refuse_counts([*people, engine], columns)
    names = [own.name for own in (*people, engine)]
    words = {name: column_names.words_of(name) for name in columns}
    averages, others = (
        {n for n in words if column_names.has_word(kind, words[n])} for kind in ("summary", "statistic")
    )
    if averages | others >= {*names} and sum(map(column_names.counts_or_spreads, columns)) + len(others) > 1:
        raise InputError(f"{listed(names)} are averages or other statistics; provide one row for each response.")


def _refuse_sums(own: Profile, engine: Profile, columns: Profiles) -> None:
    """Raise if human scores are the sum of the engine's and others, as the total of an automatic and a manual part."""
    for part in columns.values():
        # a difference of scores is below 0 in some rows
        if part.is_score_like and part not in (own, engine) and not (part.first_numbers < 0).any():
            apart = np.abs(own.first_numbers - engine.first_numbers - part.first_numbers)
            if np.count_nonzero(np.isfinite(apart)) >= LEAST_BANDED and np.nanmax(apart) < 0.006:
                text = f"'{own.name}' is the sum of '{engine.name}' and '{part.name}', so it is not a human score; "
                raise InputError(f"{text}name others with --human and --system.")


def _refuse_sorted(own: Profile, engine: Profile) -> None:
    """Raise if both columns are in order, although their scores differ: each was probably sorted separately."""
    pairs = np.column_stack([own.first_numbers, engine.first_numbers])
    pairs = pairs[np.isfinite(pairs).all(axis=1)]
    steps = np.diff(pairs, axis=0)
    differ = len(pairs) >= LEAST_SORTED and steps.any(axis=0).all() and (pairs[:, 0] != pairs[:, 1]).any()
    if differ and ((steps >= 0).all() or (steps <= 0).all()):
        text = f"'{own.name}' and '{engine.name}' are both in order in all rows; they were probably sorted separately, "
        raise InputError(f"{text}so export the scores again.")


def _refuse_changed(own: Profile, engine: Profile, columns: Profiles) -> None:
    """Raise if a column shows that people kept or changed the engine's scores."""
    equal = own.first_numbers == engine.first_numbers
    for name, each in columns.items():
        texts, codes = each.first_texts
        words = {word for text in (name, *texts[:MOST_ACTIONS]) for word in column_names.words_of(text)}
        if 1 < len(texts) <= MOST_ACTIONS and column_names.has_word("changed", words):
            n, same = np.bincount(codes), np.bincount(codes, weights=equal)
            if (np.minimum(same, n - same) <= 0.02 * n).all() and (same > 0).any() and (same < n).any():
                text = f"'{name}' shows that '{own.name}' is '{engine.name}' unless someone changed it; "
                raise InputError(f"{text}evaluate scores that people gave without seeing the engine's.")


def _refuse_counts(scores: Sequence[Profile], columns: Profiles) -> None:
    """Raise if each row counts the responses with a pair of scores."""
    counts = [name for name in columns if column_names.counts_or_spreads(name)]
    others = [each for name, each in columns.items() if name not in counts]
    if not counts or not all(each.is_score_like for each in scores) or any(each.is_id_like for each in others):
        return
    rows = np.column_stack([each.first_texts[1] for each in others])
    if len(np.unique(rows, axis=0)) == len(rows):
        text = f"'{counts[0]}' counts the responses of each row; write one row for each response, so that each score "
        raise InputError(f"{text}counts once.")
