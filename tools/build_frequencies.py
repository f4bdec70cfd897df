"""Build the word frequencies and the list of name words of the embedded vocabulary, or check the committed files.

    pip install faker==40.54.0
    python tools/build_frequencies.py [--articles FILE] [--output FOLDER]   build (about half a minute)
    python tools/build_frequencies.py --check                               compare; exit code 1 if different

Frequencies are counts of running words of English Wikipedia articles (5,247 of 2015, CC BY-SA 3.0), case folded.
A word names people or places where
- it is written with a capital in over 30 % of its uses that do not begin a sentence (two such uses at least), or
- it stands in the lists of personal names, cities and countries of the package faker (MIT license; locales in Latin
  script) and is none of the 3,000 most frequent words.
Days, months and languages are among the first kind: they are treated as names too.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from faker_lists import entries

from textveil.vocabulary.embedded import DATA, load_vocabulary
from textveil.vocabulary.facts import FREQUENCIES_FILES, FREQUENCIES_RECORD

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("TEXTVEIL_SHARED", ROOT.parent / "shared"))
ARTICLES = SHARED / "data/text/wikipedia/articles.jsonl.gz"

_PIECES = re.compile(r"[A-Za-z]+|[.!?\n]")
_CAPITALS = 0.3
_USES = 2
_FREQUENT = 3000
_LOCALES = frozenset(
    """cs_CZ da_DK de_AT de_CH de_DE en en_GB en_IE en_IN en_KE en_NG en_NZ en_US es_ES es_MX et_EE fi_FI fr_CH fr_FR
    hr_HR hu_HU id_ID is_IS it_IT lt_LT lv_LV nl_NL no_NO pl_PL pt_BR pt_PT ro_RO sk_SK sl_SI sv_SE tr_TR""".split()  # noqa: SIM905
)
_LISTS = {
    "person": (
        "first_names first_names_male first_names_female first_names_nonbinary "
        "last_names last_names_male last_names_female"
    ),
    "address": "cities countries states city_names counties provinces regions",
}


def main() -> int:
    """Build or check, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--articles", type=Path, default=ARTICLES, help="articles, one JSON object with a text a line")
    parser.add_argument("--output", type=Path, default=DATA, help="folder of the embedded files")
    parser.add_argument("--check", action="store_true", help="compare with the committed files; write nothing")
    options = parser.parse_args()
    made = built(options.articles)
    if options.check:
        different = [name for name, data in made.items() if (DATA / name).read_bytes() != data]
        print("\n".join(different) or "The embedded frequencies are what this tool builds.")
        return 1 if different else 0
    for name, data in made.items():
        (options.output / name).write_bytes(data)
        print(f"{name:20s} {len(data):>10,d} bytes")
    return 0


def built(articles: Path) -> dict[str, bytes]:
    """The files, by name."""
    words = load_vocabulary().words
    known = {word: index for index, word in enumerate(words)}
    uses, inside, capitals = (np.zeros(len(words), np.int64) for _ in range(3))
    with gzip.open(articles, "rt", encoding="utf-8") as stream:
        for line in stream:
            for written, begins in _running(json.loads(line)["text"]):
                index = known.get(written.lower())
                if index is None:
                    continue
                uses[index] += 1
                if not begins:
                    inside[index] += 1
                    capitals[index] += written[0].isupper()
    rank = np.empty(len(words), np.int64)
    rank[np.argsort(-uses, kind="stable")] = np.arange(len(words))
    listed = np.zeros(len(words), bool)
    listed[[known[word] for word in _listed() if word in known]] = True
    names = (inside >= _USES) & (capitals > _CAPITALS * inside) | listed & (rank >= _FREQUENT)
    files = {FREQUENCIES_FILES[0]: _npy(uses.astype(np.uint32)), FREQUENCIES_FILES[1]: _npy(np.packbits(names))}
    record = {
        "frequencies": "running words of 5,247 English Wikipedia articles of 2015 (CC BY-SA 3.0), case folded",
        "names": (__doc__ or "").partition("A word names")[2].strip(),
        "counted": int(uses.sum()),
        "name_words": int(names.sum()),
        "vocabulary": load_vocabulary().digest,
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
    }
    return {**files, FREQUENCIES_RECORD: (json.dumps(record, indent=1) + "\n").encode("ascii")}


def _running(text: str) -> Iterator[tuple[str, bool]]:
    """The words of a text as they are written, and whether each begins a sentence."""
    begins = True
    for piece in _PIECES.findall(text):
        if piece in ".!?\n":
            begins = True
        else:
            yield piece, begins
            begins = False


def _listed() -> set[str]:
    """Words of the lists of personal names, cities and countries."""
    found: set[str] = set()
    for topic, lists in _LISTS.items():
        for entry in entries(topic, lists.split(), _LOCALES, part=0):
            found.update(word for word in re.findall(r"[a-z]+", entry.lower()) if len(word) > 1)
    return found


def _npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


if __name__ == "__main__":
    sys.exit(main())
