"""Trigram models: normalized, exact up to 8 bits, read back as they were written or not at all."""

import dataclasses
import gzip
import json
import mmap
import pickle
import re
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.shared import shared_path
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ModelError, ParameterError
from textveil.models import ngram
from textveil.models.language_model import ContinuationModel, LanguageModel
from textveil.models.ngram import NgramModel, embedded_language_model, embedded_record, read_ngram_model
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.models.ngram_build import TextReader, compressed, counted, ngram_model
from textveil_lab.models.pruning import TrigramCounter, TrigramCounts, estimate, kept_within, quantized

SIZE = 60
ROOM = 1 << 17


def texts(seed: int = 0, many: int = 60, length: int = 80) -> list[str]:
    """Texts of a vocabulary's words, the next one often near the last, with stops and numbers; ten words never come."""
    rng = np.random.default_rng(seed)
    words = made_vocabulary(SIZE).words
    made = []
    for _ in range(many):
        walk = np.cumsum(rng.geometric(0.4, length) - 1) % (SIZE - 10)
        marks = rng.choice(["", "", "", "", ".", ",", " 7"], length)
        made.append(" ".join(words[word] + mark for word, mark in zip(walk.tolist(), marks, strict=True)))
    return made


def named(words: int = SIZE) -> Vocabulary:
    """The vocabulary that the texts are of, its words spelled by letters alone."""
    made = made_vocabulary(words)
    letters = ["".join(chr(97 + int(digit)) for digit in re.sub(r"\D", "", word)) for word in made.words]
    return Vocabulary([f"x{word}" for word in letters], made.vectors, "made")


def spelled(texts: list[str]) -> list[str]:
    """Texts in the spelling of ``named``."""
    return [
        re.sub(r"\bw[a-z](\d+)", lambda found: "x" + "".join(chr(97 + int(one)) for one in found[1]), text)
        for text in texts
    ]


@cache
def small(max_bytes: int = ROOM) -> tuple[NgramModel, TrigramCounts]:
    vocabulary = named()
    learned = spelled(texts())
    return ngram_model(vocabulary, learned, name="small", max_bytes=max_bytes), counted(vocabulary, learned)


def every_context(size: int) -> np.ndarray:
    return np.stack([one.reshape(-1) for one in np.meshgrid(*[np.arange(size + 2)] * 2, indexing="ij")], axis=1)


@pytest.mark.parametrize("max_bytes", [ROOM, 24_000])
def test_probabilities_sum_to_one_after_every_context(max_bytes: int) -> None:
    model, _ = small(max_bytes)
    contexts = every_context(SIZE)
    words = np.broadcast_to(np.arange(SIZE), (len(contexts), SIZE))
    whole = np.exp(model.log_probabilities(contexts, words).astype(np.float64)).sum(axis=1)
    assert np.abs(whole - 1).max() < 0.004  # what is left after two ids is kept on 8 bits
    short = np.exp(model.log_probabilities(contexts[:, 1:], words).astype(np.float64)).sum(axis=1)
    assert np.abs(short - 1).max() < 1e-5
    assert np.exp(model.unigram.astype(np.float64)).sum() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_probabilities_sum_to_one_where_contexts_list_every_word(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, 12, 4000)
    often = np.flatnonzero((ids[1:-1] == 1) & (ids[:-2] != 0) & (rng.random(3998) < 0.8))
    ids[often + 2] = 2
    counter = TrigramCounter(12)
    counter.add(np.concatenate([[12], ids]))
    model = compressed(counter.counts(), "0" * 64, name="dense", max_bytes=1 << 20)
    contexts = every_context(12)
    words = np.broadcast_to(np.arange(12), (len(contexts), 12))
    for some in (contexts, contexts[:, 1:]):
        whole = np.exp(model.log_probabilities(some, words).astype(np.float64)).sum(axis=1)
        assert np.abs(whole - 1).max() < 0.006  # all that a context gives is on 8 bits
        assert np.median(np.abs(whole - 1)) < 0.002


def test_what_is_kept_is_the_estimate_within_half_a_step() -> None:
    model, counts = small()
    made = estimate(counts)
    assert model.key.made_from["pairs"] == len(counts.pairs)
    contexts, words = np.divmod(counts.pairs, SIZE)
    step = np.ptp(np.log(made.bigram)) / 254
    found = model.log_probabilities(contexts[:, None], words[:, None])[:, 0]
    assert np.abs(found - np.log(made.bigram)).max() < step / 2 + 1e-5
    above, words = np.divmod(counts.triples, SIZE)
    kept = made.trigram > made.trigrams.back[made.trigrams.rows] * made.bigram[made.pairs]
    assert model.key.made_from["triples"] == kept.sum()
    found = model.log_probabilities(np.stack(np.divmod(above, SIZE + 2), axis=1), words[:, None])[:, 0]
    step = np.ptp(np.log(made.trigram[kept])) / 254
    assert np.abs(found - np.log(made.trigram))[kept].max() < step / 2 + 1e-5


def test_continuations_say_what_log_probabilities_say() -> None:
    for model in (small()[0], small(24_000)[0]):
        everything = every_context(SIZE)
        words = np.arange(SIZE)[None]
        for contexts in (everything, everything[:70, 1:]):
            starts, listed, probabilities, rest = model.continuations(contexts)
            assert starts[-1] == len(listed) == len(probabilities)
            for row in range(0, len(contexts), 7):
                law = rest[row] * np.exp(model.unigram)
                here = slice(starts[row], starts[row + 1])
                assert len(set(listed[here].tolist())) == starts[row + 1] - starts[row]
                law[listed[here]] = probabilities[here]
                expected = model.log_probabilities(contexts[row : row + 1], words)[0]
                np.testing.assert_allclose(np.log(law), expected, atol=2e-5)


def test_pruning_keeps_what_helps_most() -> None:
    vocabulary = named()
    read = TextReader(vocabulary.words)(spelled(texts(seed=1))).ids
    contexts, words = np.stack([read[:-2], read[1:-1]], axis=1), read[2:]
    asked = words < SIZE
    losses = []
    for max_bytes in (ROOM, 28_000, 24_000, 20_000):
        model = small(max_bytes)[0]
        assert model.key.nbytes <= max_bytes
        losses.append(-model.log_probabilities(contexts[asked], words[asked, None]).mean())
    assert losses[0] < losses[-1] < losses[0] + 1
    assert losses[-1] < -small()[0].unigram[words[asked]].mean()


def test_with_each_triple_its_pairs_are_kept() -> None:
    rng = np.random.default_rng(2)
    ids = rng.integers(0, 400, 6000)
    ids[::50], ids[1::50], ids[2::50] = 0, 1, 2  # of (1, 2) nothing is left but what (0, 1, 2) passes down: 1
    counter = TrigramCounter(400)
    counter.add(np.concatenate([[400], ids]))
    counts = counter.counts()
    for max_bytes in (40, 400, 4000):
        kept = kept_within(counts, max_bytes)
        above, w = np.divmod(counts.triples[kept.triples], 400)
        u, v = np.divmod(above, 402)
        assert (0, 1, 2) in set(zip(u.tolist(), v.tolist(), w.tolist(), strict=True))
        assert {*(v * 400 + w).tolist(), *(u * 400 + v).tolist()} <= set(counts.pairs[kept.pairs].tolist())
        assert kept.nbytes <= max_bytes


def test_a_model_with_room_for_words_alone_is_that_of_words() -> None:
    model = ngram_model(named(), spelled(texts()), name="bare", max_bytes=17_129)
    assert model.key.made_from["pairs"] == 0
    assert model.key.nbytes <= 17_129
    contexts = every_context(SIZE)
    words = np.broadcast_to(np.arange(SIZE), (len(contexts), SIZE))
    assert np.abs(np.exp(model.log_probabilities(contexts, words).astype(np.float64)).sum(axis=1) - 1).max() < 1e-3


def test_quantized_probabilities_leave_something_for_other_words() -> None:
    exact = np.array([0.6, 0.39999, 0.01, 0.5, 0.3])
    rows, lower = np.array([0, 0, 0, 1, 1]), np.array([0.1, 0.2, 0.3, 0.1, 0.2])
    made = quantized(exact, rows, lower, 3, 60)
    values = np.exp(made.logs.astype(np.float64))[made.codes]
    listed = np.bincount(rows, values, 3)
    assert listed[0] <= 0.9999
    np.testing.assert_allclose(listed + made.rest * (1 - np.bincount(rows, lower, 3)), 1, atol=1e-12)
    np.testing.assert_allclose(values[3:], exact[3:], rtol=np.log(60) / 254 / 2 + 1e-4)
    assert made.rest[2] == 1


def test_words_that_the_text_does_not_hold_get_a_share() -> None:
    model, _ = small()
    assert np.isfinite(model.unigram).all()
    assert np.ptp(model.unigram[SIZE - 10 :]) == 0
    assert model.unigram[: SIZE - 10].min() > model.unigram[-1]


def test_it_is_a_language_model() -> None:
    model, _ = small()
    assert isinstance(model, LanguageModel)
    assert isinstance(model, ContinuationModel)
    assert (model.name, model.size, model.order, model.vocabulary) == ("small", SIZE, 3, named().digest)
    nothing = np.zeros((0, 2), np.int64)
    assert model.log_probabilities(nothing, np.zeros((0, 4), np.int64)).shape == (0, 4)
    assert model.continuations(nothing).starts.tolist() == [0]
    assert model.log_probabilities(np.zeros((3, 2), np.int64), np.zeros((3, 0), np.int64)).shape == (3, 0)


@pytest.mark.parametrize("columns", [0, 3])
def test_contexts_of_other_lengths_are_refused(columns: int) -> None:
    with pytest.raises(ParameterError, match=r"contexts must be of shape \(batch, 2\)"):
        small()[0].log_probabilities(np.zeros((1, columns), np.int64), np.zeros((1, 1), np.int64))
    with pytest.raises(ParameterError, match="contexts must be of shape"):
        small()[0].continuations(np.zeros((1, columns), np.int64))


def test_a_model_is_read_back_mapped(tmp_path: Path) -> None:
    model, _ = small()
    model.save(tmp_path / "a model")
    again = read_ngram_model(tmp_path / "a model", named())
    assert again.digest == model.digest != small(24_000)[0].digest
    contexts = every_context(SIZE)[:50]
    words = np.broadcast_to(np.arange(SIZE), (50, SIZE))
    np.testing.assert_array_equal(again.log_probabilities(contexts, words), model.log_probabilities(contexts, words))
    base = again.arrays["triple_cells"]
    while isinstance(base, np.ndarray):
        base = base.base
    assert isinstance(base.obj if isinstance(base, memoryview) else base, mmap.mmap)


@pytest.mark.parametrize(
    ("harm", "wanted"),
    [
        (lambda data: data[:-64], "must be intact"),
        (lambda data: data[:9000] + bytes([data[9000] ^ 1]) + data[9001:], "must be intact"),
        (lambda data: data[:100], "must be a file that `save` wrote"),
        (lambda data: b"", "must be a file that `save` wrote"),
        (lambda data: b"x" * len(data), "must be a file that `save` wrote"),
        (lambda data: data.replace(b'"trigram-model"', b'"neighbor-list"', 1), "must be a file that `save` wrote"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(tmp_path: Path, harm, wanted: str) -> None:
    path = tmp_path / "model"
    small()[0].save(path)
    path.write_bytes(harm(path.read_bytes()))
    with pytest.raises(ModelError, match=wanted) as caught:
        read_ngram_model(path, named())
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_another_vocabulary_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="got another or none"):
        read_ngram_model(tmp_path / "none", named())
    small()[0].save(tmp_path / "model")
    with pytest.raises(ModelError, match="must be of vocabulary"):
        read_ngram_model(tmp_path / "model", made_vocabulary(SIZE))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("pair_starts", lambda array: array[::-1].copy()),
        ("pair_codes", lambda array: array[:-4]),
        ("triple_rest", lambda array: array[:-4]),
        ("unigram", lambda array: np.where(np.arange(SIZE) == 3, np.nan, array).astype(np.float32)),
        ("triple_cells", lambda array: array[:0]),
        ("pair_logs", lambda array: array.astype(np.float64)),
        ("pair_words", lambda array: np.where(array == 5, SIZE, array).astype(np.uint16)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name: str, change) -> None:
    model, _ = small()
    with pytest.raises(ModelError, match="of a language model must be"):
        NgramModel(model.key, {**model.arrays, name: change(model.arrays[name])})


@pytest.mark.parametrize("bits", ["36", 0, 64, None, 3.0])
def test_a_header_that_does_not_fit_is_refused(bits: object) -> None:
    model, _ = small()
    with pytest.raises(ModelError, match="of a language model must be"):
        NgramModel(dataclasses.replace(model.key, made_from={**model.key.made_from, "bits": bits}), model.arrays)


def test_text_without_two_words_in_a_row_is_refused() -> None:
    with pytest.raises(ModelError, match="got none"):
        ngram_model(named(), ["xa. xb 7", "nothing known"], name="none", max_bytes=ROOM)
    with pytest.raises(ParameterError, match="max_bytes must be more than"):
        ngram_model(named(), texts(), name="none", max_bytes=1000)


def test_the_embedded_model_is_that_of_its_record() -> None:
    model, record = embedded_language_model(), embedded_record()
    assert (ngram.DATA / ngram.FILE).stat().st_size == model.key.nbytes <= 12_000_000
    assert record["model"] == dict(model.key.made_from)
    assert record["digest"] == model.digest
    assert model.vocabulary == load_vocabulary().digest
    assert model.size == len(load_vocabulary())
    assert {path.name for path in ngram.DATA.iterdir()} == {ngram.FILE, ngram.RECORD}
    assert embedded_language_model() is model


def test_another_embedded_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ngram.DATA / ngram.FILE, tmp_path)
    record = {**embedded_record(), "digest": "0" * 64}
    (tmp_path / ngram.RECORD).write_text(json.dumps(record), encoding="ascii")
    monkeypatch.setattr(ngram, "DATA", tmp_path)
    with pytest.raises(ModelError, match="must be intact; got another"):
        embedded_language_model.__wrapped__()


def test_models_go_to_other_processes() -> None:
    embedded = embedded_language_model()
    sent = pickle.dumps(embedded)
    assert len(sent) < 1000
    assert pickle.loads(sent) is embedded
    with pytest.raises(ModelError, match="Install one version everywhere"):
        ngram._embedded_again("0" * 64)
    again = pickle.loads(pickle.dumps(small()[0]))
    assert again.digest == small()[0].digest


def test_the_embedded_model_knows_english() -> None:
    vocabulary, model = load_vocabulary(), embedded_language_model()
    ids = [vocabulary.id_of(word) for word in ("the", "united", "states", "kingdom", "banana")]
    the, united, *after = ids
    states, kingdom, banana = model.log_probabilities(np.array([[the, united]]), np.array([after]))[0].tolist()
    assert states > kingdom > banana + 3
    words = np.broadcast_to(np.arange(model.size), (40, model.size))
    contexts = np.random.default_rng(0).integers(0, 2000, (40, 2))
    contexts[:2] = [[model.size, the], [model.size + 1, model.size]]
    whole = np.exp(model.log_probabilities(contexts, words).astype(np.float64)).sum(axis=1)
    assert np.abs(whole - 1).max() < 0.004


def test_held_out_articles_are_predicted() -> None:
    path = shared_path("data/text/wikipedia/articles.jsonl.gz")
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        held = [json.loads(line)["text"] for number, line in zip(range(48), stream, strict=False) if number % 20 == 7]
    model = embedded_language_model()
    read = TextReader(load_vocabulary().words)(held).ids
    asked = read[2:] < model.size
    contexts, words = np.stack([read[:-2], read[1:-1]], axis=1)[asked], read[2:][asked, None]
    assert len(words) > 3000
    one, two, three = model.unigram[words], model.log_probabilities(contexts[:, 1:], words), None
    three = model.log_probabilities(contexts, words)
    assert three.mean() > two.mean() + 0.2
    assert two.mean() > one.mean() + 1
    assert np.exp(-three.mean()) < 500
