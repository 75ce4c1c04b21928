"""Which fields results.json leaves out."""

from __future__ import annotations

from collections.abc import Mapping

UNLESS_DEFAULT: Mapping[str, bool] = {"stored unless default": True}
"""Marks a field that results.json holds only where it is not the default."""
