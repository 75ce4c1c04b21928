"""Read settings from a file or keywords, check them, and write them in full."""

from reportgen.settings.kinds import CONFIG_SUFFIXES, RESCALED, Option, is_path, is_policy_path
from reportgen.settings.loading import from_keywords, from_stored, load, override, parse, stored, write_config
from reportgen.settings.models import DataSettings, PreparationSettings, RunsSettings, Settings, Strict, TraitSettings

__all__ = [
    "CONFIG_SUFFIXES", "RESCALED", "DataSettings", "Option", "PreparationSettings", "RunsSettings", "Settings",
    "Strict", "TraitSettings", "from_keywords", "from_stored", "is_path", "is_policy_path", "load", "override",
    "parse", "stored", "write_config",
]  # fmt: skip
