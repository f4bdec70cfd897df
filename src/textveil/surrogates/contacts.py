"""Ways to reach somebody: e-mail addresses, URLs, handles, IP addresses and telephone numbers.

Names of the pools stand at example.com, example.org and example.net, which belong to nobody and never will (RFC 2606,
RFC 6761): nothing that is sent there reaches a person, and no page stands there. IP addresses are of ranges that are
nobody's unless asked otherwise. Of telephone numbers, format and country stay; digits are of reserved ranges where
there are some.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from ipaddress import IPv4Address, IPv6Address
from typing import Annotated, Final, NamedTuple, TypeAlias

import numpy as np

from textveil.detection.found import words_in
from textveil.registry.options import Option, interval, named
from textveil.surrogates.bearers import OF_A_PERSON, in_case_of_words, login_of
from textveil.surrogates.drawn import BUT_FOR_CASE, Draw, Drawn, agreed, proved, pseudonym
from textveil.surrogates.making import PSEUDONYMS, SURROGATES, declared
from textveil.surrogates.organizations import host_of
from textveil.surrogates.pools import has_pool, pool
from textveil.surrogates.scopes import TAKEN, Scope
from textveil.surrogates.surrogate import UNKNOWN, Mention, Page
from textveil.surrogates.writing import filled, key_of, shape_of
from textveil.text.patterns import lazy_regex

DOMAINS: Final = ("example.com", "example.org", "example.net")
_MAILS: Final = ("{0}.{1}", "{0}{1}", "{0}_{1}", "{1}.{0}")
_PATHS: Final = tuple(f"{domain}/{{}}" for domain in DOMAINS)
_HOSTS: Final = tuple(f"{{}}.{domain}" for domain in DOMAINS)
_LOGINS: Final = ("{}", "{}_", "the{}", "{}x")
_HANDLES: Final = ("{0}{1}", "{0}_{1}", "{1}{0}", "the{0}{1}")
_SCHEME: Final = lazy_regex(r"(?:(?:https?|ftp)://)?(?:www\.)?", re.IGNORECASE | re.ASCII)
_SIGN: Final = lazy_regex(r"@|#|/?[ur]/|")


def _two_names(label: str, key: str, forms: int, scope: Scope, rng: np.random.Generator) -> tuple[str, str, int]:
    given, family = pool("given"), pool("family")
    rest, form = divmod(scope.place(label, key, len(given) * len(family) * forms, rng), forms)
    first, second = divmod(rest, len(family))
    return given[first].lower(), family[second].lower().replace("'", ""), form


def _of_bearer(
    label: str,
    value: str,
    login: str,
    places: tuple[str, ...],
    scope: Scope,
    rng: np.random.Generator,
    *,
    words: bool = True,
    others: Callable[[], Sequence[str]] = tuple,
) -> str:
    """Return a value of which a login is made of names of the scope, at one of the places; else the first of others.

    Whether it is, is settled at the first mention. No two values have one surrogate: where every place is taken,
    nothing is returned.
    """
    known, key = scope.remembered(f"{label} of a person"), key_of(value)
    if key not in known:
        taken = scope.remembered(f"{label} of a person{TAKEN}")
        own = login_of(login.lower(), scope, rng, words=words)
        written = [place.format(own) for place in places] if own else others()
        known[key] = next((one for one in written if one not in taken), "")
        taken[known[key]] = key
    return known[key]


_ROLES: Final = words_in(
    """info office contact hello sales support service legal hr jobs careers billing accounts payroll invoices orders
    admin enquiries inquiries reception bookings press media marketing help helpdesk team noreply no-reply postmaster
    webmaster privacy security abuse kontakt buero rechnung bewerbung verwaltung praxis vertrieb service anfrage
    contacto ventas pedidos facturas administracion secretaria secretariat accueil compta commande commercial
    amministrazione segreteria ordini fatture geral financeiro vendas administratie verkoop klantenservice biuro faktury
    sekretariat"""
)
"""Offices of a firm that read its mail."""


def _of_office(value: str, login: str, places: tuple[str, ...], scope: Scope) -> str:
    """Return the address of an office at the first of the domains where no other of the scope has it; else nothing."""
    known, key = scope.remembered("email of an office"), key_of(value)
    if key not in known and scope.remembers:
        free = [place for place in places if place.format(key_of(login)) not in known.values()]
        known[key] = free[0].format(key_of(login)) if free else ""
    own = known.get(key, "")
    return own and login + own[own.rindex("@") :]


@declared(summary="Another name at a domain that is reserved for examples.", kinds=("email",), proof=PSEUDONYMS)
def email() -> Drawn:
    """An address of the surrogate of the person whose name it is made of, if the scope has one; else of another."""
    forms = len(_MAILS) * len(DOMAINS)
    places = tuple(f"{{}}@{domain}" for domain in DOMAINS)

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        login = value.rpartition("@")[0]
        if key_of(login) in _ROLES and (office := _of_office(value, login, places, scope)):
            return office
        if own := _of_bearer("email", value, login, places, scope, rng):
            return in_case_of_words(login, own.rpartition("@")[0]) + own[own.rindex("@") :]
        given, family, form = _two_names("email", key_of(value), forms, scope, rng)
        return f"{_MAILS[form // len(DOMAINS)].format(given, family)}@{DOMAINS[form % len(DOMAINS)]}"

    public = (OF_A_PERSON, "a login of a public list of offices (info, billing), which stays")
    return pseudonym("email", public, surrogate_of, equality=BUT_FOR_CASE, read=key_of)


@declared(
    summary="A page or a host of another name at a domain that is reserved for examples.",
    kinds=("url",),
    proof=PSEUDONYMS,
)
def url() -> Drawn:
    """A pseudonym for the whole address but its scheme and www; those of one host have one host.

    One whose path or host ends or begins with a person's name gets the surrogate of that, and one whose host is called
    as an organization of the scope that of the organization.
    """

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        def of_firm() -> tuple[str, ...]:
            own = host_of(host, scope)
            return tuple(f"{place.format(own)}{end()}" for place in _HOSTS) if own else ()

        def end() -> str:
            given = pool("given")
            return f"/{given[scope.place('url path', value, len(given), rng)].lower()}" if path else ""

        scheme = _SCHEME.match(value)
        before = scheme[0].lower() if scheme else ""
        host, path, rest = value[len(before) :].rpartition("://")[2].partition("/")
        login = rest.rstrip("/").rpartition("/")[2] if path else host.partition(".")[0]
        places = _PATHS if path else _HOSTS
        if own := _of_bearer("url", value, login, places, scope, rng, words=False, others=of_firm):
            return before + own
        given, family, form = _two_names("url host", key_of(host.partition(":")[0]), len(DOMAINS), scope, rng)
        return f"{before}{given}.{family}.{DOMAINS[form]}{end()}"

    public = (
        "whether http://, https://, ftp:// or www. stands in front",
        "whether a path follows the host",
        f"of the end of its path, else of the first label of its host, {OF_A_PERSON}",
        "else whether its host is called as an organization of the text, with or without words for its kind, and which",
    )
    equality = "which are equal, and which have one host, but for case and a port"
    return pseudonym("url", public, surrogate_of, equality=equality)


@declared(summary="Another user's name.", kinds=("handle",), proof=PSEUDONYMS)
def handle() -> Drawn:
    """A pseudonym for a user's name; somebody may have it by chance."""

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        login = bare(value)
        sign = value[: len(value) - len(login)]
        if own := _of_bearer("handle", login, login, _LOGINS, scope, rng):
            return sign + in_case_of_words(login, own)
        given, family, form = _two_names("handle", key_of(login), len(_HANDLES), scope, rng)
        return sign + _HANDLES[form].format(given, family)

    def bare(value: str) -> str:
        sign = _SIGN.match(value)
        return value[sign.end() :] if sign else value

    public = ("whether @, #, u/, r/, /u/ or /r/ stands in front", OF_A_PERSON)
    equality = "which are equal, but for case and what stands in front"
    return pseudonym("handle", public, surrogate_of, equality=equality, read=lambda value: key_of(bare(value)))


_DOCUMENTATION: Final = tuple(int(IPv4Address(first)) for first in ("192.0.2.0", "198.51.100.0", "203.0.113.0"))
_PRIVATE: Final = int(IPv4Address("10.0.0.0"))
_ANY: Final = int(IPv4Address("11.0.0.0"))
_MULTICAST: Final = int(IPv4Address("224.0.0.0"))
_SIZES: Final = {"documentation": 3 * 254, "private": (1 << 24) - 2, "any": _MULTICAST - _ANY}
_SIZE6: Final = 1 << 62

_RANGES = Option(
    domain=named(*_SIZES),
    help="documentation: 762 addresses that RFC 5737 reserves for examples; private: 10.0.0.0/8; any: others, "
    "which may be somebody's.",
    metavar="NAME",
)


@declared(
    summary="An address of the ranges that are reserved for examples, or of others.", kinds=("ip",), proof=PSEUDONYMS
)
def ip(*, ranges: Annotated[str, _RANGES] = "documentation") -> Drawn:
    """A pseudonym for an IP address; of version 6, if two colons stand in it: 2001:db8::/32 (RFC 3849)."""

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        if value.count(":") > 1:
            place = scope.place("ip 6", key_of(value), _SIZE6, rng)
            return str(IPv6Address((0x20010DB8 << 96) | (place >> 46) << 80 | (place & (1 << 46) - 1) + 1))
        place = scope.place(f"ip 4 {ranges}", key_of(value), _SIZES[ranges], rng)
        if ranges == "documentation":
            return str(IPv4Address(_DOCUMENTATION[place // 254] + 1 + place % 254))
        return str(IPv4Address((_PRIVATE + 1 if ranges == "private" else _ANY) + place))

    public = ("whether it is of version 4 or 6",)
    parameters = {"ranges": ranges}
    return pseudonym("ip", public, surrogate_of, _SIZES[ranges], parameters, equality=BUT_FOR_CASE, read=key_of)


_EXTENSION: Final = lazy_regex(r"\s{0,3}(?:x|ext\.?|extension)\s{0,3}[0-9]{1,6}\Z", re.IGNORECASE)
_LONGEST_EXTENSION: Final = 24
_LOCAL: Final = 7
_RUSSIAN: Final = 11  # digits of a number with the 8 that is dialed at home
_FIRST_DIGITS: Final = tuple("23456789")
_BRITISH: Final = "phone 44 10"
_CODES_OF: Final = {
    "de": (49, 43, 41), "fr": (33, 32, 41), "es": (34, 52), "it": (39,), "nl": (31, 32), "pt": (351, 55), "pl": (48,),
    "tr": (90,), "ru": (7,), "ja": (81,), "ko": (82,), "zh": (86,),
}  # fmt: skip
"""Calling codes of a page by its language: the first that has numbers of as many digits is theirs."""
_FIRST_BY_AREA: Final = {4: "7", 3: "1", 2: "2"}
"""The first digit of British numbers by how many digits their area has: 07700 900461, 0161 496 0331, 020 7946 0321."""

_FIRST_OF_MOBILES: Final = {
    "49": "1", "43": "6", "41": "7", "33": "67", "32": "4", "34": "67", "39": "3", "31": "6", "351": "9", "55": "9",
    "48": "5678", "90": "5", "7": "9", "44": "7",
}  # fmt: skip
_MOBILE: Final = lazy_regex(
    r"(?i)(?<![^\W_])(?:mob|handy|cell?|gsm|portable|port\.|m[o\xf3]vil|telem[o\xf3]ve[il]|kom\.|kom[o\xf3]rk|\u043c\u043e\u0431|cep)"
    r"[^\W\d_]{0,8}\.?[\s:=(|,]{0,12}\Z"
)
"""A word for a mobile telephone before a number, and with which digits numbers of mobiles begin by country."""

_COUNTRY = Option(
    domain=interval("a calling code from 1 to 999", 1, 999),
    help="The country of numbers without a calling code: 1 for North America, 44 for Britain.",
    metavar="CODE",
)


_Numbers: TypeAlias = Callable[[tuple[int, ...]], frozenset[str]]  # those of mobiles, for calling codes of the page


class _Plan(NamedTuple):
    name: str  # of the pool of beginnings; where no plan is known, what is kept, so that others share no draws
    kept: int  # how many digits in front stay: a calling code, zeros before it, a 0, 1 or 8 before the area
    beginnings: tuple[str, ...]  # of the digits after them, one of which is drawn; 2 to 9 where no plan is known


class _WrittenNumber(NamedTuple):
    bare: str
    extension: str  # an extension with what marks it, or empty
    plan: _Plan
    number: str  # the digits that do not stay
    letters: str  # how many letters there are, and these, case folded; empty if there are none


@declared(
    summary="A number of the same country and format, where possible one that is reserved for examples.",
    kinds=("phone",),
    proof=SURROGATES,
)
def phone(*, country_code: Annotated[int, _COUNTRY] = 1) -> Drawn:
    """A uniform number of the format and country of a value; formats of one number agree.

    In North America it is one of 555-0100 to 555-0199 of a public list of areas, in Britain and France one of those
    that their offices reserve for drama: nobody is called. Elsewhere digits begin as numbers of that country do
    (``phonenumbers``), and the number may be somebody's. A number without a calling code is one of the country whose
    language the page is in, and of a mobile if a released word before it says so.
    """

    def drawn_of(value: str, page: Page, mobiles: _Numbers, scope: Scope, rng: np.random.Generator) -> str:
        codes: tuple[int, ...] = (country_code,)
        if country_code == 1 and scope.remembers:
            language = scope.remembered("phone language").setdefault("", page.language)
            codes = _CODES_OF.get(language, codes)
        read = _read(value, codes)
        plan, number, letters = read.plan, read.number, read.letters
        label = f"{plan.name}, digits"
        drawn = agreed(
            scope, label, number, rng, lambda source: _drawn(read, number in mobiles(codes), source), distinct=True
        )
        digits = iter(_digits(read.bare)[: plan.kept] + drawn)
        own = f"{plan.name} {number} {letters}"
        capitals = "A" * int(letters.partition(" ")[0] or 0)
        large = iter(agreed(scope, "phone letters", own, rng, lambda source: filled(capitals, source)))
        next_of = {"9": lambda: next(digits), "A": lambda: next(large), "a": lambda: next(large).lower()}
        written = [next_of[symbol]() if symbol in next_of else symbol for symbol in shape_of(read.bare)]
        ending, mark = _digits(read.extension), f"{label}, extension"
        other = agreed(scope, mark, f"{number} x {ending}", rng, lambda source: filled("9" * len(ending), source))
        return "".join(written) + read.extension[: len(read.extension) - len(ending)] + other

    def of_mentions(mentions: Sequence[Mention], ages: Sequence[str]) -> Draw:
        page = mentions[0].page if mentions else UNKNOWN
        said = [mention.value for mention in mentions if _MOBILE.search(mention.before)]

        @cache
        def mobiles(codes: tuple[int, ...]) -> frozenset[str]:
            return frozenset([_read(value, codes).number for value in said])

        return lambda value, scope, rng: drawn_of(value, page, mobiles, scope, rng)

    def key(value: str) -> str:
        read = _read(value, (country_code,))
        return f"{read.plan.name} {read.number} {read.letters} x {_digits(read.extension)}"

    return Drawn(
        name="phone",
        parameters={"country_code": country_code},
        guarantee=proved(0.0, SURROGATES),
        public=(
            "its format: how many digits, capitals and other letters it has, the marks and white space between "
            "them, and an extension's",
            "its country, where the calling code is written after + or 00, and a 0, (0) or 1 in front of the area, or "
            "an 8 in front of ten digits",
        ),
        equality=(
            "which numbers are equal, without calling code, 0, 1 or 8 in front, letters and extension; and of equal "
            "ones, which letters and which extensions are equal, but for case"
        ),
        surrogate_of=lambda value, scope, rng: drawn_of(value, UNKNOWN, lambda codes: frozenset(), scope, rng),
        of_mentions=of_mentions,
        read=key,
    )


def _read(value: str, codes: Sequence[int]) -> _WrittenNumber:
    match = _EXTENSION.search(value[-_LONGEST_EXTENSION:])
    extension = "" if match is None else match[0]
    bare = value[: len(value) - len(extension)]
    digits, letters = _digits(bare), "".join(filter(str.isalpha, bare))
    letters = f"{len(letters)} {key_of(letters)}" if letters else ""
    plan = _plan(digits, bare, codes)
    return _WrittenNumber(bare, extension, plan, digits[plan.kept :], letters)


def _plan(digits: str, bare: str, codes: Sequence[int]) -> _Plan:
    plus = bare.lstrip("( ").startswith("+")
    zeros = 2 if not plus and digits.startswith("00") else 0
    if plus or zeros:
        for length in (1, 2, 3):
            kept = _with_trunk(digits, zeros + length, bare)
            if has_pool(name := f"phone {digits[zeros : zeros + length]} {len(digits) - kept}"):
                return _Plan(name, kept, pool(name))
        known = (length for length in (1, 2, 3) if digits[zeros : zeros + length] in pool("calling code"))
        length = next(known, 0)
        kept = _with_trunk(digits, zeros + length, bare)
        return _Plan(f"phone +{digits[zeros : zeros + length]}", kept, _FIRST_DIGITS)
    american = codes[0] == 1
    russian = len(digits) == _RUSSIAN and digits[0] == "8"
    trunk = int(digits[:1] == "0" or russian or (american and digits[:1] == "1" and len(digits) > _LOCAL))
    if american and len(digits) == _LOCAL:
        return _Plan("phone 1 local", 0, ("55501",))
    if russian or (american and digits[:1] == "0"):  # no American number has a 0 before its area
        codes = (7,) if russian else (44,)
    names = (f"phone {code} {len(digits) - trunk}" for code in codes)
    name = next(filter(has_pool, names), "")
    return _Plan(name, trunk, pool(name)) if name else _Plan(f"phone {digits[:trunk]}-", trunk, _FIRST_DIGITS)


def _with_trunk(digits: str, code: int, bare: str) -> int:
    """Return how many digits a calling code is with the 0 behind it that is dialed at home: +49 (0)7040 72113."""
    return code + (digits[code : code + 1] == "0" and "(0)" in bare)


def _drawn(read: _WrittenNumber, is_mobile: bool, rng: np.random.Generator) -> str:
    first = _FIRST_BY_AREA.get(_area(read), "") if read.plan.name == _BRITISH else ""
    first = first or (_FIRST_OF_MOBILES.get(read.plan.name.split(" ")[1], "") if is_mobile else "")
    beginnings = read.plan.beginnings
    fitting = [begins for begins in beginnings if begins[0] in first] or beginnings
    return (fitting[int(rng.integers(len(fitting)))] + filled("9" * len(read.number), rng))[: len(read.number)]


def _area(read: _WrittenNumber) -> int:
    """Return how many digits stand together behind the calling code, or the 0, of a number."""
    kept, area = read.plan.kept, 0
    for symbol in shape_of(read.bare):
        if symbol == "9" and kept:
            kept -= 1
        elif symbol == "9":
            area += 1
        elif area:
            break
    return area


def _digits(written: str) -> str:
    return "".join(str(unicodedata.digit(character)) for character in written if character.isdigit())
