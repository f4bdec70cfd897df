"""The search of all logs for texts (tests/helpers/log_watch.py) sees what it looks for."""

import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.helpers.canaries import ACCENTED, CODE, NAME
from tests.helpers.log_watch import LogWatch, heard

_SAYS = """
import logging, os, sys
logging.basicConfig(level=logging.INFO, stream=sys.stderr)
logging.getLogger("textveil.server").info(sys.argv[1])
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[LogWatch]:
    """One of its own: what is planted here is heard by no other."""
    folder = tmp_path / "heard"
    folder.mkdir()
    made = LogWatch(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logging.getLogger(), "handlers", [])
        with made.listening():
            yield made


@pytest.mark.parametrize("where", ["a pipe", "a file", "nowhere"])
def test_a_process_that_is_killed_is_heard_wherever_its_errors_go(watch: LogWatch, where: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _SAYS]
    with (tmp_path / "log").open("wb") as file:
        stderr = {"a pipe": subprocess.PIPE, "a file": file, "nowhere": subprocess.DEVNULL}[where]
        subprocess.run([*command, "a plain line"], stderr=stderr, check=False, timeout=600)
        assert watch.leaks() == [] and watch.processes() == 1
        subprocess.run([*command, f"about {NAME}"], stderr=stderr, check=False, timeout=600)
    (leak,) = watch.leaks()
    assert NAME in leak and watch.processes() == 2


def test_whatever_is_put_into_a_record_of_ours_is_heard(watch: LogWatch) -> None:
    own, other = logging.getLogger("textveil.server.requests"), logging.getLogger("another")
    own.info("request", extra={"route": "/v1/sanitize", "status": 200})
    assert watch.leaks() == []
    own.info("of %s", CODE)
    assert len(watch.leaks()) == 1
    own.info("request", extra={"unknown": f"{CODE}"})
    own.info("request", extra={"unknown": ACCENTED})
    own.info("request", extra={"code": "tv_0123456789abcdef_" + "A" * 43})
    assert len(watch.leaks()) == 4
    other.warning(NAME)
    assert len(watch.leaks()) == 5
    own.debug(NAME)
    assert len(watch.leaks()) == 5, "what no server logs is no leak"


def test_a_log_of_another_program_is_searched_when_it_ends(watch: LogWatch, tmp_path: Path) -> None:
    log = tmp_path / "log"
    heard("a program", log)
    log.write_text(f"STATEMENT: {CODE}\n")
    assert watch.leaks() == []
    heard("a program", log)
    assert len(watch.leaks()) == 1 and watch.processes() == 0


def test_the_whole_suite_is_listened_to(heard_of_all_tests: LogWatch) -> None:
    assert heard_of_all_tests in logging.getLogger().handlers
    before = heard_of_all_tests.processes()
    subprocess.run([sys.executable, "-c", "import sys; sys.stderr.write('here')"], check=True, timeout=600)
    assert heard_of_all_tests.processes() == before + 1
