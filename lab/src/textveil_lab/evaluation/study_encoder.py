"""Encoder for studies if no published one is available: small, trained here on public text in seconds.

It is no BERT, and its BERTScores are comparable with each other only, not with a paper's. Reports print its name, which
says so. ``static_encoder`` is the same without training: each word has one vector in every text.
"""

import gzip
import hashlib
import json
import os
import string
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from textveil.environment import SHARED
from textveil.errors import InputError, need
from textveil.json_text import json_data
from textveil.text.tokens import Kind, classify, split
from textveil.types import Ids, Progress
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.grid import checked_device, load_torch
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.evaluation.encoder import EncodedText
from textveil_lab.evaluation.study_network import StudyNetwork, StudySettings, made_network, train

ARTICLES: Final = "data/text/wikipedia/articles.jsonl.gz"
"""Public articles that the encoder learns from, below $TEXTVEIL_SHARED."""

_TEXTS: Final = 120  # Articles that are read: about 500,000 tokens
_MARKS: Final = (*string.punctuation, "number", "other")
"""Tokens without a vector of their own; "other" is every word outside the vocabulary."""

_BATCH: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class WordTokens:
    """Texts as ids: words of a vocabulary in any letter case, marks, numbers, and one id for all other words."""

    vocabulary: Vocabulary

    def __call__(self, text: str) -> Ids:
        """Return the tokens of a text, shape (tokens,); white space is no token."""
        known, base = self.vocabulary.id_of, len(self.vocabulary)
        found = []
        for surface in split(text):
            kind = classify(surface)
            if kind == Kind.SPACE:
                continue
            word = known(surface) if kind == Kind.WORD else None
            if word is None and kind == Kind.WORD:
                word = known(surface.lower())
            name = surface if surface in _PLACES else "number" if kind == Kind.NUMBER else "other"
            found.append(base + _PLACES[name] if word is None else word)
        return np.array(found, dtype=np.int64)


_PLACES: Final = {name: place for place, name in enumerate(_MARKS)}


@dataclass(frozen=True, slots=True, eq=False)
class StudyEncoder:
    """Small masked model, trained here; made by ``study_encoder``."""

    name: str  # for reports
    tokens: WordTokens  # how texts are read
    network: StudyNetwork
    losses: tuple[float, ...]  # of the training's steps, nats a masked token

    def encode(self, texts: Sequence[str]) -> list[EncodedText]:
        """Return the tokens of each text with the last layer's vectors; texts are cut at ``settings.length`` tokens."""
        torch = load_torch()
        read = [self.tokens(text)[: self.network.settings.length] for text in texts]
        made = [EncodedText(ids, np.zeros((0, 0), np.float32), np.zeros(len(ids), np.bool_)) for ids in read]
        order = sorted((one for one in range(len(read)) if len(read[one])), key=lambda one: len(read[one]))
        device = self.network.table.device
        for start in range(0, len(order), _BATCH):
            block = order[start : start + _BATCH]
            places = len(read[block[-1]])
            padding = np.arange(places) >= np.array([len(read[one]) for one in block])[:, None]
            ids = np.zeros(padding.shape, dtype=np.int64)
            ids[~padding] = np.concatenate([read[one] for one in block])
            with torch.inference_mode():
                asked = (torch.from_numpy(array).to(device) for array in (ids, padding))
                vectors = self.network.outputs(*asked).cpu().numpy()
            for one, row in zip(block, vectors, strict=True):
                made[one] = made[one]._replace(vectors=row[: len(read[one])].copy())
        return made


@dataclass(frozen=True, slots=True, eq=False)
class StaticEncoder:
    """One vector a word, whatever the text; made by ``static_encoder``."""

    name: str
    tokens: WordTokens

    def encode(self, texts: Sequence[str]) -> list[EncodedText]:
        """Return the tokens of each text; a mark has a direction of its own, orthogonal to everything else."""
        vectors, words = self.tokens.vocabulary.vectors, len(self.tokens.vocabulary)
        made = []
        for text in texts:
            ids = self.tokens(text)
            whole = np.zeros((len(ids), vectors.shape[1] + len(_MARKS)), dtype=np.float32)
            known = ids < words
            whole[known, : vectors.shape[1]] = vectors[ids[known]]
            whole[~known, vectors.shape[1] + ids[~known] - words] = 1
            made.append(EncodedText(ids, whole, np.zeros(len(ids), np.bool_)))
        return made


def study_encoder(
    seed: int = 0,
    *,
    texts: Iterable[str] | None = None,
    vocabulary: Vocabulary | None = None,
    settings: StudySettings | None = None,
    device: str = "cpu",
    progress: Progress | None = None,
) -> StudyEncoder:
    """Train a small masked model; that of the default texts, words and settings is cached in the process.

    Args:
        seed: of the first weights, the windows and the masks.
        texts: public texts to learn from; None reads Wikipedia articles below $TEXTVEIL_SHARED.
        vocabulary: words and vectors; None takes the embedded one.
        settings: of the network and the training.

    Raises:
        InputError: no texts are given, and $TEXTVEIL_SHARED holds none.
        ParameterError: the texts are shorter than one window, or there is no such device.
        ModelError: the loss becomes NaN or infinite.
    """
    chosen = StudySettings() if settings is None else settings
    if texts is None and vocabulary is None and progress is None:
        return _kept(seed, chosen, checked_device(device))
    return _trained(seed, texts, vocabulary, chosen, checked_device(device), progress)


def static_encoder(vocabulary: Vocabulary | None = None) -> StaticEncoder:
    """Return a vocabulary's own vectors as an encoder: the same vector for a word in every text.

    Args:
        vocabulary: None takes the embedded one.
    """
    words = load_vocabulary() if vocabulary is None else vocabulary
    return StaticEncoder(f"static vectors of {words.name}, {words.digest[:12]}", WordTokens(words))


@cache
def _kept(seed: int, settings: StudySettings, device: str) -> StudyEncoder:
    return _trained(seed, None, None, settings, device, None)


def _trained(
    seed: int,
    texts: Iterable[str] | None,
    vocabulary: Vocabulary | None,
    settings: StudySettings,
    device: str,
    progress: Progress | None,
) -> StudyEncoder:
    words = load_vocabulary() if vocabulary is None else vocabulary
    tokens = WordTokens(words)
    read = [tokens(text) for text in (_articles() if texts is None else texts)]
    stream = np.concatenate([np.empty(0, np.int64), *read])
    need(len(stream) > settings.length, "texts", f"{len(stream)} tokens", f"of more than {settings.length}, one window")
    network = made_network(words.vectors, len(_MARKS), settings, seed, device)
    losses = train(network, stream, seed, progress)
    facts = {"seed": seed, "words": words.digest, "settings": asdict(settings)}
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode() + stream.tobytes()).hexdigest()
    name = (
        f"study encoder (no published model: {settings.layers} layers over {words.name}, masked words of "
        f"{len(stream):,} tokens, {settings.steps} steps, seed {seed}, {digest[:12]})"
    )
    return StudyEncoder(name, tokens, network, tuple(losses))


def _articles() -> list[str]:
    root = os.environ.get(SHARED)
    path = Path(root or ".") / ARTICLES
    if not root or not path.is_file():
        raise InputError(
            f"the study's encoder must have public texts to learn from; got none, and $TEXTVEIL_SHARED has no "
            f"{ARTICLES} (docs/data.md). Give `texts`, or take `static_encoder()`."
        )
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json_data(line)["text"] for line in islice(lines, _TEXTS)]
