"""Whole texts as codes of the auto-encoder: the first words of a text are one sentence to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from textveil.models.autoencoder.corpora import sentences_of, word_counts
from textveil.models.autoencoder.files import read_network, restored_network
from textveil.models.autoencoder.kept_words import kept_words
from textveil.models.autoencoder.network import Autoencoder
from textveil.models.autoencoder.saying import said_of
from textveil.numerics.torch_package import load_torch
from textveil.types import Ids, Integers, Reals
from textveil.vocabulary.vocabulary import Vocabulary


@final
@dataclass(frozen=True, eq=False)
class SentenceCoder:
    """A trained auto-encoder with its words; made by ``sentence_coder``.

    Attributes:
        vocabulary: its words; others are mapped to them by their spelling.
        digest: SHA-256 of its weights.
    """

    folder: Path
    vocabulary: Vocabulary
    network: Autoencoder
    digest: str

    def __reduce__(self) -> tuple[Any, ...]:
        return sentence_coder, (self.folder,)

    @property
    def dim(self) -> int:
        """Coordinates of a code."""
        return self.network.settings.code

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "network": self.folder.name,
            "digest": self.digest,
            "length": self.length,
            "words": len(self.vocabulary),
        }

    @property
    def length(self) -> int:
        """Words of a sentence, as the network was trained."""
        return self.network.settings.length

    @property
    def pieces(self) -> str:
        return "words"

    def sizes(self, texts: Sequence[str]) -> Integers:
        """See ``TextCoder``: words, without marks and numbers."""
        return word_counts(texts)

    def encode(self, texts: Sequence[str]) -> Reals:
        """See ``TextCoder``: of the first ``length`` words of each text, marks and numbers left out; of none, zeros.

        Every text is read alone, so that its code is a function of it to the last bit; texts of the same words once.
        """
        torch = load_torch()
        codes = np.zeros((len(texts), self.dim))
        known: dict[bytes, Reals] = {}
        with torch.inference_mode():
            for row, ids in enumerate(self._words(texts)):
                key = ids.tobytes()
                if len(ids) and key not in known:
                    known[key] = self.network.encode(self.network.read([ids])).double().cpu().numpy()[0]
                if len(ids):
                    codes[row] = known[key]
        return codes

    def write(self, codes: Reals) -> list[str]:
        """See ``TextCoder``: the likeliest word at each place, until the decoder ends the sentence."""
        torch = load_torch()
        given = torch.from_numpy(np.asarray(codes, dtype=np.float32)).to(self.network.device)
        with torch.inference_mode():
            said = said_of(self.network, given, lambda logits: logits.argmax(dim=1)) if len(codes) else []
        return [" ".join(self.vocabulary.words[word_id] for word_id in ids.tolist()) for ids in said]

    def _words(self, texts: Sequence[str]) -> list[Ids]:
        """The first words of each text, over the ends of its sentences."""
        cut = sentences_of(texts, self.vocabulary, length=self.length)
        rows: list[list[int]] = [[] for _ in texts]
        for text, ids in zip(cut.texts.tolist(), cut.sentences, strict=True):
            rows[text] += ids.tolist()
        return [np.array(row[: self.length], dtype=np.int64) for row in rows]


def sentence_coder(folder: Path | str) -> SentenceCoder:
    """The network in a folder that ``textveil rewrite`` trained, with its words.

    Raises:
        MissingExtra: torch or safetensors is not installed.
        ModelError: the folder holds no such network, or no words beside it.
    """
    where = Path(folder)
    words, saved = kept_words(where), read_network(where)
    network, _ = restored_network(saved, words)
    return SentenceCoder(where, words, network, str(saved.facts["sha256"]))
