"""A running Dask cluster as an executor: its workers make reports and send them back."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from reportgen.errors import SettingsError, install_command

RETRIES = 3
"""How often a report is begun again when the worker that made it is gone."""


@contextmanager
def dask_executor(address: str) -> Iterator[tuple[Executor, int]]:
    """Yield an executor of the cluster whose scheduler is at `address`, and how many workers it has now.

    Raises
    ------
    SettingsError
        Dask is not installed, nobody answers, or there are no workers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise SettingsError(f"--cluster needs more packages; type: {install_command(extra='dask')}") from None
    try:
        client = Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        told = " ".join(str(error).split())[:120]
        raise SettingsError(
            f"--cluster {address}: no Dask scheduler answers there ({told}); expected an address as in "
            "tcp://10.0.0.5:8786."
        ) from None
    with client:
        workers = len(client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            raise SettingsError(f"--cluster {address}: the scheduler has no workers; start some.")
        yield client.get_executor(pure=False, retries=RETRIES), workers
