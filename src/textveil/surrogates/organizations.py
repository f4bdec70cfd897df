"""Organizations: another name with the same words for its kind, in a form of the page's language."""

import unicodedata
from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple

import numpy as np

from textveil.detection.institutions import local_bodies
from textveil.registry.options import Option, named
from textveil.surrogates.calendars import read_as
from textveil.surrogates.drawn import Draw, Drawn, agreed, proved
from textveil.surrogates.making import PSEUDONYMS, declared
from textveil.surrogates.person import login_form, person_of
from textveil.surrogates.places import PLACE, SCRIPT, country_of, with_script
from textveil.surrogates.pools import CITY, COUNTRY, TOWN, names_of, place_pool, places, pool
from textveil.surrogates.scopes import Scope, beside
from textveil.surrogates.shown import Sound, agreed_on, sound_of, sounding
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
    "pl": ("{} Sp. z o.o.", "{} S.A.", "{} i Synowie", "Grupa {}", "Biuro {}", "Firma {}", "{} Serwis"),
    "nl": ("{} B.V.", "{} Groep", "Gebroeders {}", "{} en Zonen", "{} Techniek", "{} Advies"),
}
_NAME: Final = "organization"
_HOSTS: Final = "organization hosts"
_SHORTEST_HOST: Final = 4
_ACRONYM: Final = range(2, 6)  # how many letters an acronym has
_PUBLIC: Final = (
    r"university|college|school|academy|hospital|infirmary|clinic|health|medical|cent(?:er|re)|surgery|practice|"
    r"library|museum|church|"
    r"national|federal|royal|parish|cathedral|council|court|police|constabulary|fire|department|airport|station|orchestra|theatre|theater|"
    r"hotel|community|general|regional|municipal|memorial|county|city|district|high|primary|elementary|grammar|"
    r"football|club|united|choir|farm|stud|hunt|nursing|home|care|hospice|inn|arms|hall|"
    r"chu|chr|ehpad|umc|mvz|h\xf4pitaux|azienda|ospedaliera|ospedaliero|asl|stadt|gemeinde|landkreis|landratsamt|ville|"
    r"podstawowa|podstawowe|uniwersytecki|wojew\xf3dzki|miejski|b\xe1sica|secund\xe1ria|prim\xe1ria|primaria|"
    r"universit\xe4t|krankenhaus|klinikum|klinik|uniklinik|schule|gymnasium|grundschule|"
    r"stadtwerke|"
    r"h\xf4pital|clinique|universit\xe9|\xe9cole|lyc\xe9e|coll\xe8ge|mairie|centre|cl\xednica|universidade?|"
    r"colegio|escuela|instituto|"
    r"ayuntamiento|ospedale|clinica|universit\xe0|scuola|liceo|comune|policlinico|istituto|escola|c\xe2mara|"
    r"col\xe9gio|ziekenhuis|"
    r"\xfcniversitesi|hastanesi|belediyesi|lisesi|okulu|ilkokulu|ortaokulu|fak\xfcltesi|karakolu|emniyeti|"
    r"universiteit|gemeente|szpital|uniwersytet|szko\u0142a|liceum|"
    r"tribunale?|procura|questura|prefettura|carabinieri|stazione|pr\xe9fecture|commissariat|gendarmerie|juzgado|"
    r"amtsgericht|landgericht|sozialgericht|finanzamt|jobcenter|polizei(?:inspektion|revier|direktion|pr\xe4sidium|wache|station|posten)?|rechtbank|s\u0105d|rejonowy|okr\u0119gowy|"
    r"urz\u0105d|delegacia|funeral|manor|nursery|surgery"
)
_FIRM: Final = (
    r"daughters?|son|joinery|lettings|shop|music|holding|carpentry|catering|s\xf6hne|sohn|t\xf6chter|p\xe8re|fils|filles|hijos|figli|soci|filhos|zonen|"
    r"nursery|salon|travel|farms|"
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
    r"as|sp\.? (?:z o\.o|[jk])\.|s\.[na]\.[cs]\.|s\.c\.|"
    r"(?:san\. ve )?tic\.|san\.|nakliyat|mobilya|tekstil|in\u015faat|g\u0131da|ticaret|lojistik|sigorta|otomotiv|"
    r"turizm|eczanesi|bankas\u0131|ltd\. \u015fti\.|a\.\u015f\.|"
    r"versicherung(?:en)?|verein|stiftung|sparkasse|apotheke|praxis|kanzlei|verlag|banque|banco|banca|seguros|"
    r"assurances?|"
    r"pharmacie|farmacia|boulangerie|librairie|stichting|apotheek|verzekeringen"
)
_SAINT: Final = r"st\.?|saint|sankt|sint|san|s\xe3o"
_HEAD: Final = lazy_regex(
    rf"(?i)(?:the )?(?:{_PUBLIC}|{_FIRM}|{_SAINT})(?: (?:{_PUBLIC}|{_FIRM}|"
    rf"degli studi)){{0,3}}(?: (?:of|for|de|du|di|del|della|"
    rf"do|da|der|f\xfcr))?"
    rf"(?: the)?(?: (?:d|dell)['\u2019]|(?: (?:{_SAINT}))? )(?=\S)"
)
_TAIL: Final = lazy_regex(
    rf"(?i)(?:(?:,?(?: (?:et|und|y|e|en))? (?:{_PUBLIC}|{_FIRM})){{1,5}}|-(?:gymnasium|\w{{0,8}}schule|universit\xe4t|"
    r"klinik(?:um)?|krankenhaus|stiftung|apotheke|institut)e?)\Z"
)
_BODY_LINK: Final = lazy_regex(
    r"(?i) (?:(?:d[eiou]|dos|das|del|della|van|von|der|w|we|of) (?:(?:la|las|los|les|the) )?|(?:d|dell|de l)['\u2019])?"
)
_JOIN: Final = lazy_regex(r" (?:&|\+|and|und|et|y|e|en) |, ")
_ENDS_OF: Final = lazy_regex(r"(?i)(?: of| de| di| do| du)(?: the)? \Z")
_STYLED: Final = lazy_regex(
    r"(?<![^\W_])(?:(?P<female>Queen|Princess|Lady|Sister)|(?P<male>King|Prince|St\.?|Saint|Brother)|"
    r"(?P<family>Bishop|Archbishop|Lord|Sir|Cardinal|President)) \Z"
)
"""Words before a name that it belongs to: Queen Elizabeth Hospital."""
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


class _Asked(NamedTuple):
    """Demands of the page on a name: its language, the sound that an article shows, a pool that a word shows."""

    page: Page = UNKNOWN
    sound: Sound = ""
    pool: str = ""


@declared(summary="A made-up company, or as many capitals for an acronym.", kinds=("organization",), proof=PSEUDONYMS)
def organization(*, level: Annotated[str, _KIND] = "drawn", script: Annotated[str, SCRIPT] = "drawn") -> Drawn:
    """A pseudonym for the whole name: a family of the public pool in a form of the page's language.

    With ``level`` kept, words for kinds stay at its ends, and what stands between them is drawn: a town for public
    bodies, a country or a state for one, else a family, and one for each where "&" stands between several. A word that
    is a part of a name or a town of the same scope gets the surrogate of that, and others beside it are left out.

    Two to five capitals of any writing alone are an acronym, and become as many capitals, which spell nothing.
    """

    def of_mentions(mentions: Sequence[Mention], ages: Sequence[str]) -> Draw:
        asked = _asked(mentions)

        def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
            bare, ending = without_possessive(unicodedata.normalize("NFC", value))
            label = _organization_label(bare)
            if label != _NAME:
                shape = "A" * len(bare)
                drawn = agreed(scope, label, key_of(bare), rng, lambda source: filled(shape, source), distinct=True)
                return drawn + ending
            read = _parts(bare) if level == "kept" else _Read("", bare, "")
            own = asked.get(key_of(bare), _Asked(mentions[0].page if mentions else UNKNOWN))
            rest = _rest(read, own, scope, rng, is_kept=level == "kept")
            _note_hosts(read, rest, scope)
            head = read.head
            if head.endswith(" de ") and own.page.language == "fr" and {*"AEIOUY\xc9\xc8\xca\xce\xd4"} & {rest[:1]}:
                head = f"{head[:-2]}'"  # CHU d'Amiens, whatever town it was
            written = f"{head}{rest}{read.tail}"
            ending = ending[:1] if written.endswith("s") else ending  # Salas and Partners' office
            return (written + ending).upper() if bare.isupper() else written + ending

        return surrogate_of

    public = [
        "whether it is written in capitals, and how many letters it has where it is two to five capitals alone",
        "its possessive",
    ]
    if level == "kept":
        public.append("words for kinds of organizations, of a public list, at its ends (University of, Bank, GmbH)")
        public.append(
            "whether the rest of it, or a word of it, is a part of a name or a place that the text has elsewhere, or "
            "such a name with s behind it, and which"
        )
        public.append("how many parts the rest has with & or 'and' between them, and which are equal")
        public.append("whether the rest stands in the public list of countries, states, counties, waters or mountains")
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
    """Cut words for kinds off both ends; all of them are the name if nothing else is left."""
    if " " not in bare and "-" not in bare:
        return _Read("", bare, "")
    head = _HEAD.match(bare)
    start = max(head.end() if head is not None else 0, _body_end(bare))
    tail = _TAIL.search(bare, start)
    end = tail.start() if tail is not None else len(bare)
    low = bare.lower()
    if low.endswith(local_bodies()):
        end = next((len(bare) - len(body) - 1 for body in local_bodies() if low.endswith(f" {body}")), end)
    return _Read(bare[:start], bare[start:end], bare[end:]) if start < end else _Read("", bare, "")


def _body_end(bare: str) -> int:
    """Return where the name of a public body ends that a name begins with, and what links it to its place; else 0."""
    low = read_as(bare)
    if len(low) != len(bare) or not low.startswith(local_bodies()):
        return 0
    body = next((body for body in local_bodies() if low.startswith(f"{body} ")), "")
    link = _BODY_LINK.match(bare, len(body))
    return link.end() if body and link else 0


def _asked(mentions: Sequence[Mention]) -> dict[str, _Asked]:
    """Return what released words ask of each name, by its key."""
    asked: dict[str, list[_Asked]] = {}
    for mention in mentions:
        bare, _ = without_possessive(unicodedata.normalize("NFC", mention.value))
        styled = _STYLED.search(mention.before)
        named = {"family": "family", None: ""}.get(styled and styled.lastgroup, f"given {styled and styled.lastgroup}")
        asked.setdefault(key_of(bare), []).append(_Asked(mention.page, sound_of(mention), named))
    return {
        key: _Asked(own[0].page, agreed_on([one.sound for one in own]), agreed_on([one.pool for one in own]))
        for key, own in asked.items()
    }


def _rest(read: _Read, asked: _Asked, scope: Scope, rng: np.random.Generator, *, is_kept: bool) -> str:
    key, page, is_typed = key_of(read.rest), asked.page, bool(read.head or read.tail)
    if scope.remembers and is_kept:
        known = _known(key, scope) if is_typed else ""
        if not known and (parts := _JOIN.split(read.rest))[1:]:
            joins = [*_JOIN.findall(read.rest), ""]
            typed = _Read(read.head, "", " ")
            drawn = [_rest(typed._replace(rest=part), asked, scope, rng, is_kept=True) for part in parts]
            return "".join(f"{own}{join}" for own, join in zip(drawn, joins, strict=True))
        if not known and len(words := read.rest.split(" ")) > 1:
            known = " ".join(filter(None, (_known(key_of(word), scope) for word in words)))
            known = known if is_typed or not known else f"{known}{_form(key, page, scope, rng)}"
        if known:
            return known
        listed = places().listed.get(key)
        if listed == COUNTRY:
            return in_case_of(read.rest, country_of(key, page, "", beside(scope, "place"), rng))
        if listed is not None and listed != CITY and is_typed:
            entries = place_pool(listed, page)
            return agreed(
                scope, f"{_NAME} {listed}", key, rng, lambda rng: entries[rng.integers(len(entries))], distinct=True
            )
    forms = ("{}",) if is_typed else _FORMS_OF.get(page.language, FORMS)
    names, sound = _names(read, asked, is_typed=is_typed)
    if not scope.remembers:
        label = f"{_NAME} {page.language} {len(names)} {len(forms)}" if is_typed or page.language else _NAME
        place = scope.place(label, key, len(names) * len(forms), rng)
        return forms[place % len(forms)].format(names[place // len(forms)])
    names = sounding(names, sound)
    forms = tuple(form for form in forms if form.startswith("{}")) if sound else forms

    def drawn_name(source: np.random.Generator) -> str:
        place = int(source.integers(len(names) * len(forms)))
        return forms[place % len(forms)].format(names[place // len(forms)])

    label = f"{_NAME} of {len(names)}" if is_typed else _NAME
    return agreed(scope, label, key, rng, drawn_name, distinct=True)


def _note_hosts(read: _Read, rest: str, scope: Scope) -> None:
    """Note how hosts write a name and its surrogate, with its words for its kind and without some or all of them."""
    if not scope.remembers:
        return
    hosts, (head, own, drawn, tail) = (
        scope.remembered(_HOSTS),
        map(_host_words, (read.head, read.rest, rest, read.tail)),
    )
    for begins in (head, []) if head else ([],):
        for count in range(len(tail), -1, -1):
            name = "".join((*begins, *own, *tail[:count]))
            if len(name) >= _SHORTEST_HOST:
                hosts.setdefault(name, "-".join((*begins, *drawn, *tail[:count])))


def _host_words(name: str) -> list[str]:
    words = map(login_form, _JOIN.sub(" ", f" {name} ").split())
    return list(filter(None, words))


def host_of(host: str, scope: Scope) -> str:
    """Return how a host writes the surrogate of the organization that it is called as; empty if it is of none."""
    hosts = beside(scope, _NAME).remembered(_HOSTS) if scope.remembers else {}
    for label in host.lower().split(".")[:-1] if hosts else ():
        if (own := hosts.get(login_form(label))) is not None:
            return own if "-" in label else own.replace("-", "")
    return ""


def _known(key: str, scope: Scope) -> str:
    """Return what a person or a place of this name was drawn as in the scope; empty if it was not.

    A person's name may have an s behind it: Pogges Versicherung.
    """
    known = person_of(key, scope) or beside(scope, "place").remembered(PLACE).get(key, "")
    if known or not key.endswith("s") or not (bearer := person_of(key[:-1], scope)):
        return known
    return f"{bearer}'" if bearer[-1] in "sxz\xdf" else f"{bearer}s"


def _form(key: str, page: Page, scope: Scope, rng: np.random.Generator) -> str:
    """Draw what stands behind the name of a person that an organization bears."""
    forms = [form[2:] for form in _FORMS_OF.get(page.language, FORMS) if form.startswith("{}")]
    return agreed(scope, f"{_NAME} form", key, rng, lambda rng: forms[rng.integers(len(forms))])


def _names(read: _Read, asked: _Asked, *, is_typed: bool) -> tuple[tuple[str, ...], Sound]:
    """Return the names that may stand for the rest of a name, and the sound that they must have."""
    page, head = asked.page, read.head
    if asked.pool and is_typed:
        return pool(asked.pool), ""
    if _OF_SAINT.search(head):
        return pool("given"), ""
    sound = "vowel" if head.endswith(("'", "\u2019")) else asked.sound if not head else ""
    if page.language == "fr" and head.endswith(" de "):
        sound = "consonant"
    of_town = read.tail[1:].lower() in local_bodies() or _body_end(f"{head} ") > 0
    of_town = of_town or _OF_PUBLIC.search(head + read.tail) is not None or _ENDS_OF.search(head) is not None
    if is_typed and of_town:
        return place_pool(TOWN, page), sound
    return pool("family") if page.language in ("", "en") else names_of("family", page.language), sound


def _organization_label(bare: str) -> str:
    acronym = len(bare) in _ACRONYM and bare.isalpha() and bare.isupper()
    return f"{_NAME}, {len(bare)} capitals" if acronym else _NAME


def _organization_key(value: str) -> str:
    bare, _ = without_possessive(unicodedata.normalize("NFC", value))
    return f"{_organization_label(bare)}: {key_of(bare)}"


def organizations() -> int:
    """Return how many organizations there are on an English page."""
    return len(pool("family")) * len(FORMS)
