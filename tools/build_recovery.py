"""Measure how much a decoder recovers of public texts, by setting and epsilon; what reports quote.

    python tools/build_recovery.py                            measure (about an hour) and write the table
    python tools/build_recovery.py --figure docs/figures     draw the table as recovery.svg and recovery.png there
    python tools/build_recovery.py --epsilons 8 --print       measure some, write nothing

The texts lie beside the project: the first 300 of AG News' test part, 1,000 sentences of Yelp reviews, and the first
1,500 characters of articles that the embedded language model has not seen. Only shares are written.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from build_language_model import ARTICLES, SHARED, articles, news

import textveil as tv
from textveil.models.ngram import embedded_language_model
from textveil.sanitize.setting import COMPARED, TABLE, TUNED
from textveil_lab.audit.recovery import CONFIDENCE, measure_recovery

ROOT = Path(__file__).resolve().parents[1]
EPSILONS = (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0)
OPTIONS: tuple[dict[str, Any], ...] = ({}, {"context": "released"}, {"base_weights": "flat"})
FLAT_FROM = 5.0
"""Flat weights are measured from here on: below, hundreds of words stand behind each, and nearly nothing comes back."""


def reviews() -> Iterator[str]:
    """Sentences of Yelp reviews, test part, as many positive as negative."""
    halves = [
        (SHARED / "data/text/yelp" / f"test.{name}.txt").read_text("utf-8").splitlines() for name in ("pos", "neg")
    ]
    for pair in zip(*halves, strict=False):
        yield from pair


def beginnings() -> Iterator[str]:
    """First 1,500 characters of Wikipedia articles that the language model has not seen."""
    return (text[:1500] for text in articles(ARTICLES, held_out=True))


TEXTS = {"news (AG News)": (news, 300), "reviews (Yelp)": (reviews, 1000), "articles (Wikipedia)": (beginnings, 60)}


def measured(epsilons: list[float]) -> Iterator[dict[str, Any]]:
    """The table, again after every epsilon."""
    vocabulary, model = tv.load_vocabulary(), embedded_language_model()
    rows = []
    texts = {name: list(islice(read(), count)) for name, (read, count) in TEXTS.items()}
    for epsilon in epsilons:
        for options in OPTIONS if epsilon >= FLAT_FROM else OPTIONS[:-1]:
            mechanism = tv.mechanism("neighborhood", vocabulary, epsilon=epsilon, **options)
            found = {
                name: measure_recovery(mechanism, some, model, rng=tv.seeded_generator(0)).to_data()
                for name, some in texts.items()
            }
            parameters, tuned = ({name: mechanism.parameters.get(name) for name in some} for some in (COMPARED, TUNED))
            rows.append(
                {
                    "mechanism": mechanism.name,
                    "parameters": parameters,
                    "tuned": tuned,
                    "epsilon": epsilon,
                    "texts": found,
                }
            )
            line = ", ".join(_line(name, one["kinds"]) for name, one in found.items())
            print(f"{epsilon:4g} {options} {line}", flush=True)
        yield {
            "vocabulary": vocabulary.digest,
            "model": model.name,
            "model_digest": model.digest,
            "confidence": CONFIDENCE,
            "rows": rows,
        }


def _line(name: str, kinds: list[dict[str, Any]]) -> str:
    shares = "/".join(f"{one['unchanged']['estimate']:.3f}->{one['in_context']['estimate']:.3f}" for one in kinds)
    return f"{name} {shares}"


def figure(folder: Path) -> None:
    """Draw recovery against epsilon: of words, content words and names, alone and in context."""
    from textveil_lab.plots import new_figure, save_figure

    table = json.loads(TABLE.read_text(encoding="ascii"))
    name = next(text for text in TEXTS if text.startswith("news"))
    rows = [row for row in table["rows"] if row["parameters"]["base_weights"] == "frequency"]
    plain = [row for row in rows if not row["parameters"].get("context")]
    titles = [kind["kind"] for kind in plain[0]["texts"][name]["kinds"]]
    chart = new_figure(titles, x="epsilon of a word (nats)", y="share of them", y_range=(0.0, 1.0))
    series = (("guessed in context", "in_context"), ("guessed alone", "alone"), ("came out unchanged", "unchanged"))
    for place, panel in enumerate(chart.panels):
        found = [row["texts"][name]["kinds"][place] for row in plain]
        epsilons = [row["epsilon"] for row in plain]
        for style, (label, key) in enumerate(series):
            low, middle, high = ([one[key][end] for one in found] for end in ("lower", "estimate", "upper"))
            panel.line(epsilons, middle, label, style=style, low=low, high=high)
    chart.legend()
    for path in save_figure(chart, folder, "recovery"):
        print(path)


def main() -> int:
    """Measure, write or draw, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--epsilons", help="nats a word, instead of the stored ones")
    parser.add_argument("--print", action="store_true", help="write nothing")
    parser.add_argument("--figure", type=Path, help="draw the stored table instead")
    options = parser.parse_args()
    if options.figure is not None:
        figure(options.figure)
        return 0
    epsilons = [float(one) for one in options.epsilons.split(",")] if options.epsilons else list(EPSILONS)
    for table in measured(epsilons):
        if not options.print:
            TABLE.write_text(json.dumps(table) + "\n", encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
