"""``textveil tune``: what policies and epsilons keep and hide on a sample; nothing is picked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli import options as opt
from textveil.errors import ParameterError
from textveil.json_text import json_text

if TYPE_CHECKING:
    from textveil.models.base import LanguageModel
    from textveil.tuning.tuning import Tuning
    from textveil.vocabulary.vocabulary import Vocabulary

POLICIES = "all-words,identifiers"
EPSILONS = "3,5,8"
DOCUMENTS = 1000
"""Of the sample, at most, where nothing else is asked: it bounds the time."""


def tune_command(
    source: Annotated[str, typer.Argument(metavar="SAMPLE", help="A file of text, or of records with --field.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the page, the figure and the numbers.")
    ],
    policies: Annotated[
        str, typer.Option(metavar="A,B,...", help="Policies, or mechanisms from: textveil mechanisms.")
    ] = POLICIES,
    epsilons: Annotated[
        str, typer.Option(metavar="E,E,...", help="For one word; policies that draw no words are released once.")
    ] = EPSILONS,
    label: Annotated[
        str | None, typer.Option(metavar="F", help="For records: field with the class of each, to learn from releases.")
    ] = None,
    detector: Annotated[
        str, typer.Option(metavar="NAME", help="Finds the entities that are counted: embedded, presidio, ...; or none.")
    ] = "embedded",
    entities: Annotated[
        bool, typer.Option("--entities", help="SAMPLE has labelled entities, as for: textveil detect --evaluate.")
    ] = False,
    public: Annotated[
        bool, typer.Option("--public", help="The sample is public text: no warning that tuning on it leaks.")
    ] = False,
    documents: Annotated[
        int, typer.Option(metavar="N", help="Read so many of the sample's documents, chosen at random.")
    ] = DOCUMENTS,
    repeats: Annotated[int, typer.Option(metavar="N", help="Splits into training and test documents.")] = 5,
    no_decoder: Annotated[
        bool, typer.Option("--no-decoder", help="Leave out what a decoder recovers: it takes longest.")
    ] = False,
    corpus_format: opt.FormatName = None,
    delimiter: opt.Delimiter = None,
    field: Annotated[str | None, opt.fields("field with the text.  [default: text]")] = None,
    as_json: opt.AsJson = False,
    vocabulary: opt.VocabularyPath = None,
    vocabulary_format: opt.VocabularyFormat = None,
    vocabulary_limit: opt.VocabularyLimit = None,
    seed: opt.Seed = None,
) -> None:
    """Compare policies and epsilons on a sample: accuracy of a task, entities still verbatim, words decoded."""
    from textveil.cli.labelled_texts import labelled_texts
    from textveil.cli.progress import counting
    from textveil.detection.detectors import detector_of
    from textveil.pages.plots import need_matplotlib
    from textveil.randomness import resolve, seeded_generator
    from textveil.tuning.candidates import candidates
    from textveil.tuning.page import checked_folder, write_results
    from textveil.tuning.sample import TuningSample, labelled_sample
    from textveil.tuning.tuning import tune

    if entities and (field or label or corpus_format or delimiter):
        raise ParameterError("--entities must stand without --field, --label and --format; got one. Tune twice.")
    grid = opt.numbers_in(epsilons, "--epsilons")
    need_matplotlib()
    learner = None
    if label is not None:
        from textveil.integrations.scikit_learn import TfidfLearner

        learner = TfidfLearner()
    finder = None if detector == "none" else detector_of(detector)
    folder = checked_folder(output)
    rng = resolve(None) if seed is None else seeded_generator(seed)
    with counting("reading", "bytes") as reading:
        if entities:
            sample = labelled_sample(source).part(documents, rng)
        else:
            texts, labels = labelled_texts(source, field, label, corpus_format, delimiter, reading)
            sample = TuningSample(tuple(texts), None if labels is None else tuple(labels)).part(documents, rng)
    if finder is not None and not entities:
        sample = sample.with_detected(finder)
    known = opt.load(vocabulary, vocabulary_format, vocabulary_limit)
    with counting("making mechanisms", "policies") as making:
        grid_of = candidates(opt.parts_of(policies), grid, known, None if seed is None else rng, making)
    with counting("tuning", "steps") as steps:
        run = tune(
            sample,
            grid_of,
            rng=rng,
            learner=learner,
            model=None if no_decoder else _model(known),
            repeats=repeats,
            public=public,
            seed=seed,
            progress=steps,
        )
    write_results(run, folder)
    sys.stdout.write(json_text(run.facts()) if as_json else _text(run))


def _model(vocabulary: Vocabulary) -> LanguageModel | None:
    """The embedded language model, where it is one of this vocabulary."""
    from textveil.models.ngram import embedded_language_model
    from textveil.vocabulary.embedded import load_vocabulary

    return embedded_language_model() if vocabulary.digest == load_vocabulary().digest else None


def _text(run: Tuning) -> str:
    """The run for a terminal."""
    from textveil.tuning.lines import (
        CHOOSES_NOTHING,
        LEAKS,
        about_entities,
        about_parts,
        about_recovery,
        about_task,
        aligned,
        kinds_of,
        kinds_table,
        main_table,
    )

    lines = [] if run.public else [LEAKS, ""]
    lines += [f"{run.documents:,} documents", *aligned(*main_table(run)), ""]
    if kinds_of(run):
        lines += [*aligned(*kinds_table(run)), "", *aligned(*kinds_table(run, in_part=True)), ""]
    lines += [
        one
        for one in (about_task(run), about_entities(run), about_parts(run), about_recovery(run), CHOOSES_NOTHING)
        if one
    ]
    quoted = "" if run.public else ", which quotes the sample: for the sender only"
    lines.append(f"Page: index.html in the folder of --output{quoted}. Numbers: tuning.json.")
    return "\n".join(lines) + "\n"
