"""Templates compiled once for all reports of a process."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

import jinja2
from jinja2.bccache import Bucket


class Compiled(jinja2.BytecodeCache):
    """Compiled templates of one kind of environment, compiled again when their text changes."""

    def __init__(self) -> None:
        self._code: dict[str, tuple[str, CodeType]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template its code, if its text is that of the code."""
        checksum, code = self._code.get(bucket.key, ("", None))
        if checksum == bucket.checksum:
            bucket.code = code

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template."""
        if bucket.code is not None:
            self._code[bucket.key] = bucket.checksum, bucket.code

    def share(self, environment: jinja2.Environment, finalize: Callable[[Any], Any] = lambda value: value) -> None:
        """Let an environment use the code of others whose filters, tests, and words may differ from its own.

        Jinja calls filters, tests, and `finalize` on constants while it compiles a template, and the answers become
        part of the code: ``{% if "map" is has %}`` of one report would decide for all others.  Without the optimizer,
        and with a `finalize` that requires the context, nothing is called before a template is filled.
        """
        environment.bytecode_cache = self
        environment.optimized = False
        environment.finalize = jinja2.pass_context(lambda _, value: finalize(value))
