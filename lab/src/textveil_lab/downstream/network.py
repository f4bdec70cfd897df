"""Classifiers that are networks, trained as in the paper: Adam, dropout and a limit of epochs.

The paper does not state the network. Two are here: a bidirectional LSTM over the words' vectors, and a layer over their
sum, which learns the same in a hundredth of the time, so that a study without a GPU can repeat it often. A tenth of the
training documents is held out; training ends when their score stops improving for some epochs, and the best epoch is
kept.
"""

import math
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, Final

import numpy as np

from textveil.errors import ModelError, need
from textveil.randomness import seeded_generator
from textveil.types import Integers, Vectors
from textveil.vocabulary.grid import checked_device, load_torch
from textveil_lab.frontiers.downstream.accuracy import BatchNoise, DocumentClassifier, features_of, token_vectors
from textveil_lab.frontiers.downstream.tasks import LabelledPart
from textveil_lab.vocabulary.documents import Documents

_SET_ASIDE: Final = 0.1


class Reader(Enum):
    """How a network reads a document's words."""

    SUM = "sum"  # The sum of their vectors, over the root of their number
    LSTM = "lstm"  # One after the other, in both directions


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierSettings:
    """Training of a classifier: the paper's numbers, and defaults if it states none.

    Raises:
        ParameterError: a number is outside its domain.
    """

    reader: Reader = Reader.LSTM  # which network
    hidden: int = 128  # numbers of its hidden layer, or of its state in each direction, >= 1
    dropout: float = 0.2  # share of them that training leaves out, in [0, 1)
    learning_rate: float = 1e-4  # of Adam, > 0
    batch: int = 256  # documents of a step, >= 1
    epochs: int = 50  # passes at most, >= 1
    patience: int = 5  # epochs without a better reading of the documents set aside after which training ends, >= 1

    def __post_init__(self) -> None:
        for name in ("hidden", "batch", "epochs", "patience"):
            value = getattr(self, name)
            need(isinstance(value, int) and value >= 1, name, value, "an integer >= 1")
        need(0 <= self.dropout < 1, "dropout", self.dropout, "in [0, 1)")
        need(0 < self.learning_rate < math.inf, "learning_rate", self.learning_rate, "finite and > 0")

    def to_data(self) -> dict[str, str | int | float]:
        return {**asdict(self), "reader": self.reader.value}


FAST: Final = ClassifierSettings(reader=Reader.SUM, batch=64, learning_rate=1e-3, epochs=30)
"""Fewer and longer steps than the paper's, for a network that a CPU trains in a second."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NetworkLearner:
    """Learner of a network on released documents.

    Raises:
        MissingExtra: torch is not installed.
        ParameterError: there is no such device.
    """

    vectors: Vectors  # public vectors of the words, which are not trained, float32, shape (n, dim)
    settings: ClassifierSettings  # of the training
    # noise on all vectors of a batch, in training and in testing; None adds nothing
    noise: BatchNoise | None = None
    device: str = "cpu"  # torch's name of it

    def __post_init__(self) -> None:
        checked_device(self.device)

    def fit(self, part: LabelledPart, number: int, seed: int) -> DocumentClassifier:
        """Train a network and keep the best epoch.

        Raises:
            ModelError: the loss is no number; the message has the step.
        """
        torch = load_torch()
        need(len(part.classes) >= 2, "part", f"{len(part.classes)} documents", "two or more")
        devices = [torch.device(self.device)] if self.device.startswith("cuda") else []
        with torch.random.fork_rng(devices):
            torch.manual_seed(seed)
            network = _network(self.settings, self.vectors.shape[1], number).to(self.device)
            trained = _Trained(network, self, seed + 1)
            _train(trained, part, seed)
        return trained


@dataclass(frozen=True, slots=True, eq=False)
class _Trained:
    network: Any
    learner: NetworkLearner
    noise_seed: int

    def predict(self, documents: Documents) -> Integers:
        """Return each document's class; sums are centered by their own mean, as in ``linear``."""
        torch = load_torch()
        inputs = self.inputs(documents, self.noise_seed)
        self.network.eval()
        with torch.no_grad():
            parts = [
                self.scores(inputs, rows).argmax(dim=1).cpu().numpy()
                for rows in self._blocks(len(documents.bounds) - 1)
            ]
        return np.concatenate(parts).astype(np.int64)

    def inputs(self, documents: Documents, seed: int) -> Any:
        """Return the network's input: sums of all documents, or the start of each and the vectors of all words."""
        learner = self.learner
        if learner.settings.reader is Reader.SUM:
            sums = features_of(learner.vectors, documents, learner.noise, seed)
            sums -= sums.mean(axis=0)
            return sums / max(float(sums.std()), 1e-12)
        return documents.bounds, token_vectors(learner.vectors, documents, learner.noise, seed)

    def scores(self, inputs: Any, rows: Integers) -> Any:
        """Return scores of the classes for some documents, a tensor of shape (rows, classes)."""
        torch = load_torch()
        if self.learner.settings.reader is Reader.SUM:
            return self.network(torch.from_numpy(inputs[rows]).to(self.learner.device))
        bounds, tokens = inputs
        lengths = np.diff(bounds)[rows]
        places = np.arange(max(int(lengths.max()), 1))
        inside = places < lengths[:, None]
        words = np.zeros((*inside.shape, self.learner.vectors.shape[1]), dtype=np.float32)
        words[inside] = tokens[(bounds[rows][:, None] + places)[inside]]
        packed = torch.nn.utils.rnn.pack_padded_sequence(
            torch.from_numpy(words).to(self.learner.device),
            torch.from_numpy(np.maximum(lengths, 1)),
            True,
            enforce_sorted=False,
        )
        _, (state, _) = self.network["lstm"](packed)
        return self.network["out"](torch.cat([state[0], state[1]], dim=1))

    def _blocks(self, count: int) -> list[Integers]:
        return [np.arange(start, min(start + 1024, count)) for start in range(0, count, 1024)]


def _network(settings: ClassifierSettings, dim: int, classes: int) -> Any:
    nn = load_torch().nn
    if settings.reader is Reader.SUM:
        layers = (nn.Linear(dim, settings.hidden), nn.ReLU(), nn.Dropout(settings.dropout))
        return nn.Sequential(*layers, nn.Linear(settings.hidden, classes))
    out = nn.Sequential(nn.Dropout(settings.dropout), nn.Linear(2 * settings.hidden, classes))
    lstm = nn.LSTM(dim, settings.hidden, batch_first=True, bidirectional=True)
    return nn.ModuleDict({"lstm": lstm, "out": out})


def _train(trained: _Trained, part: LabelledPart, seed: int) -> None:
    torch = load_torch()
    settings, rng = trained.learner.settings, seeded_generator(seed, 1)
    inputs = trained.inputs(part.documents, seed)
    targets = torch.from_numpy(part.classes).to(trained.learner.device)
    mixed = rng.permutation(len(part.classes))
    aside, kept = np.split(mixed, [max(1, round(_SET_ASIDE * len(mixed)))])
    optimizer = torch.optim.Adam(trained.network.parameters(), lr=settings.learning_rate)
    best, waited, weights = math.inf, 0, _copied(trained.network)
    for epoch in range(settings.epochs):
        trained.network.train()
        order = rng.permutation(kept)
        for step, start in enumerate(range(0, len(order), settings.batch), 1):
            rows = order[start : start + settings.batch]
            loss = torch.nn.functional.cross_entropy(trained.scores(inputs, rows), targets[rows])
            value = float(loss.detach())
            if not math.isfinite(value):
                raise ModelError(
                    f"the loss must be a finite number; got {value} at step {step} of epoch {epoch + 1}. Take a "
                    "smaller `learning_rate`."
                )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        trained.network.eval()
        with torch.no_grad():
            found = float(torch.nn.functional.cross_entropy(trained.scores(inputs, aside), targets[aside]))
        waited = 0 if found < best else waited + 1
        if found < best:
            best, weights = found, _copied(trained.network)
        if waited >= settings.patience:
            break
    trained.network.load_state_dict(weights)


def _copied(network: Any) -> dict[str, Any]:
    return {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
