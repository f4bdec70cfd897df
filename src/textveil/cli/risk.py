"""``textveil risk``: what an attacker can do with a release whose originals are at hand."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import renamed
from textveil.cli.progress import counting, tell
from textveil.errors import InputError, ParameterError, need
from textveil.json_text import json_text
from textveil.pages.messages import row, said
from textveil.whole_files import results_folder, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textveil.risk.blanking import Blanked
    from textveil.risk.language_model import ModelAttack
    from textveil.risk.linkage import Linkage
    from textveil.risk.population import Marginals
    from textveil.risk.report import Release, RiskReport

NUMBERS = "risk.json"
BLANKED = "blanked"  # name of the release with further blanks, before the ending of RELEASE
FEWER_THAN = 5  # people whom attributes fit, for a group that counts as small
REQUESTS = 100  # to a language model at most, where nothing else is asked
DOCUMENTS = 1000  # records that are attacked at most, where nothing else is asked: it bounds the time


@dataclass(frozen=True, kw_only=True)
class _AttackOptions:
    background: str | None = opt.value(
        "FILE", "Public texts: the n-th is about the person of the n-th record; those behind them are about others."
    )
    policies: str = opt.value(
        "A,B,...",
        "Release the originals by these policies too and compare: names, NAME:8 for an epsilon, NAME:low for a "
        "level, or TOML files.",
        default="",
    )
    encoder: Path | None = opt.value("DIR", "Folder of a sentence encoder, to compare meanings too; takes longest.")
    limit: float | None = opt.value(
        "SHARE",
        "Blank words of RELEASE until at least 1 / SHARE persons fit each record as well, and attack the result by "
        "others. It is written to the folder of --output.",
    )
    documents: int = opt.value("N", "Attack so many records, chosen at random.", default=DOCUMENTS)
    unit: str | None = opt.record_field(
        "field of ORIGINAL that names the person. Intervals then hold over persons.  [default: each record is one]"
    )


_POPULATION = "People who share what is left"  # heading of help


@dataclass(frozen=True, kw_only=True)
class _PopulationOptions:
    marginals: Path | None = opt.value(
        "FILE.csv", "Public shares of the population: attribute,value,share in each row.", _POPULATION
    )
    population: int | None = opt.value("N", "How many people the population has.", _POPULATION)
    fewer_than: int = opt.value("K", "People who make a group that counts as small.", _POPULATION, default=FEWER_THAN)

    def read(self) -> Marginals | None:
        from textveil.risk.population import read_marginals

        if self.marginals is None:
            need(self.population is None, "population", "one", "given with `marginals` alone")
            need(self.fewer_than == FEWER_THAN, "fewer_than", "one", "given with `marginals` alone")
            return None
        if self.population is None:
            raise ParameterError("--marginals needs --population: how many people the population has.")
        return read_marginals(self.marginals, population=self.population, fewer_than=self.fewer_than)


@dataclass(frozen=True, kw_only=True)
class _ModelOptions(opt.ServiceOptions):
    endpoint: Annotated[
        str | None,
        opt.option(
            "URL",
            "Have a language model name the persons too: an OpenAI-compatible service at this base address. It is sent "
            "RELEASE and --background, no original. Its key: TEXTVEIL_ENDPOINT_KEY.",
            opt.SERVICE,
            "--endpoint",
        ),
    ] = None
    limit_requests: int = opt.value("N", "Send so many requests at most.", opt.SERVICE, default=REQUESTS)

    def attack(self) -> ModelAttack | None:
        """Return the settings of the model that is asked, or None if none is."""
        from textveil.risk.language_model import ModelAttack

        if (service := self.service()) is None:
            need(self.limit_requests == REQUESTS, "limit_requests", self.limit_requests, "given with `endpoint` alone")
            return None
        return ModelAttack(
            endpoint=service,
            requests=self.limit_requests,
            before=lambda sent: tell(
                f"{sent.requests:,} requests to {sent.host}, about {sent.tokens:,} tokens in all; each is sent "
                f"{service.tries} times at most."
            ),
        )


@opt.grouped
def risk_command(
    *,
    source: Annotated[str, typer.Argument(metavar="RELEASE", help="A file of text, or of records with --field.")],
    original: str = opt.value("FILE", "The originals: a record for each of RELEASE, in its order.", default=...),
    output: Path | None = opt.value("DIR", "Folder for the page and the numbers, for you alone."),
    attacks: _AttackOptions,
    people: _PopulationOptions,
    asking: _ModelOptions,
    formats: opt.SampleOptions,
    as_json: opt.AsJson = False,
    vocabulary: opt.VocabularyOptions,
    seed: opt.Seed = None,
) -> None:
    """Attack a release: who is recognized in it by comparison with the originals and with public texts."""
    from textveil.corpora.inputs import whole_of
    from textveil.randomness import seeded_generator
    from textveil.risk.attack import risk
    from textveil.risk.page import write_page

    need(attacks.documents >= 1, "documents", attacks.documents, ">= 1")
    if attacks.limit is not None:
        need(0 <= attacks.limit <= 1, "limit", attacks.limit, "from 0 to 1")
        if output is None or source == "-":
            raise ParameterError("--limit needs RELEASE as a file, and --output: the folder of the blanked release.")
    model, marginals = asking.attack(), people.read()
    folder = None if output is None else results_folder(output, NUMBERS, mode=0o700)
    outputs = opt.Outputs(None if folder is None else folder / NUMBERS)
    whole = whole_of(Path(source))
    plain = replace(formats, encoding=None)  # a release is UTF-8, whatever its originals are
    released, originals = _texts(source, plain), _texts(original, formats, unit=attacks.unit)
    background = None if attacks.background is None else _texts(attacks.background, plain, loosely=True).texts
    policies = opt.parts_of(attacks.policies)
    with counting("attacking", "records") as progress, renamed(policy="policies"):
        report = risk(
            released.texts,
            originals.texts,
            background,
            policies,
            attacks.encoder,
            persons=originals.persons,
            model=model,
            marginals=marginals,
            limit=attacks.limit,
            documents=attacks.documents,
            vocabulary=vocabulary.load() if policies else None,
            rng=None if seed is None else seeded_generator(seed),
            progress=progress,
        )
    report = report if whole is None else replace(report, release_sha256=whole.sha256)
    if folder is not None:
        write_whole(folder / NUMBERS, json_text(report.to_data(), indent=1).encode("ascii"), private=True)
        write_page(report, folder)
        if report.blanked is not None:
            _write_blanked(source, plain, folder, compress(report.blanked.texts, released.held))
    sys.stdout.write(json_text(report.to_data()) if as_json else _text(report))
    outputs.tell()


@dataclass(frozen=True)
class _Blanks:
    """Gives each text of the release as it is with further blanks, in their order."""

    blanked: Iterator[str]

    def texts(self, texts: Sequence[str], numbers: Sequence[int]) -> list[str]:
        return [next(self.blanked) for _ in texts]


def _write_blanked(source: str, formats: opt.SampleOptions, folder: Path, texts: Iterator[str]) -> None:
    """Write the release with further blanks, in its own format; of records, the text alone."""
    from textveil.corpora.restored import DecodingRun
    from textveil.corpora.sources import COMPRESSED

    choice = formats.choice()
    inputs = opt.inputs_of([source], choice)
    endings = Path(source).suffixes
    packed = Path(source).suffix.lower() in COMPRESSED
    path = folder / f"{BLANKED}{''.join(endings[-2:] if packed else endings[-1:])}"
    reader = choice.reader(inputs, path)
    DecodingRun(decoder=_Blanks(texts), corpus_format=reader, inputs=inputs, private=True).to_file(path)


class _Texts(NamedTuple):
    texts: list[str]  # of every record, empty if it has none
    held: list[bool]  # whether it has one
    persons: list[str] | None  # whom each record is about; None if no field names them


def _texts(source: str, formats: opt.SampleOptions, *, unit: str | None = None, loosely: bool = False) -> _Texts:
    """Read every record; ``unit``: the field with its person; ``loosely``: plain text if the others are records."""
    from textveil.corpora.formats.choice import FormatChoice
    from textveil.corpora.inputs import released_blocks

    choice = formats.choice(*([] if unit is None else [unit]))
    if loosely and FormatChoice().name([source]) == "txt":
        choice = FormatChoice(corpus_format="txt")
    inputs = opt.inputs_of([source], choice)
    texts: list[str] = []
    held: list[bool] = []
    persons: list[str] = []
    with counting("reading", "bytes") as reading:
        for block in released_blocks(choice.reader(inputs), inputs, reading):
            texts += [parts[0] if parts else "" for parts in block.records.texts]
            held += map(bool, block.records.texts)
            named = () if unit is None else block.records.beside[unit]
            for number, person in enumerate(named, start=block.first):
                if person is None:
                    raise InputError(f"record {number} must name its person; got null. Leave such records out.")
                persons.append(person)
    return _Texts(texts, held, None if unit is None else persons)


def _text(report: RiskReport) -> str:
    from textveil.risk.report import ABOUT

    of = f", of {report.persons:,} persons," if report.persons < report.attacked else ""
    lines = [said(f"{report.attacked:,} of {report.records:,} records{of} attacked: whose is each, by comparison?")]
    for against in dict.fromkeys(attack.against for attack in report.linkage):
        best = report.strongest(against)
        before = report.on_originals(best)
        known = "the originals" if against == "originals" else "public texts"
        likewise = "" if before is None else f", the originals {_ends(before.top1, before.low, before.high)}"
        named = f"{_ends(best.top1, best.low, best.high)} from {known} at the first try"
        lines += row("named", f"{named}; chance {_ends(best.chance)}{likewise}")
    if report.by_model is not None:
        asked = report.by_model
        by_model = _ends(asked.linkage.top1, asked.linkage.low, asked.linkage.high)
        lines += row("model", f"{by_model} of {asked.requests:,} records named by the language model {asked.model}")
    words, content_words = map(_percent, report.release.kept)
    lines += row("kept", f"{words} of the words, {content_words} of the content words")
    if report.unique is not None:
        share = report.unique.alone
        alone = _ends(share.share, share.low, share.high)
        lines += row("alone", f"{alone} of the records, by the names, places, dates and ages left in them")
    if report.population is not None:
        people = report.population
        small = _ends(people.small.share, people.small.low, people.small.high)
        lines += row(
            "people",
            f"{small} of the records leave attributes that fewer than {people.fewer_than:,} of {people.population:,} "
            "people share, if attributes are independent",
        )
    others, joined = report.others, report.joined
    if others is not None and others.names:
        lines += row("others", f"{others.left:,} of {others.names:,} names of other persons left")
    if joined is not None and joined.pairs:
        lines += row(
            "joined", f"{joined.pairs:,} pairs of records by equal surrogates, {joined.right:,} of them rightly"
        )
    for warning in report.warnings:
        lines += row("CHECK", warning)
    if report.blanked is not None:
        lines += _blanked(report, report.blanked)
    if report.compared:
        lines += ["", *_curve((*report.compared[:1], report.release, *report.compared[1:])), ""]
    lines += row("limits", ABOUT if report.compared else ABOUT.partition(" A setting")[0])
    return "\n".join(lines) + "\n"


def _blanked(report: RiskReport, blanked: Blanked) -> list[str]:
    from textveil.risk.blanking import TELLS

    chosen, out = blanked.chosen_by, blanked.held_out
    return [
        *row("blanked", f"{blanked.words:,} words in {len(blanked.numbers):,} of {report.records:,} records"),
        *row("", said(f"{_ends(chosen.top1)} named by the attacker that chose them")),
        *row("", said(f"{_ends(out.top1, out.low, out.high)} named by an attacker held out ({out.attacker})")),
        *row("CHECK", f"{blanked.verdict} {TELLS}"),
    ]


def _strongest(release: Release) -> list[Linkage]:
    from textveil.risk.linkage import strongest

    backgrounds = dict.fromkeys(attack.against for attack in release.linkage)
    return [strongest([attack for attack in release.linkage if attack.against == known]) for known in backgrounds]


def _ends(share: float, low: float | None = None, high: float | None = None) -> str:
    number = f"{100 * share:.2g}" if 0 < share < 0.1 else f"{100 * share:.0f}"
    return f"{number} %" if low is None or high is None else f"{number} % ({100 * low:.0f} to {100 * high:.0f})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _curve(releases: tuple[Release, ...]) -> Iterator[str]:
    heads = [
        said("from originals" if best.against == "originals" else "from background") for best in _strongest(releases[0])
    ]
    yield said("Named at the first try by the best attacker, and what is kept:")
    yield " ".join(
        [f"{said('release'):24s} {said('words'):>6s} {said('content'):>8s}", *(f"{head:>16s}" for head in heads)]
    )
    for release in releases:
        words, content_words = map(_percent, release.kept)
        shares = " ".join(f"{_percent(best.top1):>16s}" for best in _strongest(release))
        yield f"{release.name[-24:]:24s} {words:>6s} {content_words:>8s} {shares}"
