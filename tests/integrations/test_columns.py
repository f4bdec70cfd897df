"""Rows of texts with gaps: released in their places, counted once for each time they are drawn."""

import importlib
import pickle
from collections.abc import Iterator

import pytest
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.errors import InputError, ParameterError
from textveil.integrations import text_columns as module
from textveil.integrations.text_columns import ColumnSanitizer, sanitizer_of
from textveil.mechanisms.channels.neighborhood import neighborhood
from textveil.randomness import seeded_generator
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.sanitizer import Sanitizer

MADE = neighborhood(lettered_vocabulary(60, dim=5), epsilon=3.0)


def test_texts_are_those_of_a_batch() -> None:
    texts = ["waa wab 12", None, "wac.", "", "wad"]
    released = ColumnSanitizer(Sanitizer(MADE, rng=seeded_generator(5))).texts(texts)
    wanted = Sanitizer(MADE, rng=seeded_generator(5)).batch([text for text in texts if text is not None])
    assert released == [wanted[0].text, None, wanted[1].text, "", wanted[3].text]


def test_a_row_is_a_document_and_one_of_gaps_is_none() -> None:
    columns = ColumnSanitizer(MADE)
    found = list(columns.rows([("waa wab", "12"), (None, "waa"), (None, None)]))
    assert [[text is None for text in row] for row in found] == [[False, False], [True, False], [True, True]]
    report = columns.report(["note", "plan"], ["id"])
    assert (report.tally.documents, report.tally.kinds["word"], report.tally.kinds["number"]) == (2, 3, 1)
    assert report.tally.largest == [(2, 1)]
    assert (report.sanitized_fields, report.kept_fields) == (("note", "plan"), ("id",))


def test_what_is_released_again_is_counted_again() -> None:
    columns = ColumnSanitizer(MADE)
    first = columns.texts(["waa wab"]) and columns.report()
    columns.texts(["waa wab"])
    assert (first.tally.kinds["word"], columns.report().tally.kinds["word"]) == (2, 4)
    assert columns.report().tally.documents == 2


def test_a_copy_counts_from_nothing() -> None:
    columns = ColumnSanitizer(MADE)
    columns.texts(["waa wab"])
    assert pickle.loads(pickle.dumps(columns)).report().tally.documents == 0


def test_rows_are_read_only_a_chunk_ahead(monkeypatch) -> None:
    monkeypatch.setattr(module, "CHUNK_CHARACTERS", 40)
    read = []

    def rows() -> Iterator[tuple[str]]:
        for number in range(100):
            read.append(number)
            yield ("waa wab wac",)

    released = ColumnSanitizer(MADE).rows(rows())
    next(released)
    assert len(read) == 4
    assert len(list(released)) == 99
    assert next(ColumnSanitizer(MADE).rows(iter([(None,)] * 41 + [(3,)]))) == [None], "gaps count too"


@pytest.mark.parametrize("bad", [3, 2.5, b"waa", ["waa"]])
def test_other_values_are_named_by_row(bad) -> None:
    kind = type(bad).__name__
    with pytest.raises(InputError, match=rf"^row 2 must hold texts or gaps; got {kind}. Convert it first.$"):
        ColumnSanitizer(MADE).texts(["waa", bad])


def test_a_mechanism_by_name_is_refused_with_what_to_do() -> None:
    with pytest.raises(ParameterError, match=r"^policy must be one of .* pass tv.mechanism\('neighborhood', ...\)"):
        sanitizer_of("neighborhood")


@pytest.mark.parametrize("bad", [None, 3])
def test_neither_a_sanitizer_nor_a_mechanism(bad) -> None:
    with pytest.raises(ParameterError, match=r"^sanitizer must be a mechanism, a policy or a Sanitizer; got"):
        sanitizer_of(bad)


def test_the_texts_of_a_row_share_surrogates_and_rows_share_none() -> None:
    columns = ColumnSanitizer(policy("identifiers"))
    rows = list(columns.rows([("Write to ann@example.com.", None, "ann@example.com")] * 20))
    assert all(first == f"Write to {third}." for first, _, third in rows)
    assert len({third for *_, third in rows}) > 1, "twenty draws alike have a chance far below one in a million"
    report = columns.report()
    assert (report.tally.documents, report.tally.kinds["email mentions"]) == (20, 40)
    assert "identifiers" in report.summary()


def test_a_policy_of_mentions_shares_nothing_within_a_row() -> None:
    columns = ColumnSanitizer(policy("identifiers", scope="mention"))
    rows = list(columns.rows([("ann@example.com", "ann@example.com")] * 20))
    assert any(first != second for first, second in rows)


def test_a_corpus_is_one_scope_whatever_the_row() -> None:
    columns = ColumnSanitizer(Sanitizer(policy("identifiers", scope="corpus"), key=bytes(32)))
    assert len({text for row in columns.rows([("ann@example.com", "ann@example.com")] * 5) for text in row}) == 1


KNOWN = {
    "who": ["Zorblatt Quexel", None, "Zorblatt Quexel"],
    "text": ["today zorblatt came", "today zorblatt came", None],
    "age": [63, 41, 5],
}


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_values_of_other_columns_are_found_in_the_texts_of_their_row(package: str) -> None:
    """A name that no list has; a row without a value has none, and numbers stay numbers."""
    frames = pytest.importorskip(package, reason=f"needs the extra `{package}`")
    module = importlib.import_module(f"textveil.integrations.{package}")
    frame = frames.DataFrame(KNOWN)
    data, report = module.sanitize_frame(frame, "identifiers", ["text"], ["age"], known={"who": "person"})
    texts = data["text"].to_list()
    assert texts[0].startswith("today ") and "zorblatt" not in texts[0].lower() and texts[0].endswith(" came")
    assert texts[1] == "today zorblatt came"
    assert list(data.columns) == ["text", "age"] and data["age"].to_list() == [63, 41, 5]
    assert report.to_data()["fields"]["known"] == {"who": "person"}


@pytest.mark.parametrize("package", ["pandas", "polars"])
@pytest.mark.parametrize(
    ("policy", "known", "error", "message"),
    [
        ("all-words", {"who": "person"}, ParameterError, "`known` need a `policy` that finds spans"),
        ("identifiers", {"who": "planet"}, ParameterError, "with a rule for the kind 'planet'"),
        ("identifiers", {"whom": "person"}, InputError, "'whom'"),
    ],
)
def test_known_columns_that_do_not_fit_are_refused(package: str, policy, known, error, message: str) -> None:
    frames = pytest.importorskip(package, reason=f"needs the extra `{package}`")
    module = importlib.import_module(f"textveil.integrations.{package}")
    with pytest.raises(error, match=message):
        module.sanitize_frame(frames.DataFrame(KNOWN), policy, known=known)
