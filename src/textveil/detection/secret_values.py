"""What stands behind a name such as "password": a secret, or a placeholder, a reference of code, a word of prose."""

from __future__ import annotations

from typing import Final

from textveil.text.patterns import lazy_regex

_CLASSES: Final = lazy_regex("[0-9]+|[a-z]+|[A-Z]+")
_HEXADECIMAL: Final = lazy_regex("(?:[0-9a-f]{32,}|[0-9A-F]{32,})")
_ALPHABET: Final = lazy_regex(r"[A-Za-z0-9+/=_.~%-]+")

_WITHIN: Final = r"(?:\*{3}|\$\{|\{\{|%\(|your[_ -]|_here\b|-here\b|redacted|masked|placeholder|\.\.\.)"
_PLACEHOLDER: Final = lazy_regex(
    rf"(?i)[*x.#\xb7?-]{{2,}}|[<\[{{$%@&|:].*|(?:(?!{_WITHIN}).)*+{_WITHIN}.*"
    r"|(?:null|none|nil|undefined|true|false|yes|no|on|off|n/?a|tbd|todo|string|str|text|char|varchar|bytes?|int|integer"
    r"|number|bool|boolean|any|object|array|dict|list|required|optional|default|empty|blank|unset|hidden|missing|invalid"
    r"|pass|password|passwd|passwort|pwd|passphrase|passcode|secret|token|key|pin|value|username|user|email|login|unknown"
    r"|self|this|type|field|input|env|vault|secretstr|optional\[.*)[;,]?"
)
_REFERENCE: Final = lazy_regex(
    r"[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|->|::)[A-Za-z_][A-Za-z0-9_]*)+[;,]?|[^()\[\]{}\n]*+[()\[\]{}].*"
    r"|(?:(?!environ|getenv)[A-Za-z_])*+(?:environ|getenv).*"
)
_IDENTIFIER: Final = lazy_regex(r"[A-Za-z]+(?:[_-][A-Za-z]+)*")
_NAMES_ONE: Final = lazy_regex(r"(?i)passw|pwd|passphrase|passcode|secret|token|credential|api_?key")
_OF_PROSE: Final = lazy_regex(
    r"(?i).*(?:ed|ing|able|ible|ive|ous|ful|less|ly|ory|ent|ant|al|en)|(?:not|too|so|very|in|at|on|of|for|from|to|the|an?|"
    r"my|your|our|his|her|its|their|this|that|these|those|it|he|she|we|they|you|what|which|who|where|when|how|why|if|as|"
    r"only|case|also|now|still|always|never|there|here|below|above|wrong|correct|incorrect|valid|weak|strong|safe|"
    r"secure|ok|okay|fine|good|bad|long|short|old|new|same|different|lost|set|unset|shared|public|private|unique|"
    r"minimum|maximum|about|just|by|with|all|one|two|part|being|and|or|but|has|have|had|does|did|will|can|must|may)"
)


def looks_drawn(value: str, shortest: int = 12) -> bool:
    """Whether a string of letters and digits looks as if a machine drew it: its classes change often."""
    if len(value) < shortest or _ALPHABET.fullmatch(value) is None:
        return False
    if _HEXADECIMAL.fullmatch(value):
        return True
    runs = _CLASSES.findall(value)
    digits = sum(map(str.isdigit, value))
    return digits >= 2 and digits * 9 >= len(value) and len(value) - digits >= 3 and len(runs) * 5 >= len(value)


def is_placeholder(value: str) -> bool:
    """Whether a value only marks the place of one: ``<password>``, ``${TOKEN}``, ``None``, a row of stars."""
    return _PLACEHOLDER.fullmatch(value) is not None


def is_quoted_secret(value: str) -> bool:
    """Whether what stands in quotes is a secret, and no message and no name of one."""
    if is_placeholder(value) or len(value) < 3:
        return False
    if " " in value:
        return value.count(" ") < 3 and any(map(str.isdigit, value))
    return not (_NAMES_ONE.search(value) and _IDENTIFIER.fullmatch(value))


def is_bare_secret(value: str, *, alone: bool) -> bool:
    """Whether what stands behind a sign without quotes is a secret, and no expression of code.

    Args:
        value: without the marks of the sentence behind it.
        alone: whether name, sign and value are all of a line, as in a settings file.
    """
    if is_placeholder(value) or len(value) < 3 or _REFERENCE.fullmatch(value):
        return False
    if "_" in value and value.isidentifier() and _NAMES_ONE.search(value):
        return False
    if _IDENTIFIER.fullmatch(value.rstrip("0123456789") if _NAMES_ONE.search(value) else value):
        return (
            alone
            and (_NAMES_ONE.search(value) is None or value[-1].isdigit())
            and not _OF_PROSE.fullmatch(value)
            and "_" not in value
        )
    return has_marks(value)


def is_said_secret(value: str) -> bool:
    """Whether a word behind "password is" is one: it has a digit, a mark or capitals inside."""
    return not is_placeholder(value) and len(value) >= 4 and not _REFERENCE.fullmatch(value) and has_marks(value)


def is_said_word(value: str) -> bool:
    """Whether a plain word that ends a sentence behind "password is" can be one, and says nothing about it."""
    return value.isalpha() and len(value) >= 5 and not is_placeholder(value) and _OF_PROSE.fullmatch(value) is None


def has_marks(value: str) -> bool:
    """Whether a value has a digit, a mark inside, or a capital behind a small letter."""
    inner = value[1:]
    marks = any(not character.isalnum() and character not in "-_'./" for character in value)
    return any(map(str.isdigit, value)) or marks or (any(map(str.isupper, inner)) and not value.isupper())
