"""Reads what released words beside a value ask of its surrogate: a woman's or a man's name, a first letter, an article.

All of it is read from text that is released as it is, so a surrogate may follow it at no cost.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from textveil.detection.found import words_in
from textveil.surrogates.surrogate import A_SPAN, Mention
from textveil.text.patterns import lazy_regex

Gender: TypeAlias = Literal["", "female", "male"]

_WOMEN: Final = (
    r"d\.\xaa|d\xf1a|mrs|ms|miss|madam|mme|mlle|madame|mademoiselle|frau|fr\xe4ulein|se\xf1ora|se\xf1orita|sra|srta|do\xf1a|"
    r"signora|signorina|sig\.ra|"
    r"dott\.ssa|dottoressa|professoressa|donna|dame|lady|mevrouw|mw|mevr|senhora|dona|dra|doutora|doctora|"
    r"profesora|fru|rouva|"
    r"la (?:paziente|patiente|paciente)|mother|mom|mum|mummy|wife|ex-wife|daughter|stepdaughter|sister|aunt|"
    r"auntie|niece|grandmother|grandma|granny|"
    r"girlfriend|fianc\xe9e|"
    r"widow|girl|woman|sister-in-law|mother-in-law|daughter-in-law|"
    r"ehefrau|mutter|mama|tochter|schwester|tante|gro\xdfmutter|oma|nichte|kollegin|kole\u017canka|kole\u017canki|kole\u017cank\u0105|freundin|patientin|nachbarin|"
    r"\xe4rztin|witwe|"
    r"\xe9pouse|femme|m\xe8re|fille|s\u0153ur|soeur|ni\xe8ce|patiente|voisine|"
    r"madre|hija|hermana|t\xeda|abuela|sobrina|novia|mujer|vecina|"
    r"moglie|figlia|sorella|zia|nonna|fidanzata|vicina|compagna|"
    r"m\xe3e|filha|irm\xe3|esposa|av\xf3|sobrinha|namorada|"
    r"vrouw|echtgenote|moeder|dochter|zus|zuster|"
    r"gelini|k\u0131z\u0131|annesi|ablas\u0131|teyzesi|halas\u0131|nenesi|babaannesi|anneannesi|k\u0131z\u0131m|annem|ablam|"
    r"daughters|sisters|stepmother|granddaughter|godmother|landlady|schwiegertochter|schw\xe4gerin|schwiegermutter|enkelin|lebensgef\xe4hrtin|verlobte|belle-fille"
    r"|belle-m\xe8re|petite-fille|nuera|suegra|nieta|cu\xf1ada|nuora|suocera|cognata|nora|sogra|neta|cunhada"
    r"|schoondochter|schoonmoeder|schoonzus|kleindochter|synowa|te\u015bciowa|wnuczka|"
    r"\u017cona|\u017con\u0105|c\xf3rki|c\xf3rk\u0119|siostry|wnuczki|wnuczk\u0119|wnuczk\u0105|\u017cony|matka|matk\u0105|c\xf3rka|c\xf3rk\u0105|siostra|siostr\u0105|babcia|pacjentka|pacjentki|pani\u0105|"
    r"hustru|dotter|syster|cousine|prima|cugina|kuzynka|soussign\xe9e|stewardess|bride|goddaughter|chairwoman|"
    r"braut|lebenspartnerin|maman|marraine|compagne|belle-s\u0153ur|exmujer|ex-femme|mam\xe1|madrina|madrastra|mamma|madrinha|"
    r"madrasta|mulher|noiva|buurvrouw|bruid|teyzem|halam|bless her"
)
_MEN: Final = (
    r"mr\.? (?:&|and) mrs|m\. et mme|mr|sir|mister|heer|(?:unser|der|den|dem|vom|beim) patient(?:en)?|"
    r"monsieur|herrn?|se\xf1or|sr|don|signor|sig|lord|meneer|dhr|dott|senhor|doutor|"
    r"(?:il|le|el) (?:paziente|patient|paciente)|father|dad|daddy|husband|ex-husband|son|stepson|brother|uncle|"
    r"nephew|grandfather|grandpa|grandad|boyfriend|"
    r"fianc\xe9|widower|boy|man|"
    r"brother-in-law|father-in-law|son-in-law|"
    r"ehemann|vater|papa|sohn|bruder|onkel|gro\xdfvater|opa|neffe|kollege|kolega|kolegi|koleg\u0105|freund|nachbar|"
    r"\xe9poux|mari|p\xe8re|fils|fr\xe8re|oncle|neveu|voisin|"
    r"esposo|marido|padre|hijo|hermano|t\xedo|abuelo|sobrino|novio|vecino|"
    r"marito|figlio|fratello|zio|nonno|fidanzato|vicino|compagno|"
    r"pai|filho|irm\xe3o|tio|av\xf4|sobrinho|namorado|"
    r"echtgenoot|vader|zoon|broer|oom|"
    r"o\u011flu|babas\u0131|dedesi|amcas\u0131|day\u0131s\u0131|abisi|a\u011fabeyi|o\u011flum|babam|abim|damad\u0131|"
    r"sons|brothers|stepfather|grandson|godfather|landlord|schwiegersohn|lebensgef\xe4hrte|verlobter|schwager|schwiegervater|enkel|gendre|beau-fils|beau-p\xe8re"
    r"|petit-fils|yerno|suegro|nieto|cu\xf1ado|genero|suocero|cognato|genro|sogro|neto|cunhado|schoonzoon|schoonvader"
    r"|zwager|kleinzoon|zi\u0119\u0107|te\u015b\u0107|wnuk|"
    r"m\u0105\u017c|m\u0119\u017cem|m\u0119\u017ca|syn|syna|synowi|brata|ojciec|ojcem|synem|brat|bratem|dziadek|pacjent|pacjentem|panem|bror|primo|cugino|kuzyn|soussign\xe9|stiefvater|master|bridegroom|groom|godson|chairman|br\xe4utigam|lebenspartner|"
    r"parrain|compagnon|beau-fr\xe8re|exmarido|ex-mari|pap\xe1|padrino|padrastro|pap\xe0|padrinho|padrasto|noivo|"
    r"buurman|bruidegom|amcam|day\u0131m|wujek|bless him"
)
_TITLES: Final = r"(?:(?:dr|prof|dipl|ing|med|dott|judge|rn)\.? ){0,2}"
_CALLED: Final = (
    "called|named|known as|llamad[oa]|chamad[oa]|nomm\xe9e?|di nome|namens|genannt|genaamd|hei\xdft|heet|est"
    "|s'appelle|es|"
    "se llama|\xe8|si chiama|\xe9|se chama|chama-se"
)
_BEFORE: Final = lazy_regex(
    rf"(?i)(?<![^\W_])(?:(?P<female>{_WOMEN})|(?P<male>{_MEN}))"
    rf"(?:\.?[,:(]?\s{{1,2}}|\s\(|\s(?:{_CALLED})\s|\s(?:of |de |d['\u2019]|del |di |d[ao] |van |von "
    rf"|pan[ai] ){A_SPAN}(?:, | \())"
    rf"{_TITLES}\Z"
)
# Whose wife or husband somebody is.
_SPOUSE: Final = lazy_regex(
    r"(?i)(?<![^\W_])(?:(?:(?P<male>wife|widow|femme|\xe9pouse|veuve|compagne|mujer|esposa|viuda|moglie|vedova|mulher|"
    r"die (?:ehe)?frau|witwe|vrouw|weduwe)|(?P<female>husband|widower|mari|\xe9poux|veuf|compagnon|marido|esposo"
    r"|viudo|marito|"
    r"vedovo|(?:der|dem|den) (?:ehe)?mann|witwer|de man|weduwnaar)) (?:of |de |d['\u2019]|del |di |d[ao] |van |von )"
    r"|(?P<male2>mari\xe9e \xe0|casada co[nm]|sposata con) |(?P<female2>mari\xe9 \xe0|casado co[nm]|sposato con) )\Z"
)
# Capitalized openings of letters that agree with whom they address.
_DEAR: Final = lazy_regex(
    r"(?<![^\W_])(?:(?P<female>Liebe|[Mm]eine liebe|[Mm]a ch\xe8re|[Mm]ia cara|[Mm]i querida|[Mm]inha querida|Droga|"
    r"Ch\xe8re|Querida|Estimada|Cara|Prezada|Egregia|Pani)|"
    r"(?P<male>[Mm]ein lieber|[Mm]on cher|[Mm]io caro|[Mm]i querido|[Mm]eu querido|Drogi|"
    r"Lieber|Cher|Querido|Estimado|Caro|Prezado|Egregio|Pan))\s\Z"
)
# Titles and articles that tell on pages of one language alone.
_OWN: Final = {
    "fr": lazy_regex(r"(?<![^\W_])(?P<male>MM?)\. \Z"),
    "de": lazy_regex(
        r"(?<![^\W_])(?:(?P<female>[Dd]ie|[Zz]ur|(?:mit|von|bei) der)|(?P<male>Der|[Dd]en|[Dd]em|[Vv]om|[Bb]eim)) \Z"
    ),
    "es": lazy_regex(r"(?<![^\W_])(?:(?P<female>[Ll]a)|(?P<male>Dr\.?|[Ee]l|[Aa]l|[Dd]el)) \Z"),
    "it": lazy_regex(
        r"(?<![^\W_])(?:(?P<female>[Ll]a|[Aa]lla|[Dd]alla|[Dd]ella)|(?P<male>[Ii]l|[Aa]l|[Dd]al|[Dd]el|[Cc]ol)) \Z"
    ),
    "pl": lazy_regex(r"(?<![^\W_])(?:(?P<female>[Pp]ani)|(?P<male>[Pp]ana?|[Pp]anu|[Pp]anie)) \Z"),
    "pt": lazy_regex(
        r"(?<![^\W_])(?:(?P<female>A|\xe0|[Dd]a|[Nn]a|[Pp]ela)|(?P<male>(?:Dr|Eng)\.?|[DdNn]o|[Oo]|[Aa]o|[Pp]elo)) \Z"
    ),
}
_BEHIND: Final = lazy_regex(
    r"(?i)\A(?:[^.!?\n]{0,12}?[(,-]\s?(?:(?:his|her|my|our|the|a|an|their|[0-9]{1,3}-year-old|aged? "
    r"[0-9]{1,3},?)\s){0,3}"
    rf"(?:(?P<female>{_WOMEN}|f(?=\)))|(?P<male>{_MEN}|m(?=\))))(?![^\W_])|,? [0-9]{{1,3}}[ -]?(?:year-old|yo|y/o|"
    rf"y\.o\.)?,? ?"
    r"(?:(?P<female2>f|female|woman|girl|lady)|(?P<male2>m|male|man|boy|gentleman))(?![^\W_])"
    r"|[^.!?\n]{0,28}?\b(?:is|was) (?:the |a |an |my |his |her )(?:(?P<female3>sister|mother|wife|daughter|aunt|"
    r"woman|girl|grandmother|niece)"
    r"|(?P<male3>brother|father|husband|son|uncle|man|boy|grandfather|nephew))\b"
    r"|,? \(?(?:(?P<female6>n\xe9e|nata|nascida|nacida|\xe2g\xe9e|mujer|urodzona)|"
    r"(?P<male6>n\xe9|nato|nascido|nacido|\xe2g\xe9|var\xf3n|urodzony))(?![^\W_])"
    r"|[^.!?\n]{0,36}[.!?] (?:(?P<female7>She|Her)|(?P<male7>He|His))(?![^\W_])"
    r"|[^.!?\n]{0,40}?(?<![^\W_])(?:(?P<female4>she|her own|herself|hers|by her)|(?P<male4>he|himself|by "
    r"his))(?![^\W_])"
    r"|[^.!?\n]{0,40}?\b(?:with|and|to|in|on|of|at|for|from|about|by|lost|sold|took|has|had) (?:(?P<female5>her)|"
    r"(?P<male5>his)) [a-z])"
)


_OWNER: Final = lazy_regex(r"\A['\u2019](?:s(?![^\W_])|(?=\s))")
"""Endings after which the words behind a name tell of somebody else: Mehmet's wife."""
_SEX: Final = lazy_regex(
    r"(?i)\A[\s,;|(]{1,12}(?:sex|gender|sexe|sexo|sesso|geschlecht|geslacht)\s{0,2}[:=]\s{0,4}"
    r"(?:(?P<female>f|female|femme|mujer|femmina|w|weiblich|v|vrouw)|(?P<male>m|male|homme|hombre|maschio|m\xe4nnlich|man))"
    r"(?![^\W_])"
)
_NOUN: Final = r"(?!person|v[i\xed][ct]tim|fam[i\xed])[a-z\xe0-\xff]{3,20}"
# Nouns before a name, of which the article or the ending tells: le plombier, Luc; la tutora, Ana; unser Azubi Jan.
_ENDING: Final = {
    "de": lazy_regex(
        r"(?<![^\W_])(?:(?P<female>(?:[Dd]ie|[Zz]ur|[Dd]er|(?:[Mm]|[Dd]|[Ss]|[Kk])?[Ee]iner?|[Uu]nserer?|[Ii]hrer?) "
        r"[A-Z][a-z\xe4\xf6\xfc\xdf]{2,24}in|[Dd]ie [a-z\xe4\xf6\xfc\xdf]{3,16}e"
        r"|[A-Z][a-z\xe4\xf6\xfc\xdf]{3,24}(?:[et]rin|tin|"
        r"mutter|tante|schwester|tochter|nichte))|(?P<male>[Dd]er [a-z\xe4\xf6\xfc\xdf]{3,16}e|(?:[Uu]nser|[Mm]ein"
        r"|[Ss]ein) "
        r"(?!Kind|M\xe4d|Mitgl|Baby|Team)[A-Z][a-z\xe4\xf6\xfc\xdf]{2,20}|[A-Z][a-z\xe4\xf6\xfc\xdf]{2,24}"
        r"(?:vater|onkel|bruder|sohn|partner|neffe))),? \Z"
    ),
    "fr": lazy_regex(
        rf"(?<![^\W_])(?:(?P<female>(?:[Ll]a|[Uu]ne|[Cc]ette) {_NOUN}|[a-z\xe9\xe8]{{3,16}}(?:trice|euse|i\xe8re))"
        rf"|(?P<male>(?:[Ll]e|[Uu]n|[Cc]e|[Dd]u|[Aa]u) {_NOUN})),? \Z"
    ),
    "es": lazy_regex(
        rf"(?<![^\W_])(?:(?P<female>(?:[Ll]a|[Uu]na) {_NOUN}(?:,|(?<=[dor]ra),?|(?<=ada))|[a-z]{{3,16}}(?:dora|tora"
        rf"|era),?)"
        rf"|(?P<male>(?:[Ee]l|[Uu]n|[Dd]el|[Aa]l) {_NOUN},?)) \Z"
    ),
    "it": lazy_regex(
        rf"(?<![^\W_])(?:(?P<female>(?:[Ll]a|[Uu]na|[Aa]lla|[Dd]alla|[Dd]ella) {_NOUN}(?:,|(?<=[ai]ta|ola|ina|ona),?)|"
        rf"[a-z]{{3,16}}(?:trice|essa|iera),?)|(?P<male>(?:[Ii]l|[Uu]n|[Dd]?[Aa]l|[Dd]el) {_NOUN},?|[Ll]o {_NOUN},)) \Z"
    ),
    "pt": lazy_regex(
        rf"(?<![^\W_])(?:(?P<female>(?:[Aa]|\xe0|[Uu]ma|[Dd]a|[Nn]a|[Pp]ela) {_NOUN},|[a-z]{{3,16}}(?:dora|tora"
        rf"|eira),?)"
        rf"|(?P<male>(?:[Oo]|[Uu]m|[Dd]o|[Nn]o|[Aa]o|[Pp]elo) {_NOUN},?)) \Z"
    ),
}
# Participles behind a name that agree with it.
_AGREEING: Final = lazy_regex(
    r"\A,? (?:est|sera|est\xe1|fue|foi|\xe8|sar\xe0|era"
    r"|\xe9)(?: stat[ao])? (?:(?P<female>[a-z\xe0-\xff]{2,16}(?:\xe9e|ue|[aiu][dt]a)|"
    r"enceinte|incinta|gr\xe1vida)|(?P<male>[a-z\xe0-\xff]{2,16}(?:\xe9|[aiu][dt]o)))(?![^\W_])"
)
_ROMANCE: Final = ("es", "fr", "it", "pt")


_TURKISH: Final = lazy_regex(
    r"(?i)\A (?:(?P<female>han\u0131m|abla|teyze)|(?P<male>bey|abi|amca|efendi|day\u0131))[a-z\u0131\xfc]{0,4}"
    r"(?![^\W_])"
)


_LETTERS: Final = lazy_regex("[A-Za-z]+")
_LONGEST_BEFORE, _LONGEST_SPOUSE, _LONGEST_DEAR, _LONGEST_OWN = (
    34,
    24,
    16,
    10,
)  # characters that the patterns above match at most
_NOT_ASCII: Final = r"[a-z]*(?:\\x[0-9a-f]{2}[a-z]*|\\u[0-9a-f]{4}[a-z]*)+"
_SAID: Final = frozenset(
    re.findall("[a-z]+", re.sub(_NOT_ASCII, "", f"{_WOMEN}|{_MEN}|herr|patienten".replace(r"\u0131", "i")))
) - words_in("beim belle dem den der el en ex il in la le unser vom")
"""Words of ASCII with which what stands before a name tells a woman or a man."""
_SAID_BEHIND: Final = _SAID | words_in(
    """f female lady m male gentleman he him himself his by she her herself hers nata nato nascida nascido nacida
    nacido"""
)
"""The same of what stands behind it, but behind digits, which words may be written against: 42F."""
_DIGIT: Final = lazy_regex("[0-9]")


def _before(text: str) -> re.Match[str] | None:
    """Search what stands before a name, if a word is there that could tell."""
    if text.isascii() and _SAID.isdisjoint(map(str.lower, _LETTERS.findall(text))):
        return None
    return _BEFORE.search(text, len(text) - _LONGEST_BEFORE)


def _behind(mention: Mention) -> re.Match[str] | None:
    """Search what stands behind a name, unless it is of somebody else, and if a word is there that could tell."""
    after = mention.after
    if _OWNER.match(after) or mention.value.endswith(("'s", "\u2019s")):
        return None
    if mention.page.language == "tr":
        return _TURKISH.match(after)
    if after.isascii() and not _DIGIT.search(after) and _SAID_BEHIND.isdisjoint(_LETTERS.findall(after.lower())):
        return None
    return _BEHIND.match(after)


def gender_of(mention: Mention, title: str = "") -> Gender:
    """Return the gender that the words beside a name show; ``title``: one that stands in the name itself, and stays."""
    language = mention.page.language
    found = (
        (_before(f"{title} ") if title else None)
        or _before(mention.before[-48:])
        or _DEAR.search(mention.before, len(mention.before) - _LONGEST_DEAR)
        or (_OWN[language].search(mention.before, len(mention.before) - _LONGEST_OWN) if language in _OWN else None)
        or _SPOUSE.search(mention.before, max(0, len(mention.before) - _LONGEST_SPOUSE))
        or (_ENDING[language].search(mention.before) if language in _ENDING else None)
        or _SEX.match(mention.after)
        or (_AGREEING.match(mention.after) if language in _ROMANCE else None)
        or _behind(mention)
    )
    if found is None:
        return ""
    return "female" if (found.lastgroup or "").startswith("female") else "male"


_ELIDED: Final = lazy_regex(r"(?i)(?<![^\W_])(?:d|l|qu|jusqu|n|s|dell|all|dall|nell|sull|un)['\u2019]\Z")
_LONGEST_ARTICLE: Final = 7
_AN: Final = lazy_regex(r"(?<![^\W_])[Aa](?P<n>n)? \Z")
_WHOLE: Final = {
    "fr": lazy_regex(r"(?i)(?<![^\W_])(?:de|que|le|la|jusque) \Z"),
    "it": lazy_regex(r"(?i)(?<![^\W_])(?:ad|ed) \Z"),
}
_VOWELS: Final = "aeiou\xe0\xe1\xe2\xe3\xe4\xe5\xe6\xe8\xe9\xea\xeb\xec\xed\xee\xef\xf2\xf3\xf4\xf5\xf6\xf9\xfa\xfb\xfc"
_BEGINS_VOWEL: Final = frozenset(f"{_VOWELS}{_VOWELS.upper()}\u0130\u0131\u212b")

_SUFFIX: Final = lazy_regex("['\u2019](?P<suffix>[a-z\xe7\u011f\u0131\xf6\u015f\xfc]{1,8})")
_TURKISH_VOWEL: Final = lazy_regex("[ae\u0131io\xf6u\xfc]")
_HARMONY: Final = {
    "a": "\u0131",
    "\u0131": "\u0131",
    "e": "i",
    "i": "i",
    "o": "u",
    "u": "u",
    "\xf6": "\xfc",
    "\xfc": "\xfc",
}
"""The close vowel that a Turkish ending has behind each vowel."""

Sound: TypeAlias = str
"""First sound of a surrogate ("vowel", "consonant"), or the endings that it must fit ("'dan'nin"); or neither."""


def sound_of(mention: Mention) -> Sound:
    """Return how the surrogate must sound, as an article before it (d', l', an) or a Turkish ending behind it shows."""
    if mention.page.language == "tr":
        ending = _SUFFIX.match(mention.after)
        return f"'{ending['suffix']}" if ending is not None else ""
    if not mention.before or mention.before[-1] not in "'\u2019 ":
        return ""
    length = len(mention.before)
    if mention.before[-1] != " ":
        return "vowel" if _ELIDED.search(mention.before, length - _LONGEST_ARTICLE) else ""
    article = _AN.search(mention.before, length - len("an ")) if mention.page.language in ("", "en") else None
    if article is not None:
        return "vowel" if article["n"] else "consonant"
    whole = _WHOLE.get(mention.page.language)
    if whole is not None and whole.search(mention.before, length - _LONGEST_ARTICLE):
        return "consonant" if mention.page.language == "fr" else "vowel"
    return ""


def sounding(entries: tuple[str, ...], sound: Sound) -> tuple[str, ...]:
    """Return the entries that sound so; all of them if fewer than two do."""
    return _sounding(entries, sound) if sound else entries  # to look it up takes a hash of all entries


@lru_cache(maxsize=64)
def _sounding(entries: tuple[str, ...], sound: Sound) -> tuple[str, ...]:
    if sound.startswith("'"):
        fitting = tuple(entry for entry in entries if all(_fits(entry, ending) for ending in sound[1:].split("'")))
    else:
        fitting = tuple(entry for entry in entries if (entry[:1] in _BEGINS_VOWEL) == (sound == "vowel"))
    return fitting if len(fitting) > 1 else entries


def _fits(name: str, ending: str) -> bool:
    """Return whether a Turkish ending goes with a name: by the vowel before it, and by the letter that it follows."""
    vowels, vowel = _TURKISH_VOWEL.findall(name.lower()), _TURKISH_VOWEL.search(ending)
    if not vowels or vowel is None:
        return False
    close = _HARMONY[vowels[-1]]
    harmonic = vowel[0] == close if vowel[0] not in "ae" else (vowel[0] == "a") == (close in "\u0131u")
    last_is_vowel = _TURKISH_VOWEL.fullmatch(name[-1].lower()) is not None
    if ending[0] in "dt":
        return harmonic and (ending[0] == "t") == (name[-1] in "fstk\xe7\u015fhp")
    joined = ending[0] in "yns" and len(ending) > 1
    return harmonic and (ending[0] in "lc" or last_is_vowel == joined)


def agreed_on(shown: Sequence[str]) -> str:
    """Return what all mentions that show something show; empty if they differ, or none does."""
    every = {one for one in shown if one}
    if len(every) > 1 and all(one.startswith("'") for one in every):
        return "".join(sorted(every))
    return every.pop() if len(every) == 1 else ""
