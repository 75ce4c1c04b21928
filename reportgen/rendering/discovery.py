"""Finds the template of a section from its name or its file, without running the section."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path

from reportgen.plugins.installed import entry_points
from reportgen.results import SectionResult
from reportgen.sections import ENTRY_POINT_GROUPS

TEMPLATE = "section.md.j2"


def _installed() -> Iterator[EntryPoint]:
    """Yield the entry points of all installed sections."""
    for group in ENTRY_POINT_GROUPS.values():
        yield from entry_points(group)


def names() -> tuple[str, ...]:
    """Return the names of all installed sections."""
    return tuple(sorted({entry.name for entry in _installed()}))


def folder_of(section: SectionResult, named: Mapping[str, Path]) -> Path | None:
    """Return the folder that holds the section's own template, or None.

    Parameters
    ----------
    section
        As stored; where it says that it comes from leads nowhere.
    named
        Section name -> file, as the one who renders named them; other sections are looked up among the installed ones.
    """
    template = _beside(named[section.name]) if section.name in named else template_of(section.name)
    return template.parent if template else None


def template_of(name: str) -> Path | None:
    """Return the template of an installed section, or None when it has none."""
    for entry in _installed():
        if entry.name != name:
            continue
        try:
            spec = find_spec(entry.module)
        except ImportError:  # the package of the section is gone; the shared template serves
            continue
        if spec is not None and spec.origin:
            return _beside(Path(spec.origin))
    return None


def _beside(module: Path) -> Path | None:
    """Return the template of a module or package: in the folder of its name, or beside it."""
    folder = module if module.is_dir() else module.with_suffix("")
    for candidate in (folder / TEMPLATE, module.parent / TEMPLATE):
        if candidate.is_file():
            return candidate
    return None
