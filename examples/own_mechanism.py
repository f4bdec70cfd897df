"""A mechanism of one's own: the constant one, 0-DP and useless. Run with ``python examples/own_mechanism.py``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

import textveil as tv
from textveil.types import Ids


@final
@dataclass(frozen=True)
class Constant:
    """Every word becomes the same word."""

    vocabulary: tv.Vocabulary
    guarantee: tv.PureDP
    name: str = "constant"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Nothing to set."""
        return {}

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """The first word of the vocabulary, for each id."""
        return np.zeros_like(ids)


def main() -> None:
    # Reports say "claimed by its maker": to be "proved", a mechanism is made by an entry point of a package (plugin/).
    promise = tv.PureDP(epsilon=0.0, source="the output does not depend on the input")
    release = tv.Sanitizer(Constant(tv.load_vocabulary(), promise), number_epsilon=1.0)("Maria has 2 cats.")
    print(release.text)
    print(release.report().summary())


if __name__ == "__main__":
    main()
