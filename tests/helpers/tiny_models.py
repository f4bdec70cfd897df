"""Models that are made here: small, saved and loaded as any other would be, none downloaded."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

WORDS = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "person", "location"),
    *("maria", "gon", "##zalez", "ber", "##lin", "rome", "lives", "in", "with", "a", "b", "c", "##d", ".", ","),
)
LABELS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
NAMES = {"maria": 1, "gon": 2, "##zalez": 2, "ber": 3, "##lin": 4, "rome": 3}
"""Classes by token: what the classifier of ``token_classifier`` has learned."""


def needed(*packages: str, extra: str) -> None:
    """Skip where a package of an extra is missing."""
    for package in packages:
        pytest.importorskip(package, reason=f"needs the extra {extra}", exc_type=ImportError)


def pipeline(folder: Path, patterns: Mapping[str, Sequence[str]], language: str = "en") -> Path:
    """A spaCy pipeline that finds these phrases, by label."""
    import spacy

    nlp = spacy.blank(language)
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": label, "pattern": one} for label, some in patterns.items() for one in some])
    nlp.to_disk(folder)
    return folder


def tokenizer() -> Any:
    """WordPiece over ``WORDS``."""
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    made = Tokenizer(models.WordPiece({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", WORDS.index("[CLS]")), ("[SEP]", WORDS.index("[SEP]"))]
    )
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("unk", "pad", "cls", "sep", "mask")}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **names)


def byte_tokenizer() -> Any:
    """Tokens of single bytes, as GPT-2's and RoBERTa's begin: a space belongs to the token behind it."""
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    names = ["<s>", "<pad>", "</s>", "<mask>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    made = Tokenizer(models.BPE(vocab={name: place for place, name in enumerate(names)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=False)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", pad_token="<pad>", eos_token="</s>", mask_token="<mask>"
    )


def piece_tokenizer() -> Any:
    """Pieces of words with a mark for the space before them, as SentencePiece makes them; NFKC changes lengths."""
    import transformers
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

    pieces = ["<unk>", "<pad>", "<s>", "\u2581", *"abcdefghijklmnopqrstuvwxyzMGRB.,", "\u2581Mar", "ia", "lin"]
    made = Tokenizer(models.Unigram([(piece, -float(place)) for place, piece in enumerate(pieces)], unk_id=0))
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, unk_token="<unk>", pad_token="<pad>")


def token_classifier(
    folder: Path,
    labels: Sequence[str] = LABELS,
    learned: bool = True,
    make_tokenizer: Callable[[], Any] = tokenizer,
) -> Path:
    """A BERT of one layer; with ``learned``, one that knows the class of each token by itself (``NAMES``)."""
    import torch
    import transformers

    tokens = make_tokenizer()
    size = len(tokens)
    config = transformers.BertConfig(
        vocab_size=size,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=40,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
    )
    torch.manual_seed(0)
    model = transformers.BertForTokenClassification(config)
    if learned:
        with torch.no_grad():
            for layer in model.bert.encoder.layer:
                for part in (layer.attention.output.dense, layer.output.dense):
                    part.weight.zero_()
                    part.bias.zero_()
            table = model.bert.embeddings
            table.position_embeddings.weight.zero_()
            table.token_type_embeddings.weight.zero_()
            table.word_embeddings.weight.copy_(torch.eye(size, 32) * 10)
            model.classifier.weight.zero_()
            for place, word in enumerate(WORDS):
                model.classifier.weight[NAMES.get(word, 0), place] = 3
    model.save_pretrained(folder)
    tokens.save_pretrained(folder)
    return folder


def gliner(folder: Path, words: int = 20) -> Path:
    """A GLiNER with random weights that reads ``words`` words at a time."""
    import gliner as package
    import torch

    encoder = token_classifier(folder / "encoder", learned=False)
    config = package.GLiNERConfig(model_name=str(encoder), max_len=words, hidden_size=16, max_width=4)
    torch.manual_seed(0)
    package.GLiNER.from_config(config, backbone_from_pretrained=False).save_pretrained(folder / "model")
    return folder / "model"


def encoder_decoder(folder: Path, kind: str = "bart", width: int = 16) -> Path:
    """A BART or a T5 of one layer with random weights, over single bytes."""
    import torch
    import transformers

    tokens = byte_tokenizer()
    torch.manual_seed(0)
    marks = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}
    if kind == "bart":
        parts = {f"{side}_{name}": value for side in ("encoder", "decoder") for name, value in _LAYERS.items()}
        config = transformers.BartConfig(
            vocab_size=len(tokens),
            d_model=width,
            max_position_embeddings=64,
            decoder_start_token_id=2,
            forced_eos_token_id=None,
            **parts,
            **marks,
        )
        model = transformers.BartForConditionalGeneration(config)
    else:
        config = transformers.T5Config(
            vocab_size=len(tokens), d_model=width, d_kv=8, d_ff=32, num_layers=1, num_heads=2, decoder_start_token_id=1,
            **marks,
        )  # fmt: skip
        model = transformers.T5ForConditionalGeneration(config)
    model.save_pretrained(folder)
    tokens.save_pretrained(folder)
    return folder


_LAYERS = {"layers": 1, "attention_heads": 2, "ffn_dim": 32}


def copying_bart(folder: Path) -> Path:
    """A BART that has learned in seconds to say the words of ``WORDS`` that it has read, up to four of them."""
    import numpy as np
    import torch
    import transformers

    tokens = tokenizer()
    torch.manual_seed(0)
    parts = {f"{side}_{name}": value for side in ("encoder", "decoder") for name, value in _LAYERS.items()}
    config = transformers.BartConfig(
        vocab_size=len(tokens),
        d_model=48,
        max_position_embeddings=32,
        dropout=0.0,
        bos_token_id=2,
        pad_token_id=0,
        eos_token_id=3,
        decoder_start_token_id=3,
        forced_eos_token_id=None,
        **parts,
    )
    model = transformers.BartForConditionalGeneration(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    rng = np.random.default_rng(0)
    for _ in range(180):
        lengths = rng.integers(1, 5, size=32)
        said = rng.integers(5, len(WORDS), size=(32, 4))
        ids = np.zeros((32, 7), dtype=np.int64)
        for row, length in enumerate(lengths.tolist()):
            ids[row, : length + 2] = [2, *said[row, :length], 3]
        read = torch.from_numpy(ids)
        states = model.get_encoder()(input_ids=read, attention_mask=(read != 0).long()).last_hidden_state
        given = transformers.modeling_outputs.BaseModelOutput(last_hidden_state=states)
        loss = model(
            encoder_outputs=given, attention_mask=torch.ones_like(read), labels=read.masked_fill(read == 0, -100)
        ).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(folder)
    tokens.save_pretrained(folder)
    return folder
