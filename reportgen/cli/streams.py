"""Keep a run from stopping if standard output or error is closed, full, or a pipe without a reader.

Output that cannot be written is dropped, and the exit code reports problems with standard output.
"""

import errno
import io
import os
import signal
import sys
from typing import Any, TextIO

GONE = 128 + getattr(signal, "SIGPIPE", 13)
"""Exit code if the reader of the output is gone, as for programs that this signal ends."""

UNWRITTEN = 2  # exit code if the output could not be written for another reason


class Heard(io.FileIO):
    """A stream that accepts everything; `lost` is the reason why output was dropped."""

    lost: OSError | None = None

    def write(self, content: Any, /) -> int:
        """Write bytes, or drop them."""
        try:
            return super().write(content)
        except OSError as error:
            self.lost = self.lost or error
            return memoryview(content).nbytes


class Lasting(io.TextIOWrapper):
    """A stream that a user's section cannot close."""

    def close(self) -> None:
        """Flush instead of closing."""
        self.flush()


def open_streams() -> None:
    """Give this process standard output and error streams that accept everything; closed ones are discarded."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # otherwise the next opened file would take its place
    for number, name in ((1, "stdout"), (2, "stderr")):
        setattr(sys, name, _heard(getattr(sys, name), number))


def settled(code: int) -> int:
    """Return the exit code of a run that ended with `code`, after its output is written or dropped."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    lost = raw.lost if isinstance(raw := _raw(sys.stdout), Heard) else None
    if lost is None or code:
        return code
    if lost.errno == errno.EPIPE:
        return GONE
    print(f"error: standard output cannot be written ({lost.strerror}).", file=sys.stderr)  # noqa: T201
    sys.stderr.flush()
    return UNWRITTEN


def _heard(stream: TextIO | None, number: int) -> TextIO:
    """Return the stream of a file descriptor; characters that its encoding lacks become question marks."""
    if stream is not None and type(_raw(stream)) is not io.FileIO:  # a Windows console, or a replaced stream
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
        return stream
    encoding = stream.encoding if stream is not None else "utf-8"
    at_once = number == 2 or (stream is not None and (stream.isatty() or getattr(stream, "write_through", False)))
    made = io.BufferedWriter(Heard(number, "w", closefd=False))
    return Lasting(made, encoding, errors="replace", line_buffering=at_once)


def _raw(stream: Any) -> Any:
    """Return the stream that receives the bytes of a text stream; with PYTHONUNBUFFERED, there is no buffer between."""
    buffer = getattr(stream, "buffer", None)
    return getattr(buffer, "raw", buffer)
