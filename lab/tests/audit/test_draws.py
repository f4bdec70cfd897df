"""Draws beside what is stated of them: a contradiction leads, dependent draws give no verdict, distances are told."""

import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom
from tests.helpers.catalog import CATALOG, as_listed, usual
from tests.helpers.vocabularies import made_vocabulary

import textveil as tv
from textveil.errors import UnsupportedGuarantee
from textveil.mechanisms.kinds import IntegerWeights
from textveil.privacy.guarantees import Guarantee, MetricDP, PureDP
from textveil.types import Ids, Integers, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.channels.rows import IntegerRows
from textveil_lab.audit.report.page import to_html
from textveil_lab.audit.report.report import Claim, Subject, Verdict
from textveil_lab.audit.sampled.dependence import depends
from textveil_lab.audit.sampled.stated import check_rows
from textveil_lab.audit.whole_audit import audit_callable, audit_mechanism
from textveil_lab.mechanisms.capabilities import NearestSearch, OnWordDistances

WORDS = made_vocabulary(40)


class Stated:
    """A channel that states one thing; ``draw`` is what it does."""

    name, parameters = "stated", {}

    def __init__(self, table: Integers, draw: Any, guarantee: Guarantee, vocabulary: Vocabulary = WORDS) -> None:
        self.table, self.draw, self.guarantee, self.vocabulary = table, draw, guarantee, vocabulary

    def integer_weights(self, ids: Ids) -> Integers:
        return self.table[ids]

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        return self.draw(self.table, ids, rng)


def honest(table: Integers, ids: Ids, rng: Any) -> Ids:
    sums = np.cumsum(table, axis=1)
    drawn = rng.integers(0, sums[ids, -1])
    return (drawn[:, None] >= sums[ids]).sum(axis=1)


def unchanged(table: Integers, ids: Ids, rng: Any) -> Ids:
    return ids


def sometimes(share: float) -> Any:
    def draw(table: Integers, ids: Ids, rng: Any) -> Ids:
        return np.where(rng.random(len(ids)) < share, ids, honest(table, ids, rng))

    return draw


ONES = np.ones((40, 40), dtype=np.int64)


def test_an_identity_beside_rows_of_ones_is_contradicted() -> None:
    report = audit_mechanism(Stated(ONES, unchanged, PureDP(epsilon=1.0)), seed=1, attacks=False)
    assert report.verdict is Verdict.CONTRADICTED
    assert report.leading.method == "draws against rows"
    assert "does not draw as it states" in report.sentence()
    assert "contradicted" in report.summary() and "contradicted" in to_html(report)
    data = json.loads(report.to_json())
    assert (data["verdict"], data["draws"]["passed"]) == ("contradicted", False)
    sampled = next(one for one in report.findings if one.method == "sampled")
    assert sampled.verdict is Verdict.REFUTED  # and the claim is put to the test by draws, unasked


@pytest.mark.parametrize(
    ("weight", "draw"),
    [
        (1, sometimes(0.1)),  # a tenth more than stated, of many words
        (39, unchanged),  # the word itself half of the time
        (39 * 19, unchanged),  # 95 % of the time
        (1, lambda table, ids, rng: np.where(ids < 20, ids, honest(table, ids, rng))),  # half of the words
        (1, lambda table, ids, rng: honest(table, ids, rng) // 2),  # half of the outputs
        (1, lambda table, ids, rng: np.full(len(ids), 7)),  # one output
        (1, lambda table, ids, rng: np.full(len(ids), 40)),  # no word
    ],
)
def test_draws_that_are_not_as_stated_are_found(weight: int, draw: Any) -> None:
    table = ONES + np.diag([weight - 1] * 40)
    report = audit_mechanism(Stated(table, draw, PureDP(epsilon=9.0)), seed=2, attacks=False)
    assert report.verdict is Verdict.CONTRADICTED


@pytest.mark.parametrize("size", [300, 2000])
@pytest.mark.parametrize("itself", [True, False])
def test_a_backdoor_of_one_word_is_seen(size: int, itself: bool) -> None:
    """Missed with probability 0.01 at most by what a check states of itself; here below 1e-6, as all draws are one."""
    table = np.ones((size, size), dtype=np.int64)
    words = made_vocabulary(size)
    for seed in range(10):
        chosen = int(np.random.default_rng(seed).integers(size))
        shown = chosen if itself else (chosen + 7) % size

        rng = np.random.default_rng(seed)

        def draw(ids: Ids, chosen: int = chosen, shown: int = shown, rng: Any = rng) -> Ids:
            return np.where(ids == chosen, shown, rng.integers(0, size, len(ids)))

        check = check_rows(
            draw,
            IntegerRows((size, size), lambda ids: table[ids]),
            words.words,
            np.random.default_rng(100 + seed),
        )
        assert check.passed is False
        assert check.witness["input"] == words.words[chosen] and check.witness["output"] == words.words[shown]


def test_a_check_sees_the_share_that_it_states() -> None:
    """The stated share of one output of one word is seen with power 0.99: below 36 of 40 times has chance 1e-4."""
    size, seen = 300, 0
    table = np.ones((size, size), dtype=np.int64)
    rows = IntegerRows((size, size), lambda ids: table[ids])
    honest_check = check_rows(
        lambda ids: np.random.default_rng(1).integers(0, size, len(ids)),
        rows,
        made_vocabulary(size).words,
        np.random.default_rng(3),
    )
    share = honest_check.seen
    assert honest_check.passed is True and honest_check.words == size and share is not None and 0.2 < share < 0.9
    for seed in range(40):
        rng = np.random.default_rng(seed)

        def draw(ids: Ids, rng: Any = rng) -> Ids:
            drawn = rng.integers(0, size, len(ids))
            return np.where((ids == 11) & (rng.random(len(ids)) < share), 5, drawn)

        seen += check_rows(draw, rows, made_vocabulary(size).words, rng).passed is False
    assert seen >= 36


def test_an_output_that_is_stated_to_be_impossible_is_enough() -> None:
    table = ONES.copy()
    table[:, 5] = 0
    draw = lambda _, ids, rng: honest(ONES, ids, rng)  # noqa: E731
    report = audit_mechanism(Stated(table, draw, PureDP(epsilon=1.0)), seed=1, attacks=False)
    assert report.verdict is Verdict.CONTRADICTED


def test_honest_draws_are_accused_no_more_often_than_stated(rng) -> None:
    """By Markov the evidence exceeds 1 / alpha with probability alpha: here at alpha 1e-2, over 400 rows."""
    table = np.round(1e6 / np.arange(1, 41) ** 2).astype(np.int64)[None].repeat(40, axis=0)
    from textveil_lab.audit.sampled import stated

    p = table[0] / table[0].sum()
    accused = 0
    for _ in range(400):
        outputs, counts = np.unique(rng.choice(40, 100, p=p), return_counts=True)
        accused += stated._mean(stated._log_factors(counts, p[outputs])) > math.log(100)
    assert accused <= int(binom.isf(1e-6, 400, 0.01))
    rows = IntegerRows((40, 40), lambda ids: table[ids])
    check = check_rows(lambda ids: honest(table, ids, rng), rows, WORDS.words, rng)
    assert check.passed is True


NOISE = ["gaussian", "laplace", "cmp", "vickrey", "brr"]


@pytest.mark.parametrize("name", NOISE)
def test_noise_that_is_stated_and_not_drawn_is_contradicted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tv.mechanism(name, WORDS, epsilon=1.0)
    assert audit_mechanism(made, seed=1, attacks=False).verdict is Verdict.PROVED
    monkeypatch.setattr(type(made), "privatize", lambda self, ids, rng=None: np.asarray(ids))
    report = audit_mechanism(made, seed=1, attacks=False)
    assert report.verdict is Verdict.CONTRADICTED
    assert report.subject is Subject.WORD_CHANNEL


def test_less_noise_than_stated_is_found_where_the_profile_allows_everything() -> None:
    """At epsilon 60 the noisy vectors of any two words may be told apart; the words are still far from their own."""
    made = tv.mechanism("gaussian", made_vocabulary(40, 24), epsilon=60.0)
    assert audit_mechanism(made, seed=1, attacks=False).draws["passed"] is True

    class Small:
        def __init__(self, noise: Any) -> None:
            self.noise, self.dim = noise, noise.dim

        def sample(self, *given: Any) -> Reals:
            return self.noise.sample(*given) / 4

    quiet = replace(made, distribution=Small(made.distribution))

    class Quiet:
        def __init__(self) -> None:
            for key in set(made.__slots__) - {"__weakref__"}:
                setattr(self, key, getattr(made, key))

        def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
            return quiet.privatize(ids, rng)

    report = audit_mechanism(Quiet(), seed=1, attacks=False)
    assert (report.verdict, report.leading.method) == (Verdict.CONTRADICTED, "draws against noise")


@pytest.mark.parametrize("name", ["text-to-vectors", "subset-selection"])
def test_releases_that_are_not_as_stated_are_contradicted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tv.mechanism(name, WORDS, epsilon=1.0)
    sets = hasattr(made, "privatize_sets")
    members = made.privatize_sets(np.array([0])).shape[1] if sets else 0
    fixed = (
        (lambda self, ids, rng=None: np.sort((np.asarray(ids)[:, None] + np.arange(members)) % 40, axis=1))
        if sets
        else (lambda self, vectors, rng=None: np.asarray(vectors, dtype=np.float64))
    )
    assert audit_mechanism(made, seed=1).verdict is not Verdict.CONTRADICTED
    monkeypatch.setattr(type(made), "privatize_sets" if sets else "privatize_vectors", fixed)
    assert audit_mechanism(made, seed=1).verdict is Verdict.CONTRADICTED


@pytest.mark.slow
def test_a_sequence_that_is_not_drawn_by_its_weights_is_contradicted(monkeypatch: pytest.MonkeyPatch) -> None:
    made = tv.mechanism("consistent-neighborhood", WORDS, epsilon=4.0, neighborhood_size=3)
    monkeypatch.setattr(type(made), "privatize_documents", lambda self, ids, bounds, rng=None: np.asarray(ids))
    assert audit_mechanism(made, seed=1).verdict is Verdict.CONTRADICTED


# Per distance.

NEAR = Vocabulary(["a", "b", "c"], np.array([[0.0], [0.01], [9.0]], dtype=np.float32), "line")


def test_a_claim_per_distance_that_fails_for_near_words_is_not_called_certified_alone() -> None:
    table = np.array([[18, 1, 1], [1, 18, 1], [9, 9, 2]])  # ln 18 = 2.89 at distance .01
    promise = MetricDP(epsilon_per_distance=1.0, metric="euclidean", diameter=9.0)
    report = audit_mechanism(Stated(table, honest, promise, NEAR), seed=1, attacks=False)
    assert report.verdict is Verdict.CERTIFIED  # at the diameter
    assert report.per_distance == "not tested"
    assert "per distance: not tested" in report.summary().splitlines()[0]
    assert report.sentence().endswith("Per distance: not tested.")
    assert json.loads(report.to_json())["per_distance"] == "not tested"

    class Measured(Stated):
        def word_distances(self, ids: Ids) -> Reals:
            return np.abs(NEAR.vectors[ids] - NEAR.vectors[:, 0]).astype(np.float64)

    told = audit_mechanism(Measured(table, honest, promise, NEAR), seed=1, attacks=False)
    assert told.verdict is Verdict.REFUTED
    assert told.leading.witness["log_ratio"] == pytest.approx(math.log(18))


def test_a_near_pair_is_found_among_many_words(rng) -> None:
    """Evenly spaced words are far apart: each is compared with the one nearest to it."""
    size = 1000
    vectors = np.arange(size, dtype=np.float32)[:, None] // 2 + 0.01 * (np.arange(size)[:, None] % 2)
    words = Vocabulary([f"w{one}" for one in range(size)], vectors.astype(np.float32), "pairs")
    table = np.full((size, size), 1) + np.diag([17] * size)

    class Measured(Stated):
        def word_distances(self, ids: Ids) -> Reals:
            return np.abs(vectors[ids] - vectors[:, 0]).astype(np.float64)

    promise = MetricDP(epsilon_per_distance=3.0, metric="euclidean", diameter=500.0)
    report = audit_mechanism(Measured(table, honest, promise, words), seed=1, attacks=False)
    assert report.verdict is Verdict.REFUTED
    assert report.leading.method == "exact channel per distance"


def per_distance(name: str) -> dict[str, Any]:
    """Options with which a mechanism promises something per distance."""
    entry, listed = CATALOG[name], as_listed(name)
    either = entry.family == "channel" and {"epsilon", "epsilon_per_distance"} <= entry.options().keys()
    return {**listed, "epsilon": None, "epsilon_per_distance": 0.5} if either else listed


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, entry in CATALOG.items() if entry.words_alone])
def test_the_catalogs_promises_per_distance_state_their_distances(tiny, name: str) -> None:
    options = {key: value for key, value in per_distance(name).items() if value is not None}
    made = tv.mechanism(name, tiny, **options)
    if isinstance(made, NearestSearch) and not made.projection.exact:
        return  # no audit knows its distribution
    if not isinstance(made.guarantee, MetricDP):
        if hasattr(made, "distances") and made.distances is None:
            with pytest.raises(UnsupportedGuarantee, match="distance"):
                made.word_distances(np.array([0]))
        return
    assert isinstance(made, OnWordDistances)
    size = len(made.vocabulary)
    far = made.word_distances(np.arange(size))
    assert far.shape == (size, size)
    np.testing.assert_allclose(far, far.T, rtol=1e-6, atol=1e-9)
    assert np.abs(np.diag(far)).max() <= 1e-9
    assert 0 < far.max() <= made.guarantee.diameter * (1 + 1e-6)
    report = audit_mechanism(made, seed=1, attacks=False)
    assert report.per_distance is not None and report.per_distance != "not tested"
    if isinstance(made, IntegerWeights) and report.verdict is Verdict.CERTIFIED:
        assert report.per_distance.startswith("certified")


# Draws that depend on each other.

FOREIGN = """
import random

KNOWN, COUNT = {}, [0]

def remembered(words):
    return [KNOWN.setdefault(word, str(random.randrange(1000))) for word in words]

def same(words):
    COUNT[0] += 1
    return [str(random.Random(COUNT[0] // 40).randrange(1000)) for _ in words]

def fresh(words):
    return [str(random.randrange(3)) for _ in words]

random_of_a_seed = random.Random(7)

def seeded(words):
    return [str(random_of_a_seed.randrange(3)) for _ in words]

def identity(words):
    return list(words)
"""


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "foreign_draws.py").write_text(FOREIGN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "foreign_draws", raising=False)
    return "foreign_draws"


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("remembered", Verdict.NO_VERDICT),
        ("same", Verdict.NO_VERDICT),
        ("fresh", Verdict.NOT_REFUTED),
        ("seeded", Verdict.NOT_REFUTED),  # repeats in every process; draws of one are as good as independent
        ("identity", Verdict.REFUTED),
    ],
)
def test_foreign_code_that_remembers_is_not_accused(foreign: str, name: str, verdict: Verdict) -> None:
    report = audit_callable(f"{foreign}:{name}", Claim(epsilon=1.0), words=["red", "blue"], samples=600, hygiene=False)
    assert report.verdict is verdict
    if verdict is Verdict.NO_VERDICT:
        assert "outputs of one process depend on each other" in report.sentence()
        assert "no verdict" in to_html(report)


class Remembering:
    """Every word gets one uniform output for good; ``table`` states that, where it is given."""

    name, parameters, vocabulary = "remembering", {}, WORDS
    guarantee = PureDP(epsilon=1.0)

    def __init__(self) -> None:
        self.known: dict[int, int] = {}

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        assert rng is not None
        return np.array([self.known.setdefault(int(one), int(rng.integers(0, 40))) for one in ids])


class RememberingRows(Remembering):
    def integer_weights(self, ids: Ids) -> Integers:
        return ONES[ids]


@pytest.mark.parametrize("kind", [Remembering, RememberingRows])
def test_a_mechanism_that_remembers_is_not_accused(kind: Any) -> None:
    report = audit_mechanism(kind(), seed=1, attacks=False)
    assert report.verdict is Verdict.NO_VERDICT
    assert not any(one.verdict.fails for one in report.findings)


def test_independent_draws_are_called_dependent_no_more_often_than_stated(rng) -> None:
    """At alpha 1e-6 for each of 200 runs one alarm has probability 2e-4; none may come at this seed."""
    from contextlib import contextmanager

    @contextmanager
    def start():
        yield lambda word, count: rng.integers(0, 3, count)

    assert not any(depends(start, [0, 1, 2]) for _ in range(200))


def test_usual_options_stay(tiny) -> None:
    report = audit_mechanism(tv.mechanism("exponential", tiny, **usual("exponential")), seed=1, attacks=False)
    assert (report.verdict, report.per_distance) == (Verdict.CERTIFIED, None)


def test_channels_that_state_one_thing_and_draw_another_are_not_believed(script) -> None:
    statements = script("attacks/statements")
    assert statements.believed("every draw", 3, 60, 5) == 0
    assert statements.believed("a tenth of the words", 3, 60, 5) == 0
    assert statements.believed("none (honest)", 3, 60, 5) == 3
