import dataclasses
import hashlib
import json
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.errors import InputError, ParameterError, VocabularyError
from textveil.vocabulary import facts as module
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.facts import CLASS_NAMES, word_classes
from textveil.vocabulary.vocabulary import Vocabulary

WORDS = ("alpha", "beta", "gamma")
VECTORS = np.array([[1.0, 2.0], [3.0, 4.0], [0.5, -1.0]], dtype=np.float32)
VALUES = np.array([[1, -127], [0, 5], [127, 3]], dtype=np.int8)
SCALES = np.array([0.1, 0.3, 7e-3], dtype=np.float32)


def test_holds_words_vectors_and_ids():
    vocabulary = Vocabulary(list(WORDS), VECTORS, "tiny")
    assert vocabulary.words == WORDS
    assert len(vocabulary) == 3
    assert vocabulary.dim == 2
    assert [vocabulary.id_of(word) for word in WORDS] == [0, 1, 2]
    assert vocabulary.id_of("Alpha") is None
    assert vocabulary.grid is None
    assert dict(vocabulary.facts) == {}
    assert "tiny" in repr(vocabulary)
    assert "alpha" not in repr(vocabulary)


@pytest.mark.parametrize("given_array", [VECTORS.astype(np.float64), np.asfortranarray(VECTORS), VECTORS])
def test_vectors_are_a_private_read_only_float32_copy(given_array):
    source = given_array.copy(order="K")
    vocabulary = Vocabulary(WORDS, source)
    source[0, 0] = 99.0
    assert vocabulary.vectors.dtype == np.float32
    assert vocabulary.vectors.flags.c_contiguous
    np.testing.assert_array_equal(vocabulary.vectors, VECTORS)
    with pytest.raises(ValueError, match="read-only"):
        vocabulary.vectors[0, 0] = 1.0


def test_only_a_read_only_memory_map_is_kept_as_it_is(tmp_path):
    np.save(tmp_path / "v.npy", VECTORS)
    readable = np.load(tmp_path / "v.npy", mmap_mode="r")
    writable = np.load(tmp_path / "v.npy", mmap_mode="r+")
    assert np.shares_memory(Vocabulary(WORDS, readable).vectors, readable)
    assert not np.shares_memory(Vocabulary(WORDS, writable).vectors, writable)


def test_handing_over_makes_the_array_read_only():
    array = VECTORS.copy()
    assert np.shares_memory(Vocabulary(WORDS, array, copy=False).vectors, array)
    assert not array.flags.writeable


def test_is_frozen_and_compared_by_identity():
    vocabulary = Vocabulary(WORDS, VECTORS)
    with pytest.raises(dataclasses.FrozenInstanceError):
        vocabulary.name = "other"  # type: ignore[misc]
    assert vocabulary != Vocabulary(WORDS, VECTORS)
    assert vocabulary in {vocabulary}


SECRET = "sekret"


@pytest.mark.parametrize(
    ("words", "vectors", "says"),
    [
        (["one"], VECTORS[:1], "at least 2 words; got 1"),
        ([], VECTORS[:0], "at least 2 words; got 0"),
        ([SECRET, "b", SECRET], VECTORS, "rows 1 and 3"),
        ([SECRET, "", "c"], VECTORS, "row 2"),
        ([SECRET, "b", "\ud800"], VECTORS, "row 3"),
        ([SECRET, 7, "c"], VECTORS, "row 2"),
        ([SECRET, "b"], VECTORS, "2 vectors, one for each word; got 3"),
        ([SECRET, "b", "c"], VECTORS[0], "shape (2,)"),
        ([SECRET, "b", "c"], VECTORS[:, :0], "shape (3, 0)"),
        ([SECRET, "b", "c"], np.where(VECTORS == 4, np.nan, VECTORS), "row 2"),
        ([SECRET, "b", "c"], np.where(VECTORS == -1, np.inf, VECTORS), "row 3"),
        ([SECRET, "b", "c"], VECTORS.astype(np.float64) * 1e300, "row 1"),
        ([SECRET, "b", "c"], VECTORS.astype(complex), "dtype complex128"),
        ([SECRET, "b", "c"], VECTORS.astype(object), "dtype object"),
    ],
)
def test_each_violation_is_one_clear_line(words, vectors, says):
    with pytest.raises(VocabularyError) as caught:
        Vocabulary(words, vectors, "mine")
    message = str(caught.value)
    assert says in message
    assert message.startswith("vocabulary mine: wanted ")
    assert "\n" not in message
    assert SECRET not in message


def test_a_late_bad_row_is_numbered_across_blocks(monkeypatch):
    monkeypatch.setattr("textveil.vocabulary.vocabulary.BLOCK_BYTES", 40)
    vectors = np.ones((57, 2), dtype=np.float32)
    vectors[51, 1] = np.nan
    with pytest.raises(VocabularyError, match="row 52"):
        Vocabulary([f"w{i}" for i in range(57)], vectors)


@pytest.mark.parametrize("name", ["", "a/b", "a\\b", "a\nb"])
def test_a_name_is_not_a_path(name):
    with pytest.raises(ParameterError, match="name"):
        Vocabulary(WORDS, VECTORS, name)


@pytest.mark.parametrize("arguments", [{}, {"vectors": VECTORS, "grid": (VALUES, SCALES)}])
def test_takes_vectors_or_a_grid(arguments):
    with pytest.raises(ParameterError, match="vectors"):
        Vocabulary(WORDS, **arguments)


def test_a_grid_makes_its_vectors_when_they_are_asked_for():
    vocabulary = Vocabulary(WORDS, grid=(VALUES, SCALES))
    assert "vectors" not in vars(vocabulary)
    expected = np.array([[np.float32(v) * s for v in row] for row, s in zip(VALUES, SCALES, strict=True)])
    assert expected.dtype == np.float32
    np.testing.assert_array_equal(vocabulary.vectors, expected)
    assert vocabulary.vectors is vocabulary.vectors
    assert not vocabulary.vectors.flags.writeable
    assert not vocabulary.grid.values.flags.writeable
    assert vocabulary.dim == 2


@pytest.mark.parametrize(
    ("grid", "says"),
    [
        ((VALUES[:2], SCALES), "got 2"),
        ((VALUES, SCALES[:2]), "3 scales"),
        ((VALUES.astype(np.int16), SCALES), "int16"),
        ((VALUES, SCALES.astype(np.float64)), "float64"),
        ((np.where(VALUES == 5, -128, VALUES).astype(np.int8), SCALES), "-128 in row 2"),
        ((VALUES, np.array([1, 0, 1], np.float32)), "row 2"),
        ((VALUES, np.array([1, 1, np.nan], np.float32)), "row 3"),
        ((VALUES, np.array([1, 1e38, 1], np.float32)), "row 2"),
    ],
)
def test_a_grid_that_is_not_one_is_refused(grid, says):
    with pytest.raises(VocabularyError, match=says):
        Vocabulary(WORDS, grid=grid)


def reference_digest(words: tuple[str, ...], vectors: np.ndarray) -> str:
    """The documented bytes, put together one number at a time."""
    data = b"textveil vocabulary 1\n" + struct.pack("<QQ", *vectors.shape)
    data += b"".join(struct.pack("<Q", len(word.encode())) for word in words)
    data += "".join(words).encode()
    data += b"".join(struct.pack("<f", float(number)) for number in vectors.ravel())
    return hashlib.sha256(data).hexdigest()


words_of_any_script = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8), min_size=2, max_size=6, unique=True
)


@given(words_of_any_script, st.integers(1, 5), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=50)
def test_the_digest_is_the_documented_one(words, dim, seed):
    vectors = np.random.default_rng(seed).normal(size=(len(words), dim)).astype(np.float32)
    assert Vocabulary(words, vectors).digest == reference_digest(tuple(words), vectors)


def test_the_digest_sees_words_and_numbers_and_nothing_else(monkeypatch):
    monkeypatch.setattr("textveil.vocabulary.vocabulary.BLOCK_BYTES", 8)
    base = Vocabulary(WORDS, VECTORS, "a")
    assert base.digest == Vocabulary(WORDS, np.asfortranarray(VECTORS), "b").digest
    grid = Vocabulary(WORDS, grid=(VALUES, SCALES))
    assert grid.digest == Vocabulary(WORDS, grid.vectors).digest
    others = [
        Vocabulary(("alphab", "eta", "gamma"), VECTORS),
        Vocabulary(WORDS, np.nextafter(VECTORS, np.float32(9))),
        Vocabulary(WORDS[::-1], VECTORS),
        Vocabulary(WORDS, VECTORS[::-1]),
    ]
    assert len({base.digest, *(other.digest for other in others)}) == 5


def test_facts_are_read_only_and_their_digest_is_taken():
    facts = {"digest": "ab", "norms": {"minimum": 1.0}, "sizes": [1, 2]}
    vocabulary = Vocabulary(WORDS, VECTORS, facts=facts)
    facts["norms"]["minimum"] = 5.0
    assert vocabulary.digest == "ab"
    assert vocabulary.facts["norms"]["minimum"] == 1.0
    assert vocabulary.facts["sizes"] == (1, 2)
    with pytest.raises(TypeError):
        vocabulary.facts["norms"]["minimum"] = 2.0


@pytest.mark.parametrize("storage", [{"vectors": VECTORS}, {"grid": (VALUES, SCALES)}])
def test_survives_a_trip_to_another_process(storage):
    before = Vocabulary(WORDS, name="mine", facts={"norms": {"minimum": 1.0}, "sizes": [1]}, **storage)
    after = pickle.loads(pickle.dumps(before))
    assert (after.words, after.name, after.digest) == (before.words, before.name, before.digest)
    assert after.facts == before.facts
    assert not after.vectors.flags.writeable
    assert (after.grid is None) == (before.grid is None)


def test_a_mapped_vocabulary_pickles_its_numbers(tmp_path: Path):
    np.save(tmp_path / "v.npy", VECTORS)
    before = Vocabulary(WORDS, np.load(tmp_path / "v.npy", mmap_mode="r"))
    after = pickle.loads(pickle.dumps(before))
    assert type(after.vectors) is np.ndarray
    assert after.digest == before.digest


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
    (tmp_path / module.CLASSES_FILE).write_bytes(b"other classes")
    (tmp_path / module.CLASSES_RECORD).write_text(json.dumps({"file": "another digest"}))
    monkeypatch.setattr(module, "DATA", tmp_path)
    module._table.cache_clear()
    with pytest.raises(InputError, match="intact"):
        word_classes(["word"])
    module._table.cache_clear()
