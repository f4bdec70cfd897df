"""``textveil explain``: the distribution of one word's output, or of the vocabulary's words on average."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import make
from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.json_text import json_text

if TYPE_CHECKING:
    from textveil.mechanisms.kinds import Mechanism
    from textveil.privacy.guarantees import ApproximateDP


@opt.grouped
def explain_command(
    context: typer.Context,
    *,
    mechanism: opt.MechanismName = "neighborhood",
    word: str | None = opt.value("W", "The word to explain.  [default: an average over all]"),
    top: int = opt.value("K", "Likeliest outputs to list.", default=10),
    samples: int = opt.value("N", "Draws, for mechanisms whose distribution is not a finite table.", default=20_000),
    reports: int | None = opt.value(
        "N",
        "Say too what one word costs its person where N people send one each, released in random order by a "
        "shuffler that is trusted.",
    ),
    as_json: opt.AsJson = False,
    vocabulary: opt.VocabularyOptions,
    seed: opt.Seed = None,
) -> None:
    """Show what one word becomes: its likeliest outputs, and how often it stays or stays close.

    Of what releases vectors or sets: how well the two inputs that differ most are told apart.
    """
    from textveil.mechanisms.kinds import Channel, SetMechanism, VectorMechanism
    from textveil.randomness import seeded_generator
    from textveil.sanitize.explanation import Explanation, ReleaseExplanation, TextExplanation, explain, explain_release

    words = vocabulary.load()
    chosen = make(context, mechanism, words)
    if seed is not None and isinstance(chosen, Channel):
        raise ParameterError(
            f"--seed is for distributions that are sampled; the distribution of {chosen.name} is exact. Leave it out."
        )
    rng = None if seed is None else seeded_generator(seed)
    explanation: Explanation | TextExplanation | ReleaseExplanation
    if isinstance(chosen, VectorMechanism | SetMechanism):
        if word is not None:
            raise ParameterError(f"--word must be left out: {chosen.name} releases no words.")
        explanation = explain_release(chosen, samples=samples, rng=rng)
    else:
        explanation = explain(chosen, word, top=top, samples=samples, rng=rng)
    data, lines = explanation.to_data(), explanation.summary()
    if reports is not None:
        after = _shuffled(chosen, reports)
        data["shuffled"] = {"reports": reports, **after.to_data()}
        lines += f"\nshuffled           {after} for one of {reports:,} people with one word each, in random order"
    sys.stdout.write(json_text(data) if as_json else lines + "\n")


def _shuffled(mechanism: Mechanism, reports: int) -> ApproximateDP:
    """What one report costs among so many that are released in random order, at the delta of composition.

    Raises:
        UnsupportedGuarantee: the guarantee is not of one word, for any two words, or is not pure.
    """
    from textveil.catalog import guarantee_of
    from textveil.mechanisms.capabilities import BaseDraws
    from textveil.privacy.accountant import DELTA
    from textveil.privacy.shuffling import shuffled
    from textveil.privacy.units import ONE_TOKEN

    if mechanism.guarantee.adjacency != ONE_TOKEN:
        raise UnsupportedGuarantee(
            f"`reports` needs a guarantee of one token for any two words; got one of {mechanism.guarantee.adjacency}. "
            "Leave it out."
        )
    base_mass = mechanism.base_mass if isinstance(mechanism, BaseDraws) else None
    return shuffled(guarantee_of(mechanism).pure(), reports, DELTA, base_mass)
