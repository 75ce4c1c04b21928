"""reportgen as a work that can be cited: what its installed package says of itself, as ``CITATION.cff`` does."""

from __future__ import annotations

from importlib.metadata import metadata

from reportgen.wording.bibliography import Work

_ABOUT = metadata("reportgen")

SOFTWARE = Work(
    key="reportgen",
    type="software",
    authors=("The reportgen project",),
    title=f"reportgen: {_ABOUT['Summary']}",
    checked=True,
    number=f"Version {_ABOUT['Version']}",
)
