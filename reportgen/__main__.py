"""``python -m reportgen`` and the command ``reportgen``: Ctrl-C ends a run in one line from its first moment on."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from reportgen.cli.app import main as run

        run()
    except KeyboardInterrupt as stop:
        print("stopped", file=sys.stderr)  # noqa: T201
        sys.exit(getattr(stop, "exit_code", 130))


if __name__ == "__main__":
    main()
