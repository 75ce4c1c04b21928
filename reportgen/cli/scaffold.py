"""The first files of somebody's own section: code, template and test, all working."""

from __future__ import annotations

import keyword
import os
from pathlib import Path
from string import Template

from reportgen.errors import OutputError, SettingsError
from reportgen.storing import replaced

_SECTION = '''\
"""$title: one sentence that says what this section is for."""

from dataclasses import dataclass
from typing import ClassVar

from reportgen.sections import Column, Evaluation, Findings, Row, Section, Table


@dataclass(frozen=True)
class $class_name(Section):
    """How far the engine lies from the human scores.

    Fields are options: set them in the configuration under [sections.$name].

    Parameters
    ----------
    decimals
        How many decimals the headline shows.
    """

    name: ClassVar[str] = "$name"
    title: ClassVar[str] = "$title"

    decimals: int = 2

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what this section shows."""
        error = evaluation.estimates["system.rmse"]
        shown = "undefined" if error.value is None else f"{error.value:.{self.decimals}f}"
        absolute = evaluation.estimates["system.mae"]
        table = Table(
            key="$name.error",
            caption="Error of the engine's scores, on all responses that count",
            columns=(Column("statistic", "Statistic"), Column("value", "Value [95 % interval]", "score")),
            rows=(Row(("Root mean squared error", error)), Row(("Mean absolute error", absolute))),
        )
        return Findings(
            headline=f"The engine's root mean squared error is {shown} score points.",
            tables=(table,),
        )
'''

_TEMPLATE = """\
{% extends "shipped/notebook/base_section.md.j2" %}
{% block lead %}
Write what a reader should know before the table. Everything in `findings`, `section` and `report` can be said here:
this evaluation rests on {{ report.evaluation.facts["responses_kept"] }} responses.
{% endblock %}
"""

_TEST = """\
from pathlib import Path

from reportgen.testing import check_section

SECTION = Path(__file__).parent / "__init__.py"


def test_$name() -> None:
    findings = check_section(SECTION, decimals=3)
    assert findings.headline == "The engine's root mean squared error is 0.335 score points."
"""


def new_section(name: str, folder: Path) -> list[Path]:
    """Write a section `name` with its template and its test into ``folder/name``; return the files.

    Raises
    ------
    SettingsError
        `name` is no Python name in lower case.
    OutputError
        The folder is there already, or cannot be written.
    """
    if not name.isidentifier() or name != name.lower() or keyword.iskeyword(name):
        raise SettingsError(
            f"section '{name}': expected a Python name in lower case, such as essay_length; type another one."
        )
    home = folder / name
    words = {
        "name": name,
        "title": name.replace("_", " ").strip().capitalize(),
        "class_name": "".join(part.capitalize() for part in name.split("_")) or "Own",
    }
    contents = {"__init__.py": _SECTION, "section.md.j2": _TEMPLATE, f"test_{name}.py": _TEST}

    def refuse() -> None:
        if os.path.lexists(home):
            raise OutputError(f"'{home}' is there already; choose another name, or remove it.")

    refuse()
    with replaced(home, check=refuse) as new:
        for file, text in contents.items():
            (new / file).write_text(Template(text).safe_substitute(words), encoding="utf-8")
    return [home / file for file in contents]
