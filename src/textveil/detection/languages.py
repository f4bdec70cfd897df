"""The language of a document, and rules for names and addresses in seven languages beside English.

Titles, forms of address, streets and postal codes are those of the language.
"""

import io
import math
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache, lru_cache, partial
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from textveil.detection.found import ORDINARY as ORDINARY
from textveil.detection.found import Found, Row, plain
from textveil.detection.gates import WithWords, anywhere, at_digits
from textveil.detection.language_words import is_compound
from textveil.detection.lists import (
    DATA,
    LANGUAGES,
    TITLES,
    Marks,
    by_language,
    chat_words,
    checked,
    cues,
    frequent_words,
    letters,
    listed,
    lists,
    marks_of_all,
    ordinary_words,
    places,
)
from textveil.detection.streets import INNER, TOWN_NAME, towns_behind
from textveil.json_text import json_file
from textveil.text.patterns import lazy_regex, matches

READ: Final = 400
"""Characters that are read of a document, from its first letter on."""

FIT: Final = ("en", *LANGUAGES, "ar", "ja", "ko", "ru", "tr", "zh")
"""Languages that the embedded rules are written for."""

_FEWEST_WORDS: Final = 3
_ENGLISH_SHARE: Final = 0.8
_CERTAIN: Final = 0.8
_FEWEST_NOUNS: Final = 4
_FEWEST_OF_FEW: Final = 2  # in a text of fewer words
_AHEAD: Final = 1.5  # how many times as many words the language of a table has as the next one
_COMMON: Final = int(Marks.COMMON)
_IS_COMMON: Final = bytes([marks & _COMMON > 0 for marks in range(1 << 8)])
_ENGLISH: Final = int(Marks.COMMON | Marks.OTHER)
_NAMES: Final = int(Marks.GIVEN | Marks.FAMILY)
_ELSEWHERE: Final = _ENGLISH | _NAMES | int(Marks.SMALL)
_SMALL_WORD: Final = lazy_regex(r"[a-z](?<![A-Za-z'@./_-].)[a-z]++(?![A-Za-z'@/_-]|\.[A-Za-z])")

_NOUN: Final = lazy_regex(r"[A-Za-z](?<![A-Za-z'@./_-].)[a-z]{3,}+(?![A-Za-z'@/_-])")

_NOT_ENGLISH: Final = frozenset(
    """der das ist und nicht ein eine ich mit sich auf wir le les des est et une dans je vous nous el los las con por
    una su di che il non della sono os um uma nao com ao het een van niet ik en voor vom zum zur wegen nach seit wird
    wurde sind noch auch aber oder aux avec qui elle leur dei nel alla dello degli per lui pelo pela dos das bij naar
    zijn heeft jest nie oraz dla przy bei dem im aus sie hat er por del al se lo mi dit deze uw""".split()  # noqa: SIM905
)
"""Function words of other languages: if two of them stand, a share of English words settles nothing."""

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
_OF_ANY_SCRIPT: Final = lazy_regex(f"[{''.join(_SCRIPTS.values())}]")
_TURKISH: Final = lazy_regex("[\u011e\u011f\u0130\u0131\u015e\u015f]")
_TURKISH_SHARE: Final = 80
"""A text with more than one letter in so many that Turkish alone writes is Turkish, unless its words are others."""
_LETTERS: Final = lazy_regex(r"[^\W\d_]++")
_WORD: Final = lazy_regex(r"[^\W\d_]{3,}")
KNOWN: Final = (
    "en", *LANGUAGES, "ca", "cs", "da", "et", "fi", "hr", "hu", "id", "lt", "lv", "no", "ro", "sk", "sl", "sv",
    "tr", "vi",
)  # fmt: skip
"""Languages in Latin letters that are told apart."""
MODEL: Final = "languages.npz"
MODEL_RECORD: Final = "languages.json"


def language_of(text: str) -> str:
    """Return the ISO 639-1 code of a document's language; empty if it has too few words to tell.

    Letters of another script settle it first; then a document is English if four in five of its words in small letters
    are English, but for texts with two function words of other languages; py3langid's model decides the rest, and
    labels of forms and ordinary words of any letter case what it cannot. Only the first 400 characters from the first
    letter on are read.
    Scripts stand for their largest language: Ukrainian counts as Russian.
    """
    return _language_of_part(_beginning_of(text))


def _beginning_of(text: str) -> str:
    first = _LETTERS.search(text)
    return text[first.start() : first.start() + READ] if first else ""


def blocks_of(text: str, language: str) -> list[tuple[int, int, str]]:
    """Return the paragraphs of a text that are in another language with rules than the text as a whole, by start."""
    if "\n\n" not in text:
        return []
    blocks: list[tuple[int, int, str]] = []
    start = 0
    for number, block in enumerate(text.split("\n\n")):
        if number == _MOST_BLOCKS:
            break
        ends = block.rstrip().endswith((".", ":", "?", "!"))
        fewest = _FEWEST_OF_SENTENCE if ends else _FEWEST_OF_BLOCK
        begins = _beginning_of(block) if len(block) >= 3 * fewest - 1 else ""
        prose = len(begins) >= 3 * fewest - 1 and len(_small_words_of(begins)) >= fewest
        if prose and (own := _language_of_part(begins)) in FIT and own != language:
            blocks.append((start, start + len(block), own))
        start += len(block) + 2
    return blocks


_MOST_BLOCKS, _FEWEST_OF_SENTENCE, _FEWEST_OF_BLOCK = 40, 6, 24  # words in small letters


@lru_cache(maxsize=1 << 6)
def _small_words_of(part: str) -> list[str]:
    return _SMALL_WORD.findall(plain(part).text)


@lru_cache(maxsize=1 << 6)
def _language_of_part(part: str) -> str:
    if not part:
        return ""
    if not part.isascii() and (language := _by_script(part)):
        return language
    words = _small_words_of(part)
    english = marks_of_all(words).translate(_IS_COMMON).count(1)
    turkish = not part.isascii() and _TURKISH_SHARE * len(_TURKISH.findall(part)) > len(part)
    if len(words) < _FEWEST_WORDS:
        if turkish and english * 2 <= len(words) and (words or _reads_turkish(part)):
            return "tr"
        return _by_nouns(part) or _by_few_words(part) or ("tr" if _reads_turkish(part) else "")
    of_others = len(_NOT_ENGLISH.intersection(words)) >= 2
    if english >= _ENGLISH_SHARE * len(words) and not of_others:
        return "en"
    if turkish and not of_others:  # no text of another language that a Turkish name stands in
        return "tr"
    language, share = _identifier().classify(part)
    return language if share > _CERTAIN else _by_nouns(part) or _by_few_words(part)


_LABEL: Final = lazy_regex(
    r"(?:(?<![^\n])|(?<=[|;\t]))[ \t>*#-]{0,6}(?P<word>[A-Za-z][a-z'-]{2,25})(?=\*{0,2} ?(?:[:|;\t\n]|\Z)| [A-Z0-9+(])"
)


@cache
def _labels() -> dict[str, tuple[str, ...]]:
    """Return the languages of each word that labels a field of a form, but for English words and names."""
    languages: dict[str, tuple[str, ...]] = {}
    marks_of = lists().words.get
    for name in ("labels", "fields"):
        for language, words in by_language(name).items():
            for word in words:
                if language in FIT and language != "en" and not marks_of(word, 0) & _ELSEWHERE:
                    languages[word] = (*languages.get(word, ()), language)
    return languages


def _by_labels(part: str, written: str) -> str:
    """Return the language of the labels that lines and cells begin with; of those of several, the likeliest."""
    counts = Counter(
        language for match in matches(_LABEL, written) for language in _labels().get(match["word"].lower(), ())
    )
    most = max(counts.values(), default=0)
    first = [language for language, count in counts.items() if count == most]
    return first[0] if len(first) == 1 else _identifier().classify(part, first)[0] if first else ""


def _by_nouns(part: str) -> str:
    """Return the language of a list or a table: of its labels, else of its ordinary words if they outnumber English."""
    written = plain(part).text
    if language := _by_labels(part, written):
        return language
    words = {word.lower() for word in _NOUN.findall(written)}
    marks_of = lists().words.get
    few = len(words) < _FEWEST_NOUNS
    if few:  # a name may be made of ordinary words
        words = {word for word in words if not marks_of(word, 0) & _NAMES}
    known = frequent_words if few else ordinary_words
    counts = {language: len(words & known(language)) for language in LANGUAGES}
    english = len([word for word in words if marks_of(word, 0) & _ENGLISH])
    (language, most), (_, second), *_ = sorted(counts.items(), key=lambda item: -item[1])
    if few and most == len(words) > english:
        return language if most >= _FEWEST_OF_FEW else ""
    return language if most >= max(_FEWEST_OF_FEW if few else _FEWEST_NOUNS, _AHEAD * max(second, english)) else ""


def _by_few_words(part: str) -> str:
    """Return the language of a message of few words: of those that are words of it and of few others.

    A word counts for each of its languages by its share among them, English too. Less than twice another language is
    enough if the model agrees; among languages that have the same words the model decides.
    """
    written, marks_of = plain(part).text, lists().words.get
    parts = [word.strip('.,;:!?()"') for word in written.translate(_PARTED).split()]
    words = [word for word in parts if len(word) > 1 and word.isalpha() and not word.isupper()]
    counts: Counter[str] = Counter({"en": 0.0})
    for number, (word, low) in enumerate(zip(words, map(str.lower, words), strict=True)):
        if low in words[:number] or low in letters() or (word != low and _is_name(low)):
            continue
        languages = _languages_of(low)
        if word != low and (number or "".join(words[1:2]).istitle()):  # Thalita Guedes, but Factura Gimeno
            sure = low in frequent_words("de") or len(low) > _LONG_NOUN
            languages = [
                each for each in languages if (sure if each == "de" else not number and low in frequent_words(each))
            ]
        english = marks_of(low, 0) & _ELSEWHERE & ~_NAMES or low in chat_words() or low in TITLES
        languages += ["en"] if english else []
        counts.update({language: 1 / len(languages) for language in languages})
    (language, most), (_, second), *_ = [*counts.most_common(2), ("", 0.0)]
    if language == "en" or counts["en"] == most or most < _LEAST_OF_FEW / 4:
        return ""
    if most == second:
        return _identifier().classify(part, [each for each in counts if counts[each] == most])[0]
    sure = most >= max(_LEAST_OF_FEW, _AHEAD * second)
    return language if sure or _identifier().classify(part)[0] == language else ""


_PARTED: Final = str.maketrans(dict.fromkeys("'-/<>[]=|", " "))


def _is_name(low: str) -> bool:
    """Return whether a word with a capital is a listed name; one of a place is not where a language uses it often."""
    marks = lists().words.get(low, 0)
    if marks & _NAMES:
        return True
    placed = marks & Marks.PLACE or any(low in group for group in places())
    return bool(placed) and not any(low in frequent_words(language) for language in LANGUAGES)


def _languages_of(word: str) -> list[str]:
    """Return the languages of a word: of those in which it is frequent, else of those that have it at all."""
    return (
        [language for language in LANGUAGES if word in frequent_words(language)]
        or [language for language in LANGUAGES if len(word) > _SHORT and word in ordinary_words(language)]
        or [
            language
            for language in ("de", "nl")
            if len(word) > _LONG_NOUN and is_compound(word, ordinary_words(language))
        ]
    )


_LEAST_OF_FEW: Final = 0.8
_SHORT: Final = 3  # letters of a rare word that may stand for anything


def _reads_turkish(part: str) -> bool:
    """Return whether a text with few words in small letters has more words of Turkish than of English, names apart."""
    words = {word.replace("\u0130", "i").replace("I", "\u0131").lower() for word in _WORD.findall(part)}
    marks_of = lists().words.get
    words = {word for word in words if not marks_of(plain(word).text, 0) & _NAMES} - letters()
    english = {word for word in words if marks_of(word, 0) & _ELSEWHERE}
    turkish = words & listed("tr", "frequent") | words & listed("tr", "ordinary")
    return len(turkish - english) > len(english)


def unfit(text: str) -> bool:
    """Return whether a text is in a language that the embedded rules are not written for.

    Ukrainian, Serbian, Persian and Urdu are told from Russian and Arabic by letters of their own.
    """
    language = language_of(text)
    others = _OTHERS.get(language)
    return language not in ("", *FIT) or (others is not None and _OTHERS_SHARE * len(others.findall(text)) > len(text))


_OTHERS: Final = {"ru": lazy_regex("[іїєґўђјљњћџІЇЄҐЎЂЈЉЊЋЏ]"), "ar": lazy_regex("[پچژگکیٹڈڑے]")}
_OTHERS_SHARE: Final = 80


def _by_script(part: str) -> str:
    if _OF_ANY_SCRIPT.search(part) is None:
        return ""
    letters = sum(map(len, _LETTERS.findall(part)))
    counts = {language: len(pattern.findall(part)) for language, pattern in _OF_SCRIPT.items()}
    if counts["ja"] * 10 > counts["zh"] + counts["ja"]:
        counts["ja"] += counts.pop("zh")
    language, count = max(counts.items(), key=lambda item: item[1])
    if language == "zh" and not _CHINESE.search(part) and (_SHORTENED.search(part) or _names_japanese(part)):
        language = "ja"
    return language if 3 * count > letters else ""


def _names_japanese(part: str) -> bool:
    """Return whether a run of characters is a Japanese family name of several, alone or with a given name behind it."""
    if b"?" in "".join([run[0] for run in matches(_KANJI, part)]).encode("cp932", "replace"):
        return False  # a character that Japan does not write
    families, given, words = listed("ja", "family"), listed("ja", "given"), listed("zh", "frequent")
    return any(
        run[0][:size] in families and (len(run[0]) == size or run[0][size:] in given)
        for run in matches(_KANJI, part)
        for size in (2, 3)
        if run[0] not in words
    )


_KANJI: Final = lazy_regex("[\u4e00-\u9fff\u3005]{2,7}")
_SHORTENED: Final = lazy_regex(
    "[県駅沢広発売円価図渋桜戻込畑働栃峠辻枠匂圧塩応営検験険剣経軽関気帰様緑続総蔵択釈駆鉄転伝払拠毎黒歳済薬譲楽恵穂銭徳児覚挙労栄巻悪歯]|氏名|丁目|会社|町村|〒"
)
"""Characters that are shortened in Japanese alone, and words of its forms: a table in it may have no kana."""
_CHINESE: Final = lazy_regex("[们这说为吗呢您你她过还没个时給說這個們沒嗎给从对的了]")


class _Identifier:
    """Naive Bayes over sequences of bytes, with py3langid's numbers (``tools/build_languages.py``)."""

    def __init__(self) -> None:
        record = json_file(DATA / MODEL_RECORD)
        arrays = np.load(io.BytesIO(checked(MODEL, record["file"])), allow_pickle=False)
        names = np.array(arrays["names"].tobytes().split(b"\0"))
        lengths, letters = np.char.str_len(names), names.view(np.uint8).reshape(len(names), -1)
        # Eight bytes are a number, whose highest byte is the last: those that end with a sequence are a range.
        widths = np.uint64(1) << (64 - 8 * lengths).astype(np.uint64)
        starts = letters @ (np.uint64(1) << np.arange(0, 8 * letters.shape[1], 8, dtype=np.uint64)) * widths
        self._bounds = np.sort(np.concatenate([starts, starts + widths]))
        self._rows = np.full(len(self._bounds), -1)
        for length in np.flatnonzero(
            np.bincount(lengths)
        ):  # the range of a longer sequence lies in that of a shorter one
            rows = np.flatnonzero(lengths == length)
            rows = rows[starts[rows].argsort()]
            begun = rows[starts[rows].searchsorted(self._bounds, "right") - 1]
            within = self._bounds - starts[begun] < widths[begun]
            self._rows[within] = begun[within]
        self._languages: list[str] = record["languages"]
        self._values, self._before = arrays["values"], arrays["before"]
        columns = np.arange(len(self._languages)) * self._values.shape[1]
        self._places = (arrays["low"] + arrays["high"].astype(np.uint16) * 256 + columns).astype(np.uint16)

    def sequences(self, written: bytes) -> list[int]:
        """Return the row of the longest known sequence that ends at each byte, if there is one."""
        numbers = np.ndarray(len(written), "<u8", b"\0" * 7 + written, strides=(1,))
        rows = self._rows[self._bounds.searchsorted(numbers, "right") - 1]
        return rows[rows >= 0].tolist()

    def classify(self, text: str, among: Collection[str] = ()) -> tuple[str, float]:
        """Return the likeliest language of a text, or the likeliest of some, and its share of all."""
        composed = unicodedata.normalize("NFC", text.lower() if text.isupper() else text)
        written = composed.encode("utf-8", "surrogatepass")
        counts = Counter(self.sequences(written))
        if not counts:
            return "", 0.0
        often = np.log1p(np.array(list(counts.values()), dtype=np.float32))
        scores = often @ self._values.take(self._places[list(counts)]) + self._before
        shares = np.exp((scores - scores.max()) / math.sqrt(len(written)))
        others = [bool(among) and language not in among for language in self._languages]
        best = int(np.where(others, -1.0, shares).argmax())
        return self._languages[best], float(shares[best] / shares.sum())


_identifier: Final = cache(_Identifier)


_NAME: Final = r"[A-Z][A-Za-z]*+(?:['-][A-Za-z]++)*+"
_PARTICLE: Final = (
    r"(?:(?:von|zu|zum|van|den|der|de|del|della|di|da|do|dos|das|du|des|la|las|los|le|y|e|ten|ter|'t|(?:in|op)(?= 't)) "
    r"|d'(?=[A-Z]))"
)
_WORDS: Final = (
    r"[A-Z][A-Za-z.'-]{0,60}(?: (?:d[aeio]s?l?a? |von |van |der |den |la |las |los |le )?[A-Z][A-Za-z.'-]{0,60}){0,4}"
)
_HOUSE: Final = (
    r"[0-9]{1,5}(?:[A-Za-z]?[/-](?:[0-9]{1,3}|(?:[A-Z]|bis|ter|[IVX]{1,4})(?![A-Za-z0-9])))?"
    r"(?:[A-Za-z](?![a-z]|\. ?[0-9])| (?!m\.)[A-Za-z](?=[,.;:/)\n]|\Z)| ?bis| ?ter)?(?![\w]|[.,][0-9])"
)
_FULL: Final = rf"{_PARTICLE}{{0,3}}(?:(?:[A-Z]\. ?){{1,3}})?{_NAME}(?: {_PARTICLE}{{0,3}}{_NAME}){{0,3}}"


class _Rules(NamedTuple):
    titles: str  # patterns of what stands before a name, without the space behind it
    opening: str  # of what opens a letter or a line about a person, before the name
    code: str  # of a postal code before a town
    street: str  # of a street with its number, or where the language has it without


_RULES: Final = MappingProxyType(
    {
        "de": _Rules(
            r"Herrn?|Frau|Fr\.|Hr\.|Dr\.(?: med\.)?|Prof\.|Fam\.|Familie|Onkel|Tante|Oma|Opa|Kollegin?|Nachbarin?|"
            r"Patientin?|Pfarrer|Richterin?|Schwester|Bruder|Sohn|Tochter|Mutter|Vater|Ehefrau|Ehemann",
            r"Liebe[rs]?|Hallo|Name:|Patient:|Gru(?:ss|s)|gez\.|i\. ?A\.",
            r"(?:D-|A-|CH-)?[0-9]{4,5}",
            rf"(?:[A-Z][A-Za-z.]*[ -]){{0,3}}[A-Z]?[A-Za-z]*(?:[Ss]tras?se|[Ss]trase|[Ss]tr\.|[Ww]eg|[Pp]latz|[Gg]asse"
            rf"|[Aa]llee|[Rr]ing|[Dd]amm|[Uu]fer|[Ss]teig|[Ss]tieg|[Hh]of|[Mm]arkt|[Cc]haussee|[Pp]romenade|[Pp]fad"
            rf"|[Zz]eile) {_HOUSE}",
        ),
        "fr": _Rules(
            r"M\.|MM\.|Mr|Mme|Mmes|Mlle|Monsieur|Madame|Mademoiselle|Dr|Docteur|Pr|Me|Maitre|oncle|tante|"
            r"(?:ma|mon|sa|son|votre|leur) (?:fils|fille|mere|pere|femme|mari|frere|soeur|epoux|epouse|voisine?)",
            r"Cher|Chere|Bonjour|Salut|Nom :|Nom:|Patient :|soussignee?|s'appelle|nommee?",
            r"(?:F-|B-)?[0-9]{5}",
            rf"(?:{_HOUSE}(?: [A-D])?,? )?(?:[Rr]ue|[Aa]v(?:enue|\.)|[Bb](?:oulevard|d)|[Pp]lace|[Cc]hemin|[Ii]mpasse|"
            rf"[Aa]llee|[Qq]uai|[Cc]ours|[Rr]oute|[Ss]quare|[Pp]assage|[Ff]aubourg|[Vv]oie|[Ss]entier|[Vv]enelle) "
            rf"(?:de la |de l'|du |des |de |d')?{_WORDS}(?: {_HOUSE})?",
        ),
        "es": _Rules(
            r"Sr\.|Sra\.|Srta\.|Sres\.|D\.|Dña\.|Dna\.|Don|Dona|Senora?|Senorita|Dra?\.|Doctora?|Lic\.|Ing\.|"
            r"(?:mi|su|tu|nuestro|nuestra) (?:hij[oa]|madre|padre|mujer|marido|herman[oa]|espos[oa]|vecin[oa])",
            r"Querid[oa]|Hola|Estimad[oa]|Nombre:|Paciente:|se llama|llamad[oa]",
            r"[0-9]{5}",
            rf"(?:Calle|C/|Avda?\.|Avenida|Plaza|Pza\.|Paseo|Ronda|Camino|Carretera|Travesia|Urbanizacion|Glorieta|Vial"
            rf"|Acceso|Alameda|Callejon|Cuesta|Pasaje|Pasadizo|Rambla|Rua|Via|Canada|Cañada|calle|avenida|plaza|paseo)"
            rf" ?(?:de (?:la |los |las )?|del )?{_WORDS},? {_HOUSE}",
        ),
        "it": _Rules(
            r"Sig\.(?:ra|na)?|Sigg\.|Signora?|Signorina|Dott\.(?:ssa)?|Dr\.|Prof\.(?:ssa)?|Avv\.|Ing\.|Geom\.|Rag\.|"
            r"signora?|dottor|dottoressa|zio|zia|"
            r"(?:mio|mia|suo|sua) (?:figlio|figlia|madre|padre|moglie|marito|fratello|sorella|vicin[oa])",
            r"Car[oa]|Ciao|Gentile|Egregio|Nome:|Paziente:|si chiama|chiamat[oa]",
            r"(?:I-)?[0-9]{5}",
            rf"(?:Via|Viale|V\.le|Piazza|P\.zza|Piazzale|Corso|C\.so|Vicolo|Largo|Strada|Contrada|Borgo|Canale|Rotonda"
            rf"|Incrocio|Stretto|Lungomare|Galleria|Salita|via|viale|piazza|corso|vicolo|borgo|localita|loc\.) "
            rf"(?:del(?:la|le)? |dei |degli |di )?{_WORDS},? {_HOUSE}",
        ),
        "pt": _Rules(
            r"Sra?\.|Srs\.|Senhora?|Senhor|Dra?\.|Doutora?|Dona|D\.|Prof\.|Profa\.|Eng\.|senhora?|tio|tia|"
            r"(?:meu|minha|seu|sua) (?:filho|filha|mae|pai|mulher|marido|irmao|irma|esposa|esposo|vizinh[oa])",
            r"Car[oa]|Ola|Prezad[oa]|Querid[oa]|Nome:|Paciente:|chama-se|chamad[oa]",
            r"[0-9]{4,5}-[0-9]{3}",
            rf"(?:Rua|R\.|Avenida|Av\.|Travessa|Praca|Largo|Alameda|Estrada|Calcada|Beco|Rotunda|Quinta|Via|Ladeira|rua"
            rf"|avenida) (?:d[aeo]s? )?{_WORDS},? (?:n\.? ?[oa]? ?)?(?:{_HOUSE}|S/N|[Ll]ote [0-9]{{1,4}})",
        ),
        "pl": _Rules(
            r"[Pp]ani|[Pp]ana?|[Pp]anu|[Dd]r|[Pp]rof\.|[Mm]gr|[Ii]nz\.|[Mm]ec\.|[Kk]s\.|[Aa]dw\.|[Ss]z\. ?P\."
            r"|(?:moj|moja|jego|jej|nasz|nasza) (?:syn|corka|matka|ojciec|zona|maz|brat|siostra|sasiad(?:ka)?)",
            r"Drog[ia]|Witaj|Czesc|Imie i nazwisko:|Pacjent(?:ka)?:|Szanown[ay]",
            r"[0-9]{2}-[0-9]{3}",
            rf"(?:ul\.|[Uu]lic[aey]|al\.|[Aa]le(?:j[aei]|i)|pl\.|[Pp]lacu?|os\.|[Oo]siedl[eu]) "
            rf"(?:(?:(?:sw|gen|ks)\.|[0-9]{{1,2}}) )?{_WORDS},? {_HOUSE}"
            r"(?:,? (?:m|lok)\.? ?[0-9]{1,4}(?![0-9]))?",
        ),
        "nl": _Rules(
            r"[Dd]e heer|[Hh]eer|[Mm]evrouw|[Mm]eneer|Dhr\.|Mevr\.|Mw\.|[Dd]rs?\.|[Pp]rof\.|[Mm]r\.|[Ii]ng\.|[Ii]r\."
            r"|[Oo]om|[Tt]ante|(?:mijn|zijn|haar|uw|onze) (?:zoon|dochter|moeder|vader|vrouw|man|broer|zus|echtgenote?"
            r"|buur(?:man|vrouw))",
            r"Beste|Hallo|Hoi|Lieve|Naam:|Patient:|heet|genaamd",
            r"[0-9]{4} ?[A-Z]{2}",
            rf"(?:[A-Z][A-Za-z.]* ){{0,2}}[A-Z][A-Za-z'-]{{0,60}}(?:straat|laan|weg|plein|gracht|kade|singel|dreef|hof"
            rf"|pad|baan|boulevard|steeg|park|dijk|markt|ring|plantsoen|wal) {_HOUSE}",
        ),
    }
)


_BEHIND_LEADING: Final = (
    r" (?:d(?:e|el|ei|egli|ella|elle|[ao]s?|e l[ao]s?) |dell'|d')?(?!Skype|Zoom|Teams|Whats|Mail|Internet|Telegram|Web)"
    r"[A-Z][A-Za-z'-]{2,30}(?: (?:(?:d[aeio]s?|del|della|y|e) )?[A-Z][A-Za-z'-]{1,30}){0,3}"
)
_ALONE: Final = MappingProxyType(
    {
        "de": r"(?<=(?:der|die|zur) )[A-Z][a-z]{3,20}(?:strase|gasse|allee)",
        "nl": r"(?<=(?:de) )[A-Z][a-z]{3,20}(?:straat|laan|gracht|singel|dreef)",
        "es": rf"(?:Calle|C/|Avda?\.|Avenida|Plaza|Pza\.|Paseo|Travesia|calle|avenida|plaza|paseo){_BEHIND_LEADING}",
        "it": r"(?:Via|Viale|V\.le|Piazza|P\.zza|Piazzale|Corso|Vicolo|Contrada|(?<=[nid] )via|viale|piazza|vicolo)"
        + _BEHIND_LEADING,
        "pt": rf"(?:Rua|Avenida|Av\.|Travessa|Praca|Alameda|Calcada|Beco|Ladeira|rua|avenida){_BEHIND_LEADING}",
        "pl": rf"(?:[Uu]l\.|[Uu]lic[aeyi]|[Aa]l\.|[Aa]le(?:j[aei]|i)|[Pp]l\.|[Oo]s\.|[Oo]siedl[eu]){_BEHIND_LEADING}",
    }
)
"""Streets without a number: in via Garibaldi, in der Lerchengasse."""
_LONG_NOUN: Final = 10
_NEXT_SENTENCE: Final = lazy_regex(r"(?<=[a-z]{4})\.(?= [A-Z][a-z]|\Z)")
"""The full stop of a sentence behind a street."""


class _Language:
    def __init__(self, language: str) -> None:
        rules = _RULES[language]
        self._words = ordinary_words(language)
        self._nouns = self._words if language == "de" else frozenset[str]()
        self._compounds, self._roles = language in ("de", "nl"), cues(language).role
        self._titled = lazy_regex(
            rf"(?<![A-Za-z0-9])(?:(?P<opening>{rules.opening}) (?:(?:{rules.titles}) ){{0,2}}"
            rf"|(?:{rules.titles}) (?:(?:{rules.titles}) ){{0,2}})(?!(?:{rules.titles}) )(?P<name>{_FULL})"
        )
        self._town = lazy_regex(rf"(?<![\w.,-])(?P<name>(?:{rules.code}),? {TOWN_NAME})(?![A-Za-z0-9])")
        self._alone = lazy_regex(rf"(?<![\w.,-])(?:{_ALONE.get(language, '(?!)')})(?![A-Za-z0-9_@-]|,? [0-9])")
        self._street = lazy_regex(rf"(?<![\w.,-])(?:{rules.street}){INNER}")

    def _is_noun(self, low: str) -> bool:
        """Return whether a German word behind four digits is no town: bis 2650 Meter."""
        return not any(low in group for group in places()) and (low in self._nouns or is_compound(low, self._nouns))

    def _tells_subject(self, word: str) -> bool:
        """Return whether a noun of German or Dutch before a street is no part of its name: Burgemeester Blokweg."""
        low = word.lower()
        noun = self._compounds and len(word) >= _LONG_NOUN and word.isalpha() and word.istitle() and word[-1] != "e"
        return noun and low not in self._roles and (low in self._words or is_compound(low, self._words))

    def find_streets(self, text: str) -> Iterator[Found]:
        """Streets with their number."""
        for match in matches(self._street, text):
            before = text[match.start() - 4 : match.start()]
            if match[0].startswith(("Weg ", "Platz ")) and before.strip() and before != " am ":
                continue  # auf dem Weg 3 Leute, auf Platz 3
            stop = _NEXT_SENTENCE.search(match[0])
            end = match.end() if stop is None else match.start() + stop.start()
            end -= text[end - 1] == "." and text[end : end + 1] in ("", "\n")
            begin = match.start()
            while (gap := text.find(" ", begin, end)) > 0 and text[gap + 1].isupper():
                if not self._tells_subject(text[begin:gap]):
                    break
                begin = gap + 1  # Onderwerp: Huurachterstand Kastanjelaan 8
            yield Found(begin, end, "place", 0.8, "street")
            yield from towns_behind(text, end, self._nouns)

    def find_streets_alone(self, text: str) -> Iterator[Found]:
        """Streets without a number, but for ordinary words: in der Lerchengasse, in der Sackgasse."""
        for match in matches(self._alone, text):
            if match[0].lower() not in self._words:
                yield Found(*match.span(), "place", 0.55, "street")

    def find_titled(self, text: str) -> Iterator[Found]:
        """Yield persons behind a title, a relation or the opening of a letter."""
        for match in matches(self._titled, text):
            start = match.start("name")
            low = match["name"].partition(" ")[0].lower()
            if match["opening"] and low in self._words and not lists().words.get(low, 0) & Marks.GIVEN:
                continue  # Liebe Kolleginnen
            end = _trimmed(text, start, match.end("name"), self._words)
            if end > start:
                yield Found(match.start(), start, ORDINARY, 0.8)
                yield Found(start, end, "person", 0.8, "title")

    def find_towns(self, text: str) -> Iterator[Found]:
        """Towns behind a postal code."""
        for match in matches(self._town, text):
            code, _, name = match["name"].partition(" ")
            counts = self._nouns and len(code) == 4 and text[match.start() - 2 : match.start()].strip(" ,\n|")
            if name.lower() not in _FUNCTION and not (counts and self._is_noun(name.partition(" ")[0].lower())):
                yield Found(*match.span("name"), "place", 0.8, "postal code")


@cache
def rows_of(language: str) -> dict[str, tuple[Row, ...]]:
    """Return the rows that one of ``LANGUAGES`` adds, by the name of the phase; their examples are German."""
    from textveil.detection import firms
    from textveil.detection.demographic_lists import attribute_gate, attribute_search
    from textveil.detection.names_by_language import NamesByLanguage

    rules, by_language = _Language(language), NamesByLanguage(language)
    numbered = anywhere if language == "fr" else at_digits(" [0-9]|, S/N")
    # fmt: off
    return {
        "fields": (
            Row("office", by_language.find_offices, WithWords(lambda: by_language.office_words), "ordinary place", 0.8,
                "list", "im Finanzamt", "Herr Finanz"),
            Row("trade", partial(firms.find_trades, language=language),
                WithWords(lambda: firms.trade_words(language)), "organization", 0.6, "institution",
                "vom Reiseburo Okkenga", "vom Reiseburo Rechnung"),
        ),
        "amounts": (
            Row("language-street", rules.find_streets, numbered, "place", 0.8, "street", "am Platz 7", "am Platz"),
        ),
        "streets": (
            Row("language-town", rules.find_towns, at_digits("[0-9]{3}"), "place", 0.8, "postal code",
                "10115 Berlin", "10115 mal"),
            Row("language-street-alone", rules.find_streets_alone, anywhere, "place", 0.55, "street",
                "wohnt in der Lerchengasse.", "steckt in der Sackgasse."),
            Row("language-title", rules.find_titled, anywhere, "ordinary person", 0.8, "title",
                "Herr Muller", "Herr und"),
        ),
        "code": (
            Row("attribute", attribute_search(language), attribute_gate(language), "demographic", 0.6,
                "ethnicity family orientation religion", "Er ist katholisch.", "die katholische Kirche"),
        ),
        "names": (
            Row("language-name", by_language.find, anywhere, "ordinary organization person place", 0.7,
                "cue guess list", "Er traf Zuse in Berlin.", "Im Haus"),
        ),
    }


def _trimmed(text: str, start: int, end: int, words: frozenset[str]) -> int:
    """Return the end of a name behind a title, less ordinary words: "Frau Müller Ihre Rechnung"; ``start`` for none.

    The first word with a capital stays, whatever it is, unless it is a function word.
    """
    first = start + next(place for place, character in enumerate(text[start:end]) if character.isupper())
    stop = text.find(" ", first, end)
    low = text[first : end if stop < 0 else stop].lower()
    if low in _FUNCTION and (stop < 0 or low not in _PARTICLES):
        return start
    while (last := text.rfind(" ", first, end)) >= 0 and text[last + 1 : end].lower() in words:
        if text[first:last].lower() in _PARTICLES:
            break  # Van Dijk
        end = last
    return end


_FUNCTION: Final = frozenset(
    """die der das ich sie wir ihr es und oder le la les un une je tu il elle nous vous et el los las yo usted lo gli
    io lei noi voi o a os as eu ele ela nos de het een ik wij u""".split()  # noqa: SIM905
)
"""Words behind a title that are no name, whatever their letter case."""
_PARTICLES: Final = frozenset("de den der di da la le el lo van von".split())  # noqa: SIM905
