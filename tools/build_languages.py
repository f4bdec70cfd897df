"""Build the model that tells languages in Latin letters apart, or check the committed file.

    pip install py3langid==0.4.0
    python tools/build_languages.py [--output FOLDER]   build (a second)
    python tools/build_languages.py --check             compare; exit code 1 if different

The model is that of py3langid (BSD license), less what no text needs that is asked about: of its 142 languages those
that ``detection/languages.py`` knows, and of its sequences of bytes those without bytes of other scripts. Every number
that is kept is the model's own, written as its rank among the numbers of its language.
"""

import argparse
import hashlib
import io
import json
import re
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

from textveil.detection.languages import KNOWN, MODEL, MODEL_RECORD
from textveil.detection.lists import DATA

_OF_OTHER_SCRIPTS: Final = re.compile(rb"[\xca-\xe0\xe3-\xff]|\xe1[^\xb8-\xbb]|\xe2[^\x80-\x82]", re.DOTALL)
"""Bytes of UTF-8 but of Latin letters, their accents and marks, punctuation and currencies."""


def sequences(identifier: Any) -> dict[bytes, int]:
    """Return the sequences of bytes that the model counts, with the rows of their numbers.

    The model walks an automaton, whose states are ends of the text; each counts the longest sequence that it ends with.

    Raises:
        AssertionError: a state counts another.
    """
    ends, order = {0: b""}, [0]
    for state in order:
        row = identifier._rowbase[state]
        for byte, following in enumerate(identifier.tk_nextmove[row : row + 256]):
            if following not in ends:
                ends[following] = ends[state] + bytes([byte])
                order.append(following)
    rows: dict[bytes, int] = {}
    for state in order:
        end, row = ends[state], identifier.tk_output[state]
        longest = next((end[n:] for n in range(1, len(end)) if end[n:] in rows), b"")
        if row >= 0 and row != rows.get(longest):
            rows[end] = row
        assert row == rows.get(end, rows.get(longest, -1))
    return rows


def packed() -> tuple[bytes, str, dict[str, object]]:
    """Return the file, the digest of what it holds, and facts about it."""
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(KNOWN))
    rows = {end: row for end, row in sequences(identifier).items() if not _OF_OTHER_SCRIPTS.search(end)}
    names = sorted(rows)
    numbers = np.asarray(identifier.nb_ptc)[[rows[name] for name in names]]
    kept = [np.unique(column) for column in numbers.T]
    ranks = np.stack([np.searchsorted(values, column) for values, column in zip(kept, numbers.T, strict=True)], axis=1)
    table = np.zeros((len(kept), max(map(len, kept))), dtype=np.float16)
    for row, values in zip(table, kept, strict=True):
        row[: len(values)] = values
    arrays: dict[str, Any] = {
        "names": np.frombuffer(b"\0".join(names), dtype=np.uint8),
        "low": (ranks & 255).astype(np.uint8),
        "high": (ranks >> 8).astype(np.uint8),
        "values": table,
        "before": np.asarray(identifier.nb_pc, dtype=np.float32),
    }
    digest = hashlib.sha256(b"".join(array.tobytes() for array in arrays.values())).hexdigest()
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    facts = {
        "source": f"py3langid {version('py3langid')}, BSD license",
        "model": hashlib.sha256((MODEL_DIR / MODEL_FILE).read_bytes()).hexdigest(),
        "languages": identifier.nb_classes,
        "sequences": len(names),
    }
    return buffer.getvalue(), digest, facts


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=DATA)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    file, content, facts = packed()
    if arguments.check:
        if json.loads((DATA / MODEL_RECORD).read_text(encoding="ascii"))["content"] != content:
            sys.exit(f"{MODEL} differs from what its source gives")
        return
    record = {**facts, "content": content, "file": hashlib.sha256(file).hexdigest()}
    (arguments.output / MODEL).write_bytes(file)
    (arguments.output / MODEL_RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="ascii")
    print(facts["sequences"], len(file))


if __name__ == "__main__":
    main()
