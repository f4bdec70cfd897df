"""Texts from clipped logits: exact laws of whole outputs over ten tokens, draws against them, and bad input."""

import math
import pickle
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.helpers.writing_models import NAMES, folder_of, libraries, saved

import textveil as tv
from textveil.catalog import mechanism
from textveil.errors import InputError, ModelError, ParameterError
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ANY_DOCUMENT
from textveil.randomness import seeded_generator
from textveil_lab.mechanisms.generation.dp_prompt import TokenWeights, token_weights
from textveil_lab.mechanisms.generation.prompted import PromptedWriting, write
from textveil_lab.models.next_tokens import NextTokens, next_tokens

KINDS = ("gpt2", "t5", "bart")
ALPHA = 1e-6
TEXTS = ("maria run rome", "cats sit", "dogs", "", "rome " * 9)


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    libraries()


def made(kind: str = "gpt2", **options) -> PromptedWriting:
    given = {"model": str(folder_of(kind)), "tokens": 2, "prompt": "<s> {text}", **options}
    if not given.keys() & {"epsilon", "epsilon_per_token", "temperature"}:
        given["epsilon"] = 3.0
    found = mechanism("dp-prompt", **given)
    assert isinstance(found, PromptedWriting)
    return found


def law(one: PromptedWriting, text: str) -> dict[tuple[int, ...], float]:
    """The probability of every sequence of tokens, up to its end token, from the integers that are drawn."""
    ends, found = one.model.ends, {}

    def follow(past: tuple[int, ...], probability: float) -> None:
        if len(past) == one.tokens or (past and past[-1] in ends):
            found[past] = probability
            return
        (row,) = one.integer_weights_after(np.array(past, dtype=np.int64), [text])
        for token, weight in enumerate(row.tolist()):
            follow((*past, token), probability * weight / int(row.sum()))

    follow((), 1.0)
    return found


def worst(one: PromptedWriting, texts=TEXTS) -> float:
    laws = [law(one, text) for text in texts]
    return max(
        math.log(first[output] / second[output]) for first, second in product(laws, repeat=2) for output in first
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_law_of_whole_outputs_is_within_the_guarantee_and_comes_near_it(kind: str) -> None:
    one = made(kind, min_logit=-0.02, max_logit=0.02)
    assert one.guarantee == PureDP(
        epsilon=3.0, status=Status.PROVED, source="textveil_lab/proofs/clipped_sampling.md", adjacency=ANY_DOCUMENT
    )
    for text in TEXTS:
        assert sum(law(one, text).values()) == pytest.approx(1.0)
    found = worst(one)
    assert 0.3 < found <= 3.0
    # The mutant: logits that are not clipped, at the same temperature.
    logits = one.model.read(one.prompts(TEXTS)).logits
    least, most = float(logits.min()), float(logits.max())
    weights = token_weights(size=10, min_logit=least, max_logit=most, temperature=one.weights.temperature)
    unclipped = PromptedWriting(
        "mutant", one.model, weights, one.prompt, one.tokens, one.long_texts, one.guarantee, one.parameters
    )
    assert worst(unclipped) > 3.0


@pytest.mark.parametrize("size", [2, 10, 50_257])
@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 8.0, 500.0])
def test_weights_stay_between_two_integers_whatever_the_logits_are(size: int, epsilon: float) -> None:
    weights = token_weights(size=size, min_logit=-19.25, max_logit=7.5, epsilon=epsilon)
    assert weights.epsilon <= epsilon
    assert weights.temperature == 2 * 26.75 / epsilon
    logits = np.random.default_rng(1).normal(scale=40, size=(5, size))
    logits[0, 0], logits[1, :2], logits[2] = math.nan, (math.inf, -math.inf), 1e300
    rows = weights.rows(logits)
    assert rows.dtype == np.int64 and rows.min() >= weights.floor and rows.max() <= weights.top
    assert (rows.sum(axis=1) <= 2**61).all()
    inside = weights.rows(np.array([[-19.25, 7.5] + [0.0] * (size - 2)]))[0]
    if epsilon < 60:
        assert math.log(inside[1] / inside[0]) == pytest.approx(epsilon / 2, rel=1e-6)


def test_epsilon_its_share_and_the_temperature_say_the_same() -> None:
    whole = made(epsilon=4.0, tokens=3, min_logit=-2.0, max_logit=2.0)
    share = made(epsilon_per_token=4.0 / 3, tokens=3, min_logit=-2.0, max_logit=2.0)
    warm = made(temperature=6.0, tokens=3, min_logit=-2.0, max_logit=2.0)
    for one in (whole, share, warm):
        assert one.guarantee.approximate().epsilon == pytest.approx(4.0, rel=1e-9)
        assert one.weights.temperature == pytest.approx(6.0, rel=1e-9)
        assert one.weights.epsilon * 3 <= one.guarantee.approximate().epsilon
    assert made(epsilon=1e4).guarantee.approximate().epsilon < 170  # integers span no more: less is spent
    assert mechanism("dp-prompt", model=str(folder_of("gpt2")), tokens=2).guarantee.approximate().epsilon == 8.0


@pytest.mark.parametrize("kind", KINDS)
def test_draws_follow_the_law(kind: str) -> None:
    """A chi-square test of whole outputs at ALPHA; the law at half the temperature is told apart."""
    one = made(kind, epsilon=6.0, min_logit=-1.0, max_logit=1.0)
    text, count = "maria run rome", 4000
    prompts = one.prompts([text] * count)
    drawn = write(one.model, prompts, one.weights.rows, tokens=2, batch=4, rng=seeded_generator(11))

    def p_value(expected: dict[tuple[int, ...], float]) -> float:
        seen = dict.fromkeys(expected, 0)
        for output in drawn:
            seen[tuple(output)] += 1
        often = [output for output in expected if expected[output] * count >= 5]
        pairs = [(seen[output], expected[output] * count) for output in often]
        rest = (count - sum(one for one, _ in pairs), count - sum(many for _, many in pairs))
        table = np.array([*pairs, rest] if rest[1] > 5 else pairs)
        return float(stats.chisquare(table[:, 0], table[:, 1] * table[:, 0].sum() / table[:, 1].sum()).pvalue)

    assert p_value(law(one, text)) > ALPHA
    assert p_value(law(made(kind, epsilon=12.0, min_logit=-1.0, max_logit=1.0), text)) < ALPHA


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_read_before_is_what_would_be_read_again(kind: str) -> None:
    model = next_tokens(folder_of(kind))
    assert isinstance(model, NextTokens) and model.size == len(NAMES) and model.ends == {2}
    prompts = [model.encoded(text) for text in ("maria run rome sit", "cats")]
    together = model.read(prompts)
    alone = [model.read([one]) for one in prompts]
    np.testing.assert_allclose(together.logits, np.concatenate([one.logits for one in alone]), atol=1e-4)
    further = together.going_on(np.array([1, 0, 1]), np.array([4, 5, 6])).going_on(np.array([2, 0]), np.array([7, 8]))
    for row, (prompt, tokens) in enumerate([(1, (6, 7)), (1, (4, 8))]):
        again = model.read([prompts[prompt]])
        for token in tokens:
            again = again.going_on(np.array([0]), np.array([token]))
        np.testing.assert_allclose(further.logits[row], again.logits[0], atol=1e-4)
        assert np.abs(further.logits[row] - together.logits[prompt]).max() > 1e-3


def test_a_model_that_keeps_nothing_is_read_from_the_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    one = made("t5", min_logit=-1.0, max_logit=1.0)
    wanted = law(one, "maria")
    from textveil_lab.models import next_tokens as module

    read = module._read
    monkeypatch.setattr(module, "_read", lambda *given: _without_past(read(*given)))
    found = law(one, "maria")
    assert found == pytest.approx(wanted, rel=1e-4)


def _without_past(rows):
    from dataclasses import replace

    return replace(rows, past=None)


def test_every_output_is_fresh_and_stops_at_an_end_token() -> None:
    one = made(tokens=5, epsilon=1.0)
    drawn = write(one.model, one.prompts(["maria"] * 300), one.weights.rows, tokens=5, batch=2, rng=seeded_generator(2))
    assert len({tuple(output) for output in drawn}) > 200
    assert {len(output) for output in drawn} == {1, 2, 3, 4, 5}
    assert all(2 not in output[:-1] for output in drawn)
    texts = one.privatize_texts(["maria", "cats"] * 20)
    assert len(texts) == 40 and len(set(texts)) > 20
    assert not any("</s>" in text or "<pad>" in text for text in texts)


def test_a_pickled_one_has_the_same_law() -> None:
    one = made()
    again = pickle.loads(pickle.dumps(one))
    assert again.parameters == one.parameters and law(again, "dogs") == law(one, "dogs")


def test_a_text_that_is_too_long_is_refused_or_cut() -> None:
    refusing, cutting = made(tokens=8), made(tokens=8, long_texts="cut")
    assert refusing.model.room(8) == 20
    with pytest.raises(InputError, match=r"document 2 must have between 0 and 19 tokens.*tiny-gpt2.*'cut'") as caught:
        refusing.privatize_texts(["maria", "rome maria " * 10])
    assert "rome" not in str(caught.value) and "20 t" not in str(caught.value)
    (cut,) = cutting.prompts(["rome maria " * 10])
    assert len(cut) == 20
    assert cut == refusing.prompts(["rome maria " * 9 + "rome"])[0]
    with pytest.raises(InputError, match="document 1 must be a str; got int"):
        refusing.privatize_texts([3])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokens": 40}, "tokens must be between 1 and 26, what tiny-gpt2 has room for; got 40"),
        ({"tokens": 0}, "tokens must be an integer >= 1; got 0"),
        ({"prompt": "none"}, "prompt must be a text with one {text} in it"),
        ({"min_logit": 3.0, "max_logit": 3.0}, "max_logit must be finite and above min_logit, 3; got 3"),
        ({"min_logit": math.inf}, "min_logit must be finite; got inf"),
        ({"epsilon": -1.0}, "epsilon must be finite and > 0; got -1"),
        ({"epsilon": 1.0, "temperature": 1.0}, "exactly one of `epsilon` or `epsilon_per_token` or `temperature`"),
        ({"temperature": math.nan}, "temperature must be finite and > 0; got nan"),
        ({"model": "nowhere"}, "model must be the folder of a model; got nowhere. Check its path."),
        ({"long_texts": "keep"}, "long_texts must be refuse or cut; got 'keep'"),
        ({"device": "tape"}, "device must be a device of torch; got tape"),
    ],
)
def test_bad_input_is_told_with_what_is_admissible(options, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        made(**options)
    assert message in str(caught.value)


def test_a_folder_without_a_tokenizer_or_with_broken_weights_is_refused(tmp_path: Path) -> None:
    bare = saved(tmp_path / "bare", "gpt2", with_tokenizer=False)
    with pytest.raises(ModelError, match=r"bare must hold .* with its tokenizer.*; got no tokenizer. Copy its files"):
        made(model=str(bare))
    broken = saved(tmp_path / "broken", "t5", scale=math.nan)
    with pytest.raises(ModelError, match="broken must give finite numbers"):
        made(model=str(broken))
    with pytest.raises(ParameterError, match="`model` must be given for dp-prompt: the folder of a model; got none"):
        mechanism("dp-prompt")


def test_paraphrases_share_the_law_and_take_causal_models_alone(tmp_path: Path) -> None:
    asked = {"epsilon": 3.0, "tokens": 2, "min_logit": -1.0, "max_logit": 1.0}
    one = mechanism("dp-paraphrase", model=str(folder_of("gpt2")), **asked)
    assert isinstance(one, PromptedWriting)
    assert one.parameters["prompt"] == "{text} >>>>> "
    other = made(prompt="{text} >>>>> ", **asked)
    assert (one.guarantee, law(one, "maria")) == (other.guarantee, law(other, "maria"))
    for kind in ("t5", "bart"):
        with pytest.raises(ModelError, match=f"tiny-{kind} must hold a causal language model; got an encoder-decoder"):
            mechanism("dp-paraphrase", model=str(folder_of(kind)), **asked)


def test_the_weights_cannot_be_made_too_large() -> None:
    with pytest.raises(ParameterError, match="floor must be between 1"):
        TokenWeights(size=4, min_logit=0, max_logit=1, temperature=1, top=8, floor=9)
    with pytest.raises(ParameterError, match="top must be at most"):
        TokenWeights(size=4, min_logit=0, max_logit=1, temperature=1, top=1 << 60, floor=1)


def test_a_report_speaks_of_the_model_and_counts_no_unknown_words() -> None:
    """No word is looked up, so "0 words were not in the vocabulary" would say that all were found."""
    release = tv.Sanitizer(made(prompt="say\n{text}"), rng=seeded_generator(1))("xqzvbnm run")
    assert "the model and everything computed from it" in release.setting.public
    summary = release.report().summary()
    assert "public      the model; number and order of documents" in summary and "prompt say\\n{text}" in summary
    assert release.sender_report().lines() == []
