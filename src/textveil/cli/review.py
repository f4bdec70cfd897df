"""``textveil review``: the page on which a person corrects a release; it exports a policy and labels."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textveil.cli import options as opt
from textveil.errors import InputError, ParameterError, need

if TYPE_CHECKING:
    from textveil.pages.comparison import Piece
    from textveil.sanitize.policy.policy import Policy

_DEFAULT = "identifiers"


@opt.grouped
def review_command(
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="What was released.")],
    *,
    original: list[str] = opt.value(
        "FILE", "The texts that it was made of, in the same order; may be repeated.", default=...
    ),
    policy: str | None = opt.value(
        "NAME|FILE", "The policy that the corrections extend.  [default: that of --report, else identifiers]"
    ),
    report: Path | None = opt.value("R.json", "The report of the release, for its policy."),
    output: Path = opt.value("FILE.html", "The page, for you alone (mode 0600).", default=Path("review.html")),
    sample: int | None = opt.value("N", "Show N documents, chosen at random, for labels.  [default: all]"),
    reading: opt.ReadingOptions,
    quiet: opt.Quiet = False,
) -> None:
    """Write a page on which you step through documents and mark missed words and wrong spans.

    The page holds the texts: it is as private as they are. It needs no network, and exports a policy, and labels
    for textveil detect --evaluate.
    """
    from textveil.corpora.files.inputs import Places, check_release
    from textveil.detection.kinds import GROUPS
    from textveil.pages.rendering import review_page
    from textveil.sanitize.policy.choice import is_path
    from textveil.sanitize.policy.choice import policy as policy_named
    from textveil.sanitize.policy.making import correctable
    from textveil.whole_files import check_folder, write_whole

    need(sample is None or sample >= 1, "sample", sample, ">= 1")
    name = policy or (_DEFAULT if report is None else str(_stated(report)["name"]))
    Places(inputs=(release, *original, *([name] if is_path(name) else [])), output=output)
    check_folder(output)
    if report is not None:
        _need_same(report, name)
        check_release(_stated(report)["release"], [release])
    base, chosen = correctable(name), policy_named(name)
    released, originals = (
        [text.rstrip("\r\n") for text in chain.from_iterable(reading.texts(list(names), "reading"))]
        for names in ([release], original)
    )
    if len(released) != len(originals) or not released:
        raise InputError(
            "a release and its originals must have as many documents, one or more; got "
            f"{len(released):,} and {len(originals):,}. Name the files of one run, and --field or --whole-file as "
            "then."
        )
    numbers = _chosen(len(released), sample)
    pieces = list(_pieces([(originals[number], released[number]) for number in numbers], chosen))
    guesses = sum(bool(piece.guess) for document in pieces for piece in document)
    labels = f"textveil detect --evaluate labels.jsonl --policy {name}" if chosen.finds_spans else ""
    documents = [(number + 1, document) for number, document in zip(numbers, pieces, strict=True)]
    page = review_page(documents, base, labels=labels, groups=GROUPS)
    write_whole(output, page.encode("utf-8"), private=True)
    if not quiet:
        from textveil.cli.brief import row
        from textveil.pages.messages import counted

        likely = f", {counted(guesses, 'likely name')} below the threshold" if guesses else ""
        many = counted(len(numbers), "document")
        lines = row("review", f"{many}{likely} -> {output}, for you alone: open it in a browser")
        lines += row("then", labels) if labels else []
        sys.stderr.writelines(line + "\n" for line in lines)


def _stated(report: Path) -> dict[str, Any]:
    """Return name and digest of the policy that a report states, and the digest of the release."""
    from textveil.json_text import json_file

    try:
        data = json_file(report)
        stated = data["policy"]
        return {"name": stated["name"], "digest": stated["digest"], "release": data.get("release_sha256")}
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        hint = "Give the JSON that sanitize --report wrote, or --policy."
        raise ParameterError(f"--report must be the report of a release under a policy; it is not. {hint}") from None


def _need_same(report: Path, name: str) -> None:
    from textveil.errors import UnknownNameError
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
    from textveil.cli.progress import counting
    from textveil.pages.comparison import compared
    from textveil.sanitize.policy.finding import GUESS
    from textveil.sanitize.policy.making import parts_of

    finder, drawn = None, frozenset[str]()
    if chosen.finds_spans:
        parts = parts_of(chosen)
        finder, drawn = parts.finder, frozenset(parts.surrogates)
    with counting("comparing", "documents") as progress:
        for done, (original, released) in enumerate(pairs, start=1):
            found = finder.found_or_guessed(finder.readings([original]))[0] if finder else []
            here = [span for span in found if span.kind in drawn]
            spans = [span for span in here if span.detector != GUESS]
            guesses = [span for span in here if span.detector == GUESS]
            yield compared(original, released, spans, guesses, by_word=chosen.draws_words)
            progress(done, len(pairs))
