"""What an extra brings is asked for in one sentence where it is missing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sample_report as sample

from reportgen.errors import SettingsError
from reportgen.sources.sas import read_sas


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (lambda: next(iter(sample.report().evaluation.tables.values())).frame(), "a frame"),
        (lambda: read_sas(Path("scores.sas7bdat")), "reading .sas7bdat"),
    ],
)
def test_pandas_is_asked_for(asked: Callable[[], object], words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(SettingsError) as caught:
        asked()
    assert str(caught.value) == f"{words} needs one more package; type: pip install 'reportgen[pandas]'"
