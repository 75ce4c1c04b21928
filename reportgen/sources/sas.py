"""SAS data files, as RSMTool reads them: text in Latin-1 unless another encoding is named."""

from __future__ import annotations

from pathlib import Path

from reportgen.errors import InputError, SettingsError
from reportgen.sources.frames import from_pandas
from reportgen.sources.tabular import TableReader, file_source


def read_sas(path: Path, encoding: str | None = None) -> TableReader:
    """Return a .sas7bdat file as a table; its first row of data counts as row 1.

    Raises
    ------
    InputError
        The file is no SAS data file.
    SettingsError
        The encoding is not known.
    """
    import pandas as pd

    try:
        frame = pd.read_sas(path, format="sas7bdat", encoding=encoding or "latin-1")
    except LookupError:
        raise SettingsError(f"encoding '{encoding}' is not known; examples: utf-8, latin-1, cp1252.") from None
    except (ValueError, OSError, NotImplementedError, OverflowError, MemoryError, TypeError, AttributeError) as error:
        reason = " ".join(str(error).split())[:120]
        raise InputError(f"not a readable SAS data file ({reason}); save it again, or as .csv.") from None
    return TableReader(from_pandas(frame), file_source(path, len(frame), "sas7bdat"), first_row=1)
