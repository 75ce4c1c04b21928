"""Run simulation studies from the literature, which also answer planning questions in your own design."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # pragma: no cover - the commands list the studies before anything is simulated
    from reportgen.studies.study import STUDIES, Work, find, questions

__all__ = ["STUDIES", "Work", "find", "questions"]


def __getattr__(name: str) -> Any:
    """Import public names on first use."""
    if name in __all__:
        return getattr(import_module("reportgen.studies.study"), name)
    raise AttributeError(f"module 'reportgen.studies' has no attribute {name!r}")
