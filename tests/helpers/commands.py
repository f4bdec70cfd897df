"""The command line in this process."""

import io
import sys

from textveil.cli import main as cli


def run(capsysbinary, monkeypatch, *arguments: object, stdin: bytes = b"") -> tuple[int, bytes, str]:
    """Run ``textveil`` with these arguments; its exit code, standard output and standard error."""
    monkeypatch.setattr(sys, "argv", ["textveil", *map(str, arguments)])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    code = cli._exit_code()
    captured = capsysbinary.readouterr()
    return code, captured.out, captured.err.decode()
