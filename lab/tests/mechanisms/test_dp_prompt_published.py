"""DP-Prompt without clipping: refuted by an output that is computed, and not where logits stay in the range."""

import math

import numpy as np
import pytest
from tests.helpers.writing_models import folder_of, libraries

from textveil.catalog import mechanism
from textveil.errors import ParameterError, RefutedGuarantee
from textveil.privacy.guarantees import Status
from textveil.sanitize.sanitizer import Sanitizer
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.mechanisms.generation.prompted import PromptedWriting
from textveil_lab.mechanisms.published.dp_prompt import UnclippedWeights


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    libraries()


def made(kind: str = "gpt2", **options) -> PromptedWriting:
    given = {"model": str(folder_of(kind)), "tokens": 3, "prompt": "{text}", "epsilon": 3.0, **options}
    found = mechanism("dp-prompt-published", **given)
    assert isinstance(found, PromptedWriting)
    return found


def loss(one: PromptedWriting, first: str, second: str, output: list[int]) -> float:
    """By the rows of the two documents after each beginning of the output, each read from its beginning."""
    total = 0.0
    for place, token in enumerate(output):
        rows = one.integer_weights_after(np.array(output[:place], dtype=np.int64), [first, second])
        total += math.log(int(rows[0, token]) / int(rows[0].sum())) - math.log(int(rows[1, token]) / int(rows[1].sum()))
    return total


@pytest.mark.parametrize(("kind", "edge"), [("gpt2", 0.02), ("gpt2", 0.05)])
def test_the_witness_is_an_output_whose_loss_exceeds_the_claim(kind: str, edge: float) -> None:
    one = made(kind, min_logit=-edge, max_logit=edge)
    assert one.guarantee.status is Status.REFUTED and one.guarantee.approximate().epsilon == 3.0
    told = one.parameters
    computed = loss(one, *told["witness_texts"], told["witness_tokens"])
    assert computed == pytest.approx(told["witness_loss"], rel=1e-4)
    assert computed > 3.0
    # The same output costs the clipped form no more than it says.
    sound = mechanism(
        "dp-prompt",
        model=str(folder_of(kind)),
        tokens=3,
        prompt="{text}",
        epsilon=3.0,
        min_logit=-edge,
        max_logit=edge,
    )
    assert isinstance(sound, PromptedWriting)
    assert abs(loss(sound, *told["witness_texts"], told["witness_tokens"])) <= 3.0
    with pytest.raises(RefutedGuarantee, match="Use dp-prompt, the valid form"):
        Sanitizer(one)


CASES = [
    ("dp-prompt-published", 3.0, "refuted"),
    ("dp-prompt", 3.0, "not refuted"),
    ("dp-prompt", 150.0, "not refuted"),
]


@pytest.mark.parametrize(("name", "epsilon", "verdict"), CASES)
def test_audits_find_the_output_that_tells_most_without_a_draw(name: str, epsilon: float, verdict: str) -> None:
    """Also of a claim that no number of draws could refute."""
    options = {"model": str(folder_of("gpt2")), "tokens": 3, "prompt": "{text}", "min_logit": -0.05, "max_logit": 0.05}
    one = mechanism(name, epsilon=epsilon, **options)
    assert isinstance(one, PromptedWriting)
    report = audit_mechanism(one, seed=1)
    found = report.leading
    assert [finding.method for finding in report.findings] == ["exact outputs"]
    assert (found.verdict.value, found.samples) == (verdict, 0)
    told = found.witness
    assert told["loss"] == pytest.approx(loss(one, *told["pair"], told["tokens"]), rel=1e-4)
    assert (told["loss"] > epsilon) is (verdict == "refuted")


def test_audits_draw_as_well_where_draws_are_asked_for() -> None:
    report = audit_mechanism(made(min_logit=-0.05, max_logit=0.05), samples=2000, seed=1)
    assert [finding.method for finding in report.findings] == ["exact outputs", "sampled"]


def test_where_logits_stay_in_the_range_nothing_is_shown() -> None:
    one = made(min_logit=-60.0, max_logit=60.0)
    assert one.guarantee.status is Status.CLAIMED
    assert one.parameters["witness_loss"] <= 3.0


def test_the_weights_are_the_softmax_of_unclipped_logits() -> None:
    weights = UnclippedWeights(0.7, 1 << 50)
    logits = np.array([[3.0, -2.0, 0.5], [math.nan, 200.0, 199.0]])
    rows = weights.rows(logits)
    wanted = np.exp((logits[0] - 3.0) / 0.7)
    np.testing.assert_allclose(rows[0] / rows[0].sum(), wanted / wanted.sum(), rtol=1e-9)
    assert rows[1, 0] == 1 and rows[1, 1] == 1 << 50


def test_bad_input_is_told_with_what_is_admissible() -> None:
    with pytest.raises(ParameterError, match="epsilon must be finite and > 0; got 0"):
        made(epsilon=0.0)
    with pytest.raises(ParameterError, match="tokens must be between 1 and 26, what tiny-gpt2 has room for; got 30"):
        made(tokens=30)
