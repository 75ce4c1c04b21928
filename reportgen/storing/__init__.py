"""Writing that is whole or not at all: files are made aside, then put in their place, whatever stops the run."""

from reportgen.storing.recovery import recover, refuse_torn
from reportgen.storing.replacement import replaced, write_file

__all__ = ["recover", "refuse_torn", "replaced", "write_file"]
