"""The auto-encoder's parts against slow and plain ones."""

from dataclasses import replace

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ModelError, ParameterError, TextveilError
from textveil.types import Ids
from textveil_lab.models.autoencoder import files
from textveil_lab.models.autoencoder import network as softmax
from textveil_lab.models.autoencoder.network import (
    Autoencoder,
    AutoencoderSettings,
    cross_entropies,
    mean_cross_entropy,
    new_autoencoder,
)
from textveil_lab.models.autoencoder.training import Views, batches, mean_loss

torch = pytest.importorskip("torch")

WORDS = 30
SETTINGS = AutoencoderSettings(hidden=7, code=5, dropout=0.0, batch=4, epochs=1)


def network() -> Autoencoder:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        return new_autoencoder(made_vocabulary(WORDS).vectors, SETTINGS)


def sentences(*lengths: int) -> list[Ids]:
    rng = np.random.default_rng(9)
    return [rng.integers(0, WORDS, size=length) for length in lengths]


def test_the_softmax_in_blocks_is_the_softmax(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(softmax._CELLS, "cpu", 1)  # 64 tokens at once
    generator = torch.Generator().manual_seed(1)
    states, weight, bias = (torch.randn(*shape, generator=generator) for shape in ((200, 6), (50, 6), (50,)))
    wanted = torch.randint(50, (200,), generator=generator)
    grads = []
    for ours in (True, False):
        parts = [one.clone().requires_grad_() for one in (states, weight, bias)]
        logits = parts[0] @ parts[1].t() + parts[2]
        plain = torch.nn.functional.cross_entropy(logits, wanted)
        loss = mean_cross_entropy(*parts, wanted) if ours else plain
        (3 * loss).backward()
        grads.append([loss.detach(), *(one.grad for one in parts)])
    for one, other in zip(*grads, strict=True):
        assert torch.allclose(one, other, rtol=1e-5, atol=1e-7)
    assert cross_entropies(states, weight, bias, wanted).mean().item() == pytest.approx(grads[1][0].item(), rel=1e-6)


def test_half_products_are_near_whole_ones() -> None:
    generator = torch.Generator().manual_seed(1)
    parts = [torch.randn(*shape, generator=generator) for shape in ((200, 6), (50, 6), (50,))]
    wanted = torch.randint(50, (200,), generator=generator)
    whole, halved = (mean_cross_entropy(*parts, wanted, halved=one).item() for one in (False, True))
    assert whole != halved
    assert halved == pytest.approx(whole, rel=0.01)


def test_padding_changes_nothing() -> None:
    made, given = network(), sentences(6, 4, 4, 1)
    together = made.encode(made.read(given))
    alone = torch.cat([made.encode(made.read([one])) for one in given])
    assert torch.allclose(together, alone, atol=1e-6)
    states = made.states(together, made.fed(given))
    losses = made.losses(states, made.wanted(given))
    apart = [
        made.losses(made.states(made.encode(made.read([one])), made.fed([one])), made.wanted([one])) for one in given
    ]
    assert len(losses) == sum(map(len, given)) + len(given)
    assert losses.sum().item() == pytest.approx(sum(one.sum().item() for one in apart), rel=1e-5)


def test_the_encoder_is_a_bidirectional_lstm() -> None:
    made, (given,) = network(), sentences(5)
    whole = torch.nn.LSTM(8, 7, bidirectional=True)
    for name, ending in (("onwards", ""), ("backwards", "_reverse")):
        for key, value in made.modules[name].state_dict().items():
            whole.state_dict()[key + ending].copy_(value)
    _, (states, _) = whole(made.modules["vectors"](torch.from_numpy(given))[:, None])
    expected = made.modules["to_code"](torch.cat([states[0], states[1]], dim=1))
    assert torch.allclose(made.encode(made.read([given])), expected, atol=1e-6)


def test_the_walk_is_the_decoder_fed_with_what_it_was_told() -> None:
    made, (given,) = network(), sentences(5)
    codes = made.encode(made.read([given]))
    at_once = made.modules["to_words"](made.states(codes, made.fed([given])))
    step_by_step = []
    for step, word in zip(made.walk(codes, 6), [*given.tolist(), 0], strict=True):
        step_by_step.append(step.logits[0])
        step.said = torch.tensor([word])
    assert torch.allclose(torch.stack(step_by_step), at_once, atol=1e-6)


def test_the_first_loss_is_that_of_no_knowledge() -> None:
    loss, tokens = mean_loss(network(), Views(*[sentences(6, 4, 3)] * 3), None)
    assert tokens == 16
    assert loss.item() == pytest.approx(np.log(WORDS + 1), rel=0.1)


def test_batches_hold_every_sentence_once_and_are_of_one_size() -> None:
    lengths = np.random.default_rng(1).integers(1, 9, size=103)
    parts = list(batches(lengths, 20, np.random.default_rng(2)))
    assert sorted(np.concatenate(parts).tolist()) == list(range(103))
    assert {len(one) for one in parts} == {17, 18}
    assert all((np.diff(lengths[one]) <= 0).all() for one in parts)


@pytest.mark.parametrize(
    ("name", "value"),
    [("hidden", 0), ("batch", 1.5), ("epochs", True), ("dropout", 1.0), ("learning_rate", 0.0), ("betas", (0.5, 1.0))],
)
def test_settings_are_checked(name: str, value: object) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be"):
        replace(SETTINGS, **{name: value})


def test_settings_survive_json() -> None:
    assert AutoencoderSettings.of_data(SETTINGS.to_data()) == SETTINGS
    with pytest.raises(ModelError, match="settings of a network"):
        AutoencoderSettings.of_data({**SETTINGS.to_data(), "depth": 2})


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5000, "{"], ids=["deep", "digits", "cut"])
def test_broken_facts_of_a_network_are_refused_in_one_line(tmp_path, text: str) -> None:
    (tmp_path / files.FACTS).write_text(text)
    with pytest.raises(TextveilError) as refused:
        files.read_facts(tmp_path)
    assert "\n" not in str(refused.value) and "[[" not in str(refused.value)
