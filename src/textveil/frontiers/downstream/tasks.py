"""Labelled public corpora as ids of a vocabulary, cut into runs that share no document."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple, final

import numpy as np

from textveil.errors import InputError, ParameterError, need
from textveil.estimation.documents import DocumentReader, Documents
from textveil.types import Ids, Integers, Reals


class Labelled(NamedTuple):
    """Texts of a corpus and the class of each, from 0."""

    texts: tuple[str, ...]
    classes: tuple[int, ...]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A labelled corpus with its own training and test part.

    Attributes:
        name: what reports call it.
        class_names: in the order of their numbers.
        train: what is learned from.
        test: what accuracies are measured on.
    """

    name: str
    class_names: tuple[str, ...]
    train: Labelled
    test: Labelled


class LabelledPart(NamedTuple):
    """Documents with their classes.

    Attributes:
        documents: ids of words.
        classes: of the documents, from 0, shape (documents,).
    """

    documents: Documents
    classes: Integers


class Repetition(NamedTuple):
    """One repetition: documents to learn from and to test on, none of which is in another run."""

    train: LabelledPart
    test: LabelledPart


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledTask:
    """A corpus in the words of one vocabulary, cut into runs.

    Attributes:
        name: of the corpus.
        classes: how many there are; every part of every run holds as many documents of each.
        runs: two or more.
    """

    name: str
    classes: int
    runs: tuple[Repetition, ...]


def training_frequencies(task: LabelledTask, size: int) -> Reals:
    """How often each word occurs in the clean training documents, and one more; shape (size,): an attacker's prior."""
    words = np.concatenate([run.train.documents.ids for run in task.runs])
    return (np.bincount(words, minlength=size) + 1).astype(np.float64)


def with_ids(part: LabelledPart, ids: Ids) -> LabelledPart:
    """The same documents with other words in their places, such as released ones."""
    return LabelledPart(Documents(ids, part.documents.bounds), part.classes)


def task_of(
    corpus: Corpus,
    words: Sequence[str],
    rng: np.random.Generator,
    *,
    runs: int,
    train: int,
    test: int,
    longest: int,
) -> LabelledTask:
    """Draw documents for several runs, every class in the same share, none twice.

    Words that the vocabulary lacks are read as those that stand for them, as a sanitizer reads them.

    Args:
        corpus: texts and classes.
        words: of the vocabulary, in the order of their ids.
        rng: of the choice.
        runs: repetitions, at least two.
        train: documents of a run to learn from, at least one a class.
        test: documents of a run to test on, likewise.
        longest: words of a document that are kept, its first ones.

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
    """As many parts as there are runs, each with ``each`` documents of every class, in random order."""
    given = np.asarray(source.classes)
    chosen = []
    for number in range(classes):
        members = rng.permutation(np.flatnonzero(given == number))
        if len(members) < runs * each:
            raise InputError(
                f"{name} must have {runs * each} documents of each class; got {len(members)} of one. Ask for fewer."
            )
        chosen.append(members[: runs * each].reshape(runs, each))
    found = []
    for run in range(runs):
        places = rng.permutation(np.concatenate([rows[run] for rows in chosen]))
        documents = reader.words([source.texts[place] for place in places.tolist()], clean=True)
        found.append(LabelledPart(shortened(documents, longest), given[places].astype(np.int64)))
    return found


def shortened(documents: Documents, longest: int) -> Documents:
    """The first words of every document, ``longest`` at most."""
    starts, lengths = documents.bounds[:-1], np.diff(documents.bounds)
    kept = np.minimum(lengths, longest)
    places = np.arange(len(documents.ids)) - np.repeat(starts, lengths)
    return Documents(documents.ids[places < longest], np.concatenate([[0], np.cumsum(kept)]).astype(np.int64))


AG_NEWS_CLASSES: Final = ("World", "Sports", "Business", "Sci/Tech")
SST2_CLASSES: Final = ("negative", "positive")


def read_ag_news(folder: Path) -> Corpus:
    """AG News: train.tsv (label, source, text) and test.csv (class, title, description), classes from 1 to 4."""
    train = [(row[2], row[0]) for row in _rows(folder / "train.tsv", "\t", 3, head=True)]
    test = [(f"{row[1]} {row[2]}", row[0]) for row in _rows(folder / "test.csv", ",", 3, head=False)]
    return _corpus("AG News", AG_NEWS_CLASSES, train, test, first=1)


def read_sst2(folder: Path) -> Corpus:
    """SST-2: train.tsv, and dev.tsv (the rest of GLUE's training rows) to test on; sentence and label, 0 or 1."""
    train, test = ([(row[0], row[1]) for row in _rows(folder / f"{name}.tsv", "\t", 2, head=True)]
                   for name in ("train", "dev"))  # fmt: skip
    return _corpus("SST-2", SST2_CLASSES, train, test, first=0)


CORPORA: Final[Mapping[str, Callable[[Path], Corpus]]] = MappingProxyType({"agnews": read_ag_news, "sst2": read_sst2})
"""Readers by the name of the folder below data/text."""


def read_corpus(name: str, root: Path) -> Corpus:
    """A labelled corpus below the folder ``root``.

    Raises:
        ParameterError: there is no such corpus, or no folder of it.
        InputError: its files cannot be read.
    """
    need(name in CORPORA, "corpus", repr(name[:40]), f"one of {', '.join(CORPORA)}")
    folder = root / name
    if not folder.is_dir():
        raise ParameterError(f"corpus {name} must have a folder {name} in the folder of texts; got none. Name another.")
    return CORPORA[name](folder)


def _corpus(
    name: str, classes: tuple[str, ...], train: Sequence[tuple[str, str]], test: Sequence[tuple[str, str]], first: int
) -> Corpus:
    wanted = {str(number + first): number for number in range(len(classes))}

    def labelled(rows: Sequence[tuple[str, str]]) -> Labelled:
        if any(label.strip() not in wanted for _, label in rows):
            raise InputError(f"the classes of {name} must be among {', '.join(wanted)}; got others. Is it that corpus?")
        return Labelled(tuple(text for text, _ in rows), tuple(wanted[label.strip()] for _, label in rows))

    return Corpus(name=name, class_names=classes, train=labelled(train), test=labelled(test))


def _rows(path: Path, delimiter: str, columns: int, *, head: bool) -> list[list[str]]:
    """The rows of a table that have all their columns; quotes mean something in CSV alone."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            quoted = delimiter == ","
            lines = csv.reader(stream) if quoted else csv.reader(stream, delimiter=delimiter, quoting=csv.QUOTE_NONE)
            rows = [row for row in islice(lines, int(head), None) if len(row) >= columns]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        kind = type(error).__name__
        raise InputError(f"{path.name} must be a readable UTF-8 table; got {kind}. Check the folder.") from None
    if not rows:
        raise InputError(f"{path.name} must have rows of {columns} columns; got none. Is it that corpus?")
    return rows
