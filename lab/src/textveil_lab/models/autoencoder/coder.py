"""Whole texts as codes of the auto-encoder, and back: the first words of a text are one sentence."""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from textveil.errors import OutputError, WrongModel
from textveil.types import Ids, Integers, Reals
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.grid import load_torch
from textveil.vocabulary.readers import VECTORS, WORDS
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.models.autoencoder.corpora import sentences_of, word_counts
from textveil_lab.models.autoencoder.files import FACTS, put, read_network, restored_network
from textveil_lab.models.autoencoder.network import Autoencoder

FOLDER: Final = "vocabulary"  # Of words and vectors, in the folder of a network


def keep_words(vocabulary: Vocabulary, folder: Path) -> None:
    """Write a network's initial words and vectors beside it; existing ones stay.

    Raises:
        OutputError: the folder cannot be written.
    """
    if (folder / FACTS).exists():
        return
    held = io.BytesIO()
    np.save(held, np.asarray(vocabulary.vectors))
    words = "".join(f"{word}\n" for word in vocabulary.words)
    try:
        (folder / FOLDER).mkdir(parents=True, exist_ok=True)
        put(folder / FOLDER / VECTORS, held.getvalue())
        put(folder / FOLDER / WORDS, words.encode("utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"the folder of a network must be writable; got {reason}. Name another.") from None


def kept_words(folder: Path) -> Vocabulary:
    """Return the words and vectors beside a network.

    Raises:
        ModelError: there are none.
        VocabularyError: they cannot be read.
    """
    if not (folder / FOLDER / VECTORS).is_file():
        raise WrongModel(
            f"the folder {folder.name} must hold a network with its words; got none. Train one there, with `train`."
        )
    return load_vocabulary(folder / FOLDER)


def said_of(
    network: Autoencoder, codes: Any, choose: Callable[[Any], Any], lengths: Sequence[int] | None = None
) -> list[Ids]:
    """Return the decoder's words for each code, from 1 to ``network.settings.length`` of them.

    Args:
        network: in evaluation mode, without gradients.
        codes: torch's, shape (sentences, code).
        choose: function from logits, shape (sentences, n + 1), to ids.
        lengths: number of words of each sentence; None: the decoder ends sentences itself.
    """
    torch = load_torch()
    end, places = network.words, max(lengths or [network.settings.length])
    said: list[Any] = []
    ended = torch.zeros(len(codes), dtype=torch.bool, device=codes.device)
    for step in network.walk(codes, places):
        logits = step.logits
        if lengths is not None or not said:
            logits = logits.clone()
            logits[:, end] = -torch.inf
        step.said = choose(logits)
        ended |= step.said == end
        said.append(step.said)
        if bool(ended.all()):
            break
    table = torch.stack(said, dim=1).cpu().numpy()
    stops = [_first(row, end) for row in table] if lengths is None else lengths
    return [row[:stop].copy() for row, stop in zip(table, stops, strict=True)]


def _first(row: Ids, end: int) -> int:
    ends = np.flatnonzero(row == end)
    return int(ends[0]) if len(ends) else len(row)


@dataclass(frozen=True, eq=False)
class SentenceCoder:
    """Trained auto-encoder with its words; made by ``sentence_coder``."""

    folder: Path
    vocabulary: Vocabulary  # its words; others are mapped to them by their spelling
    network: Autoencoder
    digest: str  # SHA-256 of its weights

    def __reduce__(self) -> tuple[Any, ...]:
        return sentence_coder, (self.folder,)

    @property
    def dim(self) -> int:
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
        return self.network.settings.length

    @property
    def pieces(self) -> str:
        return "words"

    def sizes(self, texts: Sequence[str]) -> Integers:
        """Return the number of words of each text, without marks and numbers; see ``TextCoder``."""
        return word_counts(texts)

    def encode(self, texts: Sequence[str]) -> Reals:
        """Return the codes of the first ``length`` words of each text, without marks and numbers; of no words, zeros.

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
        """Return the likeliest word at each position, until the decoder ends the sentence; see ``TextCoder``."""
        torch = load_torch()
        given = torch.from_numpy(np.asarray(codes, dtype=np.float32)).to(self.network.device)
        with torch.inference_mode():
            said = said_of(self.network, given, lambda logits: logits.argmax(dim=1)) if len(codes) else []
        return [" ".join(self.vocabulary.words[word_id] for word_id in ids.tolist()) for ids in said]

    def _words(self, texts: Sequence[str]) -> list[Ids]:
        cut = sentences_of(texts, self.vocabulary, length=self.length)
        rows: list[list[int]] = [[] for _ in texts]
        for text, ids in zip(cut.texts.tolist(), cut.sentences, strict=True):
            rows[text] += ids.tolist()
        return [np.array(row[: self.length], dtype=np.int64) for row in rows]


def sentence_coder(folder: Path | str) -> SentenceCoder:
    """Return the network in a folder that ``textveil rewrite`` trained, with its words.

    Raises:
        ModelError: the folder has no such network, or no words beside it.
    """
    where = Path(folder)
    words, saved = kept_words(where), read_network(where)
    network, _ = restored_network(saved, words)
    return SentenceCoder(where, words, network, str(saved.facts["sha256"]))
