"""The command that puts an earlier report back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def recover(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of a report, a batch or tables.")],
) -> None:
    """Restore the previous report after an interrupted run."""
    from reportgen.cli.printing import printable
    from reportgen.errors import OutputError
    from reportgen.storing import recover as put_back

    if not folder.is_dir():
        raise OutputError(f"'{folder}' is no folder; name the folder of a report.")
    found = put_back(folder)
    typer.echo(f"{printable(folder)}: {'the earlier report is back' if found else 'nothing was torn'}")
