"""The catalog for tests that go through all of it: which names take an epsilon, where a claim is as it is listed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from tests.helpers.tiny_models import encoder_decoder, token_classifier
from tests.helpers.trained_networks import network_folder
from tests.helpers.writing_models import folder_of, libraries

from textveil.catalog import MECHANISMS

AS_LISTED: dict[str, dict[str, Any]] = {
    "gaussian-classical-published": {"epsilon": 40.0},
    "diffractor-published": {"epsilon": 8.0},  # at epsilon 1 a step is longer than the list of a tiny vocabulary
    "rantext-published": {"epsilon": 3.0},
    "vickrey-published": {"epsilon": 0.5, "t": 0.25},
    "mahalanobis-published": {"epsilon": 1.0, "covariance_weight": 0.9},
    "dp-bart-published": {"epsilon": 250.0},
    "tgm": {"epsilon": 20.0},  # it has a least one
    "tgm-published": {},
    "tem-published": {"epsilon_per_distance": 0.5, "beta": 0.9},
}
"""Options at which a mechanism has the status of its line, where that is not so at epsilon 1."""

WITH_MODEL: dict[str, dict[str, Any]] = {
    "dp-prompt": {"tokens": 2, "prompt": "{text}"},
    "dp-paraphrase": {"tokens": 2, "prompt": "{text}"},
    "dp-prompt-published": {"tokens": 2, "prompt": "{text}", "min_logit": -0.02, "max_logit": 0.02},
    "dp-fusion": {"tokens": 2, "prompt": "{text}"},
}
"""Mechanisms over a model on disk: what makes them quick with a tiny one."""

WITH_CODES = ("dp-bart", "dp-bart-published")
"""Mechanisms over an encoder-decoder on disk whose states of two texts must differ."""

WITH_NETWORK: dict[str, dict[str, Any]] = {
    "dp-rewrite": {"dp_mechanism": "gaussian"},
    "adept": {},
    "adept-published": {},
}
"""Mechanisms over an auto-encoder that was trained."""

SAMPLED = frozenset({"word-budgets"})
"""Mechanisms of words that are proved, and of whose distribution no audit knows more than samples."""


def as_listed(name: str) -> dict[str, Any]:
    """Options at which a mechanism has the status that the catalog lists, epsilon among them."""
    return {**needed(name), **AS_LISTED.get(name, {"epsilon": 1.0})}


def needed(name: str) -> dict[str, Any]:
    """What a mechanism cannot be made without, beside a vocabulary; skips where a package for it is missing."""
    if name in WITH_NETWORK:
        return {"network": str(network_folder()), "long_texts": "cut", **WITH_NETWORK[name]}
    if name in WITH_CODES:
        return {"model": str(coding_model()), "long_texts": "cut"}
    if name == "rapt":
        return {"model": str(word_model())}
    if name not in WITH_MODEL:
        return {}
    libraries()
    return {"model": str(folder_of("gpt2")), **WITH_MODEL[name]}


@cache
def coding_model() -> Path:
    """An encoder-decoder over single bytes, made once."""
    libraries()
    return encoder_decoder(Path(mkdtemp(prefix="textveil-models-")) / "tiny-bart")


@cache
def word_model() -> Path:
    """A BERT with random weights of which twelve tokens are whole words, made once."""
    libraries()
    return token_classifier(Path(mkdtemp(prefix="textveil-models-")) / "tiny-bert", learned=False)


def drawing_text(names: Iterable[str] = MECHANISMS) -> list[str]:
    """Those of the names that a sanitizer can be made of."""
    return [name for name in names if MECHANISMS[name].draws_text]


def taking(epsilon: float, names: Iterable[str] = MECHANISMS) -> list[str]:
    """Those of the names that take this epsilon with any vocabulary, and nothing that is not at hand."""
    return [name for name in names if MECHANISMS[name].takes(epsilon) and name != "tgm" and not MECHANISMS[name].needs]


def audited(name: str) -> bool:
    """Whether audits know the distribution of its outputs: not where its search is approximate."""
    return name != "cmp-approximate"


def usual(name: str) -> dict[str, Any]:
    """Epsilon 1, or the least that the vocabulary allows, where that may be more."""
    return {} if name == "tgm" else {"epsilon": 1.0}
