"""Coarse and demeaning words of the embedded vocabulary, and the milder words that are written in their place.

The vocabulary was made without the worst slurs and obscenities (``tools/build_vocabulary.py``). Those that are left,
and words for people that demean where nobody chose them, are never written: where one is drawn, a milder word stands in
the release. The rule is public and reads the drawn word alone, so it is post-processing and no guarantee depends on it.
Whoever reads a release takes the milder word for what was drawn; how rarely that is wrong stands in docs/text.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from textveil.errors import VocabularyError
from textveil.vocabulary.embedded import DATA, load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary

FILE = "milder.txt"  # lines of a coarse word's id and the word that is written

IDS_OF = "b9afd2a84bed2504"  # begins the digest of the vocabulary whose ids these are


def milder_words(vocabulary: Vocabulary) -> Mapping[int, int]:
    """Ids of coarse words, with the ids of the words that are written in their place.

    Args:
        vocabulary: the embedded one or the first words of it; another is its user's choice, and is written as it is.
    """
    whole = load_vocabulary()
    size = len(vocabulary)
    if vocabulary is whole:
        return _pairs()
    if vocabulary.name != whole.name or vocabulary.words != whole.words[:size]:
        return MappingProxyType({})
    return {coarse: milder for coarse, milder in _pairs().items() if coarse < size and milder < size}


@cache
def _pairs() -> Mapping[int, int]:
    words = load_vocabulary()
    if not words.digest.startswith(IDS_OF):  # other words would be rewritten
        raise VocabularyError(f"{FILE} must be made again: its ids are of the vocabulary {IDS_OF}; got another.")
    lines = (line.split() for line in (DATA / FILE).read_text(encoding="ascii").splitlines())
    pairs = {int(coarse): words.id_of(milder) for coarse, milder in lines}
    return MappingProxyType({coarse: milder for coarse, milder in pairs.items() if milder is not None})
