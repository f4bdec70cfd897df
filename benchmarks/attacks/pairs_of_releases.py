"""How many pairs of texts are told apart that agree in every fact that a policy lists as public, and differ in others.

At epsilon 0 one seed must give both texts of a pair one release, character for character, and one report: a difference
is a fact that tells texts apart and is not listed. For every surrogate, with one draw a value of a document and with
one a mention.

    python benchmarks/attacks/pairs_of_releases.py [--pairs 200] [--seed 1]

Exits 1 where a pair is told apart.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, final

import numpy as np
from pairs_of_values import VALUES, Writer

from textveil.detection.spans import DetectedSpan
from textveil.sanitize.policy.policy import Action, Policy, Rule
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.making import SURROGATE_ENTRIES

Scope = Literal["mention", "document"]

KIND = "value"
MENTIONS = 6
_OPTIONS: dict[str, dict[str, Any]] = {
    "pool": {"words": ["red", "green", "blue", "gray", "pink"]},
    "date-window": {"within": 365},
}


@final
class Marked:
    """Finds what stands between two marks."""

    name = "marked"
    kinds = (KIND,)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``."""
        marked = re.compile(r"(?<=<<).+?(?=>>)", re.DOTALL)
        return [[DetectedSpan(*one.span(), KIND, 1.0, self.name) for one in marked.finditer(text)] for text in texts]


@final
class Told(NamedTuple):
    """Pairs of one surrogate in one scope: how many differ as texts, and how many of those as releases or reports."""

    different: int
    releases: int
    reports: int


def sanitizer_of(surrogate: str, scope: Scope) -> Sanitizer:
    """Keeps all but the marked values; its releases are stamped as seeded."""
    options = _OPTIONS.get(surrogate, {})
    epsilon = 1.0 if SURROGATE_ENTRIES[surrogate].needs_epsilon else None
    drawn = Rule(kind=KIND, action=Action.SURROGATE, name=surrogate, epsilon=epsilon, options=options)
    rules = (Rule(kind="word", action=Action.KEEP), drawn)
    policy = Policy(name="pairs", rules=rules, detectors=(Marked(),), marks="keep", scope=scope)
    return Sanitizer(policy, rng=np.random.default_rng(0))


def scopes_of(surrogate: str) -> tuple[Scope, ...]:
    """Those that it can have: one shift of all dates has no mention for itself."""
    return ("document",) if SURROGATE_ENTRIES[surrogate].needs_epsilon else ("document", "mention")


def text_of(surrogate: str, scope: Scope, form: int, own: int) -> str:
    """A text of a pair: two with one ``form`` agree in what is public."""
    writer, values = Writer(form, own), []
    for _ in range(MENTIONS):
        values.append(VALUES[surrogate](writer))
        if scope == "mention":
            writer.forget()
    return "; ".join(f"seen <<{value}>>" for value in values)


def told_apart(surrogate: str, scope: Scope, pairs: int, seed: int) -> Told:
    """Draw so many pairs, and release both texts of each with one seed."""
    sanitizer, numbers = sanitizer_of(surrogate, scope), np.random.default_rng(seed).integers(1 << 62, size=(pairs, 4))
    counts = np.zeros(3, dtype=np.int64)
    for form, first, second, drawn in numbers.tolist():
        texts = [text_of(surrogate, scope, form, own) for own in (first, second)]
        one, other = (sanitizer.batch([text], rng=np.random.default_rng(drawn))[0] for text in texts)
        differ = (texts[0] != texts[1], one.text != other.text, one.report().to_data() != other.report().to_data())
        counts += np.array(differ, dtype=np.int64)
    return Told(*counts.tolist())


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each surrogate and scope; 1 where a pair was told apart."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=200, help="of each surrogate in each scope")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    total = Told(0, 0, 0)
    print(f"{'surrogate':<14} {'scope':<9} {'pairs':>7} {'by the text':>12} {'by the report':>14}")
    for surrogate in SURROGATE_ENTRIES:
        for scope in scopes_of(surrogate):
            told = told_apart(surrogate, scope, options.pairs, options.seed)
            print(f"{surrogate:<14} {scope:<9} {told.different:>7,} {told.releases:>12,} {told.reports:>14,}")
            total = Told(*(sum(both) for both in zip(total, told, strict=True)))
    print(f"{'all':<24} {total.different:>7,} {total.releases:>12,} {total.reports:>14,}")
    return int(total.releases + total.reports > 0)


if __name__ == "__main__":
    sys.exit(main())
