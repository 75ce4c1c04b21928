"""``python -m reportgen`` and the command ``reportgen``: whatever happens, one line and an exit code."""

import signal
import sys

from reportgen.cli import streams


def main() -> None:
    """Run the command line."""
    code = 130
    try:
        streams.open_streams()
        try:
            from reportgen.cli.app import main as run

            run()
            code = 0
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else int(left.code is not None)
        except Exception as error:
            if "--debug" in sys.argv:
                raise
            from reportgen.cli.printing import say_failure

            code = say_failure(error)
    except KeyboardInterrupt as stop:
        code = getattr(stop, "exit_code", code)
        print("stopped", file=sys.stderr)  # noqa: T201
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # the run is over: there is nothing left to stop
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    sys.exit(streams.settled(code))


if __name__ == "__main__":
    main()
