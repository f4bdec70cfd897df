"""What an attacker who was held out still names behind ``textveil risk --limit``, by how far others must be ahead.

    python benchmarks/blanking.py [--ahead 0 0.01 0.015] [--limits 0.02 0.05 0.1]

Released are the first 80 words of the private texts of people 151 to 400 (``people.py``) under ``identifiers``, known
the first 400 of their public texts; the first 150 people are those by whom the distance was chosen. Held out are pieces
of words, and style. Needs public data (--data FOLDER).
"""

import argparse

import numpy as np
from people import first_words, people

import textveil as tv
from textveil.risk import blanking
from textveil.risk.attack import Style


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ahead", type=float, nargs="+", default=[0.0, 0.01, 0.015])
    parser.add_argument("--limits", type=float, nargs="+", default=[0.02, 0.05, 0.1])
    options = parser.parse_args()
    chosen = people(400)[150:]
    sanitizer = tv.Sanitizer("identifiers", rng=tv.seeded_generator(23))
    released = [sanitizer(first_words(person.private, 80)).text for person in chosen]
    public, ids = [first_words(person.public, 400) for person in chosen], np.arange(len(chosen))
    print("| limit | ahead | blanks | held out, before | after | upper end |\n|---|---|---|---|---|---|")
    for limit in options.limits:
        for ahead in options.ahead:
            blanking._AHEAD = ahead  # type: ignore[misc]
            found = blanking.blank_until(limit, released, ids, public, ids, against="background", held_out=[Style()])
            shares = (found.held_out_before.top1, found.held_out.top1, found.held_out.high)
            cells = " | ".join(f"{share:.3f}" for share in shares)
            print(f"| {limit:g} | {ahead:g} | {found.words:,} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
