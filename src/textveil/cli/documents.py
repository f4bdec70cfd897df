"""Documents on the command line, released in place; ``textveil restore``, of any release or an answer to one."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from textveil.cli import options as opt
from textveil.cli.mechanism_options import FORMATS
from textveil.cli.progress import Bar
from textveil.errors import OutputError, ParameterError, need
from textveil.pages.messages import plain_row, row, said
from textveil.whole_files import atomic_writers, write_whole

if TYPE_CHECKING:
    from textveil.corpora.formats.choice import FormatChoice
    from textveil.corpora.inputs import Places
    from textveil.documents.model import Images
    from textveil.sanitize.chosen import SanitizerOptions
    from textveil.sanitize.release import Report
    from textveil.surrogates.map_file import MapFile
    from textveil.surrogates.restoring import Restored, Restorer
    from textveil.surrogates.urls import InUrls


def the_document(sources: list[str] | None) -> str | None:
    """Return the only source if it is a document by its name; None if no source is one."""
    from textveil.documents.registry import is_document

    if not (documents := [name for name in sources or () if is_document(name)]):
        return None
    if len(sources or ()) > 1:
        raise ParameterError("a document must be one input; got several. Release one after another.")
    return documents[0]


def checked_images(images: str) -> Images:
    """Return what becomes of pictures. Raises ParameterError: it is none of the ways."""
    need(images in ("blank", "ocr", "refuse"), "images", images, "blank, ocr or refuse")
    return cast("Images", images)


def sanitize_document(
    options: SanitizerOptions, name: str, places: Places, images: Images, seconds: float | None = None
) -> Report:
    """Release a document to its places; returns the report, with the certificate of the document."""
    from textveil.corpora.corpus_run import Finished
    from textveil.corpora.inputs import Whole
    from textveil.corpora.job_ledger import Totals
    from textveil.documents.apart import Apart, released
    from textveil.documents.registry import Limits
    from textveil.sanitize.sanitizer import Sanitizer
    from textveil.surrogates.map_file import MapCipher, begun, block, ended, read_or_made_key

    if (output := places.output) is None:
        raise ParameterError("a document needs a file as output; got standard output. Name one with `output`.")
    if output.suffix.lower() != Path(name).suffix.lower():
        raise ParameterError(
            f"the output of a document must end as its input; got {output.suffix[:10] or 'no ending'}."
        )
    apart = Apart(Limits() if seconds is None else Limits(seconds=seconds))
    done = released(name, opt.bytes_of(name), Sanitizer.of(options), images=images, apart=apart)
    report = replace(done.release.report(), certificate=done.certificate.to_data())
    whole = Whole(len(done.data), hashlib.sha256(done.data).hexdigest())
    texts = Finished(report, Totals()).texts(places.reports, None, whole)
    files = {output: done.data, **{path: text.encode("utf-8") for path, text in texts.items()}}
    if places.private_map is not None and places.map_key is not None:
        cipher = MapCipher.new(read_or_made_key(places.map_key))
        files[places.private_map] = b"".join(
            (begun(cipher, {"document": True}), block(cipher, 0, [(done.private_map,)]), ended(cipher, 1, 1))
        )
    with atomic_writers(list(files), private=[places.private_map]) as streams:
        for stream, data in zip(streams, files.values(), strict=True):
            stream.write(data)
    return report


_MARKUP: Final = ("element ", "attribute")


def told(certificate: Mapping[str, Any]) -> str:
    """Return lines of the summary about the parts of a document."""
    removed: Counter[str] = Counter()
    for kind, count in certificate["removed"].items():  # names of elements say something in the report alone
        removed["elements and attributes" if kind.startswith(_MARKUP) else kind] += count
    lines = plain_row(
        "parts", ", ".join(f"{count:,} {said(kind)}" for kind, count in certificate["parts"].items() if count)
    )
    if removed:
        lines += plain_row("removed", ", ".join(f"{count:,} {said(kind)}" for kind, count in (+removed).most_common(8)))
    checked = certificate["checked"]
    seen = f"{checked['strings']:,} strings read again, {checked['values_searched']:,} values searched: none found"
    return "\n".join([*lines, *row("checked", seen)])


def restore_document(maps: MapFile, name: str, output: Path | None, quiet: bool) -> None:
    """Put the originals back into a document."""
    from textveil.documents.apart import Apart

    if output is None:
        raise OutputError("a document needs a file as output; got standard output. Name one with --output.")
    (private_map,) = maps.document(1)
    done = Apart().restored(name, opt.bytes_of(name), private_map)
    write_whole(output, done.data, private=True)
    if not quiet:
        told = f"{done.replaced:,} mentions; {done.ambiguous:,} left, which may stand for several"
        sys.stderr.writelines(line + "\n" for line in row("restored", told))


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
    if (restorer := _of_one_text(maps, answer, document, rule, alone=name == "txt")) is not None:
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

    with opened(name) as (stream, *_):
        if output is None:
            return restored_answer(restorer, stream, opt.standard_output())
        with atomic_writers([output], private=[output]) as (target,):
            return restored_answer(restorer, stream, target)


def _told(done: Restored, quiet: bool) -> None:
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
        told = f"{documents:,} documents; {restorer.edited:,} texts of them edited since"
        sys.stderr.writelines(line + "\n" for line in row("restored", told))
    _tell_left(restorer.ambiguous, restorer.left_in_urls)
