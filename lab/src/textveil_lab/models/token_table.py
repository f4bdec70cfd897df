"""Token embeddings of a model on disk as a vocabulary: tokens that are whole words, with their vectors."""

from pathlib import Path
from typing import Final

import numpy as np

from textveil.errors import ModelError
from textveil.models.foreign_files import files_digest, load_libraries, read_model
from textveil.vocabulary.vocabulary import SMALLEST, Vocabulary

_SPACES: Final = ("\u0120", "\u2581")
"""Marks of byte-level and SentencePiece tokenizers in place of the space before a word."""

_GOES_ON: Final = "##"
"""Mark of WordPiece before a piece that continues a word."""


def token_vocabulary(folder: Path | str) -> tuple[Vocabulary, str]:
    """Return the whole words among a model's tokens, in the model's order, and the digest of its files.

    A token is a whole word if its tokenizer marks it as a word's beginning and it has only letters; special tokens,
    continuing pieces, digits and marks are left out.

    Raises:
        ModelError: the folder has no model with its tokenizer, or fewer than two of its tokens are whole words.
    """
    foreign = read_model(folder, "encoder")
    torch = load_libraries().torch
    with torch.no_grad():
        table = foreign.model.get_input_embeddings().weight.detach().to("cpu", torch.float32).numpy()
    tokens = foreign.tokenizer.convert_ids_to_tokens(list(range(min(len(foreign.tokenizer), len(table)))))
    special = set(foreign.tokenizer.all_special_ids)
    marks = [mark for mark in _SPACES if any(token.startswith(mark) for token in tokens)]
    rows: dict[str, int] = {}
    for row, token in enumerate(tokens):
        if row in special or (marks and not token.startswith(marks[0])) or token.startswith(_GOES_ON):
            continue
        word = token[1:] if marks else token
        if word.isalpha():
            rows.setdefault(word, row)
    if len(rows) < SMALLEST:
        raise ModelError(
            f"the folder {foreign.name} must hold a model of which {SMALLEST} tokens at least are whole words; got "
            f"{len(rows)}. Take a model whose tokenizer knows words."
        )
    vectors = np.ascontiguousarray(table[list(rows.values())])
    return Vocabulary(list(rows), vectors, foreign.name), files_digest(folder, "tokens")
