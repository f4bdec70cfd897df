"""How often words occurred behind a release that shows hardly any of them.

python examples/estimate_words.py
"""

import numpy as np

from textveil.catalog import word_mechanism
from textveil_lab.estimation.frequencies import FrequencyEstimator

TEXTS = ["The cat sat.", "A dog and a cat ran.", "The cat slept."] * 2000


def main() -> None:
    mechanism = word_mechanism("randomized-response", epsilon=8)
    vocabulary = mechanism.vocabulary
    words = [vocabulary.id_of(word) for text in TEXTS for word in text.lower().replace(".", "").split()]
    released = mechanism.privatize(np.array(words))
    wanted = ["cat", "dog", "bird"]
    estimator = FrequencyEstimator(mechanism)
    print(f"{np.mean(released == np.array(words)):.1%} of {len(words)} words are shown as they were")
    for word, found in zip(
        wanted, estimator.words(released, np.array(list(map(vocabulary.id_of, wanted)))), strict=True
    ):
        low, estimate, high, _ = found.total
        print(f"{word:5s} {estimate:6.0f} ({low:.0f} to {high:.0f}); {found.released:.0f} times in the release")


if __name__ == "__main__":
    main()
