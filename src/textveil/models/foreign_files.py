"""Hugging Face models in a folder on this machine; the one file that imports transformers."""

import contextlib
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal, NamedTuple

from textveil.errors import MissingExtra, ModelError, WrongModel
from textveil.json_text import json_file
from textveil.vocabulary.grid import checked_device

EXTRA: Final = "transformers"
Kind = Literal["causal", "masked", "token", "encoder", "encoder-decoder"]

_CLASSES: Final[dict[Kind, str]] = {
    "causal": "AutoModelForCausalLM",
    "masked": "AutoModelForMaskedLM",
    "token": "AutoModelForTokenClassification",
    "encoder": "AutoModel",
    "encoder-decoder": "AutoModelForSeq2SeqLM",
}
_MODELS: Final[dict[Kind, str]] = {
    "causal": "a causal language model",
    "masked": "a masked language model",
    "token": "a token classifier",
    "encoder": "an encoder",
    "encoder-decoder": "an encoder-decoder",
}
_HASHED: Final = (".json", ".safetensors", ".txt", ".model")
"""Ends of the names of files that a model's numbers depend on."""

_TOKENIZERS: Final = (
    "tokenizer.json",
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
    "source.spm",
    "vocab.json",
    "vocab.txt",
    "tokenizer.tiktoken",
)
"""Names of files that hold the pieces of a tokenizer."""

_SPARE: Final = 4  # positions that some models count but do not offer to tokens
_MOST_TOKENS: Final = 4096


class Libraries(NamedTuple):
    """torch and transformers."""

    torch: ModuleType
    transformers: ModuleType


class ForeignModel(NamedTuple):
    """A model and its tokenizer, ready to be asked on ``device`` about texts of ``room`` tokens at most."""

    name: str
    model: Any
    tokenizer: Any
    device: str
    room: int


@cache
def load_libraries() -> Libraries:
    """Both libraries. Raises MissingExtra: one of them is not installed."""
    with MissingExtra("torch", EXTRA):
        import torch
    with MissingExtra("transformers", EXTRA):
        import transformers
    return Libraries(torch, transformers)


def read_model(folder: Path | str, kind: Kind, device: str = "cpu") -> ForeignModel:
    """The model in a folder: its configuration, weights in safetensors (no pickles) and tokenizer; nothing is fetched.

    Raises MissingExtra: torch or transformers is not installed; ParameterError: torch finds no such device; WrongModel:
    the folder holds no such model; ModelError: it cannot be read.
    """
    libraries = load_libraries()
    checked_device(device)
    where = Path(folder)
    wanted = f"the folder {where.name} must hold {_MODELS[kind]} with its tokenizer, weights in safetensors"
    if not (where / "config.json").is_file():
        raise WrongModel(f"{wanted}; got no config.json there. Save or copy the model to it.")
    if kind == "causal" and is_masked(where):
        raise WrongModel(f"{wanted}; got a masked one.")
    if kind == "encoder-decoder" and not is_encoder_decoder(where):
        raise WrongModel(f"{wanted}; got a model of another kind. Take one like BART or T5.")
    if not any(where.glob("*.safetensors")):
        pickled = any(where.glob("*.bin")) or any(where.glob("*.pt"))
        raise WrongModel(
            f"{wanted}; got weights in another form, which may run code when they are read. "
            "Save it again by save_pretrained."
            if pickled
            else f"{wanted}; got a configuration without weights. Copy its safetensors files there too."
        )
    if not any((where / name).is_file() for name in _TOKENIZERS):
        # transformers makes an empty tokenizer of some configurations.
        raise WrongModel(
            f"{wanted}; got no tokenizer. Copy its files there too: {', '.join(_TOKENIZERS[:3])} or others."
        )
    try:
        with quiet(libraries.transformers):
            tokenizer = libraries.transformers.AutoTokenizer.from_pretrained(where, local_files_only=True)
            source = getattr(libraries.transformers, _CLASSES[kind])
            model, about = source.from_pretrained(
                where, local_files_only=True, use_safetensors=True, output_loading_info=True
            )
        model = model.to(device).eval()
    except Exception as error:  # whatever a foreign library makes of a foreign file
        raise ModelError(f"{wanted}; got {type(error).__name__} from transformers. Save it there again.") from error
    if kind == "token" and about["missing_keys"]:
        # Without them transformers draws the weights of the last layer at random.
        raise ModelError(f"{wanted}; got one without weights that tell classes apart.")
    if kind == "encoder-decoder" and any("final_logits_bias" not in key for key in about["missing_keys"]):
        raise ModelError(f"{wanted}; got one without the weights of some layers. Take a model of this configuration.")
    if kind == "encoder" and any("pooler" not in key for key in about["missing_keys"]):
        raise ModelError(f"{wanted}; got one without the weights of some layers. Take a model of this configuration.")
    if kind == "encoder-decoder" and len(tokenizer) > model.get_input_embeddings().num_embeddings:
        raise ModelError(f"{wanted}; got a tokenizer of more tokens than the model has. Take the model's own.")
    places = getattr(model.config, "max_position_embeddings", None) or _MOST_TOKENS
    return ForeignModel(where.name, model, tokenizer, device, min(int(places) - _SPARE, _MOST_TOKENS))


@contextlib.contextmanager
def quiet(transformers: ModuleType) -> Iterator[None]:
    """Without the library's own messages and bars; what goes wrong is raised."""
    logging = transformers.utils.logging
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def is_masked(folder: Path | str) -> bool:
    """Tell whether the configuration in a folder is of a masked model; what it is otherwise shows when it is read."""
    try:
        config = json_file(Path(folder) / "config.json")
        return any("MaskedLM" in str(architecture) for architecture in config["architectures"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def is_encoder_decoder(folder: Path | str) -> bool:
    """Tell whether the configuration in a folder is of an encoder with a decoder; a fault shows when it is read."""
    try:
        config = json_file(Path(folder) / "config.json")
        return config.get("is_encoder_decoder") is True
    except (OSError, ValueError, AttributeError):
        return False


def files_digest(folder: Path | str, *more: str) -> str:
    """SHA-256 of the files that a model's numbers depend on, and of what else is given."""
    total = hashlib.sha256("\n".join(more).encode("utf-8"))
    for path in sorted(Path(folder).iterdir()):
        if path.is_file() and path.suffix in _HASHED:
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            total.update(f"\n{path.name} {digest}".encode())
    return total.hexdigest()
