r"""References as BibTeX: letters beyond ASCII as LaTeX writes them, so that every BibTeX reads them.

>>> print(escaped("Björck, Å.: R & D at 5 % – O'Hagan’s_x"))
Bj{\"o}rck, {\r A}.: R \& D at 5 \% -- O'Hagan's\_x
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from reportgen.wording.bibliography import Work

KINDS = {
    "article-journal": "article",
    "paper-conference": "inproceedings",
    "chapter": "incollection",
    "book": "book",
    "report": "techreport",
}
"""What BibTeX calls the types of CSL; the others are "misc"."""

_SIGNS = {
    "\\": r"{\textbackslash}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "~": r"{\textasciitilde}", "^": r"{\textasciicircum}", "–": "--", "—": "---", "’": "'", "‘": "`", "“": "``",
    "”": "''", "ß": r"{\ss}", "ø": r"{\o}", "Ø": r"{\O}", "æ": r"{\ae}", "Æ": r"{\AE}", "œ": r"{\oe}", "Œ": r"{\OE}",
    "ł": r"{\l}", "Ł": r"{\L}", "ı": r"{\i}", "\N{NO-BREAK SPACE}": "~",
}  # fmt: skip

_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u ", "\u0307": ".",
    "\u0308": '"', "\u030a": "r ", "\u030b": "H ", "\u030c": "v ", "\u0327": "c ", "\u0328": "k ",
}  # fmt: skip
"""How LaTeX writes the accents that Unicode puts behind a letter."""


def bibtex(works: Iterable[Work]) -> str:
    r"""Return references as BibTeX.

    Examples
    --------
    >>> from reportgen.wording.bibliography import work
    >>> print(bibtex([work("candes_recht_2012")]).splitlines()[1])
      author = {Cand{\`e}s, E. and Recht, B.},
    """
    return "\n".join(_entry(work) for work in works)


def escaped(text: str) -> str:
    """Return text as LaTeX writes it."""
    return "".join(_letter(letter) for letter in unicodedata.normalize("NFC", text))


def _letter(letter: str) -> str:
    """Return one letter; one that LaTeX has no sign for stays."""
    if letter in _SIGNS:
        return _SIGNS[letter]
    apart = unicodedata.normalize("NFD", letter)
    if apart[1:] in _ACCENTS:
        return f"{{\\{_ACCENTS[apart[1:]]}{apart[0]}}}"
    return letter


def _entry(work: Work) -> str:
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in _fields(work) if value)
    return f"@{KINDS.get(work.type, 'misc')}{{{work.key},\n{lines}}}\n"


def _fields(work: Work) -> Iterator[tuple[str, str]]:
    """Yield the fields of an entry; a title is in braces of its own, so that its capitals stay."""
    kind = KINDS.get(work.type, "misc")
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
    """Return "Family, Given"; an organisation in braces, which keep it whole."""
    return escaped(author) if ", " in author else f"{{{escaped(author)}}}"
