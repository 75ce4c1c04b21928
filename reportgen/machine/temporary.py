"""Report temporary files that cannot be written, with their own folder instead of the report's."""

import errno
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from reportgen.errors import OutputError

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}  # operating system errors that mean that a folder accepts no more data


def trouble(what: str, error: OSError) -> str:
    """Return the message for temporary files that cannot be written.

    `what`: The task that needs them. `error`: The error of the operating system.

    >>> trouble("report.pdf", OSError(28, "No space left on device")).split(";")[0]
    'report.pdf: temporary files cannot be written (No space left on device)'
    """
    try:
        where = f"free space in '{tempfile.gettempdir()}', or set another folder"
    except OSError:  # there is no such folder
        where = "set a folder"
    return (
        f"{what}: temporary files cannot be written ({error.strerror or error}); "
        f"{where} in the environment variable TMPDIR."
    )


@contextmanager
def temporary_files(what: str) -> Iterator[None]:
    """Run a block of third-party temporary files; raises OutputError if their folder is full or missing."""
    try:
        tempfile.gettempdir()
    except OSError as error:
        raise OutputError(trouble(what, error)) from error
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise OutputError(trouble(what, error)) from error
