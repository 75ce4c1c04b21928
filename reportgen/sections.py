"""Define and find sections; this is the only module that a section author imports.

A section is a frozen dataclass: its options are fields, and its method `findings` turns an `Evaluation` into
`Findings`. A file ``section.md.j2`` next to it can display them in its own words; without one, the shared template
displays everything. Built-in sections, sections of installed packages (entry-point group ``reportgen.sections``), and
one-file sections given by path work the same way.
"""

from __future__ import annotations  # so that signatures show types as written

import hashlib
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, ClassVar

from reportgen.errors import DISTRIBUTION, SectionError, SettingsError, did_you_mean
from reportgen.plugins import distribution_of, entry_points, explain
from reportgen.results import Check, Column, Estimate, Evaluation, Findings, Highlight, Part, ReportKind, Row, Table
from reportgen.results.chart import *
from reportgen.results.term import Term
from reportgen.settings import is_path

__all__ = [
    "Axis", "Bars", "Cells", "Chart", "Check", "Column", "Dots", "Estimate", "Evaluation", "Findings", "Highlight",
    "Line", "Names", "Pairs", "Panel", "Row", "Rule", "Section", "Shares", "Spans", "Table", "Term", "Zone",
]  # fmt: skip


@dataclass(frozen=True)
class Section:
    """Base class of sections; a subclass with options is a frozen dataclass whose fields are the options.

    Class variables
    ---------------
    name
        Identifier, as in ``sections = ["agreement"]`` of the configuration. Default: the class name in snake case, such
        as ``score_distributions`` for ``ScoreDistributions``.
    title
        Heading in the report. Default: the vocabulary's text for the name (``[sections]`` in ``words``). All four can
        be arguments in the class statement.
    part
        Part of the report: "decision", "evidence" or "annex".
    needs
        Requirements on the data, any of ``"system"``, ``"raters_alone"``, ``"second_human"``, ``"groups"``, ``"item"``,
        ``"candidate"``, ``"runs"``, ``"judge"``, ``"order"`` (of the labels), ``"impact"`` (the scores of the other
        items of the test, or the item's weight in it). A section whose needs are not met is omitted, and the summary
        notes it.

    Examples
    --------
    >>> class Count(Section, title="Responses"):
    ...     def findings(self, evaluation: Evaluation) -> Findings:
    ...         return Findings(headline=f"{evaluation.facts['responses_kept']} responses count.")
    >>> from reportgen.testing import example_evaluation
    >>> Count().findings(example_evaluation()).headline
    '120 responses count.'
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    part: ClassVar[Part] = "evidence"
    needs: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(
        cls, *, name: str = "", title: str = "", part: Part | None = None, needs: tuple[str, ...] = ()
    ) -> None:
        """Read the arguments of the class statement, and derive a missing name from the class name."""
        cls.name = name or getattr(cls, "name", "") or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()
        cls.title, cls.part, cls.needs = title or cls.title, part or cls.part, needs or cls.needs

    def findings(self, evaluation: Evaluation) -> Findings:
        """Compute the findings of this section, without changing `evaluation`."""
        raise NotImplementedError


_TOLD = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

ENTRY_POINT_GROUPS: Mapping[ReportKind, str] = _TOLD["entry_points"]
"""Entry point groups of the sections of every kind of report."""

DEFAULT_ORDERS: Mapping[ReportKind, list[str]] = _TOLD["orders"]
"""The built-in sections of every kind of report, in order."""

NEEDS: Mapping[str, str] = _TOLD["needs"]  # needs of sections, and the words for their absence


@dataclass(frozen=True)
class Found:
    """A section ready to use, and its provider: a distribution and its version, or the name of a file.

    Parameters
    ----------
    file
        The file that the user named.
    error
        Why the section cannot be loaded, shown in its place in the report.
    """

    section: Section
    provider: str
    file: Path | None = None
    error: str = ""

    @property
    def own(self) -> bool:
        """Whether the section is built in, so that tests check its findings."""
        return self.provider.partition(" ")[0] == DISTRIBUTION


def providers(kind: ReportKind = "evaluation") -> dict[str, EntryPoint]:
    """Return the installed sections of a kind of report, by name.

    Raises
    ------
    SectionError
        If two installed packages provide a section of the same name.
    """
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=ENTRY_POINT_GROUPS[kind]):
        other = found.get(entry.name)
        if other is not None and other.value != entry.value:
            raise SectionError(
                f"two installed packages provide a section named '{entry.name}': {provider_of(other)} "
                f"({other.value}) and {provider_of(entry)} ({entry.value}); uninstall one of them."
            )
        found[entry.name] = entry
    return found


def provider_of(entry: EntryPoint) -> str:
    """Return the distribution and version of an entry point."""
    return distribution_of(entry) or entry.value


def load(
    names: Iterable[str] | None, options: Mapping[str, Mapping[str, Any]], kind: ReportKind = "evaluation"
) -> list[Found]:
    """Load the sections of a report in order, with their options.

    Parameters
    ----------
    names
        Names of installed sections, or paths of one-file sections; None for `DEFAULT_ORDERS`.
    options
        Options by section name.
    kind
        Kind of report.

    Raises
    ------
    SettingsError
        If a section or an option is unknown, or an option has the wrong type.
    SectionError
        If two installed packages provide a section of the same name.
    """
    installed = providers(kind)
    found = [_found(name, installed, options) for name in (DEFAULT_ORDERS[kind] if names is None else names)]
    known = [each.section.name for each in found]
    if twice := [name for name in known if known.count(name) > 1]:
        raise SettingsError(f"--sections: '{twice[0]}' is listed twice; list each section once.")
    if unknown := [name for name in options if name not in known and name not in installed]:
        raise SettingsError(f"sections.{unknown[0]}: this section does not exist{did_you_mean(unknown[0], known)}")
    return found


def _found(name: str, installed: Mapping[str, EntryPoint], options: Mapping[str, Mapping[str, Any]]) -> Found:
    """Load one section with its options; if that fails, its place in the report shows the error."""
    file = (Path(name, "__init__.py") if Path(name).is_dir() else Path(name)) if is_path(name) else None
    folder = file.parent.resolve().name if file and file.name == "__init__.py" else ""
    try:
        if file:
            cls, provider = _from_file(file), f"{folder}/" if folder else file.name
        else:
            cls, provider = _from_package(name, installed)
        return Found(_with_options(cls, options.get(cls.name, {})), provider, file)
    except SectionError as error:
        plain = re.sub(r"\W+", "_", folder or file.stem) if file else name
        return Found(_Unloadable(plain), file.name if file else name, file, str(error))


@contextmanager
def _naming_errors(what: str) -> Iterator[None]:
    """Convert any error of a section to a SectionError."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise SectionError(f"{what}: {explain(error)}.") from error


class _Unloadable(Section):
    """A placeholder for a section that cannot be loaded."""

    def __init__(self, name: str) -> None:
        self.name = self.title = name  # type: ignore[misc]


def _from_package(name: str, installed: Mapping[str, EntryPoint]) -> tuple[type[Section], str]:
    if name not in installed:
        raise SettingsError(f"--sections: section '{name}' does not exist{did_you_mean(name, installed)}")
    provider = provider_of(installed[name])
    who = f"section '{name}' of {provider}"
    with _naming_errors(f"{who} cannot be imported"):
        cls = installed[name].load()
    return _checked(cls, who), provider


class _Uncompiled(SourceFileLoader):
    """Writes no compiled file next to a section, so that the user's folder does not change."""

    def set_data(self, path: str, data: Any, *, _mode: int = 0o666) -> None:
        """Do nothing."""


def _from_file(path: Path) -> type[Section]:
    if not path.is_file():
        raise SettingsError(f"--sections: '{path}' was not found; give the path to a section's .py file.")
    module_name = f"reportgen_section_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    spec = spec_from_file_location(module_name, path, loader=_Uncompiled(module_name, str(path)))
    if path.suffix != ".py" or spec is None or spec.loader is None:
        raise SettingsError(f"--sections: '{path}' is not a Python file; give the path to a section's .py file.")
    module = module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses look up their module while they are created
    with _naming_errors(f"section {path} cannot be imported"):
        spec.loader.exec_module(module)
    own = [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == module_name]
    classes = [each for each in own if issubclass(each, Section)]
    if len(classes) != 1:
        raise SectionError(f"section {path} defines {len(classes)} subclasses of Section; define one in each file.")
    return _checked(classes[0], f"section {path}")


def _checked(cls: object, who: str) -> type[Section]:
    """Reject a class that is not a section, with its name."""
    if not (isinstance(cls, type) and issubclass(cls, Section)):
        raise SectionError(f"{who} is {cls!r}, not a subclass of reportgen.sections.Section.")
    for attribute in ("name", "title"):
        if not isinstance(getattr(cls, attribute, None), str):
            raise SectionError(f"{who} has no class variable '{attribute}': add {attribute} = '...'.")
    if unknown := set(cls.needs) - set(NEEDS):
        raise SectionError(f"{who} needs '{min(unknown)}'{did_you_mean(min(unknown), NEEDS)}")
    return cls


@lru_cache(128)
def _adapter_of(cls: type[Section]) -> Any:
    """Return the validator of a section's options; created once for all reports of a batch."""
    from pydantic import TypeAdapter

    try:
        adapter = TypeAdapter(cls)
        adapter.rebuild(raise_errors=True)  # raises only now if a type is not defined
    except Exception as error:
        raise SettingsError(
            f"sections.{cls.name}: the types of its options cannot be read ({explain(error)}); use plain ones, such as "
            "int, float, str, bool, or tuple[str, ...]."
        ) from error
    return adapter


def _with_options(cls: type[Section], options: Mapping[str, Any]) -> Section:
    known = [field.name for field in fields(cls)]
    for key in options:
        if key not in known:
            raise SettingsError(f"sections.{cls.name}.{key}: unknown option{did_you_mean(key, known)}")
    from pydantic import ValidationError

    hashable: Any = cls  # classes are hashable, but only the types of objects are declared so
    adapter = _adapter_of(hashable)
    with _naming_errors(f"section '{cls.name}' cannot be made with its options"):
        try:
            section: Section = adapter.validate_python(dict(options))
        except ValidationError as error:
            refused = error
        else:
            return section
    detail = refused.errors()[0]
    place = ".".join(str(part) for part in ("sections", cls.name, *detail["loc"]))
    raise SettingsError(f"{place}: {detail['msg']}; found {str(detail['input'])[:80]!r}.") from refused


def unmet_need(section: Section, evaluation: Evaluation) -> str:
    """Return why a section is omitted from this report, or "" if the data meet its needs."""
    roles = {role.role for role in evaluation.roles if role.columns}
    offered = {
        "system": evaluation.kind != "raters",
        "raters_alone": evaluation.kind == "raters",
        "second_human": len(evaluation.raters) > 1,
        "groups": bool(evaluation.groups or evaluation.facts.get("groups_withheld")),
        "item": "item" in roles,
        "candidate": "candidate" in roles,
        "runs": "run" in roles,
        "impact": "impact" in evaluation.facts,
        "order": evaluation.scale.ordered,
        "judge": any(key.startswith("judges.") for key in evaluation.tables) or "position" in roles,
    }
    return next((NEEDS[need] for need in section.needs if not offered[need]), "")
