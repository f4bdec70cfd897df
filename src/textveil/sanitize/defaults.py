"""Default options of a mechanism, chosen by public facts alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from textveil.catalog import DEFAULT
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary

_ALONE: Final = ("context", "neighborhood_size")  # options that say, or imply, what base weights follow


def options_for_note(mechanism: str, options: Mapping[str, Any], vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the options to add if one document is released by itself, such as a note or a prompt.

    The default mechanism then draws by what the note has released so far: better text at the same guarantee, slower.
    Corpora keep weights that are the same everywhere. It depends on how a run was asked for, never on the text.

    Args:
        mechanism: name in the catalog.
        vocabulary: public words; only the embedded one has a language model with it.

    Returns:
        ``{"context": "released"}``, or nothing where another mechanism, vocabulary or weighting was asked for.
    """
    chosen = any(name in options for name in _ALONE) or options.get("base_weights") == "flat"
    if mechanism != DEFAULT or chosen or vocabulary.digest != load_vocabulary().digest:
        return {}
    return {"context": "released"}
