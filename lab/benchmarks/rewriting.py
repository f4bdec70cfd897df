"""What limits a training step of the auto-encoder: the step as it is, other ways to make it, and its parts.

    python lab/benchmarks/rewriting.py [--words 10000] [--batch 1024] [--length 10] [--threads 1] [--rounds 3]
        [--json FILE]

Times are processor seconds of all threads: with one thread other work on the machine moves them little; several threads
wait for each other, and waiting counts. The floor is the step's matrix products at the best rate of a plain
product of an LSTM's shape.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from speed.measure import machine
from torch import nn

from textveil.types import Ids
from textveil_lab.models.autoencoder.network import AutoencoderSettings, new_autoencoder
from textveil_lab.models.autoencoder.training import Views, adam, mean_loss

DIM = 300

_LSTMS = ("aten::mkldnn_rnn_layer", "aten::mkldnn_rnn_layer_backward")


def processor_seconds(work: Callable[[], object], rounds: int) -> float:
    """Median processor time of one call, all threads together, after one call that is not counted."""
    work()
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def sentences(batch: int, length: int, words: int) -> list[Ids]:
    """Sentences as a batch holds them: of one length or the next smaller one, longest first."""
    rng = np.random.default_rng(1)
    return [rng.integers(0, words, size=length - (row >= batch // 2)) for row in range(batch)]


def our_step(given: list[Ids], words: int, settings: AutoencoderSettings) -> Callable[[], object]:
    """A training step as ``train_rewriter`` makes it."""
    network = new_autoencoder(np.zeros((words, DIM), dtype=np.float32), settings)
    optimizer, views = adam(network), Views(given, given, given)
    network.modules.train()

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(mean_loss(network, views, None)[0])
        optimizer.step()

    return step


def plain_step(given: list[Ids], words: int, settings: AutoencoderSettings, *, packed: bool) -> Callable[[], object]:
    """The same network by torch's modules as one writes them: one bidirectional LSTM, logits of all tokens at once."""
    modules = nn.ModuleDict(
        {
            "vectors": nn.Embedding(words + 1, DIM),
            "encoder": nn.LSTM(DIM, settings.hidden, bidirectional=True),
            "to_code": nn.Linear(2 * settings.hidden, settings.code),
            "from_code": nn.Linear(settings.code, DIM),
            "decoder": nn.LSTM(DIM, settings.hidden),
            "to_words": nn.Linear(settings.hidden, words + 1),
        }
    )
    optimizer = torch.optim.Adam(modules.parameters(), lr=settings.learning_rate, betas=settings.betas)
    rows = [torch.from_numpy(one) for one in given]
    ends = torch.tensor([words])
    read, fed = nn.utils.rnn.pad_sequence(rows), nn.utils.rnn.pad_sequence([torch.cat([ends, one]) for one in rows])
    wanted = nn.utils.rnn.pad_sequence([torch.cat([one, ends]) for one in rows], padding_value=-100)
    lengths = torch.tensor([len(one) for one in rows])
    drop = nn.Dropout(settings.dropout)

    def run(module: nn.Module, vectors: torch.Tensor, sizes: torch.Tensor) -> tuple[Any, Any]:
        if not packed:
            return module(vectors)
        out, state = module(nn.utils.rnn.pack_padded_sequence(vectors, sizes))
        return nn.utils.rnn.pad_packed_sequence(out)[0], state

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        _, (state, _) = run(modules["encoder"], drop(modules["vectors"](read)), lengths)
        code = modules["to_code"](torch.cat([state[0], state[1]], dim=1))
        inputs = drop(modules["vectors"](fed)) + modules["from_code"](code)
        out, _ = run(modules["decoder"], inputs, lengths + 1)
        logits = modules["to_words"](drop(out))
        torch.autograd.backward(nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten()))
        optimizer.step()

    return step


def parts(step: Callable[[], object]) -> dict[str, float]:
    """Shares of a step's processor time."""
    step()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as found:
        step()
    rows = {one.key: one for one in found.key_averages()}
    total = sum(one.self_cpu_time_total for one in rows.values())
    lstm = sum(
        one.cpu_time_total
        for key, one in rows.items()
        if key in ("aten::mkldnn_rnn_layer", "aten::mkldnn_rnn_layer_backward")
    )
    softmax = rows["MeanCrossEntropy"].cpu_time_total if "MeanCrossEntropy" in rows else 0.0
    optimizer = sum(one.cpu_time_total for key, one in rows.items() if key.startswith("Optimizer.step"))
    return {
        "softmax over the words": softmax / total,
        "LSTMs": lstm / total,
        "Adam": optimizer / total,
        "all else": 1 - (softmax + lstm + optimizer) / total,
    }


def floor(given: list[Ids], words: int, settings: AutoencoderSettings) -> float:
    """Processor seconds of a step's matrix products at the rate of a plain one."""
    read = sum(map(len, given))
    fed = read + len(given)
    lstm = 4 * settings.hidden * (DIM + settings.hidden)
    products = 3 * 2 * (2 * read * lstm + fed * lstm + fed * settings.hidden * (words + 1))
    left, right = torch.randn(1024, DIM + settings.hidden), torch.randn(DIM + settings.hidden, 4 * settings.hidden)
    rate = 2 * left.numel() * right.shape[1] / min(processor_seconds(lambda: left @ right, 3) for _ in range(5))
    return products / rate


def main() -> None:
    """Measure, print, and write JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=10_000)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--length", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    settings = AutoencoderSettings(batch=options.batch)
    given = sentences(options.batch, options.length, options.words)
    tokens = sum(map(len, given)) + len(given)
    print(f"{options.words:,} words, {options.batch:,} sentences, {tokens:,} tokens, threads: {options.threads}")
    ways = {
        "packed sequences, whole softmax": plain_step(given, options.words, settings, packed=True),
        "padded sequences, whole softmax": plain_step(given, options.words, settings, packed=False),
        "as it is: two directions, softmax in blocks": our_step(given, options.words, settings),
        "as it is, bfloat16 products": our_step(given, options.words, replace(settings, precision="bfloat16")),
    }
    seconds = {}
    for name, step in ways.items():
        value = seconds[name] = processor_seconds(step, options.rounds)
        print(f"{value:8.2f} s a step, {tokens / value:9,.0f} tokens a processor second   {name}", flush=True)
    least = floor(given, options.words, settings)
    print(f"{least:8.2f} s                                                 floor: the products alone, float32")
    shares = parts(ways["as it is: two directions, softmax in blocks"])
    for name, value in shares.items():
        print(f"{value:8.0%}   {name}")
    if options.json:
        found = {"machine": machine(), "tokens": tokens, "seconds": seconds, "floor": least, "shares": shares}
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
