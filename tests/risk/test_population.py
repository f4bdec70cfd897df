"""How many people share what is left: against the definition, on populations that are independent, and bad tables."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from textveil.detection.embedded import embedded_detector
from textveil.errors import InputError, ParameterError
from textveil.risk.attack import risk
from textveil.risk.page import to_html
from textveil.risk.population import Marginals, Population, population, read_marginals
from textveil.risk.values import record_values

TABLE = """attribute,value,share
sex,female|woman|she,0.5
sex,male|man,0.5
age,40-49,0.2
age,50,0.02
place,Leeds,0.1
place,York St. Mary,0.01
occupation,baker,0.05
occupation,master baker,0.001
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "shares.csv").write_text(TABLE)
    return tmp_path / "shares.csv"


def counted(marginals: Marginals, originals: list[str], released: list[str]) -> Population:
    values = record_values(originals, released, embedded_detector())
    return population(marginals, originals, released, values, np.arange(len(originals)))


@pytest.mark.parametrize(
    ("original", "release", "share"),
    [
        ("a woman of Leeds", "a woman of Leeds", 0.5 * 0.1),
        ("a woman of Leeds", "a person of Leeds", 0.1),
        ("a woman of Leeds", "a woman of Hull", 0.5),
        ("a person of Hull", "a woman of Leeds", 1),
        ("She is a woman, a master baker", "She is a woman, a master baker", 0.5 * 0.001),
        ("from York St. Mary or Leeds", "from YORK, st mary or leeds", 0.01),
        ("A 43-year-old man", "A 43-year-old man", 0.02 * 0.5),
        ("A 43-year-old man", "A 47-year-old man", 0.5),
        ("A 50-year-old man", "A 50-year-old man", 0.02 * 0.5),
        ("A 3-month-old baby, 43 cats", "A 3-month-old baby, 43 cats", 1),
        ("", "", 1),
    ],
)
def test_expected_people_are_those_who_share_the_rarest_value_of_each_attribute(
    table: Path, original: str, release: str, share: float
) -> None:
    found = counted(read_marginals(table, population=10_000), [original], [release])
    assert found.median == pytest.approx(10_000 * share)


def test_expected_numbers_are_the_means_of_a_population_with_independent_attributes(tmp_path: Path) -> None:
    """A population that has each combination as often as the table says, enumerated."""
    kinds = {"color": {"red": 2, "green": 8}, "animal": {"cat": 5, "dog": 4, "emu": 1}, "food": {"bread": 3, "rice": 7}}
    rows = [f"{kind},{value},{count / 10}" for kind, values in kinds.items() for value, count in values.items()]
    (tmp_path / "t.csv").write_text("attribute,value,share\n" + "\n".join(rows) + "\n")
    marginals = read_marginals(tmp_path / "t.csv", population=1000, fewer_than=61)
    everybody = [
        values for values in product(*kinds.values())
        for _ in range(np.prod([kinds[kind][value] for kind, value in zip(kinds, values, strict=True)]))
    ]  # fmt: skip
    assert len(everybody) == 1000
    texts = [f"likes {color} and {animal} and {food}" for color, animal, food in product(*kinds.values())]
    sizes = [sum(set(person) <= set(text.split()) for person in everybody) for text in texts]
    found = counted(marginals, texts, texts)
    assert found.small.share == sum(size < 61 for size in sizes) / len(texts)
    assert found.median == pytest.approx(np.median(sizes))
    assert found.attributes == dict.fromkeys(kinds, len(texts))


def test_report_and_page_have_the_share_with_its_interval_and_the_assumption(table: Path) -> None:
    notes = [f"A woman of Leeds, number {number}, came." for number in range(20)]
    released = [note.replace("Leeds", "[place]") if number < 15 else note for number, note in enumerate(notes)]
    marginals = read_marginals(table, population=90, fewer_than=5)
    report = risk(released, notes, marginals=marginals)
    data = report.to_data()["population"]
    assert (data["small"]["share"], data["population"], data["fewer_than"]) == (0.25, 90, 5)
    assert data["small"]["low"] < 0.25 < data["small"]["high"]
    assert data["attributes"] == {"sex": 20, "place": 5, "occupation": 0, "age": 0}
    assert "independent" in data["assumed"]
    page = to_html(report)
    assert "fewer than 5 are expected to share the attributes left in 5 of 20 records" in page
    assert "Attributes count as independent" in page
    assert "leeds" not in (page + json.dumps(report.to_data())).lower()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1 .* columns attribute,value,share"),
        ("attribute,value\nsex,male\n", "line 1 .* columns"),
        ("attribute,value,share\n", "must have a row"),
        ("attribute,value,share\nsex,XYZ,0.5\nsex,XYZ,0.1\n", "line 3 .* no other of its attribute"),
        ("attribute,value,share\nsex,XYZ,50 %\n", "line 2 .* a share above 0"),
        ("attribute,value,share\nsex,XYZ,nan\n", "line 2 .* a share above 0"),
        ("attribute,value,share\nsex,XYZ,0\n", "line 2 .* a share above 0"),
        ("attribute,value,share\nsex,XYZ,0.7\nsex,ABC,0.7\n", "line 3 .* at most for one attribute"),
        ("attribute,value,share\nsex,XYZ|,0.7\n", "line 2 .* a value with words"),
        ("attribute,value,share\nXYZ,0.7\n", "line 2 .* an attribute, a value and a share"),
        ("attribute,value,share\n\n,XYZ,0.7\n", "line 3 .* an attribute, a value and a share"),
        ("attribute,value,share\nage,90+,0.1\n", "line 2 .* range of ages"),
        ("attribute,value,share\nage,40-49,0.1\nage,49,0.1\n", "line 3 .* overlaps no other"),
        ("attribute,value,share\nage,50-40,0.1\n", "line 2 .* range of ages"),
        ('attribute,value,share\nsex,"XYZ,0.1\n', "line 2 .* comma-separated"),
        ("\xff", "readable file in UTF-8"),
    ],
)
def test_table_of_another_form_is_refused_by_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "t.csv").write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=message) as error:
        read_marginals(tmp_path / "t.csv", population=10)
    assert "XYZ" not in str(error.value) and "\n" not in str(error.value)


def test_missing_table_and_empty_population_are_refused(table: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="readable file"):
        read_marginals(tmp_path / "none.csv", population=10)
    with pytest.raises(ParameterError, match="population must be >= 1"):
        read_marginals(table, population=0)
    with pytest.raises(ParameterError, match="fewer_than must be >= 1"):
        read_marginals(table, population=1, fewer_than=0)
