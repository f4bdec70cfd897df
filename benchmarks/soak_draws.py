"""Holders of a sanitizer in every kind of process and thread: no two of them may ever make the same draw.

Each holder draws bytes from its thread's generator and from one that was made before the holders were, and releases
a text of 120 words. All runs of eight bytes are compared, at every fourth byte, which is the step of the cipher's
words: two equal ones would show that two holders share a key, wherever in its stream each stands. Of five million
two are equal by chance with probability below 1e-6.
"""

import hashlib
import multiprocessing
import os
import pickle
import tempfile
import threading
from collections.abc import Callable
from multiprocessing.context import ForkContext, SpawnContext
from pathlib import Path

import numpy as np

from textveil.catalog import mechanism
from textveil.randomness import SecureGenerator, resolve, secure_generator
from textveil.sanitize.sanitizer import Sanitizer
from textveil.vocabulary.vocabulary import Vocabulary

BYTES = 4096
THREADS = 3
WORDS = [f"w{a}{b}" for a in "abcdefghijklmnop" for b in "abcdefghijklmnop"]
TEXT = " ".join(["waa"] * 120)
SPAWNED = 10
"""One spawned process for so many forks: each takes seconds to start."""


def sanitizer_of_words() -> Sanitizer:
    """256 words at an epsilon of 0.01: a release of 120 words has some 900 bits of randomness."""
    vocabulary = Vocabulary(WORDS, np.random.default_rng(5).normal(size=(len(WORDS), 3)).astype(np.float32), "made")
    return Sanitizer(mechanism("randomized-response", vocabulary, epsilon=0.01))


def drawn(sanitizer: Sanitizer, held: SecureGenerator | None) -> bytes:
    """What one holder draws: from its thread's generator, the one it holds, and a digest of a release."""
    found = resolve(None).bytes(BYTES)
    if held is not None:
        found += held.bytes(BYTES)
    return found + hashlib.blake2b(sanitizer(TEXT).text.encode(), digest_size=16).digest()


def hold(sanitizer: Sanitizer, held: SecureGenerator | None, path: Path, nested: bool) -> None:
    """Draws in this thread, in others and, where ``nested``, in forks of this process; all goes to files."""
    parts: list[bytes] = []
    threads = [threading.Thread(target=lambda: parts.append(drawn(sanitizer, held))) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(parts) == THREADS, "a thread could not draw"
    if nested:
        inner = multiprocessing.get_context("fork").Process(
            target=hold, args=(sanitizer, held, path.with_suffix(".inner"), False)
        )
        inner.start()
        inner.join()
        assert inner.exitcode == 0, "a nested fork could not draw"
    parts.append(drawn(sanitizer, held))
    path.write_bytes(b"".join(parts))


def hold_copy(pickled: bytes, path: Path) -> None:
    """Draws from a pickled copy, in a process that shares nothing with the one that made it."""
    hold(pickle.loads(pickled), None, path, nested=False)


def repeated_draws(count: int, seed: int) -> list[str]:
    """Draws in ``count`` forks and as many pickled copies, in threads of all and some spawned processes.

    Raises:
        AssertionError: two draws are equal, or a holder could not draw.
    """
    del seed  # what draws here is the operating system's randomness
    sanitizer, held = sanitizer_of_words(), secure_generator()
    drawn(sanitizer, held)  # the parent's streams have begun when the others are made
    pickled = pickle.dumps(sanitizer)
    fork, spawn = multiprocessing.get_context("fork"), multiprocessing.get_context("spawn")
    spawned = max(1, count // SPAWNED)
    with tempfile.TemporaryDirectory(prefix="textveil-soak-") as name:
        folder = Path(name)
        for number in range(count):
            _ended(fork, hold, sanitizer, held, folder / f"fork{number}", True)
            hold(pickle.loads(pickled), held, folder / f"copy{number}", nested=False)
        for number in range(spawned):
            _ended(spawn, hold_copy, pickled, folder / f"spawn{number}")
        words = np.frombuffer(b"".join([path.read_bytes() for path in folder.iterdir()]), dtype="<u4")
    runs = words[:-1].astype(np.uint64) << np.uint64(32) | words[1:]
    repeated = len(runs) - len(np.unique(runs))
    assert repeated == 0, f"{repeated} of {len(runs):,} runs of eight bytes were drawn twice"
    return [
        f"{count} forks with {count} forks of their own, {count} pickled copies, {spawned} spawned processes,"
        f" {THREADS + 1} threads each",
        f"{len(runs):,} runs of eight bytes, no two of them equal",
    ]


def _ended(context: ForkContext | SpawnContext, target: Callable[..., None], *arguments: object) -> None:
    process = context.Process(target=target, args=arguments)
    process.start()
    process.join()
    assert process.exitcode == 0, f"a process that was made by {context.get_start_method()} could not draw"


assert os.name == "posix", "needs fork"
