"""Secrets by what stands before them: "password is", ``api_key =``, ``Authorization:``, ``--token``, users of URLs."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from textveil.detection.found import Found, words_in
from textveil.detection.gates import WithWords, both, either, holding, in_runs, joined_words, with_words
from textveil.detection.lists import ordinary_words
from textveil.detection.secrets import (
    PARTS,
    apart,
    is_bare_secret,
    is_dotted_phrase,
    is_placeholder,
    is_quoted_secret,
    is_said_secret,
    is_said_word,
    is_scrambled,
    is_unlike_prose,
    is_worded_secret,
    looks_drawn,
    phrase_behind,
    places,
    share_of_rarer_case,
)
from textveil.text.patterns import lazy_regex, matches

_ASSIGNED: Final = 0.9
_SAID: Final = 0.7

_PASSWORDS: Final = words_in(
    """password passwords passwd passwort pwd pw pass passphrase passcode pin otp kennwort senha contrasena wachtwoord
    haslo pincode passe userpass dbpass dbpassword dbpasswd userpassword rootpassword requirepass masterauth keypass
    storepass sshpass smtppassword mysqlpassword pgpassword adminpassword masterpassword loginpassword secret psk mdp"""
)
_TOKENS_IF_DRAWN: Final = words_in(
    """auth credential credentials cookie session sessionid sessid sid signature sig signing salt"""
)
_TOKENS: Final = words_in(
    """token bearer authorization key apikey secretkey accesskey accesstoken authtoken clientsecret privatekey
    encryptionkey accountkey refreshtoken apitoken apisecret authkey sharedaccesskey sharedkey authtoken"""
)
_KEYS_OF: Final = words_in(
    """api access secret private encryption encrypt signing sign auth account storage shared subscription
    license master service app application client consumer admin session ssh deploy webhook aes hmac jwt
    decryption rsa gpg token user server functions host cosmos"""
)
_KEYS_OF_DATA: Final = words_in(
    """cache primary foreign sort partition public pub object index row hash unique translation map dict json lookup
    column group routing idempotency press arrow enter registry kms arn id name file path url sort composite natural"""
)
_ENDINGS: Final = words_in(
    """prod production dev test staging live old new current value plain plaintext text default hash base"""
)
_WORDS: Final = sorted(
    words_in(
        """passw passwort pwd passphrase passcode secret token key credential bearer auth cookie sess sig salt kennwort
        pin pw passe pass otp signing contrasena senha wachtwoord haslo sid psk mdp clave geheimzahl"""
    )
)
_WEAK: Final = {*_TOKENS_IF_DRAWN, "key", "authorization", "bearer"}
_PIECES: Final = (
    *("assw", "ecret", "oken", "Key", "ASSW", "SECRET", "TOKEN", "_KEY", "_key", "PIN", "SIGNING"),
    *("_PASS", "pass:", "pass=", "Pass:", 'pass"', "de passe", "-passe", "PASS="),
)
_OTHER_VALUE: Final = lazy_regex("[,;\"'`(|]")
_IN_SETTINGS: Final = words_in("sess sig salt sid")
"""Words that name a secret in settings alone: Gentile Sig.ra."""
_NAMES: Final = lazy_regex(
    r"(?<![^\W_])(?:passw\w{0,8}|has\u0142[ao]|contrase\xf1a"
    rf"|(?:{'|'.join(sorted({*_WORDS} - _IN_SETTINGS))})(?:e?s|e|code|phrase)?)"
    r"(?![^\W\d_])(?:\W{1,3}\w{1,16}){0,8}\W{0,4}\Z"
)
_KEY_OF: Final = lazy_regex(
    r"(?i)\b(?:api|access|secret|private|encryption|signing|account|storage|license|master)[ -]\Z"
)
_LOGIN: Final = lazy_regex(
    r"(?i)\b(?:user(?:name)?|ssh|log[io]n|account|e-?mail|id|ssid|wi-?fi|network|benutzer|usuario|identifiant)\b"
)
_NAME: Final = lazy_regex("[A-Za-z0-9_-]{1,60}")
_NAME_CHARACTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
_LONGEST_NAME: Final = 48

_ASSIGN: Final = lazy_regex(
    r"[\"'`*_\])]{0,3}[ \t]{0,40}(?::[ \t]{0,2}[A-Za-z_.]{1,20}(?:\[[A-Za-z_, |]{1,30}\])?[ \t]{0,2}=(?!=)|===?|!==?|:="
    r"|=>|->|=|:(?!:)|>(?=[^<>\n]{3,200}</)|</(?:th>\s{0,16}<td|dt>\s{0,16}<dd|key>\s{0,16}<string"
    r"|(?:b|strong|label|span)>:?\s{0,16}<(?:span|code|b|i|div|p|samp|kbd|tt))(?: [^<>\n]{0,60})?>"
    r"|,?(?:\n[ \t]{0,16}|[ \t])[\"']?(?:(?:Parameter)?[Vv]alue|content)[\"']?[ \t]{0,2}[=:])(?:"
    r"[\"'`*_]{0,2}[ \t]{1,8})?(?:\n[ \t]{0,8})?"
)
_OPENED: Final = lazy_regex(r"[\"'`]?[ \t]{0,8}[:=][ \t]{0,8}(?:(?:\n[ \t]{0,24})?(?P<open>[\[{])|\n(?=[ \t]{0,24}- ))")
_ITEM: Final = lazy_regex(r"\s{0,24}+(?:,\s{0,24}+)?(?P<quote>[\"'])(?P<value>[^\"'\n]{1,200})(?P=quote)")
_MEMBER: Final = lazy_regex(
    r"\s{0,24}[\"'](?:value|plain|plaintext|text|current|default|secret|password|data)[\"']\s{0,4}:\s{0,4}"
    r"\"(?P<value>[^\"\n]{1,200})\""
)
_IN_IMAGE: Final = lazy_regex(r"(?:\A|\n)(?:ENV|ARG|setx) \Z")  # a name, and its value behind a space
_SPACE: Final = lazy_regex("[ \t]{1,4}(?=\\S)")
_DASHED: Final = lazy_regex(r"[ \t]{0,24}- [\"']?(?P<value>[^\s\"'`<>,;:{}\[\]]{1,200})[\"']?[ \t]{0,8}(?:\n|\Z)")
_SAY: Final = lazy_regex(
    r"[\"'`*]{0,2}(?:,(?=[ \t]c'est))?[ \t]{1,3}(?:(?:code|number|no\.?|antig[oau]a?|vecchi[ao]|anterior|precedente)"
    r"[ \t]{1,2})?(?P<is>(?:is|was|are|remains|became|set to|changed to|used to be"
    r"|reset to|to jest|to bylo|to|as|ist|war|lautet|heisst|es|era|est|etait|e|c'est|jest|bylo)[ \t]{0,2}:?[ \t]{1,3}"
    r"(?:now |still |set to |currently |jetzt |nu |ora |ahora |agora |maintenant )?)?"
)
_SPOKEN: Final = {"ist": ("de",), "est": ("fr",), "es": ("es",), "e": ("it", "pt"), "jest": ()}
_PARTICIPLE: Final = lazy_regex("(?i).*(?:[ai]d|[aiu]t)[aeo]s?|(?:wy|nie|za)[a-z]+")
_WHOSE: Final = lazy_regex(
    r"[ \t](?:(?:for|of|to|on|del?|du|des|d[oa]|della|dello|di|per|furs?|zum|zur|vom|von|beim|der|voor|van|al|alla|nel)"
    r"(?:[ \t][A-Za-z0-9'._-]{1,24}){1,5}?|(?:dell'|de l'|d')[A-Za-z]{2,20}(?:[ \t][A-Za-z]{2,20})?"
    r"|(?!(?i:polic|reset|field|length|rule|strength|manager|hint|type|expir|protect|error|requ|chang|is\b))"
    r"[A-Za-z0-9-]{2,24}(?=[ \t]?:))"
    r"(?=[ \t](?:is|was|are|ist|lautet|est|es|e|to|war|era|etait)[ \t]| ?:[ \t])"
)
_NOW: Final = lazy_regex(r"(?:(?:c'est|it's|its|ist|es|e) )?(?:now|maintenant|jetzt|ahora|agora|ora|nu|teraz) ")
_SCHEME: Final = lazy_regex(
    r"(?:[Bb]earer|BEARER|[Bb]asic|[Tt]oken|[Dd]igest|[Aa]pi[Kk]ey|OAuth|AWS4-HMAC-SHA256)[ \t]{1,3}(?=\S)"
    r"|(?i:md5|sha[-_]?[0-9]{1,3}|password|crypt|encrypt|hash(?:bytes)?|digest|bcrypt)\("
    r"(?:'[A-Za-z0-9_]{2,8}', ?)?(?=['\"])"
)
"""What stands between a sign and its secret: the scheme of a header, or a function of SQL that hashes it."""
_QUOTED: Final = lazy_regex(r"[rbuf@]{0,2}(?P<quote>\\?[\"'`])(?P<value>(?:(?!(?P=quote))[^\n]){1,400})(?P=quote)")
_ENCLOSED: Final = lazy_regex(
    r"(?P<block>[|>][+-]?[ \t]?\r?\n[ \t]{1,24})?(?P<value>[^<>\s][^<>\r\n]{1,200})(?(block)|(?=</))"
)
"""The value of an element (XML), and of a block of one line (YAML)."""
_BARE: Final = lazy_regex(r"[^\s\"'`<>,;\\\xb7]{1,400}")
_BARE_LINE: Final = lazy_regex(r"[^\s\"'`<>\xb7]{1,400}")
_NEXT: Final = lazy_regex(r"[;&](?=[A-Za-z_][A-Za-z0-9_. -]{0,40}=)")
_PREFIX: Final = lazy_regex(r"(?!self\.|this\.)[A-Za-z][A-Za-z0-9_-]{0,30}(?:\.[A-Za-z0-9_-]{1,30}){0,4}\.")
_LABEL: Final = lazy_regex(r"(?:\A|[.!?;|,/] ?)(?:[A-Za-z'-]{1,14}(?: |\Z)){0,4}\Z")
_DOTTED_END: Final = lazy_regex(
    r"(?<![A-Za-z0-9_.-])(?!self\.|this\.)[A-Za-z][A-Za-z0-9_-]{0,60}\.(?:[A-Za-z0-9_-]{1,60}\.){0,8}\Z"
)
_SENTENCE: Final = ".,;:?)]}"


def names_secret(before: str) -> bool:
    """Return whether the words right before a value, with no other value between, name it as a secret."""
    return _NAMES.search(_OTHER_VALUE.split(before)[-1].lower()) is not None


CREDENTIAL_GATE: Final = either(
    either(
        with_words(" ".join({*_PASSWORDS, *_TOKENS, "clave", "geheimzahl"} - {"secret", "pass", "passe", *_WEAK})),
        holding(*_PIECES),
    ),
    either(
        either(
            either(with_words("bearer"), holding("PI key", "pi key", "ccess key", "ookie: ")),
            both(in_runs("[0-9]"), with_words(" ".join(_WEAK))),
        ),
        both(with_words("pass"), with_words("user login ssh username account root wifi wi ssid wlan")),
    ),
)
"""Open to a word that names secrets, alone or in a longer name, and to a weak one beside a long run."""


@apart
def find_credentials(text: str) -> Iterator[Found]:
    """Yield what a name, a header or a flag says to be a secret."""
    lowered, read = text.lower(), set()
    for place in places(lowered, _WORDS):
        before = text[max(0, place - _LONGEST_NAME) : place]
        start = place - (len(before) - len(before.rstrip(_NAME_CHARACTERS)))
        if (name := _NAME.match(text, start)) is None or start in read:
            continue
        read.add(start)
        meant = _meaning(name[0])
        if meant == "key" and _KEY_OF.search(text[max(0, start - 16) : start]):
            meant = "token"
        if meant and (span := _value(text, start, name.end(), meant)) is not None:
            yield span
        several = meant or _meaning(name[0].removesuffix("s").removesuffix("S"))
        if several in ("password", "secret", "token") and (meant or several != "token"):
            yield from _held(text, name.end(), several)


_VARIABLE: Final = lazy_regex(
    r"(?:variable|output)[ \t]{1,4}\"(?P<name>[A-Za-z0-9_-]{3,60})\"[ \t]{0,4}\{"
    r"[^{}]{0,400}?\b(?:default|value)[ \t]{0,40}=[ \t]{0,4}"
    r"\"(?P<value>[^\"\n]{3,200})\""
)
VARIABLE_GATE: Final = holding('variable "', 'output "')


def find_defaults(text: str) -> Iterator[Found]:
    """Yield the default of a Terraform variable, or the value of an output, whose name names a secret."""
    for match in matches(_VARIABLE, text):
        meant = _meaning(match["name"])
        if meant and _fits(match["value"], "password" if meant == "secret" else meant, quoted=True, alone=True):
            yield Found(*match.span("value"), "secret", _ASSIGNED, "label")


@lru_cache(maxsize=1 << 12)
def _meaning(name: str) -> str:
    """Return what a name stands for: "password", "pin", "token", "key", "drawn" if its look decides; or empty."""
    parts = [part.lower() for part in PARTS.findall(name)]
    while parts and (parts[-1].isdigit() or parts[-1] in _ENDINGS):
        parts.pop()
    if not parts:
        return ""
    last, rest = parts[-1], set(parts[:-1])
    if last in ("pin", "pincode", "otp", "geheimzahl"):
        return "pin"
    if last == "secret":
        return "secret"
    if last in _PASSWORDS or last.endswith(("password", "passwd", "passphrase")):
        return "pass" if last == "pass" and not rest else "password"
    if last == "clave":
        return "pass"
    if last in ("key", "keys"):
        return "" if rest & _KEYS_OF_DATA else "token" if rest & _KEYS_OF else "key"
    if last == "bearer":
        return "bearer"
    if last in _TOKENS_IF_DRAWN:
        return "drawn"
    if last == "id" and rest >= {"access", "key"}:
        return "token"
    return "token" if last in _TOKENS or last.endswith(("token", "secret", "apikey")) else ""


def _value(text: str, start: int, end: int, meant: str) -> Found | None:
    told = meant in ("password", "pin") or text[start:end].lower() == "clave"
    whose = _WHOSE.match(text, end) if told else None
    end = whose.end() if whose else end
    if (sign := _ASSIGN.match(text, end)) is None and _IN_IMAGE.search(text, max(0, start - 8), start):
        sign = _SPACE.match(text, end)
    if sign is not None:
        return _assigned(text, start, sign, meant, of=whose is not None)
    flag = text[start : start + 1] == "-" and text[start - 1 : start].isspace()
    if (said := _SAY.match(text, end)) is None:
        return None
    return _flagged(text, said.end()) if flag and not said["is"] else _said(text, said, meant)


def _held(text: str, end: int, meant: str) -> Iterator[Found]:
    """Yield what a list or an object behind a name holds, in JSON or YAML."""
    if (opened := _OPENED.match(text, end)) is None:
        return
    form = {"[": _ITEM, "{": _MEMBER}.get(opened["open"], _DASHED)
    place = opened.end()
    while (item := form.match(text, place)) is not None:
        value, place = item["value"], item.end()
        if _fits(value, meant, quoted=form is not _DASHED, alone=True):
            yield Found(*item.span("value"), "secret", _ASSIGNED, "label")
        if form is _MEMBER:
            return


def _assigned(text: str, start: int, sign: re.Match[str], meant: str, *, of: bool) -> Found | None:
    place = sign.end()
    scheme = _SCHEME.match(text, place)
    place = scheme.end() if scheme else place
    now = _NOW.match(text, place) if meant == "password" else None
    place = now.end() if now else place
    quoted = _QUOTED.match(text, place) or (
        _ENCLOSED.match(text, place) if sign[0].rstrip()[-1:] in (">", ":") else None
    )
    if quoted is not None:
        inner = _SCHEME.match(quoted["value"])
        begin = quoted.start("value") + (inner.end() if inner else 0)
        value = text[begin : quoted.end("value")]
        fits = _fits(value, meant, quoted=True, alone=True)
        name = text[start : sign.start()].strip("\"'")
        worded = (
            meant == "password" and is_worded_secret(name, value) and _PASSWORDS.isdisjoint(words_in(value.lower()))
        ) or (
            meant == "token" and name.isupper() and "_" in name and is_unlike_prose(value) and is_quoted_secret(value)
        )
        return _found(begin, value, _ASSIGNED) if fits or worded else None
    line = text[max(text.rfind("\n", 0, start) + 1, start - 60) : start].strip(" \t-")
    first = not line or line in ("export", "set", "ENV", "ARG", "$env:", "setx") or _PREFIX.fullmatch(line) is not None
    if (bare := (_BARE_LINE if first and "\n" not in sign[0] else _BARE).match(text, place)) is None:
        return None
    told = meant in ("password", "secret") and (first or ":" in sign[0]) and not set(line) & set("({")
    beside = meant == "pass" and ":" in sign[0] and _LOGIN.search(line) is not None  # ssh deploy@host (pass: two words)
    if told or beside:
        phrase = phrase_behind(text, place, said=False)
        if phrase and (meant == "password" or first or beside):
            return _found(place, phrase, _ASSIGNED)
    value = _NEXT.split(bare[0], maxsplit=1)[0].rstrip(_SENTENCE)
    rest = text[place + len(value) : place + len(value) + 2].strip(" \t\r")
    spaced = "=" in sign[0] and sign[0].startswith((" ", "\t"))
    ended = rest[:1] in ("", "\n") or (rest[:1] in (".", ",", ";") and ":" in sign[0])
    name = text[start : sign.start()]
    before = line[-1:] if (dotted := _DOTTED_END.search(line)) is None else line[: dotted.start()][-1:]
    parted = text[start - 1].isspace() or before in ("", "?", "&", ";", "=", '"', "'", " ", "\t")
    glued = sign[0] == "=" and (first or (parted and not set(line) & set("(,{")))
    keyed = first and ended and ":" in sign[0] and ("_" in name or "." in line)
    setting = glued or keyed or (spaced and first and ended and _in_settings(text, start))
    held = "alue" in sign[0] or "content" in sign[0]  # name: X, and on the next line value: Y
    alone = (first and ended and not spaced and "\n" not in sign[0]) or sign[0].endswith(">") or (held and ended)
    labelled = meant == "password" and ":" in sign[0] and ended and (of or _LABEL.search(line) is not None)
    login = ":" in sign[0] and not set(line) & set("({") and _LOGIN.search(text, max(0, start - 80), start) is not None
    login = login and (ended or is_unlike_prose(value))
    good = _fits(value, meant, quoted=False, alone=alone or login or labelled, setting=setting)
    return _found(place, value, _ASSIGNED) if good else None


def _in_settings(text: str, place: int) -> bool:
    """Return whether the lines around a place hold settings, as in an INI file, and no code."""
    start, end = text.rfind("\n\n", 0, place), text.find("\n\n", place)
    start = max(start, text.rfind("```", 0, place) + 2)  # a fence
    block = text[max(0, start + 1, place - 400) : min(place + 400, end if end >= 0 else len(text))]
    return not set(block) & set("(){};\"'")


def _fits(value: str, meant: str, *, quoted: bool, alone: bool, setting: bool = False) -> bool:
    if meant == "pin":
        return value.isdigit() and 4 <= len(value) <= 8
    if meant in ("key", "drawn"):
        return looks_drawn(value, 20 if meant == "key" else 14) or (
            meant == "drawn" and value.isalnum() and is_scrambled(value)
        )
    if meant == "pass":
        good = is_said_secret(value) or (alone and is_said_word(value))
        return len(value) >= 5 and not value[0].isdigit() and good
    if meant in ("token", "bearer"):
        digits = sum(map(str.isdigit, value))
        long = (len(value) >= 8 and digits > 0) or (len(value) >= 6 and digits > 1)
        scrambled = is_scrambled(value)
        drawn = scrambled or (len(value) >= 20 and share_of_rarer_case(value) >= 0.25)
        worded = scrambled or (setting and meant == "token" and len(value) >= 8)
        return ((long and any(map(str.isalpha, value))) or drawn or worded) and (
            is_quoted_secret(value) if quoted else is_bare_secret(value, alone=False, setting=worded)
        )
    if not quoted and value.isdigit() and len(value) < 4:
        return False
    return is_quoted_secret(value) if quoted else is_bare_secret(value, alone=alone, setting=setting)


def _flagged(text: str, place: int) -> Found | None:
    if (quoted := _QUOTED.match(text, place)) is not None:
        return _found(quoted.start("value"), quoted["value"], _ASSIGNED) if is_quoted_secret(quoted["value"]) else None
    bare = _BARE.match(text, place)
    if bare is None or bare[0].startswith("-") or is_placeholder(bare[0]) or len(bare[0]) < 4:
        return None
    return _found(place, bare[0], _ASSIGNED) if is_said_secret(bare[0]) or is_unlike_prose(bare[0]) else None


def _said(text: str, said: re.Match[str], meant: str) -> Found | None:
    place = said.end()
    if (quoted := _QUOTED.match(text, place)) is not None and (said["is"] or meant == "password"):
        fits = _fits(quoted["value"], meant, quoted=True, alone=True)
        fits = fits and (said["is"] is not None or (" " not in quoted["value"] and is_unlike_prose(quoted["value"])))
        return _found(quoted.start("value"), quoted["value"], _SAID) if fits else None
    if (bare := _BARE.match(text, place)) is None:
        return None
    value = bare[0].rstrip(_SENTENCE)
    if value.startswith("-"):
        return None
    if meant == "password" and said["is"] and (phrase := phrase_behind(text, place, said=True)):
        return _found(place, phrase, _SAID)
    if meant == "pass" and not said["is"] and _LOGIN.search(text, max(0, said.start() - 40), said.start()):
        if (phrase := phrase_behind(text, place, said=True)).count(" ") > 1:
            return _found(place, phrase, _SAID)
        good = len(value) >= 6 and (is_said_secret(value) or is_unlike_prose(value) or "-" in value)
    elif meant == "pin":
        postal = len(value) == 6 and "code" in said[0]  # PIN codes of India
        good = value.isdigit() and 4 <= len(value) <= 8 and not postal
    elif meant == "bearer":
        good = len(value) >= 16 and any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    elif meant in ("token", "key", "drawn") or (meant == "pass" and not said["is"]):
        good = looks_drawn(value, 16 if meant == "token" else 20) or (
            meant == "token"
            and said["is"] is not None
            and is_bare_secret(value, alone=True)
            and (is_scrambled(value) or _is_word_with_digits(value))
        )
    elif said["is"]:
        behind = text[place + len(value) : place + len(value) + 5]
        ends = behind[:2].rstrip() in ("", ".", ",", ";", "!", ")") or behind == " and "
        camel = said["is"].startswith(("to", "as")) and value.isalpha()
        plain = not value.isalpha() or said["is"].startswith(("is ", "was", "set", "lautet", "heisst", "now", "c'est"))
        plain = plain or _is_foreign(said["is"].split()[0], value)
        worded = (
            ends and plain and meant != "secret" and is_said_word(value) and not (meant == "pass" and value.isalpha())
        )
        good = (is_said_secret(value) and not camel) or worded or is_dotted_phrase(value)
    else:
        good = len(value) >= 6 and is_said_secret(value) and any(map(str.isalpha, value))
        short = text[max(0, said.start() - 3) : said.start()].lower().lstrip() in ("pw", "pwd", "psk")
        good = good or (short and "-" in value and is_said_word(value) and _OF_A_PAGE.match(value) is None)
        if value[:1].isdigit():  # 12 characters, 8-character, 1Password
            mixed = any(map(str.isupper, value)) and any(map(str.islower, value))
            mixed = mixed or not {*"!#%+=?$&*^"}.isdisjoint(value)
            good = good and mixed and sum(map(str.isdigit, value)) > 1
    return _found(place, value, _SAID) if good else None


_OF_A_PAGE: Final = lazy_regex(
    "(?i)(?:polic|reset|field|length|rule|strength|manag|hint|type|expir|protect|error|requ|chang|prompt|input|box|form|page)"
)


def _is_word_with_digits(value: str) -> bool:
    return len(value) >= 8 and sum(map(str.isdigit, value)) > 1 and is_said_secret(value) and "." not in value


def _is_foreign(verb: str, value: str) -> bool:
    """Return whether a word behind a verb of another language can hardly be one of that language."""
    known = (ordinary_words(language) for language in _SPOKEN.get(verb, ()))
    return verb in _SPOKEN and not _PARTICIPLE.fullmatch(value) and all(value.lower() not in words for words in known)


def _found(start: int, value: str, score: float) -> Found:
    return Found(start, start + len(value), "secret", score, "label")


_COMMANDS: Final = joined_words(
    "mysql mysqldump mysqladmin mariadb curl wget sshpass redis docker podman helm sudo htpasswd openssl unzip zip "
    "ldapsearch ldapmodify ldapadd ldapdelete smbclient vault password secret jdbc snmp sqlcmd ipmitool mosquitto "
    "mysqli chpasswd"
)
_COMMAND: Final = lazy_regex(
    r"(?<![\w-])(?:(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]{0,160}?[ \t]-p"
    r"|echo[ \t]{1,2}(?:-[ne][ \t])?[\"']?(?P<changed>[a-z_][\w.-]{1,30}):"
    r"(?=[^\s\"'|]{3,80}[\"']?[ \t]{0,2}\|[ \t]{0,2}(?:sudo[ \t])?chpasswd)"
    r"|openssl[ \t]enc\b[^\n|;]{0,120}?[ \t]-k[ \t]|(?:docker|podman|registry"
    r"|buildah)[ \t]{1,3}login\b[^\n|;]{0,120}?[ \t]-p[ \t]|sshpass[ \t]{1,3}-p[ \t]?|redis-cli\b[^\n"
    r"|;]{0,80}?[ \t]-a[ \t]|(?:curl|wget)\b[^\n|;]{0,200}?[ \t](?:-u|--user)[ \t=]{0,2}[\"']?(?P<user>[^\s:\"'$]{1,80}"
    r"):|echo[ \t]{1,2}(?=[\"']?[^\s\"'|]{3,80}[\"']?[ \t]{0,2}\|[ \t]{0,2}sudo[ \t]{1,2}-S)"
    r"|htpasswd[ \t]{1,2}-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}[ \t]\S{1,80}[ \t]\S{1,40}[ \t]"
    r"|openssl\b[^\n|;]{0,160}?[ \t]-pass(?:in|out)?[ \t]pass:|(?:un)?zip\b[^\n|;]{0,80}?[ \t]-P[ \t]"
    r"|ldap(?:search|modify|add|delete)\b[^\n|;]{0,160}?[ \t]-w[ \t]"
    r"|(?:sqlcmd|ipmitool|mosquitto_pub|mosquitto_sub)\b[^\n|;]{0,160}?[ \t]-P[ \t]"
    r"|smbclient\b[^\n|;]{0,120}?[ \t]-U[ \t]?[\"']?[^\s%\"']{1,40}%"
    r"|(?i:identified[ \t](?:with[ \t]\w{1,30}[ \t])?by[ \t](?:password[ \t])?|with[ \t]password[ \t])(?=')"
    r"|PASSWORD(?:[ \t]|\()(?=')"
    r"|machine[ \t]\S{1,80}\s{1,4}(?:login|user)[ \t](?P<login>\S{1,60})\s{1,4}password[ \t]"
    r"|(?i:basic_?auth)[\"']?[ \t]?[=:][ \t]?[\"']?(?P<basic>[^\s:\"'$]{1,60}):"
    r"|jdbc:oracle:thin:(?P<owner>[^\s/:@]{1,60})/(?=[^\s@]{2,60}@)"
    r"|(?i:snmp)[^\n]{0,12}[ \t]community(?:[ \t]string)?[ \t:=]{1,3})"
    r"(?:(?P<mark>[\"'])(?P<quoted>[A-Za-z][^\s\"'$]{0,40}(?: [^\s\"'$]{1,40}){1,9})(?P=mark)"
    r"|[\"']?(?P<value>[^\s\"'$<-](?:[^\s\"'@]{2,80}|[^\s\"']{2,80})))",
    small=(
        "mysql", "mariadb", "echo", "openssl", "login", "sshpass", "redis-cli", "curl", "wget", "htpasswd", "zip",
        "ldap", "sqlcmd", "ipmitool", "mosquitto", "smbclient", "identified", "password", "jdbc:oracle", "snmp",
        "basic",
    ),
)  # fmt: skip
_SAID_COMMAND: Final = lazy_regex(
    r"(?<![\w-])(?:net[ \t]user[ \t]\S{1,40}[ \t]|vault[ \t]login[ \t]"
    r"|enable[ \t](?:password|secret)(?:[ \t][0-9])?[ \t]"
    r"|username[ \t]\S{1,40}[^\n]{0,40}?[ \t](?:password|secret)(?:[ \t][0-9])?[ \t]"
    r"|login[ \t]\S{1,40}\s{1,4}password[ \t])"
    r"(?P<value>[A-Za-z0-9]\S{3,80})",
    holds=("net user", "net\tuser", "vault", "enable", "username", "login"),
)
"""Commands that read like a sentence: what stands behind them must be no word of one."""
_NAMED_IN_COMMANDS: Final = ("user", "login", "owner", "changed", "basic")
_CALL: Final = lazy_regex(
    r"(?:[Ll]og_?[Ii]n|[Ss]ign_?[Ii]n|[Aa]uthenticate|[Aa]uth)\w{0,24}(?:\(|=\()\s{0,4}(?:[a-z_]\w{0,20},\s{0,4})?"
    r"(?P<first>[\"'])[^\"'\n]{1,80}(?P=first),\s{0,4}(?P<quote>[\"'])(?P<value>[^\"'\n]{4,80})(?P=quote)\s{0,4}[,)]",
    small=("login", "log_in", "signin", "sign_in", "auth"),
)
_DEFINED: Final = lazy_regex(
    r"(?:\((?P<mark>[\"'])(?P<name>[A-Za-z_.-]{2,60})(?P=mark)"
    r"|(?:PDO|mysqli|connect|[gG]etConnection|Credentials?|Auth)\w{0,12}\((?:[\"'][^\"'\n]{1,160}[\"'],\s{0,4}){1,2}"
    r"(?<=, )(?=[\"']))"
    r"(?:(?<=[\"']),\s{0,4})?(?P<quote>[\"'])(?P<value>[^\"'\s\n]{4,120})(?P=quote)\s{0,4}[,)]"
)
"""A name and its value in parentheses, and a call with a user's name before a password."""
COMMAND_GATE: Final = either(
    either(WithWords(lambda: _COMMANDS), holding("dentified by '", "DENTIFIED BY", "dentified with", "DENTIFIED WITH")),
    holding(
        "ogin",
        "ogIn",
        "og_in",
        "ignin",
        "ignIn",
        "ign_in",
        "uth",
        '("',
        "('",
        "PDO(",
        "onnect(",
        "onnection(",
        "redential",
        "net user",
        "BASIC_",
        "BASICAUTH",
    ),
)


@apart
def find_command_passwords(text: str) -> Iterator[Found]:
    """Passwords of commands and calls: ``mysql -pX``, ``curl -u name:X``, ``login("name", "X")``."""
    for match in matches(_CALL, text):
        if is_said_secret(match["value"]) and " " not in match["value"]:
            yield Found(*match.span("value"), "secret", _ASSIGNED, "label")
    for match in matches(_DEFINED, text):
        value, name = match["value"], match["name"]
        odd = is_unlike_prose(value) or (name is not None and not name.islower())
        meant = name is None or _meaning(name) in ("password", "token", "secret")
        if odd and meant and is_quoted_secret(value):
            yield Found(*match.span("value"), "secret", _ASSIGNED, "label")
    for match in matches(_SAID_COMMAND, text):
        value = match["value"].rstrip(_SENTENCE)
        if is_unlike_prose(value) and not is_placeholder(value):
            yield _found(match.start("value"), value, _SAID)
    for match in matches(_COMMAND, text):
        for group in _NAMED_IN_COMMANDS:
            if match[group] and not is_placeholder(match[group]):
                yield Found(*match.span(group), "secret", _SAID, "label")
        group = "quoted" if match["quoted"] else "value"
        if not is_placeholder(match[group]):
            yield Found(*match.span(group), "secret", _ASSIGNED, "label")


_USER: Final = lazy_regex(
    r"://(?P<user>[^\s:/@\"'`<>{}$\xb7]{0,80}):"
    r"(?P<password>[^\s/\"'`<>{}$\xb7@]{1,200}(?:@[^\s/\"'`<>{}$\xb7@]{1,100}(?=@))?)@(?P<host>[A-Za-z0-9_.\[-][A-Za-z0-9_.:\[\]-]{0,252})"
)
_PATH: Final = lazy_regex(r"(?::[0-9]{1,5})?/[^\s\"'`<>\xb7,;)]{0,400}")
_LOCAL: Final = lazy_regex(r"(?:.*\.)?(?:localhost|local|internal|lan|svc|test|invalid)|[0-9.]+|[^.]*")
_SEED: Final = lazy_regex(
    r"(?i:(?<![a-z])(?:seed|recovery|mnemonic|backup)(?: (?:phrase|words)){0,2}(?: is| are)?[:=]?)\s{1,3}[\"'`]?"
    r"(?P<value>(?:[a-z]{3,8}[ \n]){11,23}[a-z]{3,8})\b"
    r"|(?i:(?:seed|recovery|mnemonic|backup)[ _-](?:phrase|words)[\"']?[:=]? ?)\""
    r"(?P<quoted>(?:[a-z]{3,10} ){3,23}[a-z]{3,10})\""
)
SEED_GATE: Final = with_words("mnemonic seed recovery backup")


def find_seed_phrases(text: str) -> Iterator[Found]:
    """Yield the twelve to twenty-four words of a wallet, behind "seed phrase" and the like."""
    for match in matches(_SEED, text):
        group = match.lastgroup or 0
        if not any(word in match[group].split() for word in ("the", "and", "was", "for", "are", "has")):
            yield Found(*match.span(group), "secret", _SAID, "label")


USER_GATE: Final = both(holding("://"), holding("@"))


def find_users_of_urls(text: str) -> Iterator[Found]:
    """User and password of URLs such as ``postgres://user:password@host``, and the host with its path."""
    for match in matches(_USER, text):
        if is_placeholder(match["password"]):
            continue
        if match["user"]:
            yield Found(*match.span("user"), "secret", _ASSIGNED, "shape")
        yield Found(*match.span("password"), "secret", _ASSIGNED, "shape")
        host = match["host"].rstrip(".:-").partition(":")[0]
        if not (_LOCAL.fullmatch(host) and match["password"][-1].isalnum()):
            end = match.start("host") + len(host)
            web = text[max(0, match.start() - 5) : match.start()].endswith(("http", "https"))
            path = _PATH.match(text, end) if web else None
            yield Found(match.start("host"), path.end() if path else end, "url", _ASSIGNED, "shape")
