"""Build the lists of ordinary words of other languages, or check the committed file.

    pip install wordfreq==3.1.1 faker==40.54.0
    python tools/build_ordinary_words.py [--output FOLDER]   build (a few seconds)
    python tools/build_ordinary_words.py --check             compare; exit code 1 if different

In a German, French, Spanish, Italian, Portuguese or Dutch document these words name nobody though they are written with
a capital: words of wordfreq's small lists (1 in a million or more), in plain small letters, without

- names of persons and places of faker's lists for the language's own countries, unless the word is among the 300 most
  frequent;
- names and places of its other lists, unless the word is among the 3,000 most frequent;
- well-known places.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import lzma
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from faker_lists import entries

from textveil.detection.found import folded
from textveil.detection.lists import DATA, LANGUAGES, ORDINARY_FILE, ORDINARY_RECORD, Marks, lists

_SURE: Final = 300
_FREQUENT: Final = 3_000
_LOCALES: Final = {
    "de": ("de_DE", "de_AT", "de_CH"),
    "fr": ("fr_FR", "fr_CH", "fr_BE", "fr_CA"),
    "es": ("es_ES", "es_MX", "es_CO", "es_AR", "es_CL", "es_CA", "es"),
    "it": ("it_IT",),
    "pt": ("pt_PT", "pt_BR"),
    "nl": ("nl_NL", "nl_BE"),
}
_NAMES: Final = (
    "first_names", "first_names_male", "first_names_female", "last_names", "last_names_male", "last_names_female",
)  # fmt: skip
_PLACES: Final = ("cities", "city_names", "real_city_names", "states", "provinces", "regions", "countries", "cantons")


def frequent(language: str) -> Iterator[str]:
    """The words of a language, the most frequent first."""
    import msgpack

    spec = find_spec("wordfreq")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("wordfreq must be installed; it is not. Install wordfreq==3.1.1.")
    packed = Path(spec.submodule_search_locations[0], "data", f"small_{language}.msgpack.gz").read_bytes()
    for bucket in msgpack.unpackb(gzip.decompress(packed), raw=False)[1:]:
        yield from bucket


def ordinary(language: str) -> list[str]:
    """The ordinary words of a language, sorted."""
    marks_of = lists().words.get
    own = {folded(entry) for entry in entries("person", _NAMES, _LOCALES[language])}
    own |= {folded(entry) for entry in entries("address", _PLACES, _LOCALES[language])}
    words = set()
    for rank, entry in enumerate(frequent(language)):
        word = folded(entry)
        if len(word) < 2 or not word.isascii() or not word.isalpha():
            continue
        marks = marks_of(word, 0)
        named = word in own and rank >= _SURE
        listed = bool(marks & (Marks.GIVEN | Marks.FAMILY | Marks.PLACE)) and rank >= _FREQUENT
        if not (named or listed or marks & Marks.KNOWN_PLACE):
            words.add(word)
            if language == "de":
                words.add(word.replace("ss", "s"))  # the plain form of a sharp s
    return sorted(words)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=DATA)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    content = "".join(f"{language}\t{' '.join(ordinary(language))}\n" for language in LANGUAGES).encode("ascii")
    packed = lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)
    record = {
        "source": "wordfreq 3.1.1, CC BY-SA 4.0",
        "words": {line.split("\t")[0]: line.count(" ") + 1 for line in content.decode("ascii").splitlines()},
        "content": hashlib.sha256(content).hexdigest(),
        "file": hashlib.sha256(packed).hexdigest(),
    }
    if arguments.check:
        committed = json.loads((DATA / ORDINARY_RECORD).read_text(encoding="ascii"))
        if committed["content"] != record["content"]:
            sys.exit(f"{ORDINARY_FILE} differs from what its sources give")
        return
    (arguments.output / ORDINARY_FILE).write_bytes(packed)
    (arguments.output / ORDINARY_RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
