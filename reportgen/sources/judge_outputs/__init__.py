"""Files that judges leave: readers that turn them into columns, built in or installed by anyone."""

from reportgen.sources.judge_outputs.plugin import (
    GROUP,
    FileReader,
    ReadScores,
    in_force,
    installed,
    provider_of,
    reader_for,
    recognised,
)

__all__ = [
    "GROUP",
    "FileReader",
    "ReadScores",
    "in_force",
    "installed",
    "provider_of",
    "reader_for",
    "recognised",
]
