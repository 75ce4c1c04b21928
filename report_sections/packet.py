"""What the sections of a packet look up in its evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reportgen.sections import Evaluation, Table


def packet(evaluation: Evaluation) -> Mapping[str, Any]:
    """Return the facts of a packet.

    Raises
    ------
    ValueError
        When the evaluation is that of an ordinary report.
    """
    found = evaluation.facts.get("packet")
    if not isinstance(found, Mapping):
        raise ValueError("this section belongs to a review packet; make one with `reportgen packet`")
    return found


def supplied(evaluation: Evaluation, key: str) -> str:
    """Return what the card says about a field, or nothing."""
    return str(packet(evaluation)["card"].get(key, ""))


def tables(evaluation: Evaluation, *keys: str) -> tuple[Table, ...]:
    """Return the tables of these keys that are there."""
    return tuple(evaluation.tables[key] for key in keys if key in evaluation.tables)
