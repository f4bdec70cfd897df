"""The words and vectors of a network beside it, so that its folder is all that it takes to use it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final

import numpy as np

from textveil.errors import OutputError, WrongModel
from textveil.models.autoencoder.files import FACTS, put
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.readers.arrays import VECTORS, WORDS
from textveil.vocabulary.vocabulary import Vocabulary

FOLDER: Final = "vocabulary"
"""Of words and vectors, in the folder of a network."""


def keep_words(vocabulary: Vocabulary, folder: Path) -> None:
    """Write the words and vectors that a network begins with beside it; those of a network that is there stay.

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
    """The words and vectors beside a network.

    Raises:
        ModelError: there are none.
        VocabularyError: they cannot be read.
    """
    if not (folder / FOLDER / VECTORS).is_file():
        raise WrongModel(
            f"the folder {folder.name} must hold a network with its words; got none. Train one there, with `train`."
        )
    return load_vocabulary(folder / FOLDER)
