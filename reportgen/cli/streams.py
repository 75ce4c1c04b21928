"""Standard output and error of a run: closed, full or a pipe that nobody reads, they never stop it half-way.

What cannot be written is let go; in the end the run leaves with a code that tells of standard output.
"""

import errno
import io
import os
import signal
import sys
from typing import Any, TextIO

GONE = 128 + getattr(signal, "SIGPIPE", 13)
"""Exit code where who read the output has gone, as of programs that this signal ends."""

UNWRITTEN = 2  # exit code where the output could not be written for another reason


class Heard(io.FileIO):
    """A stream that takes everything; `lost` is why something of it was not written."""

    lost: OSError | None = None

    def write(self, content: Any, /) -> int:
        """Write bytes, or let them go."""
        try:
            return super().write(content)
        except OSError as error:
            self.lost = self.lost or error
            return memoryview(content).nbytes


class Lasting(io.TextIOWrapper):
    """A stream that a section of the user's cannot close."""

    def close(self) -> None:
        """Write what waits."""
        self.flush()


def open_streams() -> None:
    """Give this process a standard output and error that take everything; those that are closed lead nowhere."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # or the next file would be opened in its place
    for number, name in ((1, "stdout"), (2, "stderr")):
        setattr(sys, name, _heard(getattr(sys, name), number))


def settled(code: int) -> int:
    """Return the exit code of a run that wanted to leave with `code`, when all it said is written or let go."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    lost = _lost(sys.stdout)
    if lost is None or code:
        return code
    if lost.errno == errno.EPIPE:
        return GONE
    print(f"error: standard output cannot be written ({lost.strerror}); make room for it.", file=sys.stderr)  # noqa: T201
    sys.stderr.flush()
    return UNWRITTEN


def _heard(stream: TextIO | None, number: int) -> TextIO:
    """Return the stream of a file descriptor; a letter that its encoding lacks is a question mark."""
    if stream is not None and type(_raw(stream)) is not io.FileIO:  # a console of Windows, or somebody's own
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
        return stream
    encoding = stream.encoding if stream is not None else "utf-8"
    at_once = number == 2 or (stream is not None and (stream.isatty() or getattr(stream, "write_through", False)))
    made = io.BufferedWriter(Heard(number, "w", closefd=False))
    return Lasting(made, encoding, errors="replace", line_buffering=at_once)


def _lost(stream: Any) -> OSError | None:
    """Return why something was not written; None when all was."""
    raw = _raw(stream)
    return raw.lost if isinstance(raw, Heard) else None


def _raw(stream: Any) -> Any:
    """Return what a stream of text writes its bytes to in the end; with PYTHONUNBUFFERED there is nothing between."""
    buffer = getattr(stream, "buffer", None)
    return getattr(buffer, "raw", buffer)
