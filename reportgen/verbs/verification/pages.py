"""Whether the pages of a report are those that its results make."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path, PurePosixPath

from reportgen import reports
from reportgen.errors import DISTRIBUTION
from reportgen.reports import write_pages
from reportgen.settings import override
from reportgen.storing.folder_contents import content_at
from reportgen.storing.report_folder import REFERENCES
from reportgen.verbs.verification.answers import Answer
from reportgen.verbs.verification.stored import PACKET, Stored

WITH_ANY = ("report.ipynb", *REFERENCES)
"""What comes with pages of any format."""

PAGES = {
    **{"report.html": "html", "report.pdf": "pdf", "brief.pdf": "brief", "report.docx": "docx"},
    **dict.fromkeys(WITH_ANY, ""),
}
"""The pages that are made again to be compared, byte by byte, and the format of each."""

LOOKS = ("templates", "logo", "docx_template")
"""Settings of how pages look that lead to files; followed where the one who looks names them, and nowhere else."""


def of_pages(stored: Stored, given: Mapping[str, Path]) -> Iterator[Answer]:
    """Yield for each page whether the results make it, byte by byte.

    Parameters
    ----------
    given
        The templates, the logo or the Word document that pages were made with, where these were not the shipped ones.
    """
    names = [name for name in stored.names if name.removeprefix(stored.prefix) in PAGES]
    if not names:
        return
    equal = _made_again(stored, names, given)
    reason = _may_differ(stored, set(given))
    for name in names:
        if name in equal:
            yield Answer(name, "belongs", "the results make the same file, byte by byte")
        elif reason:
            yield Answer(name, "cannot be told", f"the results make another file, but it was made {reason}")
        else:
            yield Answer(name, "differs", "the results make another file")


def _made_again(stored: Stored, names: list[str], given: Mapping[str, Path]) -> set[str]:
    """Return the pages that the results make with the same bytes, in one of the ways in which pages are made."""
    there = {name: content_at(stored.folder, PurePosixPath(name)) for name in names}
    attach = any(section.name.startswith(PACKET) for section in stored.report.sections)
    look = override(reports.stored_look(stored.report), **given)
    equal: set[str] = set()
    for formats, above in product(
        _formats(stored, names), (False, True) if look.report.plotly == "beside" else (False,)
    ):
        settings = override(look, formats=formats)
        with tempfile.TemporaryDirectory() as made:
            write_pages(stored.report, Path(made), settings, None, stored.prefix, attach=attach, above=above)
            found = {name: Path(made) / name for name in names}
            equal |= {name for name, path in found.items() if path.is_file() and path.read_bytes() == there[name]}
        if equal == set(names):
            break
    return equal


def _formats(stored: Stored, names: list[str]) -> list[tuple[str, ...]]:
    """Return the formats that were asked for: as the results tell, or those of the pages that are there."""
    asked = tuple(reports.stored_look(stored.report).report.formats)
    there = [PAGES[name.removeprefix(stored.prefix)] for name in names]
    return list(dict.fromkeys((asked, tuple(filter(None, there)))))


def _may_differ(stored: Stored, given: set[str]) -> str:
    """Return why honest pages may differ from those made here; empty when they may not."""
    other = stored.other_versions()
    if other:
        return f"by {other}"
    foreign = [each.name for each in stored.report.sections if not each.provider.startswith(f"{DISTRIBUTION} ")]
    if foreign:
        return f"with sections of other programs ({', '.join(foreign)})"
    command = str(stored.evaluation.provenance.get("command")).split()
    options = {key: f"--{key.replace('_', '-')}" for key in LOOKS if key not in given}
    own = [option for key, option in options.items() if _is_set(stored, key) or _names(command, option)]
    return f"with files of its own; name them with {' and '.join(own)}" if own else ""


def _is_set(stored: Stored, key: str) -> bool:
    """Return whether the configuration of a report sets how pages look."""
    config = stored.settings
    return config is not None and getattr(config.report, key) is not None


def _names(command: list[str], option: str) -> bool:
    """Return whether a command line has an option."""
    return any(word == option or word.startswith(f"{option}=") for word in command)
