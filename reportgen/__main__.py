"""``python -m reportgen`` and the command ``reportgen``: whatever happens, one line and an exit code."""

from __future__ import annotations

import signal
import sys

from reportgen.cli import streams


def main() -> None:
    """Run the command line."""
    code = 130
    try:
        streams.open_streams()
        code = _left()
    except KeyboardInterrupt as stop:
        code = getattr(stop, "exit_code", code)
        print("stopped", file=sys.stderr)  # noqa: T201
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # the run is over: there is nothing left to stop
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    sys.exit(streams.settled(code))


def _left() -> int:
    """Run the command line, and return the code that it leaves with."""
    try:
        from reportgen.cli.app import main as run

        run()
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else int(left.code is not None)
    except Exception as error:
        if "--debug" in sys.argv:
            raise
        from reportgen.cli.printing import MOST_OF_AN_ERROR, say_error, told

        sentence, code = told(error)
        say_error(sentence, getattr(error, "longest", MOST_OF_AN_ERROR))
        return code
    return 0


if __name__ == "__main__":
    main()
