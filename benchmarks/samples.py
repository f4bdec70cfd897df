"""Sentences as they come out, released and decoded, at several epsilons: to look at, beside the averages.

    python benchmarks/samples.py                  the twenty sentences of examples/sentences.txt, as Markdown
    python benchmarks/samples.py --corpora        twenty real ones instead: reviews, news and clinical dialogue,
                                                  chosen by the seed from the shared texts (which stay there)

    --epsilons 3,5,8,10   --seed 3   --context released   --output PAGE.md

The draws come from the seed: an example that can be repeated is never for release.
"""

import argparse
import csv
import random
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from measure import SHARED

import textveil as tv
from textveil.whole_files import write_whole

HERE = Path(__file__).resolve().parents[1]
SENTENCES = HERE / "examples/sentences.txt"
HEAD = """# Sentences, released and decoded

Reviews, news and clinical notes as they come out of the default mechanism with `--context {context}`, and what
`textveil decode` makes of the release alone. Numbers are drawn digit by digit and stay as they were released. Each word
has the epsilon that stands beside it. The draws come from seed {seed}, which is for examples, never for release.
The sentences were written for this page; `--corpora` takes real ones.
Command: `python benchmarks/samples.py --context {context} --output lab/docs/samples.md`."""

SHORTEST, LONGEST = 60, 160
"""Characters of a sentence that is chosen from the shared texts."""


def own() -> list[str]:
    """The sentences of the examples."""
    return SENTENCES.read_text(encoding="utf-8").splitlines()


def reviews() -> Iterable[str]:
    """Sentences of film reviews, the development part of SST-2."""
    (path,) = (SHARED / "data/text/sst2").glob("*dev*")
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        yield line.partition("\t")[0].strip()


def news() -> Iterable[str]:
    """Descriptions of AG News, test part."""
    with (SHARED / "data/text/agnews/test.csv").open(encoding="utf-8", newline="") as stream:
        yield from (row[2].partition("\\")[0] for row in csv.reader(stream))


def dialogues() -> Iterable[str]:
    """Turns of clinical dialogues."""
    for path in sorted((SHARED / "data/text/clinical").rglob("*.csv")):
        with path.open(encoding="utf-8", newline="", errors="replace") as stream:
            for row in csv.DictReader(stream):
                yield from (row.get("dialogue") or "").splitlines()


def chosen(seed: int) -> list[str]:
    """Seven reviews, seven pieces of news and six turns of dialogue."""
    rng = random.Random(seed)
    kinds: tuple[tuple[Callable[[], Iterable[str]], int], ...] = ((reviews, 7), (news, 7), (dialogues, 6))
    found: list[str] = []
    for read, count in kinds:
        fit = sorted({text.strip() for text in read() if SHORTEST <= len(text.strip()) <= LONGEST})
        found += rng.sample(fit, count)
    return found


def page(sentences: list[str], epsilons: list[float], seed: int, context: str) -> str:
    """Every sentence with what it becomes, a Markdown list."""
    vocabulary = tv.load_vocabulary()
    columns: list[tuple[str, list[str]]] = []
    for epsilon in epsilons:
        mechanism = tv.mechanism("neighborhood", vocabulary, epsilon=epsilon, context=context)
        sanitizer = tv.Sanitizer(mechanism, rng=tv.seeded_generator(seed))
        released = [release.text for release in sanitizer.batch(sentences)]
        columns.append((f"{epsilon:g}", released))
        columns.append((f"{epsilon:g}", tv.decode(released, mechanism)))
    lines = [HEAD.format(context=context, seed=seed)]
    for number, sentence in enumerate(sentences):
        lines += [f"\n## {number + 1}\n", f"> {sentence}\n"]
        lines += ["| epsilon | released | decoded |", "|---|---|---|"]
        for (shown, released), (_, decoded) in zip(columns[::2], columns[1::2], strict=True):
            lines.append(f"| {shown} | {released[number]} | {decoded[number]} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Print or write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--corpora", action="store_true", help="real sentences from the shared texts")
    parser.add_argument("--epsilons", default="3,5,8,10", help="nats a word")
    parser.add_argument("--seed", type=int, default=3, help="of the choice and of the draws")
    parser.add_argument("--context", default="none", help="none or released")
    parser.add_argument("--output", type=Path, help="file to write; else standard output")
    options = parser.parse_args()
    sentences = chosen(options.seed) if options.corpora else own()
    made = page(sentences, [float(one) for one in options.epsilons.split(",")], options.seed, options.context)
    if options.output is None:
        sys.stdout.write(made)
    else:
        write_whole(options.output, made.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
