"""Encoders: models that give every token of a text a vector that depends on its context."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

import numpy as np

from textveil.errors import ModelError, WrongModel, need
from textveil.models.foreign_files import ForeignModel, files_digest, load_libraries, read_model
from textveil.types import Flags, Ids, Vectors


class EncodedText(NamedTuple):
    """Tokens of one text."""

    tokens: Ids  # ids of the encoder's own tokens, shape (tokens,)
    vectors: Vectors  # of each in its text, float32, shape (tokens, dim)
    marks: Flags  # which of them the encoder added, such as the beginning and the end, shape (tokens,)


@runtime_checkable
class TextEncoder(Protocol):
    """Encoder of tokens in their texts."""

    @property
    def name(self) -> str:
        """Name in reports, with all that the vectors depend on beside the texts."""

    def encode(self, texts: Sequence[str]) -> list[EncodedText]:
        """Return the tokens of each text; an empty one has only marks."""


_LAYERS: Final[dict[tuple[Any, ...], int]] = {
    ("bert", 12, 768): 9,
    ("bert", 24, 1024): 18,
    ("roberta", 12, 768): 10,
    ("roberta", 24, 1024): 17,
    ("distilbert", 6, 768): 5,
    ("roberta", 6, 768): 5,
    ("xlm-roberta", 12, 768): 9,
    ("xlm-roberta", 24, 1024): 17,
    ("deberta", 12, 768): 9,
    ("deberta", 24, 1024): 16,
    ("deberta", 48, 1024): 18,
}
"""Default layer of BERTScore's authors, by architecture, number of layers and width."""

_SPACED: Final = ("GPT2Tokenizer", "RobertaTokenizer")
"""Tokenizers that make the first word another token if no space stands before it."""


@dataclass(frozen=True, eq=False)
class FolderEncoder:
    """Hugging Face encoder on disk, read at one layer; made by ``text_encoder``."""

    folder: Path  # where it lies
    layer: int  # whose vectors are given; 0 is those of the tokens before any layer
    foreign: ForeignModel
    batch: int

    @property
    def name(self) -> str:
        return f"{self.foreign.name}, layer {self.layer}, {self.digest[:12]}"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of its files and of the layer."""
        return files_digest(self.folder, "encoder", str(self.layer))

    def encode(self, texts: Sequence[str]) -> list[EncodedText]:
        """Return the tokens of each text, cut at the model's limit as BERTScore's authors do.

        Raises:
            ModelError: the model returns numbers that are not finite.
        """
        order = sorted(range(len(texts)), key=lambda one: len(texts[one]))
        found: dict[int, EncodedText] = {}
        for start in range(0, len(order), self.batch):
            block = order[start : start + self.batch]
            found.update(zip(block, self._block([texts[one] for one in block]), strict=True))
        return [found[one] for one in range(len(texts))]

    def _block(self, texts: Sequence[str]) -> list[EncodedText]:
        torch, tokenizer, device = load_libraries().torch, self.foreign.tokenizer, self.foreign.device
        spaced = type(tokenizer).__name__.removesuffix("Fast") in _SPACED
        stripped = [text.strip() for text in texts]
        read = tokenizer(
            [f" {text}" if spaced and text else text for text in stripped],
            truncation=True,
            max_length=self._room,
            padding=False,
            return_attention_mask=False,
        )["input_ids"]
        longest = max(1, *map(len, read))
        pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else 0
        ids = torch.tensor([row + [pad] * (longest - len(row)) for row in read], dtype=torch.long, device=device)
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in read], device=device)
        with torch.inference_mode():
            states = self.foreign.model(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states
            layer = states[self.layer].float().cpu().numpy()
        made = []
        for row, vectors in zip(read, layer, strict=True):
            tokens = np.array(row, dtype=np.int64)
            kept = np.ascontiguousarray(vectors[: len(row)])
            if not np.isfinite(kept).all():
                raise ModelError(
                    f"the encoder {self.foreign.name} must give finite numbers; got others. Check its weights."
                )
            made.append(EncodedText(tokens, kept, np.isin(tokens, self._marks)))
        return made

    @cached_property
    def _marks(self) -> Ids:
        tokenizer = self.foreign.tokenizer
        names = (tokenizer.cls_token_id, tokenizer.sep_token_id)
        return np.array([one for one in names if one is not None], dtype=np.int64)

    @property
    def _room(self) -> int:
        """Largest number of tokens with the marks: the tokenizer's own limit if the model can keep it."""
        most = int(self.foreign.tokenizer.model_max_length)
        places = getattr(self.foreign.model.config, "max_position_embeddings", None)
        return most if places is not None and most <= int(places) else self.foreign.room


def text_encoder(
    folder: Path | str, *, layer: int | None = None, batch: int = 64, device: str = "cpu"
) -> FolderEncoder:
    """Return the encoder in a folder.

    Args:
        folder: configuration, weights in safetensors and tokenizer, as ``save_pretrained`` writes them.
        layer: of the vectors, from 0 to the number of layers; None takes the choice of BERTScore's authors for an
            architecture of this size, or else the last layer.

    Raises:
        ParameterError: no such layer, ``batch`` below 1, or no such device.
        ModelError: the folder has no encoder with weights and tokenizer.
    """
    need(batch >= 1, "batch", batch, ">= 1")
    foreign = read_model(folder, "encoder", device)
    if foreign.model.config.is_encoder_decoder:
        foreign = foreign._replace(model=foreign.model.get_encoder())
    config = foreign.model.config
    layers, width = getattr(config, "num_hidden_layers", None), getattr(config, "hidden_size", None)
    if not isinstance(layers, int):
        raise WrongModel(f"the folder {foreign.name} must hold an encoder of texts; got {config.model_type}.")
    chosen = _LAYERS.get((config.model_type, layers, width), layers) if layer is None else layer
    need(0 <= chosen <= layers, "layer", chosen, f"from 0 to {layers}, the layers of {foreign.name}")
    return FolderEncoder(Path(folder), chosen, foreign, batch)
