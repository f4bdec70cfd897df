"""The public lists of common words: as shipped, and made from public text of one's own."""

import json
from itertools import pairwise

import pytest

from textveil.errors import InputError, ParameterError
from textveil.text import english as module
from textveil.text.english import LEVELS, common_words, common_words_of, measured


def test_each_level_holds_the_one_before_it() -> None:
    lists = [common_words(level) for level in LEVELS]
    assert all(smaller.words < larger.words for smaller, larger in pairwise(lists))
    assert all(words.names <= words.words for words in lists)


def test_lists_hold_everyday_words_and_nothing_sensitive() -> None:
    low, high = common_words("low").words, common_words("high").words
    assert {"the", "and", "became", "known", "work"} <= low
    sensitive = "catholic muslim jewish religious gay lesbian cancer diabetes aids hiv mary london"
    assert not high & set(sensitive.split())
    assert not low & {"ballet", "chess", "film", "physics", "actor", "lawyer"}


def test_names_are_flagged() -> None:
    high = common_words("high")
    assert {"may", "will"} & high.words <= high.names
    assert {"the", "career", "wrote"} <= high.words - high.names


def test_measured_linkage_stays_within_the_target_of_each_level() -> None:
    levels = measured()["levels"]
    assert set(levels) == set(LEVELS)
    for level, target in (("low", 0.05), ("medium", 0.15), ("high", 0.34)):
        assert levels[level]["linkage"] <= target
        assert levels[level]["words"] == len(common_words(level).words)


def test_unknown_level_is_refused() -> None:
    with pytest.raises(ParameterError, match="low, medium, high"):
        common_words("lowest")
    with pytest.raises(ParameterError, match="low, medium, high"):
        common_words_of(["a word"] * 30, "lowest")


def test_changed_file_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    (tmp_path / module.FILE).write_text("low secret\n")
    (tmp_path / module.RECORD).write_text(json.dumps(measured()))
    monkeypatch.setattr(module, "DATA", tmp_path)
    module._entries.cache_clear()
    with pytest.raises(InputError, match="intact"):
        module._entries()
    module._entries.cache_clear()


def documents() -> list[str]:
    """Forty letters of which every one says "patient", one in twenty "xylophone", and all greet Maria."""
    return [
        f"The patient was seen on ward {number}. We thank Maria, and Maria thanks us."
        + (" She plays the xylophone." if number % 20 == 0 else "")
        for number in range(40)
    ]


def test_list_from_documents_keeps_common_words_and_drops_rare_ones_and_names() -> None:
    words = common_words_of(documents(), "low")
    assert {"patient", "ward", "seen"} <= set(words)
    assert "xylophone" not in words
    assert "maria" not in words
    assert words == tuple(sorted(words))


def test_list_from_documents_drops_words_that_are_mostly_capitalized_inside_sentences() -> None:
    texts = [f"In the town of May we may dance, and Hope was there {number}." for number in range(30)]
    texts += ["The people of May, and of May alone, have hope."] * 10
    assert "may" not in common_words_of(texts, "high")
    assert "dance" in common_words_of(texts, "high")


def test_uneven_words_are_dropped_before_even_ones() -> None:
    filler = ["nothing here at all"] * 10
    texts = filler + [f"once and {'again ' * 40}" for _ in range(10)]
    words = common_words_of(texts, "low")
    assert "once" in words
    assert "again" not in words


def test_too_few_documents_are_refused() -> None:
    with pytest.raises(ParameterError, match="at least 20 public documents"):
        common_words_of(documents()[:19])


def test_documents_without_common_words_are_refused() -> None:
    with pytest.raises(ParameterError, match="share words"):
        common_words_of([chr(ord("a") + number) * 9 for number in range(26)])
