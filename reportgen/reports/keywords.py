"""Settings from the keywords of a Python call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reportgen.errors import ReportgenError, SettingsError
from reportgen.settings import Settings


def settings_of(keywords: Mapping[str, Any]) -> Settings:
    """Return settings from flat keywords; unknown ones are refused with the nearest right one."""
    from reportgen.settings import from_keywords

    try:
        return from_keywords(**keywords)
    except ReportgenError:
        raise
    except TypeError as error:
        raise SettingsError(str(error)) from error
