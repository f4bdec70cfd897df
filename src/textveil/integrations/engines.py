"""Engines by their names."""

from textveil.corpora.engines.block_worker import Engine, Processes
from textveil.errors import ParameterError
from textveil.processors import cores

ENGINES = ("local", "ray")


def engine(name: str = "local", workers: int | None = None) -> Engine:
    """Where blocks are released.

    Args:
        name: one of ``ENGINES``.
        workers: processes or actors; None is one for each core.

    Raises:
        ParameterError: there is no such engine, or no such number of workers.
    """
    if name == "local":
        return Processes(cores() if workers is None else workers)
    if name != "ray":
        raise ParameterError(f"`engine` must be {' or '.join(ENGINES)}; got {name[:20]!r}.")
    from textveil.integrations.ray import RayEngine

    return RayEngine(workers)
