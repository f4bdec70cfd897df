"""Designs and marks for tests: a corpus of so many pages, of which these were read."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from textveil.certificate.marks import Binding, Design, Mark, Marks, Span, new_key
from textveil.certificate.sampling import draw_pages

DAY = date(2026, 11, 20)


def binding(documents: int) -> Binding:
    """What the marks are about: nothing that exists."""
    return Binding(
        textveil="0.1.0",
        policy="clinical",
        policy_digest="a" * 64,
        documents=documents,
        release_sha256="b" * 64,
        original_hmac="c" * 64,
    )


def begun(path: Path, documents: int, *, guesses: Sequence[int] = (), secure: bool = True) -> Marks:
    """A file of marks without any; each page has two names that were found."""
    return Marks.begun(
        path,
        Design(
            key=new_key(),
            binding=binding(documents),
            draw=draw_pages(guesses or [0] * documents),
            found={"person": {2: documents}},
            twice=5,
            secure=secure,
        ),
    )


def mark_next(marks: Marks, kinds: Sequence[str] = (), reviewer: str = "ann", wrong: int = 0) -> int:
    """Mark the reviewer's next page, with a missed value of each of these kinds; return its number."""
    page = marks.due(reviewer)
    assert page is not None
    missed = tuple(Span(10 * place, 10 * place + 5, kind) for place, kind in enumerate(kinds))
    replaced = tuple(Span(100 + 10 * place, 105 + 10 * place, "person") for place in range(wrong))
    found: Mapping[str, int] = {"person": 2}
    marks.add(Mark(page=page, reviewer=reviewer, missed=missed, wrong=replaced, found=found, day=DAY))
    return page
