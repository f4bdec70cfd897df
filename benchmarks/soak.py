"""What must never happen, tried many times: private characters kept, texts that stop it, blocks lost, draws repeated.

    python benchmarks/soak.py strings --count 10000000    hostile strings: no private character is kept
    python benchmarks/soak.py pages --count 100000        words of everyday pages in other orders: no text stops it
    python benchmarks/soak.py kills --count 1000          jobs of every format, killed at random moments
    python benchmarks/soak.py draws                       forks, threads, spawned and pickled copies: no draw repeats
    python benchmarks/soak.py all --quick                 a little of each, in a minute

Each prints what it tried and ends with code 1 and what it found where a claim fails. ``--seed`` chooses other cases
(what they draw is the operating system's randomness all the same), ``--first`` goes on with ``strings`` from a case.
"""

import argparse
import sys
import time

from soak_draws import repeated_draws
from soak_kills import killed_jobs
from soak_pages import shuffled_pages
from soak_strings import hostile_strings

from textveil.errors import TextveilError

QUICK = {"strings": 40_000, "pages": 300, "kills": 12, "draws": 4}
WHOLE = {"strings": 10_000_000, "pages": 100_000, "kills": 1_000, "draws": 200}


def main() -> int:
    """Runs the parts that are named; 1 where a claim fails."""
    parser = argparse.ArgumentParser(description="What must never happen, tried many times.")
    parser.add_argument("part", choices=[*WHOLE, "all"])
    parser.add_argument(
        "--count", type=int, help="strings, texts, kills, or holders of each kind  [default: of the claim]"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the cases  [default: 1]")
    parser.add_argument("--first", type=int, default=0, help="number of the first string  [default: 0]")
    parser.add_argument("--quick", action="store_true", help="a small number of each")
    options = parser.parse_args()
    if options.part == "all" and options.count is not None:
        parser.error("--count belongs to one part")
    failed = False
    for part in WHOLE if options.part == "all" else (options.part,):
        count = options.count if options.count is not None else (QUICK if options.quick else WHOLE)[part]
        start = time.monotonic()
        try:
            if part == "strings":
                lines = hostile_strings(count, options.seed, options.first)
            else:
                part_of = {"pages": shuffled_pages, "kills": killed_jobs, "draws": repeated_draws}[part]
                lines = part_of(count, options.seed)
        except (AssertionError, TextveilError) as found:
            failed = True
            lines = [f"FAILED: {found}"]
        print(*(f"{part}: {line}" for line in lines), f"{part}: {time.monotonic() - start:.0f} s", sep="\n", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
