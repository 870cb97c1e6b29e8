"""Where the files of a run are analysed: in processes of this machine, or on a cluster of dask that is there already.

The workers of a cluster see the same files under the same paths, and run the same boathull: another one is refused.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from ..base.errors import InputError
from ..base.regex import regex

Work = TypeVar("Work")
Done = TypeVar("Done")

LOCAL = "local"
_CLUSTER = regex(r"dask://([^\s/@]+:\d+)/?\Z")
_LONGEST_WAIT_S = 10


def scheduler(engine: str) -> str | None:
    """Host and port of the scheduler that an engine names; None: this machine. InputError for any other text.

    Example: `scheduler("dask://node1:8786")` is `"node1:8786"`."""
    if engine == LOCAL:
        return None
    found = _CLUSTER.match(engine)
    if found is None:
        raise InputError(f"--engine {engine}: use local, or dask://HOST:PORT of a scheduler that is running")
    return found[1]


def each(engine: str, jobs: int, work: Callable[[Work], Done], items: Iterable[Work]) -> Iterator[Done]:
    """What `work` makes of each item, in their order. `jobs`: processes of this machine (a cluster has its own number).
    InputError where the cluster cannot be reached, or runs another boathull."""
    from joblib import Parallel, delayed, parallel_config

    address = scheduler(engine)
    if address is None:
        here = os.getcwd()
        yield from Parallel(n_jobs=jobs, return_as="generator")(delayed(_in)(here, work, item) for item in items)
        return
    client = _client(address)
    try:
        with parallel_config(backend="dask", client=client):
            calls = (delayed(_there)(_program(), os.getcwd(), work, item) for item in items)
            yield from Parallel(n_jobs=-1, return_as="generator")(calls)
    finally:
        client.close()


def _client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise InputError("--engine dask: pip install 'boathull[distributed]', here and on the workers") from None
    try:
        return Client(f"tcp://{address}", timeout=_LONGEST_WAIT_S, set_as_default=False)
    except (OSError, TimeoutError):
        raise InputError(f"--engine dask://{address}: no scheduler answers there") from None


def _in(folder: str, work: Callable[[Work], Done], item: Work) -> Done:
    """The work in the folder that paths are relative to: processes of an earlier run stay where that was."""
    os.chdir(folder)
    return work(item)


def _there(program: str, folder: str, work: Callable[[Work], Done], item: Work) -> Done:
    """The work on a worker, in the folder that paths are relative to."""
    if program != _program():
        raise InputError("--engine: a worker of the cluster runs another boathull; install the same one there")
    if not Path(folder).is_dir():
        raise InputError(f"--engine: a worker of the cluster does not see {folder}; share it under the same path")
    return _in(folder, work, item)


@cache
def _program() -> str:
    """The content of the installed program."""
    from ..cache.identity import program
    from ..cache.store import Store

    return program(Store(os.devnull))
