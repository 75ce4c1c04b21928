"""Read settings from a file or keywords, check them, and write them in full."""

from reportgen.settings.kinds import (
    CONFIG_SUFFIXES,
    MOST_POINTS,
    RESCALED,
    DeclaredScale,
    Option,
    is_path,
    is_policy_path,
)
from reportgen.settings.loading import (
    as_seen_from,
    as_toml,
    config_text,
    from_keywords,
    from_stored,
    load,
    override,
    parse,
    stored,
    validated,
    write_config,
)
from reportgen.settings.models import (
    DataSettings,
    ImpactSettings,
    PreparationSettings,
    ReportSettings,
    RunsSettings,
    Settings,
    StatisticsSettings,
    Strict,
    TraitSettings,
)

__all__ = [
    "CONFIG_SUFFIXES", "MOST_POINTS", "RESCALED", "DataSettings", "DeclaredScale", "ImpactSettings",
    "Option", "PreparationSettings", "ReportSettings", "RunsSettings", "Settings",
    "StatisticsSettings", "Strict", "TraitSettings", "as_seen_from", "as_toml", "config_text",
    "from_keywords", "from_stored", "is_path", "is_policy_path", "load", "override", "parse", "stored", "validated",
    "write_config",
]  # fmt: skip
