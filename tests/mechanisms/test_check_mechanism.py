"""``textveil.testing.check_mechanism``: passed by every mechanism of the catalog, failed by each planted fault."""

from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
import pytest
from tests.helpers.catalog import needed

from textveil.catalog import entries
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.kinds import Epsilon, checked_ids
from textveil.privacy.guarantees import PureDP, Status
from textveil.registry.options import Option, at_least
from textveil.testing import check_mechanism

CATALOG = entries()


CLAIMED = PureDP(epsilon=1.0, status=Status.CLAIMED, source="page")


@pytest.mark.parametrize("name", CATALOG)
def test_every_mechanism_of_the_catalog_passes(name: str, tiny) -> None:
    entry = CATALOG[name]
    made = check_mechanism(entry.constructor(), tiny, **{**needed(name), **entry.shown_at})
    assert made.name == name


@dataclass(eq=False)
class Uniform:
    """A sound mechanism, but for the fault that is planted."""

    vocabulary: Any
    fault: str = ""
    name: str = "mine"
    guarantee: PureDP = CLAIMED
    parameters: dict[str, Any] = field(default_factory=dict)
    unpickled: bool = False

    def privatize(self, ids, rng=None):
        array, size = np.asarray(ids), len(self.vocabulary)
        if self.fault != "outside":
            checked_ids(array, size)
        if self.fault == "kind":
            return np.zeros(array.shape)
        if self.fault == "shape":
            return np.zeros(len(array) + 1, dtype=np.int64)
        if self.fault == "range":
            return np.full(array.shape, size)
        if self.fault == "writes":
            array[:] = 0
        if rng is None or self.fault == "seed" or (self.fault == "pickle" and self.unpickled):
            rng = np.random.default_rng()
        return rng.integers(0, size, array.shape)

    def probabilities(self, word_id):
        size = len(self.vocabulary)
        row = np.full(size, 1.0 / size)
        if self.fault == "row sum":
            row *= 1.001
        if self.fault == "negative row":
            row[:2] = [-0.1, row[0] + row[1] + 0.1]
        return row[1:] if self.fault == "row shape" else row

    def integer_weights(self, ids):
        weights = np.full((len(ids), len(self.vocabulary)), 5, dtype=np.int64)
        if self.fault == "other weights":
            weights[:, 0] = 6
        return weights * 0 if self.fault == "no weight" else weights

    def __getstate__(self):
        return {**self.__dict__, "unpickled": True}


def _made(fault: str = "", *, summary: str = "Mine.", status: Status = Status.CLAIMED, **changed: Any):
    @declared(name="mine", family="channel", notion="", status=status, proof="page", source="", summary=summary)
    def constructor(vocabulary, *, epsilon: Epsilon):
        parameters = changed.pop("parameters", {"epsilon": epsilon})
        return Uniform(vocabulary, fault, parameters=parameters, **changed)

    return constructor


def test_a_sound_one_passes(tiny) -> None:
    assert check_mechanism(_made(), tiny).parameters == {"epsilon": 1.0}


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("kind", "draws must be int64"),
        ("shape", "draws must be int64 of shape"),
        ("range", r"draws must be in \[0, 40\)"),
        ("writes", "ids must not be written to"),
        ("seed", "the mechanism must draw the same"),
        ("pickle", "a pickled copy must draw the same"),
        ("outside", "must be refused"),
        ("row sum", "rows must sum to 1"),
        ("negative row", "no negative entry"),
        ("row shape", r"rows must have shape \(40,\)"),
        ("other weights", "weights must give the rows"),
        ("no weight", "sums of weights must be above 0"),
    ],
)
def test_a_planted_fault_of_the_mechanism_is_found(tiny, fault: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_mechanism(_made(fault), tiny)


def test_a_declaration_that_the_mechanism_does_not_keep_is_found(tiny) -> None:
    with pytest.raises(AssertionError, match="must be decorated"):
        check_mechanism(lambda vocabulary: None, tiny)  # type: ignore[arg-type,return-value]
    with pytest.raises(AssertionError, match="name is 'other'"):
        check_mechanism(_made(name="other"), tiny)
    with pytest.raises(AssertionError, match="is stated, and"):
        check_mechanism(_made(guarantee=PureDP(epsilon=1.0)), tiny)
    with pytest.raises(AssertionError, match=r"\['epsilon'\] are missing"):
        check_mechanism(_made(parameters={}), tiny)
    with pytest.raises(AssertionError, match="there is no file 'page'"):
        check_mechanism(_made(status=Status.PROVED), tiny)
    with pytest.raises(AssertionError, match="summary must be a sentence"):
        check_mechanism(_made(summary="Mine"), tiny)
    with pytest.raises(TypeError, match="not JSON serializable"):
        check_mechanism(_made(parameters={"epsilon": 1.0, "x": tiny}), tiny)


@pytest.mark.parametrize(
    ("option", "message"),
    [(Option(domain=at_least(1)), "option rounds must have a help text"), (Option(help="H."), "must have a domain")],
)
def test_an_option_without_help_or_domain_is_found(tiny, option: Option, message: str) -> None:
    facts = {"family": "", "notion": "", "status": Status.CLAIMED, "proof": "", "source": "", "summary": "M."}

    def constructor(vocabulary, *, rounds: int = 1):
        return None

    constructor.__annotations__["rounds"] = Annotated[int, option]
    with pytest.raises(AssertionError, match=message):
        check_mechanism(declared(**facts)(constructor), tiny)
