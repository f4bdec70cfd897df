"""The secure source: keystream, refusals, forks, threads."""

import copy
import hashlib
import multiprocessing
import os
import pickle
import secrets
import threading

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from randomgen import ChaCha

from textveil.errors import ParameterError, RandomnessError
from textveil.randomness import (
    ROUNDS,
    SecureGenerator,
    derived_generator,
    is_secure,
    new_secret,
    resolve,
    secure_generator,
    seeded_generator,
)


def test_the_cipher_is_chacha20_by_a_second_implementation() -> None:
    key = bytes(range(32))
    stream = Cipher(algorithms.ChaCha20(key, bytes(16)), mode=None).encryptor().update(bytes(256))
    raw = ChaCha(key=np.frombuffer(key, "<u8"), rounds=ROUNDS).random_raw(32)
    np.testing.assert_array_equal(raw, np.frombuffer(stream, "<u8"))
    assert ROUNDS == 20


@pytest.mark.parametrize(
    "leak",
    [
        pickle.dumps,
        copy.copy,
        copy.deepcopy,
        lambda rng: pickle.dumps(rng.bit_generator),
        lambda rng: copy.deepcopy(rng.bit_generator),
        lambda rng: rng.bit_generator.state,
        lambda rng: rng.spawn(2),
        lambda rng: rng.__getstate__(),
        lambda rng: rng.bit_generator.__getstate__(),
        lambda rng: rng.bit_generator.seed(1),
    ],
)
def test_a_secure_generator_is_never_copied(leak) -> None:
    with pytest.raises(RandomnessError, match=r"must not be pickled or copied|cannot be seeded"):
        leak(secure_generator())


def test_two_generators_hold_two_keys() -> None:
    first, second = secure_generator(), secure_generator()
    assert first.integers(0, 2**62, 4).tolist() != second.integers(0, 2**62, 4).tolist()


def _drawn_in_child(rng: np.random.Generator | None) -> bytes:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        # resolve(None) and the inherited generator itself, without resolve: both must have new keys.
        drawn = resolve(None).bytes(16) + (rng.bytes(16) if rng is not None else b"")
        os.write(write, drawn)
        os._exit(0)
    os.waitpid(child, 0)
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        return stream.read()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_children_of_a_fork_draw_afresh() -> None:
    rng = secure_generator()
    own = resolve(None)
    own.bytes(3)
    children = [_drawn_in_child(rng) for _ in range(2)]
    parent = own.bytes(16) + rng.bytes(16)
    pieces = [drawn[start : start + 16] for drawn in (*children, parent) for start in (0, 16)]
    assert len(set(pieces)) == len(pieces)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_the_fork_test_kills_a_generator_that_does_not_notice() -> None:
    naive = np.random.Generator(ChaCha(key=5, rounds=20))
    assert _drawn_in_child(naive)[16:] == naive.bytes(16)


def _first_draws(_: int) -> list[int]:
    return resolve(None).integers(0, 2**62, 4).tolist()


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_worker_processes_do_not_repeat_each_other() -> None:
    resolve(None)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        draws = pool.map(_first_draws, range(4), chunksize=1)
    assert len({tuple(one) for one in draws}) == 4


def test_a_generator_cannot_be_sent_to_a_worker() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool, pytest.raises(RandomnessError):
        pool.apply(id, (secure_generator(),))


def test_threads_have_generators_of_their_own() -> None:
    found: list[object] = []
    workers = [threading.Thread(target=lambda: found.append(resolve(None))) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len({id(one) for one in found}) == 3
    assert resolve(None) is resolve(None)


def test_renew_changes_the_stream() -> None:
    rng = secure_generator()
    cipher = rng.bit_generator
    before = rng.bytes(32)
    rng.renew()
    assert rng.bytes(32) != before
    assert rng.bit_generator is cipher


def test_seeded_generators_repeat_and_are_told_apart() -> None:
    assert seeded_generator(3).random(4).tolist() == seeded_generator(3).random(4).tolist()
    assert is_secure(None)
    assert is_secure(secure_generator())
    assert not is_secure(seeded_generator(0))
    assert not is_secure(np.random.Generator(ChaCha(key=1)))


@pytest.mark.parametrize("seed", [-1, 1.5, True, "1", None])
def test_a_seed_is_a_whole_number(seed) -> None:
    with pytest.raises(ParameterError, match="seed must be an integer >= 0"):
        seeded_generator(seed)


@pytest.mark.parametrize("rng", [7, np.random.RandomState(1), "os"])
def test_a_seed_is_not_taken_for_a_generator(rng) -> None:
    with pytest.raises(ParameterError, match="rng must be None or a numpy"):
        resolve(rng)


def test_draws_look_uniform_and_kill_a_biased_mutant() -> None:
    from scipy.stats import chisquare

    drawn = secure_generator().integers(0, 256, 200_000)
    counts = np.bincount(drawn, minlength=256)
    assert chisquare(counts).pvalue > 1e-6  # alpha
    biased = np.bincount(np.where(drawn == 255, 0, drawn), minlength=256)
    assert chisquare(biased).pvalue < 1e-6


def test_secure_generator_is_a_numpy_generator() -> None:
    assert isinstance(secure_generator(), SecureGenerator)
    assert isinstance(secure_generator(), np.random.Generator)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_while_another_thread_draws_neither_hangs_nor_repeats() -> None:
    rng = secure_generator()
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with rng.bit_generator.lock:  # what a drawing thread holds
            held.set()
            done.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(60)
    try:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                drawn = resolve(None).bytes(16)
                try:
                    resolve(rng)
                except RandomnessError:
                    os.write(write, drawn)
            finally:
                os._exit(0)
    finally:
        done.set()
        thread.join()
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        assert len(stream.read()) == 16
    os.waitpid(child, 0)


def test_derived_streams_repeat_for_their_work_and_for_nothing_else():
    secret = new_secret()

    def draws(*context, key=secret):
        return derived_generator(key, *context).integers(0, 2**62, 8).tolist()

    assert draws(b"block 1", b"text") == draws(b"block 1", b"text")
    others = [
        draws(b"block 2", b"text"),
        draws(b"block 1", b"texts"),
        draws(b"block 1text"),
        draws(b"block 1tex", b"t"),
    ]
    others.append(draws(b"block 1", b"text", key=new_secret()))
    assert all(other != draws(b"block 1", b"text") for other in others)
    assert len({tuple(other) for other in others}) == len(others)


def test_a_derived_generator_is_secure_and_as_little_copied_as_any():
    generator = derived_generator(new_secret(), b"block")
    assert is_secure(generator)
    with pytest.raises(RandomnessError):
        pickle.dumps(generator)


@pytest.mark.parametrize("secret, context", [(b"short", (b"x",)), (bytes(32), ())])
def test_a_derived_generator_needs_a_whole_secret_and_a_context(secret, context):
    with pytest.raises(RandomnessError, match="32 bytes and a context"):
        derived_generator(secret, *context)


def test_streams_of_a_seed_differ_and_repeat():
    assert seeded_generator(7).random() == seeded_generator(7).random()
    assert seeded_generator(7, 1).random() == seeded_generator(7, 1).random()
    assert len({seeded_generator(7, *stream).random() for stream in [(), (0,), (1,), (1, 0)]}) == 4


def test_no_test_fails_by_chance(request) -> None:
    """The system's randomness, as this process sees it, is a function of the test; see ``conftest.py``."""
    if request.config.getoption("--unseeded"):
        pytest.skip("drawn afresh")
    drawn = [secrets.token_bytes(8), secrets.randbits(61)]
    fixed = [hashlib.shake_256(f"{request.node.nodeid} {call}".encode()).digest(8) for call in (0, 1)]
    assert drawn == [fixed[0], int.from_bytes(fixed[1]) >> 3]
