"""What a note gets where nothing is asked for."""

from typing import Any

import pytest

from textveil.catalog import DEFAULT
from textveil.sanitize.chosen import options_for_note
from textveil.vocabulary.vocabulary import Vocabulary


def test_a_note_is_drawn_with_context(embedded: Vocabulary) -> None:
    assert options_for_note(DEFAULT, {}, embedded) == {"context": "released"}
    assert options_for_note(DEFAULT, {"epsilon": 3.0, "base_weights": "frequency"}, embedded) == {"context": "released"}


@pytest.mark.parametrize(
    ("mechanism", "options"),
    [
        ("randomized-response", {}),
        (DEFAULT, {"context": "none"}),
        (DEFAULT, {"context": "released"}),
        (DEFAULT, {"base_weights": "flat"}),
        (DEFAULT, {"neighborhood_size": 9}),
    ],
)
def test_what_was_asked_for_stands(embedded: Vocabulary, mechanism: str, options: dict[str, Any]) -> None:
    assert options_for_note(mechanism, options, embedded) == {}


def test_other_vocabularies_have_no_language_model(tiny: Vocabulary) -> None:
    assert options_for_note(DEFAULT, {}, tiny) == {}
