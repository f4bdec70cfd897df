"""The catalog: names of mechanisms, and where each is made and declared.

Third parties add a mechanism by an entry point in the group ``textveil.mechanisms`` whose object is the function that
makes it, ``declared`` as textveil's own are (or a ``CatalogEntry``); a name that is taken raises.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textveil.errors import ParameterError, RefutedGuarantee, need
from textveil.mechanisms.declaration import CatalogEntry as CatalogEntry
from textveil.mechanisms.declaration import entry_of, maker_within
from textveil.mechanisms.options import DEFAULT_EPSILON as DEFAULT_EPSILON
from textveil.mechanisms.options import IN_PLACE_OF_EPSILON, takes_progress
from textveil.privacy.guarantees import TRUSTED, Guarantee, NoGuarantee, Status, claimed
from textveil.privacy.proved import status_of, status_of_maker
from textveil.registry.table import Table, maker_of, note_maker

if TYPE_CHECKING:
    from textveil.mechanisms.kinds import Described, Mechanism, WordMechanism
    from textveil.types import Progress
    from textveil.vocabulary.vocabulary import Vocabulary

DEFAULT = "neighborhood"

ENTRY_POINT_GROUP = "textveil.mechanisms"


def _read(name: str, loaded: object) -> CatalogEntry | None:
    """What an object declares; claimed where its code is not registered under the proof that it names."""
    entry = loaded if isinstance(loaded, CatalogEntry) else entry_of(loaded)
    if entry is not None and entry.status in TRUSTED and not _proves(entry, entry.proof):
        return replace(entry, status=Status.CLAIMED)
    return entry


def _proves(entry: CatalogEntry, source: str) -> bool:
    """Whether the code of an entry's maker is registered under a proof."""
    if status_of(entry.module, source) is not Status.PROVED:
        return False  # before anything is imported
    make = maker_within(entry.constructor())
    return status_of_maker(make, source, own=entry.name in MECHANISMS) is Status.PROVED


MECHANISMS: Table[CatalogEntry] = Table(
    "mechanism",
    ENTRY_POINT_GROUP,
    {
        # generated: mechanisms
        "neighborhood": "textveil.mechanisms.channels.neighborhood:neighborhood",
        "optimal": "textveil.mechanisms.channels.optimal:optimal",
        "randomized-response": "textveil.mechanisms.channels.randomized_response:randomized_response",
        "exponential": "textveil.mechanisms.channels.exponential:exponential",
        "metric-exponential": "textveil.mechanisms.channels.metric_exponential:metric_exponential",
        "tem": "textveil.mechanisms.channels.tem:tem",
        "tgm": "textveil.mechanisms.channels.tgm:tgm",
        "santext": "textveil.mechanisms.channels.santext:santext",
        "santext-plus": "textveil.mechanisms.channels.santext:santext_plus",
        "elastic": "textveil.mechanisms.channels.elastic:elastic",
        "privic": "textveil.mechanisms.channels.privic:privic",
        "hyperbolic-exponential": "textveil.mechanisms.channels.hyperbolic_exponential:hyperbolic_exponential",
        "same-tag": "textveil.mechanisms.channels.same_tag:same_tag",
        "custext": "textveil.mechanisms.channels.custext:custext",
        "custext-plus": "textveil.mechanisms.channels.custext:custext_plus",
        "diffractor": "textveil.mechanisms.channels.diffractor:diffractor",
        "consistent-neighborhood": "textveil.mechanisms.sequence.consistent_neighborhood:consistent_neighborhood",
        "keywords": "textveil.mechanisms.document.keywords:keywords",
        "sense-laplace": "textveil.mechanisms.document.sense_laplace:sense_laplace",
        "earth-mover": "textveil.mechanisms.document.earth_mover:earth_mover",
        "dp-prompt": "textveil.mechanisms.generation.dp_prompt:dp_prompt",
        "dp-paraphrase": "textveil.mechanisms.presets:dp_paraphrase",
        "dp-fusion": "textveil.mechanisms.generation.dp_fusion:dp_fusion",
        "dp-bart": "textveil.mechanisms.document.dp_bart:dp_bart",
        "dp-rewrite": "textveil.mechanisms.document.dp_rewrite:dp_rewrite",
        "adept": "textveil.mechanisms.presets:adept",
        "subset-selection": "textveil.mechanisms.sets.subset_selection:subset_selection",
        "text-to-vectors": "textveil.mechanisms.vectors.text_to_vectors:text_to_vectors",
        "unary-encoding": "textveil.mechanisms.vectors.unary_encoding:unary_encoding",
        "optimized-unary-encoding": "textveil.mechanisms.vectors.unary_encoding:optimized_unary_encoding",
        "dpnr": "textveil.mechanisms.vectors.dpnr:dpnr",
        "cape": "textveil.mechanisms.presets:cape",
        "geng": "textveil.mechanisms.vectors.truncated_numbers:geng",
        "optimal-noise": "textveil.mechanisms.vectors.truncated_numbers:optimal_noise",
        "spherical-laplace": "textveil.mechanisms.additive.spherical_laplace:spherical_laplace",
        "cmp": "textveil.mechanisms.presets:cmp",
        "cmp-approximate": "textveil.mechanisms.presets:cmp_approximate",
        "mahalanobis": "textveil.mechanisms.additive.mahalanobis:mahalanobis",
        "vickrey": "textveil.mechanisms.additive.vickrey:vickrey",
        "brr": "textveil.mechanisms.additive.brr:brr",
        "rapt": "textveil.mechanisms.additive.rapt:rapt",
        "word-budgets": "textveil.mechanisms.additive.word_budgets:word_budgets",
        "hyperbolic-laplace": "textveil.mechanisms.additive.hyperbolic_laplace:hyperbolic_laplace",
        "pte": "textveil.mechanisms.additive.pte:pte",
        "gaussian": "textveil.mechanisms.additive.gaussian:gaussian",
        "gaussian-classical": "textveil.mechanisms.presets:gaussian_classical",
        "laplace": "textveil.mechanisms.additive.laplace:laplace",
        "truncated-laplace": "textveil.mechanisms.additive.laplace:truncated_laplace",
        "dpnr-published": "textveil.mechanisms.published.vectors:dpnr_published",
        "cape-published": "textveil.mechanisms.published.vectors:cape_published",
        "ome-published": "textveil.mechanisms.published.vectors:ome_published",
        "dptext-published": "textveil.mechanisms.published.vectors:dptext_published",
        "dp-bart-published": "textveil.mechanisms.published.codes:dp_bart_published",
        "adept-published": "textveil.mechanisms.published.codes:adept_published",
        "mahalanobis-published": "textveil.mechanisms.published.mahalanobis:mahalanobis_published",
        "vickrey-published": "textveil.mechanisms.published.vickrey:vickrey_published",
        "dp-prompt-published": "textveil.mechanisms.published.dp_prompt:dp_prompt_published",
        "truncated-laplace-published": "textveil.mechanisms.published.truncated_laplace:truncated_laplace_published",
        "gaussian-classical-published": "textveil.mechanisms.published.truncated_laplace:gaussian_classical_published",
        "tgm-published": "textveil.mechanisms.published.tgm:tgm_published",
        "tem-published": "textveil.mechanisms.published.tem:tem_published",
        "custext-published": "textveil.mechanisms.published.custext:custext_published",
        "scored-budgets-published": "textveil.mechanisms.published.scored_budgets:scored_budgets_published",
        "rantext-published": "textveil.mechanisms.published.rantext:rantext_published",
        "diffractor-published": "textveil.mechanisms.published.diffractor:diffractor_published",
        "same-class": "textveil.mechanisms.channels.same_class:same_class",
        # end
    },
    _read,
    "a function that textveil.mechanisms.declaration.declared decorates, or a textveil.catalog.CatalogEntry",
    see="textveil mechanisms",
)
"""textveil's own mechanisms: the name, and the function that makes it and declares all else; a script writes it."""


def entries() -> dict[str, CatalogEntry]:
    """Every mechanism that is installed, by name; textveil's own first.

    Raises:
        ParameterError: two packages give one name.
    """
    return MECHANISMS.installed()


def entry(name: str) -> CatalogEntry:
    """The entry of that name.

    Raises:
        UnknownNameError: no such mechanism; the nearest name is suggested.
    """
    return MECHANISMS.find(name)


def mechanism(
    name: str = DEFAULT,
    vocabulary: Vocabulary | None = None,
    *,
    progress: Progress | None = None,
    **options: Any,
) -> Mechanism:
    """Make a mechanism of the catalog.

    Args:
        name: a name from ``textveil mechanisms``.
        vocabulary: public words and vectors; None is the embedded vocabulary.
        progress: called as work is done, by mechanisms that take long to make.
        **options: the constructor's own, ``epsilon`` first of all: the privacy loss in nats of one token for
            any two words. Options that are None count as not given, but where the mechanism's default is another:
            there None turns the option off (``clip``). With neither ``epsilon`` nor ``epsilon_per_distance``,
            epsilon is 8, or the mechanism's own default.

    Raises:
        UnknownNameError: no such mechanism.
        ParameterError: an option is unknown or outside its domain.
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

    Anybody can write "proved" into an object. It counts only where a function of the catalog, or of an entry point of
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
    """Whether a function of textveil's own catalog made this very object, and nobody changed it since."""
    known = _registered(maker_of(mechanism))
    return known is not None and known.name in MECHANISMS


def promised(mechanism: Described, *, allow_refuted: bool) -> Guarantee:
    """The guarantee that releases carry: the mechanism's, or none where it is refuted or nothing is promised.

    Raises:
        RefutedGuarantee: the claim is refuted, and that is not allowed.
    """
    guarantee = guarantee_of(mechanism)
    if guarantee.status is Status.NONE and guarantee.promises:
        reason = "the mechanism promises nothing"
        return NoGuarantee(reason=reason, source=guarantee.source, adjacency=guarantee.adjacency)
    if guarantee.status is not Status.REFUTED:
        return guarantee
    if not allow_refuted:
        known = MECHANISMS.get(mechanism.name)
        valid = f"{known.instead}, the valid form" if known is not None and known.instead else "one that is proved"
        raise RefutedGuarantee(
            f"the claim {guarantee} of this mechanism is refuted ({guarantee.source}). "
            f"Use {valid}, or `allow_refuted=True`; the release then has no guarantee."
        )
    reason = f"the claim {guarantee} is refuted"
    return NoGuarantee(reason=reason, source=guarantee.source, adjacency=guarantee.adjacency)


def _registered(maker: Callable[..., Any] | None) -> CatalogEntry | None:
    """The entry of the catalog that names this very function."""
    if maker is None:
        return None
    declaration = entry_of(maker)
    if declaration is not None and declaration.name in MECHANISMS:
        own = MECHANISMS[declaration.name]
        return own if own.constructor() is maker else None
    return next((added for added in MECHANISMS.others().values() if added.constructor() is maker), None)


def unknown_option(name: str, key: str, known: Collection[str]) -> ParameterError:
    """The error for an option that the mechanism of that name does not take."""
    close = difflib.get_close_matches(key, known, n=1)
    hint = f" Did you mean {_spelled(close)}?" if close else ""
    taken = f"the options {_spelled(known)}" if known else "no options"
    return ParameterError(f"{name} takes {taken}; got {_spelled([key])}.{hint}")


def _spelled(options: Iterable[str]) -> str:
    """Options by the names that the command line and keyword arguments share, but for the marks."""
    return ", ".join(f"`{name}`" for name in options)


def word_mechanism(name: str = DEFAULT, vocabulary: Vocabulary | None = None, **options: Any) -> WordMechanism:
    """``mechanism``, for a use that draws for each word alone.

    Raises:
        UnsupportedGuarantee: this one draws for whole documents or texts; or as ``mechanism``.
    """
    from textveil.mechanisms.kinds import words_alone

    return words_alone(mechanism(name, vocabulary, **options), "this use")
