"""The catalog: names of mechanisms, and where each is made and declared.

Third parties add a mechanism by an entry point in the group ``textveil.mechanisms`` whose object is the function that
makes it, ``declared`` as textveil's own are (or a ``CatalogEntry``); a name that is taken raises.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textveil.errors import MissingLab, ParameterError, RefutedGuarantee, UnknownNameError, need
from textveil.mechanisms.declaration import CatalogEntry as CatalogEntry
from textveil.mechanisms.declaration import entry_of, maker_within
from textveil.privacy.guarantees import TRUSTED, Guarantee, NoGuarantee, Status, claimed
from textveil.privacy.proved import status_of, status_of_maker
from textveil.registry.options import DEFAULT_EPSILON as DEFAULT_EPSILON
from textveil.registry.options import IN_PLACE_OF_EPSILON, takes_progress
from textveil.registry.table import LAB_MECHANISMS, Table, maker_of, note_maker

if TYPE_CHECKING:
    from textveil.mechanisms.kinds import Described, Mechanism, WordMechanism
    from textveil.types import Progress
    from textveil.vocabulary.vocabulary import Vocabulary

DEFAULT = "neighborhood"
ENTRY_POINT_GROUP = "textveil.mechanisms"


def _read(name: str, loaded: object) -> CatalogEntry | None:
    """Return what an object declares; claimed if its code is not registered under the proof that it names."""
    entry = loaded if isinstance(loaded, CatalogEntry) else entry_of(loaded)
    if entry is not None and entry.status in TRUSTED and not _proves(entry, entry.proof):
        return replace(entry, status=Status.CLAIMED)
    return entry


def _proves(entry: CatalogEntry, source: str) -> bool:
    if status_of(entry.module, source) is not Status.PROVED:
        return False  # before anything is imported
    make = maker_within(entry.constructor())
    return status_of_maker(make, source, own=entry.name in MECHANISMS) is Status.PROVED


MECHANISMS: Table[CatalogEntry] = Table(
    "mechanism",
    ENTRY_POINT_GROUP,
    {
        # generated: mechanisms
        "neighborhood": "textveil.mechanisms.neighborhood:neighborhood",
        "randomized-response": "textveil.mechanisms.randomized_response:randomized_response",
        "consistent-neighborhood": "textveil.mechanisms.neighborhood:consistent_neighborhood",
        "same-class": "textveil.mechanisms.randomized_response:same_class",
        # end
    },
    _read,
    "a function that textveil.mechanisms.declaration.declared decorates, or a textveil.catalog.CatalogEntry",
    see="textveil mechanisms",
)
"""textveil's own mechanisms: the name, and the function that makes it and declares all else; a script writes it."""


def entries() -> dict[str, CatalogEntry]:
    """Every mechanism that is installed, by name; textveil's own first.

    Raises ParameterError: two packages give one name.
    """
    return MECHANISMS.installed()


def entry(name: str) -> CatalogEntry:
    """The entry of that name.

    Raises UnknownNameError: no such mechanism; the nearest name is suggested; MissingLab: it is in the package
    textveil-lab, which is not installed.
    """
    try:
        return MECHANISMS.find(name)
    except UnknownNameError:
        if name in LAB_MECHANISMS.split():
            raise MissingLab(f"the mechanism {name}") from None
        raise


def mechanism(
    name: str = DEFAULT, vocabulary: Vocabulary | None = None, *, progress: Progress | None = None, **options: Any
) -> Mechanism:
    """Make a mechanism of the catalog.

    Args:
        name: a name from ``textveil mechanisms``.
        vocabulary: public words and vectors; None is the embedded vocabulary.
        progress: called as work is done, by mechanisms that take long to make.
        **options: the constructor's own, ``epsilon`` first of all: the privacy loss in nats of one token for
            any two words. Options that are None count as not given, but if the mechanism's default is another:
            there None turns the option off (``clip``). With neither ``epsilon`` nor ``epsilon_per_distance``,
            epsilon is 8, or the mechanism's own default.

    Raises UnknownNameError: no such mechanism; ParameterError: an option is unknown or outside its domain.
    """
    from textveil.vocabulary.embedded import load_vocabulary
    from textveil.vocabulary.vocabulary import Vocabulary

    chosen = entry(name)
    known = chosen.options()
    given: dict[str, Any] = {}
    for key, value in options.items():
        if key in known and (value is not None or known[key].can_be_turned_off):
            given[key] = known[key].checked(value)
        elif value is not None:
            raise unknown_option(name, key, known)
    unset = f"{DEFAULT_EPSILON:g}"  # as the declaration says; others have a default of their own
    undecided = "epsilon" in known and known["epsilon"].default is None and known["epsilon"].unset == unset
    if undecided and not given.keys() & {"epsilon", *IN_PLACE_OF_EPSILON}:
        given["epsilon"] = DEFAULT_EPSILON
    for key, option in known.items():
        if option.required and key not in given:
            raise ParameterError(f"`{key}` must be given for {name}: {option.wanted}; got none.")
    words = load_vocabulary() if vocabulary is None else vocabulary
    need(isinstance(words, Vocabulary), "vocabulary", type(words).__name__, "a Vocabulary", "Use load_vocabulary(...).")
    constructor = chosen.constructor()
    if progress is not None and takes_progress(constructor):
        given["progress"] = progress
    instance = constructor(words, **given)
    note_maker(instance, constructor)
    return instance


def guarantee_of(mechanism: Described) -> Guarantee:
    """The mechanism's guarantee as reports may state it.

    Anybody can write "proved" into an object. It counts only if a function of the catalog, or of an entry point of
    the group ``textveil.mechanisms``, made this very object, nobody changed it since, and the file that
    this function's code stands in is registered under the proof that the guarantee names (``privacy.proved``). All else
    is claimed.
    """
    guarantee = mechanism.guarantee
    if guarantee.status not in TRUSTED:
        return guarantee
    known = _registered(maker_of(mechanism))
    if known is None or (known.name not in MECHANISMS and guarantee.source != known.proof):
        return claimed(guarantee)
    return guarantee if _proves(known, guarantee.source) else claimed(guarantee)


def from_catalog(mechanism: object) -> bool:
    """Tell whether a function of textveil's own catalog made this very object, and nobody changed it since."""
    known = _registered(maker_of(mechanism))
    return known is not None and known.name in MECHANISMS


def promised(mechanism: Described, *, allow_refuted: bool) -> Guarantee:
    """The guarantee that releases carry: the mechanism's, or none if it is refuted or nothing is promised.

    Raises RefutedGuarantee: the claim is refuted, and that is not allowed.
    """
    guarantee = guarantee_of(mechanism)
    if guarantee.status is Status.NONE and guarantee.promises:
        reason = "the mechanism promises nothing"
        return NoGuarantee(reason=reason, source=guarantee.source, adjacency=guarantee.adjacency)
    if guarantee.status is not Status.REFUTED:
        return guarantee
    if not allow_refuted:
        known = MECHANISMS.named(mechanism.name).get(mechanism.name)
        valid = f"{known.instead}, the valid form" if known is not None and known.instead else "one that is proved"
        raise RefutedGuarantee(
            f"the claim {guarantee} of this mechanism is refuted ({guarantee.source}). "
            f"Use {valid}, or `allow_refuted=True`; the release then has no guarantee."
        )
    reason = f"the claim {guarantee} is refuted"
    return NoGuarantee(reason=reason, source=guarantee.source, adjacency=guarantee.adjacency)


def _registered(maker: Callable[..., Any] | None) -> CatalogEntry | None:
    if maker is None:
        return None
    if (declaration := entry_of(maker)) is not None and declaration.name in MECHANISMS:
        own = MECHANISMS[declaration.name]
        return own if own.constructor() is maker else None
    others = {} if declaration is None else MECHANISMS.named(declaration.name)
    others = others or MECHANISMS.others()
    return next((added for added in others.values() if added.constructor() is maker), None)


def unknown_option(name: str, key: str, known: Collection[str]) -> ParameterError:
    """The error for an option that the mechanism of that name does not take."""
    close = difflib.get_close_matches(key, known, n=1)
    hint = f" Did you mean {_spelled(close)}?" if close else ""
    taken = f"the options {_spelled(known)}" if known else "no options"
    return ParameterError(f"{name} takes {taken}; got {_spelled([key])}.{hint}")


def _spelled(options: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in options)


def word_mechanism(name: str = DEFAULT, vocabulary: Vocabulary | None = None, **options: Any) -> WordMechanism:
    """``mechanism``, for a use that draws for each word alone.

    Raises UnsupportedGuarantee: this one draws for whole documents or texts; or as ``mechanism``.
    """
    from textveil.mechanisms.kinds import words_alone

    return words_alone(mechanism(name, vocabulary, **options), "this use")
