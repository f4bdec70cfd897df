"""A document released: read, sanitized as one text, written in place, and checked before it is handed over."""

from typing import NamedTuple

from textveil.documents.apart import Apart
from textveil.documents.check import Certificate
from textveil.documents.model import Images
from textveil.documents.opened import Opened
from textveil.errors import UnsupportedGuarantee
from textveil.sanitize.release import Release
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.private_map import PrivateMap
from textveil.surrogates.scopes import Scope


class ReleasedDocument(NamedTuple):
    """A file to hand over, how to undo it (private), what was checked, and the release of its text."""

    data: bytes
    private_map: PrivateMap
    certificate: Certificate
    release: Release


def released(
    name: str,
    data: bytes,
    sanitizer: Sanitizer,
    *,
    images: Images = "blank",
    scope: Scope | None = None,
    apart: Apart | None = None,
) -> ReleasedDocument:
    """Sanitize a document in place.

    Args:
        name: of its file; the ending tells the format.
        data: the file.
        sanitizer: with a policy that finds spans.
        images: what becomes of pictures.
        scope: shared by documents in which a value has one surrogate; None is a new one.
        apart: reads and writes the file in a process that is killed when it takes too much time or memory; None does
            it in this process, where only what is counted has a limit.

    Raises:
        InputError: the file cannot be read, or is one that is refused.
        UnsupportedGuarantee: the sanitizer has no policy with spans.
        InternalError: the check found something in the written file.
    """
    policy = sanitizer.setting.policy
    if policy is None or not policy.finds_spans:
        raise UnsupportedGuarantee(
            "a document needs a policy that finds spans, as its look stays; got none. Use tv.policy('identifiers')."
        )
    opened = Opened(name, data, images) if apart is None else apart.opened(name, data, images)
    (release,) = sanitizer.batch([opened.text], spans=False, scopes=None if scope is None else [scope])
    if release.private_map is None:
        raise UnsupportedGuarantee("a document needs a policy whose releases can be undone; got another.")
    return ReleasedDocument(*opened.rewritten(release.private_map), release=release)
