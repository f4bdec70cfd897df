"""Documents on the command line: released in place, and restored."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from textveil.errors import InputError, OutputError, ParameterError, need

if TYPE_CHECKING:
    from textveil.corpora.inputs import Places
    from textveil.documents.model import Images
    from textveil.sanitize.chosen import SanitizerOptions
    from textveil.sanitize.release import Report
    from textveil.surrogates.map_file import MapFile


def the_document(sources: list[str] | None) -> str | None:
    """Return the only source where it is a document by its name; None where no source is one."""
    from textveil.documents.registry import is_document

    documents = [name for name in sources or () if is_document(name)]
    if not documents:
        return None
    if len(sources or ()) > 1:
        raise ParameterError("a document must be one input; got several. Release one after another.")
    return documents[0]


def bytes_of(name: str) -> bytes:
    """Return the bytes of a file. Raises InputError: it cannot be read."""
    from textveil.corpora.sources import called

    try:
        return Path(name).read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
    raise InputError(f"{called(name, 1)} must be a readable file; got {reason}.")


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
    from textveil.whole_files import atomic_writers

    output = places.output
    if output is None:
        raise ParameterError("a document needs a file as output; got standard output. Name one with `output`.")
    if output.suffix.lower() != Path(name).suffix.lower():
        raise ParameterError(
            f"the output of a document must end as its input; got {output.suffix[:10] or 'no ending'}."
        )
    apart = Apart(Limits() if seconds is None else Limits(seconds=seconds))
    done = released(name, bytes_of(name), Sanitizer.of(options), images=images, apart=apart)
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
    from textveil.pages.messages import plain_row, row, said

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
    from textveil.whole_files import write_whole

    if output is None:
        raise OutputError("a document needs a file as output; got standard output. Name one with --output.")
    (private_map,) = maps.document(1)
    done = Apart().restored(name, bytes_of(name), private_map)
    write_whole(output, done.data, private=True)
    if not quiet:
        from textveil.pages.messages import row

        told = f"{done.replaced:,} mentions; {done.ambiguous:,} left, which may stand for several"
        sys.stderr.writelines(line + "\n" for line in row("restored", told))
