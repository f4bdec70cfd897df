"""What a policy finds in a text, and what it is not sure enough of."""

from typing import Final, NamedTuple

from textveil.certificate.marks import Guess, Span
from textveil.sanitize.policy.finding import GUESS
from textveil.sanitize.policy.making import parts_of
from textveil.sanitize.policy.policy import Policy


class Found(NamedTuple):
    """Values of a text, by start.

    Attributes:
        spans: that the policy replaces.
        guesses: likely values below its threshold, which stay.
    """

    spans: tuple[Span, ...]
    guesses: tuple[Guess, ...]


class Finding:
    """Finds what a policy replaces in a text.

    ``policy``: one that finds spans. Raises ParameterError: it cannot be made.
    """

    def __init__(self, policy: Policy) -> None:
        parts = parts_of(policy)
        self._finder: Final = parts.finder
        self.kinds: Final = tuple(parts.surrogates)

    def __call__(self, text: str) -> Found:
        """Return what is found in a text, and guessed."""
        here = [
            span for span in self._finder.found_or_guessed(self._finder.readings([text]))[0] if span.kind in self.kinds
        ]
        return Found(
            tuple(Span(span.start, span.end, span.kind) for span in here if span.detector != GUESS),
            tuple(Guess(span.start, span.end, span.kind, span.score) for span in here if span.detector == GUESS),
        )
