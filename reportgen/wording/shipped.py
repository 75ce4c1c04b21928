"""Where the shipped templates live."""

from __future__ import annotations

from pathlib import Path

_INSTALLED = Path(__file__).parents[1] / "templates"
_CHECKOUT = Path(__file__).parents[2] / "templates"

TEMPLATES = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
"""The folder ``templates``: inside the installed package, or beside it in a checkout."""
