"""reportgen as a work that can be cited: what its installed package says of itself, as ``CITATION.cff`` does."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, metadata

from reportgen.errors import DISTRIBUTION
from reportgen.wording.bibliography import Work

try:
    _ABOUT = {name: metadata(DISTRIBUTION)[name] for name in ("Summary", "Version")}
except PackageNotFoundError:  # a copy of the source that is on the import path only
    _ABOUT = {"Summary": "evaluation reports for automated scoring engines", "Version": "unknown"}

SOFTWARE = Work(
    key="reportgen",
    type="software",
    authors=("The reportgen project",),
    title=f"reportgen: {_ABOUT['Summary']}",
    checked=True,
    number=f"Version {_ABOUT['Version']}",
)
