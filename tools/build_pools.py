"""Build the pools of surrogates from the lists of the package faker, or check the committed files.

    pip install faker==40.54.0 phonenumbers==9.0.43
    python tools/build_pools.py [--articles FILE] [--output FOLDER]   build (about half a minute)
    python tools/build_pools.py --check                               compare; exit code 1 if different

Names are single words of 3 to 12 letters from a to z (families may begin with Mc, Mac or O'), of locales of Europe and
America; those of one language but English have pools of their own too; further pools hold the names of other scripts,
of at least two characters. Left out are
- words that English Wikipedia articles (5,247 of 2015) write without a capital in half of their uses or more, of five
  at least: a surrogate should not read as a common word;
- slurs and obscenities, by the hashes in tools/left_out.txt and the words below.
Telephone numbers of a calling code and a length begin with the two (or three) digits after which eight fixed endings
are all numbers of a line or a mobile by the package phonenumbers; North America, Britain and France have what their
offices reserve for examples. Every pool is sorted, so that no order of the source shows.
"""

import argparse
import gzip
import hashlib
import json
import os
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import faker
import phonenumbers
from faker_lists import entries
from phonenumbers import PhoneMetadata, PhoneNumber, PhoneNumberType

from textveil.surrogates.pools import DATA, FILE, RECORD, pools_of

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("TEXTVEIL_SHARED", ROOT.parent / "shared"))
ARTICLES = SHARED / "data/text/wikipedia/articles.jsonl.gz"
LEFT_OUT = Path(__file__).with_name("left_out.txt")

VERSION = "40.54.0"
PHONES = "9.0.43"
_LATIN = (
    "en en_GB en_IE en_NZ en_US da_DK de_AT de_CH de_DE es_AR es_CL es_CO es_ES es_MX fr_BE fr_CA fr_CH fr_FR it_IT "
    "nl_BE nl_NL no_NO pl_PL pt_BR pt_PT sv_SE"
)
_ENGLISH = "en en_GB en_IE en_NZ en_US"
_SCRIPTS = {
    "arabic": "ar_AA ar_DZ ar_PS ar_SA fa_IR",
    "cyrillic": "ru_RU uk_UA bg_BG mk_MK",
    "devanagari": "hi_IN ne_NP mr_IN",
    "greek": "el_GR",
    "han": "zh_CN zh_TW",
    "hangul": "ko_KR",
    "hebrew": "he_IL",
}
_LANGUAGES = {
    "de": "de_AT de_CH de_DE",
    "fr": "fr_BE fr_CA fr_CH fr_FR",
    "es": "es_AR es_CL es_CO es_ES es_MX",
    "it": "it_IT",
    "pt": "pt_BR pt_PT",
    "nl": "nl_BE nl_NL",
    "sv": "sv_SE",
    "pl": "pl_PL",
    "tr": "tr_TR",
}
_OWN_LETTERS = {
    "pl": re.compile(
        "[A-Z\u0106\u0141\u015a\u0179\u017b][a-z\u0105\u0107\u0119\u0142\u0144\xf3\u015b\u017a\u017c]{2,12}"
    ),
    "tr": re.compile("[A-Z\u00c7\u011e\u0130\u00d6\u015e\u00dc][a-z\u00e7\u011f\u0131\u00f6\u015f\u00fc]{2,10}"),
}
"""Languages with letters beside A to Z: their pools are names of tools/script_names.txt, in those letters."""
_GIVEN = re.compile(r"[A-Z][a-z]{2,11}")
_FAMILY = re.compile(r"(?:O'|Ma?c)?[A-Z][a-z]{2,11}")
_USES = 5
_BAD = frozenset(
    """adolf anal argie arse bastien bich bitch bogan boner bong bum butt butts cock coon crapper cum cumming dick
    dicker dicks dike dink dong dyke fag fagan fanny fuchs fuck fucker fuk gay gaye gaylord gook hitler hoes homo
    hore hori horn isis jap kike kummer kunt lesbia lolita lust mamon negro nigga noonan osama paki pansy penis
    phat pimp poof poon porn prick puss pussy putin randy rape satan semen sex shag shit slut smut spic stalin
    stiff tit tits titty trump twat wang wank weiner wiener willie willy wop""".split()  # noqa: SIM905
)


def main() -> int:
    """Build or check, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--articles", type=Path, default=ARTICLES, help="articles, one JSON object with a text a line")
    parser.add_argument("--output", type=Path, default=DATA, help="folder of the pools")
    parser.add_argument("--check", action="store_true", help="compare with the committed files; write nothing")
    options = parser.parse_args()
    if (faker.VERSION, phonenumbers.__version__) != (VERSION, PHONES):
        got = f"{faker.VERSION} and {phonenumbers.__version__}"
        print(f"faker and phonenumbers must be {VERSION} and {PHONES}; got {got}. Install these.")
        return 1
    pools = built(options.articles)
    text = "".join(f"[{name}]\n" + "".join(f"{entry}\n" for entry in entries) for name, entries in pools.items())
    record = _record(pools, text)
    if options.check:
        same = pools_of((DATA / FILE).read_bytes()) == pools and (DATA / RECORD).read_text("utf-8") == record
        print("The pools are what this tool builds." if same else "The pools differ.")
        return 0 if same else 1
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / FILE).write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
    (options.output / RECORD).write_text(record, encoding="utf-8")
    for name, words in pools.items():
        print(f"{name:20s} {len(words):>8,d}")
    return 0


def built(articles: Path) -> dict[str, tuple[str, ...]]:
    """The pools by name."""
    common, hashes = _common(articles), set(LEFT_OUT.read_text(encoding="ascii").split("\n"))

    def fit(words: Iterable[str], form: re.Pattern[str]) -> tuple[str, ...]:
        kept = {word for word in words if form.fullmatch(word)}
        return tuple(sorted(word for word in kept if word.lower() not in common | _BAD and _hash(word) not in hashes))

    female, male = (set(fit(_listed("person", _LATIN, f"first_names_{kind}"), _GIVEN)) for kind in ("female", "male"))
    family = fit(_listed("person", _LATIN, "last_names last_names_male last_names_female"), _FAMILY)
    pools = {
        "given": fit(_listed("person", _LATIN, "first_names first_names_male first_names_female"), _GIVEN),
        "given female": tuple(sorted(female - male)),
        "given male": tuple(sorted(male - female)),
        "family": family,
        "town": tuple(word for word in fit(_listed("person", _ENGLISH, "last_names"), _GIVEN) if len(word) <= 9),
        "country": tuple(sorted(_listed("address", "en", "countries"))),
        "state": tuple(sorted(_listed("address", "en_US", "states"))),
        "state code": tuple(sorted(_listed("address", "en_US", "states_abbr"))),
    }
    for language, locales in _LANGUAGES.items():
        for pool, lists in (
            ("given female", "first_names_female"),
            ("given male", "first_names_male"),
            ("family", "last_names last_names_male last_names_female"),
        ):
            known, own = set(pools[pool]), _listed("person", locales, lists)
            if language in _OWN_LETTERS:
                fits = _OWN_LETTERS[language].fullmatch
                pools[f"{pool} {language}"] = tuple(sorted(filter(fits, _own_names(f"{language} {pool}"))))
            else:
                pools[f"{pool} {language}"] = tuple(sorted(known & own))
    for script, locales in _SCRIPTS.items():
        for pool, lists in (("given", "first_names first_names_male first_names_female"), ("family", "last_names")):
            words = _listed("person", locales, lists)
            pools[f"{pool} {script}"] = tuple(sorted({word for word in words if _one_word(word, script)}))
    return pools | dict(_phones())


def _own_names(name: str) -> set[str]:
    """The names of a language that the list of our own has under a label: tools/script_names.txt."""
    lines = LEFT_OUT.with_name("script_names.txt").read_text(encoding="utf-8").splitlines()
    return {word for line in lines if line.startswith(f"{name}: ") for word in line.partition(": ")[2].split()}


_CALLED = (PhoneNumberType.FIXED_LINE, PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE_OR_MOBILE)
_ENDINGS = (
    *("0000000000", "1234567890", "5271940386", "9999999999"),
    *("7707007070", "3141592653", "8642097531", "2460813579"),
)
_RESERVED = {
    "phone 33 9": "19900 26191 35301 46571 53649 63998",
    "phone 44 10": "1134960 1144960 1154960 1164960 1174960 1184960 1214960 1314960 1414960 1514960 1614960 1914980 "
    "2079460 2896496 2920180 7700900",
}
"""Of ARCEP, decision 2018-0881, and of Ofcom, "Telephone numbers for drama use"."""


def _phones() -> Iterator[tuple[str, tuple[str, ...]]]:
    """The beginnings of numbers by calling code and length."""
    areas = [f"{area}" for area in range(200, 1000) if _is_called(1, f"{area}5550123") in ("US", "CA")]
    yield "calling code", tuple(sorted(map(str, phonenumbers.COUNTRY_CODE_TO_REGION_CODE)))
    yield "phone 1 10", tuple(f"{area}55501" for area in areas)
    for code, regions in sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE.items()):
        meta = PhoneMetadata.metadata_for_region(regions[0], None)
        lengths = meta.general_desc.possible_length if meta and meta.general_desc else ()
        for length in () if code == 1 else sorted(lengths):
            name = f"phone {code} {length}"
            begins = _beginnings(code, length, 2) or _beginnings(code, length, 3)
            if 6 <= length <= 12 and (name in _RESERVED or len(begins) > 1):
                yield name, tuple(_RESERVED[name].split(" ") if name in _RESERVED else begins)


def _beginnings(code: int, length: int, digits: int) -> list[str]:
    """The first digits after which every ending is a number."""
    tried = (str(begin) for begin in range(10 ** (digits - 1), 10**digits))
    return [one for one in tried if all(_is_called(code, one + ending[: length - digits]) for ending in _ENDINGS)]


def _is_called(code: int, number: str) -> str | None:
    """The region of a number of a line or a mobile; None where it is none."""
    made = PhoneNumber(country_code=code, national_number=int(number))
    return phonenumbers.region_code_for_number(made) if phonenumbers.number_type(made) in _CALLED else None


def _one_word(word: str, script: str) -> bool:
    """Whether all characters are letters of a script; characters that stand for syllables may stand alone."""
    least = 1 if script in ("han", "hangul") else 2
    name = {"han": "CJK"}.get(script, script.upper())
    inside = all(unicodedata.name(one, "").startswith(name) for one in word)
    return least <= len(word) <= 14 and inside


def _common(articles: Path) -> set[str]:
    """Words that running text mostly writes without a capital."""
    small: Counter[str] = Counter()
    large: Counter[str] = Counter()
    with gzip.open(articles, "rt", encoding="utf-8") as stream:
        for line in stream:
            for word in re.findall(r"[A-Za-z]+", json.loads(line)["text"]):
                (small if word[0].islower() else large)[word.lower()] += 1
    return {word for word, uses in small.items() if uses >= _USES and uses >= large[word]}


def _listed(topic: str, locales: str, lists: str) -> set[str]:
    """The entries of faker's lists of these names."""
    found = entries(topic, lists.split(), locales.split(), part=0)
    return {unicodedata.normalize("NFC", entry.strip()) for entry in found}


def _hash(word: str) -> str:
    """The digits by which left_out.txt names a word."""
    return hashlib.sha256(word.lower().encode("utf-8")).hexdigest()[:16]


def _record(pools: dict[str, tuple[str, ...]], text: str) -> str:
    record = {
        "source": f"locale lists of faker {VERSION}, Copyright (c) 2012 Daniele Faraglia, MIT License; numbering plans "
        f"of phonenumbers {PHONES}, Apache License 2.0",
        "rule": (__doc__ or "").partition("\n\n")[2].partition("\n\n")[2].strip(),
        "entries": {name: len(entries) for name, entries in pools.items() if not name.startswith("phone ")},
        "digest": hashlib.sha256(text.encode("utf-8")).hexdigest(),
    }
    return json.dumps(record, indent=1) + "\n"


if __name__ == "__main__":
    sys.exit(main())
