"""``textveil certify``: what the marks of a review prove of the whole release."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli import options as opt
from textveil.errors import InputError, ParameterError, need
from textveil.json_text import json_file, json_text

if TYPE_CHECKING:
    from textveil.certificate.certify import Certificate


@opt.grouped
def certify_command(
    marks: Annotated[Path, typer.Argument(metavar="M.jsonl", help="The marks of textveil review --marks.")],
    *,
    release: Path | None = opt.value("FILE", "The released file: refuse the marks if it is another or changed."),
    report: list[Path] | None = opt.value(
        "R.json|R.html", "The report of the release: write the certificate into it. Repeat it for both."
    ),
    level: float = opt.value("P", "Confidence of each statement.", default=0.95),
    as_json: opt.AsJson = False,
    language: opt.Language = None,
) -> None:
    """Say how much of a release was missed at most, with a confidence, by the pages that were read."""
    from textveil.certificate.certify import certified, lines
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
    if report:
        need(certificate.secure, "marks", "drawn with a seed", "drawn at random for a report", "Draw anew.")
        contents = [_with_certificate(path, certificate) for path in report]  # all fit, or none is written
        for path, content in zip(report, contents, strict=True):
            write_whole(path, content)
    if as_json:
        sys.stdout.write(json_text(certificate.to_data()))
    else:
        sys.stdout.writelines(f"{line}\n" for label, text in lines(certificate) for line in row(label, text))


def _with_certificate(report: Path, certificate: Certificate) -> bytes:
    from textveil.certificate.certify import page_with_certificate, with_certificate

    page: str | None = None
    data: object = None
    with contextlib.suppress(OSError, ValueError):
        if report.suffix == ".html":
            page = report.read_text(encoding="utf-8")
        else:
            data = json_file(report)
    if page is not None:
        return page_with_certificate(page, certificate).encode("utf-8")
    if not isinstance(data, dict):
        raise ParameterError("--report must be a report that sanitize --report wrote; it is not. Name that file.")
    return json_text(with_certificate(data, certificate)).encode("ascii")
