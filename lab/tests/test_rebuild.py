"""Mechanisms made again from reports: the same channel, or a refusal in one line."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.catalog import drawing_text
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.catalog import entries, mechanism
from textveil.errors import InputError
from textveil.privacy.guarantees import Status
from textveil.sanitize.sanitizer import Sanitizer
from textveil_lab.rebuild import read_report, rebuilt, report_of

CATALOG = entries()


VOCABULARY = lettered_vocabulary(40)
MADE = {
    "neighborhood": [{"epsilon": 3.0}, {"epsilon": 3.0, "alpha": 1.25, "base_mass": 0.4}, {"base_weights": "flat"}],
    "tem": [{"epsilon": 2.0, "truncation": 0.7}, {"epsilon": 60.0}, {"epsilon_per_distance": 0.7, "beta": 0.01}],
    "tgm": [{}, {"epsilon": 20.0}],  # it has a least epsilon
    "santext": [{"epsilon": 2.0}, {"epsilon_per_distance": 0.7}, {}],
    "santext-plus": [{"epsilon": 2.0, "p": 0.3, "w": 0.9}, {"epsilon_per_distance": 0.7}],
    "elastic": [{"epsilon": 2.0, "mass": 0.1}, {"epsilon_per_distance": 0.7, "levels": 4}],
    "privic": [{"epsilon": 2.0, "rounds": 3}, {"epsilon_per_distance": 0.7}],
    "custext": [{"epsilon": 2.0}, {"epsilon": 2.0, "top_k": 8, "measure": "cosine"}],
    "exponential": [{"epsilon": 2.0}, {"epsilon_per_distance": 0.7, "clip": None}],
    "consistent-neighborhood": [{"epsilon": 2.0, "recent": 7}],
    "metric-exponential": [{"epsilon": 2.0}],
    "gaussian": [{"epsilon": 2.0, "delta": 1e-6}],
    "pte": [{"epsilon": 2.0, "map_dim": 3}, {"epsilon_per_distance": 2.0, "map_seed": 9}],
    "spherical-laplace": [{"epsilon": 2.0}, {"epsilon_per_distance": 0.7}],
    "mahalanobis": [{"epsilon": 2.0, "covariance_weight": 0.75}, {"epsilon_per_distance": 0.7}],
    "gaussian-classical": [{"epsilon": 0.5, "delta": 1e-6}],
}
CASES = [
    (name, options)
    for name in drawing_text()
    for options in MADE.get(name, [{"epsilon": 2.0} if "epsilon" in CATALOG[name].options() else {}])
    if CATALOG[name].status is not Status.REFUTED and not CATALOG[name].needs
]


def report(made) -> dict:
    released = Sanitizer(made, rng=np.random.default_rng(1))("waa wab 12")
    return json.loads(json.dumps(released.report().to_data()))


@pytest.mark.parametrize(("name", "options"), CASES)
def test_every_mechanism_comes_back_from_its_report(name: str, options) -> None:
    made = mechanism(name, VOCABULARY, **options)
    again = rebuilt(report_of(report(made)), VOCABULARY)
    assert type(again) is type(made)
    for key, value in made.parameters.items():
        assert again.parameters[key] == (pytest.approx(value, rel=1e-5) if isinstance(value, float) else value)
    if hasattr(made, "integer_weights") and "epsilon_per_distance" not in options:  # which is rounded once more
        assert again.guarantee == made.guarantee
        ids = np.arange(40)
        assert (again.integer_weights(ids) == made.integer_weights(ids)).all()


def test_a_file_of_counts_must_be_given_again(tmp_path) -> None:
    path = tmp_path / "counts.txt"
    path.write_text("".join(f"{word} {i * i + 1}\n" for i, word in enumerate(VOCABULARY.words)))
    made = mechanism("neighborhood", VOCABULARY, epsilon=3.0, prior=str(path))
    said = report_of(report(made))
    assert dict(rebuilt(said, VOCABULARY, prior=str(path)).parameters) == dict(made.parameters)
    with pytest.raises(InputError, match=r"its prior, weights_digest did not. Give the file of word counts as `prior`"):
        rebuilt(said, VOCABULARY)
    path.write_text("waa 1\nwab 99\n")
    with pytest.raises(InputError, match=r"its weights_digest did not. Use the data that released"):
        rebuilt(said, VOCABULARY, prior=str(path))


def test_reports_of_something_else_are_refused_in_one_line(tmp_path) -> None:
    data = report(mechanism("neighborhood", VOCABULARY, epsilon=3.0))
    wrong = {
        "the report must be of textveil .*; got one of 0.0.1. Use the version that released": {"textveil": "0.0.1"},
        "must be of the vocabulary .*; got abc. Give `vocabulary`": {"vocabulary": {"digest": "abc"}},
        "of a mechanism of the catalog; got 'neighbors'": {"mechanism": {"name": "neighbors", "parameters": {}}},
        "parameters must make a mechanism; epsilon must be finite and > 0; got -1": {
            "mechanism": {"name": "neighborhood", "parameters": {"epsilon": -1}}
        },
        "must say mechanism, vocabulary and fields": {"mechanism": "neighborhood"},
    }
    for message, change in wrong.items():
        with pytest.raises(InputError, match=message) as caught:
            rebuilt(report_of({**data, **change}), VOCABULARY)
        assert "\n" not in str(caught.value)
    for content in ("[]", "{}", "no JSON", "\x00"):
        (tmp_path / "r.json").write_text(content)
        with pytest.raises(InputError, match="the report must"):
            read_report(tmp_path / "r.json")
    with pytest.raises(InputError, match="the report must be a readable JSON file; got FileNotFoundError"):
        read_report(tmp_path / "none.json")
    (tmp_path / "r.json").write_text(json.dumps(data))
    assert rebuilt(read_report(tmp_path / "r.json"), VOCABULARY).name == "neighborhood"


@pytest.mark.parametrize("text", ["[" * 10_000, "9" * 5000, "{"], ids=["deep", "digits", "cut"])
def test_a_damaged_report_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "file.json").write_text(text)
    with pytest.raises(InputError) as refused:
        read_report(tmp_path / "file.json")
    assert "\n" not in str(refused.value) and "[[" not in str(refused.value)
