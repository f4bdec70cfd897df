"""Rows of texts with gaps: released in their places, counted once for each time they are drawn."""

import importlib
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.errors import InputError, ParameterError
from textveil.integrations import text_columns as module
from textveil.integrations.text_columns import ColumnSanitizer, sanitizer_of
from textveil.mechanisms.neighborhood import neighborhood
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
    "text": ["today the zorblatt came", "today the zorblatt came", None],
    "age": [63, 41, 5],
}


PACKAGES = ("pandas", "polars", "pyarrow")


def table_of(package: str, data: dict[str, list]) -> tuple[Any, Any]:
    """A table of the package, and the function that sanitizes one."""
    tables = pytest.importorskip(package, reason=f"needs the extra `{package}`")
    if package == "pyarrow":
        return tables.table(data), importlib.import_module("textveil.integrations.arrow_batches").sanitize_table
    return tables.DataFrame(data), importlib.import_module(f"textveil.integrations.{package}").sanitize_frame


def column(data: Any, name: str) -> list:
    return data[name].to_pylist() if hasattr(data[name], "to_pylist") else data[name].to_list()


@pytest.mark.parametrize("package", PACKAGES)
def test_values_of_other_columns_are_found_in_the_texts_of_their_row(package: str) -> None:
    """A name that no list has; a row without a value has none, and numbers stay numbers."""
    table, sanitize = table_of(package, KNOWN)
    data, report = sanitize(table, "identifiers", ["text"], ["age"], known={"who": "person"})
    texts = column(data, "text")
    assert texts[0].startswith("today ") and "zorblatt" not in texts[0].lower() and texts[0].endswith(" came")
    assert texts[1] == "today the zorblatt came" and not isinstance(texts[2], str)
    names = data.column_names if package == "pyarrow" else list(data.columns)
    assert names == ["text", "age"] and column(data, "age") == [63, 41, 5]
    assert report.to_data()["fields"]["known"] == {"who": "person"}
    assert report.persons is None


@pytest.mark.parametrize("package", PACKAGES)
def test_what_one_persons_rows_cost_together_is_told(package: str) -> None:
    """Three words of one person in two rows, one of another, two of nobody's; a row without a text costs nothing."""
    data = {
        "who": ["a", "b", None, "a", None, "a"],
        "text": ["waa wab", "wac", "waa", "wad", "wab", None],
    }
    table, sanitize = table_of(package, data)
    _, report = sanitize(table, MADE, unit="who")
    told = report.to_data()["guarantee"]["per_person"]
    assert (told["column"], told["persons"], told["protected_tokens"]) == ("who", 3, 3)
    assert told["epsilon"] == pytest.approx(3 * MADE.guarantee.epsilon)
    assert "who" not in report.to_data()["fields"]


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize(
    ("policy", "beside", "error", "message"),
    [
        ("all-words", {"known": {"who": "person"}}, ParameterError, "`known` need a `policy` that finds spans"),
        ("identifiers", {"known": {"who": "planet"}}, ParameterError, "with a rule for the kind 'planet'"),
        ("identifiers", {"known": {"whom": "person"}}, InputError, "'whom'"),
        ("identifiers", {"known": ["who"]}, ParameterError, "known must be a dictionary of columns and kinds"),
        ("identifiers", {"unit": "whom"}, InputError, "'whom'"),
        ("identifiers", {"unit": ["who"]}, ParameterError, "unit must be the name of a column; got list"),
    ],
)
def test_columns_that_do_not_fit_are_refused(package: str, policy, beside, error, message: str) -> None:
    table, sanitize = table_of(package, KNOWN)
    with pytest.raises(error, match=message):
        sanitize(table, policy, **beside)
