"""Choose the exponent and the base mass of the embedded vocabulary's base weights for many epsilons, or check them.

    python tools/build_weight_choices.py            build (about two minutes)
    python tools/build_weight_choices.py --check    compare the numbers; exit code 1 if a choice differs

The criterion stands in ``textveil/mechanisms/weight_shares.py``. It is a function of public vectors, public
frequencies and epsilon alone; it is stored because it takes seconds, not because it could not be computed.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from textveil.mechanisms.weight_shares import CHOICES, chosen, sample_of
from textveil.vocabulary.embedded import DATA, load_vocabulary
from textveil.vocabulary.facts import word_frequencies

EPSILONS = [quarters / 4 for quarters in range(2, 57)]


def main() -> int:
    """Build or check, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the committed file; write nothing")
    check = parser.parse_args().check
    made = choices()
    path = Path(DATA) / CHOICES
    if check:
        stored = json.loads(path.read_text(encoding="ascii"))
        same = [one[:3] for one in stored["choices"]] == [one[:3] for one in made["choices"]]
        print("The stored choices are what this tool makes." if same else CHOICES)
        return 0 if same else 1
    rows = ",\n  ".join(json.dumps(one) for one in made.pop("choices"))
    head = json.dumps(made, indent=1).removesuffix("\n}")
    path.write_text(f'{head},\n "choices": [\n  {rows}\n ]\n}}\n', encoding="ascii")
    return 0


def choices() -> dict[str, Any]:
    """What the file holds."""
    vocabulary = load_vocabulary()
    frequencies = word_frequencies(vocabulary)
    sample = sample_of(vocabulary, frequencies)
    rows = []
    for epsilon in EPSILONS:
        found = chosen(frequencies, sample, epsilon)
        rows.append([epsilon, found.alpha, found.base_mass, round(found.cosine, 4), round(found.content_cosine, 4)])
        print(*rows[-1], file=sys.stderr)
    return {
        "columns": ["epsilon", "alpha", "base_mass", "cosine", "content_cosine"],
        "vocabulary": vocabulary.digest,
        "frequencies": frequencies.digest,
        "choices": rows,
    }


if __name__ == "__main__":
    sys.exit(main())
