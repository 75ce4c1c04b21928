"""Imported by the process that commands are copies of, so that it has made a page and its templates are compiled."""

import tempfile
from pathlib import Path

import reportgen

with tempfile.TemporaryDirectory() as _folder:
    _stored = Path(__file__).parents[1] / "example_reports" / "biased_group" / "results.json"
    reportgen.render(_stored, Path(_folder) / "page", formats=["html"])
