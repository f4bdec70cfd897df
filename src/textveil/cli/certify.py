"""``textveil certify``: what the marks of a review prove of the whole release."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import renamed
from textveil.cli.progress import counting
from textveil.errors import InputError, ParameterError, need
from textveil.json_text import json_file, json_text
from textveil.pages.messages import counted, row
from textveil.whole_files import check_folder, read_key, write_whole

if TYPE_CHECKING:
    from textveil.certificate.certify import Certificate
    from textveil.certificate.marks import Marks
    from textveil.sanitize.policy.policy import Policy


LEVEL = 0.95  # of `certificate.bounds`, which loads NumPy
_CHOOSING = "Making a policy of the marks"


@dataclass(frozen=True, kw_only=True)
class _ChoosingOptions:
    miss_at_most: float | None = opt.value(
        "P",
        "Write a policy that masks as many guesses as keep the expected share of documents with a missed direct "
        "identifier at most P.",
        _CHOOSING,
    )
    teach: bool = opt.switch(
        "Write a policy with own lists: what was missed is hidden wherever it stands, what was wrong stays.", _CHOOSING
    )
    policy: str | None = opt.value("NAME|FILE", "The policy of the marks, which the new one extends.", _CHOOSING)
    original: list[str] | None = opt.value(
        "FILE",
        "With --miss-at-most, texts to be released: refused if they do not look like those that were read. With "
        "--teach, the originals that were read, or what --key opens.",
        _CHOOSING,
    )
    key: Path | None = opt.value("FILE", "With --teach: the key of conversations that a server kept.", _CHOOSING)
    output: Path | None = opt.value("P.toml", "The new policy.", _CHOOSING)

    def check(self) -> bool:
        """Return whether a policy is asked for; refuse a part of the options."""
        asked = self.miss_at_most is not None or self.teach
        need(not (self.teach and self.miss_at_most is not None), "teach", "one", "left out beside `miss_at_most`")
        need(self.teach or self.key is None, "key", "one", "left out where `teach` is")
        for name in ("policy", "original", "output"):
            value = getattr(self, name)
            need((value is not None) == asked, name, "none" if asked else "one", _TOGETHER)
        need(0 < (self.miss_at_most or 0.5) < 1, "miss_at_most", self.miss_at_most, "between 0 and 1")
        return asked


_TOGETHER = "given with `miss_at_most` or `teach`, and only then"


@opt.grouped
def certify_command(
    marks: Annotated[Path, typer.Argument(metavar="M.jsonl", help="The marks of textveil review --marks.")],
    *,
    release: Path | None = opt.value("FILE", "The released file: refuse the marks if it is another or changed."),
    report: list[Path] | None = opt.value(
        "R.json|R.html", "The report of the release: write the certificate into it. Repeat it for both."
    ),
    level: float = opt.value("P", "Confidence of each statement.", default=LEVEL),
    choosing: _ChoosingOptions,
    reading: opt.ReadingOptions,
    as_json: opt.AsJson = False,
    language: opt.Language = None,
) -> None:
    """Say how much of a release was missed at most, with a confidence, by the pages that were read."""
    from textveil.certificate.certify import certified, lines
    from textveil.certificate.marks import Marks
    from textveil.corpora.inputs import whole_of

    need(0.5 <= level < 1, "level", level, ">= 0.5 and < 1", "Usual is 0.95.")
    if choosing.check():
        others = {"release": release, "report": report, "as_json": as_json, "level": level != LEVEL}
        for name, value in others.items():
            need(not value, name, "one", "left out beside `miss_at_most` or `teach`", "Certify by itself.")
        (_teach if choosing.teach else _choose)(Marks(marks), choosing, reading)
        return
    for name, value in vars(reading).items():
        need(not value, name, "one", _TOGETHER)
    certificate = certified(Marks(marks), level)
    if certificate.sampled is not None:
        for name, value in {"release": release, "report": report}.items():
            need(not value, name, "one", "left out for conversations of a server", "They are no release.")
    if release is not None:
        if (whole := whole_of(release)) is None:
            raise InputError("the file of --release must be readable; it is not.")
        same = whole.sha256 == certificate.binding.release_sha256
        need(same, "release", "another file or a changed one", "the one that was reviewed", "Review this one.")
    if report:
        need(certificate.secure, "marks", "drawn with a seed", "drawn at random for a report", "Draw anew.")
        contents = [_with_certificate(path, certificate) for path in report]  # all fit, or none is written
        for path, content in zip(report, contents, strict=True):
            write_whole(path, content)
    told = (line for label, text in lines(certificate) for line in row(label, text))
    opt.show(certificate.to_data(), told, as_json=as_json)


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


def _extended(marks: Marks, choosing: _ChoosingOptions) -> Policy:
    """Return the policy of the marks. Refuse another policy, and an output that is an input."""
    from textveil.corpora.inputs import Places
    from textveil.sanitize.policy.choice import is_path, policy

    name, output, original = choosing.policy, choosing.output, choosing.original
    assert name is not None and output is not None and original is not None
    Places(inputs=(str(marks.path), *original, *([name] if is_path(name) else [])), output=output)
    check_folder(output)
    chosen = policy(name)
    need(chosen.digest == marks.design.binding.policy_digest, "policy", name[:60], "the one of the marks, as it is now")
    return chosen


def _teach(marks: Marks, choosing: _ChoosingOptions, reading: opt.ReadingOptions) -> None:
    """Write the policy with lists of what was missed and what was wrong."""
    from textveil.certificate.certify import Finding
    from textveil.certificate.reviewing import taught
    from textveil.certificate.samples import read_samples
    from textveil.sanitize.policy.making import list_kinds, with_lists

    policy, name, output, original = _extended(marks, choosing), choosing.policy, choosing.output, choosing.original
    assert name is not None and output is not None and original is not None
    if choosing.key is not None:
        need(len(original) == 1, "original", len(original), "one folder or file of samples beside `key`")
        texts = [text for text, _ in read_samples(Path(original[0]), read_key(choosing.key, "key")).texts]
    else:
        texts = [text.rstrip("\r\n") for block in reading.texts(original, "reading") for text in block]
    outputs = opt.Outputs(output)
    find = Finding(policy)
    pages = [page for page in marks.by_page if page <= len(texts)]
    lists = taught(marks, texts, {page: find(texts[page - 1]).spans for page in pages}, list_kinds(policy))
    hidden = sum(map(len, lists.hidden.values()))
    told = f"{counted(hidden, 'phrase')} hidden, {len(lists.kept):,} kept"
    why = f"Taught by private text, {counted(lists.pages, 'document')} read: {told}."
    write_whole(output, with_lists(name, lists.hidden, lists.kept, why).encode("utf-8"), private=True)
    rows = row("taught", f"{told}, {lists.left_out:,} left out, by {counted(lists.pages, 'document')} read -> {output}")
    if lists.common:
        unmarked = f"{counted(lists.common, 'phrase')} hidden, though mostly unmarked on the pages read"
        rows += row("CHECK", f"{unmarked}: take common words out of {output}")
    rows += row("then", "no certificate holds for this policy: release again, and review that release with new marks")
    sys.stderr.writelines(line + "\n" for line in rows)
    outputs.tell()


def _choose(marks: Marks, choosing: _ChoosingOptions, reading: opt.ReadingOptions) -> None:
    """Write the policy with the chosen threshold, if the texts look like those that were read."""
    from textveil.certificate.certify import DIRECT, Finding, alike, chosen_threshold
    from textveil.randomness import secure_generator
    from textveil.sanitize.policy.making import rescored

    policy = _extended(marks, choosing)
    name, output, target, original = choosing.policy, choosing.output, choosing.miss_at_most, choosing.original
    assert name is not None and output is not None and target is not None and original is not None
    outputs = opt.Outputs(output)
    with renamed(target="miss_at_most"):
        chosen = chosen_threshold(marks, target)
    find = Finding(policy)
    texts = [text for block in reading.texts(original, "reading") for text in block]
    found = []
    with counting("finding", "documents") as progress:
        for done, text in enumerate(texts, start=1):
            found.append(find(text))
            progress(done, len(texts))
    if not found:
        raise InputError("the texts to be released must be one or more; got none. Name their file.")
    compared = alike(marks, found, secure_generator())
    need(
        compared.alike,
        "original",
        f"others (p = {compared.p_value:.3f})",
        f"like the documents that were read, by a test at {100 * compared.level:g} %",
        "Read documents of these texts.",
    )
    least = chosen.threshold if chosen.threshold <= 1 else None
    masked = "no guess" if least is None else f"guesses from {least:g} on"
    expected = f"at most {100 * chosen.expected:.2g} % of documents hold a missed direct identifier"
    why = f"Chosen by private text, {chosen.pages:,} documents read: {masked}, so that {expected}, "
    why += "in expectation over draws, a refusal counting as none."
    write_whole(output, rescored(name, 1.0 if least is None else least, DIRECT, why).encode("utf-8"), private=True)
    lines = row("masked", f"{masked}, by {chosen.pages:,} documents read -> {output}")
    lines += row("expected", expected)
    lines += row("then", f"textveil sanitize --policy {output}; this policy needs new marks to be certified")
    sys.stderr.writelines(line + "\n" for line in lines)
    outputs.tell()
