"""The exact law of a short document's output, and how well draws follow it."""

from fractions import Fraction
from typing import Any

import numpy as np
from scipy.stats import chisquare

from textveil.randomness import seeded_generator

Law = dict[tuple[int, ...], Fraction]
"""The probability of every output of a document."""


def joint_law(mechanism: Any, document: tuple[int, ...]) -> Law:
    """By the integer weights after every past."""
    law: Law = {(): Fraction(1)}
    every = np.arange(len(mechanism.vocabulary))
    for word in document:
        longer = {}
        for past, chance in law.items():
            row = mechanism.integer_weights_after(np.array(past, dtype=np.int64), every)[word].astype(object)
            for output, weight in enumerate(row):
                longer[(*past, output)] = chance * Fraction(int(weight), int(row.sum()))
        law = longer
    return law


def p_value(mechanism: Any, law: Law, document: tuple[int, ...], count: int) -> float:
    """Of draws of ``mechanism`` for ``document`` under a law, among other documents of other lengths."""
    lengths = np.tile([len(document), 3, 0, 1], count)
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    ids = np.tile([*document, 4, 4, 0, 3], count)
    drawn = mechanism.privatize_documents(ids, bounds, seeded_generator(11))
    outputs = drawn[bounds[:-1][::4][:, None] + np.arange(len(document))]
    places = {output: place for place, output in enumerate(law)}
    found = np.bincount([places[tuple(row)] for row in outputs.tolist()], minlength=len(places))
    return float(chisquare(found, count * np.array([float(one) for one in law.values()])).pvalue)
