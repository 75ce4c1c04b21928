"""The score scale as it is declared: as text, or as a table of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, PlainSerializer, WithJsonSchema

from reportgen.errors import shortened
from reportgen.results import Scale

MOST_POINTS = 1001
"""A scale with more points than this is not a scale of score points (0 to 1000 still is)."""


def _continuous(value: object) -> object:
    """Return ends of a scale without a step as a continuous scale."""
    return f"{value}:0" if isinstance(value, str) and value.count(":") == 1 else value


def _parts(value: object) -> dict[str, Any]:
    """Return the parts of a scale that is written ``1:6`` or ``1:6:0.5``, is a table, or is one already."""
    if isinstance(value, Scale):
        value = _table(value)
    if not isinstance(value, Mapping):
        parts = list(value) if isinstance(value, list | tuple) else str(value).split(":")
        if len(parts) not in (2, 3):
            raise ValueError(f"a scale is written low:high or low:high:step, such as 1:6, not '{shortened(value)}'")
        value = dict(zip(("low", "high", "step"), parts, strict=False))
    if "assumed" in value:
        raise ValueError("a scale that is declared is not assumed; take the key 'assumed' out")
    return {"step": 1.0, **value, "assumed": False}


def _checked(scale: Scale) -> Scale:
    """Refuse a scale that is empty, has no whole number of steps, or has too many points."""
    low, high, step = scale.low, scale.high, scale.step
    if low >= high:
        raise ValueError(f"the low end of a scale must be below the high end, found {low:g}:{high:g}")
    if step < 0:
        raise ValueError(f"the step of a scale must be at least 0, found {step:g}; 0 is for a continuous scale")
    steps = (high - low) / step if step else 0.0
    if abs(steps - round(steps)) > 1e-6:
        raise ValueError(f"steps of {step:g} do not lead from {low:g} to {high:g}")
    if steps >= MOST_POINTS:
        raise ValueError(f"a scale may have {MOST_POINTS} points at most, found {steps + 1:.15g}")
    return scale


def _table(scale: Scale) -> dict[str, float]:
    """Return a scale as it is stored among settings."""
    return {"low": scale.low, "high": scale.high, "step": scale.step}


_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "string", "description": "low:high or low:high:step, as in 1:6."},
        {
            "type": "object",
            "properties": {
                "low": {"type": "number", "description": "The lowest score point."},
                "high": {"type": "number", "description": "The highest score point."},
                "step": {
                    "type": "number",
                    "default": 1.0,
                    "minimum": 0,
                    "description": "The distance between score points; 0 for a continuous scale.",
                },
            },
            "required": ["low", "high"],
            "additionalProperties": False,
        },
    ]
}

DeclaredScale = Annotated[
    Scale, BeforeValidator(_parts), AfterValidator(_checked), PlainSerializer(_table), WithJsonSchema(_SCHEMA)
]
"""The type of a setting that is a scale."""

DeclaredEnds = Annotated[DeclaredScale, BeforeValidator(_continuous)]
"""The type of a setting that is a scale whose step does not matter."""
