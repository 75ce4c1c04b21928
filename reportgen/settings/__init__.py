"""What a run is asked to do: read from a file or keywords, checked once, written back resolved."""

from reportgen.settings.loading import (
    from_keywords,
    from_stored,
    load,
    override,
    parse,
    validated,
)
from reportgen.settings.models import (
    ColourSettings,
    DataSettings,
    ImpactSettings,
    PreparationSettings,
    PrivacySettings,
    ReportSettings,
    RunsSettings,
    Settings,
    StatisticsSettings,
    Strict,
    TraitSettings,
    VerdictSettings,
)
from reportgen.settings.options import Option
from reportgen.settings.paths import CONFIG_SUFFIXES, RESCALED, is_path, is_policy_path
from reportgen.settings.scale import MOST_POINTS, DeclaredScale
from reportgen.settings.writing import as_seen_from, as_toml, config_text, stored, write_config

__all__ = [
    "CONFIG_SUFFIXES",
    "MOST_POINTS",
    "RESCALED",
    "ColourSettings",
    "DataSettings",
    "DeclaredScale",
    "ImpactSettings",
    "Option",
    "PreparationSettings",
    "PrivacySettings",
    "ReportSettings",
    "RunsSettings",
    "Settings",
    "StatisticsSettings",
    "Strict",
    "TraitSettings",
    "VerdictSettings",
    "as_seen_from",
    "as_toml",
    "config_text",
    "from_keywords",
    "from_stored",
    "is_path",
    "is_policy_path",
    "load",
    "override",
    "parse",
    "stored",
    "validated",
    "write_config",
]
