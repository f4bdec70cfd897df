"""``textveil tune``: what policies and epsilons keep and hide on a sample; it picks none."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import GroupedCommand
from textveil.errors import ParameterError
from textveil.json_text import json_text
from textveil_lab.commands.arguments import labelled, numbers_in

if TYPE_CHECKING:
    import numpy as np

    from textveil.models.language_model import LanguageModel
    from textveil.vocabulary.vocabulary import Vocabulary
    from textveil_lab.estimation.scikit_learn import TfidfLearner
    from textveil_lab.tuning.tuning import Tuning
    from textveil_lab.tuning.verbatim import TuningSample

POLICIES = "all-words,identifiers"
EPSILONS = "3,5,8"
DOCUMENTS = 1000  # Of the sample, at most, if nothing else is asked: it bounds the time


@dataclass(frozen=True, kw_only=True)
class _CandidateOptions:
    policies: Annotated[str, opt.option("A,B,...", "Policies, or mechanisms from: textveil mechanisms.")] = POLICIES
    epsilons: Annotated[str, opt.option("E,E,...", "For one word; policies that draw no words are released once.")] = (
        EPSILONS
    )


@dataclass(frozen=True, kw_only=True)
class _MeasureOptions:
    label: Annotated[
        str | None, opt.option("F", "For records: field with the class of each, to learn from releases.")
    ] = None
    detector: Annotated[
        str, opt.option("NAME", "Finds the entities that are counted: embedded, presidio, ...; or none.")
    ] = "embedded"
    entities: Annotated[
        bool, opt.flag("--entities", "SAMPLE has labelled entities, as for: textveil detect --evaluate.")
    ] = False
    public: Annotated[bool, opt.flag("--public", "The sample is public text: no warning that tuning on it leaks.")] = (
        False
    )
    documents: Annotated[int, opt.option("N", "Read so many of the sample's documents, chosen at random.")] = DOCUMENTS
    repeats: Annotated[int, opt.option("N", "Splits into training and test documents.")] = 5
    no_decoder: Annotated[bool, opt.flag("--no-decoder", "Leave out what a decoder recovers: it takes longest.")] = (
        False
    )

    def sample(self, source: str, formats: opt.SampleOptions, rng: np.random.Generator) -> TuningSample:
        from textveil.cli.progress import counting
        from textveil.detection.detectors import detector_of
        from textveil_lab.tuning.verbatim import TuningSample, labelled_sample

        finder = None if self.detector == "none" else detector_of(self.detector)
        if self.entities:
            return labelled_sample(source).part(self.documents, rng)
        with counting("reading", "bytes") as reading:
            texts, labels = labelled(formats, source, self.label, reading)
            sample = TuningSample(tuple(texts), None if labels is None else tuple(labels)).part(self.documents, rng)
        return sample if finder is None else sample.with_detected(finder)


@opt.grouped
def tune_command(
    *,
    source: Annotated[str, typer.Argument(metavar="SAMPLE", help="A file of text, or of records with --field.")],
    output: Annotated[
        Path, opt.option("DIR", "Folder for the page, the figure and the numbers.", None, "--output", "-o")
    ],
    compared: _CandidateOptions,
    measures: _MeasureOptions,
    formats: opt.SampleOptions,
    as_json: opt.AsJson = False,
    vocabulary: opt.VocabularyOptions,
    seed: opt.Seed = None,
) -> None:
    """Compare policies and epsilons on a sample: task accuracy, entities still verbatim, decoded words."""
    from textveil.cli.progress import counting
    from textveil.randomness import resolve, seeded_generator
    from textveil_lab.plots import need_matplotlib
    from textveil_lab.tuning.page import NUMBERS, checked_folder, write_results
    from textveil_lab.tuning.tuning import candidates, tune

    if measures.entities and (formats.given or measures.label):
        raise ParameterError("--entities must stand without --field, --label and --format; got one. Tune twice.")
    epsilons = numbers_in(compared.epsilons, "--epsilons")
    need_matplotlib()
    learner = None if measures.label is None else _learner()
    folder = checked_folder(output)
    outputs = opt.Outputs(folder / NUMBERS)
    rng = resolve(None) if seed is None else seeded_generator(seed)
    sample = measures.sample(source, formats, rng)
    words = vocabulary.load()
    with counting("making mechanisms", "policies") as making:
        grid = candidates(opt.parts_of(compared.policies), epsilons, words, None if seed is None else rng, making)
    with counting("tuning", "steps") as steps:
        run = tune(
            sample,
            grid,
            rng=rng,
            learner=learner,
            model=None if measures.no_decoder else _model(words),
            repeats=measures.repeats,
            public=measures.public,
            seed=seed,
            progress=steps,
        )
    write_results(run, folder)
    sys.stdout.write(json_text(run.facts()) if as_json else _text(run))
    outputs.tell()


def _learner() -> TfidfLearner:
    from textveil_lab.estimation.scikit_learn import TfidfLearner

    return TfidfLearner()


def _model(vocabulary: Vocabulary) -> LanguageModel | None:
    from textveil.models.ngram import embedded_language_model
    from textveil.vocabulary.embedded import load_vocabulary

    return embedded_language_model() if vocabulary.digest == load_vocabulary().digest else None


def _text(run: Tuning) -> str:
    from textveil_lab.tuning.lines import (
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
        line
        for line in (about_task(run), about_entities(run), about_parts(run), about_recovery(run), CHOOSES_NOTHING)
        if line
    ]
    quoted = "" if run.public else ", which quotes the sample: for the sender only"
    lines.append(f"Page: index.html in the folder of --output{quoted}. Numbers: tuning.json.")
    return "\n".join(lines) + "\n"


app = typer.Typer(add_completion=False, rich_markup_mode=None)
app.command("tune", cls=GroupedCommand)(tune_command)
