"""``textveil.decode``: released texts in, their most probable originals out."""

from collections.abc import Sequence
from typing import Protocol

from textveil.errors import need
from textveil.mechanisms.kinds import Mechanism
from textveil.models.language_model import LanguageModel
from textveil.types import Progress
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.decoding.decoder import BothSides, TextDecoder
from textveil_lab.decoding.evidence import DecoderOptions
from textveil_lab.mechanisms.channel_columns import need_columns
from textveil_lab.models.masked import MaskedLanguageModel


class Released(Protocol):
    """Object with a released text: a ``Release``."""

    @property
    def text(self) -> str:
        """Released text."""


def decode(
    texts: Sequence[str | Released],
    mechanism: Mechanism,
    *,
    model: LanguageModel | MaskedLanguageModel | None = None,
    options: DecoderOptions | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[str]:
    """Return the most probable original of each released text: free post-processing of releases and public data.

    Spaces, marks, numbers and placeholders stay. Words get the capitals that a release of them would have. The first
    call with a mechanism reads all rows of its channel and keeps the result.

    Args:
        mechanism: of the release; a channel of words, or a sequence mechanism that offers its columns.
        model: public language model over its vocabulary; None is the embedded one, for the embedded vocabulary. A
            masked one refines the result of the embedded one.

    Raises:
        UnsupportedGuarantee: the mechanism is no channel.
        InputError: a text is no release in the mechanism's vocabulary; the message has its number, from 1.
        ParameterError: the model is missing or of another vocabulary.
    """
    need(not isinstance(texts, str), "texts", "one str", "a list of texts", "Put it into a list.")
    plain = [text if isinstance(text, str) else text.text for text in texts]
    return decoder_of(mechanism, model=model, options=options, workers=workers, progress=progress).texts(plain)


def decoder_of(
    mechanism: Mechanism,
    *,
    model: LanguageModel | MaskedLanguageModel | None = None,
    options: DecoderOptions | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> TextDecoder:
    """Return the decoder that ``decode`` uses, with the same arguments.

    Raises:
        UnsupportedGuarantee: the mechanism is no channel.
    """
    vocabulary = need_columns(mechanism).vocabulary
    known = model is None or isinstance(model, LanguageModel | MaskedLanguageModel)
    need(known, "model", type(model).__name__, "a language model", "Read it from its file or folder first.")
    masked = None if model is None or isinstance(model, LanguageModel) else model
    chosen = model if isinstance(model, LanguageModel) else default_model(vocabulary)
    both_sides = None if masked is None else BothSides(model=masked)
    return TextDecoder(mechanism, chosen, options=options, workers=workers, progress=progress, both_sides=both_sides)


def default_model(vocabulary: Vocabulary) -> LanguageModel:
    """Return the embedded language model.

    Raises:
        ParameterError: the vocabulary is not the embedded one.
    """
    from textveil.models.ngram import embedded_language_model  # 12 MB, which nothing else here reads

    embedded = vocabulary.digest == load_vocabulary().digest
    need(embedded, "model", "none", "given for this vocabulary", "The embedded one is of the embedded vocabulary.")
    return embedded_language_model()
