"""Options and fixtures of the whole suite, textveil's and that of the lab."""

import gc
import hashlib
import os
import random
import secrets
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from tests.helpers.log_watch import LogWatch
from tests.helpers.vocabularies import made_vocabulary
from threadpoolctl import threadpool_limits

from textveil import randomness
from textveil.errors import MissingExtra, MissingLab
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.public_tables import close_unused
from textveil.vocabulary.vocabulary import Vocabulary

_SEED = 20240611

# Threads would wait on each other at every small product, and where the machine is busy they wait long. torch and the
# tests' processes read the variable; NumPy is there already. scripts/kernels, and who sets the variable, has more.
if "OMP_NUM_THREADS" not in os.environ:
    os.environ["OMP_NUM_THREADS"] = "1"
    threadpool_limits(1)

# README's command draws the same cases every time: a run that fails, fails for everybody. scripts/new-cases draws new
# ones and prints how to repeat them. How long a case takes is the machine's affair and fails no test.
_ANY_MACHINE = settings(deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", _ANY_MACHINE, derandomize=True, database=None)
settings.register_profile("new", _ANY_MACHINE, derandomize=False)
settings.load_profile("same")


# A shell that starts the suite behind itself ignores Ctrl-C for it and its processes, which tests end by that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tables and databases of tests, and of their processes, are not the user's.

    No test waits for the disk: none sees a machine lose its power, and those that count writes have their own.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", os.fstat)
        patch.setenv("TEXTVEIL_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="session", autouse=True)
def heard_of_all_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LogWatch]:
    """What is logged in any test, and what processes of tests write to standard error, holds no text."""
    watch = LogWatch(tmp_path_factory.mktemp("heard"))
    with watch.listening():
        yield watch
    assert watch.leaks() == [], "a log, or what a process says, holds text that a test sent"


@pytest.fixture(autouse=True)
def _tables_of_its_own() -> Iterator[None]:
    """No test finds a table open that another one built."""
    yield
    close_unused()


def pytest_configure(config: pytest.Config) -> None:
    """Order is random, but nothing is seeded anew before each test: installed packages would be imported for that."""
    if hasattr(config.option, "randomly_reset_seed"):
        config.option.randomly_reset_seed = False


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--unseeded",
        action="store_true",
        help="run the tests of distributions with fresh randomness at the same alpha, so that a seed hides no bias",
    )
    parser.addoption(
        "--everything",
        action="store_true",
        help="run slow tests too; a test that needs a package that is not installed fails instead of being skipped",
    )
    parser.addoption("--write-passed", type=Path, metavar="FILE", help="write the tests that passed to a file")
    parser.addoption("--without", type=Path, metavar="FILE", help="leave out the tests that a file lists")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect no garbage meanwhile: what is made stays, and to look through it takes a third of the time."""
    gc.disable()
    yield
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is slow, unless everything is wanted, and what has passed before."""
    listed = config.getoption("--without")
    passed = set(listed.read_text(encoding="utf-8").split("\n")) if listed else set()
    slow = not config.getoption("--everything")
    left = [item for item in items if item.nodeid in passed or (slow and item.get_closest_marker("slow"))]
    if left:
        config.hook.pytest_deselected(items=left)
        gone = {id(item) for item in left}
        items[:] = [item for item in items if id(item) not in gone]


_PASSED: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what passed."""
    if report.when == "call" and report.passed:
        _PASSED.append(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what passed, where that is wanted."""
    target = session.config.getoption("--write-passed")
    if target and not hasattr(session.config, "workerinput"):
        target.write_text("\n".join(_PASSED), encoding="utf-8")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[object]:
    """Skip a test that needs an extra or the lab, if it is not installed, unless everything is to be run."""
    try:
        return (yield)
    except (MissingExtra, MissingLab) as error:
        there = isinstance(error, MissingLab) and find_spec("textveil_lab") is not None
        if there or pyfuncitem.config.getoption("--everything"):
            raise
        pytest.skip(str(error))
    except AssertionError as error:  # of what a command said
        missing = "needs the package textveil-lab" in str(error) and find_spec("textveil_lab") is None
        if not missing or pyfuncitem.config.getoption("--everything"):
            raise
        pytest.skip("needs the package textveil-lab")


@pytest.fixture(autouse=True)
def _system_randomness(request: pytest.FixtureRequest) -> Iterator[None]:
    """What this process takes for the operating system's randomness is fixed by the test, so that none fails by chance.

    Processes of a test have the true one, and so has every test under --unseeded.
    """
    if request.config.getoption("--unseeded"):
        yield
        return
    here, calls, true_bytes = os.getpid(), count(), secrets.token_bytes

    def token_bytes(nbytes: int | None = None) -> bytes:
        if os.getpid() != here:
            return true_bytes(nbytes)
        fixed = hashlib.shake_256(f"{request.node.nodeid} {next(calls)}".encode())
        return fixed.digest(secrets.DEFAULT_ENTROPY if nbytes is None else nbytes)

    def randbits(k: int) -> int:
        return int.from_bytes(token_bytes((k + 7) // 8)) >> (-k % 8)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_bytes", token_bytes)
        patch.setattr(secrets, "randbits", randbits)
        randomness._LOCAL.__dict__.clear()  # a generator that another test left
        random.seed(request.node.nodeid)  # foreign code under audit draws from it
        yield


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Seeded unless --unseeded is given."""
    return np.random.default_rng(None if request.config.getoption("--unseeded") else _SEED)


@pytest.fixture(scope="session")
def embedded() -> Vocabulary:
    """The embedded vocabulary."""
    return load_vocabulary()


@pytest.fixture(scope="session")
def tiny() -> Vocabulary:
    """Forty words in eight dimensions."""
    return made_vocabulary(40)
