"""The vocabularies of one frontier: what tables call them, and where the cells of each are kept."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from textveil.errors import need
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.frontiers.cells import CellFolder, open_cells

_ITS_OWN: Final = ("vocabulary", "prior", "texts")  # Terms of cells that differ from one vocabulary to another
_SHORT: Final = 16  # Digits of a digest that name the folder of a vocabulary's cells


def labelled_vocabularies(given: Vocabulary | Sequence[Vocabulary] | None) -> dict[str, Vocabulary]:
    """Vocabularies by what tables call them: their names, with a part of their digests where two have one name.

    Args:
        given: one, or several, each once; None is the embedded one.

    Raises:
        ParameterError: none, something else, or one twice.
    """
    if given is None:
        given = load_vocabulary()
    if isinstance(given, Vocabulary):
        return {given.name: given}
    name, wanted = "vocabulary", "one vocabulary or a list of them, each once"
    strange = "one str" if isinstance(given, str) else next(
        (type(vocabulary).__name__ for vocabulary in given if not isinstance(vocabulary, Vocabulary)), "")  # fmt: skip
    need(not strange, name, strange, wanted, "Load it with tv.load_vocabulary.")
    need(len(given) > 0, name, "an empty list", wanted)
    need(
        len({vocabulary.digest for vocabulary in given}) == len(given), name, "the same words and vectors twice", wanted
    )
    if len({vocabulary.name for vocabulary in given}) == len(given):
        return {vocabulary.name: vocabulary for vocabulary in given}
    return {f"{vocabulary.name} ({vocabulary.digest[:8]})": vocabulary for vocabulary in given}


def cell_folders(path: Path, terms: Sequence[Mapping[str, Any]]) -> list[CellFolder]:
    """The folder of cells of each vocabulary: ``path`` itself of a single one, else a folder of its own in it.

    The cells of a vocabulary do not depend on which others are measured, so a run may go on with one more.

    Args:
        path: the folder; the one above it must exist.
        terms: what the cells of each depend on, see ``frontiers.cells.open_cells``.

    Raises:
        ParameterError: its cells were measured under other terms, or it holds something else.
        OutputError: it cannot be written.
    """
    if len(terms) == 1:
        return [open_cells(path, terms[0])]
    shared = {key: value for key, value in terms[0].items() if key not in _ITS_OWN}
    open_cells(path, {**shared, "vocabularies": "a folder each"})
    return [open_cells(path / facts["vocabulary"][:_SHORT], facts) for facts in terms]


def first_words(vocabulary: Vocabulary, count: int, name: str | None = None) -> Vocabulary:
    """The first ``count`` words of a vocabulary, or the vocabulary itself where it has no more.

    Args:
        count: >= 2.
        name: of the part; None says how many words it has.
    """
    if count >= len(vocabulary):
        return vocabulary
    name = f"{vocabulary.name}, first {count:,}" if name is None else name
    if vocabulary.grid is not None:
        values, scales = vocabulary.grid
        return Vocabulary(vocabulary.words[:count], name=name, grid=(values[:count], scales[:count]))
    return Vocabulary(vocabulary.words[:count], vocabulary.vectors[:count], name)
