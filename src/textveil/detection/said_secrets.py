"""Secrets that people tell each other: codes of doors and alarms, "it's now ...", "use ... as the password", pairs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found, near_places
from textveil.detection.gates import WithWords, joined_words, places_of
from textveil.detection.people_in_records import names_user
from textveil.detection.secrets import apart, is_phrase, is_placeholder, is_said_secret, is_said_word, is_unlike_prose
from textveil.text.patterns import lazy_regex

_SCORE: Final = 0.8
_BE: Final = r"(?:[ \t]?(?:is|are|was|now|ist|lautet|est|es|e|to|nu|:|=)(?![A-Za-z])){0,3}[ \t]{0,2}[\"'`(]{0,2}"
_CODE: Final = lazy_regex(
    r"(?i:(?<![A-Za-z])(?:"
    r"(?:padlock |safe )?combination|(?:alarm|gate|door|entry|entrance|access|lock|key ?pad|key ?safe|key ?box"
    r"|lock ?box|safe|security|garage|building"
    r"|barrier|unlock|intercom|voicemail|locker|verification|log-?in|sign-?in|one-time|your|enter|use|activation) "
    r"(?:code|combination|pin)|(?:code|combination) (?:for|to|of|on) the [a-z]{3,12}(?: [a-z]{3,12})?"
    r"|(?:haus)?(?:tur|tor|zugangs|alarm|schliessfach|tresor)-?code|digicode"
    r"|code (?:de la porte|du portail|d'acces|d'entree|de l'alarme|du coffre|de l'immeuble)"
    r"|codigo (?:de la puerta|del porton|del portal|de acceso|de la alarma|de entrada|do portao|da porta|de acesso"
    r"|do alarme|do cofre)|codice (?:del cancello|d'accesso|di accesso|dell'allarme|del portone|della porta)"
    r"|(?:deur|poort|alarm|toegangs)code|code (?:van|voor) de [a-z]{4,12}|kod (?:do|od) [a-z]{4,12}"
    r"|pin(?: ?-?code| number)?(?=\W{1,3}(?:for [a-z ]{3,20} )?(?:is |now |ist |est |es "
    r"|e )?[0-9] [0-9] [0-9] [0-9])|one-time password"
    r"|key ?safe|key ?box|lock ?box|door entry)(?: (?:for|to) (?:[a-z]{2,12} ?){1,4}(?= (?:is|was|[0-9:=])))?)"
    rf"{_BE}(?P<value>[A-Z]{{0,2}}(?:[0-9](?:[ -][0-9]){{3,7}}|[0-9]{{4,10}}|[0-9]{{2,4}}(?:[ -][0-9]{{2,4}}){{1,2}})"
    r"[A-Z#*]{0,2})(?![\w]|[.,/-][0-9])"
)
_WORD: Final = r"[^\s\"'`()<>,;]{4,60}"
_NAMES: Final = (
    "(?:pass ?words?|pass ?phrase|pass ?code|pass ?wort|kennwort|mot de passe|contrasena|senha|wachtwoord|pw)"
)
_TOLD: Final = (
    rf"(?i)\b{_NAMES}\b[^\n]{{0,120}}?\b(?:it'?s|it is|it was|has been) (?:now|currently|(?:changed|reset|set) to) "
    rf"[\"'`]?(?P<value>{_WORD})",
    rf"(?i)\b(?:use|try|with|enter|type|choose|chose|picked) [\"'`]?(?P<value>{_WORD})[\"'`]? (?:as"
    rf"|for) (?:[a-z-]{{1,10}} ){{0,3}}"
    rf"{_NAMES}\b",
    rf"(?i)(?<!\w)[\"'`]?(?P<value>{_WORD})[\"'`]? is (?:the|my|your|our|her|his"
    rf"|their)(?: [a-z-]{{1,10}}){{0,2}} {_NAMES}(?! [a-z])",
    rf"(?i)\b{_NAMES}(?: [a-z ]{{0,24}})?\((?!(?-i:[A-Z]{{2,6}}-?[0-9]{{1,4}}|[0-9-]+)\))"
    rf"(?P<value>{_WORD})\)",
    rf"(?i)\b{_NAMES}\b[^\n]{{0,120}}?\b(?:one|it)(?: is| was|,) [\"'`]?(?P<value>{_WORD})",
    rf"(?i)\b(?:reset|chang|set|updat)[a-z]{{0,3}}\b[^\n.]{{0,30}}?\b{_NAMES}\b[^\n.]{{0,24}}? to [\"'`]?"
    rf"(?P<value>{_WORD})",
    r"(?i)\b(?:parola d'ordine|palabra clave|(?:security|secret) answer|haslo(?= to )|(?:wi-?fi|wlan|network"
    r"|netzwerk|router"
    r"|hotspot)[ -]?(?:key|schlussel|code)|(?:cle|clave|chiave|chave"
    r"|sleutel|klucz|haslo)(?: (?:de la|du|del|do|della|van de|van het|de|da))? (?:wi-?fi|wlan))\b"
    rf" ?(?:is|ist|lautet|est|es|e|to|:|=) {{0,2}}[\"'`]?(?P<value>{_WORD})",
    r"(?i)\b(?:credentials?|logins?|accounts?|wi-?fi|wlan|log(?:ged)?[ -]?in|sign in|zugangsdaten|anmeldedaten"
    r"|identifiants?"
    r"|credenciales|credenziali"
    r"|credenciais|acceso|acces|accesso|inloggegevens)(?: (?:with|as|using|are|is|mit|avec|con|com|met))?:? {1,2}"
    rf"(?P<user>[a-z0-9][a-z0-9.@+_-]{{1,40}}) ?(?:/|:|\|) ?(?P<value>{_WORD})",
)
_PATTERNS: Final = tuple(map(lazy_regex, _TOLD))
_MENTIONED: Final = 4  # "the old one was": too few words to take a plain one
_BEFORE, _BEHIND = 130, 260  # characters of a sentence before and behind the word that tells a secret
_PHRASE: Final = lazy_regex(
    r"(?i)\b(?:pass ?phrase|passphrase)(?: (?:is|was)|:| =|=) {0,2}[\"'`]?"
    r"(?P<value>(?:[a-z]{3,12}[ -]){2,7}[a-z]{3,12})(?=[\"'`.]|\s{0,2}\n|\Z)"
)
_SPARE: Final = lazy_regex(r"(?i)\b(?:back-?up|recovery|rescue|scratch|2fa) codes?(?: are)?:? ?\n?")
_SPARE_CODE: Final = lazy_regex(
    r"(?:[,;\n]| and| or)?[ \t-]{0,4}(?P<value>[A-Za-z0-9]{4,6}(?:-[A-Za-z0-9]{4,6}){1,5}|[0-9]{8})(?!\w)"
)
_ROLES: Final = frozenset(["admin", "administrator", "root", "guest", "gast", "invite", "test", "user", "demo"])
_WORDS: Final = joined_words(
    "code codes combination digicode codigo codice kod turcode torcode hausturcode zugangscode alarmcode deurcode "
    "poortcode "
    "toegangscode schliessfachcode tresorcode pin pincode password passwords passphrase passcode passwort kennwort "
    "passe "
    "keysafe keybox lockbox entry safe box contrasena senha wachtwoord pw key schlussel cle clave chiave chave "
    "sleutel klucz haslo credential credentials "
    "login "
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

    for match in found(_CODE):
        if sum(map(str.isdigit, match["value"])) >= 4:
            yield Found(*match.span("value"), "secret", _SCORE, "label")
    for number, pattern in enumerate(_PATTERNS):
        for match in found(pattern):
            start, value = match.start("value"), match["value"].rstrip(".:?]}")
            pair = "user" in pattern.groupindex
            if len(value) < 4 or is_placeholder(value) or (pair and is_placeholder(match["user"])):
                continue
            ends = text[start + len(value) : start + len(value) + 2].rstrip() in (
                *("", ".", ",", ";", "!", ")", "'", '"', " ("),
            )
            known = not pair or match["user"].lower() in _ROLES or names_user(match["user"].lower())
            doubtful = number == _MENTIONED or (pair and not match["user"][0].islower())
            if not is_said_secret(value) and (doubtful or (not known and value.isalpha())):
                continue  # "log in with google / facebook"
            plain = number in (0, 6, 7) and ends and is_said_word(value)
            if is_said_secret(value) or is_unlike_prose(value) or plain:
                yield Found(start, start + len(value), "secret", _SCORE, "label")
                if pair:
                    yield Found(*match.span("user"), "secret", _SCORE, "label")
    for match in found(_PHRASE):
        if is_phrase(match["value"].lower().replace("-", " ")):
            yield Found(*match.span("value"), "secret", _SCORE, "label")
    for match in found(_SPARE):
        code = _SPARE_CODE.match(text, match.end())
        while code is not None:
            if any(map(str.isdigit, code["value"])):
                yield Found(*code.span("value"), "secret", _SCORE, "label")
            code = _SPARE_CODE.match(text, code.end())
