"""Coarse public classes of words, from WordNet."""

import json

import numpy as np
import pytest

from textveil.errors import InputError
from textveil.vocabulary import word_classes as module
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.word_classes import CLASS_NAMES, word_classes


def names_of(*words: str) -> list[str]:
    return [CLASS_NAMES[number] for number in word_classes(words)]


def test_words_have_the_class_of_their_usual_sense() -> None:
    pairs = {
        "lawyer": "person", "bread": "food", "paris": "place", "river": "nature", "happy": "quality",
        "quickly": "manner", "horse": "animal", "oak": "plant", "cancer": "state", "the": "function", "monday": "time",
    }  # fmt: skip
    assert names_of(*pairs) == list(pairs.values())


def test_inflected_words_have_the_class_of_their_base_form() -> None:
    assert names_of("lawyers", "walked", "walks", "went", "children") == ["person", "move", "move", "move", "person"]


def test_words_outside_the_vocabulary_fall_back_to_base_form_name_or_other() -> None:
    known = set(load_vocabulary().words)
    assert not known & {"breads's", "xyzzyx"}
    assert names_of("bread's", "Xyzzyx", "xyzzyx", "") == ["food", "name", "other", "other"]


def test_class_depends_on_the_word_alone() -> None:
    words = load_vocabulary().words[:2_000]
    together = word_classes(words)
    assert together.tolist() == [int(word_classes([word])[0]) for word in words]
    assert together.dtype == np.int64


def test_most_words_of_the_vocabulary_have_a_class_and_no_class_is_most_of_it() -> None:
    sizes = np.bincount(word_classes(load_vocabulary().words), minlength=len(CLASS_NAMES))
    assert sizes[CLASS_NAMES.index("other")] < 0.1 * sizes.sum()
    assert sizes.max() < 0.2 * sizes.sum()
    assert sizes.min() >= 10


def test_changed_file_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    (tmp_path / module.FILE).write_bytes(b"other classes")
    (tmp_path / module.RECORD).write_text(json.dumps({"file": "another digest"}))
    monkeypatch.setattr(module, "DATA", tmp_path)
    module._table.cache_clear()
    with pytest.raises(InputError, match="intact"):
        word_classes(["word"])
    module._table.cache_clear()
