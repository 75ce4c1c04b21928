"""What a template leaves in a text when a value is missing: a fact of every report, whatever its words are."""

import re

_DATA = re.compile(r"“[^”]+”|«[^»]+»|`[^`]*`|\btables/\S+")
_HOLE = re.compile(
    r"\b(?:None|nan|NaN|Undefined)\b|\b(?:Estimate|Term)\(|\{\w+\}|  |\(\s*\)|“”|«»"
    r"|(?<!\.)\.\.(?![./])| [.,;:](?=\s|$)|,,|, ,|[−-]0\.0+(?!\d)"
)


def hole(text: str) -> str:
    """Return the first thing in a text that no value filled, or a minus before zero; empty if there is none."""
    found = _HOLE.search(_DATA.sub("x", text.strip()))
    return found[0] if found else ""
