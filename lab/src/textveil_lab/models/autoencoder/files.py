"""Networks on disk: weights in safetensors, everything else in JSON that names their file and its digest.

    network.json                     facts, and the file and SHA-256 of the weights
    network-1f0c4a7be2d9.safetensors arrays by name

A folder holds one network. A newer one replaces it once both its files are whole: the weights have their own name, and
the JSON that names them is renamed into place last.
"""

import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import MissingExtra, ModelError, OutputError
from textveil.json_text import json_file
from textveil.vocabulary.grid import load_torch
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.models.autoencoder.network import Autoencoder, AutoencoderSettings, new_autoencoder
from textveil_lab.models.autoencoder.training import Epochs

FORMAT: Final = 1
FACTS: Final = "network.json"
_OPTIMIZER: Final = "optimizer."  # Before the names of arrays that only a run that goes on needs
_HINT: Final = "Is it what `save_rewriter` or a run with `checkpoint` wrote?"


class SavedNetwork(NamedTuple):
    """Content of a folder: JSON facts and arrays."""

    facts: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def facts_of(network: Autoencoder, vocabulary: Vocabulary, epochs: Epochs) -> dict[str, Any]:
    """Return the facts that every saved network states."""
    return {
        "settings": network.settings.to_data(),
        "vocabulary": {"name": vocabulary.name, "words": len(vocabulary), "digest": vocabulary.digest},
        "losses": list(epochs.losses),
        "seconds": list(epochs.seconds),
    }


def write_network(
    folder: Path | str, network: Autoencoder, facts: Mapping[str, Any], optimizer: Any | None = None
) -> None:
    """Write a network into a folder, which is made if missing; a network in it is replaced.

    Args:
        folder: for this network alone.
        network: its weights are copied.
        facts: JSON data; ``facts_of`` and what the caller adds.
        optimizer: stored too, so that the run can continue; None: not stored.

    Raises:
        OutputError: the folder cannot be written; its old content stays.
    """
    numpy = _safetensors()
    arrays = {name: _array(tensor) for name, tensor in network.modules.state_dict().items()}
    if optimizer is not None:
        for index, state in optimizer.state_dict()["state"].items():
            arrays |= {f"{_OPTIMIZER}{index}.{name}": _array(tensor) for name, tensor in state.items()}
    data: bytes = numpy.save(arrays)
    digest = hashlib.sha256(data).hexdigest()
    weights = f"network-{digest[:12]}.safetensors"
    header = {"format": FORMAT, "weights": weights, "sha256": digest, **facts}
    where = Path(folder)
    try:
        where.mkdir(parents=True, exist_ok=True)
        put(where / weights, data)
        put(where / FACTS, (json.dumps(header, indent=1) + "\n").encode("utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"the folder of a network must be writable; got {reason}. Name another.") from None
    for old in where.glob("network-*.safetensors"):
        if old.name != weights:
            with contextlib.suppress(OSError):
                old.unlink()


def read_facts(folder: Path | str) -> dict[str, Any]:
    """Return the facts of the network in a folder.

    Raises:
        ModelError: there is none, or it has another format.
    """
    where = Path(folder)
    try:
        facts = json_file(where / FACTS)
    except (OSError, ValueError) as error:
        got = "none" if isinstance(error, FileNotFoundError) else type(error).__name__
        raise ModelError(f"the folder {where.name} must hold a network's {FACTS}; got {got}. {_HINT}") from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise ModelError(f"the folder {where.name} must hold a network of format {FORMAT}; got another. {_HINT}")
    return facts


def read_network(folder: Path | str) -> SavedNetwork:
    """Return the network in a folder, its weights checked against their digest.

    Raises:
        ModelError: there is none, or a file of it is missing or damaged.
    """
    numpy, where = _safetensors(), Path(folder)
    facts = read_facts(where)
    name = str(facts.get("weights"))
    try:
        data = (where / Path(name).name).read_bytes()
        if hashlib.sha256(data).hexdigest() != facts.get("sha256"):
            raise ValueError("other bytes")
        arrays = numpy.load(data)
    except Exception as error:  # whatever a damaged file makes of the reader
        got = "none" if isinstance(error, FileNotFoundError) else "a damaged one"
        raise ModelError(f"the folder {where.name} must hold the file of its weights; got {got}. {_HINT}") from None
    return SavedNetwork(facts, arrays)


def restored_network(
    saved: SavedNetwork, vocabulary: Vocabulary, device: str = "cpu", *, settings: AutoencoderSettings | None = None
) -> tuple[Autoencoder, Epochs]:
    """Return the saved network and its epochs.

    Args:
        settings: of a run that continues for more epochs; None: the saved ones.

    Raises:
        ModelError: its vocabulary is another one, or its weights do not fit its settings.
    """
    torch, facts = load_torch(), saved.facts
    try:
        digest = str(facts["vocabulary"]["digest"])
        settings = settings or AutoencoderSettings.of_data(facts["settings"])
        epochs = Epochs(tuple(map(float, facts["losses"])), tuple(map(float, facts["seconds"])))
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"a network must say settings, vocabulary and losses; this one does not. {_HINT}") from None
    if digest != vocabulary.digest:
        raise ModelError(
            f"the network must be of the vocabulary {vocabulary.digest[:16]}; got one of {digest[:16]}. "
            "Give `vocabulary` as it was trained with."
        )
    with torch.random.fork_rng(devices=[]):  # new weights are drawn, and then replaced
        network = new_autoencoder(vocabulary.vectors, settings, device)
    kept = {name: torch.from_numpy(array) for name, array in saved.arrays.items() if not name.startswith(_OPTIMIZER)}
    try:
        network.modules.load_state_dict(kept)
    except RuntimeError:  # its message lists every weight
        raise ModelError(f"a network's weights must be of its settings; got others. {_HINT}") from None
    network.modules.eval()
    return network, epochs


def restore_optimizer(optimizer: Any, saved: SavedNetwork) -> None:
    """Load the saved state into an optimizer over a restored network.

    Raises:
        ModelError: none was saved.
    """
    torch = load_torch()
    states: dict[int, dict[str, Any]] = {}
    for name, array in saved.arrays.items():
        if name.startswith(_OPTIMIZER):
            index, _, key = name.removeprefix(_OPTIMIZER).partition(".")
            states.setdefault(int(index), {})[key] = torch.from_numpy(array)
    if not states:
        raise ModelError("a run can go on only from a folder that `checkpoint` wrote; got a network alone.")
    optimizer.load_state_dict({**optimizer.state_dict(), "state": states})


def _array(tensor: Any) -> NDArray[Any]:
    array: NDArray[Any] = tensor.detach().cpu().numpy()
    return np.ascontiguousarray(array) if array.ndim else array.reshape(())


def put(target: Path, data: bytes) -> None:
    """Write a file that appears whole under its name."""
    hidden = target.with_name(f".textveil-{secrets.token_hex(8)}.partial")
    try:
        with hidden.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        hidden.replace(target)
    finally:
        hidden.unlink(missing_ok=True)


def _safetensors() -> ModuleType:
    try:
        import safetensors.numpy
    except ImportError:
        raise MissingExtra("safetensors", "torch") from None
    module: ModuleType = safetensors.numpy
    return module
