"""Files that are written whole or not at all: made in a fresh folder, then renamed into place."""

from reportgen.storing.replacement import added, check_replaceable, in_the_way, refuse_set_aside, replaced, write_file

__all__ = ["added", "check_replaceable", "in_the_way", "refuse_set_aside", "replaced", "write_file"]
