"""What kind of source is to be evaluated: judge outputs, a configuration of RSMTool, or plain scores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen.settings import CONFIG_SUFFIXES


def is_judge_outputs(source: Any, wanted: str | None = None) -> bool:
    """Return whether a source is a file of judge outputs: by the `wanted` reader, or as readers recognise it."""
    from reportgen.sources.judge_outputs import recognised

    return bool(isinstance(source, str | Path) and Path(source).is_file() and recognised(Path(source), wanted))


def is_rsmtool(source: Any) -> bool:
    """Return whether a source is a configuration of RSMTool: a JSON file, what one says, or one that ours keeps."""
    if isinstance(source, Mapping) and not any(isinstance(value, str) for value in source.values()):
        return False  # columns
    if not isinstance(source, Mapping) and not str(source).lower().endswith(CONFIG_SUFFIXES):
        return False
    if is_judge_outputs(source):
        return False
    from reportgen import rsmtool

    if not isinstance(source, Mapping) and rsmtool.answers_rsmeval(Path(source)):
        return True
    return (rsmtool.tool_of(source) if isinstance(source, Mapping) else rsmtool.tool_of_file(Path(source))) is not None
