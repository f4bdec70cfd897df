"""Where a run reads and writes: checked before a byte is read, for whoever starts one."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from textveil.corpora.files.sources import one_file
from textveil.errors import InputError, ParameterError


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Inputs and outputs of one run.

    Attributes:
        inputs: as ``sources.expanded`` gives them; ``-`` is standard input.
        output: where the release goes; None is a stream that the caller has.
        reports: where the report goes: a page to file where a name ends in .html, else JSON.
        sender_report: where what is for the sender alone goes, likewise.
        resume: go on with the job of the output, or begin it.
        private_map: where the private map goes, if one is kept.

    Raises:
        ParameterError: a report has no name of a file; two of them are one file; there is no job to go on with; or one
            of private map and key stands without the other.
        InputError: standard input is wanted and closed.
    """

    inputs: tuple[str, ...]
    output: Path | None = None
    reports: tuple[Path, ...] = ()
    sender_report: Path | None = None
    resume: bool = False
    private_map: Path | None = None
    map_key: Path | None = None

    def __post_init__(self) -> None:
        check_outputs(self.output, [*self.reports, self.sender_report], self.private_map, resume=self.resume)
        secret = [path for path in (self.private_map, self.map_key) if path is not None]
        files = [*self.files, *secret]
        again = len({os.path.realpath(path) for path in files}) != len(files)
        if again or any(one_file(name, path) for name in self.inputs for path in files):
            every = "`output`, every report, `private_map` and `map_key`" if secret else "`output` and every report"
            raise ParameterError(f"the input, {every} must be different files; got one twice.")
        if self.private_map is None and self.map_key is not None:
            raise ParameterError("`map_key` needs `private_map`, which it encrypts; got none.")
        if self.private_map is not None and self.map_key is None:
            raise ParameterError("`private_map` needs `map_key`, by which it is encrypted; got none.")
        if "-" in self.inputs and sys.stdin is None:
            raise InputError("standard input must be open; got a closed one. Name a file.")

    @property
    def files(self) -> list[Path]:
        """All that is written by name, but for the private map: the output first."""
        return [path for path in (self.output, *self.reports, self.sender_report) if path is not None]

    @property
    def job(self) -> Path | None:
        """The output where it is a regular file, or where one will be: only then there is a job."""
        return self.output if self.output is not None and _is_file(self.output) else None


def check_outputs(
    output: Path | None, reports: Sequence[Path | None], private_map: Path | None = None, *, resume: bool
) -> None:
    """Refuse outputs that no inputs could make right.

    Raises:
        ParameterError: a report or the private map has no name of a file, or there is no job to go on with.
    """
    if private_map is not None and (str(private_map) == "-" or not _is_file(private_map)):
        raise ParameterError("`private_map` must be a regular file; got none. It is never part of the text's stream.")
    if any(path is not None and str(path) == "-" for path in reports):
        raise ParameterError("a report must be a file; got -, which is the text's. Name a file.")
    if resume and (output is None or not _is_file(output)):
        raise ParameterError("`resume=True` needs `output` and a regular file; the job is kept beside it.")


def _is_file(output: Path) -> bool:
    return not output.exists() or output.is_file() or output.is_dir()
