"""The accessor of pandas: dtypes, index, names and gaps stay; nothing rides along that no row holds."""

import pickle
import sys

import numpy as np
import pytest
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.errors import InputError, MissingExtra, ParameterError
from textveil.mechanisms.neighborhood import neighborhood
from textveil.randomness import seeded_generator
from textveil.sanitize.sanitizer import Sanitizer

pytest.importorskip("pandas", reason="needs the extra `pandas`")

import pandas as pd

from textveil.integrations import pandas as module
from textveil.integrations.pandas import sanitize_frame, sanitize_series

MADE = neighborhood(lettered_vocabulary(60, dim=5), epsilon=3.0)
TEXTS = ["waa wab 12", None, "wac.", "wad"]


def _dtypes() -> list:
    found = ["object", "str", "string[python]"]
    try:
        import pyarrow as pa
    except ImportError:
        return found
    return [*found, "string[pyarrow]", pd.ArrowDtype(pa.string()), pd.ArrowDtype(pa.large_string())]


@pytest.mark.parametrize("dtype", _dtypes(), ids=str)
def test_dtype_index_name_and_gaps_stay(dtype) -> None:
    series = pd.Series(TEXTS, dtype=dtype, index=pd.Index([7, 7, 2, 5], name="visit"), name="note")
    data, report = series.textveil.sanitize(Sanitizer(MADE, rng=seeded_generator(5)))
    wanted = [one.text for one in Sanitizer(MADE, rng=seeded_generator(5)).batch([one for one in TEXTS if one])]
    assert data.dtype == series.dtype and data.name == "note"
    pd.testing.assert_index_equal(data.index, series.index)
    assert data.isna().tolist() == [False, True, False, False]
    assert data.dropna().tolist() == wanted
    assert data.iloc[1] is series.iloc[1] or np.isnan(data.iloc[1])
    assert (report.tally.documents, report.sanitized_fields, report.kept_fields) == (3, ("note",), ("visit",))


def test_every_kind_of_gap_in_objects_stays_what_it_was() -> None:
    series = pd.Series(["waa", None, float("nan"), pd.NA], dtype=object)
    data, report = sanitize_series(series, MADE)
    assert data.iloc[1] is None and np.isnan(data.iloc[2]) and data.iloc[3] is pd.NA
    assert report.kept_fields == () and report.tally.documents == 1


def test_a_category_has_the_released_texts_and_no_others() -> None:
    series = pd.Series(pd.Categorical(["waa wab", "waa wab", None], categories=["waa wab", "secret"], ordered=True))
    data, _ = sanitize_series(series, MADE)
    assert isinstance(data.dtype, pd.CategoricalDtype) and not data.cat.ordered
    assert set(data.cat.categories) == set(data.dropna())
    assert data.isna().tolist() == [False, False, True]


def test_rows_of_one_category_have_draws_of_their_own() -> None:
    series = pd.Series(["waa wab wac wad"] * 400, dtype="category")
    assert sanitize_series(series, MADE).data.nunique() > 100


@pytest.mark.parametrize("dtype", ["object", "str", "category"])
def test_an_empty_series(dtype) -> None:
    series = pd.Series([], dtype=dtype, name="note")
    data, report = sanitize_series(series, MADE)
    assert len(data) == 0 and report.tally.documents == 0
    assert isinstance(data.dtype, pd.CategoricalDtype) if dtype == "category" else data.dtype == series.dtype


def test_pieces_are_put_together_in_order(monkeypatch) -> None:
    monkeypatch.setattr(module, "_ROWS", 3)
    texts = [" ".join(["waa"] * (number % 5)) if number % 4 else None for number in range(20)]
    data, _ = sanitize_series(pd.Series(texts, dtype=object), MADE)
    assert [None if text is None else len(text.split()) for text in data] == [
        None if text is None else len(text.split()) for text in texts
    ]


def test_a_frame_has_the_columns_that_are_named() -> None:
    frame = pd.DataFrame(
        {
            "note": ["waa wab", "wac", None],
            "plan": ["wad", None, None],
            "ward": pd.Categorical(["x", "y", "x"], categories=["x", "y", "no longer"]),
            "name": ["Jane", "John", "Joe"],
        },
        index=pd.MultiIndex.from_tuples([("a", 1), ("b", 2), ("c", 3)], names=["site", None]),
    )
    data, report = frame.iloc[:2].textveil.sanitize(MADE, ["plan", "note"], keep=["ward"])
    assert list(data.columns) == ["plan", "note", "ward"]
    assert data["ward"].tolist() == ["x", "y"] and list(data["ward"].cat.categories) == ["x", "y"]
    assert data.index.equals(frame.index[:2]) and "c" not in data.index.levels[0]
    assert b"no longer" not in pickle.dumps(data)
    assert data["plan"].isna().tolist() == [False, True]
    assert (report.tally.documents, report.tally.largest) == (2, [(3, 0)])
    assert report.kept_fields == ("ward", "site", "index")


def test_what_the_frame_was_told_of_itself_stays_behind() -> None:
    frame = pd.DataFrame({"text": ["waa"]})
    frame.attrs["source"] = frame["text"].attrs["source"] = "the ward of Jane"
    data, _ = sanitize_frame(frame, MADE)
    assert not data.attrs and not data["text"].attrs


@pytest.mark.parametrize("values", [[1, 2], [1.5, None], pd.to_datetime(["2020-01-01", None])], ids=str)
def test_columns_of_others_are_refused_by_their_type(values) -> None:
    series = pd.Series(values, name="age")
    kind = str(series.dtype).split("[")[0]
    with pytest.raises(InputError, match=rf"^the column 'age' must hold texts; got {kind}. Convert it with astype"):
        sanitize_series(series, MADE)


def test_a_value_that_is_no_text_is_named_by_its_row(monkeypatch) -> None:
    monkeypatch.setattr(module, "_ROWS", 2)
    series = pd.Series(["waa", None, "wab", 5.25], dtype=object, name="note")
    with pytest.raises(InputError, match=r"^row 4 of the column 'note' must be a text or missing; got float. Convert"):
        sanitize_series(series, MADE)


def test_columns_that_are_not_there_once() -> None:
    frame = pd.DataFrame([["waa", "wab"]], columns=["text", "text"])
    with pytest.raises(InputError, match=r"must have the column 'text' once; it has it 2 times"):
        frame.textveil.sanitize(MADE)
    with pytest.raises(InputError, match=r"must have the column 'note' once; it has none"):
        frame.textveil.sanitize(MADE, ["note"])
    with pytest.raises(ParameterError, match="columns must be a list of names; got str"):
        frame.textveil.sanitize(MADE, "text")


def test_without_pandas_the_error_says_how_to_get_it(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.delitem(sys.modules, "textveil.integrations.pandas")
    with pytest.raises(MissingExtra, match=r"`pandas` is not installed. Run: pip install 'textveil\[pandas\]'"):
        __import__("textveil.integrations.pandas")
