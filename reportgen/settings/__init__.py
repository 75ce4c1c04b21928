"""What a run is asked to do: read from a file or keywords, checked once, written back resolved."""

from reportgen.settings.loading import CONFIG_SUFFIXES, from_keywords, from_stored, is_path, load, override, parse
from reportgen.settings.models import (
    ColourSettings,
    DataSettings,
    LogSettings,
    PreparationSettings,
    PrivacySettings,
    ReportSettings,
    RunsSettings,
    ScaleSettings,
    Settings,
    StatisticsSettings,
)
from reportgen.settings.writing import as_seen_from, config_text, write_config

__all__ = [
    "CONFIG_SUFFIXES",
    "ColourSettings",
    "DataSettings",
    "LogSettings",
    "PreparationSettings",
    "PrivacySettings",
    "ReportSettings",
    "RunsSettings",
    "ScaleSettings",
    "Settings",
    "StatisticsSettings",
    "as_seen_from",
    "config_text",
    "from_keywords",
    "from_stored",
    "is_path",
    "load",
    "override",
    "parse",
    "write_config",
]
