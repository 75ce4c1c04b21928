"""Small files of scores, written from a few lines."""

from pathlib import Path

import pytest
from score_files import Write


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes text or bytes to a file of a temporary folder."""

    def write_file(content: str | bytes, name: str = "scores.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file
