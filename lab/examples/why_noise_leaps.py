"""Why noise gives back the same word or an unrelated one: the exact odds, and what helps at the same guarantee."""

import numpy as np

import textveil as tv
from textveil.catalog import word_mechanism
from textveil_lab.laws.conditions import overtaking_probability
from textveil_lab.laws.neighbors import neighbor_geometry, sample_words
from textveil_lab.laws.rank_profile import rank_profiles


def main() -> None:
    """Print the thresholds that noise must pass, the odds that it does, and where words go at equal epsilon."""
    vocabulary = tv.load_vocabulary(limit=5000)
    words = sample_words(vocabulary, 200, np.random.default_rng(1))
    geometry = neighbor_geometry(vocabulary, words)
    to_leave, to_pass = float(geometry.half_first.mean()), float(geometry.gaps[:, 0].mean())
    print(f"noise must reach {to_leave:.2f} to leave a word for its neighbor, {to_pass:.2f} for the second to pass it")
    for rate in (10, 20, 30, 40):
        leaves = overtaking_probability(to_leave, vocabulary.dim, rate)
        passes = overtaking_probability(to_pass, vocabulary.dim, rate)
        print(f"  rate {rate}: {leaves:.2e} and {passes:.2f}")
    print("at epsilon 8 for any two words, share that stays, goes to one of the 100 nearest, goes elsewhere:")
    names = ("neighborhood", "metric-exponential", "exponential", "gaussian", "spherical-laplace")
    mechanisms = [word_mechanism(name, vocabulary, epsilon=8.0) for name in names]
    rng = tv.seeded_generator(1)
    profiles = rank_profiles(mechanisms, words, draws_per_word=5, clip=None, rng=rng)
    for name, profile in zip(names, profiles, strict=True):
        shares = (profile.original, profile.near, profile.distant)
        print(f"  {name:<20} {'  '.join(f'{share.estimate:.2f}' for share in shares)}")


if __name__ == "__main__":
    main()
