"""Models that write: tiny ones with random weights, made here, saved and loaded as any other would be."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

NAMES = ("<pad>", "<s>", "</s>", "<unk>", "cats", "dogs", "sit", "run", "rome", "maria")
"""Tokens of the tiny models: whole words."""


def libraries() -> Any:
    """torch and transformers, or a skip."""
    pytest.importorskip("torch", reason="needs the extra transformers", exc_type=ImportError)
    pytest.importorskip("transformers", reason="needs the extra transformers", exc_type=ImportError)
    from textveil.models.foreign_files import load_libraries

    return load_libraries()


def tokenizer() -> Any:
    """Words between spaces; what is none of ``NAMES`` is unknown."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    made = Tokenizer(models.WordLevel({name: place for place, name in enumerate(NAMES)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return libraries().transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, unk_token="<unk>", pad_token="<pad>", bos_token="<s>", eos_token="</s>"
    )


def network(kind: str, places: int = 32) -> Any:
    """A model of one layer: causal ("gpt2"), or an encoder with a decoder ("t5", "bart")."""
    transformers = libraries().transformers
    marks = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    size = len(NAMES)
    if kind == "gpt2":
        config = transformers.GPT2Config(
            vocab_size=size, n_positions=places, n_embd=16, n_layer=1, n_head=2, **marks, attn_pdrop=0.5
        )
        return transformers.GPT2LMHeadModel(config)
    if kind == "t5":
        config = transformers.T5Config(
            vocab_size=size, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, decoder_start_token_id=0, **marks
        )
        return transformers.T5ForConditionalGeneration(config)
    config = transformers.BartConfig(
        vocab_size=size,
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        max_position_embeddings=places,
        decoder_start_token_id=2,
        **marks,
    )
    return transformers.BartForConditionalGeneration(config)


def saved(folder: Path, kind: str, *, places: int = 32, scale: float = 4.0, with_tokenizer: bool = True) -> Path:
    """A tiny model in a folder; its weights times ``scale``, so that texts differ in what follows them."""
    torch = libraries().torch
    torch.manual_seed(5)
    made = network(kind, places)
    with torch.no_grad():
        for weight in made.parameters():
            weight.mul_(scale)
    made.save_pretrained(folder)
    if with_tokenizer:
        tokenizer().save_pretrained(folder)
    return folder


@cache
def folder_of(kind: str) -> Path:
    """A folder with such a model, made once in a run of the tests."""
    return saved(Path(mkdtemp(prefix="writing-model-")) / f"tiny-{kind}", kind)
