"""The two sources of randomness, and the rule that neither is ever copied.

``secure_generator()`` is a NumPy ``Generator`` over ChaCha with 20 rounds (Bernstein 2008; the
cipher of RFC 8439) under a 256-bit key from the operating system. It refuses to be pickled, copied or
seeded, and after a fork the child's generators hold a new key before any code can draw. (One whose lock
another thread held at the fork can never be drawn from in the child: it raises or blocks, and repeats nothing.)

``derived_generator(secret, ...)`` is the same cipher under a key derived from a job's secret and what is drawn
for: a piece of work that is done again, after a crash or by another worker, draws the same again and so
releases nothing twice. Other work under the same secret has another key.

``seeded_generator(seed)`` repeats its draws. It is for experiments; whatever is made with it is
stamped "not for release".
"""

import contextlib
import hashlib
import os
import secrets
import threading
import weakref
from typing import NoReturn

import numpy as np
from randomgen import ChaCha

from textveil.errors import RandomnessError, need

KEY_BITS = 256
ROUNDS = 20

_REFUSAL = (
    "a secure generator must not be pickled or copied: two holders of one key repeat each other's draws. "
    "Make one where it is used: secure_generator()."
)


class _Uncopied:
    __slots__ = ()

    def __reduce__(self) -> NoReturn:
        raise RandomnessError(_REFUSAL)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise RandomnessError(_REFUSAL)

    def __getstate__(self) -> NoReturn:
        raise RandomnessError(_REFUSAL)

    def __copy__(self) -> NoReturn:
        raise RandomnessError(_REFUSAL)

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise RandomnessError(_REFUSAL)


class _Cipher(_Uncopied, ChaCha):  # type: ignore[misc]  # compiled base class without stubs
    """ChaCha20 keystream that does not hand out its state and cannot be seeded, copied or pickled."""

    def __init__(self, key: int | None = None) -> None:
        super().__init__(key=secrets.randbits(KEY_BITS) if key is None else key, rounds=ROUNDS)
        self.owner = os.getpid()

    def renew(self) -> None:
        """Take a new key in place, so that every holder of this cipher draws afresh.

        Raises RandomnessError: a thread that a fork left behind holds the cipher's lock for ever.
        """
        if self.owner != os.getpid():
            if not self.lock.acquire(blocking=False):
                raise RandomnessError(
                    "this secure generator was in use by another thread when the process forked and cannot be used "
                    "here. Make one in the child: secure_generator()."
                )
            self.lock.release()
        fresh = ChaCha(key=secrets.randbits(KEY_BITS), rounds=ROUNDS).state
        ChaCha.state.__set__(self, {**fresh, "bit_generator": type(self).__name__})
        self.owner = os.getpid()

    @property
    def state(self) -> NoReturn:
        raise RandomnessError(_REFUSAL)

    def seed(self, seed: object = None, counter: object = None, key: object = None) -> None:
        """Refuse, once the key is set: what draws from a seed is no secure generator."""
        if hasattr(self, "owner"):
            raise RandomnessError("a secure generator cannot be seeded. For an experiment use seeded_generator(seed).")
        super().seed(seed, counter, key)  # the base class sets the first key through here


class SecureGenerator(_Uncopied, np.random.Generator):
    """NumPy ``Generator`` over ChaCha20 with a key from the operating system.

    ``key`` is for ``derived_generator`` alone: a key from elsewhere is as secret as its source. Raises RandomnessError:
    on any attempt to pickle, copy or spawn it.
    """

    def __init__(self, key: int | None = None) -> None:
        cipher = _Cipher(key)
        super().__init__(cipher)
        self._cipher = cipher
        _LIVING.add(self)

    def renew(self) -> None:
        """Take a new 256-bit key from the operating system."""
        self._cipher.renew()

    def crossed_fork(self) -> bool:
        """Tell whether this process is not the one that made the current key."""
        return self._cipher.owner != os.getpid()

    def spawn(self, n_children: int) -> NoReturn:
        """Refuse: children of one seed are for experiments; make a secure generator in each worker."""
        raise RandomnessError(_REFUSAL)


_LIVING: weakref.WeakSet[SecureGenerator] = weakref.WeakSet()
_LOCAL = threading.local()


def _renew_all_after_fork() -> None:
    """Give every generator that the child inherited a key of its own."""
    _LOCAL.__dict__.clear()
    for generator in list(_LIVING):
        # One that cannot be renewed stays locked; resolve() will say so.
        with contextlib.suppress(RandomnessError):
            generator.renew()


if hasattr(os, "register_at_fork"):  # absent where there is no fork
    os.register_at_fork(after_in_child=_renew_all_after_fork)


def secure_generator() -> SecureGenerator:
    """A new generator with a key of its own from the operating system."""
    return SecureGenerator()


SECRET_BYTES = 32  # length of a job's secret


def new_secret() -> bytes:
    """A secret for ``derived_generator``, from the operating system; keep it as you would keep the text."""
    return secrets.token_bytes(SECRET_BYTES)


def derived_generator(secret: bytes, *context: bytes) -> SecureGenerator:
    """A secure generator that repeats its draws for the same secret and context, and for nothing else.

    The key is BLAKE2b(context) under ``secret``. Name in the context everything that the draws are for, the
    private input first of all: two texts drawn for under one key would share their noise, and what
    they share would tell them apart.

    ``secret``: 32 bytes from ``new_secret``; ``context``: byte strings, told apart by their lengths. Raises
    RandomnessError: the secret has another length, or nothing is named.
    """
    if len(secret) != SECRET_BYTES or not context:
        raise RandomnessError(
            f"a derived generator must have a secret of {SECRET_BYTES} bytes and a context; "
            f"got {len(secret)} bytes and {len(context)} parts. Use new_secret()."
        )
    mixed = hashlib.blake2b(key=secret, digest_size=KEY_BITS // 8, person=b"textveil draws")
    for part in context:
        mixed.update(len(part).to_bytes(8, "little"))
        mixed.update(part)
    return SecureGenerator(int.from_bytes(mixed.digest(), "little"))


def seeded_generator(seed: int, *stream: int) -> np.random.Generator:
    """A repeatable generator for experiments (PCG64); never for release.

    ``seed``: a non-negative integer; ``stream``: numbers of an independent stream of the same seed; none for the seed's
    own. Raises ParameterError: seed is negative or not an integer.
    """
    need(isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0, "seed", seed, "an integer >= 0")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=stream)))


def resolve(rng: np.random.Generator | None) -> np.random.Generator:
    """The generator to draw from: ``None`` means this thread's secure one.

    A secure generator that crossed a fork unnoticed (a fork made outside Python) takes a new key here. Raises
    ParameterError: ``rng`` is neither None nor a NumPy Generator (a seed must be asked for by name).
    """
    if rng is None:
        generator: SecureGenerator | None = getattr(_LOCAL, "generator", None)
        if generator is None or generator.crossed_fork():
            # Not renewed but made anew: a thread that does not exist here may hold the old one's lock.
            generator = _LOCAL.generator = SecureGenerator()
        return generator
    if isinstance(rng, SecureGenerator) and rng.crossed_fork():
        rng.renew()
    need(
        isinstance(rng, np.random.Generator),
        "rng",
        type(rng).__name__,
        "None or a numpy.random.Generator",
        "Use seeded_generator(seed) for an experiment.",
    )
    return rng


def is_secure(rng: np.random.Generator | None) -> bool:
    """Tell whether draws from ``rng`` may be released: only the operating system's randomness may."""
    return rng is None or isinstance(rng, SecureGenerator)
