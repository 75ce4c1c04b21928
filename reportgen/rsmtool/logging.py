"""RSMTool's fields on Weights & Biases, as our settings."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any


def log_keywords(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return what RSMTool's fields on Weights & Biases say, as our settings; nothing when its package is missing."""
    if not fields["use_wandb"] or find_spec("wandb") is None:
        return {}
    return {"log_to": ["wandb"], "log_project": fields["wandb_project"], "log_entity": fields["wandb_entity"]}


def log_notes(fields: Mapping[str, Any]) -> list[str]:
    """Return what the user should know about logging."""
    if not fields["use_wandb"] or find_spec("wandb") is not None:
        return []
    return ["use_wandb is set, but nothing is logged: the package wandb is not installed."]
