"""The language of a document: English by its function words, another by its script or by py3langid."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from textveil.detection.lists import Marks, lists
from textveil.detection.ordinary_words import LANGUAGES
from textveil.detection.plain import plain
from textveil.text.patterns import lazy_regex

READ: Final = 400
"""Characters that are read of a document, from its first letter on."""

FIT: Final = ("en", *LANGUAGES)
"""Languages that the embedded rules are written for."""

_FEWEST_WORDS: Final = 3
_ENGLISH_SHARE: Final = 0.8
_CERTAIN: Final = 0.8
_COMMON: Final = int(Marks.COMMON)
_SMALL_WORD: Final = lazy_regex(r"[a-z](?<![A-Za-z'@./_-].)[a-z]++(?![A-Za-z'@/_-]|\.[A-Za-z])")

_NOT_ENGLISH: Final = frozenset(
    """der das ist und nicht ein eine ich mit sich auf wir le les des est et une dans je vous nous el los las con por
    una su di che il non della sono os um uma nao com ao het een van niet ik en voor""".split()  # noqa: SIM905
)
"""Function words of other languages: where two of them stand, a share of English words settles nothing."""

_SCRIPTS: Final = {
    "zh": "\u4e00-\u9fff",
    "ja": "\u3040-\u30ff",
    "ko": "\uac00-\ud7af\u1100-\u11ff",
    "ru": "\u0400-\u052f",
    "el": "\u0370-\u03ff",
    "ar": "\u0600-\u06ff\u0750-\u077f",
    "he": "\u0590-\u05ff",
    "hi": "\u0900-\u097f",
    "th": "\u0e00-\u0e7f",
}
"""Characters by script, under the language that writes it most."""

_OF_SCRIPT: Final = {language: lazy_regex(f"[{characters}]") for language, characters in _SCRIPTS.items()}
_LETTER: Final = lazy_regex(r"[^\W\d_]")
_KNOWN: Final = (
    *FIT, "ca", "cs", "da", "et", "fi", "hr", "hu", "id", "lt", "lv", "no", "pl", "ro", "sk", "sl", "sv", "tr", "vi",
)  # fmt: skip


def language_of(text: str) -> str:
    """The ISO 639-1 code of the language that a document is in; empty where it has too few words to tell.

    Letters of another script settle it first; then a document is English if four in five of its words in small letters
    are English, but for texts with two function words of other languages; py3langid decides the rest. Only the first
    400 characters from the first letter on are read. Scripts stand for their largest language: Ukrainian counts as
    Russian.

    Args:
        text: any string.
    """
    first = _LETTER.search(text)
    if first is None:
        return ""
    part = text[first.start() : first.start() + READ]
    if not part.isascii() and (language := _by_script(part)):
        return language
    words = _SMALL_WORD.findall(plain(part).text)
    if len(words) < _FEWEST_WORDS:
        return ""
    marks_of = lists().words.get
    english = len([word for word in words if marks_of(word, 0) & _COMMON])
    plainly = english >= _ENGLISH_SHARE * len(words) and len(_NOT_ENGLISH.intersection(words)) < 2
    return "en" if plainly else _classified(part)


def unfit(text: str) -> bool:
    """Whether a text is in a language that the embedded rules are not written for."""
    return language_of(text) not in ("", *FIT)


def _by_script(part: str) -> str:
    """The language whose script a third of the letters are of; empty for Latin."""
    letters = len(_LETTER.findall(part))
    counts = {language: len(pattern.findall(part)) for language, pattern in _OF_SCRIPT.items()}
    if counts["ja"] * 10 > counts["zh"] + counts["ja"]:
        counts["ja"] += counts.pop("zh")
    language, count = max(counts.items(), key=lambda item: item[1])
    return language if 3 * count > letters else ""


def _classified(part: str) -> str:
    """What py3langid takes a text for; empty where it is not sure of it."""
    language, share = _identifier().classify(part)
    return str(language) if share > _CERTAIN else ""


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(_KNOWN))
    return identifier
