"""What a stream of draws for each row costs beside one for each batch: ratios in one run.

    python benchmarks/row_streams.py [--json]

Needs pyarrow, and the folder of shared texts.
"""

import argparse
import gzip
import json
from importlib import import_module
from itertools import islice

from measure import SHARED, machine, paired

from textveil.catalog import mechanism
from textveil.integrations.arrow_batches import sanitize_batches

WIKIPEDIA = "data/text/wikipedia/articles.jsonl.gz"
LENGTHS = ((None, 200), (100, 2000), (20, 4000))
"""Words of a text (None: whole articles), and how many texts."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with gzip.open(SHARED / WIKIPEDIA, "rt", encoding="utf-8") as lines:
        articles = [json.loads(line)["text"].split() for line in islice(lines, 4000)]
    pyarrow = import_module("pyarrow")
    found = []
    words = mechanism("neighborhood", epsilon=8.0)
    by_batch = sanitize_batches(words)
    by_row = sanitize_batches(by_batch.sanitizer, key="id")
    for length, count in LENGTHS:
        texts = [" ".join(article[:length]) for article in articles[:count]]
        batch = pyarrow.record_batch({"text": texts, "id": range(len(texts))})
        times = paired(lambda batch=batch: by_batch(batch, 1), lambda batch=batch: by_row(batch), rounds=3)  # type: ignore[misc]
        mean = sum(len(text.split()) for text in texts) / len(texts)
        found.append({"words": round(mean), "texts": count, "ratio": times["speedup"]})
    if given.json:
        print(json.dumps({"machine": machine(), "rows": found}, indent=2))
        return
    for row in found:
        print(f"texts of {row['words']:5} words: a stream a row takes {row['ratio']:.1f} times as long")


if __name__ == "__main__":
    main()
