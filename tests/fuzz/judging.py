"""Check for effects that no command may have; each finding is one or two words."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from fuzz.cases import Case
from fuzz.harness import NEVER_LEFT, SECONDS, Did
from fuzz.pieces import MARKER, PLANTED

FOLLOWED_BY = {"error: ": r"(hint: .*\n)?", "question: ": r"(  \d+\. .*\n     reportgen .*\n)+"}
"""How the line begins that tells why a command stops -> the lines after it."""
MOST_LETTERS = 300
MOST_MEGABYTES = 2048
DEFECT = 4

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
ACTS = re.compile(
    r"""<script>alert\(1|\b(?:href|src|action)\s*=\s*["']?\s*(?:javascript:|file:|https?://example\.invalid)"""
    r"""|url\(["']?https?://example\.invalid|http-equiv=["']?refresh|position:fixed;inset:0" onclick""",
    re.IGNORECASE,
)


def findings(case: Case, did: Did, root: Path) -> list[str]:
    """Return the forbidden effects of a command."""
    return [*_ends(case, did), *_speaks(case, did), *_touches(case, did), *_writes(case, did, root)]


def _ends(case: Case, did: Did) -> Iterator[str]:
    if "Traceback (most recent" in did.errors + did.output or did.code == NEVER_LEFT:
        yield "traceback"
    elif did.code == DEFECT:
        yield "a defect"
    elif did.code in (-9, -24, -14) or (did.code == 0 and did.seconds > SECONDS):
        yield "too long"
    elif did.code < 0:
        yield f"crash {-did.code}"
    elif did.code not in case.codes:
        yield f"code {did.code}"
    if did.megabytes > MOST_MEGABYTES:
        yield "too much memory"


def _speaks(case: Case, did: Did) -> Iterator[str]:
    lines = [line for line in did.errors.splitlines() if line.strip()]
    told = [(line, after) for line in lines for start, after in FOLLOWED_BY.items() if line.startswith(start)]
    if (did.code >= 2 and not lines) or (did.code in (2, DEFECT) and not told):
        yield "no sentence"
    elif told and not re.fullmatch(told[0][1], "".join(f"{line}\n" for line in lines[lines.index(told[0][0]) + 1 :])):
        yield "more than one line"
    if any(len(line) > len("error: ") + MOST_LETTERS for line in lines if not line.startswith("     reportgen ")):
        yield "long sentence"
    if CONTROL.search(did.output) or CONTROL.search(did.errors):
        yield "control characters"
    if PLANTED in did.output + did.errors and not case.names_asked:
        yield "name in a stream"


def _touches(case: Case, did: Did) -> Iterator[str]:
    changed = {path for path in {*did.before, *did.after} if did.before.get(path) != did.after.get(path)}
    allowed = tuple(f"work/{place}" for place in case.writes)
    outside = [path for path in changed if not any(f"{path}/".startswith(f"{place}/") for place in allowed)]
    if any(path.rpartition("/")[2] == MARKER for path in changed):
        yield "code executed"
    elif any(path.startswith("tmp/") for path in outside):
        yield "temporary files"
    elif outside:
        yield f"touches {'home' if any(path.startswith('home/') for path in outside) else 'another file'}"
    elif did.code == 2 and changed:
        yield "writes and refuses"
    if any(".reportgen-" in path for path in did.after.keys() - did.before.keys()):
        yield "scraps"


def _writes(case: Case, did: Did, root: Path) -> Iterator[str]:
    fresh = [root / path for path, told in did.after.items() if len(told) == 64 and told != did.before.get(path)]
    if not case.names_asked and any(PLANTED in path.as_posix() or _holds(path, PLANTED) for path in fresh):
        yield "name in a file"
    for path in fresh:
        if path.name == "results.json" and not _is_strict(path):
            yield "results no JSON"
        if path.suffix == ".html" and ACTS.search(path.read_text(encoding="utf-8")):
            yield "acting page"


def _holds(path: Path, text: str) -> bool:
    return text.encode() in path.read_bytes()


def _is_strict(path: Path) -> bool:
    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    except ValueError:
        return False
    return True
