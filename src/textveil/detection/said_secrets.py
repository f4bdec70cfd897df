"""Secrets that people tell each other: codes of doors and alarms, "it's now ...", "use ... as the password", pairs."""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import starmap
from typing import Final

from textveil.detection.found import Found, near_places, words_in
from textveil.detection.gates import WithWords, holding, joined_words, places_of
from textveil.detection.people_in_records import names_user
from textveil.detection.secrets import (
    apart,
    is_phrase,
    is_placeholder,
    is_said_secret,
    is_said_word,
    is_unlike_prose,
    phrase_behind,
)
from textveil.text.english import FUNCTION_WORDS
from textveil.text.patterns import lazy_regex, matches

_SCORE: Final = 0.8
_BE: Final = (
    r"(?:,? ?c'est)?(?:[ \t]?(?:is|are|was|now|ist|lautet|est|es|e|to|nu|:|=|ha[sd]|been|changed|reset|set)(?![A-Za-z])"
    r"){0,5}[ \t]{0,2}[\"'`(]{0,2}(?:(?:now|new|ahora|nuevo|neu|jetzt|ora|nuovo|agora|nu|maintenant):? )?"
)
_DIGIT: Final = "(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
_CODE: Final = lazy_regex(
    r"(?i:(?<![A-Za-z])(?:"
    r"(?:padlock |safe )?combination|(?:alarm|gate|door|entry|entrance|access|lock|key ?pad|key ?safe|key ?box"
    r"|lock ?box|safe|security|garage|building"
    r"|laundry(?: room)?|gym|pool|shed|cellar|basement|bike (?:shed|store|room)|bin store|lobby|lift"
    r"|barrier|unlock|intercom|voicemail|locker|verification|log-?in|sign-?in|one-time|your|enter|use|activation) "
    r"(?:code|combination|pin)|(?:code|combination) (?:for|to|of|on) the [a-z]{3,12}(?: [a-z]{3,12})?"
    r"|(?:haus)?(?:tur|tor|zugangs|alarm|schliessfach|tresor|keller|waschkuche(?:n| )|garagen)-?code|digicode"
    r"|code (?:du |de la |de l'|d')?(?:porte|portail|acces|entree|alarme|coffre|immeuble|parking|garage|cave)"
    r"(?: provisoire)?|(?:codigo|clave|combinacion) (?:del? |d[ao] |de la )?(?:puerta|porton|portal|acceso|alarma"
    r"|entrada|portao|porta|acesso|alarme|cofre|garaje|garagem|verja)(?: provisional)?|(?:codice|combinazione)"
    r" (?:del |della |dell'|di |d')?(?:cancello|accesso|allarme|portone|porta|garage|cassaforte)(?: provvisorio)?"
    r"|(?:deur|poort|alarm|toegangs|slot|kluis|sleutelkluis|kelder|garage|inlog)code|sleutelkluis(?:je)?|sleutelkastje"
    r"|schlussel(?:kasten|safe|box|tresor|code)(?:-?code)?(?: de[rs] [a-z]{4,12})?|cassetta delle chiavi"
    r"|boite a cles?|cajetin de llaves|code (?:van|voor) de [a-z]{4,12}|kod (?:do|od) [a-z]{4,12}"
    r"|(?<=, )code(?= [A-Z]?[0-9]{4}[A-Z]?(?:\n|\Z|[.,;]))"
    r"|pin(?: ?-?code| number)?(?=\W{1,3}(?:for [a-z ]{3,20} )?(?:is |now |ist |est |es "
    r"|e )?[0-9] [0-9] [0-9] [0-9])|one-time password"
    r"|key ?safe|key ?box|lock ?box|door entry|padlock|caja fuerte|candado|cassaforte|lucchetto|coffre|cadenas|cofre"
    r"|tresor|safe(?= [0-9]-))(?: (?:for|to) (?:[a-z]{2,12} ?){1,4}(?= (?:is|was|[0-9:=])))?)"
    rf"(?:'s[ \t])?{_BE}(?P<value>(?:{_DIGIT}[ -]){{3,7}}{_DIGIT}|[A-Z]{{0,2}}(?:[0-9](?:[ -][0-9]){{3,7}}"
    rf"|[0-9]{{4,10}}|[0-9]{{1,2}}(?:-[0-9]{{1,2}}){{2}}|[0-9]{{2,4}}(?:[ -][0-9]{{2,4}}){{1,2}})"
    r"(?:-?[A-Z#*]{1,2})?|[A-Z]?[0-9]{1,3}[A-Z]{1,2}[0-9]{2,3}[A-Z]?)(?![\w]|[.,/-][0-9])",
    small=tuple(
        words_in(
            "code codi kod combina pin clave safe box door padlock password sleutelk schlussel cassetta boite"
            " cajetin caja candado cassaforte lucchetto coffre cadenas cofre tresor"
        )
    ),
)
_WORD: Final = r"[^\s\"'`()<>,;]{4,60}"
_NAMES: Final = (
    "(?:pass ?words?|pass ?phrase|pass ?code|pass ?wort|kennwort|mot de passe|contrasena|senha|wachtwoord|pw)"
)
_TOLD: Final = (
    rf"(?i)\b{_NAMES}\b[^\n]{{0,120}}?(?:\n[^\n]{{0,80}}?)?\b(?:it'?s|it is|it was|has been) (?:now"
    rf"|currently|(?:changed|reset|set) to) "
    rf"[\"'`]?(?P<value>{_WORD})",
    rf"(?i)\b(?:use|try|with|enter|type|choose|chose|picked) [\"'`]?(?P<value>{_WORD})[\"'`]? (?:as"
    rf"|for) (?:[a-z-]{{1,10}} ){{0,3}}"
    rf"{_NAMES}\b",
    rf"(?i)(?<!\w)[\"'`]?(?P<value>{_WORD})[\"'`]? is (?:the|my|your|our|her|his"
    rf"|their)(?: [a-z-]{{1,10}}){{0,2}} {_NAMES}(?! [a-z])",
    rf"(?i)\b{_NAMES}(?: [a-z ]{{0,24}})?\((?!(?-i:[A-Z]{{2,6}}-?[0-9]{{1,4}}|[0-9-]+)\))"
    rf"(?P<value>{_WORD})\)",
    rf"(?i)\b(?:{_NAMES}|creds)\b[^\n]{{0,120}}?\b(?:one|it)(?: is| was|,) [\"'`]?(?P<value>{_WORD})",
    rf"(?i)\b(?:reset|chang|set|updat)[a-z]{{0,3}}\b[^\n.]{{0,30}}?\b{_NAMES}\b[^\n.]{{0,24}}? to [\"'`]?"
    rf"(?P<value>{_WORD})",
    r"(?i)\b(?:parola d'ordine|palabra clave|(?:security|secret) answer|memorable (?:word|name"
    r"|place|phrase|information|info|answer)|answer to (?:the|my|your|her|his) (?:secret|security) question"
    r"|haslo(?= to )|(?:wi-?fi|wlan|network"
    r"|netzwerk|router"
    r"|hotspot)[ -]?(?:key|schlussel|code)|(?:code|cle|clave|chiave|chave"
    r"|sleutel|klucz|haslo)(?: (?:de la|du|del|do|della|van de|van het|de|da))? (?:wi-?fi|wlan))\b"
    rf" ?(?:is|ist|lautet|est|es|e|to|:|=) {{0,2}}[\"'`]?(?P<value>{_WORD})",
    r"(?i)\b(?:credentials?|creds?|logins?|accounts?|wi-?fi|wlan|log(?:ged)?[ -]?in|sign in|zugang|zugangsdaten"
    r"|anmeldedaten|identifiants?|credenciales|credenziali|credenciais|acceso|acces|accesso|inloggegevens"
    r"|user(?:name)? ?/ ?pass(?:word)?(?: (?:pair|combo|combination))?)"
    r"(?: (?:do|da|de|del|della|du|for|to|of|the|van|der|zum|fur) [a-z-]{2,16}){0,2}"
    r"(?: (?:with|as|using|are|is|e|es|est|ist|mit|avec|con|com|met))?[:?!]{0,2} {1,2}"
    rf"(?P<user>[a-z0-9][a-z0-9.@+_-]{{1,40}}) ?(?:/|:|\|) ?(?P<value>{_WORD})",
    rf"(?i)\b{_NAMES}(?: (?:on|for|of|to) [a-z ]{{2,20}})? (?:is|was) still [\"'`]?(?P<value>{_WORD})",
    rf"(?i)\b{_NAMES}\b[^\n]{{0,80}}(?:\n[^\n]{{0,60}}?)?\b(?:set|changed|reset|made) it (?:to )?"
    rf"[\"'`](?P<value>{_WORD})[\"'`]",
    rf"(?i)\b{_NAMES}\b[^\n.]{{0,60}}?[,;] (?:it'?s|it is) [\"'`]?(?P<value>(?=[^\s\"'`]{{0,30}}[0-9]){_WORD})",
)
_NAMED: Final = (
    "password", "pass word", "passphrase", "pass phrase", "passcode", "pass code", "passwort", "pass wort", "kennwort",
    "mot de passe", "contrasena", "senha", "wachtwoord", "pw",
)  # fmt: skip
"""The match of ``_NAMES``."""
_NAMED_WORDS: Final = (
    "pass password passwords passphrase passcode passwort kennwort passe contrasena senha wachtwoord pw"
)
"""One of these words stands in each match of ``_NAMES`` with no letter beside it."""
_OF_KEY: Final = 6  # the key of a network
_HELD: Final[Mapping[int, tuple[str, ...]]] = {
    2: _NAMED,
    _OF_KEY: (
        "wi-fi",
        "wifi",
        "wlan",
        "netw",
        "netzwerk",
        "router",
        "hotspot",
        "parola d",
        "clave",
        "answer",
        "haslo",
        "memorable",
    ),
    7: ("/", ":", "|"),
}
_PATTERNS: Final = tuple(
    [
        lazy_regex(told, small=_HELD.get(number, ()), words="" if number in _HELD else f"{_NAMED_WORDS} creds")
        for number, told in enumerate(_TOLD)
    ]
)
_SET_TO: Final = 9  # "I set it to", in quotation marks
_MENTIONED: Final = 4  # "the old one was": too few words to take a plain one
_BEFORE, _BEHIND = 130, 260  # characters of a sentence before and behind the word that tells a secret
_PHRASE: Final = lazy_regex(
    r"(?i)\b(?:pass ?phrase|passphrase)(?: (?:is|was)|:| =|=) {0,2}[\"'`]?"
    r"(?P<value>(?:[a-z]{3,12}[ -]){2,7}[a-z]{3,12})(?=[\"'`.]|\s{0,2}\n|\Z)",
    small=("pass phrase", "passphrase"),
)
_QUOTED_PHRASE: Final = lazy_regex(
    r"(?i)\b(?:pass ?phrase|phrase|pass ?word)(?: (?:is|was))?:? "
    r"[\"'`](?P<value>[a-z]{3,12}(?:[ -][a-z0-9]{1,12}){2,7})[\"'`]",
    small=("phrase", "pass word", "password"),
)
_OF_NETWORK: Final = lazy_regex(
    r"(?i)\b(?:wi-?fi|wlan)\b(?: (?:there|here|dort|hier|la))?"
    r"(?: (?:in|at|im|am|of|for|du|de|del|der|van) (?:the |our |der |la )?[a-z]{2,16})?"
    rf" ?(?:is|ist|est|es|e|c'est|:|=)? [\"'`]?(?P<value>(?![0-9][0-9.]*(?:[a-z]|\b))(?!\S{{2,12}}:){_WORD})",
    small=("wi-fi", "wifi", "wlan"),
)
"""The value behind a network's label, if it cannot be a word: its name or its key."""
_FORMER: Final = lazy_regex(
    rf"(?i)\b(?:{_NAMES[3:-1]}|mdp)\b[^\n]{{0,80}}\((?:was|old|formerly|before|previously|not|avant|ancien"
    rf"|nicht mehr|alt"
    rf"|vorher|fruher|antes|prima|vroeger|eerst|wczesniej)(?: it was)?(?: ?[:=] ?| )(?P<value>{_WORD})\)",
    words=f"{_NAMED_WORDS} mdp",
)
_ANSWERED: Final = lazy_regex(
    rf"(?i)\b(?:it'?s|it is) now (?P<now>[a-z]{_WORD})|"
    rf"\b(?:{_NAMES[3:-1]})\b[^\n]{{0,40}}\n[^\n]{{0,60}}?(?:: |\n)(?P<value>[a-z]{_WORD})"
    r"(?=[.!,?]? |[.!]?\n|[.!]?\Z)",
    small=(*_NAMED, "its now ", "it's now ", "it is now "),
)
"""The first word of the line behind the one that asks for a password."""
_ASKED: Final = lazy_regex(
    r"(?i:\b(?:pass ?words?|pass ?phrase|(?:memorable|safe|code|secret|security) (?:word|answer|phrase)|passcode)"
    r"\b[^\n?]{0,40}\?\n[^\n:]{1,24}: {1,2}"
    r"(?:(?:it'?s|yes|yeah|um|er|sure|ok|okay|hang on|so|that's|and|the)[,. ]{1,5}){0,4})"
    r"(?P<value>[A-Za-z0-9][A-Za-z0-9'-]{2,24}(?:[ -][A-Za-z0-9'-]{1,24}){0,3})(?=[.,!]?(?:\n|\Z)|[.!,] )",
    small=("password", "passwords", "pass word", "passphrase", "pass phrase", "word", "answer", "phrase", "passcode"),
)
"""The answer to a question for a password, whatever words it is."""
_SPARE: Final = lazy_regex(r"(?i)\b(?:back-?up|recovery|rescue|scratch|2fa) codes?(?: are)?:? ?\n?", small=(" code",))
_SPARE_CODE: Final = lazy_regex(
    r"(?:[,;\n]| and| or)?[ \t-]{0,4}(?P<value>[A-Za-z0-9]{4,6}(?:-[A-Za-z0-9]{4,6}){1,5}|[0-9]{8})(?!\w)"
)
_NO_ANSWER: Final = (FUNCTION_WORDS | words_in("please thanks sorry hello hi well pardon forgotten none nothing")) - {
    "my"
}
_ROLES: Final = frozenset(["admin", "administrator", "root", "guest", "gast", "invite", "test", "user", "demo"])
_WORDS: Final = joined_words(
    "code codes combination combinacion combinazione inlogcode garagecode "
    "digicode codigo codice kod turcode torcode hausturcode zugangscode alarmcode deurcode "
    "poortcode "
    "toegangscode schliessfachcode tresorcode pin pincode password passwords passphrase passcode passwort kennwort "
    "passe "
    "keysafe keybox lockbox entry safe box contrasena senha wachtwoord pw key schlussel cle clave chiave chave "
    "sleutel klucz haslo credential credentials "
    "zugang login mdp wlan user username memorable secret security padlock caja candado cassaforte "
    "lucchetto coffre cadenas cofre tresor "
    "kellercode slotcode kluiscode sleutelkluiscode sleutelkluis sleutelkluisje sleutelkastje schlusselkasten "
    "schlusselsafe schlusselbox schlusseltresor schlusselcode chiavi cles llaves "
    "waschkuchencode garagencode cred creds "
    "logins log logged sign account accounts zugangsdaten anmeldedaten identifiant identifiants credenciales "
    "credenziali "
    "credenciais acceso acces accesso inloggegevens wifi wi wlan answer pass"
)
SAID_GATE: Final = WithWords(lambda: _WORDS)


@apart
def find_said_secrets(text: str) -> Iterator[Found]:
    """Yield what a sentence tells to be a password, and codes of doors, alarms and devices."""
    told = list(places_of(text, _WORDS))

    def found(pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        return near_places(pattern, text, told, _BEFORE, _BEHIND)

    def secret(start: int, value: str) -> Found:
        return Found(start, start + len(value), "secret", _SCORE, "label")

    for match in found(_CODE):
        characters, digits = (sum(map(told, match["value"])) for told in (str.isalnum, str.isdigit))
        if match["value"][0].islower() or min(characters, digits + 1) >= 4:
            yield secret(match.start("value"), match["value"])
    for number, pattern in enumerate(_PATTERNS):
        for match in found(pattern):
            yield from starmap(secret, _told(text, number, match))
    for pattern in (_ANSWERED, _OF_NETWORK, _FORMER):
        for match in found(pattern):
            group = match.lastgroup or 0
            value = match[group].rstrip(".!?,")
            told_so = pattern is not _ANSWERED and ("_" in value or value.count("-") > 1) and is_unlike_prose(value)
            if told_so or (is_said_secret(value) and (pattern is not _ANSWERED or _is_mixed(value))):
                yield secret(match.start(group), value)
    for pattern, is_secret in _PHRASES:
        yield from (
            secret(match.start("value"), match["value"]) for match in found(pattern) if is_secret(match["value"])
        )
    for match in found(_SPARE):
        yield from starmap(secret, _spare_codes(text, match.end()))


def _answers(value: str) -> bool:
    """Return whether words answer the question for a password."""
    words = value.lower().split()
    return not (is_placeholder(value) or words[0] in _NO_ANSWER or FUNCTION_WORDS.issuperset(words))


_PHRASES: Final[tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...]] = (
    (_PHRASE, lambda value: is_phrase(value.lower().replace("-", " "))),
    (_QUOTED_PHRASE, lambda value: any(map(str.isdigit, value))),
    (_ASKED, _answers),
)


def _spare_codes(text: str, place: int) -> Iterator[tuple[int, str]]:
    while (code := _SPARE_CODE.match(text, place)) is not None:
        if any(map(str.isdigit, code["value"])):
            yield code.start("value"), code["value"]
        place = code.end()


def _is_mixed(value: str) -> bool:
    letters = sum(map(str.isalpha, value))
    return letters > 4 and any(map(str.isdigit, value)) and (not value.islower() or "_" in value)


def _told(text: str, number: int, match: re.Match[str]) -> Iterator[tuple[int, str]]:
    """Yield where a secret that a sentence tells begins, and the secret; of a pair its user too."""
    start, value = match.start("value"), match["value"].rstrip(".:?]}")
    user = match["user"] if "user" in match.re.groupindex else ""
    if len(value) < 4 or is_placeholder(value) or (user and is_placeholder(user)):
        return
    phrase = phrase_behind(text, start, said=not user) if user or number == _OF_KEY else ""
    if phrase and (not user or user.lower() in _ROLES or not user.isalpha() or phrase.count(" ") > 1):
        value = phrase
    else:
        ends = text[start + len(value) : start + len(value) + 2].rstrip() in _ENDS
        known = not user or user.lower() in _ROLES or names_user(user.lower())
        doubtful = number == _MENTIONED or (user and not user[0].islower())
        if not is_said_secret(value) and (doubtful or (not known and value.isalpha())):
            return  # "log in with google / facebook"
        plain = (
            number in (0, 6, 7, 8, 9) and ends and is_said_word(value) and ("\n" not in match[0] or number == _SET_TO)
        )
        if not (is_said_secret(value) or is_unlike_prose(value) or plain):
            return
    yield start, value
    if user and "@" not in user:
        yield match.start("user"), user


_ENDS: Final = ("", ".", ",", ";", "!", ")", "'", '"', " (")

_AT_MAILBOX: Final = lazy_regex(
    r"@[A-Za-z0-9-]{1,60}(?:\.[A-Za-z0-9-]{1,60}){1,4}[ \t]?[:;|][ \t]?(?P<value>[^\s\"'`,;|<>]{4,60})"
    r"(?P<rest>[ \t]*(?:[\n;|:]|\Z))?"
)
_LINE_BEFORE: Final = lazy_regex(r"(?:\A|[\n,;|\"'`(])[ \t>*-]{0,6}[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}\Z")
_PATH_OR_PORT: Final = lazy_regex(r"[0-9]{1,5}|~?[\w.-]*/.*|[\w.-]+\.git|[A-Za-z]+:")
MAILBOX_GATE: Final = holding("@")


@apart
def find_mailbox_passwords(text: str) -> Iterator[Found]:
    """Yield what stands behind an e-mail address and a colon, as lists of accounts have it: ada@zuse.org:walnut7."""
    for match in matches(_AT_MAILBOX, text):
        value = match["value"].rstrip(".)")
        line = match["rest"] is not None and _LINE_BEFORE.search(text, max(0, match.start() - 70), match.start())
        plain = value.isalpha() and value.islower() and " " in match[0]
        if _PATH_OR_PORT.fullmatch(match["value"]) or is_placeholder(value) or plain:
            continue
        if line or (is_said_secret(value) and " " not in match[0]):
            yield Found(match.start("value"), match.start("value") + len(value), "secret", _SCORE, "shape")
