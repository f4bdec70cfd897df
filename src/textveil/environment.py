"""Environment variables that something of textveil reads, by names declared here alone; processors that it may use.

Beside these variables, every field of the server's configuration is one: ``server.config``.
"""

import contextlib
import gc
import os
from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from math import ceil
from pathlib import Path
from typing import Final

from textveil.errors import UnknownNameError

PREFIX: Final = "TEXTVEIL_"  # with what all of them begin
CACHE: Final = f"{PREFIX}CACHE"  # another folder for public tables
ENDPOINT_KEY: Final = f"{PREFIX}ENDPOINT_KEY"  # the key of a language model's service that rewrites releases
KEY: Final = f"{PREFIX}KEY"  # a client's API key, in the examples of docs/gateway.md; a server does not read it
KILLS: Final = f"{PREFIX}KILLS"  # how many processes the tests of the ledger kill
LANGUAGE: Final = f"{PREFIX}LANGUAGE"  # the language of messages and of the report to file
LEDGER_KEY: Final = f"{PREFIX}LEDGER_KEY"  # the key of a ledger
LEDGER_KEY_FILE: Final = f"{PREFIX}LEDGER_KEY_FILE"
"""The file with the key of a ledger, in another place than beside its database."""

SHARED: Final = f"{PREFIX}SHARED"  # a folder with public vectors and corpora, for studies and tests
TRACEBACK: Final = f"{PREFIX}TRACEBACK"  # whether an error of textveil's own is printed whole
VARIABLES: Final = frozenset(
    (CACHE, ENDPOINT_KEY, KEY, KILLS, LANGUAGE, LEDGER_KEY, LEDGER_KEY_FILE, SHARED, TRACEBACK)
)
"""All of them."""


def refuse_unread_variables(names: Iterable[str], fields: Collection[str]) -> None:
    """Refuse a variable with textveil's prefix that nothing of textveil reads: it may be a limit that is mistyped.

    ``names``: of the environment; ``fields``: variables that are read beside ``VARIABLES``. Raises UnknownNameError:
    names the variable, without its value, and the one that it is nearest to.
    """
    known = VARIABLES | set(fields)
    for name in sorted(names):
        if name.upper().startswith(PREFIX) and name not in known:
            near = get_close_matches(name.upper(), sorted(known), n=1)
            meant = f"Is {near[0]} meant? Rename or unset it." if near else "Unset it; docs/server.md lists those read."
            raise UnknownNameError(f"{name[:60]} is an environment variable that nothing reads. {meant}")


_THREADS: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")
"""Linux's file of a container's limits: microseconds of processor a period ("max" without a limit), and the period."""

_FEATURES: Final = Path("/proc/cpuinfo")
"""File of the processors on Linux: "flags" of Intel's and AMD's, "Features" of ARM's."""

_BYTE_PRODUCTS: Final = ("avx512_vnni", "avx_vnni", "amx_int8", "asimddp", "i8mm")
"""Features that multiply and add 8-bit integers in one instruction."""


def cores() -> int:
    """Processors that this process may use, and no more than its container's share of processor time fills."""
    if not hasattr(os, "sched_getaffinity"):  # Linux has it; elsewhere a process is not held to some of them
        return os.cpu_count() or 1
    allowed = len(os.sched_getaffinity(0))
    with contextlib.suppress(OSError, ValueError):
        quota, period = map(int, _QUOTA.read_text("ascii").split())
        return max(1, min(allowed, ceil(quota / period)))
    return allowed


def may_multiply_bytes() -> bool:
    """False if Linux lists this processor's features, and products of 8-bit integers are not among them."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for line in _FEATURES.read_text("ascii").splitlines():
            name, _, features = line.partition(":")
            if name.strip() in ("flags", "Features"):
                return not set(_BYTE_PRODUCTS).isdisjoint(features.split())
    return True


def collect_seldom() -> None:
    """Let the garbage collector look seldom: else a tenth of a short run goes into walks over what was just imported.

    For processes of textveil's own; a library leaves it to its caller.
    """
    gc.set_threshold(100_000, 10, 10)


@contextlib.contextmanager
def shared_among(processes: int) -> Iterator[None]:
    """Processes that start in the block give numerical libraries their part of the threads, if nobody chose another.

    Else each takes a thread for every processor, and all of them wait for each other. ``processes``: how many share the
    processors.
    """
    threads = str(max(1, cores() // processes))
    added = [name for name in _THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(added, threads))
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
