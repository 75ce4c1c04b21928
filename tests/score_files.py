"""Three responses, and the type of the fixture that writes files."""

from collections.abc import Callable
from pathlib import Path

Write = Callable[..., Path]

THREE = "id,human,system\na,1,1.2\nb,2,2.2\nc,3,3.1\n"
