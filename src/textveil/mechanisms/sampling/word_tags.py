"""Public tags of words, such as parts of speech: from a file, from Python, or by the endings of English words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, TypeAlias, final

import numpy as np

from textveil.errors import InputError, ParameterError, need
from textveil.mechanisms.options import NEIGHBORHOODS, Option, file_or_named
from textveil.text.function_words import FUNCTION_WORDS
from textveil.types import Integers
from textveil.vocabulary.vocabulary import Vocabulary

ENDINGS: Final = "endings"
"""Tags with a name; a file of that name is given as ``./endings``."""

_FORMS: Final = (
    ("ing", "participle"),
    ("ed", "past"),
    ("ly", "adverb"),
    ("est", "superlative"),
    ("ous", "adjective"),
    ("ful", "adjective"),
    ("less", "adjective"),
    ("able", "adjective"),
    ("ible", "adjective"),
    ("ive", "adjective"),
    ("ic", "adjective"),
    ("al", "adjective"),
    ("ize", "verb"),
    ("ise", "verb"),
    ("ify", "verb"),
    ("ss", "other"),
    ("us", "other"),
    ("is", "other"),
    ("s", "plural or third person"),
)
"""The first ending that fits decides; a word with none is "other"."""

Tags: TypeAlias = Annotated[
    str,
    Option(
        file_or_named(f"{ENDINGS} or a file of words and tags", ENDINGS),
        "Public tags of the words: by their endings, or a file of which each line is a word and its tag.",
        "NAME|FILE",
        NEIGHBORHOODS,
    ),
]


@final
@dataclass(frozen=True, slots=True, eq=False)
class WordTags:
    """A tag for every word of a vocabulary.

    Attributes:
        tags: their names, sorted.
        groups: the place of each word's tag in them, int64, shape (n,).
        source: what reports call them.
    """

    tags: tuple[str, ...]
    groups: Integers
    source: str


def word_tags(vocabulary: Vocabulary, tags: str | Path | Mapping[str, str] = ENDINGS) -> WordTags:
    """The tags of a vocabulary's words.

    Args:
        vocabulary: public words.
        tags: ``"endings"``, a crude rule for English words; a UTF-8 file, each line a word and its tag parted by a tab
            or by the last space; or the tag of each word. They must be public: no tagger may have read private text.

    Raises:
        InputError: the file cannot be read, or a line holds no word and tag (by number).
        ParameterError: a word has no tag.
    """
    kind = type(tags).__name__
    need(isinstance(tags, str | Path | Mapping), "tags", kind, f"{ENDINGS}, a file or the tag of each word")
    if isinstance(tags, Mapping):
        named, source = {str(word): str(tag) for word, tag in tags.items()}, "own tags"
    elif str(tags) == ENDINGS:
        named, source = {word: ending_of(word) for word in vocabulary.words}, ENDINGS
    else:
        named, source = _read(Path(tags)), Path(tags).name
    lacking = [word for word in vocabulary.words if word not in named]
    if lacking:
        raise ParameterError(
            f"`tags` must cover all {len(vocabulary)} words; got none for {len(lacking)} of them, {lacking[0]!r} the "
            "first. Add a line for each, or leave those words out of the vocabulary."
        )
    names = tuple(sorted({named[word] for word in vocabulary.words}))
    place = {tag: index for index, tag in enumerate(names)}
    return WordTags(names, np.array([place[named[word]] for word in vocabulary.words], dtype=np.int64), source)


def ending_of(word: str) -> str:
    """A tag by the list of function words and the ending of the word."""
    lower = word.lower()
    if lower in FUNCTION_WORDS:
        return "function word"
    if not lower.isalpha():
        return "other"
    fits = (tag for ending, tag in _FORMS if lower.endswith(ending) and len(lower) >= len(ending) + 3)
    return next(fits, "other")


def _read(path: Path) -> dict[str, str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        kind = type(error).__name__
        raise InputError(f"the file of tags must be readable UTF-8 text; got {kind}. Check its path.") from None
    tags: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        word, _, tag = line.strip().rpartition("\t" if "\t" in line else " ")
        if not word.strip() or not tag:
            raise InputError(f"line {number} of the tags must be a word and its tag, parted by a tab or a space.")
        need(tags.setdefault(word.strip(), tag) == tag, f"line {number} of the tags", "a second tag", "one for a word")
    return tags
