"""Runs the command line as a user does, in a process of its own, and reads what it wrote."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path


def reportgen(
    *arguments: str | Path, cwd: Path, code: int = 0, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``reportgen`` with these arguments in `cwd`; fail unless it leaves with `code`."""
    done = subprocess.run(
        [sys.executable, "-m", "reportgen", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def page_text(page: Path) -> str:
    """Return what a reader sees of an HTML page, with single spaces."""
    source = re.sub(r"<(script|style)\b.*?</\1>", " ", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", source)).split())


def pdf_text(page: Path) -> str:
    """Return the text of a PDF, with single spaces."""
    import pypdf

    return " ".join(" ".join(sheet.extract_text() for sheet in pypdf.PdfReader(page).pages).split())
