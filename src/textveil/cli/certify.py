"""``textveil certify``: what the marks of a review prove of the whole release."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from textveil.cli import options as opt
from textveil.errors import InputError, ParameterError, need
from textveil.json_text import json_file, json_text


@opt.grouped
def certify_command(
    marks: Annotated[Path, typer.Argument(metavar="M.jsonl", help="The marks of textveil review --marks.")],
    *,
    release: Path | None = opt.value("FILE", "The released file: refuse the marks if it is another or changed."),
    report: Path | None = opt.value("R.json", "The report of the release: write the certificate into it."),
    level: float = opt.value("P", "Confidence of each statement.", default=0.95),
    as_json: opt.AsJson = False,
    language: opt.Language = None,
) -> None:
    """Say how much of a release was missed at most, with a confidence, by the pages that were read."""
    from textveil.certificate.certify import certified, lines, with_certificate
    from textveil.certificate.marks import Marks
    from textveil.cli.brief import row
    from textveil.corpora.files.inputs import whole_of
    from textveil.whole_files import write_whole

    need(0.5 <= level < 1, "level", level, ">= 0.5 and < 1", "Usual is 0.95.")
    certificate = certified(Marks(marks), level)
    if release is not None:
        whole = whole_of(release)
        if whole is None:
            raise InputError("the file of --release must be readable; it is not.")
        same = whole.sha256 == certificate.binding.release_sha256
        need(same, "release", "another file or a changed one", "the one that was reviewed", "Review this one.")
    if report is not None:
        try:
            data = json_file(report)
            stated = data if isinstance(data, dict) and "textveil" in data else None
        except (OSError, ValueError):
            stated = None
        if stated is None:
            raise ParameterError("--report must be the JSON that sanitize --report wrote; it is not. Name that file.")
        need(certificate.secure, "marks", "drawn with a seed", "drawn at random for a report", "Draw anew.")
        write_whole(report, json_text(with_certificate(stated, certificate)).encode("ascii"))
    if as_json:
        sys.stdout.write(json_text(certificate.to_data()))
    else:
        sys.stdout.writelines(f"{line}\n" for label, text in lines(certificate) for line in row(label, text))
