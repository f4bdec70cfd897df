"""How fast textveil is here, as ratios in one run: ``python benchmarks/speed_report.py [PART]... [-o DIR]``."""

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from textveil.cli import options as opt
from textveil.errors import ParameterError
from textveil.json_text import json_text


def main(
    part: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PART]...", help="search, noise, channels, mechanisms, text, memory, rivals."),
    ] = None,
    output: Annotated[
        Path | None, opt.option("DIR", "Folder for the numbers and figures.", None, "--output", "-o")
    ] = None,
    quick: Annotated[bool, opt.flag("--quick", "Few sizes and rounds, to see that it runs.")] = False,
    as_json: opt.AsJson = False,
) -> None:
    """Measure speed and memory against faiss-cpu, mldp-text and plain loops, with whatever is installed."""
    from speed.measure import Result, machine
    from speed.report import PARTS, chosen, line, to_data, write
    from speed.workload import FULL, QUICK

    names = chosen(part or [])
    scale = QUICK if quick else FULL
    if output is not None:
        from textveil_lab.plots import need_matplotlib

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


if __name__ == "__main__":
    typer.run(main)
