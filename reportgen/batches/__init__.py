"""Many reports from one source: jobs that processes share, the folder they fill, and what is finished already."""

from reportgen.batches.cluster import dask_executor
from reportgen.batches.folder import MANIFEST, SUMMARY, BatchFolder
from reportgen.batches.jobs import Job, Made, Task, finished, make
from reportgen.batches.manifest import Entry, Manifest, key_of
from reportgen.batches.workers import Processes, each

__all__ = [
    "MANIFEST",
    "SUMMARY",
    "BatchFolder",
    "Entry",
    "Job",
    "Made",
    "Manifest",
    "Processes",
    "Task",
    "dask_executor",
    "each",
    "finished",
    "key_of",
    "make",
]
