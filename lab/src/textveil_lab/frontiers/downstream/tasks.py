"""Labelled public corpora as ids of a vocabulary, cut into runs without common documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from textveil.errors import InputError, need
from textveil.types import Ids, Integers
from textveil_lab.vocabulary.documents import DocumentReader, Documents


class Labelled(NamedTuple):
    """Texts of a corpus and their classes, from 0."""

    texts: tuple[str, ...]
    classes: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Labelled corpus with its own training and test part."""

    name: str
    class_names: tuple[str, ...]
    train: Labelled
    test: Labelled


class LabelledPart(NamedTuple):
    """Documents with their classes."""

    documents: Documents
    classes: Integers  # of the documents, from 0, shape (documents,)


class Repetition(NamedTuple):
    """One repetition: documents to learn from and to test on, none of which is in another run."""

    train: LabelledPart
    test: LabelledPart


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledTask:
    """Corpus in the words of one vocabulary, cut into runs."""

    name: str
    classes: int  # how many there are; every part of every run holds as many documents of each
    runs: tuple[Repetition, ...]  # two or more


def with_ids(part: LabelledPart, ids: Ids) -> LabelledPart:
    """Return the same documents with other words in their positions, such as released ones."""
    return LabelledPart(Documents(ids, part.documents.bounds), part.classes)


def task_of(
    corpus: Corpus, words: Sequence[str], rng: np.random.Generator, *, runs: int, train: int, test: int, longest: int
) -> LabelledTask:
    """Draw documents for several runs, every class in the same share, none twice.

    Words outside the vocabulary are read as their public substitutes, as a sanitizer reads them.

    Args:
        words: of the vocabulary, in the order of their ids.
        runs: repetitions, at least two.
        train: documents of a run to learn from, at least one a class.
        longest: number of words kept of a document, its first ones.

    Raises:
        InputError: the corpus has too few documents of a class.
    """
    need(runs >= 2, "runs", runs, ">= 2")
    need(longest >= 1, "longest", longest, ">= 1")
    reader, classes = DocumentReader(words), len(corpus.class_names)
    parts = []
    for name, source, wanted in (("train", corpus.train, train), ("test", corpus.test, test)):
        each = wanted // classes
        need(each >= 1, name, wanted, f">= {classes}")
        parts.append(_parts(source, f"the {name} part of {corpus.name}", classes, runs, each, longest, reader, rng))
    return LabelledTask(
        name=corpus.name, classes=classes, runs=tuple(Repetition(*pair) for pair in zip(*parts, strict=True))
    )


def _parts(
    source: Labelled,
    name: str,
    classes: int,
    runs: int,
    each: int,
    longest: int,
    reader: DocumentReader,
    rng: np.random.Generator,
) -> list[LabelledPart]:
    given = np.asarray(source.classes)
    chosen = []
    for number in range(classes):
        members = rng.permutation(np.flatnonzero(given == number))
        if len(members) < runs * each:
            raise InputError(
                f"{name} must have {runs * each} documents of each class; got {len(members)} of one. Ask for fewer."
            )
        chosen.append(members[: runs * each].reshape(runs, each))
    parts = []
    for run in range(runs):
        places = rng.permutation(np.concatenate([rows[run] for rows in chosen]))
        documents = reader.words([source.texts[place] for place in places.tolist()], clean=True)
        parts.append(LabelledPart(shortened(documents, longest), given[places].astype(np.int64)))
    return parts


def shortened(documents: Documents, longest: int) -> Documents:
    """Return the first words of every document, at most ``longest``."""
    starts, lengths = documents.bounds[:-1], np.diff(documents.bounds)
    kept = np.minimum(lengths, longest)
    places = np.arange(len(documents.ids)) - np.repeat(starts, lengths)
    return Documents(documents.ids[places < longest], np.concatenate([[0], np.cumsum(kept)]).astype(np.int64))
