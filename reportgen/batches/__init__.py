"""Many reports from one source: jobs that processes share, the folder they fill, and what is finished already."""

from reportgen.batches.cluster import dask_executor
from reportgen.batches.folder import MANIFEST, SUMMARY, BatchFolder
from reportgen.batches.jobs import Job, Made, Task, finished, make
from reportgen.batches.manifest import Entry, Manifest
from reportgen.batches.plan import Plan, planned
from reportgen.batches.workers import Processes, each

__all__ = [
    "MANIFEST",
    "SUMMARY",
    "BatchFolder",
    "Entry",
    "Job",
    "Made",
    "Manifest",
    "Plan",
    "Processes",
    "Task",
    "dask_executor",
    "each",
    "finished",
    "make",
    "planned",
]
