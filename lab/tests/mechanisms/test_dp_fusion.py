"""DP-Fusion: exact laws of whole outputs for two values of the spans, draws against them, and what its paper bounds."""

import math
import pickle
from itertools import product

import numpy as np
import pytest
from scipy import optimize, stats
from tests.helpers.writing_models import folder_of, libraries

from textveil.catalog import mechanism
from textveil.errors import InputError, ParameterError
from textveil.privacy.units import Unit
from textveil.randomness import seeded_generator
from textveil.sanitize.sanitizer import Sanitizer
from textveil_lab.audit.report.report import Subject, Verdict
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.mechanisms.adjacencies import ONE_GROUP
from textveil_lab.mechanisms.generation.dp_fusion import FusedWriting, MarkedSpans, TaggedText, tagged
from textveil_lab.mechanisms.generation.fusion_weights import FusionWeights, softmax

ALPHA = 1e-6
VALUES = ("maria", "cats dogs", "rome rome rome", "")
OUTSIDE = "run {} sit"


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    libraries()


def made(kind: str = "gpt2", **options) -> FusedWriting:
    given = {"model": str(folder_of(kind)), "tokens": 2, "prompt": "{text}", "spans": "marked", **options}
    if "epsilon_per_token" not in given:
        given.setdefault("epsilon", 2.0)
    found = mechanism("dp-fusion", **given)
    assert isinstance(found, FusedWriting)
    return found


def law(one: FusedWriting, text: str) -> dict[tuple[int, ...], float]:
    """The probability of every sequence of tokens, up to its end token, from the integers that are drawn."""
    found: dict[tuple[int, ...], float] = {}

    def follow(past: tuple[int, ...], probability: float) -> None:
        if len(past) == one.tokens or (past and past[-1] in one.model.ends):
            found[past] = probability
            return
        (row,) = one.integer_weights_after(np.array(past, dtype=np.int64), [text])
        for token, weight in enumerate(row.tolist()):
            follow((*past, token), probability * weight / int(row.sum()))

    follow((), 1.0)
    return found


def worst(laws: list[dict[tuple[int, ...], float]]) -> float:
    return max(math.log(one[output] / other[output]) for one, other in product(laws, repeat=2) for output in one)


@pytest.mark.parametrize("blend", ["tokenwise", "mixture"])
@pytest.mark.parametrize("kind", ["gpt2", "t5"])
def test_the_law_of_whole_outputs_is_within_the_guarantee(kind: str, blend: str) -> None:
    one = made(kind, blend=blend)
    assert one.guarantee.approximate().epsilon == 2.0
    assert (one.guarantee.adjacency, one.guarantee.unit) == (ONE_GROUP, Unit.GROUP)
    laws = [law(one, OUTSIDE.format(f"[[{value}]]")) for value in VALUES if value]
    assert all(sum(found.values()) == pytest.approx(1.0) for found in laws)
    assert (0.05 if blend == "tokenwise" else 0.0) <= worst(laws) <= 2.0  # rare tokens leave a mixture no share
    if kind == "gpt2" and blend == "tokenwise":  # the mutant: bounds that are not kept
        loose = made(kind, epsilon=40.0)
        assert worst([law(loose, OUTSIDE.format(f"[[{value}]]")) for value in VALUES if value]) > 2.0


def random_logits(size: int, groups: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(scale=6, size=(1 + groups, size))


@pytest.mark.parametrize("blend", ["tokenwise", "mixture"])
@pytest.mark.parametrize("beta", [1e-3, 0.4, 3.0, 200.0])
@pytest.mark.parametrize("groups", [1, 2, 5])
def test_weights_keep_to_the_public_ones_for_all_groups_and_for_one(blend, beta: float, groups: int) -> None:
    weights = FusionWeights(beta=beta, blend=blend)
    for size in (2, 9, 300):
        logits = random_logits(size, groups, size)
        logits[1, 0] = math.inf if size == 9 else logits[1, 0]
        public, row = weights.row(logits[:1]), weights.row(logits)
        assert row.sum() == groups * public.sum()
        assert (row >= 1).all()
        assert (np.abs(np.log(row / (groups * public))) <= beta + 1e-12).all()
        other = logits.copy()
        other[1] = random_logits(size, 1, size + 7)[1]
        loss = np.abs(np.log(row / weights.row(other))).max()
        bound = math.log((groups - 1 + math.exp(min(2 * beta, 500))) / groups)
        assert loss <= bound + 1e-12
        if beta == 0.4 and blend == "tokenwise" and groups == 2 and size == 300:
            assert loss > 0.8 * bound  # the bound of one group is nearly reached, and is below that of all
            assert bound < 2 * beta


def test_a_wide_bound_gives_the_private_distribution_and_a_narrow_one_the_public() -> None:
    logits = random_logits(50, 1, 3) / 6
    for blend in ("tokenwise", "mixture"):
        wide = FusionWeights(beta=30.0, blend=blend).row(logits)
        np.testing.assert_allclose(wide / wide.sum(), softmax(logits[1]), atol=1e-9)
        narrow = FusionWeights(beta=1e-9, blend=blend).row(logits)
        np.testing.assert_allclose(narrow / narrow.sum(), softmax(logits[0]), rtol=1e-6)
    near, far = (FusionWeights(beta=0.5, blend=blend).row(logits) for blend in ("tokenwise", "mixture"))
    wanted = softmax(logits[1])
    assert np.abs(near / near.sum() - wanted).sum() < np.abs(far / far.sum() - wanted).sum()


@pytest.mark.slow
def test_draws_follow_the_law() -> None:
    """A chi-square test of whole outputs at ALPHA; the law of another value is told apart."""
    one, text, count = made(epsilon=12.0, groups="kinds"), "run [[maria]] sit", 1200
    drawn = one.privatize_texts([text] * count, seeded_generator(4))
    tokens = [tuple(one.model.encoded(output))[:2] for output in drawn]

    def p_value(expected: dict[tuple[int, ...], float]) -> float:
        shown: dict[tuple[int, ...], float] = {}
        for output, probability in expected.items():  # as text: marks of the model are left out
            key = tuple(one.model.encoded(one.model.decoded(output)))[:2]
            shown[key] = shown.get(key, 0.0) + probability
        often = [key for key, probability in shown.items() if probability * count >= 5]
        seen = np.array([tokens.count(key) for key in often])
        wanted = np.array([shown[key] * count for key in often])
        return float(stats.chisquare(seen, wanted * seen.sum() / wanted.sum()).pvalue)

    assert p_value(law(one, text)) > ALPHA
    assert p_value(law(one, "run [[cats dogs]] sit")) < ALPHA
    assert len(set(drawn)) > 10


def test_readings_hide_all_spans_or_those_of_other_groups() -> None:
    text = "[[Maria]] saw [[Rome]]."
    assert tagged([text, "none"], MarkedSpans(), "_", by_kind=False) == [
        TaggedText("_ saw _.", ("Maria saw Rome.",)),
        TaggedText("none", ()),
    ]

    class ByLetter:
        name = "by letter"
        kinds = ("person", "place")

        def detect(self, texts):
            from textveil.detection.spans import DetectedSpan

            return [
                [DetectedSpan(0, 5, "person", 1.0, "x"), DetectedSpan(10, 14, "place", 1.0, "x")] if text else []
                for text in texts
            ]

    assert tagged(["Maria saw Rome.", ""], ByLetter(), "_", by_kind=True) == [
        TaggedText("_ saw _.", ("Maria saw _.", "_ saw Rome.")),
        TaggedText("", ()),
    ]


def test_a_text_without_spans_is_drawn_from_public_weights_alone() -> None:
    narrow, wide = made(epsilon=0.1), made(epsilon=20.0)
    assert law(narrow, "run sit") == law(wide, "run sit")


def test_a_release_says_that_the_text_outside_the_spans_is_public() -> None:
    one = made(epsilon=3.0)
    release = Sanitizer(one, rng=seeded_generator(1))("run [[maria]] sit")
    assert release.guarantee.approximate().epsilon == 3.0
    assert release.guarantee.unit is Unit.DOCUMENT and "same text outside them" in release.guarantee.adjacency.text
    report = release.report()
    assert any("outside the spans" in line for line in report.to_data()["public"])
    assert "public      all text outside the spans" in report.summary()
    assert report.to_data()["guarantee"]["by_kind"][0]["unit"] == "group of spans"
    again = pickle.loads(pickle.dumps(one))
    assert law(again, "run [[maria]]") == pytest.approx(law(one, "run [[maria]]"))


def test_whether_a_text_is_refused_does_not_depend_on_its_spans() -> None:
    one = made(tokens=4)
    long = "maria " * 40
    (cut,) = one.contexts([f"run [[{long}]] sit"])
    assert [len(context) for context in cut] == [3, one.model.room(4)]
    with pytest.raises(InputError, match=r"document 1 must have between 0 and 23 tokens"):
        one.privatize_texts([f"{long} [[rome]]"])


def test_detected_spans_are_those_of_the_embedded_detector() -> None:
    one = made(spans="detected", groups="kinds")
    ((public, *private),) = one.contexts(["maria lives in Rome, call 212-555-0142"])
    assert any(shown != public for shown in private)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"spans": "all"}, "spans must be detected or marked; got 'all'"),
        ({"groups": "many"}, "groups must be one or kinds"),
        ({"blend": "renyi"}, "blend must be tokenwise or mixture"),
        ({"placeholder": " "}, "placeholder must be a text that is not empty"),
        ({"epsilon": 0.0}, "epsilon must be finite and > 0; got 0"),
        ({"epsilon": 1.0, "epsilon_per_token": 1.0}, "exactly one of `epsilon` or `epsilon_per_token`"),
        ({"tokens": 40}, "tokens must be between 1 and 26, what tiny-gpt2 has room for; got 40"),
    ],
)
def test_bad_input_is_told_with_what_is_admissible(options, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        made(**options)
    assert message in str(caught.value)


def test_the_bound_of_the_paper_does_not_hold_for_two_values() -> None:
    """Two tokens: both private distributions are within the bound of one order, their ratio is far beyond the claim."""
    alpha, beta, delta, rare = 2.0, 0.5, 1e-5, 1e-6

    def divergence(first: np.ndarray, second: np.ndarray) -> float:
        return math.log(float((first**alpha * second ** (1 - alpha)).sum())) / (alpha - 1)

    public = np.array([rare, 1 - rare])

    def beyond(log_share: float) -> float:
        private = np.array([math.exp(log_share), -math.expm1(log_share)])
        return max(divergence(private, public), divergence(public, private)) - alpha * beta

    # A little inside the bound, so that the mixture's share is 1 without doubt.
    logs = optimize.brentq(beyond, math.log(rare), -1.0) - 1e-6, optimize.brentq(beyond, -40.0, math.log(rare)) + 1e-6
    first, second = (np.array([math.exp(log), -math.expm1(log)]) for log in logs)
    assert all(beyond(log) < 0 for log in logs)
    claimed = 4 * beta + math.log(1 / delta) / (alpha - 1)
    true_delta = float(np.maximum(first - math.exp(claimed) * second, 0).sum())
    assert claimed == pytest.approx(13.5129, rel=1e-4)
    assert true_delta == pytest.approx(1.3106e-3, rel=1e-3)
    assert true_delta > 130 * delta
    assert divergence(first, second) > 13.8 > 4 * beta
    # The same two distributions under the bound on ratios cost what is stated.
    weights = FusionWeights(beta=beta, blend="mixture")
    rows = [weights.row(np.log(np.array([public, one]))) for one in (first, second)]
    assert abs(math.log(rows[0][0] / rows[1][0])) <= 2 * beta


@pytest.mark.slow
@pytest.mark.parametrize("spans", ["marked", "detected"])
def test_audits_compare_texts_that_differ_in_spans_alone(spans: str) -> None:
    one = made(spans=spans, epsilon=1.0, groups="kinds")
    pairs = one.adjacent_texts(("maria", "cats", "rome"))
    for first, second in pairs:
        readings = tagged([first, second], one.detector, "_", by_kind=True)
        assert readings[0].public == readings[1].public and readings[0].private
    found = audit_mechanism(one, samples=200, seed=3)
    assert found.verdict is Verdict.NOT_REFUTED
    assert found.leading.subject is Subject.DOCUMENT_CHANNEL


@pytest.mark.parametrize("kind", ["gpt2", "t5"])
def test_what_the_model_says_without_the_spans_does_not_depend_on_them_to_the_last_bit(kind: str) -> None:
    one = made(kind, epsilon_per_token=1.0)
    texts = [OUTSIDE.format(f"[[{value}]]") for value in ("a", "b c d", "e f g h " * 4)]
    for past in ([], [3], [3, 5]):
        together = one.integer_weights_after(np.array(past, dtype=np.int64), texts)
        totals = {int(row.sum()) for row in together}
        assert len(totals) == 1  # of the public weights, whose rounding shows in their sum
        for text, row in zip(texts, together, strict=True):
            assert (one.integer_weights_after(np.array(past, dtype=np.int64), [text])[0] == row).all()


@pytest.mark.parametrize("blend", ["tokenwise", "mixture"])
@pytest.mark.parametrize("beta", [1e-9, 1.0, 700.0, 800.0, 2000.0])
def test_no_logits_however_extreme_make_a_token_impossible_or_break_the_bounds(beta: float, blend) -> None:
    """At beta above 745 e^-beta is 0 in floating point, and the private distribution may put nothing on a token."""
    weights, rng = FusionWeights(beta=beta, blend=blend), np.random.default_rng(5)
    spoiled = [np.nan, np.inf, -np.inf, 1e30, -1e30, 0.0]
    for _ in range(60):
        logits = rng.normal(size=(3, 7)) * 10.0 ** rng.integers(-2, 5)
        logits[rng.integers(0, 3, 4), rng.integers(0, 7, 4)] = rng.choice(spoiled, 4)
        row, public = weights.row(logits), weights.row(logits[:1])
        assert row.sum() == 2 * public.sum() and row.min() >= 2
        losses = np.log(row / (2 * public))
        assert np.abs(losses).max() <= beta * (1 + 1e-12)
