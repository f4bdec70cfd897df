"""``textveil sanitize`` with a small vocabulary, in this process."""

from functools import partial

import pytest
from tests.helpers.commands import run
from tests.helpers.records import SECRET, WORDS

from textveil.corpora import processes


@pytest.fixture
def small(tmp_path_factory) -> tuple[str, ...]:
    """Options for a small vocabulary."""
    path = tmp_path_factory.mktemp("vocabulary") / "own.txt"
    path.write_text("".join(f"{word} {number} {number % 7} 1\n" for number, word in enumerate(WORDS)))
    return ("-m", "randomized-response", "--epsilon", "1", "--vocabulary", str(path))


@pytest.fixture
def command(capsysbinary, monkeypatch):
    """Runs ``textveil`` with these arguments, in this process alone unless they name workers.

    It returns the exit code, standard output and standard error.
    """
    monkeypatch.setattr(processes, "cores", lambda: 1)

    def called(*arguments: object, stdin: bytes = b"") -> tuple[int, bytes, str]:
        code, out, err = run(capsysbinary, monkeypatch, *arguments, stdin=stdin)
        assert SECRET.lower() not in err.lower()
        return code, out, err

    return called


@pytest.fixture
def textveil(command, small):
    """``textveil sanitize`` with a small vocabulary."""
    return partial(command, "sanitize", *small)
