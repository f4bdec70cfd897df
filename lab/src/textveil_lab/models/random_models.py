"""Small models with random weights, saved like any other: for tests of claims about every model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from textveil.models.foreign_files import load_libraries, quiet
from textveil.vocabulary.grid import load_torch
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.models.autoencoder.coder import keep_words
from textveil_lab.models.autoencoder.files import facts_of, write_network
from textveil_lab.models.autoencoder.network import AutoencoderSettings, new_autoencoder
from textveil_lab.models.autoencoder.training import Epochs

_MARKS: Final = ("<pad>", "<s>", "</s>", "<unk>")
_IDS: Final = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
_WIDTH, _PLACES = 32, 128
_SPREAD: Final = 0.5
"""Standard deviation of the weights, about three times the inverse root of the width.

At this size layers neither fade nor saturate.
"""


def random_bart(folder: Path, words: Sequence[str], seed: int = 0) -> Path:
    """Write an encoder-decoder of one layer each, over whole words; all other words are one unknown token."""
    sides = ("encoder", "decoder")
    parts = {f"{side}_{name}": value for side in sides for name, value in _LAYERS.items()}
    transformers = load_libraries().transformers
    config = transformers.BartConfig(
        **parts,
        **_IDS,
        vocab_size=len(_MARKS) + len(words),
        d_model=_WIDTH,
        max_position_embeddings=_PLACES,
        decoder_start_token_id=2,
        forced_eos_token_id=None,
    )
    return _saved(folder, transformers.BartForConditionalGeneration, config, words, seed)


def random_gpt2(folder: Path, words: Sequence[str], seed: int = 0, spread: float = _SPREAD) -> Path:
    """Write a causal language model of one layer, over whole words; see ``random_bart``.

    Args:
        spread: standard deviation of the weights; the logits' spread grows with it.
    """
    transformers = load_libraries().transformers
    size = len(_MARKS) + len(words)
    config = transformers.GPT2Config(
        **_IDS, vocab_size=size, n_positions=_PLACES, n_embd=_WIDTH, n_layer=1, n_head=2, tie_word_embeddings=False
    )
    return _saved(folder, transformers.GPT2LMHeadModel, config, words, seed, spread)


def random_network(folder: Path, vocabulary: Vocabulary, seed: int = 0) -> Path:
    """Write an untrained auto-encoder of sentences, with its words."""
    torch = load_torch()
    settings = AutoencoderSettings(hidden=_WIDTH, code=_WIDTH, dropout=0.0, length=8)
    with torch.random.fork_rng(devices=[]):  # its own weights are drawn, and then replaced
        network = new_autoencoder(vocabulary.vectors, settings)
    _draw_weights(network.modules, seed)
    keep_words(vocabulary, folder)
    write_network(folder, network, facts_of(network, vocabulary, Epochs((), ())))
    return folder


_LAYERS: Final = {"layers": 1, "attention_heads": 2, "ffn_dim": _WIDTH}


def _saved(folder: Path, kind: Any, config: Any, words: Sequence[str], seed: int, spread: float = _SPREAD) -> Path:
    from tokenizers import Tokenizer, models, pre_tokenizers

    torch, transformers = load_libraries()
    tokens = Tokenizer(
        models.WordLevel({token: place for place, token in enumerate((*_MARKS, *words))}, unk_token="<unk>")
    )
    tokens.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    with quiet(transformers), torch.random.fork_rng(devices=[]):
        model = kind(config)
        _draw_weights(model, seed, spread)
        model.save_pretrained(folder)
        transformers.PreTrainedTokenizerFast(
            tokenizer_object=tokens, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
        ).save_pretrained(folder)
    return folder


def _draw_weights(model: Any, seed: int, spread: float = _SPREAD) -> None:
    torch, rng = load_torch(), np.random.default_rng(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim > 1:
                weight.copy_(torch.from_numpy(rng.normal(scale=spread, size=tuple(weight.shape))))
            elif "bias" in name:
                weight.zero_()
