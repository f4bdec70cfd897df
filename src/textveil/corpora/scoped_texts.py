"""Values of records without secrets and persons: those of one trace, or of one conversation, share surrogates.

A group of values is cleaned as a file of a transcript is. What the values of a scope told before is remembered: a name
that a later group says alone is found, and one person has one surrogate. The scopes that were used least are forgotten.
"""

import codecs
import contextlib
import itertools
import json
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from textveil.corpora.cleaning import PERSONS, SECRETS, Cleaner, Memory, checked_policy
from textveil.corpora.transcripts import Transcript, holds_token
from textveil.errors import InputError
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.policy.policy import Policy
from textveil.text.patterns import time_limit

Values: TypeAlias = Sequence[tuple[str, str]]  # the key of each, and its text

_SCOPES: Final = 2_000  # that are remembered


def policy_of(name: str | None) -> Policy:
    """Return the policy of a name, for ``ScopedTexts``. Raises ParameterError: as there."""
    return checked_policy(policy(name or "prompts"))


class PlainKeys:
    """Keys of attributes that say nothing of a person, and what stands for the others.

    A key is searched as it is written, and as words. One in which something is found, one with many digits, one that
    looks drawn and a long one become ``drawn_attribute_1`` and so on.
    """

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._numbers = itertools.count(1)

    def learn(self, keys: Iterable[str], cleaned: Callable[[list[Values]], Sequence[Sequence[str] | None]]) -> None:
        """Search keys that were not seen yet; ``cleaned`` returns the texts of groups, None where it fails."""
        if len(self._known) > _KEYS:
            self._known.clear()
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        read = [key for key in new if not _is_telling(key)]
        answers = cleaned([[("", key), ("", _as_words(key))] for key in read]) if read else ()
        stays = {
            key
            for key, said in zip(read, answers, strict=True)
            if said is not None and _same(key, said[0]) and _same(_as_words(key), said[1])
        }
        for key in new:
            self._known[key] = key if key in stays else f"drawn_attribute_{next(self._numbers)}"

    def of(self, key: str) -> str:
        """Return a key that was learned, or what stands for it."""
        return self._known[key]


_KEYS: Final = 10_000  # that are remembered
_LONGEST_KEY: Final = 120
_MOST_DIGITS: Final = 6
_OF_PROGRAMS: Final = frozenset((
    "cassandra", "coldstart", "delta", "faas", "idempotence", "lineno", "lon", "mac", "max", "retries",
))  # fmt: skip
"""Words of keys of programs that a search takes for names."""
_BETWEEN_WORDS: Final = re.compile(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])")


def _as_words(key: str) -> str:
    return _BETWEEN_WORDS.sub(" ", key).strip()


def _same(text: str, said: str) -> bool:
    """Tell whether a search found nothing in a key, but for words of programs."""
    words, others = _as_words(text).split(), _as_words(said).split()
    changed = [word for word, other in zip(words, others, strict=False) if word != other]
    return text == said or (len(words) == len(others) and bool(changed) and _OF_PROGRAMS.issuperset(changed))


def _is_telling(key: str) -> bool:
    digits = sum(map(str.isdigit, key))
    drawn = any(len(re.findall(r"\d+", part)) > 2 or len(part) > 30 for part in re.split(r"[\W_]+", key))
    return len(key) > _LONGEST_KEY or digits > _MOST_DIGITS or drawn or holds_token(key)


def text_of_bytes(data: bytes | bytearray | memoryview) -> tuple[str, str] | None:
    """Return the text that bytes are, and its encoding; None if they are no text for sure: nobody would read it."""
    raw = bytes(data)
    marked = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    for encoding in ("utf-16",) if marked else ("utf-8", "utf-16-le", "utf-16-be", "cp1252"):
        with contextlib.suppress(UnicodeDecodeError):
            text = raw.decode(encoding)
            # letters of one byte, two by two, look like Chinese
            unsure = raw[2:].isascii() and b"\0" not in raw if marked else encoding[4:6] == "16" and max(text) >= _WIDE
            if not (unsure or _CONTROLS.search(text)):
                return text, encoding
    return None


_WIDE: Final = "\u0600"
_CONTROLS: Final = re.compile(r"[\0-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f-\x9f]")


class ScopedTexts:
    """Cleans groups of values.

    Args:
        policy_name: a policy that keeps words, by name or path, of which all is replaced; None is ``prompts``, of which
            secrets and persons are.

    Raises ParameterError: it draws words, or finds nothing.
    """

    def __init__(self, policy_name: str | None = None) -> None:
        kinds = None if policy_name else (*SECRETS, *PERSONS)
        self._cleaner = Cleaner(policy_of(policy_name), kinds)
        self._memories: OrderedDict[str, Memory] = OrderedDict()

    def cleaned(self, scope: str, values: Values) -> list[str]:
        """Return the texts of values in the same order; ``scope``: empty for a group that shares nothing.

        Raises InputError: a text takes too long.
        """
        transcript, memory = Transcript(), self._memory(scope)
        places = [transcript.value(key, text) for key, text in values]
        released = self._cleaner.released(transcript, self._cleaner.found(transcript, memory), memory)
        return [transcript.written(numbers, released) for numbers in places]

    def _memory(self, scope: str) -> Memory:
        if not scope:
            return Memory()
        memory = self._memories.setdefault(scope, Memory())
        self._memories.move_to_end(scope)
        if len(self._memories) > _SCOPES:
            self._memories.popitem(last=False)
        return memory


_made = lru_cache(ScopedTexts)


def cleaned_groups(policy_name: str | None, groups: Sequence[tuple[str, Values]], seconds: float) -> list[str | None]:
    """Clean groups of values, each with its scope, in a process that does it for another: JSON, None where one fails.

    ``seconds``: of processor time that a group may take.
    """
    texts, answers = _made(policy_name), list[str | None]()
    for scope, values in groups:
        try:
            with time_limit(seconds):
                answers.append(json.dumps(texts.cleaned(scope, values)))
        except InputError:
            answers.append(None)
    return answers
