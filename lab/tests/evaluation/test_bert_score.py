"""BERTScore: worked by hand with an encoder of known vectors, beside the authors' package, and bad input."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.helpers.tiny_models import WORDS, needed, tokenizer

from textveil.errors import InputError, ModelError, ParameterError
from textveil_lab.evaluation import bert_score as module
from textveil_lab.evaluation.bert_score import Baseline, bert_score, made_baseline, read_baseline
from textveil_lab.evaluation.encoder import EncodedText, TextEncoder, text_encoder

VECTORS = {"a": (1.0, 0.0), "b": (0.0, 2.0), "c": (3.0, 4.0), "d": (-1.0, 0.0), "^": (0.6, 0.8), "0": (0.0, 0.0)}
"""Cosines: a with b 0, a with c 0.6, b with c 0.8, a with d -1; the mark points where c does."""


LONGEST = 18
"""Tokens that the tiny tokenizer keeps."""


class Stub:
    """One fixed vector a word, with or without a mark before the text."""

    def __init__(self, *, marked: bool = False) -> None:
        self.marked, self.asked = marked, 0

    @property
    def name(self) -> str:
        return "stub"

    def encode(self, texts: Sequence[str]) -> list[EncodedText]:
        self.asked += len(texts)
        names = list(VECTORS)
        made = []
        for text in texts:
            words = ["^"] * self.marked + text.split()
            tokens = np.array([names.index(word) for word in words], dtype=np.int64)
            vectors = np.array([VECTORS[word] for word in words], dtype=np.float32).reshape(len(words), 2)
            made.append(EncodedText(tokens, vectors, tokens == names.index("^")))
        return made


def one(reference: str, candidate: str, **options: Any) -> tuple[float, float, float]:
    return bert_score([reference], [candidate], Stub(**options)).mean


def test_by_hand() -> None:
    # c of the candidate is nearest to b (0.8), a to a (1): precision 0.9. a of the reference has a (1), b has c (0.8).
    assert one("a b", "c a") == pytest.approx((0.9, 0.9, 0.9))
    # c, c, c: each 0.8; a of the reference 0.6, b 0.8.
    assert one("a b", "c c c") == pytest.approx((0.8, 0.7, 2 * 0.8 * 0.7 / 1.5))


@pytest.mark.parametrize(
    ("reference", "candidate", "scores"),
    [
        ("a", "a", (1, 1, 1)),
        ("a", "b", (0, 0, 0)),
        ("a", "d", (-1, -1, -1)),
        ("a", "", (0, 0, 0)),
        ("a a a", "a", (1, 1, 1)),  # greedy: any number of tokens may be matched with one
        ("a b", "b a", (1, 1, 1)),
        ("a", "0", (0, 0, 0)),
        ("a d", "a", (1, 0, 0)),
    ],
)
def test_edges(reference: str, candidate: str, scores: tuple[float, float, float]) -> None:
    assert one(reference, candidate) == pytest.approx(scores)


def test_marks_weigh_nothing_but_may_be_matched() -> None:
    assert one("a", "b", marked=True) == pytest.approx((0.8, 0.6, 2 * 0.8 * 0.6 / 1.4))
    assert one("a", "", marked=True) == (0, 0, 0)


def test_idf_by_hand() -> None:
    # Of three references a stands in 3, b in 1, c in 1: weights ln(4/4), ln(4/2), ln(4/2); d in none: ln 4.
    references, candidates = ["a b", "a", "a c"], ["d b", "a", "a c"]
    found = bert_score(references, candidates, Stub(), idf=True)
    # d: nearest is b (0), weight 2 ln 2; b: 1, weight ln 2. Of the reference b alone counts: 1.
    assert (found.precision[0], found.recall[0]) == pytest.approx((1 / 3, 1))
    assert found.precision[1] == 1  # all weights are 0: alike
    assert found.setting == "stub; idf of 3 texts; raw"


def test_idf_of_other_texts() -> None:
    found = bert_score(["a b"], ["a c"], Stub(), idf=["b", "b", "c"])
    weights = {"a": math.log(4), "b": math.log(4 / 3), "c": math.log(2)}
    precision = (weights["a"] + 0.8 * weights["c"]) / (weights["a"] + weights["c"])
    recall = (weights["a"] + 0.8 * weights["b"]) / (weights["a"] + weights["b"])
    assert found.mean == pytest.approx((precision, recall, 2 * precision * recall / (precision + recall)), rel=1e-6)


def test_rescaling_puts_the_baseline_at_nought_and_one_at_one() -> None:
    base = Baseline(0.5, 0.6, 0.7)
    raw = bert_score(["a", "a b"], ["a", "c a"], Stub())
    found = bert_score(["a", "a b"], ["a", "c a"], Stub(), baseline=base)
    assert found.mean == pytest.approx((0.9, (1 + 0.75) / 2, (1 + 2 / 3) / 2))
    np.testing.assert_allclose(found.precision, (raw.precision - 0.5) / 0.5)
    assert found.setting == "stub; no idf; rescaled by 0.5000/0.6000/0.7000"


def test_blocks_give_what_the_whole_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    texts = [" ".join(rng.choice(["a", "b", "c", "d"], size=3)) for _ in range(20)]
    whole = bert_score(texts, texts[::-1], Stub(), idf=True)
    monkeypatch.setattr(module, "_PAIRS", 3)
    parts = bert_score(texts, texts[::-1], Stub(), idf=True)
    np.testing.assert_array_equal(whole.f1, parts.f1)


def test_equal_texts_are_encoded_once() -> None:
    stub = Stub()
    bert_score(["a b", "a b", "c"], ["a b", "c", "c"], stub)
    assert stub.asked == 2


def test_a_baseline_of_ones_own_pairs_no_text_with_itself() -> None:
    texts = ["a " * count for count in range(1, 10)] + ["b"]
    made = made_baseline(texts, Stub(), seed=4)
    assert made.precision == pytest.approx(0.8)  # two of ten pairs have the b, and score 0
    with pytest.raises(ParameterError, match=r"^texts must be at least 10; got 9"):
        made_baseline(texts[1:], Stub())
    with pytest.raises(ParameterError, match=r"^texts must be all different"):
        made_baseline(["a"] * 10, Stub())


def test_baseline_files_are_read_by_layer(tmp_path: Path) -> None:
    path = tmp_path / "baseline.tsv"
    path.write_text("LAYER,P,R,F\n0,0.1,0.2,0.3\n1,0.4,0.5,0.6\n")
    assert read_baseline(path, 1) == (0.4, 0.5, 0.6)
    with pytest.raises(InputError, match=r"^the baseline file baseline\.tsv must hold .*; got none for layer 2"):
        read_baseline(path, 2)
    path.write_text("LAYER,P,R,F\n0,x,0.2,0.3\n")
    with pytest.raises(InputError, match=r"got ValueError in reading it"):
        read_baseline(path, 0)
    with pytest.raises(InputError, match=r"got FileNotFoundError"):
        read_baseline(tmp_path / "none.tsv", 0)


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"^references must be one at least"):
        bert_score([], [], Stub())
    with pytest.raises(ParameterError, match=r"^idf must be False, True, or texts; got no texts"):
        bert_score(["a"], ["a"], Stub(), idf=[])
    with pytest.raises(ParameterError, match=r"^baseline must be three numbers below 1"):
        bert_score(["a"], ["a"], Stub(), baseline=Baseline(0.5, 1.0, 0.5))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of two layers with random weights."""
    needed("torch", "transformers", extra="transformers")
    import torch
    import transformers

    where = tmp_path_factory.mktemp("encoder")
    tokens = tokenizer()
    config = transformers.BertConfig(
        vocab_size=len(tokens), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=24,
    )  # fmt: skip
    torch.manual_seed(1)
    transformers.BertModel(config).save_pretrained(where)
    tokens.model_max_length = LONGEST
    tokens.save_pretrained(where)
    return where


REFERENCES = ["maria lives in rome .", "with a b , with a b", "c", "gonzalez", "a " * 60]
CANDIDATES = ["maria lives in berlin .", "", "c", "rome rome rome rome rome rome", "b " * 5]


@pytest.mark.parametrize("layer", [1, 2])
@pytest.mark.parametrize("idf", [False, True])
def test_it_is_what_the_authors_package_says(folder: Path, layer: int, idf: bool) -> None:
    package = pytest.importorskip("bert_score", reason="needs bert-score", exc_type=ImportError)
    theirs = package.BERTScorer(
        model_type=str(folder), num_layers=layer, idf=idf, nthreads=0, batch_size=2, device="cpu"
    )
    # The package asks for a method that newer tokenizers lack; it is used for empty texts alone.
    theirs._tokenizer.build_inputs_with_special_tokens = lambda none: [WORDS.index("[CLS]"), WORDS.index("[SEP]")]
    if idf:
        theirs.compute_idf(REFERENCES)
    encoder = text_encoder(folder, layer=layer, batch=2)
    expected = [one.numpy() for one in theirs.score(CANDIDATES, REFERENCES)]
    found = bert_score(REFERENCES, CANDIDATES, encoder, idf=idf)
    for ours, other in zip((found.precision, found.recall, found.f1), expected, strict=True):
        numbers = np.isfinite(other)
        assert numbers.sum() >= 4
        np.testing.assert_allclose(ours[numbers], other[numbers], atol=2e-6)


def of_bytes(folder: Path, *, spaced: bool) -> Any:
    """RoBERTa's tokenizer over single bytes, and an h that begins a word."""
    import transformers
    from tokenizers import pre_tokenizers

    names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *sorted(pre_tokenizers.ByteLevel.alphabet()), "\u0120h"]
    (folder / "vocab.json").write_text(json.dumps({name: place for place, name in enumerate(names)}))
    (folder / "merges.txt").write_text("#version: 0.2\n\u0120 h\n", encoding="utf-8")
    made = transformers.RobertaTokenizer.from_pretrained(folder, add_prefix_space=spaced)
    made.model_max_length = 24
    return made


def encoder_of_bytes(folder: Path, kind: str, *, spaced: bool = True) -> Path:
    """A RoBERTa, or a BART, of which the encoder alone is read."""
    import torch
    import transformers

    common = {"vocab_size": 262, "pad_token_id": 1, "max_position_embeddings": 40}
    torch.manual_seed(2)
    if kind == "roberta":
        sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
        model = transformers.RobertaModel(transformers.RobertaConfig(**common, **sizes))
    else:
        layers = {"encoder_layers": 2, "decoder_layers": 1, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16}
        heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
        model = transformers.BartModel(transformers.BartConfig(d_model=16, **common, **layers, **heads))
    folder.mkdir()
    tokens = of_bytes(folder, spaced=spaced)
    model.save_pretrained(folder)
    tokens.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("kind", ["roberta", "bart"])
def test_tokens_of_bytes_and_models_with_decoders_too(tmp_path: Path, kind: str) -> None:
    needed("torch", "transformers", extra="transformers")
    package = pytest.importorskip("bert_score", reason="needs bert-score", exc_type=ImportError)
    where = encoder_of_bytes(tmp_path / kind, kind)
    references, candidates = ["hello you", "a b c", "h " * 40], ["hello me", "c h", "x y z"]
    theirs = package.BERTScorer(model_type=str(where), num_layers=1, nthreads=0, device="cpu")
    expected = [one.numpy() for one in theirs.score(candidates, references)]
    found = bert_score(references, candidates, text_encoder(where, layer=1))
    for ours, other in zip((found.precision, found.recall, found.f1), expected, strict=True):
        np.testing.assert_allclose(ours, other, atol=2e-6)


def test_a_first_word_is_read_as_one_behind_a_space(tmp_path: Path) -> None:
    """As the authors' package reads it with the tokenizers of its time; newer ones ignore its request."""
    needed("torch", "transformers", extra="transformers")
    found = text_encoder(encoder_of_bytes(tmp_path / "roberta", "roberta", spaced=False)).encode(["hi", ""])
    assert found[0].tokens[1] == 261  # the h that begins a word
    assert found[1].marks.all()


def test_an_encoder_on_disk(folder: Path) -> None:
    encoder = text_encoder(folder)
    assert isinstance(encoder, TextEncoder)
    assert encoder.layer == 2  # the last: its authors chose none for this size
    assert encoder.name == f"encoder0, layer 2, {encoder.digest[:12]}"
    first, second = encoder.encode(["maria lives", ""])
    assert first.tokens.tolist() == [2, 7, 13, 3]  # [CLS], maria, lives, [SEP]
    assert first.marks.tolist() == [True, False, False, True]
    assert first.vectors.shape == (4, 16)
    assert second.marks.all()
    assert text_encoder(folder, layer=1).digest != encoder.digest


def test_texts_are_cut_to_what_the_model_reads(folder: Path) -> None:
    encoder = text_encoder(folder)
    assert len(encoder.encode(["a " * 100])[0].tokens) == LONGEST
    encoder.foreign.tokenizer.model_max_length = 10**30  # a tokenizer that knows no limit
    assert len(encoder.encode(["a " * 100])[0].tokens) == 20  # 24 places, four of them spare


def test_bad_encoders_are_refused(folder: Path, tmp_path: Path) -> None:
    import torch
    import transformers

    with pytest.raises(ParameterError, match=r"^layer must be from 0 to 2"):
        text_encoder(folder, layer=3)
    with pytest.raises(ParameterError, match=r"^batch must be >= 1"):
        text_encoder(folder, batch=0)
    with pytest.raises(ModelError, match=r"must hold an encoder .*; got no config\.json there"):
        text_encoder(tmp_path)
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    with pytest.raises(ModelError, match=r"must hold an encoder .*; got a configuration without weights"):
        text_encoder(tmp_path)
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"got weights in another form, which may run code when they are read"):
        text_encoder(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    transformers.BertModel(transformers.BertConfig(**{**config, "num_hidden_layers": 1})).save_pretrained(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=r"got one without the weights of some layers"):
        text_encoder(tmp_path)


def test_a_device_that_is_not_there_is_refused(folder: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(ParameterError, match=r"^device must be one that torch finds on this machine; got cuda:0"):
        text_encoder(folder, device="cuda:0")


def test_an_encoder_that_gives_no_numbers_is_refused(folder: Path) -> None:
    import torch

    encoder = text_encoder(folder)
    with torch.no_grad():
        encoder.foreign.model.embeddings.word_embeddings.weight.fill_(math.nan)
    with pytest.raises(ModelError, match=r"^the encoder encoder0 must give finite numbers"):
        encoder.encode(["maria"])
