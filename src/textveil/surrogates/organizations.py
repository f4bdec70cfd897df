"""Organizations: another name with the same words for its kind, in a form of the page's language."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple

import numpy as np

from textveil.registry.options import Option, named
from textveil.surrogates.drawn import Draw, Drawn, agreed, proved
from textveil.surrogates.making import PSEUDONYMS, declared
from textveil.surrogates.person import person_of
from textveil.surrogates.places import PLACE, SCRIPT, country_of, with_script
from textveil.surrogates.pools import COUNTRY, TOWN, names_of, place_pool, places, pool
from textveil.surrogates.scopes import Scope, beside
from textveil.surrogates.surrogate import UNKNOWN, Mention, Page
from textveil.surrogates.writing import filled, in_case_of, key_of, without_possessive
from textveil.text.patterns import lazy_regex

FORMS: Final = tuple(
    f"{{}} {form}"
    for form in (
        *("& Sons", "and Partners", "Associates", "Brothers", "Consulting", "Corporation", "Enterprises", "Foundation"),
        *("Group", "Holdings", "Inc.", "Industries", "Institute", "International", "Laboratories", "Ltd.", "LLC"),
        *("Logistics", "Media", "Services", "Solutions", "Systems", "Technologies", "Trading", "Trust", "Works"),
    )
)
"""A family and one of these: the names are made up, and some company may be called so by chance."""

_FORMS_OF: Final = {
    "de": (
        "{} GmbH",
        "{} AG",
        "{} & S\xf6hne",
        "{} KG",
        "{} Gruppe",
        "Gebr\xfcder {}",
        "{} Technik GmbH",
        "{} Bau GmbH",
    ),
    "fr": ("{} SA", "{} SARL", "Groupe {}", "\xc9tablissements {}", "{} et Fils", "{} Services", "Maison {}"),
    "es": ("{} S.L.", "{} S.A.", "Grupo {}", "Hermanos {}", "{} e Hijos", "Talleres {}", "{} Servicios"),
    "it": ("{} S.r.l.", "{} S.p.A.", "Gruppo {}", "Fratelli {}", "{} e Figli", "Studio {}", "{} Servizi"),
    "pt": ("{} Lda.", "{} S.A.", "Grupo {}", "Irm\xe3os {}", "{} e Filhos", "{} Servi\xe7os"),
    "tr": (
        "{} Ltd. \u015eti.",
        "{} A.\u015e.",
        "{} Ticaret",
        "{} ve O\u011fullar\u0131",
        "{} \u0130n\u015faat Ltd. \u015eti.",
        "{} G\u0131da A.\u015e.",
        "{} Tekstil A.\u015e.",
        "{} Grup",
    ),
    "nl": ("{} B.V.", "{} Groep", "Gebroeders {}", "{} en Zonen", "{} Techniek", "{} Advies"),
}
_NAME: Final = "organization"
_ACRONYM: Final = range(2, 6)  # how many letters an acronym has
_PUBLIC: Final = (
    r"university|college|school|academy|hospital|infirmary|clinic|health|medical|cent(?:er|re)|surgery|practice|"
    r"library|museum|church|"
    r"parish|cathedral|council|court|police|constabulary|fire|department|airport|station|orchestra|theatre|theater|"
    r"hotel|community|general|regional|municipal|memorial|county|city|district|high|primary|elementary|grammar|"
    r"football|club|united|universit\xe4t|krankenhaus|klinikum|klinik|uniklinik|schule|gymnasium|grundschule|"
    r"stadtwerke|"
    r"h\xf4pital|clinique|universit\xe9|\xe9cole|lyc\xe9e|coll\xe8ge|mairie|centre|cl\xednica|universidade?|"
    r"colegio|escuela|instituto|"
    r"ayuntamiento|ospedale|clinica|universit\xe0|scuola|liceo|comune|policlinico|istituto|escola|c\xe2mara|"
    r"col\xe9gio|ziekenhuis|"
    r"\xfcniversitesi|hastanesi|belediyesi|lisesi|okulu|ilkokulu|ortaokulu|fak\xfcltesi|karakolu|emniyeti|"
    r"universiteit|gemeente|szpital|uniwersytet|szko\u0142a|liceum"
)
_FIRM: Final = (
    r"bank|insurance|assurance|foundation|association|society|institute|trust|fund|union|federation|league|agency|"
    r"bureau|"
    r"pharmacy|chemist|bakery|restaurant|caf\xe9|cafe|bar|garage|motors|airlines|airways|press|times|post|gazette|"
    r"records|studios?|"
    r"software|systems|technologies|solutions|logistics|shipping|construction|builders|plumbing|roofing|landscaping|"
    r"realty|properties|estates|energy|electronics|pharmaceuticals|pharma|laborator(?:y|ies)|labs?|dental|"
    r"dentistry|orthodontics|imaging|diagnostics|solicitors|attorneys|law|legal|capital|partners|associates|brothers|"
    r"sons|holdings|group|industries|enterprises|international|consulting|services|stores|foods|media|"
    r"inc\.?|incorporated|corp\.?|corporation|ltd\.?|limited|llc|llp|plc|co\.?|company|&|and|gmbh|ag|kg|ohg|mbh|"
    r"e\.v\.|se|"
    r"sa|s\.a\.|sarl|sas|s\.l\.|sl|s\.r\.l\.|srl|s\.p\.a\.|spa|lda\.?|ltda\.?|bv|b\.v\.|nv|n\.v\.|ab|oy|a/s|aps|"
    r"as|sp\.? z o\.o\.|"
    r"(?:san\. ve )?tic\.|san\.|nakliyat|mobilya|tekstil|in\u015faat|g\u0131da|ticaret|lojistik|sigorta|otomotiv|"
    r"turizm|eczanesi|bankas\u0131|ltd\. \u015fti\.|a\.\u015f\.|"
    r"versicherung(?:en)?|verein|stiftung|sparkasse|apotheke|praxis|kanzlei|verlag|banque|banco|banca|seguros|"
    r"assurances?|"
    r"pharmacie|farmacia|boulangerie|librairie|stichting|apotheek|verzekeringen"
)
_SAINT: Final = r"st\.?|saint|sankt|sint|san|s\xe3o"
_HEAD: Final = lazy_regex(
    rf"(?i)(?:the )?(?:{_PUBLIC}|{_FIRM}|{_SAINT})(?: (?:{_PUBLIC}|{_FIRM})){{0,3}}(?: (?:of|for|de|du|di|del|della|"
    rf"do|da|der|f\xfcr))?"
    r"(?: the)?(?: (?:{_SAINT}))? (?=\S)"
)
_TAIL: Final = lazy_regex(rf"(?i)(?:,? (?:{_PUBLIC}|{_FIRM})){{1,5}}\Z")
_OF_PUBLIC: Final = lazy_regex(rf"(?i)(?<![^\W_])(?:{_PUBLIC})(?![^\W_])")
_OF_SAINT: Final = lazy_regex(rf"(?i)(?<![^\W_])(?:{_SAINT}) \Z")
_KIND = Option(
    domain=named("drawn", "kept"),
    help="kept: words for kinds of organizations (University, Bank, GmbH) at the ends of a name stay, and are public.",
    metavar="NAME",
)


class _Read(NamedTuple):
    """A name by its parts: what is public stands around what is drawn."""

    head: str
    rest: str
    tail: str


@declared(summary="A made-up company, or as many capitals for an acronym.", kinds=("organization",), proof=PSEUDONYMS)
def organization(*, level: Annotated[str, _KIND] = "drawn", script: Annotated[str, SCRIPT] = "drawn") -> Drawn:
    """A pseudonym for the whole name: a family of the public pool in a form of the page's language.

    With ``level`` kept, words for kinds stay at its ends, and what stands between them is drawn: a town for public
    bodies, else a family. What is the name of a person or a town of the same scope gets the surrogate of that.

    Two to five capitals of any writing alone are an acronym, and become as many capitals, which spell nothing.
    """

    def of_mentions(mentions: Sequence[Mention], ages: Sequence[str]) -> Draw:
        page = mentions[0].page if mentions else UNKNOWN

        def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
            bare, ending = without_possessive(unicodedata.normalize("NFC", value))
            label = _organization_label(bare)
            if label != _NAME:
                shape = "A" * len(bare)
                drawn = agreed(scope, label, key_of(bare), rng, lambda source: filled(shape, source), distinct=True)
                return drawn + ending
            read = _parts(bare) if level == "kept" else _Read("", bare, "")
            written = f"{read.head}{_rest(read, page, scope, rng, is_kept=level == 'kept')}{read.tail}"
            return (written + ending).upper() if bare.isupper() else written + ending

        return surrogate_of

    public = [
        "whether it is written in capitals, and how many letters it has where it is two to five capitals alone",
        "its possessive",
    ]
    if level == "kept":
        public.append("words for kinds of organizations, of a public list, at its ends (University of, Bank, GmbH)")
        public.append("whether the rest of it is a part of a name or a place that the text has elsewhere, and which")
        public.append("whether it stands in the public list of countries")
    drawn = Drawn(
        name="organization",
        parameters={"level": level},
        guarantee=proved(0.0, PSEUDONYMS),
        public=tuple(public),
        equality="which are equal, but for case and possessive"
        + ("; and which are but for words for their kind" if level == "kept" else ""),
        entries=organizations() if level == "drawn" else None,
        surrogate_of=lambda value, scope, rng: of_mentions([Mention(value)], ())(value, scope, rng),
        of_mentions=of_mentions,
        read=_organization_key,
        of_pool=True,
    )
    return with_script(drawn, script)


def _parts(bare: str) -> _Read:
    """Cut words for kinds off both ends; all of them are the name where nothing else is left."""
    head = _HEAD.match(bare)
    start = head.end() if head is not None else 0
    tail = _TAIL.search(bare, start)
    end = tail.start() if tail is not None else len(bare)
    return _Read(bare[:start], bare[start:end], bare[end:]) if start < end else _Read("", bare, "")


def _rest(read: _Read, page: Page, scope: Scope, rng: np.random.Generator, *, is_kept: bool) -> str:
    key = key_of(read.rest)
    if scope.remembers:
        if (read.head or read.tail) and (
            known := person_of(key, scope) or beside(scope, "place").remembered(PLACE).get(key)
        ):
            return known
        if read.rest and is_kept and not (read.head or read.tail) and places().listed.get(key) == COUNTRY:
            return in_case_of(read.rest, country_of(key, page, "", beside(scope, "place"), rng))
    is_typed = bool(read.head or read.tail)
    forms = ("{}",) if is_typed else _FORMS_OF.get(page.language, FORMS)
    is_public = is_typed and _OF_PUBLIC.search(read.head + read.tail) is not None
    names = (
        place_pool(TOWN, page)
        if is_public
        else pool("family")
        if page.language in ("", "en")
        else names_of("family", page.language)
    )
    if _OF_SAINT.search(read.head):
        names = pool("given")
    if not scope.remembers:
        label = f"{_NAME} {page.language} {len(names)} {len(forms)}" if is_typed or page.language else _NAME
        place = scope.place(label, key, len(names) * len(forms), rng)
        return forms[place % len(forms)].format(names[place // len(forms)])

    def drawn(source: np.random.Generator) -> str:
        place = int(source.integers(len(names) * len(forms)))
        return forms[place % len(forms)].format(names[place // len(forms)])

    label = f"{_NAME} of {len(names)}" if is_typed else _NAME
    return agreed(scope, label, key, rng, drawn, distinct=True)


def _organization_label(bare: str) -> str:
    acronym = len(bare) in _ACRONYM and bare.isalpha() and bare.isupper()
    return f"{_NAME}, {len(bare)} capitals" if acronym else _NAME


def _organization_key(value: str) -> str:
    bare, _ = without_possessive(unicodedata.normalize("NFC", value))
    return f"{_organization_label(bare)}: {key_of(bare)}"


def organizations() -> int:
    """Return how many organizations there are on an English page."""
    return len(pool("family")) * len(FORMS)
