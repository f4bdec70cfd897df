"""Reference values for weighted neighborhoods, decoding, estimation and pseudonyms, by brute force in exact arithmetic.

Run: python make_release_reference.py > release_reference.json   (standard library only)
"""

import itertools
import json
import math
from fractions import Fraction

WORDS = ["the", "of", "cat", "dog", "car", "van"]
BASE = [40, 25, 9, 8, 6, 5]
NEAREST = [  # ids in order of nearness, the word itself first
    [0, 1, 2, 3, 4, 5],
    [1, 0, 2, 3, 5, 4],
    [2, 3, 4, 5, 0, 1],
    [3, 2, 4, 5, 1, 0],
    [4, 5, 3, 2, 0, 1],
    [5, 4, 2, 3, 1, 0],
]
BIGRAM = [
    [1, 2, 9, 9, 9, 9],
    [9, 1, 5, 5, 5, 5],
    [6, 6, 1, 1, 1, 1],
    [6, 6, 1, 1, 2, 1],
    [5, 7, 1, 1, 1, 1],
    [5, 7, 1, 2, 1, 1],
]
START = [30, 10, 3, 3, 2, 2]


def rows(epsilon, excess):
    """Integer rows with one total: raise b to floor(b e^epsilon) in order of nearness.

    The last raised word takes what is left.
    """
    raised = [math.floor(Fraction(math.exp(epsilon)) * b) for b in BASE]  # e^epsilon of these cases is far from a step
    out = []
    for order in NEAREST:
        row, left = list(BASE), excess
        for y in order:
            add = min(left, raised[y] - BASE[y])
            row[y] += add
            left -= add
            if not left:
                break
        assert not left, "the excess must fit"
        out.append(row)
    return out


def worst_ratio(table):
    return max(Fraction(a[y], b[y]) for a in table for b in table for y in range(len(BASE)))


def viterbi(table, seen):
    """The most probable original sentence of a released one, over all originals; ties to the first in order of ids."""
    total = sum(table[0])
    best = None
    for x in itertools.product(range(len(BASE)), repeat=len(seen)):
        p = Fraction(START[x[0]], sum(START))
        for a, b in itertools.pairwise(x):
            p *= Fraction(BIGRAM[a][b], sum(BIGRAM[a]))
        for a, y in zip(x, seen, strict=True):
            p *= Fraction(table[a][y], total)
        if best is None or p > best[0]:
            best = (p, x)
    return {"original": list(best[1]), "log_probability": math.log(best[0])}


def posterior(table, seen):
    """P(original at each position | release), by summing over all originals."""
    n, total = len(BASE), sum(table[0])
    mass = [[Fraction(0)] * n for _ in seen]
    for x in itertools.product(range(n), repeat=len(seen)):
        p = Fraction(START[x[0]], sum(START))
        for a, b in itertools.pairwise(x):
            p *= Fraction(BIGRAM[a][b], sum(BIGRAM[a]))
        for a, y in zip(x, seen, strict=True):
            p *= Fraction(table[a][y], total)
        for place, a in enumerate(x):
            mass[place][a] += p
    return [[float(m / sum(line)) for m in line] for line in mass]


def inverse(table):
    """The inverse of the channel's matrix, exactly: unbiased counts are released counts times it."""
    n, total = len(table), sum(table[0])
    a = [[Fraction(v, total) for v in row] + [Fraction(int(i == j)) for j in range(n)] for i, row in enumerate(table)]
    for i in range(n):
        p = next(r for r in range(i, n) if a[r][i])
        a[i], a[p] = a[p], a[i]
        a[i] = [v / a[i][i] for v in a[i]]
        for r in range(n):
            if r != i and a[r][i]:
                a[r] = [v - a[r][i] * w for v, w in zip(a[r], a[i], strict=True)]
    return [[float(v) for v in row[n:]] for row in a]


cases = []
for epsilon, excess in ((1.0, 12), (2.0, 40), (3.0, 120)):
    table = rows(epsilon, excess)
    ratio = worst_ratio(table)
    cases.append(
        {
            "epsilon": epsilon,
            "excess": excess,
            "rows": table,
            "total": sum(table[0]),
            "worst_log_ratio": math.log(ratio),
            "viterbi": [{"released": list(s), **viterbi(table, s)} for s in ((0, 2, 1, 4), (5, 3, 0, 0), (1, 1, 1))],
            "posterior": [{"released": list(s), "by_position": posterior(table, s)} for s in ((0, 2, 1, 4), (1, 1, 1))],
            "inverse": inverse(table),
        }
    )
# uniform injections of k entities into a pool of m values: every tuple of distinct values has this probability
injections = [
    {"entities": k, "pool": m, "probability_of_a_tuple": 1 / math.perm(m, k)} for k, m in ((1, 5), (2, 5), (3, 7))
]
print(
    json.dumps(
        {
            "words": WORDS,
            "base": BASE,
            "nearest": NEAREST,
            "bigram": BIGRAM,
            "start": START,
            "cases": cases,
            "injections": injections,
        },
        indent=1,
    )
)
