"""Labelled public corpora of the studies: AG News and SST-2."""

import csv
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np

from textveil.errors import InputError, ParameterError, need
from textveil.types import Reals
from textveil_lab.frontiers.downstream.tasks import Corpus, Labelled, LabelledTask

AG_NEWS_CLASSES: Final = ("World", "Sports", "Business", "Sci/Tech")
SST2_CLASSES: Final = ("negative", "positive")


def read_ag_news(folder: Path) -> Corpus:
    """Return AG News: train.tsv (label, source, text) and test.csv (class, title, description), classes from 1 to 4."""
    train = [(row[2], row[0]) for row in _rows(folder / "train.tsv", "\t", 3, head=True)]
    test = [(f"{row[1]} {row[2]}", row[0]) for row in _rows(folder / "test.csv", ",", 3, head=False)]
    return _corpus("AG News", AG_NEWS_CLASSES, train, test, first=1)


def read_sst2(folder: Path) -> Corpus:
    """Return SST-2: train.tsv, and dev.tsv (the rest of GLUE's training rows) as test; sentence and label, 0 or 1."""
    train, test = ([(row[0], row[1]) for row in _rows(folder / f"{name}.tsv", "\t", 2, head=True)]
                   for name in ("train", "dev"))  # fmt: skip
    return _corpus("SST-2", SST2_CLASSES, train, test, first=0)


CORPORA: Final[Mapping[str, Callable[[Path], Corpus]]] = MappingProxyType({"agnews": read_ag_news, "sst2": read_sst2})
"""Readers, by the name of the folder below data/text."""


def read_corpus(name: str, root: Path) -> Corpus:
    """Return a labelled corpus below the folder ``root``.

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


def training_frequencies(task: LabelledTask, size: int) -> Reals:
    """Return counts of words in the clean training documents plus one, shape (size,): an attacker's prior."""
    words = np.concatenate([run.train.documents.ids for run in task.runs])
    return (np.bincount(words, minlength=size) + 1).astype(np.float64)
