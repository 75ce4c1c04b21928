"""Works that a section cites: their titles and places are nobody's sentences."""

import re
from collections.abc import Iterable

WORK = re.compile(r"- .*\(\d{4}[a-z]?\)\. ")


def without_works(lines: Iterable[str]) -> list[str]:
    """Return the lines of a section without the works that it cites, and without headings among them."""
    return [line for line in lines if not WORK.match(line) and not line.startswith("### ")]
