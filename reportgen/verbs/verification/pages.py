"""Whether the pages of a report are those that its results make."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path, PurePosixPath

from reportgen import reports
from reportgen.rendering import FORMATS, Look, render
from reportgen.settings import override
from reportgen.storing.folder_contents import content_at
from reportgen.verbs.verification.answers import Answer
from reportgen.verbs.verification.stored import PACKET, Stored

PAGES = ("report.html", "report.pdf", "brief.pdf", "report.ipynb")
"""The pages that are made again to be compared, byte by byte."""

LOOKS = ("templates", "logo")
"""Settings of how pages look that lead to files; followed where the one who looks names them, and nowhere else."""


def of_pages(stored: Stored, templates: Path | None = None, logo: Path | None = None) -> Iterator[Answer]:
    """Yield for each page whether the results make it, byte by byte, with these templates or the shipped ones."""
    names = [name for name in stored.names if name.removeprefix(stored.prefix) in PAGES]
    if not names:
        return
    given = {name: value for name, value in zip(LOOKS, (templates, logo), strict=True) if value is not None}
    equal = _made_again(stored, names, reports.look_of(override(reports.stored_look(stored.report), **given)))
    reason = _may_differ(stored, set(given))
    for name in names:
        if name in equal:
            yield Answer(name, "belongs", "the results make the same page, byte by byte")
        elif reason:
            yield Answer(name, "cannot be told", f"the results make another page, but it was made {reason}")
        else:
            yield Answer(name, "differs", "the results make another page")


def _made_again(stored: Stored, names: list[str], look: Look) -> set[str]:
    """Return the pages that the results make with the same bytes, in one of the ways in which pages are made."""
    there = {name: content_at(stored.folder, PurePosixPath(name)) for name in names}
    equal: set[str] = set()
    for formats, above in product(_formats(stored, names), (False, True) if look.library else (False,)):
        with tempfile.TemporaryDirectory() as made:
            attach = any(section.name.startswith(PACKET) for section in stored.report.sections)
            own = replace(look, above=above)
            render(stored.report, Path(made), formats=formats, look=own, prefix=stored.prefix, attach=attach)
            for name in names:
                with suppress(FileNotFoundError):
                    equal |= {name} if (Path(made) / name).read_bytes() == there[name] else set()
        if equal == set(names):
            break
    return equal


def _formats(stored: Stored, names: list[str]) -> list[tuple[str, ...]]:
    """Return the formats that were asked for: as the results tell, or those of the pages that are there."""
    asked = tuple(reports.stored_look(stored.report).report.formats)
    there = tuple(each for each in FORMATS if any(Path(name).suffix == f".{each}" or each in name for name in names))
    return list(dict.fromkeys((asked, there)))


def _may_differ(stored: Stored, given: set[str]) -> str:
    """Return why honest pages may differ from those made here; empty when they may not."""
    other = stored.other_versions()
    if other:
        return f"by {other}"
    foreign = [each.name for each in stored.report.sections if not each.provider.startswith("reportgen ")]
    if foreign:
        return f"with sections of other programs ({', '.join(foreign)})"
    command = str(stored.evaluation.provenance.get("command")).split()
    own = [f"--{key}" for key in LOOKS if key not in given and (_is_set(stored, key) or _names(command, f"--{key}"))]
    return f"with files of its own; name them with {' and '.join(own)}" if own else ""


def _is_set(stored: Stored, key: str) -> bool:
    """Return whether the configuration of a report sets how pages look."""
    config = stored.settings
    return config is not None and getattr(config.report, key) is not None


def _names(command: list[str], option: str) -> bool:
    """Return whether a command line has an option."""
    return any(word == option or word.startswith(f"{option}=") for word in command)
