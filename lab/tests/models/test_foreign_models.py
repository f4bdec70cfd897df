"""Hugging Face models on disk: tiny ones with random weights, made here, saved and loaded as any other would be."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from textveil.catalog import mechanism
from textveil.errors import MissingExtra, ModelError, ParameterError
from textveil.models import foreign_files
from textveil.models.foreign_files import is_masked, load_libraries
from textveil.models.language_model import LanguageModel
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.decoding.decoder import BothSides, TextDecoder
from textveil_lab.decoding.evidence import DecoderOptions
from textveil_lab.models.causal import causal_language_model
from textveil_lab.models.masked import MaskedLanguageModel, masked_language_model
from textveil_lab.models.ngram_build import ngram_model
from textveil_lab.testing import check_language_model

WORDS = ("car", "carpet", "cart", "the", "a", "dog", "sat", "on", "mats", "it")
SIZE = len(WORDS)
BOUNDARY, OTHER = SIZE, SIZE + 1


@pytest.fixture(scope="module")
def libraries() -> Any:
    pytest.importorskip("torch", reason="needs the extra transformers", exc_type=ImportError)
    pytest.importorskip("transformers", reason="needs the extra transformers", exc_type=ImportError)
    return load_libraries()


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Vocabulary(WORDS, np.random.default_rng(0).normal(size=(SIZE, 4)).astype(np.float32), "ten")


def byte_tokenizer(libraries: Any) -> Any:
    """Tokens of single bytes, and " car" and " the" whole: some words go on where others end."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("Ġ", "c"), ("Ġc", "a"), ("Ġca", "r"), ("Ġ", "t"), ("Ġt", "h"), ("Ġth", "e")]
    names = ["<s>", "<pad>", "<mask>", *alphabet, *("".join(pair) for pair in merges)]
    made = Tokenizer(models.BPE(vocab={name: index for index, name in enumerate(names)}, merges=merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return libraries.transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", pad_token="<pad>", mask_token="<mask>", cls_token="<s>"
    )


def whole_words(libraries: Any) -> Any:
    """Tokens of whole words, "dog" not among them."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    names = ["<unk>", ".", "_", *(word for word in WORDS if word != "dog")]
    made = Tokenizer(models.WordLevel(vocab={name: index for index, name in enumerate(names)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return libraries.transformers.PreTrainedTokenizerFast(tokenizer_object=made, unk_token="<unk>")


def saved(
    libraries: Any, folder: Path, kind: str, tokenizer: Callable[[Any], Any] = byte_tokenizer, harm: bool = False
) -> Path:
    """A tiny model and its tokenizer in a folder."""
    torch, transformers = libraries
    tokens = tokenizer(libraries)
    torch.manual_seed(3)
    if kind == "causal":
        config = transformers.GPT2Config(
            vocab_size=len(tokens), n_positions=48, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0
        )
        model = transformers.GPT2LMHeadModel(config)
    else:
        config = transformers.BertConfig(
            vocab_size=len(tokens),
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=64,
        )
        model = transformers.BertForMaskedLM(config)
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(6)  # far from uniform
            if harm:
                weight.fill_(float("nan"))
    model.save_pretrained(folder)
    tokens.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def causal_folder(libraries: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(libraries, tmp_path_factory.mktemp("tiny") / "tiny-causal", "causal")


@pytest.fixture(scope="module")
def masked_folder(libraries: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(libraries, tmp_path_factory.mktemp("tiny") / "tiny-masked", "masked")


CONTEXTS = np.array(
    [
        [BOUNDARY] * 4,
        [BOUNDARY, BOUNDARY, 3, 0],
        [3, 0, BOUNDARY, 4],
        [OTHER, 5, 6, 7],
        [3, 1, 1, 1],
        [BOUNDARY, BOUNDARY, 3, 0],
    ]
)
EVERY = np.broadcast_to(np.arange(SIZE), (len(CONTEXTS), SIZE))


def test_a_causal_model_gives_probabilities_of_words(causal_folder: Path, vocabulary: Vocabulary) -> None:
    model = causal_language_model(causal_folder, vocabulary, reach=4, batch=5)
    assert isinstance(model, LanguageModel)
    assert (model.name, model.size, model.order) == ("tiny-causal", SIZE, 5)
    logs = model.log_probabilities(CONTEXTS, EVERY)
    assert logs.dtype == np.float32
    np.testing.assert_allclose(np.exp(logs.astype(np.float64)).sum(axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(logs[1], logs[5])
    assert np.abs(logs[0] - logs[1]).max() > 0.01
    some = np.array([[1, 5, 1]] * len(CONTEXTS))
    np.testing.assert_allclose(model.log_probabilities(CONTEXTS, some), logs[:, [1, 5, 1]], atol=1e-4)
    one = causal_language_model(causal_folder, vocabulary, reach=4, batch=1)
    np.testing.assert_allclose(one.log_probabilities(CONTEXTS, EVERY), logs, atol=1e-4)


def test_a_causal_model_is_what_a_language_model_is(causal_folder: Path, vocabulary: Vocabulary) -> None:
    check_language_model(causal_language_model(causal_folder, vocabulary, reach=4), contexts=3)


def test_what_a_model_keeps_of_a_text_changes_nothing(
    causal_folder: Path, vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = causal_language_model(causal_folder, vocabulary, reach=4, batch=3)
    logs = model.log_probabilities(CONTEXTS, EVERY)
    cache = type(model.foreign.model(input_ids=model._tensor([[0, 1]]), use_cache=True).past_key_values)
    kept: list[int] = []
    whole = cache.batch_repeat_interleave
    monkeypatch.setattr(cache, "batch_repeat_interleave", lambda self, times: (kept.append(times), whole(self, times)))
    np.testing.assert_allclose(model.log_probabilities(CONTEXTS, EVERY), logs, atol=1e-6)
    assert kept
    monkeypatch.delattr(cache, "batch_repeat_interleave")
    np.testing.assert_allclose(model.log_probabilities(CONTEXTS, EVERY), logs, atol=1e-4)


def test_it_is_the_product_along_the_tree_of_spellings(
    libraries: Any, causal_folder: Path, vocabulary: Vocabulary
) -> None:
    torch, transformers = libraries
    model = transformers.GPT2LMHeadModel.from_pretrained(causal_folder).eval()
    tokens = byte_tokenizer(libraries)

    def logs(text: str) -> np.ndarray:
        ids = [0, *tokens(text)["input_ids"]] if text else [0]
        with torch.no_grad():
            return torch.log_softmax(model(input_ids=torch.tensor([ids])).logits[0, -1], dim=-1).double().numpy()

    # Row 2 of CONTEXTS in text; "car" ends where "p" and "t" of carpet and cart may follow.
    text = " the car. a"
    firsts = sorted({tokens(f" {word}")["input_ids"][0] for word in WORDS})
    root, after = logs(text), logs(text + " car")
    (car,), (p,), (t,) = (tokens(one)["input_ids"] for one in (" car", "p", "t"))
    begin = root[car] - np.logaddexp.reduce(root[firsts])
    expected = {
        "car": begin + np.log1p(-np.exp(after[p]) - np.exp(after[t])),
        "cart": begin + after[t],
        "carpet": begin + after[p],  # nothing else follows "carp" or "carpe"
    }
    asked = np.array([[vocabulary.id_of(word) for word in expected]])
    found = causal_language_model(causal_folder, vocabulary, reach=4).log_probabilities(CONTEXTS[2:3], asked)[0]
    assert found.tolist() == pytest.approx(list(expected.values()), abs=1e-4)


def test_a_masked_model_gives_probabilities_of_words(
    libraries: Any, masked_folder: Path, vocabulary: Vocabulary
) -> None:
    model = masked_language_model(masked_folder, vocabulary, reach=4, batch=4)
    assert isinstance(model, MaskedLanguageModel)
    right = CONTEXTS[::-1, ::-1]
    logs = model.log_probabilities(CONTEXTS, right, EVERY)
    np.testing.assert_allclose(np.exp(logs.astype(np.float64)).sum(axis=1), 1, atol=1e-5)
    assert np.abs(logs[1] - logs[5]).max() > 0.01  # the same before, other words after
    torch, transformers = libraries
    plain = transformers.BertForMaskedLM.from_pretrained(masked_folder).eval()
    tokens = byte_tokenizer(libraries)
    left_tokens, right_tokens = tokens(" the car")["input_ids"], tokens(" the car. a")["input_ids"]
    weights = []
    for word in WORDS:
        spelled = tokens(f" {word}")["input_ids"]
        ids = [0, *left_tokens, *[2] * len(spelled), *right_tokens]
        with torch.no_grad():
            there = torch.log_softmax(plain(input_ids=torch.tensor([ids])).logits[0], dim=-1).double().numpy()
        weights.append(sum(there[1 + len(left_tokens) + place, token] for place, token in enumerate(spelled)))
    right = np.array([[3, 0, BOUNDARY, 4]])
    found = model.log_probabilities(CONTEXTS[1:2], right, EVERY[:1])[0]
    assert found.tolist() == pytest.approx(list(weights - np.logaddexp.reduce(weights)), abs=1e-4)


def test_long_contexts_are_cut_to_what_the_model_has_room_for(
    causal_folder: Path, masked_folder: Path, vocabulary: Vocabulary
) -> None:
    long = np.full((1, 40), 8)
    causal = causal_language_model(causal_folder, vocabulary, reach=40)
    other = long.copy()
    other[0, 0] = 5
    np.testing.assert_array_equal(causal.log_probabilities(long, EVERY[:1]), causal.log_probabilities(other, EVERY[:1]))
    masked = masked_language_model(masked_folder, vocabulary, reach=40)
    assert np.isfinite(masked.log_probabilities(long, long, EVERY[:1])).all()


def test_digests_tell_models_vocabularies_and_reaches_apart(
    causal_folder: Path, masked_folder: Path, vocabulary: Vocabulary
) -> None:
    other = Vocabulary(WORDS[:9], vocabulary.vectors[:9], "nine")
    made = [
        causal_language_model(causal_folder, vocabulary, reach=4),
        causal_language_model(causal_folder, vocabulary, reach=5),
        causal_language_model(causal_folder, other, reach=4),
        masked_language_model(masked_folder, vocabulary, reach=4),
    ]
    assert len({model.digest for model in made}) == 4
    assert made[0].digest == causal_language_model(causal_folder, vocabulary, reach=4, batch=1).digest


def test_nothing_asked_is_nothing_answered(causal_folder: Path, masked_folder: Path, vocabulary: Vocabulary) -> None:
    causal = causal_language_model(causal_folder, vocabulary, reach=4)
    masked = masked_language_model(masked_folder, vocabulary, reach=4)
    none = np.zeros((0, 4), np.int64)
    assert causal.log_probabilities(none, np.zeros((0, 3), np.int64)).shape == (0, 3)
    assert masked.log_probabilities(none, none, np.zeros((0, 3), np.int64)).shape == (0, 3)
    with pytest.raises(ParameterError, match=r"contexts must be of shape \(batch, 4\)"):
        causal.log_probabilities(CONTEXTS[:, 1:], EVERY)
    with pytest.raises(ParameterError, match="right must be as many rows as left, 6; got 1 rows"):
        masked.log_probabilities(CONTEXTS, CONTEXTS[:1], EVERY)
    with pytest.raises(ParameterError, match="reach must be from 1 to"):
        causal_language_model(causal_folder, vocabulary, reach=0)


def test_a_folder_says_which_kind_it_holds(causal_folder: Path, masked_folder: Path, tmp_path: Path) -> None:
    assert [is_masked(folder) for folder in (causal_folder, masked_folder, tmp_path)] == [False, True, False]


def test_loading_says_nothing(masked_folder: Path, vocabulary: Vocabulary, capsys: pytest.CaptureFixture[str]) -> None:
    logging = load_libraries().transformers.utils.logging
    before = (logging.get_verbosity(), logging.is_progress_bar_enabled())
    masked_language_model(masked_folder, vocabulary)
    assert capsys.readouterr() == ("", "")
    assert before == (logging.get_verbosity(), logging.is_progress_bar_enabled())


def test_a_masked_model_is_no_causal_one(masked_folder: Path, vocabulary: Vocabulary) -> None:
    with pytest.raises(ModelError, match=r"must hold a causal language model .*; got a masked one"):
        causal_language_model(masked_folder, vocabulary)


def test_both_kinds_decode(causal_folder: Path, masked_folder: Path, vocabulary: Vocabulary) -> None:
    channel = mechanism("randomized-response", vocabulary, epsilon=2.0)
    own = ngram_model(vocabulary, ["the dog sat on a carpet. it sat on the mats"], name="own", max_bytes=1 << 16)
    released = ["The dog sat on car. It 7 cart the mats!\n", ""]
    causal = TextDecoder(channel, causal_language_model(causal_folder, vocabulary, reach=8), workers=1)
    again = BothSides(model=masked_language_model(masked_folder, vocabulary, reach=8))
    for decoder in (causal, TextDecoder(channel, own, workers=1, both_sides=again)):
        found = decoder.texts(released)
        assert [len(text.split()) for text in found] == [10, 0]
        assert found[0].endswith("!\n")


def test_a_causal_beam_finds_what_brute_force_finds(causal_folder: Path, vocabulary: Vocabulary) -> None:
    """Over all originals of a text with a sentence end inside, which a model that reaches so far reads over."""
    channel = mechanism("randomized-response", vocabulary, epsilon=2.0)
    model = causal_language_model(causal_folder, vocabulary, reach=8)
    released = np.array([3, 0, 6])
    start = [BOUNDARY] * 6
    every = np.arange(SIZE)
    first = model.log_probabilities(np.array([[*start, BOUNDARY, BOUNDARY]]), every[None])[0]
    second = model.log_probabilities(
        np.array([[*start, BOUNDARY, word] for word in every]), np.broadcast_to(every, (SIZE, SIZE))
    )
    pairs = [(one, two) for one in every for two in every]
    contexts = np.array([[*start[2:], BOUNDARY, one, two, BOUNDARY] for one, two in pairs])
    contexts = contexts[:, -8:]
    third = model.log_probabilities(contexts, np.broadcast_to(every, (len(pairs), SIZE))).reshape(SIZE, SIZE, SIZE)
    scores = first[:, None, None] + second[:, :, None] + third
    logs = np.log(np.stack([channel.probabilities(word)[released] for word in range(SIZE)]))
    scores = scores + logs[:, 0, None, None] + logs[None, :, 1, None] + logs[None, None, :, 2]
    best = np.unravel_index(np.argmax(scores), scores.shape)
    options = DecoderOptions(choose="text", candidates=SIZE, width=SIZE**2, model_weight=1)
    found = TextDecoder(channel, model, options=options, workers=1).texts(["The car. Sat"])[0]
    wanted = [WORDS[word] for word in best]
    assert found == f"{wanted[0].capitalize()} {wanted[1]}. {wanted[2].capitalize()}"


@pytest.mark.parametrize("load", [causal_language_model, masked_language_model])
def test_a_folder_without_a_model_is_refused_in_one_line(
    libraries: Any, tmp_path: Path, vocabulary: Vocabulary, load: Callable[..., Any]
) -> None:
    with pytest.raises(ModelError, match=r"got no config\.json there"):
        load(tmp_path / "nowhere", vocabulary)
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match=r"got a configuration without weights\. Copy its safetensors files there too"):
        load(tmp_path, vocabulary)
    (tmp_path / "model.safetensors").write_bytes(b"\0" * 16)
    with pytest.raises(ModelError, match=r"got no tokenizer\. Copy its files there too"):
        load(tmp_path, vocabulary)
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match="from transformers") as caught:
        load(tmp_path, vocabulary)
    assert "\n" not in str(caught.value)


def test_pickled_weights_are_refused(libraries: Any, tmp_path: Path, vocabulary: Vocabulary) -> None:
    folder = saved(libraries, tmp_path / "pickled", "causal")
    weights = causal_language_model(folder, vocabulary).foreign.model.state_dict()
    (folder / "model.safetensors").unlink()
    libraries.torch.save(weights, folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match="weights in safetensors; got weights in another form, which may run"):
        causal_language_model(folder, vocabulary)


def test_tokens_that_cannot_spell_the_vocabulary_are_refused(
    libraries: Any, tmp_path: Path, vocabulary: Vocabulary
) -> None:
    folder = saved(libraries, tmp_path / "words", "causal", whole_words)
    with pytest.raises(ModelError, match="must spell the 10 words of the vocabulary; got 1 words without tokens"):
        causal_language_model(folder, vocabulary)
    folder = saved(libraries, tmp_path / "maskless", "masked", whole_words)
    with pytest.raises(ModelError, match="must have a mask"):
        masked_language_model(folder, vocabulary)


@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_weights_that_are_nan_are_refused(libraries: Any, tmp_path: Path, vocabulary: Vocabulary, kind: str) -> None:
    folder = saved(libraries, tmp_path / "harmed", kind, harm=True)
    with pytest.raises(ModelError, match="harmed must give finite numbers; got NaN"):
        if kind == "causal":
            causal_language_model(folder, vocabulary, reach=4).log_probabilities(CONTEXTS, EVERY)
        else:
            masked_language_model(folder, vocabulary, reach=4).log_probabilities(CONTEXTS, CONTEXTS, EVERY)


@pytest.mark.parametrize("name", ["torch", "transformers"])
def test_without_the_extra_the_message_says_so(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    says = rf"`{name}` is not installed. Run: pip install 'textveil\[transformers\]'"
    if name == "transformers":
        pytest.importorskip("torch")  # which is looked for first
    # Undone at once: what runs between tests may import the package.
    with monkeypatch.context() as patch, pytest.raises(MissingExtra, match=says):
        patch.setitem(sys.modules, name, None)
        foreign_files.load_libraries.__wrapped__()
