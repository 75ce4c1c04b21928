"""Templates compiled once: for all reports of a process, and where they are shipped for the processes to come."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from types import CodeType

import jinja2
from jinja2.bccache import Bucket

from reportgen.machine.kept import keep, place, read
from reportgen.wording.shipped import TEMPLATES

SHIPPED = (TEMPLATES, TEMPLATES.parent / "report_sections", TEMPLATES.parents[1] / "report_sections")
"""Folders of shipped templates, in a checkout or installed."""


class Compiled(jinja2.BytecodeCache):
    """Compiled templates of one kind of environment, each anew when its text changes.

    Parameters
    ----------
    kind
        A plain word for the environment: its options go into the code.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._code: dict[str, tuple[str, CodeType]] = {}
        self._shipped: set[str] = set()

    def get_bucket(self, environment: jinja2.Environment, name: str, filename: str | None, source: str) -> Bucket:
        """Return the code of a template, if it is known; that of shipped templates outlives the process."""
        shipped = filename is not None and any(root in Path(filename).parents for root in SHIPPED)
        key = self.get_cache_key(name, filename)
        if shipped:
            self._shipped.add(key)
        return super().get_bucket(environment, name, filename, source)

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template its code, if its text is that of the code."""
        checksum, code = self._code.get(bucket.key, ("", None))
        if checksum == bucket.checksum:
            bucket.code = code
        if bucket.code is not None or bucket.key not in self._shipped:
            return
        held = read(place(self._kind, bucket.key))
        if held is not None:
            with suppress(EOFError, ValueError, TypeError):  # cut short, or of another Python
                bucket.bytecode_from_string(held)
        self._hold(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template."""
        if bucket.code is not None:
            self._hold(bucket)
        if bucket.code is not None and bucket.key in self._shipped:
            keep(place(self._kind, bucket.key), bucket.bytecode_to_string())

    def _hold(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._code[bucket.key] = bucket.checksum, bucket.code
