"""Many reports from one source: jobs that processes share, the folder they fill, and what is finished already."""

from reportgen.batches.cluster import dask_executor
from reportgen.batches.folder import MANIFEST, SUMMARY, BatchFolder
from reportgen.batches.jobs import Job, Made, Task, finished, make
from reportgen.batches.manifest import Entry, Manifest
from reportgen.batches.plan import BatchPlan, planned
from reportgen.machine.worker_processes import Processes, each

__all__ = [
    "MANIFEST",
    "SUMMARY",
    "BatchFolder",
    "BatchPlan",
    "Entry",
    "Job",
    "Made",
    "Manifest",
    "Processes",
    "Task",
    "dask_executor",
    "each",
    "finished",
    "make",
    "planned",
]
