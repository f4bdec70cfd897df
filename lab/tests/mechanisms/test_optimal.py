"""The optimal channel: exact audits, value against brute force, utilities, priors, what is kept, what is refused."""

import hashlib
import json
import math
import pickle

import numpy as np
import pytest
from tests.helpers.exactness import worst_integer_ratio
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import mechanism
from textveil.errors import InputError, ParameterError
from textveil.mechanisms.neighborhood import weighted_neighborhood
from textveil.vocabulary.facts import word_frequencies
from textveil.vocabulary.public_tables import tables_folder
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.channels.optimal import FAR, Optimal, optimal
from textveil_lab.mechanisms.sampling import optimal_weights
from textveil_lab.mechanisms.sampling.optimal_weights import utility_of
from textveil_lab.numerics.optimal_channel import WINDOW, Search
from textveil_lab.vocabulary import DATA

SIZE = 30


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("TEXTVEIL_CACHE", str(tmp_path / "cache"))


def words() -> Vocabulary:
    return made_vocabulary(SIZE)


def unit(vocabulary: Vocabulary) -> np.ndarray:
    vectors = vocabulary.vectors.astype(np.float64)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("epsilon", [0.5, 3.0, 8.0])
@pytest.mark.parametrize("utility", ["cosine", "content", "centered", "rank"])
def test_the_exact_audit_certifies_and_the_value_is_of_the_integers(utility: str, epsilon: float) -> None:
    from textveil_lab.audit.channels.exact import audit_channel
    from textveil_lab.audit.report.report import Verdict, claim_of

    vocabulary = words()
    made = optimal(vocabulary, epsilon=epsilon, utility=utility, prior="zipf")
    rows = made.integer_weights(np.arange(SIZE))
    assert {int(row.sum()) for row in rows} == {made.weights.total}
    assert math.log(worst_integer_ratio(rows)) <= made.guarantee.epsilon <= epsilon
    claim = claim_of(made.guarantee)
    assert audit_channel(made, claim).verdict is Verdict.CERTIFIED
    prior = 1 / (np.arange(1, SIZE + 1) + 2.7)
    if utility == "content":
        prior = prior * -np.log(prior / prior.sum())
    table = utility_of(vocabulary, utility).rows(np.arange(SIZE))
    brute = float((prior / prior.sum()) @ (rows / made.weights.total * table).sum(axis=1))
    assert made.value == pytest.approx(brute, rel=1e-6)  # Zipf counts are whole numbers
    assert made.value <= made.bound <= made.value * 1.03


def test_it_is_worth_more_than_frequency_weights_and_less_than_the_bound() -> None:
    vocabulary = made_vocabulary(200)
    made = optimal(vocabulary, epsilon=4.0)
    other = mechanism("neighborhood", vocabulary, epsilon=4.0)
    prior = 1 / (np.arange(1, 201) + 2.7)
    table = utility_of(vocabulary, "cosine").rows(np.arange(200))
    value = float(prior / prior.sum() @ (np.stack([other.probabilities(x) for x in range(200)]) * table).sum(axis=1))
    assert value < made.value < made.bound < 1.01 * made.value


def test_utilities_are_what_they_say() -> None:
    vocabulary = words()
    cosine = unit(vocabulary) @ unit(vocabulary).T
    moved = unit(vocabulary) - unit(vocabulary).mean(axis=0)
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    everyone = np.arange(SIZE)
    assert utility_of(vocabulary, "cosine").rows(everyone) == pytest.approx(cosine, abs=1e-5)
    assert utility_of(vocabulary, "centered").rows(everyone) == pytest.approx(moved @ moved.T, abs=1e-5)
    ranks = utility_of(vocabulary, "rank").rows(everyone)
    order = np.argsort(-cosine, axis=1)
    assert np.take_along_axis(ranks, order, axis=1)[0] == pytest.approx(1 / np.log2(np.arange(2, SIZE + 2)), rel=1e-6)


@pytest.mark.parametrize("utility", ["cosine", "content", "centered", "rank"])
def test_a_zero_vector_is_like_itself_and_no_other(utility: str) -> None:
    from textveil_lab.audit.channels.exact import audit_channel
    from textveil_lab.audit.report.report import Claim, Verdict

    vectors = np.array([[0, 0], [1, 0], [0, 0], [0, 1], [1, 1]], dtype=np.float32)
    vocabulary = Vocabulary(["none", "east", "void", "north", "both"], vectors, "with zeros")
    values = utility_of(vocabulary, utility).rows(np.arange(5))
    assert np.isfinite(values).all()
    if utility in {"cosine", "content"}:
        assert (values[[0, 2]] == np.eye(5)[[0, 2]]).all()
    channel = optimal(vocabulary, epsilon=2.0, utility=utility, prior="flat")
    assert audit_channel(channel, Claim(epsilon=2.0)).verdict is Verdict.CERTIFIED


def test_a_table_a_file_and_a_function_give_one_channel_in_their_order(tmp_path) -> None:
    vocabulary = words()
    table = np.random.default_rng(5).uniform(-3, 40, size=(SIZE, SIZE))
    np.save(tmp_path / "utility.npy", table)
    ways = (table, str(tmp_path / "utility.npy"), lambda ids: table[ids])
    made = [optimal(vocabulary, epsilon=2.0, utility=way) for way in ways]
    rows = [one.integer_weights(np.arange(SIZE)) for one in made]
    assert np.array_equal(rows[0], rows[1]) and np.array_equal(rows[0], rows[2])
    gains = rows[0] - made[0].weights.base
    for word in range(SIZE):
        order = np.argsort(-table[word].astype(np.float32), kind="stable")
        last = int(np.flatnonzero(gains[word, order]).max())
        assert (gains[word, order[:last]] > 0).all()
    drawn = [one.privatize(np.arange(SIZE), np.random.default_rng(1)).tolist() for one in made]
    assert drawn[0] == drawn[1] == drawn[2]
    with pytest.raises(AttributeError):
        pickle.dumps(made[2])  # a lambda: as pickle says
    copy = pickle.loads(pickle.dumps(made[0]))
    assert np.array_equal(copy.privatize(np.arange(SIZE), np.random.default_rng(1)), drawn[0])
    assert (copy.value, copy.bound) == (made[0].value, made[0].bound)


def test_a_prior_of_numbers_is_the_prior() -> None:
    vocabulary = words()
    given = np.full(SIZE, 1e-6)
    given[3] = 1.0
    made = optimal(vocabulary, epsilon=5.0, prior=given)
    flat = optimal(vocabulary, epsilon=5.0, prior="flat")
    assert made.probabilities(3)[3] > 0.95 > 0.9 > flat.probabilities(3)[3]
    assert flat.parameters["prior"] == "flat"


def test_names_keep_a_low_weight_and_the_bound_stays(monkeypatch) -> None:
    from textveil.vocabulary.facts import WordFrequencies
    from textveil_lab.mechanisms.channels import optimal as module

    vocabulary = made_vocabulary(100)
    counts = np.arange(2000, 1900, -1) ** 3
    frequencies = WordFrequencies(counts, np.arange(100) < 10, "made")
    monkeypatch.setattr(module, "given_frequencies", lambda *_: frequencies)
    rare, free = (optimal(vocabulary, epsilon=3.0, names=names) for names in ("rare", "free"))
    base = rare.weights.base / rare.weights.base_total
    assert base[:10].max() <= 0.5 / 100 * 1.1 + 1 / (128 * 100)
    assert rare.value < free.value <= free.bound
    assert rare.bound == pytest.approx(free.bound, rel=0.02)
    assert (rare.parameters["names"], free.parameters["names"]) == ("rare", "free")


def test_the_search_is_made_once_and_kept_by_all_that_entered(monkeypatch) -> None:
    vocabulary = words()
    first = optimal(vocabulary, epsilon=2.0)
    searched: list[int] = []
    monkeypatch.setattr(optimal_weights, "optimized", lambda *_, **__: searched.append(1) or 1 / 0)
    again = optimal(vocabulary, epsilon=2.0)
    assert again.weights.digest == first.weights.digest and not searched
    for other in (
        {"epsilon": 2.5},
        {"epsilon": 2.0, "prior": "flat"},
        {"epsilon": 2.0, "utility": "rank"},
    ):
        with pytest.raises(ZeroDivisionError):
            optimal(vocabulary, **other)
    with pytest.raises(ZeroDivisionError):
        optimal(made_vocabulary(SIZE, seed=8), epsilon=2.0)


def test_a_kept_table_of_another_vocabulary_or_with_numbers_changed_is_not_read() -> None:
    vocabulary, other = words(), made_vocabulary(SIZE, seed=8)
    made, theirs = optimal(vocabulary, epsilon=2.0), optimal(other, epsilon=2.0)
    mine, foreign = made._optimum.path, theirs._optimum.path
    own = mine.read_bytes()
    mine.write_bytes(foreign.read_bytes())
    again = optimal(vocabulary, epsilon=2.0)  # made again, and the right one lies there
    assert again.weights.digest == made.weights.digest
    assert mine.read_bytes() == own
    damaged = bytearray(own)
    damaged[-100] ^= 1
    mine.write_bytes(bytes(damaged))
    assert optimal(vocabulary, epsilon=2.0).weights.digest == made.weights.digest


def test_numbers_that_cannot_be_are_not_sound() -> None:
    vocabulary = words()
    made = optimal(vocabulary, epsilon=2.0)
    table = made._optimum
    arrays = dict(table.opened().arrays)
    assert table.sound(arrays)
    for numbers in ([0.9, 0.8, 0.1], [math.nan, 1.0, 0.1], [0.1, math.inf, 0.1], [0.1, 0.2, math.nan]):
        assert not table.sound({**arrays, "numbers": np.array(numbers)})
    assert not table.sound({**arrays, "base": np.zeros(SIZE, np.uint16)})  # a base mass of 30


def test_a_search_that_was_broken_off_goes_on(monkeypatch) -> None:
    vocabulary = words()
    whole = optimal(vocabulary, epsilon=1.0, utility="rank")
    whole._optimum.path.unlink()
    steps: list[int] = []

    def stopping(progress: object, digest: str, search: Search) -> None:
        real(progress, digest, search)
        steps.append(search.step)
        if search.step == WINDOW + 3:
            raise KeyboardInterrupt

    real = optimal_weights._told
    monkeypatch.setattr(optimal_weights, "_told", stopping)
    with pytest.raises(KeyboardInterrupt):
        optimal(vocabulary, epsilon=1.0, utility="rank")
    kept = list(tables_folder().glob(".optimal-channel-*"))
    assert len(kept) == 1
    monkeypatch.setattr(optimal_weights, "_told", lambda _progress, _digest, search: steps.append(search.step))
    again = optimal(vocabulary, epsilon=1.0, utility="rank")
    assert steps[WINDOW + 3] == WINDOW + 1  # from the end of the last window
    assert again.weights.digest == whole.weights.digest and (again.value, again.bound) == (whole.value, whole.bound)
    assert not list(tables_folder().glob(".optimal-channel-*"))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"\x93NUMPY"])
def test_a_damaged_search_is_begun_again(content: bytes) -> None:
    vocabulary = words()
    setting_of = optimal(vocabulary, epsilon=1.0, prior="flat")
    setting_of._optimum.path.unlink()
    path = optimal_weights._kept_at(setting_of._optimum.key.digest)
    path.write_bytes(content)
    again = optimal(made_vocabulary(SIZE), epsilon=1.0, prior="flat")
    assert again.weights.digest == setting_of.weights.digest
    assert not path.exists()


def test_value_and_bound_are_noted() -> None:
    notes: list[str] = []

    class Shown:
        def __call__(self, done: int, total: int | None) -> None:
            assert total is not None and 0 < done <= total

        def note(self, text: str) -> None:
            notes.append(text)

    made = mechanism("optimal", words(), epsilon=2.0, progress=Shown())
    assert isinstance(made, Optimal)
    assert notes[-1].startswith("value 0.") and ", bound 0." in notes[-1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"utility": np.full((SIZE, SIZE), np.nan)},
            "utility must be finite in float32 for every two words; got a num",
        ),
        ({"utility": np.ones((SIZE, 3))}, r"utility must be \(30, 30\), a row and a column for every word; got shape"),
        ({"utility": np.full((SIZE, SIZE), "x")}, "utility must be real numbers; got dtype <U1"),
        ({"utility": lambda ids: np.ones((len(ids), 2))}, r"utility must be \(30, 30\), a number for every two words"),
        ({"utility": lambda ids: np.full((len(ids), SIZE), np.inf)}, "utility must be finite in float32"),
        ({"utility": np.ones((SIZE, SIZE))}, "utility must be one that tells outputs apart; got the same number for"),
        ({"utility": "sine"}, r"utility must be one of cosine, content, centered, rank, or a \.npy file; got sine"),
        ({"prior": np.zeros(SIZE)}, r"prior must be finite and > 0 for every word; got one that is not\. Give unseen"),
        ({"prior": np.r_[np.ones(SIZE - 1), np.nan]}, "prior must be finite and > 0 for every word"),
        ({"prior": np.ones(SIZE + 1)}, r"prior must be one number for each of 30 words; got shape \(31,\)"),
        ({"prior": np.full(SIZE, "x")}, "prior must be numbers; got dtype <U1"),
        ({"prior": "/nowhere"}, r"prior must be flat, zipf or a file of word counts; got /nowhere\. Check its path"),
        ({"names": "some"}, "names must be rare or free; got 'some'"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(options: dict[str, object], message: str) -> None:
    with pytest.raises((ParameterError, InputError), match=message) as caught:
        optimal(words(), **{"epsilon": 2.0, **options})
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_table_is_refused(tmp_path) -> None:
    path = tmp_path / "utility.npy"
    path.write_bytes(b"no array")
    with pytest.raises(InputError, match=r"the utility must be a readable \.npy file of numbers; got ValueError"):
        optimal(words(), epsilon=2.0, utility=str(path))


def test_an_epsilon_at_which_nothing_is_better_than_uniform_is_refused(monkeypatch) -> None:
    table = np.eye(SIZE)
    with pytest.raises(ParameterError, match="epsilon must be large enough for this utility; got 1e-10, at which no"):
        optimal(words(), epsilon=1e-10, utility=table, prior="flat")
    real = optimal_weights.value_of
    monkeypatch.setattr(optimal_weights, "value_of", lambda *given: 1 / SIZE if real(*given) else 0.0)
    with pytest.raises(ParameterError, match=r"epsilon must be large enough for this utility; got 0\.001, at which no"):
        optimal(words(), epsilon=0.001, utility=table, prior="flat")


def test_a_mutant_whose_rows_end_elsewhere_is_refuted() -> None:
    from textveil_lab.audit.channels.exact import audit_channel
    from textveil_lab.audit.report.report import Verdict, claim_of

    vocabulary = words()
    made = optimal(vocabulary, epsilon=2.0)
    rows = made.integer_weights(np.arange(SIZE)).astype(np.float64)
    rows[3, np.argmax(rows[3])] *= 1.01  # this row hands out more than the others
    assert audit_channel(rows / rows.sum(axis=1, keepdims=True), claim_of(made.guarantee)).verdict is Verdict.REFUTED


def test_orders_other_than_cosine_reach_the_rows() -> None:
    vocabulary = words()
    order = utility_of(vocabulary, -np.eye(SIZE)).order  # the word itself comes last
    plain = mechanism("neighborhood", vocabulary, epsilon=2.0)
    made = weighted_neighborhood(vocabulary, plain.weights, epsilon=2.0, parameters={}, order=order)
    rows = made.integer_weights(np.arange(SIZE))
    assert (np.diagonal(rows)[1:] == plain.weights.base[1:]).all()
    assert made.tables[0].key.digest != plain.tables[0].key.digest


def test_a_delta_buys_no_more_than_itself() -> None:
    """The mixture with the identity is certified at delta, refuted at less, and gains delta (1 - value)."""
    from textveil_lab.audit.channels.exact import audit_channel
    from textveil_lab.audit.report.report import Claim, Verdict

    vocabulary, delta = words(), 1e-3
    made = optimal(vocabulary, epsilon=3.0)
    rows = made.integer_weights(np.arange(SIZE)) / made.weights.total
    mixed = (1 - delta) * rows + delta * np.eye(SIZE)
    log_delta = math.log(delta)
    assert audit_channel(mixed, Claim(epsilon=3.0, log_delta=log_delta)).verdict is Verdict.CERTIFIED
    assert audit_channel(mixed, Claim(epsilon=3.0, log_delta=log_delta - 3)).verdict is Verdict.REFUTED
    prior = 1 / (np.arange(1, SIZE + 1) + 2.7)
    table = utility_of(vocabulary, "cosine").rows(np.arange(SIZE))
    values = [float(prior / prior.sum() @ (channel * table).sum(axis=1)) for channel in (rows, mixed)]
    assert values[1] - values[0] == pytest.approx(delta * (1 - values[0]), rel=1e-6)


def test_the_shipped_weights_are_those_of_the_record(embedded) -> None:
    record = json.loads((DATA / optimal_weights.RECORD).read_text(encoding="ascii"))
    assert set(record) == {f"optimal-{epsilon:g}.table" for epsilon in optimal_weights.SHIPPED}
    assert sum((DATA / name).stat().st_size for name in record) <= 2_000_000
    for epsilon in optimal_weights.SHIPPED:
        made = mechanism("optimal", embedded, epsilon=epsilon)
        assert isinstance(made, Optimal)
        path = DATA / f"optimal-{epsilon:g}.table"
        about = record[path.name]
        assert made.tables[0].place == path
        assert hashlib.sha256(path.read_bytes()).hexdigest() == about["sha256"]
        assert (made.value, made.bound) == (about["value"], about["bound"])
        assert made.value < made.bound < 1.05 * made.value
        assert made.guarantee.epsilon == epsilon
        weights, names = made.weights, word_frequencies(embedded).names
        stays = (weights.base + np.minimum(weights.gains, weights.row_gain) * weights.unit) / weights.total
        flat = mechanism("neighborhood", embedded, epsilon=epsilon, base_weights="flat").weights
        assert stays[names].max() <= flat.inside / flat.total / 2


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 3.0, 6.0])
@pytest.mark.parametrize("prior", ["flat", "zipf"])
@pytest.mark.parametrize("size", [5, 30])
def test_tied_utilities_come_near_their_bound(size: int, prior: str, epsilon: float) -> None:
    """The search circles where many utilities are equal: the identity has a formula, words that are alike a program."""
    from textveil_lab.audit.channels.exact import audit_channel
    from textveil_lab.audit.report.report import Verdict, claim_of

    alike = np.arange(size) // 3
    for table in (np.eye(size), 5 + 3 * np.eye(size), (alike[:, None] == alike).astype(float)):
        made = optimal(made_vocabulary(size), epsilon=epsilon, utility=table, prior=prior)
        assert made.value <= made.bound <= 1.02 * made.value
        assert audit_channel(made, claim_of(made.guarantee)).verdict is Verdict.CERTIFIED


def test_many_tied_utilities_come_near_their_bound() -> None:
    made = optimal(made_vocabulary(200), epsilon=6.0, utility=np.eye(200), prior="zipf")
    assert made.value <= made.bound <= 1.02 * made.value


def test_a_value_far_from_its_bound_is_told(monkeypatch) -> None:
    """Without the exact ways, thirty words of six kinds stay far from their bound."""
    monkeypatch.setattr(optimal_weights, "of_program", lambda *_: None)
    kinds = np.kron(np.eye(6), np.ones((5, 5)))
    told = r"optimal: its mean utility is 0\.\d+, and only at 0\.\d+ could none be better"
    with pytest.warns(UserWarning, match=told):
        made = optimal(words(), epsilon=3.0, utility=kinds, prior="zipf")
    assert made.bound > (1 + FAR) * made.value
