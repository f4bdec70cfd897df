"""``textveil restore``: a release, or an answer to one, with its originals put back from a private map."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

from textveil.cli import options as opt
from textveil.cli.documents import restore_document, the_document
from textveil.cli.mechanism_options import FORMATS
from textveil.errors import ParameterError

if TYPE_CHECKING:
    from textveil.corpora.formats.choice import FormatChoice
    from textveil.surrogates.map_file import MapFile
    from textveil.surrogates.restoring import Restored, Restorer
    from textveil.surrogates.urls import InUrls

_ANSWERS = "Answers"  # heading of help
_LEFT = "textveil: left as they are: {}, which may stand for several originals, or for none. See docs/restoring.md.\n"
_LEFT_IN_URLS = (
    "textveil: left in URLs to hosts that the original texts do not name: {}. `in_urls` decides. "
    "See docs/restoring.md.\n"
)


@opt.grouped
def restore_command(
    *,
    private_map: Path = opt.value("FILE", "The private map of the release.", default=...),
    map_key: Path = opt.value("FILE", "The file of the map's key.", default=...),
    source: opt.Sources = None,
    output: opt.Output = None,
    answer: bool = opt.switch("INPUT is one text that speaks of any of the documents, restored as it comes.", _ANSWERS),
    document: int | None = opt.value("N", "INPUT is one text that speaks of document N, from 1.", _ANSWERS),
    in_urls: str = opt.value(
        "WHERE",
        "Originals within URLs: named-hosts (hosts of the original texts), never, everywhere.",
        default="named-hosts",
    ),
    formats: opt.FormatOptions,
    field: list[str] | None = opt.record_field(
        "field to restore; may be repeated.  [default: all that were sanitized]", FORMATS
    ),
    keep: list[str] | None = opt.record_field(
        "field to copy as it is; may be repeated.  [default: all that were kept]", FORMATS
    ),
    quiet: opt.Quiet = False,
) -> None:
    """Put the originals back into a release, document by document, or into an answer to one.

    An untouched document goes back character for character. In any other text, mentions of surrogates are replaced;
    one that does not tell for what it stands is left, and so is one in a URL to a host that the original texts do not
    name. Whoever has the map and its key has the text.
    """
    from textveil.corpora.inputs import Places
    from textveil.corpora.restored import released_fields
    from textveil.surrogates.map_file import MapFile, read_key
    from textveil.surrogates.urls import UrlRule

    output = opt.file_of(output)
    outputs = opt.Outputs(output)
    if (name_of_document := the_document(source)) is not None:
        Places(inputs=(name_of_document, str(private_map), str(map_key)), output=output)
        restore_document(MapFile(private_map, read_key(map_key)), name_of_document, output, quiet)
        outputs.tell(quiet=quiet)
        return
    choice = formats.choice()
    inputs = opt.inputs_of(source or ["-"], choice)
    Places(inputs=(*inputs, str(private_map), str(map_key)), output=output)
    maps = MapFile(private_map, read_key(map_key))
    name = choice.name(inputs)
    rule = UrlRule(cast("InUrls", in_urls)).mode
    restorer = _of_one_text(maps, answer, document, rule, alone=name == "txt")
    if restorer is not None:
        if len(inputs) > 1:
            raise ParameterError("an answer must be one input; got several. Restore one after another.")
        _told(_answer(restorer, inputs[0], output), quiet)
        outputs.tell(quiet=quiet)
        return
    if name != "txt":
        fields = released_fields(maps, field or (), keep)
        choice = replace(choice, sanitized=fields.sanitized, kept=fields.kept)
    elif field or keep:
        raise ParameterError("`sanitized` and `kept` need an input of records; got txt.")
    _corpus(maps, choice, inputs, output, rule, quiet)
    outputs.tell(quiet=quiet)


def _of_one_text(maps: MapFile, answer: bool, document: int | None, in_urls: InUrls, *, alone: bool) -> Restorer | None:
    """Return what restores one text, an answer or the only document; None for a corpus."""
    from textveil.surrogates.restoring import Restorer

    if document is not None:
        return Restorer(maps.document(document), in_urls=in_urls)
    if answer:
        return Restorer(maps, in_urls=in_urls)
    if alone and len(list(islice(maps.documents(), 2))) == 1:
        return Restorer(maps.document(1), in_urls=in_urls)
    return None


def _answer(restorer: Restorer, name: str, output: Path | None) -> Restored:
    from textveil.corpora.restored import restored_answer
    from textveil.corpora.sources import opened
    from textveil.whole_files import atomic_writers

    with opened(name) as (stream, *_):
        if output is None:
            return restored_answer(restorer, stream, opt.standard_output())
        with atomic_writers([output], private=[output]) as (target,):
            return restored_answer(restorer, stream, target)


def _told(done: Restored, quiet: bool) -> None:
    from textveil.pages.messages import row

    if done.replaced == 0 and not done.ambiguous:
        sys.stderr.write("textveil: the text mentions no surrogate of the map; it is as it was.\n")
    elif not quiet:
        told = f"{done.replaced:,} mentions; {done.unused:,} of the surrogates are not mentioned"
        sys.stderr.writelines(line + "\n" for line in row("restored", told))
    _tell_left(len(done.ambiguous), done.in_urls)


def _tell_left(ambiguous: int, in_urls: int) -> None:
    if ambiguous:
        sys.stderr.write(_LEFT.format(ambiguous))
    if in_urls:
        sys.stderr.write(_LEFT_IN_URLS.format(in_urls))


def _corpus(
    maps: MapFile, choice: FormatChoice, inputs: tuple[str, ...], output: Path | None, in_urls: InUrls, quiet: bool
) -> None:
    from textveil.cli.progress import Bar
    from textveil.corpora.restored import CorpusRestorer, DecodingRun

    reader = choice.reader(inputs, output)
    choice.check_output(inputs, output)
    restorer = CorpusRestorer(maps, in_urls=in_urls)
    bar = Bar("restoring", "bytes", inputs)
    run = DecodingRun(
        decoder=restorer, corpus_format=reader, inputs=inputs, progress=bar, finish=restorer.finish, private=True
    )
    try:
        documents = run.to_file(output) if output is not None else run.to_stream(opt.standard_output())
    finally:
        bar.close()
    if not quiet:
        from textveil.pages.messages import row

        told = f"{documents:,} documents; {restorer.edited:,} texts of them edited since"
        sys.stderr.writelines(line + "\n" for line in row("restored", told))
    _tell_left(restorer.ambiguous, restorer.left_in_urls)
