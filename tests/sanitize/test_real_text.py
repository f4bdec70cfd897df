"""Real documents: nothing unknown survives at its place, offsets hold, reports add up."""

import csv
import gzip
import json
from collections.abc import Iterator
from itertools import islice

import pytest
from tests.helpers.shared import shared_path

from textveil.catalog import mechanism
from textveil.sanitize.release import Tally
from textveil.sanitize.sanitizer import Sanitizer
from textveil.text.tokens import PLACEHOLDERS, Kind, split


def ag_news() -> Iterator[str]:
    with shared_path("data/text/agnews/test.csv").open(encoding="utf-8", newline="") as stream:
        for row in islice(csv.reader(stream), 4000):
            yield " ".join(row[1:])


def clinical() -> Iterator[str]:
    for name in ("aci_bench/valid.csv", "mts_dialog/MTS-Dialog-ValidationSet.csv"):
        with shared_path(f"data/text/clinical/{name}").open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                yield from (value for value in row.values() if value)


def personal() -> Iterator[str]:
    for name in ("synth_dataset_v2.json", "generated_large.json"):
        records = json.loads(shared_path(f"data/text/pii/presidio_synthetic/{name}").read_text(encoding="utf-8"))
        yield from (record["full_text"] for record in records)


def wikipedia() -> Iterator[str]:
    with gzip.open(shared_path("data/text/wikipedia/articles.jsonl.gz"), "rt", encoding="utf-8") as stream:
        for line in islice(stream, 40):
            yield json.loads(line)["text"]


CORPORA = [ag_news, clinical, personal, wikipedia]


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA, ids=lambda corpus: corpus.__name__)
def test_nothing_unknown_comes_out_at_its_place(embedded, corpus) -> None:
    """Every word token of the output is a word of the vocabulary, every number is drawn, the rest is public."""
    sanitizer = Sanitizer(mechanism("neighborhood", embedded, epsilon=8.0), marks="keep")
    known = set(embedded.words)
    tally = Tally()
    documents = list(corpus())
    changed_numbers = numbers = 0
    for private, release in zip(documents, sanitizer.stream(documents, spans=True), strict=True):
        before = split(private)
        assert len(before) == len(release.spans)
        tally.add(release.kinds, release.mapped)
        index = 0
        for surface, (start, end, kind) in zip(before, release.spans, strict=True):
            came = release.text[start:end]
            assert start == index
            index = end
            if kind == Kind.WORD:
                assert came.lower() in known
                if surface.lower() not in known:
                    assert came != surface
            elif kind == Kind.NUMBER:
                numbers += 1
                changed_numbers += came != surface
                assert len(came) == len(surface)
            elif kind in PLACEHOLDERS:
                assert came == PLACEHOLDERS[kind]
            else:
                assert came == surface
        assert index == len(release.text)
    assert tally.documents == len(documents)
    assert tally.mapped > 0
    assert changed_numbers > 0
    assert max(map(sum, tally.largest)) <= tally.kinds["word"] + tally.kinds["number"]


def test_names_and_addresses_of_the_personal_data_do_not_survive(embedded) -> None:
    """Entity spans of the synthetic records: e-mail addresses, links and long numbers come out changed."""
    sanitizer = Sanitizer(mechanism("neighborhood", embedded, epsilon=8.0))
    path = shared_path("data/text/pii/presidio_synthetic/synth_dataset_v2.json")
    records = json.loads(path.read_text(encoding="utf-8"))
    for record, release in zip(records, sanitizer.stream(r["full_text"] for r in records), strict=True):
        for span in record["spans"]:
            value = span["entity_value"]
            if span["entity_type"] in {"EMAIL_ADDRESS", "DOMAIN_NAME", "IBAN_CODE"} and len(value) > 8:
                assert value not in release.text


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA, ids=lambda corpus: corpus.__name__)
def test_unchanged_words_stay_below_the_limit(embedded, corpus) -> None:
    """The share of words that come out unchanged is near P(y = x), far below what any 8-DP mechanism may keep."""
    made = mechanism("neighborhood", embedded, epsilon=8.0, base_weights="flat")
    same = total = 0
    documents = list(islice(corpus(), 300))
    for private, release in zip(documents, Sanitizer(made, marks="keep").stream(documents, spans=True), strict=True):
        for surface, (start, end, kind) in zip(split(private), release.spans, strict=True):
            if kind == Kind.WORD and surface.lower() in embedded._ids:
                total += 1
                same += surface.lower() == release.text[start:end].lower()
    expected = made.weights.inside / made.weights.total  # type: ignore[attr-defined]
    assert total > 500
    # Five standard deviations of a binomial with the exact probability.
    assert abs(same / total - expected) < 5 * (expected / total) ** 0.5 + 1e-3
