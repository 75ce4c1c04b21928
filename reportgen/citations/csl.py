"""References as CSL-JSON, which Zotero, Pandoc and others read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from reportgen.wording.bibliography import Work

_PARTICLE = re.compile(r"(?P<particle>(?:[a-z]+ )+)(?P<family>.+)")
"""What stands before a family name in lower case, as in "van Rijsbergen"."""


def csl_json(works: Iterable[Work]) -> str:
    """Return references as CSL-JSON.

    Examples
    --------
    >>> from reportgen.wording.bibliography import work
    >>> json.loads(csl_json([work("van_rijsbergen_1979")]))[0]["author"]
    [{'family': 'Rijsbergen', 'given': 'C. J.', 'non-dropping-particle': 'van'}]
    """
    return json.dumps([_item(work) for work in works], ensure_ascii=False, indent=2) + "\n"


def _item(work: Work) -> dict[str, Any]:
    """Return one reference; what is not known of it is left out."""
    fields = {
        "id": work.key,
        "type": work.type,
        "author": [_name(author) for author in work.authors],
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


def _name(author: str) -> dict[str, str]:
    """Return "Family, Given" in parts; an organisation as it is."""
    family, comma, given = author.partition(", ")
    if not comma:
        return {"literal": author}
    particle = _PARTICLE.fullmatch(family)
    if particle is None:
        return {"family": family, "given": given}
    return {"family": particle["family"], "given": given, "non-dropping-particle": particle["particle"].strip()}
