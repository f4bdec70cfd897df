"""``textveil explain``: the distribution of one word's output, or of the vocabulary's words on average."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from textveil.cli import options as opt
from textveil.errors import ParameterError


def explain_command(
    mechanism: opt.Mechanism_ = "neighborhood",
    epsilon: opt.Epsilon = None,
    epsilon_per_distance: opt.EpsilonPerDistance = None,
    delta: opt.Delta = None,
    word: Annotated[
        str | None,
        typer.Option("--word", "-w", metavar="W", help="The word to explain.  [default: an average over all]"),
    ] = None,
    top: Annotated[int, typer.Option(metavar="K", help="Likeliest outputs to list.")] = 10,
    samples: Annotated[
        int, typer.Option(metavar="N", help="Draws, for mechanisms whose distribution is not a finite table.")
    ] = 20_000,
    as_json: opt.AsJson = False,
    clip: opt.Clip = None,
    no_clip: opt.NoClip = False,
    neighborhood_size: opt.NeighborhoodSize = None,
    metric: opt.Metric = None,
    neighbors: opt.Neighbors = None,
    hops: opt.Hops = None,
    calibration: opt.Calibration = None,
    rank_constant: opt.RankConstant = None,
    projection: opt.Projection = None,
    noise_dim: opt.NoiseDim = None,
    vocabulary: opt.VocabularyPath = None,
    vocabulary_format: opt.VocabularyFormat = None,
    vocabulary_limit: opt.VocabularyLimit = None,
    seed: opt.Seed = None,
) -> None:
    """Show what one word becomes: its likeliest outputs, and how often it stays or stays close."""
    from textveil.mechanisms.base import Channel
    from textveil.randomness import seeded_generator
    from textveil.sanitize.explanation import explain

    words = opt.load(vocabulary, vocabulary_format, vocabulary_limit)
    chosen = opt.make(
        mechanism,
        words,
        epsilon=epsilon,
        epsilon_per_distance=epsilon_per_distance,
        delta=delta,
        clip=clip,
        no_clip=no_clip,
        neighborhood_size=neighborhood_size,
        metric=metric,
        neighbors=neighbors,
        hops=hops,
        calibration=calibration,
        rank_constant=rank_constant,
        projection=projection,
        noise_dim=noise_dim,
    )
    if seed is not None and isinstance(chosen, Channel):
        raise ParameterError(
            f"--seed is for distributions that are sampled; the distribution of {chosen.name} is exact. Leave it out."
        )
    rng = None if seed is None else seeded_generator(seed)
    found = explain(chosen, word, top=top, samples=samples, rng=rng)
    sys.stdout.write(json.dumps(found.as_dict(), indent=2) + "\n" if as_json else found.summary() + "\n")
