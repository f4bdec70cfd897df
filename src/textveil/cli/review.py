"""``textveil review``: the page on which a person corrects a release; it exports a policy and labels."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textveil.cli import options as opt
from textveil.cli.progress import counting
from textveil.errors import InputError, ParameterError, UnknownNameError, need
from textveil.json_text import json_file
from textveil.pages.messages import counted, row, said
from textveil.version import VERSION
from textveil.whole_files import check_folder, read_key, write_whole

if TYPE_CHECKING:
    from textveil.certificate.certify import Finding
    from textveil.certificate.marks import Binding, Design
    from textveil.corpora.file_by_file import Folder
    from textveil.corpora.inputs import LeftOut
    from textveil.pages.comparison import Piece
    from textveil.sanitize.policy.policy import Policy

_DEFAULT = "identifiers"
_TWICE = 5  # a second reviewer, if there is one, reads every fifth page of a draw
_CERTIFY = "Reading for a certificate"


@dataclass(frozen=True, kw_only=True)
class _MarkingOptions:
    marks: Path | None = opt.value(
        "M.jsonl",
        "Draw documents at random, and keep what you mark in this file, or go on with it: for textveil certify.",
        _CERTIFY,
    )
    key: Path | None = opt.value(
        "FILE", "RELEASE is a folder or file of conversations that textveil serve kept: this key opens them.", _CERTIFY
    )
    reviewer: str = opt.value("NAME", "Who reads: several share one file.", _CERTIFY, default="reviewer")
    at_most: float = opt.value(
        "P", "Share of documents with a missed direct identifier to aim for.", _CERTIFY, default=0.01
    )
    seed: int | None = opt.value("N", "Repeatable draw, for experiments; it certifies nothing.", _CERTIFY)

    def check(self, output: Path | None, sample: int | None) -> None:
        """Refuse options of the page beside --marks, and those of --marks without it."""
        need(0 < self.at_most < 1, "at_most", self.at_most, "between 0 and 1")
        if self.marks is None:
            changed = {"reviewer": self.reviewer != "reviewer", "at_most": self.at_most != 0.01, "seed": self.seed}
            changed["key"] = self.key is not None
            for name, is_given in changed.items():
                need(is_given in (None, False), name, "one", "left out where there are no `marks`")
        else:
            need(output is None, "output", "one", "left out where there are `marks`", "No page is written then.")
            need(sample is None, "sample", "one", "left out where there are `marks`", "Their draw is in the file.")


@opt.grouped
def review_command(
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="What was released: a file or a folder.")],
    *,
    original: list[str] | None = opt.value(
        "FILE", "The texts that it was made of, as sanitize was given them; may be repeated. Needed without --key."
    ),
    policy: str | None = opt.value(
        "NAME|FILE", "The policy that the corrections extend.  [default: that of --report, else identifiers]"
    ),
    report: Path | None = opt.value("R.json", "The report of the release, for its policy."),
    sender_report: Path | None = opt.value(
        "S.json", "The sender's report of the release, if records were left out or files called by number."
    ),
    output: Path | None = opt.value("FILE.html", "The page, for you alone (mode 0600).  [default: review.html]"),
    sample: int | None = opt.value("N", "Show N documents, chosen at random, for labels.  [default: all]"),
    marking: _MarkingOptions,
    reading: opt.ReadingOptions,
    quiet: opt.Quiet = False,
    language: opt.Language = None,
) -> None:
    """Write a page on which you correct what was found; with --marks, read drawn documents for textveil certify.

    The page holds the texts: it is as private as they are. It needs no network, and exports a policy, and labels
    for textveil detect --evaluate. With --marks no page is written: one document after another is shown at an address
    of this machine, and each mark is kept at once.
    """
    from textveil.corpora.file_by_file import Folder
    from textveil.corpora.inputs import Places, check_release
    from textveil.sanitize.policy.choice import is_path
    from textveil.sanitize.policy.choice import policy as policy_named

    need(sample is None or sample >= 1, "sample", sample, ">= 1")
    name = policy or (_DEFAULT if report is None else str(_stated(report)["name"]))
    marking.check(output, sample)
    output = output or Path("review.html")
    target = marking.marks or output
    if marking.key is None:
        need(original is not None, "original", "none", "one or more files")
    else:
        need(original is None, "original", "one", "left out beside `key`", "Samples hold them.")
    own = [name] if is_path(name) else []
    Places(inputs=(release, *(original or [str(marking.key)]), *own), output=target)
    check_folder(target)
    if original is None:
        _read_conversations(Path(release), policy_named(name), name, marking, report, reading, quiet=quiet)
        return
    if report is not None:
        _need_same(report, name)
        check_release(_stated(report)["release"], [release])
    chosen = policy_named(name)
    left_out, new_names = ([], {}) if sender_report is None else _told_to_sender(sender_report)
    plain = replace(reading, encoding=None)  # a release is UTF-8, whatever its originals are
    if Path(release).is_dir():
        folder = Folder.of(original, Path(release))
        files, left_out = _released_files(folder, Path(release), left_out, new_names)
        sides = plain.texts([], "reading", folder=files), reading.texts([], "reading", left_out, folder)
    else:
        sides = plain.texts([release], "reading"), reading.texts(original, "reading", left_out)
    released, originals = ([text.rstrip("\r\n") for text in chain.from_iterable(blocks)] for blocks in sides)
    if len(released) != len(originals) or not released:
        raise InputError(
            "a release and its originals must have as many documents, one or more; got "
            f"{len(released):,} and {len(originals):,}. Name the files of one run, --field or --whole-file as then, "
            "and the --sender-report of the run if records were left out."
        )
    pairs = list(zip(originals, released, strict=True))
    if left_out and not quiet:
        _tell_left_out(left_out)
    if marking.marks is None:
        _written(pairs, name, chosen, output, sample, quiet=quiet)
    else:
        sha256 = _sha256_of(release)

        def design(find: Finding) -> Design:
            return _design(pairs, chosen, sha256, find, marking.seed)

        def binding(key: str) -> Binding:
            return _binding(pairs, chosen, sha256, key)

        _read_by_draw(pairs, name, chosen, marking, design, binding, quiet=quiet)


def _read_conversations(
    place: Path,
    chosen: Policy,
    name: str,
    marking: _MarkingOptions,
    report: Path | None,
    reading: opt.ReadingOptions,
    *,
    quiet: bool,
) -> None:
    """Serve the pages for reading conversations that a server kept."""
    from textveil.certificate.marks import Design, Period, new_key
    from textveil.certificate.samples import read_samples
    from textveil.certificate.sampling import draw_kept
    from textveil.randomness import seeded_generator

    others = {"report": report, **vars(reading)}
    for option, value in others.items():
        need(not value, option, "one", "left out beside `key`", "Samples have one form.")
    assert marking.key is not None
    kept = read_samples(place, read_key(marking.key, "key"))
    need(kept.facts.policy_digest == chosen.digest, "policy", name[:60], f"that of the samples ({kept.facts.policy})")
    need(kept.facts.textveil == VERSION, "samples", f"those of {kept.facts.textveil}", f"of this version, {VERSION}")

    def binding(key: str) -> Binding:
        return _binding(kept.texts, chosen, kept.sha256, key, documents=kept.conversations)

    def design(find: Finding) -> Design:
        key, seed = new_key(), marking.seed
        rng = None if seed is None else seeded_generator(seed)
        return Design(
            key=key,
            binding=binding(key),
            draw=draw_kept(len(kept.texts), kept.conversations, rng),
            found={},
            twice=_TWICE,
            secure=seed is None,
            sampled=Period(kept.since, kept.until, kept.facts.share),
        )

    _read_by_draw(kept.texts, name, chosen, marking, design, binding, quiet=quiet)


def _told_to_sender(report: Path) -> tuple[list[LeftOut], dict[str, str]]:
    """Return the records that a sender's report lists as left out, and the new names of files by their old names."""
    from textveil.corpora.inputs import LeftOut

    try:
        data = json_file(report)
        skipped = data["skipped"]
        left_out = [LeftOut(int(each["source"]), int(each["first"]), int(each["last"])) for each in skipped["first"]]
        count, new_names = int(skipped["count"]), {str(old): str(new) for new, old in data.get("names", {}).items()}
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        hint = "Give the JSON that sanitize --sender-report wrote."
        raise ParameterError(f"--sender-report must be the report for the sender; it is not. {hint}") from None
    if count > len(left_out):
        raise InputError(
            f"a report for the sender must list all that was left out; this one lists {len(left_out):,} of {count:,}. "
            "Take those records out of the originals, and sanitize them again."
        )
    return left_out, new_names


def _released_files(
    folder: Folder, release: Path, left_out: Sequence[LeftOut], new_names: Mapping[str, str]
) -> tuple[Folder, list[LeftOut]]:
    """Return the released files in the order of the originals, and all that was left out, whole files too."""
    from textveil.corpora.file_by_file import Folder
    from textveil.corpora.inputs import LeftOut
    from textveil.corpora.sources import files_in

    names = [new_names.get(name, name) for name in folder.names]
    there = [name for name in names if (release / name).is_file()]
    if others := len(files_in(release)) - len(there):
        raise InputError(
            f"each file of a release must have an original of its name; got {others:,} of other names. Name the "
            "originals as sanitize was given them, and the --sender-report of the run if it called files by number."
        )
    gone = [LeftOut(number, 1, 0) for number, name in enumerate(names, start=1) if name not in set(there)]
    files = Folder(tuple(str(release / name) for name in there), tuple(there))
    return files, [*(each for each in left_out if each not in gone), *gone]


def _tell_left_out(left_out: Sequence[LeftOut]) -> None:
    whole = {each.input for each in left_out if each.first == 1 and each.last == 0}
    parts = [each for each in left_out if each.input not in whole]
    told = [counted(len(whole), "file")] if whole else []
    if records := sum(each.last - each.first + 1 for each in parts if each.last):
        told.append(counted(records, "record"))
    if rests := sum(not each.last for each in parts):
        told.append(f"the end of {counted(rests, 'file')}")
    text = f"{', '.join(told)}: without a release, so not in the review"
    sys.stderr.writelines(line + "\n" for line in row("left out", text))


def _written(
    pairs: Sequence[tuple[str, str]], name: str, chosen: Policy, output: Path, sample: int | None, *, quiet: bool
) -> None:
    from textveil.detection.kinds import GROUPS
    from textveil.pages.rendering import review_page
    from textveil.sanitize.policy.making import correctable

    base = correctable(name)
    numbers = _chosen(len(pairs), sample)
    pieces = list(_pieces([pairs[number] for number in numbers], chosen))
    guesses = sum(bool(piece.guess) for document in pieces for piece in document)
    labels = f"textveil detect --evaluate labels.jsonl --policy {name}" if chosen.finds_spans else ""
    documents = [(number + 1, document) for number, document in zip(numbers, pieces, strict=True)]
    page = review_page(documents, base, labels=labels, groups=GROUPS)
    outputs = opt.Outputs(output)
    write_whole(output, page.encode("utf-8"), private=True)
    outputs.tell(quiet=quiet)
    if not quiet:
        likely = f", {counted(guesses, 'likely name')} below the threshold" if guesses else ""
        many = counted(len(numbers), "document")
        lines = row("review", f"{many}{likely} -> {output}, for you alone: open it in a browser")
        lines += row("then", labels) if labels else []
        sys.stderr.writelines(line + "\n" for line in lines)


def _read_by_draw(
    pairs: Sequence[tuple[str, str]],
    name: str,
    chosen: Policy,
    marking: _MarkingOptions,
    design: Callable[[Finding], Design],
    binding: Callable[[str], Binding],
    *,
    quiet: bool,
) -> None:
    """Serve the documents of a draw until the reader stops; the draw is on the disk before any is shown."""
    from textveil.certificate.certify import Finding
    from textveil.certificate.marks import Marks, checked_reviewer, need_same
    from textveil.certificate.reviewing import Review, ReviewServer
    from textveil.detection.kinds import GROUPS
    from textveil.pages.rendering import marking_page
    from textveil.sanitize.policy.making import correctable

    assert marking.marks is not None
    keeps = chosen.finds_spans and not chosen.draws_words
    need(keeps, "policy", name[:60], "one that finds spans and keeps words", "With others nothing is found or missed.")
    find = Finding(chosen)
    reviewer = checked_reviewer(marking.reviewer)
    if marking.marks.exists():
        need(marking.seed is None, "seed", marking.seed, "left out where the marks go on", "They have their draw.")
        marks = Marks(marking.marks)
        need_same(marks.design.binding, binding(marks.design.key))
    else:
        marks = Marks.begun(marking.marks, design(find))
    kinds = [kind for kind in correctable(name)["kinds"] if kind in GROUPS] + [
        kind for kind in find.kinds if kind not in GROUPS
    ]
    review = Review(marks, pairs, find, kinds=kinds, reviewer=reviewer, target=marking.at_most)
    page = marking_page(kinds, GROUPS)
    with ReviewServer(review, page.html, page.digests) as server:
        what = counted(len(pairs), "document" if marking.key is None else "conversation")
        lines = row("review", f"{what}, marks -> {marking.marks}; stop at any page: Ctrl-C")
        sys.stderr.writelines(line + "\n" for line in [*([] if quiet else lines), server.address])
        sys.stderr.flush()
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever(poll_interval=0.1)
    if server.failure is not None:
        raise server.failure
    if not quiet:
        lines = [line for part in review.standing() for line in row("", said(part))]
        lines += row("then", f"textveil certify {marking.marks}")
        sys.stderr.writelines(line + "\n" for line in lines)


def _sha256_of(release: str) -> str:
    from textveil.corpora.inputs import whole_of

    if (whole := whole_of(Path(release))) is None:
        raise InputError("a release that is marked must be a file; got a stream or a pattern. Name one file.")
    return whole.sha256


def _binding(
    pairs: Sequence[tuple[str, str]], chosen: Policy, sha256: str, key: str, *, documents: int | None = None
) -> Binding:
    from textveil.certificate.marks import Binding, corpus_hmac

    return Binding(
        textveil=VERSION,
        policy=chosen.name,
        policy_digest=chosen.digest,
        documents=documents or len(pairs),
        release_sha256=sha256,
        original_hmac=corpus_hmac(key, (original for original, _ in pairs)),
    )


def _design(pairs: Sequence[tuple[str, str]], chosen: Policy, sha256: str, find: Finding, seed: int | None) -> Design:
    from textveil.certificate.marks import Design, new_key
    from textveil.certificate.sampling import draw_pages
    from textveil.randomness import seeded_generator

    found: dict[str, Counter[int]] = {}
    guesses: list[int] = []
    with counting("finding", "documents") as progress:
        for done, (original, _) in enumerate(pairs, start=1):
            spans, likely = find(original)
            guesses.append(len(likely))
            for kind, count in Counter(span.kind for span in spans).items():
                found.setdefault(kind, Counter())[count] += 1
            progress(done, len(pairs))
    for pages in found.values():
        pages[0] = len(pairs) - sum(pages.values())
    key = new_key()
    return Design(
        key=key,
        binding=_binding(pairs, chosen, sha256, key),
        draw=draw_pages(guesses, None if seed is None else seeded_generator(seed)),
        found={kind: +pages for kind, pages in found.items()},
        twice=_TWICE,
        secure=seed is None,
    )


def _stated(report: Path) -> dict[str, Any]:
    """Return name and digest of the policy that a report states, and the digest of the release."""
    try:
        data = json_file(report)
        stated = data["policy"]
        return {"name": stated["name"], "digest": stated["digest"], "release": data.get("release_sha256")}
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        hint = "Give the JSON that sanitize --report wrote, or --policy."
        raise ParameterError(f"--report must be the report of a release under a policy; it is not. {hint}") from None


def _need_same(report: Path, name: str) -> None:
    from textveil.sanitize.policy.choice import policy

    stated = _stated(report)
    try:
        fits = policy(name).digest == stated["digest"]
    except UnknownNameError:
        fits = False
    need(
        fits,
        "policy",
        name[:60],
        f"the one of --report ({str(stated['name'])[:60]}, sha256 {str(stated['digest'])[:16]})",
        "Name its file.",
    )


def _chosen(count: int, sample: int | None) -> Sequence[int]:
    from textveil.randomness import secure_generator

    if sample is None or sample >= count:
        return range(count)
    return sorted(secure_generator().choice(count, sample, replace=False).tolist())


def _pieces(pairs: Sequence[tuple[str, str]], chosen: Policy) -> Iterator[list[Piece]]:
    """Yield the pieces of each document, with what the policy finds in it."""
    from textveil.certificate.certify import Finding
    from textveil.pages.comparison import compared

    find = Finding(chosen) if chosen.finds_spans else None
    with counting("comparing", "documents") as progress:
        for done, (original, released) in enumerate(pairs, start=1):
            spans, guesses = ([], []) if find is None else find(original)
            yield compared(original, released, spans, guesses, by_word=chosen.draws_words)
            progress(done, len(pairs))
