"""What cells show, in the form in which a notebook can hold it."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from typing import Any

from reportgen.charts.svg import clean


def storable(content: Any, form: str = "") -> Any:
    r"""Return what a cell shows as a notebook can hold it: bytes as letters, nothing that JSON cannot say.

    Examples
    --------
    >>> storable({"image/png": b"\x89", "text/plain": b"abc"}), storable([float("nan"), 1])
    ({'image/png': 'iQ==', 'text/plain': 'abc'}, [None, 1])
    """
    if isinstance(content, Mapping):
        return {str(key): storable(item, form or str(key)) for key, item in content.items()}
    if isinstance(content, list | tuple):
        return [storable(item, form) for item in content]
    if isinstance(content, bytes):
        picture = form.startswith("image/") and "xml" not in form
        return base64.b64encode(content).decode() if picture else clean(content.decode("utf-8", "replace"))
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    return content if content is None or isinstance(content, bool | int) else clean(str(content))
