"""Build the public lists of the embedded detector, or check the committed files.

    pip install faker==40.54.0
    python tools/build_detection_lists.py [--articles FILE] [--output FOLDER]   build (about half a minute)
    python tools/build_detection_lists.py --check                               compare; exit code 1 if different

Each word has a set of marks:
- given, family: it stands in a list of given or family names of the package faker (MIT license; every locale, entries
  that have a plain form in a-z) or in more_names.txt, or, family only, articles write it after a title or before a verb
  of saying.
- place: it stands in faker's lists of cities, countries and states, or articles write it after in, at, near or from.
- known_place: the articles do, or it is an English name of a country or a state of the USA.
- common: articles write it small more often than with a capital, three times at least, or it stands in a list and they
  only write it small.
- small: not common, but articles write it small in over 2 % of its uses, three times at least.
- other: a people, a language, a religion, a month, a medicine: written with a capital, names nobody (listed below).
Places of several words come from the same two sources. Articles: 5,247 of the English Wikipedia of 2015, CC BY-SA 3.0.
"""

import argparse
import gzip
import hashlib
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from faker_lists import entries

from textveil.detection.found import folded, plain
from textveil.detection.lists import DATA, FILE, RECORD, Marks, packed_lists

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("TEXTVEIL_SHARED", ROOT.parent / "shared"))
MORE = Path(__file__).with_name("more_names.txt")
_MORE: Final = {"given": Marks.GIVEN, "family": Marks.FAMILY, "place": Marks.PLACE, "short": Marks.GIVEN}
ARTICLES = SHARED / "data/text/wikipedia/articles.jsonl.gz"

_GIVEN: Final = """
    first_names first_names_male first_names_female first_names_nonbinary first_name_male first_name_female
    first_romanized_names_male first_romanized_names_female first_romanized_names""".split()  # noqa: SIM905
_FAMILY: Final = """last_names last_names_male last_names_female last_names_feminine last_names_masculine
    last_romanized_names last_name""".split()  # noqa: SIM905
_PLACES: Final = """cities city_names real_city_names countries states provinces regions counties departments
    municipalities communes cantons estados distritos concelhos metro_manila_lgus province_lgus""".split()  # noqa: SIM905
_OTHERS: Final = """
    caucasian caucasians afghan afghans philippine african africans albanian algerian american americans arab arabic
    arabs argentine armenian asian asians assyrian australian australians austrian babylonian basque belgian
    bengali bolivian bosnian brazilian british briton britons buddhist buddhists bulgarian byzantine cambodian
    canadian canadians catalan catholic catholics celtic chilean chinese christian christians colombian
    congolese creole croatian cuban cubans cypriot czech danish dutch easter ecuadorian egyptian egyptians
    english englishman estonian ethiopian european europeans filipino finnish flemish french frenchman georgian
    german germanic germans ghanaian greek greeks haitian hebrew hindi hindu hindus hispanic hispanics hungarian
    icelandic indian indians indonesian iranian iranians iraqi iraqis irish irishman islam islamic israeli
    israelis italian italians jamaican japanese jew jewish jews jordanian judaism kenyan korean koreans kurdish
    kurds kuwaiti latin latino latinos latvian lebanese liberian libyan lithuanian lutheran macedonian malay
    malaysian maltese mandarin maori mexican mexicans mongol mongolian moroccan mormon muslim muslims nepalese
    nigerian norse norwegian orthodox pakistani pakistanis palestinian palestinians persian peruvian polish
    portuguese protestant protestants puerto-rican roman romanian romans russian russians samoan sanskrit saudi
    saudis saxon scandinavian scot scots scottish senegalese serb serbian serbs shia shiite shiites sikh slavic
    slovak slovenian somali spaniard spaniards spanish sunni sunnis swahili swedish swiss syrian syrians
    taiwanese tamil thai tibetan tunisian turk turkish turks ugandan ukrainian urdu vietnamese viking welsh
    yiddish zimbabwean january february april june july september october november december monday tuesday
    wednesday thursday friday saturday sunday christmas thanksgiving hanukkah ramadan passover halloween bible
    quran koran god jesus christ allah buddha lord internet web olympic olympics earth covid english-speaking
    coumadin allegra benadryl lexapro cetaphil lasix wellbutrin flonase advair claritin keflex cialis bactrim
    klonopin vicodin naprosyn accutane cardizem elavil neurontin motrin toprol zyrtec adderall sinemet aleve
    lamictal lyrica cymbalta nexium viagra plaquenil zithromax imitrex zyprexa risperdal norvasc oxycontin
    percocet dilantin pravachol seroquel topamax botox lamisil medrol flomax chantix levaquin cipro prilosec
    protonix synthroid glucophage plavix singulair ambien ativan valium celexa paxil effexor remeron trazodone
    lortab norco darvocet celebrex vioxx diovan cozaar zestril altace lopressor tenormin crestor zocor zetia
    actos avandia lantus humalog novolog januvia spiriva combivent atrovent albuterol proventil ventolin flovent
    pulmicort nasonex rhinocort sudafed robitussin mucinex pepcid zantac tums mylanta imodium zofran phenergan
    reglan compazine decadron augmentin amoxicillin biaxin rocephin vancomycin diflucan valtrex zovirax lovenox
    heparin aspirin ibuprofen advil depakote tegretol keppra aricept namenda parkinson alzheimer crohn hodgkin
    huntington valsalva gleason medicare medicaid tylenol lipitor prozac zoloft xanax""".split()  # noqa: SIM905

_PIECES: Final = re.compile(r"[A-Za-z\xde\xfe]+(?:'[A-Za-z]+)?|[0-9]+|[.!?\n]|[^\sA-Za-z0-9]").findall
_PLAIN_WORD: Final = re.compile(r"[a-z]{2,}").fullmatch
_PLAIN_PHRASE: Final = re.compile(r"[a-z]+(?:[ -][a-z]+){1,4}").fullmatch
_TITLES: Final = frozenset(
    "Mr Mrs Ms Dr President King Queen Sir Lord Professor General Captain Senator Governor Colonel Bishop".split()  # noqa: SIM905
)
_SAYING: Final = frozenset(
    "said wrote argued stated claimed argues writes describes believed says married died".split()  # noqa: SIM905
)
_BEFORE_PLACES: Final = frozenset(("in", "near", "from", "at"))
_USES: Final = 3
_PLACE_SHARE: Final = 0.12
_FAMILY_SHARE: Final = 0.03
_SMALL_SHARE: Final = 0.02


class Counts(NamedTuple):
    """How articles write words: small, with a capital inside a sentence, after place words, as a person."""

    small: Counter[str]
    capital: Counter[str]
    placed: Counter[str]
    personal: Counter[str]


def main() -> int:
    """Build or check, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--articles", type=Path, default=ARTICLES, help="articles, one JSON object with a text a line")
    parser.add_argument("--output", type=Path, default=DATA, help="folder of the files")
    parser.add_argument("--check", action="store_true", help="compare with the committed files; write nothing")
    options = parser.parse_args()
    made = built(options.articles)
    if options.check:
        different = [name for name, data in made.items() if not same(name, (DATA / name).read_bytes(), data)]
        print("\n".join(different) or "The detector's lists are what this tool builds.")
        return 1 if different else 0
    for name, data in made.items():
        (options.output / name).write_bytes(data)
        print(f"{name:20s} {len(data):>10,d} bytes")
    return 0


def same(name: str, one: bytes, other: bytes) -> bool:
    """Whether two files hold the same: compressed ones by what they hold, for versions of the compressor differ."""
    if name == FILE:
        return gzip.decompress(one) == gzip.decompress(other)
    first, second = json.loads(one), json.loads(other)
    return {**first, "file": ""} == {**second, "file": ""}


def built(articles: Path) -> dict[str, bytes]:
    """The files, by name."""
    counts = counted(articles)
    marks = marked(counts)
    content = packed_lists(marks).encode("ascii")
    packed = gzip.compress(content, mtime=0)
    record = {
        "rule": (__doc__ or "").partition("Each word")[2].strip(),
        "entries": len(marks),
        "marks": {
            name.lower(): sum(mark & bit > 0 for mark in marks.values())
            for name, bit in vars(Marks).items()
            if name.isupper()
        },
        "content": hashlib.sha256(content).hexdigest(),
        "file": hashlib.sha256(packed).hexdigest(),
    }
    return {FILE: packed, RECORD: (json.dumps(record, indent=1) + "\n").encode("ascii")}


def marked(counts: Counts) -> dict[str, int]:  # noqa: C901 (one pass over cases of words)
    """The marks of each word and of each place of several words."""
    marks: dict[str, int] = {}

    def add(name: str, mark: int) -> None:
        marks[name] = marks.get(name, 0) | mark

    for mark, names in ((Marks.GIVEN, _GIVEN), (Marks.FAMILY, _FAMILY)):
        for name in entries("person", names):
            for word in re.split(r"[ '-]+", folded(name)):
                if _PLAIN_WORD(word):
                    add(word, mark)
    for name in entries("address", _PLACES):
        place = folded(name)
        if (_PLAIN_WORD(place) and len(place) > 2) or _PLAIN_PHRASE(place):
            add(place.replace("-", " "), Marks.PLACE)
    for list_name, locale in (("countries", "en"), ("states", "en_US")):
        for name in entries("address", [list_name], [locale]):
            if folded(name) in marks:
                add(folded(name), Marks.KNOWN_PLACE)
    for word, uses in counts.capital.items():
        small = counts.small[word]
        if uses < _USES or small > uses * 0.1:
            continue
        if counts.placed[word] >= _USES and counts.placed[word] > _PLACE_SHARE * uses:
            add(word, Marks.PLACE | Marks.KNOWN_PLACE)
        elif " " not in word and counts.personal[word] > _FAMILY_SHARE * uses and counts.personal[word] > 1:
            add(word, Marks.FAMILY)
    for word, uses in counts.small.items():
        if uses >= _USES and uses > counts.capital[word]:
            add(word, Marks.COMMON)
        elif uses >= _USES and uses > _SMALL_SHARE * counts.capital[word]:
            add(word, Marks.SMALL)
    for word, mark in list(marks.items()):
        if counts.small[word] and not counts.capital[word]:
            marks[word] = mark | Marks.COMMON
    for line in MORE.read_text(encoding="ascii").splitlines():
        kind, _, words = line.partition(": ")
        for word in words.split() if kind in _MORE else ():
            add(word, _MORE[kind])
            if kind == "short":
                marks[word] &= ~(Marks.COMMON | Marks.SMALL)
    add("united states", Marks.PLACE)
    for word in _OTHERS:
        marks[word] = Marks.OTHER
    return {name: mark for name, mark in marks.items() if _PLAIN_WORD(name) or _PLAIN_PHRASE(name)}


def counted(articles: Path) -> Counts:
    """How the articles write words, and pairs of words with capitals."""
    counts = Counts(Counter(), Counter(), Counter(), Counter())
    with gzip.open(articles, "rt", encoding="utf-8") as stream:
        for line in stream:
            for before, word, after in _inside(plain(json.loads(line)["text"]).text):
                if word[0].islower():
                    counts.small[word] += 1
                    continue
                name = word.removesuffix("'s").lower()
                counts.capital[name] += 1
                counts.placed[name] += before in _BEFORE_PLACES and not after[:1].isupper()
                counts.personal[name] += before in _TITLES or (after in _SAYING and not before[:1].isupper())
                if before in _BEFORE_PLACES and after[:1].isupper() and after.isalpha():
                    counts.placed[f"{name} {after.lower()}"] += 1
                if after[:1].isupper() and after.isalpha():
                    counts.capital[f"{name} {after.lower()}"] += 1
    return counts


def _inside(text: str) -> Iterator[tuple[str, str, str]]:
    """The words of a text with the piece before and after each; of words that begin a sentence, the small ones."""
    pieces = _PIECES(text)
    begins = True
    for place, piece in enumerate(pieces):
        if piece in ".!?\n":
            titled = place > 0 and piece == "." and pieces[place - 1] in _TITLES
            begins = not titled
        elif piece[0].isalpha() and len(piece) > 1:
            if not begins or piece[0].islower():
                after = pieces[place + 1] if place + 1 < len(pieces) else ""
                before = pieces[place - 1] if place else ""
                yield (pieces[place - 2] if before == "." else before), piece, after
            begins = False
        else:
            begins = False


if __name__ == "__main__":
    sys.exit(main())
