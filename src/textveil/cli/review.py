"""``textveil review``: a page on which a person corrects by hand what was found in texts."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from textveil.cli import options as opt


@opt.grouped
def review_command(
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="What was released.")],
    *,
    original: Path = opt.value("FILE", "The texts that it was made of, in the same order.", default=...),
    output: Path = opt.value("FILE.html", "The page, for you alone (mode 0600).", default=Path("review.html")),
    policy: str = opt.value("NAME|FILE", "The policy that the corrections extend.", default="identifiers"),
    reading: opt.ReadingOptions,
    quiet: opt.Quiet = False,
) -> None:
    """Write a page on which you step through documents and mark missed words and wrong spans.

    The page holds the texts: it is as private as they are. It needs no network and exports a policy.
    """
    from textveil.corpora.files.inputs import Places
    from textveil.errors import InputError
    from textveil.pages.review import review_page
    from textveil.sanitize.policy.choice import is_path
    from textveil.sanitize.policy.corrections import correctable
    from textveil.whole_files import check_folder, write_whole

    Places(inputs=(release, str(original), *([policy] if is_path(policy) else [])), output=output)
    check_folder(output)
    chosen = correctable(policy)
    texts = [_texts(reading, name) for name in (release, str(original))]
    counts = [len(each) for each in texts]
    if counts[0] != counts[1] or not counts[0]:
        raise InputError(
            "a release and its originals must have as many documents, one or more; got "
            f"{counts[0]:,} and {counts[1]:,}. Name the two files of one run, and --field or --whole-file as then."
        )
    page = review_page(list(zip(texts[1], texts[0], strict=True)), chosen)
    write_whole(output, page.encode("utf-8"), private=True)
    if not quiet:
        sys.stderr.write(f"review      {counts[0]:,} documents; open the page in a browser; never pass it on\n")


def _texts(reading: opt.ReadingOptions, name: str) -> list[str]:
    return [text.rstrip("\r\n") for text in chain.from_iterable(reading.texts([name], "reading"))]
