"""The namespace of Polars: eager and lazy frames, nulls, and costs that count every evaluation."""

import sys

import pytest
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.errors import InputError, MissingExtra, ParameterError
from textveil.mechanisms.neighborhood import neighborhood
from textveil.randomness import seeded_generator
from textveil.sanitize.sanitizer import Sanitizer

pytest.importorskip("polars", reason="needs the extra `polars`")

import polars as pl

from textveil.integrations import polars as module
from textveil.integrations.polars import ColumnSanitizer, sanitize_frame, sanitize_series

MADE = neighborhood(lettered_vocabulary(60, dim=5), epsilon=3.0)
TEXTS = ["waa wab 12", None, "wac.", "wad"]


def _wanted(texts: list[str | None]) -> list[str | None]:
    found = iter(Sanitizer(MADE, rng=seeded_generator(5)).batch([text for text in texts if text is not None]))
    return [None if text is None else next(found).text for text in texts]


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(["waa wab 12", "wac.", "wad", "other"])], ids=str)
def test_a_series_keeps_its_name_and_nulls(dtype) -> None:
    data, report = pl.Series("note", TEXTS, dtype).textveil.sanitize(Sanitizer(MADE, rng=seeded_generator(5)))
    assert (data.name, data.dtype, data.to_list()) == ("note", pl.String, _wanted(TEXTS))
    assert (report.tally.documents, report.sanitized_fields) == (3, ("note",))


@pytest.mark.parametrize("values", [[], [None, None]], ids=str)
def test_a_series_without_texts(values) -> None:
    data, report = sanitize_series(pl.Series("note", values), MADE)
    assert (data.dtype, data.to_list(), report.tally.documents) == (pl.String, values, 0)


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_a_lazy_frame_is_drawn_whenever_it_is_collected(engine) -> None:
    columns = ColumnSanitizer(MADE)
    frame = pl.LazyFrame({"text": ["waa wab wac wad"] * 50, "id": range(50)})
    lazy = frame.with_columns(pl.col("text").textveil.sanitize(columns))
    assert columns.report().tally.documents == 0
    first, second = lazy.collect(engine=engine), lazy.collect(engine=engine)
    assert first["id"].to_list() == list(range(50)) and first["text"].n_unique() > 10
    assert first["text"].to_list() != second["text"].to_list()
    assert (columns.report().tally.documents, columns.report().tally.kinds["word"]) == (100, 400)


def test_rows_that_a_filter_leaves_out_cost_nothing_or_are_counted() -> None:
    columns = ColumnSanitizer(MADE)
    lazy = pl.LazyFrame({"text": ["waa"] * 10, "id": range(10)})
    kept = lazy.with_columns(pl.col("text").textveil.sanitize(columns)).filter(pl.col("id") < 4).collect()
    assert len(kept) == 4 and columns.report().tally.documents in (4, 10)


def test_a_file_that_is_scanned_and_written(tmp_path) -> None:
    pl.DataFrame({"text": TEXTS}).write_parquet(tmp_path / "notes.parquet")
    columns = ColumnSanitizer(MADE)
    lazy = pl.scan_parquet(tmp_path / "notes.parquet").select(pl.col("text").textveil.sanitize(columns))
    lazy.sink_parquet(tmp_path / "released.parquet")
    released = pl.read_parquet(tmp_path / "released.parquet")["text"]
    assert [text and len(text.split()) for text in released] == [text and len(text.split()) for text in TEXTS]
    assert columns.report().tally.documents == 3


def test_a_frame_has_the_columns_that_are_named() -> None:
    frame = pl.DataFrame(
        {
            "note": ["waa wab", None, "wac"],
            "plan": ["12", None, None],
            "ward": ["x", "y", "x"],
            "name": ["A", "B", "C"],
        },
        schema_overrides={"ward": pl.Categorical},
    )
    data, report = frame.textveil.sanitize(MADE, ["plan", "note"], keep=["ward"])
    assert data.columns == ["plan", "note", "ward"] and data["ward"].dtype == pl.String
    assert data.select(pl.all().is_null()).rows() == [(False, False, False), (True, True, False), (True, False, False)]
    assert (report.tally.documents, report.tally.largest, report.kept_fields) == (2, [(2, 1)], ("ward",))


def test_pieces_are_put_together_in_order(monkeypatch) -> None:
    monkeypatch.setattr(module, "_ROWS", 3)
    lengths = [number % 5 for number in range(20)]
    data, _ = sanitize_series(pl.Series([" ".join(["waa"] * length) for length in lengths]), MADE)
    assert [len(text.split()) for text in data] == lengths


def test_columns_of_others_are_refused_by_their_type() -> None:
    with pytest.raises(InputError, match=r"^the column 'age' must hold texts; got Int64. Cast it, or keep it."):
        sanitize_series(pl.Series("age", [1, 2]), MADE)
    with pytest.raises(InputError, match=r"^the column 'age' must hold texts; got Struct."):
        sanitize_frame(pl.DataFrame({"age": [{"jane": 1}]}), MADE, ["age"])
    with pytest.raises(InputError, match=r"must have the column 'text'; it has not"):
        sanitize_frame(pl.DataFrame({"age": [1]}), MADE)
    with pytest.raises(ParameterError, match=r"policy must be one of .*; got 'neighborhood'"):
        pl.col("text").textveil.sanitize("neighborhood")


def test_an_error_inside_an_expression_is_ours_and_quotes_nothing() -> None:
    lazy = pl.LazyFrame({"age": [31337]}).select(pl.col("age").textveil.sanitize(MADE))
    with pytest.raises(InputError, match="the column 'age' must hold texts; got Int64") as caught:
        lazy.collect()
    assert "31337" not in str(caught.value)


def test_without_polars_the_error_says_how_to_get_it(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    monkeypatch.delitem(sys.modules, "textveil.integrations.polars")
    with pytest.raises(MissingExtra, match=r"`polars` is not installed. Run: pip install 'textveil\[polars\]'"):
        __import__("textveil.integrations.polars")
