"""Cite reportgen and the works behind a report's numbers, as BibTeX, CSL-JSON, and text."""

import json
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

from reportgen.errors import DISTRIBUTION
from reportgen.metrics import METRICS
from reportgen.results import Estimate, Evaluation
from reportgen.wording.bibliography import Work, in_full, named_in, works

__all__ = ["FORMATS", "SOFTWARE", "bibtex", "csl_json", "text", "works_behind"]

FILE = Path(__file__).parent / "used.toml"


def works_behind(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the keys of the works behind an evaluation's numbers, in the order of the bibliography.

    >>> from reportgen.testing import example_evaluation
    >>> [key for key in works_behind(example_evaluation()) if key.startswith(("cohen", "wilson"))]
    ['cohen_1960', 'cohen_1968', 'wilson_1927', 'wilson_hilferty_1931']
    """
    shown = _shown(evaluation)
    found = set(_words("studies").get(str(evaluation.facts.get("study")), ()))  # the work that a study replicates
    found.update(work for statistic in {each.metric for each in shown} for work in _of_statistic(statistic))
    found.update(work for method in {str(each.method) for each in shown} for work in _of_method(method))
    found.update(work for source in {str(check.source) for check in evaluation.checks} for work in named_in(source))
    return tuple(key for key in works() if key in found)


def _shown(evaluation: Evaluation) -> list[Estimate]:
    cells = (cell for table in evaluation.tables.values() for row in table.rows for cell in row.cells)
    return [each for each in (*evaluation.estimates.values(), *cells) if isinstance(each, Estimate) and each.defined]


@cache
def _of_statistic(key: str) -> tuple[str, ...]:
    known = named_in(METRICS[key].source) if key in METRICS else ()
    return (*known, *(work for start, found in _words("statistics").items() if key.startswith(start) for work in found))


@cache
def _of_method(method: str) -> tuple[str, ...]:
    return (
        *named_in(method),
        *(work for words, found in _words("methods").items() if words in method for work in found),
    )


@cache
def _words(part: str) -> Mapping[str, list[str]]:
    found: dict[str, dict[str, list[str]]] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return found[part]


try:
    _ABOUT = {name: metadata(DISTRIBUTION)[name] for name in ("Summary", "Version")}
except PackageNotFoundError:  # a source checkout that is only on the import path
    _ABOUT = {"Summary": "evaluation reports for automated scoring engines", "Version": "unknown"}

SOFTWARE = Work(
    key="reportgen",
    type="software",
    authors=("The reportgen project",),
    title=f"reportgen: {_ABOUT['Summary']}",
    checked=True,
    number=f"Version {_ABOUT['Version']}",
)

_WRITTEN = tomllib.loads(Path(__file__).with_name("bibtex.toml").read_text(encoding="utf-8"))


def bibtex(works: Iterable[Work]) -> str:
    r"""Write references as BibTeX.

    >>> from reportgen.wording.bibliography import work
    >>> print(bibtex([work("candes_recht_2012")]).splitlines()[1])
      author = {Cand{\`e}s, E. and Recht, B.},
    """
    return "\n".join(_entry(work) for work in works)


def escaped(text: str) -> str:
    """Escape text for LaTeX."""
    return "".join(_letter(letter) for letter in unicodedata.normalize("NFC", text))


def _letter(letter: str) -> str:
    apart = unicodedata.normalize("NFD", letter)
    if apart[1:] in _WRITTEN["accents"]:
        return f"{{\\{_WRITTEN['accents'][apart[1:]]}{apart[0]}}}"
    return str(_WRITTEN["letters"].get(letter, letter))


def _entry(work: Work) -> str:
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in _fields(work) if value)
    return f"@{_WRITTEN['types'].get(work.type, 'misc')}{{{work.key},\n{lines}}}\n"


def _fields(work: Work) -> Iterator[tuple[str, str]]:
    """Yield the fields of an entry; titles have extra braces, so that capitals are kept."""
    kind = _WRITTEN["types"].get(work.type, "misc")
    yield "author", " and ".join(_name(author) for author in work.authors)
    yield "title", f"{{{escaped(work.title)}}}"
    yield {"article": "journal", "techreport": "series"}.get(kind, "booktitle"), escaped(work.container)
    yield "year", "" if work.year is None else str(work.year)
    yield "volume", escaped(work.volume)
    yield "number", escaped(work.number if kind == "techreport" else work.issue)
    yield "pages", escaped(work.pages.replace("-", "--"))
    yield "edition", escaped(work.edition)
    yield {"techreport": "institution"}.get(kind, "publisher"), escaped(work.publisher)
    yield "address", escaped(work.place)
    yield "howpublished", escaped(work.number) if kind == "misc" else ""
    yield "doi", work.doi
    yield "url", work.url
    yield "note", escaped(work.note)


def _name(author: str) -> str:
    return escaped(author) if ", " in author else f"{{{escaped(author)}}}"


_PARTICLE = re.compile(r"(?P<particle>(?:[a-z]+ )+)(?P<family>.+)")
"""Lower-case particles of a family name, as in "van Rijsbergen"."""


def csl_json(works: Iterable[Work]) -> str:
    """Write references as CSL-JSON.

    >>> from reportgen.wording.bibliography import work
    >>> json.loads(csl_json([work("van_rijsbergen_1979")]))[0]["author"]
    [{'family': 'Rijsbergen', 'given': 'C. J.', 'non-dropping-particle': 'van'}]
    """
    return json.dumps([_item(work) for work in works], ensure_ascii=False, indent=2) + "\n"


def _item(work: Work) -> dict[str, Any]:
    fields = {
        "id": work.key,
        "type": work.type,
        "author": [_csl_name(author) for author in work.authors],
        "issued": {"date-parts": [[work.year]]} if work.year is not None else None,
        "title": work.title,
        "container-title": work.container,
        "volume": work.volume,
        "issue": work.issue,
        "page": work.pages,
        "edition": work.edition,
        "version" if work.type == "software" else "number": work.number.removeprefix("Version "),
        "publisher": work.publisher,
        "publisher-place": work.place,
        "DOI": work.doi,
        "URL": work.url,
        "note": work.note,
    }
    return {name: value for name, value in fields.items() if value}


def _csl_name(author: str) -> dict[str, str]:
    family, comma, given = author.partition(", ")
    if not comma:
        return {"literal": author}
    particle = _PARTICLE.fullmatch(family)
    if particle is None:
        return {"family": family, "given": given}
    return {"family": particle["family"], "given": given, "non-dropping-particle": particle["particle"].strip()}


def text(works: Iterable[Work]) -> str:
    """Write references as text.

    >>> from reportgen.wording.bibliography import work
    >>> print(text([work("wilson_1927")]).partition(". Journal")[0])
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference
    """
    return "".join(f"{in_full(each).replace('*', '')}\n" for each in works)


FORMATS = {"bibtex": bibtex, "csl": csl_json, "text": text}  # writer of each format
