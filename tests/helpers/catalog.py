"""The catalog for tests that go through all of it: what each mechanism is made with, by what it declares.

No mechanism is named here: a new one is tested by its declaration.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from tests.helpers.tiny_models import encoder_decoder, token_classifier
from tests.helpers.trained_networks import network_folder
from tests.helpers.writing_models import folder_of, libraries

from textveil.catalog import entries
from textveil.registry.options import DEFAULT_EPSILON

CATALOG = entries()


QUICK: Mapping[str, Any] = {"tokens": 2, "prompt": "{text}", "long_texts": "cut"}
"""Options that make a mechanism quick over a tiny model, where it has them."""


@cache
def _encoder_decoder() -> Path:
    """One over single bytes, whose states of two texts differ."""
    libraries()
    return encoder_decoder(Path(mkdtemp(prefix="textveil-models-")) / "tiny-bart")


@cache
def _word_model() -> Path:
    """A BERT with random weights of which twelve tokens are whole words."""
    libraries()
    return token_classifier(Path(mkdtemp(prefix="textveil-models-")) / "tiny-bert", learned=False)


def _writing_model() -> Path:
    libraries()
    return folder_of("gpt2")


MODELS: Mapping[str, Callable[[], Path]] = {
    "a model on disk": _writing_model,
    "a causal model on disk": _writing_model,
    "a model of any kind on disk": _word_model,
    "an encoder-decoder on disk": _encoder_decoder,
    "a network that `textveil rewrite` trained": network_folder,
}
"""Tiny ones, by what an entry needs."""


def needed(name: str) -> dict[str, Any]:
    """What a mechanism cannot be made without, beside a vocabulary; skips where a package for it is missing."""
    entry = CATALOG[name]
    if not entry.needs:
        return {}
    options = entry.options()
    folder = MODELS[entry.needs.partition(" (")[0]]()
    quick = {key: value for key, value in QUICK.items() if key in options}
    return {key: str(folder) for key in ("model", "network") if key in options} | quick


def as_listed(name: str) -> dict[str, Any]:
    """Options at which a mechanism has the status that the catalog lists."""
    return {**needed(name), **(CATALOG[name].shown_at or usual(name))}


def usual(name: str) -> dict[str, Any]:
    """Epsilon 1, or what the mechanism chooses where it takes none or has a least one."""
    options = CATALOG[name].options()
    return {"epsilon": 1.0} if "epsilon" in options and not has_least_epsilon(name) else {}


def has_least_epsilon(name: str) -> bool:
    """Whether the epsilon that is not given is neither the catalog's nor a number, but depends on the vocabulary."""
    option = CATALOG[name].options().get("epsilon")
    return option is not None and option.unset not in ("", f"{DEFAULT_EPSILON:g}")


def drawing_text(names: Iterable[str] = CATALOG) -> list[str]:
    """Those of the names that a sanitizer can be made of."""
    return [name for name in names if CATALOG[name].draws_text]


def taking(epsilon: float) -> list[str]:
    """Mechanisms that take this epsilon with any vocabulary, and nothing that is not at hand."""
    entries = [entry for entry in CATALOG.values() if "epsilon" in entry.options() and entry.takes(epsilon)]
    return [entry.name for entry in entries if not entry.needs and not has_least_epsilon(entry.name)]
