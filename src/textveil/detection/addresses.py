"""E-mail addresses, URLs, handles, domains, IP addresses, wallets, coordinates and telephone numbers."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from hashlib import sha256
from ipaddress import ip_address
from types import MappingProxyType
from typing import Final

from textveil.detection.digests import names_firm
from textveil.detection.found import OTHER, Found, Search, finding, near, readings, words_in
from textveil.detection.gates import (
    CUT,
    WithWords,
    at_digits,
    either,
    in_runs,
    joined_words,
    matching,
    places_of,
    with_words,
)
from textveil.detection.units import FOREIGN_NUMBER_WORDS
from textveil.text.patterns import either_of, lazy_regex, matches, matches_at
from textveil.text.tokens import Kind, addresses

_KINDS: Final = {Kind.EMAIL: "email", Kind.URL: "url", Kind.HANDLE: "handle"}
_SCORE: Final = 0.95
_COVERED_USER: Final = lazy_regex(f"://{OTHER}*+:{OTHER}+$")
_LONGEST_USER: Final = 400

_ENDINGS: Final = "com|org|net|edu|gov|mil|info|biz|io|ai|app|dev|co|uk|de|fr|nl|ru|jp|cn|br|au|ca|ch|it|es|eu|us|tv|me"
_DOMAIN_END: Final = lazy_regex(rf"\.(?:{_ENDINGS})(?![A-Za-z0-9@])(?!\.[A-Za-z0-9])(?::[0-9]{{1,5}})?(?:/[^\s<>\"]*)?")
_IMAGE_TAG: Final = lazy_regex(
    rf"(?<=[a-z0-9])(?::(?:v?[0-9]|{OTHER})[\w.{OTHER}-]{{0,80}}(?:@sha256:[0-9a-f]{{64}})?|@sha256:[0-9a-f]{{64}})\Z"
)
"""The version behind an image: it stays, so that a reader sees what was installed."""
_DOMAIN_CHARACTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-"
_LONGEST_DOMAIN: Final = 253
_SURE_ENDINGS: Final = lazy_regex(r"\.(?:com|org|net|edu|gov|mil|info|biz|io)\b")

_IP: Final = lazy_regex(
    r"(?<![\w.])(?:(?P<four>[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w]|\.[0-9]))|(?P<six>(?<!:)(?=[0-9A-Fa-f]{0,4}:[0-9A-Fa-f]{0,4"
    r"}:)[0-9A-Fa-f:]{2,39}(?:\.[0-9]{1,3}){0,3}(?![\w:])))"
)

IP_GATE: Final = either(at_digits(r"[0-9]\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]"), matching(":[0-9A-Fa-f]{0,4}:"))


def find_addresses(text: str) -> Iterator[Found]:
    """E-mail addresses, URLs and handles."""
    for token in addresses(text):
        before = text[max(0, token.start - 1) : token.start]
        covered = before == OTHER and _COVERED_USER.search(text[max(0, token.start - _LONGEST_USER) : token.start])
        if covered or (before == OTHER and token.kind is Kind.HANDLE and "." not in text[token.start : token.end]):
            continue  # a host, behind a user whose name, or name and password, were found
        yield Found(token.start, token.end, _KINDS[token.kind], _SCORE)


def find_domains(text: str) -> Iterator[Found]:
    """Yield domain names of common endings that stand without http:// or www., and hosts that name their owner."""
    position = 0
    for match in matches(_DOMAIN_END, text):
        before = text[max(position, match.start() - _LONGEST_DOMAIN) : match.start()]
        name = before[len(before.rstrip(_DOMAIN_CHARACTERS)) :].lstrip(".-")
        sure = _SURE_ENDINGS.match(match[0]) is not None
        if len(name) < 2 or not name[-1].isalnum() or name.isdigit() or not (sure or "." in name or "/" in match[0]):
            continue
        end = match.start() + len(match[0].rstrip(".,;:!?'*)"))
        tag = _IMAGE_TAG.search(text, match.start(), end) if "/" in match[0] else None
        if tag is not None:
            if OTHER not in tag[0]:
                yield Found(tag.start(), end, "code-number", 0.8, "code")
            end = tag.start()
        yield Found(match.start() - len(name), end, "url", 0.8 if sure else 0.6)
        position = end
    for match in matches(_INSIDE, text):
        if names_firm(match["owner"]):
            yield Found(*match.span(), "url", 0.6)


_INSIDE: Final = lazy_regex(
    r"(?<![A-Za-z0-9_@./-])[a-z0-9](?:[a-z0-9-]{0,40}[a-z0-9])?(?:\.[a-z0-9-]{1,40}){0,3}\.(?P<owner>[a-z][a-z0-9-]{2,40})"
    r"\.(?:example|local|lan|internal|intranet|corp|intra|home\.arpa|localdomain|invalid|test)(?![A-Za-z0-9_@(/-])"
    r"(?!\.[A-Za-z0-9])",
    within=r"\.(?:example|local|lan|internal|intra|corp|home\.arpa|invalid|test)",
)
"""Hosts of networks of one house, by the endings that no public network has."""

_HOST_KEY: Final = lazy_regex(
    r"(?i:(?:[a-z0-9]{1,20}[_.-]){0,4}(?:[a-z0-9]{0,12}host(?:s|name)?|server(?:_?name)?|endpoint|broker|domain|upstream"
    r"|[a-z]{0,8}addr(?:ess)?|bastion|gateway|nameserver))[\"']?(?:[ \t]{0,3}[:=][ \t]{0,3}"
    r"|[ \t]{1,12}(?=[a-z0-9-]{1,40}\.[a-z0-9]))[\"']?(?:[a-z]{2,12}://)?"
    r"(?P<hosts>[a-z0-9][a-z0-9_.-]{2,120}(?:(?::[0-9]{2,5})?,[a-z0-9][a-z0-9_.-]{2,120}){0,9})(?=[:/\"'\s,;]|\Z)"
)
_HOST: Final = lazy_regex(r"[a-z0-9][a-z0-9_.-]{2,120}")
_HOST_WORDS: Final = joined_words(
    "host hosts hostname server servername endpoint broker domain upstream bastion gateway nameserver addr address "
    "pghost dbhost mqhost smtphost mysqlhost"
)
_PUBLIC_MAIL: Final = lazy_regex(
    r"(?:smtp|imap|pop3?|mail|mx|outlook|email-smtp)[a-z0-9-]{0,12}(?:\.[a-z0-9-]{2,20})?\.(?:gmail|googlemail|google"
    r"|office365|outlook|hotmail|yahoo|icloud|gmx|web|sendgrid|mailgun|mailjet|postmarkapp|mandrillapp|sparkpostmail"
    r"|amazonaws|mailtrap|zoho|fastmail|brevo|sendinblue)\.(?:com|net|org|de|io|eu)"
)
"""Servers of mail that everyone may use: they name no firm."""
HOST_KEY_GATE: Final = WithWords(lambda: _HOST_WORDS)


def find_hosts_under_keys(text: str) -> Iterator[Found]:
    """Yield hosts that a setting holds, where a part of them is no word of programs: DB_HOST=db1.tarn.lan."""
    reached = 0
    for place, _ in places_of(text, _HOST_WORDS):
        start = place
        while start > reached and (text[start - 1].isalnum() or text[start - 1] in "_.-") and place - start < 60:
            start -= 1
        if (key := _HOST_KEY.match(text, start)) is None or start < reached:
            continue
        reached = key.end()
        for host in _HOST.finditer(text, *key.span("hosts")):
            if _PUBLIC_MAIL.fullmatch(host[0]):
                yield Found(*host.span(), "code", 0.9, "code")
            elif not host[0].isalnum() and (names_firm(host[0]) or host[0].endswith(".example")):
                yield Found(*host.span(), "url", 0.85, "field")


_OWN: Final = ("127.0.0.1", "0.0.0.0", "255.255.255.255", "255.255.255.0")
"""Addresses that every machine has, and masks."""


def find_ip_addresses(text: str) -> Iterator[Found]:
    """IPv4 and IPv6 addresses."""
    for match in matches(_IP, text):
        written = match[0].rstrip(":") if match["six"] and not match[0].endswith("::") else match[0]
        try:
            ip_address(written)
        except ValueError:
            continue
        if match["four"] or sum(map(str.isalnum, written)) > 2:
            kind = "code-number" if written in _OWN else "ip"
            yield Found(match.start(), match.start() + len(written), kind, _SCORE, "" if kind == "ip" else "code")


_BASE58: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_RIPPLE: Final = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
_BECH32: Final = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_WALLET: Final = lazy_regex(
    r"(?<![A-Za-z0-9_])(?:(?P<ethereum>0x[0-9a-fA-F]{40})|(?P<bech>(?:bc|tb|ltc|BC|TB|LTC)1[02-9ac-hj-np-zAC-HJ-NP-Z]{1"
    r"1,87})|(?P<base>[1-9A-HJ-NP-Za-km-z]{26,64}))(?![A-Za-z0-9_])"
)
_DIGIT: Final = lazy_regex("[0-9]")
_SOLANA: Final = lazy_regex(r"(?i)\b(?:solana|sol|phantom|wallet|polkadot|cardano)\b")
_REACH: Final = 40
WALLET_GATE: Final = in_runs("0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{26}|[bBlLtT][cCbB]1|[lL][tT][cC]1")


def find_wallets(text: str) -> Iterator[Found]:
    """Addresses of Bitcoin, Litecoin, Dogecoin, Tron, Ripple and Ethereum; others behind "wallet"."""
    for match in matches(_WALLET, text):
        value = match[0]
        if match["ethereum"]:
            yield Found(*match.span(), "id", 0.9, "shape")
        elif match["bech"]:
            yield Found(*match.span(), "id", *((0.95, "check") if valid_bech32(value) else (0.6, "shape")))
        elif not _DIGIT.search(value):
            continue
        elif valid_base58(value, _BASE58) or (value[0] == "r" and valid_base58(value, _RIPPLE)):
            yield Found(*match.span(), "id", 0.95, "check")
        elif len(value) >= 32 and _SOLANA.search(text, max(0, match.start() - _REACH), match.start()):
            yield Found(*match.span(), "id", 0.7, "label")


def valid_base58(value: str, alphabet: str = _BASE58) -> bool:
    """Return whether the last four bytes of a base-58 address are its checksum: SHA-256, twice."""
    if not 26 <= len(value) <= 36:
        return False
    number = 0
    for character in value:
        number = number * 58 + alphabet.index(character)
    if number >= 1 << 200:
        return False
    data = number.to_bytes(25, "big")
    return sha256(sha256(data[:21]).digest()).digest()[:4] == data[21:]


def valid_bech32(value: str) -> bool:
    """Return whether the last six characters of a Bech32 address are its checksum (BIP 173, BIP 350)."""
    if value not in (value.lower(), value.upper()):
        return False
    human, _, data = value.lower().partition("1")
    check = 1
    words = [ord(character) >> 5 for character in human] + [0] + [ord(character) & 31 for character in human]
    words += [_BECH32.index(character) for character in data]
    for word in words:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ word
        for place, factor in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check ^= factor if top >> place & 1 else 0
    return check in (1, 0x2BC830A3)


_NUMBER: Final = r"[-+]?[0-9]{1,3}\.[0-9]{2,15}"
_MARK: Final = "(?: ?\xb7| ?deg(?:rees)?)?"
_PAIR: Final = lazy_regex(
    rf"(?<![\w.,/-])(?<![0-9], )(?P<first>{_NUMBER}){_MARK} ?(?P<north>[NSns](?![A-Za-z]))?(?:, ?|; ?| )"
    rf"(?P<second>{_NUMBER}){_MARK}(?: ?(?P<east>[EWew](?![A-Za-z])))?(?![\w%]|\.\w|, ?-?[0-9])"
)
_ARC: Final = r"[0-9]{1,3} ?\xb7 ?[0-9]{1,2} ?['\xb7] ?(?:[0-9]{1,2}(?:\.[0-9]{1,6})? ?[\"'\xb7]{1,2})? ?"
_ARCS: Final = lazy_regex(rf"(?<![\w.]){_ARC}[NSEWO](?:,? {{0,2}}{_ARC}[NSEWO])?(?!\w)")
_LABELLED: Final = lazy_regex(
    r"(?i)(?<![A-Za-z])(?:lat(?:itude)?|lon(?:g(?:itude)?)?|lng)\.?[\"']?(?: ?(?:is|:|=)){0,2} ?[\"']?"
    rf"(?P<value>{_NUMBER})(?![\w.%])"
)
_NEAR: Final = lazy_regex(
    r"(?i)\b(?:gps|coordinates?|coords?|lat(?:itude)?|location|located|position|geo|map|pin|at)\b"
)
_ANCHOR: Final = lazy_regex(r"[0-9]\.[0-9]{2,15}.{0,12}?[0-9]\.[0-9]{2}")
_ARC_CLUE: Final = lazy_regex(r"[0-9] ?\xb7 ?[0-9]")
_DECIMALS: Final = lazy_regex(r"[0-9]\.[0-9]{2}")
_COORDINATE_REACH: Final = 40
COORDINATE_GATE: Final = at_digits(
    r"[0-9]\.[0-9]{4}|[0-9] ?\xb7 ?[0-9]|(?i:l(?:at|on|ng)).{0,10}[0-9]\.[0-9]{2}|[0-9]\.[0-9]{2,3}\W{1,3}[NSEW]"
)


def find_coordinates(text: str) -> Iterator[Found]:
    """Latitudes and longitudes: "40.7128, -74.0060", degrees, minutes and seconds, ``"lat": 40.7128``."""
    end = 0
    spans = [*_pairs(text), *_arcs(text), *_labelled(text)]
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if span.start >= end:
            yield span
            end = span.end


def _pairs(text: str) -> Iterator[Found]:
    for match in near(_PAIR, text, _ANCHOR, 24, 40):
        first, second = match["first"], match["second"]
        fits = abs(float(first)) <= 90 and abs(float(second)) <= 180
        exact = min(len(first.partition(".")[2]), len(second.partition(".")[2]))
        marked = match["north"] is not None or match["east"] is not None
        said = _NEAR.search(text, max(0, match.start() - _COORDINATE_REACH), match.start()) is not None
        far = max(abs(float(first)), abs(float(second))) >= 2
        if fits and (marked or (said and exact >= 3 and far) or (exact >= 4 and far and "-" in (first + second)[:99])):
            yield Found(match.start(), match.end(), "id", 0.9 if marked or said else 0.6, "shape")


_arcs: Final = finding(_ARCS, "id", 0.9, "shape", by=partial(near, anchor=_ARC_CLUE, before=4, after=64))
_labelled: Final = finding(
    _LABELLED, "id", 0.9, "label", group="value", by=partial(near, anchor=_DECIMALS, before=30, after=20)
)
_LABELLED_PHONE: Final = lazy_regex(
    r"(?<![A-Za-z])(?:(?:Tel|Telefon|Telefax|Fax|Mobil|Handy|Phone|Telephone|Mob|Tlf|Tfno|[Kk]om|Cep)(?:\.?-?(?:Nr|No)\.?)?[.:]{0,2}"
    r" ?(?=[+(]{0,2}[0-9](?:[ ./()-]{0,3}[0-9]){5})"
    r"|(?i:tel(?:ephone)?[_ ]?(?:number|no)?|phone(?:[_ ]?number)?|ext(?:ension)?|durchwahl)\.?[\"']?: ?[\"']?"
    r"(?=x?[0-9]{3,6}[ \t]{0,3}(?:[\n,;|\"')}]|\Z)))"
    r"(?P<number>[+(]{0,2}[0-9](?:[ ./()-]{0,3}[0-9]){5,17}|x?[0-9]{3,6})(?![\w]|[.,/-][0-9])"
)
LABELLED_PHONE_GATE: Final = with_words(
    "tel telefon telefax fax mobil handy phone telephone mob tlf tfno telephonenumber phonenumber telno ext extension"
    " durchwahl telnumber kom cep"
)
find_labelled_phones: Final = finding(_LABELLED_PHONE, "phone", 0.85, "label", group="number")
REGIONS: Final = ("US", "GB", "IN", "DE", "FR", "ES", "IT", "BR", "AU", "MX")
"""ISO 3166 codes of countries whose national numbers are known if a number names no country."""
_SPOKEN_IN: Final = MappingProxyType({"es": ("ES",), "pl": ("PL",), "pt": ("PT", "BR"), "nl": ("NL", "BE")})
_THREES: Final = lazy_regex("[0-9]{3} [0-9]{3} [0-9]{3} ?")
"""Telephone numbers of Spain, Poland and Portugal look like amounts of millions."""
_DIGITS: Final = (
    r"[0-9](?:[0-9]|(?:[./-](?=[0-9(])| (?=[0-9]))|(?:\)[ ./-]{0,2}| ?\()(?=[0-9(])"
    r"|\) - (?=[0-9])| - (?=[0-9]{3})){5,22}(?:,? ?(?:x|ext\.?|extension) ?[0-9]{1,6}){0,2}(?![\w%]|[.:/-][0-9])"
)
_CANDIDATE: Final = lazy_regex(
    # Behind a plus no comma begins decimals: it is a cell's. A short number alone in a cell may be any.
    rf"(?<![\w@$%\xa4.+-])\+ ?\(?{_DIGITS}"
    rf"|(?<![\w@#$%\xa4/:=.+-])(?<![0-9],)(?!(?<=,)[1-9][0-9]{{5,8}}(?![0-9 ./()-]))\(?{_DIGITS}(?!,[0-9])"
)
_PART: Final = "[ ./()-]"
PHONE_GATE: Final = at_digits(
    rf"[0-9]{{6}}|(?:[0-9]{_PART}{{0,4}}){{5}}[0-9]|[0-9]{_PART}{{1,4}}[0-9]{{1,4}}{_PART}{{1,4}}(?:[0-9]|{CUT})"
)
_BEFORE: Final = lazy_regex(
    r"(?i)\b(?:phone|telephone|tel|call(?:ed|ing)?|fax|cell|mobile|dial|sms|whatsapp|text(?:ed)?|contact|reach(?:ed)?"
    r"|hotline|number|pager|answering|voicemail|ring|telefon[a-z]{0,6}|handy|mobil[a-z]?|(?:an|zuruck|durch)(?:ge)?ruf(?:en)?"
    r"|(?:r?appel|joindr|contact)[a-z]{1,3}|portable|llam(?:ar|e|en|a)|movil|(?:ri)?chiam(?:are|i|ate)|cellulare|ligar|ligue"
    r"|telemovel|celular|(?:terug|op|ge)?bel(?:len|d|t)?|bereikbaar|(?:od|za)?dzwon[a-z]{1,4}|komork[aiei]|numarasi"
    r"|cep)\b"
)
_AFTER: Final = lazy_regex(
    r"(?i),? ?[(-]?(?:office|fax|mobile|cell|phone|home|work|tel|direct|numara(?:sini|dan)|(?:an|zuruck)rufen|bellen)\b"
)
_PHONE_REACH: Final = 48
_FORMS: Final = lazy_regex(
    r"(?:\+|001-|1-)?(?:\([0-9]{3}\) ?|[0-9]{3}[-. ])[0-9]{3}[-. ][0-9]{4}\D{0,12}[0-9]{0,6}"  # North America
    r"|\+[0-9 ().-]{7,}(?:,? ?(?:x|ext\.?|extension) ?[0-9]{1,6})?|\(0?[0-9]{2,5}\)[ -]?[0-9][0-9 -]{4,}"
    r"|0[0-9]{1,4}[ ./-][0-9][0-9 ./-]{4,}|001-[0-9-]{10,}+(?:x[0-9]*)?"
)
_NUMBERED: Final = lazy_regex(r"[1-9][0-9]{2,5}/[0-9]{2,4}")
"""Digits that are never a telephone number, whatever stands beside them: cases, "application number 36391/02"."""
_GROUPS: Final = lazy_regex(r"[0-9]+")
_REMEMBERED: Final = 1 << 12


_DECIMAL: Final = lazy_regex(r"[0-9]{1,6}\.[0-9]{2,6}")
_OPERATOR: Final = lazy_regex(r"[=<>*/+[] ?\Z")


def phone_search(regions: tuple[str, ...] = REGIONS, language: str = "") -> Search:
    """Return the search for telephone numbers: those of ``regions``, and of a page's language, need no country code."""
    spoken = _SPOKEN_IN.get(language, ())
    valid, threes = _validity((*dict.fromkeys((*regions, *spoken)),)), _validity(spoken)

    def find(text: str) -> Iterator[Found]:
        def phone(start: int, end: int, whole: bool) -> Found | None:
            lead = text[start] == "(" and ")" not in text[start:end]  # a bracket of the sentence
            start += lead
            written = text[start:end]
            if written.count("(") > written.count(")"):
                return None  # ERROR 1045 (28000)
            if _DECIMAL.fullmatch(written) and _OPERATOR.search(text, max(0, start - 3), start):
                return None
            if not whole and not (_FORMS.fullmatch(written) and valid(written)):
                return None  # of a longer row of groups only what is a number beyond doubt
            context = _BEFORE.search(text, max(0, start - _PHONE_REACH), start) or _AFTER.match(text, end)
            score = _score(written, context is not None, valid)
            if not score and spoken and _THREES.fullmatch(written) and threes(written):
                score = 0.5
            return Found(start, start + len(written.rstrip()), "phone", score) if score else None

        return readings(_CANDIDATE, text, phone)

    return find


def _score(written: str, context: bool, valid: Callable[[str], bool]) -> float:
    """Return how sure it is that a candidate is a telephone number; 0 if it is not taken for one."""
    groups = _GROUPS.findall(written)
    digits = sum(map(len, groups))
    if not 6 <= digits <= 21:
        return 0.0
    if _NUMBERED.fullmatch(written) is not None or (not context and _is_range(written)):
        return 0.0
    if len(groups) == 1 and "+" not in written:
        return 0.7 if context and digits <= 13 else 0.6 if 10 <= digits <= 11 and valid(written) else 0.0
    if _FORMS.fullmatch(written) is not None:
        return 0.9 if valid(written) else 0.6
    if context:
        return 0.7
    grouped = 7 <= digits <= 13 and len(groups) <= 5 and max(map(len, groups)) >= 3 and min(map(len, groups)) >= 2
    years = all(len(group) == 4 and group[:2] in ("18", "19", "20") for group in groups)
    thousands = " " in written and all(len(group) == 3 for group in groups[1:]) and len(groups[0]) <= 3
    return 0.4 if grouped and not years and not thousands else 0.0


def _is_range(written: str) -> bool:
    low, mark, high = written.partition("-")
    ends = low.isdigit() and high.isdigit() and len(low) == len(high) == 4
    return bool(mark) and ends and low[0] != "0" and int(low) < int(high)


@lru_cache(maxsize=8)
def _validity(regions: tuple[str, ...]) -> Callable[[str], bool]:
    """Return whether a number is one that a region, or the country it names, can assign; remembers the last 4,096."""

    @lru_cache(maxsize=_REMEMBERED)
    def valid(written: str) -> bool:
        from phonenumbers import NumberParseException, is_valid_number, parse

        for region in (None,) if written.startswith("+") else regions:
            try:
                if is_valid_number(parse(written, region)):
                    return True
            except NumberParseException:
                continue
        return False

    return valid


_SPOKEN_WORDS: Final = joined_words(
    "oh zero one two three four five six seven eight nine double triple treble hundred thousand"
)
_LETTERS: Final = joined_words(
    """alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar papa
    quebec romeo sierra tango uniform victor whiskey whisky xray yankee zulu"""
)
"""Words that radio spells letters by."""
_LARGE: Final = "cent|ci?en|hund|taus|hond|duiz|mil|sto|ntos|cem"
_OTHER_DIGITS: Final = (
    frozenset(
        [word for word in FOREIGN_NUMBER_WORDS.split() if not re.search(_LARGE, word)]
    )
    | joined_words("null nul zwo eins een um uno un meia doppel")
)  # fmt: skip
"""Numbers below a hundred in words of other languages."""
_SPOKEN_DIGIT: Final = rf"(?:{either_of(' '.join(_SPOKEN_WORDS | _LETTERS | _OTHER_DIGITS))})"
SPOKEN_DIGITS: Final = lazy_regex(
    rf"(?<![A-Za-z-])(?i:{_SPOKEN_DIGIT}(?:(?:,? | (?:y|et|e) |-){_SPOKEN_DIGIT}){{3,20}})(?![A-Za-z-])"
)
_SPOKEN_LABEL: Final = lazy_regex(
    r"(?i)\b(?:(?P<strong>number|account|extension|ext|code|codes|pin|ref(?:erence)?|serial|policy|case|ticket|zip|postcode"
    r"|post code|social|ssn|ending|ends|digits|safe|keypad|combination|plate|reg(?:istration)?|last (?:four|three|4|3)"
    r"(?: digits)?(?: of (?:the |my |your |his |her )?[a-z ]{3,16})?)(?:'s| (?:is|are|was|in|with|ends|ending|of))?"
    r"|id|it's|its|is|on|at|call)\W{1,3}\Z"
)
_TEENS: Final = either_of(
    """ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty
    seventy eighty ninety hash star dash slash"""
)
_SPOKEN_TOKEN: Final = rf"(?:(?i:{_TEENS}|{either_of(' '.join(_SPOKEN_WORDS))})|(?!OH)[A-Z]{{1,2}}+|[0-9]{{1,2}}+)"
SPOKEN_CODE: Final = lazy_regex(
    rf"(?<![A-Za-z0-9-]){_SPOKEN_TOKEN}(?:(?:, | |-){_SPOKEN_TOKEN}){{2,20}}+(?![A-Za-z0-9'-]|[.:][0-9]"
    r"| (?i:hours?|days?|weeks?|years?|minutes?|times|people|of)\b)"
)
"""Letters and digits that are spelled, in words or spaced out, behind a word that tells what they are."""
_ANSWER: Final = (
    r"[^\n?]{0,40}\?\n[^\n:]{1,24}: {1,2}"
    r"(?i:(?:it'?s|yes|yeah|um|er|sure|ok|okay|hang on|so|that's|and)[,. ]{1,5}){0,4}"
)
_ANSWERED: Final = lazy_regex(_ANSWER)
_BEFORE_TOKENS: Final = words_in(
    """number account extension ext code codes pin ref reference serial policy case ticket zip postcode social ssn
    ending ends digits safe keypad combination plate reg registration"""
)
_TOKEN_BEGINS: Final = lazy_regex(r"(?i)\b[a-z]++(?:'s| (?:is|are|was|in|with|ends|ending))?[:,]? (?=[a-z0-9])")
_COUNTING: Final = ("one two three four", "ten nine eight", "five four three", "four three two", "three two one")
SPOKEN_GATE: Final = either(
    WithWords(lambda: _SPOKEN_WORDS | _LETTERS | _OTHER_DIGITS), at_digits("[0-9A-Z] [0-9] [0-9] [0-9]")
)


def _are_digits(words: list[str], fewest: int) -> bool:
    """Return whether these words spell a number, digit by digit, and neither count nor tell one number."""
    if letters := len(_LETTERS.intersection(words)):
        return letters > 1 and len(words) > 4 and not _LETTERS.issuperset(words)
    if not _SPOKEN_WORDS.issuperset(words):
        return len(words) >= fewest and len(set(words)) < len(words)
    return (
        len(words) >= fewest
        and not " ".join(words).startswith(_COUNTING)
        and words.count("hundred") + words.count("thousand") < 3
    )


_ASKED: Final = lazy_regex(
    r"(?i)\b(?:number|account|extension|code|pin|ref(?:erence)?|post ?code|zip|policy|nummer|numero|codigo|codice)"
    rf"{_ANSWER}\Z"
)
"""The question before it, and what begins the answer."""


def _is_asked(text: str, start: int) -> bool:
    asked = text.rfind("?\n", max(0, start - 60), start) >= 0
    return asked and _ASKED.search(text, max(0, start - 120), start) is not None


def find_spoken_numbers(text: str) -> Iterator[Found]:
    """Yield telephone numbers and others that are spelled digit by digit: oh seven seven double oh nine hundred."""
    begins = _SPOKEN_WORDS | _LETTERS | _OTHER_DIGITS
    for match in matches_at(SPOKEN_DIGITS, text, (start for start, _ in places_of(text, begins))):
        words = [word for word in re.split("[ ,-]+", match[0].lower()) if word in begins]
        labelled = _SPOKEN_LABEL.search(text, max(0, match.start() - 16), match.start()) is not None
        if _are_digits(words, fewest=4 if labelled or _is_asked(text, match.start()) else 7):
            yield Found(*match.span(), "id", 0.7, "spoken")
    for place, _ in places_of(text, _BEFORE_TOKENS):
        heads = (head for pattern in (_TOKEN_BEGINS, _ANSWERED) if (head := pattern.match(text, place)))
        code = next((code for head in heads if (code := SPOKEN_CODE.match(text, head.end()))), None)
        label = code and _SPOKEN_LABEL.search(text, max(0, code.start() - 40), code.start())
        if code is None or not (_is_asked(text, code.start()) or (label and label["strong"])):
            continue
        tokens = re.split("[ ,-]+", code[0])
        told = sum(token.lower() in _SPOKEN_WORDS for token in tokens)
        single = sum(len(token) == 1 for token in tokens)
        if told > 1 or (single > 4 and any(map(str.isdigit, tokens))):
            yield Found(*code.span(), "id", 0.75, "spoken")
