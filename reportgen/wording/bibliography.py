"""Read the works that code, reports, and documents cite, from ``bibliography.toml``.

An entry has the fields of CSL-JSON under plain names, so that BibTeX and CSL-JSON can be written from it. `checked`
means that authors, title, and the cited content were compared with the work itself.
"""

import html
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

from reportgen.errors import SettingsError, did_you_mean

FILE = Path(__file__).parent / "bibliography.toml"

MOST_NAMED = 3  # authors that a citation names; if there are more, it names only the first

_NAME = r"(?:van )?[A-Z][A-Za-zÀ-ÿ’'-]+"
_YEAR = r"(?:1[89]|20)\d\d[ab]?"
_CITATION = re.compile(
    rf"(?P<who>{_NAME}(?:, {_NAME})*(?:,? (?:and|y|&) {_NAME})?)(?P<more>,? et al\.)?,? "
    rf"\(?(?P<years>{_YEAR}(?:, {_YEAR})*)\b"
)


class Citation(NamedTuple):
    """Authors and year as named in a text; `shortened` if authors are omitted ("et al.")."""

    names: tuple[str, ...]
    shortened: bool
    year: str


@dataclass(frozen=True)
class Work:
    """One cited work, with the fields of CSL; unknown ones are empty.

    `key` is family names and year, as in ``loukina_2020``, `type` its CSL type; "article" is a preprint. `authors` are
    "Family, Given"; an organization has no comma. `container` is the journal, proceedings, series, or book that
    contains the work; `suffix` is the letter that distinguishes two works of a year. `checked` means that it was
    compared with the work itself; if not, `cited_by` is the checked work whose reference list contains it.
    """

    key: str
    type: str
    authors: tuple[str, ...]
    title: str
    checked: bool
    year: int | None = None
    suffix: str = ""
    container: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    edition: str = ""
    number: str = ""
    place: str = ""
    publisher: str = ""
    doi: str = ""
    url: str = ""
    note: str = ""
    cited_by: str = ""

    @property
    def families(self) -> tuple[str, ...]:
        """Family names in order."""
        return tuple(author.partition(",")[0] for author in self.authors)

    @property
    def dated(self) -> str:
        """Year with its letter, or "n.d."."""
        return f"{self.year}{self.suffix}" if self.year is not None else "n.d."


@cache
def works() -> Mapping[str, Work]:
    """Return all works by key, in alphabetical order.

    >>> works()["casabianca_2023"].number
    'Research Memorandum RM-23-01'
    """
    entries = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return MappingProxyType(
        {key: Work(key=key, **(entry | {"authors": tuple(entry["authors"])})) for key, entry in entries.items()}
    )


def work(key: str) -> Work:
    """Return a work by its key, or raise SettingsError."""
    if key not in works():
        raise SettingsError(f"unknown work '{key}'{did_you_mean(key, works())}")
    return works()[key]


def citations(text: str) -> Iterator[Citation]:
    """Yield the apparent citations in a text, whether or not the bibliography contains the works.

    >>> [(each.names, each.year) for each in citations("Cohen 1960, 1968; Lin (1989) and Loukina et al. (2020)")]
    [(('Cohen',), '1960'), (('Cohen',), '1968'), (('Lin',), '1989'), (('Loukina',), '2020')]
    """
    for found in _CITATION.finditer(text):
        names = [re.sub(r"['’]s$", "", name) for name in re.split(r",? (?:and|y|&) |, ", found["who"])]
        for year in found["years"].split(", "):
            yield Citation(tuple(names), bool(found["more"]), year)


def named_in(text: str) -> tuple[str, ...]:
    """Return the keys of the works cited in a text, such as the source of a statistic or a policy, each once.

    >>> named_in("Cohen 1968; Lin 1989; Haberman 2019")
    ('cohen_1968', 'lin_1989', 'haberman_2019')
    """
    found = (key for each in citations(text) for key, entry in works().items() if names(each, entry))
    return tuple(dict.fromkeys(found))


def names(citation: Citation, entry: Work) -> bool:
    """Return whether a citation matches this work: its first author and "et al.", or all its authors."""
    given = entry.families[:1] if citation.shortened else entry.families
    return citation.year == entry.dated and citation.names == given


def cited(key: str, also: str = "and") -> str:
    """Write a citation for a sentence: up to three authors; only the first if there are more.

    `also`: The word before the last author.

    >>> cited("loukina_2020"), cited("williamson_2012"), cited("yannakoudakis_cummins_2015", "y")
    ('Loukina et al. (2020)', 'Williamson, Xi and Breyer (2012)', 'Yannakoudakis y Cummins (2015)')
    """
    found = work(key)
    *others, last = found.families
    every = f"{', '.join(others)} {also} {last}" if others else last
    who = f"{others[0]} et al." if len(others) >= MOST_NAMED else every
    return f"{who} ({found.dated})"


def in_full(found: Work) -> str:
    """Write a reference in Markdown; the work need not be in the bibliography.

    >>> in_full(work("haberman_2008"))[:94]
    'Haberman, S. J. (2008). When can subscores have value? *Journal of Educational and Behavioral '
    """
    title = f"*{found.title}*" if found.type in ("book", "software") else found.title
    if found.edition:
        title += f" (edition {found.edition})"
    parts = [f"{', '.join(map(_initials, found.authors))} ({found.dated})", title, _where(found)]
    parts += [found.publisher, f"https://doi.org/{found.doi}" if found.doi else found.url, found.note]
    text = " ".join(part if part.endswith(("?", "!")) else f"{part.removesuffix('.')}." for part in parts if part)
    return text if found.checked else f"{text} †"


def linked(found: Work) -> str:
    """Write a reference like `in_full`, with a link for its DOI and escaped HTML.

    >>> linked(work("yannakoudakis_cummins_2015")).rpartition(". ")[2]
    '<a href="https://doi.org/10.3115/v1/W15-0625">doi.org/10.3115/v1/W15-0625</a>.'
    """
    text = html.escape(in_full(found), quote=False)
    if not found.doi:
        return text
    address = html.escape(f"https://doi.org/{found.doi}", quote=False)
    link = f'<a href="https://doi.org/{quote(found.doi)}">{address.removeprefix("https://")}</a>'
    return text.replace(address, link)


def _initials(author: str) -> str:
    family, _, given = author.partition(", ")
    if not given:
        return family
    return f"{family}, {' '.join(name if name.endswith('.') else f'{name[0]}.' for name in given.split())}"


def _where(found: Work) -> str:
    issue, pages = f"({found.issue})" if found.issue else "", found.pages.replace("-", "–")
    parts = [f"*{found.container}*" if found.container else "", found.volume + issue, pages, found.number, found.place]
    return ", ".join(part for part in parts if part)
