"""``textveil rewrite``: trains an auto-encoder on public text, and rewrites a corpus with noise at a stated place."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import MechanismCommand, given, make
from textveil.errors import ParameterError, need
from textveil.json_text import json_text
from textveil_lab.commands.arguments import MechanismOrNone

if TYPE_CHECKING:
    from textveil.privacy.guarantees import Guarantee
    from textveil.vocabulary.vocabulary import Vocabulary
    from textveil_lab.models.autoencoder.network import AutoencoderSettings
    from textveil_lab.rewriting.injection import Feeding, Injection
    from textveil_lab.rewriting.rewriter import Rewriter

_NETWORK = "Network and training"  # Heading of help
TRAINING_SEED = 0  # Of training if no seed is given: its text is public, so nothing is hidden by drawing anew
E = TypeVar("E", bound=Enum)


def _training(metavar: str, about: str) -> Any:
    return typer.Option(metavar=metavar, help=about, rich_help_panel=_NETWORK)


app = typer.Typer(add_completion=False, context_settings={"help_option_names": ["-h", "--help"]})


@app.command(cls=MechanismCommand)
def rewrite_command(
    context: typer.Context,
    source: opt.Sources = None,
    output: opt.Output = None,
    train: Annotated[
        list[str] | None,
        typer.Option("--train", metavar="FILE", help="Public text to train on, any number of times; as INPUT is."),
    ] = None,
    network: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder of the network: kept there with --train, epoch by epoch; else read there."
        ),
    ] = None,
    mechanism: MechanismOrNone = None,
    place: Annotated[
        str, typer.Option(metavar="NAME", help="Where the mechanism acts: each-token, encoder-input, embedding-table.")
    ] = "each-token",
    feeding: Annotated[
        str, typer.Option(metavar="NAME", help="What the decoder is told: free (its own words), released, clean.")
    ] = "free",
    decoding: Annotated[str, typer.Option(metavar="NAME", help="greedy or sampled.")] = "greedy",
    temperature: Annotated[float, typer.Option(metavar="T", help="Of sampled words.")] = 1.0,
    same_length: Annotated[bool, typer.Option("--same-length", help="As many words as each sentence had.")] = False,
    allow_refuted: Annotated[
        bool, typer.Option("--allow-refuted", help="Run a mechanism whose claim is refuted; nothing is promised then.")
    ] = False,
    words: Annotated[int, _training("N", "The most common words of --train that are used.")] = 10_000,
    random_vectors: Annotated[
        bool,
        typer.Option("--random-vectors", help="Begin with drawn vectors of the same words.", rich_help_panel=_NETWORK),
    ] = False,
    epochs: Annotated[int, _training("N", "Passes over --train.")] = 100,
    batch: Annotated[int, _training("N", "Sentences of a step.")] = 1024,
    hidden: Annotated[int, _training("N", "Numbers of an LSTM's state.")] = 256,
    dropout: Annotated[float, _training("P", "Share that is left out in training.")] = 0.5,
    learning_rate: Annotated[float, _training("R", "Of Adam.")] = 0.01,
    length: Annotated[int, _training("N", "Words of a sentence; longer ones are cut.")] = 32,
    precision: Annotated[str, _training("NAME", "Of products in training: float32 or bfloat16.")] = "float32",
    device: Annotated[str, _training("NAME", "Where torch computes: cpu, cuda.")] = "cpu",
    tokenized: Annotated[
        bool, typer.Option("--tokenized", help="Tokens stand between spaces, marks too; a line is a sentence.")
    ] = False,
    corpus_format: opt.FormatName = None,
    delimiter: opt.Delimiter = None,
    field: Annotated[str | None, opt.fields("field with the text.  [default: text]")] = None,
    as_json: opt.AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No summary on standard error.")] = False,
    vocabulary: opt.VocabularyPath = None,
    vocabulary_format: opt.VocabularyFormat = None,
    vocabulary_limit: opt.VocabularyLimit = None,
    seed: opt.Seed = None,
) -> None:
    """Rewrite texts by an auto-encoder, with a mechanism's words or noise at a stated place; a line for each text.

    The guarantee for the rewritten texts is printed. The text of --train has no guarantee: the network learns its words
    as they are, so it must be public.
    """
    from textveil.corpora.sources import one_file
    from textveil_lab.models.autoencoder.corpora import sentences_of
    from textveil_lab.models.autoencoder.network import AutoencoderSettings
    from textveil_lab.rewriting.injection import Feeding, Place

    # Everything that can be wrong with the options is found before a network is trained.
    where, fed = _member(Place, place, "place"), _member(Feeding, feeding, "feeding")
    need(decoding in ("greedy", "sampled"), "decoding", decoding, "greedy or sampled")
    need(not as_json or output is not None, "output", "none", "given with `as_json`")
    if not train and network is None:
        raise ParameterError("--train or --network must be given; got neither. Name public text to train on.")
    if mechanism is None and given(context):
        raise ParameterError("--mechanism must be given with options of mechanisms; got none.")
    settings = AutoencoderSettings(
        hidden=hidden,
        dropout=dropout,
        learning_rate=learning_rate,
        batch=batch,
        epochs=epochs,
        length=length,
        precision=cast(Literal["float32", "bfloat16"], precision),
    )
    reading = _Reading(field, corpus_format, delimiter)
    inputs, public = reading.files(source or ["-"]), reading.files(train or [])
    _check_output(output, (*inputs, *public))
    learned = None if not train else reading.texts(public)
    rewriter = _rewriter(
        context, learned, network, mechanism, where, settings, device,
        known=(vocabulary, vocabulary_format, vocabulary_limit),
        words=words, random_vectors=random_vectors, tokenized=tokenized, seed=seed, allow_refuted=allow_refuted,
    )  # fmt: skip
    found = sentences_of(
        reading.texts(inputs), rewriter.vocabulary, length=rewriter.settings.length, tokenized=tokenized
    )
    same = any(one_file(name, Path(other)) or name == other for name in inputs for other in public)
    promise = rewriter.promise(found.sentences, fed, trained_on=same)
    said = []
    if found.sentences:
        said = rewriter.rewrite(
            found.sentences,
            seed=seed,
            feeding=fed,
            decoding=cast(Literal["greedy", "sampled"], decoding),
            temperature=temperature,
            same_length=same_length,
        )
    outputs = opt.Outputs(output)
    _write("".join(f"{line}\n" for line in found.written(said, rewriter.vocabulary)), output)
    _tell(rewriter, fed, promise, len(said), seed, as_json, quiet)
    outputs.tell(quiet=quiet)


class _Reading:
    def __init__(self, field: str | None, corpus_format: str | None, delimiter: str | None) -> None:
        from textveil.corpora.formats.choice import FormatChoice

        self._choice = FormatChoice(
            corpus_format=corpus_format, sanitized=() if field is None else (field,), delimiter=delimiter
        )

    def files(self, patterns: list[str]) -> tuple[str, ...]:
        """Return the inputs behind names and patterns; refuse if there is none."""
        return opt.inputs_of(patterns, self._choice) if patterns else ()

    def texts(self, inputs: tuple[str, ...]) -> list[str]:
        """Return the texts of all inputs; an empty one stays."""
        from textveil.cli.progress import counting
        from textveil.corpora.inputs import released_blocks

        texts: list[str] = []
        with counting("reading", "bytes", inputs) as progress:
            for block in released_blocks(self._choice.reader(inputs), inputs, progress):
                texts += [" ".join(parts) for parts in block.records.texts]
        return texts


def _rewriter(
    context: typer.Context,
    learned: list[str] | None,
    folder: Path | None,
    name: str | None,
    place: Any,
    settings: AutoencoderSettings,
    device: str,
    *,
    known: tuple[Path | None, str | None, int | None],
    words: int,
    random_vectors: bool,
    tokenized: bool,
    seed: int | None,
    allow_refuted: bool,
) -> Rewriter:
    from textveil.cli.progress import counting
    from textveil.vocabulary.vocabulary import SMALLEST
    from textveil_lab.models.autoencoder.coder import keep_words, kept_words
    from textveil_lab.models.autoencoder.corpora import common_words, drawn_vectors, sentences_of
    from textveil_lab.rewriting.rewriter import load_rewriter, train_rewriter

    if learned is None:
        assert folder is not None
        vocabulary = kept_words(folder)
        injection = _injection(context, name, place, vocabulary, allow_refuted)
        return load_rewriter(folder, vocabulary, device, injection=injection)
    need(words >= SMALLEST, "words", words, f">= {SMALLEST}")
    vocabulary = common_words(learned, opt.load(*known), words, tokenized=tokenized)
    training_seed = TRAINING_SEED if seed is None else seed
    if random_vectors:
        vocabulary = drawn_vectors(vocabulary, seed=training_seed)
    injection = _injection(context, name, place, vocabulary, allow_refuted)
    sentences = sentences_of(learned, vocabulary, length=settings.length, tokenized=tokenized).sentences
    if folder is not None:
        keep_words(vocabulary, folder)
    with counting("training", "steps") as progress:
        return train_rewriter(
            sentences,
            vocabulary,
            settings,
            injection,
            seed=training_seed,
            device=device,
            progress=progress,
            checkpoint=folder,
        )


def _injection(
    context: typer.Context, name: str | None, place: Any, vocabulary: Vocabulary, allow_refuted: bool
) -> Injection:
    from textveil.catalog import promised
    from textveil.errors import UnsupportedGuarantee
    from textveil.mechanisms.kinds import TextMechanism, drawing_text
    from textveil_lab.rewriting.injection import Injection

    if name is None:
        return Injection.none()
    mechanism = drawing_text(make(context, name, vocabulary), "rewriting")
    if isinstance(mechanism, TextMechanism):
        raise UnsupportedGuarantee(f"rewriting needs a mechanism of words; got {name}, which draws for whole texts.")
    promised(mechanism, allow_refuted=allow_refuted)
    return Injection.of(mechanism, place)


def _member(kind: type[E], name: str, option: str) -> E:
    names = [one.value for one in kind]
    need(name in names, option, name, f"one of {', '.join(names)}")
    return kind(name)


def _write(text: str, output: Path | None) -> None:
    from textveil.whole_files import write_whole

    if output is not None and str(output) != "-":
        write_whole(output, text.encode("utf-8"))
    elif sys.stdout is not None:
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.flush()


def _check_output(output: Path | None, inputs: tuple[str, ...]) -> None:
    from textveil.corpora.sources import one_file
    from textveil.whole_files import check_folder

    if output is None or str(output) == "-":
        return
    check_folder(output)
    if any(one_file(name, output) for name in inputs):
        raise ParameterError("the input, --train and --output must be different files; got one twice. Name another.")


def _tell(
    rewriter: Rewriter,
    feeding: Feeding,
    promise: Guarantee,
    sentences: int,
    seed: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    if as_json:
        facts = {
            "sentences": sentences,
            "injection": rewriter.injection.to_data(),
            "feeding": feeding.value,
            "guarantee": promise.to_data(),
            "for_release": seed is None and promise.promises,
            "settings": rewriter.settings.to_data(),
            "losses": list(rewriter.losses),
            "seconds": list(rewriter.seconds),
        }
        sys.stdout.write(json_text(facts))
    if quiet:
        return
    last = f"{rewriter.losses[-1]:.3f} nats a token after {len(rewriter.losses)} epochs" if rewriter.losses else "none"
    sys.stderr.write(f"sentences   {sentences} rewritten\nloss        {last}, on the text of --train\n")
    sys.stderr.write(f"guarantee   of a token of the input: {promise}; of the text of --train: none\n")
    if seed is not None:
        sys.stderr.write("not for release: the draws come from a seed\n")
