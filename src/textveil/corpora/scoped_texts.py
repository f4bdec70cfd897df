"""Values of records without secrets and persons: those of one trace, or of one conversation, share surrogates.

A group of values is cleaned as a file of a transcript is. What the values of a scope told before is remembered: a name
that a later group says alone is found, and one person has one surrogate. The scopes that were used least are forgotten.
"""

import json
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from textveil.corpora.cleaning import PERSONS, SECRETS, Cleaner, Memory, checked_policy
from textveil.corpora.transcripts import Transcript
from textveil.errors import InputError
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.policy.policy import Policy
from textveil.text.patterns import time_limit

Values: TypeAlias = Sequence[tuple[str, str]]  # the key of each, and its text

_SCOPES: Final = 2_000  # that are remembered


def policy_of(name: str | None) -> Policy:
    """Return the policy of a name, for ``ScopedTexts``. Raises ParameterError: as there."""
    return checked_policy(policy(name or "prompts"))


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
