"""Words of the same public tag, such as a part of speech: the exponential mechanism within tags."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import numpy as np

from textveil.errors import InputError, ParameterError, need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.randomized_response import GroupedChannel
from textveil.privacy.units import within_groups
from textveil.registry.options import GUARANTEE, NEIGHBORHOODS, POSITIVE, Option, file_or_named
from textveil.text.english import FUNCTION_WORDS
from textveil.types import Integers, Progress
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import Clip, GroupEpsilon
from textveil_lab.mechanisms.sampling.distance_weights import distance_weights

ENDINGS: Final = "endings"  # tags with a name; a file of that name is given as ``./endings``

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
"""The first matching ending decides; a word with none is "other"."""

Tags: TypeAlias = Annotated[
    str,
    Option(
        file_or_named(f"{ENDINGS} or a file of words and tags", ENDINGS),
        "Public tags of the words: by their endings, or a file with a word and its tag on each line.",
        "NAME|FILE",
        NEIGHBORHOODS,
    ),
]


@dataclass(frozen=True, slots=True, eq=False)
class WordTags:
    """Tags of every word of a vocabulary."""

    tags: tuple[str, ...]  # their names, sorted
    groups: Integers  # the place of each word's tag in them, int64, shape (n,)
    source: str  # name in reports


def word_tags(vocabulary: Vocabulary, tags: str | Path | Mapping[str, str] = ENDINGS) -> WordTags:
    """Return the tags of a vocabulary's words.

    Args:
        tags: ``"endings"``, a crude rule for English words; a UTF-8 file, each line a word and its tag, separated by a
            tab or the last space; or the tag of each word. Tags must be public: no tagger may have read private text.

    Raises:
        InputError: the file cannot be read, or a line has no word and tag; the message has its number.
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
    """Return a tag by the list of function words and by the word's ending."""
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


PROOF: Final = "textveil_lab/proofs/same_tag.md"
TAGS: Final = within_groups("tag")  # which two words are compared

_PER_DISTANCE = Option(
    POSITIVE, "In place of epsilon: nats per unit of distance between two words of one public group.", "E", GUARANTEE
)


@proved(
    family="channel",
    notion="pure or metric DP",
    proof=PROOF,
    source="after Arnold, Yesilbas and Weinzierl 2023 (arXiv 2306.01471)",
    summary="Weight exp(-rate d) on the words of the same public tag; tags stay visible.",
    adjacency=TAGS,
)
def same_tag(
    vocabulary: Vocabulary,
    *,
    epsilon: GroupEpsilon | None = None,
    epsilon_per_distance: Annotated[float, _PER_DISTANCE] | None = None,
    tags: Tags | Mapping[str, str] = ENDINGS,
    clip: Clip | None = 1.0,
    progress: Progress | None = None,
) -> GroupedChannel:
    """P(y | x) proportional to exp(-rate d(x, y)) over the words y with the tag of x.

    The paper adds noise to the vector and takes the nearest candidate of the same part of speech; here the candidates
    are weighted directly, under the same guarantee: metric DP between words of one tag. The tag of a word is released,
    and reports say so. A tag must be a function of the word alone: a tagger that reads the sentence would let one word
    change the tags of others.

    ``tags`` may also be a tag for each word; see ``word_tags``.

    Raises:
        ParameterError: neither or both of the first two, a word without a tag, or no tag with two words; or (for the
            metric form) words whose vectors coincide.
        InputError: the file of tags cannot be read.
    """
    tagging = word_tags(vocabulary, tags)
    counts = np.bincount(tagging.groups)
    need(int(counts.max()) > 1, "tags", "another one for each word", "such that two words share one")
    weights = distance_weights(
        vocabulary,
        epsilon=epsilon,
        epsilon_per_distance=epsilon_per_distance,
        clip=clip,
        proof=PROOF,
        adjacency=TAGS,
        compared=[np.flatnonzero(tagging.groups == tag) for tag in np.flatnonzero(counts > 1)],
        progress=progress,
    )
    facts: dict[str, Any] = {
        **weights.promise.numbers,
        "epsilon_per_distance": epsilon_per_distance or 2 * weights.rate,
        "tags": tagging.source,
        "tags_digest": hashlib.sha256(tagging.groups.tobytes()).hexdigest()[:16],
        "clip": clip,
    }
    rows = weights.rows(vocabulary, groups=tagging.groups)
    groups = np.where(counts[tagging.groups] > 1, tagging.groups, -1)  # a word alone with its tag is released unchanged
    distances = weights.distances(vocabulary)
    return GroupedChannel(vocabulary, "same-tag", facts, weights.promise, rows, distances, groups=groups)
